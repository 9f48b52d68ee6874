"""Charts with a row a pair: names left, numbers right, on phones both above the marks.

The paper's published values are hollow grey marks in rows of their own, under a heading that says so. They have no
intervals, since the paper prints none, and stand in a table of their own: nobody played them here.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property, lru_cache
from typing import Any

from ircore.games.base import Game
from ircore.results.tables.games import published_table
from ircore.results.tables.model import Table, Value
from leaderboard.charts.data import list_entries
from leaderboard.charts.grammar import (
    FOOT,
    HEAD,
    Json,
    PlotlyDrawing,
    build_layout,
    escape_for_plotly,
    get_mean,
    make_annotation,
    make_axis,
    make_scatter,
    make_whiskers,
    measure_margin,
    round_value,
)
from leaderboard.theme import FONT_SIZE, token
from leaderboard.words import judge_name

LINE = 16
"""Height of a line of words, CSS pixels."""

ROW = 40
"""Height of a row with one line of marks, CSS pixels."""

SUB_ROW = 20
"""Height that each further line of marks adds to a row, CSS pixels."""

_INK: Json = {"colour": token("text"), "size": FONT_SIZE}


@dataclass(frozen=True)
class ChartMark:
    """A number drawn as a mark, with a whisker for the interval.

    >>> ChartMark(Value(0.5, 0.4, 0.6, 12), "circle", "var(--irc-judge-1)", "half").value.n
    12
    """

    value: Value
    """Number with its interval."""

    symbol: str
    """Plotly's name of the mark."""

    colour: str
    """Token."""

    hover: str
    """Text shown on hover, already plain."""


@dataclass(frozen=True)
class MarkRow:
    """A row of marks; a row without values is a heading of the rows below, with a line across the plot."""

    name: tuple[str, ...]
    """Name of the pair, rater or condition in the row, on one line or two."""

    values: tuple[str, ...]
    """Texts of the lines of marks, from above."""

    marks: tuple[tuple[ChartMark, ...], ...] = ()
    """The marks of each line."""

    key: str = ""
    """Key of the pair in the row; empty if no reader can choose it."""

    @cached_property
    def named(self) -> Json:
        """Say of an annotation that it belongs to the row."""
        return {"name": self.key} if self.key else {}


def draw_marked_rows(
    rows: Sequence[MarkRow],
    xaxis: Json,
    notes: Sequence[Json],
    head: int,
    shapes: Sequence[Json] = (),
    factor: float = 1,
) -> PlotlyDrawing:
    """Return a drawing of rows of marks.

    Args:
        rows: From above.
        xaxis: The horizontal axis.
        notes: Annotations above the plot.
        head: Room above the first row, CSS pixels.
        shapes: Lines across the plot.
        factor: Factor of the values, such as 100 for percent.
    """
    most = max((len(row.values) for row in rows), default=1)
    traces = [
        _draw_mark(mark, place(at, line, len(row.marks), most), factor, row.key)
        for at, row in enumerate(rows)
        for line, marks in enumerate(row.marks)
        for mark in marks
        if get_mean(mark.value) is not None
    ]
    headings = [
        {"xref": "paper", "yref": "y", "x0": 0, "x1": 1, "y0": at, "y1": at, "line": {"width": 1}}
        for at, row in enumerate(rows)
        if not row.values
    ]
    layouts = build_row_layouts(rows, xaxis, notes, head, shapes=[*shapes, *headings])
    return PlotlyDrawing(traces, *layouts, "rows", [row.key for row in rows])


@lru_cache(maxsize=4096)
def place(row: int, line: int, lines: int, most: int) -> float:
    """Return where in a figure a line of marks stands: rows are numbered from 0, downwards.

    Args:
        row: 0-based.
        line: Number of the line in its row, 0-based, from above.
        lines: Number of lines in this row.
        most: Number of lines in the row with most lines.
    """
    return round(row + (line - (lines - 1) / 2) * SUB_ROW / _compute_row_height(most), 4)


def build_row_layouts(
    rows: Sequence[MarkRow], xaxis: Json, notes: Sequence[Json], head: int = HEAD, **more: Any
) -> tuple[Json, Json]:
    """Return the wide and the narrow layout of rows that are numbered from 0, downwards.

    Args:
        rows: From above.
        xaxis: The horizontal axis.
        notes: Annotations of both layouts.
        head: Room above the first row, CSS pixels.
        more: Further settings of both layouts.
    """
    return _build_wide_layout(rows, xaxis, notes, head, more), _build_narrow_layout(rows, xaxis, notes, head, more)


def list_published_judges(means: Table) -> tuple[str, ...]:
    """Return the judges of the table of published means, in the order of its columns."""
    return tuple(column.key for column in means.columns if column.key not in ("pair", "final_preferred"))


def score_rows(means: Table, alone: bool) -> list[MarkRow]:
    """Return a heading and the mean scores of the paper's pairs by judge, in the order of their table.

    Args:
        means: The table ``published_means``.
        alone: Whether our rows have a single mark each: the paper's then stand on one line.
    """
    rows = [_PUBLISHED_HEADING]
    for entry in list_entries(means):
        name = _split_pair_name(entry["pair"])
        scores = {judge_name(judge): _get_number(entry[judge]) for judge in list_published_judges(means)}
        said = [f"{judge} · {score:.2f}" for judge, score in scores.items()]
        marks = [_make_published_mark(name, words, score) for words, score in zip(said, scores.values(), strict=True)]
        together = ", ".join(f"{judge} {score:.1f}" for judge, score in scores.items())
        rows.append(
            MarkRow(name, (together,), (tuple(marks),))
            if alone
            else MarkRow(name, tuple(said), tuple((mark,) for mark in marks))
        )
    return rows


def build_preference_rows(means: Table) -> list[MarkRow]:
    """Return a heading and the shares 0–1 of final renderings that the paper's LipSim prefers, highest first.

    Args:
        means: The table ``published_means``.
    """
    rows = [_PUBLISHED_HEADING]
    shares = [(_split_pair_name(entry["pair"]), _get_number(entry["final_preferred"])) for entry in list_entries(means)]
    for name, share in sorted(shares, key=lambda entry: -entry[1]):
        said = f"LipSim · {100 * share:.0f} %"
        rows.append(MarkRow(name, (said,), ((_make_published_mark(name, said, share),),)))
    return rows


def build_agreement_rows(game: Game[Any], people: bool) -> list[MarkRow]:
    """Return a heading and the correlations of the paper's judges, with people first if ``people``."""
    tables = (("published_table2", "judge × human"), ("published_table1", "judge × judge"))
    rows = [_PUBLISHED_HEADING]
    for table, kind in tables if people else tables[1:]:
        for entry in list_entries(published_table(game, table)):
            # The paper does not print both correlations of every two raters.
            if entry["pearson"].value is None or entry["spearman"].value is None:
                continue
            pearson, spearman = _get_number(entry["pearson"]), _get_number(entry["spearman"])
            name = (_name_raters(str(entry["one"].value), str(entry["other"].value)), kind)
            marks = (
                (_make_published_mark(name, f"r = {pearson:.2f}", pearson),),
                (_make_published_mark(name, f"ρ = {spearman:.2f}", spearman, "diamond-open"),),
            )
            rows.append(MarkRow(name, (f"r · {pearson:.2f}", f"ρ · {spearman:.2f}"), marks))
    return rows


def _draw_mark(mark: ChartMark, y: float, factor: float, key: str) -> Json:
    return make_scatter(
        mode="markers",
        cliponaxis=False,  # a mark at the end of its scale is whole
        **({"ids": [key]} if key else {}),
        x=[round_value(factor * (get_mean(mark.value) or 0))],
        y=[y],
        error_x=make_whiskers([mark.value], mark.colour, factor, thickness=2),
        marker={"symbol": mark.symbol, "size": 11, "color": mark.colour},
        hovertemplate=f"{mark.hover}<extra></extra>",
    )


def _compute_row_height(lines: int) -> int:
    return ROW + SUB_ROW * (max(lines, 1) - 1)


def _build_wide_layout(rows: Sequence[MarkRow], xaxis: Json, notes: Sequence[Json], head: int, more: Json) -> Json:
    most = max((len(row.values) for row in rows), default=1)
    names = [
        make_annotation(
            _name_row(row, (42, 42)), (0, at), "paper y", "right middle", (-10, 0), align="right", **_INK, **row.named
        )
        for at, row in enumerate(rows)
    ]
    return build_layout(
        head + FOOT + _compute_row_height(most) * len(rows),
        measure_margin([line for row in rows for line in row.name], 300),
        measure_margin([text for row in rows for text in row.values], 250),
        head,
        xaxis=xaxis,
        yaxis=make_axis(len(rows) - 0.5, -0.5, visible=False),
        annotations=[*names, *_annotate_values(rows, most, False), *notes],
        **more,
    )


def _build_narrow_layout(rows: Sequence[MarkRow], xaxis: Json, notes: Sequence[Json], head: int, more: Json) -> Json:
    """Lay out rows for narrow screens: names above the marks, and a row's only value beside its name."""
    most = max((len(row.values) for row in rows), default=1)
    several = most > 1
    above = LINE * max((len(row.name) for row in rows), default=1)
    height = _compute_row_height(most) + above
    low = (above + 0.5 * _compute_row_height(most)) / height
    # Under a narrow plot a centred title would be cut at the left.
    title = make_annotation(xaxis["title"]["text"], (0, 0), "paper paper", "left top", (0, -20), colour=token("text"))
    notes = [title, *notes]
    for at, row in enumerate(rows):
        # The value stands on the line of the name, which is cut so that both fit.
        taken = 0 if several else max(map(len, row.values), default=0)
        shift = (0, round(low * height))
        name = _name_row(row, (52 - taken, 52))
        notes.append(make_annotation(name, (0, at), "paper y", "left top", shift, align="left", **_INK, **row.named))
        if not several:
            text = escape_for_plotly(" ".join(row.values), 40)
            notes.append(make_annotation(text, (1, at), "paper y", "right top", shift, align="right", **row.named))
    texts = [_drop_count(text) for row in rows for text in row.values]
    return build_layout(
        head + FOOT + height * len(rows),
        8,
        measure_margin(texts, 130) if several else 14,
        head,
        xaxis={name: value for name, value in xaxis.items() if name != "title"},
        yaxis=make_axis(len(rows) - low, -low, visible=False),
        annotations=[*notes, *(_annotate_values(rows, most, True) if several else ())],
        **more,
    )


def _name_row(row: MarkRow, lengths: tuple[int, int]) -> str:
    return "<br>".join(escape_for_plotly(line, lengths[at > 0]) for at, line in enumerate(row.name))


def _annotate_values(rows: Sequence[MarkRow], most: int, narrow: bool) -> list[Json]:
    return [
        make_annotation(
            escape_for_plotly(_drop_count(text) if narrow else text, 44),
            (1, place(at, line, len(row.values), most)),
            "paper y",
            "left middle",
            (10, 0),
            **row.named,
        )
        for at, row in enumerate(rows)
        for line, text in enumerate(row.values)
    ]


def _drop_count(text: str) -> str:
    """Drop n from a label where room is short; the table still shows n."""
    # With a judge in front there are two dots; a label of value and n alone keeps its n.
    return text.rsplit(" · ", 1)[0] if text.count(" · ") > 1 else text


_PUBLISHED_HEADING = MarkRow(("reported by the paper,", "not run here"), ())


def _split_pair_name(value: Value) -> tuple[str, str]:
    """Name a pair on two lines."""
    describer, _, generator = str(value.value).partition(" + ")
    return describer, f"+ {generator}"


def _get_number(value: Value) -> float:
    return float(value.value or 0)


def _name_raters(first: str, other: str) -> str:
    """Name two raters as in our own rows: the judge first, then people."""
    return f"{judge_name(other)} × people" if first == "human" else f"{judge_name(first)} × {judge_name(other)}"


def _make_published_mark(
    name: tuple[str, str], score_words: str, value: float, symbol: str = "circle-open"
) -> ChartMark:
    hover = (
        f"{escape_for_plotly(' '.join(name))}<br>{escape_for_plotly(score_words)}<br>reported by the "
        f"paper, not run here"
    )
    return ChartMark(Value(value), symbol, token("muted"), hover)
