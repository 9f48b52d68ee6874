"""Options that take several paths at once, as a shell expands them: ``--runs build/runs/*``."""

from collections.abc import Iterator, Sequence
from pathlib import Path

import click

from ircore.core.errors import InputError


class SeveralPathsCommand(click.Command):
    """A command whose repeatable path options also take several paths after one name.

    ``--runs a b c`` means ``--runs a --runs b --runs c``. A word that begins with ``-`` ends the list, so this is for
    commands that have no positional arguments (or take them after ``--``).
    """

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        """Repeat the option's name before every further path, then parse as click does."""
        names = {
            name
            for one in self.params
            if isinstance(one, click.Option) and one.multiple and isinstance(one.type, click.Path)
            for name in one.opts
        }
        return super().parse_args(ctx, list(_spread(args, names)))


runs_option = click.option(
    "--runs",
    multiple=True,
    required=True,
    metavar="RUN...",
    type=click.Path(path_type=Path),
    help="Run folders: several after one --runs, or one each.",
)
"""The parameter ``runs: tuple[Path, ...]`` of a ``SeveralPathsCommand``."""


def published_runs(folder: Path) -> tuple[Path, ...]:
    """Return the runs of a release that was brought here.

    Args:
        folder: What ``ircore release pull`` made.

    Raises:
        InputError: There are none.
    """
    runs = folder / "runs"
    if not runs.is_dir():
        raise InputError(f"{folder}: no published runs here", "Fetch them: ircore release pull ORG/NAME --out DIR")
    return tuple(sorted(runs.iterdir()))


def _spread(args: Sequence[str], names: set[str]) -> Iterator[str]:
    """Yield the words with the name of the open option before each of its further values."""
    option, values = "", 0
    for position, word in enumerate(args):
        if word == "--":
            yield from args[position:]
            return
        if word.startswith("-"):
            name, has_value, _ = word.partition("=")
            option, values = (name if name in names else ""), int(bool(has_value))
        elif option:
            if values:
                yield option
            values += 1
        yield word
