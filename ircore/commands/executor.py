"""The options ``--executor`` and ``--scheduler`` of commands whose work other machines can do."""

from collections.abc import Callable
from typing import TypeVar

import click

Command = TypeVar("Command", bound=Callable[..., object])


def executor_options(command: Command) -> Command:
    """Add the parameters ``executor`` and ``scheduler``; see ``scheduler_of``."""
    command = click.option(
        "--scheduler", metavar="ADDRESS", help="Of the Dask scheduler, as tcp://HOST:PORT; with --executor dask."
    )(command)
    return click.option(
        "--executor",
        type=click.Choice(["local", "dask"]),
        default="local",
        show_default=True,
        help="Who works: this machine, or a Dask cluster.",
    )(command)


def scheduler_of(executor: str, scheduler: str | None) -> str | None:
    """Return the scheduler's address, or None for this machine.

    Raises:
        click.UsageError: One option was given without the other.
    """
    if executor == "dask" and scheduler is None:
        raise click.UsageError("--executor dask needs --scheduler ADDRESS")
    if executor == "local" and scheduler is not None:
        raise click.UsageError("--scheduler needs --executor dask")
    return scheduler
