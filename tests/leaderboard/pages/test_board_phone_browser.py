"""Boards on a phone: rows that unfold, intervals that are always there, tools in a sheet."""

from pathlib import Path

import pytest
from samples import sample_instances, sample_run
from site_samples import built_once, named_submission, rate_turns
from visits import Visit, axe_findings

from leaderboard.building.site_build import build_site

ROW = 45
"""Pixels of a folded row whose names have a line each: two hundred rows and what stands around them fit into 12,000."""

LONG = ("provider/model-4-maverick-17B-128E-instruct-FP8", "a-generator-of-many-parts-2026-preview")
"""Describer and generator with names as hosted models have them."""

NAME = "A submission of two players, as its people call it"


def build(folder: Path) -> None:
    instances = sample_instances(folder / "instances", per_condition=2)
    pairs = (("long", *LONG, 3.0), ("poet", "poet", "canvas", 5.0), ("seer", "seer", "canvas", 7.0))
    runs = [
        rate_turns(sample_run(folder / slug, instances, named_submission(slug, *players, name=NAME)), first, 0.2).path
        for slug, *players, first in pairs
    ]
    build_site(runs, folder / "site")


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return built_once(tmp_path_factory, "phone-site", build)


def test_a_folded_row_says_rank_pair_score_and_interval_and_unfolds(visit: Visit) -> None:
    visit.page.set_viewport_size({"width": 390, "height": 844})
    page = visit.open("boards/index.html")
    rows = page.locator("table.board tbody tr")
    is_whole = "names => names.every((name) => name.scrollWidth <= name.clientWidth)"
    for row in rows.all():
        box = row.bounding_box()
        assert box is not None
        assert box["height"] <= (2 * ROW if row.get_attribute("id") == "long" else ROW)
        assert row.locator(".pair-describer, .pair-generator").evaluate_all(is_whole)
        assert row.locator(".score-column .half").first.is_visible()
        assert row.locator(".pair-column a").is_visible()
    first = rows.first
    more = first.get_by_role("button", name="All of")
    assert not first.locator(".heat-column").first.is_visible()
    more.click()
    assert more.get_attribute("aria-expanded") == "true"
    assert first.locator(".heat-column").first.is_visible()
    assert page.evaluate("document.documentElement.scrollWidth") <= 390


def test_a_long_name_does_not_cover_the_score(visit: Visit) -> None:
    visit.page.set_viewport_size({"width": 390, "height": 844})
    page = visit.open("boards/index.html")
    for row in page.locator("table.board tbody tr").all():
        name, score = (row.locator(part).bounding_box() for part in (".pair-names", ".score-column .value"))
        assert name is not None
        assert score is not None
        assert name["x"] + name["width"] <= score["x"]


def test_tools_lie_in_a_sheet_that_opens_and_closes(visit: Visit) -> None:
    visit.page.set_viewport_size({"width": 390, "height": 844})
    page = visit.open("boards/index.html")
    opener = page.get_by_role("button", name="Find, filter, sort, columns")
    assert not page.locator("[name=find]").is_visible()
    opener.click()
    page.locator("[name=find]").fill("poet")
    assert axe_findings(page) == []
    page.keyboard.press("Escape")
    assert not page.locator("[name=find]").is_visible()
    assert opener.evaluate("button => button === document.activeElement")
    assert page.locator("table.board tbody tr:visible").count() == 1
    page.set_viewport_size({"width": 1280, "height": 800})
    assert page.locator("[name=find]").is_visible()
    assert not opener.is_visible()
