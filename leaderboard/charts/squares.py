"""Square panels of two similarity scales, 0–10 each, and the diagonal on which both say the same."""

from collections.abc import Sequence
from math import ceil

from leaderboard.charts.panels import across, axis_name, down
from leaderboard.charts.parts import FOOT, Json, axis, layout, plain, steps, words
from leaderboard.theme import token

_PANEL, _BETWEEN, _TOP = 240, 70, 56


def square_layout(titles: Sequence[str], columns: int, upright: str, level: str) -> Json:
    """Return the layout of panels whose axes are both the similarity scale.

    Args:
        titles: One a panel, which may be a stranger's words.
        columns: Panels side by side.
        upright: What the vertical axes mean.
        level: What the horizontal axes mean.
    """
    rows = ceil(len(titles) / columns)
    axes: Json = {}
    annotations: list[Json] = []
    for panel, title in enumerate(titles):
        row, column = divmod(panel, columns)
        number, x, y = "" if panel == 0 else str(panel + 1), axis_name("x", panel), axis_name("y", panel)
        lines = {"domain": across(column, columns), "anchor": y, "showline": True, "linecolor": token("hairline")}
        axes[f"xaxis{number}"] = axis(-0.4, 10.4, steps(0, 10, 2), showgrid=False, **lines)
        axes[f"yaxis{number}"] = axis(
            -0.4,
            10.4,
            steps(0, 10, 2),
            domain=down(row, rows, _PANEL, _BETWEEN),
            anchor=x,
            showticklabels=column == 0,
        )
        above = {"xref": f"{x} domain", "yref": f"{y} domain", "xanchor": "left", "yanchor": "bottom"}
        ink = {"color": token("text"), "weight": 700}
        annotations.append(words(plain(title, 38), 0, 1, **above, yshift=5, font=ink))
    place = {"xref": "paper", "yref": "paper"}
    annotations.append(words(upright, 0, 1, **place, xanchor="left", yanchor="bottom", yshift=26))
    annotations.append(words(level, 1, 0, **place, xanchor="right", yanchor="top", yshift=-20))
    height = _TOP + FOOT + rows * (_PANEL + _BETWEEN) - _BETWEEN
    return layout(height, 26, 10, _TOP, **axes, annotations=annotations)


def diagonal() -> Json:
    """Return the line on which both scales say the same."""
    line = {"color": token("zero"), "width": 1, "dash": "dot"}
    return {"type": "scatter", "mode": "lines", "hoverinfo": "skip", "x": [0, 10], "y": [0, 10], "line": line}
