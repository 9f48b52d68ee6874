"""What all figures are made of: a sketch in plain data, and the pieces of layout that several share.

Every figure exists in two layouts, a wide one and a narrow one for phones, over the same data.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from html import escape
from typing import Any

from leaderboard.site import Pair
from leaderboard.text import one_line
from leaderboard.theme import FONT_FAMILY, FONT_SIZE, token

Json = dict[str, Any]

ROW = {False: 40, True: 40}
"""Height of a row's marks in a horizontal figure, CSS pixels, by whether the layout is narrow."""

_LINE = 16
"""Height of a line of words, CSS pixels."""

HEAD = 46
"""Room above the first row, CSS pixels: for the words that explain the axis."""

FOOT = 44
"""Room below the last row, CSS pixels: for ticks and the axis title."""

_CHARACTER = 7.0
"""Width of an average character at ``FONT_SIZE``, CSS pixels."""


@dataclass(frozen=True)
class Sketch:
    """A figure before Plotly has seen it, with the same numbers as a table."""

    title: str
    """The finding, or the question that it answers."""

    reading_aid: str
    """One sentence on how to read it."""

    traces: Sequence[Json]
    """Plotly traces."""

    wide: Json
    """Plotly layout."""

    narrow: Json
    """Plotly layout for less than ``theme.NARROW`` pixels."""

    columns: tuple[str, ...]
    """Heads of the table."""

    rows: tuple[tuple[str, ...], ...]
    """Cells of the table, as text."""


@dataclass(frozen=True)
class RowLabel:
    """What stands beside a row of a horizontal figure."""

    name: tuple[str, ...]
    """Who or what the row is, on one line or two."""

    value: str
    """Its number, with n."""


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


def axis(low: float, high: float, **more: Any) -> Json:
    """Return an axis with a fixed range and hairlines."""
    return {
        "range": [low, high],
        "fixedrange": True,
        "gridcolor": token("hairline"),
        "zeroline": False,
        "showline": False,
        "tickfont": {"color": token("muted")},
        **more,
    }


def words(text: str, x: float, y: float, **more: Any) -> Json:
    """Return an annotation without arrow; ``text`` must be plain already."""
    return {"text": text, "x": x, "y": y, "showarrow": False, "font": {"color": token("muted")}, **more}


def row_layouts(labels: Sequence[RowLabel], xaxis: Json, notes: Sequence[Json], **more: Any) -> tuple[Json, Json]:
    """Return the wide and the narrow layout of a horizontal figure whose rows are numbered from 0, downwards.

    Names stand left of the rows and numbers right of them; in the narrow layout both stand above their row.

    Args:
        labels: One a row.
        xaxis: The horizontal axis.
        notes: Annotations of both layouts.
        more: What both layouts add.
    """
    return _row_layout(labels, xaxis, notes, False, more), _row_layout(labels, xaxis, notes, True, more)


def _row_layout(
    labels: Sequence[RowLabel], xaxis: Json, notes: Sequence[Json], narrow: bool, more: Mapping[str, Any]
) -> Json:
    left = 8 if narrow else room([line for label in labels for line in label.name], 300)
    right = 14 if narrow else room([label.value for label in labels], 200)
    lines = max((len(label.name) for label in labels), default=1)
    height = ROW[narrow] + (_LINE * lines if narrow else 0)
    annotations = [part for row, label in enumerate(labels) for part in _label(row, label, narrow, height)]
    # Where words stand above the marks, the marks stand low in their row.
    low = (height - 0.5 * ROW[narrow]) / height if narrow else 0.5
    return layout(
        HEAD + FOOT + height * len(labels),
        left,
        right,
        xaxis=xaxis,
        yaxis=axis(len(labels) - 1 + (1 - low), -low, visible=False),
        annotations=[*annotations, *notes],
        **more,
    )


def room(texts: Sequence[str], most: int) -> int:
    """Return a margin in CSS pixels that holds the longest of some lines, but never more than ``most``."""
    return min(most, round(max((len(text) for text in texts), default=0) * _CHARACTER) + 20)


def _label(row: int, label: RowLabel, narrow: bool, height: int) -> list[Json]:
    """The words of a row: beside its marks, or above them line by line."""
    place = {"xref": "paper", "yref": "y"}
    ink = {"color": token("text")}
    if not narrow:
        name = "<br>".join(plain(line, 42) for line in label.name)
        return [
            words(name, 0, row, **place, xanchor="right", align="right", xshift=-10, font=ink),
            words(label.value, 1, row, **place, xanchor="left", xshift=10),
        ]
    above = {**place, "yanchor": "top", "yshift": height - ROW[True] // 2}
    name = "<br>".join(
        plain(line, 54 - (len(label.value) if not index else 0)) for index, line in enumerate(label.name)
    )
    return [
        words(name, 0, row, **above, xanchor="left", align="left", font=ink),
        words(label.value, 1, row, **above, xanchor="right"),
    ]
