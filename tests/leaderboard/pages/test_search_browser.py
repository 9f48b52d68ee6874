"""The search field in a real browser: pairs, players, boards, targets and episodes before the documents."""

from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from samples import sample_instances, sample_run
from site_samples import built_once, named_submission, rate_turns
from visits import Visit

from leaderboard.building.site_build import build_site
from leaderboard.building.sources import bundle

if TYPE_CHECKING:
    from playwright.sync_api import Page

FAST = 100
"""Milliseconds in which an answer is there, at 200 pairs and 140 targets."""


def build(folder: Path) -> None:
    instances = sample_instances(folder / "instances")
    names = [("captioner", "canvas"), ("captioner", "sketch"), ("poet", "canvas")]
    runs = [
        rate_turns(sample_run(folder / "-".join(pair), instances, named_submission("-".join(pair), *pair)), 5.0)
        for pair in names
    ]
    build_site([run.path for run in runs], folder / "site")


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return built_once(tmp_path_factory, "search-site", build)


def answers(page: "Page", query: str) -> list[str]:
    page.locator("[data-md-component='search-query']").fill(query)
    page.locator(".irg-find a").first.wait_for()
    host = page.url.split("/")[2]
    return [(link.get_attribute("href") or "").rpartition(host)[2] for link in page.locator(".irg-find a").all()]


def test_a_players_name_finds_its_pairs_and_the_player(visit: Visit) -> None:
    page = visit.open("index.html")
    page.locator("[data-md-component='search-query']").focus()
    pairs = ["/pairs/captioner-canvas.html", "/pairs/captioner-sketch.html"]
    assert answers(page, "captioner")[:3] == ["/describers/captioner.html", *pairs]


def test_a_condition_finds_its_board_and_its_targets(visit: Visit) -> None:
    addresses = answers(visit.open("pairs/index.html"), "hard shape")
    assert "/boards/simple_shapes-hard.html" in addresses
    assert "/gallery/simple_shapes-hard-01.html" in addresses


@pytest.mark.parametrize(
    ("query", "first"),
    [
        ("matrix", "/matrix.html"),
        ("published scores", "/paper.html"),
        ("cost", "/figures.html"),
        ("worst episode", "/gallery/index.html#worst"),
        ("worst", "/gallery/index.html#worst"),
        ("who is best", "/boards/index.html"),
        ("pairs and players", "/pairs/index.html"),
    ],
)
def test_a_page_is_found_by_the_name_that_links_to_it_have(visit: Visit, query: str, first: str) -> None:
    assert answers(visit.open("index.html"), query)[0] == first


@pytest.mark.parametrize(
    ("query", "first"),
    [
        ("seer-07", "seer-07"),
        ("gpt-5.2", "gpt-5.2"),
        ("seer-03 painter-07 pie 2", "seer-03 + painter-07 on pie graphs, hard, 2"),
        ("pie 2", "Pie graphs, hard, 2"),
        ("seer-0", "seer-03 + painter-07"),
    ],
)
def test_a_name_is_meant_whole_and_so_is_a_number(visit: Visit, query: str, first: str) -> None:
    """Neither seer-19 + painter-07 nor the seventh pie is meant by seer-07, and 29 % is not the pie 2."""
    page = visit.open("index.html")
    entries = [
        ["pair", "seer-03 + painter-07", "", "a.html", "a"],
        ["pair", "seer-19 + painter-07", "", "b.html", "b"],
        ["describer", "seer-07", "", "c.html", ""],
        ["describer", "gpt-5.2", "", "d.html", ""],
        ["target", "Pie graphs, hard, 1", "wedges of 29 % and 2 %", "e.html", "e"],
        ["target", "Pie graphs, hard, 2", "wedges", "f.html", "f"],
    ]
    find = "search.find(entries.map((entry) => new search.Entry(entry)), query)[0].title"
    script = f"([entries, query]) => {{ const search = {bundle('search-answers')} return {find}; }}"
    assert page.evaluate(script, [entries, query]) == first


def test_a_name_in_part_finds_every_pair(visit: Visit) -> None:
    page = visit.open("index.html")
    entries = [
        *(["pair", f"seer-{n} + painter", "", f"pairs/{n}.html", str(n)] for n in range(9)),
        ["pair", "Reference games: looker + listener", "", "games/reference/pairs/looker.html"],
        ["page", "Gemini, a minimum", "", "p.html"],
        ["pair", "min-72b + gemini", "", "pairs/min.html"],
    ]
    script = f"""(entries) => {{
      const search = {bundle("search-answers").rstrip().rstrip(";")};
      const made = entries.map((entry) => new search.Entry(entry));
      return [
        search.find(made, "paint"), search.find(made, "paint", true),
        ...["isten", "eer-3", "72", "min", "ook"].map((part) => search.find(made, part).map((each) => each.address)),
        search.widening(made, "seer zzz"), search.widening(made, "seer looker"),
      ];
    }}"""
    first, every, *within, unknown, apart = page.evaluate(script, entries)
    assert [answer["title"] for answer in first[4:]] == ["All 9 pairs with “paint”"]
    assert sorted(answer["address"] for answer in every) == [f"pairs/{n}.html" for n in range(9)]
    reference = "games/reference/pairs/looker.html"
    assert within == [[reference], ["pairs/3.html"], ["pairs/min.html"], ["pairs/min.html", "p.html"], [reference]]
    assert unknown.startswith("No player, target or board is called “zzz”. ")
    assert apart.endswith("leave one out.")


def test_an_answer_is_there_at_once_with_200_pairs(visit: Visit) -> None:
    page = visit.open("index.html")
    entries = [
        *(["pair", f"describer-{n % 20} + generator-{n // 20}", "", f"pairs/{n}.html", str(n)] for n in range(200)),
        *(["target", f"Pie graphs, hard, {n}", "six wedges " * 9, f"gallery/{n}.html", str(n)] for n in range(140)),
    ]
    script = f"""(entries) => {{
      const search = {bundle("search-answers").rstrip().rstrip(";")};
      const made = entries.map((entry) => new search.Entry(entry));
      const begun = performance.now();
      const count = search.find(made, "describer-7 generator-3 hard pie 12").length;
      return [count, performance.now() - begun];
    }}"""
    count, took = page.evaluate(script, entries)
    assert count > 0
    assert took < FAST
