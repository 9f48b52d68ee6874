"""A run of a release, computed again: the drawn episodes, the questions about them, and the differences."""

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from math import ceil
from random import Random

from dataset_card.card.verification import REPLAYED, RunVerification
from dataset_card.checking.recomputing import find_obstacles, is_same_score
from dataset_card.checking.rescored_facts import StatedFacts
from dataset_card.checking.rule_replay import Replay, find_replay_obstacle
from dataset_card.tables.released_run import ReleasedRun
from ircore import __version__
from ircore.core.episode_records import Episode, Rendering
from ircore.core.images import Picture
from ircore.core.records import Instance, Scene
from ircore.core.score_records import Score
from ircore.scorers.material import Material, Scored, Wanted, find_question


@dataclass(frozen=True)
class Draw:
    """A choice of episodes to compute again: the same share of every run, drawn with a seed.

    Attributes:
        share: Above 0, up to 1.
        seed: Seed of the draw; unused if the share is 1.

    >>> episodes = tuple(range(8))  # any sequence can be drawn from
    >>> len(Draw(0.25, seed=7).of("a-run", episodes)), Draw().of("a-run", episodes) == episodes
    (2, True)
    """

    share: float = 1.0
    seed: int = 0

    def of(self, run_id: str, episodes: Sequence[Episode]) -> tuple[Episode, ...]:
        """Return the drawn episodes of a run in their order; at least one episode of a run that has any."""
        # Rounded first, since 0.07 * 100 is 7.000000000000001.
        count = ceil(round(self.share * len(episodes), 9))
        if count >= len(episodes):
            return tuple(episodes)
        # A draw for each run, so that it does not depend on the other runs of the release.
        chosen = Random(f"{self.seed} {run_id}").sample(range(len(episodes)), count)
        return tuple(episodes[index] for index in sorted(chosen))


class RunTask:
    """Scores and episodes of a run that are to be computed again.

    Args:
        run: The run as it was read back.
        draw: Choice of the episodes.

    Attributes:
        run_id: Id of the run.
        instances: The set that it was played on, without pictures.
        episodes: Those that were drawn, by what was played.
        is_replayed: Whether the episodes are played again by the rules.

    >>> from pathlib import Path
    >>> from dataset_card.checking.release_check import check_release
    >>> (run,) = check_release(Path("release")).runs
    >>> task = RunTask(run, Draw())
    >>> task.is_replayed, len(task.episodes)
    (True, 2)
    """

    def __init__(self, run: ReleasedRun, draw: Draw) -> None:
        self.run_id, self.instances = run.run.run_id, run.instances
        self._run = run
        drawn = draw.of(self.run_id, run.episodes())
        self.episodes: dict[str, list[Episode]] = {}
        for episode in drawn:
            self.episodes.setdefault(episode.instance_id, []).append(episode)
        self._not_verified = find_obstacles(run.scores(), run.judges())
        self._scores: dict[str, list[Score]] = {episode.episode_id: [] for episode in drawn}
        for score in run.scores():
            if score.episode_id in self._scores and score.by not in self._not_verified:
                self._scores[score.episode_id].append(score)
        scenes = {instance.instance_id: instance.scene for instance in self.instances.instances}
        self._scenes = {
            episode.episode_id: scene for episode in drawn if (scene := scenes[episode.instance_id]) is not None
        }
        self._facts = StatedFacts(run, self._scores)
        reason = find_replay_obstacle(run.run)
        self.is_replayed = reason is None
        self._not_verified |= {} if reason is None else {"rules": reason}

    @property
    def drawn(self) -> frozenset[str]:
        """Ids of the drawn episodes."""
        return frozenset(self._scores)

    def is_scored(self, episode: Episode) -> bool:
        """Say whether an episode has a score that can be computed again."""
        return bool(self._scores[episode.episode_id])

    def material(self, target: Picture, episode: Episode, scene: Scene | None) -> Material:
        """Return the pictures and questions that the scores of an episode are computed from."""
        drawn = {rendering.sha256: rendering for rendering in episode.renderings.values()}
        ends = [rendering.sha256 for rendering in episode.renderings.values()]
        scores = self._scores[episode.episode_id]
        # The first rendering is needed in any case, because a preference compares with it.
        needed = sorted({ends[0], *(score.picture[1] for score in scores)})
        pictures = {sha256: self._load_picture(drawn[sha256]) for sha256 in needed}
        wanted = sorted(
            map(find_question, scores), key=lambda question: _compute_sort_key(question, {ends[0], ends[-1]})
        )
        return Material(target, pictures[ends[0]], pictures, tuple(wanted), scene)

    def replay(self, instance: Instance, episode: Episode) -> Replay:
        """Return an episode to be played again by the rules."""
        return Replay(self._run.run, instance, episode)

    def differences(self, computed: Scored) -> Iterator[str]:
        """Yield a line for each score of an episode, and each rendering's facts, that differ from the computed ones."""
        yield from self._facts.differences(self._scenes, computed.facts)
        ours = {find_question(score): score for score in computed.scores}
        for stated in self._scores[computed.scores[0].episode_id]:
            score = ours[find_question(stated)]
            if not is_same_score(stated, score):
                yield describe_difference(self.run_id, stated, score)

    def verification(self, key: str, draw: Draw) -> RunVerification:
        """Return the record of the values that were computed again.

        Args:
            key: Hash of the run's rows.
            draw: How its episodes were drawn.
        """
        scores = [score for scores in self._scores.values() for score in scores]
        return RunVerification(
            run_id=self.run_id,
            key=key,
            share=draw.share,
            seed=draw.seed if draw.share < 1 else None,
            episodes=len(self._scores),
            rules=REPLAYED if self.is_replayed else (),
            judges=dict(sorted(Counter(score.by for score in scores if score.task != "metric").items())),
            metrics=dict(sorted(Counter(score.by for score in scores if score.task == "metric").items())),
            not_verified=self._not_verified,
            version=__version__,
        )

    def _load_picture(self, rendering: Rendering) -> Picture:
        return self._run.rendering(rendering)


def _compute_sort_key(question: Wanted, ends: set[str]) -> tuple[bool, bool, bool]:
    """Order questions so that a judge has rated both ends of an episode shortly before it is asked for a preference."""
    return question.task == "metric", question.rendering not in ends, question.task != "similarity"


def describe_difference(run_id: str, stated: Score, score: Score) -> str:
    """Return in words how a stated score differs from the computed one."""
    where = f"run {run_id}, episode {stated.episode_id}, turn {stated.step}, {stated.by} ({stated.task})"
    if stated.orders is not None:
        return f"{where}: says what each order gave; a computed judge is asked once"
    stated_value, computed_value = (
        "no value" if value is None else repr(value) for value in (stated.value, score.value)
    )
    return f"{where}: is {stated_value}, computed again {computed_value}"
