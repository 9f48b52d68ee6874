"""A seat's player in one line: ``openai gpt-5.2 https://openrouter.ai/api/v1 temperature=0``."""

import re
import shlex
from collections.abc import Iterator

from ircore.core.errors import InputError

_KEY = re.compile(r"[A-Z][A-Z0-9_]*_(KEY|TOKEN)")


def seat_options(seat: str, text: str) -> list[str]:
    """Return the options of ``ircore submission new`` that a line about a seat amounts to.

    Args:
        seat: Name of the seat.
        text: The player, then in any order: its model, the model's revision after it, the address of its service,
            the name of the variable that holds the key, and parameters as ``NAME=VALUE``.

    Raises:
        InputError: No player is named, or a word has no meaning.

    >>> seat_options("speaker", "openai gpt-5.2 seed=0")
    ['--player', 'speaker=openai', '--player', 'speaker.model=gpt-5.2', '--player', 'speaker.parameter.seed=0']
    """
    try:
        player, *words = shlex.split(text)
    except ValueError as error:
        remedy = "Write it as: openai MODEL https://ADDRESS/v1 NAME=VALUE"
        raise InputError(f"{seat}: {text!a} names no player", remedy) from error
    options = ["--player", f"{seat}={player}"]
    for field, value in _fields(seat, words):
        stated = f"parameter.{value}" if field == "parameter" else f"{field}={value}"
        options += ["--player", f"{seat}.{stated}"]
    return options


def _fields(seat: str, words: list[str]) -> Iterator[tuple[str, str]]:
    # Taken from the end: the first plain word is the model, the second its revision.
    names = ["revision", "model"]
    for word in words:
        if word.startswith(("https://", "http://")):
            yield "url", word
        elif "=" in word:
            yield "parameter", word
        elif _KEY.fullmatch(word):
            yield "key", word
        elif names:
            yield names.pop(), word
        else:
            raise InputError(f"{seat}: {word!a} has no meaning", "Write parameters as NAME=VALUE.")
