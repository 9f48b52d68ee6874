"""Free English, odd English and hostile text: something sensible is drawn, and what was not understood is said."""

import math

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from yardstick import rounds

from ircore.players.builtin.canvas.figures.values import FormulaError, find_formula, parse
from ircore.players.builtin.canvas.reader import read
from ircore.players.builtin.canvas.render import draw, keep_affordable_items
from ircore.players.builtin.canvas.shapes import Blob, Canvas, Item, LineItem
from ircore.players.builtin.canvas.text import split_clauses
from ircore.seeing.colours import replace_colour_words


def items(message: str) -> tuple[Item, ...]:
    canvas, notes = read([message])
    assert notes == ()
    return canvas.items


@pytest.mark.parametrize(
    "message",
    [
        "A red (#d62728) circle of radius 40 px centred at (120, 200).",
        "a circle, colour #D62728, with a radius of 40 pixels, centered at x=120, y=200",
        "At (120, 200) there is a red (#d62728) disc with a diameter of eighty pixels",
        "Draw a disk of radius 40px in rgb(214, 39, 40), center (120,200)!",
        "There is a #d62728 circle about 80 px wide at 120, 200.",
        "- Circle (#d62728, radius 40) at x 120, y 200",
    ],
)
def test_many_ways_to_say_the_same(message: str) -> None:
    (circle,) = items(message)
    assert isinstance(circle, Blob)
    assert (circle.kind, circle.fill, circle.centre) == ("circle", "#d62728", (120, 200))
    assert (circle.width, circle.height) == (80, 80)


@pytest.mark.parametrize(
    ("words", "across", "down"),
    [
        ("left of", -1, 0), ("to the right of", 1, 0), ("above", 0, -1), ("below", 0, 1), ("underneath", 0, 1),
        ("on top of", 0, -1),
    ],
)  # fmt: skip
def test_relations(words: str, across: int, down: int) -> None:
    messages = (
        f"A red circle of radius 30 px at (256, 256). A blue square of side 40 px {words} the red circle.",
        f"A blue square of side 40 px {words} a red circle of radius 30 px at (256, 256).",
        f"A red circle of radius 30 px at (256, 256), and {words} it a blue square of side 40 px.",
    )
    for message in messages:
        made = {item.kind: item for item in items(message)}
        dx, dy = (made["square"].centre[axis] - made["circle"].centre[axis] for axis in (0, 1))
        assert (dx > 40) - (dx < -40) == across
        assert (dy > 40) - (dy < -40) == down


def test_between_and_in_rows() -> None:
    first, second, square = items(
        "A red circle on the left. A red circle on the right. Between the circles is a square."
    )
    assert square.centre[0] == pytest.approx((first.centre[0] + second.centre[0]) / 2)
    row = items("a row of five orange squares at the bottom")
    assert len(row) == 5
    assert len({item.centre[1] for item in row}) == 1
    assert len({item.centre[0] for item in row}) == 5


def test_places_in_words() -> None:
    for words, column, row in (
        ("in the upper right corner", 1, -1),
        ("at the bottom", 0, 1),
        ("in the middle", 0, 0),
        ("near the left edge", -1, 0),
    ):
        (dot,) = items(f"A small green disc {words}.")
        dx, dy = dot.centre[0] - 256, dot.centre[1] - 256
        assert ((dx > 60) - (dx < -60), (dy > 60) - (dy < -60)) == (column, row)
    (corner,) = items("In the lower left corner, there's a dark green rectangle, 100x50 pixels.")
    assert corner.centre[0] < 100 < 400 < corner.centre[1]


def test_percent_are_of_width_and_height() -> None:
    _, notes = read(["The picture is 400 by 200 pixels."])
    assert notes == ()
    (square,) = items("The picture is 400 by 200 pixels. A blue square of side 10% at (25%, 75%).")
    assert square.centre == (100, 150)
    assert square.box == (90, 140, 110, 160)


def test_corners_and_ranges() -> None:
    for words in (
        "A grey rectangle from (50, 60) to (200, 120).",
        "A grey rectangle from x 50 to 200 and from y 60 to 120.",
        "A grey box, 150 by 60 px, with its top left corner at (50, 60).",
    ):
        assert items(words)[0].box == pytest.approx((50, 60, 200, 120))


def test_lines_in_words() -> None:
    (diagonal,) = items("A thick red diagonal line from the top left corner to the bottom right corner.")
    assert isinstance(diagonal, LineItem)
    assert (diagonal.points, diagonal.stroke) == (((0, 0), (512, 512)), 5)
    (level,) = items("A horizontal 3 px line at y 100 from x 20 to x 480")
    assert isinstance(level, LineItem)
    assert level.points == ((20, 100), (480, 100))


@pytest.mark.parametrize(
    ("words", "colour"),
    [
        ("light steel blue", "#b0c4de"),
        ("red (#d62728)", "#d62728"),
        ("#d62728 (red)", "#d62728"),
        ("#abc", "#aabbcc"),
        ("rgb(1, 2, 3)", "#010203"),
        ("dark gray", "#a9a9a9"),
        ("navy blue", "#000080"),
        # Halfway between #e6e6fa and #808080; charcoal is a grey of its own.
        ("lavender grey", "#b3b3bd"),
        ("charcoal grey", "#36454f"),
    ],
)
def test_colour_words(words: str, colour: str) -> None:
    assert replace_colour_words(words) == colour


def test_clauses_end_at_full_stops_outside_numbers_and_quotes() -> None:
    clauses = [clause.words for clause in split_clauses('Move it 1.5 px. Say "a. b"; then: stop')]
    assert clauses == ["move it 1.5px", 'say "0"', "then: stop"]


def test_what_is_not_understood_is_noted_once_a_clause() -> None:
    canvas, notes = read(["A red circle at (100, 100). Colourless green ideas sleep furiously. What a day!"])
    assert notes == ('not understood: "Colourless green ideas sleep furiously"', 'not understood: "What a day"')
    assert len(canvas.items) == 1


def test_notes_are_few_and_short() -> None:
    _, notes = read(["Nonsense" + " blah" * 100 + ". " + "Gibberish here. " * 50])
    assert len(notes) == 20
    assert max(map(len, notes)) <= 200


HOSTILE = [
    "a " * 10_000,
    "the circle " * 1_800,
    "1" * 20_000,
    "1, " * 7_000,
    "(" * 20_000,
    '"' * 20_000,
    "'a " * 7_000,
    "(1,1) " * 3_500,
    "from x 1 to " * 1_700,
    "two hundred and " * 1_200,
    "very dark " * 2_000,
    "a polygon with corners " + "(1, 1), (500, 500), " * 1_000,
    "A 2 px dashed line from (0, 0) to (9999999, 9999999). " * 50,
    "tick labels 0 to 99999999 every 0.00001 at y 5 to 100 every 0.01",
    "the picture is 99999 by 99999 pixels. a circle of radius 9000.",
    'The text "' + "W" * 190 + '" 9999 px high.',
    "a circle. " + "make it twice as large. " * 100,
    "\x00\ud800 circle é ́ 圆 ½ ٣ circles of radius ٣٠ px",
    "make the circle the circle the " * 600,
    " " * 20_000,
    "Bar chart: " + "Mon 12, " * 2_000,
    "A bar chart. Categories: " + "A, " * 3_000 + "values: " + "1, " * 3_000,
    "Line chart, x-axis from " + "1 to 2 to " * 2_000,
    "Pie chart: " + "red 20%, " * 2_000,
    "Triangle ABC with " + "A (20%, 80%), B (80%, 80%) " * 700,
    "The graph of y = " + "(" * 5_000 + "x" + ")" * 5_000,
    "The curve y = " + "x^" * 90 + "x, x-axis from -1e9 to 99999999, y-axis from 0 to 1",
    "The function y = 9^9^9^x, x-axis from -5 to 5",
    '{"shapes": ' + "[" * 3_000 + "]" * 3_000 + "}",
    '{"bars": [' + '{"name": "A", "value": 1}, ' * 500 + '{"name": "B", "value": 2}]}',
    "| " * 5_000 + "\n|-|-|\n| a | b |",
    "Bar chart with y-axis from 0 to 9999999 every 0.001. A: 1, B: 2",
    "checkerboard background of #ffffff and #000000 with 0.001 px cells",
    "The background has 99 vertical stripes alternating between #ffffff and #000000.",
    "A stacked bar chart, x-axis from 5 to 5, y-axis from 0 to 0. A: 0, B: 0, C: 0",
    "The line chart goes " + "1.5 in 2013, " * 1_500,
    'labeled "' + "a" * 10_000 + '" axis of the chart: 1, 2, 3',
]


@pytest.mark.attack
@pytest.mark.slow
@pytest.mark.parametrize("text", HOSTILE, ids=range(len(HOSTILE)))
def test_hostile_text_is_read_quickly(text: str) -> None:
    done: list[tuple[Canvas, tuple[str, ...]]] = []
    assert rounds(lambda: done.append(read([text])), 1) < 250  # a second
    ((canvas, notes),) = done
    assert canvas.width <= 2048
    assert len(canvas.items) <= 2000
    assert len(notes) <= 20
    pixels = draw(keep_affordable_items(canvas))
    assert pixels.shape == (canvas.height, canvas.width, 3)


VOCABULARY = """
a the red #1f77b4 circle square line text bar bars pie wedge axis ticks labels grid background at (10,20) (30%,40%) of
chart graph pie Mon Tue categories: values: series stacked curve y = x^2 function triangle ABC A (20%,80%) midpoint AB
{"type": "circle"} | -- 12% 2019 to 2021 every background stripes alternating with angle arc 60° {"shapes": [ ]} first
radius 40 px wide high from to x y 60, 120, left top inside below it and with corners through should be not move make
remove replace rotate by 20 degrees 25% twice as large dashed outline "A" . ; : , -5 0 1e9
"""
WORDS = st.sampled_from(VOCABULARY.split())


@pytest.mark.slow
@settings(max_examples=60, deadline=None)
@given(st.lists(st.lists(WORDS, max_size=40).map(" ".join) | st.text(max_size=120), min_size=1, max_size=3))
def test_any_text_gives_a_picture(messages: list[str]) -> None:
    canvas, notes = read(messages)
    pixels = draw(keep_affordable_items(canvas))
    assert pixels.shape == (canvas.height, canvas.width, 3)
    assert all(0 < len(note) <= 200 for note in notes)


def test_a_thing_may_be_named_twice_in_a_sentence() -> None:
    message = "A red square with a blue circle inside, and a green triangle to the right of the square."
    square, circle, triangle = items(message)
    assert circle.centre == pytest.approx(square.centre)
    assert triangle.box[0] > square.box[2]
    (sun,) = items("The sun is a yellow circle in the top right.")
    assert sun.colour == "#ffff00"


def test_one_plural_with_a_colour_for_each_place() -> None:
    message = "Three circles: red at (100, 100), blue at (400, 100), green at (100, 400), each with radius 50."
    placed = [(item.colour, item.centre) for item in items(message)]
    assert placed == [("#ff0000", (100, 100)), ("#0000ff", (400, 100)), ("#008000", (100, 400))]


def test_wedges_and_semicircles_alone() -> None:
    canvas, notes = read(
        [
            "A yellow wedge of radius 100 px with a hole of radius 40 px centred at (250, 250) from 0 to 90 degrees. "
            "A pink semicircle of radius 50 px centred at (100, 100), rotated 90 degrees."
        ]
    )
    pixels = draw(canvas)
    assert notes == ()
    assert tuple(pixels[300, 300]) == (255, 255, 0)
    assert tuple(pixels[260, 260]) == tuple(pixels[300, 200]) == tuple(pixels[200, 300]) == (255, 255, 255)
    assert tuple(pixels[100, 130]) == (255, 192, 203)
    assert tuple(pixels[100, 70]) == (255, 255, 255)


def test_a_background_and_a_list_in_one_sentence() -> None:
    canvas, notes = read(
        [
            "On a dark grey background: three purple bars, a light grey x axis in the lower middle, "
            "a light grey y axis on the left, a large unfilled rectangle near the centre, ticks."
        ]
    )
    assert notes == ()
    assert canvas.background == "#a9a9a9"
    kinds = [item.kind for item in canvas.items]
    assert kinds[:6] == ["bar", "bar", "bar", "x axis", "y axis", "rectangle"]
    assert set(kinds[6:]) == {"tick"}
    canvas, _ = read(["On a white background: a large dark blue triangle on the right, a green square on the left."])
    assert [item.kind for item in canvas.items] == ["triangle", "square"]


@pytest.mark.parametrize(
    ("message", "ground"),
    [
        ("A red circle in the middle of a white picture.", "#ffffff"),
        ("Draw a filled red disc in the middle of a black image.", "#000000"),
        ("A red star on a solid yellow background.", "#ffff00"),
        ("Three red dots on a grey background, in a row.", "#808080"),
    ],
)
def test_a_thing_on_a_background_in_one_sentence(message: str, ground: str) -> None:
    canvas, notes = read([message])
    assert (canvas.background, notes) == (ground, ())
    assert {item.fill for item in canvas.items if isinstance(item, Blob)} == {"#ff0000"}


def test_a_word_in_capitals_needs_no_quotes() -> None:
    assert read(["The word CAT in red at the top."]) == read(['The word "CAT" in red at the top.'])


@pytest.mark.parametrize(
    "message",
    ["A red dot in each corner.", "Four red dots in the four corners.", "A red dot in every corner of the image."],
)
def test_things_in_all_corners(message: str) -> None:
    dots = items(message)
    middles = [(item.box[0] + item.box[2] > 512, item.box[1] + item.box[3] > 512) for item in dots]
    assert middles == [(False, False), (True, False), (False, True), (True, True)]


@pytest.mark.parametrize(
    ("formula", "x", "value"),
    [
        ("2*x + 1", 3, 7), ("-x^2 + 1", 2, -3), ("-0.5x²", 4, -8), ("2(x - 1)(x + 1)", 3, 16), ("4·3^x − 4", 1, 8),
        ("2/(x - 3) + 2", 5, 3), ("1/2 x", 6, 3), ("2^-x", 2, 0.25), ("2^3^2", 0, 512), ("|x - 2|", -1, 3),
        ("sqrt(x + 2)", 7, 3), ("3 sin(x) + 1", math.pi / 2, 4), ("ln(e^2)", 0, 2), ("2cos x", 0, 2),
        ("log(100)", 0, 2), ("pi", 0, math.pi),
    ],
)  # fmt: skip
def test_values(formula: str, x: float, value: float) -> None:
    assert parse(formula)(x) == pytest.approx(value)


@pytest.mark.parametrize(
    ("formula", "x"), [("ln(x)", -1), ("1/x", 0), ("sqrt(x)", -4), ("9^9^9^9", 1), ("exp(x)", 10_000)]
)
def test_where_there_is_no_value_it_is_nan(formula: str, x: float) -> None:
    assert math.isnan(parse(formula)(x))


@pytest.mark.parametrize(
    "text", ["", "x +", "2 ** ", "import os", "x.real", "__import__('os')", "(" * 60 + "x", "y = x", "a" * 300]
)
def test_what_is_no_formula_is_refused(text: str) -> None:
    with pytest.raises(FormulaError):
        parse(text)


def test_a_formula_is_found_in_a_sentence() -> None:
    formula = find_formula("looking like y = -2·ln(x + 2) + 7 on the whole")
    assert formula is not None
    assert formula[1](-1) == 7
    assert find_formula("the y axis = nothing") is None
    assert find_formula("f(x) = 3x") is not None


@pytest.mark.slow
@given(st.text(alphabet="x0123456789.+-*/^()| sincoqrtlnep", max_size=40), st.floats(-10, 10))
def test_any_text_is_refused_or_gives_a_number(text: str, x: float) -> None:
    try:
        function = parse(text)
    except FormulaError:
        return
    assert isinstance(function(x), float | int)
