"""Facts of elements of kinds that the project does not draw, and of known kinds that lack what they define."""

import math

import pytest

from ircore.core.drawing import Drawing
from ircore.core.images import Picture
from ircore.core.records import Box, Element, Scene
from ircore.instances.scene_percepts import complete_scene
from ircore.instances.targets.base import Drawn, SceneDrawing
from ircore.scorers.verification.scene_facts import list_facts, list_marks
from ircore.scorers.verification.score import verify_picture
from leaderboard.model.xray import draw_scene

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


def test_a_scene_of_this_project_is_read_as_it_is() -> None:
    from ircore.instances.targets.categories import BUILDERS, draw_target

    for category in BUILDERS:
        scene = draw_target(category, "hard", seed=3).scene
        assert complete_scene(scene) is scene
