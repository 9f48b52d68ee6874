"""Charts about judges: agreement between raters, and judges' scores on the people's scale."""

from collections.abc import Mapping, Sequence

from ircore.core.plain_words import format_count
from ircore.results.statistics.calibration_map import Recalibration
from ircore.results.statistics.intervals import clear_of
from ircore.results.statistics.recalibration import Refusal
from ircore.results.tables.games import published_table
from ircore.results.tables.judges import agreement_table, reliability_table
from ircore.results.tables.model import Value
from leaderboard.charts.data import Subject, entries_of, where
from leaderboard.charts.grammar import (
    Drawing,
    Json,
    Missing,
    Sketch,
    axis,
    interval_words,
    mean,
    plain,
    rounded,
    scatter,
    steps,
    vertical,
    whiskers,
    words,
)
from leaderboard.charts.panels import axes_of, diagonal, squares
from leaderboard.charts.published import agreement_rows
from leaderboard.charts.rows import Mark, Row, marked_rows
from leaderboard.charts.tracks import band
from leaderboard.theme import judge_token, token
from leaderboard.words import labels

_MOST = 30
"""Maximum of pairs of raters in a figure; pairs of annotators come last."""

_PUBLISHED = ("published_table2", "published_table1")
"""The paper's tables of agreement: with people, and of judges."""

_MEASURES = (("pearson", "r", "circle"), ("spearman", "ρ", "diamond-open"))
"""Measures in each row: key, sign, mark."""


def agreement_sketch(subject: Subject) -> Sketch | Missing:
    """Draw the correlations of every two raters with their intervals, as the paper's Tables 1, 2 and 4."""
    table = agreement_table(subject.results)
    if not table.rows:
        return Missing("Do judges agree?", table.notes[0])
    entries = entries_of(table)[:_MOST]
    low = min([0.0, *(end for row in entries for key, *_ in _MEASURES if (end := row[key].low) is not None)])
    # Unless an interval goes below zero, the whole width is for 0 to 1.
    first = -1.0 if low < -0.5 else -0.5 if low < 0 else 0.0
    people = any(str(row["kind"].value) == "judge × human" for row in entries)
    return Sketch(
        title=_agreement_title(entries),
        reading_aid=(
            "Each mark is how far two raters' similarity ratings of the same renderings rise together (1 is perfectly,"
            " 0 not at all): Pearson's r as a disc, Spearman's ρ as a diamond, lines 95 % intervals clustered on"
            " pictures; preferences are in the table."
        ),
        drawing=marked_rows(
            [*map(_agreement_row, entries), *agreement_rows(subject.results.game, people)],
            axis(first, 1.0, steps(first, 1, 0.25, 2), "correlation of similarity ratings"),
            [words("no relation", (0, 1), "x paper", "left bottom", (0, 4))],
            30,
            [vertical(0)],
        ),
        table=table,
        # The paper's table of people is left out where no people have rated here.
        published=tuple(published_table(subject.results.game, name) for name in _PUBLISHED[not people :]),
    )


def _agreement_row(row: Mapping[str, Value]) -> Row:
    return Row(
        (f"{row['one'].value} × {row['other'].value}", str(row["kind"].value)),
        tuple(f"{sign} · {labels.number(mean(row[key]))} · n {row[key].n or 0}" for key, sign, _ in _MEASURES),
        tuple((_correlation(row[key], sign, symbol),) for key, sign, symbol in _MEASURES),
    )


def _correlation(value: Value, sign: str, symbol: str) -> Mark:
    return Mark(value, symbol, judge_token(0), f"{sign} = {labels.number(mean(value))}<br>{interval_words(value)}")


def _agreement_title(rows: Sequence[Mapping[str, Value]]) -> str:
    known = [(value, row) for row in rows if (value := mean(row["pearson"])) is not None]
    people = [(value, row) for value, row in known if str(row["kind"].value) == "judge × human"]
    if people:
        best, row = max(people, key=lambda entry: entry[0])
        interval = f"{labels.number(row['pearson'].low)} to {labels.number(row['pearson'].high)}"
        return f"{row['one'].value} agrees best with people: r = {labels.number(best)} ({interval})"
    if known:
        values = [value for value, _ in known]
        ends = dict.fromkeys((labels.number(min(values)), labels.number(max(values))))
        return f"Judges agree with each other at r = {' to '.join(ends)}"
    return "Do judges agree?"


def reliability_sketch(subject: Subject) -> Sketch | Missing:
    """Draw people's scores against each judge's scores with the fitted recalibration, one panel per judge."""
    maps = subject.results.raters.maps
    fitted = {judge: recalibration for judge, recalibration in maps.items() if isinstance(recalibration, Recalibration)}
    if not fitted:
        refusals = dict.fromkeys(refusal.reason for refusal in maps.values() if isinstance(refusal, Refusal))
        reason = f"No judge has a map to people's scores: {'; '.join(refusals) or 'nobody rated'}."
        return Missing("What is a judge's score worth to people?", reason)
    traces = [
        trace
        for panel, (judge, recalibration) in enumerate(fitted.items())
        for trace in _reliability(panel, subject, judge, recalibration)
    ]
    layouts = squares(list(fitted), "mean score by people (0–10)", "score by the judge (0–10)")
    return Sketch(
        title=_reliability_title(fitted),
        reading_aid=(
            "Each mark is what people give on average to renderings that the judge gives about the same score, with its"
            " 95 % interval; the curve is the map fitted to them, the band its uncertainty, and the thin diagonal where"
            " judge and people say the same."
        ),
        drawing=Drawing(traces, *layouts),
        table=reliability_table(subject.results),
    )


def _reliability(panel: int, subject: Subject, judge: str, recalibration: Recalibration) -> list[Json]:
    """Back to front: diagonal, band, map, marks."""
    # A judge has its tone by its place among all judges, so that it is the same in every figure.
    tone = judge_token(subject.results.judges.index(judge))
    points = recalibration.map()
    # Every tenth point is finer than the eye; the last is kept.
    points = (*points[:-1:10], points[-1])
    outline = [(point.judge, point.high) for point in points] + [(point.judge, point.low) for point in reversed(points)]
    curve = scatter(
        mode="lines",
        hoverinfo="skip",
        x=[rounded(point.judge) for point in points],
        y=[rounded(point.human) for point in points],
        line={"color": tone, "width": 2},
        **axes_of(panel),
    )
    return [diagonal(panel), band(outline, token("hairline"), panel), curve, _bins(panel, subject, judge, tone)]


def _bins(panel: int, subject: Subject, judge: str, tone: str) -> Json:
    """Marks of people's mean scores, by bins of the judge's score."""
    table = where(reliability_table(subject.results), "judge", lambda name: name == judge)
    pairs = zip(table.column("score"), table.column("human"), strict=True)
    bins = [(x, human) for score, human in pairs if (x := mean(score)) is not None]
    return scatter(
        mode="markers",
        x=[rounded(x) for x, _ in bins],
        y=[rounded(mean(human)) for _, human in bins],
        error_y=whiskers([human for _, human in bins], tone),
        marker={"symbol": "circle", "size": 8, "color": tone},
        customdata=[
            f"{plain(judge)} {labels.number(x, 1)}, people {labels.number(mean(human), 1)}<br>{interval_words(human)}"
            for x, human in bins
        ],
        hovertemplate="%{customdata}<extra></extra>",
        **axes_of(panel),
    )


def _reliability_title(fitted: Mapping[str, Recalibration]) -> str:
    sides = [clear_of(recalibration.before.bias, 0) for recalibration in fitted.values()]
    high, low = sides.count(1), sides.count(-1)
    if not high and not low:
        return "What is a judge's score worth to people? No judge is clearly too generous or too strict"
    judges = f" of {format_count(len(fitted), 'judge')}"
    parts = [f"{high}{judges} give{'s' if high == 1 else ''} more than people"] if high else []
    if low:
        parts.append(f"{low}{'' if high else judges} give{'s' if low == 1 else ''} less")
    return ", ".join(parts)
