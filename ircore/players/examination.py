"""The first questions to a player: asked with a deadline, and every failure told as a finding with its remedy."""

import asyncio
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass
from itertools import count
from time import perf_counter
from typing import Any, NamedTuple, TypeVar, cast

from ircore.core.episode_records import Attempt, FaultKind, Usage
from ircore.core.errors import InputError, WorkError
from ircore.core.images import Picture
from ircore.core.plain_words import format_count
from ircore.core.records import PlayerSpec
from ircore.players.base import Answer, AnswerKind, JudgeError, PictureAnswer, PlayerError
from ircore.players.calls import FaultError, ProviderStopError
from ircore.players.openai.provider_errors import list_remedies, load_meaning_table
from ircore.players.traits import load_traits

AnswerT = TypeVar("AnswerT")

SIDE = 256
"""Width and height of the picture that is shown, in pixels."""

COLOUR = "#ff0000"
COLOUR_WORDS = ("red", "scarlet", "crimson", COLOUR, "255, 0, 0")
COLOURS = ("red", "green", "blue")
CLEARLY = 50
"""By how much (0–255) the asked colour must lead the two others in the middle of a picture."""

SAID_EVERY = 5
"""Seconds between two lines of progress."""

GREETING = 10
"""Seconds within which a service answers anything at all."""

ADDRESS = "Check base_url: host, port, and http or https."
BROKEN = "This is a fault of the player: mend it."
SEE = "Make sure that this model sees pictures."


class PlayerFinding(NamedTuple):
    """Result of a question to a player.

    Attributes:
        seat: Name of the seat, or ``judge``.
        question: Name of the trial, such as ``image input``.
        works: Whether the trial succeeded.
        detail: Observation in a line.
        remedy: Instruction for the user; empty if nothing is wrong.
    """

    seat: str
    question: str
    works: bool
    detail: str
    remedy: str = ""


class TimedAnswer(NamedTuple):
    """An answer that came in time."""

    answer: Any
    took: str
    """Seconds, tokens and requests, for people."""


@dataclass(frozen=True)
class Patient:
    """A player that is examined.

    Attributes:
        seat: Name of the seat, or ``judge``.
        spec: Settings of the player.
        player: The player itself.
        timeout: Seconds that one answer may take.
        answers: Kind of the seat's answers.
        say: Shows a line of progress.
    """

    seat: str
    spec: PlayerSpec
    player: Any
    timeout: float
    answers: AnswerKind = "text"
    say: Callable[[str], object] = print

    def finding(self, question: str, works: bool, detail: str, remedy: str = "") -> PlayerFinding:
        """Return a finding about this player."""
        return PlayerFinding(self.seat, question, works, " ".join(detail.split()), remedy)

    def _build_failure(self, question: str, words: str, attempts: Sequence[Attempt], remedy: str) -> PlayerFinding:
        """Return a finding with the words of a service and what they were read as."""
        return self.finding(question, False, "; ".join(filter(None, (words, describe_meaning(attempts)))), remedy)

    async def ask(self, question: str, pending_answer: Awaitable[Answer]) -> TimedAnswer | PlayerFinding:
        """Wait for an answer, slightly longer than the player's own deadline; every failure becomes a finding."""
        started = perf_counter()
        waiting = asyncio.create_task(self._say_waiting(question))
        try:
            # The player's own message shall come first: it says more than a time-out.
            answer = await asyncio.wait_for(_await_answer(pending_answer), self.timeout * 1.1)
        except PlayerError as error:
            return self._build_failure(
                question, f"{error.reason}: {error.detail}", error.attempts, find_remedy(error, self.spec)
            )
        except JudgeError as error:
            remedy = find_service_remedy(self.spec, error.attempts)
            return self._build_failure(question, f"{error.reason}: {error.detail}", error.attempts, remedy)
        except ProviderStopError as error:
            return self._build_failure(question, error.problem, error.attempts, error.remedy)
        except InputError as error:
            return self.finding(question, False, error.problem, error.remedy)
        except TimeoutError:
            remedy = "Try again with a longer --timeout."
            return self.finding(question, False, f"no answer within {self.timeout:g} s", remedy)
        finally:
            waiting.cancel()
        return TimedAnswer(answer, _describe_cost(answer.usage, perf_counter() - started))

    async def _say_waiting(self, question: str) -> None:
        """Say every few seconds that an answer is waited for."""
        for seconds in count(SAID_EVERY, SAID_EVERY):
            await asyncio.sleep(SAID_EVERY)
            self.say(f"{self.seat}: {question}: no answer yet after {seconds} s of at most {self.timeout:g} s")

    async def silence(self, question: str) -> PlayerFinding | None:
        """Return why nothing needs to be asked: what is at the address speaks no HTTP; None if it may be a service."""
        if load_traits(self.spec.player).needs != "service" or self.spec.base_url is None:
            return None
        from ircore.players.openai.connection import Connection
        from ircore.players.openai.settings import choose_transport

        connection = Connection(self.spec.base_url, "", choose_transport(None), GREETING)
        try:
            async with asyncio.timeout(min(GREETING, self.timeout)):
                await connection.greet()
        except TimeoutError:
            return self.finding(
                question, False, f"nothing is said at {self.spec.base_url} within {GREETING} s", ADDRESS
            )
        except FaultError as error:
            # Where nothing listens, the question itself says so, with its own remedy.
            if error.fault.kind != "unreachable":
                return self.finding(question, False, f"no HTTP is spoken at {self.spec.base_url}", ADDRESS)
        finally:
            await connection.close()
        return None


SeatTrial = Callable[[Patient], Awaitable[list[PlayerFinding]]]
"""Asks a player a few questions and tells how they went."""


def describe_drawing(timed: TimedAnswer, channel: int) -> tuple[str, bool]:
    """Return a line about the size of a picture, time and tokens, and whether its middle has the asked colour."""
    answer: PictureAnswer = timed.answer
    picture = answer.picture
    # As integers, since a sum of bytes would wrap around at 256.
    middle = picture.pixels[picture.height // 2, picture.width // 2].astype(int)
    others = max(value for index, value in enumerate(middle) if index != channel)
    colour, right = COLOURS[channel], bool(middle[channel] >= others + CLEARLY)
    colour_note = f"drew it {colour}" if right else f"but its middle is not {colour}"
    size = f"{picture.width} × {picture.height} px, {len(picture.data) / 1000:.1f} kB"
    return f"{size}, {timed.took}; {colour_note}{''.join(f'; {note}' for note in answer.notes)}", right


def _describe_cost(usage: Usage, seconds: float) -> str:
    counts = ((usage.prompt_tokens, "read"), (usage.completion_tokens, "written"), (usage.reasoning_tokens, "reasoned"))
    parts = [
        f"{seconds:.1f} s",
        *(f"{format_count(count, 'token')} {done}" for count, done in counts if count is not None),
    ]
    return ", ".join([*parts, *([f"{usage.requests} requests"] if usage.requests > 1 else [])])


def build_shown_picture(colour: str = COLOUR) -> Picture:
    """Return the small picture that players are shown: a red disc on white, or a disc of another colour."""
    from ircore.core.drawing import Drawing  # needs Pillow, which boards do without

    drawing = Drawing(SIDE, SIDE)
    drawing.ellipse((SIDE / 2, SIDE / 2), (SIDE / 4, SIDE / 4), fill=colour)
    return Picture.from_pixels(drawing.pixels)


async def _await_answer(pending_answer: Awaitable[AnswerT]) -> AnswerT:
    """Wait for an answer; any exception of a plug-in player becomes an error with a single line."""
    try:
        return await pending_answer
    except (PlayerError, JudgeError, InputError):
        raise
    except Exception as error:
        raise WorkError(f"broke with {type(error).__name__}: {error}", BROKEN) from error


def find_remedy(error: PlayerError, spec: PlayerSpec) -> str:
    """Return the remedy for a player that could not answer."""
    if error.reason == "generator_no_image":
        return f"Make sure that {spec.label} makes pictures through the player {spec.player}; try another player."
    if error.reason in ("describer_refused", "generator_refused", "answer_refused"):
        return (
            "The model or its provider's filter declined a plain circle: look at its settings, or name another model."
        )
    return find_service_remedy(spec, error.attempts)


def describe_meaning(attempts: Sequence[Attempt]) -> str:
    """Return what the last request's fault was read as, such as ``read as denied: a key that is wrong``; else empty."""
    kind = attempts[-1].kind if attempts else "answered"
    return "" if kind == "answered" else f"read as {kind}: {load_meaning_table().meanings[kind]}"


def find_service_remedy(spec: PlayerSpec, attempts: Sequence[Attempt] = ()) -> str:
    """Return the remedy for the fault of the last request; without a request, for the player's settings."""
    # The last request decided: earlier ones were repeated.
    if attempts and (remedy := list_remedies(spec).get(cast(FaultKind, attempts[-1].kind))):
        return remedy
    if spec.model is None:
        return f"Look at the settings of the player {spec.player} in the manifest."
    where = f" at {spec.base_url}" if spec.base_url else ""
    return f"Make sure that the service{where} is up and knows {spec.label}, then try again."
