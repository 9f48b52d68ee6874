"""Charts of a board's history: places over versions of the benchmark, and main scores over merges.

Places have the ranks that the intervals allow. A chart over merges shows each pair where it entered the board, and the
best score by then.
"""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from math import ceil, floor, log10

from ircore.results.tables.model import Table
from leaderboard import words
from leaderboard.charts.data import MOST_ROWS, RUN, Entry, list_entries
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
    list_interval_ends,
    make_axis,
    make_scatter,
    make_ticks,
    make_whiskers,
    name_pair,
    round_value,
)
from leaderboard.charts.names_beside import PLOT, draw_end_names
from leaderboard.model.site import Pair
from leaderboard.theme import describer_token, generator_dash, generator_symbol, token

_ASIDE = 0.012
"""Distance of the marks of two named pairs in one version, as a share of the distance from the first to the last."""

_PLACES = (1, 2, 3, 5, 10, 20, 50, 100, 200, 500, 1000)
"""Places that a long logarithmic axis names."""

Name = tuple[str, str]
"""Describer and generator."""

MOST_NAMED = 5
"""Maximum of pairs with a name and a colour; the others are grey."""

LEFT, TOP = 46, 14
"""Room on the left of the plot and above it, CSS pixels."""


def sketch_versions(table: Table, versions: Sequence[str], pairs: Mapping[Name, Pair]) -> Sketch | Missing:
    """Draw the place of each of the best pairs in each version, with the range of its rank.

    Args:
        table: A row for each pair and version: ``version``, ``describer``, ``generator``, ``place``, ``rank_low``,
            ``rank_high``, ``main_score``; the oldest version first.
        versions: Names of the versions, the oldest first, at least two.
        pairs: Names and marks of the pairs of the newest version.
    """
    by_name: dict[Name, dict[str, Entry]] = {}
    for row in list_entries(table):
        name = str(row["describer"].value), str(row["generator"].value)
        by_name.setdefault(name, {})[str(row["version"].value)] = row
    there = [name for name, rows in by_name.items() if name in pairs and versions[-1] in rows]
    if not there:
        return Missing("How did ranks change from version to version?", "No pair has a main score in this version.")
    shown = sorted(there, key=lambda name: _get_place(by_name[name][versions[-1]]))[:MOST_ROWS]
    lines = {name: by_name[name] for name in shown}
    best, others = shown[:MOST_NAMED], shown[MOST_NAMED:]
    named = [(lines[name], pairs[name]) for name in best]
    wide, narrow = (_build_versions_layout(versions, named, list(lines.values()), narrow) for narrow in (False, True))
    grey = [_draw_grey_lines([lines[name] for name in others], versions)] if others else []
    # The best is drawn last, so that no other line covers it.
    coloured = [_draw_place_line(rows, versions, pair, number) for number, (rows, pair) in enumerate(named)][::-1]
    shown_rows = tuple(row for row in table.rows if (str(row[1].value), str(row[2].value)) in lines)
    return Sketch(
        title=f"{name_pair(pairs[best[0]])} leads the newest board; {_describe_former_place(lines[best[0]], versions)}",
        reading_aid="Place by main score in each version, the first at the top; upright lines are the ranks that the"
        " intervals allow. The scale is logarithmic, so that the first places stand apart."
        + (f" The {len(best)} best pairs are named; the others are grey." if others else ""),
        drawing=PlotlyDrawing([*grey, *coloured], wide, narrow),
        table=replace(table, rows=shown_rows),
        selection_words=f"Shown are the {MOST_ROWS} best of {len(there)} pairs." if len(there) > MOST_ROWS else "",
    )


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
    best = sorted(rows, key=lambda row: (-_get_score(row), _get_order(row)))[:MOST_NAMED]
    others = [row for row in rows if row not in best]
    named = [(row, pairs[str(row[RUN].value)]) for row in best]
    wide, narrow = (_build_entries_layout(rows, named, narrow) for narrow in (False, True))
    grey = [_draw_grey_marks(others, pairs)] if others else []
    lines = [trace for row, pair in reversed(named) for trace in _draw_mark_and_line(row, pair, len(rows))]
    named_words = f"Each of the {len(best)} best {noun}s has its name" if others else f"Each {noun} has its name"
    return Sketch(
        title=_compose_entries_title(*named[0], len(rows), top, noun),
        reading_aid=f"Each mark is a {noun}, from left to right as the runs began; further up is better. The stepped"
        f" line is the best main score by then. {named_words}, 95 % interval and a line from entry to now"
        + ("; the others are grey." if others else "."),
        drawing=PlotlyDrawing([_draw_record(rows), *grey, *lines], wide, narrow),
        table=table,
    )


def score_words(row: Entry) -> str:
    """Return the main score of a row with its interval, in words."""
    value = row["main_score"]
    return f"{words.number(get_mean(value), 1)}, {describe_interval(value, lambda end: words.number(end, 1))}"


def _get_place(row: Entry) -> int:
    return round(get_mean(row["place"]) or 1)


def _describe_former_place(rows: Mapping[str, Entry], versions: Sequence[str]) -> str:
    """Return where the leader stood in the version before, as the end of a title."""
    before = rows.get(versions[-2])
    return (
        f"{versions[-2]} did not have it" if before is None else f"in {versions[-2]} its place was {_get_place(before)}"
    )


def _list_points(rows: Mapping[str, Entry], versions: Sequence[str]) -> list[tuple[int, float | None]]:
    """Return a pair's place in every version, logarithmic; None where it was not on the board."""
    return [
        (at, round_value(log10(_get_place(rows[version]))) if version in rows else None)
        for at, version in enumerate(versions)
    ]


def _draw_grey_lines(lines: Sequence[Mapping[str, Entry]], versions: Sequence[str]) -> Json:
    """Return the lines of several pairs as one trace, with a gap between them."""
    points = [point for rows in lines for point in (*_list_points(rows, versions), (None, None))]
    return make_scatter(
        mode="lines+markers",
        x=[x for x, _ in points],
        y=[y for _, y in points],
        line={"color": token("context"), "width": 1},
        marker={"symbol": "circle", "size": 5, "color": token("context")},
        hoverinfo="skip",
    )


def _draw_place_line(rows: Mapping[str, Entry], versions: Sequence[str], pair: Pair, number: int) -> Json:
    # Beside each other, because ranges of tied pairs would lie on one another.
    aside = _ASIDE * (number - (MOST_NAMED - 1) / 2) * (len(versions) - 1)
    colour, points = describer_token(pair.hue), _list_points(rows, versions)
    ranges = [_find_rank_range(rows.get(version)) for version in versions]
    return make_scatter(
        mode="lines+markers",
        x=[round_value(x + aside) for x, _ in points],
        y=[y for _, y in points],
        error_y={
            "array": [_compute_gap(y, high) for (_, y), (_, high) in zip(points, ranges, strict=True)],
            "arrayminus": [_compute_gap(low, y) for (_, y), (low, _) in zip(points, ranges, strict=True)],
            "color": colour,
            "thickness": 1.5,
        },
        line={"color": colour, "width": 2, "dash": generator_dash(pair.shape)},
        marker={"symbol": generator_symbol(pair.shape), "size": 11, "color": colour},
        cliponaxis=False,
        customdata=[[_describe_place(rows.get(version), version)] for version in versions],
        hovertemplate=f"{escape_for_plotly(name_pair(pair))}<br>%{{customdata[0]}}<extra></extra>",
    )


def _find_rank_range(row: Entry | None) -> tuple[float | None, float | None]:
    """Return the best and the worst rank, logarithmic."""
    low, high = (None, None) if row is None else (get_mean(row["rank_low"]), get_mean(row["rank_high"]))
    return None if low is None else log10(low), None if high is None else log10(high)


def _compute_gap(first: float | None, last: float | None) -> float:
    # A place by main score may lie outside the range of ranks, to which the whisker then does not reach back.
    return 0.0 if first is None or last is None else round(max(0.0, last - first), 4)


def _describe_place(row: Entry | None, version: str) -> str:
    if row is None:
        return ""
    low, high = (get_mean(row[key]) for key in ("rank_low", "rank_high"))
    ranked = "no rank" if low is None or high is None else f"rank {words.rank(round(low), round(high))}"
    return f"{escape_for_plotly(version)}: place {_get_place(row)}, {ranked}<br>{score_words(row)}"


def _build_versions_layout(
    versions: Sequence[str],
    named: Sequence[tuple[Mapping[str, Entry], Pair]],
    lines: Sequence[Mapping[str, Entry]],
    narrow: bool,
) -> Json:
    last = len(versions) - 1
    worst = max(_get_place(row) for rows in lines for row in rows.values())
    ranges = [end for rows, _ in named for row in rows.values() for end in _find_rank_range(row) if end is not None]
    # A lone pair stands at 1, which has no extent of its own.
    lowest = max(log10(worst), *ranges, log10(2))
    upper, lower = -0.04 * lowest, 1.04 * lowest
    heights = [(round_value(log10(_get_place(rows[versions[-1]]))) or 0.0, pair) for rows, pair in named]
    names = draw_end_names(heights, (lower, upper), narrow)
    # On a phone there is room for four names, the newest among them.
    every = -(-len(versions) // 4) if narrow else 1
    ticks = [(at, escape_for_plotly(versions[at], 12 if narrow else 24)) for at in range(last, -1, -every)][::-1]
    return build_layout(
        PLOT + TOP + names.above + FOOT,
        LEFT,
        names.right,
        TOP + names.above,
        xaxis=make_axis(-0.06 * last, 1.06 * last, ticks, showgrid=False, tickangle=0),
        yaxis=make_axis(lower, upper, _list_place_ticks(lowest), "place (logarithmic)"),
        annotations=names.annotations,
    )


def _list_place_ticks(lowest: float) -> Ticks:
    places = range(1, 7) if lowest <= log10(6) else _PLACES
    return [(round(log10(place), 4), str(place)) for place in places if log10(place) <= lowest + 1e-9]


def _get_score(row: Entry) -> float:
    return get_mean(row["main_score"]) or 0.0


def _get_order(row: Entry) -> int:
    return round(get_mean(row["entry"]) or 0)


def _compose_entries_title(best: Entry, pair: Pair, count: int, top: int, noun: str) -> str:
    score = words.number(_get_score(best), 1)
    if count == 1:
        return f"{name_pair(pair)} is the first {noun} on the board, with a main score of {score}"
    if top > 1:
        return f"{top} of {count} {noun}s may be the best today; the highest main score is {score}"
    return f"{name_pair(pair)}, number {_get_order(best)} of {count} to enter, has the best main score: {score}"


def _draw_record(rows: Sequence[Entry]) -> Json:
    """Return the best main score by then as steps up to the last entry."""
    corners: list[tuple[int, float]] = []
    for row in rows:
        if not corners or _get_score(row) > corners[-1][1]:
            # The step goes up where the pair enters.
            corners += [(_get_order(row), corners[-1][1])] if corners else []
            corners.append((_get_order(row), _get_score(row)))
    corners.append((_get_order(rows[-1]), corners[-1][1]))
    return make_scatter(
        mode="lines",
        x=[x for x, _ in corners],
        y=[round_value(y) for _, y in corners],
        line={"color": token("zero"), "width": 1, "dash": "dot"},
        hoverinfo="skip",
    )


def _draw_grey_marks(rows: Sequence[Entry], pairs: Mapping[str, Pair]) -> Json:
    return make_scatter(
        mode="markers",
        x=[_get_order(row) for row in rows],
        y=[round_value(_get_score(row)) for row in rows],
        marker={"symbol": "circle", "size": 6, "color": token("zero")},
        cliponaxis=False,  # a mark at 0 or 100 is whole
        customdata=[[_format_hover(row, pairs[str(row[RUN].value)])] for row in rows],
        hovertemplate="%{customdata[0]}<extra></extra>",
    )


def _draw_mark_and_line(row: Entry, pair: Pair, count: int) -> list[Json]:
    """Return a pair's mark, and the line of its score, which never changes, from its entry to the newest entry."""
    colour, score = describer_token(pair.hue), round_value(_get_score(row))
    line = {"color": colour, "width": 1, "dash": generator_dash(pair.shape)}
    return [
        make_scatter(mode="lines", x=[_get_order(row), count + 0.5], y=[score, score], line=line, hoverinfo="skip"),
        make_scatter(
            mode="markers",
            x=[_get_order(row)],
            y=[score],
            error_y=make_whiskers([row["main_score"]], colour),
            marker={"symbol": generator_symbol(pair.shape), "size": 11, "color": colour},
            cliponaxis=False,
            hovertemplate=f"{_format_hover(row, pair)}<extra></extra>",
        ),
    ]


def _format_hover(row: Entry, pair: Pair) -> str:
    entered = f"entered at place {row['place'].value}, {escape_for_plotly(str(row['day'].value))}"
    return f"{escape_for_plotly(name_pair(pair))}<br>{score_words(row)}<br>{entered}"


def _build_entries_layout(rows: Sequence[Entry], named: Sequence[tuple[Entry, Pair]], narrow: bool) -> Json:
    ends = [*map(_get_score, rows), *list_interval_ends([row["main_score"] for row, _ in named])]
    step = 20 if max(ends) - min(ends) > 50 else 10
    # A lone whole number has no extent of its own.
    low, high = (
        step * floor(min(ends) / step),
        max(step * ceil(max(ends) / step), step * floor(min(ends) / step) + step),
    )
    names = draw_end_names([(round_value(_get_score(row)) or 0.0, pair) for row, pair in named], (low, high), narrow)
    order = [
        1,
        *(tick for tick in range(0, len(rows) + 1, _choose_tick_distance(len(rows), 5 if narrow else 10)) if tick > 1),
    ]
    return build_layout(
        PLOT + TOP + names.above + FOOT,
        LEFT,
        names.right,
        TOP + names.above,
        xaxis=make_axis(0.5, len(rows) + 0.5, [(tick, str(tick)) for tick in order], "order of entry", showgrid=False),
        yaxis=make_axis(
            low, high, make_ticks(low, high, step), "main score (0–100)", showline=True, linecolor=token("zero")
        ),
        annotations=names.annotations,
    )


def _choose_tick_distance(count: int, most: int) -> int:
    """Return the distance of ticks of which there are at most so many."""
    return next(step for step in (1, 2, 5, 10, 20, 50, 100, 200, 500, count) if count <= most * step)
