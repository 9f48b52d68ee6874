"""Effect of the token budget: score and ΔQ of pairs played under several budgets, as in the paper's Figure 17."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from math import log10

from ircore.results.statistics.intervals import clear_of, too_few
from ircore.results.tables.model import Table, Value
from ircore.results.tables.turns import budgets_table
from leaderboard import labels
from leaderboard.charts.data import MOST_PANELS, RUN, Subject, picked
from leaderboard.charts.dots import around_zero
from leaderboard.charts.panels import Scale, Spot, Track, panels
from leaderboard.charts.parts import Missing, Sketch, mean, plain, steps
from leaderboard.site import Pair


@dataclass(frozen=True)
class _Series:
    """The rows of one pair under several budgets, smallest first."""

    name: str
    pair: Pair
    rows: tuple[Mapping[str, Value], ...]


def budget_scores_sketch(subject: Subject) -> Sketch | Missing:
    """Draw the score of each such pair by budget."""
    table = budgets_table(subject.results, subject.judge)
    series = _series(subject, table)
    if not series:
        return Missing("Does a larger token budget give better pictures?", table.notes[0])
    scale = _scale(series, (0, 10.1), steps(0, 10, 5), "mean similarity of the final rendering (0–10)", labels.number)
    return _sketch(table, series, "score", scale, _scores_title(series))


def budget_deltas_sketch(subject: Subject) -> Sketch | Missing:
    """Draw ΔQ of each such pair by budget, with the line of no change."""
    table = budgets_table(subject.results, subject.judge)
    series = _series(subject, table)
    if not series:
        return Missing("Does refinement bring more when messages are short?", table.notes[0])
    low, high, step = around_zero([row["delta"] for curve in series for row in curve.rows])
    ticks = steps(low, high, max(step, 1), signed=True)
    scale = _scale(series, (low, high), ticks, "ΔQ (points of 10)", labels.signed, lines=(0.0,))
    return _sketch(table, series, "delta", scale, "Does refinement bring more when messages are short?")


def _series(subject: Subject, table: Table) -> list[_Series]:
    keys = [column.key for column in table.columns]
    rows = [dict(zip(keys, row, strict=True)) for row in table.rows]
    groups: list[list[Mapping[str, Value]]] = []
    for row in rows:
        # Rows of one pair stand together, smallest budget first.
        if groups and row["players"] == groups[-1][-1]["players"] and _budget(row) > _budget(groups[-1][-1]):
            groups[-1].append(row)
        else:
            groups.append([row])
    return [
        _Series(
            str(group[0]["players"].value), replace(subject.pairs[str(group[0][RUN].value)], apart=""), tuple(group)
        )
        for group in groups[:MOST_PANELS]
    ]


def _budget(row: Mapping[str, Value]) -> int:
    return round(mean(row["budget"]) or 1)


def _scale(
    series: Sequence[_Series],
    y: tuple[float, float],
    y_ticks: Sequence[tuple[float, str]],
    y_title: str,
    form: Callable[[float | None], str],
    lines: tuple[float, ...] = (),
) -> Scale:
    budgets = sorted({_budget(row) for curve in series for row in curve.rows})
    spare = 0.06 * (log10(budgets[-1]) - log10(budgets[0]) or 1)
    return Scale(
        x=(log10(budgets[0]) - spare, log10(budgets[-1]) + spare),
        x_ticks=[(round(log10(budget), 4), str(budget)) for budget in budgets],
        x_title="token budget (tokens a message, logarithmic)",
        y=y,
        y_ticks=y_ticks,
        y_title=y_title,
        form=form,
        lines=lines,
    )


def _sketch(table: Table, series: Sequence[_Series], key: str, scale: Scale, title: str) -> Sketch:
    tracks = [
        Track(
            curve.pair,
            tuple(
                Spot(round(log10(_budget(row)), 4), row[key], 1.0, f"{plain(curve.name)}, {_budget(row)} tokens<br>")
                for row in curve.rows
            ),
        )
        for curve in series
    ]
    traces, wide, narrow = panels(tracks, scale)
    return Sketch(
        title=title,
        reading_aid=(
            "Each mark is a mean over the episodes of one budget, the band its 95 % interval; only the budget differs"
            " along a line."
        ),
        traces=traces,
        wide=wide,
        narrow=narrow,
        table=picked(table, [RUN, "players", "budget", key, "tokens", "over_budget"]),
    )


def _scores_title(series: Sequence[_Series]) -> str:
    clear = [
        curve
        for curve in series
        if (first := curve.rows[0]["score"]).high is not None
        and not too_few(first.n)
        and clear_of(curve.rows[-1]["score"], first.high) == 1
    ]
    if not clear:
        return "Does a larger token budget give better pictures? No pair's intervals are clear of each other"
    return f"The largest token budget is clearly better than the smallest for {len(clear)} of {len(series)} pairs"
