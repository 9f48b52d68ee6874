"""Dimensions whose answers are judged by the things that are seen in them, and where."""

from abc import abstractmethod
from collections.abc import Mapping
from typing import Any

from ircore.core.images import Picture
from ircore.games.reasoning.dimensions.base import Dimension, Verdict
from ircore.games.reasoning.puzzles.forms import seen_forms
from ircore.games.reasoning.verifiers.detections import Detections

DETECTOR = "detector"
"""Field of a task about real things, which a vision model alone can see; coloured forms are seen without one."""

UNDECIDED = Verdict(
    None, None, False, ("real things are seen by a vision model: name the file of a judge in IRCORE_DETECTOR",)
)
"""The verdict on real things where no vision model is set up."""


class SeenThings(Dimension):
    """Tasks about coloured forms, or about real things where a vision model is set up.

    >>> from ircore.games.reasoning.dimensions.quantity import Quantity
    >>> ducks = Detections({"duck": ((0, 0, 10, 10), (20, 0, 30, 10))})
    >>> Quantity().judge({"expected": {"duck": 2}}, ducks).correct
    True
    """

    @abstractmethod
    def labels(self, payload: Mapping[str, Any]) -> tuple[str, ...]:
        """Return the names of the things that a task asks for."""

    @abstractmethod
    def judge(self, payload: Mapping[str, Any], detections: Detections) -> Verdict:
        """Judge the things seen in an answer."""

    def verify(self, payload: Mapping[str, Any], pictures: Mapping[str, Picture], answer: Picture) -> Verdict:  # noqa: ARG002 - what is asked needs no picture
        """Judge the coloured forms that are seen in an answer."""
        return self.judge(payload, seen_forms(answer.pixels))
