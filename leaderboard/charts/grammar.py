"""The grammar of every chart: a Plotly figure, whose template holds the look, and a second layout for phones.

Colours are names of CSS variables and ticks are always listed, so that the live figure (``assets/js/charts.js``) and
the still picture (``leaderboard.charts.still``) are two readings of one specification and follow the reader's scheme.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cache, lru_cache
from html import escape
from typing import Any, Literal, NamedTuple, TypeVar

import plotly.graph_objects as go

from ircore.core.plain_words import format_count
from ircore.core.untrusted_text import format_one_line
from ircore.results.statistics.intervals import TOO_FEW, Estimate, are_too_few
from ircore.results.tables.formats import SEM
from ircore.results.tables.model import Table, Value
from leaderboard import words
from leaderboard.model.site import MarkedPlayers
from leaderboard.theme import FONT_FAMILY, FONT_SIZE, token

Json = dict[str, Any]

HEAD = 46
"""Room above the first row, CSS pixels: for the words that explain the axis."""

FOOT = 44
"""Room below the last row, CSS pixels: for ticks and the axis title."""

CHARACTER = 6.6
"""Width of an average character at ``FONT_SIZE``, CSS pixels."""

_AXIS = {
    "tickmode": "array",
    "fixedrange": True,
    "gridcolor": token("hairline"),
    "zeroline": False,
    "showline": False,
    "linecolor": token("hairline"),
    "ticks": "",
    "ticklabelstandoff": 3,
    "tickfont": {"color": token("muted")},
}

_WHISKER = {"type": "data", "symmetric": False, "thickness": 1.5, "width": 0}


@cache
def _build_template() -> Json:
    """Return the look of all charts: no frame, no zoom, hairlines at the ticks, the reader's colours."""
    # Made with the first chart, since Plotly takes long to check it.
    template: Json = go.layout.Template(
        data={
            "scatter": [{"error_x": _WHISKER, "error_y": _WHISKER}],
            "bar": [
                {
                    "textposition": "inside",
                    "insidetextanchor": "middle",
                    "textangle": 0,
                    "constraintext": "none",
                    "marker": {"line": {"color": token("background"), "width": 1}},
                }
            ],
            "heatmap": [{"showscale": False, "xgap": 1, "ygap": 1, "hoverongaps": False}],
        },
        layout={
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
            "xaxis": _AXIS,
            "yaxis": _AXIS,
            "annotationdefaults": {
                "showarrow": False,
                "xanchor": "center",
                "yanchor": "middle",
                "font": {"color": token("muted")},
            },
            "shapedefaults": {"type": "line", "layer": "below", "line": {"color": token("zero"), "width": 1.5}},
        },
    ).to_plotly_json()
    return template


def make_scatter(**properties: Any) -> Json:
    """Return a Plotly trace of marks or lines."""
    return {"type": "scatter", **properties}


def make_bars(**properties: Any) -> Json:
    """Return a Plotly trace of bars."""
    return {"type": "bar", **properties}


def make_heatmap(**properties: Any) -> Json:
    """Return a Plotly trace of coloured cells."""
    return {"type": "heatmap", **properties}


class PlotlyDrawing(NamedTuple):
    """A Plotly figure in two layouts.

    Example:
        >>> PlotlyDrawing(traces=[], wide={"height": 300}, narrow={"height": 400}).narrow["height"]
        400
    """

    traces: Sequence[Json]
    """Plotly traces; one of a pair has the pair's key as its ``meta``, or for each of its values among its ``ids``."""

    wide: Json
    """Plotly layout from ``theme.NARROW`` CSS pixels of width; an annotation of a pair has its key as its ``name``."""

    narrow: Json
    """Plotly layout for less."""

    parts: Literal["rows", "panels", "points", ""] = ""
    """What stands for a pair, so that a reader can choose pairs; empty where pairs cannot be chosen."""

    pairs: Sequence[str] = ()
    """Keys of the pairs in the order of rows or panels."""

    behind: Json | None = None
    """Trace without points for the lines of the other chosen pairs, which stand in each panel."""

    def plotly(self) -> Json:
        """Return the traces, both layouts and their template as Plotly's JSON.

        Returns:
            ``data``, ``layout``, ``narrow`` and ``template``, which belongs into either layout.
        """
        # Plotly's own objects would take a tenth of a build to check every property; the tests check every drawing.
        return {
            "data": list(self.traces),
            "layout": self.wide,
            "narrow": self.narrow,
            "template": _build_template(),
        }


@dataclass(frozen=True)
class Sketch:
    """A drawing with its words, and the same numbers as a table."""

    title: str
    """The finding, or the question that it answers."""

    reading_aid: str
    """One sentence on how to read it."""

    drawing: PlotlyDrawing
    """The figure."""

    table: Table
    """The numbers that are drawn."""

    published: tuple[Table, ...] = ()
    """The paper's values that are drawn beside them."""

    selection_words: str = ""
    """Sentence that says which pairs are shown; empty if all are."""

    question: str = ""
    """Title over some pairs that a reader chose: what the figure asks; empty where pairs cannot be chosen."""

    says: Mapping[str, str] = field(default_factory=dict)
    """The numbers of a pair that answer the question, in words, by the pair's key; none of too few pictures."""


@dataclass(frozen=True)
class Missing:
    """A chart that cannot be drawn."""

    title: str
    """The question that it would answer."""

    reason: str
    """One line: which data are missing."""


def name_pair(pair: MarkedPlayers) -> str:
    """Return a pair's name on one line, with the settings that distinguish it from pairs of the same players."""
    return " ".join(filter(None, list_pair_lines(pair)))


def list_pair_lines(pair: MarkedPlayers) -> tuple[str, str]:
    """Return a pair's name on two lines, describer over generator, as on the boards."""
    describer, second = pair.names
    generator = f"+ {second}" if second else ""
    return describer, f"{generator} ({pair.apart})" if pair.apart else generator


@lru_cache(maxsize=8192)
def escape_for_plotly(text: str, length: int = 200) -> str:
    """Escape untrusted text for Plotly: hidden characters become visible codes, markup is shown literally."""
    # Kept, since the names of pairs stand in every figure, and in each several times.
    # Plotly shows quotes literally, so an escaped quote would be seen as its code.
    return escape(format_one_line(text, length), quote=False)


def get_mean(value: Value) -> float | None:
    """Return the number of a table value; None if the value has no number."""
    number = value.value
    return None if number is None or isinstance(number, str) else float(number)


def has_enough_samples(value: Value) -> bool:
    """Return whether a table value has a number that rests on enough pictures or episodes for a headline.

    >>> has_enough_samples(Value(6.5, n=5)), has_enough_samples(Value(6.5, n=4))
    (True, False)
    """
    return get_mean(value) is not None and not are_too_few(value.n)


def round_value(value: float | None) -> float | None:
    """Return a number as figures carry it: three decimals are finer than a pixel."""
    return None if value is None else round(value, 3)


def format_percent(share: float | None) -> str:
    """Format a share 0–1 in percent, with the sign."""
    return words.MISSING if share is None else f"{words.format_share(share)} %"


def describe_interval(value: Value, form: Callable[[float | None], str] = words.number) -> str:
    """Return a number's confidence interval and sample size in words, or the reason why there is no interval."""
    if value.value is None:
        return value.missing or "no value"
    n = "" if value.n is None else f"n = {value.n}"
    if value.low is None or value.high is None:
        return f"{n}, so no interval" if value.n == 1 else n
    few = f", {TOO_FEW}" if are_too_few(value.n) else ""
    ends = "one standard error" if SEM in value.marks else "95 % interval"
    return f"{ends} {form(value.low)} to {form(value.high)}" + (f", {n}{few}" if n else "")


_Known = TypeVar("_Known", Value, Estimate)


def drop_weak_interval(value: _Known) -> _Known:
    """Return a value as it is drawn: without an interval where that rests on too few pictures or episodes.

    >>> drop_weak_interval(Value(6.5, 1.0, 9.0, n=2)).low
    """
    if not are_too_few(value.n):
        return value
    return value._replace(low=None, high=None) if isinstance(value, Value) else replace(value, low=None, high=None)


def list_interval_ends(values: Sequence[Value]) -> list[float]:
    """Return every number and every end of a drawn interval among some entries."""
    drawn = map(drop_weak_interval, values)
    return [end for value in drawn for end in (get_mean(value), value.low, value.high) if end is not None]


def count_sides(sides: Sequence[int], verbs: tuple[str, str], judged: str = "") -> str:
    """Return how many pairs lie above and below a line in words, and how many are undecided; empty if all are.

    Args:
        sides: Of each pair 1 above, −1 below and 0 for undecided, as ``clear_of`` says it.
        verbs: Words for pairs above and for pairs below.
        judged: Words behind the counts that say by whom, if that must be said.

    >>> count_sides([1, 0, 1], ("Refinement helps", "harms"))
    'Refinement helps 2 of 3 pairs and harms none; 1 is undecided'
    """
    above, below = sides.count(1), sides.count(-1)
    undecided = len(sides) - above - below
    if undecided == len(sides):
        return ""
    said = f"{verbs[0]} {above} of {format_count(len(sides), 'pair')} and {verbs[1]} {below or 'none'}{judged}"
    return f"{said}; {undecided} {'is' if undecided == 1 else 'are'} undecided" if undecided else said


def make_whiskers(values: Sequence[Value], colour: str, factor: float = 1, thickness: float = 1.5) -> Json:
    """Return Plotly's error bars of values; of no length where a value has no interval, or one from too few pictures.

    Args:
        values: Values, each with a number.
        colour: Token of the bars.
        factor: Factor of the values, such as 100 for percent.
        thickness: Thickness of the bars, CSS pixels.
    """
    drawn = [drop_weak_interval(value) for value in values]
    return {
        "array": [_measure_distance(value.high, get_mean(value), factor) for value in drawn],
        "arrayminus": [_measure_distance(get_mean(value), value.low, factor) for value in drawn],
        "color": colour,
        "thickness": thickness,
    }


def _measure_distance(further: float | None, nearer: float | None, factor: float) -> float:
    return 0.0 if further is None or nearer is None else round(factor * (further - nearer), 4)


def build_layout(height: int, left: int, right: int, top: int = HEAD, bottom: int = FOOT, **more: Any) -> Json:
    """Return a Plotly layout with a height and margins in CSS pixels, and any further settings of the chart."""
    return {"height": height, "margin": {"l": left, "r": right, "t": top, "b": bottom, "pad": 0}, **more}


Ticks = Sequence[tuple[float, str]]
"""Positions of ticks and their labels; the labels must be plain already."""


def make_ticks(low: float, high: float, step: float, digits: int = 0, signed: bool = False) -> Ticks:
    """Return the ticks at the multiples of a step from one value to another."""
    first, last = round(low / step), round(high / step)
    # Rounding may have gone beyond an end; the tolerance forgives the error of binary fractions.
    while first * step < low - 1e-9:
        first += 1
    while last * step > high + 1e-9:
        last -= 1
    form = words.format_signed if signed else words.number
    return [(round(number * step, 6), form(number * step, digits)) for number in range(first, last + 1)]


def make_axis(low: float, high: float, ticks: Ticks = (), title: str = "", **more: Any) -> Json:
    """Return an axis with a fixed range, hairlines at the ticks, and a title unless that is empty."""
    named = {"title": {"text": title}} if title else {}
    positions, texts = [at for at, _ in ticks], [text for _, text in ticks]
    return {"range": [low, high], "tickvals": positions, "ticktext": texts, **named, **more}


def make_annotation(
    text: str,
    place: tuple[float, float],
    refs: str = "x y",
    anchor: str = "center middle",
    shift: tuple[float, float] = (0, 0),
    *,
    colour: str = "",
    size: int = 0,
    weight: int = 0,
    **more: Any,
) -> Json:
    """Return an annotation.

    Args:
        text: Text, escaped by ``plain``.
        place: Position in the units of the references.
        refs: References of x and of y: ``paper``, or an axis, ``x2_domain`` meaning shares of its length.
        anchor: Part of the words that stands there: ``left``, ``center``, ``right``; ``top``, ``middle``, ``bottom``.
        shift: CSS pixels to the right and upwards.
        colour: Token of the words; that of the template if empty.
        size: Of the font; that of the template if 0.
        weight: Of the font; the usual one if 0.
        more: Other properties of the annotation.
    """
    made: Json = {"text": text, "x": place[0], "y": place[1], **_describe_anchor(refs, anchor)}
    # What the template says already is left out: a heat map has an annotation for each cell.
    if shift[0]:
        made["xshift"] = shift[0]
    if shift[1]:
        made["yshift"] = shift[1]
    font = {name: value for name, value in (("color", colour), ("size", size), ("weight", weight)) if value}
    if font:
        made["font"] = font
    made.update(more)
    return made


@cache
def _describe_anchor(refs: str, anchor: str) -> Json:
    """Return the properties of an annotation's references and anchor, without those that the template has."""
    named = zip(("xref", "yref"), (ref.replace("_", " ") for ref in refs.split()), strict=True)
    anchors = zip(("xanchor", "yanchor"), anchor.split(), ("center", "middle"), strict=True)
    return {**dict(named), **{name: value for name, value, usual in anchors if value != usual}}


def make_legend(colours: Mapping[str, str], height: int, gap: int) -> list[Json]:
    """Return the annotations of a colour legend on one line above a plot.

    Args:
        colours: Name of the colour's token by the word beside its square, from the left.
        height: Distance of the squares from the plot, CSS pixels.
        gap: Distance between the entries, CSS pixels.
    """
    entries: list[Json] = []
    at = 0
    for word, colour in colours.items():
        entries.append(
            make_annotation("■", (0, 1), "paper paper", "left bottom", (at, height), colour=token(colour), size=15)
        )
        entries.append(
            make_annotation(escape_for_plotly(word), (0, 1), "paper paper", "left bottom", (at + 16, height + 2))
        )
        at += gap + round(6.2 * len(word))
    return entries


def make_vertical_line(x: float) -> Json:
    """Return a reference line across the figure at a value: zero, or the level of chance."""
    return {"xref": "x", "yref": "paper", "x0": x, "x1": x, "y0": 0, "y1": 1}


def measure_margin(texts: Sequence[str], most: int) -> int:
    """Return a margin in CSS pixels that holds the longest of some lines, but never more than ``most``."""
    return min(most, round(max((len(text) for text in texts), default=0) * CHARACTER) + 22)
