"""The next command, which every command names on stderr when it has ended well; texts by commands."""

import os
import re
import shlex
import sys
from collections.abc import Mapping
from functools import cache
from importlib.resources import files
from pathlib import Path

import click

PLACE = re.compile(r"\{(\w+)\}")
"""A parameter's name in a template."""


NEXT = "ircore.next"
"""Key of a context's ``meta``: the template of this call, instead of the template of the command."""


SILENT = "IRCORE_NEXT"
"""Environment variable that is ``none`` where no next command shall be shown, as in a Makefile."""


@cache
def read_next_steps() -> dict[str, str]:
    """Return the template of the next command by the words of a command.

    >>> read_next_steps()["play"]
    'ircore score {out}'
    """
    return read_command_texts("next_steps.yaml")


def read_command_texts(file: str) -> dict[str, str]:
    """Return the texts in a YAML file of this package by the words of commands."""
    from ircore.core.strict_yaml import load_own_mapping

    return load_own_mapping(files("ircore.commands") / file)


def fill_template(template: str, parameters: Mapping[str, object]) -> str:
    """Return a template with the values that the user gave, quoted for a shell.

    >>> fill_template("ircore score {out}", {"out": "my run"})
    "ircore score 'my run'"

    Args:
        template: A command with parameters in braces.
        parameters: The values; several values stand side by side, and a missing value gives the name in capitals.
    """

    def value_of(place: re.Match[str]) -> str:
        value = parameters.get(place[1])
        if value is None or value == ():
            return place[1].upper()
        return shlex.join(str(item) for item in value) if isinstance(value, tuple) else shlex.quote(str(value))

    return PLACE.sub(value_of, template)


def find_program_name() -> str:
    """Return the program's name for a shell: ``ircore``, or the path of this call where ``ircore`` is not on PATH."""
    from shutil import which

    called = sys.argv[0]
    return "ircore" if Path(called).stem != "ircore" or which("ircore") else shlex.quote(called)


def tell_next(words: str, context: click.Context) -> None:
    """Show the next command on stderr, unless the output is JSON or the calling program will say it.

    Args:
        words: The finished command's words, such as ``"site build"``.
        context: The finished command's context.
    """
    from ircore.core.terminal import make_printable, style_text

    # As typed: callbacks have put the run folders behind a path in the path's place.
    typed = {**context.params, **context.meta.get("ircore.typed", {})}
    if context.find_root().obj == "nested" or os.environ.get(SILENT) == "none":
        return
    # What reads such an output is a program, which gives its next command anyway.
    if typed.get("as_json") or typed.get("form", "text") != "text":
        return
    template = context.meta.get(NEXT) or read_next_steps().get(words)
    if typed.get("dry_run"):
        # What was only tried is now done.
        command = f"ircore {shlex.join(word for word in context.find_root().obj if word != '--dry-run')}"
    else:
        command = fill_template(template, typed) if template else ""
    if command:
        name, _, rest = command.partition(" ")
        step = make_printable(f"{find_program_name() if name == 'ircore' else name} {rest}")
        click.echo(f"{style_text('next:', 'cyan', stream=sys.stderr)} {step}", err=True)
