"""What pages say of their numbers in their descriptions: by numbers that the test gives, or that stand on the page."""

from dataclasses import replace
from types import SimpleNamespace
from typing import Any

import pytest
from invented import invented_run, invented_set
from invented_games import Guessing, guessed, guessing_set

from ircore.results.effects import PlayerResult
from ircore.results.model import Results
from ircore.results.ranking import RankedRow
from ircore.results.statistics.intervals import Estimate
from leaderboard.games.pages import build_game_pages
from leaderboard.model.section import GameSection
from leaderboard.model.site import Page, Site
from leaderboard.pages.boards import build_board_pages
from leaderboard.pages.finding import describe_outcome, pair_finding
from leaderboard.pages.player_boards import build_player_board_pages
from leaderboard.pages.players import build_player_pages, find_extremes
from leaderboard.pages.selections import find_best_episode
from leaderboard.rendering.render import LONGEST, Renderer, describe_page
from leaderboard.words.labels import lead_words, place_words

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
         f"a has the highest main score of 3 pairs, {SCORE}; 2 of them may be the best"),
        ([row(), row(rank=2, top=False), row(rank=None, top=False)],
         f"a leads 2 pairs with a rank, main score {SCORE}"),
        ([row(rank=None, top=False)] * 2,
         f"a has the highest main score of 2 pairs, {SCORE}; none of them has a rank"),
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
    said = pair_finding("structural", values)
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
    assert pair_finding("structural", values).endswith(", judged by structural")


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
