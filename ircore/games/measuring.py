"""Measures and their values, and the instruments that scorers hand to a game whose measures need pictures.

A game imports no scorer.
"""

from collections.abc import Collection, Sequence
from dataclasses import dataclass
from math import inf, isfinite
from typing import TYPE_CHECKING, Literal, NamedTuple, Protocol

from ircore.core.episode_records import Rendering
from ircore.core.images import Picture
from ircore.core.records import Scene

if TYPE_CHECKING:
    from ircore.core.elements import ElementList

Direction = Literal["higher", "lower"]

NOT_NEGATIVE = (0.0, inf)
"""Range of counts, lengths and distances."""


@dataclass(frozen=True)
class Measure:
    """A number that describes an episode or a step; a game's first measure is its headline.

    >>> Measure("correct", "Correct", range=(0, 1)).direction
    'higher'

    Attributes:
        key: In files and columns.
        title: For people.
        unit: Such as ``points``; empty for a share or a count.
        range: Lowest and highest value, infinite where there is no bound, such as ``NOT_NEGATIVE``; None without any.
            A headline has both.
        direction: Direction of better values.
        per: Unit that has a value: each step, or the episode.
        needs: Source of the values: ``steps`` (the game's own ``measured``), ``pictures`` (its ``measured_pictures``),
            ``judge`` or ``person`` (similarity, 0–10, of the pictures in ``rated``; per episode of the last picture),
            or ``means``: an episode has no value, and a board shows the difference of two means.
        difference: Keys of the two measures, the mean of the second of which is taken from that of the first.
        about: A sentence for people: what the value says; empty if the title says all.
    """

    key: str
    title: str
    unit: str = ""
    range: tuple[float, float] | None = None
    direction: Direction = "higher"
    per: Literal["step", "episode"] = "episode"
    needs: Literal["steps", "pictures", "judge", "person", "means"] = "steps"
    difference: tuple[str, str] | None = None
    about: str = ""

    @property
    def bounds(self) -> tuple[float, float] | None:
        """Lowest and highest value if both are known: the ends of a scale that values can be drawn on."""
        return self.range if self.range and all(map(isfinite, self.range)) else None


class Measured(NamedTuple):
    """A value of a measure; ``step`` is None for the whole episode, ``value`` is None for the given reason.

    A note explains a value in words; episode pages show it.

    >>> Measured("correct", step=None, value=1.0).reason is None
    True
    """

    measure: str
    step: int | None
    value: float | None
    reason: str | None = None
    note: str | None = None


class Effort(NamedTuple):
    """What an episode took, as far as its steps say.

    >>> Effort(steps=3).tokens is None
    True
    """

    steps: int
    """Steps that count as played, such as turns with a rendering."""

    tokens: int | None = None
    """Tokens of the messages, as the game counts them."""

    seconds: float | None = None
    """Seconds that the players took to answer."""

    messages: int = 0
    """Messages that a budget of tokens applies to."""

    over_budget: int = 0
    """Of these, messages over the budget."""


class Message(NamedTuple):
    """A message as it reached another seat.

    >>> Message(1, "A red circle.").tokens is None
    True
    """

    step: int
    """Number of its step."""

    text: str
    """The words, without what a protocol puts around them."""

    tokens: int | None = None
    """Tokens of the message as it was written, as the game counts them."""


class StepAnswer(NamedTuple):
    """The answer of a seat as a step keeps it, for people who read an episode.

    Attributes:
        seat: Name of the seat that answered.
        text: The words that count; ``(done)`` and its like where the answer was a move without words.
        rendering: The picture, if the answer was one.
        remarks: What the rules found about the answer, such as its length; no word that the answer itself has.
        notes: What the player said beside its answer.
    """

    seat: str
    text: str = ""
    rendering: Rendering | None = None
    remarks: tuple[str, ...] = ()
    notes: tuple[str, ...] = ()


class MeasuredValue(NamedTuple):
    """A value, or None with the reason why there is none."""

    value: float | None
    reason: str | None = None


class RatedPicture(NamedTuple):
    """A picture of an episode that judges and people compare with a picture of the instance.

    Attributes:
        step: The step that holds it, 1-based; a step has at most one such picture.
        original: Name of the instance's picture.
        rendering: The picture.
        scene: What the original shows, for judges that verify it; None if nobody knows.
    """

    step: int
    original: str
    rendering: Rendering
    scene: Scene | None = None


def find_rating_fault(
    rated: Sequence[RatedPicture], originals: Collection[str], drawn: Collection[tuple[int, Rendering]]
) -> str:
    """Return why pictures of an episode cannot be rated; empty if they can.

    >>> drawing = Rendering(sha256="0" * 64, width=64, height=64)
    >>> find_rating_fault([RatedPicture(1, "scene", drawing)], originals=["target"], drawn=[(1, drawing)])
    "step 1: the instance has no picture 'scene'; it has target"

    Args:
        rated: As a game names them.
        originals: Names of the instance's pictures.
        drawn: Every picture of the episode with the number of its step.
    """
    steps = [picture.step for picture in rated]
    # A score names its picture by episode and step alone.
    if steps != sorted(set(steps)):
        return f"rated pictures are of the steps {steps}, not one a step in their order"
    for picture in rated:
        if (picture.step, picture.rendering) not in drawn:
            return f"step {picture.step}: the rated picture is none of the step's"
        if picture.original not in originals:
            known = ", ".join(sorted(originals))
            return f"step {picture.step}: the instance has no picture {picture.original!r}; it has {known}"
    return ""


class Instruments(Protocol):
    """Pictures of one episode, and the metrics and judges that compare them.

    >>> class Ruler:
    ...     def metric(self, name, target, image, scene=None):
    ...         return MeasuredValue(float(target.width - image.width))
    ...     # and picture, rendering, elements and judge
    >>> instruments: Instruments = Ruler()
    >>> instruments.metric("width", Picture(b"", 64, 64), Picture(b"", 60, 60)).value
    4.0
    """

    def picture(self, name: str) -> Picture:
        """Return a picture of the instance by name."""
        ...

    def rendering(self, rendering: Rendering) -> Picture:
        """Return a picture that a step holds."""
        ...

    def metric(self, name: str, target: Picture, image: Picture, scene: Scene | None = None) -> MeasuredValue:
        """Return the value of an image metric, see ``ircore metrics``.

        Args:
            name: Of the metric, such as ``ssim`` or ``ep_f1``.
            target: The picture to come near to.
            image: The picture that is measured.
            scene: What the target shows, if it was drawn. Elements (``ep_…``, ``iou_…``) are then seen by the eye of
                the judge ``verified`` and not by a detector.
        """
        ...

    def elements(self, image: Picture, labels: tuple[str, ...]) -> "ElementList | None":
        """Return the real things that a vision model sees in a picture, as far as they were asked for.

        Args:
            image: The picture.
            labels: Names of the things that are sought.

        Returns:
            None if no vision model is set up.

        Raises:
            InputError: The model cannot be asked, or gave no usable answer.
        """
        ...

    def judge(self, name: str, target: Picture, image: Picture, scene: Scene | None = None) -> MeasuredValue:
        """Return the rating, 0–10, of a judge that computes, such as ``verified``; arguments as of ``metric``."""
        ...
