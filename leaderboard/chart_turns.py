"""Figures along the turns: a small panel a pair, and a heat map of category × turn."""

from collections.abc import Mapping, Sequence
from itertools import chain
from math import ceil

from ircore.results.model import Results
from ircore.results.trajectories import TurnPoint, trajectory
from ircore.statistics.estimate import Estimate
from leaderboard import labels
from leaderboard.chart_parts import FOOT, Json, Sketch, axis, layout, pair_name, plain, room, words
from leaderboard.site import Pair
from leaderboard.theme import (
    describer_token,
    generator_dash,
    generator_symbol,
    score_ink_token,
    score_scale,
    token,
)

_PANEL = 150
"""Height of a panel's plotting area, CSS pixels."""

_TITLE = 64
"""Room above a panel for its two lines of title and below the one above for its ticks, CSS pixels."""

_SMALL_TOP = 12
"""Room above a figure that needs no words there, CSS pixels."""

_TOP = 78
"""Room above the first panels, for their titles and the words that explain the axis, CSS pixels."""

_AID = (
    "An episode that has ended keeps its last score, so every turn averages the same episodes; the band is the 95 %"
    " interval, and a mark's area shows how many episodes were still being refined."
)

_Tracks = Mapping[str, Sequence[TurnPoint]]
"""By run_id."""


def trajectories_sketch(results: Results, pairs: Sequence[Pair], judge: str) -> Sketch:
    """Draw every pair's mean similarity by turn in a panel of its own, the others behind it in grey."""
    tracks = {pair.run_id: trajectory(results.episodes[pair.run_id], judge) for pair in pairs}
    ordered = sorted(pairs, key=lambda pair: _last(tracks[pair.run_id]), reverse=True)
    return Sketch(
        title=_trajectories_title(ordered, tracks),
        reading_aid=f"{_AID} The other pairs stand behind in grey.",
        traces=list(chain.from_iterable(_panel(panel, pair, tracks) for panel, pair in enumerate(ordered))),
        wide=_panels_layout(ordered, tracks, min(len(ordered), 4 if len(ordered) != 3 else 3)),
        narrow=_panels_layout(ordered, tracks, min(len(ordered), 2)),
        columns=("Describer", "Generator", *_TURN_COLUMNS),
        rows=tuple(
            (pair.describer, pair.generator, *cells) for pair in ordered for cells in _turn_rows(tracks[pair.run_id])
        ),
    )


def pair_trajectory_sketch(results: Results, pair: Pair, judge: str) -> Sketch:
    """Draw one pair's mean similarity by turn."""
    tracks = {pair.run_id: trajectory(results.episodes[pair.run_id], judge)}
    single = _single_layout(tracks[pair.run_id])
    return Sketch(
        title=_trajectory_title(tracks[pair.run_id]),
        reading_aid=_AID,
        traces=_panel(0, pair, tracks),
        wide=single,
        narrow=single,
        columns=_TURN_COLUMNS,
        rows=tuple(_turn_rows(tracks[pair.run_id])),
    )


def heat_map_sketch(results: Results, pair: Pair, judge: str) -> Sketch:
    """Draw one pair's mean similarity by category and turn."""
    tracks = {one: trajectory(results.episodes[pair.run_id], judge, one) for one in results.categories}
    turns = max((track[-1].turn for track in tracks.values() if track), default=1)
    means = [[_mean_at(tracks[one], turn) for turn in range(1, turns + 1)] for one in results.categories]
    shared = _heat_layout(results.categories, tracks, means)
    return Sketch(
        title="In which categories do more turns pay?",
        reading_aid=(
            "Each cell is the mean similarity a category has reached after a turn, the stronger the colour the more"
            " similar; a row ends where its longest episode ends."
        ),
        traces=[_heat_trace(results.categories, means)],
        wide=shared,
        narrow=shared,
        columns=("Category", "Episodes", *(f"Turn {turn}" for turn in range(1, turns + 1))),
        rows=tuple(
            (labels.category_title(one), str(_episodes(tracks[one])), *(labels.number(mean) for mean in row))
            for one, row in zip(results.categories, means, strict=True)
        ),
    )


_TURN_COLUMNS = ("Turn", "Similarity so far (0–10)", "95 % from", "95 % to", "Episodes", "Still refined")


def _turn_rows(track: Sequence[TurnPoint]) -> list[tuple[str, ...]]:
    return [
        (
            str(point.turn),
            labels.number(point.reached.mean),
            labels.number(point.reached.low),
            labels.number(point.reached.high),
            str(point.reached.n),
            str(point.refining),
        )
        for point in track
    ]


def _last(track: Sequence[TurnPoint]) -> float:
    return _mean(track[-1].reached) if track else -1.0


def _mean(estimate: Estimate) -> float:
    return -1.0 if estimate.mean is None else estimate.mean


def _panel(panel: int, pair: Pair, tracks: _Tracks) -> list[Json]:
    """The traces of one panel, back to front: the others, the interval, the line."""
    axes = {"xaxis": _axis_name("x", panel), "yaxis": _axis_name("y", panel)}
    track = tracks[pair.run_id]
    others = [points for run_id, points in tracks.items() if run_id != pair.run_id]
    drawn = [_context(others) | axes] if others else []
    return [*drawn, _band(track, pair) | axes, _line(track, pair) | axes]


def _axis_name(letter: str, panel: int) -> str:
    return letter if panel == 0 else f"{letter}{panel + 1}"


def _context(tracks: Sequence[Sequence[TurnPoint]]) -> Json:
    """All other lines as one trace, with a gap between them."""
    xs: list[int | None] = []
    ys: list[float | None] = []
    for track in tracks:
        xs += [*(point.turn for point in track), None]
        ys += [*(_rounded(point.reached.mean) for point in track), None]
    line = {"color": token("context"), "width": 1}
    return {"type": "scatter", "mode": "lines", "x": xs, "y": ys, "line": line, "hoverinfo": "skip"}


def _band(track: Sequence[TurnPoint], pair: Pair) -> Json:
    """The interval as an area: along its upper ends and back along its lower ones."""
    there = [point for point in track if point.reached.low is not None]
    upper = [(point.turn, _rounded(point.reached.high)) for point in there]
    lower = [(point.turn, _rounded(point.reached.low)) for point in reversed(there)]
    outline = upper + lower
    return {
        "type": "scatter",
        "mode": "lines",
        "x": [turn for turn, _ in outline],
        "y": [value for _, value in outline],
        "fill": "toself",
        "fillcolor": describer_token(pair.hue, "-band"),
        "line": {"width": 0},
        "hoverinfo": "skip",
    }


def _line(track: Sequence[TurnPoint], pair: Pair) -> Json:
    colour = describer_token(pair.hue)
    whole = max((point.refining for point in track), default=1) or 1
    return {
        "type": "scatter",
        "mode": "lines+markers",
        "x": [point.turn for point in track],
        "y": [_rounded(point.reached.mean) for point in track],
        "line": {"color": colour, "width": 2, "dash": generator_dash(pair.shape)},
        "marker": {
            "symbol": generator_symbol(pair.shape),
            "size": [round(4 + 7 * (point.refining / whole) ** 0.5, 1) for point in track],
            "color": colour,
            "opacity": 1,
            "line": {"width": 0},
        },
        "cliponaxis": False,
        "customdata": [[labels.interval_words(point.reached), point.refining] for point in track],
        "hovertemplate": (
            "turn %{x}: %{y:.2f}<br>%{customdata[0]}<br>%{customdata[1]} still being refined<extra></extra>"
        ),
    }


def _rounded(value: float | None) -> float | None:
    return None if value is None else round(value, 3)


def _panels_layout(pairs: Sequence[Pair], tracks: _Tracks, columns: int) -> Json:
    rows = ceil(len(pairs) / columns)
    turns = _turns(tracks)
    axes: Json = {}
    annotations = []
    for panel, pair in enumerate(pairs):
        row, column = divmod(panel, columns)
        lowest = panel + columns >= len(pairs)
        axes |= _panel_axes(panel, _across(column, columns), _down(row, rows), turns, column == 0, lowest)
        annotations += _panel_words(panel, pair, tracks[pair.run_id], columns)
    place = {"xref": "paper", "yref": "paper"}
    annotations.append(words("mean similarity so far, 0–10", 0, 1, **place, xanchor="left", xshift=-18, yshift=64))
    annotations.append(words("turn", 1, 0, **place, xanchor="right", yanchor="top", yshift=-20))
    height = _TOP + FOOT + rows * (_PANEL + _TITLE) - _TITLE
    return layout(height, 26, 10, _TOP, **axes, annotations=annotations)


def _across(column: int, columns: int) -> tuple[float, float]:
    gap = 0.07 if columns == 2 else 0.045
    width = (1 - gap * (columns - 1)) / columns
    start = column * (width + gap)
    return round(start, 4), round(start + width, 4)


def _down(row: int, rows: int) -> tuple[float, float]:
    whole = rows * (_PANEL + _TITLE) - _TITLE
    top = 1 - row * (_PANEL + _TITLE) / whole
    return round(max(0.0, top - _PANEL / whole), 4), round(top, 4)


def _panel_axes(
    panel: int, across: tuple[float, float], down: tuple[float, float], turns: int, first: bool, lowest: bool
) -> Json:
    number = "" if panel == 0 else str(panel + 1)
    x = _turn_axis(
        turns,
        domain=across,
        anchor=_axis_name("y", panel),
        showticklabels=lowest,
        showgrid=False,
        showline=True,
        linecolor=token("hairline"),
    )
    y = axis(0, 10.1, domain=down, anchor=_axis_name("x", panel), showticklabels=first, tickvals=[0, 5, 10])
    return {f"xaxis{number}": x, f"yaxis{number}": y}


def _turn_axis(turns: int, **more: object) -> Json:
    return axis(0.6, turns + 0.4, tick0=1, dtick=1 if turns <= 5 else 3, **more)


def _turns(tracks: _Tracks) -> int:
    return max((track[-1].turn for track in tracks.values() if track), default=1)


def _panel_words(panel: int, pair: Pair, track: Sequence[TurnPoint], columns: int) -> list[Json]:
    """A panel's title on two lines, describer over generator, and the value that its line ends with."""
    x, y = _axis_name("x", panel), _axis_name("y", panel)
    above = {"xref": f"{x} domain", "yref": f"{y} domain", "xanchor": "left", "yanchor": "bottom", "align": "left"}
    length = 20 if columns <= 2 else 26
    hue = {"color": describer_token(pair.hue, "-text")}
    title = [
        words(f"<b>{plain(pair.describer, length)}</b>", 0, 1, **above, yshift=22, font=hue),
        words(plain(f"+ {pair.generator}", length), 0, 1, **above, yshift=7, font={"color": token("text")}),
    ]
    if not track:
        return [*title, words("not rated", 0.5, 0.5, xref=f"{x} domain", yref=f"{y} domain")]
    return [*title, *(_end_value(point, x, y) for point in _ends(track))]


def _ends(track: Sequence[TurnPoint]) -> Sequence[TurnPoint]:
    return [track[0], track[-1]] if len(track) > 1 else track


def _end_value(point: TurnPoint, x: str, y: str) -> Json:
    mean = _mean(point.reached)
    shift = 14 if mean < 8 else -14
    text = labels.number(mean, 1)
    return words(text, point.turn, mean, xref=x, yref=y, yshift=shift, font={"color": token("text")})


def _single_layout(track: Sequence[TurnPoint]) -> Json:
    turns = track[-1].turn if track else 1
    annotations = [_end_value(point, "x", "y") for point in _ends(track)]
    numbers = {
        "tickvals": [point.turn for point in track],
        "ticktext": [f"{point.turn}<br>n {point.refining}" for point in track],
    }
    return layout(
        _SMALL_TOP + FOOT + 236,
        44,
        12,
        _SMALL_TOP,
        FOOT + 16,
        xaxis=_turn_axis(
            turns, title={"text": "turn, and n episodes still being refined", "standoff": 12}, showgrid=False, **numbers
        ),
        yaxis=axis(0, 10.1, title={"text": "mean similarity so far (0–10)"}, dtick=2),
        annotations=annotations,
    )


def _trajectories_title(pairs: Sequence[Pair], tracks: _Tracks) -> str:
    gains = {pair.run_id: _gain(tracks[pair.run_id]) for pair in pairs}
    best = max(pairs, key=lambda pair: gains[pair.run_id])
    if len(pairs) < 2 or gains[best.run_id] < 0.05:
        return "How far does each pair get, turn by turn?"
    track = tracks[best.run_id]
    first, last = labels.number(track[0].reached.mean, 1), labels.number(track[-1].reached.mean, 1)
    return f"{pair_name(best)} gains most over the turns: from {first} to {last}"


def _trajectory_title(track: Sequence[TurnPoint]) -> str:
    if not track:
        return "How far does the pair get, turn by turn? No episode was rated"
    first, last = labels.number(track[0].reached.mean, 1), labels.number(track[-1].reached.mean, 1)
    if len(track) == 1:
        return f"No episode went beyond its first rendering: {first}"
    return f"From {first} after the first turn to {last} after the last"


def _gain(track: Sequence[TurnPoint]) -> float:
    return _mean(track[-1].reached) - _mean(track[0].reached) if track else 0.0


def _mean_at(track: Sequence[TurnPoint], turn: int) -> float | None:
    return next((_rounded(point.reached.mean) for point in track if point.turn == turn), None)


def _episodes(track: Sequence[TurnPoint]) -> int:
    return max((point.reached.n for point in track), default=0)


def _heat_trace(categories: Sequence[str], means: Sequence[Sequence[float | None]]) -> Json:
    return {
        "type": "heatmap",
        "x": list(range(1, len(means[0]) + 1)),
        "y": list(range(len(categories))),
        "z": [list(row) for row in means],
        "zmin": 0,
        "zmax": 10,
        "colorscale": score_scale(),
        "showscale": False,
        "xgap": 2,
        "ygap": 2,
        "hoverongaps": False,
        "customdata": [[labels.category_title(one)] * len(means[0]) for one in categories],
        "hovertemplate": "%{customdata}, turn %{x}: %{z:.2f}<extra></extra>",
    }


def _heat_layout(
    categories: Sequence[str], tracks: Mapping[str, Sequence[TurnPoint]], means: Sequence[Sequence[float | None]]
) -> Json:
    cells = [
        words(labels.number(mean, 1), turn, row, font={"color": score_ink_token(mean), "size": 11})
        for row, values in enumerate(means)
        for turn, mean in enumerate(values, start=1)
        if mean is not None
    ]
    names = [f"{labels.category_title(one)}<br>n {_episodes(tracks[one])}" for one in categories]
    turns = len(means[0])
    return layout(
        _SMALL_TOP + FOOT + 36 * len(categories),
        room([labels.category_title(one) for one in categories], 150),
        8,
        _SMALL_TOP,
        xaxis=axis(0.5, turns + 0.5, dtick=1, tick0=1, showgrid=False, ticks="", title={"text": "turn"}),
        yaxis=axis(
            len(categories) - 0.5, -0.5, showgrid=False, ticks="", tickvals=list(range(len(categories))), ticktext=names
        ),
        annotations=cells,
    )
