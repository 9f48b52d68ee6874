"""The site of ``make demo`` in a real browser: nothing is cut off, and nobody takes its players for AI models."""

import subprocess
import sys
from pathlib import Path

import pytest
from visits import Visit, fits

TABLES = ("index.html", "boards/index.html", "boards/describers/index.html", "games/reasoning/index.html")
NOBODY = "No AI model has played yet: all players are programs that come with this project."
TOO_WIDE = """() => [...document.querySelectorAll("table.board")].flatMap((table) => {
  const frame = table.closest(".scroll") ?? table.parentElement;
  return table.scrollWidth > frame.clientWidth ? [`${table.className} ${table.scrollWidth}`] : [];
})"""
UNMARKED = """() => [...document.querySelectorAll(":is(.pair-describer, .pair-generator)")]
  .filter((name) => name.checkVisibility() && !name.querySelector("abbr.program")).map((name) => name.textContent)"""


@pytest.fixture(scope="module")
def site(demo: Path) -> Path:
    return demo / "site"


def test_tables_are_never_cut_off(visit: Visit) -> None:
    for name in TABLES:
        page = visit.open(name)
        for width in (360, 610, 768, 1280, 1366, 1440):
            assert fits(page, width, 900), (name, width)
            # The board's script puts columns without room behind its menu.
            page.wait_for_function(f"() => ({TOO_WIDE})().length === 0", timeout=10_000)


def test_columns_that_all_rows_share_stand_in_the_menu_and_come_when_they_are_asked_for(visit: Visit) -> None:
    page = visit.open("boards/index.html")
    assert page.locator("[data-board-state]").inner_text() == "5 pairs; best first."
    heads = page.locator("th[data-name]:visible").evaluate_all("all => all.map(one => one.dataset.name)")
    # Rank, pair, main score, small cells, change, turns: what sets rows apart.
    assert [name for name in heads if name in ("Rank", "Pair", "Main score", "ΔQ", "Turns")] == heads[:3] + heads[-2:]
    assert page.locator("th.tier-column").is_hidden()
    page.locator("summary", has_text="Columns").click()
    page.get_by_label("trust and date").check()
    assert page.locator("th.tier-column").is_visible()
    assert "hide=score" in page.url
    page.get_by_role("button", name="Reset").click()
    assert page.locator("th.tier-column").is_hidden()


def test_every_program_is_marked_and_the_page_says_what_the_mark_means(visit: Visit) -> None:
    for name in (
        *TABLES, "pairs/index.html", "pairs/builtin-plain-canvas.html", "compare.html", "games/reference/index.html",
    ):  # fmt: skip
        page = visit.open(name)
        assert page.locator("abbr.program").count() > 0, name
        assert page.evaluate(UNMARKED) == [], name
        if name != "compare.html":
            assert NOBODY in page.locator("main").inner_text(), name


def test_pages_say_where_no_person_has_played_or_rated(visit: Visit) -> None:
    assert "No person has rated a rendering here yet." in visit.open("boards/index.html").locator("main").inner_text()
    for name in ("pairs/index.html", "games/reference/pairs/index.html"):
        assert "No person has played here yet." in visit.open(name).locator("main").inner_text()


@pytest.mark.slow
def test_results_and_the_card_say_so_too(demo: Path) -> None:
    card = (demo / "dataset/README.md").read_text("utf-8")
    assert NOBODY in card.partition("## ")[0]
    command = [
        sys.executable, "-m", "ircore", "results", "runs/builtin-plain-canvas", "runs/looker",
    ]  # fmt: skip
    printed = subprocess.run(command, cwd=demo, capture_output=True, text=True, check=True).stdout
    assert printed.count(NOBODY) == 2
