"""The records of scoring: who a judge is, the values that judges and metrics gave, and the facts that renderings show.

Facts are as a program or a model saw them: file ``facts.jsonl`` of a run. Which facts there are follows from the
target's scene (``ircore.scorers.verification.scene_facts.list_facts``), so a line holds verdicts only, in the order of
that list.
"""

from typing import Annotated, Literal, NamedTuple, Self

from pydantic import Field, StringConstraints, model_validator

from ircore.core.images import Loading
from ircore.core.records import Box, Line, Name, PlayerSpec, Record, Sha256, is_none

Task = Literal["similarity", "preference", "metric", "game"]
"""What gave a score: a rating of one rendering, the choice of one of two, an image metric, or the game itself."""

JudgeKind = Literal["computed", "model", "human"]
"""Source of a judge's ratings; sources are never mixed on a board."""

LONGEST_NOTE = 2000
"""Characters of the words that explain a value."""

HUMAN = "human"
"""Name of the judge that stands for all human annotators of a run."""

JudgeReason = Literal["judge_refused", "judge_empty", "provider_error"]
"""Why a question to a judge has no answer; the last one is technical and asked again by the same command."""


class Orders(NamedTuple):
    """A preference (1 final, 0 first, 0.5 tie) asked twice, since judges may favour a position.

    >>> orders = Orders(first_leading=1.0, final_leading=0.0)
    >>> sum(orders) / 2  # the judge named whichever rendering was shown second: a tie
    0.5
    """

    first_leading: float
    """The answer when the first rendering was shown before the final one."""

    final_leading: float
    """The answer when the final rendering was shown before the first one."""


class JudgeIdentity(Record):
    """Who a judge is: the same for every score of that name. File ``judges/<name>.json`` of a run.

    >>> judge = JudgeIdentity(name="verified", label="verified facts", kind="computed", categories=("geometry",))
    >>> judge.rates("geometry"), judge.rates("photos")
    (True, False)
    """

    name: Name = Field(description="As in scores.")
    label: Line = Field(description="Shown on boards.")
    kind: JudgeKind = Field(description="computed, model or human.")
    family: Name | None = Field(
        default=None, description="Of a model: its maker's line, such as gpt; one family judges its own with a mark."
    )
    player: PlayerSpec | None = Field(default=None, description="Of a model: who is asked, and how.")
    prompts: Line | None = Field(default=None, description="Of a model: version of the judge's prompts.")
    version: Line | None = Field(
        default=None,
        description="Version of the code or checkpoint that computes it; of a model, of the package that asks it.",
    )
    categories: tuple[Name, ...] | None = Field(
        default=None,
        min_length=1,
        exclude_if=is_none,
        description="The categories of pictures that it rates; null for all. Others are not applicable to it.",
    )

    @property
    def published(self) -> "JudgeIdentity":
        """The judge as others may read it: its player as ``PlayerSpec.published``."""
        return self if self.player is None else self.model_copy(update={"player": self.player.published})

    @property
    def checks_sentences(self) -> bool:
        """Whether it is a model that is asked which facts a rendering shows, instead of a rating."""
        return self.kind == "model" and (self.prompts or "").startswith("facts, ")

    def rates(self, category: str) -> bool:
        """Return whether pictures of a category are rated at all."""
        return self.categories is None or category in self.categories


class Score(Record):
    """A value that a judge, a person, a metric or the game gave. A line of the file ``scores.jsonl``.

    >>> Score(episode_id="lineup-easy-01", measure="success", by="reference", value=1.0).task
    'game'
    """

    episode_id: Name = Field(description="The episode that was scored.")
    step: int | None = Field(
        default=None,
        ge=1,
        description="The step that was scored, 1-based; the last one for preference; null for the episode as a whole.",
    )
    measure: Name = Field(
        description="similarity (rate one), preference (final or first), a metric, or a measure that the game declares."
    )
    by: Name = Field(description="Who gave it: a judge, the metric itself, or the game for its own measures.")
    value: float | None = Field(
        description="similarity: 0–10; preference: 1 final, 0 first, 0.5 tie; others: their own unit. Null if none."
    )
    reason: str | None = Field(default=None, max_length=500, description="Why value is null.")
    note: str | None = Field(
        default=None, max_length=LONGEST_NOTE, exclude_if=is_none, description="The value explained in words."
    )
    rendering: Sha256 | None = Field(
        default=None,
        exclude_if=is_none,
        description="The picture that was scored: with step, measure and by, the identity of this score. Null for "
        "measures of the game.",
    )
    annotator: Name | None = Field(default=None, description="Pseudonym of the person, where by is human.")
    orders: Orders | None = Field(
        default=None, description="preference, if both orders were asked: what each order alone would have said."
    )
    leniencies: tuple[Name, ...] = Field(
        default=(),
        exclude_if=lambda value: not value,  # older records have no such field, and keep their bytes
        description="Deviations in a model's answer that were accepted (ircore.runs.judge_answers), sorted.",
    )

    version: Line | None = Field(
        default=None,
        exclude_if=is_none,
        description="metric: version of its definition, with the weights that it computed with.",
    )
    loading: Loading | None = Field(
        default=None,
        exclude_if=is_none,
        description="metric: upstream (as published values were computed) or native (as a viewer shows the pictures).",
    )

    low: float | None = Field(
        default=None,
        ge=0,
        le=10,
        exclude_if=is_none,
        description="similarity by facts: the value if everything that could not be told is wrong.",
    )
    high: float | None = Field(
        default=None,
        ge=0,
        le=10,
        exclude_if=is_none,
        description="similarity by facts: the value if everything that could not be told is right.",
    )
    undecided: float | None = Field(
        default=None,
        ge=0,
        le=1,
        exclude_if=is_none,
        description="similarity by facts: share of the facts, by weight, that could not be told.",
    )
    unread: bool = Field(
        default=False,
        exclude_if=lambda value: not value,
        description="similarity by facts: whether labels were left unread, since no reader of texts is installed.",
    )

    @property
    def task(self) -> Task:
        """What gave this score."""
        if self.measure in ("similarity", "preference"):
            return self.measure  # type: ignore[return-value]
        return "metric" if self.measure == self.by else "game"

    @property
    def picture(self) -> tuple[int, str]:
        """Step and hash of the scored picture.

        Raises:
            ValueError: It is a measure of the game, which is of no picture.
        """
        if self.step is None or self.rendering is None:
            raise ValueError(f"{self.measure} is of no picture")
        return self.step, self.rendering

    @model_validator(mode="after")
    def _value_is_in_range(self) -> "Score":
        # Metrics and measures have no bounds here: each has a unit of its own.
        top = {"similarity": 10.0, "preference": 1.0}.get(self.measure)
        if self.value is not None and top is not None and not 0 <= self.value <= top:
            raise ValueError(f"value of {self.measure} must be within 0 and {top:g}, got {self.value}")
        if (self.value is None) == (self.reason is None):
            raise ValueError("a score has either a value or a reason why not")
        return self

    @model_validator(mode="after")
    def _interval_holds_the_value(self) -> "Score":
        ends = (self.low, self.high)
        if self.measure != "similarity" and (ends != (None, None) or self.undecided is not None or self.unread):
            raise ValueError("low, high, undecided and unread belong to a similarity")
        if (self.low is None) != (self.high is None):
            raise ValueError("low and high are given together")
        low, high = 0.0 if self.low is None else self.low, 10.0 if self.high is None else self.high
        if ends != (None, None) and (self.value is None or not low <= self.value <= high):
            raise ValueError(f"value {self.value} must lie within low {low:g} and high {high:g}")
        return self

    @model_validator(mode="after")
    def _picture_is_named(self) -> "Score":
        if self.task != "game" and (self.rendering is None or self.step is None):
            raise ValueError(f"{self.measure} is of a picture, so step and rendering are given")
        return self

    @model_validator(mode="after")
    def _annotator_goes_with_human(self) -> "Score":
        if (self.annotator is not None) != (self.by == HUMAN):
            raise ValueError("annotator is given exactly when by is human")
        if self.orders is not None and self.measure != "preference":
            raise ValueError("orders belong to a preference")
        return self


Letters = Annotated[str, StringConstraints(pattern=r"^[01?-]*$")]
"""A letter for each fact: ``1`` holds, ``0`` fails, ``?`` undecided, ``-`` not asked: without weight, since the eye
does not see it in the target itself."""

Verdict = Literal["holds", "fails", "undecided"]

Part = Literal["presence", "text", "colour", "value", "place", "count", "extra"]
PARTS: tuple[Part, ...] = ("presence", "text", "colour", "value", "place", "count", "extra")
"""The parts of a score by facts, in the order in which they are shown."""

VERIFIED = "verified"
"""Name of the judge that is a program; every other one that checks facts is a model."""

SCORE_RULE = "14"
"""Version of how facts are seen and counted: changes whenever the same rendering may get another score."""

LEAST_CREDIT = -1.5
"""Credit of the most misleading facts: colours that marks have exchanged."""

LETTER: dict[Verdict, str] = {"holds": "1", "fails": "0", "undecided": "?"}
UNASKED = "-"
VERDICT: dict[str, Verdict] = {letter: verdict for verdict, letter in LETTER.items()} | {UNASKED: "undecided"}


def format_verdict_letter(verdict: Verdict, weight: float) -> str:
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

    @classmethod
    def of(cls, episode_id: str, rendering: str, judge: str, verdicts: FactVerdicts) -> Self:
        """Return a judge's verdicts with the rendering that they are of."""
        fields = {name: getattr(verdicts, name) for name in FactVerdicts.model_fields}
        return cls(episode_id=episode_id, rendering=rendering, judge=judge, **fields)
