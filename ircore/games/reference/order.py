"""Order of the pictures in each round, drawn as ICCA's published program draws, so that the games are the same."""

import random
from collections.abc import Sequence
from string import ascii_uppercase
from typing import NamedTuple

from ircore.games.reference.rules import ReferenceRules

SEEDS = 1000
"""A round's own seed is drawn from so many, as in the published program."""


class Order(NamedTuple):
    """A listener's context in a round.

    >>> listener_orders(("dog", "cat"), 3, 0, ReferenceRules())[0].shown == listener_orders(
    ...     ("dog", "cat"), 3, 0, ReferenceRules())[2].shown  # without shuffling all rounds are alike
    True

    Attributes:
        labelled: Names of the pictures in the order of the labels that count.
        shown: Names of the pictures as they stand at the labels; differs from ``labelled`` in misleading rounds alone.
    """

    labelled: tuple[str, ...]
    shown: tuple[str, ...]


def labels_of(count: int, rules: ReferenceRules) -> tuple[str, ...]:
    """Return the labels of ``count`` pictures: A, B, … or 1, 2, … ."""
    return tuple(ascii_uppercase[:count]) if rules.labels == "letters" else tuple(map(str, range(1, count + 1)))


def listener_orders(context: Sequence[str], rounds: int, seed: int, rules: ReferenceRules) -> tuple[Order, ...]:
    """Return the listener's order in each round.

    The first draw gives every round a seed of its own; then the context is shuffled once, unless it is masked. Where
    pictures change places, each round shuffles that order with its own seed. In a misleading round (numbered from 1)
    the pictures are shuffled with its number as the seed, which may leave some in place.

    Args:
        context: Names of the pictures in the speaker's order.
        rounds: How many rounds are played.
        seed: Of the game.
        rules: Of the run.
    """
    rng = random.Random(seed)
    # A sample has no repeats, so it cannot be larger than the range; ICCA's own games have 24 rounds.
    seeds = rng.sample(range(max(SEEDS, rounds)), rounds)
    base = list(context)
    if not rules.masked:
        # The same generator goes on, as in the published program; a new one would give other orders.
        rng.shuffle(base)
    return tuple(_order(base, own, number, rules) for number, own in enumerate(seeds, start=1))


def _order(base: Sequence[str], seed: int, number: int, rules: ReferenceRules) -> Order:
    labelled = _shuffled(base, seed) if rules.shuffle else tuple(base)
    # In a misleading round the labels that count stay, and only the pictures move.
    return Order(labelled, _shuffled(labelled, number) if number in rules.misleading else labelled)


def _shuffled(names: Sequence[str], seed: int) -> tuple[str, ...]:
    shuffled = list(names)
    random.Random(seed).shuffle(shuffled)
    return tuple(shuffled)
