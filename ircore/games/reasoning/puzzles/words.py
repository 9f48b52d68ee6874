"""Riddles whose answer is a word, with exactly one answer: the letters of the clue give it."""

import random
from collections.abc import Callable
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
ALPHABET = "ABCDEFGHIJKLMNOPQRSTUVWXYZ"


class WordRiddle(NamedTuple):
    """A riddle in words, and its answer in capital letters.

    >>> WordRiddle("Read these letters from the last to the first: NIART.", "TRAIN").answer
    'TRAIN'
    """

    words: str
    answer: str


def make_word(hard: bool, rng: random.Random) -> WordRiddle:
    """Return a riddle: a hidden word, which a hard riddle hides twice.

    >>> make_word(hard=False, rng=random.Random(0)).answer in ANSWERS
    True
    """
    answer = rng.choice(ANSWERS)
    kind: Callable[[str], str]
    if hard:
        return WordRiddle(rng.choice((_initials_backwards, _shifted_backwards))(answer), answer)
    kind = rng.choice((_initials, _backwards, _shifted))
    return WordRiddle(kind(answer), answer)


def _initials(answer: str) -> str:
    return f"Take the first letter of each of these words in their order: {_hidden(answer)}."


def _backwards(answer: str) -> str:
    return f"Read these letters from the last to the first: {answer[::-1]}."


def _shifted(answer: str) -> str:
    return f"Replace each of these letters by the letter before it in the alphabet: {_later(answer)}."


def _initials_backwards(answer: str) -> str:
    return (
        "Take the first letter of each of these words, then read what you have from the last letter to the first: "
        f"{_hidden(answer[::-1])}."
    )


def _shifted_backwards(answer: str) -> str:
    return (
        "Replace each of these letters by the letter before it in the alphabet, then read what you have from the last "
        f"letter to the first: {_later(answer[::-1])}."
    )


def _hidden(answer: str) -> str:
    return ", ".join(BY_LETTER[letter] for letter in answer)


def _later(answer: str) -> str:
    return "".join(ALPHABET[(ALPHABET.index(letter) + 1) % len(ALPHABET)] for letter in answer)
