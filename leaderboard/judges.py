"""Which judge the site shows where there is room for one, and what kind of judge each is."""

from functools import cache

from ircore.core.errors import InputError
from ircore.core.plugins import available, load
from ircore.core.score_records import HUMAN, JudgeKind
from ircore.results.model import Results

_PREFERRED: tuple[JudgeKind, ...] = ("human", "model", "computed")
"""A person's word before a model's, a model's before a formula's."""

ENOUGH = 0.5
"""Share of the pairs, of those that the most thorough judge rated, that a judge must have rated to lead the site."""


def judge_kind(results: Results, judge: str) -> JudgeKind:
    """Return what a judge's ratings come from; a judge of whom no run says so and that is not installed is a model."""
    if judge == HUMAN:
        return "human"
    if judge in results.judge_identities:
        return results.judge_identities[judge].kind
    return _installed_kind(judge)


@cache
def _installed_kind(judge: str) -> JudgeKind:
    """Return the kind of a judge by its plug-in: looking for one takes longer than a row of a board."""
    kind: JudgeKind = load("judges", judge).kind if judge in available("judges") else "model"
    return kind


def rates(results: Results, judge: str) -> bool:
    """Return whether a judge rated any final rendering, rather than only compare it with the first."""
    return any(results.cell(one.run_id, judge).score.n for one in results.submissions)


def site_judge(results: Results, wanted: str | None = None) -> str:
    """Choose the judge of the front page and of every page that has room for one.

    Without a wish it is the first by kind (human, model, computed), then by pairs rated, then by name, of those judges
    that rated similarity for at least half as many pairs as the most thorough one: people who looked at one pair of
    twenty do not make a board.

    Args:
        results: What the site shows.
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
    return sum(results.cell(one.run_id, judge).score.n > 0 for one in results.submissions)
