"""The names of pairs and conditions, the same in all tables."""

from collections import Counter
from collections.abc import Mapping, Sequence

from ircore.results.model import SubmissionResult

ALL = "all"
"""Stands in files for every category, or both difficulties."""

MOST_NAMES = 2
"""Players by whose names a submission is known; of more players the submission's own name stands."""


def pair_names(submissions: Sequence[SubmissionResult]) -> Mapping[str, str]:
    """Return each pair's name by run id: players, unusual rules, prompts where they differ, slug if names coincide."""
    several = len({submission.run.prompts for submission in submissions}) > 1
    names = {submission.run_id: _pair(submission, several) for submission in submissions}
    count = Counter(names.values())
    return {
        submission.run_id: names[submission.run_id]
        if count[names[submission.run_id]] == 1
        else f"{names[submission.run_id]} ({submission.slug})"
        for submission in submissions
    }


def _pair(submission: SubmissionResult, with_prompts: bool) -> str:
    prompts = [f"prompts {submission.run.prompts}"] if with_prompts else []
    unusual = [*submission.rules.unusual, *prompts]
    # A row of more names is read by nobody.
    names = submission.players if len(submission.players) <= MOST_NAMES else (submission.name,)
    return " + ".join(names) + (f" ({', '.join(unusual)})" if unusual else "")


def condition_words(category: str | None, difficulty: str | None) -> str:
    """Name a condition in words, such as ``hard geometry`` or ``all targets``."""
    if category is None and difficulty is None:
        return "all targets"
    return " ".join(part for part in (difficulty, (category or "targets").replace("_", " ")) if part)
