"""The paper's published values in our figures: hollow grey marks in rows of their own, under a heading that says so.

They have no intervals, since the paper prints none, and stand in a table of their own: nobody played them here.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

from ircore.games.reconstruction.published.published import JUDGES, mean_preferences, mean_scores, published_agreement
from ircore.results.tables.model import Value
from leaderboard.charts.marks import Dot, dot
from leaderboard.charts.parts import Json, plain
from leaderboard.charts.rows import RowLabel, place
from leaderboard.labels import judge_name
from leaderboard.theme import token

HEADING = RowLabel(("reported by the paper,", "not run here"), ())
"""Stands above the rows."""

HOLLOW = "circle-open"

AID = " Hollow marks below are the paper's published values, of other targets, pairs and judges, without intervals."
"""Sentence about the paper's values in a figure's reading aid."""


@dataclass(frozen=True)
class Mark:
    """A published value."""

    words: str
    """Text shown on hover."""

    value: float
    """Value of the mark."""

    symbol: str = HOLLOW
    """Plotly's name of the mark."""


@dataclass(frozen=True)
class PublishedRow:
    """A row of published values."""

    name: tuple[str, str]
    """On two lines."""

    values: tuple[str, ...]
    """Numbers shown beside the marks, one text per line of marks."""

    lines: tuple[tuple[Mark, ...], ...]
    """The marks, line by line from above."""


def score_rows(alone: bool) -> list[PublishedRow]:
    """Return the mean scores of the paper's pairs by its judges, best first by the first of them.

    Args:
        alone: Whether our rows have a single mark each: the paper's three then stand on one line.
    """
    means = mean_scores()
    rows = []
    for pair in sorted(means, key=lambda pair: -means[pair][JUDGES[0]]):
        marks = [Mark(f"{judge_name(judge)} · {means[pair][judge]:.2f}", means[pair][judge]) for judge in JUDGES]
        name = (pair.describer, f"+ {pair.generator}")
        if alone:
            said = ", ".join(f"{judge_name(judge)} {means[pair][judge]:.1f}" for judge in JUDGES)
            rows.append(PublishedRow(name, (said,), (tuple(marks),)))
        else:
            rows.append(PublishedRow(name, tuple(mark.words for mark in marks), tuple((mark,) for mark in marks)))
    return rows


def preference_rows() -> list[PublishedRow]:
    """Return the shares of final renderings that the paper's LipSim prefers, highest first, in percent."""
    shares = sorted(mean_preferences().items(), key=lambda entry: -entry[1])
    marks = [(pair, Mark(f"LipSim · {100 * share:.0f} %", 100 * share)) for pair, share in shares]
    return [PublishedRow((pair.describer, f"+ {pair.generator}"), (mark.words,), ((mark,),)) for pair, mark in marks]


def agreement_rows(people: bool) -> list[PublishedRow]:
    """Return the correlations of the paper's judges, with people first if ``people``."""
    tables: tuple[tuple[Literal["table2", "table1"], str], ...] = (
        ("table2", "judge × human"),
        ("table1", "judge × judge"),
    )
    return [
        PublishedRow(
            (_names(agreement.one, agreement.other), kind),
            (f"r · {agreement.pearson:.2f}", f"ρ · {agreement.spearman:.2f}"),
            (
                (Mark(f"r = {agreement.pearson:.2f}", agreement.pearson),),
                (Mark(f"ρ = {agreement.spearman:.2f}", agreement.spearman, "diamond-open"),),
            ),
        )
        for table, kind in (tables if people else tables[1:])
        for agreement in published_agreement(table)
        if agreement.pearson is not None and agreement.spearman is not None
    ]


def _names(first: str, other: str) -> str:
    """Name two raters as in our own rows: the judge first, then people."""
    return f"{judge_name(other)} × people" if first == "human" else f"{judge_name(first)} × {judge_name(other)}"


def drawn(rows: Sequence[PublishedRow], first: int, most: int) -> tuple[list[RowLabel], list[Json], list[Json]]:
    """Return labels, traces and shapes of published rows under their heading.

    Args:
        rows: What is drawn.
        first: Which row of the figure the heading takes, 0-based.
        most: Marks in the row that has most.
    """
    names = [HEADING, *(RowLabel(row.name, row.values) for row in rows)]
    traces = [
        _mark(row, mark, place(at, index, len(row.lines), most))
        for at, row in enumerate(rows, first + 1)
        for index, line in enumerate(row.lines)
        for mark in line
    ]
    return names, traces, [_line(first)]


def _mark(row: PublishedRow, mark: Mark, y: float) -> Json:
    hover = f"{plain(' '.join(row.name))}<br>{plain(mark.words)}<br>reported by the paper, not run here"
    return dot(Dot(Value(mark.value), mark.symbol, token("muted"), hover), y)


def _line(row: int) -> Json:
    return {
        "type": "line",
        "xref": "paper",
        "yref": "y",
        "x0": 0,
        "x1": 1,
        "y0": row,
        "y1": row,
        "layer": "below",
        "line": {"color": token("zero"), "width": 1},
    }
