"""The contract between games and players: views, answers, traits and the seats' protocols.

The views are all that a player ever gets. A describer sees pictures, never a scene, a file name or a category; a
generator sees text and its own earlier rendering, never the target. Reference describers are told more and are never
ranked. Answers of a recorded seat, such as people's, stand in the instances. Players keep no state between turns:
everything they need is in the view, so that a game can go on in a new process after a crash.
"""

from dataclasses import dataclass, field
from typing import Literal, NamedTuple, Protocol

from pydantic import JsonValue

from ircore.core.episode_records import AbortReason, Attempt, Usage
from ircore.core.errors import InputError
from ircore.core.images import Picture
from ircore.core.records import PlayerSpec
from ircore.core.score_records import JudgeReason

AnswerKind = Literal["text", "picture", "choice"]
"""Kind of answer that a seat gives."""


class Asked(Protocol):
    """A question to any seat: the question's number in the episode and the game master's words.

    >>> from dataclasses import dataclass
    >>> @dataclass
    ... class Riddle:
    ...     step: int
    ...     prompt: str
    >>> asked: Asked = Riddle(1, "Which animal has four legs?")
    >>> asked.step
    1
    """

    @property
    def step(self) -> int:
        """Number of the step, from 1."""
        ...

    @property
    def prompt(self) -> str:
        """The game master's words."""
        ...


@dataclass(frozen=True)
class DescriberView:
    """The describer's view of a turn.

    >>> target = Picture(b"", 512, 512)
    >>> view = DescriberView(1, "Describe it.", target, (), (), (), (), token_budget=200, seed=0)
    >>> view.step, view.renderings
    (1, ())

    Attributes:
        turn: 1-based.
        prompt: The game master's words for this turn.
        target: The picture to be reconstructed.
        renderings: Every rendering made so far, oldest first; empty on turn 1.
        messages: The describer's own earlier messages, oldest first; one per rendering.
        replies: The describer's own earlier raw answers, tags included, oldest first.
        prompts: The game master's words of the earlier turns, oldest first.
        token_budget: Tokens that the message may have.
        seed: For players that draw random numbers: the same for the same run, instance and turn.
    """

    turn: int
    prompt: str
    target: Picture
    renderings: tuple[Picture, ...]
    messages: tuple[str, ...]
    replies: tuple[str, ...]
    prompts: tuple[str, ...]
    token_budget: int
    seed: int

    @property
    def step(self) -> int:
        """The turn: this game's steps are turns."""
        return self.turn


@dataclass(frozen=True)
class GeneratorView:
    """The generator's view of a turn.

    >>> view = GeneratorView(1, "A red circle.", earlier=(), previous=None, seed=0, prompt="A red circle.")
    >>> view.step
    1

    Attributes:
        turn: 1-based.
        message: The describer's message of this turn.
        earlier: The describer's messages of all earlier turns, oldest first.
        previous: The generator's own rendering of the turn before; none on turn 1, or where it draws anew.
        seed: For players that draw random numbers: the same for the same run, instance and turn.
        prompt: Message and earlier messages as one text in the game master's words, for models that take one text.
        rewrite: Whether ``prompt`` asks a rewriter model for the prompt to draw from.
    """

    turn: int
    message: str
    earlier: tuple[str, ...]
    previous: Picture | None
    seed: int
    prompt: str
    rewrite: bool = False

    @property
    def step(self) -> int:
        """The turn: this game's steps are turns."""
        return self.turn


class Captioned(NamedTuple):
    """A picture with its caption."""

    caption: str
    picture: Picture


class Said(NamedTuple):
    """An earlier question to the same seat, its answer, and the pictures shown with the question."""

    prompt: str
    answer: str
    pictures: tuple[Captioned, ...] = ()


@dataclass(frozen=True)
class Question:
    """A question to a seat of a game that defines no view of its own.

    >>> question = Question(step=1, prompt="Which hand is this?", choices=("rock", "paper", "scissors"))
    >>> question.choices[0]
    'rock'

    Attributes:
        step: 1-based.
        prompt: The game master's words.
        pictures: With their captions, in the order in which they are shown.
        choices: Valid answers, where the seat answers with a choice.
        earlier: Earlier questions to this seat and their answers, oldest first, if the game shows them.
        seed: For players that draw random numbers: the same for the same run, instance, step and seat.
        answers: Kind of answer expected; the engine fills it in from the seat.
        unclear: The choice recorded for an answer that names no choice, with its words as a note; None if such an
            answer ends the episode.
        exact: Whether only a choice itself is taken, in any letter case, without marks around it.
    """

    step: int
    prompt: str
    pictures: tuple[Captioned, ...] = ()
    choices: tuple[str, ...] = ()
    earlier: tuple[Said, ...] = ()
    seed: int = 0
    answers: AnswerKind = "text"
    unclear: str | None = None
    exact: bool = False

    @property
    def in_sight(self) -> tuple[Captioned, ...]:
        """The pictures that were shown last: with this question or, where a game shows them once, before."""
        shown = (self.pictures, *(exchange.pictures for exchange in reversed(self.earlier)))
        return next(filter(None, shown), ())


class RepairExchange(NamedTuple):
    """An unusable answer of a judge, and the request to repair it."""

    reply: str
    repair: str


@dataclass(frozen=True)
class JudgeView:
    """A judge's view: pictures, without their makers and the words about them.

    >>> JudgeView("How similar are they, 0 to 10?", (Captioned("target", Picture(b"", 64, 64)),)).step
    1

    Attributes:
        prompt: The question.
        pictures: With their captions, in the order in which they are shown.
        exchanges: Unusable answers to this question so far, oldest first.
        seed: For players that draw random numbers: the same for the same question.
        schema: JSON Schema of the answer, for players that can hold a model to one.
    """

    prompt: str
    pictures: tuple[Captioned, ...]
    exchanges: tuple[RepairExchange, ...] = ()
    seed: int = 0
    schema: dict[str, JsonValue] | None = None

    @property
    def step(self) -> int:
        """Always 1: a judge is asked one question at a time."""
        return 1


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
