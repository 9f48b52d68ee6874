"""Boards as data and as pages: which there are, who judges them, what rows hold, and where ranks overlap."""

import json
import math
from dataclasses import replace
from pathlib import Path

import pytest
from invented import InventedRun, invented_run, invented_set
from pages import Element, parse_page

from ircore.core.errors import InputError
from ircore.core.records import ModelFacts
from ircore.core.score_records import HUMAN, JudgeIdentity, Task
from ircore.games.reconstruction.records import Rules, list_rendered_turns, list_turns
from ircore.results.benchmark_version import Version
from ircore.results.headline import judge_kind
from ircore.results.image_metrics import describe_metric
from ircore.results.metric_cells import estimate_metric_cells
from ircore.results.model import Results
from ircore.results.next_episodes import pair_differences
from ircore.results.statistics.intervals import Estimate, clear_of
from ircore.results.tables.board import board_table
from leaderboard.components.board_cells import group_letter
from leaderboard.components.values import score
from leaderboard.model.site import Page, Site
from leaderboard.model.site_judge import select_site_judge
from leaderboard.pages.board_views import (
    BoardView,
    build_chips,
    build_leaderboard_files,
    describe_origin,
    describe_view,
    list_views,
    view_path,
)
from leaderboard.pages.boards import build_board_lines, build_board_pages
from leaderboard.pages.limits import build_limits_page
from leaderboard.pages.matrix import build_matrix_files, build_matrix_pages
from leaderboard.pages.pair_comparison import build_against_files, compare_page
from leaderboard.pages.targets import build_targets_page
from leaderboard.rendering.render import Renderer

pytestmark = pytest.mark.slow


SET = invented_set(2, ("geometry", "photos"))


def runs(count: int = 3) -> list[InventedRun]:
    return [invented_run(SET, f"seer-{index}", "painter", 3.0 + 2 * index, 0.3) for index in range(count)]


def also_judged(run: InventedRun, judge: str, task: Task = "similarity", annotator: str | None = None) -> InventedRun:
    """The same run with another judge, who gives what the first gave, or prefers the final rendering."""
    last = {turn.episode_id: turn.step or 0 for turn in run.given}
    about = {"measure": task, "by": judge, "annotator": annotator}
    more = tuple(
        turn_score.model_copy(update={**about, "value": 1.0 if task == "preference" else turn_score.value})
        for turn_score in run.given
        if task != "preference" or turn_score.step == last[turn_score.episode_id] != 1
    )
    return replace(run, given=run.given + more)


def under(run: InventedRun, budget: int) -> InventedRun:
    rules = Rules(token_budget=budget).model_dump(mode="json")
    return replace(run, run=run.run.model_copy(update={"rules": rules, "run_id": f"{run.run.run_id}-{budget}"}))


def site_of(made: list[InventedRun], judge: str | None = None) -> Site:
    return Site(made, judge)  # type: ignore[arg-type]


def test_a_person_judges_before_a_model_and_a_model_before_a_formula() -> None:
    everyone = [also_judged(also_judged(run, "a-model"), HUMAN, annotator="p1") for run in runs()]
    assert select_site_judge(Results.from_runs(everyone)) == HUMAN
    assert select_site_judge(Results.from_runs([also_judged(run, "a-model") for run in runs()])) == "a-model"
    assert select_site_judge(Results.from_runs(runs())) == "structural"
    assert select_site_judge(Results.from_runs(everyone), "structural") == "structural"


def test_a_judge_that_only_compares_is_never_the_sites_judge() -> None:
    results = Results.from_runs([also_judged(run, "a-comparer", "preference") for run in runs()])
    assert results.judges == ("a-comparer", "structural")
    assert select_site_judge(results) == "structural"
    with pytest.raises(InputError, match="a-comparer: no such judge rated similarity"):
        select_site_judge(results, "a-comparer")


def test_what_a_judge_is_stands_in_the_run() -> None:
    identity = JudgeIdentity(name="sums", label="Sums", kind="computed")
    run = also_judged(runs(1)[0], "sums")
    object.__setattr__(run, "judges", lambda: {"sums": identity})
    results = Results.from_runs([run])
    assert [judge_kind(results, name) for name in ("sums", "structural", "unheard-of", HUMAN)] == [
        "computed", "computed", "model", "human",
    ]  # fmt: skip


def test_files_of_all_boards_rank_pairs_only_among_those_that_played_by_the_same_rules() -> None:
    """A pair under other rules has the rank of its own board, and costs nobody else a place."""
    _, *others = runs()
    alone = Results.from_runs(runs())
    mixed = Results.from_runs([*runs(), under(others[0], 50)])
    document = json.loads(dict(build_leaderboard_files(mixed, Version("", "")))["data/leaderboard.json"])
    ranks = {
        (row["run_id"], row["category"], row["difficulty"]): (row["rank_low"], row["rank_high"], row["top"])
        for row in document["rows"]
    }
    for row in alone.board("structural", "geometry"):
        assert ranks[row.submission.run_id, "geometry", "all"] == (row.rank_low, row.rank_high, row.top)
    (short,) = {submission.run_id for submission in mixed.submissions} - {
        submission.run_id for submission in alone.submissions
    }
    assert ranks[short, "all", "all"] == (1, 1, 1)
    board = board_table(mixed, "structural")
    worst = dict(zip((score.value for score in board.column("run_id")), board.column("rank_high"), strict=True))
    assert {run_id: value.value for run_id, value in worst.items()} == {
        run_id: high for (run_id, *condition), (_, high, _) in ranks.items() if condition == ["all", "all"]
    }
    assert document["runs"][short]["rules"] == "at most 50 tokens a message and 10 turns"


def test_there_is_a_board_for_every_judge_rules_and_condition() -> None:
    made = [also_judged(run, "a-model") for run in runs()]
    site = site_of([*made, under(made[0], 50)])
    paths = [view_path(site, view) for view in list_views(site)]
    assert len(paths) == len(set(paths)) == 2 * 2 * 9 + 2
    assert {
        "boards/index", "boards/photos-hard", "boards/budget-50/all-easy", "boards/all-rules/index",
        "boards/by-structural/geometry-both", "boards/by-structural/all-rules/index",
    } <= set(paths)  # fmt: skip


def test_a_category_that_a_judge_does_not_rate_leads_to_the_board_of_one_that_does() -> None:
    judged = also_judged(runs(1)[0], "a-model")
    kept = tuple(score for score in judged.given if score.by != "a-model" or "geometry" in score.episode_id)
    site = site_of([replace(judged, given=kept)])
    links = dict(build_chips(site, BoardView("a-model", rules=Rules())))
    assert {chip.label: chip.path for chip in links["Category"]} == {
        "All": "boards/index",
        "Geometry": "boards/geometry-both",
        "Photos": "boards/by-structural/photos-both",
    }
    # Asked for by name, the judge's own board is still there, and claims no order.
    assert (
        dict(build_chips(site, BoardView("structural", "photos", rules=Rules())))["Judge"][0].path
        == "boards/photos-both"
    )
    assert rendered(site, "boards/photos-both").find("p", role="status")[0].text == "1 pair; none has a score."


def test_a_board_says_in_words_what_it_shows() -> None:
    site = site_of(runs())
    view = BoardView("structural", "geometry", "hard", Rules())
    assert describe_view(site, view) == (
        "Geometry, hard; judged by structural (computed, no human or model); 2 episodes a pair; "
        "at most 200 tokens a message and 10 turns"
    )
    assert describe_origin(site, view).startswith("rules b200-t10-allow; ircore 0")


def test_a_judge_that_only_compares_has_a_board_by_preference() -> None:
    made = runs()
    comparing = [also_judged(made[0], "a-comparer", "preference"), *made[1:]]
    site = site_of(comparing)
    lines = build_board_lines(site, BoardView("a-comparer", rules=Rules()))
    assert [line.cell.preference.mean for line in lines] == [1.0, None, None]
    page = rendered(site, "boards/by-a-comparer/index")
    (head,) = page.find("thead")
    assert "Score" not in head.text
    assert "it rates nothing else" in page.find("caption")[0].text


def test_a_metric_counts_final_renderings_and_what_became_of_the_first() -> None:
    """By hand: of two renderings with 10 and 20 dB the final has 20 and the change is 10; of one rendering, nothing."""
    run = runs(1)[0]
    values = {1: 10.0, 2: 20.0}
    given = tuple(
        turn.model_copy(update={"measure": "psnr", "by": "psnr", "value": values.get(turn.step or 0, 20.0)})
        for turn in run.given
    )
    results = Results.from_runs([replace(run, given=run.given + given)])
    (cell,) = estimate_metric_cells(results, "psnr")
    turns = [
        len(list_rendered_turns(episode.episode))
        for episode in results.episodes[run.run.run_id]
        if episode.episode.played
    ]
    single = turns.count(1)
    assert cell.final.n == len(turns)
    assert cell.final.mean == pytest.approx((10 * single + 20 * (len(turns) - single)) / len(turns))
    assert cell.change == Estimate(10.0, None, None, len(turns) - single)
    assert (describe_metric("psnr").unit, describe_metric("nobody-knows").title) == ("dB", "nobody-knows")


def rendered(site: Site, path: str) -> Element:
    (page,) = (page for page in build_board_pages(site) if page.path == path)
    return as_page(site, page)


def as_page(site: Site, page: Page) -> Element:
    return parse_page(Renderer(site, {}).block(page))


def test_a_row_holds_more_digits_than_it_shows() -> None:
    """Means have all digits, ends of intervals five, the small cells of ten pictures each three."""
    site = site_of(runs())
    page = rendered(site, "boards/index")
    line = build_board_lines(site, BoardView(site.judge, rules=Rules()))[0]
    row = page.find("tbody")[0].find("tr")[0]
    for name, estimate in (("score-column", line.cell.main), ("quality-column", line.cell.score)):
        (shown,) = row.find("td", class_=name)
        assert float(shown.attributes["data-sort"]) == pytest.approx(estimate.mean, rel=1e-6)
        assert float(shown.attributes["data-low"]) == pytest.approx(estimate.low, rel=1e-4)
        assert shown.attributes["data-n"] == str(estimate.n)
    heats = row.find("a", class_="heat")
    cells = [site.cell(line.pair, category, which) for category in ("geometry", "photos") for which in ("easy", "hard")]
    means = [cell.score.mean for cell in cells if cell]
    assert [float(heat.attributes["data-sort"]) for heat in heats] == pytest.approx(means, rel=5e-3)
    assert row.attributes["class"] == "top"
    assert "played here" in row.text
    assert "2026-01-01" in row.text


def crossed() -> Site:
    """Two describers with two generators, and one of the four once more under another budget."""
    grid = [
        invented_run(SET, describer, generator, first, 0.1)
        for describer, generator, first in (("s", "p", 6.0), ("s", "q", 5.8), ("t", "p", 2.0), ("t", "q", 1.8))
    ]
    return site_of(pictured([*(also_judged(run, "strict") for run in grid), under(also_judged(grid[0], "strict"), 50)]))


def pictured(made: list[InventedRun]) -> list[InventedRun]:
    """The same runs, whose renderings have paths, as a matrix asks for."""
    for run in made:
        object.__setattr__(run, "rendering_path", Path)
        object.__setattr__(run, "source", run)
    return made


def test_the_matrix_says_what_describers_and_generators_contribute() -> None:
    site = crossed()
    (matrix,) = (page for page in build_matrix_pages(site) if page.path == "matrix")
    page = parse_page(Renderer(site, {}).block(matrix))
    assert "Describers set pairs apart more than generators do." in page.find("p", class_="finding")[0].text
    assert len(page.find(class_="effect")) == 4
    assert len(page.find(class_="matrix-cell")) == 4
    # Beside the grid each player's main effect; describers' add up to zero.
    effects = [float(row.find(class_="value")[0].text.split(" ")[0].replace("−", "-")) for row in rows_of(page)]
    assert len(effects) == 4
    assert effects[0] + effects[1] == pytest.approx(0, abs=0.011)


@pytest.mark.parametrize(
    ("pairs", "asks"),
    [([("s", "p")], False), ([("s", "p"), ("s", "q")], False), ([("s", "p"), ("t", "q")], True)],
    ids=["one pair", "one describer", "two of each"],
)
def test_a_matrix_asks_who_matters_only_where_it_has_several_of_each(pairs: list[tuple[str, str]], asks: bool) -> None:
    site = site_of(pictured([invented_run(SET, describer, generator, 5.0, 0.1) for describer, generator in pairs]))
    (matrix,) = (page for page in build_matrix_pages(site) if page.path == "matrix")
    (lead,) = parse_page(Renderer(site, {}).block(matrix)).find("p", class_="lead")
    assert ("Does it matter more who is the describer" in lead.text) == asks
    assert ("What each pair scores." in lead.text) != asks


def test_a_grid_that_only_other_rules_complete_is_none() -> None:
    s_p, s_q, t_p, t_q = (invented_run(SET, item, other, 5.0, 0.1) for item in ("s", "t") for other in ("p", "q"))
    assert build_limits_page(site_of([s_p, s_q, t_p, t_q, under(s_p, 50)])).complete().values["crossed"]
    assert not build_limits_page(site_of([s_p, s_q, t_p, under(t_q, 50)])).complete().values["crossed"]


def test_the_page_of_targets_counts_messages_under_the_sites_own_rules() -> None:
    """Ten tokens a message under the short budget say nothing of what a target takes under the usual one."""
    short = under(runs()[0], 10)
    curt = tuple(
        episode.with_steps(tuple(turn.model_copy(update={"message_tokens": 10}) for turn in list_turns(episode)))
        for episode in short.played
    )
    table = build_targets_page(site_of([*runs(), replace(short, played=curt)])).complete().values["table"]
    assert {score.value for score in table.column("tokens")} == {40.0}


def rows_of(page: Element) -> list[Element]:
    return [row for table in page.find("table", class_="effects") for row in table.find("tbody")[0].find("tr")]


def test_there_is_a_matrix_for_every_judge_condition_and_budget_and_one_for_every_target() -> None:
    pages = {page.path: page for page in build_matrix_pages(crossed())}
    assert {"matrix", "matrix/geometry-hard", "matrix/all-easy", "matrix/by-structural/index", "matrix/budget-50/index",
            "matrix/by-structural/budget-50/photos-both", "matrix/target-photos-hard-02"} <= pages.keys()  # fmt: skip
    # 2 judges × 2 budgets × 9 conditions, and 8 targets.
    assert len(pages) == 2 * 2 * 9 + 8


def test_a_matrix_shows_a_target_of_its_condition_and_leads_to_the_episodes_behind_it() -> None:
    site = crossed()
    (hard,) = (page for page in build_matrix_pages(site) if page.path == "matrix/photos-hard")
    page = parse_page(Renderer(site, {}).block(hard))
    shown = page.find("div", data_judge="strict")[0].attributes["data-target"]
    assert shown.startswith("photos-hard")
    assert {link.attributes["data-target"] for link in page.find("a") if "data-target" in link.attributes} == {
        "photos-hard-01", "photos-hard-02"
    }  # fmt: skip
    scores = [link.attributes["href"] for link in page.find("a", class_="matrix-score")]
    assert len(scores) == 4
    assert all(href.startswith("../pairs/") and href.endswith(".html#photos-hard") for href in scores)
    (files,) = [json.loads(text) for path, text in build_matrix_files(site) if path.endswith(f"/{shown}.json")]
    assert files["judges"] == ["strict", "structural"]
    assert len(files["pairs"]) == 5
    assert {len(file) for file in files["pairs"].values()} == {4}


class NoPhotos(InventedRun):
    """A run whose judge rates geometry alone, though the set holds photos, too."""

    def judges(self) -> dict[str, JudgeIdentity]:
        own = JudgeIdentity(name="structural", label="structural", kind="computed", categories=("geometry",))
        return {own.name: own}


def test_targets_that_the_judge_does_not_rate_are_not_counted() -> None:
    instances = invented_set(3, ("geometry", "photos"))
    made = (invented_run(instances, name, "painter", skill, 0.2) for name, skill in (("seer", 7.0), ("poet", 4.0)))
    site = Site([NoPhotos(run.path, run.run, run.instances, run.played, run.given) for run in made])  # type: ignore[misc]
    sizes = build_limits_page(site).complete().values["sizes"]
    counts = {size["category"]: [level["n"] for level in size["levels"]] for size in sizes}
    assert counts == {None: [6, 3, 3], "geometry": [6, 3, 3], "photos": [0, 0, 0]}


PICTURES = invented_set(8, ("geometry", "photos"))
SMALL_CELLS = invented_set(3, ("geometry", "photos"))
JUDGE = "structural"


def many_runs(count: int = 12, step: float = 0.3, instances: object = PICTURES) -> list[InventedRun]:
    return [invented_run(instances, f"seer-{index:02d}", "painter", 3.0 + step * index, 0.3) for index in range(count)]  # type: ignore[arg-type]


def rows(page: Element) -> list[Element]:
    return page.find("tbody")[0].find("tr")


def test_a_board_says_of_every_two_pairs_what_their_comparison_says() -> None:
    site = site_of(many_runs())
    board = pair_differences(site.results, JUDGE)
    assert board is not None
    for first, second in (("seer-00", "seer-11"), ("seer-05", "seer-06"), ("seer-11", "seer-02")):
        one, other = (next(key for key in board.run_ids if name in key) for name in (first, second))
        main = site.results.compare(one, other, JUDGE).main
        row, column = board.run_ids.index(one), board.run_ids.index(other)
        assert (main.low, main.high) == pytest.approx((board.low[row, column], -board.low[column, row]))
        assert board.verdict(one, other) == clear_of(main, 0)


def test_two_pairs_differ_by_themselves_and_not_among_all_and_the_page_says_which_is_which() -> None:
    site = site_of(many_runs(12, 0.45))
    first, second, *_ = (row.submission.run_id for row in site.results.board(JUDGE))
    comparison = site.results.compare(first, second, JUDGE)
    # Of the same difference the interval is narrow for one comparison, and wide for the 66 of the board at once.
    assert comparison.alone.mean == comparison.main.mean
    assert (clear_of(comparison.alone, 0), clear_of(comparison.main, 0)) == (1, 0)
    page = as_page(site, compare_page(site))
    (claims,) = page.find("ul", class_="verdicts")
    alone, among = (claim.text for claim in claims.find("li"))
    assert alone.startswith("These two alone: the first has a main score 11.7 points higher (95 % interval ")
    assert among.startswith("Among all on their board: the two cannot be told apart (main scores differ by +11.7, ")


def test_files_of_comparisons_name_ranked_pairs_and_agree_with_the_ranks() -> None:
    site = site_of(many_runs())
    files = dict(build_against_files(site))
    assert "data/against/index.json" in files
    assert "data/against/geometry-hard.json" in files
    value = json.loads(files["data/against/index.json"])
    for row in site.results.board(JUDGE):
        place = value["pairs"].index(site.pairs[row.submission.run_id].key)
        better = sum(value["low"][other][place] > 0 for other in range(len(value["pairs"])))
        assert row.rank_low == 1 + better


def test_many_pairs_stand_in_groups_under_one_headline_and_chances_sum_to_one() -> None:
    site = site_of(many_runs())
    page = rendered(site, "boards/index")
    (headline,) = page.find("p", class_="headline")
    assert "comparisons of two pairs tell which is better" in headline.text
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
    page = rendered(site_of(many_runs(3, 2.0)), "boards/index")
    assert not page.find("p", class_="headline")
    assert not page.find("span", class_="group")


def test_small_cells_too_few_to_say_are_merged_or_have_no_colour() -> None:
    # Three easy and three hard targets a category are too few each, six together are enough.
    page = rendered(site_of(many_runs(2, 1.0, SMALL_CELLS)), "boards/index")
    heats = rows(page)[0].find("a", class_="heat")
    assert len(heats) == 2
    assert all("few" not in heat.attributes["class"].split() for heat in heats)
    hard = rendered(site_of(many_runs(2, 1.0, SMALL_CELLS)), "boards/all-hard")
    assert [heat.attributes["class"].split()[1] for heat in rows(hard)[0].find("a", class_="heat")] == ["few", "few"]


@pytest.mark.parametrize(
    ("estimate", "written"),
    [
        (Estimate(9.71, 5.35, 10.0, 40), "5.35 to 10.00"),  # the upper half is cut off by the scale
        (Estimate(-1.0, -10.0, 10.0, 40), "−10.00 to 10.00"),
        (Estimate(6.0, 5.0, 7.04, 40), "± 1.04"),
        (Estimate(6.0, 5.0, 7.1, 40), "5.00 to 7.10"),
        (Estimate(6.0, 5.0, 8.0, 40), "5.00 to 8.00"),
        (Estimate(6.0, 2.0, 10.0, 3), ""),
        (Estimate(6.0, None, None, 1), ""),
        (Estimate(6.0, None, None, 40), ""),
    ],
)
def test_an_interval_is_written_so_that_it_claims_nothing_beyond_its_ends(estimate: Estimate, written: str) -> None:
    assert (written or "6.00") in score(estimate)
    assert bool(written) == ('class="half"' in score(estimate))


def test_stated_facts_of_models_are_columns_and_menus() -> None:
    about = ModelFacts(organisation="Example Lab", open_weights=True, parameters_b=8.0, released="2026-01-15")
    plain, *_ = made = many_runs(3)
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
