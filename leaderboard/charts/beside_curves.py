"""Background of a game's learning curves: people's curve with its band, and series of the game's paper."""

from collections.abc import Mapping
from dataclasses import dataclass

from ircore.games.base import PublishedFigure
from ircore.results.statistics.intervals import Estimate
from leaderboard.charts.grammar import Json, escape_for_plotly, make_annotation, scatter
from leaderboard.charts.names_beside import spread
from leaderboard.charts.panels import name_axes, name_axis
from leaderboard.charts.tracks import Scale, draw_band
from leaderboard.theme import token

_NAME = 12
"""Height of the name of a series, CSS pixels."""


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

    def people_traces(self, scale: Scale, panel: int) -> list[Json]:
        """Return people's band and line in a panel, back to front."""
        return [self._draw_band(scale, panel), self._draw_line(scale, panel)] if self.people else []

    def series_traces(self, scale: Scale, panel: int, setting: str) -> list[Json]:
        """Return the published series of a panel."""
        return [_draw_points(points, scale, panel) for points in self.of_setting(setting).values()]

    def names(self, scale: Scale, panel: int, setting: str, height: int) -> list[Json]:
        """Return the names of the published series, each beside its last point and none on another.

        Args:
            scale: Axes of the panel.
            panel: Number of the panel.
            setting: Name of the rules of its runs.
            height: Height of the panel, CSS pixels.
        """
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
                shift = (8, round(moved - at))
                made.append(
                    make_annotation(
                        escape_for_plotly(name, 26),
                        (place, value),
                        refs,
                        "left middle",
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
        return sentences

    def _draw_band(self, scale: Scale, panel: int) -> Json:
        # A mean of one episode has no interval, and the area has no corner there.
        bounded = [(place, mean) for place, mean in self.people.items() if mean.low is not None]
        ends = [(place, mean.high) for place, mean in bounded] + [(place, mean.low) for place, mean in bounded[::-1]]
        return draw_band([(place, scale.height(end)) for place, end in ends], token("hairline"), panel)

    def _draw_line(self, scale: Scale, panel: int) -> Json:
        return scatter(
            mode="lines",
            x=list(self.people),
            y=[scale.height(mean.mean) for mean in self.people.values()],
            line={"color": token("muted"), "width": 1.5, "dash": "dot"},
            customdata=[[scale.form(mean.mean)] for mean in self.people.values()],
            hovertemplate="people, as recorded: %{customdata[0]}<extra></extra>",
            **name_axes(panel),
        )


def _draw_points(points: list[PublishedFigure], scale: Scale, panel: int) -> Json:
    return scatter(
        mode="lines+markers",
        x=[figure.place for figure in points],
        y=[scale.height(figure.value) for figure in points],
        line={"color": token("context"), "width": 1},
        marker={"symbol": "diamond-open", "size": 7, "color": token("muted")},
        # A point at the end of the scale would be cut in half at the plot's edge.
        cliponaxis=False,
        customdata=[[escape_for_plotly(figure.series), scale.form(figure.value)] for figure in points],
        hovertemplate="%{customdata[0]}: %{customdata[1]}<br>reported by the paper<extra></extra>",
        **name_axes(panel),
    )
