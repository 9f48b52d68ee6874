"""Figures about judges: agreement between raters, and judges' scores on the people's scale."""

from collections.abc import Mapping, Sequence
from typing import Literal

from ircore.results.statistics.calibration_map import Recalibration
from ircore.results.statistics.intervals import clear_of
from ircore.results.statistics.recalibration import Refusal
from ircore.results.tables.agreement import agreement_table
from ircore.results.tables.model import Value
from ircore.results.tables.published import published_agreement_table
from ircore.results.tables.recalibration import reliability_table
from leaderboard import labels
from leaderboard.charts.data import Subject, picked, where
from leaderboard.charts.marks import Dot, dot
from leaderboard.charts.panels import axis_name
from leaderboard.charts.parts import (
    Json,
    Missing,
    Sketch,
    axis,
    interval_words,
    mean,
    plain,
    rounded,
    steps,
    vertical,
    words,
)
from leaderboard.charts.published import AID, agreement_rows, drawn
from leaderboard.charts.rows import RowLabel, place, row_layouts
from leaderboard.charts.squares import diagonal, square_layout
from leaderboard.theme import judge_token, token

_MOST = 30
"""Pairs of raters in a figure; annotators among themselves come last."""

_PUBLISHED: tuple[Literal["table2", "table1"], ...] = ("table2", "table1")
"""The paper's tables of agreement: with people, and of judges."""

_MARKS = (("pearson", "r", "circle"), ("spearman", "ρ", "diamond-open"))
"""Measures in each row: key, sign, mark."""


def agreement_sketch(subject: Subject) -> Sketch | Missing:
    """Draw the correlations of every two raters with their intervals, as the paper's Tables 1, 2 and 4."""
    table = agreement_table(subject.results)
    if not table.rows:
        return Missing("Do judges agree?", table.notes[0])
    keys = [column.key for column in table.columns]
    rows = [dict(zip(keys, row, strict=True)) for row in table.rows[:_MOST]]
    names = [
        RowLabel(
            (f"{row['one'].value} × {row['other'].value}", str(row["kind"].value)),
            tuple(f"{sign} · {labels.number(mean(row[key]))} · n {row[key].n or 0}" for key, sign, _ in _MARKS),
        )
        for row in rows
    ]
    traces = [
        dot(_correlation(row[key], sign, mark), place(at, index, len(_MARKS)))
        for at, row in enumerate(rows)
        for index, (key, sign, mark) in enumerate(_MARKS)
    ]
    low = min([0.0, *(end for row in rows for key, *_ in _MARKS if (end := row[key].low) is not None)])
    first = -1.0 if low < -0.5 else -0.5 if low < 0 else 0.0
    people = any(str(row["kind"].value) == "judge × human" for row in rows)
    more_names, more_traces, shapes = drawn(agreement_rows(people), len(names), len(_MARKS))
    wide, narrow = row_layouts(
        [*names, *more_names],
        axis(first, 1.0, steps(first, 1, 0.25, 2), title={"text": "correlation of similarity ratings"}),
        [words("no relation", 0, 1, xref="x", yref="paper", yanchor="bottom", yshift=4, xanchor="left")],
        30,
        shapes=[vertical(0), *shapes],
    )
    return Sketch(
        title=_agreement_title(rows),
        reading_aid=(
            "Each mark is how far two raters' similarity ratings of the same renderings rise together (1 is perfectly,"
            " 0 not at all): Pearson's r as a disc, Spearman's ρ as a diamond, lines 95 % intervals clustered on"
            " pictures; preferences are in the table." + AID
        ),
        traces=[*traces, *more_traces],
        wide=wide,
        narrow=narrow,
        table=table,
        published=tuple(published_agreement_table(number) for number in _PUBLISHED[not people :]),
    )


def reliability_sketch(subject: Subject) -> Sketch | Missing:
    """Draw what people say of what a judge gives a score, and the map made of it, a panel a judge."""
    title = "What is a judge's score worth to people?"
    maps = subject.results.raters.maps
    fitted = {judge: recalibration for judge, recalibration in maps.items() if isinstance(recalibration, Recalibration)}
    if not fitted:
        reasons = dict.fromkeys(
            recalibration.reason for recalibration in maps.values() if isinstance(recalibration, Refusal)
        )
        return Missing(title, f"No judge has a map to people's scores: {'; '.join(reasons) or 'nobody rated'}.")
    table = reliability_table(subject.results)
    axes = ("mean score by people (0–10)", "score by the judge (0–10)")
    traces = [
        {**trace, "xaxis": axis_name("x", panel), "yaxis": axis_name("y", panel)}
        for panel, (judge, recalibration) in enumerate(fitted.items())
        for trace in _reliability(subject, judge, recalibration, _bins(subject, judge))
    ]
    return Sketch(
        title=_reliability_title(fitted),
        reading_aid=(
            "Each mark is what people give on average to renderings that the judge gives about the same score, with its"
            " 95 % interval; the curve is the map fitted to them, the band its uncertainty, and the thin diagonal where"
            " judge and people say the same."
        ),
        traces=traces,
        wide=square_layout(list(fitted), min(len(fitted), 3), *axes),
        narrow=square_layout(list(fitted), 1, *axes),
        table=picked(table, [column.key for column in table.columns]),
    )


def _correlation(value: Value, sign: str, mark: str) -> Dot:
    return Dot(value, mark, judge_token(0), f"{sign} = {labels.number(mean(value))}<br>{interval_words(value)}")


def _agreement_title(rows: Sequence[Mapping[str, Value]]) -> str:
    known = [(value, row) for row in rows if (value := mean(row["pearson"])) is not None]
    people = [(value, row) for value, row in known if str(row["kind"].value) == "judge × human"]
    if people:
        best, row = max(people, key=lambda entry: entry[0])
        interval = f"{labels.number(row['pearson'].low)} to {labels.number(row['pearson'].high)}"
        return f"{row['one'].value} agrees best with people: r = {labels.number(best)} ({interval})"
    if known:
        values = [value for value, _ in known]
        return f"Judges agree with each other at r = {labels.number(min(values))} to {labels.number(max(values))}"
    return "Do judges agree?"


def _bins(subject: Subject, judge: str) -> list[tuple[float, Value]]:
    table = where(reliability_table(subject.results), "judge", lambda name: name == judge)
    pairs = zip(table.column("score"), table.column("human"), strict=True)
    return [(value, human) for score, human in pairs if (value := mean(score)) is not None]


def _reliability(
    subject: Subject, judge: str, recalibration: Recalibration, bins: Sequence[tuple[float, Value]]
) -> list[Json]:
    """Back to front: diagonal, band, map, marks."""
    tone = judge_token(subject.results.judges.index(judge))
    points = recalibration.map()
    # Every tenth point is finer than the eye; the last is kept.
    points = (*points[:-1:10], points[-1])
    outline = [(point.judge, point.high) for point in points] + [(point.judge, point.low) for point in reversed(points)]
    plain_line = {"type": "scatter", "mode": "lines", "hoverinfo": "skip"}
    return [
        diagonal(),
        {
            **plain_line,
            "x": [rounded(x) for x, _ in outline],
            "y": [rounded(y) for _, y in outline],
            "fill": "toself",
            "fillcolor": token("hairline"),
            "line": {"width": 0},
        },
        {
            **plain_line,
            "x": [rounded(point.judge) for point in points],
            "y": [rounded(point.human) for point in points],
            "line": {"color": tone, "width": 2},
        },
        {
            "type": "scatter",
            "mode": "markers",
            "x": [rounded(x) for x, _ in bins],
            "y": [rounded(mean(human)) for _, human in bins],
            "error_y": {
                "type": "data",
                "symmetric": False,
                "array": [_gap(human.high, mean(human)) for _, human in bins],
                "arrayminus": [_gap(mean(human), human.low) for _, human in bins],
                "color": tone,
                "thickness": 1.5,
                "width": 0,
            },
            "marker": {"symbol": "circle", "size": 8, "color": tone},
            "customdata": [
                f"{plain(judge)} {labels.number(x, 1)}, people {labels.number(mean(human), 1)}"
                f"<br>{interval_words(human)}"
                for x, human in bins
            ],
            "hovertemplate": "%{customdata}<extra></extra>",
        },
    ]


def _gap(further: float | None, nearer: float | None) -> float:
    return 0.0 if further is None or nearer is None else round(further - nearer, 3)


def _reliability_title(fitted: Mapping[str, Recalibration]) -> str:
    bias = {judge: recalibration.before.bias for judge, recalibration in fitted.items()}
    high = [judge for judge, difference in bias.items() if clear_of(difference, 0) == 1]
    low = [judge for judge, difference in bias.items() if clear_of(difference, 0) == -1]
    if not high and not low:
        return "What is a judge's score worth to people? No judge is clearly too generous or too strict"
    said = [f"{len(high)} of {len(fitted)} judges give more than people"] if high else []
    said += (
        [f"{len(low)} {'' if high else f'of {len(fitted)} judges '}give{'s' if len(low) == 1 else ''} less"]
        if low
        else []
    )
    return ", ".join(said)
