"""Writes the reference page of the commands from their own help.

python benchmarks/docs_commands.py > docs/commands.md    renews the page
"""

import re
from collections.abc import Iterator

import click

from ircore.commands.main import HELP_LINES, SECTIONS, examples
from ircore.core.plugins import load_plugin

HEAD = """\
---
hide: [navigation]
---

# Commands

Every command with its options, made from the commands themselves. What they have in common stands on the page
[The command line](command-line.md).
"""


def page() -> str:
    """Return the page as Markdown."""
    return HEAD + "\n" + "\n".join(_lines()).rstrip() + "\n"


def _lines() -> Iterator[str]:
    for title, names in SECTIONS.items():
        yield from (f"## {title}", "")
        for name in names:
            yield from _command(name, load_plugin("commands", name))


def _command(words: str, command: click.Command) -> Iterator[str]:
    if not isinstance(command, click.Group) or command.invoke_without_command:
        yield from _own(words, command)
    if isinstance(command, click.Group):
        context = click.Context(command)
        for word in command.list_commands(context):
            yield from _command(f"{words} {word}", command.get_command(context, word) or command)


def _own(words: str, command: click.Command) -> Iterator[str]:
    context = click.Context(command, info_name=f"ircore {words}")
    yield from (f"### ircore {words}", "", f"    {examples()[words]}", "")
    said = (command.help or HELP_LINES.get(words, "")).partition("\b")[0]
    yield from (_escaped(" ".join(part.split())) + "\n" for part in re.split(r"\n\s*\n", said) if part.strip())
    rows = [
        record
        for parameter in command.params
        if isinstance(parameter, click.Option) and (record := parameter.get_help_record(context)) is not None
    ]
    if rows:
        yield from ("| option | what it does |", "|---|---|")
        yield from (
            f"| `{name.replace('|', chr(92) + '|')}` | {_escaped(' '.join(text.split()))} |" for name, text in rows
        )
        yield ""


def _escaped(text: str) -> str:
    """Return a text without characters that Markdown would take for marks."""
    return re.sub(r"([|<>*_\[\]])", r"\\\1", text)


if __name__ == "__main__":
    print(page(), end="")
