"""Every figure in a real browser, under the policy of the site's pages: live, still, saved, in both schemes."""

import json
import shutil
from dataclasses import replace
from pathlib import Path
from types import SimpleNamespace
from typing import TYPE_CHECKING

import pytest
from invented import invented_run, invented_set, repeated, rich_results
from invented_pairs import pairs_of
from PIL import Image
from visits import Visit, visit_in

import leaderboard
from ircore.results.cells import Cell
from ircore.results.model import Results
from ircore.results.statistics.intervals import Estimate
from leaderboard import theme
from leaderboard.building.sources import bundle
from leaderboard.charts.catalogue import make_figures
from leaderboard.model.site import Page
from leaderboard.pages.figures import FOLDER, SECTIONS
from leaderboard.rendering.render import Renderer
from leaderboard.rendering.shell import Shell

if TYPE_CHECKING:
    from playwright.sync_api import Browser

ASSETS = Path(leaderboard.__file__).parent / "assets"
COUNT = sum(len(charts) for _, _, charts in SECTIONS)
SHELL = """<!doctype html><html lang="en"><head><meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="irg_slot_policy">
<meta name="viewport" content="width=device-width">
<title>Figures</title><link rel="icon" href="data:,">{styles}<script src="assets/js/charts.js" defer></script></head>
<body data-md-color-scheme="default"><main>irg_slot_content</main></body></html>"""


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The page of figures alone, with all that it fetches, in a shell of a few lines."""
    folder = tmp_path_factory.mktemp("figures")
    shutil.copytree(ASSETS, folder / "assets", ignore=shutil.ignore_patterns("js"))
    (folder / "assets/js").mkdir()
    for name in ("charts", "figures"):
        (folder / f"assets/js/{name}.js").write_text(bundle(name))
    styles = ("theme", "site", "widgets", "charts", "print")
    (folder / "assets/css/theme.css").write_text(theme.build_stylesheet())
    (folder / "assets/css/shell.css").write_text(
        "html { font: 20px/1.5 sans-serif; } body { margin: 16px; background: var(--irc-background);"
        " color: var(--irc-text); }"
    )
    results = rich_results()
    prices = {run_id: 0.01 * 3**at for at, run_id in enumerate(results.episodes)}
    results = replace(results, cells={key: _priced(cell, prices[key[0]]) for key, cell in results.cells.items()})
    pairs = pairs_of(results)
    names = [chart for _, _, charts in SECTIONS for chart in charts]
    charts = make_figures(results, pairs, names, "structural")
    # Where scores vary from is known only of targets that were played twice.
    instances = invented_set(3)
    twice = Results.from_runs(
        [repeated(invented_run(instances, name, "painter", 5, 0.6), 0.2) for name in ("seer", "teller")]
    )
    charts |= make_figures(twice, pairs_of(twice), ["variance"], "structural")
    (folder / "charts").mkdir()
    for name, chart in charts.items():
        (folder / "charts" / f"{name}.json").write_text(chart.json())
        (folder / "charts" / f"{name}.csv").write_text(chart.csv())
    sections = [{"id": name, "title": title, "charts": charts} for name, title, charts in SECTIONS]
    values = {"sections": sections, "words": "Invented.", "others": [], "plays": FOLDER, "embedded": "embed"}
    page = Page("index", "Figures", "figures", values)
    (folder / FOLDER).mkdir(parents=True)
    index = {
        "judge": "structural", "judges": ["structural"], "categories": [], "corrections": [], "pairs": [], "about": {},
    }  # fmt: skip
    (folder / FOLDER / "pairs.json").write_text(json.dumps(index))
    site = SimpleNamespace(judge="structural", pairs=pairs, mark_words="Colour stands for the describer")
    block = Renderer(site, charts).block(page)  # type: ignore[arg-type]
    links = "".join(f'<link rel="stylesheet" href="assets/css/{name}.css">' for name in (*styles, "shell"))
    (folder / "index.html").write_text(Shell(SHELL.format(styles=links)).filled(block, charts=True))
    return folder


def _priced(cell: Cell, dollars: float) -> Cell:
    return replace(
        cell, amounts={**cell.amounts, "cost": Estimate(dollars, 0.9 * dollars, 1.1 * dollars, cell.episodes)}
    )


def draw_figure(visit: Visit, name: str) -> None:
    visit.page.locator(f"#figure-{name}").scroll_into_view_if_needed()
    visit.page.locator(f"#figure-{name}[data-state='drawn']").wait_for()


def test_every_figure_takes_the_place_of_its_still_picture(visit: Visit) -> None:
    page = visit.open("index.html")
    heights = "() => [...document.querySelectorAll('.chart-plot')].map(plot => Math.round(plot.offsetHeight))"
    still = page.evaluate(heights)
    assert visit.draw_charts() == COUNT
    assert page.evaluate(heights) == still
    assert page.locator("figure[data-state='drawn'] .chart-live svg.main-svg").count() >= COUNT
    assert not page.locator(".chart-still").first.is_visible()


def test_nothing_is_fetched_before_a_figure_is_near(visit: Visit) -> None:
    asked: list[str] = []
    visit.page.on("request", lambda sent: asked.append(sent.url.rsplit("/", 1)[-1]))
    page = visit.open("index.html")
    page.locator("figure[data-state='drawn']").first.wait_for()
    assert "scores.json" in asked
    assert "costs.json" not in asked
    draw_figure(visit, "costs")
    assert "costs.json" in asked
    assert asked.count("plotly-figures.min.js") == 1


def test_a_chart_that_cannot_be_drawn_shows_its_numbers(browser: "Browser", address: str) -> None:
    with browser.new_context() as context:
        visit = visit_in(context, address)
        visit.page.route("**/plotly-figures.min.js", lambda route: route.abort())
        page = visit.open("index.html")
        visit.draw_charts()
        figure = page.locator("figure[data-chart]").first
        assert "could not be drawn" in figure.inner_text()
        assert figure.locator("table").first.is_visible()


def test_the_scheme_recolours_live_figures(visit: Visit) -> None:
    page = visit.open("index.html")
    draw_figure(visit, "scores")
    for scheme, dark in (("slate", True), ("default", False)):
        page.evaluate("scheme => { document.body.dataset.mdColorScheme = scheme; }", scheme)
        wanted = theme.judge_colour(0, dark)
        red, green, blue = (int(wanted[at : at + 2], 16) for at in (1, 3, 5))
        mark = f"#figure-scores .chart-live path[style*='rgb({red}, {green}, {blue})']"
        page.locator(mark).first.wait_for(state="attached")


def test_a_figure_is_saved(visit: Visit, tmp_path: Path) -> None:
    page = visit.open("index.html")
    draw_figure(visit, "deltas")
    for form in ("png", "svg"):
        with page.expect_download() as waiting:
            page.locator("#figure-deltas .chart-tools button", has_text=form.upper()).click()
        assert waiting.value.suggested_filename == f"deltas.{form}"
        waiting.value.save_as(tmp_path / f"deltas.{form}")
    with Image.open(tmp_path / "deltas.png") as picture:
        assert picture.size[0] == 2000
        assert len(picture.getcolors(1 << 24) or ()) > 10
    text = (tmp_path / "deltas.svg").read_text()
    assert text.startswith("<svg")
    assert "Refinement helps" in text
    assert "var(" not in text


def test_still_pictures_stand_in_without_javascript_and_on_paper(browser: "Browser", address: str) -> None:
    with browser.new_context(java_script_enabled=False, viewport={"width": 390, "height": 800}) as context:
        page = visit_in(context, address).open("index.html")
        assert page.locator(".still-narrow:visible").count() == COUNT
        assert page.locator(".still-wide:visible").count() == 0
        assert page.locator("#figure-deltas .still-narrow path[transform]").count() == 10
        # Four of the paper's tables stand below those of three figures.
        assert page.locator("figure details table").count() == COUNT + 4
    with browser.new_context(viewport={"width": 1280, "height": 800}) as context:
        visit = visit_in(context, address)
        page = visit.open("index.html")
        visit.draw_charts()
        page.evaluate("document.body.dataset.mdColorScheme = 'slate'")
        page.emulate_media(media="print")
        assert page.locator(".still-wide:visible").count() == COUNT
        assert page.locator(".chart-live:visible").count() == 0
        page.set_viewport_size({"width": 960, "height": 680})  # a sheet that lies across
        cut = "all => all.filter(figure => figure.scrollHeight > figure.clientHeight + 1).map(figure => figure.id)"
        assert page.locator("figure.chart").evaluate_all(cut) == []
        ground = "getComputedStyle(document.body).getPropertyValue('--irc-background')"
        assert page.evaluate(ground).strip() == theme.neutral("background")


@pytest.mark.parametrize("width", [360, 768, 1920])
def test_no_figure_is_wider_than_the_window(browser: "Browser", address: str, width: int) -> None:
    with browser.new_context(viewport={"width": width, "height": 900}) as context:
        visit = visit_in(context, address)
        page = visit.open("index.html")
        visit.draw_charts()
        assert page.evaluate("document.documentElement.scrollWidth") <= width
        # Words that end outside the figure would be cut.
        cut = page.locator(".chart-live svg.main-svg text").evaluate_all(
            """all => all.filter(words => {
                const text = words.getBoundingClientRect();
                const frame = words.closest('.chart-plot').getBoundingClientRect();
                return text.width && (text.left < frame.left - 1 || text.right > frame.right + 1
                    || text.top < frame.top - 1 || text.bottom > frame.bottom + 1);
            }).map(words => words.closest('figure').id + ': ' + words.textContent)"""
        )
        assert cut == []
        assert visit.complaints == []
