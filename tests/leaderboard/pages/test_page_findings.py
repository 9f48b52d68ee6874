"""What pages say of their numbers in their descriptions: by numbers that the test gives, or that stand on the page."""

from dataclasses import replace
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
from invented import invented_run, invented_set
from invented_games import Guessing, guessed, guessing_set
from known_values import known
from samples import sample_instances, sample_run
from site_samples import named_submission, rate_turns

from ircore.games.reconstruction.records import list_rendered_turns
from ircore.results.effects import PlayerResult
from ircore.results.model import Results
from ircore.results.ranking import RankedRow
from ircore.results.statistics.intervals import Estimate
from leaderboard.games.pages import build_game_pages
from leaderboard.model.section import GameSection
from leaderboard.model.site import Page, Site
from leaderboard.model.site_runs import read_runs
from leaderboard.pages.boards import build_board_pages
from leaderboard.pages.figures import build_figures_page
from leaderboard.pages.finding import Hardest, SiteFindings, collect_findings, describe_outcome, describe_pair_finding
from leaderboard.pages.overview import build_front_page
from leaderboard.pages.players import build_player_board_pages, build_player_pages, find_extremes
from leaderboard.pages.selections import find_best_episode, measure_legibility
from leaderboard.rendering.render import LONGEST, Renderer, describe_page
from leaderboard.words import lead_words, place_words

MAIN = Estimate(79.84, 70.1, 88.9, 42)
SCORE = "79.8 (95 % interval 70.1 to 88.9, n = 42)"


def row(main: Estimate = MAIN, rank: int | None = 1, top: bool = True) -> RankedRow[Any, Any]:
    cell = SimpleNamespace(main=main, unranked_words="not complete")
    return RankedRow(rank, rank, submission=None, cell=cell, top=top)


@pytest.mark.parametrize(
    ("rows", "said"),
    [
        ([row(), row(rank=2, top=False)], f"a leads 2 pairs, main score {SCORE}"),
        ([row(), row(), row(rank=3, top=False)],
         f"a and 1 more have the highest main score of 3 pairs, {SCORE}; 2 of them may be the best"),
        ([row(), row(rank=2, top=False), row(rank=None, top=False)],
         f"a leads 2 pairs with a rank, main score {SCORE}"),
        ([row(rank=None, top=False)] * 2,
         f"a has the highest main score of 2 pairs, {SCORE}; none of them has a rank"),
        ([row(), row()],
         f"a and 1 more have the highest main score of 2 pairs, {SCORE}; the two cannot be told apart"),
        ([row()], f"a has a main score of {SCORE}"),
        ([row(Estimate(None, None, None, 0))], ""),
        ([], ""),
    ],
)  # fmt: skip
def test_a_pair_is_said_to_lead_only_if_it_is_told_apart_from_all_others(
    rows: list[RankedRow[Any, Any]], said: str
) -> None:
    assert lead_words(rows, "a") == said


def test_a_run_without_a_rank_says_why() -> None:
    assert place_words(row(), 5) == f"rank 1 of 5, main score {SCORE}"
    assert place_words(row(rank=None), 5) == f"no rank (not complete), main score {SCORE}"


@pytest.fixture(scope="module")
def site() -> Site:
    """Three pairs whose episodes begin near 4, 5 and 6; each gains about 0.3 a turn."""
    instances = invented_set(8, ("geometry", "photos"))
    made = [invented_run(instances, f"seer-{index}", "painter", 4.0 + index, 0.3) for index in range(3)]
    return Site(made)  # type: ignore[arg-type]


def told(site: Site, page: Page) -> str:
    return Renderer(site, charts={}).finding(page)


@pytest.mark.slow
def test_a_board_says_who_leads_it_and_a_board_by_quality_does_not(site: Site) -> None:
    pages = {page.path: page for page in build_board_pages(site)}
    cell = site.results.board("structural")[0].cell
    score = f"{cell.main.mean:.1f} (95 % interval {cell.main.low:.1f} to {cell.main.high:.1f}, n = 32)"
    assert (
        told(site, pages["boards/index"])
        == f"seer-2 + painter leads 3 pairs, main score {score}, judged by structural."
    )
    assert told(site, pages["boards/quality"]) == ""


@pytest.mark.slow
def test_figures_say_what_they_show_and_not_what_they_ask(site: Site) -> None:
    page = build_figures_page(site)
    figures = [SimpleNamespace(title=title, missing="") for title in ("Which is hardest?", "seer° leads")]
    values = {**page.values, "figures_of": lambda _: figures}
    assert page.finding is not None
    assert page.finding(values) == "seer leads"


@pytest.mark.slow
def test_players_are_ranked_by_name_and_titles_tell_boards_apart(site: Site) -> None:
    pages = {page.path: page for page in build_player_board_pages(site)}
    assert told(site, pages["boards/describers/index"]).startswith("seer-2 leads 3 describers, main score ")
    assert pages["boards/describers/geometry-hard"].title == "Describers: geometry, hard"


@pytest.mark.parametrize(("place", "ranks"), [(1, "1"), (2, "2–3"), (3, "2–3")])
def test_a_pair_says_its_rank_and_its_best_and_worst_condition(site: Site, place: int, ranks: str) -> None:
    run_id = f"seer-{3 - place}-painter"
    cells = {
        (category, difficulty): site.results.cell(run_id, "structural", category, difficulty)
        for category in ("geometry", "photos")
        for difficulty in ("easy", "hard")
    }
    scores = {condition: cell.score.mean or 0.0 for condition, cell in cells.items()}
    best, worst = max(scores, key=lambda key: scores[key]), min(scores, key=lambda key: scores[key])
    conditions = [{"category": name, "difficulty": level, "cell": cell} for (name, level), cell in cells.items()]
    values = {"row": site.results.board("structural")[place - 1], "rivals": 3, "conditions": conditions}
    said = describe_pair_finding("structural", values)
    assert said.startswith(f"rank {ranks} of 3, main score ")
    assert said.endswith(
        f", judged by structural; best on {', '.join(best)} ({scores[best]:.1f}), "
        f"worst on {', '.join(worst)} ({scores[worst]:.1f})"
    )


def test_a_condition_of_three_targets_is_neither_best_nor_worst() -> None:
    few = Site([invented_run(invented_set(3, ("geometry", "photos")), "seer", "painter", 4.0, 0.3)])  # type: ignore[list-item]
    (row,) = few.results.board("structural")
    conditions = [
        {
            "category": name,
            "difficulty": level,
            "cell": few.results.cell(row.submission.run_id, "structural", name, level),
        }
        for name in ("geometry", "photos")
        for level in ("easy", "hard")
    ]
    values = {"row": row, "rivals": 1, "conditions": conditions}
    assert describe_pair_finding("structural", values).endswith(", judged by structural")


def test_a_players_best_and_worst_category_have_five_targets() -> None:
    means = {"geometry": Estimate(9.0, None, None, 4), "photos": Estimate(6.0, 5.0, 7.0, 5)}
    result = PlayerResult("describer", "seer", ("a", "b"), Estimate(7.0, 6.0, 8.0, 9), means, {})
    assert find_extremes(result) == {}
    lines = Estimate(4.0, 3.0, 5.0, 6)
    more = replace(result, by_category={**means, "line_graph": lines})
    assert find_extremes(more) == {"best": ("photos", means["photos"]), "worst": ("line_graph", lines)}


def test_a_player_says_its_mean_over_partners(site: Site) -> None:
    (page,) = (page for page in build_player_pages(site) if page.title == "Describer seer-1")
    mean = site.results.cell("seer-1-painter", "structural").score.mean
    assert page.finding is not None
    by_category = {"best": ("geometry", Estimate(6.0, 5.0, 7.0, 16)), "worst": ("photos", Estimate(4.0, 3.0, 5.0, 16))}
    result = SimpleNamespace(score=Estimate(mean, None, None, 32))
    assert page.finding({"result": result, "extremes": by_category}) == (
        f"mean score over partners {mean:.2f} (no interval, n = 32), judged by structural; "
        "best on geometry (6.0), worst on photos (4.0)"
    )


def test_the_best_episode_on_a_target_is_that_of_the_highest_final_score(site: Site) -> None:
    gallery = site.galleries["photos-hard-03"]
    finals = {
        run_id: judged.final
        for run_id in site.pairs
        if (judged := site.judged(site.episode(run_id, "photos-hard-03"))) is not None and judged.final is not None
    }
    best = find_best_episode(site, gallery)
    assert best is not None
    assert finals[best.pair.run_id] == max(finals.values()) == best.judged.final
    words = describe_outcome(best, "structural")
    assert f"{best.judged.final:.1f} of 10 after " in words
    assert words.endswith(", judged by structural")


def test_the_start_and_the_board_of_another_game_say_who_is_best() -> None:
    instances = guessing_set(5)
    runs = [guessed("strong", instances, [8.0] * 20), guessed("weak", instances, [2.0] * 20)]
    section = GameSection(Results.from_runs(game=Guessing(), runs=runs))
    pages = {page.path: page for page in build_game_pages([section])}
    for name in ("index", "boards/index"):
        board = Renderer(None, charts={}).finding(pages[section.path(name)])
        assert "main score" in board
        assert " 80.0 (" in board


def test_a_description_takes_the_finding_before_the_first_words_and_has_an_end() -> None:
    page = '<h1>Board</h1><p class="filtered">All.</p><p class="finding headline">No two <em>pairs</em>.</p>'
    assert describe_page(page, "Board") == "Board: No two pairs."
    assert describe_page(page, "Board", "a leads 2 pairs") == "Board: a leads 2 pairs"
    assert len(describe_page(page, "Board", "word " * 100)) <= LONGEST
    assert describe_page("<h1>A &amp; B</h1><p>One\n two.</p>") == "A & B: One two."
    assert describe_page("<p></p>") == ""


def site_of(folder: Path, by_turn: float, per_condition: int = 5) -> Site:
    """Two pairs whose first renderings get 5 and 4, 0.05 more with every episode, and ``by_turn`` more each turn."""
    instances = sample_instances(folder / "instances", per_condition)
    runs = [
        rate_turns(sample_run(folder / name, instances, named_submission(name, name, "painter")), first, 0.05, by_turn)
        for name, first in (("seer", 5.0), ("teller", 4.0))
    ]
    return Site(read_runs([run.path for run in runs]))


@pytest.fixture(scope="module")
def helped_site(tmp_path_factory: pytest.TempPathFactory) -> Site:
    return site_of(tmp_path_factory.mktemp("help"), by_turn=2.0)


def finding_of(helped_site: Site) -> SiteFindings:
    return known(collect_findings(helped_site))


@pytest.mark.slow
def test_the_best_pair_and_its_gain_come_from_the_data(helped_site: Site) -> None:
    made = finding_of(helped_site)
    assert (made.pair.describer, made.pairs, made.pictures) == ("seer", 2, len(helped_site.results.instances))
    episodes = enumerate(helped_site.results.episodes[made.pair.run_id])
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


@pytest.mark.slow
def test_the_hardest_condition_is_that_of_the_lowest_best_score(helped_site: Site) -> None:
    made = finding_of(helped_site)
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


@pytest.mark.slow
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


@pytest.mark.slow
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
    helped_site: Site, delta: Estimate, direction: str
) -> None:
    made = finding_of(helped_site)
    assert replace(made, first=6.0, final=6.6, cell=replace(made.cell, delta=delta)).direction == direction


def test_the_front_page_says_that_it_cannot_be_told(helped_site: Site, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(SiteFindings, "direction", "open")
    html = Renderer(helped_site, {}).block(build_front_page(helped_site))
    assert (
        "cannot be told yet whether talking it over pays" in html.partition('class="finding"')[2].partition("</p>")[0]
    )


@pytest.mark.slow
def test_corrections_that_harm_are_said_to(tmp_path: Path) -> None:
    assert finding_of(site_of(tmp_path, by_turn=-1.0)).direction == "harm"


def test_the_front_page_says_so_in_three_sentences(helped_site: Site) -> None:
    html = Renderer(helped_site, {}).block(build_front_page(helped_site))
    made = finding_of(helped_site)
    lead = html.partition('<p class="lead">')[2].partition("</p>")[0]
    assert f"{made.pictures} pictures of {made.kinds} kinds" in lead
    main = made.cell.main
    assert (
        f"The best of 2 pairs reaches {main.mean:.1f} of 100 (95 % interval {main.low:.1f} to {main.high:.1f})" in lead
    )
    assert lead.count(". ") + lead.count(".\n") + lead.endswith(".") == 3 or "Nobody can do" in lead
    assert html.index('class="finding"') < html.index('class="strip"')


@pytest.mark.slow
def test_words_read_more_easily_than_pixels() -> None:
    assert measure_legibility(["A tangent touches the circle at B"]) == 1
    assert measure_legibility(["polyline through (254, 162), (239, 163)"]) == pytest.approx(2 / 6)
    assert measure_legibility(["word " * 120]) == pytest.approx(0.5)
