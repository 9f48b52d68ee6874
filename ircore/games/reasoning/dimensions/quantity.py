"""*Quantity*: how many of each kind are to be drawn follows from totals of animals and legs.

The verifier asks whether there are exactly as many of each as were asked for.
"""

import random
from collections.abc import Callable, Mapping, Sequence
from itertools import product
from typing import Any, NamedTuple

from ircore.core.images import Picture
from ircore.games.reasoning.detections import COLOURS, FORMS, Detections, Form, draw_forms, name_thing, scatter_forms
from ircore.games.reasoning.tasks import SeenThings, Task, TaskVerdict

LEGS: Mapping[str, int] = {"duck": 2, "dog": 4, "beetle": 6, "spider": 8}
PLURALS = {"duck": "ducks", "dog": "dogs", "beetle": "beetles", "spider": "spiders"}
MOST, MOST_OF_MANY = 7, 5
"""Largest number of one kind among two kinds, and among more."""

TOTALS = ("There are {} animals in all.", "Somebody counts {} heads.")
LEGS_IN_ALL = ("Together they have {} legs.", "They stand on {} legs.")

ONES = (
    "no", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten", "eleven", "twelve", "thirteen",
    "fourteen", "fifteen", "sixteen", "seventeen", "eighteen", "nineteen",
)  # fmt: skip
TENS = ("", "", "twenty", "thirty", "forty", "fifty", "sixty", "seventy", "eighty", "ninety")

Holds = Callable[[Mapping[str, int]], bool]


class Clue(NamedTuple):
    """A clue in words, and whether counts fit it.

    >>> Clue("There are 2 animals in all.", lambda tried: sum(tried.values()) == 2).holds({"duck": 1, "dog": 1})
    True
    """

    words: str
    holds: Holds


class CountRiddle(NamedTuple):
    """A riddle: its counts by kind, and the clues that leave no other counts.

    >>> CountRiddle({"duck": 3}, (Clue("There are 3 ducks.", lambda tried: tried["duck"] == 3),)).counts["duck"]
    3
    """

    counts: Mapping[str, int]
    clues: tuple[Clue, ...]


def make_counts(hard: bool, rng: random.Random) -> CountRiddle:
    """Return a riddle of two kinds with two clues, or of three or four kinds with a comparison for each further kind.

    >>> riddle = make_counts(hard=False, rng=random.Random(3))
    >>> find_solutions(list(riddle.counts), riddle.clues) == [dict(riddle.counts)]
    True
    """
    while True:
        kinds = rng.sample(list(LEGS), rng.choice((3, 4)) if hard else 2)
        counts = {kind: rng.randint(1, MOST_OF_MANY if hard else MOST) for kind in kinds}
        pairs = rng.sample([(first, second) for first in kinds for second in kinds if first < second], len(kinds) - 2)
        clues = (
            _build_total_clue(counts, rng),
            _build_legs_clue(counts, rng),
            *(_build_comparison_clue(counts, pair, rng) for pair in pairs),
        )
        # Some clues leave several solutions, such as legs and heads of three kinds; a riddle with one answer is kept.
        if find_solutions(kinds, clues) == [counts]:
            return CountRiddle(counts, clues)


def find_solutions(kinds: Sequence[str], clues: Sequence[Clue]) -> list[dict[str, int]]:
    """Return all counts, at least one of each kind, that fit every clue."""
    tried = (dict(zip(kinds, numbers, strict=True)) for numbers in product(range(1, 2 * MOST + 1), repeat=len(kinds)))
    return [counts for counts in tried if all(clue.holds(counts) for clue in clues)]


def spell_number(number: int) -> str:
    """Return a number from 0 to 99 in words.

    >>> spell_number(12), spell_number(40), spell_number(67)
    ('twelve', 'forty', 'sixty-seven')
    """
    if number < len(ONES):
        return ONES[number]
    return TENS[number // 10] + (f"-{ONES[number % 10]}" if number % 10 else "")


def _format_number(number: int, rng: random.Random) -> str:
    """Return a number in digits or in words."""
    return str(number) if number > 99 or rng.random() < 0.5 else spell_number(number)


def _build_total_clue(counts: Mapping[str, int], rng: random.Random) -> Clue:
    total = sum(counts.values())
    return Clue(rng.choice(TOTALS).format(_format_number(total, rng)), lambda tried: sum(tried.values()) == total)


def _build_legs_clue(counts: Mapping[str, int], rng: random.Random) -> Clue:
    legs = _count_legs(counts)
    return Clue(rng.choice(LEGS_IN_ALL).format(_format_number(legs, rng)), lambda tried: _count_legs(tried) == legs)


def _count_legs(counts: Mapping[str, int]) -> int:
    return sum(LEGS[kind] * count for kind, count in counts.items())


def _build_comparison_clue(counts: Mapping[str, int], pair: tuple[str, str], rng: random.Random) -> Clue:
    """Return how many more there are of one kind than of another."""
    first, second = sorted(pair, key=lambda kind: -counts[kind])
    more = counts[first] - counts[second]
    if more == 0:
        words = f"There are as many {PLURALS[first]} as {PLURALS[second]}."
    elif counts[first] == 2 * counts[second]:
        words = f"There are twice as many {PLURALS[first]} as {PLURALS[second]}."
        return Clue(words, lambda tried: tried[first] == 2 * tried[second])
    else:
        verb, kinds = ("is", first) if more == 1 else ("are", PLURALS[first])
        words = f"There {verb} {_format_number(more, rng)} more {kinds} than {PLURALS[second]}."
    return Clue(words, lambda tried: tried[first] - tried[second] == more)


A_ROW = 5
"""Forms a row of the true picture, at most."""


class Quantity(SeenThings):
    """Two kinds with two clues (easy), three or four with as many (hard); each kind stands for a coloured form.

    >>> task = Quantity().build("easy", random.Random(1))
    >>> Quantity().verify(task.payload, task.pictures, task.pictures["truth"]).correct
    True
    """

    name = "quantity"
    part = "generate"
    title = "Quantity"

    def build(self, difficulty: str, rng: random.Random) -> Task:
        """Return a riddle of our own, and a picture that solves it."""
        riddle = make_counts(difficulty == "hard", rng)
        # Shapes may come twice and colours once, so that every kind has a look of its own.
        shapes, colours = rng.sample(2 * FORMS, len(riddle.counts)), rng.sample(list(COLOURS), len(riddle.counts))
        forms = {kind: Form(*look) for kind, look in zip(riddle.counts, zip(colours, shapes, strict=True), strict=True)}
        *others, last = (PLURALS[kind] for kind in riddle.counts)
        drawn_as = ", ".join(
            f"every {kind} as {'an' if form.colour[0] in 'aeiou' else 'a'} {form.label}" for kind, form in forms.items()
        )
        prompt = (
            f"On a meadow there are {', '.join(others)} and {last}. {' '.join(clue.words for clue in riddle.clues)} "
            f"Draw all of them on a white ground, apart from each other: {drawn_as}. Draw nothing else."
        )
        placed = [forms[kind] for kind, count in riddle.counts.items() for _ in range(count)]
        pictures = {"truth": Picture.from_pixels(draw_forms(scatter_forms(placed, rng, A_ROW)).pixels)}
        return Task(prompt, {"expected": {forms[kind].label: count for kind, count in riddle.counts.items()}}, pictures)

    def labels(self, payload: Mapping[str, Any]) -> tuple[str, ...]:
        """Return the kinds that are counted."""
        return tuple(payload["expected"])

    def judge(self, payload: Mapping[str, Any], detections: Detections) -> TaskVerdict:
        """Count the things: right only if every count is, and corrected, if nothing else is there."""
        expected = payload["expected"]
        right = is_right_quantity(expected, detections)
        counts = {
            label: len(detections.boxes.get(label, ())) for label in {**dict.fromkeys(expected), **detections.boxes}
        }
        reasons = tuple(
            f"{name_thing(label)}: {count}{f' of {expected[label]}' if label in expected else ', not asked for'}"
            for label, count in counts.items()
        )
        return TaskVerdict(float(is_right_quantity_published(expected, detections)), float(right), right, reasons)


def is_right_quantity_published(expected: Mapping[str, int], detections: Detections) -> bool:
    """Say whether a picture is right by GIR-Bench's rule.

    Each count is the larger of what was reported and the number of boxes, 0 for what was reported missing; all must be
    as expected and nothing reported missing. Things that nobody asked for are not penalised.
    """
    return not detections.missing and all(detections.found(label) == count for label, count in expected.items())


def is_right_quantity(expected: Mapping[str, int], detections: Detections) -> bool:
    """Return whether a picture shows exactly the expected classes, each as often as expected.

    A class of which boxes are known is counted by its boxes, since a bare number was not grounded. A class that was
    expected 0 times may be reported missing.
    """
    classes = {*expected, *detections.boxes, *detections.counts}
    return all(_count_detected(detections, label) == expected.get(label, 0) for label in classes)


def _count_detected(detections: Detections, label: str) -> int:
    if label in detections.missing:
        return 0
    boxes = detections.boxes.get(label, ())
    return len(boxes) if boxes else detections.counts.get(label, 0)
