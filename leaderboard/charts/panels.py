"""Grid of equal small panels in rows, for all charts with one panel per pair or per judge."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from math import ceil
from typing import Any

from leaderboard.charts.grammar import (
    FOOT,
    Json,
    build_layout,
    escape_for_plotly,
    list_pair_lines,
    make_annotation,
    make_axis,
    make_scatter,
    make_ticks,
)
from leaderboard.model.site import MarkedPlayers
from leaderboard.theme import describer_token, token

Axes = Callable[[int, "PanelGrid"], tuple[Json, Json]]
"""Returns the x and the y axis of a panel of a grid."""

Titles = Callable[[int, "PanelGrid"], Sequence[Json]]
"""Returns the annotations of a panel of a grid."""


@dataclass(frozen=True)
class PanelGrid:
    """Places of panels, numbered from 0, row by row from above.

    >>> PanelGrid(count=5, columns=2, panel=150, between=64, top=78).rows
    3
    """

    count: int
    """Number of panels."""

    columns: int
    """Panels side by side."""

    panel: int
    """Height of a panel's plotting area, CSS pixels."""

    between: int
    """Room for the title of a panel and the ticks of the one above, CSS pixels."""

    top: int
    """Room above the first panels, CSS pixels."""

    @property
    def rows(self) -> int:
        """Number of rows of panels."""
        return ceil(self.count / self.columns)

    def layout(
        self,
        axes: Axes,
        titles: Titles,
        notes: Sequence[Json],
        left: int,
        right: int = 10,
        keys: Sequence[str] = (),
        **more: Any,
    ) -> Json:
        """Return the layout of all panels; rows of a panel are named in the first column only.

        Args:
            axes: Returns the axes of a panel.
            titles: Returns the annotations of a panel.
            notes: Annotations of the whole figure.
            left: Room on the left, CSS pixels.
            right: Room on the right, CSS pixels.
            keys: Key of each pair, where a reader can choose pairs: these may be more than the panels, and the
                annotations of the others wait for a panel.
            more: Further settings of the layout.
        """
        placed: Json = {}
        annotations: list[Json] = []
        for panel in range(self.count):
            number = "" if panel == 0 else str(panel + 1)
            x, y = axes(panel, self)
            named = {"showticklabels": panel % self.columns == 0}
            placed[f"xaxis{number}"] = {**x, "domain": self._compute_x_range(panel), "anchor": name_axis("y", panel)}
            placed[f"yaxis{number}"] = {
                **y,
                "domain": self._compute_y_range(panel),
                "anchor": name_axis("x", panel),
                **named,
            }
            annotations += () if keys else titles(panel, self)
        annotations += [{**title, "name": key} for at, key in enumerate(keys) for title in titles(at, self)]
        height = self.top + FOOT + self._height
        return build_layout(height, left, right, self.top, **placed, annotations=[*annotations, *notes], **more)

    @property
    def _height(self) -> int:
        return self.rows * (self.panel + self.between) - self.between

    def _compute_x_range(self, panel: int) -> tuple[float, float]:
        """Return where a panel stands, as shares of the width."""
        gap = 0.07 if self.columns == 2 else 0.045
        width = (1 - gap * (self.columns - 1)) / self.columns
        start = (panel % self.columns) * (width + gap)
        return round(start, 4), round(start + width, 4)

    def _compute_y_range(self, panel: int) -> tuple[float, float]:
        """Return where a panel stands, as shares of the height, from below."""
        top = 1 - (panel // self.columns) * (self.panel + self.between) / self._height
        # Rounding may leave a tiny negative number at the lowest row, which Plotly refuses.
        return round(max(0.0, top - self.panel / self._height), 4), round(top, 4)


def count_columns(count: int, narrow: bool) -> int:
    """Return how many small panels stand side by side."""
    return min(count, 2 if narrow else 3 if count == 3 else 4)


def name_axis(letter: str, panel: int) -> str:
    """Return how Plotly names the axis of a panel, 0-based."""
    # Plotly's first axis is ``x``, not ``x1``; the second is ``x2``.
    return letter if panel == 0 else f"{letter}{panel + 1}"


def name_axes(panel: int) -> Json:
    """Return the axes of a panel's traces."""
    return {"xaxis": name_axis("x", panel), "yaxis": name_axis("y", panel)}


def name_panel_refs(panel: int) -> str:
    """Return the references of annotations that count in shares of a panel."""
    return f"{name_axis('x', panel)}_domain {name_axis('y', panel)}_domain"


def pair_titles(pairs: Sequence[MarkedPlayers]) -> Titles:
    """Return each pair's panel title on two lines: the describer in its hue, above the generator."""

    def title(panel: int, grid: PanelGrid) -> list[Json]:
        pair, length = pairs[panel], 20 if grid.columns <= 2 else 26
        generator = list_pair_lines(pair)[1].strip()
        # Bold by a property: Plotly's <b> becomes a style attribute, which the pages' policy forbids.
        hue: Json = {"colour": describer_token(pair.hue, "-text"), "weight": 700}
        return [
            make_annotation(
                escape_for_plotly(pair.names[0], length),
                (0, 1),
                name_panel_refs(panel),
                "left bottom",
                (0, 22),
                align="left",
                **hue,
            ),
            make_annotation(
                escape_for_plotly(generator, length),
                (0, 1),
                name_panel_refs(panel),
                "left bottom",
                (0, 7),
                align="left",
                colour=token("text"),
            ),
        ]

    return title


def build_square_layouts(titles: Sequence[str], upright: str, level: str) -> tuple[Json, Json]:
    """Return the wide and the narrow layout of square panels of two similarity scales, 0–10 each.

    Args:
        titles: Title of each panel, which may be a stranger's words.
        upright: Title of the vertical axes.
        level: Title of the horizontal axes.
    """
    lined, scale = {"showgrid": False, "showline": True}, make_axis(-0.6, 10.6, make_ticks(0, 10, 2))
    notes = [
        make_annotation(upright, (0, 1), "paper paper", "left bottom", (0, 26)),
        make_annotation(level, (1, 0), "paper paper", "right top", (0, -20)),
    ]

    def title(panel: int, _: PanelGrid) -> list[Json]:
        ink: Json = {"colour": token("text"), "weight": 700}
        return [
            make_annotation(
                escape_for_plotly(titles[panel], 38), (0, 1), name_panel_refs(panel), "left bottom", (0, 5), **ink
            )
        ]

    wide, narrow = (
        PanelGrid(len(titles), count, panel=240, between=70, top=56).layout(
            lambda *_: ({**scale, **lined}, scale), title, notes, 26
        )
        for count in (min(len(titles), 3), 1)
    )
    return wide, narrow


def draw_diagonal(panel: int) -> Json:
    """Return the line of a square panel on which both scales say the same."""
    line = {"color": token("zero"), "width": 1, "dash": "dot"}
    return make_scatter(mode="lines", hoverinfo="skip", x=[0, 10], y=[0, 10], line=line, **name_axes(panel))
