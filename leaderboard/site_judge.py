"""The judge whose scores lead the site, and the kind of every judge."""

from functools import cache

from ircore.core.errors import InputError
from ircore.core.plugins import available, load
from ircore.core.score_records import HUMAN, JudgeKind
from ircore.results.model import Results

_PREFERRED: tuple[JudgeKind, ...] = ("human", "model", "computed")
"""Kinds of judges by preference: people before models, models before formulas."""

ENOUGH = 0.5
"""Pairs that a judge must have rated to lead the site, as a share of those that the most thorough judge rated."""


def judge_kind(results: Results, judge: str) -> JudgeKind:
    """Return a judge's kind, as recorded by the runs, else by its plug-in; an unknown judge counts as a model."""
    if judge == HUMAN:
        return "human"
    if judge in results.judge_identities:
        return results.judge_identities[judge].kind
    return _installed_kind(judge)


@cache
def _installed_kind(judge: str) -> JudgeKind:
    """Return the kind that a judge's plug-in declares; cached, since the search takes longer than a board's row."""
    kind: JudgeKind = load("judges", judge).kind if judge in available("judges") else "model"
    return kind


def rates(results: Results, judge: str) -> bool:
    """Return whether a judge rated any final rendering, rather than only compared it with the first rendering."""
    return any(results.cell(submission.run_id, judge).score.n for submission in results.submissions)


def site_judge(results: Results, wanted: str | None = None) -> str:
    """Return the judge shown on the front page and on every page with room for a single judge.

    By default that is the first by kind (human, model, computed), then by pairs rated, then by name, of those judges
    that rated similarity for at least half as many pairs as the most thorough one: people who looked at one pair of
    twenty do not make a board.

    Args:
        results: Results of all runs on the site.
        wanted: A judge's name; None for the choice above.

    Raises:
        InputError: The judge wanted rated nothing here, or none has rated similarity.
    """
    rated = {judge: count for judge in results.judges if (count := _rated(results, judge))}
    if wanted is not None and wanted not in rated:
        known = ", ".join(rated) or "none"
        raise InputError(f"{wanted}: no such judge rated similarity in these runs", f"Give --judge one of: {known}.")
    if not rated:
        return results.judges[0]
    thorough = [judge for judge, count in rated.items() if count >= ENOUGH * max(rated.values())]
    return wanted or min(
        thorough, key=lambda judge: (_PREFERRED.index(judge_kind(results, judge)), -rated[judge], judge)
    )


def _rated(results: Results, judge: str) -> int:
    return sum(results.cell(submission.run_id, judge).score.n > 0 for submission in results.submissions)
