"""Bar charts: single, grouped, stacked or about zero, upright or lying."""

import math
import random
from collections.abc import Sequence
from dataclasses import dataclass, replace

from ircore.core.drawing import text_size
from ircore.core.records import Difficulty
from ircore.instances.targets.axes import (
    AxesStyle,
    AxisPlan,
    Plot,
    build_names_axis,
    build_numeric_axis,
    draw_axes,
    draw_ground,
    draw_until_legible,
    find_line_ends,
    format_numbers,
    pick_style,
    place_axes,
)
from ircore.instances.targets.base import SIZE, Drawn, SceneDrawing
from ircore.instances.targets.palettes import Paper, choose_readable_colour, pick_colours, pick_paper
from ircore.instances.targets.topics import TOPICS, Topic, draw_distinct_values, pick_words, round_top


@dataclass(frozen=True)
class _Chart:
    """The contents of a bar chart, before its look is chosen.

    Attributes:
        topic: Topic of the bars.
        words: One per place along the axis.
        series: Values per series and word.
        low: Start of the axis of values: 0, or below if some are negative.
        top: End of the axis of values.
        is_stacked: Whether the series stand on one another.
        is_labelled: Whether each bar says its value.
    """

    topic: Topic
    words: list[str]
    series: list[list[float]]
    low: float
    top: float
    is_stacked: bool = False
    is_labelled: bool = False


@dataclass(frozen=True)
class _Look:
    """How the bars look: their colours by series or by word, outline, share of the place filled, and direction."""

    colours: list[str]
    by_word: bool
    outline: str | None
    share: float
    is_lying: bool


@dataclass(frozen=True)
class _Bar:
    series: int
    word: int
    base: float
    end: float
    low_side: float
    high_side: float

    @property
    def value(self) -> float:
        return round(self.end - self.base, 9)


def build(difficulty: Difficulty, rng: random.Random) -> Drawn:
    """Draw a bar chart; easy: 3–6 bars, hard: grouped, stacked, many, or positive and negative."""
    plan = _plan_easy if difficulty == "easy" else rng.choice((_plan_groups, _plan_stack, _plan_many, _plan_about_zero))
    return draw_until_legible(lambda chance: _draw_chart(chance, plan(chance)), rng)


def _plan_easy(rng: random.Random) -> _Chart:
    return _plan_single(rng, rng.randint(3, 6), labelled=0.3)


def _plan_many(rng: random.Random) -> _Chart:
    return _plan_single(rng, rng.randint(8, 12), labelled=0.7)


def _plan_single(rng: random.Random, count: int, labelled: float) -> _Chart:
    topic, words, top = _draw_topic(rng, count)
    return _Chart(
        topic, words, [draw_distinct_values(rng, len(words), top)], 0, top, is_labelled=rng.random() < labelled
    )


def _plan_groups(rng: random.Random) -> _Chart:
    count = rng.randint(2, 4)
    topic, words, top = _draw_topic(rng, rng.randint(3, 18 // count if count > 2 else 7))
    values = draw_distinct_values(rng, count * len(words), top)
    series = [values[at :: len(words)] for at in range(len(words))]
    return _Chart(
        topic, words, [list(row) for row in zip(*series, strict=True)], 0, top, is_labelled=rng.random() < 0.4
    )


def _plan_stack(rng: random.Random) -> _Chart:
    count = rng.randint(3, 4)
    topic, words, top = _draw_topic(rng, rng.randint(4, 7))
    while True:
        series = [draw_distinct_values(rng, len(words), top, 0.09, 0.94 / count) for _ in range(count)]
        stacks = list(zip(*series, strict=True))
        totals = [round(math.fsum(parts), 6) for parts in stacks]
        # Equal totals or parts would leave two bars without a difference to describe.
        if len(set(totals)) == len(totals) and all(len(set(parts)) == count for parts in stacks):
            return _Chart(
                topic, words, series, 0, round_top(max(totals)), is_stacked=True, is_labelled=rng.random() < 0.5
            )


def _plan_about_zero(rng: random.Random) -> _Chart:
    topic, words, top = _draw_topic(rng, rng.randint(7, 11))
    values = draw_distinct_values(rng, len(words), top, most=0.76)
    values = [-value if rng.random() < 0.4 else value for value in values]
    # At least one value on each side, or the chart would not be about zero.
    values[0], values[-1] = abs(values[0]), -abs(values[-1])
    rng.shuffle(values)
    return _Chart(replace(topic, quantity="Change"), words, [values], -top, top, is_labelled=rng.random() < 0.5)


def _draw_topic(rng: random.Random, count: int) -> tuple[Topic, list[str], float]:
    """Draw a topic, its words along the axis, and the end of the axis of values."""
    topic = rng.choice([topic for topic in TOPICS if len(topic.words) >= count])
    return topic, pick_words(rng, topic, count), rng.choice(topic.tops)


def _draw_chart(rng: random.Random, chart: _Chart) -> Drawn:
    paper = pick_paper(rng, panels=True)
    look = _pick_look(rng, chart, paper)
    grid = "x" if look.is_lying else "y"
    style = pick_style(
        rng, paper, ("box", "corner", "left" if look.is_lying else "bottom"), ("",) if chart.is_labelled else ("", grid)
    )
    # Tick marks that point inwards would lie on the bars, and a panel without gridlines looks empty.
    style = replace(style, marks="out" if style.marks == "in" else style.marks)
    if paper.panel and not chart.is_labelled:
        style = replace(style, grid=grid)
    plot = place_axes(rng, *_build_axes(rng, chart, look, style), style)
    scene = SceneDrawing(paper.background)
    draw_ground(scene, plot)
    bars = _list_bars(chart, look.share)
    for bar in bars:
        _draw_bar(scene, plot, chart, look, bar)
    if chart.low < 0:
        _draw_zero(scene, plot, look)
    draw_axes(scene, plot)
    if chart.is_labelled:
        _draw_values(scene, plot, chart, look, bars)
    return scene.finish()


def _pick_look(rng: random.Random, chart: _Chart, paper: Paper) -> _Look:
    by_word = len(chart.series) == 1 and len(chart.words) <= 9 and chart.low == 0 and rng.random() < 0.5
    count = len(chart.words) if by_word else 2 if chart.low < 0 else len(chart.series)
    is_outlined = rng.random() < 0.35
    return _Look(
        colours=pick_colours(rng, paper.surface, count, 1.2 if is_outlined else 1.6),
        by_word=by_word,
        outline=paper.ink if is_outlined else None,
        share=rng.choice((0.5, 0.6, 0.7, 0.8))
        if len(chart.series) == 1 or chart.is_stacked
        else rng.choice((0.7, 0.8)),
        is_lying=rng.random() < 0.35,
    )


def _build_axes(rng: random.Random, chart: _Chart, look: _Look, style: AxesStyle) -> tuple[AxisPlan, AxisPlan]:
    named = rng.random() < 0.7 or chart.topic.name in ("Week", "Hour")
    values = build_numeric_axis(
        chart.low, chart.top, rng.choice((5, 6, 7, 9, 11)), chart.topic.quantity if named else ""
    )
    widest = max(text_size(word, style.font)[0] for word in chart.words)
    is_crowded = widest + 8 > (SIZE - 120) / len(chart.words)
    rotation = 0.0 if look.is_lying or not is_crowded else rng.choice((45.0, 90.0))
    names = build_names_axis(chart.words, chart.topic.name if named else "", rotation)
    return (values, names) if look.is_lying else (names, values)


def _list_bars(chart: _Chart, share: float) -> list[_Bar]:
    bars = []
    for word in range(len(chart.words)):
        base = 0.0
        for series, values in enumerate(chart.series):
            value = values[word]
            if chart.is_stacked:
                bars.append(_Bar(series, word, base, base + value, word - share / 2, word + share / 2))
                base += value
            else:
                width = share / len(chart.series)
                side = word - share / 2 + series * width
                bars.append(_Bar(series, word, 0.0, value, side, side + width))
    return bars


def _draw_bar(scene: SceneDrawing, plot: Plot, chart: _Chart, look: _Look, bar: _Bar) -> None:
    left, top, right, bottom = _compute_sides(plot, look, bar)
    colour = _find_bar_colour(look, bar)
    box = scene.drawing.rectangle(left, top, right, bottom, colour)
    if look.outline:
        # Drawn inside the bar, whose sides are then the outline's outer edge to the pixel.
        scene.drawing.rectangle(left + 0.5, top + 0.5, right - 0.5, bottom - 0.5, outline=look.outline, width=1.0)
    scene.add(
        "bar", box, colour, value=bar.value, baseline=round(bar.base, 9), category=chart.words[bar.word],
        series=bar.series + 1, orientation="horizontal" if look.is_lying else "vertical", outline=look.outline,
    )  # fmt: skip


def _compute_sides(plot: Plot, look: _Look, bar: _Bar) -> tuple[float, float, float, float]:
    """Return left, top, right and bottom of a bar in whole pixels."""
    across, along = (plot.y, plot.x) if look.is_lying else (plot.x, plot.y)
    # Whole pixels: neighbouring bars then share sides without a blurred seam.
    near, far = sorted(round(across(side)) for side in (bar.low_side, bar.high_side))
    low, high = sorted(round(along(value)) for value in (bar.base, bar.end))
    return (low, near, high, far) if look.is_lying else (near, low, far, high)


def _find_bar_colour(look: _Look, bar: _Bar) -> str:
    if look.by_word:
        return look.colours[bar.word]
    return look.colours[1 if bar.end < bar.base else bar.series]


def _draw_zero(scene: SceneDrawing, plot: Plot, look: _Look) -> None:
    ink, width = plot.style.paper.ink, plot.style.width
    ends = find_line_ends(plot, "x" if look.is_lying else "y", 0, width)
    scene.line("zero_line", ends, ink, width, axis="y" if look.is_lying else "x")


def _draw_values(scene: SceneDrawing, plot: Plot, chart: _Chart, look: _Look, bars: Sequence[_Bar]) -> None:
    size = max(11.0, plot.style.font - 2)
    texts = format_numbers([bar.value for bar in bars])
    widest = max(text_size(text, size)[0] for text in texts)
    boxes = [_compute_sides(plot, look, bar) for bar in bars]
    room = min(right - left for left, _, right, _ in boxes)
    single = len(chart.series) == 1
    is_upright = not look.is_lying and widest > (room / look.share - 3 if single else room - 2)
    for bar, text, sides in zip(bars, texts, boxes, strict=True):
        if chart.is_stacked:
            _write_value_inside(scene, look, bar, text, sides, size)
        else:
            _write_value_beyond(scene, plot, look, bar, text, sides, size, 90.0 if is_upright else 0.0)


def _write_value_inside(
    scene: SceneDrawing, look: _Look, bar: _Bar, text: str, sides: tuple[float, float, float, float], size: float
) -> None:
    left, top, right, bottom = sides
    width, height = text_size(text, size)
    # A value that does not fit its part would be written over the neighbour's.
    if width + 4 <= right - left and height + 4 <= bottom - top:
        at = ((left + right) / 2, (top + bottom) / 2)
        scene.text("value_label", at, text, size, choose_readable_colour(_find_bar_colour(look, bar)), value=bar.value)


def _write_value_beyond(
    scene: SceneDrawing, plot: Plot, look: _Look, bar: _Bar, text: str, sides: tuple[float, float, float, float],
    size: float, rotation: float,
) -> None:  # fmt: skip
    left, top, right, bottom = sides
    is_negative = bar.end < bar.base
    if look.is_lying:
        at = (left - 4 if is_negative else right + 4, (top + bottom) / 2)
        anchor = "rm" if is_negative else "lm"
    else:
        at = ((left + right) / 2, bottom + 4 if is_negative else top - 4)
        anchor = "mt" if is_negative else "mb"
    scene.text("value_label", at, text, size, plot.style.paper.ink, anchor, rotation, value=bar.value)
