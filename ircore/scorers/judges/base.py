"""Protocol of a judge."""

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Protocol, runtime_checkable

from ircore.core.images import Picture
from ircore.core.records import Scene
from ircore.core.score_records import FactVerdicts, JudgeIdentity, JudgeKind, Task

BOTH_TASKS: frozenset[Task] = frozenset({"similarity", "preference"})
"""Default tasks of a judge without an attribute ``tasks``."""


@dataclass(frozen=True)
class Judgement:
    """Verdict of a judge: a value, or the reason why there is no value.

    Example:
        >>> Judgement(7.5).value, Judgement(None, "the picture is too small").reason
        (7.5, 'the picture is too small')
    """

    value: float | None
    """Similarity 0–10, or preference 1 (final), 0 (first), 0.5 (tie); None if the judge has none."""

    reason: str | None = None
    """Reason why there is no value; None if there is a value."""

    facts: FactVerdicts | None = None
    """Facts behind a similarity, of a judge that checks facts; kept beside the score."""


class Judge(Protocol):
    """Rates renderings. Made once a process without arguments; keeps no state between calls.

    What it lacks (a package, a file) is an ``InputError`` when it is made: that is before any work starts.

    Attributes:
        name: As in ``--judge`` and in scores.
        label: For people; a computed judge says that it is one.
        kind: Where the ratings come from.
        tasks: Optional, see ``list_tasks``; what is not in it is never asked.
        categories: Optional: the categories of pictures that it rates; of others it is never asked, and boards say
            that they are not applicable to it.
        version: Optional: which code or checkpoint computes its ratings; boards never mix versions.
        supersedes: Optional: versions of itself whose scores it gives anew in place of the earlier ones.
        any_scene: Optional: whether it also rates every other category of targets with scenes, such as a plug-in's.

    A judge that knows what targets show has a method ``give_scene``, see ``SceneJudge``.

    Example:
        >>> class SameOrNot:
        ...     name, label, kind = "same", "same or not (computed)", "computed"
        ...     def rate(self, target, image):
        ...         return Judgement(10.0 if target.sha256 == image.sha256 else 0.0)
        ...     def prefer(self, target, first, final):
        ...         return Judgement(0.5)
        >>> judge: Judge = SameOrNot()
        >>> list_tasks(judge) == {"similarity", "preference"}
        True
    """

    name: str
    label: str
    kind: JudgeKind

    def rate(self, target: Picture, image: Picture) -> Judgement:
        """Rate how similar ``image`` is to ``target``, 0–10; 10 is identical or indistinguishable."""

    def prefer(self, target: Picture, first: Picture, final: Picture) -> Judgement:
        """Say which rendering is more similar to the target: 1 the final, 0 the first, 0.5 neither."""


@runtime_checkable
class SceneJudge(Protocol):
    """A judge that rates by the scene of a target; without a scene the judge gives a reason instead of a value.

    Example:
        >>> class CountsElements:
        ...     name, label, kind = "counts", "counts elements (computed)", "computed"
        ...     def __init__(self, scene=None):
        ...         self.scene = scene
        ...     def with_scene(self, scene):
        ...         return CountsElements(scene)
        ...     def rate(self, target, image):
        ...         return Judgement(None, "this target has no scene") if self.scene is None else Judgement(5.0)
        ...     def prefer(self, target, first, final):
        ...         return Judgement(0.5)
        >>> isinstance(CountsElements(), SceneJudge)
        True
    """

    def with_scene(self, scene: Scene | None) -> Judge:
        """Return the judge for one target, which shows ``scene``; ``scene`` is None where unknown."""


def compare_ratings(first: Judgement, final: Judgement) -> Judgement:
    """Return the preference of a judge that rates: the rendering with the higher rating; equal ratings are a tie.

    >>> compare_ratings(Judgement(6.0), Judgement(7.5)).value, compare_ratings(Judgement(6.0), Judgement(6.0)).value
    (1.0, 0.5)
    """
    if first.value is None or final.value is None:
        return Judgement(None, first.reason or final.reason)
    return Judgement(0.5 if first.value == final.value else float(final.value > first.value))


def give_scene(judge: Judge, scene: Scene | None) -> Judge:
    """Return a judge that knows the scene if the judge asks for scenes, else the judge itself."""
    return judge.with_scene(scene) if isinstance(judge, SceneJudge) else judge


def describe_identity(name: str, judge: Judge, with_scenes: Iterable[str] = ()) -> JudgeIdentity:
    """Return who an installed judge is.

    Args:
        name: Under which it scores.
        judge: Its attribute ``version``, if it has one, says which code or checkpoint computes its ratings.
        with_scenes: Categories of the scored set whose targets have scenes.
    """
    categories = getattr(judge, "categories", None)
    if categories is not None and getattr(judge, "any_scene", False):
        categories = (*categories, *sorted(set(with_scenes) - set(categories)))
    return JudgeIdentity(
        name=name,
        label=judge.label,
        kind=judge.kind,
        version=getattr(judge, "version", None),
        categories=categories,
    )


def list_tasks(judge: Judge) -> frozenset[Task]:
    """Return the tasks of a judge: its attribute ``tasks``, or both tasks without this attribute."""
    tasks: frozenset[Task] = getattr(judge, "tasks", BOTH_TASKS)
    return tasks
