"""A run of a release, computed again: the drawn episodes, the questions about them, and the differences.

Facts of a release compared with facts that are computed again from the release's pictures.
"""

import hashlib
import json
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from math import ceil
from random import Random

from dataset_card.card.verification import REPLAYED, RunVerification
from dataset_card.checking.recomputing import EpisodeReplay, find_obstacles, find_replay_obstacle, is_same_score
from dataset_card.tables.fact_table import FACT_COLUMNS, build_rendering_rows, group_by_turn
from dataset_card.tables.parquet import read_plain
from dataset_card.tables.release_source import ReleasedRun
from dataset_card.tables.rows import Row, parse_public_id
from dataset_card.tables.schema import FACTS
from ircore import __version__
from ircore.core.episode_records import Episode, Rendering
from ircore.core.images import Picture
from ircore.core.records import Instance, Scene
from ircore.core.score_records import VERIFIED, RenderingFacts, Score
from ircore.scorers.material import Material, Scored, Wanted, find_question

_COMPARED = tuple(name for name in FACT_COLUMNS if name not in ("episode_id", "step", "rendering_sha256", "judge"))

Place = tuple[str, str]
"""Episode and rendering."""


class StatedFacts:
    """The facts that a run of a release states; of each turn only a hash of the facts is held.

    Args:
        run: The run, as read back.
        episodes: Ids of the episodes that are computed again.

    >>> from pathlib import Path
    >>> from dataset_card.checking.release_check import check_release
    >>> (run,) = check_release(Path("release")).runs
    >>> list(StatedFacts(run, episodes=()).differences(scenes={}, computed=()))
    []
    """

    def __init__(self, run: ReleasedRun, episodes: Iterable[str]) -> None:
        self._run = run
        drawn = set(episodes)
        self._keys: dict[Place, dict[int, str]] = {}
        for place, turn, rows in self._group_by_turn():
            if place[0] in drawn:
                self._keys.setdefault(place, {})[turn] = _compute_key(rows)

    def differences(self, scenes: Mapping[str, Scene], computed: Iterable[RenderingFacts]) -> Iterator[str]:
        """Yield a line for each turn whose facts differ from the computed facts.

        Args:
            scenes: What the targets show, by episode.
            computed: Of the renderings of one episode.
        """
        if not self._keys:  # the release, or this run in it, was built before facts were kept
            return
        for line in computed:
            rows = list(build_rendering_rows(scenes[line.episode_id], line))
            place, key = (line.episode_id, line.rendering), _compute_key(rows)
            where = f"run {self._run.run.run_id}, episode {line.episode_id}"
            stated = self._keys.get(place)
            if stated is None:
                yield f"{where}: rendering {line.rendering[:12]}… has no facts, though others of this run have"
            for turn in (turn for turn, known in (stated or {}).items() if known != key):
                yield f"{where}, turn {turn}: {self._describe_difference(place, turn, rows)}"

    def _describe_difference(self, place: Place, turn: int, computed: list[Row]) -> str:
        ours = {str(row["fact"]): row for row in computed}
        # The table is read again, since only hashes of the stated facts are held.
        rows = next(rows for other, number, rows in self._group_by_turn() if (other, number) == (place, turn))
        stated = {str(row["fact"]): row for row in rows}
        for fact in dict.fromkeys((*stated, *ours)):
            of_table, own = stated.get(fact), ours.get(fact)
            if of_table is None or own is None:
                return f"fact {fact} is {'missing' if of_table is None else 'not there when computed again'}"
            for name in _COMPARED:
                if of_table[name] != own[name]:
                    return (
                        f"fact {fact}: {name} is {_shorten_value(of_table[name])}, computed again "
                        f"{_shorten_value(own[name])}"
                    )
        return "its facts are in another order"

    def _group_by_turn(self) -> Iterator[tuple[Place, int, list[Row]]]:
        rows = read_plain(self._run.fact_files, FACTS, FACT_COLUMNS)
        for (episode, turn, rendering, judge), own in group_by_turn(rows):
            # What a model said cannot be computed again.
            if judge == VERIFIED:
                yield (parse_public_id(episode), str(rendering)), int(str(turn)), own


def _compute_key(rows: Iterable[Row]) -> str:
    values = [[row[name] for name in _COMPARED] for row in rows]
    return hashlib.sha256(json.dumps(values).encode()).hexdigest()


def _shorten_value(value: object) -> str:
    return repr(value)[:80]


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

    def replay(self, instance: Instance, episode: Episode) -> EpisodeReplay:
        """Return an episode to be played again by the rules."""
        return EpisodeReplay(self._run.run, instance, episode)

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
