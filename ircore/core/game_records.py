"""A run's rules in words."""

import hashlib
import json
import re
from collections.abc import Sequence
from typing import NamedTuple

from ircore.core.records import Fields


class StatedRules(NamedTuple):
    """The rules of a run as its record states them.

    >>> rules = StatedRules.of({"rounds": 3, "feedback": True}, defaults={"rounds": 6, "feedback": True})
    >>> rules.key, rules.unusual, rules.words
    ('feedback=true,rounds=3', ('rounds: 3',), 'feedback on, rounds: 3')
    """

    key: str
    """One word for tables; equal rules have equal keys."""

    unusual: tuple[str, ...] = ()
    """Rules that are not the defaults, in words."""

    phrases: tuple[str, ...] = ()
    """Every rule in words."""

    setting: str = ""
    """Name that the game's paper has for them; empty without one."""

    @classmethod
    def of(cls, rules: Fields, defaults: Fields, setting: str = "") -> "StatedRules":
        """Return rules with their key and their words.

        Args:
            rules: As the run states them.
            defaults: The game's.
            setting: Name that the game's paper has for them.
        """
        others = {name: value for name, value in rules.items() if name not in defaults or defaults[name] != value}
        return cls(rules_key(rules), rule_phrases(others), rule_phrases({**defaults, **rules}), setting)

    @property
    def words(self) -> str:
        """The rules for people."""
        return ", ".join(self.phrases)

    def apart(self, among: "Sequence[StatedRules]") -> str:
        """Return what sets these rules apart from the first of some: the paper's name, or words; empty for the first.

        >>> on, off = (StatedRules.of({"live": live, "hops": 8}, {}) for live in (True, False))
        >>> off.apart([on, off]), on.apart([on, off]), (named := off._replace(setting="L2")).apart([on, named])
        ('live off', '', 'L2')
        """
        if self != among[0] and self._is_named(among):
            return self.setting
        return ", ".join(phrase for phrase in self.phrases if phrase not in among[0].phrases)

    def label(self, among: "Sequence[StatedRules]") -> str:
        """Return a short name that tells these rules from others: the paper's name, or what not all of them state.

        >>> on, off = (StatedRules.of({"live": live, "hops": 8}, {}) for live in (True, False))
        >>> on.label([on, off]), on._replace(setting="L2").label([on, off])
        ('live on', 'L2')
        """
        if self._is_named(among):
            return self.setting
        own = (phrase for phrase in self.phrases if not all(phrase in other.phrases for other in among))
        return ", ".join(own) or "usual rules"

    def _is_named(self, among: "Sequence[StatedRules]") -> bool:
        """Return whether the rules have a name that none of the others has."""
        return bool(self.setting) and all(other.setting != self.setting or other == self for other in among)

    def slug(self, among: "Sequence[StatedRules]") -> str:
        """Return the same name for addresses: letters, digits and hyphens.

        >>> on, off = (StatedRules.of({"live": live, "hops": 8}, {}) for live in (True, False))
        >>> off.slug([on, off])
        'live-off'
        """
        name = re.sub("[^a-z0-9]+", "-", self.label(among).lower()).strip("-")[:60]
        alike = [other for other in among if other.label(among).lower() == self.label(among).lower()]
        # Signs that addresses cannot have may be all that sets two sets of rules apart.
        plain = len(alike) == 1 and re.fullmatch("[a-z0-9 :,]{1,60}", self.label(among).lower())
        return name if plain else f"{name or 'rules'}-{hashlib.sha256(self.key.encode()).hexdigest()[:6]}"


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
    'feedback on, rounds: 3'
    """
    return ", ".join(rule_phrases(rules))


def rule_phrases(rules: Fields) -> tuple[str, ...]:
    """Return each rule of a run for people, by name; a rule without a value, such as an empty list, says nothing.

    >>> rule_phrases({"max_steps": 3, "feedback": False, "words": []})
    ('feedback off', 'max steps: 3')
    """
    return tuple(
        f"{name.replace('_', ' ')} {'on' if value else 'off'}"
        if isinstance(value, bool)
        else f"{name.replace('_', ' ')}: {rule_word(value)}"
        for name, value in sorted(rules.items())
        if value not in ("", None, [])
    )


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
