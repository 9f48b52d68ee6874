"""The stored form of a verification beside its score, and the facts restored from it."""

import hashlib
import json
from collections.abc import Sequence
from math import fsum
from typing import Any

from ircore.core.fact_records import MOST_EXTRAS, UNASKED, VERDICT, ExtraBox, FactNote, FactVerdicts, letter_of
from ircore.core.records import Scene
from ircore.scorers.verification.scene_facts import Fact, facts_of, weighed
from ircore.scorers.verification.score import VERSION, Verification
from ircore.scorers.verification.verdicts import Checked

LONGEST = 200
"""Characters of a reason, and of what was seen, that are kept."""


def verdicts_of(verification: Verification) -> FactVerdicts:
    """Return the stored form of a verification: verdicts, and notes on the facts that do not hold."""
    reasons: dict[str, int] = {}
    notes = [
        FactNote(place, checked.credit, _seen(checked.seen), reasons.setdefault(checked.reason[:LONGEST], len(reasons)))
        for place, checked in enumerate(verification.facts)
        if checked.verdict != "holds"
    ]
    return FactVerdicts(
        version=VERSION,
        verdicts="".join(letter_of(checked.verdict, checked.fact.weight) for checked in verification.facts),
        parts=verification.parts,
        low=verification.low,
        high=verification.high,
        decided=verification.decided,
        cost=verification.cost,
        reader=verification.reader,
        reasons=tuple(reasons),
        notes=tuple(notes),
        extras=_bounded(verification.extras),
        transform=verification.transform.placement,
    )  # fmt: skip


def checked_facts(scene: Scene, stored: FactVerdicts) -> tuple[Checked, ...]:
    """Return the facts of a target with the verdicts that were stored for a rendering.

    Args:
        scene: What the target shows.
        stored: The verdicts.

    Returns:
        The facts in the order of ``facts_of``; none if the verdicts are of a version that drew up other facts.
    """
    facts = facts_of(scene)
    if stored.version not in (VERSION, facts_version(facts)) or len(facts) != len(stored.verdicts):
        return ()
    unasked = {fact.key for fact, letter in zip(facts, stored.verdicts, strict=True) if letter == UNASKED}
    facts = weighed(facts, unasked)
    notes = {note.fact: note for note in stored.notes}
    checked = []
    for place, (fact, letter) in enumerate(zip(facts, stored.verdicts, strict=True)):
        note, verdict = notes.get(place), VERDICT[letter]
        if note is None:
            checked.append(Checked(fact, verdict, 1.0 if verdict == "holds" else 0.0))
        else:
            checked.append(Checked(fact, verdict, note.credit, _unseen(note.seen), stored.reasons[note.reason]))
    return tuple(checked)


def facts_version(facts: Sequence[Fact]) -> str:
    """Return the version of a list of facts, for verdicts of a judge that was asked about its sentences."""
    words = "\0".join(f"{fact.key} {fact.sentence}" for fact in facts)
    return f"facts-{hashlib.sha256(words.encode()).hexdigest()[:12]}"


def _bounded(extras: Sequence[ExtraBox]) -> tuple[ExtraBox, ...]:
    """Return the kept extras, largest first; the last kept extra also has the weight of all further extras."""
    boxes = extras[:MOST_EXTRAS]
    rest = fsum(extra.weight for extra in extras[MOST_EXTRAS:])
    return (*boxes[:-1], ExtraBox(boxes[-1].box, boxes[-1].weight + rest)) if rest else tuple(boxes)


def _seen(value: Any) -> str | None:
    """Return the seen value as JSON; None where the text is too long to store."""
    text = None if value is None else json.dumps(value, ensure_ascii=False)
    return text if text is None or len(text) <= LONGEST else None


def _unseen(text: str | None) -> Any:
    return None if text is None else json.loads(text)
