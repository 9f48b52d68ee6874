"""Effect of the token budget: score and ΔQ of pairs played under several budgets, as in the paper's Figure 17."""

from collections.abc import Sequence
from dataclasses import replace
from math import log10

from ircore.core.plain_words import format_count
from ircore.results.statistics.intervals import are_too_few, clear_of
from ircore.results.tables.intervals import SEM_WORDS
from ircore.results.tables.model import Table
from ircore.results.tables.turns import budgets_table
from leaderboard.charts.data import MOST_PANELS, RUN, Entry, Subject, list_entries, select_columns
from leaderboard.charts.grammar import Json, Missing, Sketch, escape_for_plotly, get_mean, make_axis, make_ticks
from leaderboard.charts.scores import choose_range_around_zero
from leaderboard.charts.tracks import Scale, Spot, Track, draw_panels
from leaderboard.words import labels

_Series = Sequence[Entry]
"""Rows of one pair under several budgets, smallest first."""


def sketch_budget_scores(subject: Subject) -> Sketch | Missing:
    """Draw the mean score by token budget of each pair that was played under several budgets."""
    table = budgets_table(subject.results, subject.judge)
    if not table.rows:
        return Missing("Does a larger token budget give better pictures?", table.notes[0])
    table = subject.barred(table)
    series = _collect_series(table)
    y = make_axis(0, 10.1, make_ticks(0, 10, 5), "mean similarity of the final rendering (0–10)")
    return _build_sketch(subject, table, "score", Scale(_build_budget_axis(series), y), _compose_scores_title(series))


def sketch_budget_scores_sem(subject: Subject) -> Sketch | Missing:
    """Draw the mean score by token budget with bands of one standard error, the bars of the paper's Figure 17."""
    drawn = sketch_budget_scores(Subject(subject.results, subject.pairs, subject.judge, bars="sem"))
    if isinstance(drawn, Missing):
        return drawn
    return replace(
        drawn,
        title="Score by token budget as the paper’s Figure 17 draws it, with bands of one standard error",
        reading_aid=f"Each mark is a mean over the episodes of one budget. {SEM_WORDS}",
    )


def sketch_budget_deltas(subject: Subject) -> Sketch | Missing:
    """Draw ΔQ by token budget of each pair that was played under several budgets, with the line of no change."""
    title = "Does refinement bring more when messages are short?"
    table = budgets_table(subject.results, subject.judge)
    series = _collect_series(table)
    if not series:
        return Missing(title, table.notes[0])
    low, high, step = choose_range_around_zero([row["delta"] for rows in series for row in rows])
    y = make_axis(low, high, make_ticks(low, high, max(step, 1), signed=True), "ΔQ (points of 10)")
    return _build_sketch(
        subject, table, "delta", Scale(_build_budget_axis(series), y, form=labels.format_signed, zero=True), title
    )


def _collect_series(table: Table) -> list[_Series]:
    """Return the rows of each pair that was played under several budgets."""
    groups: list[list[Entry]] = []
    for row in list_entries(table):
        # Rows of one pair stand together, smallest budget first.
        if groups and row["players"] == groups[-1][-1]["players"] and _get_budget(row) > _get_budget(groups[-1][-1]):
            groups[-1].append(row)
        else:
            groups.append([row])
    return list(groups)


def _get_budget(row: Entry) -> int:
    return round(get_mean(row["budget"]) or 1)


def _build_budget_axis(series: Sequence[_Series]) -> Json:
    budgets = sorted({_get_budget(row) for rows in series for row in rows})
    low, high = log10(budgets[0]), log10(budgets[-1])
    # A single budget has no extent of its own.
    spare = 0.06 * (high - low or 1)
    ticks = [(round(log10(budget), 4), str(budget)) for budget in budgets]
    return make_axis(low - spare, high + spare, ticks, "token budget (tokens a message, logarithmic)")


def _build_sketch(subject: Subject, table: Table, key: str, scale: Scale, title: str) -> Sketch:
    series = _collect_series(table)
    tracks = [
        Track(
            # The rules in a pair's name would be those of one budget alone.
            replace(subject.pairs[str(rows[0][RUN].value)], apart=""),
            tuple(
                Spot(
                    round(log10(_get_budget(row)), 4),
                    row[key],
                    hover_text=f"{escape_for_plotly(str(row['players'].value))}, {_get_budget(row)} tokens<br>",
                )
                for row in rows
            ),
        )
        for rows in series[:MOST_PANELS]
    ]
    return Sketch(
        title=title,
        reading_aid=(
            "Each mark is a mean over the episodes of one budget, the band its 95 % interval; only the budget differs"
            " along a line."
        ),
        selection_words=(
            f"Shown are {MOST_PANELS} of the {len(series)} pairs that were played under several budgets."
            if len(series) > MOST_PANELS
            else ""
        ),
        drawing=draw_panels(tracks, scale),
        table=select_columns(table, [RUN, "players", "budget", key, "episode_tokens", "over_budget"]),
    )


def _compose_scores_title(series: Sequence[_Series]) -> str:
    clear = sum(
        not are_too_few(rows[0]["score"].n) and high is not None and clear_of(rows[-1]["score"], high) == 1
        for rows in series
        for high in (rows[0]["score"].high,)
    )
    if not clear:
        return "Does a larger token budget give better pictures? No pair's intervals are clear of each other"
    return (
        f"The largest token budget is clearly better than the smallest for {clear} of "
        f"{format_count(len(series), 'pair')}"
    )
