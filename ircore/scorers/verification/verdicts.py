"""Verdicts from the eye's readings: a fact holds, fails, or cannot be decided."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from ircore.core import exact
from ircore.core.score_records import LEAST_CREDIT, Verdict
from ircore.scorers.verification.eye.look import compute_edit_distance, fold_text
from ircore.scorers.verification.eye.view import Observed, measure_delta_e2000
from ircore.scorers.verification.scene_facts import GROUNDS, Fact

SAME_COLOUR, OTHER_COLOUR = 2.0, 20.0
"""ΔE2000 up to which a colour is the right one, and from which on it earns nothing; it earns nothing at the next colour
of the scene either."""
MISTAKEN, ITS_COLOUR = -1.0, 6.0
"""Credit of a mark that has another mark's colour, which tells something false, where a colour of no other mark tells
nothing; ΔE2000 up to which it is that colour."""
EXCHANGED, TOLD_APART = LEAST_CREDIT, 6.0
"""Credit of each of two marks that exchanged their colours, as that of a mistaken mark and half of it once more: which
of the two is which is lost, too; ΔE2000 from which on two colours are different ones, not shades of one."""
NEAREST_RIVAL = 8.0
"""ΔE2000 between colours of a scene from which on the one earns nothing in the other's place: of colours that are more
alike, it is hardly a mistake."""
FAR_OFF = 3
"""Tolerances of a place, a size or an angle from which on it earns nothing."""
MISSPELT = 0.6
"""Most that a word with a wrong letter earns."""
WORTHLESS = 0.4
"""Relative error from which on a value earns nothing; half of that error earns half."""


@dataclass(frozen=True)
class CheckedFact:
    """A fact with its verdict on one rendering.

    Attributes:
        fact: What is true of the target.
        verdict: Whether it holds in the rendering.
        credit: −1.5 to 1, three decimals: 1 if it holds; 0 if it fails or cannot be told; between for what is nearly
            right: a misspelt word, a value or a place that is a little off, a shade; −1 for another mark's colour, −1.5
            where marks exchanged theirs.
        seen: What was seen instead or as well, in the unit of ``fact.expected``.
        reason: Why it fails or cannot be told; empty if it holds.

    Example:
        >>> from ircore.scorers.verification.scene_facts.records import Fact
        >>> fact = Fact("bar-1/value", "bar-1", "bar", "value", "value", 12.5, 0.25, 1.0, "The first bar is 12.5 high.")
        >>> CheckedFact(fact, "fails", credit=0.0, seen=7.5, reason="7.5 high").seen
        7.5
    """

    fact: Fact
    verdict: Verdict
    credit: float
    seen: Any = None
    reason: str = ""


def check_fact(fact: Fact, reading: Observed | None, colours: Sequence[str]) -> CheckedFact:
    """Return whether a fact holds, given the seen value.

    Args:
        fact: Of the target.
        reading: What the eye says of it; None if it says nothing.
        colours: All colours of the scene that differ.
    """
    if reading is None:
        return leave_undecided(fact, "the eye does not look for it")
    if reading.seen is None:
        return leave_undecided(fact, reading.why)
    if fact.attribute in {"colour", "outline"}:
        return _check_colour(fact, str(reading.seen), colours)
    return _CHECKS.get(fact.attribute, _check_equal)(fact, reading)


def leave_undecided(fact: Fact, reason: str) -> CheckedFact:
    """Return that a fact cannot be told, with the reason."""
    return CheckedFact(fact, "undecided", 0.0, None, reason)


def decide_fails(fact: Fact, reason: str, value: Any = None) -> CheckedFact:
    """Return that a fact fails, with the reason."""
    return CheckedFact(fact, "fails", 0.0, value, reason)


def decide_holds(fact: Fact, value: Any = None) -> CheckedFact:
    """Return that a fact holds."""
    return CheckedFact(fact, "holds", 1.0, value)


def _check_equal(fact: Fact, reading: Observed) -> CheckedFact:
    if reading.seen == fact.expected:
        return decide_holds(fact, reading.seen)
    reason = reading.why or ("not seen" if fact.attribute == "presence" else f"seen: {reading.seen}")
    return decide_fails(fact, reason, reading.seen)


def _check_number(fact: Fact, reading: Observed) -> CheckedFact:
    off = abs(float(reading.seen) - float(fact.expected))
    value = round(float(reading.seen), 3)
    if off <= (fact.tolerance or 0) + 1e-9:
        return decide_holds(fact, value)
    reason = reading.why or f"seen: {value:g}, off by {off:.3g}"
    return _fail_with_credit(fact, _compute_credit(fact, off), reason, value)


def _compute_credit(fact: Fact, off: float) -> float:
    """Return the credit of a number that is off by more than its tolerance: of values, less by the relative error."""
    if fact.attribute != "value" or not fact.expected:
        return _compute_graded_credit(fact, off)
    return round(max(0.0, 1 - off / (WORTHLESS * abs(float(fact.expected)))), 3)


def _compute_graded_credit(fact: Fact, off: float) -> float:
    """Return the credit of what is off by more than its tolerance: less and less, to nothing at ``FAR_OFF`` of them."""
    tolerance = float(fact.tolerance or 0)
    return round(max(0.0, 1 - (off - tolerance) / ((FAR_OFF - 1) * tolerance)), 3) if tolerance else 0.0


def _check_angle(fact: Fact, reading: Observed) -> CheckedFact:
    around = float(fact.details.get("period", 360))
    off = abs((float(reading.seen) - float(fact.expected) + around / 2) % around - around / 2)
    angle = round(float(reading.seen), 1)
    if off <= (fact.tolerance or 0):
        return decide_holds(fact, angle)
    return _fail_with_credit(fact, _compute_graded_credit(fact, off), f"seen: {angle:g}°, off by {off:.0f}°", angle)


def _check_place(fact: Fact, reading: Observed) -> CheckedFact:
    if not isinstance(fact.expected, list) or isinstance(fact.expected[0], list):
        return _check_equal(fact, reading)
    off = exact.dist(reading.seen, fact.expected)
    place = [round(float(part), 1) for part in reading.seen]
    if off <= (fact.tolerance or 0):
        return decide_holds(fact, place)
    return _fail_with_credit(fact, _compute_graded_credit(fact, off), f"off by {off:.0f} pixels", place)


def _check_text(fact: Fact, reading: Observed) -> CheckedFact:
    expected, text = fold_text(str(fact.expected)), fold_text(str(reading.seen))
    if text == expected:
        return decide_holds(fact, reading.seen)
    if not text:
        return decide_fails(fact, reading.why or "no text is read there", "")
    # A wrong number is wrong, however alike; of a word, half of the letters tell nothing.
    credit = 0.0
    if any(letter.isalpha() for letter in expected):
        credit = MISSPELT * max(0.0, 1 - 2 * compute_edit_distance(expected, text) / len(expected))
    return _fail_with_credit(fact, credit, f'reads "{reading.seen}"', reading.seen)


def _check_colour(fact: Fact, colour: str, colours: Sequence[str]) -> CheckedFact:
    """Compare two colours by distance: the farther off and the nearer to another colour of the scene, the less."""
    expected = str(fact.expected)
    off = measure_delta_e2000(colour, expected)
    if off <= SAME_COLOUR:
        return decide_holds(fact, colour)
    apart = {
        other: measure_delta_e2000(other, expected) for other in colours if measure_delta_e2000(other, expected) > 4.0
    }
    away = max(
        [
            (off - SAME_COLOUR) / (OTHER_COLOUR - SAME_COLOUR),
            *(
                _measure_colour_shift(measure_delta_e2000(colour, other), off, between)
                for other, between in apart.items()
            ),
        ]
    )
    # Squared, since a shade is hardly noticed, and another colour is.
    credit = max(0.0, 1 - away * away)
    seen = min(apart, key=lambda other: measure_delta_e2000(colour, other), default=None)
    if seen is not None and (beside := measure_delta_e2000(colour, seen)) < off:
        if off >= OTHER_COLOUR and beside <= ITS_COLOUR and fact.kind not in GROUNDS:
            credit = MISTAKEN
        reason = f"seen: {colour}, nearer to {seen} (ΔE {beside:.0f}) than to {expected} (ΔE {off:.0f})"
    else:
        reason = f"seen: {colour}, ΔE2000 {off:.0f} from {expected}" + (", a shade off" if credit else "")
    return _fail_with_credit(fact, credit, reason, colour)


def fail_exchanged_colours(facts: Sequence[CheckedFact]) -> list[CheckedFact]:
    """Return facts in which marks that have exchanged their colours are mistaken, however alike the colours are.

    A single mark between two colours may be a shade off. Where the one colour has gone to the other, and the other to
    the one, or several go round, each mark says what is true of another.
    """
    coloured = [
        checked for checked in facts
        if checked.fact.attribute == "colour" and checked.fact.kind not in GROUNDS
        and checked.fact.weight and checked.fact.expected
    ]  # fmt: skip
    colours = sorted({str(checked.fact.expected) for checked in coloured})
    gone = {checked.fact.key: other for checked in coloured if (other := _find_other_colour(checked, colours))}
    steps: dict[str, set[str]] = {}
    for checked in coloured:
        if checked.fact.key in gone:
            steps.setdefault(str(checked.fact.expected), set()).add(gone[checked.fact.key])
    return [
        replace(checked, credit=EXCHANGED, reason=f"seen: {checked.seen}, its colour and {other} are exchanged")
        if (other := gone.get(checked.fact.key)) and checked.fact.expected in _find_reachable(steps, other)
        else checked
        for checked in facts
    ]  # fmt: skip


def _find_other_colour(checked: CheckedFact, colours: Sequence[str]) -> str | None:
    """Return which colour of other marks a mark has instead of its own; None where it has none of them."""
    own, seen = str(checked.fact.expected), checked.seen
    others = [colour for colour in colours if measure_delta_e2000(colour, own) >= TOLD_APART]
    if not isinstance(seen, str) or not others:
        return None
    nearest = min(others, key=lambda colour: measure_delta_e2000(seen, colour))
    return nearest if 2 * measure_delta_e2000(seen, nearest) <= measure_delta_e2000(seen, own) else None


def _find_reachable(steps: Mapping[str, set[str]], start: str) -> set[str]:
    """Return all that steps lead to from a start."""
    reached: set[str] = set()
    ahead = {start}
    while ahead:
        reached |= ahead
        ahead = set().union(*(steps.get(place, set()) for place in ahead)) - reached
    return reached


def _measure_colour_shift(beside: float, off: float, between: float) -> float:
    """Return how far a colour has gone from the right one to another one of the scene, 0–1, by its distances to both.

    A shade in another direction is no step towards that colour, however near the two are.
    """
    way = (off - SAME_COLOUR) / max(off - SAME_COLOUR + beside, 1e-6)
    return way * (between - SAME_COLOUR) / (max(NEAREST_RIVAL, between) - SAME_COLOUR)


def _fail_with_credit(fact: Fact, credit: float, reason: str, value: Any) -> CheckedFact:
    """Return that a fact fails, with what its being nearly right earns."""
    return CheckedFact(fact, "fails", min(0.999, round(credit, 3)), value, reason)


_CHECKS: dict[str, Callable[[Fact, Observed], CheckedFact]] = {
    "value": _check_number,
    "size": _check_number,
    "whole": _check_number,
    "angle": _check_angle,
    "place": _check_place,
    "text": _check_text,
}
