"""``ircore completion``: let a shell complete commands, options and names; and the names that it completes."""

from collections.abc import Callable, Iterable

import click
from click.shell_completion import CompletionItem

from ircore.core.plugins import Group, list_available

SHELLS = ("bash", "zsh", "fish")
Completer = Callable[[click.Context, click.Parameter, str], list[str]]


@click.command("completion")
@click.argument("shell", type=click.Choice(SHELLS))
def command(shell: str) -> None:
    r"""Print the script that makes SHELL complete commands, options and names of ircore.

    \b
    bash   add to ~/.bashrc:   eval "$(ircore completion bash)"
    zsh    add to ~/.zshrc:    eval "$(ircore completion zsh)"
    fish   ircore completion fish > ~/.config/fish/completions/ircore.fish
    """
    from click.shell_completion import BashComplete, FishComplete, ZshComplete

    kinds = {"bash": BashComplete, "zsh": ZshComplete, "fish": FishComplete}
    script = kinds[shell](click.get_current_context().find_root().command, {}, "ircore", "_IRCORE_COMPLETE")
    click.echo(script.source_template % script.source_vars())  # source() would start bash to ask for its version


def complete_plugins(group: Group) -> Completer:
    """Return a completer that offers the plug-ins of a group."""
    return lambda _context, _parameter, begun: _select_beginning(list_available(group), begun)


def complete_tables(_context: click.Context, _parameter: click.Parameter, begun: str) -> list[str]:
    """Offer the names of tables."""
    # Inside, as below, because a shell starts Python anew for every word that it completes.
    from ircore.results.tables.catalogue import list_table_names

    return _select_beginning(list_table_names(), begun)


def complete_categories(_context: click.Context, _parameter: click.Parameter, begun: str) -> list[str]:
    """Offer the categories that games name, and those that packages add."""
    from ircore.games.registry import load_installed_games
    from ircore.instances.requests import list_names

    of_games = (category for game in load_installed_games()[0].values() for category in game.categories)
    return _select_beginning((*of_games, *list_names("category")), begun)


def complete_difficulties(_context: click.Context, _parameter: click.Parameter, begun: str) -> list[str]:
    """Offer the difficulties."""
    from ircore.core.records import DIFFICULTIES

    return _select_beginning(DIFFICULTIES, begun)


def complete_submissions(_context: click.Context, _parameter: click.Parameter, begun: str) -> list[CompletionItem]:
    """Offer the built-in pairs, and the shell's own completion of files."""
    from ircore.players.builtin_pairs import OTHER_GAMES, list_builtin_pairs

    names = _select_beginning((*list_builtin_pairs(), *OTHER_GAMES), begun)
    return [*(CompletionItem(name) for name in names), CompletionItem(begun, type="file")]


def _select_beginning(names: Iterable[str], begun: str) -> list[str]:
    return [name for name in names if name.startswith(begun)]
