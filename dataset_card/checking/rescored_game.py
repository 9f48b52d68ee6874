"""A run of a game other than reconstruction, computed again: measures, from the recorded steps."""

from collections import Counter
from collections.abc import Iterator, Mapping
from math import isclose
from typing import Any

from dataset_card.card.verification import RunVerification
from dataset_card.checking.recomputing import TOLERANCE
from dataset_card.checking.rescored_run import Draw
from dataset_card.findings import short_value
from dataset_card.games.rows_to_game_records import ReleasedGameRun
from ircore import __version__
from ircore.core.game_records import GameScore
from ircore.games.base import Game
from ircore.games.registry import load_game
from ircore.scorers.game_measures import measured_scores, payloads_of, played

Question = tuple[str, str, int | None]
"""Episode, measure and step of a value."""


def rescore_game_run(run: ReleasedGameRun, key: str, draw: Draw) -> tuple[list[str], RunVerification]:
    """Compute the measures of a run again; return a line for each difference, and the record of the comparison.

    Args:
        run: The run, as read back.
        key: Hash of its rows.
        draw: Choice of the episodes.

    Raises:
        InputError: The game is not installed, or a step does not fit it.
        WorkError: The game cannot be imported, or broke.
    """
    game = load_game(run.run.game)
    episodes = draw.of(run.run.run_id, run.episodes())
    names = {episode.episode_id for episode in episodes}
    payloads = payloads_of(game, run.instances, run.instances.instances)
    computable = {measure.key for measure in game.measures if measure.needs == "steps"}
    stated = {_question(score): score for score in run.measured() if score.episode_id in names}
    computed = {
        _question(score): score
        for episode in episodes
        if played(game, episode)
        for score in measured_scores(game, episode, payloads)
    }
    compared = {question: score for question, score in stated.items() if score.measure in computable}
    verification = RunVerification(
        run_id=run.run.run_id,
        key=key,
        share=draw.share,
        seed=draw.seed if draw.share < 1 else None,
        episodes=len(episodes),
        rules=(),
        judges={},
        metrics=dict(sorted(Counter(score.measure for score in compared.values()).items())),
        not_verified=_not_verified(game, stated),
        version=__version__,
    )
    return list(_differences(run.run.run_id, compared, computed)), verification


def _question(score: GameScore) -> Question:
    return score.episode_id, score.measure, score.step


def _not_verified(game: Game[Any], stated: Mapping[Question, GameScore]) -> dict[str, str]:
    """Return why values cannot be computed again, by measure; measures of the steps alone can."""
    reasons = {"pictures": "computed from pictures", "judge": "a judge's answers", "person": "people rated"}
    needs = {measure.key: measure.needs for measure in game.measures}
    names = sorted({score.measure for score in stated.values() if needs.get(score.measure) != "steps"})
    return {name: reasons.get(needs.get(name, ""), "the installed game has no such measure") for name in names}


def _differences(
    run_id: str, stated: Mapping[Question, GameScore], computed: Mapping[Question, GameScore]
) -> Iterator[str]:
    for question in dict.fromkeys((*stated, *computed)):
        ours, theirs = computed.get(question), stated.get(question)
        if ours is None or theirs is None or not _agrees(theirs.value, ours.value):
            episode_id, measure, step = question
            where = f"run {run_id}, episode {episode_id}" + ("" if step is None else f", step {step}")
            yield f"{where}, {measure}: is {_words(theirs)}, computed again {_words(ours)}"


def _agrees(stated: float | None, computed: float | None) -> bool:
    if stated is None or computed is None:
        return stated is computed
    return isclose(stated, computed, rel_tol=TOLERANCE, abs_tol=TOLERANCE)


def _words(score: GameScore | None) -> str:
    return "missing" if score is None else "no value" if score.value is None else short_value(score.value)
