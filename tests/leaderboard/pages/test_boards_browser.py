"""A board in a real browser: everything a reader can do with it, and that its address says it all."""

import csv
import io
import json
import re
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from samples import sample_instances, sample_run
from site_samples import built_once, named_submission, rate_turns
from visits import Visit, axe_findings, visit_in

from ircore.results.tables.formats import LATEX
from leaderboard.building.site_build import build_site
from leaderboard.building.sources import bundle

if TYPE_CHECKING:
    from playwright.sync_api import Browser, Page, Route

BOARD = "boards/index.html"
HOSTILE = '"><img src=x onerror=alert(1)>'


def make_site(folder: Path) -> None:
    """Five pairs, each a point better than the next: a-x, b-x, a-y, b-y, and one with a hostile name."""
    instances = sample_instances(folder / "instances", per_condition=2)
    pairs = [("a-x", "seer", "painter"), ("b-x", "teller", "painter"), ("a-y", "seer", "sketcher")]
    pairs += [("b-y", "teller", "sketcher"), ("hostile", HOSTILE, "painter")]
    paths = []
    for place, (slug, describer, generator) in enumerate(pairs):
        run = sample_run(folder / slug, instances, named_submission(slug, describer, generator))
        rate_turns(run, 20.0 + place, by_episode=0.5, judge="psnr", task="metric")
        paths.append(rate_turns(run, 5.75 - place, by_episode=0.1, by_turn=1).path)
    build_site(paths, folder / "site")


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return built_once(tmp_path_factory, "boards-site", make_site)


BEST_FIRST = ["a-x", "b-x", "a-y", "b-y", "hostile"]


def shown(page: "Page") -> list[str]:
    """Keys of the rows that are seen, in order."""
    return list(page.locator("table.board tbody tr:visible").evaluate_all("all => all.map(one => one.id)"))


def open_menu(page: "Page", name: str) -> None:
    """Open one of the menus above the board; an open one stays."""
    menu = page.locator(f"details.menu:has(> summary:text('{name}'))")
    if menu.get_attribute("open") is None:
        menu.locator("summary").click()


def choose(page: "Page", menu: str, value: str) -> None:
    """Choose what rows are kept."""
    open_menu(page, "Filter")
    page.locator("details.filter label", has_text=menu).locator("select").select_option(value)
    page.keyboard.press("Escape")


def state(page: "Page") -> str:
    return page.locator("[data-board-state]").inner_text()


def test_a_chosen_pair_divides_the_board_into_better_worse_and_undecided(visit: Visit) -> None:
    page = visit.open(f"{BOARD}?against=b-x")
    cells = page.locator("table.board tbody td.against")
    page.wait_for_function("() => document.querySelector('tr#a-x .against').dataset.verdict")
    verdicts = dict(zip(shown(page), cells.evaluate_all("all => all.map(one => one.dataset.verdict)"), strict=True))
    # Every pair is a point of ten better than the next on every target.
    assert verdicts == {"a-x": "better", "b-x": None, "a-y": "worse", "b-y": "worse", "hostile": "worse"}
    assert "against teller + painter: 1 better, 3 worse, 0 undecided" in state(page)
    choose(page, "Against", "")
    assert not cells.first.is_visible()
    assert page.url.endswith(BOARD)


def test_search_menus_and_words_say_what_is_shown(visit: Visit) -> None:
    page = visit.open(BOARD)
    assert (shown(page), state(page)) == (BEST_FIRST, "5 pairs; best first.")
    page.get_by_label("Find").fill("tell sket")
    assert shown(page) == ["b-y"]
    assert state(page) == "1 of 5 pairs: “tell sket”; best first."
    page.get_by_label("Find").fill("nobody")
    assert state(page) == "0 of 5 pairs: “nobody”; search for fewer letters, or press Reset; best first."
    page.get_by_label("Find").fill("")
    choose(page, "Generator", "painter")
    assert shown(page) == ["a-x", "b-x", "hostile"]
    assert page.url.endswith("?generator=painter")
    assert state(page) == "3 of 5 pairs: generator painter; best first."


def test_everything_chosen_stands_in_the_address_and_comes_back(visit: Visit) -> None:
    page = visit.open(BOARD)
    page.get_by_label("Keep teller + sketcher on top").click()
    choose(page, "Describer", "seer")
    page.get_by_role("button", name="Turns").click()
    open_menu(page, "Columns")
    page.get_by_label("turns", exact=True).uncheck()
    page.keyboard.press("Escape")
    page.get_by_label("Compare seer + painter").check()
    page.get_by_label("Compare seer + sketcher").check()
    chosen = page.url
    assert chosen.endswith(
        "?pin=b-y&describer=seer&by=steps&order=ascending&hide=score,coverage,effort,details,provenance&pick=a-x,a-y"
    )
    rows, words = shown(page), state(page)
    assert rows[0] == "b-y"
    assert sorted(rows) == ["a-x", "a-y", "b-y"]
    assert "without turns; 1 kept on top" in words
    link = page.locator("a.compare")
    assert link.inner_text() == "Compare 2"
    assert (link.get_attribute("href") or "").endswith("compare.html?pairs=a-x,a-y")

    page.goto("about:blank")
    page.goto(chosen)
    assert (page.url, shown(page), state(page)) == (chosen, rows, words)
    assert page.get_by_label("turns", exact=True).is_checked() is False
    assert page.locator("th", has_text="Turns").is_hidden()
    page.get_by_role("button", name="Reset").click()
    assert shown(page) == BEST_FIRST
    assert page.url.endswith(BOARD)


def test_back_and_forward_undo_and_redo(visit: Visit) -> None:
    page = visit.open(BOARD)
    choose(page, "Generator", "sketcher")
    page.get_by_role("button", name="Main score").click()
    assert shown(page) == ["b-y", "a-y"]
    page.go_back()
    assert shown(page) == ["a-y", "b-y"]
    page.go_back()
    assert shown(page) == BEST_FIRST
    assert page.locator("[name=generator]").input_value() == ""
    page.go_forward()
    assert shown(page) == ["a-y", "b-y"]


def test_an_address_with_unknown_things_shows_the_board(visit: Visit) -> None:
    page = visit.open(f"{BOARD}?describer=nobody&by=nothing&order=sideways&pin=nowhere&hide=all&pick=,,&find=%20")
    assert shown(page) == BEST_FIRST
    assert page.locator("th[aria-sort]").get_attribute("aria-sort") == "descending"


def test_everything_is_done_by_keyboard_alone(visit: Visit) -> None:
    page = visit.open(BOARD)
    page.get_by_role("button", name="ΔQ").focus()
    page.keyboard.press("Enter")
    assert page.locator("th[aria-sort]").inner_text().startswith("ΔQ")
    pin = page.get_by_label("Keep teller + sketcher on top")
    pin.focus()
    page.keyboard.press("Space")
    assert shown(page)[0] == "b-y"
    assert page.evaluate("document.activeElement.getAttribute('aria-label')") == "Keep teller + sketcher on top"
    assert pin.get_attribute("aria-pressed") == "true"
    page.keyboard.press("Shift+Tab")
    page.keyboard.press("Space")
    assert page.get_by_label("Compare teller + sketcher").is_checked()
    page.locator("details.menu > summary", has_text="Export").focus()
    page.keyboard.press("Enter")
    assert page.get_by_role("button", name="CSV of what is shown").is_visible()
    page.keyboard.press("Tab")
    page.keyboard.press("Escape")
    assert page.get_by_role("button", name="CSV of what is shown").is_hidden()
    page.locator("a.heat").first.focus()
    content = page.locator("a.heat").first.evaluate("one => getComputedStyle(one, '::after').content")
    assert "easy: " in content


def test_a_choice_that_is_not_on_the_board_is_said_until_another_is_made(visit: Visit) -> None:
    page = visit.open(f"{BOARD}?describer=gone&against=nobody")
    words = page.locator("[data-board-state]")
    assert words.inner_text().endswith("; not on this board: against nobody, describer gone.")
    page.get_by_label("Find", exact=True).fill("seer")
    page.wait_for_url("**?find=seer")
    assert "gone" not in words.inner_text()


def save(page: "Page", name: str) -> str:
    open_menu(page, "Export")
    with page.expect_download() as waiting:
        page.get_by_role("button", name=name).click()
    return Path(waiting.value.path()).read_text(encoding="utf-8")


def test_players_ticked_on_their_board_are_compared_as_players(visit: Visit) -> None:
    """Every pair of seer is a point of ten better than that of teller with the same generator."""
    page = visit.open("boards/describers/index.html")
    for name in ("seer", "teller"):
        page.get_by_role("checkbox", name=f"Compare {name}").check()
    page.locator("[data-compare-page]").click()
    page.locator(".compare-view[data-state=drawn]").wait_for()
    assert page.url.endswith("compare.html?describers=seer,teller")
    finding = " ".join(page.locator(".finding").inner_text().split())
    assert finding.startswith("seer has a main score 10.0 points higher (95 % interval ")
    assert finding.endswith(") than teller")
    assert page.locator(".compare-view tbody tr").first.locator("td").first.inner_text().startswith("+10.0")
    assert axe_findings(page) == []


def test_the_choice_of_pairs_goes_along_to_figures_and_from_a_comparison_too(visit: Visit) -> None:
    page = visit.open(f"{BOARD}?pick=a-x,b-y")
    link = page.get_by_role("link", name="Figures", exact=True).and_(page.locator("[data-figures-page]"))
    assert str(link.get_attribute("href")).endswith("figures.html?pairs=a-x,b-y&judge=structural")
    page.get_by_label("Find", exact=True).fill("painter")
    page.goto(f"{visit.address}{BOARD}?find=sketcher")
    page.wait_for_function("() => document.querySelector('[data-figures-page]').href.includes('pairs')")
    assert "pairs=a-y,b-y&" in str(link.get_attribute("href"))
    link.click()
    page.locator(".figure-note", has_text="seer° + sketcher°; teller° + sketcher°").wait_for()
    page.locator("#figure-trajectories figcaption", has_text="Of the 2 chosen pairs").wait_for()
    page.goto(f"{visit.address}compare.html?pairs=a-x,b-y")
    page.locator(".compare-view[data-state='drawn']").wait_for()
    page.get_by_role("link", name="These pairs in all figures").click()
    page.locator(".figure-note", has_text="seer° + painter°; teller° + sketcher°").wait_for()


@pytest.mark.parametrize(
    ("board", "kept", "told"),
    [("geometry-both", "&category=geometry", "Geometry:"), ("all-hard", "&difficulty=hard", "All categories, hard:")],
)
def test_a_comparison_keeps_the_condition_of_the_board_that_it_came_from(
    visit: Visit, board: str, kept: str, told: str
) -> None:
    page = visit.open(f"boards/{board}.html?pick=a-x,b-y")
    link = page.locator("a.compare")
    assert str(link.get_attribute("href")).endswith(f"compare.html?pairs=a-x,b-y{kept}")
    link.click()
    page.locator(".compare-view[data-state='drawn']").wait_for()
    assert page.locator(".verdicts strong").all_inner_texts()[0] == told


def test_with_one_pair_ticked_the_citation_of_a_board_is_of_its_cell(visit: Visit) -> None:
    page = visit.open("boards/geometry-hard.html?pick=b-y")
    page.get_by_text("Cite this page").click()
    entry = page.locator("[data-bibtex]").filter(has_text="-b-y,").inner_text()
    assert "boards-geometry-hard-b-y," in entry.splitlines()[0]
    score = page.locator("#b-y .score-column .value")
    value, words = score.inner_text().split()[0], str(score.get_attribute("title"))
    words = words.replace("%", r"\%")
    assert f"note = {{teller + sketcher: main score {value} ({words}); seer + painter has" in entry
    assert all(words in entry for words in ("author = ", "year = "))
    # A small cell leads to its condition on the page of the pair, whose citation is of the same cell.
    page = visit.open("pairs/b-y.html#geometry-hard")
    page.get_by_text("Cite this page").click()
    page.locator("[data-bibtex]").filter(has_text=f"note = {{Geometry, hard: main score {value} ({words}); ").wait_for()


def test_every_printed_sheet_of_a_board_repeats_the_heads_of_its_columns(visit: Visit) -> None:
    page = visit.open(BOARD)
    page.emulate_media(media="print")
    display = "selector => getComputedStyle(document.querySelector(selector)).display"
    # Chromium repeats the head of a real table alone, and none that has buttons.
    shown_as = [page.evaluate(display, f"table.board {part}") for part in ("thead", "tbody", "thead .sort-button")]
    assert shown_as == ["table-header-group", "table-row-group", "contents"]


def test_files_hold_exactly_what_is_shown_in_full(visit: Visit, site: Path) -> None:
    page = visit.open(f"{BOARD}?describer=teller&by=tokens&hide=effort,details,provenance")
    keys = shown(page)
    rows = list(csv.DictReader(io.StringIO(save(page, "CSV of what is shown"))))
    document = json.loads(save(page, "JSON of what is shown"))
    assert [row["describer"] for row in rows] == ["teller", "teller"] == [row["describer"] for row in document["rows"]]
    assert not {"tokens", "tier"} & rows[0].keys()
    assert {row["rules"] for row in (*rows, *document["rows"])} == {"b200-t10-allow"}
    everything = json.loads((site / "data" / "leaderboard.json").read_text())["rows"]
    means = {
        (row["submission"], row["category"], row["difficulty"]): row["mean"]
        for row in everything
        if row["judge"] == "structural"
    }
    for key, row, record in zip(keys, rows, document["rows"], strict=True):
        assert float(row["score"]) == record["score"] == means[key, "all", "all"]
        # The small cells of ten pictures have three digits.
        assert record["geometry_hard"] == pytest.approx(means[key, "geometry", "hard"], rel=5e-3)
    assert "2 of 5 pairs: describer teller" in document["shown"]
    units = {"main_score": "0–100", "score": "0–10", "delta": "points of 10", "geometry_hard": "0–10"}
    assert units.items() <= document["units"].items()
    assert dict(unit.split(": ") for unit in rows[0]["units"].split("; ")) == document["units"]
    assert not {"score_low", "score_n", "geometry_hard_n"} & document["units"].keys()


def test_the_board_of_a_metric_says_why_it_has_no_ranks_and_can_be_searched_and_saved(visit: Visit) -> None:
    page = visit.open("boards/metric-psnr.html")
    assert shown(page) == BEST_FIRST[::-1]
    assert page.get_by_text("No ranks here.").is_visible()
    assert page.locator("caption").evaluate("one => getComputedStyle(one).visibility") == "visible"
    choose(page, "Describer", "teller")
    rows = list(csv.DictReader(io.StringIO(save(page, "CSV of what is shown"))))
    assert [(row["describer"], row["generator"]) for row in rows] == [("teller", "sketcher"), ("teller", "painter")]
    assert float(rows[0]["psnr"]) - float(rows[1]["psnr"]) == pytest.approx(2.0)
    assert float(rows[0]["geometry_n"]) == 4


def test_a_name_that_a_spreadsheet_would_run_is_only_text(visit: Visit) -> None:
    page = visit.open(BOARD)
    records = """[{ name: "=1+1", words: 'a "b", c', none: null, value: -0.5 }]"""
    made = page.evaluate(f"() => {{ const {{ csv }} = {bundle('export')} return csv({records}); }}")
    assert made == 'name,words,none,value\n\'=1+1,"a ""b"", c",,-0.5\n'


def test_boards_write_signs_in_latex_as_tables_do(visit: Visit) -> None:
    page = visit.open(BOARD)
    made = page.evaluate(
        f"signs => {{ const {{ latexCell }} = {bundle('export')} return signs.map(latexCell); }}", [*LATEX]
    )
    assert made == list(LATEX.values())


def test_tables_are_copied_as_markdown_and_latex(browser: "Browser", address: str) -> None:
    with browser.new_context(permissions=["clipboard-read", "clipboard-write"]) as context:
        page = visit_in(context, address).open(f"{BOARD}?generator=painter&hide=categories,effort,details,provenance")
        copied = []
        for name in ("Copy as Markdown", "Copy as LaTeX"):
            open_menu(page, "Export")
            page.get_by_role("button", name=name).click()
            page.get_by_text("Copied: 3 rows.").wait_for()
            copied.append(page.evaluate("navigator.clipboard.readText()"))
            page.reload()
        markdown, latex = copied
        assert (
            markdown.splitlines()[0]
            == "| Rank | Pair | Main score | Chance of being best | Score | Played | Rated | ΔQ |"
        )
        assert re.search(
            r"\| seer \+ painter \| \d\d\.\d \\\[\d\d\.\d, \d+\.\d\\\] \| \d\.\d\d \| "
            r"\d\.\d\d \\\[\d\.\d\d, \d+\.\d\d\\\] \| ",
            markdown,
        )
        assert '"\\>\\<img src=x onerror=alert(1)\\> + painter' in markdown
        assert (
            "\\toprule\nRank & Pair & Main score & Chance of being best & Score & Played & Rated & $\\Delta$Q \\\\"
            in latex
        )


def test_a_hostile_name_is_text_everywhere_on_the_board(visit: Visit) -> None:
    page = visit.open(BOARD)
    page.evaluate("() => { window.alert = () => { throw new Error('ran'); }; }")
    choose(page, "Describer", HOSTILE)
    page.get_by_label("Find").fill("onerror")
    page.locator("#hostile .pin").click()
    page.locator("#hostile .tools input").check()
    assert shown(page) == ["hostile"]
    assert "describer " + HOSTILE in state(page)
    assert page.locator(".board img, .board-tools img, [data-board-state] img").count() == 0


def test_nothing_moves_while_the_board_is_made_ready(browser: "Browser", address: str) -> None:
    for width in (390, 1280):
        with browser.new_context(viewport={"width": width, "height": 900}) as context:
            visit = visit_in(context, address)
            visit.page.add_init_script(
                "window.shift = 0; new PerformanceObserver(list => { for (const one of list.getEntries())"
                " window.shift += one.value; }).observe({ type: 'layout-shift', buffered: true });"
            )
            page = visit.open(BOARD)
            page.wait_for_timeout(300)
            assert page.evaluate("window.shift") <= 0.05


def with_two_hundred_rows(page: "Page") -> None:
    """Let the board arrive with 195 copies of its first row, whose scores are all different."""

    def answer(route: "Route") -> None:
        response = route.fetch()
        text = response.text()
        rows = re.findall(r"<tr role=\"row\" id=.*?</tr>", text, re.S)
        copies = [
            re.sub(r'(class="score-column".*?data-sort=")[^"]*', rf"\g<1>{index * 7919 % 1000 / 20}", rows[0], count=1)
            for index in range(195)
        ]
        copies = [row.replace('id="a-x"', f'id="copy-{index}"', 1) for index, row in enumerate(copies)]
        route.fulfill(response=response, body=text.replace(rows[0], rows[0] + "".join(copies), 1))

    page.route(f"**/{BOARD}", answer)


IN_SIGHT = """
  const inSight = () => [...document.querySelectorAll("table.board tbody tr")]
    .map((row) => [row.getBoundingClientRect(), Number(row.querySelector(".score-column").dataset.sort)])
    .filter(([box]) => box.height && box.bottom > 0 && box.top < innerHeight)
    .sort(([first], [second]) => first.top - second.top).map(([, score]) => score);
"""
"""Scores of the rows that a reader sees, in the order in which they stand."""


@pytest.mark.parametrize("down", [0, 6000])
def test_of_two_hundred_rows_those_in_sight_are_in_order_first_and_soon_all_for_keys_and_screen_readers(
    visit: Visit, down: int
) -> None:
    with_two_hundred_rows(visit.page)
    page = visit.open(BOARD)
    seen, focused = page.evaluate(
        f"""(down) => {{ {IN_SIGHT}
          document.querySelector(".board-scroll").scrollTo({{ top: down, behavior: "instant" }});
          const head = document.querySelector("th[data-name='Main score'] button");
          head.focus();
          head.click();
          return [inSight(), document.activeElement === head];
        }}""",
        down,
    )
    assert focused
    page.wait_for_url("**?by=main_score&order=ascending")
    scores = page.locator("table.board tbody tr").evaluate_all(
        "all => all.map(one => Number(one.querySelector('.score-column').dataset.sort))"
    )
    assert scores == sorted(scores)
    assert len(set(scores)) == 200
    first = scores.index(seen[0])
    assert (first > 50) == (down > 0)
    assert len(seen) > 5
    assert seen == scores[first : first + len(seen)]
    page.go_back()
    page.locator("table.board tbody tr:first-child#a-x").wait_for()
