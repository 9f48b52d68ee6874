"""The judge ``verified``: which facts of a target a rendering shows, as a rating from 0 to 10.

A verification is also told to people, as lines of a terminal, and to programs, as one JSON document.
"""

import hashlib
import json
from collections.abc import Iterator, Sequence
from functools import lru_cache
from math import fsum
from typing import Any

from ircore.core.images import Picture
from ircore.core.plain_words import format_count
from ircore.core.records import Scene
from ircore.core.score_records import (
    MOST_EXTRAS,
    UNASKED,
    VERDICT,
    ExtraBox,
    FactNote,
    FactVerdicts,
    JudgeKind,
    format_verdict_letter,
)
from ircore.instances.targets import DRAWN
from ircore.scorers.judges.base import Judgement, compare_ratings
from ircore.scorers.verification.eye.ocr import describe_recogniser
from ircore.scorers.verification.eye.registration import Transform
from ircore.scorers.verification.scene_facts import PARTS, Fact, list_facts, weigh_facts
from ircore.scorers.verification.score import VERSION, Verification, verify_picture
from ircore.scorers.verification.verdicts import CheckedFact

UNREAD = "texts unread"
"""What the version says where no reader of texts is installed."""

BAR = 20
"""Characters of the bar beside each part."""
MOST_LISTED = 40
"""Facts of one verdict that are listed on a terminal; the document has all."""

LONGEST = 200
"""Characters of a reason, and of what was seen, that are kept."""


class VerifiedJudge:
    """Rates by the share of the scene's facts that the eye sees in the rendering, without any model.

    Labels are told by comparing their shapes with those of the target's labels; what that leaves open is read wherever
    the extra ``ocr`` is installed. The version says who read, so that no board mixes ratings with and without reading.
    ``ircore verify`` shows the facts behind a rating.

    Args:
        scene: What the target shows; None if nobody knows, and then there is no rating.

    Example:
        >>> from ircore.instances.targets.categories import draw_target
        >>> drawn = draw_target("bar_graph", "easy", seed=1)
        >>> target = Picture.from_pixels(drawn.drawing.pixels)
        >>> VerifiedJudge(drawn.scene).rate(target, target).value
        10.0
    """

    name = "verified"
    label = "verified (facts of the scene, checked by program)"
    kind: JudgeKind = "computed"
    categories = DRAWN
    any_scene = True

    def __init__(self, scene: Scene | None = None) -> None:
        self._scene = scene

    @property
    def version(self) -> str:
        """Version of the eye, and who reads texts."""
        reader = describe_recogniser()
        return f"{VERSION}, {UNREAD if reader is None else f'texts read by {reader}'}"

    @property
    def supersedes(self) -> tuple[str, ...]:
        """Versions whose scores this one gives anew: those of the same eye that read no texts."""
        return () if describe_recogniser() is None else (f"{VERSION}, {UNREAD}",)

    def with_scene(self, scene: Scene | None) -> "VerifiedJudge":
        """Return the judge for one target."""
        return VerifiedJudge(scene)

    def rate(self, target: Picture, image: Picture) -> Judgement:
        """Rate by the weighted share of the target's facts that the rendering shows, 0–10."""
        if self._scene is None:
            return Judgement(None, "nobody wrote down what the target shows")
        return _rate_rendering(target, _Kept(self._scene), image)

    def prefer(self, target: Picture, first: Picture, final: Picture) -> Judgement:
        """Prefer the rendering with the higher rating; equal ratings are a tie."""
        return compare_ratings(self.rate(target, first), self.rate(target, final))


def build_document(verification: Verification) -> dict[str, Any]:
    """Return a verification as JSON values: score, parts, facts, extras, transform, version."""
    transform = verification.transform
    return {
        "score": verification.score,
        "low": verification.low,
        "high": verification.high,
        "undecided": verification.undecided,
        "reason": verification.reason,
        "version": VERSION,
        "reader": verification.reader,
        "decided": verification.decided,
        "parts": {part: score._asdict() for part, score in verification.parts.items()},
        "facts": [_build_fact_entry(checked) for checked in verification.facts],
        "extras": [{"box": list(extra.box), "weight": extra.weight} for extra in verification.extras],
        "transform": {
            "x": round(transform.x, 4),
            "y": round(transform.y, 4),
            "scale": round(transform.scale, 4),
            "degrees": round(transform.turn, 3),
            "cost": verification.cost,
        },
    }


def format_report(verification: Verification) -> Iterator[str]:
    """Yield a verification as lines: the score, its parts, failing facts, and facts that cannot be decided."""
    shown = "no score" if verification.score is None else f"{verification.score:.2f} of 10"
    yield f"{shown}   {verification.reason or _describe_transform(verification.transform)}"
    if verification.undecided and verification.score is not None:
        yield (
            f"from {verification.low:.2f} to {verification.high:.2f}, of which this is the middle: "
            f"{100 * verification.undecided:.0f} % of the facts, by weight, cannot be told"
        )
    yield ""
    for part in PARTS:
        yield _format_part(verification, part)
    failing = [checked for checked in verification.facts if checked.verdict == "fails"]
    if failing:
        yield from ("", f"Wrong ({len(failing)})", *_format_failing_facts(failing))
    for extra in verification.extras[:10]:
        yield f"  ✗ Something is drawn that the target does not show: {tuple(extra.box)} px."
    unknown = [checked for checked in verification.facts if checked.verdict == "undecided" and checked.fact.weight]
    if unknown:
        yield from ("", f"Cannot be told ({len(unknown)})", *_format_reasons(unknown))


def build_stored_verdicts(verification: Verification) -> FactVerdicts:
    """Return the stored form of a verification: verdicts, and notes on the facts that do not hold."""
    reasons: dict[str, int] = {}
    notes = [
        FactNote(
            place,
            checked.credit,
            _encode_seen(checked.seen),
            reasons.setdefault(checked.reason[:LONGEST], len(reasons)),
        )
        for place, checked in enumerate(verification.facts)
        if checked.verdict != "holds"
    ]
    return FactVerdicts(
        version=VERSION,
        verdicts="".join(format_verdict_letter(checked.verdict, checked.fact.weight) for checked in verification.facts),
        parts=verification.parts,
        low=verification.low,
        high=verification.high,
        decided=verification.decided,
        cost=verification.cost,
        reader=verification.reader,
        reasons=tuple(reasons),
        notes=tuple(notes),
        extras=_limit_extras(verification.extras),
        transform=verification.transform.placement,
    )  # fmt: skip


def restore_checked_facts(scene: Scene, stored: FactVerdicts) -> tuple[CheckedFact, ...]:
    """Return the facts of a target with the verdicts that were stored for a rendering.

    Args:
        scene: What the target shows.
        stored: The verdicts.

    Returns:
        The facts in the order of ``list_facts``; none if the verdicts are of a version that drew up other facts.
    """
    facts = list_facts(scene)
    if stored.version not in (VERSION, compute_facts_version(facts)) or len(facts) != len(stored.verdicts):
        return ()
    unasked = {fact.key for fact, letter in zip(facts, stored.verdicts, strict=True) if letter == UNASKED}
    facts = weigh_facts(facts, unasked)
    notes = {note.fact: note for note in stored.notes}
    checked = []
    for place, (fact, letter) in enumerate(zip(facts, stored.verdicts, strict=True)):
        note, verdict = notes.get(place), VERDICT[letter]
        if note is None:
            checked.append(CheckedFact(fact, verdict, 1.0 if verdict == "holds" else 0.0))
        else:
            checked.append(
                CheckedFact(fact, verdict, note.credit, _decode_seen(note.seen), stored.reasons[note.reason])
            )
    return tuple(checked)


def compute_facts_version(facts: Sequence[Fact]) -> str:
    """Return the version of a list of facts, for verdicts of a judge that was asked about its sentences."""
    words = "\0".join(f"{fact.key} {fact.sentence}" for fact in facts)
    return f"facts-{hashlib.sha256(words.encode()).hexdigest()[:12]}"


class _Kept:
    """A scene as a part of a key: the picture, which is the other part, tells scenes apart."""

    def __init__(self, scene: Scene) -> None:
        self.scene = scene

    def __hash__(self) -> int:
        return 0

    def __eq__(self, other: object) -> bool:
        return isinstance(other, _Kept) and other.scene == self.scene


@lru_cache(maxsize=8)
def _rate_rendering(target: Picture, scene: _Kept, image: Picture) -> Judgement:
    """Rate a rendering; the rating is kept for the next few calls, since a preference needs the same ratings."""
    verification = verify_picture(target, scene.scene, image)
    return Judgement(verification.score, verification.reason, build_stored_verdicts(verification))


def _build_fact_entry(checked: CheckedFact) -> dict[str, Any]:
    fact = checked.fact
    return {
        "fact": fact.key,
        "part": fact.part,
        "kind": fact.kind,
        "attribute": fact.attribute,
        "sentence": fact.sentence,
        "verdict": checked.verdict,
        "credit": checked.credit,
        "weight": round(fact.weight, 6),
        "expected": fact.expected,
        "tolerance": fact.tolerance,
        "seen": checked.seen,
        "reason": checked.reason or None,
    }


def _describe_transform(transform: Transform) -> str:
    if transform.is_identity:
        return "lies exactly over the target"
    return (
        f"moved by {100 * transform.x:+.1f} % and {100 * transform.y:+.1f} %, scale {transform.scale:.3f}, "
        f"turned by {transform.turn:+.1f}°"
    )


def _format_part(verification: Verification, part: Any) -> str:
    score = verification.parts[part]
    if score.share is None:
        return (
            f"  {part:<9} {'–':>6}   {format_count(score.total, 'fact')}, none can be told"
            if score.total
            else f"  {part:<9} {'–':>6}"
        )
    filled = round(BAR * score.share)
    counts = "" if part == "extra" else f"  {score.held} of {score.decided} hold"
    undecided = score.total - score.decided
    return f"  {part:<9} {100 * score.share:5.0f} %  {'█' * filled}{'░' * (BAR - filled)}{counts}" + (
        f", {undecided} cannot be told" if undecided else ""
    )


def _format_failing_facts(failing: list[CheckedFact]) -> Iterator[str]:
    heaviest = sorted(failing, key=lambda checked: -checked.fact.weight)
    for checked in heaviest[:MOST_LISTED]:
        yield f"  ✗ {checked.fact.sentence}  – {checked.reason}"
    if len(failing) > MOST_LISTED:
        yield f"    and {len(failing) - MOST_LISTED} more (--json lists all)"


def _format_reasons(unknown: list[CheckedFact]) -> Iterator[str]:
    """Yield each reason once, with the number of facts and an example fact."""
    by_reason: dict[str, list[CheckedFact]] = {}
    for checked in unknown:
        by_reason.setdefault(checked.reason, []).append(checked)
    for reason, facts in sorted(by_reason.items(), key=lambda entry: -len(entry[1])):
        yield f"  ? {len(facts)} × {reason}, such as: {facts[0].fact.sentence}"


def _limit_extras(extras: Sequence[ExtraBox]) -> tuple[ExtraBox, ...]:
    """Return the kept extras, largest first; the last kept extra also has the weight of all further extras."""
    boxes = extras[:MOST_EXTRAS]
    rest = fsum(extra.weight for extra in extras[MOST_EXTRAS:])
    return (*boxes[:-1], ExtraBox(boxes[-1].box, boxes[-1].weight + rest)) if rest else tuple(boxes)


def _encode_seen(value: Any) -> str | None:
    """Return the seen value as JSON; None where the text is too long to store."""
    text = None if value is None else json.dumps(value, ensure_ascii=False)
    return text if text is None or len(text) <= LONGEST else None


def _decode_seen(text: str | None) -> Any:
    return None if text is None else json.loads(text)
