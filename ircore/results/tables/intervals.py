"""How numbers and their intervals are written for people: on pages, in tables, on badges and in the dataset's card."""

from collections.abc import Callable
from dataclasses import replace
from math import floor, log10, sqrt
from statistics import stdev
from typing import TYPE_CHECKING, Literal

from ircore.core.errors import InputError
from ircore.results.statistics.intervals import are_too_few, find_even_half

if TYPE_CHECKING:
    from ircore.results.episodes import EpisodeResult
    from ircore.results.model import Results
    from ircore.results.tables.model import Selection, Table, Value

SEM = "sem"
"""Mark of entries whose ends are one standard error away from the mean."""

SEM_WORDS = (
    "± is one standard error of the mean (s / √n), as the paper's figures draw it, not the 95 % interval, which is "
    "about twice as wide and decides what can be told apart."
)
"""Meaning of the mark."""


def number(value: float, digits: int, signed: bool = False) -> str:
    """Format a number with a true minus sign; a number rounded to zero has no sign."""
    text = f"{value:.{digits}f}"
    if float(text) == 0:
        return text.removeprefix("-")
    return f"+{text}" if signed and value > 0 else text.replace("-", "−")


def count_money_digits(amount: float, least: int) -> int:
    """Return the decimals that show two significant digits of an amount of money, at least ``least``.

    >>> count_money_digits(0.000041, 3), count_money_digits(1.5, 3), count_money_digits(0, 3)
    (6, 3, 3)
    """
    return max(least, 1 - floor(log10(amount))) if amount > 0 else least


def format_interval_text(
    mean: float | None,
    ends: tuple[float | None, float | None],
    n: int | None,
    digits: int = 2,
    signed: bool = False,
    style: Literal["words", "mixed", "brackets"] = "words",
    end_digits: int | None = None,
) -> str:
    """Write the words behind a mean: its interval, or that it rests on too few pictures; empty if neither is known.

    Args:
        mean: The mean.
        ends: Lower and upper end of its interval.
        n: Number of pictures; None where that was looked at before.
        digits: Decimals.
        signed: Whether the mean is a difference, of which ends have signs.
        style: ``words`` writes ``± 1.2`` or, where that would mislead, ``5.3 to 10.0``; ``mixed`` writes
            ``[5.3, 10.0]`` for the latter; ``brackets`` writes that in any case.
        end_digits: Decimals of ends; as ``digits`` if None.

    >>> format_interval_text(6.0, (5.0, 7.0), 40), format_interval_text(9.71, (5.35, 10.0), 40)
    ('± 1.00', '5.35 to 10.00')

    >>> format_interval_text(5.27, (None, None), 1)
    'n 1: too few'
    """
    low, high = ends
    if mean is None:
        return ""
    if are_too_few(n):
        return f"n {n}: too few"
    if low is None or high is None:
        return ""
    half = None if style == "brackets" else find_even_half(mean, low, high, signed)
    if half is not None:
        return f"± {number(half, digits)}"
    first, last = (number(end, digits if end_digits is None else end_digits, signed) for end in (low, high))
    return f"{first} to {last}" if style == "words" else f"[{first}, {last}]"


def use_standard_errors(table: "Table", results: "Results") -> "Table":
    """Return a table whose bars are one standard error of the mean, the error bars of the paper's Figures 15 and 17.

    It is s / √n with the sample standard deviation s (divisor n − 1) over the episodes behind a mean. Means of which
    the episodes' own values are not known here, such as main scores, have no bars.

    Raises:
        InputError: The table has no mean of episodes.
    """
    known = False

    def barred(key: str, value: "Value") -> "Value":
        nonlocal known
        of_episode = None if value.episodes is None else _find_episode_value(key, value.episodes)
        # A count of episodes has a selection, too, and no bars to replace.
        if of_episode is None or value.episodes is None or value.n is None:
            return value._replace(low=None, high=None)
        known = True
        chosen = set(value.episodes.episodes(results))
        numbers = [
            number
            for run_id in value.episodes.run_ids
            for result in results.episodes[run_id]
            if (run_id, result.episode.episode_id) in chosen and (number := of_episode(result)) is not None
        ]
        if len(numbers) < 2 or not isinstance(value.value, int | float):
            return value._replace(low=None, high=None)
        error = stdev(numbers) / sqrt(len(numbers))
        ends = value.value - error, value.value + error
        return value._replace(low=ends[0], high=ends[1], marks=(*value.marks, SEM))

    keys = [column.key for column in table.columns]
    rows = tuple(tuple(barred(key, value) for key, value in zip(keys, row, strict=True)) for row in table.rows)
    if not known:
        raise InputError(
            f"--bars sem: the table {table.name} has no means of episodes",
            "Choose another: board, judges, conditions and budgets have scores.",
        )
    notes = tuple(note.removeprefix("± is half the 95 % interval; ") for note in table.notes)
    return replace(table, rows=rows, notes=notes, marks={**table.marks, SEM: SEM_WORDS})


def _find_episode_value(key: str, selection: "Selection") -> "Callable[[EpisodeResult], float | None] | None":
    """Return what a mean averages over episodes, by its column; None if that is not one number an episode."""
    judge = selection.judge or ""

    def judged(result: "EpisodeResult") -> "float | None":
        ratings = result.judged[judge]
        if key in {"preference", f"{judge}_preferred"}:
            return ratings.preference
        return ratings.delta if key == "delta" else ratings.final

    if key in {"score", "delta", "preference", judge, f"{judge}_preferred"} and selection.which in {"rated", "refined"}:
        return judged
    amounts: dict[str, Callable[[EpisodeResult], float | None]] = {
        "turns": lambda result: result.effort.steps,
        "tokens": lambda result: result.effort.tokens,
        "seconds": lambda result: result.effort.seconds,
    }
    return amounts.get(key) if selection.which == "played" else None
