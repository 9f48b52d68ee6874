"""Background of a game's learning curves: people's curve with its band, and figures of the game's paper."""

from collections.abc import Mapping
from dataclasses import dataclass

import plotly.graph_objects as go

from ircore.games.base import PublishedFigure
from ircore.results.statistics.intervals import Estimate
from leaderboard.charts.grammar import plain
from leaderboard.charts.panels import axes_of
from leaderboard.charts.tracks import Scale, band
from leaderboard.theme import token


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

    def traces(self, scale: Scale, panel: int) -> list[go.Scatter]:
        """Return the traces of one panel, back to front."""
        people = [self._band(scale, panel), self._line(scale, panel)] if self.people else []
        return [*people, *([self._points(scale, panel)] if self.published else [])]

    @property
    def words(self) -> str:
        """Sentences for the chart's reading aid, each with a blank before it."""
        sentences = ""
        if self.people:
            sentences += " The grey area and its dotted line are people, as recorded on these instances."
        return sentences

    def _band(self, scale: Scale, panel: int) -> go.Scatter:
        # A mean of one episode has no interval, and the area has no corner there.
        bounded = [(place, mean) for place, mean in self.people.items() if mean.low is not None]
        ends = [(place, mean.high) for place, mean in bounded] + [(place, mean.low) for place, mean in bounded[::-1]]
        return band([(place, scale.height(end)) for place, end in ends], token("hairline"), panel)

    def _line(self, scale: Scale, panel: int) -> go.Scatter:
        return go.Scatter(
            mode="lines",
            x=list(self.people),
            y=[scale.height(mean.mean) for mean in self.people.values()],
            line={"color": token("muted"), "width": 1.5, "dash": "dot"},
            customdata=[[scale.form(mean.mean)] for mean in self.people.values()],
            hovertemplate="people, as recorded: %{customdata[0]}<extra></extra>",
            **axes_of(panel),
        )

    def _points(self, scale: Scale, panel: int) -> go.Scatter:
        return go.Scatter(
            mode="markers",
            x=[figure.place for figure in self.published],
            y=[scale.height(figure.value) for figure in self.published],
            marker={"symbol": "diamond-open", "size": 7, "color": token("muted")},
            # A point at the end of the scale would be cut in half at the plot's edge.
            cliponaxis=False,
            customdata=[[plain(figure.series), scale.form(figure.value)] for figure in self.published],
            hovertemplate="%{customdata[0]}: %{customdata[1]}<br>reported by the paper<extra></extra>",
            **axes_of(panel),
        )
