"""Records of the facts that a rendering shows, as a program or a model saw them: file ``facts.jsonl`` of a run.

The facts themselves follow from the target's scene (``ircore.scorers.verification.scene_facts.facts_of``), so a line
holds verdicts only, in the order of that list.
"""

from typing import Annotated, Literal, NamedTuple

from pydantic import Field, StringConstraints

from ircore.core.records import Box, Line, Name, Record, Sha256

Letters = Annotated[str, StringConstraints(pattern=r"^[01?-]*$")]
"""A letter for each fact: ``1`` holds, ``0`` fails, ``?`` undecided, ``-`` not asked: without weight, since the eye
does not see it in the target itself."""

Verdict = Literal["holds", "fails", "undecided"]

Part = Literal["presence", "text", "colour", "value", "place", "count", "extra"]
PARTS: tuple[Part, ...] = ("presence", "text", "colour", "value", "place", "count", "extra")
"""The parts of a score by facts, in the order in which they are shown."""

VERIFIED = "verified"
"""Name of the judge that is a program; every other one that checks facts is a model."""

SCORE_RULE = "13"
"""Version of how facts are seen and counted: changes whenever the same rendering may get another score."""

LEAST_CREDIT = -1.5
"""Credit of the most misleading facts: colours that marks have exchanged."""

LETTER: dict[Verdict, str] = {"holds": "1", "fails": "0", "undecided": "?"}
UNASKED = "-"
VERDICT: dict[str, Verdict] = {letter: verdict for verdict, letter in LETTER.items()} | {UNASKED: "undecided"}


def letter_of(verdict: Verdict, weight: float) -> str:
    """Return the letter of a fact's verdict; a fact without weight is not asked."""
    return LETTER[verdict] if weight else UNASKED


MOST_EXTRAS = 50
"""Extras of a rendering that are recorded."""

Placement = tuple[float, float, float, float, float, float]
"""Where a target lies in a rendering that is brought to its size: ``(a, b, c, d, x, y)`` takes a point ``(u, v)``, in
pixels from the middle, to ``(a u + c v, b u + d v)``, moved by ``x`` of the width and ``y`` of the height."""
PLACED_ALIKE: Placement = (1.0, 0.0, 0.0, 1.0, 0.0, 0.0)

Text = Annotated[str, StringConstraints(max_length=200)]


class PartShare(NamedTuple):
    """The share of a part of a score: presence, text, colour, value, place, count or extra."""

    share: float | None
    """Credit of the decided facts by weight, 0–1, what is below 0 as 0; None if there are none. Of extra: precision."""

    held: int
    """Number of facts that hold."""

    decided: int
    """Number of facts that hold or fail."""

    total: int
    """Number of facts."""


class FactNote(NamedTuple):
    """The credit and the reason of a fact that does not hold."""

    fact: int
    """Place of the fact in the list of facts, from 0."""

    credit: float
    """``LEAST_CREDIT`` to 1; above 0 for what is nearly right, such as a word of which a part is; −1 for another mark's
    colour, ``LEAST_CREDIT`` where marks exchanged theirs."""

    seen: Text | None
    """The observation instead, as JSON; None if there was none."""

    reason: int
    """Place of the reason in ``reasons``."""


class ExtraBox(NamedTuple):
    """An element that is drawn where the target shows nothing.

    >>> ExtraBox(Box(10, 10, 30, 20), weight=1.0).box.right
    30
    """

    box: Box
    """In the target's coordinates."""

    weight: float
    """Weight against precision."""


class PlantedVerdict(NamedTuple):
    """The verdict on a sentence that is false of the target, asked of a judge to see whether it looks."""

    fact: int
    """Place of the true fact that it was made from in the list of facts, from 0."""

    sentence: Text
    """What was asked."""

    verdict: Annotated[str, StringConstraints(pattern=r"^[01?]$")]
    """Answer: ``1`` it is so, ``0`` it is not, ``?`` it cannot be told."""


class FactVerdicts(Record):
    """The verdicts on a target's facts in a rendering.

    >>> FactVerdicts(version="1", verdicts="110?", parts={}, decided=0.75).verdicts.count("1")
    2
    """

    version: Line = Field(description="Of the program that looked; another one may see otherwise.")
    verdicts: Letters = Field(
        description="One letter a fact: 1 it holds, 0 it fails, ? it cannot be told, - not asked."
    )
    parts: dict[Part, PartShare] = Field(description="By part of the score.")
    low: float | None = Field(default=None, ge=0, le=10, description="The score if all that is undecided is wrong.")
    high: float | None = Field(default=None, ge=0, le=10, description="The score if all that is undecided is right.")
    decided: float = Field(ge=0, le=1, description="Share of the facts, by weight, that could be decided.")
    reader: Line | None = Field(default=None, description="Who read labels, with version; null if they were not read.")
    cost: float = Field(default=0.0, ge=0, le=10, description="Points that the transform costs.")
    reasons: tuple[Text, ...] = Field(default=(), description="Why facts fail or cannot be told, each once.")
    notes: tuple[FactNote, ...] = Field(default=(), description="Of facts that do not hold.")
    extras: tuple[ExtraBox, ...] = Field(
        default=(),
        max_length=MOST_EXTRAS,
        description="What is drawn that the target does not show, the largest first.",
    )
    transform: Placement = Field(
        default=PLACED_ALIKE,
        description="Where the target lies in the rendering, about the middle: four factors and two moves.",
    )
    planted: tuple[PlantedVerdict, ...] = Field(
        default=(), max_length=1000, description="Of a judge that is a model: its verdicts on false sentences."
    )

    @property
    def undecided(self) -> float:
        """Share of the facts, by weight, that could not be decided."""
        return round(1 - self.decided, 4)


class RenderingFacts(FactVerdicts):
    """A judge's verdicts on a rendering, which turns of an episode may share. A line of ``facts.jsonl``."""

    episode_id: Name
    rendering: Sha256
    judge: Name = Field(default=VERIFIED, description="Who looked: the program, or a judge that is a model.")
