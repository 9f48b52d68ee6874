"""The contract between games and players: views, answers, traits and the seats' protocols.

The views are all that a player ever gets. Players keep no state between turns: everything they need is in the view, so
that a game can go on in a new process after a crash.

A seat whose answers, such as people's, are recorded in the instances.
"""

from dataclasses import dataclass, field
from typing import Literal, Protocol

from ircore.core.episode_records import AbortReason, Attempt, Usage
from ircore.core.errors import InputError
from ircore.core.images import Picture
from ircore.core.records import PlayerSpec
from ircore.core.score_records import JudgeReason
from ircore.players.views import (
    AnswerKind,
    Asked,
    Captioned,
    DescriberView,
    GeneratorView,
    JudgeView,
    Question,
    RepairExchange,
    Said,
)


@dataclass(frozen=True)
class TextAnswer:
    """A describer's raw answer, tags included, or a judge's. ``seconds`` is measured by whoever asks.

    ``attempts`` are the requests that it took, for players that ask a provider; ``usage`` is their sum.

    >>> TextAnswer("<DESCRIPTION>A red circle.</DESCRIPTION>").usage.requests
    1
    """

    text: str
    usage: Usage = field(default_factory=Usage)
    seconds: float = 0.0
    attempts: tuple[Attempt, ...] = ()

    @classmethod
    def from_message(cls, message: str) -> "TextAnswer":
        """Return a describer's answer; an empty message declares the rendering done.

        >>> TextAnswer.from_message("").text
        '<DONE>'
        """
        return cls(f"<DESCRIPTION>{message}</DESCRIPTION>" if message else "<DONE>")


@dataclass(frozen=True)
class PictureAnswer:
    """A generator's answer: a picture, with notes on instructions that it could not follow."""

    picture: Picture
    notes: tuple[str, ...] = ()
    usage: Usage = field(default_factory=Usage)
    seconds: float = 0.0
    attempts: tuple[Attempt, ...] = ()


@dataclass(frozen=True)
class ChoiceAnswer:
    """The choice that a player made, with notes on how its words were read. Other fields as of ``TextAnswer``."""

    choice: str
    notes: tuple[str, ...] = ()
    usage: Usage = field(default_factory=Usage)
    seconds: float = 0.0
    attempts: tuple[Attempt, ...] = ()


Answer = TextAnswer | PictureAnswer | ChoiceAnswer
"""An answer of any seat."""


class PlayerError(Exception):
    """A player could not answer; the episode is aborted with this reason.

    >>> PlayerError("describer_empty", "the answer is empty").reason
    'describer_empty'

    Args:
        reason: Abort reason, as boards show it.
        detail: Explanation, such as the provider's words.
        attempts: The requests that were tried.
    """

    def __init__(self, reason: AbortReason, detail: str, attempts: tuple[Attempt, ...] = ()) -> None:
        super().__init__(detail)
        self.reason: AbortReason = reason
        self.detail = detail
        self.attempts = attempts

    def __reduce__(self) -> tuple[type["PlayerError"], tuple[AbortReason, str, tuple[Attempt, ...]]]:
        """Keep reason, detail and attempts when the error crosses a process boundary."""
        return (type(self), (self.reason, self.detail, self.attempts))


class JudgeError(Exception):
    """A judge could not answer a question. Arguments as of ``PlayerError``.

    >>> JudgeError("judge_empty", "the answer is empty").detail
    'the answer is empty'
    """

    def __init__(self, reason: JudgeReason, detail: str, attempts: tuple[Attempt, ...] = ()) -> None:
        super().__init__(detail)
        self.reason: JudgeReason = reason
        self.detail = detail
        self.attempts = attempts


__all__ = [
    "Answer",
    "AnswerKind",
    "Asked",
    "Captioned",
    "ChoiceAnswer",
    "Describer",
    "DescriberView",
    "Generator",
    "GeneratorView",
    "JudgeError",
    "JudgeView",
    "JudgingPlayer",
    "PictureAnswer",
    "PlayerError",
    "Question",
    "RepairExchange",
    "Role",
    "Said",
    "TextAnswer",
    "Traits",
    "refuse_settings",
]  # fmt: skip

Role = Literal["describer", "generator", "judge"]
"""Who is asked by a view of its own; all other seats are asked a ``Question``."""


@dataclass(frozen=True)
class Traits:
    """Properties that a player declares: in its class attribute ``TRAITS``, or as an entry point ``ircore.traits``.

    The entry point has the player's name and names the traits; with it, nobody has to import the player to know them.

    >>> Traits(needs="nothing", methods=("describe",), parameters=()).offline
    True

    Attributes:
        methods: Methods of seats that the player has, such as ``describe``; empty if its class must be inspected.
        answers: Kinds of answers that its method ``answer`` returns to questions of any game, which ``ircore doctor``
            then asks; empty if it knows the questions of its own game only.
        needs: Resource needed to answer: ``nothing`` beyond this machine, a ``service``, a ``person``, or ``files`` of
            somebody's machine.
        parameters: Names of the accepted parameters; None if the player checks them itself.
        example: Parameters that are worth setting, as people type them; shown when a manifest is made.
        draws_apart: Whether the model calls an image model, so that images are billed besides its tokens.
        reference: Whether runs with the player are ceilings and floors, marked as references and never ranked:
            describers with extra information (``InformedView``), players that solve nothing on purpose.
        fixes: Groups of parameters that fix the answers. Setting one of each group makes a run repeatable; a manifest
            that leaves a group out gets a warning.
        replays: Whether the answers are those of an earlier run: such a pair is nobody's to hand in.
    """

    methods: tuple[str, ...] = ()
    needs: Literal["nothing", "service", "person", "files"] = "service"
    parameters: tuple[str, ...] | None = None
    example: str = ""
    draws_apart: bool = False
    answers: tuple[AnswerKind, ...] = ()
    reference: bool = False
    fixes: tuple[tuple[str, ...], ...] = ()
    replays: bool = False

    @property
    def offline(self) -> bool:
        """Whether the player asks no provider, so that its answers cost nothing."""
        return self.needs != "service"


class Describer(Protocol):
    """A player that sees the target and writes text. One object serves many episodes of a run at the same time.

    A player of either kind may also have ``async def close(self)``, awaited when play ends, in the same event loop, and
    a class method ``check(spec)`` that raises ``InputError`` for settings that it does not take and needs no keys. A
    class attribute ``IMMATERIAL`` may name parameters that change no answer, such as timeouts: a run goes on with
    others, and a judge stays the same judge.

    >>> import asyncio
    >>> from ircore.players.conformance import build_sample_questions
    >>> class Parrot:
    ...     def __init__(self, spec: PlayerSpec) -> None: ...
    ...     async def describe(self, view: DescriberView) -> TextAnswer:
    ...         return TextAnswer("<DESCRIPTION>A red circle.</DESCRIPTION>")
    >>> describer: Describer = Parrot(PlayerSpec(player="parrot"))
    >>> asyncio.run(describer.describe(build_sample_questions("describe")[0])).text
    '<DESCRIPTION>A red circle.</DESCRIPTION>'
    """

    def __init__(self, spec: PlayerSpec) -> None: ...

    async def describe(self, view: DescriberView) -> TextAnswer:
        """Answer with a message between tags, or with the done tag.

        Raises:
            PlayerError: No answer could be had.
        """
        ...


class Generator(Protocol):
    """A player that reads text and draws. One object serves many episodes of a run at the same time.

    >>> import asyncio
    >>> import numpy as np
    >>> from ircore.core.images import Picture
    >>> from ircore.players.conformance import build_sample_questions
    >>> class Blank:
    ...     def __init__(self, spec: PlayerSpec) -> None: ...
    ...     async def render(self, view: GeneratorView) -> PictureAnswer:
    ...         return PictureAnswer(Picture.from_pixels(np.full((64, 64, 3), 255, np.uint8)))
    >>> generator: Generator = Blank(PlayerSpec(player="blank"))
    >>> asyncio.run(generator.render(build_sample_questions("render")[0])).picture.width
    64
    """

    def __init__(self, spec: PlayerSpec) -> None: ...

    async def render(self, view: GeneratorView) -> PictureAnswer:
        """Return the picture for this turn.

        Raises:
            PlayerError: No picture could be had.
        """
        ...


class JudgingPlayer(Protocol):
    """A player that looks at pictures and writes a judgement. One object answers many questions at the same time.

    A player may take more than one seat; ``close``, ``check`` and ``IMMATERIAL`` are as of describers.

    >>> import asyncio
    >>> from ircore.players.conformance import build_sample_questions
    >>> class Kind:
    ...     def __init__(self, spec: PlayerSpec) -> None: ...
    ...     async def judge(self, view: JudgeView) -> TextAnswer:
    ...         return TextAnswer("10")
    >>> judge: JudgingPlayer = Kind(PlayerSpec(player="kind"))
    >>> asyncio.run(judge.judge(build_sample_questions("judge")[0])).text
    '10'
    """

    def __init__(self, spec: PlayerSpec) -> None: ...

    async def judge(self, view: JudgeView) -> TextAnswer:
        """Return the answer to a question.

        Raises:
            JudgeError: No answer could be had.
        """
        ...


def refuse_settings(spec: PlayerSpec) -> None:
    """Refuse any setting for a player that takes none, rather than ignore the setting silently.

    Raises:
        InputError: The spec has a model, an address, a key or a parameter.
    """
    stated = [key for key in ("model", "base_url", "api_key_env") if getattr(spec, key) is not None]
    for key in [*stated, *(f"parameters.{name}" for name in spec.parameters)]:
        raise InputError(f"{key}: the player {spec.player!r} takes no such setting", f"Remove {key}.")


RECORDED = "recorded"
"""The player's name in a manifest: ``{player: recorded, source: human}``, in seats whose game allows it."""


class RecordedSeat:
    """Stands in a seat whose answers the game finds among the fields of the instance.

    >>> RecordedSeat(PlayerSpec(player="recorded", source="human")).source
    'human'

    Args:
        spec: ``source`` names whose answers; nothing else may be set.

    Raises:
        InputError: The source is missing, or there are other settings.
    """

    def __init__(self, spec: PlayerSpec) -> None:
        if spec.source is None:
            raise InputError("source: is missing", "Say whose recorded answers take the seat, such as human.")
        if spec.model or spec.base_url or spec.api_key_env or spec.parameters:
            raise InputError("recorded answers have no settings", "Leave only player and source.")
        self.source = spec.source
