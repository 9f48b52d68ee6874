"""Families of foreign pictures: what is drawn, how, and the scores of 0–10 that a person would give.

A family makes one picture of a target: it changes the scene (a fault) or the style (another canvas, shades), or
the finished picture (turned, inverted). Bands are those of people who judge how well a picture shows the target's
content; couples of families whose bands do not overlap have a known order.
"""

import random
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from typing import Literal, NamedTuple

import numpy as np
from PIL import Image, ImageOps

from ircore.core.records import Element, Scene
from ircore.scorers.judge_test import edits
from ircore.scorers.judge_test.drawers import (
    HAND,
    OBLONG,
    DrawingStyle,
    choose_faithful_style,
    compress_as_jpeg,
    list_fonts_with,
)
from ircore.scorers.judge_test.redraw import find_marks

FamilyKind = Literal["faithful", "near", "one fault", "strong fault", "gross failure"]

SceneChange = Callable[[Scene, random.Random], Scene | None]
StyleChange = Callable[[DrawingStyle, Scene, random.Random], DrawingStyle | None]
PictureChange = Callable[[Image.Image, random.Random], Image.Image]


@dataclass(frozen=True)
class Family:
    """A kind of picture.

    Attributes:
        title: For people.
        kind: How good or bad it is.
        low: Least score that a person would give.
        high: Greatest one.
        scene: Changes what is drawn; None from it where the family does not apply.
        style: Changes how it is drawn; None from it where the family does not apply.
        finish: Changes the finished picture.
        other: Whether another target is drawn: ``same`` or ``other`` category, or none.
    """

    title: str
    kind: FamilyKind
    low: float
    high: float
    scene: SceneChange = lambda scene, _: scene
    style: StyleChange = lambda style, _scene, _rng: style
    finish: PictureChange = lambda image, _: image
    other: Literal["", "same", "other"] = ""


class Planned(NamedTuple):
    """What a picture will show, and how."""

    scene: Scene
    style: DrawingStyle


def plan_picture(
    name: str, scene: Scene, seed: str, others: Mapping[str, Scene | None] | None = None, drawer: str | None = None
) -> Planned | None:
    """Return what a target's picture of a family shows and its style; None where the family does not apply.

    The faithful picture and every fault of a target have one style, so that the fault is all that tells them apart.

    Args:
        name: The family's, of ``FAMILIES``.
        scene: What the target shows.
        seed: The same seed gives the same picture.
        others: Scenes of another target of the ``same`` and of the ``other`` category.
        drawer: Who draws it; any drawer if None.
    """
    family = FAMILIES[name]
    shown = (others or {}).get(family.other) if family.other else scene
    if shown is None:
        return None
    rng = random.Random(f"{seed}/{name}")
    is_alike = family.kind in {"one fault", "strong fault"} or name == "faithful"
    base = choose_faithful_style(random.Random(seed if is_alike else f"{seed}/{name}/style"), scene, drawer)
    style, changed = family.style(base, shown, rng), family.scene(shown, rng)
    if style is None or changed is None:
        return None
    fonts = list_fonts_with("".join(element.text or "" for element in changed.elements))
    return Planned(changed, style if style.font in fonts else replace(style, font=rng.choice(fonts)))


def draw_picture(
    name: str, scene: Scene, seed: str, others: Mapping[str, Scene | None] | None = None, drawer: str | None = None
) -> tuple[Image.Image, DrawingStyle] | None:
    """Draw a target's picture of a family, as ``planned``; return it with its style.

    Raises:
        InputError: What draws it is not installed.
    """
    from ircore.scorers.judge_test.drawers import redraw_scene

    plan = plan_picture(name, scene, seed, others, drawer)
    if plan is None:
        return None
    image = redraw_scene(plan.scene, replace(plan.style, quality=0))
    finished = FAMILIES[name].finish(image, random.Random(f"{seed}/{name}/finish"))
    return compress_as_jpeg(finished, plan.style.quality), plan.style


def _build_way_change(*ways: str) -> StyleChange:
    return lambda style, _scene, _rng: replace(style, ways=ways)


def _build_fill_change(way: str) -> StyleChange:
    """Return a way of drawing that needs filled marks: of lines alone, nothing would look different."""

    def change(style: DrawingStyle, scene: Scene, _rng: random.Random) -> DrawingStyle | None:
        from ircore.scorers.judge_test.outlines import FilledArea, trace_scene

        filled = any(isinstance(part, FilledArea) and part.mark and part.colour for part in trace_scene(scene))
        return replace(style, ways=(way,)) if filled else None

    return change


def _draw_by_hand(style: DrawingStyle, scene: Scene, rng: random.Random) -> DrawingStyle:
    texts = "".join(element.text or "" for element in scene.elements)
    fonts = [font for font in HAND if font in list_fonts_with(texts)]
    return replace(style, ways=("wobble",), font=rng.choice(fonts) if fonts else style.font)


def _add_margins(style: DrawingStyle, _scene: Scene, rng: random.Random) -> DrawingStyle:
    margin = rng.uniform(0.05, 0.25)
    reach = 0.4 * margin
    return replace(style, scale=1 - 2 * margin, move=(rng.uniform(-reach, reach), rng.uniform(-reach, reach)))


def _use_oblong_canvas(style: DrawingStyle, _scene: Scene, rng: random.Random) -> DrawingStyle:
    (width, height), scale = rng.choice(OBLONG), rng.uniform(0.85, 1.0)
    # Beside the middle at most as far as the canvas is free.
    free = [(1 - scale * min(width, height) / side) / 2 for side in (width, height)]
    move = tuple(rng.uniform(-0.5, 0.5) * part for part in free)
    return replace(style, canvas=(width, height), scale=scale, move=(move[0], move[1]))


def _shrink_to_three_quarters(style: DrawingStyle, _scene: Scene, _rng: random.Random) -> DrawingStyle:
    return replace(style, scale=0.75, move=(0.0, 0.0))


def _tint(style: DrawingStyle, _scene: Scene, _rng: random.Random) -> DrawingStyle:
    return replace(style, off=(5.0, 7.0))


def _build_depth_change(way: str, kind: str) -> StyleChange:
    def change(style: DrawingStyle, scene: Scene, _rng: random.Random) -> DrawingStyle | None:
        return replace(style, ways=(way,)) if any(element.type == kind for element in scene.elements) else None

    return change


def _stretch(image: Image.Image, rng: random.Random) -> Image.Image:
    width, height = image.size
    size = (round(width * 1.5), height) if rng.random() < 0.5 else (width, round(height * 1.5))
    return image.resize(size, Image.Resampling.BICUBIC)


def _find_rim_colour(image: Image.Image) -> tuple[int, ...]:
    """Return the colour of most of a picture's rim."""
    pixels = np.asarray(image)
    rim = np.concatenate([pixels[0], pixels[-1], pixels[:, 0], pixels[:, -1]])
    colours, counts = np.unique(rim, axis=0, return_counts=True)
    return tuple(int(level) for level in colours[counts.argmax()])


def _rotate(image: Image.Image, rng: random.Random) -> Image.Image:
    return image.rotate(rng.choice((-4, 4)), Image.Resampling.BICUBIC, fillcolor=_find_rim_colour(image))


LOPSIDED = 0.15
"""Visible differences from the mirror image, in parts of the pixels drawn on, at least, or mirroring is no fault."""


def _require_asymmetry(scene: Scene, _rng: random.Random) -> Scene | None:
    """Return a scene that looks otherwise in a mirror; None for one that is nearly symmetric."""
    from ircore.scorers.judge_test.redraw import redraw_scene as drawn_by_us

    pixels = drawn_by_us(scene).astype(int)
    # About the middle of what is drawn: the same things a little to the left are the same content.
    inked = np.abs(pixels - pixels[0, 0]).max(axis=2) > 32
    columns = np.flatnonzero(inked.any(axis=0))
    if not len(columns):
        return None
    drawn = pixels[:, columns[0] : columns[-1] + 1]
    differing = np.abs(drawn - drawn[:, ::-1]).max(axis=2) > 32
    return scene if differing.sum() >= LOPSIDED * inked.sum() else None


def _add_perspective(image: Image.Image, rng: random.Random) -> Image.Image:
    """Return a picture as it looks from a little beside: one side 10 % shorter than the other."""
    width, height = image.size
    inset, across = 0.05 * height, 0.02 * width
    corners = [(across, inset), (across, height - inset), (width - across, height), (width - across, 0.0)]
    if rng.random() < 0.5:
        corners = [(across, 0.0), (across, height), (width - across, height - inset), (width - across, inset)]
    # Eight coefficients that lead from the picture's pixels to those of the flat one.
    flat = [(0, 0), (0, height), (width, height), (width, 0)]
    rows, wanted = [], []
    for (x, y), (u, v) in zip(corners, flat, strict=True):
        rows += [[x, y, 1, 0, 0, 0, -u * x, -u * y], [0, 0, 0, x, y, 1, -v * x, -v * y]]
        wanted += [u, v]
    found = np.linalg.solve(np.array(rows, float), np.array(wanted, float))
    return image.transform(
        image.size, Image.Transform.PERSPECTIVE, tuple(map(float, found)), Image.Resampling.BICUBIC,
        fillcolor=_find_rim_colour(image),
    )  # fmt: skip


def _find_texts(scene: Scene) -> list[int]:
    return [index for index, element in enumerate(scene.elements) if element.text]


def _replace_texts(scene: Scene, texts: dict[int, str]) -> Scene | None:
    if not texts:
        return None
    elements = [
        element.model_copy(update={"text": texts[index]}) if index in texts else element
        for index, element in enumerate(scene.elements)
    ]
    return scene.model_copy(update={"elements": tuple(elements)})


WORDS = (
    "Apple", "Bread", "Cloud", "Doors", "Eagle", "Flour", "Green", "Horse", "Island", "Juice", "Kitchen", "Lemon",
    "Market", "North", "Orange", "Paper", "Quarter", "River", "Stone", "Train", "Urban", "Village", "Winter", "Young",
)  # fmt: skip


def _replace_word(scene: Scene, rng: random.Random) -> Scene | None:
    """Replace one word by another; a name of one letter by another letter."""
    places = [index for index in _find_texts(scene) if any(part.isalpha() for part in scene.elements[index].text or "")]
    if not places:
        return None
    index = rng.choice(places)
    words = (scene.elements[index].text or "").split(" ")
    place = max(range(len(words)), key=lambda at: sum(map(str.isalpha, words[at])))
    old = words[place]
    if len(old) <= 2:
        words[place] = rng.choice([letter for letter in "HKQRZ" if letter not in old.upper()])
    else:
        fitting = [word for word in WORDS if abs(len(word) - len(old)) <= 2] or list(WORDS)
        words[place] = rng.choice([word for word in fitting if word.lower() != old.lower()])
    return _replace_texts(scene, {index: " ".join(words)})


def _replace_digit(scene: Scene, rng: random.Random) -> Scene | None:
    """Replace the first digit of a number in one label."""
    places = [index for index in _find_texts(scene) if any(part.isdigit() for part in scene.elements[index].text or "")]
    if not places:
        return None
    index = rng.choice(places)
    text = scene.elements[index].text or ""
    at = next(place for place, letter in enumerate(text) if letter.isdigit())
    digit = rng.choice([other for other in "123456789" if other != text[at]])
    return _replace_texts(scene, {index: text[:at] + digit + text[at + 1 :]})


def _build_garbler(letters: str) -> SceneChange:
    def change(scene: Scene, rng: random.Random) -> Scene | None:
        texts = {
            index: "".join(
                part if part == " " else rng.choice([other for other in letters if other.lower() != part.lower()])
                for part in scene.elements[index].text or ""
            )
            for index in _find_texts(scene)
        }
        return _replace_texts(scene, texts)

    return change


def _scrawl(style: DrawingStyle, scene: Scene, _rng: random.Random) -> DrawingStyle | None:
    return replace(style, ways=("scrawl",)) if _find_texts(scene) else None


def _remove_marks(scene: Scene, _rng: random.Random) -> Scene | None:
    """Leave out all that carries data, and keep labels, axes, frame and grid."""
    gone = {index for mark in find_marks(scene) for index in mark.members if scene.elements[index].text is None}
    gone |= {index for index, element in enumerate(scene.elements) if _is_part_of_mark(element)}
    elements = [element for index, element in enumerate(scene.elements) if index not in gone]
    return scene.model_copy(update={"elements": tuple(elements)})


def _is_part_of_mark(element: Element) -> bool:
    """Tell whether an element shows data beside the marks; ticks of sides of figures are no ticks of an axis."""
    data = {"marker", "leader", "angle", "right_angle", "point", "sector"}
    return element.type in data or (element.type == "tick" and "axis" not in element.parameters)


def _remove_random_mark(scene: Scene, rng: random.Random) -> Scene | None:
    marks = find_marks(scene)
    if len(marks) < 2:
        return None
    gone = set(rng.choice(marks).members)
    elements = [element for index, element in enumerate(scene.elements) if index not in gone]
    return scene.model_copy(update={"elements": tuple(elements)})


def _plant_wrong_value(scene: Scene, rng: random.Random) -> Scene | None:
    from ircore.scorers.judge_test.planted_faults import plant_fault

    fault = plant_fault(scene, "wrong value", rng)
    return fault.scene if fault else None


def _build_scene_change(edit: Callable[[Scene], Scene | None]) -> SceneChange:
    return lambda scene, _: edit(scene)


def _empty_scene(scene: Scene, _rng: random.Random) -> Scene:
    elements: tuple[Element, ...] = ()
    return scene.model_copy(update={"elements": elements})


def _make_noise(image: Image.Image, rng: random.Random) -> Image.Image:
    levels = np.random.default_rng(rng.randrange(2**32)).integers(0, 256, (image.height, image.width, 3))
    return Image.fromarray(levels.astype(np.uint8))


FAMILIES: dict[str, Family] = {
    "faithful": Family("faithful", "faithful", 8, 10),
    "margins": Family("with margins of 5–25 %", "faithful", 8, 10, style=_add_margins),
    "oblong": Family("on a canvas of 3:2, 2:3, 4:3, 16:9", "faithful", 8, 10, style=_use_oblong_canvas),
    "gradient": Family("with shaded fills", "faithful", 8, 10, style=_build_fill_change("gradient")),
    "shadow": Family("with drop shadows", "faithful", 8, 10, style=_build_fill_change("shadow")),
    "texture": Family("on grained paper", "faithful", 8, 10, style=_build_way_change("texture")),
    "by-hand": Family("with lines by hand", "faithful", 7.5, 10, style=_draw_by_hand),
    "tint": Family("every colour ΔE 5–7 off", "faithful", 8, 10, style=_tint),
    "three-quarters": Family("75 % of the size", "near", 7, 10, style=_shrink_to_three_quarters),
    "bars-3d": Family("bars with depth", "near", 7, 9.6, style=_build_depth_change("bar-depth", "bar")),
    "pie-3d": Family("pie with depth", "near", 4.5, 7.5, style=_build_depth_change("pie-depth", "wedge")),
    "turned-4": Family("turned by 4°", "near", 7, 9.6, finish=_rotate),
    "perspective": Family("in slight perspective", "near", 7, 9.6, finish=_add_perspective),
    "stretched": Family("stretched to 3:2 or 2:3", "near", 6, 8, finish=_stretch),
    "wrong-word": Family("one wrong word", "one fault", 7, 9.7, scene=_replace_word),
    "wrong-number": Family("one wrong number in a label", "one fault", 7, 9.7, scene=_replace_digit),
    "mark-gone": Family("one mark gone", "one fault", 4, 9.5, scene=_remove_random_mark),
    "value-wrong": Family("one value wrong", "one fault", 6, 9.7, scene=_plant_wrong_value),
    "garbled-letters": Family("every label in random letters", "strong fault", 4, 6,
                              scene=_build_garbler("bcdfghjkmnpqrstvwxzBDFGHKMNQRTXZ")),
    "garbled-symbols": Family("every label in symbols", "strong fault", 4, 6, scene=_build_garbler("#%&@$?!*+=")),
    "garbled-strokes": Family("strokes instead of letters", "strong fault", 4, 6, style=_scrawl),
    "labels-gone": Family("no label", "strong fault", 4.5, 7, scene=_build_scene_change(edits.remove_labels)),
    "labels-exchanged": Family("every label exchanged", "strong fault", 4, 7,
                               scene=_build_scene_change(edits.exchange_labels)),
    "colours-wrong": Family("every mark in a wrong colour", "strong fault", 3.5, 5.5,
                            scene=_build_scene_change(edits.use_wrong_colours)),
    "colours-swapped": Family("two colours swapped", "strong fault", 4, 7,
                              scene=_build_scene_change(edits.swap_colours)),
    "negative": Family("photographic negative", "strong fault", 2.5, 5, finish=lambda image, _: ImageOps.invert(image)),
    "bars-40": Family("all bars 40 % shorter", "strong fault", 3, 7, scene=_build_scene_change(edits.shorten_all_bars)),
    "mirrored": Family("mirrored", "strong fault", 0.5, 6, scene=_require_asymmetry,
                       finish=lambda image, _: ImageOps.mirror(image)),
    "marks-gone": Family("labels and frame, no mark", "gross failure", 0, 2, scene=_remove_marks),
    "same-category": Family("another target of the category", "gross failure", 0, 2, other="same"),
    "other-category": Family("a target of another category", "gross failure", 0, 2, other="other"),
    "blank": Family("an empty ground", "gross failure", 0, 0.5, scene=_empty_scene),
    "noise": Family("noise", "gross failure", 0, 0.5, finish=_make_noise),
}  # fmt: skip
"""Every family by its name, in the order of reports."""
