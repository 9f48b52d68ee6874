"""The score of a rendering, 0–10: weighted recall and precision of facts, with parts and a verdict for each fact."""

import math
from collections.abc import Sequence
from dataclasses import dataclass

from ircore.core import exact
from ircore.core.fact_records import ExtraBox, PartShare
from ircore.core.images import Picture
from ircore.core.records import Box, Scene
from ircore.scorers.verification.eye.extras import extras_of
from ircore.scorers.verification.eye.look import Look, Observations, look_at
from ircore.scorers.verification.eye.ocr import read_words
from ircore.scorers.verification.eye.readers import read_all
from ircore.scorers.verification.eye.registration import Transform
from ircore.scorers.verification.eye.target import Target, target_of
from ircore.scorers.verification.eye.view import Observed
from ircore.scorers.verification.scene_facts import PARTS, Fact, Part
from ircore.scorers.verification.verdicts import Checked, check, fails, undecided

VERSION = "6"
"""Changes whenever the same rendering may get another score."""

LEAST_DECIDED = 0.35
"""Share of the facts, by weight, that must be decided for a score."""
SHARPNESS = 2
"""Power of recall: half of the facts is less than half of a picture."""
GROUNDS = {"background", "ground", "panel"}


@dataclass(frozen=True)
class Verification:
    """Verification of a rendering: score, parts, and the verdict on each fact.

    Attributes:
        score: 0–10; None if too little can be decided.
        reason: Why there is no score; None if there is one.
        parts: By part.
        facts: Each fact with its verdict.
        extras: What is drawn that the target does not show.
        transform: How the rendering had to be moved to lie over the target.
        decided: Share of the facts, by weight, that could be decided.

    Example:
        >>> from ircore.games.reconstruction.build_targets import draw
        >>> drawn = draw("pie_graph", "easy", seed=1)
        >>> target = Picture.from_pixels(drawn.drawing.pixels)
        >>> verify_picture(target, drawn.scene, target).score
        10.0
    """

    score: float | None
    reason: str | None
    parts: dict[Part, PartShare]
    facts: tuple[Checked, ...]
    extras: tuple[ExtraBox, ...]
    transform: Transform
    decided: float


def verify_picture(picture: Picture, scene: Scene, image: Picture, *, ocr: bool = False) -> Verification:
    """Return which facts of a target a rendering shows, and a score.

    Args:
        picture: The target.
        scene: What the target shows.
        image: The rendering, of any size.
        ocr: Whether texts are read by optical character recognition as well.

    Raises:
        InputError: ``ocr`` is asked for and the extra is not installed.
    """
    target = target_of(picture, scene)
    look = look_at(target, image.pixels)
    readings = read_all(look)
    if ocr:
        readings |= read_words(look)
    own = target.view.noted("own", lambda: _own(target))
    facts = _without_ground(_checked(target, readings, own.wrong))
    # Where the eye sees an extra in the target itself, an extra of the rendering says nothing.
    extras = [extra for extra in extras_of(look) if not any(_covered(extra.box, other.box) for other in own.extras)]
    return scored(facts, extras, look)


@dataclass(frozen=True)
class _Own:
    """Errors of the eye on the target itself: keys of misread facts, and areas mistaken for extras."""

    wrong: frozenset[str]
    extras: tuple[ExtraBox, ...]


def _own(target: Target) -> _Own:
    """Read the target itself: facts that the eye gets wrong even there are not asked of renderings."""
    look = look_at(target, target.picture.pixels)
    facts = _checked(target, read_all(look), frozenset())
    wrong = frozenset(checked.fact.key for checked in facts if checked.verdict == "fails")
    return _Own(wrong, tuple(extras_of(look)))


def _covered(box: Box, other: Box) -> bool:
    """Return whether at least half of a box lies in another box."""
    across = min(box.right, other.right) - max(box.left, other.left)
    down = min(box.bottom, other.bottom) - max(box.top, other.top)
    return 2 * max(0, across) * max(0, down) >= (box.right - box.left) * (box.bottom - box.top)


def _without_ground(facts: list[Checked]) -> list[Checked]:
    """An empty page may have the right colour; that alone is nothing."""
    if any(checked.verdict == "holds" for checked in facts if checked.fact.kind not in GROUNDS):
        return facts
    return [
        undecided(checked.fact, "nothing is drawn on it") if checked.fact.kind in GROUNDS else checked
        for checked in facts
    ]


def _checked(target: Target, readings: Observations, unseen: frozenset[str]) -> list[Checked]:
    absent = {key.removesuffix("/presence") for key, reading in readings.items()
              if key.endswith("/presence") and reading.seen is False}  # fmt: skip
    facts = []
    for fact in target.facts:
        if fact.key in unseen:
            facts.append(undecided(fact, "the eye does not see it in the target itself"))
        elif fact.attribute == "count":
            facts.append(_count(fact, target, readings))
        elif fact.mark in absent and fact.attribute != "presence":
            facts.append(fails(fact, "absent"))
        else:
            facts.append(check(fact, readings.get(fact.key), target.colours))
    return facts


def _count(fact: Fact, target: Target, readings: Observations) -> Checked:
    keys = [f"{mark.key}/presence" for mark in target.marks if mark.kind == fact.kind]
    presences = [readings[key].seen if key in readings else None for key in keys]
    if None in presences:
        return undecided(fact, "not each of them can be told")
    return check(fact, Observed(presences.count(True)), ())


def scored(facts: Sequence[Checked], extras: Sequence[ExtraBox], look: Look) -> Verification:
    """Return the score of checked facts.

    Recall is the credit of the decided facts by weight; precision is that credit's share of itself and the weight of
    what should not be there. Moves, scales and turns cost a little.
    """
    weights = math.fsum(checked.fact.weight for checked in facts)
    decided = [checked for checked in facts if checked.verdict != "undecided"]
    weight = math.fsum(checked.fact.weight for checked in decided)
    credit = math.fsum(checked.fact.weight * checked.credit for checked in decided)
    share = round(weight / weights, 4) if weights else 0.0
    parts: dict[Part, PartShare] = {part: _part(part, facts) for part in PARTS}
    surplus = math.fsum(extra.weight for extra in extras)
    precision = credit / (credit + surplus) if credit + surplus else 0.0
    parts["extra"] = PartShare(round(precision, 4), 0 if extras else 1, 1, 1)
    if share < LEAST_DECIDED:
        reason = f"only {100 * share:.0f} % of the facts can be decided, {100 * LEAST_DECIDED:.0f} % are needed"
        return Verification(None, reason, parts, tuple(facts), tuple(extras), look.transform, share)
    value = 10 * exact.whole_power(credit / weight, SHARPNESS) * precision
    value = max(0.0, value * (1 - look.cost / 10))
    return Verification(round(value, 2), None, parts, tuple(facts), tuple(extras), look.transform, share)


def _part(part: Part, facts: Sequence[Checked]) -> PartShare:
    own = [checked for checked in facts if checked.fact.part == part]
    decided = [checked for checked in own if checked.verdict != "undecided"]
    weight = math.fsum(checked.fact.weight for checked in decided)
    credit = math.fsum(checked.fact.weight * checked.credit for checked in decided)
    held_count = sum(checked.verdict == "holds" for checked in own)
    return PartShare(round(credit / weight, 4) if weight else None, held_count, len(decided), len(own))
