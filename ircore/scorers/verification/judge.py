"""The judge ``verified``: which facts of a target a rendering shows, as a rating from 0 to 10."""

from functools import lru_cache

from ircore.core.images import Picture
from ircore.core.records import Scene
from ircore.core.score_records import JudgeKind
from ircore.instances.targets import DRAWN
from ircore.scorers.judges.base import Judgement, compare_ratings
from ircore.scorers.verification.eye.ocr import describe_recogniser
from ircore.scorers.verification.report import build_stored_verdicts
from ircore.scorers.verification.score import VERSION, verify_picture

UNREAD = "texts unread"
"""What the version says where no reader of texts is installed."""


class VerifiedJudge:
    """Rates by the share of the scene's facts that the eye sees in the rendering, without any model.

    Labels are told by comparing their shapes with those of the target's labels; what that leaves open is read wherever
    the extra ``ocr`` is installed. The version says who read, so that no board mixes ratings with and without reading.
    ``ircore verify`` shows the facts behind a rating.

    Args:
        scene: What the target shows; None if nobody knows, and then there is no rating.

    Example:
        >>> from ircore.instances.targets.categories import draw_target
        >>> drawn = draw_target("bar_graph", "easy", seed=1)
        >>> target = Picture.from_pixels(drawn.drawing.pixels)
        >>> VerifiedJudge(drawn.scene).rate(target, target).value
        10.0
    """

    name = "verified"
    label = "verified (facts of the scene, checked by program)"
    kind: JudgeKind = "computed"
    categories = DRAWN
    any_scene = True

    def __init__(self, scene: Scene | None = None) -> None:
        self._scene = scene

    @property
    def version(self) -> str:
        """Version of the eye, and who reads texts."""
        reader = describe_recogniser()
        return f"{VERSION}, {UNREAD if reader is None else f'texts read by {reader}'}"

    @property
    def supersedes(self) -> tuple[str, ...]:
        """Versions whose scores this one gives anew: those of the same eye that read no texts."""
        return () if describe_recogniser() is None else (f"{VERSION}, {UNREAD}",)

    def with_scene(self, scene: Scene | None) -> "VerifiedJudge":
        """Return the judge for one target."""
        return VerifiedJudge(scene)

    def rate(self, target: Picture, image: Picture) -> Judgement:
        """Rate by the weighted share of the target's facts that the rendering shows, 0–10."""
        if self._scene is None:
            return Judgement(None, "nobody wrote down what the target shows")
        return _rate_rendering(target, _Kept(self._scene), image)

    def prefer(self, target: Picture, first: Picture, final: Picture) -> Judgement:
        """Prefer the rendering with the higher rating; equal ratings are a tie."""
        return compare_ratings(self.rate(target, first), self.rate(target, final))


class _Kept:
    """A scene as a part of a key: the picture, which is the other part, tells scenes apart."""

    def __init__(self, scene: Scene) -> None:
        self.scene = scene

    def __hash__(self) -> int:
        return 0

    def __eq__(self, other: object) -> bool:
        return isinstance(other, _Kept) and other.scene == self.scene


@lru_cache(maxsize=8)
def _rate_rendering(target: Picture, scene: _Kept, image: Picture) -> Judgement:
    """Rate a rendering; the rating is kept for the next few calls, since a preference needs the same ratings."""
    verification = verify_picture(target, scene.scene, image)
    return Judgement(verification.score, verification.reason, build_stored_verdicts(verification))
