"""Options that several commands have, commands that are given within others, and groups that import commands late."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from os.path import realpath
from pathlib import Path
from pkgutil import resolve_name
from typing import TYPE_CHECKING, Any, TypeVar

import click

from ircore.commands.completion import complete_categories, complete_difficulties
from ircore.commands.run_paths import find_results_to_read
from ircore.core.errors import InputError
from ircore.core.files import read_table
from ircore.core.plugins import build_unknown_name_error

if TYPE_CHECKING:
    from ircore.core.records import Instance
    from ircore.instances.store import InstanceSet
    from ircore.runs.folder import RunFolder

PATH = click.Path(path_type=Path)
"""A file or folder, given to the command as a ``Path``."""

POSITIVE = click.FloatRange(min=0, min_open=True)
"""A number above 0, such as seconds or US dollars."""

CommandT = TypeVar("CommandT", bound=Callable[..., object])

category_option = click.option(
    "--category", "-c", metavar="NAME", shell_complete=complete_categories, help="Only this category."
)
"""The parameter ``category: str | None``, where a single condition can be chosen."""

difficulty_option = click.option(
    "--difficulty", "-d", metavar="NAME", shell_complete=complete_difficulties, help="Only easy or hard."
)
"""The parameter ``difficulty: str | None``."""

json_option = click.option("--json", "as_json", is_flag=True, help="Print one JSON document.")
"""The parameter ``as_json: bool``."""

runs_option = click.option(
    "--runs",
    multiple=True,
    required=True,
    metavar="RUN...",
    type=PATH,
    callback=find_results_to_read,
    help="Runs, folders of runs or releases: several after one --runs, or one each.",
)
"""The parameter ``runs: tuple[Path, ...]`` of a ``SeveralPathsCommand``."""

by_option = click.option(
    "--by",
    type=click.Choice(["anybody", "maintainers"]),
    default="anybody",
    show_default=True,
    help="Proposer of the change: maintainers may change several pairs, built-in ones and other files too.",
)

published_option = click.option(
    "--published",
    metavar="DIR|ORG/NAME",
    help="Published runs to compare with: a folder made by ircore release pull, or the dataset, which is then fetched.",
)

channel_option = click.option(
    "--channel-test", "channel", is_flag=True, help="Give the words to the built-in canvas: a collapse holds."
)
spot_option = click.option(
    "--spot-replay", "spot", is_flag=True, help="Play some re-scored episodes again, if the keys are here."
)
sets_option = click.option(
    "--instances",
    type=PATH,
    multiple=True,
    required=True,
    help="The instance set of a game; may be repeated. A folder made by release pull stands for its sets of all other "
    "games.",
)


class _OptionalPath(click.Path):
    """As ``click.Path``; an empty text is no path: workflows cannot leave an option out."""

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> Any:
        return None if value == "" else super().convert(value, param, ctx)


PATH_OR_EMPTY = _OptionalPath(path_type=Path)
"""As ``PATH``; None for an empty text."""


def echo_json(document: object) -> None:
    """Print a JSON document on stdout."""
    import json

    click.echo(json.dumps(document, indent=2, ensure_ascii=False, allow_nan=False, default=str))


def echo_either(as_json: bool, document: object, text: str) -> None:
    """Print a JSON document, or the same as text for people."""
    if as_json:
        echo_json(document)
    else:
        click.echo(text)


def find_instance(instances: "InstanceSet", instance_id: str, option: str) -> "Instance":
    """Return the instance of a set that an option or argument names.

    Raises:
        InputError: The set has no such instance; the nearest one is named.
    """
    if instance_id not in instances.instances.ids:
        raise build_unknown_name_error("instance", instance_id, list(instances.instances.ids), option)
    return next(iter(instances.instances.select({instance_id})))


def conditions_options(command: CommandT) -> CommandT:
    """Add the parameters ``categories`` and ``difficulties``, tuples that are empty where nothing is chosen."""
    command = click.option(
        "--difficulty",
        "-d",
        "difficulties",
        multiple=True,
        metavar="NAME",
        shell_complete=complete_difficulties,
        help="Only easy or hard; may be repeated.",
    )(command)
    return click.option(
        "--category",
        "-c",
        "categories",
        multiple=True,
        metavar="NAME",
        shell_complete=complete_categories,
        help="Only this category; may be repeated.",
    )(command)


def path_option(name: str, about: str, required: bool = False) -> Callable[[CommandT], CommandT]:
    """Return an option that takes a file or folder, with the option's help text."""
    return click.option(name, type=PATH, required=required, help=about)


def executor_options(command: CommandT) -> CommandT:
    """Add the parameters ``executor`` and ``scheduler``, of commands whose work other machines can do."""
    command = click.option(
        "--scheduler",
        metavar="ADDRESS",
        help="Address of the Dask scheduler, as tcp://HOST:PORT; with --executor dask.",
    )(command)
    return click.option(
        "--executor",
        type=click.Choice(["local", "dask"]),
        default="local",
        show_default=True,
        help="Where the work is done: on this machine, or on a Dask cluster.",
    )(command)


def find_scheduler(executor: str, scheduler: str | None) -> str | None:
    """Return the scheduler's address, or None for this machine.

    Raises:
        click.UsageError: One option was given without the other.
    """
    if executor == "dask" and scheduler is None:
        raise click.UsageError("--executor dask needs --scheduler ADDRESS")
    if executor == "local" and scheduler is not None:
        raise click.UsageError("--scheduler needs --executor dask")
    return scheduler


class SeveralPathsCommand(click.Command):
    """A command whose repeatable path options also take several paths after the option's name.

    ``--runs a b c`` means ``--runs a --runs b --runs c``. A word that begins with ``-`` ends the list, so this is for
    commands that have no positional arguments (or take them after ``--``).

    >>> @click.command(cls=SeveralPathsCommand)
    ... @runs_option
    ... def count(runs):
    ...     print(len(runs))
    >>> count(["--runs", "run", "run"], standalone_mode=False)
    2
    """

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        """Repeat the option's name before every further path, then parse as click does."""
        names = {
            name
            for option in self.params
            if isinstance(option, click.Option) and option.multiple and isinstance(option.type, click.Path)
            for name in option.opts
        }
        return super().parse_args(ctx, list(_spread(args, names)))


def open_runs(paths: Sequence[Path]) -> "list[RunFolder]":
    """Open run folders of any games; a folder that is named twice, by a link perhaps, is opened once.

    Raises:
        InputError: A folder holds no readable run.
    """
    from ircore.runs.folder import RunFolder

    return [RunFolder(path) for path in dict.fromkeys(Path(realpath(path)) for path in paths)]


def find_published_runs(folder: Path) -> tuple[Path, ...]:
    """Return the runs of a release that was brought here.

    Args:
        folder: A folder made by ``ircore release pull``.

    Raises:
        InputError: There are none.
    """
    runs = folder / "runs"
    if not runs.is_dir():
        raise InputError(f"{folder}: no published runs here", "Fetch them: ircore release pull ORG/NAME --out DIR")
    return tuple(sorted(runs.iterdir()))


def format_options(options: Mapping[str, object]) -> list[str]:
    """Return options as words of a command line; options that are None are left out.

    >>> format_options({"--max-cost": 2.5, "--prices": None})
    ['--max-cost', '2.5']
    """
    return [word for name, value in options.items() if value is not None for word in (name, str(value))]


def draw_own_set(run: Path, game: str) -> Path:
    """Return a game's own instance set, drawn beside a run folder if it does not lie there yet."""
    place = run.parent / f"instances-{game}"
    if not place.exists():
        run_nested(["instances", "build", "--game", game, "--out", str(place)])
    return place


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
    from ircore.core.terminal import make_printable

    click.echo(make_printable(f"+ ircore {join(words)}"), err=True)
    status = run(words, nested=True)
    # Raised as such: an error of ours would let a command that goes on after failures begin with the next pair.
    if status == 130:
        raise click.exceptions.Exit(status)  # stopped by Ctrl-C, which it has said
    if status and status not in also:
        kind = WorkError if status == 1 else InputError
        raise kind(f"ircore {' '.join(words[:2])} failed", "See above.")
    return status


class LazyGroup(click.Group):
    """A group that names the place of each command, and lists them in the order of ``menu.toml``.

    Args:
        places: Module and function of each command, such as ``ircore.commands.submission.check:check``.
        about: Name, help and the like, as of any group.
    """

    def __init__(self, places: Mapping[str, str], **about: Any) -> None:
        super().__init__(**about)
        self._places = places

    def list_commands(self, ctx: click.Context) -> list[str]:  # noqa: ARG002 - click's signature
        """Return the names of the commands."""
        return sorted(self._places)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:  # noqa: ARG002
        """Return a command, imported now; None for an unknown name."""
        place = self._places.get(cmd_name)
        if place is None:
            return None
        command: click.Command = resolve_name(place)
        return command

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """List the commands in sections."""
        sections: dict[str, list[str]] = read_table("ircore.commands", "menu")[self.name or ""]
        rest = [name for name in self.list_commands(ctx) if not any(name in names for names in sections.values())]
        for title, names in {**sections, "More": rest}.items():
            commands = [(name, known) for name in names if (known := self.get_command(ctx, name)) is not None]
            if commands:
                with formatter.section(title):
                    formatter.write_dl([(name, known.get_short_help_str(limit=72)) for name, known in commands])


def _spread(args: Sequence[str], names: set[str]) -> Iterator[str]:
    """Yield the words, with the name of the open option before each of its further values."""
    # The first value follows the option's name as it is; click takes one value after each name.
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
