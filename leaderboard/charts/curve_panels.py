"""Panels of curves, one for each set of rules, and what lies behind them: people's curve and a paper's points.

The runs of a panel are in the colour of the seat that varies among them. People's curve has its band; the series of the
game's paper are points.
"""

from collections import Counter
from collections.abc import Hashable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Literal, TypeVar

from ircore.core.untrusted_text import format_one_line
from ircore.games.base import PublishedFigure
from ircore.results.statistics.intervals import Estimate
from leaderboard.charts.grammar import Json, PlotlyDrawing, escape_for_plotly, make_annotation, make_scatter
from leaderboard.charts.names_beside import spread, wrap_heads
from leaderboard.charts.panels import PanelGrid, name_axes, name_axis, name_panel_refs
from leaderboard.charts.tracks import PairTrack, TrackScale, draw_band, draw_context, draw_line
from leaderboard.model.site import Pair
from leaderboard.theme import describer_token, token

Run = TypeVar("Run")

_NAME = 12
"""Height of the name of a series, CSS pixels."""

_LETTER = 5.6
"""Width of an average letter of it, CSS pixels."""

MOST_COLOURED = 4
"""Runs of a panel with a colour and a name; further runs are grey."""

PLOT = 200
"""Height of a panel, CSS pixels."""

_LINE = 14
"""Height of a name above a panel, CSS pixels."""


@dataclass(frozen=True)
class BesideCurves:
    """People's curve on the same instances, and published points; either may be empty.

    Example:
        >>> BesideCurves(people={1: Estimate(0.8, 0.7, 0.9, 27)}, published=()).words
        ' The grey area and its dotted line are people, as recorded on these instances.'
    """

    people: Mapping[int, Estimate]
    """Mean and interval of people's episodes, by place on the horizontal axis."""

    published: tuple[PublishedFigure, ...]
    """Figures with a place on the horizontal axis."""

    def of_setting(self, setting: str) -> "dict[str, list[PublishedFigure]]":
        """Return the published series that stand beside runs of a setting, each with its points in order."""
        series: dict[str, list[PublishedFigure]] = {}
        for figure in sorted(self.published, key=lambda figure: figure.place):
            if figure.setting in ("", setting):
                series.setdefault(figure.series, []).append(figure)
        return series

    def people_traces(self, scale: TrackScale, panel: int) -> list[Json]:
        """Return people's band and line in a panel, back to front."""
        return [self._draw_band(scale, panel), self._draw_line(scale, panel)] if self.people else []

    def band_traces(self, scale: TrackScale, panel: int, setting: str) -> list[Json]:
        """Return the intervals of the published series of a panel, of those that have them."""
        several = self.of_setting(setting).values()
        bounded = (
            [(figure.place, figure.low, figure.high) for figure in points if figure.low is not None]
            for points in several
        )
        return [_draw_outline(ends, scale, panel) for ends in bounded if ends]

    def series_traces(self, scale: TrackScale, panel: int, setting: str) -> list[Json]:
        """Return the published series of a panel."""
        return [_draw_points(points, scale, panel) for points in self.of_setting(setting).values()]

    def names(self, scale: TrackScale, panel: int, setting: str, height: int, width: int) -> list[Json]:
        """Return the names of the published series, each beside its last point, or above it, and none on another.

        Args:
            scale: Axes of the panel.
            panel: Number of the panel.
            setting: Name of the rules of its runs.
            height: Height of the panel, CSS pixels.
            width: Width of the panel, CSS pixels.
        """
        (left, right) = scale.x["range"]
        refs, (low, high) = f"{name_axis('x', panel)} {name_axis('y', panel)}", scale.y["range"]
        ends: dict[int, list[tuple[float, str]]] = {}
        for name, points in self.of_setting(setting).items():
            ends.setdefault(points[-1].place, []).append((scale.height(points[-1].value) or 0.0, name))
        made = []
        for place, named in ends.items():
            # Only names at one place can lie on each other.
            named.sort()
            own = [height * (value - low) / (high - low) for value, _ in named]
            for (value, name), at, moved in zip(named, own, spread(own, _NAME, height), strict=True):
                room = width * (right - place) / (right - left)
                fits = 10 + _LETTER * min(len(name), 26) < room
                shift = (8, round(moved - at)) if fits else (round(room), 12 + round(moved - at))
                made.append(
                    make_annotation(
                        escape_for_plotly(name, 26),
                        (place, value),
                        refs,
                        "left middle" if fits else "right middle",
                        shift,
                        size=10,
                        colour=token("muted"),
                    )
                )
        return made

    @property
    def words(self) -> str:
        """Sentences for the chart's reading aid, each with a blank before it."""
        sentences = ""
        if self.people:
            sentences += " The grey area and its dotted line are people, as recorded on these instances."
        if named := [figure.series for figure in self.published if figure.low is not None]:
            sentences += f" A grey area with hollow marks is the 95 % interval of {', '.join(dict.fromkeys(named))}."
        return sentences

    def _draw_band(self, scale: TrackScale, panel: int) -> Json:
        # A mean of one episode has no interval, and the area has no corner there.
        bounded = [(place, mean.low, mean.high) for place, mean in self.people.items() if mean.low is not None]
        return _draw_outline(bounded, scale, panel)

    def _draw_line(self, scale: TrackScale, panel: int) -> Json:
        return make_scatter(
            mode="lines",
            x=list(self.people),
            y=[scale.height(mean.mean) for mean in self.people.values()],
            line={"color": token("muted"), "width": 1.5, "dash": "dot"},
            customdata=[[scale.form(mean.mean)] for mean in self.people.values()],
            hovertemplate="people, as recorded: %{customdata[0]}<extra></extra>",
            **name_axes(panel),
        )


@dataclass(frozen=True)
class CurvePanel:
    """The runs of one panel.

    >>> CurvePanel("L2", tracks=()).title
    'L2'
    """

    title: str
    """Name of the rules; empty where all runs share them."""

    tracks: tuple[PairTrack, ...]
    """Curves of its runs, the best run first; of equal curves the first."""

    @property
    def coloured(self) -> tuple[PairTrack, ...]:
        """The curves that have a colour and a name."""
        return self.tracks[:MOST_COLOURED]


def varies_alone(pairs: Sequence[Pair], seat: Literal["describer", "generator"]) -> bool:
    """Return whether this seat has several players, and the other one the same in all runs."""
    players = {name: {getattr(pair, name) for pair in pairs} for name in ("describer", "generator")}
    return len(players.pop(seat)) > 1 and all(len(others) == 1 for others in players.values())


def colour_runs(pairs: Sequence[Pair]) -> list[Pair]:
    """Return runs in the colours and with the names of the seats that vary among them.

    Where all runs have the same player in the first seat, the colour tells the players of the second one.
    """
    by_second, same_second = varies_alone(pairs, "generator"), varies_alone(pairs, "describer")
    return [
        replace(
            pair,
            hue=pair.shape if by_second else pair.hue,
            describer=pair.generator if by_second else pair.describer,
            generator="" if by_second or same_second else pair.generator,
            programs=pair.programs[1:] if by_second else pair.programs,
        )
        for pair in pairs
    ]


def group_alike(runs: Sequence[Run], values: Sequence[Hashable]) -> list[tuple[Run, int]]:
    """Return the first run of each value, with the number of further runs of the same value.

    >>> group_alike(["a", "b", "c"], [1, 2, 1])
    [('a', 1), ('b', 0)]
    """
    counts = Counter(values)
    firsts = dict(reversed(list(zip(values, runs, strict=True))))
    return [(firsts[value], counts[value] - 1) for value in dict.fromkeys(values)]


def name_head(name: str, alike: int) -> str:
    """Return a run's name on one line, with the number of further runs that lie on it."""
    return format_one_line(name, 200) + (f" and\u00a0{alike}\u00a0alike" if alike else "")


def draw_curve_panels(parts: Sequence[CurvePanel], scale: TrackScale, beside: BesideCurves) -> PlotlyDrawing:
    """Return the drawing of some panels, in this order.

    Args:
        parts: The panels.
        scale: Axes that they share.
        beside: What stands behind the curves: people, and published series beside runs by their rules.
    """
    traces = [trace for number, part in enumerate(parts) for trace in _draw_traces(part, scale, beside, number)]
    columns = min(len(parts), 3)
    wide = _build_layout(parts, scale, beside, columns, (0, 100, 55, 36)[columns])
    narrow = _build_layout(parts, scale, beside, 1, 48)
    return PlotlyDrawing(traces, wide, narrow)


def _draw_outline(bounded: Sequence[tuple[int, float | None, float | None]], scale: TrackScale, panel: int) -> Json:
    """Return the area between the lower and the upper ends of intervals, each with its place."""
    ends = [(place, high) for place, _, high in bounded] + [(place, low) for place, low, _ in reversed(bounded)]
    return draw_band([(place, scale.height(end)) for place, end in ends], token("hairline"), panel)


def _draw_points(points: list[PublishedFigure], scale: TrackScale, panel: int) -> Json:
    return make_scatter(
        mode="lines+markers",
        x=[figure.place for figure in points],
        y=[scale.height(figure.value) for figure in points],
        line={"color": token("context"), "width": 1},
        marker={"symbol": "diamond-open", "size": 7, "color": token("muted")},
        # A point at the end of the scale would be cut in half at the plot's edge.
        cliponaxis=False,
        customdata=[[escape_for_plotly(figure.series), scale.form(figure.value)] for figure in points],
        hovertemplate="%{customdata[0]}: %{customdata[1]}<br>published, not run here<extra></extra>",
        **name_axes(panel),
    )


def _draw_traces(part: CurvePanel, scale: TrackScale, beside: BesideCurves, panel: int) -> list[Json]:
    own, others = part.coloured, part.tracks[MOST_COLOURED:]
    # Bands first, so that no band hides another run's line, or a point of the paper.
    bands, lines = zip(*(draw_line(track, scale, panel) for track in reversed(own)), strict=True)
    return [
        *beside.people_traces(scale, panel),
        *beside.band_traces(scale, panel, part.title),
        *bands,
        *([draw_context(others, scale, panel)] if others else []),
        *beside.series_traces(scale, panel, part.title),
        *lines,
    ]


def _build_layout(
    parts: Sequence[CurvePanel], scale: TrackScale, beside: BesideCurves, columns: int, most: int
) -> Json:
    """Return the layout of panels in so many columns, above each its names in lines of at most so many characters."""
    x, y = ({name: value for name, value in axis.items() if name != "title"} for axis in (scale.x, scale.y))
    above = [wrap_heads(_list_heads(part, scale), most) for part in parts]
    head = _LINE * max(map(len, above)) + 10
    width = 700 // columns if columns > 1 or most > 50 else 310

    def axes(panel: int, grid: PanelGrid) -> tuple[Json, Json]:
        return {**x, "showgrid": False, "showline": True, "showticklabels": panel + grid.columns >= grid.count}, y

    def titles(panel: int, _: PanelGrid) -> list[Json]:
        lines = above[panel]
        return [
            *(
                make_annotation(
                    text, (0, 1), name_panel_refs(panel), "left bottom", (0, 6 + _LINE * (len(lines) - 1 - place)),
                    align="left", colour=colour, weight=weight,
                )
                for place, (text, colour, weight) in enumerate(lines)
            ),
            *beside.names(scale, panel, parts[panel].title, PLOT, width),
        ]  # fmt: skip

    notes = [
        make_annotation(scale.y["title"]["text"], (0, 1), "paper paper", "left bottom", (-18, head + 8)),
        make_annotation(scale.x["title"]["text"], (1, 0), "paper paper", "right top", (0, -20)),
    ]
    left = 12 + 7 * max(map(len, y["ticktext"]))
    grid = PanelGrid(len(parts), columns, panel=PLOT, between=head + 34, top=head + 32)
    return grid.layout(axes, titles, notes, left)


def _list_heads(part: CurvePanel, scale: TrackScale) -> list[tuple[str, str, int]]:
    """Return what stands above a panel, with colours and weights: its title, and the names of its coloured runs."""
    named = [(_describe_track(track, scale), describer_token(track.pair.hue, "-text"), 400) for track in part.coloured]
    return [(format_one_line(part.title, 200), token("text"), 700), *named] if part.title else named


def _describe_track(track: PairTrack, scale: TrackScale) -> str:
    """Return the name of a run with the first and the last value of its curve."""
    ends = [scale.form(value) for _, value, _ in track.known]
    name = name_head(" + ".join(filter(None, track.pair.names)), track.alike)
    # Values stay on one line: a lone number on the next would belong to nobody.
    return f"{name} {ends[0]}\u00a0→\u00a0{ends[-1]}" if len(ends) > 1 else f"{name} {''.join(ends)}"
