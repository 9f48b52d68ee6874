"""How a game looks on the site: columns, figures, learning curves, matrix, and templates of an episode.

What a game's paper published: tables as printed, and its sentences with what its own tables say of them.

Nobody played these here; they stand beside results and never among them.
"""

from dataclasses import dataclass
from typing import Literal, NamedTuple


@dataclass(frozen=True)
class Curve:
    """A learning curve: the mean of a measure per step, drawn over the steps with a line for each run.

    >>> from ircore.games.pages import Curve
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
class Pages:
    """How a game looks on the site; every default gives a complete section.

    Templates are written in Jinja and run in a sandbox that escapes whatever they insert. Beside ``Game.shown`` they
    are given ``instance``, ``payload``, ``pictures`` (addresses by name) and the function ``picture(name, alt)``; the
    template of an episode also ``episode``, ``steps``, ``renderings`` (addresses by SHA-256), ``values`` (of measures
    per episode, by key), ``notes`` (explanations of values, by key), ``step_values`` (of measures per step, a list by
    key), ``players`` (labels by seat), and the functions ``rendering(field, alt)`` and ``number(value)``. The filter
    ``counted`` writes a number with its noun: ``{{ step.tokens|counted("token") }}``.

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
        setting: Rules that the series was played by, as ``Game.setting`` names them: it stands beside runs by the same
            rules alone. Empty for a series that stands beside all runs.
        row: Category, or key of a measure, beside which the figure stands in a contrast; empty for a figure of none.
    """

    label: str
    measure: str
    value: float
    source: str
    series: str = ""
    place: int = 0
    setting: str = ""
    row: str = ""


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
