"""Parts of every figure: the sketch in plain data, and pieces of layout that several figures share.

Every figure exists in two layouts, a wide one and a narrow one for phones, over the same data. Ticks are always given
one by one, so that the still picture (``chart_still``) and Plotly draw the same.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from html import escape
from typing import Any

from ircore.results.statistics.intervals import TOO_FEW, too_few
from ircore.results.tables.model import Table, Value
from leaderboard import labels
from leaderboard.site import Pair
from leaderboard.text import one_line
from leaderboard.theme import FONT_FAMILY, FONT_SIZE, token

Json = dict[str, Any]

HEAD = 46
"""Room above the first row, CSS pixels: for the words that explain the axis."""

FOOT = 44
"""Room below the last row, CSS pixels: for ticks and the axis title."""

CHARACTER = 6.6
"""Width of an average character at ``FONT_SIZE``, CSS pixels."""


@dataclass(frozen=True)
class Sketch:
    """A figure before Plotly has seen it, with the same numbers as a table."""

    title: str
    """The finding, or the question that it answers."""

    reading_aid: str
    """One sentence on how to read it, and which pairs are shown if not all."""

    traces: Sequence[Json]
    """Plotly traces."""

    wide: Json
    """Plotly layout."""

    narrow: Json
    """Plotly layout for less than ``theme.NARROW`` pixels."""

    table: Table
    """The numbers that are drawn."""

    published: tuple[Table, ...] = ()
    """The paper's values that are drawn beside them."""


@dataclass(frozen=True)
class Missing:
    """A figure that cannot be drawn."""

    title: str
    """The question that it would answer."""

    reason: str
    """One line: which data are missing."""


def pair_name(pair: Pair) -> str:
    """Return a pair's name on one line, with what tells it from others of the same players."""
    name = f"{pair.describer} + {pair.generator}"
    return f"{name} ({pair.apart})" if pair.apart else name


def pair_lines(pair: Pair) -> tuple[str, str]:
    """Return a pair's name on two lines, describer over generator, as on the boards."""
    generator = f"+ {pair.generator}"
    return pair.describer, f"{generator} ({pair.apart})" if pair.apart else generator


def plain(text: str, length: int = 200) -> str:
    """Return a stranger's text so that Plotly shows it as it is: hidden characters shown, its small markup escaped."""
    return escape(one_line(text, length), quote=False)


def mean(value: Value) -> float | None:
    """Return the number of an entry; None where there is none."""
    return float(value.value) if isinstance(value.value, int | float) else None


def rounded(value: float | None) -> float | None:
    """Return a number as figures carry it: three decimals are finer than a pixel."""
    return None if value is None else round(value, 3)


def interval_words(value: Value, form: Callable[[float | None], str] = labels.number) -> str:
    """Say how sure a number is: its interval and n, or why there is none."""
    if value.value is None:
        return value.missing or "no value"
    n = "" if value.n is None else f"n = {value.n}"
    if value.low is None or value.high is None:
        return f"{n}, so no interval" if value.n == 1 else n
    few = f", {TOO_FEW}" if too_few(value.n) else ""
    return f"95 % interval {form(value.low)} to {form(value.high)}" + (f", {n}{few}" if n else "")


def layout(height: int, left: int, right: int, top: int = HEAD, bottom: int = FOOT, **more: Any) -> Json:
    """Return the layout that all figures share: no frame, no zoom, the reader's colours.

    Args:
        height: Of the whole figure, CSS pixels.
        left: Margin, CSS pixels.
        right: Margin, CSS pixels.
        top: Margin, CSS pixels.
        bottom: Margin, CSS pixels.
        more: What this figure adds.
    """
    return {
        "height": height,
        "margin": {"l": left, "r": right, "t": top, "b": bottom, "pad": 0},
        "font": {"family": FONT_FAMILY, "size": FONT_SIZE, "color": token("text")},
        "paper_bgcolor": "rgba(0,0,0,0)",
        "plot_bgcolor": "rgba(0,0,0,0)",
        "showlegend": False,
        "dragmode": False,
        "hovermode": "closest",
        "hoverlabel": {
            "bgcolor": token("surface"),
            "bordercolor": token("hairline"),
            "font": {"color": token("text")},
            "align": "left",
        },
        **more,
    }


Ticks = Sequence[tuple[float, str]]
"""Positions of ticks and their labels; the labels must be plain already."""


def steps(low: float, high: float, step: float, digits: int = 0, signed: bool = False) -> Ticks:
    """Return the ticks at the multiples of a step from one value to another."""
    first, last = round(low / step), round(high / step)
    while first * step < low - 1e-9:
        first += 1
    while last * step > high + 1e-9:
        last -= 1
    form = labels.signed if signed else labels.number
    return [(round(number * step, 6), form(number * step, digits)) for number in range(first, last + 1)]


def axis(low: float, high: float, ticks: Ticks = (), **more: Any) -> Json:
    """Return an axis with a fixed range and hairlines at the ticks."""
    return {
        "range": [low, high],
        "tickmode": "array",
        "tickvals": [at for at, _ in ticks],
        "ticktext": [text for _, text in ticks],
        "fixedrange": True,
        "gridcolor": token("hairline"),
        "zeroline": False,
        "showline": False,
        "ticks": "",
        "ticklabelstandoff": 3,
        "tickfont": {"color": token("muted")},
        **more,
    }


def words(text: str, x: float, y: float, **more: Any) -> Json:
    """Return an annotation without arrow; ``text`` must be plain already."""
    return {"text": text, "x": x, "y": y, "showarrow": False, "font": {"color": token("muted")}, **more}


def vertical(x: float, colour: str = "zero") -> Json:
    """Return a line across the figure at a value: zero, or what chance would give."""
    return {
        "type": "line",
        "xref": "x",
        "yref": "paper",
        "x0": x,
        "x1": x,
        "y0": 0,
        "y1": 1,
        "layer": "below",
        "line": {"color": token(colour), "width": 1.5},
    }


def room(texts: Sequence[str], most: int) -> int:
    """Return a margin in CSS pixels that holds the longest of some lines, but never more than ``most``."""
    return min(most, round(max((len(text) for text in texts), default=0) * CHARACTER) + 22)
