"""Charts of the history: main score over merges, and place over versions of the benchmark."""

from collections.abc import Mapping, Sequence
from math import ceil, floor, log10

import plotly.graph_objects as go

from ircore.results.tables.model import Table
from leaderboard.charts.beside_marks import Spot, places
from leaderboard.charts.data import RUN, Entry, entries_of
from leaderboard.charts.grammar import (
    FOOT,
    Drawing,
    Json,
    Missing,
    Sketch,
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
from leaderboard.theme import NARROW, describer_token, generator_dash, generator_symbol, token
from leaderboard.words import labels

MOST_NAMED = 5
"""Maximum of pairs with a name and a colour; the others are grey."""

_WIDTHS = {44: NARROW, 24: 358}
"""Width that names must fit, CSS pixels, by the characters of a name: of the wide and of the narrow layout."""

_PLOT, _LEFT, _RIGHT, _TOP = 300, 46, 14, 14
"""Height of the plot, and room around it, CSS pixels."""

_TICK_PLACES = (1, 2, 3, 5, 10, 20, 50, 100, 200, 500, 1000)
"""Places that the logarithmic axis names."""

Name = tuple[str, str]
"""Describer and generator."""


def entries_sketch(table: Table, pairs: Mapping[str, Pair]) -> Sketch | Missing:
    """Draw the main score of each pair in the order in which the pairs entered the board, and the best score by then.

    Args:
        table: A row for each entry, the first entry first: ``entry``, ``day``, ``run_id``, ``main_score``, ``place``.
        pairs: Names and marks of the pairs, by run_id.
    """
    rows = entries_of(table)
    if not rows:
        return Missing("How did main scores rise?", "No pair has a main score.")
    best = sorted(rows, key=lambda row: (-_score(row), _order(row)))[:MOST_NAMED]
    others = [row for row in rows if row not in best]
    wide, narrow = (_entries_layout(rows, best, pairs, length) for length in _WIDTHS)
    marks = [_named_mark(row, pairs[str(row[RUN].value)]) for row in best]
    grey = " and coloured; the others are grey." if others else "."
    return Sketch(
        title=_entries_title(best[0], len(rows), pairs),
        reading_aid="Each mark is a pair, from left to right as the runs began; further up is better, and lines are 95 %"
        f" intervals. The stepped line is the best main score by then. The {len(best)} best pairs are named{grey}",
        drawing=Drawing([_record(rows), *([_grey_marks(others, pairs)] if others else []), *marks], wide, narrow),
        table=table,
    )


def _score(row: Entry) -> float:
    return mean(row["main_score"]) or 0.0


def _order(row: Entry) -> int:
    return round(mean(row["entry"]) or 0)


def _entries_title(best: Entry, count: int, pairs: Mapping[str, Pair]) -> str:
    if count == 1:
        return "One pair has entered the board"
    name = pair_name(pairs[str(best[RUN].value)])
    return (
        f"{name}, number {_order(best)} of {count} to enter, has the best main score: {labels.number(_score(best), 1)}"
    )


def _record(rows: Sequence[Entry]) -> go.Scatter:
    """Return the best main score by then as steps up to the last entry."""
    corners: list[tuple[int, float]] = []
    for row in rows:
        if not corners or _score(row) > corners[-1][1]:
            # The step goes up where the pair enters.
            corners += [(_order(row), corners[-1][1])] if corners else []
            corners.append((_order(row), _score(row)))
    corners.append((_order(rows[-1]), corners[-1][1]))
    return go.Scatter(
        mode="lines",
        x=[x for x, _ in corners],
        y=[rounded(y) for _, y in corners],
        line={"color": token("zero"), "width": 1, "dash": "dot"},
        hoverinfo="skip",
    )


def _grey_marks(rows: Sequence[Entry], pairs: Mapping[str, Pair]) -> go.Scatter:
    return go.Scatter(
        mode="markers",
        x=[_order(row) for row in rows],
        y=[rounded(_score(row)) for row in rows],
        marker={"symbol": "circle", "size": 7, "color": token("zero")},
        customdata=[[_hover(row, pairs[str(row[RUN].value)])] for row in rows],
        hovertemplate="%{customdata[0]}<extra></extra>",
    )


def _named_mark(row: Entry, pair: Pair) -> go.Scatter:
    colour = describer_token(pair.hue)
    return go.Scatter(
        mode="markers",
        x=[_order(row)],
        y=[rounded(_score(row))],
        error_y=whiskers([row["main_score"]], colour),
        marker={"symbol": generator_symbol(pair.shape), "size": 11, "color": colour},
        hovertemplate=f"{_hover(row, pair)}<extra></extra>",
    )


def _hover(row: Entry, pair: Pair) -> str:
    value = row["main_score"]
    said = interval_words(value, lambda end: labels.number(end, 1))
    return (
        f"{plain(pair_name(pair))}<br>{labels.number(mean(value), 1)}, {said}"
        f"<br>entered at place {row['place'].value}, {plain(str(row['day'].value))}"
    )


def _entries_layout(rows: Sequence[Entry], best: Sequence[Entry], pairs: Mapping[str, Pair], length: int) -> Json:
    ends = [*map(_score, rows), *interval_ends([row["main_score"] for row in best])]
    step = 20 if max(ends) - min(ends) > 50 else 10
    low, high = step * floor(min(ends) / step), step * ceil(max(ends) / step)
    # Names of the best stand above the other marks.
    y = (low - 2, high + 2) if low < high else (low - step, high + step)
    left, right = 0.5, len(rows) + 0.5
    width = _WIDTHS[length] - _LEFT - _RIGHT

    def pixels(row: Entry) -> tuple[float, float]:
        across = width * (_order(row) - left) / (right - left)
        return across, _PLOT * (y[1] - _score(row)) / (y[1] - y[0])

    spots = [Spot(*pixels(row), plain(pair_name(pairs[str(row[RUN].value)]), length)) for row in best]
    annotations = [
        words(spot.name, (_order(row), rounded(_score(row)) or 0.0), "x y", anchor, shift, colour=colour)
        for row, spot, (anchor, shift) in zip(best, spots, places(spots, list(map(pixels, rows)), width), strict=True)
        for colour in [describer_token(pairs[str(row[RUN].value)].hue, "-text")]
    ]
    return layout(
        _PLOT + _TOP + FOOT,
        _LEFT,
        _RIGHT,
        _TOP,
        xaxis=axis(
            left, right, _order_ticks(len(rows)), "pairs in the order in which their runs began", showgrid=False
        ),
        yaxis=axis(*y, steps(low, high, step), "main score (0–100)", showline=True, linecolor=token("zero")),
        annotations=annotations,
    )


def _order_ticks(count: int) -> list[tuple[float, str]]:
    step = next(step for step in (1, 2, 5, 10, 20, 50, 100, 200, 500, count) if count / step <= 10)
    return [(1, "1"), *((order, str(order)) for order in range(step, count + 1, step) if order > 1)]


def versions_sketch(table: Table, versions: Sequence[str], pairs: Mapping[Name, Pair]) -> Sketch | Missing:
    """Draw the place of each pair in each version, with the range of its rank.

    Args:
        table: A row for each pair and version: ``version``, ``describer``, ``generator``, ``place``, ``rank_low``,
            ``rank_high``; of a version, the first place first.
        versions: Names of the versions, the oldest first.
        pairs: Names and marks of the pairs of the newest version.
    """
    lines: dict[Name, list[Entry]] = {}
    for row in entries_of(table):
        lines.setdefault((str(row["describer"].value), str(row["generator"].value)), []).append(row)
    newest = [name for name, rows in lines.items() if name in pairs and rows[-1]["version"].value == versions[-1]]
    if not newest:
        return Missing("How did ranks change from version to version?", "No pair has a main score in this version.")
    best = sorted(newest, key=lambda name: _place(lines[name][-1]))[:MOST_NAMED]
    most = max(_place(row) for rows in lines.values() for row in rows)
    wide, narrow = (_versions_layout(versions, best, most, lines, pairs, length) for length in _WIDTHS)
    others = [rows for name, rows in lines.items() if name not in best]
    named = [_place_line(lines[name], versions, pairs[name]) for name in reversed(best)]
    return Sketch(
        title=f"{pair_name(pairs[best[0]])} leads benchmark {versions[-1]}" + _led_before(best[0], lines, versions),
        reading_aid="Place by main score in each version, the best at the top; vertical lines are the ranks that the"
        " intervals allow. The scale is logarithmic, so that the first places stand apart."
        + (f" The {len(best)} best pairs are named and coloured; the others are grey." if others else ""),
        drawing=Drawing([*([_grey_lines(others, versions)] if others else []), *named], wide, narrow),
        table=table,
    )


def _place(row: Entry) -> int:
    return round(mean(row["place"]) or 1)


def _led_before(name: Name, lines: Mapping[Name, Sequence[Entry]], versions: Sequence[str]) -> str:
    """Return where the leader stood in the version before, as the end of a title."""
    before = next((row for row in lines[name] if row["version"].value == versions[-2]), None)
    return (
        f"; it was not on the board of {versions[-2]}"
        if before is None
        else f"; in {versions[-2]} its place was {_place(before)}"
    )


def _points(rows: Sequence[Entry], versions: Sequence[str]) -> list[tuple[int, float | None]]:
    """Return a pair's place in every version, None where it was not on the board."""
    there = {str(row["version"].value): log10(_place(row)) for row in rows}
    return [(at, rounded(there.get(version))) for at, version in enumerate(versions)]


def _grey_lines(lines: Sequence[Sequence[Entry]], versions: Sequence[str]) -> go.Scatter:
    """Return the lines of several pairs as one trace, with a gap between them."""
    points = [point for rows in lines for point in (*_points(rows, versions), (None, None))]
    return go.Scatter(
        mode="lines+markers",
        x=[x for x, _ in points],
        y=[y for _, y in points],
        line={"color": token("context"), "width": 1},
        marker={"symbol": "circle", "size": 5, "color": token("context")},
        hoverinfo="skip",
    )


def _place_line(rows: Sequence[Entry], versions: Sequence[str], pair: Pair) -> go.Scatter:
    colour, points = describer_token(pair.hue), _points(rows, versions)
    by_version = {str(row["version"].value): row for row in rows}
    ranges = [_rank_range(by_version.get(version)) for version in versions]
    return go.Scatter(
        mode="lines+markers",
        x=[x for x, _ in points],
        y=[y for _, y in points],
        error_y={
            "array": [_between(y, high) for (_, y), (_, high) in zip(points, ranges, strict=True)],
            "arrayminus": [_between(low, y) for (_, y), (low, _) in zip(points, ranges, strict=True)],
            "color": colour,
            "thickness": 1.5,
        },
        line={"color": colour, "width": 2, "dash": generator_dash(pair.shape)},
        marker={"symbol": generator_symbol(pair.shape), "size": 11, "color": colour},
        customdata=[[_place_words(by_version.get(version), version)] for version in versions],
        hovertemplate=f"{plain(pair_name(pair))}<br>%{{customdata[0]}}<extra></extra>",
    )


def _rank_range(row: Entry | None) -> tuple[float | None, float | None]:
    low, high = (None, None) if row is None else (mean(row["rank_low"]), mean(row["rank_high"]))
    return None if low is None else log10(low), None if high is None else log10(high)


def _between(first: float | None, last: float | None) -> float:
    # A place by main score may lie outside the range of ranks, to which the whisker then does not reach back.
    return 0.0 if first is None or last is None else round(max(0.0, last - first), 4)


def _place_words(row: Entry | None, version: str) -> str:
    if row is None:
        return ""
    low, high = (mean(row[key]) for key in ("rank_low", "rank_high"))
    known = None if low is None or high is None else labels.rank(round(low), round(high))
    ranked = f"rank {known}" if known else "no rank"
    value, said = row["main_score"], interval_words(row["main_score"], lambda end: labels.number(end, 1))
    return f"{plain(version)}: place {_place(row)}, {ranked}<br>{labels.number(mean(value), 1)}, {said}"


def _versions_layout(
    versions: Sequence[str],
    best: Sequence[Name],
    most: int,
    lines: Mapping[Name, Sequence[Entry]],
    pairs: Mapping[Name, Pair],
    length: int,
) -> Json:
    names = {name: plain(pair_name(pairs[name]), length) for name in best}
    last = len(versions) - 1
    annotations = [
        words(
            text, (last, rounded(log10(_place(lines[name][-1]))) or 0.0), "x y", "left middle", (12, 0),
            colour=describer_token(pairs[name].hue, "-text"),
        )
        for name, text in names.items()
    ]  # fmt: skip
    ends = [end for name in best for row in lines[name] for end in _rank_range(row) if end is not None]
    lowest = max(log10(most), *ends, 0.05)
    ticks = [(round(log10(place), 4), str(place)) for place in _TICK_PLACES if log10(place) <= lowest + 1e-9]
    return layout(
        _PLOT + _TOP + FOOT,
        _LEFT,
        round(6.6 * max(map(len, names.values()))) + 20,
        _TOP,
        xaxis=axis(-0.15, last + 0.05, [(at, plain(name, 20)) for at, name in enumerate(versions)], showgrid=False),
        yaxis=axis(1.05 * lowest, -0.05 * max(1, lowest), ticks, "place (logarithmic)"),
        annotations=annotations,
    )
