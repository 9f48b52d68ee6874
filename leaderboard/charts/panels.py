"""Lines in small panels: one panel a pair, the other pairs behind it in grey."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import chain
from math import ceil

from ircore.results.tables.model import Value
from leaderboard import labels
from leaderboard.charts.parts import (
    FOOT,
    Json,
    Ticks,
    axis,
    interval_words,
    layout,
    mean,
    plain,
    rounded,
    words,
)
from leaderboard.site import Pair
from leaderboard.theme import describer_token, generator_dash, generator_symbol, token

_PANEL = 150
"""Height of a panel's plotting area, CSS pixels."""

_BETWEEN = 64
"""Room above a panel for its two lines of title and below the one above for its ticks, CSS pixels."""

_TOP = 78
"""Room above the first panels, for their titles and the words that explain the axis, CSS pixels."""


_APART = 0.3
"""Share of the width that the ends of a line are apart at least if both have their values beside them."""


@dataclass(frozen=True)
class Spot:
    """A point of a line."""

    x: float
    """Position on the x axis, such as the turn."""

    value: Value
    """Value on the y axis."""

    weight: float = 1.0
    """Share of what it rests on, 0–1: the area of its mark."""

    said: str = ""
    """Text shown on hover beside the number, already plain."""


@dataclass(frozen=True)
class Track:
    """A pair's line."""

    pair: Pair
    """Pair that the track belongs to."""

    spots: tuple[Spot, ...]
    """Points from left to right."""


@dataclass(frozen=True)
class Scale:
    """Axes that all panels share."""

    x: tuple[float, float]
    """Range."""

    x_ticks: Ticks
    """Ticks of the x axis."""

    x_title: str
    """Name and unit."""

    y: tuple[float, float]
    """Range."""

    y_ticks: Ticks
    """Ticks of the y axis."""

    y_title: str
    """Name and unit."""

    form: Callable[[float | None], str] = labels.number
    """Format of the numbers."""

    factor: float = 1.0
    """Factor of the numbers, such as 100 for percent."""

    lines: tuple[float, ...] = field(default=())
    """Heights of lines across every panel, such as zero."""


def panels(tracks: Sequence[Track], scale: Scale) -> tuple[list[Json], Json, Json]:
    """Return traces, wide and narrow layout of a panel a track, in this order."""
    traces = list(chain.from_iterable(_panel(index, track, tracks, scale) for index, track in enumerate(tracks)))
    wide = _layout(tracks, scale, min(len(tracks), 4 if len(tracks) != 3 else 3))
    return traces, wide, _layout(tracks, scale, min(len(tracks), 2))


def line(track: Track, scale: Scale) -> list[Json]:
    """Return the traces of one track alone: its band and its line."""
    return [_band(track, scale), _line(track, scale)]


def end_words(track: Track, scale: Scale, x: str = "x", y: str = "y") -> list[Json]:
    """Return the values that a line begins and ends with, as words at its ends."""
    known = [spot for spot in track.spots if mean(spot.value) is not None]
    apart = len(known) > 1 and known[-1].x - known[0].x > _APART * (scale.x[1] - scale.x[0])
    return [_end(spot, scale, x, y) for spot in ([known[0], known[-1]] if apart else known[-1:])]


def axis_name(letter: str, panel: int) -> str:
    """Return how Plotly names the axis of a panel, 0-based."""
    return letter if panel == 0 else f"{letter}{panel + 1}"


def across(column: int, columns: int) -> tuple[float, float]:
    """Return where a column of panels stands, as shares of the width."""
    gap = 0.07 if columns == 2 else 0.045
    width = (1 - gap * (columns - 1)) / columns
    start = column * (width + gap)
    return round(start, 4), round(start + width, 4)


def down(row: int, rows: int, panel: int = _PANEL, between: int = _BETWEEN) -> tuple[float, float]:
    """Return where a row of panels stands, as shares of the height, from below."""
    whole = rows * (panel + between) - between
    top = 1 - row * (panel + between) / whole
    return round(max(0.0, top - panel / whole), 4), round(top, 4)


def panel_title(panel: int, pair: Pair, length: int) -> list[Json]:
    """Return a panel's title on two lines, describer in its hue over generator."""
    x, y = axis_name("x", panel), axis_name("y", panel)
    above = {"xref": f"{x} domain", "yref": f"{y} domain", "xanchor": "left", "yanchor": "bottom", "align": "left"}
    generator = f"+ {pair.generator}" + (f" ({pair.apart})" if pair.apart else "")
    # Bold by a property: Plotly's <b> becomes a style attribute, which the pages' policy forbids.
    hue = {"color": describer_token(pair.hue, "-text"), "weight": 700}
    return [
        words(plain(pair.describer, length), 0, 1, **above, yshift=22, font=hue),
        words(plain(generator, length), 0, 1, **above, yshift=7, font={"color": token("text")}),
    ]


def _panel(panel: int, track: Track, tracks: Sequence[Track], scale: Scale) -> list[Json]:
    """The traces of one panel, back to front: the others, the interval, the line."""
    axes = {"xaxis": axis_name("x", panel), "yaxis": axis_name("y", panel)}
    others = [other for other in tracks if other is not track]
    drawn = [_context(others, scale) | axes] if others else []
    return [*drawn, *(trace | axes for trace in line(track, scale))]


def _context(tracks: Sequence[Track], scale: Scale) -> Json:
    """All other lines as one trace, with a gap between them."""
    xs: list[float | None] = []
    ys: list[float | None] = []
    for track in tracks:
        xs += [*(spot.x for spot in track.spots), None]
        ys += [*(_height(mean(spot.value), scale) for spot in track.spots), None]
    style = {"color": token("context"), "width": 1}
    return {"type": "scatter", "mode": "lines", "x": xs, "y": ys, "line": style, "hoverinfo": "skip"}


def _height(value: float | None, scale: Scale) -> float | None:
    return None if value is None else rounded(scale.factor * value)


def _band(track: Track, scale: Scale) -> Json:
    """The interval as an area: along its upper ends and back along its lower ones."""
    there = [spot for spot in track.spots if spot.value.low is not None]
    upper = [(spot.x, _height(spot.value.high, scale)) for spot in there]
    lower = [(spot.x, _height(spot.value.low, scale)) for spot in reversed(there)]
    outline = [(x, _inside(y, scale)) for x, y in upper + lower]
    return {
        "type": "scatter",
        "mode": "lines",
        "x": [x for x, _ in outline],
        "y": [y for _, y in outline],
        "fill": "toself",
        "fillcolor": describer_token(track.pair.hue, "-band"),
        "line": {"width": 0},
        "hoverinfo": "skip",
    }


def _inside(value: float | None, scale: Scale) -> float | None:
    return None if value is None else min(max(value, scale.y[0]), scale.y[1])


def _line(track: Track, scale: Scale) -> Json:
    colour = describer_token(track.pair.hue)
    return {
        "type": "scatter",
        "mode": "lines+markers",
        "x": [spot.x for spot in track.spots],
        "y": [_height(mean(spot.value), scale) for spot in track.spots],
        "line": {"color": colour, "width": 2, "dash": generator_dash(track.pair.shape)},
        "marker": {
            "symbol": generator_symbol(track.pair.shape),
            "size": [round(4 + 7 * spot.weight**0.5, 1) for spot in track.spots],
            "color": colour,
            "opacity": 1,
            "line": {"width": 0},
        },
        "cliponaxis": False,
        "customdata": [
            [scale.form(mean(spot.value)), interval_words(spot.value, scale.form), spot.said] for spot in track.spots
        ],
        "hovertemplate": "%{customdata[2]}%{customdata[0]}<br>%{customdata[1]}<extra></extra>",
    }


def _layout(tracks: Sequence[Track], scale: Scale, columns: int) -> Json:
    rows = ceil(len(tracks) / columns)
    axes: Json = {}
    annotations: list[Json] = []
    for panel, track in enumerate(tracks):
        row, column = divmod(panel, columns)
        lowest = panel + columns >= len(tracks)
        axes |= _axes(panel, scale, across(column, columns), down(row, rows), column == 0, lowest)
        annotations += _words(panel, track, scale, columns)
    place = {"xref": "paper", "yref": "paper"}
    annotations.append(words(scale.y_title, 0, 1, **place, xanchor="left", yanchor="bottom", xshift=-18, yshift=54))
    annotations.append(words(scale.x_title, 1, 0, **place, xanchor="right", yanchor="top", yshift=-20))
    height = _TOP + FOOT + rows * (_PANEL + _BETWEEN) - _BETWEEN
    left = 12 + 7 * max(len(text) for _, text in scale.y_ticks)
    return layout(height, left, 10, _TOP, **axes, shapes=_across_lines(len(tracks), scale), annotations=annotations)


def _across_lines(count: int, scale: Scale) -> list[Json]:
    style = {"color": token("zero"), "width": 1.2}
    return [
        {
            "type": "line",
            "xref": f"{axis_name('x', panel)} domain",
            "yref": axis_name("y", panel),
            "x0": 0,
            "x1": 1,
            "y0": height,
            "y1": height,
            "layer": "below",
            "line": style,
        }
        for panel in range(count)
        for height in scale.lines
    ]


def _axes(
    panel: int,
    scale: Scale,
    horizontal: tuple[float, float],
    upright: tuple[float, float],
    first: bool,
    lowest: bool,
) -> Mapping[str, Json]:
    number = "" if panel == 0 else str(panel + 1)
    x = axis(
        *scale.x,
        scale.x_ticks,
        domain=horizontal,
        anchor=axis_name("y", panel),
        showticklabels=lowest,
        showgrid=False,
        showline=True,
        linecolor=token("hairline"),
    )
    y = axis(*scale.y, scale.y_ticks, domain=upright, anchor=axis_name("x", panel), showticklabels=first)
    return {f"xaxis{number}": x, f"yaxis{number}": y}


def _words(panel: int, track: Track, scale: Scale, columns: int) -> list[Json]:
    """A panel's title, and the values that its line begins and ends with."""
    x, y = axis_name("x", panel), axis_name("y", panel)
    title = panel_title(panel, track.pair, 20 if columns <= 2 else 26)
    labels = end_words(track, scale, x, y)
    if labels:
        return [*title, *labels]
    return [*title, words("no data", 0.5, 0.5, xref=f"{x} domain", yref=f"{y} domain")]


def _end(spot: Spot, scale: Scale, x: str, y: str) -> Json:
    height = _height(mean(spot.value), scale) or 0.0
    low, high = scale.y
    shift = 14 if height < low + 0.8 * (high - low) else -14
    text = scale.form(mean(spot.value))
    return words(text, spot.x, height, xref=x, yref=y, yshift=shift, font={"color": token("text")})
