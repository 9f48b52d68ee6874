"""The top of the front page: what the data say, by numbers that the test gives."""

from pathlib import Path

import pytest
from samples import sample_instances, sample_run
from site_samples import named_submission, rate_turns

from leaderboard.model.site import Site
from leaderboard.model.site_runs import read_runs
from leaderboard.pages.finding import Finding, finding
from leaderboard.pages.front_episode import legibility
from leaderboard.pages.overview import front_page
from leaderboard.rendering.render import Renderer


def site_of(folder: Path, by_turn: float) -> Site:
    """Two pairs whose first renderings get 5 and 4, 0.1 more with every episode, and ``by_turn`` more each turn."""
    instances = sample_instances(folder / "instances", per_condition=2)
    runs = [
        rate_turns(sample_run(folder / name, instances, named_submission(name, name, "painter")), first, 0.1, by_turn)
        for name, first in (("seer", 5.0), ("teller", 4.0))
    ]
    return Site(read_runs([run.path for run in runs]))


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Site:
    return site_of(tmp_path_factory.mktemp("help"), by_turn=2.0)


def finding_of(site: Site) -> Finding:
    made = finding(site)
    assert made is not None
    return made


def test_the_best_pair_and_its_gain_come_from_the_data(site: Site) -> None:
    made = finding_of(site)
    assert (made.pair.describer, made.pairs, made.pictures) == ("seer", 2, len(site.results.instances))
    episodes = site.results.episodes[made.pair.run_id]
    turns = {len(result.episode.rendered_turns) for result in episodes}
    assert len(turns) == 1
    assert made.first == pytest.approx(5.0 + 0.1 * (len(episodes) - 1) / 2)
    assert made.gain == pytest.approx(2.0 * (turns.pop() - 1))
    assert made.direction == "help"


def test_the_hardest_condition_is_that_of_the_lowest_best_score(site: Site) -> None:
    made = finding_of(site)
    first = site.results.instances[0]
    assert made.hardest is not None
    # Scores rise from episode to episode, so that the first condition stays lowest, by the better pair.
    assert (made.hardest.category, made.hardest.difficulty) == (first.category, first.difficulty)
    assert made.hardest.pair.describer == "seer"


def test_corrections_that_harm_are_said_to(tmp_path: Path) -> None:
    assert finding_of(site_of(tmp_path, by_turn=-1.0)).direction == "harm"


def test_the_front_page_says_so_in_three_sentences(site: Site) -> None:
    html = Renderer(site, {}).block(front_page(site))
    made = finding_of(site)
    lead = html.partition('<p class="lead">')[2].partition("</p>")[0]
    assert f"{made.pictures} pictures of {made.kinds} kinds" in lead
    main = made.cell.main
    assert (
        f"The best of 2 pairs reaches {main.mean:.1f} of 100 (95 % interval {main.low:.1f} to {main.high:.1f})" in lead
    )
    assert lead.count(". ") + lead.count(".\n") + lead.endswith(".") == 3 or "Nobody can do" in lead
    assert html.index('class="finding"') < html.index('class="strip"')


def test_words_read_more_easily_than_pixels() -> None:
    assert legibility(["A tangent touches the circle at B"]) == 1
    assert legibility(["polyline through (254, 162), (239, 163)"]) == pytest.approx(2 / 6)
    assert legibility(["word " * 120]) == pytest.approx(0.5)
