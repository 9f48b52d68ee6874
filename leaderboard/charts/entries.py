"""Chart of main score over merges: each pair where it entered the board, and the best score by then."""

from collections.abc import Mapping, Sequence
from math import ceil, floor

from ircore.results.tables.model import Table
from leaderboard import words
from leaderboard.charts.data import RUN, Entry, list_entries
from leaderboard.charts.grammar import (
    FOOT,
    Json,
    Missing,
    PlotlyDrawing,
    Sketch,
    build_layout,
    describe_interval,
    escape_for_plotly,
    get_mean,
    list_interval_ends,
    make_axis,
    make_ticks,
    make_whiskers,
    pair_name,
    round_value,
    scatter,
)
from leaderboard.charts.names_beside import PLOT, draw_end_names
from leaderboard.model.site import Pair
from leaderboard.theme import describer_token, generator_dash, generator_symbol, token

MOST_NAMED = 5
"""Maximum of pairs with a name and a colour; the others are grey."""

LEFT, TOP = 46, 14
"""Room on the left of the plot and above it, CSS pixels."""


def sketch_entries(table: Table, pairs: Mapping[str, Pair], top: int, noun: str = "pair") -> Sketch | Missing:
    """Draw the main score of each pair in the order in which the pairs entered the board, and the best score by then.

    Args:
        table: A row for each entry, the first entry first: ``entry``, ``day``, ``run_id``, ``main_score``, ``place``.
        pairs: Names and marks of the pairs, by run_id.
        top: Number of pairs that may be the best today: no other is significantly better.
        noun: What a row of the board is called, as ``Site.noun`` says it.
    """
    rows = list_entries(table)
    if not rows:
        return Missing("How did main scores rise?", f"No {noun} has a main score.")
    best = sorted(rows, key=lambda row: (-_score(row), _order(row)))[:MOST_NAMED]
    others = [row for row in rows if row not in best]
    named = [(row, pairs[str(row[RUN].value)]) for row in best]
    wide, narrow = (_build_entries_layout(rows, named, narrow) for narrow in (False, True))
    grey = [_draw_grey_marks(others, pairs)] if others else []
    lines = [trace for row, pair in reversed(named) for trace in _mark_and_line(row, pair, len(rows))]
    named_words = f"Each of the {len(best)} best {noun}s has its name" if others else f"Each {noun} has its name"
    return Sketch(
        title=_compose_entries_title(*named[0], len(rows), top, noun),
        reading_aid=f"Each mark is a {noun}, from left to right as the runs began; further up is better. The stepped"
        f" line is the best main score by then. {named_words}, 95 % interval and a line from entry to now"
        + ("; the others are grey." if others else "."),
        drawing=PlotlyDrawing([_record(rows), *grey, *lines], wide, narrow),
        table=table,
    )


def _score(row: Entry) -> float:
    return get_mean(row["main_score"]) or 0.0


def _order(row: Entry) -> int:
    return round(get_mean(row["entry"]) or 0)


def _compose_entries_title(best: Entry, pair: Pair, count: int, top: int, noun: str) -> str:
    score = words.number(_score(best), 1)
    if count == 1:
        return f"{pair_name(pair)} is the first {noun} on the board, with a main score of {score}"
    if top > 1:
        return f"{top} of {count} {noun}s may be the best today; the highest main score is {score}"
    return f"{pair_name(pair)}, number {_order(best)} of {count} to enter, has the best main score: {score}"


def _record(rows: Sequence[Entry]) -> Json:
    """Return the best main score by then as steps up to the last entry."""
    corners: list[tuple[int, float]] = []
    for row in rows:
        if not corners or _score(row) > corners[-1][1]:
            # The step goes up where the pair enters.
            corners += [(_order(row), corners[-1][1])] if corners else []
            corners.append((_order(row), _score(row)))
    corners.append((_order(rows[-1]), corners[-1][1]))
    return scatter(
        mode="lines",
        x=[x for x, _ in corners],
        y=[round_value(y) for _, y in corners],
        line={"color": token("zero"), "width": 1, "dash": "dot"},
        hoverinfo="skip",
    )


def _draw_grey_marks(rows: Sequence[Entry], pairs: Mapping[str, Pair]) -> Json:
    return scatter(
        mode="markers",
        x=[_order(row) for row in rows],
        y=[round_value(_score(row)) for row in rows],
        marker={"symbol": "circle", "size": 6, "color": token("zero")},
        customdata=[[_format_hover(row, pairs[str(row[RUN].value)])] for row in rows],
        hovertemplate="%{customdata[0]}<extra></extra>",
    )


def _mark_and_line(row: Entry, pair: Pair, count: int) -> list[Json]:
    """Return a pair's mark, and the line of its score, which never changes, from its entry to the newest entry."""
    colour, score = describer_token(pair.hue), round_value(_score(row))
    line = {"color": colour, "width": 1, "dash": generator_dash(pair.shape)}
    return [
        scatter(mode="lines", x=[_order(row), count + 0.5], y=[score, score], line=line, hoverinfo="skip"),
        scatter(
            mode="markers",
            x=[_order(row)],
            y=[score],
            error_y=make_whiskers([row["main_score"]], colour),
            marker={"symbol": generator_symbol(pair.shape), "size": 11, "color": colour},
            hovertemplate=f"{_format_hover(row, pair)}<extra></extra>",
        ),
    ]


def _format_hover(row: Entry, pair: Pair) -> str:
    entered = f"entered at place {row['place'].value}, {escape_for_plotly(str(row['day'].value))}"
    return f"{escape_for_plotly(pair_name(pair))}<br>{score_words(row)}<br>{entered}"


def score_words(row: Entry) -> str:
    """Return the main score of a row with its interval, in words."""
    value = row["main_score"]
    return f"{words.number(get_mean(value), 1)}, {describe_interval(value, lambda end: words.number(end, 1))}"


def _build_entries_layout(rows: Sequence[Entry], named: Sequence[tuple[Entry, Pair]], narrow: bool) -> Json:
    ends = [*map(_score, rows), *list_interval_ends([row["main_score"] for row, _ in named])]
    step = 20 if max(ends) - min(ends) > 50 else 10
    # A lone whole number has no extent of its own.
    low, high = (
        step * floor(min(ends) / step),
        max(step * ceil(max(ends) / step), step * floor(min(ends) / step) + step),
    )
    annotations, right = draw_end_names(
        [(round_value(_score(row)) or 0.0, pair) for row, pair in named], (low, high), narrow
    )
    order = [
        1,
        *(tick for tick in range(0, len(rows) + 1, _choose_tick_distance(len(rows), 5 if narrow else 10)) if tick > 1),
    ]
    return build_layout(
        PLOT + TOP + FOOT,
        LEFT,
        right,
        TOP,
        xaxis=make_axis(0.5, len(rows) + 0.5, [(tick, str(tick)) for tick in order], "order of entry", showgrid=False),
        yaxis=make_axis(
            low, high, make_ticks(low, high, step), "main score (0–100)", showline=True, linecolor=token("zero")
        ),
        annotations=annotations,
    )


def _choose_tick_distance(count: int, most: int) -> int:
    """Return the distance of ticks of which there are at most so many."""
    return next(step for step in (1, 2, 5, 10, 20, 50, 100, 200, 500, count) if count <= most * step)
