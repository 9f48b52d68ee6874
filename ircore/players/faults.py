"""Faults of requests to providers: their kinds, and how often a call may meet each of them."""

import math
from collections.abc import Mapping
from dataclasses import dataclass

from ircore.core.episode_records import AbortReason, FaultKind

MOST_ATTEMPTS: dict[FaultKind, float] = {
    # Faults that pass by themselves have no count of their own: the deadline bounds them.
    "rate_limit": math.inf,
    "server": math.inf,
    "timeout": 5,
    "unreachable": math.inf,
    "dropped": math.inf,
    # Everything below was or may have been billed.
    "malformed": 6,
    "cut_off": 4,
    "empty": 3,
    "no_image": 3,
    "bad_image": 3,
    "filtered": 2,
    "answer_too_long": 3,  # asked again with room for a shorter answer
    # The same question would get the same answer.
    "refused": 1,
    "rejected": 1,
    "denied": 1,
    "not_found": 1,
    "no_credit": 1,
    "unsupported": 1,
    "no_edits": 1,
    "too_many_pictures": 1,
    "context_too_long": 1,
}
"""How often a call may meet a kind of fault before it gives up; the deadline ends every call."""

STRANGER_ATTEMPTS = 5
"""How often a call tries to reach a provider that was never reached: then its address is wrong, and the run stops."""

SAME_ERRORS = 20
"""How often a service may fail with status 500 in the same words before a call gives up, some ten minutes on: services
that answer so to what they will never do are many, and their words know no rule."""

# Refused questions are not among them: another question may well be answered.
HARD: frozenset[FaultKind] = frozenset({"denied", "not_found", "no_credit", "unsupported", "no_edits"})
"""Faults that every further call would meet too: they stop the run."""

LIMITS: Mapping[FaultKind, AbortReason] = {
    "too_many_pictures": "too_many_pictures",
    "context_too_long": "context_too_long",
    "answer_too_long": "context_too_long",
}
"""Limits of a service that a question passed, with the abort reason: every repetition would pass them too."""


@dataclass(frozen=True)
class Fault:
    """The reason why an attempt failed.

    >>> Fault("rate_limit", "slow down", 429).retriable
    True

    Attributes:
        kind: Kind of fault, which decides whether the call is repeated.
        detail: The provider's whole words; they are shortened after secrets are removed.
        status: HTTP status, if one was read.
        retry_after: Seconds that the provider asks to wait, if it does; infinite if it names no time that comes.
        room: Tokens that the service has left for an answer, where it says that more were asked for.
        final: Whether asking again would pay again for what was already made, so that the call is not repeated.
    """

    kind: FaultKind
    detail: str
    status: int | None = None
    retry_after: float | None = None
    room: int | None = None
    final: bool = False

    @property
    def retriable(self) -> bool:
        """Whether the same question may be asked again."""
        return MOST_ATTEMPTS[self.kind] > 1
