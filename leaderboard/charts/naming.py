"""Histograms of people's names for pictures: how many pictures have which divergence, with the cuts of difficulty."""

from collections import Counter
from collections.abc import Sequence
from math import ceil, floor

from ircore.core.plain_words import format_count
from ircore.games.reference.naming import EASY_BELOW, HARD_ABOVE
from ircore.results.tables.model import Column, Table
from ircore.results.tables.targets import NAMING_MEASURES
from leaderboard.charts.catalogue import Chart, make_page_chart
from leaderboard.charts.data import select_columns
from leaderboard.charts.grammar import (
    FOOT,
    Json,
    Missing,
    PlotlyDrawing,
    Sketch,
    build_layout,
    make_annotation,
    make_axis,
    make_bars,
    make_legend,
    make_ticks,
)
from leaderboard.theme import token

_BIN = {"snd": 0.05, "pnd": 0.1, "psa": 0.5}
"""Width of a bin; the cuts of difficulty are edges of bins."""

_ROW = 24
"""Height of a bin, CSS pixels."""

_HEAD = 34
"""Room above the first bin, CSS pixels, for the colours' legend."""

_LEVELS = {"easy": "share-5", "between": "share-11", "hard": "share-18"}
"""Colour token of each difficulty, in the order of a stack."""

_ALL = {"": "share-11"}
"""Colour token where difficulty has no part in the chart."""


def make_naming_charts(place: int, name: str, table: Table) -> tuple[Chart, ...]:
    """Return a histogram for each measure.

    Args:
        place: Number of the set on its page, from 1.
        name: Name of the set.
        table: ``naming_table`` of the set.
    """
    return tuple(
        make_page_chart(f"names-{place}-{measure.key}", f"names-{measure.key}", _build_sketch(measure, name, table))
        for measure in NAMING_MEASURES
    )


def _build_sketch(measure: Column, name: str, table: Table) -> Sketch | Missing:
    cells = zip(table.column(measure.key), table.column("difficulty"), strict=True)
    known = [(float(cell.value), str(level.value)) for cell, level in cells if isinstance(cell.value, float | int)]
    if not known:
        return Missing(f"{measure.title} of {name}", "No picture has the names that this measure needs.")
    width, coloured = _BIN[measure.key], measure.key == "snd"
    pictures = Counter((find_bin(value, width), level if coloured else "") for value, level in known)
    # Empty bins between others are kept, so that the axis is even; the highest stands above.
    bins = list(range(max(at for at, _ in pictures), min(at for at, _ in pictures) - 1, -1))
    return Sketch(
        title=_compose_title(measure, name, known),
        reading_aid=f"Bars count pictures; {measure.description[0].lower()}{measure.description[1:]}"
        + (
            f" Lines at {EASY_BELOW:.2f} and {HARD_ABOVE:.2f} are the cuts of easy and hard targets."
            if coloured
            else ""
        ),
        drawing=_draw_histogram(measure, bins, pictures, _LEVELS if coloured else _ALL),
        table=select_columns(table, ("picture", "names", measure.key)),
    )


def find_bin(value: float, width: float) -> int:
    """Return the number of the bin (from 0) that holds a value: above its lower edge, up to its upper edge.

    >>> find_bin(0.95, 0.05), find_bin(0.951, 0.05), find_bin(0.0, 0.05)
    (18, 19, 0)
    """
    # Rounded first: 0.15 / 0.05 is a little below 3, other quotients a little above.
    return max(0, ceil(round(value / width, 9)) - 1)


def _compose_title(measure: Column, name: str, known: Sequence[tuple[float, str]]) -> str:
    if measure.key != "snd":
        mean = sum(value for value, _ in known) / len(known)
        return f"{measure.title} of {name}: {mean:.2f} on average"
    easy, hard = (sum(level == wanted for _, level in known) for wanted in ("easy", "hard"))
    return (
        f"{measure.title} of {name}: {easy} of {format_count(len(known), 'picture')} easy by their names, {hard} hard"
    )


def _draw_histogram(
    measure: Column, bins: Sequence[int], pictures: Counter[tuple[int, str]], levels: dict[str, str]
) -> PlotlyDrawing:
    width = _BIN[measure.key]
    digits = 1 if width >= 0.1 else 2
    labels = [f"{at * width:.{digits}f}–{(at + 1) * width:.{digits}f}" for at in bins]
    totals = [sum(pictures[at, level] for level in levels) for at in bins]
    most = max(totals)
    step = max(1, next(times * 10**power for power in range(7) for times in (1, 2, 5) if 5 * times * 10**power >= most))
    horizontal = make_axis(0, most * 1.08, make_ticks(0, step * floor(most * 1.08 / step), step), "pictures")
    vertical = make_axis(len(bins) - 0.5, -0.5, [(row, label) for row, label in enumerate(labels)], showgrid=False)
    numbers = [
        make_annotation(str(total), (total, row), "x y", "left middle", (5, 0), colour=token("text"))
        for row, total in enumerate(totals)
    ]
    notes = [*numbers, make_annotation(measure.title, (0, 1), "paper paper", "right bottom", (-8, 6))]
    several = len(levels) > 1
    made = build_layout(
        _HEAD + FOOT + _ROW * len(bins), 76, 26, _HEAD,
        xaxis=horizontal, yaxis=vertical, barmode="stack", bargap=0.25,
        annotations=[*notes, *(make_legend(levels, 4, 34) if several else ())],
        shapes=_draw_cuts(bins, width) if several else [],
    )  # fmt: skip
    return PlotlyDrawing(
        [_draw_bars(level, colour, bins, labels, pictures) for level, colour in levels.items()], made, made
    )


def _draw_cuts(bins: Sequence[int], width: float) -> list[Json]:
    """Return a line at each cut that lies between the bins shown."""
    places = [bins[0] + 0.5 - cut / width for cut in (EASY_BELOW, HARD_ABOVE)]
    shown = [round(place, 6) for place in places if -0.5 < place < len(bins) - 0.5]
    return [{"xref": "paper", "yref": "y", "x0": 0, "x1": 1, "y0": place, "y1": place} for place in shown]


def _draw_bars(
    level: str, colour: str, bins: Sequence[int], labels: Sequence[str], pictures: Counter[tuple[int, str]]
) -> Json:
    return make_bars(
        orientation="h",
        name=level,
        x=[pictures[at, level] for at in bins],
        y=list(range(len(bins))),
        text=[""] * len(bins),
        marker={"color": token(colour)},
        customdata=[[label] for label in labels],
        hovertemplate=f"%{{customdata[0]}}{', ' + level if level else ''}<br>%{{x}} pictures<extra></extra>",
    )
