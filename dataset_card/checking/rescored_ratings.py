"""Ratings of installed judges in a run of a game other than reconstruction, computed again from embedded pictures."""

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

from dataset_card.checking.recomputing import find_obstacles, is_same_score
from dataset_card.checking.rescored_run import describe_difference
from dataset_card.tables.released_run import ReleasedRun
from ircore.core.episode_records import Episode
from ircore.core.records import Instance
from ircore.core.score_records import Score
from ircore.games.base import Game
from ircore.games.registry import has_rated_pictures
from ircore.instances.store import may_be_published
from ircore.scorers.material import Material, Wanted, compute_scores, find_question
from ircore.scorers.rated_episodes import RatedEpisode, iterate_rated_episodes


@dataclass
class RescoredRatings:
    """Outcome of computing ratings again.

    >>> RescoredRatings().faults
    []
    """

    faults: list[str] = field(default_factory=list)
    """One line for each rating that differs."""

    judges: Counter[str] = field(default_factory=Counter)
    """Number of ratings that were computed again, by judge."""

    not_verified: dict[str, str] = field(default_factory=dict)
    """Why ratings are not computed again, by judge."""


def recompute_ratings(run: ReleasedRun, game: Game[Any], episodes: Iterable[Episode]) -> RescoredRatings:
    """Compute the ratings of the judges that are installed here, and compare.

    Args:
        run: The run, as read back.
        game: Its game.
        episodes: Those of its episodes that were drawn.

    Raises:
        InputError: A step does not fit the game, or a picture has changed since it was checked.
        WorkError: The game or a judge broke.
    """
    ratings = [score for score in run.scores() if score.task != "game"]
    result = RescoredRatings(not_verified=find_obstacles(ratings, run.judges()))
    stated: dict[str, list[Score]] = {}
    for score in ratings:
        if score.by not in result.not_verified:
            stated.setdefault(score.episode_id, []).append(score)
    if not has_rated_pictures(game):
        judges = {score.by for scores in stated.values() for score in scores}
        result.not_verified |= dict.fromkeys(sorted(judges), "the installed game has no pictures that judges rate")
        return result
    instances = {instance.instance_id: instance for instance in run.instances.instances}
    drawn = [episode for episode in episodes if episode.episode_id in stated]
    for rated in iterate_rated_episodes(game, run.instances, drawn):
        scores, instance = stated[rated.episode_id], instances[rated.instance_id]
        if may_be_published(instance.licence):
            result.judges.update(score.by for score in scores)
            again = _compute_ratings(run, rated, scores, instance)
            result.faults += _compare_ratings(run.run.run_id, scores, again)
        else:
            result.not_verified |= {score.by: "the release holds no pictures of it" for score in scores}
    return result


def _compute_ratings(
    run: ReleasedRun, rated: RatedEpisode, stated: Iterable[Score], instance: Instance
) -> dict[Wanted, Score]:
    """Return the ratings of an episode as they are computed from its pictures, by what was asked."""
    by_original: dict[str, list[Wanted]] = {}
    for wanted in map(find_question, stated):
        rendering = rated.renderings.get(wanted.turn)
        # A rating of any other picture answers nothing that a judge is asked.
        if rendering is not None and rendering.sha256 == wanted.rendering:
            by_original.setdefault(rated.originals[wanted.turn].picture, []).append(wanted)
    computed: dict[Wanted, Score] = {}
    for name, questions in by_original.items():
        first, *_ = rated.renderings.values()
        asked = {first.sha256: first} | {wanted.rendering: rated.renderings[wanted.turn] for wanted in questions}
        drawn = {sha256: run.rendering(rendering) for sha256, rendering in asked.items()}
        scene = rated.originals[questions[0].turn].scene
        original = run.instances.picture(instance, name)
        scored = compute_scores(Material(original, drawn[first.sha256], drawn, tuple(questions), scene))
        computed |= {find_question(score): score for score in scored.scores}
    return computed


def _compare_ratings(run_id: str, stated: Iterable[Score], computed: Mapping[Wanted, Score]) -> Iterator[str]:
    for score in stated:
        again = computed.get(find_question(score))
        if again is None:
            where = f"run {run_id}, episode {score.episode_id}, turn {score.step}"
            yield f"{where}: {score.by} ({score.task}) rates a picture that the game does not name"
        elif not is_same_score(score, again):
            yield describe_difference(run_id, score, again)
