"""Words of the site in a real browser: descriptions, terms by touch, how to read a page, names of tables."""

import re
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from samples import sample_instances, sample_run
from site_samples import built_once, named_submission, rate_turns
from visits import Visit, axe_findings, visit_in

from leaderboard.building.site_build import build_site

pytestmark = pytest.mark.slow

if TYPE_CHECKING:
    from playwright.sync_api import Browser

PHONE = {"width": 390, "height": 844}


def build(folder: Path) -> None:
    instances = sample_instances(folder / "instances", per_condition=2)
    runs = [
        rate_turns(sample_run(folder / slug, instances, named_submission(slug, slug, "canvas")), first, 0.2).path
        for slug, first in (("poet", 5.0), ("seer", 7.0))
    ]
    build_site(runs, folder / "site")


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return built_once(tmp_path_factory, "words-of-site", build)


def test_every_page_has_a_description_of_its_own(site: Path) -> None:
    told: dict[str, list[str]] = {}
    for page in sorted(site.rglob("*.html")):
        if page.name != "404.html":
            match = re.search(r'<meta name="description" content="([^"]*)"', page.read_text(encoding="utf-8"))
            assert match is not None, page
            assert match[1], page
            told.setdefault(match[1], []).append(page.relative_to(site).as_posix())
    assert [pages for pages in told.values() if len(pages) > 1] == []


@pytest.mark.parametrize(
    ("path", "title", "words"),
    [
        ("boards/index", "Leaderboard", "Leaderboard: seer + canvas "),
        ("pairs/poet", "poet + canvas", "poet + canvas: rank 2 of 2, main score "),
        ("describers/seer", "Describer seer", "Describer seer: mean score over partners "),
        (
            "gallery/simple_shapes-easy-01",
            "Simple shapes, easy, 1",
            "Simple shapes, easy, 1: highest score by seer + canvas",
        ),
        ("figures", "Figures", "Figures: "),
        ("ask", "Ask the board", "Ask the board: Which pair is best? "),
    ],
)
def test_the_description_of_a_page_with_numbers_is_its_finding(site: Path, path: str, title: str, words: str) -> None:
    page = (site / f"{path}.html").read_text(encoding="utf-8")
    assert f"<title>{title} - " in page
    assert f'<meta name="description" content="{words}' in page
    assert f'<meta property="og:description" content="{words}' in page


def test_an_episode_with_a_strip_has_a_page_to_share(site: Path) -> None:
    strips = sorted((site / "strips").glob("*.webp"))
    assert strips
    for strip in strips:
        page = strip.with_suffix(".html").read_text(encoding="utf-8")
        assert strip.name in page
        assert " of 10 after " in page.partition('<meta property="og:description" content="')[2].partition('"')[0]


def test_where_nothing_costs_no_cost_is_shown(site: Path) -> None:
    assert 'data-name="Cost"' not in (site / "boards" / "index.html").read_text(encoding="utf-8")
    assert "US$" not in (site / "pairs" / "poet.html").read_text(encoding="utf-8")


def test_a_term_is_explained_where_it_stands_by_touch(browser: "Browser", address: str) -> None:
    with browser.new_context(viewport=PHONE, has_touch=True, is_mobile=True) as context:  # type: ignore[arg-type]
        page = visit_in(context, address).open("boards/index.html")
        value = page.locator("td .value[title]:visible, a .value[title]:visible").first
        wanted = str(value.get_attribute("title"))
        box = value.bounding_box()
        assert box is not None
        page.evaluate(
            "([x, y]) => document.elementFromPoint(x, y).dispatchEvent(new PointerEvent('pointerdown',"
            " { bubbles: true, pointerType: 'touch' }))",
            [box["x"] + 2, box["y"] + 2],
        )
        assert page.get_by_role("tooltip").inner_text() == wanted
        page.keyboard.press("Escape")
        assert page.get_by_role("tooltip").count() == 0


def test_a_term_with_a_page_of_its_own_is_explained_first_and_followed_at_the_second_touch(
    browser: "Browser", address: str
) -> None:
    with browser.new_context(viewport=PHONE, has_touch=True, is_mobile=True) as context:  # type: ignore[arg-type]
        page = visit_in(context, address).open("pairs/seer.html")
        term = page.locator("a.term", has_text="ΔQ")
        term.tap()
        assert page.get_by_role("tooltip").inner_text() == term.get_attribute("title")
        assert page.url.endswith("pairs/seer.html")
        term.tap()
        page.wait_for_url("**/metrics.html#delta-q")


def test_how_to_read_a_page_stands_below_its_heading_until_it_is_put_away(browser: "Browser", address: str) -> None:
    with browser.new_context() as context:
        page = visit_in(context, address).open("boards/index.html")
        sentence = page.locator(".reading")
        assert sentence.evaluate("words => getComputedStyle(words).position") == "static"
        assert sentence.get_by_role("link").get_attribute("href") == "../statistics.html"
        sentence.get_by_role("button", name="Put this away").click()
        assert sentence.count() == 0
        page.reload()
        page.locator("table[data-folds]").wait_for()
        assert sentence.count() == 0


@pytest.mark.parametrize(
    "path", ["boards/index.html", "gallery/index.html", "pairs/seer.html", "ask.html", "history.html", "replay.html"]
)
def test_axe_finds_nothing_on_a_phone(visit: Visit, path: str) -> None:
    visit.page.set_viewport_size(PHONE)  # type: ignore[arg-type]
    assert axe_findings(visit.open(path)) == []
