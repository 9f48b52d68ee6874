"""A run's rules in words."""

import json
import re
from typing import NamedTuple

from ircore.core.records import Fields


class StatedRules(NamedTuple):
    """The rules of a run as its record states them.

    >>> StatedRules.of({"rounds": 3, "feedback": True}, defaults={"rounds": 6, "feedback": True})
    StatedRules(key='feedback=true,rounds=3', unusual=('rounds=3',), words='feedback=true, rounds=3')
    """

    key: str
    """One word for tables; equal rules have equal keys."""

    unusual: tuple[str, ...] = ()
    """Rules that are not the defaults, in words."""

    words: str = ""
    """The rules for people."""

    @classmethod
    def of(cls, rules: Fields, defaults: Fields) -> "StatedRules":
        """Return rules with their key and their words.

        Args:
            rules: As the run states them.
            defaults: The game's.
        """
        others = {name: value for name, value in rules.items() if name not in defaults or defaults[name] != value}
        unusual = tuple(f"{name}={rule_word(value)}" for name, value in sorted(others.items()))
        return cls(rules_key(rules), unusual, rules_words(rules))


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


def natural_key(text: str) -> list[str | int]:
    """Return a key by which numbers within texts are ordered by their size.

    >>> sorted(["b200-t10", "b50-t10"], key=natural_key)
    ['b50-t10', 'b200-t10']
    """
    return [int(part) if part.isdecimal() else part for part in re.split("([0-9]+)", text)]


def rule_word(value: object) -> str:
    """Return the value of a rule as a manifest has it, a text without its quotation marks.

    >>> rule_word(False), rule_word(3), rule_word("edit")
    ('false', '3', 'edit')
    """
    return json.dumps(value, sort_keys=True, default=str).strip('"')
