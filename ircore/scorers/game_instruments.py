"""Instruments for games whose measures need pictures: metrics, elements and judges on one episode of a run."""

import os
from collections.abc import Callable, Mapping
from pathlib import Path

from ircore.core.elements import ElementList
from ircore.core.episode_records import Rendering
from ircore.core.errors import InputError
from ircore.core.images import Picture
from ircore.core.plugin_work import plugin_work
from ircore.core.plugins import load
from ircore.core.records import Scene
from ircore.games.measuring import MeasuredValue
from ircore.scorers.elements.comparisons import COMPARISONS
from ircore.scorers.elements.grounded import detected_once
from ircore.scorers.judges.base import with_scene
from ircore.scorers.material import installed_judge
from ircore.scorers.metrics.base import Metric
from ircore.scorers.metrics.measure import measure, obstacle_of

DETECTOR_VARIABLE = "IRCORE_DETECTOR"
"""Environment variable that names the file of the vision model that sees real things, as of a judge."""


class EpisodeInstruments:
    """Pictures of one episode with every installed metric and computed judge.

    >>> from ircore.instances.targets.categories import draw
    >>> target = draw("simple_shapes", "easy", seed=5)
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
        """Return the value of an image metric; see ``ircore.games.measuring.Instruments``."""
        # The eye sees charts and shapes, which DETR's classes of COCO leave out; DETR is for pictures without a scene.
        if scene is not None and name in COMPARISONS:
            # The target is seen by the eye too, since the eye leaves out tick marks and hidden things in both.
            value = COMPARISONS[name](self._seen(target, scene, target), self._seen(target, scene, image))
            return MeasuredValue(value, None if value is not None else "nothing is seen that it could be computed from")
        metric: Metric = load("metrics", name)
        if obstacle := obstacle_of(metric):
            return MeasuredValue(None, obstacle)
        measured = measure(metric, target.pixels, image.pixels)
        return MeasuredValue(measured.value, measured.reason)

    def elements(self, image: Picture, labels: tuple[str, ...]) -> ElementList | None:
        """Return the things that the vision model in ``IRCORE_DETECTOR`` sees; see ``Instruments``."""
        detector = os.environ.get(DETECTOR_VARIABLE)
        return detected_once(Path(detector), image, labels) if detector else None

    def judge(self, name: str, target: Picture, image: Picture, scene: Scene | None = None) -> MeasuredValue:
        """Return the rating of a judge that computes; see ``ircore.games.measuring.Instruments``."""
        try:
            judge = installed_judge(name)
        except InputError as error:
            return MeasuredValue(None, error.problem)
        with plugin_work(f"judge {name!r}"):
            judgement = with_scene(judge, scene).rate(target, image)
        return MeasuredValue(judgement.value, judgement.reason)

    def _seen(self, target: Picture, scene: Scene, image: Picture) -> ElementList:
        """Return the elements that the eye sees; a picture is looked at once for all metrics."""
        from ircore.scorers.elements.eye import detect_by_eye  # SciPy takes longer to import than most checks

        key = (target.sha256, image.sha256)
        if key not in self._elements:
            self._elements[key] = detect_by_eye(target, scene, image)
        return self._elements[key]
