"""A board on which ranks overlap: what it still says, and that it says the same everywhere."""

import json
import math
from dataclasses import replace

import pytest
from invented import InventedRun, invented_run, invented_set
from pages import Element, parse_page

from ircore.core.records import ModelFacts
from ircore.results.next_episodes import pair_differences
from ircore.results.statistics.intervals import Estimate, clear_of
from ircore.results.tables.board import board_table
from leaderboard.components.board_cells import group_letter
from leaderboard.components.values import score
from leaderboard.model.site import Page, Site
from leaderboard.pages.boards import build_board_pages
from leaderboard.pages.matrix import build_matrix_pages
from leaderboard.pages.pair_comparison import build_against_files, compare_page
from leaderboard.rendering.render import Renderer
from leaderboard.words.labels import format_interval_width

pytestmark = pytest.mark.slow

SET = invented_set(8, ("geometry", "photos"))
SMALL_CELLS = invented_set(3, ("geometry", "photos"))
JUDGE = "structural"


def runs(count: int = 12, step: float = 0.3, instances: object = SET) -> list[InventedRun]:
    return [invented_run(instances, f"seer-{index:02d}", "painter", 3.0 + step * index, 0.3) for index in range(count)]  # type: ignore[arg-type]


def site_of(made: list[InventedRun]) -> Site:
    return Site(made)  # type: ignore[arg-type]


def rendered(site: Site, path: str) -> Element:
    (page,) = (page for page in build_board_pages(site) if page.path == path)
    return as_page(site, page)


def as_page(site: Site, page: Page) -> Element:
    return parse_page(Renderer(site, {}).block(page))


def rows(page: Element) -> list[Element]:
    return page.find("tbody")[0].find("tr")


def test_a_board_says_of_every_two_pairs_what_their_comparison_says() -> None:
    site = site_of(runs())
    board = pair_differences(site.results, JUDGE)
    assert board is not None
    for first, second in (("seer-00", "seer-11"), ("seer-05", "seer-06"), ("seer-11", "seer-02")):
        one, other = (next(key for key in board.run_ids if name in key) for name in (first, second))
        main = site.results.compare(one, other, JUDGE).main
        row, column = board.run_ids.index(one), board.run_ids.index(other)
        assert (main.low, main.high) == pytest.approx((board.low[row, column], -board.low[column, row]))
        assert board.verdict(one, other) == clear_of(main, 0)


def test_two_pairs_differ_by_themselves_and_not_among_all_and_the_page_says_which_is_which() -> None:
    site = site_of(runs(12, 0.45))
    first, second, *_ = (row.submission.run_id for row in site.results.board(JUDGE))
    comparison = site.results.compare(first, second, JUDGE)
    # Of the same difference the interval is narrow for one comparison, and wide for the 66 of the board at once.
    assert comparison.alone.mean == comparison.main.mean
    assert (clear_of(comparison.alone, 0), clear_of(comparison.main, 0)) == (1, 0)
    page = as_page(site, compare_page(site))
    (claims,) = page.find("ul", class_="verdicts")
    alone, among = (claim.text for claim in claims.find("li"))
    assert alone.startswith("These two alone: the first has a main score 11.7 points higher (95 % interval ")
    assert among.startswith("Among all on this board: the two cannot be told apart (main scores differ by +11.7, ")


def test_files_of_comparisons_name_ranked_pairs_and_agree_with_the_ranks() -> None:
    site = site_of(runs())
    files = dict(build_against_files(site))
    assert "data/against/index.json" in files
    assert "data/against/geometry-hard.json" in files
    value = json.loads(files["data/against/index.json"])
    for row in site.results.board(JUDGE):
        place = value["pairs"].index(site.pairs[row.submission.run_id].key)
        better = sum(value["low"][other][place] > 0 for other in range(len(value["pairs"])))
        assert row.rank_low == 1 + better


def test_many_pairs_stand_in_groups_under_one_headline_and_chances_sum_to_one() -> None:
    site = site_of(runs())
    page = rendered(site, "boards/index")
    (headline,) = page.find("p", class_="headline")
    assert "couples" in headline.text
    board = site.results.board(JUDGE)
    assert math.fsum(row.chance or 0 for row in board) == pytest.approx(1)
    groups = [row.group for row in board if row.group is not None]
    assert groups == sorted(groups)
    assert groups[0] == 1
    letters = [cell.text.replace("group ", "") for row in rows(page) for cell in row.find("span", class_="group")]
    assert letters == [group_letter(group) for group in groups]
    assert headline.text in board_table(site.results, JUDGE).caption


def test_a_matrix_of_many_pairs_is_a_heat_map_from_the_best_to_the_worst() -> None:
    # The level of a pair is the sum of its players' numbers, so that the order of both is known.
    crossed = [
        invented_run(SMALL_CELLS, f"seer-{seer}", f"painter-{painter}", 1.0 + seer + 0.6 * painter, 0.1)
        for seer in range(4)
        for painter in range(8)
    ]
    (page,) = (page for page in build_matrix_pages(site_of(crossed)) if page.path == "matrix")
    shown = as_page(site_of(crossed), page)
    (table,) = shown.find("table", class_="heat-matrix")
    heads = [head.text.split()[0] for head in table.find("thead")[0].find("th")]
    names = [row.find("th")[0].text.split()[0] for row in table.find("tbody")[0].find("tr")]
    assert names == [f"seer-{seer}" for seer in (3, 2, 1, 0)]
    assert heads == [f"painter-{painter}" for painter in reversed(range(8))]
    assert len(table.find("a", class_="heat")) == 32
    assert not table.find("img")
    # Two categories and two difficulties.
    assert len(shown.find("svg", class_="small-map")) == 4


def test_a_few_pairs_stand_by_their_ranks_alone() -> None:
    page = rendered(site_of(runs(3, 2.0)), "boards/index")
    assert not page.find("p", class_="headline")
    assert not page.find("span", class_="group")


def test_small_cells_too_few_to_say_are_merged_or_have_no_colour() -> None:
    # Three easy and three hard targets a category are too few each, six together are enough.
    page = rendered(site_of(runs(2, 1.0, SMALL_CELLS)), "boards/index")
    heats = rows(page)[0].find("a", class_="heat")
    assert len(heats) == 2
    assert all("few" not in heat.attributes["class"].split() for heat in heats)
    hard = rendered(site_of(runs(2, 1.0, SMALL_CELLS)), "boards/all-hard")
    assert [heat.attributes["class"].split()[1] for heat in rows(hard)[0].find("a", class_="heat")] == ["few", "few"]


@pytest.mark.parametrize(
    ("estimate", "written"),
    [
        (Estimate(9.71, 5.35, 10.0, 40), "5.35 to 10.00"),  # the upper half is cut off by the scale
        (Estimate(-1.0, -10.0, 10.0, 40), "−10.00 to 10.00"),
        (Estimate(6.0, 5.0, 7.04, 40), "± 1.04"),
        (Estimate(6.0, 5.0, 7.1, 40), "5.00 to 7.10"),
        (Estimate(6.0, 5.0, 8.0, 40), "5.00 to 8.00"),
        (Estimate(6.0, 2.0, 10.0, 3), "n 3: too few"),
        (Estimate(6.0, None, None, 1), "n 1: too few"),
        (Estimate(6.0, None, None, 40), ""),
    ],
)
def test_an_interval_is_written_so_that_it_claims_nothing_beyond_its_ends(estimate: Estimate, written: str) -> None:
    assert format_interval_width(estimate) == written
    assert (written or "6.00") in score(estimate)


def test_stated_facts_of_models_are_columns_and_menus() -> None:
    about = ModelFacts(organisation="Example Lab", open_weights=True, parameters_b=8.0, released="2026-01-15")
    plain, *_ = made = runs(3)
    submission = plain.run.submission
    spec = submission.players["describer"].model_copy(update={"about": about})
    stating = plain.run.model_copy(update={"submission": submission.model_copy(update={"describer": spec})})
    told = replace(plain, run=stating)
    page = rendered(site_of([told, *made[1:]]), "boards/index")
    row = next(row for row in rows(page) if row.attributes.get("data-makers"))
    # The generator's weights are not stated, so nothing is said of the pair's.
    assert (row.attributes["data-makers"], row.attributes.get("data-weights")) == ("Example Lab", None)
    cells = {cell.attributes["data-label"]: cell.attributes for cell in row.find("td", class_="fact-column")}
    assert (cells["Maker"]["data-describer"], cells["Maker"]["data-generator"]) == ("Example Lab", "")
    assert cells["Size, B"]["data-sort"] == "8"
    assert "g-models" not in "".join(str(cell) for cell in rendered(site_of(made), "boards/index").find("td"))
