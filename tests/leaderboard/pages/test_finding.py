"""The top of the front page: what the data say, by numbers that the test gives."""

from dataclasses import replace
from pathlib import Path

import pytest
from invented import invented_run, invented_set
from known_values import known
from samples import sample_instances, sample_run
from site_samples import named_submission, rate_turns

from ircore.games.reconstruction.records import list_rendered_turns
from ircore.results.statistics.intervals import Estimate
from leaderboard.model.site import Site
from leaderboard.model.site_runs import read_runs
from leaderboard.pages.finding import Finding, Hardest, collect_findings
from leaderboard.pages.front_episode import measure_legibility
from leaderboard.pages.overview import build_front_page
from leaderboard.rendering.render import Renderer


def site_of(folder: Path, by_turn: float, per_condition: int = 5) -> Site:
    """Two pairs whose first renderings get 5 and 4, 0.05 more with every episode, and ``by_turn`` more each turn."""
    instances = sample_instances(folder / "instances", per_condition)
    runs = [
        rate_turns(sample_run(folder / name, instances, named_submission(name, name, "painter")), first, 0.05, by_turn)
        for name, first in (("seer", 5.0), ("teller", 4.0))
    ]
    return Site(read_runs([run.path for run in runs]))


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Site:
    return site_of(tmp_path_factory.mktemp("help"), by_turn=2.0)


def finding_of(site: Site) -> Finding:
    return known(collect_findings(site))


@pytest.mark.slow
def test_the_best_pair_and_its_gain_come_from_the_data(site: Site) -> None:
    made = finding_of(site)
    assert (made.pair.describer, made.pairs, made.pictures) == ("seer", 2, len(site.results.instances))
    episodes = enumerate(site.results.episodes[made.pair.run_id])
    played = {
        number: len(list_rendered_turns(result.episode))
        for number, result in episodes
        if list_rendered_turns(result.episode)
    }
    turns = set(played.values())
    assert len(turns) == 1
    assert made.first == pytest.approx(5.0 + 0.05 * sum(played) / len(played))
    assert made.gain == pytest.approx(2.0 * (turns.pop() - 1))
    assert made.direction == "help"


def test_the_hardest_condition_is_that_of_the_lowest_best_score(site: Site) -> None:
    made = finding_of(site)
    assert made.hardest is not None
    # Scores rise from episode to episode, so that the first conditions are lowest, by the better pair; but easy and
    # hard ones are too near to each other for a claim, and the categories are not.
    assert (made.hardest.category, made.hardest.difficulty) == ("simple_shapes", "")
    assert known(made.hardest.pair).describer == "seer"


@pytest.mark.slow
def test_three_pictures_a_condition_say_which_category_is_hardest_and_two_say_nothing(tmp_path: Path) -> None:
    by_category = finding_of(site_of(tmp_path / "three", by_turn=1.0, per_condition=3))
    assert by_category.hardest is not None
    assert (by_category.hardest.category, by_category.hardest.difficulty) == ("simple_shapes", "")
    assert finding_of(site_of(tmp_path / "two", by_turn=1.0, per_condition=2)).hardest is None


def test_of_equal_pairs_none_is_crowned_and_the_finding_is_about_all_of_them() -> None:
    # Four pairs that are alike but for chance, all of which gain about two points by correcting.
    instances = invented_set(6, ("geometry", "photos"))
    runs = [invented_run(instances, f"seer-{at}", "painter", 4.0, 2.0) for at in range(4)]
    made = finding_of(tied := Site(runs))  # type: ignore[arg-type]
    assert (made.top, made.has_leader, made.direction) == (4, False, "help")
    page = build_front_page(tied)
    # Invented runs have no pictures for the strip of an episode.
    html = Renderer(tied, {}).block(replace(page, values={**page.values, "strip": None}, later=None))
    said = html.partition('class="finding">')[2].partition("</p>")[0]
    assert said.startswith("Talking it over pays: over all 4 pairs the score rises by ")
    assert "seer" not in said
    lead = html.partition('<p class="lead">')[2].partition("</p>")[0]
    assert "4 of 4 pairs may be the best, for comparisons cannot tell them apart; the highest main score is" in lead
    # The two categories differ by chance alone: no kind of picture is called the hardest.
    assert made.hardest is None
    open_ = replace(made, all_pairs=Estimate(0.1, -0.4, 0.6, 24))
    assert open_.direction == "open"


@pytest.mark.parametrize(
    ("score", "reach"),
    [
        (Estimate(4.5, 4.0, 4.9, 30), "none"),
        (Estimate(4.5, 3.9, 5.1, 30), "part"),
        (Estimate(9.5, 9.2, 9.8, 30), "all"),
        (Estimate(9.5, 8.9, 9.9, 30), "part"),
    ],
)
def test_a_kind_of_picture_is_out_of_reach_or_done_only_by_an_interval_that_says_so(
    score: Estimate, reach: str
) -> None:
    assert Hardest("geometry", "hard", score, None).reach == reach


@pytest.mark.parametrize(
    ("delta", "direction"),
    [
        (Estimate(0.6, 0.2, 1.0, 42), "help"),
        (Estimate(0.6, -0.2, 1.4, 42), "open"),
        (Estimate(0.6, 0.2, 1.0, 3), "open"),
        (Estimate(0.6, None, None, 0), "open"),
    ],
)
def test_corrections_are_said_to_help_only_where_the_interval_leaves_no_other_reading(
    site: Site, delta: Estimate, direction: str
) -> None:
    made = finding_of(site)
    assert replace(made, first=6.0, final=6.6, cell=replace(made.cell, delta=delta)).direction == direction


def test_the_front_page_says_that_it_cannot_be_told(site: Site, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(Finding, "direction", "open")
    html = Renderer(site, {}).block(build_front_page(site))
    assert (
        "cannot be told yet whether talking it over pays" in html.partition('class="finding"')[2].partition("</p>")[0]
    )


@pytest.mark.slow
def test_corrections_that_harm_are_said_to(tmp_path: Path) -> None:
    assert finding_of(site_of(tmp_path, by_turn=-1.0)).direction == "harm"


def test_the_front_page_says_so_in_three_sentences(site: Site) -> None:
    html = Renderer(site, {}).block(build_front_page(site))
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
    assert measure_legibility(["A tangent touches the circle at B"]) == 1
    assert measure_legibility(["polyline through (254, 162), (239, 163)"]) == pytest.approx(2 / 6)
    assert measure_legibility(["word " * 120]) == pytest.approx(0.5)
