"""The frame of figures that have a row a pair: names left, numbers right, on phones both above the marks."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from leaderboard.charts.parts import FOOT, HEAD, Json, axis, layout, plain, room, words
from leaderboard.theme import FONT_SIZE, token

LINE = 16
"""Height of a line of words, CSS pixels."""

ROW = 40
"""Height of a row with one mark, CSS pixels."""

SUB_ROW = 20
"""Height that each further mark adds to a row, CSS pixels."""


@dataclass(frozen=True)
class RowLabel:
    """Label beside a row."""

    name: tuple[str, ...]
    """Who or what the row is, on one line or two."""

    values: tuple[str, ...]
    """Texts of the marks, one per mark, from above."""


def place(row: int, mark: int, marks: int, most: int = 0) -> float:
    """Return where in a figure a mark stands: rows are numbered from 0, downwards.

    Args:
        row: 0-based.
        mark: Of the row, 0-based, from above.
        marks: How many this row has.
        most: How many the row with most has; 0 if all have as many.
    """
    return round(row + (mark - (marks - 1) / 2) * SUB_ROW / _row_height(most or marks), 4)


def row_layouts(
    labels: Sequence[RowLabel], xaxis: Json, notes: Sequence[Json], head: int = HEAD, **more: Any
) -> tuple[Json, Json]:
    """Return the wide and the narrow layout of a figure whose rows are numbered from 0, downwards.

    Args:
        labels: One a row; one without values is a heading of the rows below it.
        xaxis: The horizontal axis.
        notes: Annotations of both layouts.
        head: Room above the first row, CSS pixels.
        more: What both layouts add.
    """
    return _layout(labels, xaxis, notes, head, False, more), _layout(labels, xaxis, notes, head, True, more)


def _row_height(marks: int) -> int:
    return ROW + SUB_ROW * (max(marks, 1) - 1)


def _layout(
    labels: Sequence[RowLabel], xaxis: Json, notes: Sequence[Json], head: int, narrow: bool, more: Mapping[str, Any]
) -> Json:
    marks = max((len(label.values) for label in labels), default=1)
    beside = not narrow or marks > 1
    values = [_short(value, narrow) for label in labels for value in label.values]
    left = 8 if narrow else room([line for label in labels for line in label.name], 300)
    right = room(values, 130 if narrow else 250) if beside else 14
    above = LINE * max((len(label.name) for label in labels), default=1) if narrow else 0
    height = _row_height(marks) + above
    # Where words stand above the marks, the marks stand low in their row.
    low = (above + 0.5 * _row_height(marks)) / height
    annotations = []
    if narrow:
        # Under a narrow plot a centred title would be cut at the left.
        title, xaxis = xaxis["title"]["text"], {key: value for key, value in xaxis.items() if key != "title"}
        annotations.append(_axis_title(title))
    for row, label in enumerate(labels):
        annotations.append(_name(row, label, narrow, low * height, beside))
        annotations += _values(row, label, narrow, low * height, beside, marks)
    return layout(
        head + FOOT + height * len(labels),
        left,
        right,
        head,
        xaxis=xaxis,
        yaxis=axis(len(labels) - low, -low, visible=False),
        annotations=[*annotations, *notes],
        **more,
    )


def _axis_title(text: str) -> Json:
    at = {"xref": "paper", "yref": "paper", "xanchor": "left", "yanchor": "top", "yshift": -20}
    return words(text, 0, 0, **at, font={"color": token("text")})


def _name(row: int, label: RowLabel, narrow: bool, above: float, beside: bool) -> Json:
    ink = {"color": token("text"), "size": FONT_SIZE}
    at = {"xref": "paper", "yref": "y", "font": ink}
    if not narrow:
        name = "<br>".join(plain(line, 42) for line in label.name)
        return words(name, 0, row, **at, xanchor="right", align="right", xshift=-10)
    taken = 0 if beside else max(map(len, label.values), default=0)
    name = "<br>".join(plain(line, 52 - (0 if index else taken)) for index, line in enumerate(label.name))
    return words(name, 0, row, **at, xanchor="left", align="left", yanchor="top", yshift=round(above))


def _values(row: int, label: RowLabel, narrow: bool, above: float, beside: bool, most: int) -> list[Json]:
    at = {"xref": "paper", "yref": "y"}
    if not beside:
        text = plain(" ".join(label.values), 40)
        return [words(text, 1, row, **at, xanchor="right", align="right", yanchor="top", yshift=round(above))]
    count = len(label.values)
    return [
        words(plain(_short(text, narrow), 44), 1, place(row, index, count, most), **at, xanchor="left", xshift=10)
        for index, text in enumerate(label.values)
    ]


def _short(text: str, narrow: bool) -> str:
    """Leave out n where there is no room: the table has it."""
    return text.rsplit(" · ", 1)[0] if narrow and text.count(" · ") > 1 else text
