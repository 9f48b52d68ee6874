"""The rooms of the site's package import each other in one direction only."""

import ast
from collections import defaultdict
from graphlib import TopologicalSorter
from pathlib import Path

import pytest

import leaderboard

PACKAGE = Path(leaderboard.__file__).parent


def room_of(module: str) -> str:
    """Return the folder or loose module below ``leaderboard`` that a dotted module name belongs to."""
    return module.split(".")[1]


def imported_rooms(path: Path) -> set[str]:
    """Return the rooms that a file imports."""
    rooms = set()
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.ImportFrom) and node.module == "leaderboard":
            rooms |= {alias.name for alias in node.names}
        elif isinstance(node, ast.ImportFrom) and node.module and node.module.startswith("leaderboard."):
            rooms.add(room_of(node.module))
    return rooms


@pytest.mark.slow
def test_rooms_import_each_other_in_one_direction() -> None:
    imports: dict[str, set[str]] = defaultdict(set)
    for path in PACKAGE.rglob("*.py"):
        room = path.relative_to(PACKAGE).with_suffix("").parts[0]
        imports[room] |= imported_rooms(path) - {room}
    order = list(TopologicalSorter(imports).static_order())  # raises CycleError, which names the circle
    assert order.index("words") < order.index("model") < order.index("charts")
    assert order.index("storage") < order.index("model")
    assert order.index("charts") < order.index("pages") < order.index("building")
    assert order.index("components") < order.index("rendering") < order.index("gallery") < order.index("building")


def test_no_module_stands_beside_the_rooms_but_the_commands() -> None:
    assert {path.stem for path in PACKAGE.glob("*.py")} == {"__init__", "commands"}
