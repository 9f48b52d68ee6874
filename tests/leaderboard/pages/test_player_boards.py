"""Boards of players: why a player has no rank, in how many pairs it is, and boards of too few pictures."""

import re
from itertools import product

import pytest
from invented import invented_run, invented_set

from leaderboard.model.site import Site
from leaderboard.pages.player_boards import player_board_pages
from leaderboard.rendering.render import Renderer


def board_text(per_condition: int, path: str, pairs: list[tuple[str, str]]) -> str:
    """A board of players as words."""
    instances = invented_set(per_condition, ("geometry", "photos"))
    skills = {"seer": 8.0, "poet": 4.0, "stray": 6.0}
    runs = [invented_run(instances, describer, generator, skills[describer], 0.3) for describer, generator in pairs]
    site = Site(runs)  # type: ignore[arg-type]
    page = next(page for page in player_board_pages(site) if page.path == path)
    return " ".join(re.sub(r"<[^>]*>", " ", Renderer(site, charts={}).block(page.complete())).split())


GRID = list(product(("seer", "poet"), ("painter", "sketcher")))


@pytest.mark.slow
def test_a_player_of_one_of_two_possible_pairs_has_that_pair_and_a_reason() -> None:
    text = board_text(10, "boards/describers/index", [*GRID, ("stray", "painter")])
    stray = text.partition(" stray ")[2]
    assert stray.startswith("No rank: not played with every partner of the full grid")
    assert " – (not played with every partner of the full grid) 1 of 2 " in stray
    assert "best first" in text
    assert "No ranks here" not in text


@pytest.mark.slow
def test_a_board_of_too_few_pictures_says_so_and_calls_none_the_best() -> None:
    text = board_text(2, "boards/describers/geometry-easy", GRID)
    assert "No ranks here: fewer than 5 pictures a describer are too few to rank by" in text
    assert "2 describers; by main score, descending." in text
    assert "best first" not in text


@pytest.mark.slow
def test_players_without_a_common_partner_stand_by_name_with_their_pairs() -> None:
    text = board_text(10, "boards/describers/index", [("seer", "painter"), ("poet", "sketcher")])
    assert "No ranks here: needs two describers that share a partner" in text
    assert "2 describers; by name." in text
    assert text.partition(" seer ")[2].split(" Partners")[0].split("have ranks with it) ")[-1].startswith("1 ")
