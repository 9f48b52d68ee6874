"""Chart of score against cost."""

from collections.abc import Mapping, Sequence
from math import ceil, floor, log10

import plotly.graph_objects as go

from ircore.results.tables.model import Value
from leaderboard.charts.data import RUN, Subject, of_runs, picked
from leaderboard.charts.grammar import (
    FOOT,
    Drawing,
    Json,
    Missing,
    Sketch,
    Ticks,
    axis,
    interval_ends,
    interval_words,
    layout,
    mean,
    pair_name,
    plain,
    rounded,
    steps,
    whiskers,
    words,
)
from leaderboard.model.site import Pair
from leaderboard.theme import describer_token, generator_symbol, token
from leaderboard.words import labels

_TITLE = "What does a better picture cost?"

_ALL_NAMED = 8
"""Number of pairs up to which the figure names all; beyond, it names pairs that no cheaper pair equals."""

_MOST = 60
"""Maximum of pairs drawn, the best first."""

_Points = Mapping[str, tuple[float, float]]
"""Logarithm of the cost, and score, by run_id."""


def costs_sketch(subject: Subject) -> Sketch | Missing:
    """Draw each pair's score against its cost per episode; pairs that no cheaper pair beats are named."""
    costs, scores = subject.by_run(subject.judge, "cost"), subject.by_run(subject.judge, "score")
    points = {
        pair.run_id: (log10(cost), score)
        for pair in subject.ranked
        if (cost := mean(costs[pair.run_id]) or 0) > 0 and (score := mean(scores[pair.run_id])) is not None
    }
    if not points:
        return Missing(_TITLE, "No pair's cost is known: prices of its players are needed (or they cost nothing).")
    shown = [pair for pair in subject.ranked if pair.run_id in points][:_MOST]
    best = _frontier([pair for pair in subject.ranked if pair.run_id in points], points)
    shown += [pair for pair in best if pair not in shown]
    few = len(shown) <= _ALL_NAMED
    left_out = len(subject.pairs) - len(shown)
    wide, narrow = (_layout(shown if few else best, shown, points, scores, length) for length in (60, 26))
    return Sketch(
        title=f"{_TITLE} {len(best)} of {len(points)} pairs are not beaten at a lower cost",
        reading_aid=(
            "Each mark is a pair: further left is cheaper, further up is better, lines are 95 % intervals of the"
            " score."
            + ("" if few else " Named are pairs that no cheaper one equals.")
            + (f" {left_out} pairs of unknown cost or lower score are not shown." if left_out else "")
        ),
        drawing=Drawing([_mark(pair, costs[pair.run_id], scores[pair.run_id]) for pair in shown], wide, narrow),
        table=picked(
            of_runs(subject.board(subject.judge), [pair.run_id for pair in shown]), [RUN, "pair", "score", "cost"]
        ),
    )


def _frontier(pairs: Sequence[Pair], points: _Points) -> list[Pair]:
    """Return pairs that no pair of the same or a lower cost beats, cheapest first."""
    frontier: list[Pair] = []
    for pair in sorted(pairs, key=lambda pair: (points[pair.run_id][0], -points[pair.run_id][1])):
        if not frontier or points[pair.run_id][1] > points[frontier[-1].run_id][1]:
            frontier.append(pair)
    return frontier


def _mark(pair: Pair, cost: Value, score: Value) -> go.Scatter:
    dollars, value, colour = mean(cost) or 1, mean(score), describer_token(pair.hue)
    return go.Scatter(
        mode="markers",
        x=[rounded(log10(dollars))],
        y=[rounded(value)],
        error_y=whiskers([score], colour),
        marker={"symbol": generator_symbol(pair.shape), "size": 11, "color": colour},
        hovertemplate=(
            f"{plain(pair_name(pair))}<br>{labels.number(value)}, {interval_words(score)}"
            f"<br>US$ {_money(dollars)} an episode<extra></extra>"
        ),
    )


def _layout(
    named: Sequence[Pair], shown: Sequence[Pair], points: _Points, scores: Mapping[str, Value], length: int
) -> Json:
    costs = [points[pair.run_id][0] for pair in shown]
    ends = interval_ends([scores[pair.run_id] for pair in shown])
    x, y = (min(costs) - 0.15, max(costs) + 0.15), (floor(min(ends)), ceil(max(ends)))
    annotations = []
    for pair in named:
        right = points[pair.run_id][0] > sum(x) / 2
        anchor, shift = ("right middle", -10) if right else ("left middle", 10)
        colour = describer_token(pair.hue, "-text")
        name = plain(pair_name(pair), length)
        annotations.append(words(name, points[pair.run_id], "x y", anchor, (shift, 10), colour=colour))
    return layout(
        360 + FOOT,
        46,
        14,
        14,
        xaxis=axis(*x, _money_ticks(*x), "cost of an episode (US$, logarithmic)"),
        yaxis=axis(*y, steps(*y, 1), "mean similarity (0–10)", showline=True, linecolor=token("zero")),
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
