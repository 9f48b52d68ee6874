"""Reading command lines that stand in files, as the command would, without running them."""

import click

from ircore.commands.main import app


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
