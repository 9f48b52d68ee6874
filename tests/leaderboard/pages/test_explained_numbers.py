"""Ranks, chances and intervals are explained where they stand: at a touch, as all terms of the site."""

from pathlib import Path

import pytest
from invented import invented_run, invented_set
from pages import Element, read_page

from leaderboard.model.site import Page, Site
from leaderboard.pages.boards import board_pages
from leaderboard.pages.overview import front_page
from leaderboard.pages.player_boards import player_board_pages
from leaderboard.rendering.render import Renderer

pytestmark = pytest.mark.slow


@pytest.fixture(scope="module")
def site() -> Site:
    instances = invented_set(3)
    pairs = [(describer, generator) for describer in ("seer", "poet") for generator in ("painter", "sketcher")]
    runs = [invented_run(instances, *pair, 3.0 + place, 0.2) for place, pair in enumerate(pairs)]
    for run in runs:
        object.__setattr__(run, "rendering_path", Path)
        object.__setattr__(run, "source", run)
    return Site(runs)  # type: ignore[arg-type]


def shown(site: Site, page: Page, folder: Path) -> Element:
    file = folder / "page.html"
    file.write_text(Renderer(site, {}).block(page), encoding="utf-8")
    return read_page(file)


def boards(site: Site) -> list[Page]:
    made = [*board_pages(site), *player_board_pages(site)]
    return [page for page in made if page.path in ("boards/index", "boards/describers/index")]


def test_the_heads_of_ranks_chances_and_scores_say_what_they_mean(site: Site, tmp_path: Path) -> None:
    for page in (*boards(site), front_page(site)):
        heads = {
            abbr.text: abbr.attributes["title"]
            for head in shown(site, page, tmp_path).find("th")
            for abbr in head.find("abbr")
        }
        assert "from the best to the worst place that paired comparisons" in heads["Rank"].lower()
        assert "95 % interval" in heads["Main score"]
        assert "95 % interval" in heads.get("Score", "95 % interval")
        if page.template != "front":
            assert "redrawn sets of these pictures" in heads["Best"]


def test_on_a_phone_which_has_no_heads_the_cells_say_it(site: Site, tmp_path: Path) -> None:
    for page in boards(site):
        cells = shown(site, page, tmp_path).find("td")
        titles = {
            name: [cell for cell in cells if name in cell.attributes.get("class", "")] for name in ("rank", "chance")
        }
        assert len(titles["rank"]) == len(titles["chance"]) > 1
        assert all("paired comparisons" in cell.attributes["title"] for cell in titles["rank"])
        assert all("redrawn sets" in cell.attributes["title"] for cell in titles["chance"])


def test_every_interval_of_a_score_says_that_it_is_one(site: Site, tmp_path: Path) -> None:
    (board,) = (page for page in boards(site) if page.path == "boards/index")
    for column in ("score-column", "quality-column"):
        cells = [cell for cell in shown(site, board, tmp_path).find("td") if column in cell.attributes["class"]]
        numbers = [value for cell in cells for value in cell.find(class_="value")]
        assert len(numbers) == 4
        assert all("interval" in number.attributes["title"] for number in numbers)
