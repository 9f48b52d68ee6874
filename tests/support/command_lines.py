"""Reading command lines that stand in files, as the command would, without running them."""

from collections.abc import Iterator

import click

from ircore.commands.main import app
from ircore.core.plugins import list_builtin, load_plugin


def parsed(words: list[str], command: click.Command = app) -> None:
    """Read the words behind ``ircore``; click's own errors say which command or option does not exist.

    Args:
        words: Everything behind the command's name.
        command: Whose words these are.
    """
    context = command.make_context(command.name, list(words))
    left = [*context._protected_args, *context.args]
    if isinstance(command, click.Group) and (left or not command.invoke_without_command):
        _, chosen, rest = command.resolve_command(context, left)
        assert chosen is not None
        parsed(rest, chosen)


def leaves() -> dict[str, click.Command]:
    """Return every command that does something, with its words: ``{"release build": …}``."""
    return dict(
        pair for name in sorted(list_builtin("commands")) for pair in _leaves(name, load_plugin("commands", name))
    )


def _leaves(name: str, command: click.Command) -> Iterator[tuple[str, click.Command]]:
    if isinstance(command, click.Group):
        if command.invoke_without_command:
            yield name, command
        context = click.Context(command)
        for word in command.list_commands(context):
            inner = command.get_command(context, word)
            assert inner is not None
            yield from _leaves(f"{name} {word}", inner)
    else:
        yield name, command
