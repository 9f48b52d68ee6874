"""What the gallery's index says in a real browser where a choice leaves no rated episode to select."""

from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from gap_samples import build_gap_site
from site_samples import built_once
from visits import Visit, fits

if TYPE_CHECKING:
    pass


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return built_once(tmp_path_factory, "gaps-site", build_gap_site)


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
