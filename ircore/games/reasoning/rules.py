"""Rules of the reasoning game."""

from pydantic import Field

from ircore.core.records import GameRules


class ReasoningRules(GameRules):
    """Rules of a run.

    >>> ReasoningRules().thinking
    False
    """

    thinking: bool = Field(
        default=False,
        strict=True,
        description="Whether a thinker reads the task first and tells the drawer in plain words what to draw.",
    )
