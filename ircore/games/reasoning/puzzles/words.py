"""Riddles whose answer is a word, with exactly one answer: the letters of the clue, or facts and counting, give it."""

import random
from collections.abc import Mapping
from string import ascii_uppercase
from typing import NamedTuple

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
        return _calendar(hard, rng)
    answer = rng.choice(ANSWERS)
    hidden = answer[::-1] if hard else answer
    words = rng.choice(HARD if hard else EASY).format(
        words=", ".join(BY_LETTER[letter] for letter in hidden),
        backwards=answer[::-1],
        later=hidden.translate(LATER),
    )
    return WordRiddle(words, answer)


def _calendar(hard: bool, rng: random.Random) -> WordRiddle:
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
