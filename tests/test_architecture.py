"""Imports run downwards only: the drawing on the architecture page, held against the code."""

import ast
import re
from dataclasses import dataclass
from functools import cache
from graphlib import CycleError, TopologicalSorter
from operator import itemgetter
from pathlib import Path

import pytest

import ircore

ROOT = Path(ircore.__file__).resolve().parents[1]

FLOORS = (
    "core", "seeing", "players", "instances", "games", "runs", "scorers", "results", "submissions", "library",
    "commands",
)  # fmt: skip
"""The rooms of ``ircore`` from the ground floor up: each may import what lies below it."""

PACKAGES = ("ircore", "dataset_card", "leaderboard")
"""``ircore`` imports neither of the other two, and these two nothing of each other."""


@dataclass(frozen=True)
class SourceNames:
    """The names of one file that the tests below hold against the drawing and against the lists of vague names."""

    imported: frozenset[str]
    """Dotted names of every module of this repository that the file imports, inside functions too."""

    defined: frozenset[str]
    """Classes and functions."""

    pronouns: tuple[str, ...]
    """Variables and parameters that are named by a pronoun, with their lines; fields of classes may be."""


PRONOUNS = frozenset({"one", "what", "theirs", "told"})
"""Names of variables and parameters that do not say what is held."""


@cache
def names_of(path: Path) -> SourceNames:
    """Return the names of a file, which is read and walked through once for all tests."""
    imported: set[str] = set()
    defined: set[str] = set()
    variables: list[tuple[int, str, ast.AST]] = []
    fields: set[ast.AST] = set()
    nodes: list[ast.AST] = [ast.parse(path.read_text(encoding="utf-8"))]
    while nodes:
        node = nodes.pop()
        if isinstance(node, ast.Name):
            if node.id in PRONOUNS and isinstance(node.ctx, ast.Store):
                variables.append((node.lineno, node.id, node))
            continue
        if isinstance(node, ast.arg) and node.arg in PRONOUNS:
            variables.append((node.lineno, node.arg, node))
        elif isinstance(node, ast.ImportFrom) and node.module and not node.level:
            imported |= {node.module, *(f"{node.module}.{alias.name}" for alias in node.names)}
        elif isinstance(node, ast.Import):
            imported |= {alias.name for alias in node.names}
        elif isinstance(node, ast.ClassDef | ast.FunctionDef | ast.AsyncFunctionDef):
            defined.add(node.name)
            if isinstance(node, ast.ClassDef):
                fields |= {statement.target for statement in node.body if isinstance(statement, ast.AnnAssign)}
        for value in vars(node).values():  # ast.walk is three times slower
            if isinstance(value, list):
                nodes += [part for part in value if isinstance(part, ast.AST)]
            elif isinstance(value, ast.AST):
                nodes.append(value)
    return SourceNames(
        frozenset(name for name in imported if name.split(".")[0] in PACKAGES),
        frozenset(defined),
        tuple(
            f"{path}:{line}: {name}"
            for line, name, node in sorted(variables, key=itemgetter(0, 1))
            if node not in fields
        ),
    )


def plugin_folder(path: Path) -> Path | None:
    """Return the folder of a game's plug-ins that holds a file; None for other files.

    Plug-ins use every room, as those of other packages do, and are found by entry points alone.
    """
    return next((folder for folder in path.parents if folder.name == "plugins"), None)


def upward(path: Path, source: str) -> list[str]:
    """Return the imports of a room's file that climb to a higher floor."""
    floor = FLOORS.index(source)
    names = (name for name in names_of(path).imported if name.startswith("ircore."))
    return [name for name in names if (room := name.split(".")[1]) in FLOORS and FLOORS.index(room) > floor]


def test_every_room_stands_in_the_drawing_and_no_module_beside_them() -> None:
    rooms = {path.name for path in (ROOT / "ircore").iterdir() if (path / "__init__.py").is_file()}
    assert rooms == set(FLOORS)
    assert {path.name for path in (ROOT / "ircore").glob("*.py")} == {"__init__.py", "__main__.py"}


@pytest.mark.slow
def test_no_import_climbs() -> None:
    climbing = {
        path.relative_to(ROOT).as_posix(): names
        for room in FLOORS
        for path in sorted((ROOT / "ircore" / room).rglob("*.py"))
        if plugin_folder(path) is None and (names := upward(path, room))
    }
    assert climbing == {}


@pytest.mark.slow
def test_nothing_imports_the_plug_ins_of_a_game() -> None:
    for path in (path for package in PACKAGES for path in (ROOT / package).rglob("*.py")):
        inside = plugin_folder(path)
        own = ".".join(inside.relative_to(ROOT).parts) if inside else "none"
        others = [name for name in names_of(path).imported if ".plugins" in name and name.startswith("ircore.games.")]
        assert [name for name in others if not name.startswith(own)] == [], path


@pytest.mark.slow
def test_nothing_outside_their_room_imports_a_built_in_player() -> None:
    """What describers, judges and puzzles share to look at pixels is a room of its own."""
    rooms = [path for package in PACKAGES for path in (ROOT / package).rglob("*.py")]
    outside = [path for path in rooms if ROOT / "ircore" / "players" not in path.parents]
    built_in = "ircore.players.builtin."
    assert [path for path in outside if any(name.startswith(built_in) for name in names_of(path).imported)] == []


@pytest.mark.slow
def test_the_core_imports_neither_site_nor_release_and_these_not_each_other() -> None:
    for package in PACKAGES:
        others = set(PACKAGES) - {package, "ircore"}
        for path in sorted((ROOT / package).rglob("*.py")):
            names = {name.split(".")[0] for name in names_of(path).imported}
            assert not names & others, path


def imports_within(folder: Path, root: Path = ROOT) -> dict[str, set[str]]:
    """Return, for each module and sub-folder of a folder, the modules and sub-folders beside it that it imports."""
    inside = ".".join(folder.relative_to(root).parts) + "."
    rooms = {path.stem for path in folder.iterdir() if path.suffix == ".py" or path.is_dir()} - {"__init__"}
    imports: dict[str, set[str]] = {}
    for path in sorted(folder.rglob("*.py")):
        # Entry points lead to plug-ins, no import does.
        if plugin_folder(path) not in (None, folder):
            continue
        room = path.relative_to(folder).with_suffix("").parts[0]
        names = {name.removeprefix(inside).split(".")[0] for name in names_of(path).imported if name.startswith(inside)}
        imports[room] = imports.get(room, set()) | (names & rooms - {room})
    imports.pop("__init__", None)
    return imports


def circle(folder: Path, root: Path = ROOT) -> list[str]:
    """Return the rooms of a folder that import each other in a circle; none if there is no circle."""
    try:
        TopologicalSorter(imports_within(folder, root)).prepare()
    except CycleError as error:
        return list(error.args[1])
    return []


@pytest.mark.slow
def test_no_folder_holds_a_circle_of_rooms() -> None:
    """Of two rooms of a folder, be they modules or folders themselves, at most one needs the other."""
    folders = {path.parent for package in PACKAGES for path in (ROOT / package).rglob("*.py")}
    circles = {folder.relative_to(ROOT).as_posix(): circle(folder) for folder in sorted(folders)}
    assert {folder: rooms for folder, rooms in circles.items() if rooms} == {}


def test_a_circle_is_seen_through_folders_and_lazy_imports(tmp_path: Path) -> None:
    """``hub`` imports ``checking`` at its top, and a module of ``checking`` imports ``hub`` inside a function."""
    for room in ("hub", "checking"):
        (tmp_path / "dataset_card" / room).mkdir(parents=True)
    (tmp_path / "dataset_card/hub/pull.py").write_text("from dataset_card.checking.full_check import check\n")
    assert circle(tmp_path / "dataset_card", tmp_path) == []
    lazy = "def check():\n    from dataset_card import hub\n"
    (tmp_path / "dataset_card/checking/full_check.py").write_text(lazy)
    assert set(circle(tmp_path / "dataset_card", tmp_path)) == {"hub", "checking"}


FORBIDDEN = frozenset({
    "asking", "awaited", "former", "given", "kept", "leaks", "reading", "shares", "told", "utils", "watch",
    "workplace",
})  # fmt: skip
"""Names that say nothing of what a module, a class or a function holds."""

FORBIDDEN_ROOMS = FORBIDDEN | {
    "addressed", "against", "as_named", "computed", "crossed", "dashed", "derived", "described", "drawn", "earlier",
    "embedded", "facts", "found", "frozen", "held", "informed", "joined", "made", "merged", "nested", "packed",
    "pending", "played", "rated", "recorded", "reserved", "said", "seen", "served", "stored", "things", "vouched",
    "waiting", "wholes", "wishes", "withheld", "written",
}  # fmt: skip
"""Names of no module or folder: adjectives, participles and pronouns without the noun that they go with.

``published`` may stand: it is the games' word for the figures of a paper.
"""


@pytest.mark.slow
def test_modules_classes_and_functions_have_names_that_say_something() -> None:
    vague: list[str] = []
    for path in sorted(path for package in PACKAGES for path in (ROOT / package).rglob("*.py")):
        if {path.stem, *path.relative_to(ROOT).parent.parts} & FORBIDDEN_ROOMS:
            vague.append(str(path))
        vague += [f"{path}: {name}" for name in names_of(path).defined if name.lower() in FORBIDDEN]
    assert vague == []


@pytest.mark.slow
def test_variables_and_parameters_are_named_after_what_they_hold() -> None:
    paths = [path for package in PACKAGES for path in sorted((ROOT / package).rglob("*.py"))]
    assert [name for path in paths for name in names_of(path).pronouns] == []


PAGE = "\n".join((ROOT / "docs" / name).read_text(encoding="utf-8") for name in ("architecture.md", "data-flow.md"))
CONTRIBUTING = (ROOT / "CONTRIBUTING.md").read_text(encoding="utf-8")
SECURITY = (ROOT / "SECURITY.md").read_text(encoding="utf-8")
PATH = re.compile(r"`((?:ircore|leaderboard|dataset_card|docs|tests|benchmarks)/[\w/.-]+)`")
"""A path of the repository, as pages write it."""


def test_the_drawing_on_the_page_has_the_floors_in_order() -> None:
    """The drawing shows the highest floor at the top, below the two packages that stand on all of them."""
    drawn = re.findall(r'font-weight="700">(\w+)<', PAGE)
    assert drawn == ["leaderboard", "dataset_card", *reversed(FLOORS)]


def test_the_page_describes_every_room_from_the_ground_floor_up() -> None:
    described = re.findall(r"^\| `([\w/]+)` \|", PAGE, re.MULTILINE)
    assert described == [*(f"ircore/{floor}" for floor in FLOORS), "leaderboard", "dataset_card"]


@pytest.mark.parametrize(
    ("page", "least"), [(PAGE, 40), (CONTRIBUTING, 10), (SECURITY, 0)], ids=["architecture", "contributing", "security"]
)
def test_every_path_that_a_page_names_is_there(page: str, least: int) -> None:
    named = PATH.findall(page)
    assert len(named) > least
    assert [path for path in named if not (ROOT / path).exists()] == []


def test_the_page_fetches_nothing() -> None:
    assert "http" not in PAGE.replace('xmlns="http://www.w3.org/2000/svg"', "")


def test_contributing_names_every_kind_of_plug_in() -> None:
    for group in ("players", "judges", "metrics", "games", "instances", "tables", "commands"):
        assert f"`ircore.{group}`" in CONTRIBUTING
