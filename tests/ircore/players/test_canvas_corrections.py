"""Corrections change what they name, and nothing else."""

import numpy as np
import pytest

from ircore.core.images import Pixels
from ircore.players.builtin.canvas.reader import read
from ircore.players.builtin.canvas.render import draw
from ircore.players.builtin.canvas.shapes import Blob, Item, Label, Pie, Stroke

WHITE = (255, 255, 255)
SCENE = (
    "A red (#d62728) circle of radius 40 px centred at (120, 200). "
    "A blue rectangle 80 px wide and 60 px high centred at (300, 100). "
    "A green star of radius 20 px centred at (50, 60). "
    'The text "A" in black, 16 px high, centred at (100, 400). '
    "A 2 px black line from (200, 300) to (400, 300)."
)


def items(*messages: str) -> tuple[Item, ...]:
    canvas, notes = read(messages)
    assert notes == ()
    return canvas.items


def drawn(*messages: str) -> Pixels:
    return draw(read(messages)[0])


def only_changed(correction: str, index: int) -> Item:
    """Return the item that the correction changed, after checking that all others are as they were."""
    before, after = items(SCENE), items(SCENE, correction)
    assert len(before) == len(after)
    assert [k for k in range(len(before)) if before[k] != after[k]] == [index]
    return after[index]


def test_moving_leaves_every_other_pixel() -> None:
    before = drawn(SCENE)
    after = drawn(SCENE, "Move the red circle 100 px right and 10 px down.")
    assert tuple(after[210, 220]) == (0xD6, 0x27, 0x28)
    assert tuple(after[200, 120]) == WHITE
    outside = np.ones(before.shape[:2], bool)
    outside[160:240, 80:160] = False
    outside[170:250, 180:260] = False
    assert (before[outside] == after[outside]).all()


@pytest.mark.parametrize(
    ("correction", "centre"),
    [
        ("Move the red circle 40 px left and 10 px down.", (80, 210)),
        ("Move the red circle to (310, 120).", (310, 120)),
        ("Shift the circle up by 20 pixels.", (120, 180)),
        ("The red circle should be 15 px higher.", (120, 185)),
        ("The red circle is at (130, 210).", (130, 210)),
        ("Please move the disc at (120, 200) to the right by 10%.", (171.2, 200)),
        ("The circle should be centred at (25%, 50%).", (128, 256)),
        ("Raise the circle by 5 px.", (120, 195)),
        ("The circle is too far left.", (130, 200)),
        ("The red circle should be further up.", (120, 180)),
    ],
)
def test_places(correction: str, centre: tuple[float, float]) -> None:
    assert only_changed(correction, 0).centre == pytest.approx(centre)


@pytest.mark.parametrize(
    ("correction", "width", "height"),
    [
        ("Make the blue rectangle 90 px wide and 70 px high.", 90, 70),
        ("Make the blue rectangle 20% smaller.", 64, 48),
        ("Make the rectangle twice as large.", 160, 120),
        ("The blue rectangle should be 10 px wider.", 90, 60),
        ("Change the width of the blue rectangle to 100 px.", 100, 60),
        ("The height of the rectangle should be 30 px.", 80, 30),
        ("Double the size of the rectangle.", 160, 120),
        ("Make the rectangle half as tall.", 80, 30),
    ],
)
def test_sizes(correction: str, width: float, height: float) -> None:
    changed = only_changed(correction, 1)
    assert isinstance(changed, Blob)
    assert (changed.width, changed.height) == pytest.approx((width, height))
    assert changed.centre == (300, 100)


@pytest.mark.parametrize(
    ("correction", "index", "colour"),
    [
        ("Change the colour of the blue rectangle at (300, 100) to #3366cc.", 1, "#3366cc"),
        ("The circle should be orange, not red.", 0, "#ffa500"),
        ("Change the circle from red to purple.", 0, "#800080"),
        ("Make the star yellow instead of green.", 2, "#ffff00"),
        ("Recolor the line #ff0000.", 4, "#ff0000"),
        ('The text "A" should be dark blue.', 3, "#00008b"),
    ],
)
def test_colours(correction: str, index: int, colour: str) -> None:
    assert only_changed(correction, index).colour == colour


def test_background_instead_of_white() -> None:
    canvas, notes = read([SCENE, "The background should be #f4f1ea instead of white."])
    assert notes == ()
    assert canvas.background == "#f4f1ea"
    assert canvas.items == items(SCENE)


def test_rotation() -> None:
    changed = only_changed("Rotate the rectangle by 20 degrees clockwise.", 1)
    assert isinstance(changed, Blob)
    assert changed.rotation == 20
    back = only_changed("Rotate the rectangle 20 degrees counter-clockwise.", 1)
    assert isinstance(back, Blob)
    assert back.rotation == 340


def test_removing() -> None:
    before = items(SCENE)
    assert items(SCENE, "Remove the green star at (50, 60).") == before[:2] + before[3:]
    assert items(SCENE, 'Delete the text "A" and the line.') == before[:3]
    assert items(SCENE, "Remove the outline of the rectangle.") == before


def test_replacing_keeps_the_place_in_the_stack() -> None:
    after = items(SCENE, "Replace the red circle with a green square.")
    assert (after[0].kind, after[0].colour, after[0].centre) == ("square", "#008000", (120, 200))
    assert after[1:] == items(SCENE)[1:]
    line = items(SCENE, "Replace the line with a 3 px blue curve through (200, 300), (300, 250), (400, 300).")[4]
    assert isinstance(line, Stroke)
    assert (line.kind, line.stroke, len(line.points)) == ("curve", 3, 3)


def test_texts_and_lines() -> None:
    text = only_changed('Change the text "A" to "Bc".', 3)
    assert isinstance(text, Label)
    assert text.text == "Bc"
    dashed = only_changed("The line from (200, 300) to (400, 300) should be dashed.", 4)
    assert isinstance(dashed, Stroke)
    assert dashed.dash
    wide = only_changed("The line should be 4 px wide.", 4)
    assert isinstance(wide, Stroke)
    assert wide.stroke == 4


def test_outlines() -> None:
    for correction in ("Give the rectangle a 4 px red outline.", "Add a 4 px red outline to the rectangle."):
        changed = only_changed(correction, 1)
        assert isinstance(changed, Blob)
        assert (changed.fill, changed.outline, changed.stroke) == ("#0000ff", "#ff0000", 4)
    hollow = only_changed("The circle should not be filled.", 0)
    assert isinstance(hollow, Blob)
    assert (hollow.fill, hollow.outline) == (None, "#d62728")


def test_bars_reach_further() -> None:
    chart = "Bars standing on y 450: #1f77b4 from x 80 to 120 up to y 220; #ff7f0e from x 140 to 180 up to y 300."
    before, after = items(chart), items(chart, "Change the bar at (100, 300) to reach y 240.")
    assert after[1] == before[1]
    assert after[0].box == (80, 240, 120, 450)


def test_wedges_have_shares_of_their_own() -> None:
    chart = "A pie of radius 180 px centred at (256, 256): #d62728 25%, #1f77b4 30%, #2ca02c 45%."
    (pie,) = items(chart, "The wedge #d62728 should be 27%. The wedge #2ca02c should be 43%.")
    assert isinstance(pie, Pie)
    assert [part.share for part in pie.slices] == [27, 30, 43]
    (recoloured,) = items(chart, "Change the colour of the blue wedge to #ff7f0e.")
    assert isinstance(recoloured, Pie)
    assert [part.colour for part in recoloured.slices] == ["#d62728", "#ff7f0e", "#2ca02c"]


@pytest.mark.parametrize(
    ("reference", "index"),
    [
        ("the leftmost circle", 0), ("the circle on the right", 2), ("the largest circle", 1),
        ("the second circle", 1), ("the circle at (305, 98)", 2), ("the red circle near (210, 100)", 1),
        ("the red circle", 2), ("the blue one", 3), ("the smaller blue square", 3),
    ],
)  # fmt: skip
def test_references(reference: str, index: int) -> None:
    scene = (
        "A red circle of radius 20 px at (100, 100). A red circle of radius 30 px at (200, 100). "
        "A red circle of radius 20 px at (300, 100). A blue square of side 40 px at (200, 300)."
    )
    after = items(scene, f"Move {reference} 7 px down.")
    assert [k for k, (item, two) in enumerate(zip(items(scene), after, strict=True)) if item != two] == [index]


def test_it_is_what_was_spoken_of_last() -> None:
    after = items(SCENE, "Make the star orange. Move it 10 px right.")
    assert after[2].centre == (60, 60)


def test_what_is_not_there_is_noted() -> None:
    canvas, notes = read([SCENE, "Move the purple hexagon 10 px left. Make the circle larger."])
    assert notes == ('not understood: "Move the purple hexagon 10 px left"',)
    assert canvas.items[1:] == items(SCENE)[1:]
