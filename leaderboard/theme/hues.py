"""Which describers have a colour: seven hues are told apart, so of more describers families or the best have them."""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from ircore.core.plain_words import form_plural
from leaderboard.theme import GENERATOR_SYMBOLS, OKABE_ITO

UNCOLOURED = -1
"""Number of the neutral colour of players that have none of their own."""


@dataclass(frozen=True)
class Hues:
    """Numbers of the colours of describers, and the meaning of a colour.

    Example:
        >>> hues = assign_hues(["a-1", "b-1"], best_first=["b-1", "a-1"])
        >>> hues.number("b-1"), hues.words
        (1, 'Colour stands for the describer')
    """

    numbers: Mapping[str, int]
    """By label; 0-based, ``UNCOLOURED`` for none."""

    words: str
    """What a colour stands for; names of families may be strangers' words, so escape them."""

    def number(self, label: str) -> int:
        """Return the number of a describer's colour."""
        return self.numbers.get(label, UNCOLOURED)


def find_family(label: str) -> str:
    """Return the first word of a model's name, after its organisation if one is named.

    >>> find_family("gpt-5.2-mini"), find_family("google/Gemini-3-pro"), find_family("qwen3:8b")
    ('gpt', 'gemini', 'qwen3')
    """
    name = label.rpartition("/")[2].lower()
    return re.split(r"[-_: .]", name)[0] or name


def assign_hues(labels: Sequence[str], best_first: Sequence[str], seat: str = "describer") -> Hues:
    """Give colours to players: to each, or where they are more than the hues to families, or to the best.

    Args:
        labels: Every player, in the order in which colours are given.
        best_first: The same in the order of the board.
        seat: Their seat, in words.
    """
    if len(labels) <= len(OKABE_ITO):
        numbers = {label: number for number, label in enumerate(labels)}
        return Hues(numbers, f"Colour stands for the {seat}")
    families = sorted({find_family(label) for label in labels})
    # A single family would give every player the same colour.
    if 1 < len(families) <= len(OKABE_ITO):
        words = f"Colour stands for the first word of the {seat}’s name ({', '.join(families)})"
        return Hues({label: families.index(find_family(label)) for label in labels}, words)
    chosen = [label for label in best_first if label in labels][: len(OKABE_ITO)]
    numbers = {label: chosen.index(label) if label in chosen else UNCOLOURED for label in labels}
    return Hues(numbers, f"The {len(chosen)} best {form_plural(seat)} have a colour, the others are grey")


def describe_shape(players: int, seat: str = "generator") -> str:
    """Return the meaning of a shape in words, for a number of players of a seat.

    >>> describe_shape(4), describe_shape(10)
    ('shape for the generator', 'shapes of generators repeat after the eighth')
    """
    alone = players <= len(GENERATOR_SYMBOLS)
    return f"shape for the {seat}" if alone else f"shapes of {form_plural(seat)} repeat after the eighth"
