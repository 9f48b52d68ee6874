"""The dimension of text: a riddle tells three or four words and where they stand; they are to be written there."""

import random
import re
import unicodedata
from collections import Counter
from collections.abc import Iterable, Mapping
from string import ascii_uppercase
from typing import Any, NamedTuple

import numpy as np
from PIL import Image

from ircore.core.drawing import Drawing
from ircore.core.images import Picture, Pixels
from ircore.games.reasoning.tasks import Dimension, Task, TaskVerdict
from ircore.seeing.flat_colours import find_grounds, segment_colours
from ircore.seeing.ocr import find_missing_ocr_package, read_text
from ircore.seeing.writing import find_writing

ANSWERS = (
    "TRAIN", "RIVER", "GARDEN", "WINTER", "MARKET", "BRIDGE", "CASTLE", "PLANET", "ORANGE", "SILVER", "FOREST",
    "HARBOUR", "LANTERN", "MIRROR", "NEEDLE", "PEPPER", "ROCKET", "SUMMER", "TEMPLE", "VIOLIN", "WINDOW", "CANDLE",
    "DESERT", "FLOWER",
)  # fmt: skip
BY_LETTER = {
    "A": "apple", "B": "boat", "C": "cloud", "D": "drum", "E": "eagle", "F": "fire", "G": "goat", "H": "hat",
    "I": "ice", "J": "jar", "K": "kite", "L": "leaf", "M": "moon", "N": "nest", "O": "owl", "P": "pen",
    "Q": "queen", "R": "rain",
    "S": "sand", "T": "tea", "U": "urn", "V": "vase", "W": "wolf", "X": "xylophone", "Y": "yarn", "Z": "zebra",
}  # fmt: skip
DAYS = ("MONDAY", "TUESDAY", "WEDNESDAY", "THURSDAY", "FRIDAY", "SATURDAY", "SUNDAY")
MONTHS = (
    "JANUARY", "FEBRUARY", "MARCH", "APRIL", "MAY", "JUNE", "JULY", "AUGUST", "SEPTEMBER", "OCTOBER", "NOVEMBER",
    "DECEMBER",
)  # fmt: skip
CYCLES: Mapping[str, tuple[str, ...]] = {"day of the week": DAYS, "month": MONTHS}
"""Names that follow each other round and round, by what they name."""

FACTS: Mapping[str, tuple[str, str]] = {
    "the month with Christmas Day": ("month", "DECEMBER"),
    "the month with Halloween": ("month", "OCTOBER"),
    "the month with Saint Valentine's Day": ("month", "FEBRUARY"),
    "the month with New Year's Day": ("month", "JANUARY"),
    "the month of the northern summer solstice": ("month", "JUNE"),
    "the month of the northern spring equinox": ("month", "MARCH"),
    "the first day of the weekend": ("day of the week", "SATURDAY"),
    "the day of the week that is named after the moon": ("day of the week", "MONDAY"),
    "the day of the week that is named after the sun": ("day of the week", "SUNDAY"),
    "the day of the week that is named after Thor": ("day of the week", "THURSDAY"),
}
"""Facts that most people know, each about a single name of a cycle."""

STEPS = ("no", "one", "two", "three", "four", "five")
FARTHEST = len(STEPS) - 1
"""Steps along a cycle, at most."""
OF_CALENDARS = 0.3
"""Share of riddles that are about days and months."""
LATER = str.maketrans(ascii_uppercase, f"{ascii_uppercase[1:]}A")
"""Each letter and the one after it in the alphabet; A after Z."""

EASY = (
    "Take the first letter of each of these words in their order: {words}.",
    "Read these letters from the last to the first: {backwards}.",
    "Replace each of these letters by the letter before it in the alphabet: {later}.",
)
HARD = (
    "Take the first letter of each of these words, then read what you have from the last letter to the first: {words}.",
    "Replace each of these letters by the letter before it in the alphabet, then read what you have from the last "
    "letter to the first: {later}.",
)
"""Riddles that hide a word twice: their words and letters are those of the word read backwards."""


class WordRiddle(NamedTuple):
    """A riddle in words, and its answer in capital letters."""

    words: str
    answer: str


def make_word(hard: bool, rng: random.Random) -> WordRiddle:
    """Return a riddle: a hidden word, which a hard riddle hides twice.

    >>> make_word(hard=False, rng=random.Random(0)).answer in ANSWERS
    True
    """
    if rng.random() < OF_CALENDARS:
        return _draw_calendar_riddle(hard, rng)
    answer = rng.choice(ANSWERS)
    hidden = answer[::-1] if hard else answer
    words = rng.choice(HARD if hard else EASY).format(
        words=", ".join(BY_LETTER[letter] for letter in hidden),
        backwards=answer[::-1],
        later=hidden.translate(LATER),
    )
    return WordRiddle(words, answer)


def _draw_calendar_riddle(hard: bool, rng: random.Random) -> WordRiddle:
    """Return a riddle of days or months: counted from one that is named or, if hard, from one that a fact tells."""
    clue, (cycle, start) = rng.choice(list(FACTS.items()))
    if not hard:
        cycle = rng.choice(list(CYCLES))
        start = rng.choice(CYCLES[cycle])
        clue = start.capitalize()
    names, steps, later = CYCLES[cycle], rng.randint(2, FARTHEST), rng.random() < 0.5
    answer = names[(names.index(start) + (steps if later else -steps)) % len(names)]
    unit, way = cycle.partition(" ")[0], "after" if later else "before"
    return WordRiddle(f"It is the {cycle} that comes {STEPS[steps]} {unit}s {way} {clue}.", answer)


SIDE, SIZE = 512, 24
SHRINKS = (1, 2, 4)
"""Times that a picture is made smaller, in turn, until writing is seen: our own reader knows small print."""
CERTAIN = 0.5
"""Confidence above which a line of OCR counts, as in GIR-Bench."""


class HiddenWord(Dimension):
    """A word hidden once (easy) or twice (hard), or a day or month counted from a name (easy) or a fact (hard).

    >>> task = HiddenWord().build("easy", random.Random(1))
    >>> HiddenWord().verify(task.payload, task.pictures, task.pictures["truth"]).correct
    True
    """

    name = "text"
    part = "generate"
    title = "Text"

    def build(self, difficulty: str, rng: random.Random) -> Task:
        """Return a riddle of our own, and a picture with its answer."""
        riddle = make_word(difficulty == "hard", rng)
        prompt = (
            f"Work out a word. {riddle.words} Draw a white picture with this word alone in the middle, in black "
            "capital letters of a plain typeface."
        )
        drawing = Drawing(SIDE, SIDE)
        drawing.text((SIDE / 2, SIDE / 2), riddle.answer, size=SIZE, colour="#000000")
        return Task(prompt, {"answer": riddle.answer}, {"truth": Picture.from_pixels(drawing.pixels)})

    def verify(self, payload: Mapping[str, Any], pictures: Mapping[str, Picture], answer: Picture) -> TaskVerdict:  # noqa: ARG002 - words need no picture
        """Read the picture: by OCR where it is installed, else by the forms of common print."""
        read, wanted = read_text_lines(answer.pixels), payload["answer"]
        corrected = compute_word_coverage(wanted, read) or 0.0
        right = corrected == 1 and " ".join(" ".join(read).split()).casefold() == wanted.casefold()
        reading = f"read: {', '.join(read)[:200]}" if read else "nothing can be read"
        return TaskVerdict(compute_published_coverage(wanted, read), corrected, right, (f"wanted: {wanted}", reading))


def read_text_lines(pixels: Pixels) -> tuple[str, ...]:
    """Return the lines of writing in a picture."""
    if not find_missing_ocr_package():
        return tuple(line.text for line in read_text(pixels) if line.score > CERTAIN)
    for shrink in SHRINKS:
        smaller = pixels if shrink == 1 else _shrink(pixels, shrink)
        texts = find_writing(smaller, find_grounds(segment_colours(smaller))).texts
        if texts:
            return tuple(text.text for text in texts)
    return ()


def _shrink(pixels: Pixels, times: int) -> Pixels:
    image = Image.fromarray(pixels)
    return np.asarray(image.resize((image.width // times, image.height // times), Image.Resampling.LANCZOS))


def compute_published_coverage(wanted: str, read: Iterable[str]) -> float:
    """Return GIR-Bench's word coverage s_wc by the rules of the published code, 0–1.

    Texts are put in lower case, all but a–z, 0–9 and blanks is deleted and blanks are squeezed. The score is the
    number of *distinct* wanted words that occur anywhere in the joined text, inside other words too, over the number
    of wanted words *with* repeats; 0 if either side is empty. So "to be or not to be" reaches 0.667 at most, "a"
    counts as read in "banana", and text in other scripts always gets 0.

    Args:
        wanted: The text that the picture should show.
        read: Lines of OCR, those with a confidence above 0.5.
    """
    words = _simplify_text(wanted).split()
    text = _simplify_text(" ".join(read))
    return sum(word in text for word in set(words)) / len(words) if words and text else 0.0


def compute_word_coverage(wanted: str, read: Iterable[str]) -> float | None:
    """Return the share of wanted words read as whole words, each counted as often as wanted, 0–1.

    Words are runs of letters, marks and digits of any script, compared without case after Unicode's NFKC; the order
    in which lines were read does not matter.

    Args:
        wanted: The text that the picture should show.
        read: Lines of OCR.

    Returns:
        None if no word is wanted.
    """
    words = _count_words(wanted)
    read_words = _count_words(" ".join(read))
    return (words & read_words).total() / words.total() if words else None


def _simplify_text(text: str) -> str:
    return " ".join(re.sub(r"[^a-z0-9 ]", "", re.sub(r"\s", " ", text.lower())).split())


def _count_words(text: str) -> Counter[str]:
    folded = unicodedata.normalize("NFKC", text).casefold()
    return Counter(re.findall(r"[^\W_]+(?:['’][^\W_]+)*", folded))
