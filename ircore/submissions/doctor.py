"""Asking each player of a submission, or a judge, a tiny question, to learn what works before a long run."""

import asyncio
from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from time import perf_counter
from typing import Any, Literal, NamedTuple, TypeVar

from ircore.core.drawing import Drawing
from ircore.core.errors import InputError, WorkError
from ircore.core.images import Picture
from ircore.core.plugins import load
from ircore.core.records import PlayerSpec, Usage
from ircore.games.reconstruction.prompts import Prompts
from ircore.games.reconstruction.reply import ProtocolViolationError, parse_reply
from ircore.players.base import (
    DescriberView,
    GeneratorView,
    JudgeError,
    JudgeView,
    PictureAnswer,
    PlayerError,
    TextAnswer,
)
from ircore.players.submission import LoadedSubmission, make_player
from ircore.runs.judge_answers import SIMILARITY_SCHEMA, AnswerError, read_score
from ircore.scorers.judges.manifest import LoadedJudge
from ircore.scorers.judges.prompts import captioned

Seat = Literal["describer", "generator"]
Found = TypeVar("Found")

SIDE = 256
"""Width and height of the picture that is shown, in pixels."""

COLOUR = "#ff0000"
COLOUR_WORDS = ("red", "scarlet", "crimson", COLOUR, "255, 0, 0")
FIRST_MESSAGE = "A filled red circle with a radius of 80 pixels in the middle. The background is white."
SECOND_MESSAGE = "Make the red circle blue."
CLEARLY = 50
"""By how much (0–255) the asked colour must lead the two others in the middle of a picture."""


class Finding(NamedTuple):
    """What one question to one player showed.

    Attributes:
        seat: Which player.
        question: What was tried, such as ``image input``.
        works: Whether it did.
        detail: What was seen, in one line.
        remedy: What to do about it; empty if there is nothing to do.
    """

    seat: str
    question: str
    works: bool
    detail: str
    remedy: str = ""


@dataclass(frozen=True)
class Doctor:
    """Examines the players of a submission.

    Attributes:
        loaded: The submission.
        prompts: The game master's words.
        timeout: Seconds that one answer may take.
    """

    loaded: LoadedSubmission
    prompts: Prompts
    timeout: float

    def examine(self, seat: Seat) -> list[Finding]:
        """Make a player and ask it; whatever goes wrong becomes a finding."""
        try:
            player = make_player(_in_a_hurry(self.loaded, seat, self.timeout), seat)
        except InputError as error:
            return [Finding(seat, "settings", False, error.problem, error.remedy)]
        ask = self._ask_describer if seat == "describer" else self._ask_generator
        return asyncio.run(closing(player, ask(player)))

    async def _ask_describer(self, player: Any) -> list[Finding]:
        budget = self.loaded.submission.rules.token_budget
        first, later = self.prompts.describer(1, budget), self.prompts.describer(2, budget)
        view = DescriberView(1, first, shown_picture(), (), (), (), (), budget, 0)
        asked = await self._ask("describer", "image input", lambda: player.describe(view))
        if isinstance(asked, Finding):
            return [asked]
        findings = [_judge_text("image input", asked, 1)]
        if findings[0].works:
            reply = asked.answer.text
            drawn = (shown_picture("#0000ff"),)
            again = DescriberView(
                2, later, view.target, drawn, (parse_reply(reply, 1).message,), (reply,), (first,), budget, 0
            )
            asked = await self._ask("describer", "two images", lambda: player.describe(again))
            findings.append(asked if isinstance(asked, Finding) else _judge_text("two images", asked, 2))
        return findings

    async def _ask_generator(self, player: Any) -> list[Finding]:
        findings: list[Finding] = []
        previous: Picture | None = None
        messages: tuple[str, ...] = ()
        for question, message, channel in (("image output", FIRST_MESSAGE, 0), ("correction", SECOND_MESSAGE, 2)):
            prompt = self.prompts.generator(message, messages)
            view = GeneratorView(len(messages) + 1, message, messages, previous, 0, prompt)
            asked = await self._ask("generator", question, lambda view=view: player.render(view))  # type: ignore[misc]
            if isinstance(asked, Finding):
                return [*findings, asked]
            findings.append(Finding("generator", question, True, _seen_picture(asked, channel)))
            previous, messages = asked.answer.picture, (*messages, message)
        return findings

    async def _ask(self, seat: Seat, question: str, ask: Callable[[], Awaitable[Any]]) -> "_Answered | Finding":
        """Return the answer and its seconds, or what went wrong."""
        started = perf_counter()

        def failed(detail: str, remedy: str) -> Finding:
            return Finding(seat, question, False, " ".join(detail.split()), remedy)

        spec: PlayerSpec = getattr(self.loaded.submission, seat)
        try:
            answer = await asyncio.wait_for(_unbroken(ask()), self.timeout * 1.1)
        except PlayerError as error:
            return failed(f"{error.reason}: {error.detail}", remedy_of(error, spec))
        except InputError as error:
            return failed(error.problem, error.remedy)
        except TimeoutError:
            return failed(f"no answer within {self.timeout:g} s", "Try again with a longer --timeout.")
        return _Answered(answer, perf_counter() - started)


def examine_judge(judge: LoadedJudge, timeout: float) -> Finding:
    """Show a judge a red and a blue disc and ask for their similarity; whatever goes wrong becomes a finding.

    Args:
        judge: From its file.
        timeout: Seconds that the answer may take.
    """
    pictures = captioned(shown_picture(), shown_picture("#0000ff"))
    view = JudgeView(judge.prompts.similarity, pictures, schema=SIMILARITY_SCHEMA)
    started = perf_counter()
    try:
        player: Any = load("players", judge.spec.player)(hurried(judge.spec, timeout))
        asked = asyncio.wait_for(_unbroken(player.judge(view)), timeout * 1.1)
        answer: TextAnswer = asyncio.run(closing(player, asked))
    except JudgeError as error:
        detail = " ".join(f"{error.reason}: {error.detail}".split())
        return Finding("judge", "two images", False, detail, _service_remedy(judge.spec))
    except InputError as error:
        return Finding("judge", "two images", False, error.problem, error.remedy)
    except TimeoutError:
        detail = f"no answer within {timeout:g} s"
        return Finding("judge", "two images", False, detail, "Try again with a longer --timeout.")
    return _judge_score(answer, perf_counter() - started)


def _judge_score(answer: TextAnswer, seconds: float) -> Finding:
    took = _took(answer.usage, seconds)
    try:
        score = read_score(answer.text).value
    except AnswerError as problem:
        detail = f"answers, but not so that it can be used: {problem} ({took})"
        remedy = "Such answers are sent back once. Try again; parameters.structured: true may help, or another model."
        return Finding("judge", "two images", False, detail, remedy)
    remedy = "Make sure that this model sees pictures." if score == 10 else ""
    return Finding("judge", "two images", True, f"rates a red and a blue disc {score} of 10, {took}", remedy)


class _Answered(NamedTuple):
    answer: Any
    seconds: float


def shown_picture(colour: str = COLOUR) -> Picture:
    """Return the small picture that describers are shown: a red disc on white, or one of another colour."""
    drawing = Drawing(SIDE, SIDE)
    drawing.ellipse((SIDE / 2, SIDE / 2), (SIDE / 4, SIDE / 4), fill=colour)
    return Picture.from_pixels(drawing.pixels)


def _in_a_hurry(loaded: LoadedSubmission, seat: Seat, timeout: float) -> LoadedSubmission:
    """Shorten the deadline of a player that has one, so that it gives up in time and says what was wrong."""
    quick = hurried(getattr(loaded.submission, seat), timeout)
    return loaded._replace(submission=loaded.submission.model_copy(update={seat: quick}))


def hurried(spec: PlayerSpec, timeout: float) -> PlayerSpec:
    """Shorten the deadline of a player that has one, so that it gives up in time."""
    check = getattr(load("players", spec.player), "check", None)
    if check is None or "deadline_s" in spec.parameters:
        return spec
    quick = spec.model_copy(update={"parameters": {**spec.parameters, "deadline_s": timeout}})
    try:
        check(quick)
    except InputError:
        return spec
    return quick


async def _unbroken(asked: Awaitable[Any]) -> Any:
    """Wait for an answer; a player that breaks, as a plug-in may, becomes an error with one line."""
    try:
        return await asked
    except (PlayerError, JudgeError, InputError):
        raise
    except Exception as error:
        raise WorkError(
            f"broke with {type(error).__name__}: {error}", "This is a fault of the player: mend it."
        ) from error


async def answered_in_time(asked: Awaitable[Found], timeout: float) -> tuple[Found, float]:
    """Wait for an answer, a little longer than a player in a hurry does; returns it and its seconds.

    Raises:
        TimeoutError: There was none.
    """
    started = perf_counter()
    answer: Found = await asyncio.wait_for(_unbroken(asked), timeout * 1.1)
    return answer, perf_counter() - started


async def closing(player: Any, asked: Awaitable[Found]) -> Found:
    """Wait for something of a player and close its connections."""
    try:
        return await asked
    finally:
        if close := getattr(player, "close", None):
            await close()


def _judge_text(question: str, asked: _Answered, turn: int) -> Finding:
    """Say whether a describer keeps to the protocol, and on turn 1 whether it names the colour that it was shown."""
    answer: TextAnswer = asked.answer
    seen = f"{len(answer.text.split())} words, {_took(answer.usage, asked.seconds)}"
    try:
        move = parse_reply(answer.text, turn)
    except ProtocolViolationError as fault:
        detail = f"answers, but not in the protocol: {fault.reason}: {fault.detail} ({seen})"
        remedy = "Episodes with such answers are aborted. Try again; if it stays so, name another model."
        return Finding("describer", question, False, detail, remedy)
    if turn > 1:
        return Finding("describer", question, True, seen)
    if not any(word in move.message.lower() for word in COLOUR_WORDS):
        detail = f"{seen}, but nothing red in the words on a red disc"
        return Finding("describer", question, True, detail, "Make sure that this model sees pictures.")
    return Finding("describer", question, True, f"{seen}; saw the red disc")


def _seen_picture(asked: _Answered, channel: int) -> str:
    """Say how large a picture is, what it took, and whether its middle is red (channel 0) or blue (2) as asked."""
    answer: PictureAnswer = asked.answer
    picture = answer.picture
    middle = picture.pixels[picture.height // 2, picture.width // 2].astype(int)
    others = max(value for index, value in enumerate(middle) if index != channel)
    colour = ("red", "green", "blue")[channel]
    seen = f"drew it {colour}" if middle[channel] >= others + CLEARLY else f"but its middle is not {colour}"
    size = f"{picture.width} × {picture.height} px, {len(picture.data) / 1000:.1f} kB"
    return f"{size}, {_took(answer.usage, asked.seconds)}; {seen}{''.join(f'; {note}' for note in answer.notes)}"


def _took(usage: Usage, seconds: float) -> str:
    counts = ((usage.prompt_tokens, "read"), (usage.completion_tokens, "written"), (usage.reasoning_tokens, "reasoned"))
    parts = [f"{seconds:.1f} s", *(f"{count:,} tokens {what}" for count, what in counts if count is not None)]
    return ", ".join([*parts, *([f"{usage.requests} requests"] if usage.requests > 1 else [])])


def remedy_of(error: PlayerError, spec: PlayerSpec) -> str:
    """Return what to do about a player that could not answer."""
    if error.reason == "generator_no_image":
        return f"Make sure that {spec.label} makes pictures through the player {spec.player}; try another player."
    if error.reason in ("describer_refused", "generator_refused", "answer_refused"):
        return (
            "The model or its provider's filter declined a plain circle: look at its settings, or name another model."
        )
    return _service_remedy(spec)


def _service_remedy(spec: PlayerSpec) -> str:
    if spec.model is None:
        return f"Look at the settings of the player {spec.player} in the manifest."
    where = f" at {spec.base_url}" if spec.base_url else ""
    return f"Make sure that the service{where} is up and knows {spec.label}, then try again."
