"""Columns of ranks, the same on the boards of every game, and advice about missing ranks."""

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from typing import Any, Generic, TypeVar

from ircore.results.coverage import Coverage, Unranked
from ircore.results.ranking import RankedRow
from ircore.results.statistics.ranks import Standing
from ircore.results.tables.model import Column, Value

LineT = TypeVar("LineT")


@dataclass(frozen=True)
class Filled(Generic[LineT]):
    """A column with the function that fills it, so that a measure is added in one place.

    Example:
        >>> from ircore.results.tables.model import Column, Value
        >>> length = Filled(Column("length", "length", "Letters of a name.", digits=0), lambda name: Value(len(name)))
        >>> length.value("canvas").value
        6
    """

    column: Column
    """Title, unit and description of the column."""

    value: Callable[[LineT], Value]
    """Returns the entry of a line."""

    field: tuple[str, ...] = ()
    """Where the number stands in a cell: names of a field, of a field within it …; empty if it stands in none."""

    by_all: bool = False
    """Whether it is the same on every board of a run and condition, whoever judges: what was played, what it took."""


def why_no_rank(row: RankedRow[Any, Any]) -> str:
    """Say for people why a run has no rank on a board."""
    cell: Coverage = row.cell
    return cell.unranked_words or "no picture that all ranked pairs have"


REMEDIES: Mapping[Unranked, str] = {
    "held": "A held run gets a rank when a maintainer has cleared its findings.",
    "past_budget": "Play with over_budget: truncate or abort, so that no message passes the token budget.",
    "incomplete": "An incomplete run gets a rank when ircore play has played the rest, or ended it with --final.",
    "recorded": "Recorded answers do not depend on the other players, who get a rank with a player in that seat.",
    "unread": "Install what reads labels (make ocr, or pip install 'ircore[ocr]') and run ircore score again.",
    "underrated": "Run ircore score again: it goes on where it stopped; what a judge refused stays unrated.",
}
"""Remedies for a missing rank, for those who played and scored the run."""


def remedies(reasons: Iterable[Unranked | None]) -> list[str]:
    """Return a sentence of advice for each reason for missing ranks that a user can mend."""
    present = set(reasons)
    return [words for reason, words in REMEDIES.items() if reason in present]


def rank_text(row: RankedRow[Any, Any]) -> Value:
    """Return a rank range for people, such as ``1–2``."""
    low, high = row.rank_low, row.rank_high
    if low is None or high is None:
        return Value(None, missing=f"no rank: {why_no_rank(row)}")
    return Value(str(low) if low == high else f"{low}–{high}")


RANKS: tuple[Filled[RankedRow[Any, Any]], ...] = (
    Filled(
        Column("rank", "rank", "Ranks that the paired intervals allow.", digits=None, audience="readers"), rank_text
    ),
    Filled(
        Column("rank_low", "Best rank", "Best rank that the paired intervals allow.", "", "lower", 0,
               nullable=True, audience="programs"),
        lambda row: Value.or_missing(row.rank_low, f"no rank: {why_no_rank(row)}"),
    ),
    Filled(
        Column("rank_high", "Worst rank", "Worst rank that they allow.", "", "lower", 0, nullable=True,
               audience="programs"),
        lambda row: Value.or_missing(row.rank_high, f"no rank: {why_no_rank(row)}"),
    ),
)  # fmt: skip
"""Columns of the rank range."""

TOP: Filled[RankedRow[Any, Any]] = Filled(
    Column("top", "Top group", "1 if no pair is significantly better.", "", "higher", 0, audience="programs"),
    lambda row: Value(int(row.top)),
)
"""Column of the top group."""

UNRANKED: Filled[RankedRow[Any, Any]] = Filled(
    Column("unranked", "Unranked",
           "Why there is no rank: held, past_budget, incomplete, underrated, inapplicable, unread, too_few, "
           "recorded or reference.",
           digits=None, nullable=True, audience="programs"),
    lambda row: Value.or_missing(row.cell.unranked, "has a rank"),
)  # fmt: skip
"""Column of the reason why there is no rank."""


FEW = 9
"""Pairs up to which ranks speak for themselves, unless no two pairs are told apart."""

NEARLY_ALL = 0.8
"""Share of undecided couples from which nearly all pairs are said to tie."""


def tie_words(standing: Standing, noun: str = "pairs") -> str:
    """Return a sentence on how many couples a board tells apart; empty where ranks speak for themselves.

    Args:
        standing: Of the board.
        noun: Who is ranked, in the plural.

    >>> tie_words(Standing(ranges=(), detectable=3.0, critical=4.0, told=30, couples=4950))
    'Nearly all of these 100 pairs tie: 30 of 4,950 couples are told apart.'
    """
    ranks = [rank for rank in standing.ranges if rank is not None]
    couples, apart = standing.couples, standing.told
    pairs = round((1 + (1 + 8 * couples) ** 0.5) / 2)
    if not couples:
        return ""
    if not apart:
        return f"No two of these {pairs} {noun} can be told apart." if pairs > 2 else ""
    if apart <= (1 - NEARLY_ALL) * couples and pairs > FEW:
        return f"Nearly all of these {pairs} {noun} tie: {apart:,} of {couples:,} couples are told apart."
    if pairs <= FEW:
        return ""
    top, groups = sum(rank.top for rank in ranks), max(rank.group for rank in ranks)
    share = f"{100 * apart / couples:.0f} %"
    inside = f"{groups} groups" if groups > 1 else "one group"
    chance = percents(max(rank.chance for rank in ranks))
    best = f"any of the {top} in the top group may be the best, one of them with a chance of {chance} %"
    best = best if top > 1 else "one is better than all others"
    return f"{share} of the {couples:,} couples of {noun} are told apart, in {inside}; {best}."


def percents(chance: float) -> str:
    """Return a chance, 0-1, in whole percent; ``< 1`` and ``> 99`` where it rounds to an end that it does not reach.

    >>> percents(0.374), percents(0.001), percents(0.999), percents(1.0), percents(0.0)
    ('37', '< 1', '> 99', '100', '< 1')
    """
    percent = 100 * chance
    return "< 1" if percent < 0.5 else "> 99" if 99.5 <= percent < 100 else f"{percent:.0f}"
