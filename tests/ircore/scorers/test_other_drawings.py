"""What the eye makes of other fonts, of compression, and of things that are gone but look like what is behind them."""

import math
from collections.abc import Callable

import numpy as np
import pytest
from known_values import known
from PIL import Image, ImageDraw, ImageFont

from ircore.core.drawing import Drawing
from ircore.core.images import Picture
from ircore.core.records import Box, Difficulty, Element, Scene
from ircore.instances.scene_percepts import complete_scene
from ircore.instances.targets.base import Drawn, SceneDrawing
from ircore.instances.targets.categories import draw_target
from ircore.scorers.judge_test import edits
from ircore.scorers.judge_test.foreign_families import draw_picture
from ircore.scorers.judge_test.redraw import redraw_scene
from ircore.scorers.verification.eye.strokes import Course, find_colour
from ircore.scorers.verification.eye.view import Observed, parse_rgb
from ircore.scorers.verification.scene_facts import Fact, list_facts, list_marks
from ircore.scorers.verification.score import verify_picture
from ircore.scorers.verification.verdicts import CheckedFact, check_fact
from leaderboard.model.xray import draw_scene


def checked(drawn: Drawn, image: Image.Image) -> dict[str, CheckedFact]:
    """Return the verdicts on a target's facts by their keys."""
    own = Picture.from_pixels(drawn.drawing.pixels)
    result = verify_picture(own, drawn.scene, Picture.from_pixels(np.asarray(image)))
    return {each.fact.key: each for each in result.facts}


def changed(scene: Scene, change: Callable[[Element], Element | None]) -> Image.Image:
    """Draw a scene after a change of its elements; None leaves one out."""
    elements = tuple(element for element in map(change, scene.elements) if element is not None)
    return Image.fromarray(redraw_scene(scene.model_copy(update={"elements": elements})))


def without(drawn: Drawn, kind: str, place: int) -> Image.Image:
    """Draw a target without one element, the ``place``-th of its kind."""
    gone = [element for element in drawn.scene.elements if element.type == kind][place]
    return changed(drawn.scene, lambda element: None if element is gone else element)


@pytest.mark.parametrize(
    ("category", "difficulty", "seed", "kind", "place", "quality"),
    [
        ("simple_shapes", "hard", 100, "diamond", 0, None),  # stands on two grounds: the other one is no diamond
        ("simple_shapes", "hard", 102, "square", 2, None),  # stands on stripes
        ("geometry", "easy", 101, "segment", 0, None),  # the rim of a filled sector runs in its place
        ("line_graph", "easy", 408, "value_label", 1, None),  # the line passes by
        ("geometry", "hard", 701, "segment", 5, 95),  # dashed; another line runs off at a small angle
        ("geometry", "hard", 702, "segment", 3, 50),  # between two tinted areas, whose border is no line
        ("geometry", "easy", 703, "label", 3, 95),  # beside the lines of a right angle, which are no letter
    ],
)
@pytest.mark.slow
def test_what_is_gone_is_not_seen_in_what_lies_behind_or_beside_it(
    category: str, difficulty: Difficulty, seed: int, kind: str, place: int, quality: int | None
) -> None:
    drawn, key = draw_target(category, difficulty, seed), f"{kind}-{place + 1}/presence"
    image = without(drawn, kind, place)
    assert checked(drawn, compressed(image, quality) if quality else image)[key].verdict == "fails"
    if quality is None:
        assert checked(drawn, changed(drawn.scene, lambda element: element))[key].verdict == "holds"


@pytest.mark.slow
def test_a_curve_that_is_gone_is_not_seen_in_the_grid() -> None:
    drawn = draw_target("functions", "hard", 200)
    facts = checked(drawn, without(drawn, "curve", 1))
    assert facts["curve-2/presence"].verdict == "fails"
    assert facts["curve-1/presence"].verdict == "holds"


@pytest.mark.slow
def test_labels_in_another_font_are_not_misspelt() -> None:
    drawn = draw_target("bar_graph", "hard", 100)
    image = changed(drawn.scene, lambda element: None if element.text is not None else element)
    font = ImageFont.load_default_imagefont()
    for element in drawn.scene.elements:
        if element.text is not None and element.text.isascii():
            left, top, right, bottom = element.box
            page = Image.new("L", (int(font.getbbox(element.text)[2]), 11))
            ImageDraw.Draw(page).text((0, 0), element.text, 255, font=font)
            page = page.rotate(float(element.parameters.get("rotation", 0)), expand=True)  # type: ignore[arg-type]
            image.paste(
                element.colour or "black", ((left + right - page.width) // 2, (top + bottom - page.height) // 2), page
            )
    texts = [fact for fact in checked(drawn, image).values() if fact.fact.attribute == "text"]
    assert sum(fact.verdict == "fails" for fact in texts) <= len(texts) // 20
    assert not [fact for fact in texts if "?" in str(fact.seen)]


@pytest.mark.slow
@pytest.mark.parametrize(("category", "seed"), [("line_graph", 7), ("bar_graph", 2)])
def test_labels_that_stand_half_a_pixel_beside_their_places_are_right(category: str, seed: int) -> None:
    """No figure is taken for a text figure because the picture's longest labels do not tell which kind it has."""
    drawn = draw_target(category, "easy", seed)

    def moved(element: Element) -> Element:
        # A text is drawn about the middle of its box.
        left, top, right, bottom = element.box
        if element.text is None:
            return element
        return element.model_copy(update={"box": Box(left, top, right + 1, bottom + 1)})

    own, rendering = (
        Picture.from_pixels(image) for image in (drawn.drawing.pixels, np.asarray(changed(drawn.scene, moved)))
    )
    facts = verify_picture(own, drawn.scene, rendering, ocr=False).facts
    assert [(fact.fact.expected, fact.seen) for fact in facts if fact.verdict == "fails"] == []


@pytest.mark.slow
@pytest.mark.parametrize(
    ("category", "right", "wrong"),
    [("line_graph", "2014", "3014"), ("pie_graph", "20%", "28%"), ("pie_graph", "36%", "38%")],
)
def test_another_figure_in_the_target_s_own_font_is_not_taken_for_the_right_one(
    category: str, right: str, wrong: str
) -> None:
    drawn = draw_target(category, "easy", 300)
    texts = {right: wrong}
    image = changed(
        drawn.scene, lambda element: element.model_copy(update={"text": texts.get(str(element.text), element.text)})
    )
    own, rendering = Picture.from_pixels(drawn.drawing.pixels), Picture.from_pixels(np.asarray(image))
    facts = verify_picture(own, drawn.scene, rendering, ocr=False).facts
    labels = {fact.fact.expected: fact.verdict for fact in facts if fact.fact.attribute == "text" and fact.fact.weight}
    assert labels.pop(right) != "holds"
    assert set(labels.values()) == {"holds"}


@pytest.mark.slow
@pytest.mark.parametrize(("areas", "verdict"), [("#303a4d", "holds"), ("#2f3964", "fails")])
def test_a_ground_of_two_colours_is_seen_where_both_are_a_shade_off(areas: str, verdict: str) -> None:
    drawn = draw_target("simple_shapes", "hard", 16001)
    scene = drawn.scene.model_copy(update={"background": "#2f3964"})
    image = changed(
        scene, lambda element: element.model_copy(update={"colour": areas}) if element.type == "background" else element
    )
    assert checked(drawn, image)["ground/presence"].verdict == verdict


@pytest.mark.slow
def test_a_line_in_a_neighbouring_hue_has_the_wrong_colour() -> None:
    drawn = draw_target("line_graph", "easy", 100)
    purple = "#911eb4"
    image = changed(
        drawn.scene,
        lambda element: (
            element.model_copy(update={"colour": purple}) if element.type in {"polyline", "marker"} else element
        ),
    )
    line = next(element for element in drawn.scene.elements if element.type == "polyline")
    assert line.colour == "#4a1247"
    assert checked(drawn, image)["line-1/colour"].verdict == "fails"


def compressed(image: Image.Image, quality: int) -> Image.Image:
    return Image.fromarray(edits.compress_as_jpeg(np.asarray(image), quality))


@pytest.mark.slow
def test_thin_lines_keep_their_colour_after_compression() -> None:
    drawn = draw_target("geometry", "hard", 700)  # thin lines in teal and green beside near-black ones
    facts = checked(drawn, compressed(drawn.drawing.image, 50))
    colours = [fact for key, fact in facts.items() if key.startswith("segment-") and key.endswith("/colour")]
    assert len(colours) >= 6
    assert not [fact for fact in colours if fact.verdict == "fails"]


@pytest.mark.slow
def test_dots_have_their_colour_as_well_as_compression_lets_it_be_seen() -> None:
    drawn = draw_target("geometry", "hard", 702)
    facts = checked(drawn, compressed(drawn.drawing.image, 50))
    dots = [fact for key, fact in facts.items() if key.startswith("point-") and key.endswith("/colour")]
    assert len(dots) == 7
    assert all(dot.verdict == "holds" for dot in dots)


@pytest.mark.parametrize(
    ("line", "roughness", "is_navy"),
    [
        ("#a797a9", 0.6, False),  # a pale grey, a little redder than its ground: what compression leaves of red
        ("#8796ad", 0.6, True),  # as pale, towards navy
        ("#1e3a5f", 0.0, True),
    ],
)
def test_a_paled_line_has_the_colour_towards_which_its_hue_leads(line: str, roughness: float, is_navy: bool) -> None:
    """A line of which red is expected, on light blue, as hard compression showed a red one."""
    count = 20
    course = Course(
        places=np.zeros((count, 2), np.float32), normals=np.zeros((count, 2), np.float32),
        offsets=np.zeros(count, np.float32), seen=np.ones(count, bool),
        lines=np.tile(parse_rgb(line), (count, 1)), grounds=np.tile(parse_rgb("#e0e9f8"), (count, 1)),
        usable=np.ones(count, bool), widths=np.full(count, 2.0, np.float32),
    )  # fmt: skip
    colour = find_colour(course, ["#1e3a5f", "#c62828", "#2e7d32", "#1d4ed8"], "#c62828", roughness)
    assert (colour == "#1e3a5f") == is_navy


RED_DISC_AND_BLUE_SQUARE = Scene(
    width=512,
    height=512,
    background="#ffffff",
    elements=(
        Element(type="circle", box=Box(60, 60, 260, 260), colour="#d62828",
                parameters={"centre": [160, 160], "radius": 100, "filled": True}),
        Element(type="square", box=Box(360, 360, 440, 440), colour="#1d4ed8",
                parameters={"centre": [400, 400], "corners": [[360, 360], [440, 360], [440, 440], [360, 440]],
                            "filled": True}),
    ),
)  # fmt: skip


def disc_and_square(disc: tuple[int, int]) -> Picture:
    """Draw a large red disc with its middle at ``disc``, and the small blue square in its place."""
    page = Image.new("RGB", (512, 512), "white")
    pen = ImageDraw.Draw(page)
    pen.ellipse((disc[0] - 100, disc[1] - 100, disc[0] + 100, disc[1] + 100), "#d62828")
    pen.rectangle((360, 360, 440, 440), "#1d4ed8")
    return Picture.from_pixels(np.asarray(page))


@pytest.mark.slow
def test_a_picture_that_moved_as_a_whole_is_moved_back() -> None:
    page = Image.new("RGB", (512, 512), "white")
    page.paste(Image.fromarray(disc_and_square((160, 160)).pixels), (40, 20))
    result = verify_picture(
        disc_and_square((160, 160)), RED_DISC_AND_BLUE_SQUARE, Picture.from_pixels(np.asarray(page))
    )
    assert {fact.verdict for fact in result.facts if fact.fact.attribute == "place"} == {"holds"}


@pytest.mark.parametrize(
    ("expected", "colours", "seen", "credit"),
    [
        ("#808080", (), "#828282", 1.0),  # ΔE2000 below 2: the same to any eye
        ("#808080", (), "#959595", 0.911),  # ΔE 7.4: 0.3 of the way from 2 to 20, squared
        ("#808080", ("#808080", "#959595"), "#959595", 0.196),  # colours as alike as that: nothing only from ΔE 8 on
        ("#d62728", ("#d62728", "#1f77b4"), "#1f77b4", 0.0),  # the wrong one of the palette
        ("#fdf2f0", ("#fdf2f0", "#ffffff"), "#fef2ff", 0.92),  # a shade towards no colour of the scene, ΔE 7.1
        ("#d62728", ("#d62728", "#ff7f0e"), "#ff7f0e", 0.0),
        ("#ffffff", (), "#000000", 0.0),
    ],
)
def test_a_colour_earns_less_the_farther_off_it_is(
    expected: str, colours: tuple[str, ...], seen: str, credit: float
) -> None:
    fact = Fact("panel/colour", "panel", "panel", "colour", "colour", expected, None, 1.0, "The panel is grey.")
    result = check_fact(fact, Observed(seen), colours)
    assert result.credit == pytest.approx(credit, abs=0.01)
    assert result.verdict == ("holds" if credit == 1 else "fails")


@pytest.mark.parametrize(
    ("kind", "seen", "credit"),
    [
        ("bar", "#1f77b4", -1.0),  # another bar's colour tells something false
        ("bar", "#2377b8", -1.0),  # a shade of it, too
        ("bar", "#2ca02c", 0.0),  # a colour of nothing in the scene tells nothing
        ("background", "#1f77b4", 0.0),  # the ground is no mark
    ],
)
def test_a_mark_in_another_marks_colour_counts_against_the_score(kind: str, seen: str, credit: float) -> None:
    fact = Fact(f"{kind}-1/colour", f"{kind}-1", kind, "colour", "colour", "#d62728", None, 1.0, "It is red.")
    assert check_fact(fact, Observed(seen), ("#d62728", "#1f77b4")).credit == credit


@pytest.mark.parametrize(
    ("expected", "seen", "credit"),
    [
        ("October", "OCTOBER", 1.0),
        ("October", "Octuber", 0.6 * (1 - 2 / 7)),  # one letter of seven
        ("October", "Ottuberr", 0.6 * (1 - 6 / 7)),
        ("October", "Monday", 0.0),
        ("1,200", "1,300", 0.0),  # a wrong number is wrong
        ("-5 °C", "-5 °C", 1.0),
    ],
)
def test_a_misspelt_word_earns_a_part_and_a_wrong_number_nothing(expected: str, seen: str, credit: float) -> None:
    fact = Fact("label-1/text", "label-1", "label", "text", "text", expected, None, 1.0, "The text reads so.")
    assert check_fact(fact, Observed(seen), ()).credit == pytest.approx(credit, abs=0.001)


@pytest.mark.slow
def test_where_labels_stand_in_place_what_is_not_seen_is_gone() -> None:
    # Without its lines the figure was not found on its canvas of 300 x 300 pixels: 2.0 of 10.
    drawn = draw_target("line_graph", "hard", 20000)
    image, _ = known(draw_picture("marks-gone", drawn.scene, "held-out/line_graph/hard/20000", {}, None))
    own = Picture.from_pixels(drawn.drawing.pixels)
    result = verify_picture(own, drawn.scene, Picture.from_pixels(np.asarray(image)), ocr=False)
    values = [each.verdict for each in result.facts if each.fact.attribute == "value"]
    assert set(values) == {"fails"}
    assert known(result.score) < 1.5


@pytest.mark.parametrize(("category", "difficulty", "seed"), [("functions", "easy", 401), ("functions", "hard", 416)])
@pytest.mark.slow
def test_a_line_at_zero_that_is_gone_is_not_seen_in_the_grid(category: str, difficulty: Difficulty, seed: int) -> None:
    drawn = draw_target(category, difficulty, seed)
    lines = [element for element in drawn.scene.elements if element.type == "zero_line"]
    keys = {f"zero_line-{element.parameters['axis']}/presence" for element in lines}
    facts = checked(drawn, changed(drawn.scene, lambda element: None if element in lines else element))
    assert {facts[key].verdict for key in keys} == {"fails"}
    facts = checked(drawn, changed(drawn.scene, lambda element: element))
    assert {facts[key].verdict for key in keys} == {"holds"}


RED, BLUE = "#c0392b", "#2c3e50"


def clock(hour_turn: float = 60, minute_turn: float = 200, colours: tuple[str, str] = (RED, BLUE),
          kinds: dict[str, float] | None = None) -> Drawn:  # fmt: skip
    """A dial with numerals and two hands: no element is of a type that the project draws."""
    scene = SceneDrawing(kinds=kinds)
    scene.add("dial", scene.drawing.ellipse((256, 256), (180, 180), fill="#f2e8c9"), "#f2e8c9")
    for hour in range(1, 13):
        turn = math.radians(30 * hour - 90)
        scene.text("numeral", (256 + 150 * math.cos(turn), 256 + 150 * math.sin(turn)), str(hour), 26, "#222222")
    for kind, degrees, length, width, colour in (
        ("hour_hand", hour_turn, 90, 12, colours[0]), ("minute_hand", minute_turn, 125, 7, colours[1]),
    ):  # fmt: skip
        turn = math.radians(degrees - 90)
        end = (256 + length * math.cos(turn), 256 + length * math.sin(turn))
        scene.line(kind, ((256, 256), end), colour, width)
    return scene.finish()


def picture(drawn: Drawn) -> Picture:
    return Picture.from_pixels(drawn.drawing.pixels)


def weights(scene: Scene) -> dict[str, float]:
    return {fact.key: fact.weight for fact in list_facts(scene)}


def score(rendering: Picture) -> float:
    target = clock()
    value = verify_picture(picture(target), target.scene, rendering).score
    assert value is not None
    return value


def test_elements_of_own_kinds_have_presence_colour_place_and_text() -> None:
    facts = {(fact.kind, fact.attribute) for fact in list_facts(clock().scene)}
    assert facts == {
        ("dial", "presence"), ("dial", "colour"), ("dial", "place"),
        ("hour_hand", "presence"), ("hour_hand", "colour"), ("hour_hand", "place"),
        ("minute_hand", "presence"), ("minute_hand", "colour"), ("minute_hand", "place"),
        ("numeral", "presence"), ("numeral", "text"), ("numeral", "place"), ("background", "colour"),
    }  # fmt: skip


def test_sentences_name_the_kind_in_words() -> None:
    sentences = [fact.sentence for fact in list_facts(clock().scene)]
    assert "The hour hand at 58 % from the left and 46 % from the top is red (#c0392b)." in sentences
    assert 'The text at 75 % from the left and 35 % from the top reads "2".' in sentences


@pytest.mark.slow
def test_the_eye_tells_hands_apart_by_place_and_colour() -> None:
    assert score(picture(clock())) == 10
    assert score(Picture.from_pixels(Drawing(512, 512, "#ffffff").pixels)) == 0
    for wrong in (clock(hour_turn=250), clock(colours=("#27ae60", BLUE)), clock(colours=(BLUE, RED))):
        assert score(picture(wrong)) < 9.7


def test_a_category_gives_its_kinds_weights() -> None:
    plain, weighed = weights(clock().scene), weights(clock(kinds={"hour_hand": 3.0, "numeral": 0.1}).scene)
    # Beside the dial's: whatever the kinds weigh, all facts together weigh 100.
    for attribute in ("presence", "colour", "place"):
        assert plain[f"hour_hand-1/{attribute}"] == pytest.approx(plain[f"dial-1/{attribute}"])
        assert weighed[f"hour_hand-1/{attribute}"] == pytest.approx(3 * weighed[f"dial-1/{attribute}"])
    assert sum(plain.values()) == pytest.approx(100, abs=0.001)
    assert sum(weighed.values()) == pytest.approx(100, abs=0.001)


def test_numerals_weigh_what_writing_weighs_whatever_a_category_says_of_them() -> None:
    for kinds in (None, {"numeral": 0.1}, {"numeral": 10.0}):
        facts = list_facts(clock(kinds=kinds).scene)
        assert sum(fact.weight for fact in facts if fact.kind == "numeral") < 30


@pytest.mark.parametrize("weight", [0, -1, 11, math.inf])
def test_weights_have_bounds(weight: float) -> None:
    with pytest.raises(ValueError, match="kinds"):
        Scene(width=9, height=9, elements=(), kinds={"hand": weight})


BOX = Box(20, 20, 60, 60)


@pytest.mark.slow
@pytest.mark.parametrize(
    "element",
    [
        Element(type="bar", colour=RED, box=BOX),
        Element(type="bar", colour=RED, box=BOX, parameters={"value": "much", "series": [], "category": {}}),
        Element(type="polyline", colour=RED, box=BOX, parameters={"points": 3, "series": 1}),
        Element(type="polyline", colour=RED, box=BOX,
                parameters={"points": [[1, 2], [3, 4]], "series": 1, "values": [1], "categories": ["a", "b"]}),
        Element(type="wedge", colour=RED, box=BOX, parameters={"share": 30}),
        Element(type="segment", colour=RED, box=BOX, parameters={"start": 30, "end": "there"}),
        Element(type="circle", colour=RED, box=BOX, parameters={"radius": 20}),
        Element(type="axis", box=BOX, parameters={"axis": "z"}),
        Element(type="marker", colour=RED, box=BOX, parameters={"shape": "ring"}),
        Element(type="bar", text="12", colour=RED, box=BOX),
        Element(type="tick_label", text="12", colour=RED, box=BOX, parameters={"axis": "x"}),
        Element(type="tick", colour=RED, box=BOX, parameters={"axis": "x"}),
        Element(type="hologram", box=BOX, parameters={"points": {"a": 1}, "centre": "here", "rotation": "none"}),
        Element(type="hologram", text="", colour=RED, box=BOX, parameters={"size": None}),
        Element(type="line", colour=RED, box=BOX),
    ],
    ids=lambda element: element.type,
)  # fmt: skip
@pytest.mark.parametrize("beside", [None, "label"])
def test_whatever_a_scene_holds_is_read(element: Element, beside: str | None) -> None:
    more = [Element(type="label", text="A", colour=BLUE, box=Box(70, 20, 90, 40))] if beside else []
    scene = Scene(width=128, height=128, background="#ffffff", elements=(element, *more))
    drawing = Drawing(128, 128)
    drawing.rectangle(20, 20, 60, 60, fill=RED)
    drawing.text((80, 30), "A", 18, BLUE)
    shown = Picture.from_pixels(drawing.pixels)
    facts = list_facts(scene)
    assert len({fact.key for fact in facts}) == len(facts)
    assert facts[0].attribute == "presence"
    assert {fact.mark for fact in facts} == {mark.key for mark in list_marks(scene)}
    assert len(draw_scene(scene).marks) == len(list_marks(scene))
    assert verify_picture(shown, scene, shown).score in (10, None)


def test_an_element_that_lacks_what_its_type_defines_is_a_plain_one() -> None:
    scene = Scene(width=99, height=99, background=None, elements=(Element(type="bar", colour=RED, box=BOX),))
    assert [element.type for element in complete_scene(scene).elements] == ["plain_bar"]
    sentences = [fact.sentence for fact in list_facts(scene)]
    assert sentences[0] == "The plain bar at 40 % from the left and 40 % from the top is there."


@pytest.mark.slow
def test_a_scene_of_this_project_is_read_as_it_is() -> None:
    from ircore.instances.targets.categories import BUILDERS, draw_target

    for category in BUILDERS:
        scene = draw_target(category, "hard", seed=3).scene
        assert complete_scene(scene) is scene
