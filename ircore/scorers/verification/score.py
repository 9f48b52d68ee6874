"""The score of a rendering, 0–10: what it got right of a target's facts, with a verdict for each fact.

    wrong = weight of what fails and of what is drawn beside, as a share of all weights but those of colours
    score = 10 · (1 − wrong^⅔) · (1 − 0.6 · off^⅔), less the cost of the transform

``off`` is the share of wrong colours by weight; a mark in another mark's colour counts twice, but half of what is right
is never taken away. Undecided facts give an interval: its lowest end has them fail, its highest has them hold, and the
score lies in its middle.
"""

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from typing import NamedTuple

from ircore.core import exact
from ircore.core.images import Picture
from ircore.core.records import Box, Scene
from ircore.core.score_records import SCORE_RULE, ExtraBox, PartShare, Verdict
from ircore.scorers.verification.eye.ground_readers import find_extras, read_all
from ircore.scorers.verification.eye.look import LEAST_LABELS, Observations, look_at
from ircore.scorers.verification.eye.ocr import describe_recogniser, read_words
from ircore.scorers.verification.eye.regions import Target, prepare_target
from ircore.scorers.verification.eye.registration import Transform
from ircore.scorers.verification.eye.view import Observed
from ircore.scorers.verification.scene_facts import COLOURS, GROUNDS, PARTS, Fact, Part, weigh_facts
from ircore.scorers.verification.verdicts import (
    CheckedFact,
    check_fact,
    decide_fails,
    fail_exchanged_colours,
    leave_undecided,
)

VERSION = SCORE_RULE

UNSEEN = "the eye does not see it in the target itself"
UNFOUND = "its colours are there, but the drawing was not found on the canvas"
LEAST_DECIDED = 0.35
"""Share of the facts, by weight, that must be decided for a score."""
COLOURS_COST = 0.6
"""Part of a score that is lost where every colour is wrong."""
KEPT_COLOURS = 0.5
"""Part of the right colours that mistaken ones, which count more than once, leave at least: where two of three marks
exchanged their colours, more is right than where all are wrong."""


@dataclass(frozen=True)
class Verification:
    """Verification of a rendering: score, parts, and the verdict on each fact.

    Attributes:
        score: 0–10, the middle of ``low`` and ``high``; None if too little can be decided.
        low: The score if everything undecided is wrong.
        high: The score if everything undecided is right.
        undecided: Share of the facts, by weight, that could not be decided.
        reason: Why there is no score; None if there is one.
        parts: By part.
        facts: Each fact with its verdict; what the eye does not see in the target itself has no weight.
        extras: What is drawn that the target does not show.
        transform: How the rendering had to be moved to lie over the target.
        cost: Of the transform, in points.
        reader: Who read labels that their shapes do not tell, with version; None if they were not read.

    Example:
        >>> from ircore.instances.targets.categories import draw_target
        >>> drawn = draw_target("pie_graph", "easy", seed=1)
        >>> target = Picture.from_pixels(drawn.drawing.pixels)
        >>> verify_picture(target, drawn.scene, target).score
        10.0
    """

    score: float | None
    low: float
    high: float
    undecided: float
    reason: str | None
    parts: dict[Part, PartShare]
    facts: tuple[CheckedFact, ...]
    extras: tuple[ExtraBox, ...]
    transform: Transform
    cost: float
    reader: str | None = None

    @property
    def decided(self) -> float:
        """Share of the facts, by weight, that could be decided."""
        return round(1 - self.undecided, 4)


def verify_picture(picture: Picture, scene: Scene, image: Picture, *, ocr: bool | None = None) -> Verification:
    """Return which facts of a target a rendering shows, and a score.

    Args:
        picture: The target.
        scene: What the target shows.
        image: The rendering, of any size.
        ocr: Whether labels that their shapes do not tell are read by optical character recognition; wherever the extra
            ``ocr`` is installed if None.

    Raises:
        InputError: ``ocr`` is asked for and the extra is not installed.
    """
    target = prepare_target(picture, scene)
    look = look_at(target, image.pixels)
    readings = read_all(look)
    ocr = describe_recogniser() is not None if ocr is None else ocr
    if ocr:
        readings |= read_words(look, readings)
    own = target.view.compute_once("own", lambda: _read_target(target))
    facts = _remove_ground_credit(_check_facts(target, readings, own.unseen))
    if not look.is_found and not _are_labels_in_place(facts):
        facts = [_leave_misplaced_undecided(checked) for checked in facts]
    # Where the eye sees an extra in the target itself, an extra of the rendering says nothing.
    extras = [
        extra for extra in find_extras(look) if not any(_is_half_covered(extra.box, other.box) for other in own.extras)
    ]
    asked = math.fsum(fact.weight for fact in target.facts if fact.key not in own.unseen)
    share = asked / math.fsum(fact.weight for fact in target.facts)
    verification = compute_score(facts, extras, look.cost, look.transform, share)
    return replace(verification, reader=describe_recogniser()) if ocr else verification


@dataclass(frozen=True)
class _Own:
    """Errors of the eye on the target itself: keys of facts that it does not see, and areas mistaken for extras."""

    unseen: frozenset[str]
    extras: tuple[ExtraBox, ...]


def _read_target(target: Target) -> _Own:
    """Read the target itself: facts that the eye cannot tell or gets wrong even there are not asked of renderings."""
    look = look_at(target, target.picture.pixels)
    facts = _check_facts(target, read_all(look), frozenset())
    unseen = frozenset(checked.fact.key for checked in facts if checked.verdict != "holds")
    return _Own(unseen, tuple(find_extras(look)))


def _is_half_covered(box: Box, other: Box) -> bool:
    """Return whether at least half of a box lies in another box."""
    across = min(box.right, other.right) - max(box.left, other.left)
    down = min(box.bottom, other.bottom) - max(box.top, other.top)
    return 2 * max(0, across) * max(0, down) >= (box.right - box.left) * (box.bottom - box.top)


def _remove_ground_credit(facts: list[CheckedFact]) -> list[CheckedFact]:
    """An empty page may have the right colour; that alone is nothing."""
    if any(checked.verdict == "holds" for checked in facts if checked.fact.kind not in GROUNDS and checked.fact.weight):
        return facts
    return [
        (leave_undecided if checked.fact.attribute in COLOURS else decide_fails)(checked.fact, "nothing is drawn on it")
        if checked.fact.kind in GROUNDS and checked.fact.weight
        else checked
        for checked in facts
    ]


def _check_facts(target: Target, readings: Observations, unseen: frozenset[str]) -> list[CheckedFact]:
    absent = {key.removesuffix("/presence") for key, reading in readings.items()
              if key.endswith("/presence") and reading.seen is False}  # fmt: skip
    facts = []
    for fact in weigh_facts(target.facts, unseen):
        if fact.key in unseen:
            facts.append(leave_undecided(fact, UNSEEN))
        elif fact.attribute == "count":
            facts.append(_check_count(fact, target, readings))
        elif fact.mark in absent and fact.attribute != "presence":
            facts.append(decide_fails(fact, "absent"))
        else:
            facts.append(check_fact(fact, readings.get(fact.key), target.colours))
    return _adjust_label_facts(fail_exchanged_colours(facts))


def _are_labels_in_place(facts: list[CheckedFact]) -> bool:
    """Return whether most labels are right and in place: then the drawing is, too, and what is not seen is gone."""
    labels = {checked.fact.mark for checked in facts if checked.fact.attribute == "text" and checked.fact.weight}
    places = [checked for checked in facts if checked.fact.attribute == "place" and checked.fact.mark in labels]
    held_count = sum(checked.verdict == "holds" for checked in places)
    return len(places) >= LEAST_LABELS and 2 * held_count > len(places)


def _leave_misplaced_undecided(checked: CheckedFact) -> CheckedFact:
    """Where the drawing was not found on its canvas, what lies elsewhere is not wrong."""
    is_placed = checked.fact.part in {"place", "value"} and checked.verdict != "undecided"
    return leave_undecided(checked.fact, UNFOUND) if is_placed else checked


def _adjust_label_facts(facts: list[CheckedFact]) -> list[CheckedFact]:
    """A label is there, and in its place, as far as it is the label: other ink in its place is not."""
    words = {
        checked.fact.mark: checked for checked in facts if checked.fact.attribute == "text" and checked.fact.weight
    }
    return [
        _limit_by_wording(checked, words[checked.fact.mark])
        if checked.fact.mark in words and checked.fact.attribute != "text" and checked.verdict != "undecided"
        else checked
        for checked in facts
    ]


def _limit_by_wording(checked: CheckedFact, words: CheckedFact) -> CheckedFact:
    if words.verdict == "undecided":
        return leave_undecided(checked.fact, words.reason)
    if words.verdict == "fails" and not words.credit and checked.verdict == "holds":
        return decide_fails(checked.fact, "something else is written there", checked.seen)
    return checked


def _check_count(fact: Fact, target: Target, readings: Observations) -> CheckedFact:
    keys = [f"{mark.key}/presence" for mark in target.marks if mark.kind == fact.kind]
    presences = [readings[key].seen if key in readings else None for key in keys]
    if None in presences:
        return leave_undecided(fact, "not each of them can be told")
    return check_fact(fact, Observed(presences.count(True)), ())


def compute_score(
    facts: Sequence[CheckedFact],
    extras: Sequence[ExtraBox] = (),
    cost: float = 0.0,
    transform: Transform = Transform(),  # noqa: B008 - immutable
    asked: float = 1.0,
) -> Verification:
    """Return the score of checked facts, whoever checked them.

    Args:
        facts: Each fact of the target with its verdict.
        extras: What is drawn that the target does not show.
        cost: Points that the transform costs.
        transform: How the rendering had to be moved to lie over the target.
        asked: Share of the target's facts, by weight, that the eye sees in the target itself.
    """
    weights = math.fsum(checked.fact.weight for checked in facts)
    unknown = math.fsum(checked.fact.weight for checked in facts if checked.verdict == "undecided")
    undecided_share = round(unknown / weights, 4) if weights else 1.0
    parts: dict[Part, PartShare] = {part: _compute_part_share(part, facts) for part in PARTS}
    credit = max(0.0, math.fsum(checked.fact.weight * checked.credit for checked in facts))
    surplus = math.fsum(extra.weight for extra in extras)
    precision = credit / (credit + surplus) if credit + surplus else 0.0
    parts["extra"] = PartShare(round(precision, 4), 0 if extras else 1, 1, 1)
    cost = round(cost, 4)
    decided, reason = asked * (1 - undecided_share), None
    if decided < LEAST_DECIDED:
        reason = f"only {100 * decided:.0f} % of the facts can be decided, {100 * LEAST_DECIDED:.0f} % are needed"
    low, score, high = compute_score_interval([ScoredFact(*_list_fields(checked)) for checked in facts], surplus, cost)
    return Verification(
        None if reason else score, low, high, undecided_share, reason, parts, tuple(facts), tuple(extras),
        transform, cost,
    )  # fmt: skip


class ScoredFact(NamedTuple):
    """Everything that the score takes of a fact; a row of the table ``facts`` has it, too."""

    attribute: str
    weight: float
    verdict: Verdict
    credit: float


class ScoreInterval(NamedTuple):
    """A score, 0–10, between the scores if everything undecided is wrong and if it is right."""

    low: float
    score: float
    high: float


def _list_fields(checked: CheckedFact) -> tuple[str, float, Verdict, float]:
    return checked.fact.attribute, checked.fact.weight, checked.verdict, checked.credit


def compute_score_interval(
    facts: Iterable[ScoredFact], surplus: float, cost: float, *, linear: bool = False
) -> ScoreInterval:
    """Return the score of facts, and its interval.

    Args:
        facts: Of one rendering, extras left out.
        surplus: Weight of what is drawn that the target does not show.
        cost: Of the transform, in points.
        linear: Whether what is wrong counts in proportion, without the power ⅔: no published score, but a look at how
            much ranks owe to it.

    Example:
        Two bars of which one is missing, 6 points of colour and 10 of other facts each:

        >>> there, gone = ScoredFact("presence", 10, "holds", 1.0), ScoredFact("presence", 10, "fails", 0.0)
        >>> red, none = ScoredFact("colour", 6, "holds", 1.0), ScoredFact("colour", 6, "fails", 0.0)
        >>> compute_score_interval([there, gone, red, none], surplus=0, cost=0).score
        2.3
    """
    facts = list(facts)
    right = [fact._replace(credit=1.0) if fact.verdict == "undecided" else fact for fact in facts]
    low, high = (_compute_points(some, surplus, cost, linear) for some in (facts, right))
    return ScoreInterval(round(low, 2), round((low + high) / 2, 2), round(high, 2))


def _compute_points(facts: Sequence[ScoredFact], surplus: float, cost: float, linear: bool) -> float:
    weight, credit = _sum_weight_and_credit(fact for fact in facts if fact.attribute not in COLOURS)
    colours = [fact for fact in facts if fact.attribute in COLOURS]
    of_colours, balance = _sum_weight_and_credit(colours)
    _, right_colours = _sum_weight_and_credit(fact for fact in colours if fact.credit > 0)
    if not weight:
        return 0.0
    wrong = (weight - credit + surplus) / (weight + surplus)
    off = 1 - max(balance, KEPT_COLOURS * right_colours) / of_colours if of_colours else 0.0
    # The first faults are the ones that are noticed, so the loss rises steeply from nothing: a power below 1.
    lost = wrong if linear else exact.cbrt(wrong * wrong)
    value = 10 * (1 - lost) * (1 - COLOURS_COST * exact.cbrt(off * off))
    return max(0.0, value * (1 - cost / 10))


def _sum_weight_and_credit(facts: Iterable[ScoredFact]) -> tuple[float, float]:
    """Return weight and credit of facts."""
    facts = list(facts)
    return math.fsum(fact.weight for fact in facts), math.fsum(fact.weight * fact.credit for fact in facts)


def _compute_part_share(part: Part, facts: Sequence[CheckedFact]) -> PartShare:
    own = [checked for checked in facts if checked.fact.part == part and checked.fact.weight]
    decided = [checked for checked in own if checked.verdict != "undecided"]
    weight = math.fsum(checked.fact.weight for checked in decided)
    credit = math.fsum(checked.fact.weight * checked.credit for checked in decided)
    held_count = sum(checked.verdict == "holds" for checked in own)
    return PartShare(round(max(0.0, credit) / weight, 4) if weight else None, held_count, len(decided), len(own))
