"""The headline judge: whose scores order a board when nobody names a judge."""

from functools import cache

from ircore.core.errors import InputError
from ircore.core.plain_words import format_count
from ircore.core.plugins import load_plugin
from ircore.core.score_records import HUMAN, JudgeKind
from ircore.core.score_records import VERIFIED as VERIFIED
from ircore.results.arrays import select_condition
from ircore.results.model import Results

ENOUGH = 0.5
"""Pairs that a judge must have rated to be the headline, as a share of those that the most thorough judge rated."""

_PREFERRED: tuple[JudgeKind, ...] = ("human", "model", "computed")
"""Kinds of the other judges by preference: people before models, models before formulas."""


def judge_kind(results: Results, judge: str) -> JudgeKind:
    """Return a judge's kind as the runs record it, else as the plug-in states it; unknown judges count as models."""
    if judge == HUMAN:
        return "human"
    # As recorded: the plug-in installed here may be another version, or missing.
    if judge in results.judge_identities:
        return results.judge_identities[judge].kind
    return _find_judge_kind(judge)


@cache
def _find_judge_kind(judge: str) -> JudgeKind:
    """Return the kind that a judge's plug-in declares; cached, since the search takes longer than a board's row."""
    try:
        kind: JudgeKind = load_plugin("judges", judge).kind
    # A judge of another package need not be installed, or sound, to show what it rated.
    except InputError:
        return "model"
    return kind


def sort_judges(results: Results, category: str | None = None, difficulty: str | None = None) -> tuple[str, ...]:
    """Return the judges that rated final renderings under a condition, the headline first.

    ``verified`` comes first, then people, models and formulas; of a kind, who rated more pairs. Judges that rated fewer
    than half of what the most thorough one rated come after the others: people who looked at one pair of twenty
    do not make a board.

    Args:
        results: Of any runs.
        category: Only this category; all if None.
        difficulty: Only this difficulty; both if None.

    Example:
        >>> import ircore
        >>> sort_judges(ircore.load_results("run"))[0]
        'verified'
    """
    rated = {judge: count for judge in results.judges if (count := _count_rated(results, judge, category, difficulty))}
    most = max(rated.values(), default=0)
    return tuple(
        sorted(
            rated,
            key=lambda judge: (
                # False sorts before True, so judges that rated enough come first, and of these verified.
                rated[judge] < ENOUGH * most,
                judge != VERIFIED,
                _PREFERRED.index(judge_kind(results, judge)),
                -rated[judge],
                judge,
            ),
        )
    )


def find_headline_judge(results: Results, category: str | None = None, difficulty: str | None = None) -> str | None:
    """Return the default judge of a board; None if no judge has rated anything on it.

    Where a condition holds photographs alone, ``verified`` is not applicable and the next judge takes its place.
    """
    return next(iter(sort_judges(results, category, difficulty)), None)


def find_headline(results: Results) -> str:
    """Return what a board is headed by where nobody chooses: the game's own headline, or the headline judge.

    Raises:
        InputError: Judges give the headline, and none has rated anything.
    """
    if not results.game.is_judged:
        return results.game.headline.key
    chosen = find_headline_judge(results)
    if chosen is None:
        raise results.no_ratings()
    return chosen


def describe_headline(results: Results, category: str | None = None, difficulty: str | None = None) -> str | None:
    """Return the note about the judge ``verified`` under a condition; None if no note is needed."""
    targets = select_condition(results.instances, category, difficulty)
    drawn = sum(instance.scene is not None for instance in targets)
    headline = find_headline_judge(results, category, difficulty)
    if headline is None or not targets:
        return None
    if not drawn:
        return f"verified is not applicable, since no target here has a scene: the headline judge is {headline}."
    if not _count_rated(results, VERIFIED, category, difficulty):
        return f"The headline judge is {headline}: ircore score adds verified, which checks the facts of each target."
    if drawn < len(targets):
        return f"verified is applicable to {drawn} of {format_count(len(targets), 'target')}: the others have no scene."
    return None


def _count_rated(results: Results, judge: str, category: str | None, difficulty: str | None) -> int:
    """Count the pairs of which a judge rated a final rendering under a condition."""
    keys = ((submission.run_id, category, difficulty, judge) for submission in results.submissions)
    return sum(key in results.cells and results.cells[key].score.n > 0 for key in keys)
