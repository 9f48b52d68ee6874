"""Sorting a board by quality in a real browser, where pairs gave up, failed, or were not rated."""

import json
from pathlib import Path

import pytest
from gap_samples import build_gap_site
from site_samples import built_once
from visits import Visit, fits


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return built_once(tmp_path_factory, "gaps-site", build_gap_site)


def test_sorting_by_quality_says_what_that_order_leaves_out(visit: Visit) -> None:
    page = visit.open("boards/index.html")
    rows, note = page.locator("table.board tbody tr"), page.locator("[data-order-note]")
    keys = "all => all.map(one => one.id)"
    assert rows.evaluate_all(keys)[:3] == ["honest", "choosy", "plain"]
    assert note.is_hidden()
    assert page.locator("[data-board-state]").inner_text().endswith("best first, last those without a rank.")
    page.locator("summary", has_text="Columns").click()
    page.get_by_label("score and chance of being best").check()
    page.keyboard.press("Escape")
    page.locator("th.quality-column button").click()
    assert rows.evaluate_all(keys)[:3] == ["choosy", "honest", "plain"]
    assert "3 of 12 episodes of choosy-describer + choosy-generator" in note.inner_text()
    assert page.url.endswith("by=score&order=descending")
    # Nobody without a rank comes before somebody with one, in either order.
    page.locator("th.quality-column button").click()
    assert rows.evaluate_all(keys)[:3] == ["plain", "honest", "choosy"]
    page.get_by_role("button", name="Main score").click()
    assert note.is_hidden()


def test_pairs_that_are_not_told_apart_are_not_said_to_differ(visit: Visit, site: Path) -> None:
    page = visit.open("compare.html?pairs=choosy,honest")
    page.locator(".compare-view[data-state=drawn]").wait_for()
    alone, among = page.locator(".verdicts li").all_inner_texts()
    assert among.startswith("Among all on their board: the two cannot be told apart (main scores differ by −12.5")
    assert alone.startswith("These two alone: ")
    assert "whatever the missing scores were" in page.locator(".compare-view > .aid").first.inner_text()
    row = page.locator(".differences tbody tr").first.inner_text()
    assert "−1.25 to +1.25" in row
    known = json.loads((site / "data" / "compare" / "eye" / "honest.json").read_text())
    assert known["main"][""] == pytest.approx(80.0)


def test_a_choice_without_a_rated_episode_says_which_menus_to_set_back(visit: Visit) -> None:
    page = visit.open("gallery/index.html")
    absence, best = page.locator(".absence"), page.locator("[data-selection='best']")
    best.wait_for()
    assert absence.inner_text() == ""
    # An episode that was aborted has no final rendering, so no judge rates it.
    page.get_by_label("Outcome").select_option("aborted")
    page.get_by_text("No rated episode fits this choice.").wait_for()
    assert absence.inner_text().endswith("To see best and worst, set Outcome to “any”.")
    assert best.is_hidden()
    assert fits(page, 390)
    page.locator(".filter-tools").get_by_label("Pair").select_option("choosy")
    page.get_by_label("Difficulty").select_option("easy")
    page.get_by_text("set Pair, Difficulty or Outcome to “any”.").wait_for()
    for label in ("Difficulty", "Outcome"):
        page.get_by_label(label).select_option("any")
    best.wait_for()
    assert absence.inner_text() == ""
