"""The place of a page in the menus."""

from typing import Any

import pytest

from leaderboard.building.menus import read_menu, select_navigation

NAV: list[dict[str, Any]] = [
    {"Start": "index.md"},
    {"Leaderboard": [{"Board": "boards/index.md"}, {"Pairs": "pairs/index.md"}, {"History": [{"Moves": "moves.md"}]}]},
    {"Gallery": "gallery/index.md"},
    {
        "Docs": [
            {"How-to": [{"Install": "install.md"}, {"Load": "load.md"}]},
            {"Reference": [{"Columns": "columns.md"}]},
        ]
    },
]


def test_a_site_has_tabs_of_the_pages_that_it_has() -> None:
    known = {"index.md", "boards/index.md", "gallery/index.md", "columns.md"}
    assert select_navigation(NAV, known, [("Tangrams", "games/tangrams/index")]) == [
        {"Start": "index.md"},
        {"Leaderboard": [{"Board": "boards/index.md"}]},
        {"Gallery": "gallery/index.md"},
        {"Games": [{"Tangrams": "games/tangrams/index.md"}]},
        {"Docs": [{"Reference": [{"Columns": "columns.md"}]}]},
    ]


@pytest.mark.parametrize(
    ("path", "tab", "current"),
    [
        ("index", "Start", []),
        ("boards/index", "Leaderboard", [("Board", "page")]),
        ("boards/by-eye/all-easy", "Leaderboard", [("Board", "true")]),
        ("describers/ours", "Leaderboard", [("Pairs", "true")]),
        ("moves", "Leaderboard", [("History", "true")]),
        ("load", "Docs", [("How-to", "true"), ("Load", "page")]),
    ],
)
def test_a_page_belongs_where_it_or_its_folder_is_listed(path: str, tab: str, current: list[tuple[str, str]]) -> None:
    place = read_menu(NAV).place(path)
    links = [link for row in place["rows"] for link in row["links"]]
    assert place["tab"] == tab
    assert [(link["title"], link["current"]) for link in links if "current" in link] == current


def test_a_page_that_nothing_lists_has_no_place() -> None:
    assert read_menu(NAV).place("schemas/run") == {}
