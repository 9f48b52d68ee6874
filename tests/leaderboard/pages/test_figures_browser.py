"""Figures to play with, in a real browser: pairs, judge and category chosen in place, and all that follows."""

import csv
import io
import json
import shutil
from collections.abc import Iterator, Mapping
from itertools import product
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest
from invented import InventedRun, invented_run, invented_set, judged_also, preferring, talking
from visits import Visit, axe_findings, fits

import leaderboard
from ircore.core.episode_records import EpisodeCost
from leaderboard import theme
from leaderboard.building.sources import bundle
from leaderboard.building.writing import draw
from leaderboard.model.site import Page, Site
from leaderboard.pages.figures import ALONE, CHOOSABLE, build_figure_data_files, build_figure_pages, build_figures_page
from leaderboard.rendering.render import Renderer, render_block
from leaderboard.rendering.shell import Shell

if TYPE_CHECKING:
    from playwright.sync_api import Page as Tab

ASSETS = Path(leaderboard.__file__).parent / "assets"
SHELL = """<!doctype html><html lang="en"><head><meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="irg_slot_policy">
<meta name="viewport" content="width=device-width">
<title>Figures</title><link rel="icon" href="data:,">{styles}<script src="assets/js/charts.js" defer></script></head>
<body data-md-color-scheme="default"><main>irg_slot_content</main></body></html>"""
STYLES = ("theme", "site", "widgets", "charts", "figure-alone", "print")


class PricedRun(InventedRun):
    """A run whose episodes cost a cent for each letter that its describer is longer than the first, which is free."""

    def costs(self) -> dict[str, EpisodeCost]:
        cents = len(str(self.run.submission.players["describer"].model)) - len("seer")
        return {episode.episode_id: EpisodeCost(usd=cents / 100) for episode in self.played}


def runs(describers: int, generators: int) -> Iterator[PricedRun]:
    instances = invented_set(3)
    for row, column in product(range(describers), range(generators)):
        name = "seer" + "r" * row
        made = invented_run(instances, name, f"painter-{column}", 3.0 + 0.8 * row + 0.3 * column, 0.6 - 0.3 * column)
        judged = preferring(judged_also(talking(made), "zealous", 0.7, 1.0))
        yield PricedRun(**{field: getattr(judged, field) for field in InventedRun.__dataclass_fields__})


def write_pages(site: Site, folder: Path) -> None:
    """The page of figures and those of each figure alone, with all that they fetch, in shells of a few lines."""
    shutil.copytree(ASSETS, folder / "assets", ignore=shutil.ignore_patterns("js"))
    (folder / "assets/js").mkdir()
    for name in ("charts", "figures"):
        (folder / f"assets/js/{name}.js").write_text(bundle(name))
    (folder / "assets/css/theme.css").write_text(theme.build_stylesheet())
    pages = [build_figures_page(site), *build_figure_pages(site)]
    charts = draw(site, pages)
    files = dict(build_figure_data_files(site))
    for name, chart in charts.items():
        files |= {f"charts/{name}.json": chart.json(), f"charts/{name}.csv": chart.csv()}
    renderer = Renderer(site, charts)
    files |= {f"{page.path}.html": as_page(renderer, page) for page in pages}
    files["index.html"] = files["figures.html"]
    for path, text in files.items():
        (folder / path).parent.mkdir(parents=True, exist_ok=True)
        (folder / path).write_text(text, encoding="utf-8")


def as_page(renderer: Renderer, page: Page) -> str:
    links = "".join(f'<link rel="stylesheet" href="assets/css/{name}.css">' for name in STYLES)
    alone = page.template == ALONE
    shell = (
        render_block(f"{ALONE}_shell", {"title": page.title, "root": page.root})
        if alone
        else SHELL.format(styles=links)
    )
    return Shell(shell).filled(renderer.block(page), charts=True)


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Thirty pairs, more than any figure shows by itself, and in a folder of its own a site of four."""
    folder = tmp_path_factory.mktemp("figures")
    write_pages(Site(list(runs(6, 5))), folder)  # type: ignore[arg-type]
    write_pages(Site(list(runs(2, 2))), folder / "four")  # type: ignore[arg-type]
    return folder


def drawn_figure(tab: "Tab", name: str) -> dict[str, Any]:
    """The figure that the page handed over for drawing."""
    return dict(json.loads(tab.evaluate(f"JSON.stringify(window.handed['{name}'])")))


def listening(visit: Visit) -> None:
    """Keep every figure that the page draws again."""
    visit.page.add_init_script(
        "window.handed = {}; document.addEventListener('figure-change',"
        " ({ target, detail }) => { window.handed[target.dataset.name] = detail; });"
    )


def open_figures(visit: Visit, query: str, folder: str = "") -> "Tab":
    listening(visit)
    tab = visit.open(f"{folder}figures.html{query}")
    tab.locator(".figure-menu").first.wait_for()
    return tab


def same(ours: Any, built: Any, where: str = "") -> None:
    """Compare two parts of figures: numbers to what a pixel shows, texts exactly, defaults of annotations filled in."""
    if isinstance(built, Mapping):
        ours, built = (
            {name: value for name, value in part.items() if value not in ([], {}, "")} for part in (ours, built)
        )
        usual = {"xanchor": "center", "yanchor": "middle", "xshift": 0, "yshift": 0}
        if "xref" in built and "text" in built:
            ours, built = usual | ours, usual | built
        if "range" in built:
            built = {"domain": [0, 1]} | built
            ours = {"domain": [0, 1]} | ours
        assert ours.keys() == built.keys(), (where, ours.keys() ^ built.keys())
        for name in built:
            same(ours[name], built[name], f"{where}.{name}")
    elif isinstance(built, list):
        assert len(ours) == len(built), (where, len(ours), len(built))
        for at, (own, other) in enumerate(zip(ours, built, strict=True)):
            same(own, other, f"{where}[{at}]")
    elif isinstance(built, int | float) and not isinstance(built, bool):
        assert ours == pytest.approx(built, abs=0.02), where
    else:
        assert ours == built, where


def by_place(notes: list[dict[str, Any]]) -> list[dict[str, Any]]:
    return sorted(
        notes, key=lambda note: (note["text"], str(note["xref"]), note["x"], note["y"], note.get("xshift", 0))
    )


def test_all_pairs_of_a_figure_are_the_figure_that_was_built(visit: Visit, site: Path) -> None:
    """The same marks, whiskers, names, axes and headline."""
    tab = open_figures(visit, "?" + "&".join(f"{kind}.pairs=~4" for kind in CHOOSABLE), "four/")
    # The paper's values stand in the figures as built alone.
    for kind in CHOOSABLE.keys() - {"scores", "preferences"}:
        tab.wait_for_function(f"() => window.handed['{kind}']")
        ours = drawn_figure(tab, kind)
        built = json.loads((site / f"four/charts/{kind}.json").read_text())
        same(ours["data"], built["data"], f"{kind}.data")
        for layout in ("layout", "narrow"):
            notes = by_place(ours[layout].pop("annotations")), by_place(built[layout].pop("annotations"))
            same(*notes, f"{kind}.{layout}.annotations")
            same(ours[layout], built[layout], f"{kind}.{layout}")
        assert ours["title"] == built["title"]


def test_pairs_judge_and_category_are_chosen_in_place_and_stand_in_the_address(visit: Visit, site: Path) -> None:
    tab = open_figures(visit, "")
    figure = tab.locator("#figure-deltas")
    built = figure.locator("figcaption").inner_text()
    figure.locator(".figure-pairs summary").click()
    figure.get_by_role("searchbox").fill("seerrr painter-1")
    boxes = figure.locator(".figure-pair-list li:visible input")
    assert boxes.count() == 4  # seerrr with three to six r, the best first
    boxes.nth(0).check()
    boxes.nth(1).check()
    tab.keyboard.press("Escape")
    figure.get_by_role("combobox", name="Judge").select_option("zealous")
    figure.get_by_label("Category").select_option("geometry")
    figure.locator("figcaption strong", has_text="Of the 2 chosen pairs, on geometry, judged by zealous:").wait_for()
    pairs = "seerrrrrr-painter-1,seerrrrr-painter-1"
    assert f"deltas.pairs={pairs}&deltas.judge=zealous&deltas.category=geometry" in tab.url
    assert figure.locator("figcaption").inner_text().endswith("2 of 30 pairs, as chosen; geometry; judged by zealous.")
    headline = figure.locator("figcaption strong").inner_text()
    tab.reload()
    figure.locator("figcaption strong", has_text=headline).wait_for()
    figure.locator("[data-state='drawn'], .chart-live").first.wait_for()
    figure.get_by_role("button", name="Reset").click()
    assert figure.locator("figcaption").inner_text() == built
    assert "deltas." not in tab.url
    tab.go_back()
    figure.locator("figcaption strong", has_text=headline).wait_for()


def test_a_headline_over_chosen_pairs_asks_and_says_the_numbers_of_a_few(visit: Visit, site: Path) -> None:
    """Of judge zealous alone, since several judges have a number each."""
    whole = json.loads((site / "data/figures/deltas-by-zealous.json").read_text())
    keys = whole["pairs"][:4]
    said = {}
    for count in (3, 4):
        tab = open_figures(visit, f"?deltas.pairs={','.join(keys[:count])}&deltas.judge=zealous")
        title = tab.locator("#figure-deltas figcaption strong", has_text=f"Of the {count} chosen pairs")
        said[count] = title.inner_text()
    assert said[3].startswith("Of the 3 chosen pairs, judged by zealous: Does refinement help? seer")
    assert all(whole["says"][key] in said[3] for key in keys[:3])
    assert said[4] == "Of the 4 chosen pairs, judged by zealous: Does refinement help?"


def test_the_headline_over_a_category_is_the_claim_that_the_site_made(visit: Visit, site: Path) -> None:
    claim = json.loads((site / "data/figures/scores-by-zealous-on-geometry.json").read_text())["title"]
    tab = open_figures(visit, "?scores.judge=zealous&scores.category=geometry")
    assert tab.locator("#figure-scores figcaption strong", has_text="On geometry").inner_text() == claim


def test_a_pair_that_is_not_on_the_site_is_said_and_the_papers_marks_go_with_their_sentence(
    visit: Visit, site: Path
) -> None:
    key = json.loads((site / "data/figures/pairs.json").read_text())["pairs"][0]["key"]
    tab = open_figures(visit, f"?scores.pairs={key},gone-away")
    assert "Not on this site: gone-away." in tab.locator(".figure-note").inner_text()
    figure = tab.locator("#figure-scores[data-changed]")
    figure.wait_for()
    assert not figure.locator(".hollow-aid").is_visible()
    figure.get_by_role("button", name="Reset").click()
    assert tab.locator("#figure-scores .hollow-aid").is_visible()


def test_pairs_from_a_board_or_a_comparison_hold_for_every_figure(visit: Visit) -> None:
    tab = open_figures(visit, "?pairs=seer-painter-0,seerr-painter-1,unknown&judge=zealous")
    tab.wait_for_function("() => window.handed.scores && window.handed.lengths")
    note = tab.locator(".figure-note")
    assert note.inner_text().startswith(
        "Every figure that can shows: seer + painter-0; seerr + painter-1; judged by zealous"
    )
    assert tab.locator("figcaption strong", has_text="Of the 2 chosen pairs").count() >= 10
    note.get_by_role("button").click()
    assert tab.url.endswith("figures.html")
    assert tab.locator("figcaption strong", has_text="chosen pairs").count() == 0


def test_files_and_table_hold_what_is_seen(visit: Visit, tmp_path: Path) -> None:
    query = "?deltas.pairs=seer-painter-0,seerr-painter-1&deltas.judge=zealous&deltas.category=geometry"
    tab = open_figures(visit, query)
    figure = tab.locator("#figure-deltas")
    figure.scroll_into_view_if_needed()
    tab.locator("#figure-deltas[data-state='drawn'][data-changed]").wait_for()
    with tab.expect_download() as waiting:
        figure.get_by_role("link", name="CSV").click()
    waiting.value.save_as(tmp_path / "deltas.csv")
    rows = list(csv.DictReader(io.StringIO((tmp_path / "deltas.csv").read_text())))
    assert {row["key"] for row in rows} == {"seer-painter-0", "seerr-painter-1"}
    assert {(row["judge"], row["category"]) for row in rows} == {("zealous", "geometry")}
    assert all(row["instance_set"] and row["benchmark"] and row["rules"] and query in row["address"] for row in rows)
    assert {row["units"] for row in rows} == {"delta_mean: points of 10"}
    figure.locator(".chart-table summary").click()
    assert figure.locator(".chart-table tbody tr").count() == 2
    with tab.expect_download() as waiting:
        figure.get_by_role("button", name="SVG").click()
    waiting.value.save_as(tmp_path / "deltas.svg")
    text = (tmp_path / "deltas.svg").read_text()
    assert "Of the 2 chosen pairs" in text
    assert "painter-1" in text
    assert "painter-3" not in text


def test_code_to_embed_shows_the_same_alone(visit: Visit, site: Path) -> None:
    tab = open_figures(visit, "?deltas.pairs=seer-painter-0,seerr-painter-1&deltas.judge=zealous")
    figure = tab.locator("#figure-deltas")
    figure.locator("figcaption strong", has_text="chosen pairs").wait_for()
    headline = figure.locator("figcaption strong").inner_text()
    figure.locator(".figure-embed summary").click()
    code = figure.locator(".figure-embed textarea").input_value()
    assert code.startswith(
        f'<iframe src="{visit.address}embed/deltas.html?pairs=seer-painter-0,seerr-painter-1&amp;judge=zealous"'
    )
    (site / "other.html").write_text(
        f"<!doctype html><title>Other</title><link rel='icon' href='data:,'><body>{code}</body>", encoding="utf-8"
    )
    visit.open("other.html")
    inside = tab.frame_locator("iframe")
    inside.locator("figure[data-state='drawn'][data-changed]").wait_for()
    assert inside.locator("figcaption strong").inner_text() == headline
    assert inside.locator(".figure-embed").count() == 0
    inside.locator("select").first.select_option("")
    inside.locator("figcaption strong", has_text="Of the 2 chosen pairs: Does refinement help?").wait_for()


def test_names_of_strangers_stay_text(visit: Visit, tmp_path: Path, site: Path) -> None:
    """A describer that calls itself a picture with a script: in list, headline, table, figure and code."""
    name = '<img src=x onerror="document.title=1">"'
    listed = json.loads((site / "data/figures/pairs.json").read_text())
    for pair in listed["pairs"]:
        pair["describer"] = pair["names"][0] = name
    visit.page.route("**/data/figures/pairs.json", lambda route: route.fulfill(json=listed))
    tab = open_figures(visit, "?scores.pairs=seer-painter-0&scores.judge=zealous")
    figure = tab.locator("#figure-scores")
    figure.locator("figcaption strong", has_text="onerror").wait_for()
    tab.locator("#figure-scores[data-state='drawn'][data-changed]").wait_for()
    figure.locator(".figure-pairs summary").click()
    figure.locator(".figure-embed summary").click()
    code = figure.locator(".figure-embed textarea").input_value()
    assert "<img" not in code
    assert code.count('"') == 12
    figure.locator(".chart-table summary").click()
    assert figure.locator("img").count() == 0
    assert tab.title() == "Figures"


def test_axe_finds_nothing_with_menus_open(visit: Visit) -> None:
    tab = open_figures(visit, "?pairs=seer-painter-0,seerr-painter-1", "four/")
    tab.evaluate("document.body.dataset.mdColorScheme = 'slate'")
    visit.draw_charts()
    tab.evaluate("document.querySelectorAll('.chart-table').forEach(part => { part.open = true; })")
    tab.locator("#figure-scores .figure-pairs summary").click()
    tab.locator(".figure-pair-list").first.wait_for()
    assert axe_findings(tab) == []
    visit.open("four/embed/deltas.html")
    visit.page.locator("figure[data-state='drawn']").wait_for()
    assert axe_findings(visit.page) == []


def test_figures_with_controls_fit_a_phone(visit: Visit) -> None:
    tab = open_figures(visit, "?pairs=seer-painter-0,seerr-painter-1")
    visit.draw_charts()
    assert fits(tab, 390)
    for menu in ("pairs", "embed"):
        tab.locator(f"#figure-deltas .figure-{menu} summary").click()
        tab.locator(f"#figure-deltas .figure-{menu}[open] .figure-menu-body > *").first.wait_for()
        assert fits(tab, 768)
        assert fits(tab, 390)
