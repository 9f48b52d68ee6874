"""Entries of the search field."""

import pytest

from leaderboard.model.site import Page
from leaderboard.pages.search_entries import list_page_entries


@pytest.mark.parametrize(
    ("path", "template", "kind"),
    [
        ("games/reference/boards/index", "board", "board"),
        ("games/reference/pairs/looker", "game_run", "pair"),
        ("games/reference/pairs/index", "game_players", "page"),
        ("games/reference/gallery/lineup-easy-01", "game_instance", "target"),
        ("games/reference/index", "game_start", "page"),
        ("boards/geometry-easy", "board", "board"),
        ("changes", "changes", "page"),
    ],
)
def test_pages_of_every_game_are_of_the_kind_that_their_folder_says(path: str, template: str, kind: str) -> None:
    ((found, title, _, address),) = list_page_entries([Page(path, "Title", template)])
    assert (found, title, address) == (kind, "Title", f"{path}.html")
