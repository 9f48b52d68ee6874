"""Values of the measures that a game declares, and a run's rules in words."""

import json

from pydantic import Field, model_validator

from ircore.core.records import Fields, Name, Record, is_none

LONGEST_NOTE = 2000
"""Characters of the words that explain a value."""


class GameScore(Record):
    """A value of a measure of a game. A line of the file ``measures.jsonl``."""

    episode_id: Name = Field(description="The episode that was measured.")
    measure: Name = Field(description="Key of the measure, as the game declares it.")
    step: int | None = Field(default=None, ge=1, description="The step, 1-based; null for a measure of the episode.")
    value: float | None = Field(description="In the measure's unit; null if there is none.")
    reason: str | None = Field(default=None, max_length=500, description="Why value is null.")
    note: str | None = Field(
        default=None, max_length=LONGEST_NOTE, exclude_if=is_none, description="The value explained in words."
    )

    @model_validator(mode="after")
    def _value_or_reason(self) -> "GameScore":
        if (self.value is None) == (self.reason is None):
            raise ValueError("a score has either a value or a reason why not")
        return self


def rules_key(rules: Fields) -> str:
    """Return the rules of a run as one word for tables; equal rules have equal keys.

    >>> rules_key({"rounds": 3, "feedback": True})
    'feedback=true,rounds=3'
    >>> rules_key({})
    'none'
    """
    return ",".join(f"{name}={rule_word(value)}" for name, value in sorted(rules.items())) or "none"


def rules_words(rules: Fields) -> str:
    """Return the rules of a run for people; empty without rules.

    >>> rules_words({"rounds": 3, "feedback": True})
    'feedback=true, rounds=3'
    """
    return ", ".join(f"{name}={rule_word(value)}" for name, value in sorted(rules.items()))


def rule_word(value: object) -> str:
    """Return the value of a rule as a manifest has it, a text without its quotation marks.

    >>> rule_word(False), rule_word(3), rule_word("edit")
    ('false', '3', 'edit')
    """
    return json.dumps(value, sort_keys=True, default=str).strip('"')
