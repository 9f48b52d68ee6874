"""The user's settings: ``ircore.toml`` with values for options, and ``.env`` with keys.

A table of ``ircore.toml`` holds options of the command of that name::

    [play]
    concurrency = 8

    [site.build]
    judge = "verified"

The file of the current folder counts before the file of the user. An option that is given by hand counts before both.
"""

import os
import re
from pathlib import Path
from typing import Any

import click

from ircore.core.errors import InputError

FILE = "ircore.toml"
PLACE = "IRCORE_CONFIG"
"""Environment variable with the path of the only file of settings; an empty value means none."""

BY_HAND = frozenset({"--as-maintainers", "--final", "--only-outside", "--private", "--public", "--run-card"})
"""Options that no file sets: they decide who vouches, what is final, what is public and whose code is run."""

KEYS = ".env"
LARGEST = 64 * 1024
"""Bytes that ``.env`` or ``ircore.toml`` may have."""

_LINE = re.compile(r"(?:export\s+)?([A-Za-z_][A-Za-z0-9_]*)\s*=\s*(.*)")
_KEY = re.compile(r"[A-Z][A-Z0-9_]*_(?:KEY|TOKEN)")


def find_setting_files() -> list[Path]:
    """Return the files of settings that exist, the file that counts first in front."""
    named = os.environ.get(PLACE)
    # An empty name switches settings off, such as for tests that must not depend on the user's.
    if named is not None:
        if named and not Path(named).is_file():
            raise InputError(f"{PLACE}: {named}: no such file", f"Name a file, or nothing: {PLACE}=")
        return [Path(named)] if named else []
    places = (Path(FILE), Path(click.get_app_dir("ircore")) / FILE)
    return [path for path in places if path.is_file()]


def read_option_defaults(app: click.Group, words: list[str]) -> dict[str, Any]:
    """Return the values for options of the command that is given, as click's ``default_map``.

    Args:
        app: The program.
        words: The command line behind ``ircore``.

    Raises:
        InputError: A file is no TOML, or sets an option that the command does not have.
    """
    defaults: dict[str, Any] = {}
    # Backwards: a later file overwrites, and the one of the current folder counts most.
    for file in reversed(find_setting_files()):
        document = _parse_toml(file)
        for name in document:
            if name not in app.list_commands(click.Context(app)):
                from ircore.core.plugins import build_unknown_name_error

                raise build_unknown_name_error("command", name, app.list_commands(click.Context(app)), str(file))
        # Only the command that is given is imported; the tables of the others stay unread.
        word = next((word for word in words if not word.startswith("-")), "")
        command = app.get_command(click.Context(app), word) if word in document else None
        if command is not None:
            _merge(defaults, {word: _read_values(file, word, command, document[word])})
    return defaults


def _merge(below: dict[str, Any], above: dict[str, Any]) -> None:
    for name, value in above.items():
        if isinstance(value, dict) and isinstance(below.get(name), dict):
            _merge(below[name], value)
        else:
            below[name] = value


def _read_values(file: Path, words: str, command: click.Command, table: object) -> dict[str, Any]:
    """Return a table's values by the names of parameters."""
    from ircore.core.plugins import build_unknown_name_error

    if not isinstance(table, dict):
        raise InputError(f"{file}: {words}: not a table of options", f"Write [{words}], and the options below.")
    options = {
        name.removeprefix("--"): parameter
        for parameter in command.params
        for name in (parameter.opts if isinstance(parameter, click.Option) else ())
        if name.startswith("--")
    }
    inner = getattr(command, "commands", {})
    values: dict[str, Any] = {}
    for name, value in table.items():
        if name in inner:
            values[name] = _read_values(file, f"{words}.{name}", inner[name], value)
        elif f"--{name}" in BY_HAND:
            raise InputError(
                f"{file}: {words}.{name}: is given by hand only", f"Take it out; give --{name} when meant."
            )
        elif name not in options:
            raise build_unknown_name_error("option", name, [*options, *inner], f"{file}: {words}")
        else:
            values[str(options[name].name)] = _convert_value(f"{file}: {words}.{name}", options[name], value)
    return values


def _convert_value(where: str, option: click.Parameter, value: object) -> object:
    """Return a value as the command line would give the value, which the option's type then checks."""
    if isinstance(value, list):
        if not option.multiple:
            raise InputError(f"{where}: a list, and the option takes one value", "Write one value.")
        return [str(item) for item in value]
    if option.multiple:
        raise InputError(f"{where}: one value, and the option takes a list", f"Write {value!r} in square brackets.")
    if isinstance(value, dict):
        raise InputError(f"{where}: a table, and the option takes a value", "Write one value.")
    # As text, which the option's own type then reads, with the same errors as on the command line.
    return value if isinstance(value, bool) else str(value)


def _parse_toml(file: Path) -> dict[str, Any]:
    import tomllib

    try:
        return tomllib.loads(_read_text(file))
    except tomllib.TOMLDecodeError as error:
        raise InputError(f"{file}: no TOML: {error}", "See docs/command-line.md for an example.") from error


def _read_text(file: Path) -> str:
    data = file.read_bytes()
    if len(data) > LARGEST:
        raise InputError(f"{file}: larger than {LARGEST // 1024} kB", "Name a small text file.")
    try:
        return data.decode("utf-8")
    except UnicodeDecodeError as error:
        raise InputError(f"{file}: no UTF-8 text", "Save the file as UTF-8.") from error


def load_keys(file: Path = Path(KEYS)) -> None:
    """Put the keys of ``.env`` into the environment; a variable that is set already stays as it is.

    Only names in capitals that end in ``_KEY`` or ``_TOKEN`` are taken. No message shows a value.

    Raises:
        InputError: A line is no ``NAME=value``.
    """
    if not file.is_file():
        return
    for number, line in enumerate(_read_text(file).splitlines(), start=1):
        line = line.strip()
        if not line or line.startswith("#"):
            continue
        match = _LINE.fullmatch(line)
        if match is None:
            raise InputError(f"{file}: line {number}: not NAME=value", "Write a key as OPENAI_API_KEY=…")
        name, value = match[1], _strip_quotes(match[2])
        # Other names are skipped: a file of a downloaded project must not set, say, PATH or a proxy.
        if value and _KEY.fullmatch(name):
            os.environ.setdefault(name, value)


def _strip_quotes(value: str) -> str:
    """Return a value without the quotes around it, or without the comment behind it."""
    if len(value) > 1 and value[0] in "'\"" and value.endswith(value[0]):
        return value[1:-1]
    return re.split(r"\s#", value, maxsplit=1)[0].strip()
