"""A run's rules in words."""

import json

from ircore.core.records import Fields


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
