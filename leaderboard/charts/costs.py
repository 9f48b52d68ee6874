"""Charts of score against the cost of an episode, in US dollars and in seconds."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from math import ceil, floor, log10

from ircore.core.plain_words import format_count
from ircore.results.model import BoardRow
from ircore.results.tables.model import Value
from leaderboard import words
from leaderboard.charts.data import RUN, ChartSubject, select_runs
from leaderboard.charts.grammar import (
    FOOT,
    Json,
    Missing,
    PlotlyDrawing,
    Sketch,
    Ticks,
    build_layout,
    describe_interval,
    escape_for_plotly,
    get_mean,
    has_enough_samples,
    list_interval_ends,
    make_annotation,
    make_axis,
    make_scatter,
    make_ticks,
    make_whiskers,
    name_pair,
    round_value,
)
from leaderboard.charts.names_beside import NamedSpot, Place, choose_places
from leaderboard.model.site import Pair
from leaderboard.theme import NARROW, describer_token, generator_symbol, token

MOST_POINTS = 60
"""Maximum of pairs drawn: the best by score, and every pair on the frontier."""

_ALL_NAMED = 8
"""Number of pairs up to which the figure names all; beyond, it names the pairs on the frontier."""

_WIDTHS = {60: NARROW, 26: 358}
"""Width that names must fit, CSS pixels, by the characters of a name: of the wide and of the narrow layout."""

_PLOT, _LEFT, _RIGHT, _TOP = 346, 46, 14, 14
"""Height of the plot, and room around it, CSS pixels."""

_Points = Mapping[str, tuple[float, float]]
"""Place on the axis, the logarithm of the effort or that of the strip of free pairs, and score, by run_id."""

_STRIP = 0.4
"""Distance of the strip of free pairs from the least effort above 0, in powers of ten: 0 has no logarithm."""


@dataclass(frozen=True)
class EffortAxis:
    """A quantity that an episode takes.

    >>> SECONDS.format_value(90)
    '90 s an episode'
    """

    key: str
    """Key of its column in the board's table."""

    title: str
    """The question of its figure."""

    less: str
    """What a frontier is about, in words: no pair is better at ``less``."""

    axis: str
    """Title of its axis."""

    unknown: str
    """Reason why there is no figure if no pair has it."""

    form: Callable[[float], str]
    """Format of its numbers on the axis."""

    unit: tuple[str, str]
    """What stands before and behind a number in the text shown on hover."""

    none: str
    """Name of the strip of pairs that take nothing of it."""

    def format_value(self, value: float) -> str:
        """Return a number with its unit, in words."""
        before, behind = self.unit
        if not value:
            return f"{self.none} an episode"
        return f"{before}{self.form(value)}{behind} an episode"


def _format_money(value: float) -> str:
    # Cents need their significant digits; dollars are read with two decimals.
    return f"{value:.2g}" if value < 1 else f"{value:.2f}"


COST = EffortAxis(
    key="cost",
    title="What does a better picture cost?",
    less="a lower cost",
    axis="cost of an episode (US$, logarithmic)",
    unknown="No pair's cost is known: prices of its players are needed (or they cost nothing).",
    form=_format_money,
    unit=("US$ ", ""),
    none="free",
)

SECONDS = EffortAxis(
    key="seconds",
    title="How long does a better picture take?",
    less="fewer seconds",
    axis="seconds of an episode (logarithmic)",
    unknown="No pair's seconds are known.",
    form=lambda value: f"{value:.2g}" if value < 10 else f"{value:.0f}",
    unit=("", " s"),
    none="0 s",
)


def sketch_costs(subject: ChartSubject) -> Sketch | Missing:
    """Draw each pair's score against its cost per episode, free pairs in a strip of their own."""
    return _sketch_effort(subject, COST)


def sketch_seconds(subject: ChartSubject) -> Sketch | Missing:
    """Draw each pair's score against its seconds per episode."""
    return _sketch_effort(subject, SECONDS)


def _sketch_effort(subject: ChartSubject, effort: EffortAxis) -> Sketch | Missing:
    efforts, scores = subject.by_run(subject.judge, effort.key), subject.by_run(subject.judge, "score")
    taken = {
        pair.run_id: amount
        for pair in subject.ranked
        if (amount := get_mean(efforts[pair.run_id])) is not None and get_mean(scores[pair.run_id]) is not None
    }
    paid = [log10(amount) for amount in taken.values() if amount > 0]
    if not paid:
        return Missing(effort.title, effort.unknown)
    free = min(paid) - _STRIP
    points = {
        run_id: (log10(amount) if amount > 0 else free, get_mean(scores[run_id]) or 0.0)
        for run_id, amount in taken.items()
    }
    known = [pair for pair in subject.ranked if pair.run_id in points]
    best = _find_frontier(known, points)
    rows = {row.submission.run_id: row for row in subject.results.board(subject.judge, subject.category)}
    ranked = [row for run_id, row in rows.items() if run_id in taken and row.rank_low is not None]
    # A cheap pair may be on the frontier without being among the best.
    usual = known[:MOST_POINTS] + [pair for pair in best if pair not in known[:MOST_POINTS]]
    shown = known if subject.choice else usual
    few = len(usual) <= _ALL_NAMED
    unknown = sum(get_mean(efforts[pair.run_id]) is None for pair in subject.ranked)
    left_out = len(subject.pairs) - len(usual) - unknown
    named = shown if few else best
    strip = free if any(amount == 0 for amount in taken.values()) else None
    wide, narrow = (_build_layout(effort, named, shown, points, scores, length, strip) for length in _WIDTHS)
    marks = [_draw_mark(effort, pair, points[pair.run_id], taken[pair.run_id], scores[pair.run_id]) for pair in shown]
    return Sketch(
        title=subject.among_words() + _compose_title(effort, ranked, taken),
        reading_aid=(
            "Each mark is a pair: further left is less, further up is better, lines are 95 % intervals of the score."
            " The stepped line joins the highest scores that can be had for the same or less. Beaten is a pair if"
            " another takes no more and has better ranks, ranges that do not overlap: by main score, intervals"
            " included."
            + (" Pairs without a rank are drawn and not counted." if 1 < len(ranked) < len(taken) else "")
            + ("" if few else " Those on the line alone are named.")
            + (f" Pairs that take nothing stand in the strip on the left: {effort.none}." if strip is not None else "")
            + (f" {format_count(unknown, 'pair')} of unknown {effort.key} cannot be placed." if unknown else "")
            + (f" {format_count(left_out, 'pair')} of lower score not shown." if left_out else "")
        ),
        drawing=PlotlyDrawing(
            [_draw_frontier(best, points, max(x for x, _ in points.values())), *marks],
            wide,
            narrow,
            "points",
            [pair.key for pair in usual],
        ),
        table=select_runs(
            subject.board(subject.judge, [RUN, "pair", "score", effort.key]), [pair.run_id for pair in shown]
        ),
        question=effort.title,
        says={
            pair.key: f"{words.number(points[pair.run_id][1])} for {effort.format_value(taken[pair.run_id])}"
            for pair in shown
            if has_enough_samples(scores[pair.run_id])
        },
    )


def _compose_title(effort: EffortAxis, ranked: Sequence[BoardRow], taken: Mapping[str, float]) -> str:
    """Return how many pairs are not beaten by the board's ranks; the bare question where no two pairs have ranks."""
    if len(ranked) < 2:
        return effort.title
    beaten = sum(
        any(
            (better.rank_high or 0) < (row.rank_low or 0)
            and taken[better.submission.run_id] <= taken[row.submission.run_id]
            for better in ranked
        )
        for row in ranked
    )
    left = len(ranked) - beaten
    verb, noun = "is" if left == 1 else "are", "pair" if len(ranked) == len(taken) else "ranked pair"
    return f"{effort.title} {left} of {format_count(len(ranked), noun)} {verb} not clearly beaten at {effort.less}"


def _find_frontier(pairs: Sequence[Pair], points: _Points) -> list[Pair]:
    """Return pairs whose score none of the same or a lower effort reaches, the least effort first."""
    frontier: list[Pair] = []
    # Of pairs with the same effort the best comes first, so that the others cannot be on the frontier.
    for pair in sorted(pairs, key=lambda pair: (points[pair.run_id][0], -points[pair.run_id][1])):
        if not frontier or points[pair.run_id][1] > points[frontier[-1].run_id][1]:
            frontier.append(pair)
    return frontier


def _draw_frontier(frontier: Sequence[Pair], points: _Points, right: float) -> Json:
    """Return the best score that can be had for an effort, as steps up to the largest effort."""
    corners = [points[pair.run_id] for pair in frontier]
    # The last step goes on to the dearest pair: more money buys nothing better there.
    ends = [x for x, _ in corners[1:]] + [right]
    steps_of = [corner for (x, y), end in zip(corners, ends, strict=True) for corner in ((x, y), (end, y))]
    return make_scatter(
        mode="lines",
        x=[round_value(x) for x, _ in steps_of],
        y=[round_value(y) for _, y in steps_of],
        line={"color": token("zero"), "width": 1, "dash": "dot"},
        hoverinfo="skip",
        showlegend=False,
    )


def _draw_mark(effort: EffortAxis, pair: Pair, place: tuple[float, float], amount: float, score: Value) -> Json:
    (x, value), colour = place, describer_token(pair.hue)
    return make_scatter(
        mode="markers",
        cliponaxis=False,  # a mark at the end of its scale is whole
        meta=pair.key,
        name=escape_for_plotly(name_pair(pair), 60),
        x=[round_value(x)],
        y=[round_value(value)],
        error_y=make_whiskers([score], colour),
        marker={"symbol": generator_symbol(pair.shape), "size": 11, "color": colour},
        hovertemplate=(
            f"{escape_for_plotly(name_pair(pair))}<br>{words.number(value)}, {describe_interval(score)}"
            f"<br>{effort.format_value(amount)}<extra></extra>"
        ),
    )


def _build_layout(
    effort: EffortAxis,
    named: Sequence[Pair],
    shown: Sequence[Pair],
    points: _Points,
    scores: Mapping[str, Value],
    length: int,
    strip: float | None,
) -> Json:
    efforts = [points[pair.run_id][0] for pair in shown]
    ends = list_interval_ends([scores[pair.run_id] for pair in shown])
    low, high = floor(min(ends)), ceil(max(ends))
    # A lone whole number has no extent of its own.
    x, y = (min(efforts) - 0.15, max(efforts) + 0.15), (low, high) if low < high else (low - 1, high + 1)
    # Where a strip stands, the axis of logarithms begins beyond the line that parts the two.
    begins = x[0] if strip is None else strip + _STRIP / 2
    ticks = [
        *([] if strip is None else [(strip, effort.none)]),
        *_choose_ticks(begins, x[1], effort.form, strip is None),
    ]
    line = {"xref": "x", "yref": "y domain", "x0": begins, "x1": begins, "y0": 0, "y1": 1, "line": {"width": 1}}
    annotations = [
        make_annotation(
            spot.name,
            points[pair.run_id],
            "x y",
            anchor,
            shift,
            colour=describer_token(pair.hue, "-text"),
            name=pair.key,
        )
        for pair, spot, (anchor, shift) in _place_names(named, shown, points, scores, (x, y), length)
    ]
    return build_layout(
        _PLOT + _TOP + FOOT,
        _LEFT,
        _RIGHT,
        _TOP,
        xaxis=make_axis(*x, ticks, effort.axis),
        yaxis=make_axis(*y, make_ticks(*y, 1), "mean similarity (0–10)", showline=True, linecolor=token("zero")),
        annotations=annotations,
        # Shown where a reader chose a few pairs.
        legend={"x": 0, "xanchor": "left", "y": 0, "yref": "container", "yanchor": "bottom"},
        shapes=[] if strip is None else [line],
    )


def _place_names(
    named: Sequence[Pair],
    shown: Sequence[Pair],
    points: _Points,
    scores: Mapping[str, Value],
    ranges: tuple[tuple[float, float], tuple[float, float]],
    length: int,
) -> list[tuple[Pair, NamedSpot, Place]]:
    """Return each named pair with its name and where this stands; ``length`` tells the narrow layout from the wide."""
    (left, right), (low, high) = ranges
    width = _WIDTHS[length] - _LEFT - _RIGHT

    def across(pair: Pair) -> float:
        return width * ((round_value(points[pair.run_id][0]) or 0.0) - left) / (right - left)

    def down(score: float) -> float:
        return _PLOT * (high - (round_value(score) or 0.0)) / (high - low)

    def get_spot(pair: Pair) -> tuple[float, float]:
        return across(pair), down(points[pair.run_id][1])

    spots = [NamedSpot(*get_spot(pair), escape_for_plotly(name_pair(pair), length)) for pair in named]
    marks = [get_spot(pair) for pair in shown]
    ends = [(across(pair), list_interval_ends([scores[pair.run_id]])) for pair in shown]
    lines = [(x, x, down(max(of)), down(min(of))) for x, of in ends]
    # A name may reach into the room on the right, where nothing else stands.
    places = choose_places(spots, marks, width + _RIGHT, _PLOT, lines)
    return list(zip(named, spots, places, strict=True))


def _choose_ticks(low: float, high: float, form: Callable[[float], str], whole: bool) -> Ticks:
    """Return ticks at 1, 2 and 5 times powers of ten; more in a small range, only powers of ten in a large one.

    ``whole`` is whether no strip takes room from the axis.
    """
    powers = range(floor(low), ceil(high) + 1)
    heads = (1, 1.5, 2, 3, 4, 5, 6, 8) if high - low < 1 and whole else (1, 2, 5) if high - low < 2 else (1,)
    values = [head * 10.0**power for power in powers for head in heads]
    return [(round(log10(value), 4), form(value)) for value in values if low <= log10(value) <= high]
