"""The built site in a real browser: charts, tables, gallery keys, accessibility; with and without JavaScript."""

import re
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from samples import sample_instances, sample_run
from site_samples import built_once, named_submission, rate_turns
from visits import Visit, visit_in

from leaderboard import theme
from leaderboard.building.site_build import build_site

if TYPE_CHECKING:
    from playwright.sync_api import Browser, Page

pytestmark = pytest.mark.slow

BOARD = "boards/index.html"
PAIR = "pairs/teller-painter.html"
INSTANCE = "gallery/simple_shapes-easy-01.html"
PAGES = ("index.html", BOARD, PAIR, INSTANCE, "gallery/index.html", "matrix.html")


def make_site(folder: Path) -> None:
    """Three pairs on eight targets: seer-painter is best, then teller-painter, then seer-sketcher."""
    instances = sample_instances(folder / "instances", per_condition=2)
    runs = []
    for describer, generator, first in (
        ("seer", "painter", 5.0),
        ("teller", "painter", 4.0),
        ("seer", "sketcher", 3.0),
    ):
        slug = f"{describer}-{generator}"
        run = sample_run(folder / slug, instances, named_submission(slug, describer, generator))
        runs.append(rate_turns(run, first, by_episode=0.1, by_turn=2).path)
    build_site(runs, folder / "site")


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return built_once(tmp_path_factory, "browser-site", make_site)


@pytest.mark.parametrize(("path", "hue"), [(BOARD, 0), (PAIR, 1)])
def test_charts_are_drawn_in_both_schemes(visit: Visit, path: str, hue: int) -> None:
    page = visit.open(path)
    count = visit.draw_charts()
    assert count >= 1
    assert page.locator("figure[data-state='drawn']").count() == count
    assert page.locator("figure[data-chart] svg .points path, figure[data-chart] svg .bars path").count() > 1
    for scheme, dark in (("default", False), ("slate", True)):
        page.evaluate("scheme => { document.body.dataset.mdColorScheme = scheme; }", scheme)
        wanted = theme.describer_colour(hue, dark)
        red, green, blue = (int(wanted[at : at + 2], 16) for at in (1, 3, 5))
        page.locator(f"figure[data-chart] svg path[style*='rgb({red}, {green}, {blue})']").first.wait_for(
            state="attached"
        )
        fills = page.locator(".chart-live svg text").evaluate_all("all => all.map(one => one.style.fill)")
        assert "" not in fills
        assert not [fill for fill in fills if "var(" in fill]


def test_a_chart_that_cannot_be_drawn_shows_its_numbers(browser: "Browser", address: str) -> None:
    with browser.new_context() as context:
        visit = visit_in(context, address)
        visit.page.route("**/plotly-figures.min.js", lambda route: route.abort())
        page = visit.open(BOARD)
        visit.draw_charts()
        figure = page.locator("figure[data-chart]").first
        assert "could not be drawn" in figure.inner_text()
        assert figure.locator("table").is_visible()


def first_cells(page: "Page") -> list[str]:
    """The pairs from top to bottom; their text as it stands in the page, since a row may not be laid out yet."""
    names = "row => ['.pair-describer', '.pair-generator'].map(one => row.querySelector(one).textContent).join('-')"
    return [str(row.evaluate(names)) for row in page.locator("table.board tbody tr").all()]


def test_a_table_is_sorted_by_keyboard_and_remembers_it(visit: Visit) -> None:
    page = visit.open(BOARD)
    best_first = ["seer°-painter°", "teller°-painter°", "seer°-sketcher°"]
    assert first_cells(page) == best_first
    button = page.locator("table.board th", has_text="Main score").get_by_role("button")
    button.focus()
    page.keyboard.press("Enter")
    orders = [page.locator("table.board th[aria-sort]").get_attribute("aria-sort")]
    page.keyboard.press("Enter")
    orders.append(page.locator("table.board th[aria-sort]").get_attribute("aria-sort"))
    assert set(orders) == {"ascending", "descending"}
    if orders[-1] == "descending":
        page.keyboard.press("Space")
    assert page.locator("table.board th[aria-sort]").count() == 1
    assert first_cells(page) == best_first[::-1]
    assert "by=main_score&order=ascending" in page.url
    page.reload()
    assert first_cells(page) == best_first[::-1]
    page.locator("table.board th", has_text="Pair").get_by_role("button").click()
    assert first_cells(page) == ["seer°-painter°", "seer°-sketcher°", "teller°-painter°"]


def test_the_gallery_is_filtered_and_remembers_it(visit: Visit) -> None:
    page = visit.open("gallery/index.html")
    entries = page.locator("[data-filterable] [data-difficulty]:visible")
    assert entries.count() == 8
    page.get_by_label("Difficulty").select_option("hard")
    assert entries.count() == 4
    assert page.url.endswith("?difficulty=hard")
    page.reload()
    assert entries.count() == 4
    assert page.get_by_text("4 of 8 targets").is_visible()


def test_pages_are_complete_without_javascript(browser: "Browser", address: str) -> None:
    with browser.new_context(java_script_enabled=False) as context:
        visit = visit_in(context, address)
        page = visit.open(BOARD)
        assert first_cells(page) == ["seer°-painter°", "teller°-painter°", "seer°-sketcher°"]
        assert page.locator("figure[data-chart] details table tbody tr").count() > 6
        page = visit.open(INSTANCE)
        assert page.locator("[data-turn] img").count() == 6
        assert visit.outside == []


def test_pages_name_nothing_outside(site: Path) -> None:
    """Scripts, styles and pictures come from the site itself; links to elsewhere are only links."""
    for path in PAGES:
        fetched = re.findall(
            r"<(?:script|img|link|iframe)[^>]+(?:src|href)=\"(https?:[^\"]+)\"", (site / path).read_text()
        )
        assert [page for page in fetched if "canonical" not in page] == []
