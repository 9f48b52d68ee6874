"""Trust tiers of rows: who played the run, and who computed its scores."""

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass

from ircore.results.model import SubmissionResult
from ircore.runs.provenance import UNCOMMITTED, Flag


@dataclass(frozen=True)
class Tier:
    """Degree of trust in a row."""

    key: str
    """Name of the tier in the classes of its badge."""

    label: str
    """Text of the badge."""

    description: str
    """Meaning of the tier, in one sentence."""


MAINTAINERS = Tier(
    "maintainers", "maintainer-run", "played by the maintainers, or played again by them with the same result"
)
RESCORED = Tier(
    "rescored", "re-scored", "played by the submitter; scores computed here from the raw messages and pictures"
)
REPORTED = Tier(
    "self-reported", "self-reported", "handed in, not played or scored here: listed without numbers or rank"
)
PAPER = Tier("paper", "paper", "numbers as the paper reports them")
HERE = Tier("here", "played here", "played and scored by whoever built this site; nobody else has checked it")

LEGEND = (MAINTAINERS, RESCORED, REPORTED, PAPER, HERE)
"""Every tier, the most trusted first; HERE stands for a site built on one's own machine."""


FINDINGS = {
    "addresses_a_judge": "a message that speaks to a judge (judges see pictures only)",
    "another_model": "answers of another model than the manifest names",
    "encoded_message": "a message that carries data in disguise instead of words",
    "hidden_characters": "a message with characters that cannot be seen",
    "chosen_failures": "technical failures on hard targets, hardly by chance",
    "clock": "a time of play that cannot be",
    "copied_picture": "a rendering with patches or fine detail of its target that no words tell",
    "copy_of_target": "a rendering that can hardly be told from its target",
    "identical_to_target": "a rendering like a target, pixel by pixel",
    "like_another": "a rendering that can hardly be told from another pair's",
    "long_message": "a message with very many characters a token",
    "many_failures": "many episodes that failed for technical reasons",
    "names_a_target": "a message that names a target by an id that no seat is told",
    "no_cost": "answers without a cost from a model that has a price",
    "not_reproduced": "answers that the offline player does not give",
    "other_order": "episodes in another order than the run's commitment gives",
    "out_of_order": "an answer recorded before what it answers",
    "rendering_of_another": "a rendering that another pair has too",
    "replay_is_worse": "episodes that are worse when maintainers play them again",
    "reused_rendering": "the same picture in several episodes",
    "same_message": "the same words for several targets",
    "stops_at_best": "wavering episodes that end at their best rendering far more often than other pairs' do",
    "text_to_a_judge": "a text in a rendering that speaks to a judge",
    "time": "a time that cannot be",
    "tiny_rendering": "a rendering too small to show anything",
    "tokens": "fewer tokens than there are words",
    "points_at_a_target": "a message that points at a target of the set and describes nothing",
    "unlikely_text": "a message that hardly looks like words",
    "unstated_facts": "labels, values, sizes and angles that are right in the pictures and that no message states",
    "words_do_not_carry": "words that are worth nothing to a neutral generator, or nothing in other words",
}
"""Descriptions of the findings of re-scoring, by rule."""


def find_tier(submission: SubmissionResult) -> Tier:
    """Return how far a row can be trusted.

    Args:
        submission: The run behind the row.
    """
    known = submission.provenance
    if known is None:
        return HERE
    return {"maintainers": MAINTAINERS, "rescored": RESCORED}[known.kind]


def list_trust_lines(submission: SubmissionResult) -> list[tuple[str, str]]:
    """Return the parties who vouch for a run and the findings of its checks, as text for pages.

    Args:
        submission: The run.
    """
    tier, known = find_tier(submission), submission.provenance
    lines = [("Trust", f"{tier.label}: {tier.description}")]
    if known is None:
        return lines
    code = f"ircore {known.version}" + (f", commit {known.commit}" if known.commit else "")
    done = {"maintainers": "Played by maintainers", "rescored": "Re-scored"}
    lines.append((done[known.kind], f"{known.when}, {code}"))
    if (source := known.source) is not None:
        lines.append(("Commitment", known.committed.words if known.committed else UNCOMMITTED))
        lines.append(("Transcripts", f"{source.repo}, commit {source.revision}, run {source.run}"))
    if source is not None or known.flags:
        lines.append(("Findings", _describe_findings(known.flags)))
    return lines


def _describe_findings(flags: Sequence[Flag]) -> str:
    if not flags:
        return "none: the rules were played again on every episode, and nothing unlikely was seen"
    counts = Counter(flag.rule for flag in flags)
    findings = ", ".join(f"{count} × {FINDINGS.get(rule, rule)}" for rule, count in counts.items())
    return f"{findings}; first: {flags[0].where}. None breaks a rule; they are for people to look at"
