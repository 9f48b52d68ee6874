"""The names of pairs and conditions, the same in all tables."""

from collections import Counter
from collections.abc import Mapping, Sequence

from ircore.core.counted import counted
from ircore.core.records import Rules
from ircore.results.model import SubmissionResult

ALL = "all"
"""Stands in files for every category, or both difficulties."""

USUAL = Rules()


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
    unusual = [*unusual_rules(submission.rules), *prompts]
    return f"{submission.describer} + {submission.generator}" + (f" ({', '.join(unusual)})" if unusual else "")


def unusual_rules(rules: Rules) -> list[str]:
    """Return the differences between rules and the default rules, in words."""
    turns = counted(rules.max_turns, "turn")
    return [
        *([f"budget {rules.token_budget}"] if rules.token_budget != USUAL.token_budget else []),
        *([turns] if rules.max_turns != USUAL.max_turns else []),
        *([f"over budget: {rules.over_budget}"] if rules.over_budget != USUAL.over_budget else []),
        *rules.variants,
    ]


def condition_words(category: str | None, difficulty: str | None) -> str:
    """Name a condition in words, such as ``hard geometry`` or ``all targets``."""
    if category is None and difficulty is None:
        return "all targets"
    return " ".join(part for part in (difficulty, (category or "targets").replace("_", " ")) if part)
