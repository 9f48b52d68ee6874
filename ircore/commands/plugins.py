"""``ircore plugins`` and ``ircore new plugin``: plug-ins of other packages, and a package for a plug-in of one's own.

Plug-ins that are installed are listed with whether they work. A new package has a test that checks the plug-in's
contract.
"""

import re
from collections.abc import Iterable, Iterator
from importlib.resources import files
from pathlib import Path
from string import Template
from typing import NamedTuple, get_args

import click

from ircore.commands.options import PATH, echo_either, json_option
from ircore.core.errors import InputError
from ircore.core.files import write_new_folder, write_text
from ircore.core.plugins import Group, find_package_name, list_available, list_builtin, list_unused, load_plugin
from ircore.core.records import DIFFICULTIES
from ircore.core.score_records import HUMAN
from ircore.core.terminal import find_terminal_width, make_printable, wrap_with_indent
from ircore.games.registry import load_game, load_installed_games
from ircore.instances.requests import list_names
from ircore.players.base import RECORDED
from ircore.players.submission import is_usable_slug
from ircore.results.tables.catalogue import list_table_names
from ircore.results.tables.pairs import ALL


class _Plugin(NamedTuple):
    group: Group
    name: str
    package: str
    broken: str | None


@click.command("plugins")
@click.option("--all", "everything", is_flag=True, help="List the plug-ins of this project as well.")
@json_option
def command(everything: bool, as_json: bool) -> int:
    """List the plug-ins of other packages; a plug-in that cannot be used is listed with the reason, and status 1."""
    plugins = list(_list_plugins(everything))
    text = "\n".join(_format_lines(plugins)) or "no other package adds a plug-in"
    document = {"plugins": [plugin._asdict() for plugin in plugins]}
    echo_either(as_json, document, wrap_with_indent(make_printable(text), find_terminal_width()))
    return int(any(plugin.broken for plugin in plugins))


def _list_plugins(everything: bool) -> Iterator[_Plugin]:
    """Yield the plug-ins of every group by name: of other packages, and with ``everything`` the built-in ones too."""
    for group in get_args(Group):
        ours = frozenset() if everything else list_builtin(group)
        for name, point in list_available(group).items():
            if name not in ours:
                yield _Plugin(group, name, find_package_name(point), _find_fault(group, name))
        for plugin in list_unused(group):
            yield _Plugin(group, plugin.name, plugin.package, plugin.reason)


def _find_fault(group: Group, name: str) -> str | None:
    try:
        # A game is more than its class: its declarations are checked as well.
        load_game(name) if group == "games" else load_plugin(group, name)
        if group == "game_tables":
            # Inside: most packages add no table of a game, and this one needs the statistics.
            from ircore.results.tables.catalogue import find_plugin_table_fault

            return find_plugin_table_fault(name)
        if group == "instances" and not name.startswith(("build.", "import.", "category.")):
            return "its name is none of build.GAME, import.FORMAT and category.NAME"
    except InputError as error:
        # The line names group and plug-in already.
        return error.problem.partition(": ")[2] or error.problem
    return None


def _format_lines(plugins: list[_Plugin]) -> Iterator[str]:
    rows = [(plugin.group, plugin.name, plugin.package) for plugin in plugins]
    widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
    for plugin, row in zip(plugins, rows, strict=True):
        cells = [f"{cell:<{width}}" for cell, width in zip(row, widths, strict=True)]
        yield "  ".join([*cells, f"broken: {plugin.broken}" if plugin.broken else "works"])


KINDS = ("game", "player", "judge", "metric", "category", "table")


RESERVED = frozenset({HUMAN, RECORDED, ALL, "overall", *DIFFICULTIES})
"""Names that have another meaning in manifests, scores and tables."""

NAME = re.compile(r"[a-z][a-z0-9]*([_-][a-z0-9]+)*")


@click.group("new")
def new() -> None:
    """Make a package of your own."""


@new.command("plugin")
@click.argument("kind", type=click.Choice(KINDS))
@click.argument("name")
@click.option("--out", type=PATH, required=True, help="The folder to make; it must be new.")
def plugin(kind: str, name: str, out: Path) -> None:
    """Write a package that adds the plug-in NAME: pyproject.toml, a module and a test.

    What is written works as it stands; change it into what you need, and keep the test passing.
    """
    if not NAME.fullmatch(name) or len(name) > 40:
        raise InputError(
            f"{name!r}: not a name of a plug-in",
            "Take at most 40 lower-case letters and digits, with - or _ between words.",
        )
    taken = _explain_taken(kind, name)
    if taken:
        raise InputError(f"{kind} {name}: {taken}", "Choose another name.")
    with write_new_folder(out) as folder:
        for path, text in build_plugin_files(kind, name).items():
            (folder / path).parent.mkdir(exist_ok=True)
            write_text(folder / path, text)
    click.echo(f"{out}: the {kind} {name}")
    click.echo(f"  pip install pytest --editable {out} && python -m pytest {out}", err=True)


def build_plugin_files(kind: str, name: str) -> dict[str, str]:
    """Return the files of a new package by their paths.

    Args:
        kind: One of ``KINDS``.
        name: Name of the plug-in.
    """
    words = [kind, *re.split("[_-]", name)]
    names = {
        "kind": kind,
        "name": name,
        "title": _format_title(name),
        "words": re.sub("[_-]", " ", name).capitalize(),
        "module": f"ircore_{'_'.join(words)}",
        "project": f"ircore-{'-'.join(words)}",
    }
    names["entry_points"] = _fill_template(f"{kind}.entry_points.txt", names).strip()
    return {
        "pyproject.toml": _fill_template("pyproject.toml.txt", names),
        f"{names['module']}.py": _fill_template(f"{kind}.py.txt", names),
        f"tests/test_{'_'.join(words)}.py": _fill_template(f"{kind}.test.txt", names),
    }


def _format_title(name: str) -> str:
    return "".join(map(str.capitalize, re.split("[_-]", name)))


def _read_template(name: str) -> str:
    return files("ircore.commands").joinpath("plugin_templates", name).read_text(encoding="utf-8")


def _fill_template(template: str, names: dict[str, str]) -> str:
    return Template(_read_template(template)).substitute(names)


def _explain_taken(kind: str, name: str) -> str:
    """Return why a name is not available; empty if the name is free."""
    module = _read_template(f"{kind}.py.txt")
    # The class of the plug-in would hide a name that the template imports, such as Game.
    if "class ${title}" in module and re.search(rf"\b{_format_title(name)}\b", module):
        return "means something else in the module that would be written"
    if name in RESERVED:
        return "means people's ratings, recorded answers or a whole board"
    if not is_usable_slug(name):
        return "is kept by the site or by Windows"
    # The written project has hyphens, the module underscores, whichever the name has.
    same = {known.replace("_", "-") for known in _list_taken_names(kind)}
    return "is installed already" if name.replace("_", "-") in same else ""


def _list_taken_names(kind: str) -> Iterable[str]:
    """Return the names that plug-ins of a kind have."""
    if kind == "category":
        of_games = (category for game in load_installed_games()[0].values() for category in game.categories)
        return (*of_games, *list_names("category"))
    if kind == "table":
        return list_table_names()
    if kind == "game":
        return list_available("games")
    if kind == "player":
        return list_available("players")
    # Scores of both are counted by name alone.
    return (*list_available("judges"), *list_available("metrics"))
