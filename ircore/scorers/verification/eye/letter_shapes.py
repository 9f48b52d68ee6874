"""Letters of many fonts, and how well writing fits the letters of a text, whatever its font.

The ink of a label is laid over the text as each known font would set it. Every letter is then looked for about its
place, in order, and is compared with all other letters there. The font that fits a picture's labels best speaks for all
of them: the right words fit it, whichever font the picture is really set in, other words and scribbles do not. Case
says nothing of a label, so each font is tried with capitals and with small capitals for its small letters, too, and
with text figures, which are as uneven in height as small letters.
"""

import math
from collections.abc import Sequence
from functools import cache, lru_cache
from pathlib import Path
from string import ascii_lowercase, ascii_uppercase
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt
from PIL import Image
from scipy import ndimage

from ircore.scorers.verification.eye.view import Floats

CHARACTERS = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789%()+-−–.,:;=/°²³&$€?!'#*@<>×·πθαβ"
SMALL_CAPITALS = "ａｂｃｄｅｆｇｈｉｊｋｌｍｎｏｐｑｒｓｔｕｖｗｘｙｚ"
"""What stands for small capitals within this module: a font's capitals, as high as most small capitals."""
LOW_FIGURES, HANGING_FIGURES = "０１２", "３４５７９"
"""What stands for text figures: as high as small letters, or reaching below the line by what those are lower."""
SMALL_HEIGHT, LOW_HEIGHT, HANGING = 0.78, 0.7, 3
"""Height of small capitals and of low figures in parts of that of capitals; pixels by which figures reach below."""
EM, HIGH, BASE, WIDE = 16, 22, 16, 24
"""Pixels: size of the letters, height of their page, row of the line on which they stand, width of their page."""
SMOOTH = 0.6
"""Pixels: σ by which ink is blurred before it is compared."""
ROUGH = 0.5, 1.0
"""Pixels: σ, down and across, by which writing is blurred where it is compared as a whole."""
SOFT, SOFT_COST = 1.0, 0.05
"""Pixels: σ by which the letters of soft pictures are blurred; and by how much better they must fit than sharp ones."""
AROUND = 5
"""Pixels by which a letter may stand beside its place."""
STEP_COST = 0.03
"""Correlation that a pixel of uneven spacing costs."""
FIRST, LIKELY, BEST = 6, 5, 2
"""Labels by which the fonts are chosen, the longest; fonts that are compared letter by letter with these, and fonts
that are compared with every label."""
AT_ONCE = 32
"""Letters that are compared in one product: larger products are shared out among threads, which takes longer."""
SMALL = frozenset(".,:;'-−–·°*²³!")
"""Characters of so little ink that they say little."""

CASINGS: tuple[dict[int, int], ...] = (
    {},
    str.maketrans(ascii_lowercase, ascii_uppercase),
    str.maketrans(ascii_lowercase, SMALL_CAPITALS),
)
"""Ways in which lettering may treat small letters: what is written in place of them."""
TEXT_FIGURES = str.maketrans("01234579", LOW_FIGURES + HANGING_FIGURES)
"""What is written in place of figures where lettering has text figures."""
_AS_LETTERS = {stands: letter for casing in (CASINGS[2], TEXT_FIGURES) for letter, stands in casing.items()}

_LETTERS = CHARACTERS + SMALL_CAPITALS + LOW_FIGURES + HANGING_FIGURES

KNOWN = 0.75
"""Usual correlation of a picture's labels from which on they are the target's, in a font much like a known one."""
FITS, WELL = 0.68, 0.85
"""Correlation from which on a label fits, in a picture whose labels do, and in any other picture."""
SLIGHT, CLEAR, CLEARLY_BOTH = 0.09, 0.15, 0.13
"""By how much more another letter may fit than the right one, from which on it is another letter, and each of two."""
OF_ITS_KIND, CLEARLY_OF_ITS_KIND = 0.05, 0.08
"""The same in a font much like a known one, for another digit instead of a digit, another capital instead of one, or
another small letter: right letters that fit badly look more like signs, or like letters of another kind."""
FOREIGN, BADLY = 0.06, 0.7
"""By how much more other letters fit on average, and how badly the right ones do, where something else is written."""
ALL_FOREIGN, AS_ALL, BADLY_AS_ALL = 0.08, 0.03, 0.82
"""By how much more other letters usually fit in a picture whose labels are all something else; and the same two as
above for one of its labels."""
GARBLED, GARBLED_ON_AVERAGE, LEAST_GARBLED = 0.045, 0.074, 3
"""By how much more other letters usually fit, and on average, in a picture in which nothing legible is written; labels
that show it at least. Of 150 legible pictures, by hand too, none reaches both, of 120 garbled ones all but 4."""
OTHERWISE = 0.1
"""Correlation by which another of a picture's labels must fit better than the right one, to be what is written."""
RATHER_STRANGE, STRANGE_ON_AVERAGE, UNEVEN_WIDTHS = 0.04, 0.05, 0.3
"""By how much more other letters usually fit, or on average, where widths count; standard deviation of the logarithms
of proportions from which on labels are no words then: none of 137 legible pictures in other fonts reaches it."""
LEAST_EQUAL, UNEQUAL, EQUAL, ALIKE_ENOUGH = 8, 2.0, 3.0, 0.1
"""Pairs of letters that should be equal, at least; times by how much more other letters fit by which they are more
alike than letters that differ where nothing legible is written, at most, and in writing of any font, such as with
figures of uneven height, at least; and by how much at least."""
STRANGE, UNEVEN = 0.02, 0.19
"""By how much more other letters usually fit where, at least, labels whose heights differ unlike the target's, by this
standard deviation of their logarithms, are no letters: symbols are as high as they like."""
AS_USUAL = 0.15
"""Correlation by which a label fits worse than the picture's usual one where it is another word."""
OFTEN = 3
"""Times that a letter stands in other labels, at least, for its usual fit to be known."""
MOST_LETTERS, REACH, MOVED, MORE_ALIKE = 80, 8, 2, 0.15
"""Letters of a picture that are compared with each other; pixels to both sides of a letter's middle that are looked at,
and by which a letter may stand beside its place; by how much more alike the same letter elsewhere must be than others
are."""
SIMILAR = str.maketrans("0", "O")
"""Letters that all fonts draw nearly alike."""
ALIKE = str.maketrans("0l1|!ij/,–−×·θ²³β*", "oiiiiiii.--x-oz3b°")
"""Lower-case letters that many fonts draw alike."""


class Lettering(NamedTuple):
    """A font by its number, and how a text's small letters and figures are set in it."""

    font: int
    casing: dict[int, int] = CASINGS[0]


class LetterFit(NamedTuple):
    """How well ink fits a text, letter by letter without spaces: correlations −1 to 1.

    Attributes:
        letters: The text's letters.
        own: Correlation with the text's own letter.
        best: Correlation with the letter that fits best there.
        others: That letter.
    """

    letters: str
    own: Floats
    best: Floats
    others: str


class Fits(NamedTuple):
    """How well a picture's labels fit.

    Attributes:
        labels: The fit of each, None where no font has its letters.
        usual: Their usual correlation.
        strange: By how much more other letters usually fit.
        is_garbled: Whether all of it is scribble, symbols or random letters.
        letterings: The fonts, and their casing, that fit best.
        recurring: Whether each label is made of letters that recur in others, in a picture where letters do, whatever
            its font; empty where they do not, or where that was not looked at.
    """

    labels: list[LetterFit | None]
    usual: float
    strange: float
    is_garbled: bool
    letterings: list[Lettering]
    recurring: tuple[bool, ...] = ()

    def again(self, inks: Sequence[Floats], text: str) -> LetterFit | None:
        """Return the best fit of other inks that a label may have."""
        return _find_best_fit([InkedLabel(ink, text) for ink in inks], self.letterings)

    def find_clearly_better(self, ink: Floats, text: str, others: Sequence[str]) -> str | None:
        """Return the one of other texts that ink fits clearly better than its own; None if it fits none so well."""
        letterings = self.letterings[:1]
        own = _find_best_fit([InkedLabel(ink, text)], letterings)
        fits = {
            other: fit for other in others if (fit := _find_best_fit([InkedLabel(ink, other)], letterings)) is not None
        }
        best = max(fits, key=lambda other: _compute_goodness(fits[other]), default=None)
        if own is None or best is None or _compute_goodness(fits[best]) < _compute_goodness(own) + OTHERWISE:
            return None
        return best if read_label(fits[best], self.usual) == best.replace(" ", "") else None


class _Word(NamedTuple):
    """A text as a font sets it: numbers of its characters, their middles in pixels, and the box of its ink."""

    characters: npt.NDArray[np.int64]
    middles: Floats
    left: float
    right: float
    top: int
    bottom: int


class InkedLabel:
    """A label's ink and the text that it should say; what is computed of the ink serves all letterings."""

    def __init__(self, ink: Floats, text: str) -> None:
        self.text = text
        self._ink = Image.fromarray((np.clip(ink, 0, 1) * 255).astype(np.uint8))
        self._sizes: dict[tuple[int, int], Floats] = {}
        self._pages: dict[tuple[int, int, int], _Page] = {}
        self._wholes: dict[tuple[int, int, int], Floats] = {}
        self._rough_fits: dict[tuple[int, str], float] = {}
        self._aligned: dict[tuple[int, str], tuple[npt.NDArray[np.int64], Floats]] = {}

    def compute_rough_fit(self, lettering: Lettering) -> float:
        """Return how well the ink as a whole fits the text in a font."""
        key = lettering.font, self.text.translate(lettering.casing)
        if key not in self._rough_fits:
            word, written = _set_word(*key), _set_text(*key)
            if word is None or written is None:
                self._rough_fits[key] = -1.0
            else:
                self._rough_fits[key] = round(float((self._draw_smoothed_page(word) * written).sum()), 3)
        return self._rough_fits[key]

    def fit(self, lettering: Lettering) -> float:
        """Return how well the ink fits the text in a font: the mean correlation of its letters."""
        font, text = lettering.font, self.text.translate(lettering.casing)
        word = _set_word(font, text)
        if word is None:
            return -1.0
        _, own = self.align(lettering, word)
        return round(float(np.average(own, weights=_weigh_letters(text.replace(" ", "")))), 4)

    def page(self, word: _Word) -> "_Page":
        """Return the ink in the place of a word."""
        key = _find_word_place(word)
        if key not in self._pages:
            self._pages[key] = _Page(self._lay_on_page(key, _build_kernel(SMOOTH), _build_kernel(SMOOTH)))
        return self._pages[key]

    def align(self, lettering: Lettering, word: _Word) -> tuple[npt.NDArray[np.int64], Floats]:
        """Return for each letter of the text, as a word in a font, the place where it stands and its correlation."""
        key = lettering.font, self.text.translate(lettering.casing)
        if key not in self._aligned:
            self._aligned[key] = _align_letters(self.page(word), lettering.font, word)
        return self._aligned[key]

    def _draw_smoothed_page(self, word: _Word) -> Floats:
        key = _find_word_place(word)
        if key not in self._wholes:
            self._wholes[key] = _normalise_page(
                self._lay_on_page(key, _build_kernel(SMOOTH, ROUGH[0]), _build_kernel(SMOOTH, ROUGH[1]))
            )
        return self._wholes[key]

    def _lay_on_page(self, place: tuple[int, int, int], down: Floats, across: Floats) -> Floats:
        """Return the ink in a place on a page with room on both sides, blurred down and across."""
        width, top, bottom = place
        page = np.zeros((HIGH + 2, width + 2 * WIDE), np.float32)
        page[1 + top : 1 + bottom, WIDE : WIDE + width] = self._resize_ink(width, bottom - top)
        for axis, kernel in enumerate((down, across)):
            page = ndimage.correlate1d(page, kernel, axis)
        return page

    def _resize_ink(self, width: int, height: int) -> Floats:
        if (width, height) not in self._sizes:
            is_smaller = self._ink.height > 1.3 * height
            resampling = Image.Resampling.BOX if is_smaller else Image.Resampling.BILINEAR
            sized = np.asarray(self._ink.resize((width, height), resampling))
            self._sizes[width, height] = sized.astype(np.float32) / np.float32(255)
        return self._sizes[width, height]


def find_fits(inks: Sequence[Floats], texts: Sequence[str], own_inks: Sequence[Floats] = ()) -> Fits:
    """Return how well writing fits texts in the fonts that suit all of them best.

    Args:
        inks: Ink of each label, 0–1, level.
        texts: What each should say.
        own_inks: Ink of the same labels in the target.
    """
    order = sorted(range(len(texts)), key=lambda k: (-len(texts[k]), k))[:FIRST]
    if not order:
        return Fits([], 0.0, 0.0, False, [])
    half = len(_load_fonts().names) // 2
    labels = [InkedLabel(ink, text) for ink, text in zip(inks, texts, strict=True)]
    longest, uneven = ([labels[k] for k in some] for some in (order, _find_uneven_texts(texts)))
    letterings = [_choose_figures(_choose_casing(font, longest), uneven) for font in range(half)]
    for fit, count in ((InkedLabel.compute_rough_fit, LIKELY), (InkedLabel.fit, BEST)):
        if fit is InkedLabel.fit:
            letterings += [lettering._replace(font=lettering.font + half) for lettering in letterings]
        table = np.array([[fit(label, lettering) for label in longest] for lettering in letterings])
        usual = np.where((table >= 0).any(axis=1), np.round(np.median(table, axis=1), 4), -1.0)
        # Soft letters fit everything a little better.
        usual -= np.where(np.array([lettering.font for lettering in letterings]) >= half, SOFT_COST, 0.0)
        ranks = np.argsort(-usual, kind="stable")[:count]
        letterings = [letterings[rank] for rank in ranks]
    is_soft = letterings[0].font >= half
    letterings = [lettering for lettering in letterings if (lettering.font >= half) == is_soft]
    results = [_find_best_fit([label], letterings) for label in labels]
    gaps = [float(_compute_gaps(fit).mean()) for fit in results if fit is not None] or [0.0]
    strange, average = float(np.median(gaps)), float(np.mean(gaps))
    heights = [math.log(ink.shape[0] / own.shape[0]) for ink, own in zip(inks, own_inks, strict=bool(own_inks))]
    is_uneven = bool(heights) and strange >= STRANGE and float(np.std(heights)) >= UNEVEN
    is_strange = strange >= GARBLED and average >= GARBLED_ON_AVERAGE
    is_garbled = len(gaps) >= LEAST_GARBLED and (is_strange or is_uneven)
    recurring: tuple[bool, ...] = ()
    if len(gaps) >= LEAST_GARBLED and (is_garbled or strange >= RATHER_STRANGE or float(usual[ranks[0]]) < KNOWN):
        recurrence = measure_recurrence(labels, letterings[0])
        if recurrence is not None and recurrence.pairs >= LEAST_EQUAL:
            # Whatever the font, what is written has letters if they recur, and has none if they do not.
            more_alike = recurrence.same - recurrence.different
            recurs = more_alike >= max(ALIKE_ENOUGH, EQUAL * strange)
            is_doubtful = is_garbled or (strange >= RATHER_STRANGE and more_alike < UNEQUAL * strange)
            is_garbled = is_doubtful and not recurs
            recurring = recurrence.labels if recurs else ()
    if len(gaps) >= LEAST_GARBLED and (strange >= RATHER_STRANGE or average >= STRANGE_ON_AVERAGE):
        is_garbled |= _measure_uneven_widths(inks, texts, own_inks, letterings[0]) >= UNEVEN_WIDTHS
    if not is_garbled:
        results = discount_habits(results)
    return Fits(results, float(usual[ranks[0]]), round(strange, 4), is_garbled, letterings, recurring)


def discount_habits(fits: Sequence[LetterFit | None]) -> list[LetterFit | None]:
    """Return fits less what other letters fit better wherever a letter stands: the picture's font draws it so."""
    gaps: dict[str, list[tuple[int, float]]] = {}
    for number, fit in enumerate(fits):
        for letter, gap in zip(fit.letters, _compute_gaps(fit), strict=True) if fit else ():
            gaps.setdefault(letter, []).append((number, float(gap)))

    def habit(number: int, letter: str) -> float:
        elsewhere = [gap for other, gap in gaps[letter] if other != number]
        return float(np.median(elsewhere)) if len(elsewhere) >= OFTEN else 0.0

    return [
        fit and fit._replace(best=np.maximum(fit.own, fit.best - [habit(number, letter) for letter in fit.letters]))
        for number, fit in enumerate(fits)
    ]


class Recurrence(NamedTuple):
    """How much alike letters of a picture look that should be the same, and ones that should not: mean correlations.

    Attributes:
        same: Of pairs of equal letters.
        different: Of pairs of different letters.
        pairs: How many pairs of equal letters there are.
        labels: Whether each label's letters are like the same letters elsewhere, for half of its letters at least.
    """

    same: float
    different: float
    pairs: int
    labels: tuple[bool, ...]


def measure_recurrence(labels: Sequence[InkedLabel], lettering: Lettering) -> Recurrence | None:
    """Return how much alike equal and different letters look in a picture, whatever its font.

    Where something else is written, letters that should be equal are no more alike than others.

    Args:
        labels: Ink and text of each.
        lettering: Much like that of the picture; it says where letters stand.

    Returns:
        None where no letters are equal.
    """
    pieces: list[Floats] = []
    letters: list[str] = []
    owners: list[int] = []
    for owner, label in enumerate(labels):
        cased = label.text.translate(lettering.casing)
        word = _set_word(lettering.font, cased)
        if word is None:
            continue
        page = label.page(word).ink
        places, _ = label.align(lettering, word)
        for letter, place in zip(cased.replace(" ", ""), places, strict=True):
            if letter not in SMALL and len(letters) < MOST_LETTERS:
                middle = place + WIDE // 2
                pieces.append(np.pad(page, ((0, 0), (WIDE, WIDE)))[1:-1, middle + WIDE - REACH : middle + WIDE + REACH])
                letters.append(letter.translate(SIMILAR))
                owners.append(owner)
    if len(set(letters)) < 2 or len(set(letters)) == len(letters):
        return None
    stack = np.stack(pieces)
    inner = slice(MOVED, 2 * REACH - MOVED)
    own = _normalise_rows(stack[:, :, inner])
    moved = [_normalise_rows(stack[:, :, inner.start + by : inner.stop + by]) for by in range(-MOVED, MOVED + 1)]
    # Without matrix products, whose sums depend on the threads that share them.
    alike = np.round(np.max([np.einsum("if,jf->ij", own, other) for other in moved], axis=0), 3)
    upper = np.triu(np.ones(alike.shape, bool), 1)
    equal = np.array([[a == b for b in letters] for a in letters], dtype=bool)
    same, different = alike[upper & equal], alike[upper & ~equal]
    alike = np.maximum(alike, alike.T)
    elsewhere: npt.NDArray[np.bool_] = equal & ~np.eye(len(letters), dtype=bool)
    nearest = np.where(elsewhere, alike, -1.0).max(axis=1)
    usual = np.where(equal, 0.0, alike).sum(axis=1) / np.maximum((~equal).sum(axis=1), 1)
    has_equal, owner_of = np.asarray(elsewhere.any(axis=1)), np.array(owners)
    recurs: npt.NDArray[np.bool_] = np.asarray(nearest >= np.round(usual + MORE_ALIKE, 3))
    recurring = tuple(
        bool(has_equal[owner_of == number].sum() * 2 >= (owner_of == number).sum() > 0
             and recurs[(owner_of == number) & has_equal].all())
        for number in range(len(labels))
    )  # fmt: skip
    return Recurrence(round(float(same.mean()), 3), round(float(different.mean()), 3), len(same), recurring)


def find_exchanged_labels(fits: Sequence[LetterFit | None]) -> list[int]:
    """Return which labels spell other labels of the picture; none unless half of them do, each of them another one.

    A letter in an odd font may look more like another one; that most labels do so, and give each other's texts, is no
    chance: they were exchanged.
    """
    texts = [fit.letters.lower().translate(ALIKE) if fit else "" for fit in fits]
    spelt = {place: fit.others.lower().translate(ALIKE) for place, fit in enumerate(fits) if fit}
    exchanged = [place for place, text in spelt.items() if text != texts[place] and text in texts]
    is_one_to_one = len({spelt[place] for place in exchanged}) == len(exchanged)
    return exchanged if is_one_to_one and len(exchanged) >= max(2, len(fits) / 2) else []


def compute_mean_fit(fit: LetterFit) -> float:
    """Return how well ink fits a text on average: its correlation with the text's own letters."""
    return round(float(np.average(fit.own, weights=_weigh_letters(fit.letters))), 4)


def read_label(fit: LetterFit, usual: float, strange: float = 0.0) -> str | None:
    """Return what a label says as far as its ink tells.

    Args:
        fit: Of the label's ink.
        usual: Correlation of the picture's labels.
        strange: By how much more other letters fit the picture's labels.

    Returns:
        The right letters (without spaces), those with other letters where others are clearly written, an empty text if
        it is something else altogether; None if the ink does not tell.

    Example:
        >>> sure = LetterFit("ab", np.array([0.9, 0.9]), np.array([0.9, 0.9]), "ab")
        >>> read_label(sure, 0.9)
        'ab'
    """
    gaps, own = _compute_gaps(fit), compute_mean_fit(fit)
    gap, most = float(gaps.mean()), float(gaps.max())
    is_well_known = usual >= WELL
    pairs = zip(fit.letters, fit.others, strict=True)
    most_of_kind = (
        float(np.where([_classify_letter(a) == _classify_letter(b) for a, b in pairs], gaps, 0.0).max())
        if is_well_known
        else 0.0
    )
    least = FITS if usual >= KNOWN else WELL
    if is_well_known and len(fit.letters) == 1:
        # No other letter of a label of one can tell that it fits badly.
        least = max(least, usual - AS_USUAL)
    if own >= least and most <= SLIGHT and most_of_kind <= OF_ITS_KIND:
        return fit.letters
    if usual < KNOWN:
        badly, foreign = (BADLY_AS_ALL, AS_ALL) if strange >= ALL_FOREIGN else (BADLY, FOREIGN)
        return "" if own < badly and gap >= foreign else None
    if gap >= 2 * FOREIGN and own < max(FITS, usual - AS_USUAL):
        return ""
    if most_of_kind >= CLEARLY_OF_ITS_KIND and int((gaps > OF_ITS_KIND).sum()) == 1:
        return "".join(b if each == most else a for a, b, each in zip(fit.letters, fit.others, gaps, strict=True))
    slips = np.sort(gaps[gaps >= SLIGHT])
    # A letter that stands out alone is wrong; two may be each other's places, and must both be clear.
    if most >= CLEAR and (len(slips) == 1 or (len(slips) == 2 and slips[0] >= CLEARLY_BOTH)):
        return "".join(b if each >= SLIGHT else a for a, b, each in zip(fit.letters, fit.others, gaps, strict=True))
    return None


class _Fonts(NamedTuple):
    names: list[str]
    shapes: Floats
    """Fonts × characters × HIGH × WIDE, blurred, each character in the middle of its page."""
    steps: Floats
    """Fonts × characters × 2: from the pen to the letter's middle, and to the next pen; NaN if there is none."""
    halves: npt.NDArray[np.int64]
    """Fonts × characters: half of the letter's width, rounded up, and one pixel."""
    sums: Floats
    squares: Floats


@cache
def _load_fonts() -> _Fonts:
    with np.load(Path(__file__).with_name("letter_shapes.npz")) as stored:
        names = [str(name) for name in stored["names"]]
        shapes = stored["shapes"].astype(np.float32) / 15.0
        steps = stored["advances"]
    capitals, low, hanging = (
        [CHARACTERS.index(letter) for letter in letters] for letters in (ascii_uppercase, "012", "34579")
    )
    others = (
        _shrink_letters(shapes[:, capitals], SMALL_HEIGHT),
        _shrink_letters(shapes[:, low], LOW_HEIGHT),
        np.roll(shapes[:, hanging], HANGING, axis=2),
    )
    factors = np.repeat([SMALL_HEIGHT, LOW_HEIGHT, 1.0], [len(capitals), len(low), len(hanging)])
    steps = np.concatenate([steps, steps[:, [*capitals, *low, *hanging]] * factors[:, None]], axis=1)
    shapes = np.concatenate([shapes, *others], axis=1)
    # Each font once more, blurred as in a soft picture.
    shapes = np.concatenate([shapes, ndimage.gaussian_filter(shapes, SOFT, axes=(2, 3))])
    names, steps = names * 2, np.concatenate([steps, steps])
    columns = shapes.max(axis=2) > 0.1
    widths = np.where(columns.any(axis=2), WIDE - columns.argmax(axis=2) - columns[..., ::-1].argmax(axis=2), 0)
    shapes = ndimage.gaussian_filter(shapes, SMOOTH, axes=(2, 3))
    flat = shapes.reshape(*shapes.shape[:2], -1)
    halves = np.minimum((widths + 1) // 2 + 1, WIDE // 2)
    return _Fonts(names, shapes, steps, halves, flat.sum(axis=2), (flat**2).sum(axis=2))


def _shrink_letters(shapes: Floats, height: float) -> Floats:
    """Return letters of each font, shrunk about the line on which they stand to a part of their height."""
    rows = (np.arange(HIGH) - BASE) / height + BASE
    columns = (np.arange(WIDE) - (WIDE - 1) / 2) / height + (WIDE - 1) / 2
    for axis, places in ((2, rows), (3, columns)):
        low = np.clip(np.floor(places).astype(int), 0, shapes.shape[axis] - 2)
        part = np.expand_dims(np.clip(places - low, 0, 1), axis=1 if axis == 2 else 0).astype(np.float32)
        shapes = (1 - part) * np.take(shapes, low, axis) + part * np.take(shapes, low + 1, axis)
    return shapes.astype(np.float32)


@lru_cache(maxsize=8192)
def _set_word(font: int, text: str) -> _Word | None:
    """Set a text in a font; None if the font has not all of its letters."""
    fonts = _load_fonts()
    pen, numbers, middles = 0.0, [], []
    for character in text:
        if character == " ":
            pen += 0.3 * EM
            continue
        number = _LETTERS.find(character)
        if number < 0 or not np.isfinite(fonts.steps[font, number, 1]):
            return None
        numbers.append(number)
        middles.append(pen + float(fonts.steps[font, number, 0]))
        pen += float(fonts.steps[font, number, 1])
    if not numbers:
        return None
    chosen = np.array(numbers)
    rows = np.flatnonzero(fonts.shapes[font, chosen].max(axis=(0, 2)) > 0.2)
    halves = fonts.halves[font, chosen] - 1.0
    at = np.array(middles, np.float32)
    if not len(rows):
        return None
    left, right = float((at - halves).min()), float((at + halves).max())
    return _Word(chosen, at - left, 0.0, right - left, int(rows[0]), int(rows[-1]) + 1)


@cache
def _build_kernel(*sigmas: float) -> Floats:
    """Return weights that blur once as normal distributions of these σ, in pixels, do one after the other.

    ``scipy.ndimage.gaussian_filter`` makes them anew for each call, which takes longer than blurring a label with them.
    """
    weights = np.ones(1)
    for sigma in sigmas:
        steps = np.arange(-int(4 * sigma + 0.5), int(4 * sigma + 0.5) + 1)
        bell = np.exp(-0.5 * steps**2 / sigma**2)
        weights = np.convolve(weights, bell / bell.sum())
    return weights


class _Page:
    """Ink on a page, ready to be compared with letters at any place."""

    def __init__(self, page: Floats) -> None:
        self.ink = page
        self.windows = np.lib.stride_tricks.sliding_window_view(page, (HIGH, WIDE))
        self.rows, self.count = self.windows.shape[:2]
        sums = np.stack([page, page**2])
        down = np.cumsum(np.pad(sums, ((0, 0), (1, 0), (0, 0))), axis=1, dtype=np.float64)
        columns = down[:, HIGH:] - down[:, :-HIGH]
        self.prefix = np.cumsum(np.pad(columns, ((0, 0), (0, 0), (1, 0))), axis=2)

    def fits(
        self, font: int, characters: npt.NDArray[np.int64], places: npt.NDArray[np.int64], halves: npt.NDArray[np.int64]
    ) -> Floats:
        """Return correlations of letters, the best of three rows.

        Args:
            font: Number of the font.
            characters: Numbers of the letters, letters × 1, or 1 × alternatives, which are the same for all letters.
            places: Where their windows begin, letters × places.
            halves: Half of the width that is compared, letters × alternatives.

        Returns:
            letters × alternatives × places.
        """
        fonts = _load_fonts()
        shapes = fonts.shapes[font].reshape(len(_LETTERS), -1)[characters]
        windows = self.windows[:, places].swapaxes(0, 1).reshape(len(places), self.rows * places.shape[1], -1)
        if len(characters) == 1:
            products = np.empty((len(places), shapes.shape[1], self.rows, places.shape[1]), np.float32)
            for letter, ink in enumerate(windows):
                for start in range(0, shapes.shape[1], AT_ONCE):
                    part = shapes[0, start : start + AT_ONCE] @ ink.T
                    products[letter, start : start + AT_ONCE] = part.reshape(len(part), self.rows, -1)
        else:
            products = np.einsum("lwd,ld->lw", windows, shapes[:, 0]).reshape(len(places), 1, self.rows, -1)
        # A letter's window begins half a page to the left of its middle.
        middles = places[:, None] + WIDE // 2
        low, high = middles - halves[..., None], middles + halves[..., None]
        sums, squares = (np.moveaxis(part[:, high] - part[:, low], 0, 2) for part in self.prefix)
        area = (2.0 * halves * HIGH)[..., None, None]
        own_sums, own_squares = fonts.sums[font, characters][..., None, None], fonts.squares[font, characters]
        own_spread = own_squares[..., None, None] - own_sums**2 / area
        spread = squares - sums**2 / area
        fit = (products - own_sums * sums / area) / np.sqrt(np.maximum(own_spread * spread, 1e-3))
        best: Floats = np.round(fit.max(axis=2), 3)
        return best


def _align_letters(page: _Page, font: int, word: _Word) -> tuple[npt.NDArray[np.int64], Floats]:
    """Return for each letter the place where it stands and its correlation: in order, evenly spaced, fitting well."""
    reach = AROUND + round(0.04 * word.right)
    shifts = np.arange(-reach, reach + 1)
    nominal = np.round(word.middles).astype(int) + WIDE - WIDE // 2
    places = np.clip(nominal[:, None] + shifts[None], 0, page.count - 1)
    halves = _load_fonts().halves[font, word.characters][:, None]
    fits = page.fits(font, word.characters[:, None], places, halves)[:, 0]
    gains = fits - 0.01 * np.abs(shifts)[None]
    cost = STEP_COST * np.abs(shifts[:, None] - shifts[None])
    total, back = gains[0], []
    for gain in gains[1:]:
        table = total[:, None] - cost
        back.append(table.argmax(axis=0))
        total = table.max(axis=0) + gain
    path = [int(total.argmax())]
    for came in reversed(back):
        path.append(int(came[path[-1]]))
    every = np.arange(len(nominal))
    return places[every, path[::-1]], fits[every, path[::-1]]


def _weigh_letters(letters: Sequence[str] | str) -> Floats:
    return np.array([0.3 if letter in SMALL else 1.0 for letter in letters], np.float32)


@lru_cache(maxsize=8192)
def _set_text(font: int, text: str) -> Floats | None:
    """Return a text as a font sets it, on the page of ``_lay_on_page``, with mean 0 and length 1."""
    word = _set_word(font, text)
    if word is None:
        return None
    page = np.zeros((HIGH + 2, round(word.right) + 2 * WIDE), np.float32)
    for number, middle in zip(word.characters, word.middles, strict=True):
        left = WIDE + round(float(middle)) - WIDE // 2
        page[1:-1, left : left + WIDE] = np.maximum(page[1:-1, left : left + WIDE], _load_fonts().shapes[font, number])
    return _normalise_page(ndimage.gaussian_filter(page, ROUGH))


def _normalise_page(page: Floats) -> Floats:
    page = page - page.mean()
    unit: Floats = page / max(float(np.sqrt((page**2).sum())), 1e-6)
    return unit


def _find_word_place(word: _Word) -> tuple[int, int, int]:
    """Return the width, top and bottom of a word's ink on its page, in pixels."""
    return max(2, round(word.right)), word.top, word.bottom


def _fit_letters(label: InkedLabel, lettering: Lettering) -> LetterFit | None:
    font, text = lettering.font, label.text
    word = _set_word(font, text.translate(lettering.casing))
    if word is None:
        return None
    fonts, page = _load_fonts(), label.page(word)
    places, own = label.align(lettering, word)
    # A font has either small letters or small capitals, and one kind of figures.
    unused = {*_AS_LETTERS, *lettering.casing} - {*lettering.casing.values()}
    is_used = np.array([ord(letter) not in unused for letter in _LETTERS])
    known = np.flatnonzero(np.isfinite(fonts.steps[font, :, 1]) & is_used)
    # An other letter must explain all ink in the place of the own one.
    halves = np.maximum(fonts.halves[font, known][None], fonts.halves[font, word.characters][:, None])
    near = np.clip(places[:, None] + np.arange(-2, 3), 0, page.count - 1)
    fits = page.fits(font, known[None], near, halves).max(axis=2)
    best, numbers = fits.max(axis=1), known[fits.argmax(axis=1)]
    letters = text.replace(" ", "")
    is_own = best <= own
    others = [mine if same else _LETTERS[number] for mine, same, number in zip(letters, is_own, numbers, strict=True)]
    return LetterFit(letters, own, np.maximum(best, own), "".join(others).translate(_AS_LETTERS))


def _measure_uneven_widths(
    inks: Sequence[Floats], texts: Sequence[str], own_inks: Sequence[Floats], lettering: Lettering
) -> float:
    """Return by how much labels are wider and narrower than in a font, or in the target: whichever is less.

    The proportions' logarithms differ from what the texts need by this standard deviation.
    """
    wanted: list[list[float]] = [[math.log(own.shape[1] / own.shape[0]) for own in own_inks]]
    words = [_set_word(lettering.font, text.translate(lettering.casing)) for text in texts]
    wanted.append([math.log(word.right / (word.bottom - word.top)) if word else math.nan for word in words])
    seen = [math.log(ink.shape[1] / ink.shape[0]) for ink in inks]
    spreads = []
    for proportions in wanted:
        differences = [a - b for a, b in zip(seen, proportions, strict=False) if not math.isnan(b)]
        if len(differences) >= LEAST_GARBLED:
            spreads.append(float(np.std(differences)))
    return round(min(spreads, default=0.0), 4)


def _normalise_rows(pieces: Floats) -> Floats:
    """Return pieces of pages as rows of mean 0 and length 1."""
    flat = pieces.reshape(len(pieces), -1)
    flat = flat - flat.mean(axis=1, keepdims=True)
    units: Floats = flat / np.maximum(np.sqrt((flat**2).sum(axis=1, keepdims=True)), 1e-6)
    return units


def _choose_casing(font: int, labels: Sequence[InkedLabel]) -> Lettering:
    """Return a font with the casing in which it fits labels best as a whole."""
    letters = {ord(letter) for label in labels for letter in label.text}
    return _select_best_lettering(
        [Lettering(font, each) for each in CASINGS if not each or not letters.isdisjoint(each)], labels
    )


def _choose_figures(lettering: Lettering, labels: Sequence[InkedLabel]) -> Lettering:
    """Return lettering with text figures where they fit labels better that they would make uneven in height.

    In any other label, such as "100", both kinds of figures are equally high once it has the height of its ink.
    """
    if not labels:
        return lettering
    return _select_best_lettering([lettering, lettering._replace(casing=lettering.casing | TEXT_FIGURES)], labels)


def _find_uneven_texts(texts: Sequence[str]) -> list[int]:
    """Return the places of some texts that text figures would make uneven in height: the shortest, which they shape."""

    def is_uneven(text: str) -> bool:
        heights = {0 if letter in "012" else 1 if letter in "34579" else 2 for letter in text if letter not in SMALL}
        return len(heights) > 1

    places = [k for k, text in enumerate(texts) if is_uneven(text.replace(" ", ""))]
    return sorted(places, key=lambda k: len(texts[k]))[:FIRST]


def _select_best_lettering(letterings: Sequence[Lettering], labels: Sequence[InkedLabel]) -> Lettering:
    """Return the lettering that fits labels best as a whole, the first of equal ones."""
    means = [float(np.mean([label.compute_rough_fit(lettering) for label in labels])) for lettering in letterings]
    return letterings[max(range(len(means)), key=lambda k: (round(means[k], 4), -k))]


def _find_best_fit(labels: Sequence[InkedLabel], letterings: Sequence[Lettering]) -> LetterFit | None:
    """Return the best fit of any of some inks that a label may have, in any of some letterings."""
    fits: list[Any] = [_fit_letters(label, lettering) for label in labels for lettering in letterings]
    return max((fit for fit in fits if fit is not None), key=_compute_goodness, default=None)


def _compute_goodness(fit: LetterFit) -> float:
    return round(float(np.average(2 * fit.own - fit.best, weights=_weigh_letters(fit.letters))), 4)


def _compute_gaps(fit: LetterFit) -> Floats:
    """Return by how much more another letter fits than each letter of a label, 0 for letters that look alike."""
    pairs = zip(fit.letters, fit.others, strict=True)
    alike = np.array([a.lower().translate(ALIKE) == b.lower().translate(ALIKE) for a, b in pairs])
    gaps: Floats = np.where(alike, 0.0, fit.best - fit.own) * _weigh_letters(fit.letters)
    return gaps


def _classify_letter(letter: str) -> str:
    """Return what kind of letter it is; a sign is of its own kind."""
    return "0" if letter.isdigit() else "A" if letter.isupper() else "a" if letter.islower() else letter
