"""The command ``ircore``: sub-commands are plug-ins, imported only when they are used."""

import gc
import io
import signal
import sys
from collections.abc import Iterable
from contextlib import AbstractContextManager, nullcontext
from difflib import get_close_matches
from functools import wraps
from typing import Any

import click
from click.shell_completion import CompletionItem

from ircore import __version__
from ircore.commands.settings import load_keys, read_option_defaults
from ircore.core.collector import NEW_OBJECTS
from ircore.core.errors import InputError, StoppedError
from ircore.core.files import read_table
from ircore.core.plugins import find_missing_package, require_extras
from ircore.core.terminal import find_terminal_width, make_printable, style_text

_MENU = read_table("ircore.commands", "menu")
HELP_LINES: dict[str, str] = _MENU["lines"]
"""One line a command for ``ircore --help``, so that help imports none of them."""

SECTIONS: dict[str, list[str]] = _MENU["sections"]
"""Commands by what people want to do, in the order of ``ircore --help``."""

MEANT: dict[str, str] = _MENU["meant"]
"""What people mean by words that are no commands; of a group with its name in front."""

EXTRAS_NEEDED: dict[str, list[str]] = _MENU["extras"]
"""Extras that commands need for any of their work, by the words of a command or of its group."""

_MEANT_ALONE = [word for word in MEANT if " " not in word]

_NARROW = 60
"""Characters of a line below which help has one column."""

_NARROW_OPTION = 6
"""Characters by which an explanation is indented then."""


class _Help(click.HelpFormatter):
    """Help whose explanations stand below the options where a terminal is too narrow for two columns."""

    def write_dl(self, rows: Iterable[tuple[str, str]], col_max: int = 30, col_spacing: int = 2) -> None:
        super().write_dl(rows, _NARROW_OPTION if self.width < _NARROW else col_max, col_spacing)


click.Context.formatter_class = _Help


class _PluginGroup(click.Group):
    """A group whose commands are the entry points ``ircore.commands``."""

    def list_commands(self, ctx: click.Context) -> list[str]:  # noqa: ARG002 - click's signature
        from ircore.core.plugins import list_available

        return list(list_available("commands"))

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:  # noqa: ARG002
        from ircore.core.plugins import list_available, load_plugin

        if cmd_name not in list_available("commands"):
            return None
        command: click.Command = load_plugin("commands", cmd_name)
        _end_with_next_step(cmd_name, command)
        # The examples are a YAML file, whose parser is imported only where help is shown.
        if any(word in ("-h", "--help") for word in sys.argv[1:]):
            _add_examples(cmd_name, command)
        return command

    def shell_complete(self, ctx: click.Context, incomplete: str) -> list[CompletionItem]:
        """Offer commands and options to a shell, without importing the commands."""
        names = [name for name in self.list_commands(ctx) if name.startswith(incomplete)]
        commands = [CompletionItem(name, help=HELP_LINES.get(name)) for name in names]
        return [*commands, *click.Command.shell_complete(self, ctx, incomplete)]

    def _help_line(self, ctx: click.Context, name: str) -> str:
        from ircore.core.plugins import BrokenPluginError

        try:
            command = self.get_command(ctx, name)
        except BrokenPluginError as error:
            return make_printable(f"broken: {error.problem.partition(': ')[2]}")
        return command.get_short_help_str() if command else ""

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        """Refuse an unknown command, naming the nearest known command."""
        from ircore.core.plugins import build_unknown_name_error, list_available

        if args and not args[0].startswith("-") and args[0] not in list_available("commands"):
            # A word for the same thing is no slip of the keys: for such a word the whole command is named.
            near = get_close_matches(args[0].lower(), [*list_available("commands"), *_MEANT_ALONE], n=1)
            if near and near[0] in MEANT:
                raise InputError(f"unknown command {args[0]!r}", f"Did you mean: ircore {MEANT[near[0]]}")
            raise build_unknown_name_error("command", args[0], list(list_available("commands")))
        return super().resolve_command(ctx, args)

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """List the commands by purpose, without importing the modules of built-in commands."""
        installed = self.list_commands(ctx)
        listed = {name for names in SECTIONS.values() for name in names}
        further = tuple(name for name in installed if name not in listed)
        for title, names in {**SECTIONS, "Of plug-ins": list(further)}.items():
            rows = [(name, HELP_LINES.get(name) or self._help_line(ctx, name)) for name in names if name in installed]
            if rows:
                with formatter.section(title):
                    formatter.write_dl(rows)


def _end_with_next_step(words: str, command: click.Command) -> None:
    """Let a command, and each of its sub-commands, end with the command that people give next."""
    for word, inner in getattr(command, "commands", {}).items():
        _end_with_next_step(f"{words} {word}", inner)
    work = command.callback
    only_groups = isinstance(command, click.Group) and not command.invoke_without_command
    # A command is looked up several times in a process, such as by tests and by commands that give others.
    if work is None or hasattr(work, "tells_next") or only_groups:
        return

    @wraps(work)
    def work_and_tell(*arguments: Any, **parameters: Any) -> Any:
        from ircore.commands.next_steps import tell_next

        require_extras(words, list_extras(words))
        with _guard_plugin(words):
            status = work(*arguments, **parameters)
        context = click.get_current_context()
        if not status and context.invoked_subcommand is None:
            tell_next(words, context)
        return status

    work_and_tell.tells_next = True  # type: ignore[attr-defined]
    command.callback = work_and_tell


def list_extras(words: str) -> list[str]:
    """Return the extras that a command needs whatever its options, by its own words or those of its group.

    >>> list_extras("release check"), list_extras("score")
    (['release'], [])
    """
    parts = words.split()
    named = (" ".join(parts[:count]) for count in range(len(parts), 0, -1))
    return next((EXTRAS_NEEDED[name] for name in named if name in EXTRAS_NEEDED), [])


def _guard_plugin(words: str) -> AbstractContextManager[None]:
    """Return the context in which a command works: of another package's command, a fault is said in one line."""
    from ircore.core.plugins import list_builtin

    if words.split()[0] in list_builtin("commands"):
        # A fault of this project is to be seen whole.
        return nullcontext()
    from ircore.core.plugins import convert_plugin_errors

    return convert_plugin_errors(
        f"command {words!r}", SystemExit, click.ClickException, click.exceptions.Exit, click.Abort
    )


def _add_examples(name: str, command: click.Command) -> None:
    """Let the help of a command, and of each of its sub-commands, end with an example."""
    example = examples().get(name)
    if example is not None and not command.epilog:
        command.epilog = f"Example: {example}"
    for word, inner in getattr(command, "commands", {}).items():
        _add_examples(f"{name} {word}", inner)


def examples() -> dict[str, str]:
    """Return an example of each command by the command's words."""
    from ircore.commands.next_steps import read_command_texts

    return read_command_texts("examples.yaml")


@click.group(cls=_PluginGroup, context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 100})
@click.version_option(__version__, prog_name="ircore")
def app() -> None:
    """Play, score and publish the Image Reconstruction Game and other games with pictures."""


def main(arguments: list[str] | None = None) -> None:
    """Run the command line and exit: 0 done, 1 the work failed, 2 wrong usage or bad input, 130 stopped by Ctrl-C.

    Other signals that stop it give 128 and their number, such as 143 for SIGTERM.
    """
    # Imports make many objects that stay, which Python would go through again and again.
    gc.set_threshold(NEW_OBJECTS)
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper):
            # Into files and pipes UTF-8 goes everywhere; a terminal that lacks a character shows a question mark.
            stream.reconfigure(encoding=None if stream.isatty() else "utf-8", errors="replace")
    for name in ("SIGTERM", "SIGHUP"):
        # Windows has no SIGHUP, and what nohup ignores stays ignored.
        number = getattr(signal, name, None)
        if number is not None and signal.getsignal(number) == signal.SIG_DFL:
            signal.signal(number, _end)
    status = run(arguments)
    for name in ("SIGTERM", "SIGHUP"):
        # All is done: a signal that comes while Python ends says nothing more.
        if signal.getsignal(getattr(signal, name, signal.SIGTERM)) == _end:
            signal.signal(getattr(signal, name), signal.SIG_DFL)
    gc.freeze()  # or Python would go through all that is left, only to forget it
    sys.exit(status)


def _end(number: int, _: object) -> None:
    """End as after Ctrl-C, so that temporary folders are removed; while questions are asked the engine takes over."""
    StoppedError.last = StoppedError(128 + number)
    raise StoppedError.last


def run(arguments: list[str] | None = None, nested: bool = False) -> int:
    """Run the command line and return its exit status; an error goes to stderr, first the problem, then the remedy.

    Args:
        arguments: The words behind ``ircore``; those of the process if None.
        nested: Whether another command runs this command, and will say the next step itself.
    """
    words = sys.argv[1:] if arguments is None else arguments
    StoppedError.last = None
    try:
        load_keys()
        outcome: Any = app.main(
            args=words,
            prog_name="ircore",
            standalone_mode=False,
            obj="nested" if nested else tuple(words),
            default_map=read_option_defaults(app, words),
            terminal_width=_measure_help_width(),
        )
    except InputError as error:
        return _tell(error.problem, error.remedy, error.status)
    except ModuleNotFoundError as error:
        # A package that only some uses of a command need, such as those of a release; any other is a fault of ours.
        lacking = find_missing_package(error)
        if lacking is None:
            raise
        return _tell(f"{next(iter(words), 'ircore')} {lacking.problem}", lacking.remedy, lacking.status)
    except click.exceptions.NoArgsIsHelpError as error:
        error.show()
        return error.exit_code
    except click.ClickException as error:
        path = error.ctx.command_path if isinstance(error, click.UsageError) and error.ctx else "ircore"
        said, words_of_command = " ".join(error.format_message().split()), path.removeprefix("ircore").strip()
        # Click's words for numbers are a programmer's.
        said = said.replace("a valid float range", "a number").replace("a valid integer range", "a whole number")
        # Only errors about an unknown command have its name.
        meant = MEANT.get(f"{words_of_command} {getattr(error, 'command_name', '')}")
        remedy = f"Did you mean: ircore {meant}" if meant else f"See: {path} --help"
        return _tell(f"{words_of_command}: {said}".removeprefix(": "), remedy, error.exit_code)
    except (click.Abort, KeyboardInterrupt):
        click.echo("ircore: stopped; nothing half written is left, and the same command can be given again", err=True)
        return 130
    except OSError as error:
        # What no command foresees: a file that may not be read, a full disk behind stdout.
        place = f"{error.filename}: " if error.filename else ""
        remedy = (
            "Ask for the right to it, or choose a place that is yours." if isinstance(error, PermissionError) else ""
        )
        return _tell(f"{place}{error.strerror or error}", remedy, 1)
    return outcome if isinstance(outcome, int) else 0


def _measure_help_width() -> int | None:
    """Return the columns of help where a terminal has fewer than click's least of 50; None for click's own choice."""
    columns = find_terminal_width()
    return columns - 2 if columns is not None and columns < 52 else None


def _tell(problem: str, remedy: str, status: int) -> int:
    """Show an error on stderr, first the problem, then the remedy; return the exit status."""
    click.echo(f"{style_text('ircore:', 'red', 'bold', stream=sys.stderr)} {make_printable(problem)}", err=True)
    if remedy:
        click.echo(make_printable(f"  {remedy}"), err=True)
    return status
