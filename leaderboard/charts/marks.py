"""A number with its interval as a mark with a whisker."""

from dataclasses import dataclass

from ircore.results.tables.model import Value
from leaderboard.charts.parts import Json, mean, rounded


@dataclass(frozen=True)
class Dot:
    """A number with its interval as a mark with a whisker."""

    value: Value
    """Value with its interval."""

    symbol: str
    """Plotly's name of the mark."""

    colour: str
    """Token."""

    hover: str
    """Text shown on hover, already plain."""


def dot(mark: Dot, y: float, scale: float = 1) -> Json:
    """Return the trace of a mark; empty where there is no number.

    Args:
        mark: The value to draw, with its symbol, colour and hover text.
        y: Height of the mark on the axis.
        scale: Factor of the value, such as 100 for percent.
    """
    middle = mean(mark.value)
    low, high = mark.value.low, mark.value.high
    whisker = middle is not None and low is not None and high is not None
    return {
        "type": "scatter",
        "mode": "markers",
        "x": [] if middle is None else [rounded(scale * middle)],
        "y": [] if middle is None else [y],
        "error_x": {
            "type": "data",
            "symmetric": False,
            "array": [_distance(high, middle, scale) if whisker else 0],
            "arrayminus": [_distance(middle, low, scale) if whisker else 0],
            "color": mark.colour,
            "thickness": 2,
            "width": 0,
        },
        "marker": {"symbol": mark.symbol, "size": 11, "color": mark.colour},
        "hovertemplate": f"{mark.hover}<extra></extra>",
    }


def _distance(further: float | None, nearer: float | None, scale: float) -> float:
    return 0.0 if further is None or nearer is None else round(scale * (further - nearer), 4)
