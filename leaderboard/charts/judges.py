"""Charts about judges: agreement between raters, judges' scores on the people's scale, and judge against judge.

Judge against judge is the joint distribution of two judges' scores of the same renderings, with the line of agreement.
"""

from collections.abc import Mapping, Sequence

from ircore.core.plain_words import format_count
from ircore.results.agreement import CrossedRatings
from ircore.results.statistics.calibration_map import Recalibration
from ircore.results.statistics.intervals import clear_of
from ircore.results.statistics.recalibration import Refusal
from ircore.results.tables.games import published_table
from ircore.results.tables.judges import agreement_table, ratings_table, reliability_table
from ircore.results.tables.model import Value
from leaderboard import words
from leaderboard.charts.data import ChartSubject, filter_rows, list_entries
from leaderboard.charts.grammar import (
    Json,
    Missing,
    PlotlyDrawing,
    Sketch,
    describe_interval,
    escape_for_plotly,
    get_mean,
    make_annotation,
    make_axis,
    make_scatter,
    make_ticks,
    make_vertical_line,
    make_whiskers,
    round_value,
)
from leaderboard.charts.panels import build_square_layouts, draw_diagonal, name_axes
from leaderboard.charts.rows import ChartMark, MarkRow, build_agreement_rows, draw_marked_rows
from leaderboard.charts.tracks import draw_band
from leaderboard.theme import judge_token, token

_MOST = 30
"""Maximum of pairs of raters in a figure; pairs of annotators come last."""

_PUBLISHED = ("published_table2", "published_table1")
"""The paper's tables of agreement: with people, and of judges."""

_MEASURES = (("pearson", "r", "circle"), ("spearman", "ρ", "diamond-open"))
"""Measures in each row: key, sign, mark."""


def sketch_agreement(subject: ChartSubject) -> Sketch | Missing:
    """Draw the correlations of every two raters with their intervals, as the paper's Tables 1, 2 and 4."""
    table = agreement_table(subject.results)
    if not table.rows:
        return Missing("Do judges agree?", table.notes[0])
    entries = list_entries(table)[:_MOST]
    low = min([0.0, *(end for row in entries for key, *_ in _MEASURES if (end := row[key].low) is not None)])
    # Unless an interval goes below zero, the whole width is for 0 to 1.
    first = -1.0 if low < -0.5 else -0.5 if low < 0 else 0.0
    people = any(str(row["kind"].value) == "judge × human" for row in entries)
    return Sketch(
        title=_compose_agreement_title(entries),
        reading_aid=(
            "Each mark is how far two raters' similarity ratings of the same renderings rise together (1 is perfectly,"
            " 0 not at all): Pearson's r as a disc, Spearman's ρ as a diamond, lines 95 % intervals clustered on"
            " pictures; preferences are in the table."
        ),
        drawing=draw_marked_rows(
            [*map(_build_agreement_row, entries), *build_agreement_rows(subject.results.game, people)],
            make_axis(first, 1.0, make_ticks(first, 1, 0.25, 2), "correlation of similarity ratings"),
            [make_annotation("no relation", (0, 1), "x paper", "left bottom", (0, 4))],
            30,
            [make_vertical_line(0)],
        ),
        table=table,
        # The paper's table of people is left out where no people have rated here.
        published=tuple(published_table(subject.results.game, name) for name in _PUBLISHED[not people :]),
    )


def _build_agreement_row(row: Mapping[str, Value]) -> MarkRow:
    return MarkRow(
        (f"{row['one'].value} × {row['other'].value}", str(row["kind"].value)),
        tuple(f"{sign} · {words.number(get_mean(row[key]))} · n {row[key].n or 0}" for key, sign, _ in _MEASURES),
        tuple((_make_correlation_mark(row[key], sign, symbol),) for key, sign, symbol in _MEASURES),
    )


def _make_correlation_mark(value: Value, sign: str, symbol: str) -> ChartMark:
    return ChartMark(
        value, symbol, judge_token(0), f"{sign} = {words.number(get_mean(value))}<br>{describe_interval(value)}"
    )


def _compose_agreement_title(rows: Sequence[Mapping[str, Value]]) -> str:
    known = [(value, row) for row in rows if (value := get_mean(row["pearson"])) is not None]
    people = [(value, row) for value, row in known if str(row["kind"].value) == "judge × human"]
    if people:
        best, row = max(people, key=lambda entry: entry[0])
        interval = f"{words.number(row['pearson'].low)} to {words.number(row['pearson'].high)}"
        return f"{row['one'].value} agrees best with people: r = {words.number(best)} ({interval})"
    if known:
        values = [value for value, _ in known]
        ends = dict.fromkeys((words.number(min(values)), words.number(max(values))))
        return f"Judges agree with each other at r = {' to '.join(ends)}"
    return "Do judges agree?"


def sketch_reliability(subject: ChartSubject) -> Sketch | Missing:
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
        for trace in _draw_reliability(panel, subject, judge, recalibration)
    ]
    layouts = build_square_layouts(list(fitted), "mean score by people (0–10)", "score by the judge (0–10)")
    return Sketch(
        title=_compose_reliability_title(fitted),
        reading_aid=(
            "Each mark is what people give on average to renderings that the judge gives about the same score, with its"
            " 95 % interval; the curve is the map fitted to them, the band its uncertainty, and the thin diagonal where"
            " judge and people say the same."
        ),
        drawing=PlotlyDrawing(traces, *layouts),
        table=reliability_table(subject.results),
    )


def _draw_reliability(panel: int, subject: ChartSubject, judge: str, recalibration: Recalibration) -> list[Json]:
    """Back to front: diagonal, band, map, marks."""
    # A judge has its tone by its place among all judges, so that it is the same in every figure.
    tone = judge_token(subject.results.judges.index(judge))
    points = recalibration.map()
    # Every tenth point is finer than the eye; the last is kept.
    points = (*points[:-1:10], points[-1])
    outline = [(point.judge, point.high) for point in points] + [(point.judge, point.low) for point in reversed(points)]
    curve = make_scatter(
        mode="lines",
        hoverinfo="skip",
        x=[round_value(point.judge) for point in points],
        y=[round_value(point.human) for point in points],
        line={"color": tone, "width": 2},
        **name_axes(panel),
    )
    return [
        draw_diagonal(panel),
        draw_band(outline, token("hairline"), panel),
        curve,
        _draw_bins(panel, subject, judge, tone),
    ]


def _draw_bins(panel: int, subject: ChartSubject, judge: str, tone: str) -> Json:
    """Marks of people's mean scores, by bins of the judge's score."""
    table = filter_rows(reliability_table(subject.results), "judge", lambda name: name == judge)
    pairs = zip(table.column("score"), table.column("human"), strict=True)
    bins = [(x, human) for score, human in pairs if (x := get_mean(score)) is not None]
    return make_scatter(
        mode="markers",
        x=[round_value(x) for x, _ in bins],
        y=[round_value(get_mean(human)) for _, human in bins],
        error_y=make_whiskers([human for _, human in bins], tone),
        marker={"symbol": "circle", "size": 8, "color": tone},
        customdata=[
            f"{escape_for_plotly(judge)} {words.number(x, 1)}, people {words.number(get_mean(human), 1)}"
            f"<br>{describe_interval(human)}"
            for x, human in bins
        ],
        hovertemplate="%{customdata}<extra></extra>",
        **name_axes(panel),
    )


def _compose_reliability_title(fitted: Mapping[str, Recalibration]) -> str:
    sides = [clear_of(recalibration.before.bias, 0) for recalibration in fitted.values()]
    high, low = sides.count(1), sides.count(-1)
    if not high and not low:
        return "What is a judge's score worth to people? No judge is clearly too generous or too strict"
    judges = f" of {format_count(len(fitted), 'judge')}"
    parts = [f"{high}{judges} give{'s' if high == 1 else ''} more than people"] if high else []
    if low:
        parts.append(f"{low}{'' if high else judges} give{'s' if low == 1 else ''} less")
    return ", ".join(parts)


_MOST_PAIRS_OF_JUDGES = 9
"""Maximum of panels in the figure; the table has all pairs of raters."""

_LARGEST, _LEAST = 26.0, 3.5
"""Diameters of the commonest and of the rarest mark, CSS pixels: two neighbours touch but do not cover each other."""


def sketch_ratings(subject: ChartSubject) -> Sketch | Missing:
    """Draw a joint histogram of the scores of every two judges, one panel per two judges."""
    crossings = subject.results.raters.crossed
    if not crossings:
        reason = "It needs two judges, or a judge and people, who rated the same renderings."
        return Missing("Do two judges mean the same by a number?", reason)
    shown = crossings[:_MOST_PAIRS_OF_JUDGES]
    names = [f"{crossed.first_judge} × {crossed.second_judge}" for crossed in shown]
    traces = [trace for at, crossed in enumerate(shown) for trace in (_draw_marks(at, crossed), draw_diagonal(at))]
    layouts = build_square_layouts(names, "score by the second named (0–10)", "score by the first named (0–10)")
    return Sketch(
        title=_compose_title(crossings),
        reading_aid=(
            "Each mark is some renderings that the first named judge gave the score below and the second the score at"
            " the left, to whole points; its area is how many. On the dotted line both say the same: above it the"
            " second gives more."
            + (
                f" Shown are {_MOST_PAIRS_OF_JUDGES} of {len(crossings)}."
                if len(crossings) > _MOST_PAIRS_OF_JUDGES
                else ""
            )
        ),
        drawing=PlotlyDrawing(traces, *layouts),
        table=ratings_table(subject.results),
    )


def _compose_title(crossings: Sequence[CrossedRatings]) -> str:
    shares = [crossed.near for crossed in crossings]
    low, high = words.format_share(min(shares)), words.format_share(max(shares))
    span = f"{low} %" if low == high else f"{low} to {high} %"
    return f"Two judges are within one point of each other on {span} of renderings"


def _draw_marks(panel: int, crossed: CrossedRatings) -> Json:
    most = max(crossed.counts.values())
    return make_scatter(
        mode="markers",
        cliponaxis=False,  # a large mark at the end of a scale is whole
        x=[x for x, _ in crossed.counts],
        y=[y for _, y in crossed.counts],
        marker={
            "symbol": "circle",
            # The square root makes the area, not the diameter, stand for the count.
            "size": [round(max(_LEAST, _LARGEST * (count / most) ** 0.5), 1) for count in crossed.counts.values()],
            "color": token("context"),
            "opacity": 1,
            "line": {"width": 1, "color": token("muted")},
        },
        customdata=[
            f"{escape_for_plotly(crossed.first_judge)} {x}, {escape_for_plotly(crossed.second_judge)} {y}"
            f"<br>{format_count(count, 'rendering')}"
            for (x, y), count in crossed.counts.items()
        ],
        hovertemplate="%{customdata}<extra></extra>",
        **name_axes(panel),
    )
