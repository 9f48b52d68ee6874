"""Lines over turns or budgets: one panel per pair, the other pairs behind it in grey."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property

from ircore.results.tables.model import Value
from leaderboard import words
from leaderboard.charts.data import MOST_PANELS
from leaderboard.charts.grammar import (
    Json,
    PlotlyDrawing,
    describe_interval,
    drop_weak_interval,
    escape_for_plotly,
    get_mean,
    make_annotation,
    make_scatter,
    make_whiskers,
    name_pair,
    round_value,
)
from leaderboard.charts.panels import PanelGrid, count_columns, name_axes, name_axis, name_panel_refs, pair_titles
from leaderboard.model.site import MarkedPlayers, Pair
from leaderboard.theme import describer_token, generator_dash, generator_symbol, token

_APART = 0.3
"""Share of the width that the ends of a line are apart at least if both have their values beside them."""


@dataclass(frozen=True)
class TrackPoint:
    """A point of a line.

    >>> TrackPoint(2, Value(6.5), weight=0.25).value.value
    6.5
    """

    x: float
    """Position on the x axis, such as the turn."""

    value: Value
    """Value on the y axis."""

    weight: float = 1.0
    """Episodes behind the point as a share of the largest number, 0–1: the area of its mark."""

    hover_text: str = ""
    """Text shown on hover beside the number, already plain."""


@dataclass(frozen=True)
class PairTrack:
    """A pair's line.

    Example:
        >>> PairTrack(pair=None, spots=()).known
        []
    """

    pair: MarkedPlayers
    """Pair that the track belongs to."""

    spots: tuple[TrackPoint, ...]
    """Points from left to right."""

    key: str = ""
    """Key of the pair; empty if no reader can choose it."""

    alike: int = 0
    """Number of further pairs with the same line, which is drawn once."""

    @property
    def marked(self) -> Json:
        """Say of a trace that it belongs to the pair."""
        return {"meta": self.key} if self.key else {}

    @cached_property
    def known(self) -> list[tuple[float, float, TrackPoint]]:
        """Position, number and point, where there is a number."""
        return [(spot.x, value, spot) for spot in self.spots if (value := get_mean(spot.value)) is not None]


@dataclass(frozen=True)
class TrackScale:
    """Axes that all panels share.

    >>> TrackScale(x={}, y={}, form=words.number, factor=100).height(0.25)
    25.0
    """

    x: Json
    """The x axis, with its title."""

    y: Json
    """The y axis, with its title."""

    form: Callable[[float | None], str] = words.number
    """Format of the numbers."""

    factor: float = 1.0
    """Factor of the numbers, such as 100 for percent."""

    zero: bool = False
    """Whether a line stands at zero in every panel."""

    def height(self, value: float | None) -> float | None:
        """Return a number in the units of the y axis: multiplied by ``factor``, then rounded."""
        return None if value is None else round_value(self.factor * value)


def turn_track(pair: Pair, rows: Sequence[Mapping[str, Value]], key: str, weight: str, noun: str) -> PairTrack:
    """Return a pair's line over turns.

    Args:
        pair: Pair that the rows are about.
        rows: Entries by key of each turn, in order.
        key: Key of the values.
        weight: Key of the counts that the areas of marks stand for.
        noun: Word for the counted things, such as ``messages``.
    """
    most = max((get_mean(row[weight]) or 0.0 for row in rows), default=0.0) or 1.0
    name = escape_for_plotly(name_pair(pair))
    spots = (
        TrackPoint(
            get_mean(row["turn"]) or 0.0,
            row[key],
            (get_mean(row[weight]) or 0.0) / most,
            f"{name}, turn {row['turn'].value}, {row[weight].value} {noun}<br>",
        )
        for row in rows
    )
    return PairTrack(pair, tuple(spots), pair.key)


def draw_panels(tracks: Sequence[PairTrack], scale: TrackScale, chosen: bool = False) -> PlotlyDrawing:
    """Return the drawing of a panel a track, in this order.

    Args:
        tracks: One for each panel.
        scale: Axes that they share.
        chosen: Whether a reader chooses some of the tracks, which alone then stand behind each other.
    """
    numbers = range(len(tracks))
    traces = [
        trace for panel in numbers for trace in _draw_panel(panel, () if chosen else tracks, tracks[panel], scale)
    ]
    ends = [label_ends(track, scale, panel) for panel, track in enumerate(tracks)]
    wide, narrow = (_build_layout(tracks, ends, scale, narrow) for narrow in (False, True))
    return PlotlyDrawing(traces, wide, narrow, "panels", [track.key for track in tracks], draw_context((), scale, 0))


def draw_line(track: PairTrack, scale: TrackScale, panel: int = 0) -> list[Json]:
    """Return the traces of one track, back to front: its band and its line."""
    return [
        {**trace, **track.marked}
        for trace in (_draw_interval_band(track, scale, panel), _draw_mean_line(track, scale, panel))
    ]


def label_ends(track: PairTrack, scale: TrackScale, panel: int = 0) -> list[Json]:
    """Return text annotations with the first and last value of a line."""
    known = track.known
    low, high = scale.x["range"]
    apart = len(known) > 1 and known[-1][0] - known[0][0] > _APART * (high - low)
    return [
        _label_end(x, value, scale, panel, len(known) == 1)
        for x, value, _ in ([known[0], known[-1]] if apart else known[-1:])
    ]


def _draw_panel(panel: int, tracks: Sequence[PairTrack], own: PairTrack, scale: TrackScale) -> list[Json]:
    others = [track for index, track in enumerate(tracks) if index != panel]
    return [*([draw_context(others, scale, panel)] if others else []), *draw_line(own, scale, panel)]


def draw_context(tracks: Sequence[PairTrack], scale: TrackScale, panel: int) -> Json:
    """Return lines of other pairs as one grey trace, with a gap between them."""
    points = [
        point
        for track in tracks
        # A pair of None lifts Plotly's pen: one trace for all lines is far lighter than a trace a line.
        for point in (*((spot.x, scale.height(get_mean(spot.value))) for spot in track.spots), (None, None))
    ]
    return make_scatter(
        mode="lines",
        x=[x for x, _ in points],
        y=[y for _, y in points],
        line={"color": token("context"), "width": 1},
        hoverinfo="skip",
        **name_axes(panel),
    )


def draw_band(outline: Sequence[tuple[float, float | None]], colour: str, panel: int = 0) -> Json:
    """Return an area: its outline, in this order; ``colour`` is a token."""
    return make_scatter(
        mode="lines",
        x=[round_value(x) for x, _ in outline],
        y=[round_value(y) for _, y in outline],
        fill="toself",
        fillcolor=colour,
        line={"width": 0},
        hoverinfo="skip",
        **name_axes(panel),
    )


def _draw_interval_band(track: PairTrack, scale: TrackScale, panel: int) -> Json:
    """The confidence band as an area, clipped to the y axis: along the upper ends, back along the lower ends."""
    low, high = scale.y["range"]
    values = [(spot.x, drop_weak_interval(spot.value)) for spot in track.spots]
    there = [(x, value) for x, value in values if value.low is not None]
    ends = [(x, value.high) for x, value in there] + [(x, value.low) for x, value in reversed(there)]
    outline = [(x, min(max(scale.height(end) or 0.0, low), high)) for x, end in ends]
    return draw_band(outline, describer_token(track.pair.hue, "-band"), panel)


def _draw_mean_line(track: PairTrack, scale: TrackScale, panel: int) -> Json:
    colour = describer_token(track.pair.hue)
    return make_scatter(
        mode="lines+markers",
        x=[spot.x for spot in track.spots],
        y=[scale.height(get_mean(spot.value)) for spot in track.spots],
        line={"color": colour, "width": 2, "dash": generator_dash(track.pair.shape)},
        marker={
            "symbol": generator_symbol(track.pair.shape),
            # The square root makes the area grow with the count; 4 pixels stay visible.
            "size": [round(4 + 7 * spot.weight**0.5, 1) for spot in track.spots],
            "color": colour,
            "opacity": 1,
            "line": {"width": 0},
        },
        cliponaxis=False,
        **_draw_single_interval(track, scale, colour),
        customdata=[
            [scale.form(get_mean(spot.value)), describe_interval(spot.value, scale.form), spot.hover_text]
            for spot in track.spots
        ],
        hovertemplate="%{customdata[2]}%{customdata[0]}<br>%{customdata[1]}<extra></extra>",
        **name_axes(panel),
    )


def _draw_single_interval(track: PairTrack, scale: TrackScale, colour: str) -> Json:
    """Return the interval of a single point as a whisker, since a band would have no width."""
    if len(track.known) != 1:
        return {}
    return {"error_y": make_whiskers([spot.value for spot in track.spots], colour, scale.factor)}


def _build_layout(tracks: Sequence[PairTrack], ends: Sequence[Sequence[Json]], scale: TrackScale, narrow: bool) -> Json:
    x, y = ({name: value for name, value in axis.items() if name != "title"} for axis in (scale.x, scale.y))
    pair_title = pair_titles([track.pair for track in tracks])

    def axes(panel: int, grid: PanelGrid) -> tuple[Json, Json]:
        lowest = panel + grid.columns >= grid.count
        return {**x, "showgrid": False, "showline": True, "showticklabels": lowest}, y

    def titles(panel: int, grid: PanelGrid) -> list[Json]:
        labels = ends[panel] or [make_annotation("no data", (0.5, 0.5), name_panel_refs(panel))]
        return [*pair_title(panel, grid), *labels]

    notes = [
        make_annotation(scale.y["title"]["text"], (0, 1), "paper paper", "left bottom", (-18, 54)),
        make_annotation(scale.x["title"]["text"], (1, 0), "paper paper", "right top", (0, -20)),
    ]
    count = min(len(tracks), MOST_PANELS)
    zeros = [
        {"xref": f"{name_axis('x', panel)} domain", "yref": name_axis("y", panel), "x0": 0, "x1": 1, "y0": 0, "y1": 0}
        | {"line": {"width": 1.2}}
        for panel in range(count if scale.zero else 0)
    ]
    left = 12 + 7 * max(map(len, y["ticktext"]))
    keys = [track.key for track in tracks if track.key]
    grid = PanelGrid(count, count_columns(count, narrow), panel=150, between=64, top=78)
    return grid.layout(axes, titles, notes, left, keys=keys, shapes=zeros)


def _label_end(x: float, value: float, scale: TrackScale, panel: int, alone: bool) -> Json:
    """Return the label at an end of a line; a lone mark has its label at the side, clear of the whisker."""
    height, (low, high) = scale.height(value) or 0.0, scale.y["range"]
    # Near the upper edge a label above would run into the panel's title.
    above = 14 if height < low + 0.8 * (high - low) else -14
    refs = f"{name_axis('x', panel)} {name_axis('y', panel)}"
    return make_annotation(
        scale.form(value), (x, height), refs, shift=(22, 0) if alone else (0, above), colour=token("text")
    )
