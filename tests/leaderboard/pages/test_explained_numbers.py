"""Ranks, chances and intervals are explained where they stand: at a touch, as all terms of the site."""

from pathlib import Path

import pytest
from invented import invented_run, invented_set
from pages import parse_page

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


def boards(site: Site) -> list[Page]:
    made = [*board_pages(site), *player_board_pages(site)]
    return [page for page in made if page.path in ("boards/index", "boards/describers/index")]


def test_the_heads_of_ranks_chances_and_scores_say_what_they_mean(site: Site) -> None:
    for page in (*boards(site), front_page(site)):
        heads = {
            abbr.text: abbr.attributes["title"]
            for head in parse_page(Renderer(site, {}).block(page)).find("th")
            for abbr in head.find("abbr")
        }
        assert "from the best to the worst place that paired comparisons" in heads["Rank"].lower()
        assert "95 % interval" in heads["Main score"]
        assert "95 % interval" in heads.get("Score", "95 % interval")
        if page.template != "front":
            assert "redrawn sets of these pictures" in heads["Best"]
