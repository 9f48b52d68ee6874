"""Looking at a rendering: one reading a fact, mark by mark.

Texts of a target and of a rendering are folded to one form and compared by edit distance.
"""

import math
import unicodedata
from collections import deque
from collections.abc import Callable
from dataclasses import dataclass, field
from functools import cached_property, partial
from typing import Any, Literal

import numpy as np
from scipy.optimize import linear_sum_assignment

from ircore.core.drawing import AxisScale
from ircore.core.images import Pixels
from ircore.core.records import Box
from ircore.scorers.verification.eye.frames import Beyond
from ircore.scorers.verification.eye.letter_shapes import (
    KNOWN,
    WELL,
    compute_mean_fit,
    find_exchanged_labels,
    find_fits,
    read_label,
)
from ircore.scorers.verification.eye.regions import Target
from ircore.scorers.verification.eye.registration import (
    Model,
    Transform,
    compute_cost,
    lay_over_target,
    register_rendering,
)
from ircore.scorers.verification.eye.texts import (
    Block,
    compute_fit,
    compute_likenesses,
    compute_misfits,
    find_blocks,
    find_inks,
    is_there,
    is_written,
    lay_level,
    mark_differing_letters,
    read_turn,
    replace_missing_blocks,
)
from ircore.scorers.verification.eye.view import EyeView, Floats, Observed, find_commonest_colour, measure_lab_distance
from ircore.scorers.verification.scene_facts import Fact, Mark
from ircore.scorers.verification.scene_facts.charts import compute_middle, find_scale

ROUGH = 0.045
"""Share of uneven ground from which on the colours of thin lines are not told: much of them is lost."""

LEGIBLE = 5.0
"""Pixels of a rendering that labels are high at least, usually, or nothing can be said of letters that look wrong."""
LEAST_LABELS = 3
"""Labels whose proportions tell whether a figure was stretched or laid out anew."""

Observations = dict[str, Observed]
"""What the eye says, by the key of the fact."""

LETTERING = "the lettering differs too much to be told without reading it (install the extra ocr)"
ANOTHER = "another label is written there"
MOST_OTHERS = 8
"""Other labels of the target that a label which does not tell is compared with at most."""
ALIKE = 0.7
"""Correlation of letterings from which on they are the same word."""
OTHER, CLEARLY = 0.78, 0.2
"""Correlation with another label, and by how much more than with its own, from which on labels were exchanged."""
NOT_OWN = 0.6
"""Correlation with its own label below which one may be another."""
EXCHANGED, MOST = 0.15, 0.5
"""Correlation that labels gain on average where each is taken for another one of the target's, and share of labels that
gain so, from which on the target's labels do not stand in their places: of 331 faithful pictures none gains 0.11."""
SAME_HAND, UNLIKE, STRANGE = 0.8, 0.4, 0.35
"""Typical correlation of a picture's labels that tells that they are set in the same font; how far below it, and below
which value, a label is another text."""

SAME_FONT, DIFFERS, SAME, NOT_SAME = 0.11, 0.2, 0.12, 0.19
"""Misfit, 0–1, up to which labels are set in the target's font (most others misfit by 0.13 and more, blurred ones too);
by how much more a letter that differs misfits; in that font, misfit that a label with a wrong letter reaches somewhere,
and that nineteen in twenty of the right ones do not."""
DISTORTED = 0.2
"""Logarithm of the ratio of width and height of a rendering from which on letters look otherwise."""
SAME_SIZE, AS_OTHERS = 0.08, 0.05
"""Logarithm by which a label's sides differ from those of the others, relative to the target, at most, if nothing of it
is hidden and nothing else touches it; correlation by which a part of it may fit worse than other labels do."""
OTHER_FONT = 0.18
"""Misfit from which on a label that looks like the right word may still be misspelt."""


def fold_text(text: str) -> str:
    """Return a text for comparison: Unicode's compatible form, one kind of minus, no case, single blanks."""
    # Before the compatible form, which makes an "o" of the ordinal sign.
    plain = unicodedata.normalize("NFKC", text.replace("º", "°")).replace("−", "-").replace("–", "-")
    return " ".join(plain.casefold().split())


def compute_edit_distance(text: str, other: str) -> int:
    """Return the edit distance of two texts (Levenshtein 1966)."""
    row = list(range(len(other) + 1))
    for count, letter in enumerate(text, start=1):
        last, row[0] = row[0], count
        for place, second in enumerate(other, start=1):
            last, row[place] = row[place], min(row[place] + 1, row[place - 1] + 1, last + (letter != second))
    return row[-1]


@dataclass(eq=False)
class Look:
    """State of one look at a rendering, shared by all readers of the eye.

    Attributes:
        target: The target's side.
        view: The rendering over its target.
        transform: How it had to be moved.
        agreement: Share of the target's edges that meet one in the rendering, 0–1.
        is_found: Whether the drawing was found on the rendering's canvas; if not, places and values say nothing.
        beyond: What is drawn on the canvas beyond the target's frame.
        blocks: The writing at the place of each text.
        facts: The target's facts by the key of their mark.
        detail: Pixels of the rendering for a pixel of the target.
        in_target_font: Whether the labels are set in the target's font, as read_texts found.

    Example:
        >>> from ircore.instances.targets.categories import draw_target
        >>> from ircore.core.images import Picture
        >>> from ircore.scorers.verification.eye.regions import prepare_target
        >>> drawn = draw_target("bar_graph", "easy", seed=1)
        >>> target = prepare_target(Picture.from_pixels(drawn.drawing.pixels), drawn.scene)
        >>> look_at(target, drawn.drawing.pixels).is_rough
        False
    """

    target: Target
    view: EyeView
    transform: Transform
    agreement: float
    is_found: bool
    beyond: Beyond
    blocks: list[Block | None]
    facts: dict[str, list[Fact]] = field(default_factory=dict)
    detail: float = 1.0
    in_target_font: bool = False

    @property
    def cost(self) -> float:
        """Points that the transform costs: margins, size, distortion, turn, perspective.

        A chart whose plot area was laid out anew in other proportions is not distorted: its letters are not.
        """
        return self.view.compute_once(
            "cost", lambda: compute_cost(self.transform, laid_out_anew=_measure_new_layout(self))
        )

    @cached_property
    def roughness(self) -> float:
        """Share of the ground beside drawn elements that is uneven, 0–1: near 0 in clean or blurred pictures."""
        # Kept in the view, since the target's own share is the same for all its renderings.
        target_share, rendering_share = (
            view.compute_once("uneven", partial(_compute_uneven_share, view, self.target))
            for view in (self.target.view, self.view)
        )
        return max(0.0, round(rendering_share - target_share, 3))

    @property
    def is_rough(self) -> bool:
        """Whether the colours of thin lines say nothing."""
        return self.roughness > ROUGH

    @cached_property
    def is_legible(self) -> bool:
        """Whether labels are large enough for wrong letters to be told: of a few pixels, none can be."""
        heights = [
            block.ink.shape[1 if read_turn(element) in {90, 270} else 0]
            for element, block in zip(self.target.texts, self.target.blocks, strict=True) if block
        ]  # fmt: skip
        return not heights or float(np.median(heights)) * self.detail >= LEGIBLE

    @cached_property
    def writing(self) -> list[Block | None]:
        """The writing of each text, in its place or elsewhere."""
        return replace_missing_blocks(self.view, self.target.texts, self.blocks, self.target.blocks)

    def scale(self, axis: Literal["x", "y"]) -> AxisScale | None:
        """Return where the values of an axis lie in the rendering: the target's scale, moved as the tick labels are."""
        scale = find_scale(self.target.scene, axis)
        if scale is None:
            return None
        slope, offset = find_axis_move(self, axis)
        return AxisScale(scale.low, scale.high, scale.start * slope + offset, scale.end * slope + offset)


def look_at(target: Target, pixels: Pixels) -> Look:
    """Lay a rendering over its target and find the rendering's writing.

    Several instruments look at the same rendering, and at the target itself, one after the other.
    """
    for known_target, known_pixels, look in _last_looks:
        # By identity and not by value; pixels that can be written to may change between two looks.
        if known_target is target and known_pixels is pixels and not pixels.flags.writeable:
            return look
    look = _build_look(target, pixels)
    _last_looks.append((target, pixels, look))
    return look


def find_axis_move(look: Look, axis: Literal["x", "y"]) -> tuple[float, float]:
    """Return slope and offset that take the target's pixels to the rendering's pixels along an axis.

    Read off the tick labels that are found in both; 1 and their median shift if they do not span enough.
    """
    return look.view.compute_once(f"axis {axis}", lambda: _fit_axis_move(look, axis))


def read_texts(look: Look) -> Observations:
    """Read each text: presence, place and, by the shape of its ink, whether the words are right."""
    present = [
        is_there(element, block, own) or is_written(look.view, look.target.view, element)
        for element, block, own in zip(look.target.texts, look.writing, look.target.blocks, strict=True)
    ]
    words = _read_words(look, present)
    for k, (block, former) in enumerate(zip(look.writing, look.blocks, strict=True)):
        # Ink elsewhere is a label only if it says what the label says.
        if block is not former and words[k].seen != look.target.texts[k].text:
            present[k] = is_written(look.view, look.target.view, look.target.texts[k])
            words[k] = Observed(None, LETTERING)
    readings: Observations = {}
    marks = [mark for mark in look.target.marks if mark.form == "text"]
    for mark, is_present, block, word in zip(marks, present, look.writing, words, strict=True):
        readings[f"{mark.key}/presence"] = Observed(is_present)
        readings[f"{mark.key}/text"] = word if is_present else Observed("", "no text there")
        if is_present and block is not None:
            readings[f"{mark.key}/place"] = Observed([compute_middle(block.box, axis) for axis in "xy"])
        else:
            readings[f"{mark.key}/place"] = Observed(None, "absent")
    return readings


Reader = Callable[[Look, Mark], Observations]
"""Says what is seen of one mark."""


def _compute_uneven_share(view: EyeView, target: Target) -> float:
    """Return the share of the ground beside drawn elements that is neither of the commonest colours nor ink."""
    colours = view.sample_lab(target.beside)[::3]
    grounds: list[Floats] = []
    rest = colours
    while len(rest) > 0.05 * len(colours) + 50 and len(grounds) < 6:
        grounds.append(find_commonest_colour(rest, 2.0))
        rest = rest[measure_lab_distance(rest, grounds[-1]) > 12.0]
    far = np.min([measure_lab_distance(colours, ground) for ground in grounds], axis=0) if grounds else np.zeros(1)
    return float(((far > 1.2) & (far < 12.0)).mean())


_last_looks: deque[tuple[Target, Pixels, Look]] = deque(maxlen=2)
"""No more, since a look holds a dozen megabytes."""


def _build_look(target: Target, pixels: Pixels) -> Look:
    # Kept with the target, which many renderings are laid over.
    model = target.view.compute_once("registration", lambda: Model(target.picture, target.scene))
    fit = register_rendering(model, pixels)
    transform = fit.transform
    view = EyeView(lay_over_target(pixels, transform, target.scene.width, target.scene.height), target.scene)
    look = Look(target, view, transform, fit.agreement, fit.is_found, fit.beyond, find_blocks(view, target.texts))
    high, wide = (
        pixels.shape[0] * transform.high / target.scene.height,
        pixels.shape[1] * transform.wide / target.scene.width,
    )
    look.detail = round(math.sqrt(high * wide), 3)
    for fact in target.facts:
        look.facts.setdefault(fact.mark, []).append(fact)
    return look


def _measure_new_layout(look: Look) -> float:
    """Return how far a distortion left the letters of a figure with axes alone, 0–1; of a pie, that is half of it.

    A pie that is flat beside letters that are not is one seen from aside.
    """
    distortion, scene = math.log(look.transform.distortion), look.target.scene
    has_axes = None not in (find_scale(scene, "x"), find_scale(scene, "y"))
    most = 1.0 if has_axes else 0.5 if any(element.type == "wedge" for element in scene.elements) else 0.0
    if not distortion or not most:
        return 0.0
    changes = []
    for element, own, block in zip(look.target.texts, look.target.blocks, look.blocks, strict=True):
        turned = element.parameters.get("rotation")
        if own and block and turned in {None, 0, 90, 270} and is_there(element, block, own):
            (wide, high), (own_wide, own_high) = (
                (box.right - box.left, box.bottom - box.top) for box in (block.box, own.box)
            )
            changes.append(math.log(wide * own_high / (high * own_wide)))
    if len(changes) < LEAST_LABELS:
        return 0.0
    # Seen over the target, letters that were not distorted are so by its undoing.
    undone = -float(np.median(changes)) / distortion
    return round(most * min(1.0, max(0.0, (undone - 0.35) / 0.5)), 3)


def _fit_axis_move(look: Look, axis: Literal["x", "y"]) -> tuple[float, float]:
    pairs = []
    for element, own, block in zip(look.target.texts, look.target.blocks, look.blocks, strict=True):
        is_tick = element.type == "tick_label" and element.parameters.get("axis") == axis
        if is_tick and own and block and is_there(element, block, own):
            pairs.append((compute_middle(own.box, axis), compute_middle(block.box, axis)))
    if not pairs:
        return 1.0, 0.0
    before, after = np.array(pairs, dtype=np.float64).T
    size = look.view.pixels.shape[1 if axis == "x" else 0]
    spread = np.subtract.outer(before, before)
    # Labels close to each other say little about a scale.
    far = spread > 0.35 * size
    if not far.any():
        return 1.0, round(float(np.median(after - before)), 3)
    slope = float(np.median(np.subtract.outer(after, after)[far] / spread[far]))
    slope = round(slope, 5) if 0.9 < slope < 1.1 else 1.0
    return slope, round(float(np.median(after - slope * before)), 3)


def _read_words(look: Look, present: list[bool]) -> list[Observed]:
    """Compare each label's patch with all labels of the target."""
    usable = [k for k, own in enumerate(look.target.blocks) if own and look.writing[k] and present[k]]
    readings = {k: Observed(None, LETTERING) for k in range(len(present))}
    if not usable:
        return list(readings.values())
    turns = [read_turn(look.target.texts[k]) for k in usable]
    blocks = [look.writing[k] for k in usable]
    owns = [look.target.blocks[k] for k in usable]
    alike = compute_likenesses([b for b in blocks if b], [o for o in owns if o], turns)
    typical = float(np.median(np.diag(alike)))
    texts = [look.target.texts[k].text or "" for k in usable]
    pairs = zip(blocks, owns, turns, strict=True)
    misfits = [compute_misfits(block, own, turn) for block, own, turn in pairs if block and own]
    common = 1.0 if look.is_rough else float(np.median([compute_fit(misfit) for misfit in misfits]))
    look.in_target_font = common <= SAME_FONT
    for row, k in enumerate(usable):
        reading = _compare_word(alike[row], row, texts, typical if common <= SAME_FONT else 0.0)
        if reading.seen == texts[row] and common > OTHER_FONT:
            reading = Observed(None, LETTERING)
        if reading.seen is None or reading.seen == texts[row]:
            reading = _check_spelling(reading, texts[row], misfits[row], common)
        readings[k] = reading
    worst = [float(misfit.max()) if common <= SAME_FONT else 1.0 for misfit in misfits]
    if any(readings[k].seen != text or most >= SAME for k, text, most in zip(usable, texts, worst, strict=True)):
        readings |= _read_by_letter_shapes(look, usable, texts, readings, worst)
    readings |= {usable[row]: Observed("", ANOTHER) for row in _find_exchanged_labels(alike, texts)}
    return [readings[k] for k in range(len(present))]


def _find_exchanged_labels(alike: Floats, texts: list[str]) -> list[int]:
    """Return which labels are more like other ones of the target, taken together; none unless most of them are."""
    rows, columns = linear_sum_assignment(-alike)
    gain = float((alike[rows, columns] - np.diag(alike)).mean())
    moved = [int(row) for row, column in zip(rows, columns, strict=True) if texts[row] != texts[column]]
    return moved if gain >= EXCHANGED and len(moved) >= MOST * len(alike) else []


def _read_by_letter_shapes(
    look: Look, usable: list[int], texts: list[str], readings_by_shape: dict[int, Observed], worst: list[float]
) -> dict[int, Observed]:
    """Return the readings that the letters of known fonts allow, of labels that are not surely the target's own."""
    blocks = [block for k in usable if (block := look.writing[k]) is not None]
    turns = [read_turn(look.target.texts[k]) for k in usable]
    owns = [block for k in usable if (block := look.target.blocks[k]) is not None]
    inks, own_inks = (
        [lay_level(block.ink, turn) for block, turn in zip(side, turns, strict=True)] for side in (blocks, owns)
    )
    fits, is_whole = find_fits(inks, texts, own_inks), _find_whole_labels(inks, own_inks)
    # Letters that were distorted, and are so no longer by the look of the drawing, fit none.
    is_garbled = fits.is_garbled and look.is_legible and abs(math.log(look.transform.distortion)) < DISTORTED
    readings = {}
    labels = zip(usable, texts, inks, blocks, turns, fits.labels, strict=True)
    for row, (k, text, ink, block, turn, fit) in enumerate(labels):
        usual = fits.usual
        letters = None if fit is None else read_label(fit, usual, fits.strange)
        right = text.replace(" ", "")
        if letters != right and usual >= KNOWN:
            # Other things may touch the writing, or hide a part of it: its place in the target is tried, too.
            places = find_inks(look.view, _list_candidate_boxes(block.box, look.target.texts[k].box, turn))
            parts = [lay_level(place, turn) for place in places]
            # Of a word that is whole, and of a single letter, a part may look like another one.
            is_sure = usual >= WELL and (is_whole[row] or len(right) == 1)
            again = fits.again([part for part in parts if not is_sure or _can_hold(part, ink)], text)
            if again is not None and read_label(again, usual) == right:
                letters = right
            elif is_sure and (part := fits.again(parts, text)) is not None and read_label(part, usual) == right:
                letters = letters if compute_mean_fit(part) < usual - AS_OTHERS else None
        if is_garbled:
            # Letters that fit by chance are no letters where nothing is legible.
            readings[k] = Observed("", "nothing legible is written there")
        elif worst[row] < SAME and readings_by_shape[k].seen == text:
            continue
        elif letters == right or (fits.recurring and fits.recurring[row]):
            readings[k] = Observed(text)
        elif not look.is_legible or (fits.recurring and usual < KNOWN):
            # Of letters that are too small, or that recur in a font unlike the known ones, nothing more can be said.
            continue
        elif readings_by_shape[k].seen == text and (letters is None or worst[row] < NOT_SAME) and look.in_target_font:
            readings[k] = Observed(None, LETTERING)
        elif letters is not None and readings_by_shape[k].seen in {None, text}:
            why = "some letters differ" if letters else "something else is written there"
            readings[k] = Observed(_restore_spaces(letters, text), why)
        elif letters is None and readings_by_shape[k].seen is None and usual >= KNOWN:
            # Texts that differ in one letter are too much alike.
            others = sorted(
                {
                    other
                    for other in texts
                    if abs(len(other) - len(text)) <= 2 and compute_edit_distance(other, text) > 1
                }
            )
            if other := fits.find_clearly_better(ink, text, others[:MOST_OTHERS]):
                readings[k] = Observed(other)
    return readings | {usable[row]: Observed("", ANOTHER) for row in find_exchanged_labels(fits.labels)}


def _find_whole_labels(inks: list[Floats], own_inks: list[Floats]) -> list[bool]:
    """Tell of each label whether it is as wide and high as others of its picture are: all of it, and nothing else."""
    changes = np.log([np.divide(ink.shape, own.shape) for ink, own in zip(inks, own_inks, strict=True)]).round(3)
    return [bool(whole) for whole in (np.abs(changes - np.median(changes, axis=0)) < SAME_SIZE).all(axis=1)]


def _can_hold(part: Floats, ink: Floats) -> bool:
    """Tell whether a part of a picture is as large as a label's ink at least."""
    return bool(part.shape[0] >= ink.shape[0] and part.shape[1] >= ink.shape[1])


def _list_candidate_boxes(block: Box, box: Box, turn: float) -> list[Box]:
    """Return boxes in which a label may be: where its writing was found, and about its place in the target.

    Fonts differ in width, so along the text the boxes are longer and shorter, by parts of its length.
    """
    left, top, right, bottom = box
    down = turn == 90
    length = (bottom - top) if down else (right - left)
    boxes = [block, Box(left - 1, top + 1, right + 1, bottom - 1)]
    for part in (-0.12, -0.06, 0.0, 0.06, 0.14, 0.24):
        by = round(part * length)
        across, along = (1, by + 1) if down else (by + 1, 1)
        boxes.append(Box(left - across, top - along, right + across, bottom + along))
    return boxes


def _restore_spaces(letters: str, text: str) -> str:
    """Return letters with the spaces of a text."""
    rest = iter(letters)
    return "".join(letter if letter == " " else next(rest) for letter in text) if letters else ""


def _check_spelling(reading: Observed, text: str, misfit: Floats, common: float) -> Observed:
    """Compare a matching label letter by letter: in the same font, single letters that differ stand out."""
    usual = min(compute_fit(misfit), common)
    if common > SAME_FONT:
        return reading
    letters = mark_differing_letters(text, misfit > usual + DIFFERS)
    return reading if letters == text else Observed(letters, "some letters differ")


def _compare_word(alike: Any, own: int, texts: list[str], typical: float) -> Observed:
    others = [(float(value), text) for value, text in zip(alike, texts, strict=True) if text != texts[own]]
    best, other = max(others, default=(-1.0, ""))
    mine = float(alike[own])
    if best >= OTHER and mine < min(NOT_OWN, best - CLEARLY):
        return Observed(other)
    if mine >= ALIKE and mine >= best - 0.06:
        return Observed(texts[own])
    if typical >= SAME_HAND and mine < min(STRANGE, typical - UNLIKE):
        return Observed("", "it looks like none of the target's labels")
    return Observed(None, LETTERING)
