"""Riddles of counts: so many animals and so many legs; a single solution, which is found by trying all."""

import random
from collections.abc import Callable, Mapping, Sequence
from itertools import product
from typing import NamedTuple

LEGS: Mapping[str, int] = {"duck": 2, "dog": 4, "beetle": 6, "spider": 8}
PLURALS = {"duck": "ducks", "dog": "dogs", "beetle": "beetles", "spider": "spiders"}
MOST = 7
"""Largest number of one kind."""
NUMBERS = ("no", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten", "eleven", "twelve")

Holds = Callable[[Mapping[str, int]], bool]


class Clue(NamedTuple):
    """A clue in words, and whether counts fit it.

    >>> Clue("There are 2 animals in all.", lambda tried: sum(tried.values()) == 2).holds({"duck": 1, "dog": 1})
    True
    """

    words: str
    holds: Holds


class CountRiddle(NamedTuple):
    """A riddle: its counts by kind, and the clues that leave no other counts.

    >>> CountRiddle({"duck": 3}, (Clue("There are 3 ducks.", lambda tried: tried["duck"] == 3),)).counts["duck"]
    3
    """

    counts: Mapping[str, int]
    clues: tuple[Clue, ...]


def make_counts(hard: bool, rng: random.Random) -> CountRiddle:
    """Return a riddle of two kinds with two clues, or of three kinds with three.

    >>> riddle = make_counts(hard=False, rng=random.Random(3))
    >>> solutions(list(riddle.counts), riddle.clues) == [dict(riddle.counts)]
    True
    """
    while True:
        kinds = rng.sample(list(LEGS), 3 if hard else 2)
        counts = {kind: rng.randint(1, MOST if not hard else 5) for kind in kinds}
        clues = (_total(counts), _legs(counts), *([_compared(counts, rng)] if hard else []))
        if solutions(kinds, clues) == [counts]:
            return CountRiddle(counts, clues)


def solutions(kinds: Sequence[str], clues: Sequence[Clue]) -> list[dict[str, int]]:
    """Return all counts, at least one of each kind, that fit every clue."""
    tried = (dict(zip(kinds, numbers, strict=True)) for numbers in product(range(1, 2 * MOST + 1), repeat=len(kinds)))
    return [counts for counts in tried if all(clue.holds(counts) for clue in clues)]


def _total(counts: Mapping[str, int]) -> Clue:
    total = sum(counts.values())
    return Clue(f"There are {total} animals in all.", lambda tried: sum(tried.values()) == total)


def _legs(counts: Mapping[str, int]) -> Clue:
    legs = _legs_of(counts)
    return Clue(f"Together they have {legs} legs.", lambda tried: _legs_of(tried) == legs)


def _legs_of(counts: Mapping[str, int]) -> int:
    return sum(LEGS[kind] * count for kind, count in counts.items())


def _compared(counts: Mapping[str, int], rng: random.Random) -> Clue:
    first, second = rng.sample(list(counts), 2)
    more = counts[first] - counts[second]
    if more < 0:
        first, second, more = second, first, -more
    if more == 0:
        words = f"There are as many {PLURALS[first]} as {PLURALS[second]}."
    else:
        words = (
            f"There {'is' if more == 1 else 'are'} {NUMBERS[more]} more {_named(first, more)} than {PLURALS[second]}."
        )
    return Clue(words, lambda tried: tried[first] - tried[second] == more)


def _named(kind: str, count: int) -> str:
    return kind if count == 1 else PLURALS[kind]
