"""Line charts: values over months, years or hours as joined points."""

import itertools
import math
import random
from collections.abc import Sequence
from dataclasses import dataclass

from ircore.core import exact
from ircore.core.drawing import Point, text_size
from ircore.core.records import Difficulty
from ircore.instances.targets.axes import (
    SHAPES,
    AxesStyle,
    AxisPlan,
    Plot,
    build_names_axis,
    build_numeric_axis,
    compute_text_box,
    draw_axes,
    draw_ground,
    draw_marker,
    draw_until_legible,
    format_numbers,
    is_free,
    pick_style,
    place_axes,
)
from ircore.instances.targets.base import SIZE, Drawn, SceneDrawing, round_points
from ircore.instances.targets.palettes import Paper, mix_colours, pick_colours, pick_paper
from ircore.instances.targets.topics import SEQUENCES, Topic, pick_words, round_step
from ircore.seeing.colours import compute_contrast

DASHES: tuple[tuple[float, ...], ...] = ((), (9, 5), (2, 4), (10, 4, 2, 4), (16, 5))
"""Solid, dashed, dotted, dash-dotted and long-dashed."""

APART = 0.035
"""How far any two series keep from each other at each place, as a share of the axis."""


@dataclass(frozen=True)
class _Chart:
    """The contents: values per series and word, on an axis from ``low`` to ``top``; each series has a single peak."""

    topic: Topic
    words: list[str]
    series: list[list[float]]
    low: float
    top: float


@dataclass(frozen=True)
class _Line:
    """How a series is drawn; ``marker`` is a shape or empty."""

    colour: str
    width: float
    dash: tuple[float, ...]
    marker: str
    marker_size: float


def build(difficulty: Difficulty, rng: random.Random) -> Drawn:
    """Draw a line chart; easy: one series of 4–8 points, hard: 3–5 series of 6–12 points."""
    if difficulty == "easy":
        return draw_until_legible(_draw_easy, rng)
    return draw_until_legible(_draw_hard, rng)


def _draw_easy(rng: random.Random) -> Drawn:
    chart = _plan_chart(rng, 1, rng.randint(4, 8))
    paper = pick_paper(rng, panels=True)
    (colour,) = pick_colours(rng, paper.surface, 1, 2.2)
    line = _Line(
        paper.ink if rng.random() < 0.15 else colour,
        rng.choice((2.0, 2.5, 3.0)), rng.choice(((), (), (), (9, 5))), rng.choice(("", "circle", *SHAPES)),
        rng.choice((8.0, 9.0, 10.0)),
    )  # fmt: skip
    return _draw_chart(
        rng,
        chart,
        paper,
        [line],
        labelled=rng.choice((-1, -1, -1, 0)),
        is_filled=chart.low == 0 and rng.random() < 0.25,
    )


def _draw_hard(rng: random.Random) -> Drawn:
    count = rng.randint(3, 5)
    chart = _plan_chart(rng, count, rng.randint(6, 12))
    paper = pick_paper(rng, panels=True)
    colours = pick_colours(rng, paper.surface, count, 2.4)
    if rng.random() < 0.15:
        colours = [paper.ink] * count
    is_one_ink = len(set(colours)) == 1
    dashes = rng.sample(DASHES, count) if is_one_ink or rng.random() < 0.6 else [()] * count
    shapes = rng.sample(SHAPES, count) if is_one_ink or rng.random() < 0.7 else [rng.choice(("", "circle"))] * count
    width, size = rng.choice((1.5, 2.0, 2.5)), rng.choice((7.0, 8.0, 9.0))
    lines = [_Line(*each) for each in zip(colours, [width] * count, dashes, shapes, [size] * count, strict=True)]
    labelled = rng.randrange(count) if rng.random() < 0.35 else -1
    return _draw_chart(rng, chart, paper, lines, labelled, names=rng.random() < 0.4)


def _plan_chart(rng: random.Random, count: int, length: int) -> _Chart:
    topic = rng.choice([topic for topic in SEQUENCES if len(topic.words) >= length])
    top = rng.choice(topic.tops)
    low = rng.choice((0.0, 0.0, 0.0, -top / 2 if "Temperature" in topic.quantity else 0.0))
    step = round_step(top)
    while True:
        shares = _draw_walks(rng, count, length)
        series = [[round(round((low + (top - low) * share) / step) * step, 9) for share in row] for row in shares]
        if all(row.count(max(row)) == row.count(min(row)) == 1 for row in series):
            return _Chart(topic, pick_words(rng, topic, length), series, low, top)


def _draw_walks(rng: random.Random, count: int, length: int) -> list[list[float]]:
    """Return values per series and place, as shares of the axis, that wander, keep apart and nowhere stand still."""
    low, high = rng.uniform(0.07, 0.25), rng.uniform(0.8, 0.94)
    while True:
        courses = [_draw_course(rng, index / count, length) for index in range(count)]
        columns: list[list[float]] = []
        for places in zip(*courses, strict=True):
            columns.append(_draw_column(rng, places, columns[-1] if columns else []))
        least, most = min(map(min, columns)), max(map(max, columns))
        scaled = [[low + (value - least) / (most - least) * (high - low) for value in column] for column in columns]
        if all(map(_are_apart, scaled)):
            rows = [list(row) for row in zip(*scaled, strict=True)]
            rng.shuffle(rows)
            return rows


def _draw_course(rng: random.Random, start: float, length: int) -> list[float]:
    """Return a smooth course that drifts and swings, so that some series cross and some do not."""
    slope, swing = rng.uniform(-0.5, 0.5), rng.uniform(0.02, 0.12)
    phase, waves = rng.uniform(0, math.tau), rng.uniform(0.5, 1.5)
    places = [at / length for at in range(length)]
    return [start + slope * at + swing * exact.sin(phase + math.tau * waves * at) for at in places]


def _draw_column(rng: random.Random, places: Sequence[float], before: Sequence[float]) -> list[float]:
    """Return the places of all series at one category, with noise: apart and not level, if soon possible."""
    for _ in range(50):
        column = [place + rng.uniform(-0.1, 0.1) for place in places]
        is_moving = all(abs(after - earlier) > 0.02 for earlier, after in zip(before, column, strict=False))
        if is_moving and _are_apart(column, 1.8 * APART):
            break
    return column


def _are_apart(column: Sequence[float], least: float = APART) -> bool:
    return all(high - low >= least for low, high in itertools.pairwise(sorted(column)))


def _draw_chart(
    rng: random.Random, chart: _Chart, paper: Paper, lines: list[_Line], labelled: int = -1, is_filled: bool = False,
    names: bool = False,
) -> Drawn:  # fmt: skip
    style = pick_style(rng, paper, ("box", "corner", "corner", "bottom"), ("", "y", "y", "xy"))
    plot = place_axes(rng, *_build_axes(rng, chart, style), style)
    scene = SceneDrawing(paper.background)
    draw_ground(scene, plot)
    paths = [[(plot.x(at), plot.y(value)) for at, value in enumerate(values)] for values in chart.series]
    if is_filled:
        _fill_below(scene, plot, paths[0], lines[0].colour)
    for number, (path, line) in enumerate(zip(paths, lines, strict=True)):
        _draw_line(scene, chart, number, path, line, paper)
    draw_axes(scene, plot)
    if labelled >= 0:
        _draw_values(scene, plot, chart.series[labelled], paths[labelled], lines[labelled])
    if names:
        _draw_letters(scene, plot, paths, lines)
    return scene.finish()


def _build_axes(rng: random.Random, chart: _Chart, style: AxesStyle) -> tuple[AxisPlan, AxisPlan]:
    named = rng.random() < 0.7 or chart.topic.name in ("Week", "Hour")
    values = build_numeric_axis(
        chart.low, chart.top, rng.choice((5, 6, 7, 9, 11)), chart.topic.quantity if named else ""
    )
    widest = max(text_size(word, style.font)[0] for word in chart.words)
    rotation = rng.choice((45.0, 90.0)) if widest + 8 > (SIZE - 120) / len(chart.words) else 0.0
    pad = rng.choice((0.3, 0.5))
    return build_names_axis(chart.words, chart.topic.name if named else "", rotation, pad), values


def _fill_below(scene: SceneDrawing, plot: Plot, path: list[Point], colour: str) -> None:
    ends = [(path[-1][0], plot.bottom), (path[0][0], plot.bottom)]
    tint = mix_colours(plot.style.paper.surface, colour, 0.25)
    box = scene.drawing.polygon([*path, *ends], tint)
    scene.add("area", box, tint, series=1, points=round_points([*path, *ends]))


def _draw_line(scene: SceneDrawing, chart: _Chart, number: int, path: list[Point], line: _Line, paper: Paper) -> None:
    scene.line(
        "polyline", path, line.colour, line.width, line.dash, series=number + 1, values=chart.series[number],
        categories=chart.words,
    )  # fmt: skip
    for at, value, word in zip(path, chart.series[number], chart.words, strict=True):
        if line.marker:
            draw_marker(
                scene, at, line.marker, line.marker_size, line.colour, paper.surface, series=number + 1, value=value,
                category=word,
            )  # fmt: skip


def _draw_values(scene: SceneDrawing, plot: Plot, values: list[float], path: list[Point], line: _Line) -> None:
    """Write the values of one series above or below its points, if there is room at every point."""
    paper, size = plot.style.paper, max(11.0, plot.style.font - 2)
    ink = line.colour if compute_contrast(line.colour, paper.surface) >= 4 else paper.ink
    texts = format_numbers(values)
    centres = [_find_free_place(scene, paper, at, text, size) for at, text in zip(path, texts, strict=True)]
    if None in centres:
        return
    for centre, value, text in zip(centres, values, texts, strict=True):
        if centre:
            scene.text("value_label", centre, text, size, ink, value=value)


def _find_free_place(scene: SceneDrawing, paper: Paper, at: Point, text: str, size: float) -> Point | None:
    for distance in (-14.0, 14.0, -19.0, 19.0):
        centre = (at[0], at[1] + distance)
        if is_free(scene, compute_text_box(centre, text, size), (paper.surface, paper.grid)):
            return centre
    return None


def _draw_letters(scene: SceneDrawing, plot: Plot, paths: list[list[Point]], lines: list[_Line]) -> None:
    """Write a letter behind the last point of each series, as books do where colours are not printed."""
    paper, size = plot.style.paper, plot.style.font
    if plot.right - paths[0][-1][0] < 26 and (plot.style.frame == "box" or paper.panel):
        return  # The letters would lie across the frame or the panel's edge.
    for number, (path, line) in enumerate(zip(paths, lines, strict=True)):
        ink = line.colour if compute_contrast(line.colour, paper.surface) >= 3 else paper.ink
        at = (path[-1][0] + 9, path[-1][1])
        scene.text("series_label", at, chr(ord("A") + number), size, ink, "lm", series=number + 1)
