"""``ircore plugins``: the plug-ins that other packages add, and whether they work."""

from collections.abc import Iterator
from typing import NamedTuple, get_args

import click

from ircore.commands.options import echo_either, json_option
from ircore.core.errors import InputError
from ircore.core.plugins import Group, find_package_name, list_available, list_builtin, list_unused, load_plugin
from ircore.core.terminal import find_terminal_width, make_printable, wrap_with_indent
from ircore.games.registry import load_game


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
