"""Pages of pairs, players and comparisons in a real browser: choices, state in the address, nothing hostile runs."""

import json
import re
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from samples import sample_instances, sample_run
from site_samples import named_submission, rate_turns
from visits import Visit

from ircore.results.statistics.intervals import Estimate
from leaderboard.building.site_build import build_site
from leaderboard.components.values import difference

if TYPE_CHECKING:
    from playwright.sync_api import Page, Route

HOSTILE = "<img src=x onerror=window.bitten=1><script>window.bitten=1</script>\u202e"
PAIRS = (("seer", "painter", 5.0, 0.1), ("teller", "painter", 4.0, 0.2), ("seer", "sketcher", 3.0, 0.3))


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("pages")
    instances = sample_instances(folder / "instances", per_condition=2)
    links = {"paper": "https://example.org/?<script>"}
    bad = named_submission("hostile", HOSTILE, HOSTILE, authors=[HOSTILE], links=links)
    entries = [(named_submission(f"{item}-{other}", item, other), first, step) for item, other, first, step in PAIRS]
    runs = [
        rate_turns(sample_run(folder / entry.slug, instances, entry), first, step).path
        for entry, first, step in (*entries, (bad, 1.0, 0.1))
    ]
    build_site(runs, folder / "site")
    return folder / "site"


def finding(page: "Page") -> str:
    return " ".join(page.locator(".finding").first.inner_text().split())


def choose(page: "Page", label: str, value: str) -> None:
    page.get_by_label(label).select_option(value)
    page.locator(".compare-view[data-state=drawn]").wait_for()


def test_the_two_best_pairs_stand_there_until_others_are_chosen(visit: Visit) -> None:
    page = visit.open("compare.html")
    page.get_by_label("First pair").wait_for()
    assert finding(page).startswith("seer° + painter°")
    assert page.locator("form select").count() == 3
    choose(page, "Second pair", "seer-sketcher")
    assert "pairs=seer-painter,seer-sketcher" in page.url
    assert finding(page).endswith("seer° + sketcher°")
    assert page.evaluate("document.activeElement.dataset.label") == "Second pair"


def test_what_the_browser_makes_is_what_the_page_had(visit: Visit) -> None:
    page = visit.open("compare.html")
    parts = (".verdicts", ".compare-view > .aid:not(#instances + .aid)", ".differences td", ".instances td")
    made_before = [page.locator(part).all_inner_texts() for part in parts]
    page = visit.open("compare.html?pairs=seer-painter,teller-painter")
    page.locator(".compare-view[data-state=drawn]").wait_for()
    assert [page.locator(part).all_inner_texts() for part in parts] == made_before


def test_every_difference_leads_to_the_episodes_behind_it(visit: Visit) -> None:
    broken = "all => all.filter(one => !document.querySelector(one.getAttribute('href'))).length"
    for address in ("compare.html", "compare.html?pairs=seer-painter,teller-painter,seer-sketcher"):
        page = visit.open(address)
        page.locator(".compare-view[data-state=drawn]" if "?" in address else ".compare-form").wait_for()
        numbers = page.locator(".differences td:nth-child(2)")
        assert numbers.count() == numbers.locator("a.episodes").count() > 0
        assert page.locator(".differences a[href^='#']").evaluate_all(broken) == 0
        assert page.locator(".differences a.episodes").first.get_attribute("href") == "#instances"


def test_an_address_shows_the_same_to_another_reader(visit: Visit) -> None:
    page = visit.open("compare.html?pairs=seer-sketcher,nobody,teller-painter,seer-sketcher,seer-painter")
    page.locator(".compare-view[data-state=drawn]").wait_for()
    values = [select.input_value() for select in page.locator("form select").all()]
    # Unknown and repeated pairs are passed over.
    assert values == ["seer-sketcher", "teller-painter", "seer-painter", ""]
    assert page.locator("h2").all_inner_texts() == ["Every two", "By category", "Target by target"]
    assert page.locator(".differences").first.locator("tbody tr").count() == 3
    choose(page, "Third pair", "")
    assert page.url.endswith("?pairs=seer-sketcher,teller-painter")


def test_a_difference_turned_round_is_the_same_difference(visit: Visit) -> None:
    page = visit.open("compare.html?pairs=seer-painter,teller-painter")
    page.locator(".compare-view[data-state=drawn]").wait_for()
    item = page.locator(".differences tbody td").first.inner_text()
    page = visit.open("compare.html?pairs=teller-painter,seer-painter")
    page.locator(".compare-view[data-state=drawn]").wait_for()
    other = page.locator(".differences tbody td").first.inner_text()
    numbers = (re.findall(r"[+−][\d.]+", text) for text in (item, other))
    (mean, low, high), turned = ([float(number.replace("−", "-")) for number in row] for row in numbers)
    assert turned == [-mean, -high, -low]
    assert page.locator(".wins-first").first.inner_text() == "0"


def test_what_was_not_computed_beforehand_has_the_same_interval(visit: Visit, site: Path) -> None:
    folder = site / "data" / "compare" / "structural"
    files = {key: json.loads((folder / f"{key}.json").read_text()) for key in ("seer-painter", "seer-sketcher")}

    def without_comparisons(route: "Route") -> None:
        name = route.request.url.rpartition("/")[2].removesuffix(".json")
        route.fulfill(json={**files[name], "against": {}})

    page = visit.page
    page.route("**/data/compare/structural/*.json", without_comparisons)
    visit.open("compare.html?pairs=seer-painter,seer-sketcher")
    page.locator(".compare-view[data-state=drawn]").wait_for()
    cells = page.locator(".differences tbody tr").first.locator("td")
    wanted = difference(Estimate(*files["seer-painter"]["against"]["seer-sketcher"][""][:4]), 2).striptags()
    assert " ".join(cells.nth(2).inner_text().split()) == " ".join(wanted.split())
    # Of the main scores the interval is the board's own, from the file by which it compares all its pairs.
    item, other = (files[key]["main"][""] for key in files)
    board = json.loads((site / "data" / "against" / "index.json").read_text())
    row, column = (board["pairs"].index(key) for key in files)
    low, high = board["low"][row][column] / 10, -board["low"][column][row] / 10
    assert cells.nth(0).inner_text().startswith(f"+{item - other:.1f}")
    (among,) = page.locator(".verdicts li").all_inner_texts()
    assert among.startswith("Among all on their board: the ")
    assert f"95 % interval {low:.1f} to {high:.1f}".replace("-", "−") in among


def test_scores_that_print_the_same_difference_are_a_tie(visit: Visit, site: Path) -> None:
    folder = site / "data" / "compare" / "structural"
    ahead = json.loads((folder / "seer-painter.json").read_text())
    behind = [score if score is None else score - 0.04 for score in ahead["finals"]]

    def close_call(route: "Route") -> None:
        finals = ahead["finals"] if route.request.url.endswith("seer-painter.json") else behind
        route.fulfill(json={**ahead, "finals": finals, "against": {}})

    visit.page.route("**/data/compare/structural/*.json", close_call)
    page = visit.open("compare.html?pairs=seer-painter,teller-painter")
    page.locator(".compare-view[data-state=drawn]").wait_for()
    shown = page.locator(".instances tbody tr:last-child .heat").all_inner_texts()
    assert set(shown) <= {"0.0", "–"}
    row = page.locator(".differences tbody tr").first
    assert row.locator(".wins-first").inner_text() == "0"
    assert row.locator(".wins svg ~ .muted, .muted").first.inner_text() == f"{shown.count('0.0')} equal"


def test_an_address_with_pairs_that_are_not_here_says_so(visit: Visit) -> None:
    page = visit.open("compare.html?pairs=gone,seer-painter")
    page.locator(".compare-view[data-state=drawn]").wait_for()
    assert page.get_by_text("Not here: gone.").is_visible()
    choose(page, "Second pair", "seer-sketcher")
    page.get_by_text("Not here: gone.").wait_for(state="detached")
