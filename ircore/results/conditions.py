"""Conditions of targets: a category and a difficulty, where None stands for all."""

from collections.abc import Iterable, Sequence
from itertools import product
from typing import Protocol, TypeVar

Condition = tuple[str | None, str | None]
"""Category and difficulty; None for all."""


class _Conditioned(Protocol):
    """An instance, an episode or a message, which is about a target of one category and one difficulty."""

    @property
    def category(self) -> str: ...

    @property
    def difficulty(self) -> str: ...


ItemT = TypeVar("ItemT", bound=_Conditioned)


def is_under(item: _Conditioned, category: str | None, difficulty: str | None) -> bool:
    """Return whether an instance, episode or message is of a category and a difficulty."""
    # Asked a million times for a site of many pairs, mostly with a condition that is None.
    return (category is None or item.category == category) and (difficulty is None or item.difficulty == difficulty)


def under(items: Iterable[ItemT], category: str | None, difficulty: str | None) -> list[ItemT]:
    """Return the instances, episodes or messages of a category and a difficulty, in their order.

    Example:
        >>> from types import SimpleNamespace
        >>> targets = [SimpleNamespace(category="pie_graph", difficulty=level) for level in ("easy", "hard")]
        >>> [target.difficulty for target in under(targets, None, "hard")]
        ['hard']
    """
    return [item for item in items if is_under(item, category, difficulty)]


def conditions(items: Sequence[_Conditioned]) -> dict[Condition, list[int]]:
    """Return the rows of every condition that has an instance."""
    rows: dict[Condition, list[int]] = {}
    for row, item in enumerate(items):
        # Each instance counts under four conditions: its own, its category, its difficulty, and all.
        for condition in product((item.category, None), (item.difficulty, None)):
            rows.setdefault(condition, []).append(row)
    return rows


def strata(items: Iterable[_Conditioned]) -> list[str]:
    """Return the condition of each instance: the stratum within which resampling draws instances again."""
    return [f"{item.category} {item.difficulty}" for item in items]


def in_order(names: set[str], order: Sequence[str]) -> tuple[str, ...]:
    """Return categories or difficulties in the order of the known ones, unknown ones last by name.

    >>> in_order({"charts", "hard", "easy"}, ("easy", "hard"))
    ('easy', 'hard', 'charts')
    """
    return tuple(name for name in order if name in names) + tuple(sorted(names.difference(order)))
