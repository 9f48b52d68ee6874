"""The line that a command ends with: the command that people give next."""

import re
import shlex
from collections.abc import Mapping
from functools import cache
from importlib.resources import files

import click

PLACE = re.compile(r"\{(\w+)\}")
"""A parameter's name in a template."""


NEXT = "ircore.next"
"""Key of a context's ``meta``: the template of this call, instead of the template of the command."""


@cache
def next_steps() -> dict[str, str]:
    """Return the template of the next command by the words of a command.

    >>> next_steps()["play"]
    'ircore score {out}'
    """
    import yaml

    text = (files("ircore.commands") / "next_steps.yaml").read_text(encoding="utf-8")
    steps: dict[str, str] = yaml.safe_load(text)
    return steps


def filled(template: str, parameters: Mapping[str, object]) -> str:
    """Return a template with the values that the user gave, quoted for a shell.

    >>> filled("ircore score {out}", {"out": "my run"})
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


def tell_next(words: str, context: click.Context) -> None:
    """Show the next command on stderr, unless the output is JSON or another command runs this command.

    Args:
        words: The finished command's words, such as ``"site build"``.
        context: The finished command's context.
    """
    import sys

    from ircore.core.terminal import printable, styled

    typed = {**context.params, **context.meta.get("ircore.typed", {})}
    if context.find_root().obj == "given" or typed.get("as_json") or typed.get("form", "text") != "text":
        return
    template = context.meta.get(NEXT) or next_steps().get(words)
    if template:
        step = printable(filled(template, typed))
        click.echo(f"{styled('next:', 'cyan', stream=sys.stderr)} {step}", err=True)
