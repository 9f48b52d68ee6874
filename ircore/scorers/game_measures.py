"""Measures that a game computes itself, from steps and pictures of episodes.

Games whose measures need pictures are handed instruments: metrics, elements and judges on one episode of a run.
"""

import os
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from functools import lru_cache
from pathlib import Path
from types import MappingProxyType
from typing import Any, NamedTuple

from ircore.core.elements import ElementList
from ircore.core.episode_records import Episode, Rendering
from ircore.core.errors import InputError, WorkError
from ircore.core.images import Picture
from ircore.core.plugins import convert_plugin_errors, load_plugin
from ircore.core.records import Instance, Scene
from ircore.core.score_records import LONGEST_NOTE, FactVerdicts, RenderingFacts, Score
from ircore.core.terminal import show_progress
from ircore.games.base import Game, Instruments, Measure, Measured, is_played, read_ending
from ircore.games.declarations import MeasuredValue
from ircore.runs.episode import parse_payload
from ircore.runs.folder import RunFolder, add_facts, read_facts
from ircore.scorers.element_metrics import COMPARISONS
from ircore.scorers.judges.base import give_scene
from ircore.scorers.material import load_judge
from ircore.scorers.metrics.base import Metric, find_obstacle, measure

DETECTOR_VARIABLE = "IRCORE_DETECTOR"
"""Environment variable that names the file of the vision model that sees real things, as of a judge."""


class MeasureCounts(NamedTuple):
    """Counts of scoring a run: played episodes, new or changed values, and values that were there already."""

    episodes: int
    new: int
    kept: int

    absent: tuple[str, ...]
    """Measures that the game declares and gave for no played episode, neither a value nor why there is none."""


def score_game_run(run: RunFolder, game: Game[Any], workers: int | None = None) -> MeasureCounts:
    """Compute the measures of a run and store them in the run.

    Args:
        run: The run.
        game: Its game.
        workers: Processes for measures that need pictures; as many as there are cores if None.

    Raises:
        InputError: Another process works on the run, or an episode does not fit the game that is installed.
        WorkError: The game computed what it does not declare, or nothing can be written.
    """
    # Inside, since results read what an episode ended with, and begin before process pools could be imported.
    from ircore.core.workers import map_in_order

    with run.lock():
        known = {score for score in run.scores() if score.task == "game"}
        episodes = [episode for episode in run.episodes() if is_played(game, episode)]
        meaningless = game.find_meaningless_measures(run.run.submission.players)
        work = [_Work(run.path, run.run.instance_set, game, episode, meaningless) for episode in episodes]
        # Steps alone are measured in less time than another process takes to start.
        count = (workers or os.cpu_count() or 1) if needs_pictures(game) else 1
        with show_progress("scoring", len(work)) as shown:
            scores, facts = [], []
            for of_episode, facts_of_episode in map_in_order(_measure_episode, work, count):
                scores += of_episode
                facts += facts_of_episode
                shown.advance()
        _add_new_facts(run, facts)
        run.replace_measured(scores)
    kept_count = sum(score in known for score in scores)
    given = {score.measure for score in scores}
    own = [measure.key for measure in game.measures if measure.needs in ("steps", "pictures")]
    absent = tuple(key for key in own if key not in given) if episodes else ()
    return MeasureCounts(len(episodes), len(scores) - kept_count, kept_count, absent)


def _add_new_facts(run: RunFolder, facts: Sequence[RenderingFacts]) -> None:
    """Append the facts that the run does not hold as they are; the caller holds the run's lock."""
    latest = {(line.episode_id, line.rendering, line.judge): line for line in read_facts(run)} if facts else {}
    new = [line for line in facts if latest.get((line.episode_id, line.rendering, line.judge)) != line]
    if new:
        add_facts(run, new)


def needs_pictures(game: Game[Any]) -> bool:
    """Return whether a game has measures that are computed from pictures."""
    return any(measure.needs == "pictures" for measure in game.measures)


def compute_measure_scores(
    game: Game[Any],
    episode: Episode,
    payloads: Mapping[str, Any],
    instruments: Instruments | None = None,
    meaningless: Mapping[str, str] = MappingProxyType({}),
) -> Iterator[Score]:
    """Yield the values of a game's measures of one played episode.

    Args:
        game: The game.
        episode: As recorded.
        payloads: The game's own fields of the instances, by id.
        instruments: For measures that need pictures; these are left out if None.
        meaningless: Measures that say nothing of the run, with the reason; see
            ``Game.find_meaningless_measures``.

    Raises:
        InputError: The episode does not fit the game that is installed, or a picture is damaged.
        WorkError: The game broke, or computed what it does not declare.
    """
    declared = {measure.key: measure for measure in game.measures}
    payload, ending = payloads[episode.instance_id], read_ending(game, episode)
    where, remedy = f"{episode.episode_id}: the game {game.name}", "Mend the game's package and score the run again."
    with convert_plugin_errors(where, remedy=remedy):
        values = list(game.measure(payload, ending))
        if instruments is not None:
            values += game.measure_pictures(payload, ending, instruments)
    for value in values:
        if fault := _find_fault(game, declared.get(value.measure), value):
            raise WorkError(f"{where} measured {value.measure}: {fault}", remedy)
        if value.measure in meaningless:
            value = value._replace(value=None, reason=meaningless[value.measure], note=None)
        yield Score(
            episode_id=episode.episode_id,
            measure=value.measure,
            by=game.name,
            step=value.step,
            value=value.value,
            # Cut, since the text is a plug-in's, and one that is too long would cost the whole score.
            reason=(value.reason or "not given")[:500] if value.value is None else None,
            note=value.note and value.note[:LONGEST_NOTE],
        )


def parse_payloads(game: Game[Any], instances: Any, members: Iterable[Instance]) -> dict[str, Any]:
    """Return the game's own fields of instances as its records, by id."""
    return {instance.instance_id: parse_payload(game, instances, instance) for instance in members}


class EpisodeInstruments:
    """Pictures of one episode with every installed metric and computed judge.

    >>> from ircore.instances.targets.categories import draw_target
    >>> target = draw_target("simple_shapes", "easy", seed=5)
    >>> own = Picture.from_pixels(target.drawing.pixels)
    >>> instruments = EpisodeInstruments({"target": own}, lambda rendering: own)
    >>> instruments.metric("ep_f1", own, own, target.scene).value
    1.0

    Args:
        pictures: Of the instance, by name.
        read: Returns the picture of a rendering.
    """

    def __init__(self, pictures: Mapping[str, Picture], read: Callable[[Rendering], Picture]) -> None:
        self._pictures, self._read = pictures, read
        self._elements: dict[tuple[str, str], ElementList] = {}
        self.facts: dict[tuple[str, str], FactVerdicts] = {}
        """Facts behind the ratings that were asked for, by the picture's hash and the judge."""

    def picture(self, name: str) -> Picture:
        """Return a picture of the instance by name.

        Raises:
            LookupError: It has no picture of that name.
        """
        if name not in self._pictures:
            raise LookupError(f"the instance has no picture {name!r}; it has {', '.join(sorted(self._pictures))}")
        return self._pictures[name]

    def rendering(self, rendering: Rendering) -> Picture:
        """Return a picture that a step holds."""
        return self._read(rendering)

    def metric(self, name: str, target: Picture, image: Picture, scene: Scene | None = None) -> MeasuredValue:
        """Return the value of an image metric; see ``ircore.games.declarations.Instruments``."""
        # The eye sees charts and shapes, which DETR's classes of COCO leave out; DETR is for pictures without a scene.
        if scene is not None and name in COMPARISONS:
            # The target is seen by the eye too, since the eye leaves out tick marks and hidden things in both.
            value = COMPARISONS[name](
                self._detect_elements(target, scene, target), self._detect_elements(target, scene, image)
            )
            return MeasuredValue(value, None if value is not None else "nothing is seen that it could be computed from")
        metric: Metric = load_plugin("metrics", name)
        if obstacle := find_obstacle(metric):
            return MeasuredValue(None, obstacle)
        measured = measure(metric, target.pixels, image.pixels)
        return MeasuredValue(measured.value, measured.reason)

    def elements(self, image: Picture, labels: tuple[str, ...]) -> ElementList | None:
        """Return the things that the vision model in ``IRCORE_DETECTOR`` sees; see ``Instruments``."""
        from ircore.scorers.element_sources import detect_with_cache  # SciPy, as below

        detector = os.environ.get(DETECTOR_VARIABLE)
        return detect_with_cache(Path(detector), image, labels) if detector else None

    def judge(self, name: str, target: Picture, image: Picture, scene: Scene | None = None) -> MeasuredValue:
        """Return the rating of a judge that computes; see ``ircore.games.declarations.Instruments``."""
        try:
            judge = load_judge(name)
        except InputError as error:
            return MeasuredValue(None, error.problem)
        with convert_plugin_errors(f"judge {name!r}"):
            judgement = give_scene(judge, scene).rate(target, image)
        if judgement.facts is not None:
            self.facts[image.sha256, name] = judgement.facts
        return MeasuredValue(judgement.value, judgement.reason)

    def _detect_elements(self, target: Picture, scene: Scene, image: Picture) -> ElementList:
        """Return the elements that the eye sees; a picture is looked at once for all metrics."""
        from ircore.scorers.element_sources import detect_by_eye  # SciPy takes longer to import than most checks

        key = (target.sha256, image.sha256)
        if key not in self._elements:
            self._elements[key] = detect_by_eye(target, scene, image)
        return self._elements[key]


class _Work(NamedTuple):
    """An episode to be measured, with everything that a worker process needs."""

    path: Path
    instance_set: str
    game: Game[Any]
    episode: Episode
    meaningless: Mapping[str, str]


def _measure_episode(work: _Work) -> tuple[list[Score], list[RenderingFacts]]:
    """Measure an episode, and return the facts of renderings that judges looked at; runs in a process of its own."""
    run, instances = _open_run(work.path, work.instance_set)
    instance = instances[work.episode.instance_id]
    payloads = {instance.instance_id: parse_payload(work.game, run.instances, instance)}
    instruments = None
    if needs_pictures(work.game):
        instruments = EpisodeInstruments(run.instances.pictures(instance), run.rendering)
    scores = list(compute_measure_scores(work.game, work.episode, payloads, instruments, work.meaningless))
    drawn = {rendering.sha256 for rendering in work.episode.renderings.values()}
    return scores, [
        RenderingFacts.of(work.episode.episode_id, rendering, judge, verdicts)
        for (rendering, judge), verdicts in (instruments.facts if instruments else {}).items()
        if rendering in drawn
    ]


@lru_cache(maxsize=4)
def _open_run(path: Path, instance_set: str) -> tuple[RunFolder, dict[str, Instance]]:
    run = RunFolder(path)
    assert run.run.instance_set == instance_set  # noqa: S101 - the set is part of the key: folders may be made anew
    return run, {instance.instance_id: instance for instance in run.instances.instances}


def _find_fault(game: Game[Any], measure: Measure | None, value: Measured) -> str:
    if measure is None:
        return "it declares no such measure"
    # A measure per episode has no step, a measure per step has one.
    if (value.step is None) != (measure.per == "episode"):
        return f"it is a measure per {game.per_word(measure)}"
    if value.value is not None and measure.range and not measure.range[0] <= value.value <= measure.range[1]:
        return f"{value.value:g} is out of its range {measure.range[0]:g}–{measure.range[1]:g}"
    return ""
