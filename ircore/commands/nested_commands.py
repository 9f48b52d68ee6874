"""Giving further commands from within a command: each is shown, so that it can also be given by hand."""

from collections.abc import Mapping

import click


def option_words(options: Mapping[str, object]) -> list[str]:
    """Return options as words of a command line; options that are None are left out.

    >>> option_words({"--max-cost": 2.5, "--prices": None})
    ['--max-cost', '2.5']
    """
    return [word for name, value in options.items() if value is not None for word in (name, str(value))]


def run_nested(words: list[str], also: tuple[int, ...] = ()) -> int:
    """Show a command of ``ircore`` and run it here; the command shows its own errors.

    Args:
        words: The command without ``ircore``.
        also: Exit statuses besides 0 that are not errors here.

    Returns:
        The exit status.

    Raises:
        InputError, WorkError: It failed, with the exit status 2 or 1.
    """
    from shlex import join

    from ircore.commands.main import run
    from ircore.core.errors import InputError, WorkError
    from ircore.core.terminal import printable

    click.echo(printable(f"+ ircore {join(words)}"), err=True)
    status = run(words, nested=True)
    # Raised as such: an error of ours would let a command that goes on after failures begin with the next pair.
    if status == 130:
        raise click.exceptions.Exit(status)  # stopped by Ctrl-C, which it has said
    if status and status not in also:
        kind = WorkError if status == 1 else InputError
        raise kind(f"ircore {' '.join(words[:2])} failed", "See above.")
    return status
