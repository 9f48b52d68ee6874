"""Every kind of page in a real browser: accessible in both schemes, at every width, on paper, without JavaScript.

What only one kind of page does is tested beside it; what all of them must do is tested here, on one site that has all.
"""

from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from pages import varied_pages
from samples import sample_instances, sample_run
from short_pages import whole_pages
from site_samples import built_once, named_submission, rate_turns
from visits import COLOURS, Visit, axe_findings, fits, visit_in

from ircore.instances.benchmark import read_versions, record_version
from ircore.scorers.scoring import ScoringPlan, score_runs
from leaderboard.building.content import Options
from leaderboard.building.site_build import build_site, read_marker
from leaderboard.frozen_boards import freeze_site, make_released_version

if TYPE_CHECKING:
    from playwright.sync_api import Browser, Page

pytestmark = pytest.mark.slow

WIDTHS = (360, 600, 768, 1024, 1920)
HOSTILE = '"><img src=x onerror=window.bitten=1>\u202e'


def make_site(folder: Path) -> None:
    """Four pairs, one with hostile names, by a computed judge, a model and two people, and a former version."""
    instances = sample_instances(folder / "instances")
    pairs = (("seer", "painter"), ("teller", "painter"), ("seer", "sketcher"), (HOSTILE, "sketcher"))
    runs = []
    for place, (describer, generator) in enumerate(pairs):
        slug = f"{describer}-{generator}" if describer.isalpha() else "hostile"
        run = sample_run(folder / slug, instances, named_submission(slug, describer, generator))
        rate_turns(run, 6.0 - place, 0.1, 1.0, "eye")
        for number, person in enumerate(("p-1", "p-2")):
            rate_turns(run, 5.0 - place + number, 0.2, 0.5, "human", person)
        runs.append(run)
    score_runs(runs, ScoringPlan(("structural",), ("psnr",), every_turn=True))
    former(folder)
    paths = [run.path for run in runs]
    options = Options(judge="eye", archive=folder / "archive", versions=folder / "versions.yaml")
    with whole_pages():
        build_site(paths, folder / "site", options)


def former(folder: Path) -> None:
    """Freeze the boards of a former version, which was played on other targets."""
    run = sample_run(folder / "former", sample_instances(folder / "former-instances", per_condition=2))
    score_runs([run], ScoringPlan(("structural",), (), every_turn=False))
    records = folder / "versions.yaml"
    about = {"instance_set": run.run.instance_set, "prompts": run.run.prompts}
    record_version(make_released_version(about, "2026.1", "2026-01-01", "The first."), records)
    build_site([run.path], folder / "former-site", Options(versions=records))
    marker = read_marker(folder / "former-site")
    freeze_site(folder / "former-site", folder / "archive" / "2026.1", marker, read_versions(records))


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return built_once(tmp_path_factory, "every-page-site", make_site)


def ready(page: "Page") -> None:
    """Wait until a page is as its address asks for."""
    if "compare.html" in page.url:
        page.locator(".compare-view[data-state=drawn], .compare-view .finding").first.wait_for()
    if "/gallery/" in page.url and "index" not in page.url:
        page.locator("[data-gallery='ready'][data-restored]").wait_for()
    page.wait_for_timeout(80)


def pages(site: Path) -> list[str]:
    """The pages that are looked at: what may go wrong on the others goes wrong on one of them."""
    return [*varied_pages(site), "compare.html?pairs=seer-painter,seer-sketcher,hostile"]


CUT_CAPTIONS = """() => [...document.querySelectorAll(".scroll > table > caption")].filter((caption) => {
  const [own, frame] = [caption, caption.closest(".scroll")].map((part) => part.getBoundingClientRect());
  return own.width > 2 && own.right > frame.right + 1;
}).length"""
"""How many tables are explained by words that end outside of the table's frame."""


def test_pages_are_accessible_in_both_schemes_and_as_wide_as_window_and_paper(visit: Visit, site: Path) -> None:
    findings: list[str] = []
    wide: list[tuple[str, int]] = []
    for number, path in enumerate(pages(site)):
        page = visit.open(path)
        ready(page)
        # The shell is the same around every page. Colours are all that differs in the dark.
        part = "article" if number > 2 and page.locator("article").count() else "html"
        findings += axe_findings(page, context={"include": [part]})
        wide += [(path, width) for width in WIDTHS if not fits(page, width) or page.evaluate(CUT_CAPTIONS)]
        # What a narrow window scrolls has to be within the keyboard's reach.
        page.set_viewport_size({"width": 390, "height": 844})
        findings += axe_findings(page, only=("scrollable-region-focusable",))
        page.emulate_media(media="print")
        # Boards lie across.
        paper = 960 if page.locator(".board-scroll, .game-board, .game-dots").count() else 720
        if not fits(page, paper, 1000) or not page.locator("h1").first.is_visible():
            wide.append((path, 0))
        page.set_viewport_size({"width": 1280, "height": 800})
        page.emulate_media(media="screen", color_scheme="dark")
        if "/embed/" in page.url:
            page.reload()  # a figure by itself looks at the scheme when it is loaded
        else:
            page.locator("body:not([data-md-color-scheme=default])").wait_for()
        ready(page)
        findings += axe_findings(page, only=COLOURS, context={"include": [part]})
        page.emulate_media(color_scheme="light")
    assert findings == []
    assert wide == []


def test_what_leads_on_from_the_front_page_stands_beside_or_below_its_board(visit: Visit) -> None:
    page = visit.open("index.html")
    for width in WIDTHS:
        page.set_viewport_size({"width": width, "height": 900})
        page.wait_for_function("width => window.innerWidth === width", arg=width)
        board, doors = (page.locator(item).bounding_box() for item in (".front-board table", ".doors"))
        assert board is not None
        assert doors is not None
        assert board["x"] + board["width"] <= doors["x"] or board["y"] + board["height"] <= doors["y"], width


def test_every_page_says_what_it_has_to_without_javascript(browser: "Browser", address: str, site: Path) -> None:
    with browser.new_context(java_script_enabled=False) as context:
        visit = visit_in(context, address)
        for path in pages(site):
            page = visit.open(path)
            assert page.locator("h1").first.is_visible(), path
            assert len(page.locator("article, body").first.inner_text()) > 120, path
            for table in page.locator("table.board").all():
                assert table.locator("tbody tr").count() > 0, path
        assert visit.outside == []


def test_another_target_is_chosen_in_the_matrix_and_the_address_says_so(visit: Visit) -> None:
    page = visit.open("matrix.html")
    page.locator(".target-choice > summary").click()
    source = "document.querySelector('.matrix-picture img')?.getAttribute('src')"
    before = page.evaluate(source)
    link = page.locator("a[data-target]:not([aria-current])").first
    wanted = link.get_attribute("data-target")
    link.focus()
    page.keyboard.press("Enter")
    page.wait_for_function(f"before => ({source}) !== before", arg=before)
    assert page.url.endswith(f"matrix.html?target={wanted}")
    assert page.locator(f"a[data-target='{wanted}']").get_attribute("aria-current") == "true"
    after = page.evaluate(source)
    page.reload()
    page.wait_for_function(f"after => ({source}) === after", arg=after)
    href = page.locator(".matrix-picture").first.get_attribute("href")
    assert href is not None
    assert href.startswith(f"gallery/{wanted}.html?pair=")
    page.go_back()
    page.wait_for_function(f"before => ({source}) === before", arg=before)
