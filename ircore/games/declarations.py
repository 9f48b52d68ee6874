"""What a game declares beside its rules: its measures, its looks on the site, and what its paper published.

Measures have values; those that need pictures compute with instruments that scorers hand to the game, which imports no
scorer. On the site a game has columns, figures, learning curves, a matrix, and templates of an episode.

Published are tables as printed, and the paper's sentences with what its own tables say of them. Nobody played these
here; they stand beside results and never among them.
"""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field
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
        needs: Source of the values: ``steps`` (the game's own ``measure``), ``pictures`` (its ``measure_pictures``),
            ``judge`` or ``person`` (similarity, 0–10, of the pictures in ``list_rated_pictures``; per episode of the
            last picture), or ``means``: an episode has no value, and a board shows the difference of two means.
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


@dataclass(frozen=True)
class Curve:
    """A learning curve: the mean of a measure per step, drawn over the steps with a line for each run.

    >>> from ircore.games.declarations import Curve
    >>> Curve("correct", over="repetition").over
    'repetition'

    Attributes:
        measure: Key of a measure per step.
        over: Field of the step record that the steps are grouped by, an integer such as the number of a repetition;
            empty for the number of the step itself.
        axis: Title of the horizontal axis; empty for the name of the field, or the game's word for a step.
        normalised: Whether every episode runs from its first step, 0, to its last, 1, at 20 places, so that long and
            short episodes stand side by side (``ircore.results.curves``).
    """

    measure: str
    over: str = ""
    axis: str = ""
    normalised: bool = False

    def words(self, step_word: str) -> str:
        """Return the title of the horizontal axis, given the game's word for a step."""
        return self.axis or self.over or step_word


@dataclass(frozen=True)
class Contrast:
    """A chart of a measure by category: a row for each, with a mark for each run.

    >>> Contrast("verified", beside=("recognised", "drawn")).beside
    ('recognised', 'drawn')

    Attributes:
        measure: Key of a measure per episode.
        beside: Keys of measures of the same range that have a row of their own, above the categories.
    """

    measure: str
    beside: tuple[str, ...] = ()


@dataclass(frozen=True)
class GameWords:
    """Words in which questions to a board are asked and answered.

    >>> f"What can nobody {GameWords('target', 'draw', 'drawn', 'final rendering').solve}?"
    'What can nobody draw?'

    Attributes:
        instance: What is played, such as ``target``; with an s it names several.
        solve: What players do with it, such as ``draw``.
        solved: The same of what is done, such as ``drawn``.
        result: What an episode leaves to look at, such as ``final rendering``; with an s it names several.
    """

    instance: str = "instance"
    solve: str = "solve"
    solved: str = "solved"
    result: str = "episode"


@dataclass(frozen=True)
class CategoryWords:
    """Words of the site for a category of instances.

    >>> CategoryWords("Bar graphs", short="Bar").picture
    ''

    Attributes:
        title: For headings, such as ``Bar graphs``.
        short: For narrow columns; empty for the title.
        picture: A picture of it, in alternative texts, such as ``Bar graph``; empty for the title.
        asks: A sentence: what it asks of players; empty where nothing is said.
        levels: What its instances are like, in a few words, by difficulty.
    """

    title: str
    short: str = ""
    picture: str = ""
    asks: str = ""
    levels: Mapping[str, str] = field(default_factory=dict)


@dataclass(frozen=True)
class Pages:
    """How a game looks on the site; every default gives a complete section.

    Templates are written in Jinja and run in a sandbox that escapes whatever they insert. Beside the values of
    ``Game.collect_shown_values`` they are given ``instance``, ``payload``, ``pictures`` (addresses by name) and the
    function ``picture(name, alt)``; the template of an episode also ``episode``, ``steps``, ``renderings``
    (addresses by SHA-256), ``values`` (of measures per episode, by key), ``notes`` (explanations of values, by
    key), ``step_values`` (of measures per step, a list by key), ``players`` (labels by seat), and the functions
    ``rendering(field, alt)`` and ``number(value)``. The filter ``counted`` writes a number with its noun: ``{{
    step.tokens|counted("token") }}``.

    >>> Pages(columns=("steps",), curves=(Curve("correct"),)).matrix  # the first two seats
    ()

    Attributes:
        columns: Measures that a board shows besides the headline, by their keys.
        rules: Rules that boards have columns of in files, by their names; every row has the key of all rules.
        figures: Measures drawn as dots with intervals, over all instances and by category, by their keys.
        curves: Learning curves.
        contrasts: Charts of measures by category.
        stories: Keys of measures whose curve, or else contrast, stands on the first page, with what it says.
        matrix: Two seats whose players are crossed in a matrix; by default the first two seats.
        instance: Template of an instance, at the head of its page; by default its pictures and texts.
        episode: Template of one episode; by default its steps as cards with pictures, texts and values.
        compared: Name of the instance's picture that renderings are compared with on the page of an instance, as a
            difference, blinking or behind a slider; of no picture by default, and of none where an instance lacks it.
        compared_title: What that picture is called there, such as ``A right answer``.
        words: Words in which questions to a board are asked and answered.
        categories: Words for categories, by name; one without any is called by its name in plain words.
        thumbnail: Name of the picture that stands for an instance in the gallery; by default its first picture.
        method: How the game is played, in plain paragraphs separated by blank lines, for the page on the method. The
            first paragraph, of about two sentences, also stands alone where the game is introduced.
    """

    columns: tuple[str, ...] = ()
    rules: tuple[str, ...] = ()
    figures: tuple[str, ...] = ()
    curves: tuple[Curve, ...] = ()
    contrasts: tuple[Contrast, ...] = ()
    stories: tuple[str, ...] = ()
    matrix: tuple[str, ...] = ()
    instance: str = ""
    episode: str = ""
    compared: str = ""
    compared_title: str = "Target"
    words: GameWords = GameWords()
    categories: Mapping[str, CategoryWords] = field(default_factory=dict)
    thumbnail: str = ""
    method: str = ""

    @property
    def introduction(self) -> str:
        r"""First paragraph of ``method``.

        >>> Pages(method="A speaker describes. A listener chooses.\n\nBoth learn more.\n").introduction
        'A speaker describes. A listener chooses.'
        """
        return self.method.strip().partition("\n\n")[0]


@dataclass(frozen=True)
class PublishedFigure:
    """A number of the game's paper, shown as reported and never among results.

    Attributes:
        label: Players and setting, for people.
        measure: Key of the game's measure.
        value: In the measure's unit.
        source: Address of the paper.
        series: Players and setting of a learning curve that the figure is a point of; empty for a figure of no curve.
        place: Place of the point on the curve's axis, such as the repetition.
        setting: Rules that the series was played by, as ``Game.name_setting`` names them: it stands beside runs by the
            same rules alone. Empty for a series that stands beside all runs.
        row: Category, or key of a measure, beside which the figure stands in a contrast; empty for a figure of none.
        low: Lower end of its 95 % interval, in the measure's unit; None where none is known.
        high: Upper end.
    """

    label: str
    measure: str
    value: float
    source: str
    series: str = ""
    place: int = 0
    setting: str = ""
    row: str = ""
    low: float | None = None
    high: float | None = None


Verdict = Literal["holds", "exceptions", "does not hold", "open", "not printed", "no data"]
"""Outcome of a check.

``exceptions``: most of what is compared agrees, and some does not. ``open``: intervals do not tell. ``not printed``:
the paper gives no numbers. ``no data``: runs lack what the check needs.
"""

FAIR = (0.2, 0.4)
"""Cohen's κ of fair agreement (Landis and Koch 1977, Biometrics 33)."""

MODERATE = (0.4, 0.6)
"""Pearson's r that is called moderate."""


class Check(NamedTuple):
    """A sentence of a paper held against numbers."""

    verdict: Verdict
    """Whether it holds."""

    evidence: str
    """The numbers that say so."""


class Claim(NamedTuple):
    """A sentence of a paper that numbers can support or contradict, and what the paper's own tables say of it."""

    key: str
    """Name in files, by which ``ircore.results.tables.paper_claims`` knows how runs are held against it."""

    section: str
    """Section of the paper, or its table or figure."""

    sentence: str
    """What it says, in other words."""

    in_paper: Check
    """What the paper's own printed tables say of it."""

    categories: tuple[str, ...] = ()
    """Categories that it speaks of."""


@dataclass(frozen=True)
class PublishedColumn:
    """A column of a table of a paper.

    Attributes:
        key: In files.
        title: Heading for people.
        about: One sentence.
        unit: Of its numbers, such as ``0–10``.
        better: Direction that is better.
        digits: Decimals that people are shown; None for texts.
        nullable: Whether the paper leaves entries out.
    """

    key: str
    title: str
    about: str
    unit: str = ""
    better: Literal["higher", "lower", "neither"] = "neither"
    digits: int | None = 2
    nullable: bool = False


@dataclass(frozen=True)
class PublishedTable:
    """A table of a paper, or computed from its printed values alone.

    Attributes:
        name: In files.
        title: For people.
        caption: Where the paper has it.
        columns: In order.
        rows: An entry for each column; None where the paper gives none.
        spare: Keys of the columns that a narrow terminal may leave out, the least important first.
    """

    name: str
    title: str
    caption: str
    columns: tuple[PublishedColumn, ...]
    rows: tuple[tuple[float | str | None, ...], ...]
    spare: tuple[str, ...] = ()


def check_of_people(pearson: float, kappa: float, couples: int) -> Check:
    """Return the check that people agree moderately on scores and fairly on preferences, from means over couples."""
    fits = [low <= value <= high for value, (low, high) in ((pearson, MODERATE), (kappa, FAIR))]
    verdict: Verdict = "holds" if all(fits) else "exceptions" if any(fits) else "does not hold"
    return Check(verdict, f"mean r = {pearson:.2f}, κ = {kappa:.2f} of {couples} couples of people")
