"""Figures of programs: drawn in the sandbox, read off their artists, checked; nothing that comes out is trusted."""

import math
from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest
from plot_programs import missing_from, plot_program
from program_server import bars
from sandbox_attacks import NO_FIGURES
from sandboxes import drawing, sandbox

from ircore.core.images import Picture
from ircore.core.records import Element
from ircore.core.sandbox.box import Limits
from ircore.instances.synthesis.scenes import NEEDED, build_scene
from ircore.instances.synthesis.studio import (
    ProgramError,
    ProgramFigure,
    Studio,
    compute_fingerprint,
    find_figure_faults,
    find_twin,
)
from ircore.scorers.verification.scene_facts import list_facts
from ircore.scorers.verification.score import verify_picture

pytestmark = pytest.mark.slow


__all__ = ["drawing", "sandbox"]
CATEGORIES = ("bar_graph", "line_graph", "pie_graph", "functions", "geometry", "simple_shapes")


@pytest.fixture(scope="module")
def studio(drawing: None) -> Iterator[Studio]:
    with Studio(Limits(wall_s=60)) as studio:
        yield studio


def program(*lines: str, figure: str = "figsize=(5.12, 5.12)") -> str:
    """Return a program that draws on a pair of axes without frame, from 0 to 10, of 512 pixels."""
    begin = [
        "import matplotlib.pyplot as plt", "from matplotlib import patches", "import numpy as np", "def draw():",
        f"    figure = plt.figure({figure})", "    axes = figure.add_axes((0, 0, 1, 1))",
        "    axes.set_xlim(0, 10); axes.set_ylim(0, 10); axes.axis('off')",
    ]  # fmt: skip
    return "\n".join([*begin, *(f"    {line}" for line in lines), "    return figure"])


def elements(figure: ProgramFigure, kind: str) -> list[Element]:
    assert figure.scene is not None
    return [element for element in figure.scene.elements if element.type == kind]


def test_places_colours_and_boxes_are_those_of_the_program(studio: Studio) -> None:
    """A square from (2, 1) to (4, 3) of 10 × 10 units on 512 pixels: 102.4 to 204.8 across, 358.4 to 460.8 down."""
    figure = studio.draw(
        program("axes.add_patch(patches.Rectangle((2, 1), 2, 2, facecolor='#d62728'))",
                "axes.add_patch(patches.Circle((7, 7), 2, facecolor='none', edgecolor='#1f77b4', linewidth=3.6))"),
        "simple_shapes",
    )  # fmt: skip
    square, circle = elements(figure, "square")[0], elements(figure, "circle")[0]
    assert square.colour == "#d62728"
    assert all(abs(side - true) <= 1.5 for side, true in zip(square.box, (102.4, 358.4, 204.8, 460.8), strict=True))
    assert (circle.colour, circle.parameters["filled"]) == ("#1f77b4", False)
    assert circle.parameters["centre"] == pytest.approx([358.4, 153.6], abs=0.5)
    assert circle.parameters["radius"] == pytest.approx(102.4, abs=0.5)
    pixels = figure.picture.pixels
    assert tuple(pixels[409, 153]) == (0xD6, 0x27, 0x28)  # the middle of the square
    assert (figure.picture.width, figure.picture.height, figure.unread) == (512, 512, ())


def test_bars_have_their_values_categories_and_baselines(studio: Studio) -> None:
    stacked = """
import matplotlib.pyplot as plt
def draw():
    figure, axes = plt.subplots(figsize=(5, 4))
    axes.bar(["Tea", "Rye"], [3, 2], color="#1f77b4")
    axes.bar(["Tea", "Rye"], [1, 4.5], bottom=[3, 2], color="#ff7f0e")
    return axes
"""
    stated = [
        (bar.parameters["category"], bar.parameters["series"], bar.parameters["value"], bar.parameters["baseline"])
        for bar in elements(studio.draw(stacked, "bar_graph"), "bar")
    ]
    assert stated == [("Tea", 1, 3, 0), ("Rye", 1, 2, 0), ("Tea", 2, 1, 3), ("Rye", 2, 4.5, 2)]


def test_wedges_run_clockwise_in_pixels_as_the_projects_own_do(studio: Studio) -> None:
    """Matplotlib turns counterclockwise from three o'clock: a first wedge of a quarter lies at the upper right."""
    pie = """
import matplotlib.pyplot as plt
def draw():
    figure, axes = plt.subplots(figsize=(5, 5))
    axes.pie([25, 75], labels=["A", "B"], colors=["#d62728", "#1f77b4"], explode=[0, 0])
    return figure
"""
    first, second = elements(studio.draw(pie, "pie_graph"), "wedge")
    assert (first.parameters["share"], second.parameters["share"]) == (25, 75)
    assert (first.parameters["start"], first.parameters["end"]) == (270, 360)
    assert first.box.right > first.box.left >= 240
    assert first.box.bottom <= 260


def test_axes_map_values_to_pixels(studio: Studio) -> None:
    figure = studio.draw(bars([3, 1, 2]), "bar_graph")
    axis = next(axis for axis in elements(figure, "axis") if axis.parameters["axis"] == "y")
    data: Any = axis.parameters["data_range"]
    pixels: Any = axis.parameters["pixel_range"]
    bar = elements(figure, "bar")[0]
    top = pixels[0] + (3 - data[0]) / (data[1] - data[0]) * (pixels[1] - pixels[0])
    assert bar.box.top == pytest.approx(top, abs=1.5)


@pytest.mark.parametrize("category", CATEGORIES)
def test_a_varied_program_is_read_whole_and_its_figure_gets_full_marks_against_itself(
    category: str, studio: Studio
) -> None:
    """A sample of ``benchmarks/synthesis.py``, which does the same with 200."""
    drawn = plot_program(category, 100)
    figure = studio.draw(drawn.program, category)
    assert find_figure_faults(figure) == ()
    assert len(missing_from(figure.scene, drawn.expected)) <= 0.05 * len(drawn.expected)
    assert figure.scene is not None
    verification = verify_picture(figure.picture, figure.scene, figure.picture)
    assert verification.score == 10
    assert verification.decided > 0.8


@pytest.mark.attack
@pytest.mark.parametrize("name", NO_FIGURES)
def test_no_figure_is_taken_from_a_program_that_forges_one(name: str, studio: Studio) -> None:
    with pytest.raises(ProgramError) as refusal:
        studio.draw(NO_FIGURES[name], "geometry")
    assert str(refusal.value).isprintable()
    assert "root:" not in str(refusal.value)


# Checks.


def test_a_fault_is_told_in_words_that_a_model_can_act_on(studio: Studio) -> None:
    lines = ("figure.suptitle('A disc')", "axes.plot([2, 8], [2, 8], label='a')", "axes.legend()")
    told = " ".join(find_figure_faults(studio.draw(program(*lines), "simple_shapes")))
    assert "has a title" in told
    assert "has a legend" in told


@pytest.mark.parametrize(
    ("height", "width", "dark", "fault"),
    [
        (512, 512, slice(0), "blank"), (512, 512, slice(0, 200), "cut off at the edge (left)"),
        (512, 512, slice(300, 512), "cut off at the edge (right)"), (100, 100, slice(20, 80), "100 x 100 pixels"),
        (300, 900, slice(20, 80), "900 x 300 pixels"),
    ],
)  # fmt: skip
def test_a_fault_of_the_pixels_is_told(height: int, width: int, dark: slice, fault: str) -> None:
    pixels = np.full((height, width, 3), 255, np.uint8)
    pixels[30:70, dark] = 60
    assert fault in " ".join(find_figure_faults(ProgramFigure(Picture.from_pixels(pixels), None)))


@pytest.mark.parametrize(("gap", "cut"), [(0, True), (1, False)])
def test_only_what_reaches_the_outermost_pixels_is_cut_off(gap: int, cut: bool) -> None:
    """In matplotlib's style "ggplot" the name of the x axis ends one pixel above the edge."""
    pixels = np.full((300, 400, 3), 255, np.uint8)
    pixels[200 : 300 - gap, 150:250] = 60
    faults = find_figure_faults(ProgramFigure(Picture.from_pixels(pixels), None))
    assert any("cut off at the edge (bottom)" in fault for fault in faults) is cut


def disc(x: float, y: float, radius: float, level: int = 0) -> Picture:
    """Return a picture of a grey disc on white."""
    rows, columns = np.mgrid[:256, :256]
    grey = np.where(np.hypot(rows - y, columns - x) < radius, level, 255).astype(np.uint8)
    return Picture.from_pixels(np.repeat(grey[..., None], 3, axis=2))


def test_a_near_duplicate_is_one_that_a_person_would_call_the_same() -> None:
    original = compute_fingerprint(disc(128, 128, 60).pixels)
    assert find_twin(compute_fingerprint(disc(128.5, 128, 60, 20).pixels), {"first": original}) == "first"
    assert find_twin(compute_fingerprint(disc(80, 150, 60).pixels), {"first": original}) is None


# Scenes from the inside.

SOUND: dict[str, Any] = {
    "type": "bar", "colour": "#1f77b4", "box": [10, 20, 30, 40], "text": None,
    "parameters": {"value": 3, "baseline": 0, "category": "Tea", "series": 1, "orientation": "vertical"},
}  # fmt: skip


@pytest.mark.parametrize(
    ("change", "reason"),
    [
        ({"type": "eval"}, "is no type of a scene"), ({"box": [10, 20, 30, 4000]}, "lies outside of the picture"),
        ({"box": [30, 20, 10, 40]}, "lies outside of the picture"),
        ({"box": [-1, 20, 10, 40]}, "lies outside of the picture"), ({"colour": "red"}, "match pattern"),
        ({"text": "a\u202eb"}, "control characters"), ({"text": "x" * 500}, "at most 200 characters"),
        ({"parameters": {**SOUND["parameters"], "value": "3"}}, "its value cannot be used"),
        ({"parameters": {**SOUND["parameters"], "value": 1e300}}, "its value cannot be used"),
        ({"parameters": {**SOUND["parameters"], "value": True}}, "its value cannot be used"),
        ({"parameters": {**SOUND["parameters"], "__class__": 1}}, "its __class__ cannot be used"),
        ({"parameters": {"value": 3}}, "states no baseline, category"),
        ({"type": "circle", "parameters": {"centre": [5, 5], "radius": 1e9}}, "its radius cannot be used"),
        ({"type": "segment", "parameters": {"points": [[0, 0], [1e7, 0]]}}, "its points cannot be used"),
        ({"parameters": {**SOUND["parameters"], "width": 4000}}, "its width cannot be used"),
        ({"parameters": []}, "valid dictionary"), ({"more": 1}, "Extra inputs"),
    ],
)  # fmt: skip
def test_an_element_that_lies_is_left_out_with_the_reason(change: dict[str, Any], reason: str) -> None:
    scene, faults = build_scene([SOUND, {**SOUND, **change}], 100, 100, "#ffffff")
    assert scene is not None
    assert len(scene.elements) == 1
    assert reason in faults[0]


@pytest.mark.parametrize("kind", NEEDED)
def test_facts_can_be_made_of_every_element_that_is_taken(kind: str) -> None:
    """Whatever passes the check has all that the judge ``verified`` asks for, beside axes or without, as in figures."""
    values: dict[str, Any] = {
        "axis": "x", "baseline": 0, "categories": ["a", "b"], "category": "a", "centre": [20, 30],
        "corners": [[1, 1], [9, 9], [5, 2]],
        "data_range": [0, 1], "degrees": 30, "exploded": False, "formula": "x", "function": 1, "hole": 0, "name": "A",
        "orientation": "vertical", "pixel_range": [10, 90], "points": [[1, 1], [9, 9]], "radius": 5, "series": 1,
        "shape": "circle", "share": 30, "side": "top", "value": 1, "values": [1, 2], "x": 1, "y": 2,
    }  # fmt: skip
    parameters = {name: values[name] for name in NEEDED[kind] if name in values}
    if kind == "wedge":
        parameters |= {"start": 0, "end": 90}
    if kind == "segment":
        parameters |= {"start": [1, 1], "end": [9, 9]}
    if kind in ("marker", "asymptote"):
        parameters |= {"x": 1, "y": 2}
    text = "A" if "label" in kind else None
    element = {"type": kind, "text": text, "colour": "#1f77b4", "box": [10, 20, 30, 40], "parameters": parameters}
    label = {"type": "label", "text": "B", "colour": "#000000", "box": [50, 50, 60, 60], "parameters": {}}
    alone: list[Any] = [element]
    for shown in (alone, [*alone, label]):
        scene, faults = build_scene(shown, 100, 100, "#ffffff")
        assert faults == ()
        assert scene is not None
        assert all(math.isfinite(fact.weight) for fact in list_facts(scene))
