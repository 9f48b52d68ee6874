"""``ircore new plugin``: a package for a plug-in, with a test that checks the plug-in's contract."""

import re
from collections.abc import Iterable
from importlib.resources import files
from pathlib import Path
from string import Template

import click

from ircore.commands.options import PATH
from ircore.core.errors import InputError
from ircore.core.files import write_new_folder, write_text
from ircore.core.plugins import list_available
from ircore.core.records import DIFFICULTIES
from ircore.core.score_records import HUMAN
from ircore.games.registry import load_installed_games
from ircore.instances.requests import list_names
from ircore.players.base import RECORDED
from ircore.players.submission import is_usable_slug
from ircore.results.tables.catalogue import list_table_names
from ircore.results.tables.pairs import ALL

KINDS = ("game", "player", "judge", "metric", "category", "table")
RESERVED = frozenset({HUMAN, RECORDED, ALL, "overall", *DIFFICULTIES})
"""Names that have another meaning in manifests, scores and tables."""

NAME = re.compile(r"[a-z][a-z0-9]*([_-][a-z0-9]+)*")


@click.group("new")
def command() -> None:
    """Make a package of your own."""


@command.command("plugin")
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
    same = {known.replace("_", "-") for known in _list_names(kind)}
    return "is installed already" if name.replace("_", "-") in same else ""


def _list_names(kind: str) -> Iterable[str]:
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
