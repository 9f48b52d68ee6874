"""What the eye makes of other fonts, of shaded, hatched and tilted marks: content decides, not the way of drawing."""

import math
from collections.abc import Callable
from pathlib import Path

import matplotlib as mpl
import numpy as np
import pytest
from PIL import Image, ImageDraw, ImageFont
from verified_drawings import target, verified

from ircore.core.images import Picture
from ircore.instances.targets.base import Drawn
from ircore.instances.targets.categories import draw_target
from ircore.scorers.verification.eye import letter_shapes
from ircore.scorers.verification.eye.regions import find_shades, prepare_target
from ircore.scorers.verification.eye.view import Floats, format_rgb, parse_lab, parse_rgb
from ircore.scorers.verification.score import Verification
from ircore.scorers.verification.verdicts import CheckedFact

FONTS = ("cmr10", "STIXGeneral", "DejaVuSansMono", "DejaVuSans-Bold")


def relabelled(drawn: Drawn, font_name: str, written: Callable[[str], str] = str) -> Image.Image:
    """Return the target with its level labels written in another font, and with other words."""
    image = drawn.drawing.image.copy()
    path = Path(mpl.get_data_path()) / "fonts" / "ttf" / f"{font_name}.ttf"
    for element in drawn.scene.elements:
        if element.text is None or element.parameters.get("rotation"):
            continue
        left, top, right, bottom = element.box
        ground = tuple(int(part) for part in np.asarray(image)[top - 2, left - 2])
        image.paste(ground, (left - 1, top - 1, right + 1, bottom + 1))
        font = ImageFont.truetype(str(path), float(element.parameters["size"]))  # type: ignore[arg-type]
        middle = ((left + right) / 2, (top + bottom) / 2)
        ImageDraw.Draw(image).text(middle, written(element.text), element.colour, font, anchor="mm")
    return image


def verdicts(result: Verification, kind: str, attribute: str) -> list[CheckedFact]:
    found = [each for each in result.facts if each.fact.kind == kind and each.fact.attribute == attribute]
    return [each for each in found if each.fact.weight]


@pytest.mark.slow
@pytest.mark.parametrize("font", FONTS)
def test_right_labels_hold_in_any_font(font: str) -> None:
    drawn = target("pie_graph")
    labels = verdicts(verified(drawn, relabelled(drawn, font)), "wedge_label", "text")
    assert len(labels) >= 4
    assert sum(label.verdict == "holds" for label in labels) >= len(labels) - 1
    assert all(label.verdict != "fails" for label in labels)


@pytest.mark.slow
@pytest.mark.parametrize(
    ("category", "font", "right", "wrong"),
    [("functions", "cmb10", "1", "7"), ("geometry", "DejaVuSans-BoldOblique", "B", "R")],  # fonts that it does not know
)
def test_another_letter_is_not_taken_for_the_right_one(category: str, font: str, right: str, wrong: str) -> None:
    drawn = target(category)

    def of_label(image: Image.Image) -> set[str]:
        facts = [each for each in verified(drawn, image).facts if each.fact.attribute == "text"]
        return {each.verdict for each in facts if each.fact.expected == right}

    assert of_label(relabelled(drawn, font, lambda text: wrong if text == right else text)) <= {"fails", "undecided"}
    assert of_label(relabelled(drawn, font)) == {"holds"}


def test_a_slight_misfit_says_more_of_another_digit_in_a_font_that_is_well_known() -> None:
    own = np.array([0.80, 0.90, 0.90])
    seven = letter_shapes.LetterFit("120", own, np.array([0.89, 0.90, 0.90]), "720")
    faint = letter_shapes.LetterFit("120", own, np.array([0.87, 0.90, 0.90]), "720")
    sign = letter_shapes.LetterFit("120", own, np.array([0.87, 0.90, 0.90]), "$20")
    assert letter_shapes.read_label(seven, usual=0.9) == "720"
    assert letter_shapes.read_label(faint, usual=0.9) is None
    assert letter_shapes.read_label(faint, usual=0.8) == "120"
    assert letter_shapes.read_label(sign, usual=0.9) == "120"


def test_a_label_of_one_letter_that_fits_far_worse_than_the_others_is_not_told() -> None:
    letter = letter_shapes.LetterFit("y", np.array([0.72]), np.array([0.72]), "y")
    assert letter_shapes.read_label(letter, usual=0.9) is None
    assert letter_shapes.read_label(letter, usual=0.82) == "y"


@pytest.mark.slow
@pytest.mark.parametrize("font", ["DejaVuSans-Bold", "STIXGeneral", "cmss10"])
def test_labels_in_capitals_are_right(font: str) -> None:
    drawn = target("pie_graph")
    labels = verdicts(verified(drawn, relabelled(drawn, font, str.upper)), "wedge_label", "text")
    words = [label for label in labels if label.fact.expected.isalpha()]
    assert len(words) >= 2
    assert all(label.verdict == "holds" for label in words)


SANS = Path(mpl.get_data_path()) / "fonts" / "ttf" / "DejaVuSans.ttf"


def ink(text: str, small: int, is_small: Callable[[int, str], bool], low: str = "") -> np.ndarray:
    """Return a text at 40 pixels a letter, some of them of a smaller size, and some below the line."""
    page = Image.new("L", (400, 80), 0)
    pen, x = ImageDraw.Draw(page), 10.0
    for place, letter in enumerate(text):
        font = ImageFont.truetype(str(SANS), small if is_small(place, letter) else 40)
        pen.text((x, 58 if letter in low else 50), letter, 255, font, anchor="ls")
        x += font.getlength(letter)
    return np.asarray(page.crop(page.getbbox()), np.float32) / 255


@pytest.mark.slow
@pytest.mark.parametrize(
    ("texts", "others", "inks"),
    [
        # Capitals for the first letters, and capitals of 78 % of that size for the others.
        (
            ["Plums", "Melons", "Lemons"],
            ["Grape", "Cherry", "Apples"],
            lambda word: ink(word.upper(), 31, lambda place, _: place > 0),
        ),
        # Text figures: 0, 1 and 2 as low as small letters, 3, 4, 5, 7 and 9 reaching below the line.
        (
            ["2019", "1230", "685", "740", "20"],
            ["2014", "1830", "605", "790", "50"],
            lambda number: ink(number, 29, lambda _, figure: figure in "012", low="34579"),
        ),
    ],
    ids=["small capitals", "text figures"],
)
def test_letters_may_be_of_two_heights_and_other_words_may_not(
    texts: list[str], others: list[str], inks: Callable[[str], np.ndarray]
) -> None:
    drawn = [*map(inks, texts)]
    for words, found in ((texts, {*texts}), (others, set())):
        fits = letter_shapes.find_fits(drawn, words)
        read = [letter_shapes.read_label(fit, fits.usual) for fit in fits.labels if fit]
        assert {*read} & {*words} == found


def test_figures_are_of_the_kind_that_all_labels_with_figures_show() -> None:
    """A label such as 100 is equally high in either kind, so that it says nothing, however long it is."""
    font = ImageFont.truetype(str(SANS), 13)

    def ink(text: str) -> np.ndarray:
        page = Image.new("L", (200, 40), 0)
        ImageDraw.Draw(page).text((10, 30), text, 255, font, anchor="ls")
        return np.asarray(page.crop(page.getbbox()), np.float32) / 255

    labels = ["Rainfall", "Month", "April", "Mar", "100", "200", "50", "75"]
    fits = letter_shapes.find_fits([ink(label) for label in labels], labels)
    assert all(lettering.casing.keys().isdisjoint(map(ord, "0123456789")) for lettering in fits.letterings)


def test_what_a_font_draws_oddly_everywhere_is_no_wrong_letter() -> None:
    plain, cased = np.array([0.7, 0.9]), np.array([0.85, 0.9])
    odd = {label: letter_shapes.LetterFit(label, plain, cased, f"³{label[1]}") for label in
           ("10", "12", "15", "18")}  # fmt: skip
    alone = letter_shapes.LetterFit("20", np.array([0.7, 0.9]), np.array([0.85, 0.9]), "70")
    *usual, other = letter_shapes.discount_habits([*odd.values(), alone])
    assert [letter_shapes.read_label(fit, 0.85) for fit in usual if fit] == [*odd]
    assert other is not None
    assert letter_shapes.read_label(other, 0.85) == "70"


def test_strokes_about_a_label_are_no_part_of_it() -> None:
    drawn = draw_target("geometry", "hard", 20002)  # dashed lines run about its labels
    blocks = prepare_target(Picture.from_pixels(drawn.drawing.pixels), drawn.scene).blocks
    boxes = [element.box for element in drawn.scene.elements if element.text]
    assert all(block and max(abs(a - b) for a, b in zip(block.box, box, strict=True)) <= 2
               for block, box in zip(blocks, boxes, strict=True))  # fmt: skip


@pytest.mark.slow
@pytest.mark.parametrize("font", FONTS)
def test_labels_in_each_other_s_places_fail_in_any_font(font: str) -> None:
    drawn = target("pie_graph")
    words = [element.text for element in drawn.scene.elements if element.text]
    following = dict(zip(words, [*words[1:], words[0]], strict=True))
    labels = verdicts(verified(drawn, relabelled(drawn, font, lambda text: following[text])), "wedge_label", "text")
    assert all(label.verdict == "fails" for label in labels)


LABELS = ["Q1", "Q2", "Q3", "Q4", "25", "50", "75", "100", "125"]


def scribbles(count: int, seed: int = 1) -> list[np.ndarray]:
    """Return ink of random strokes."""
    rng = np.random.default_rng(seed)
    inks = []
    for _ in range(count):
        page = Image.new("L", (24, 12), 0)
        points = [(int(x), int(y)) for x, y in zip(np.linspace(1, 22, 9), rng.integers(0, 12, 9), strict=True)]
        ImageDraw.Draw(page).line(points, 255, 2)
        inks.append(np.asarray(page, np.float32) / 255)
    return inks


def foreign_ink(label: str, size: int = 16) -> np.ndarray:
    """Return ink of a label in a font that the eye does not know."""
    path = Path(mpl.get_data_path()) / "fonts" / "ttf" / "STIXGeneralBolIta.ttf"
    page = Image.new("L", (8 * size, 3 * size), 0)
    font = ImageFont.truetype(str(path), size)
    ImageDraw.Draw(page).text((4 * size, 1.5 * size), label, 255, font, anchor="mm")
    return np.asarray(page.crop(page.getbbox()), np.float32) / 255


def test_strokes_are_no_letters_where_each_label_is_one() -> None:
    """A hook, a zigzag and two dashes, by turns as wide as high and a third of that."""
    strokes = [[(0, 7), (6, 0), (6, 7)], [(0, 0), (3, 8), (5, 1), (5, 8)], [(0, 0), (2, 7)], [(2, 0), (0, 7)]]
    inks = []
    for points in strokes:
        page = Image.new("L", (20, 20), 0)
        ImageDraw.Draw(page).line([(x + 5, y + 5) for x, y in points], 255, 2)
        inks.append(np.asarray(page.crop(page.getbbox()), np.float32) / 255)
    letters = ["A", "B", "C", "D"]
    own_inks = [foreign_ink(letter) for letter in letters]
    assert letter_shapes.find_fits(inks, letters, own_inks).is_garbled
    assert not letter_shapes.find_fits(own_inks, letters, own_inks).is_garbled


def test_an_exchanged_label_is_the_other_one() -> None:
    shares = ["31%", "53%", "16%"]
    fits = letter_shapes.find_fits([foreign_ink(share) for share in shares], shares)
    assert fits.find_clearly_better(foreign_ink("31%"), "53%", ["16%", "31%"]) == "31%"
    assert fits.find_clearly_better(foreign_ink("53%"), "53%", ["16%", "31%"]) is None


def test_labels_that_spell_each_other_were_exchanged() -> None:
    shares = ["31%", "26%", "23%", "20%"]
    inks = [foreign_ink(share, 24) for share in shares]
    moved = letter_shapes.find_fits([inks[2], inks[3], inks[0], inks[1]], shares)
    assert letter_shapes.find_exchanged_labels(moved.labels) == [0, 1, 2, 3]
    assert letter_shapes.find_exchanged_labels(letter_shapes.find_fits(inks, shares).labels) == []


def labels_of(inks: list[Floats]) -> list[letter_shapes.InkedLabel]:
    return [letter_shapes.InkedLabel(ink, text) for ink, text in zip(inks, LABELS, strict=False)]


@pytest.mark.slow
def test_letters_recur_in_words_of_any_font_and_not_in_scribbles() -> None:
    inks = [foreign_ink(label) for label in LABELS]
    lettering = letter_shapes.Lettering(1)
    written = letter_shapes.measure_recurrence(labels_of(inks), lettering)
    scribbled = letter_shapes.measure_recurrence(labels_of(scribbles(len(LABELS))), lettering)
    assert written is not None
    assert scribbled is not None
    assert written.pairs == scribbled.pairs == 21  # 6 of Q, 6 of 5, 3 of 1, 3 of 2, 3 of 0
    assert written.same > written.different + 0.2
    assert scribbled.same < scribbled.different + 0.1
    assert sum(written.labels) >= 7
    assert sum(scribbled.labels) <= 4
    assert not letter_shapes.find_fits(scribbles(len(LABELS)), LABELS).recurring  # what recurs by chance is no letter
    assert letter_shapes.measure_recurrence(labels_of(inks[:1]), lettering) is None  # nothing recurs


@pytest.mark.slow
def test_nothing_is_said_of_labels_that_are_too_small_to_read() -> None:
    drawn = draw_target("functions", "easy", 11000)
    small = drawn.drawing.image.resize((160, 160), Image.Resampling.LANCZOS)
    labels = verdicts(verified(drawn, small), "tick_label", "text")
    assert labels
    assert all(label.verdict != "fails" for label in labels)


SYMBOLS = str.maketrans("abcdefghijklmnopqrstuvwxyz0123456789", "#@&=+?#@&=+?#@&=+?#@&=+?#@&=+?#@&=+?")


@pytest.mark.slow
@pytest.mark.parametrize("font", FONTS)
def test_symbols_in_the_place_of_labels_fail(font: str) -> None:
    drawn = target("pie_graph")
    result = verified(drawn, relabelled(drawn, font, lambda text: text.lower().translate(SYMBOLS)))
    labels = verdicts(result, "wedge_label", "text")
    assert sum(label.verdict == "fails" for label in labels) >= 0.75 * len(labels)
    assert all(label.verdict != "holds" for label in labels)


@pytest.mark.slow
@pytest.mark.parametrize("font", FONTS)
def test_single_letters_do_not_pass_among_symbols(font: str) -> None:
    drawn = draw_target("geometry", "hard", 101)  # labels of one letter, which something fits by chance
    symbols = str.maketrans("ABCDEM", "*=#%@=")
    labels = verdicts(verified(drawn, relabelled(drawn, font, lambda text: text.translate(symbols))), "label", "text")
    assert [label.verdict for label in labels] == ["fails"] * 6


@pytest.mark.slow
def test_another_word_among_right_ones_fails_in_another_font() -> None:
    drawn = target("pie_graph")
    words = [element.text for element in drawn.scene.elements if element.text and element.text.isalpha()]
    other = "".join(reversed(words[0])).capitalize()
    result = verified(drawn, relabelled(drawn, "cmss10", lambda text: other if text == words[0] else text))
    wrong = [label for label in verdicts(result, "wedge_label", "text") if label.verdict == "fails"]
    assert [label.fact.expected for label in wrong] == [words[0]]


def faces(drawn: Drawn, kind: str, shaded: Callable[[np.ndarray, int, int], np.ndarray]) -> Image.Image:
    """Return the target with the faces of its bars or shapes shaded: by their pixels, and width and height."""
    pixels = drawn.drawing.pixels.astype(float)
    for element in drawn.scene.elements:
        if element.type == kind or (kind == "shape" and element.colour and element.type not in {"background", "panel"}):
            left, top, right, bottom = element.box
            part = pixels[top:bottom, left:right]
            colour = np.array([int(str(element.colour)[at : at + 2], 16) for at in (1, 3, 5)], float)
            is_face = (np.abs(part - colour).max(axis=2) < 8)[..., None]
            part[...] = np.where(is_face, shaded(part, right - left, bottom - top), part)
    return Image.fromarray(np.clip(pixels, 0, 255).astype(np.uint8))


def glossy(part: np.ndarray, width: int, height: int) -> np.ndarray:
    shine = np.exp(-(((np.linspace(0, 1, width) - 0.3) / 0.12) ** 2))[None, :, None]
    result: np.ndarray = part + (255 - part) * 0.35 * shine
    return result


def hatched(part: np.ndarray, width: int, height: int) -> np.ndarray:
    rows, columns = np.mgrid[:height, :width]
    result: np.ndarray = np.where(((rows + columns) % 8 == 0)[..., None], 0.45 * part, part)
    return result


def graded(part: np.ndarray, width: int, height: int) -> np.ndarray:
    """Return pixels paler towards the top and darker towards the bottom, so that no shade is the commonest."""
    along = np.linspace(0.3, -0.3, height)[:, None, None]
    result: np.ndarray = np.where(along > 0, part + (255 - part) * along, part * (1 + along))
    return result


@pytest.mark.slow
@pytest.mark.parametrize("colour", ["#ba68c8", "#ff7043", "#4fc3f7", "#2e7d32", "#d62728"])
def test_dark_shades_belong_to_the_pale_shade_that_is_the_commonest(colour: str) -> None:
    full = parse_rgb(colour)
    pale, dark = (parse_lab(format_rgb(shade)) for shade in (full + 0.2 * (255 - full), 0.8 * full))
    others = [parse_lab(other) for other in ("#ffb74d", "#1d4ed8", "#111827", "#e377c2")]
    assert find_shades(dark[None], pale).all()
    assert not find_shades(np.stack(others), pale).any()


@pytest.mark.slow
@pytest.mark.parametrize("shaded", [glossy, hatched, graded])
def test_values_of_shaded_bars_hold(shaded: Callable[[np.ndarray, int, int], np.ndarray]) -> None:
    drawn = target("bar_graph")
    values = verdicts(verified(drawn, faces(drawn, "bar", shaded)), "bar", "value")
    assert len(values) >= 3
    assert all(value.verdict == "holds" for value in values)


@pytest.mark.slow
@pytest.mark.parametrize("shaded", [glossy, hatched])
def test_forms_of_shaded_shapes_hold(shaded: Callable[[np.ndarray, int, int], np.ndarray]) -> None:
    drawn = target("simple_shapes")
    forms = verdicts(verified(drawn, faces(drawn, "shape", shaded)), "shape", "shape")
    assert forms
    assert all(form.verdict == "holds" for form in forms)


@pytest.mark.slow
def test_shares_of_a_tilted_pie_are_read_on_its_ellipse() -> None:
    """Four wedges of known shares, drawn flat in a scene and tilted with a wall in the rendering."""
    drawn = target("pie_graph")
    wedges = [element for element in drawn.scene.elements if element.type == "wedge"]
    fine, flat, wall = 4, 0.65, 24
    page = Image.new("RGB", (512 * fine, 512 * fine), drawn.scene.background)
    pen = ImageDraw.Draw(page)
    for down in [*range(wall * fine, 0, -2), 0]:
        for wedge in wedges:
            (x, y), radius = wedge.point("centre"), wedge.number("radius")
            start, share = wedge.number("start"), wedge.number("share")
            turns = [math.radians(start + 3.6 * share * step / 60) for step in range(61)]
            rim = [(x + radius * math.cos(turn), y + flat * radius * math.sin(turn)) for turn in turns]
            colour = str(wedge.colour)
            dark = tuple(int(0.7 * int(colour[at : at + 2], 16)) for at in (1, 3, 5))
            points = [(fine * px, fine * py + down) for px, py in [*rim, (float(x), float(y))]]
            pen.polygon(points, fill=dark if down else colour)
    result = verified(drawn, page.resize((512, 512), Image.Resampling.LANCZOS))
    presences = verdicts(result, "wedge", "presence")
    assert all(presence.verdict == "holds" for presence in presences)
    for value in verdicts(result, "wedge", "value"):
        assert value.seen == pytest.approx(value.fact.expected, abs=4.0)
