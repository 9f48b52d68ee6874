"""Score against what it cost."""

from collections.abc import Sequence
from math import ceil, floor, log10

from leaderboard import labels
from leaderboard.charts.data import RUN, Subject, of_runs, picked
from leaderboard.charts.dots import ends
from leaderboard.charts.parts import (
    FOOT,
    Json,
    Missing,
    Sketch,
    Ticks,
    axis,
    interval_words,
    layout,
    mean,
    pair_name,
    plain,
    rounded,
    steps,
    words,
)
from leaderboard.site import Pair
from leaderboard.theme import describer_token, generator_symbol, token

_TITLE = "What does a better picture cost?"

_ALL_NAMED = 8
"""Pairs that are all named in the figure; of more only those that no cheaper one equals."""

_MOST = 60
"""Pairs drawn: the best ones."""


def costs_sketch(subject: Subject) -> Sketch | Missing:
    """Draw each pair's score against its cost an episode; named are pairs that no cheaper one beats."""
    costs, scores = subject.by_run(subject.judge, "cost"), subject.by_run(subject.judge, "score")
    known = [
        pair for pair in subject.ranked if (mean(costs[pair.run_id]) or 0) > 0 and mean(scores[pair.run_id]) is not None
    ]
    if not known:
        return Missing(_TITLE, "No pair's cost is known: prices of its players are needed (or they cost nothing).")
    shown = known[:_MOST]
    points = {pair.run_id: (log10(mean(costs[pair.run_id]) or 1), mean(scores[pair.run_id]) or 0.0) for pair in shown}
    best = _frontier(shown, points)
    named = shown if len(shown) <= _ALL_NAMED else best
    traces = [_mark(subject, pair, *points[pair.run_id]) for pair in shown]
    left_out = len(subject.pairs) - len(shown)
    table = of_runs(subject.board(subject.judge), [pair.run_id for pair in shown])
    x, y = _ranges(subject, shown, points)
    return Sketch(
        title=f"{_TITLE} {len(best)} of {len(shown)} pairs are not beaten at a lower cost",
        reading_aid=(
            "Each mark is a pair: further left is cheaper, further up is better, lines are 95 % intervals of the"
            " score."
            + (" Named are pairs that no cheaper one equals." if len(shown) > _ALL_NAMED else "")
            + (f" {left_out} pairs of unknown cost or lower score are not shown." if left_out else "")
        ),
        traces=traces,
        wide=_layout(named, points, x, y, False),
        narrow=_layout(named, points, x, y, True),
        table=picked(table, [RUN, "pair", "score", "cost"]),
    )


def _frontier(pairs: Sequence[Pair], points: dict[str, tuple[float, float]]) -> list[Pair]:
    """Return pairs that no pair of the same or a lower cost beats, cheapest first."""
    frontier: list[Pair] = []
    for pair in sorted(pairs, key=lambda pair: (points[pair.run_id][0], -points[pair.run_id][1])):
        if not frontier or points[pair.run_id][1] > points[frontier[-1].run_id][1]:
            frontier.append(pair)
    return frontier


def _mark(subject: Subject, pair: Pair, x: float, y: float) -> Json:
    cost = subject.by_run(subject.judge, "cost")[pair.run_id]
    score = subject.by_run(subject.judge, "score")[pair.run_id]
    colour = describer_token(pair.hue)
    high, low = (score.high, score.low) if score.low is not None and score.high is not None else (y, y)
    return {
        "type": "scatter",
        "mode": "markers",
        "x": [rounded(x)],
        "y": [rounded(y)],
        "error_y": {
            "type": "data",
            "symmetric": False,
            "array": [round((high or y) - y, 3)],
            "arrayminus": [round(y - (low or y), 3)],
            "color": colour,
            "thickness": 1.5,
            "width": 0,
        },
        "marker": {"symbol": generator_symbol(pair.shape), "size": 11, "color": colour},
        "hovertemplate": (
            f"{plain(pair_name(pair))}<br>{labels.number(y)}, {interval_words(score)}"
            f"<br>US$ {_money(mean(cost))} an episode<extra></extra>"
        ),
    }


def _ranges(
    subject: Subject, pairs: Sequence[Pair], points: dict[str, tuple[float, float]]
) -> tuple[tuple[float, float], tuple[float, float]]:
    scores = subject.by_run(subject.judge, "score")
    interval_ends = ends([scores[pair.run_id] for pair in pairs])
    costs = [x for x, _ in points.values()]
    return (min(costs) - 0.15, max(costs) + 0.15), (floor(min(interval_ends)), ceil(max(interval_ends)))


def _layout(
    named: Sequence[Pair],
    points: dict[str, tuple[float, float]],
    x: tuple[float, float],
    y: tuple[float, float],
    narrow: bool,
) -> Json:
    length = 26 if narrow else 60
    annotations = []
    for pair in named:
        at, height = points[pair.run_id]
        right = at > (x[0] + x[1]) / 2
        annotations.append(
            words(
                plain(pair_name(pair), length),
                at,
                height,
                xref="x",
                yref="y",
                xanchor="right" if right else "left",
                xshift=-10 if right else 10,
                yshift=10,
                font={"color": describer_token(pair.hue, "-text")},
            )
        )
    return layout(
        360 + FOOT,
        46,
        14,
        14,
        xaxis=axis(*x, _money_ticks(*x), title={"text": "cost of an episode (US$, logarithmic)"}),
        yaxis=axis(*y, steps(*y, 1), title={"text": "mean similarity (0–10)"}, showline=True, linecolor=token("zero")),
        annotations=annotations,
    )


def _money_ticks(low: float, high: float) -> Ticks:
    """Return ticks at 1, 2 and 5 times powers of ten; only at powers of ten if these are many."""
    powers = range(floor(low), ceil(high) + 1)
    heads = (1, 2, 5) if high - low < 2 else (1,)
    values = [head * 10.0**power for power in powers for head in heads]
    return [(round(log10(value), 4), _money(value)) for value in values if low <= log10(value) <= high]


def _money(value: float | None) -> str:
    return labels.MISSING if value is None else f"{value:.2g}" if value < 1 else f"{value:.2f}"
