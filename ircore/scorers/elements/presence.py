"""Element presence: which things of the reference a generated picture shows (EPPr, EPRe, EPF1 of ConvGenVisMo).

Two definitions stand side by side. The published code divides a number of shared *classes* by a number of *instances*,
so that two persons for two persons score 0.5; the corrected one counts instances on both sides.
"""

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Literal

Empty = Literal["neither", "reference", "generated", "both"]
"""Which of the two lists has no element."""

EmptyRule = Literal["one", "zero", "none"]
"""What a ratio is whose denominator is an empty list: 1, as published; 0; or no value."""


@dataclass(frozen=True)
class Presence:
    """Element presence of one pair of pictures."""

    precision: float | None
    """Share of the generated elements that the reference has, 0–1; None where the rule gives none."""

    recall: float | None
    """Share of the reference's elements that were generated, 0–1."""

    f1: float | None
    """Harmonic mean of both; 0 where they add up to 0."""

    empty: Empty
    """Which list was empty, so that the rule and not the picture decided."""


def which_empty(reference: Mapping[str, object] | int, generated: Mapping[str, object] | int) -> Empty:
    """Say which side has nothing."""
    if not reference:
        return "reference" if generated else "both"
    return "neither" if generated else "generated"


def presence_published(reference: Mapping[str, int], generated: Mapping[str, int]) -> Presence:
    """Return element presence as ConvGenVisMo's code computes it.

    P = n / Σ generated, R = n / Σ reference with n the number of classes in both; 1 where the side is empty; F1 is 0
    if P + R = 0. A perfect picture with two of a kind scores below 1.

    Args:
        reference: Instances by label in the reference.
        generated: Instances by label in the generated picture.
    """
    shared = len(_positive(reference) & _positive(generated))
    return _presence(shared, reference, generated, "one")


def presence(reference: Mapping[str, int], generated: Mapping[str, int], rule: EmptyRule = "none") -> Presence:
    """Return element presence over instances: each label counts as often as both pictures show it.

    P = Σ min(r, g) / Σ g, R = Σ min(r, g) / Σ r.

    Args:
        reference: Instances by label in the reference.
        generated: Instances by label in the generated picture.
        rule: What a ratio over an empty list is. With ``none`` it has no value; F1 is then 0 if one list is empty,
            since everything was missed or invented, and has no value if both are.
    """
    shared = (_positive(reference) & _positive(generated)).total()
    return _presence(shared, reference, generated, rule)


def _positive(counts: Mapping[str, int]) -> Counter[str]:
    # A list by hand may say {"person": 0}: that is no shared class.
    return Counter({label: count for label, count in counts.items() if count > 0})


def _presence(shared: int, reference: Mapping[str, int], generated: Mapping[str, int], rule: EmptyRule) -> Presence:
    reference_count, generated_count = sum(reference.values()), sum(generated.values())
    empty = which_empty(reference_count, generated_count)
    otherwise = {"one": 1.0, "zero": 0.0, "none": None}[rule]
    precision = shared / generated_count if generated_count else otherwise
    recall = shared / reference_count if reference_count else otherwise
    return Presence(precision, recall, _f1(precision, recall, empty), empty)


def _f1(precision: float | None, recall: float | None, empty: Empty) -> float | None:
    if precision is None or recall is None:
        # The rule "none" alone leads here: one list is empty, so the other one was missed or invented as a whole.
        return None if empty == "both" else 0.0
    return 2 * precision * recall / (precision + recall) if precision + recall else 0.0
