"""The facts of a scene, each with part, weight, tolerance and a sentence in plain English."""

from ircore.scorers.verification.scene_facts.records import PARTS, Fact, Mark, Part
from ircore.scorers.verification.scene_facts.scene import (
    COLOURS,
    GROUNDS,
    SHARES,
    Share,
    find_share,
    list_facts,
    list_marks,
    weigh_facts,
)

__all__ = [
    "COLOURS",
    "GROUNDS",
    "PARTS",
    "SHARES",
    "Fact",
    "Mark",
    "Part",
    "Share",
    "find_share",
    "list_facts",
    "list_marks",
    "weigh_facts",
]  # fmt: skip
