"""The facts of a scene, each with part, weight, tolerance and a sentence in plain English."""

from ircore.scorers.verification.scene_facts.records import PARTS, Fact, Mark, Part
from ircore.scorers.verification.scene_facts.scene import (
    COLOURS,
    GROUNDS,
    SHARES,
    Share,
    facts_of,
    marks_of,
    share_of,
    weighed,
)

__all__ = [
    "COLOURS", "GROUNDS", "PARTS", "SHARES", "Fact", "Mark", "Part", "Share", "facts_of", "marks_of", "share_of",
    "weighed",
]  # fmt: skip
