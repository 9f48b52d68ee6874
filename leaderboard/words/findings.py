"""Findings of a page in a sentence: a board's leader, a run's place, a player's best condition."""

from collections.abc import Sequence
from typing import Any

from ircore.results.ranking import RankedRow
from ircore.results.statistics.intervals import Estimate
from ircore.results.tables.pairs import explain_no_rank
from leaderboard.words.labels import describe_interval, number, rank


def lead_words(rows: Sequence[RankedRow[Any, Any]], name: str, noun: str = "pair") -> str:
    """Return who leads a board, with the main score and its interval, over how many; empty without a main score.

    Args:
        rows: Rows of the board, best first.
        name: Name of the first row.
        noun: Who is ranked, in the singular.
    """
    if not rows or rows[0].cell.main.mean is None:
        return ""
    score = describe_estimate(rows[0].cell.main, 1)
    if len(rows) == 1:
        return f"{name} has a main score of {score}"
    ranked, top = sum(row.rank_low is not None for row in rows), sum(row.top for row in rows)
    if not ranked:
        return f"{name} has the highest main score of {len(rows)} {noun}s, {score}; none of them has a rank"
    among = f"{len(rows)} {noun}s" if ranked == len(rows) else f"{ranked} {noun}s with a rank"
    if top > 1:
        return f"{name} has the highest main score of {among}, {score}; {top} of them may be the best"
    return f"{name} leads {among}, main score {score}"


def place_words(row: RankedRow[Any, Any], among: int) -> str:
    """Return a run's rank among so many, or why it has none, and its main score with its interval."""
    ranks = rank(row.rank_low, row.rank_high)
    place = f"no rank ({explain_no_rank(row)})" if row.rank_low is None else f"rank {ranks} of {among}"
    main = row.cell.main
    return place if main.mean is None else f"{place}, main score {describe_estimate(main, 1)}"


def describe_estimate(estimate: Estimate, digits: int = 2) -> str:
    """Return a mean with its interval and n in brackets.

    >>> describe_estimate(Estimate(79.84, 70.1, 88.9, 42), 1)
    '79.8 (95 % interval 70.1 to 88.9, n = 42)'
    """
    return f"{number(estimate.mean, digits)} ({describe_interval(estimate, digits)})"


def describe_extremes(best: tuple[str, float], worst: tuple[str, float]) -> str:
    """Return on what the score is highest and lowest, each with its score, 0–10.

    >>> describe_extremes(("geometry, easy", 9.81), ("photos", 2.0))
    'best on geometry, easy (9.8), worst on photos (2.0)'
    """
    return f"best on {best[0]} ({number(best[1], 1)}), worst on {worst[0]} ({number(worst[1], 1)})"
