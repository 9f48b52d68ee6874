"""A verification for people and for programs: lines of a terminal, and one JSON document."""

from collections.abc import Iterator
from typing import Any

from ircore.core.counted import counted
from ircore.scorers.verification.eye.registration import Transform
from ircore.scorers.verification.scene_facts import PARTS
from ircore.scorers.verification.score import VERSION, Verification
from ircore.scorers.verification.verdicts import Checked

BAR = 20
"""Characters of the bar beside each part."""
MOST_LISTED = 40
"""Facts of one verdict that are listed on a terminal; the document has all."""


def as_document(verification: Verification) -> dict[str, Any]:
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
        "facts": [_fact(checked) for checked in verification.facts],
        "extras": [{"box": list(extra.box), "weight": extra.weight} for extra in verification.extras],
        "transform": {
            "x": round(transform.x, 4),
            "y": round(transform.y, 4),
            "scale": round(transform.scale, 4),
            "degrees": round(transform.turn, 3),
            "cost": verification.cost,
        },
    }


def _fact(checked: Checked) -> dict[str, Any]:
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


def as_lines(verification: Verification) -> Iterator[str]:
    """Yield a verification as lines: the score, its parts, failing facts, and facts that cannot be decided."""
    shown = "no score" if verification.score is None else f"{verification.score:.2f} of 10"
    yield f"{shown}   {verification.reason or _moved(verification.transform)}"
    if verification.undecided and verification.score is not None:
        yield (
            f"from {verification.low:.2f} to {verification.high:.2f}, of which this is the middle: "
            f"{100 * verification.undecided:.0f} % of the facts, by weight, cannot be told"
        )
    yield ""
    for part in PARTS:
        yield _part(verification, part)
    failing = [checked for checked in verification.facts if checked.verdict == "fails"]
    if failing:
        yield from ("", f"Wrong ({len(failing)})", *_listed(failing))
    for extra in verification.extras[:10]:
        yield f"  ✗ Something is drawn that the target does not show: {tuple(extra.box)} px."
    unknown = [checked for checked in verification.facts if checked.verdict == "undecided" and checked.fact.weight]
    if unknown:
        yield from ("", f"Cannot be told ({len(unknown)})", *_reasons(unknown))


def _moved(transform: Transform) -> str:
    if transform.is_identity:
        return "lies exactly over the target"
    return (
        f"moved by {100 * transform.x:+.1f} % and {100 * transform.y:+.1f} %, scale {transform.scale:.3f}, "
        f"turned by {transform.turn:+.1f}°"
    )


def _part(verification: Verification, part: Any) -> str:
    score = verification.parts[part]
    if score.share is None:
        return (
            f"  {part:<9} {'–':>6}   {counted(score.total, 'fact')}, none can be told"
            if score.total
            else f"  {part:<9} {'–':>6}"
        )
    filled = round(BAR * score.share)
    counts = "" if part == "extra" else f"  {score.held} of {score.decided} hold"
    undecided = score.total - score.decided
    return f"  {part:<9} {100 * score.share:5.0f} %  {'█' * filled}{'░' * (BAR - filled)}{counts}" + (
        f", {undecided} cannot be told" if undecided else ""
    )


def _listed(failing: list[Checked]) -> Iterator[str]:
    heaviest = sorted(failing, key=lambda checked: -checked.fact.weight)
    for checked in heaviest[:MOST_LISTED]:
        yield f"  ✗ {checked.fact.sentence}  – {checked.reason}"
    if len(failing) > MOST_LISTED:
        yield f"    and {len(failing) - MOST_LISTED} more (--json lists all)"


def _reasons(unknown: list[Checked]) -> Iterator[str]:
    """Yield each reason once, with the number of facts and an example fact."""
    by_reason: dict[str, list[Checked]] = {}
    for checked in unknown:
        by_reason.setdefault(checked.reason, []).append(checked)
    for reason, facts in sorted(by_reason.items(), key=lambda entry: -len(entry[1])):
        yield f"  ? {len(facts)} × {reason}, such as: {facts[0].fact.sentence}"
