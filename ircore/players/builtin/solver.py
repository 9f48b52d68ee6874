"""The offline thinker: works out the answers of riddles from their words, and describes the drawing in plain words.

It knows how many legs animals have, which way the sun, a clock, a compass, writing, smoke and stones point, the
alphabet, and days and months with a few of their feasts. What it does not understand it passes on as it is.
"""

import re
from collections.abc import Iterable, Mapping, Sequence
from itertools import product
from math import fsum

from ircore.core.records import PlayerSpec
from ircore.players.base import Question, TextAnswer, refuse_settings
from ircore.players.traits import THINKS_OFFLINE

LEGS: Mapping[str, int] = {"duck": 2, "dog": 4, "beetle": 6, "spider": 8}
ONES = (
    "no", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten", "eleven", "twelve", "thirteen",
    "fourteen", "fifteen", "sixteen", "seventeen", "eighteen", "nineteen",
)  # fmt: skip
TENS = ("twenty", "thirty", "forty", "fifty", "sixty", "seventy", "eighty", "ninety")
MOST = 20
"""Largest number of one kind that is tried."""

POINTS: Mapping[tuple[int, int], tuple[str, ...]] = {
    (1, 0): ("sun rises", "at three", "writing ends"),
    (-1, 0): ("sun sets", "at nine", "writing begins"),
    (0, -1): ("compass needle", "at noon", "smoke rises"),
    (0, 1): ("south pole", "at six", "stone falls"),
}
"""Steps across and down, with words that mean them."""

DAYS = ("MONDAY", "TUESDAY", "WEDNESDAY", "THURSDAY", "FRIDAY", "SATURDAY", "SUNDAY")
MONTHS = (
    "JANUARY", "FEBRUARY", "MARCH", "APRIL", "MAY", "JUNE", "JULY", "AUGUST", "SEPTEMBER", "OCTOBER", "NOVEMBER",
    "DECEMBER",
)  # fmt: skip
KNOWN: Mapping[str, str] = {
    "JANUARY": "New Year",
    "FEBRUARY": "Valentine",
    "MARCH": "spring equinox",
    "JUNE": "summer solstice",
    "OCTOBER": "Halloween",
    "DECEMBER": "Christmas",
    "MONDAY": "the moon",
    "THURSDAY": "Thor",
    "SATURDAY": "first day of the weekend",
    "SUNDAY": "the sun",
}
"""Days and months, with words that tell them."""

SIDE, A_ROW = 512, 5
"""Pixels a side of the picture that is described, and forms a row."""


class Solver:
    """Thinks for a drawer that cannot.

    >>> import asyncio
    >>> riddle = "Work out a word. Read these letters from the last to the first: NOOM. Draw this word."
    >>> asyncio.run(Solver(PlayerSpec(player="solver")).answer(Question(1, riddle))).text
    'The text "MOON" in black, 24 px, centred at (256, 256).'
    """

    TRAITS = THINKS_OFFLINE

    def __init__(self, spec: PlayerSpec) -> None:
        refuse_settings(spec)

    async def answer(self, question: Question) -> TextAnswer:
        """Return a description of the drawing, or the task itself where it is not understood."""
        task = question.prompt.partition("The task:")[2].strip() or question.prompt
        solved = _solve_count(task) or _solve_arrangement(task) or _solve_spelling(task)
        return TextAnswer(solved or task)


def _solve_count(task: str) -> str | None:
    """Return the forms of a riddle of animals and legs; None if the task is none, or has not one solution."""
    forms = re.findall(r"every (\w+) as an? (\w+ \w+)", task)
    total = re.search(r"(?:There are|counts) ([\w-]+) (?:animals|heads)", task)
    legs = re.search(r"(?:they have|stand on) ([\w-]+) legs", task)
    if not forms or total is None or legs is None or any(kind not in LEGS for kind, _ in forms):
        return None
    looks = dict(forms)
    differences = _parse_differences(task)
    fitting = [
        counts
        for counts in _list_possible_counts(list(looks), _parse_number(total[1]), _parse_number(legs[1]))
        if all(counts[first] - times * counts[second] == more for first, second, times, more in differences)
    ]
    # A riddle has one solution; several mean that a sentence was not understood.
    if len(fitting) != 1:
        return None
    drawn = [looks[kind] for kind, number in fitting[0].items() for _ in range(number)]
    cell = SIDE / A_ROW
    places = (((place % A_ROW + 0.5) * cell, (place // A_ROW + 0.5) * cell) for place in range(len(drawn)))
    return _describe_forms(zip(drawn, places, strict=False), 0.3 * cell)


def _list_possible_counts(kinds: Sequence[str], total: int, legs: int) -> Iterable[dict[str, int]]:
    """Yield the counts of animals that have so many heads and legs."""
    for numbers in product(range(1, MOST), repeat=len(kinds)):
        counts = dict(zip(kinds, numbers, strict=True))
        if fsum(numbers) == total and fsum(LEGS[kind] * number for kind, number in counts.items()) == legs:
            yield counts


def _parse_differences(task: str) -> list[tuple[str, str, int, int]]:
    """Return two kinds, and how many more there are of the first than so many times the second, for each comparison."""
    more = re.findall(r"There (?:is|are) ([\w-]+) more (\w+) than (\w+)", task)
    alike = re.findall(r"There are (twice )?as many (\w+) as (\w+)", task)
    return [
        *((_form_singular(first), _form_singular(second), 1, _parse_number(number)) for number, first, second in more),
        *((_form_singular(first), _form_singular(second), 2 if twice else 1, 0) for twice, first, second in alike),
    ]


def _parse_number(word: str) -> int:
    """Return a number that is written in digits or in words; −1 for other words."""
    if word.isdigit():
        return int(word)
    tens, _, units = word.partition("-")
    if tens in TENS:
        return 10 * (TENS.index(tens) + 2) + (ONES.index(units) if units in ONES else 0)
    return ONES.index(word) if word in ONES else -1


def _form_singular(name: str) -> str:
    return name.removesuffix("s")


def _solve_arrangement(task: str) -> str | None:
    """Return the forms of a chain of directions at their places; None if the task is none."""
    chain = re.findall(r"Seen from the (\w+ \w+), the (\w+ \w+) lies ([^.]*)\.", task)
    if not chain:
        return None
    places: dict[str, tuple[int, int]] = {chain[0][0]: (0, 0)}
    for landmark, thing, words in chain:
        step = next((step for step, known in POINTS.items() if any(word in words.lower() for word in known)), None)
        if step is None:
            return None
        if landmark in places:
            places[thing] = (places[landmark][0] + step[0], places[landmark][1] + step[1])
        # Sentences may come in any order, so either end of a step may be the known one.
        elif thing in places:
            places[landmark] = (places[thing][0] - step[0], places[thing][1] - step[1])
        else:
            return None
    return _describe_forms(_centre_forms(places), 0.28 * SIDE / _count_cells(list(places.values())))


def _count_cells(places: Sequence[tuple[int, int]]) -> int:
    widest: int = max(max(axis) - min(axis) + 1 for axis in zip(*places, strict=True))
    return widest


def _centre_forms(places: Mapping[str, tuple[int, int]]) -> Iterable[tuple[str, tuple[float, float]]]:
    """Yield each form with its centre in pixels."""
    across, down = zip(*places.values(), strict=True)
    cell = SIDE / _count_cells(list(places.values()))
    for form, (x, y) in places.items():
        yield form, ((x - min(across) + 0.5) * cell, (y - min(down) + 0.5) * cell)


def _solve_spelling(task: str) -> str | None:
    """Return the word of a riddle of letters, or of days and months; None if the task is none."""
    if day := _solve_calendar(task):
        return _describe_lettering(day)
    hidden = re.search(r": ([A-Z]{2,}|[a-z]+(?:, [a-z]+)+)\.", task)
    if hidden is None or "word" not in task:
        return None
    letters = (
        "".join(word[0] for word in hidden[1].split(", ")).upper() if "first letter of each" in task else hidden[1]
    )
    if "the letter before it" in task:
        letters = "".join(chr((ord(letter) - ord("A") - 1) % 26 + ord("A")) for letter in letters)
    if "from the last" in task:
        letters = letters[::-1]
    return _describe_lettering(letters)


def _solve_calendar(task: str) -> str | None:
    """Return the day or month that lies so far from another one; None if the task is none, or a fact is not known."""
    riddle = re.search(r"(month|day of the week) that comes (\w+) (?:months|days) (after|before) ([^.]+)\.", task)
    if riddle is None:
        return None
    names = MONTHS if riddle[1] == "month" else DAYS
    known = (name for name, words in KNOWN.items() if name in names and words in riddle[4])
    start = next(known, riddle[4].upper())
    if start not in names:
        return None
    steps = _parse_number(riddle[2]) * (1 if riddle[3] == "after" else -1)
    return names[(names.index(start) + steps) % len(names)]


def _describe_lettering(word: str) -> str:
    return f'The text "{word}" in black, 24 px, centred at ({SIDE // 2}, {SIDE // 2}).'


def _describe_forms(placed: Iterable[tuple[str, tuple[float, float]]], radius: float) -> str:
    """Return coloured forms at their places in words that give every number."""
    size = round(radius)
    sentences = []
    for form, (x, y) in placed:
        article = "An" if form[0] in "aeiou" else "A"
        centre, shape = (round(x), round(y)), form.split()[1]
        if shape == "circle":
            sentences.append(f"{article} {form} of radius {size} px centred at {centre}.")
        elif shape == "square":
            sentences.append(f"{article} {form} of side {2 * size} px centred at {centre}.")
        else:
            top, bottom = centre[1] - size, centre[1] + size
            corners = f"({centre[0]}, {top}), ({centre[0] + size}, {bottom}) and ({centre[0] - size}, {bottom})"
            sentences.append(f"{article} {form} with corners {corners}.")
    return " ".join(sentences)
