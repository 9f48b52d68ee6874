"""How far a row can be trusted: who played it, and who computed its scores."""

from dataclasses import dataclass

from ircore.results.model import SubmissionResult


@dataclass(frozen=True)
class Tier:
    """One degree of trust."""

    key: str
    """In addresses and files."""

    label: str
    """On the badge."""

    description: str
    """What it means, in one sentence."""


VERIFIED = Tier("verified", "verified", "played by the maintainers, or played again by them with the same result")
RESCORED = Tier(
    "rescored", "re-scored", "played by the submitter; scores computed here from the raw messages and pictures"
)
REPORTED = Tier("self-reported", "self-reported", "numbers as the submitter states them, nothing computed here")
PAPER = Tier("paper", "paper", "numbers as the paper reports them")
HERE = Tier("here", "played here", "played and scored by whoever built this site; nobody else has checked it")

LEGEND = (VERIFIED, RESCORED, REPORTED, PAPER, HERE)
"""Every tier, the most trusted first; HERE stands for a site built on one's own machine."""


def tier_of(submission: SubmissionResult) -> Tier:
    """Return how far a row can be trusted.

    Args:
        submission: The run behind the row.
    """
    known = submission.provenance
    if known is None:
        return HERE
    return VERIFIED if known.kind == "maintainers" else RESCORED
