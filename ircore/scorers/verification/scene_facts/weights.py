"""How much each fact of a scene counts: shares of the whole, the same whatever the number of labels or bars.

The facts of a scene together weigh 100. What they weigh beside each other within a share is stated where they are drawn
up; here each share is brought to its size.
"""

from collections.abc import Container, Mapping, Sequence
from dataclasses import replace
from math import fsum
from typing import Literal

from ircore.scorers.verification.scene_facts.axes import GROUP_WEIGHTS
from ircore.scorers.verification.scene_facts.records import Fact

Share = Literal["data", "data colours", "writing", "frame", "ground"]

SHARES: Mapping[Share, float] = {"data": 52, "data colours": 16, "writing": 22, "frame": 6, "ground": 4}
"""Weight of each share: what marks that carry data show, and their colours; all labels; axes, grids, frames and tick
marks; the colours of the ground. Where a scene lacks a share, the others grow in proportion."""

COLOURS = frozenset({"colour", "outline"})
"""Attributes that are colours."""

GROUNDS = frozenset({"background", "ground", "panel"})
"""Kinds of marks on which everything else is drawn."""


def share_of(fact: Fact, written: Container[str]) -> Share:
    """Return the share of the whole in which a fact counts.

    Args:
        fact: Of a scene.
        written: Keys of the scene's marks that are texts.
    """
    if fact.mark in written:
        return "writing"
    if fact.kind in GROUNDS or fact.kind in GROUP_WEIGHTS:
        return "ground" if fact.attribute in COLOURS else "frame"
    return "data colours" if fact.attribute in COLOURS else "data"


def weighed(facts: Sequence[Fact], unasked: Container[str] = ()) -> list[Fact]:
    """Return facts with weights that add up to 100, each share at its size.

    Args:
        facts: Of one scene; their weights count within a share.
        unasked: Keys of facts that are not asked of renderings; their weight becomes 0.
    """
    written = {fact.mark for fact in facts if fact.attribute == "text"}
    sums: dict[Share, float] = {}
    for share in SHARES:
        own = [fact.weight for fact in facts if share_of(fact, written) == share and fact.key not in unasked]
        if own:
            sums[share] = fsum(own)
    whole = fsum(SHARES[share] for share in sums)
    factors = {share: 100 * SHARES[share] / whole / own for share, own in sums.items()}
    return [
        replace(
            fact,
            weight=0.0 if fact.key in unasked else round(fact.weight * factors[share_of(fact, written)], 6),
        )
        for fact in facts
    ]  # fmt: skip
