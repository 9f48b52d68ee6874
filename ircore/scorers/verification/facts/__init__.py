"""The facts of a scene, each with part, weight, tolerance and a sentence in plain English."""

from ircore.scorers.verification.facts.model import PARTS, Fact, Mark, Part
from ircore.scorers.verification.facts.scene import facts_of, marks_of

__all__ = ["PARTS", "Fact", "Mark", "Part", "facts_of", "marks_of"]
