"""Tiny questions to each player of a submission, or to a judge, that show faults before a long run.

Every player gets a question about a red disc, by the method that its seat's questions go to. Of a game's own kind of
questions only those of reconstruction are known here; other players of such seats are made and not asked.
"""

import asyncio
from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import count
from time import perf_counter
from typing import Any, NamedTuple, TypeVar, cast

from ircore.core.counted import counted
from ircore.core.drawing import Drawing
from ircore.core.episode_records import Attempt, FaultKind, Usage
from ircore.core.errors import InputError, WorkError
from ircore.core.images import Picture
from ircore.core.plugins import load
from ircore.core.records import PlayerSpec
from ircore.games.base import Seat
from ircore.games.reconstruction.prompts import load_prompts
from ircore.games.reconstruction.records import RECONSTRUCTION, Rules
from ircore.games.reconstruction.reply import ProtocolViolationError, parse_reply
from ircore.games.registry import load_game
from ircore.players.base import (
    Answer,
    AnswerKind,
    Captioned,
    ChoiceAnswer,
    DescriberView,
    GeneratorView,
    JudgeError,
    JudgeView,
    PictureAnswer,
    PlayerError,
    Question,
    TextAnswer,
)
from ircore.players.calls import FaultError, ProviderStopError
from ircore.players.openai.meanings import meaning_table, remedies_for
from ircore.players.recorded_seat import RECORDED
from ircore.players.submission import LoadedSubmission, new_player
from ircore.players.traits import traits_of
from ircore.runs.judge_answers import SIMILARITY_SCHEMA, AnswerError, read_score, read_verdicts, verdicts_schema
from ircore.scorers.judges.manifest import LoadedJudge, captioned

AnswerT = TypeVar("AnswerT")

SIDE = 256
"""Width and height of the picture that is shown, in pixels."""

COLOUR = "#ff0000"
COLOUR_WORDS = ("red", "scarlet", "crimson", COLOUR, "255, 0, 0")
COLOURS = ("red", "green", "blue")
DISC_SENTENCES = ("There is a red disc in the middle.", "There are 3 discs.")
"""A true and a false sentence on the red disc, for a judge of facts."""
FIRST_MESSAGE = "A filled red circle with a radius of 80 pixels in the middle. The background is white."
SECOND_MESSAGE = "Make the red circle blue."
CLEARLY = 50
"""By how much (0–255) the asked colour must lead the two others in the middle of a picture."""

SAID_EVERY = 5
"""Seconds between two lines of progress."""

GREETING = 10
"""Seconds within which a service answers anything at all."""

ADDRESS = "Check base_url: host, port, and http or https."
BROKEN = "This is a fault of the player: mend it."
OWN_GAME = "One that answers questions of its own game only leaves answers out of its TRAITS."
SEE = "Make sure that this model sees pictures."
QUESTIONS: Mapping[AnswerKind, str] = {
    "text": "Which colour is the disc in this picture? Answer in a few words.",
    "choice": "Which colour is the disc in this picture?",
    "picture": "Draw a filled red disc in the middle of a white picture.",
}
"""Asked of players that take questions of any game, by what the seat answers with."""


class Finding(NamedTuple):
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


class _Timed(NamedTuple):
    answer: Any
    took: str
    """Seconds, tokens and requests, for people."""


@dataclass(frozen=True)
class _Patient:
    """A player that is examined.

    Attributes:
        seat: Name of the seat, or ``judge``.
        spec: Settings of the player.
        player: The player itself.
        timeout: Seconds that one answer may take.
        answers: Kind of the seat's answers.
        rules: Rules of reconstruction, where a seat of that game is examined.
        say: Shows a line of progress.
    """

    seat: str
    spec: PlayerSpec
    player: Any
    timeout: float
    answers: AnswerKind = "text"
    rules: Rules = field(default_factory=Rules)
    say: Callable[[str], object] = print

    def finding(self, question: str, works: bool, detail: str, remedy: str = "") -> Finding:
        """Return a finding about this player."""
        return Finding(self.seat, question, works, " ".join(detail.split()), remedy)

    def _failure(self, question: str, words: str, attempts: Sequence[Attempt], remedy: str) -> Finding:
        """Return a finding with the words of a service and what they were read as."""
        return self.finding(question, False, "; ".join(filter(None, (words, meaning_words(attempts)))), remedy)

    async def ask(self, question: str, pending_answer: Awaitable[Answer]) -> _Timed | Finding:
        """Wait for an answer, slightly longer than the player's own deadline; every failure becomes a finding."""
        started = perf_counter()
        waiting = asyncio.create_task(self._say_waiting(question))
        try:
            # The player's own message shall come first: it says more than a time-out.
            answer = await asyncio.wait_for(_unbroken(pending_answer), self.timeout * 1.1)
        except PlayerError as error:
            return self._failure(
                question, f"{error.reason}: {error.detail}", error.attempts, remedy_of(error, self.spec)
            )
        except JudgeError as error:
            remedy = service_remedy(self.spec, error.attempts)
            return self._failure(question, f"{error.reason}: {error.detail}", error.attempts, remedy)
        except ProviderStopError as error:
            return self._failure(question, error.problem, error.attempts, error.remedy)
        except InputError as error:
            return self.finding(question, False, error.problem, error.remedy)
        except TimeoutError:
            remedy = "Try again with a longer --timeout."
            return self.finding(question, False, f"no answer within {self.timeout:g} s", remedy)
        finally:
            waiting.cancel()
        return _Timed(answer, _took(answer.usage, perf_counter() - started))

    async def _say_waiting(self, question: str) -> None:
        """Say every few seconds that an answer is waited for."""
        for seconds in count(SAID_EVERY, SAID_EVERY):
            await asyncio.sleep(SAID_EVERY)
            self.say(f"{self.seat}: {question}: no answer yet after {seconds} s of at most {self.timeout:g} s")

    async def silence(self, question: str) -> Finding | None:
        """Return why nothing needs to be asked: what is at the address speaks no HTTP; None if it may be a service."""
        if traits_of(self.spec.player).needs != "service" or self.spec.base_url is None:
            return None
        from ircore.players.openai.connection import Connection
        from ircore.players.openai.settings import chosen_transport

        connection = Connection(self.spec.base_url, "", chosen_transport(None), GREETING)
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


def examine_seat(
    loaded: LoadedSubmission, seat: Seat[Any, Any], timeout: float, say: Callable[[str], object]
) -> list[Finding]:
    """Make the player of a seat and ask a tiny question; every failure becomes a finding.

    Args:
        loaded: The submission.
        seat: A seat of its game.
        timeout: Seconds that one answer may take.
        say: Shows a line of progress, every few seconds while an answer is waited for.
    """
    spec = loaded.submission.players[seat.name]
    if spec.player == RECORDED:
        return [Finding(seat.name, "recorded answers", True, "come with the instances: nothing to ask")]
    rules = load_game(loaded.submission.game).rules_of(loaded.submission)
    stated = {"rules": rules} if isinstance(rules, Rules) else {}
    trial = _TRIALS.get(seat.method)
    if seat.method == "answer" and not traits_of(spec.player).answers:
        trial = None
    return _examined(seat.name, spec, timeout, trial or _accept, answers=seat.answers, say=say, **stated)


def examine_judge(judge: LoadedJudge, timeout: float, say: Callable[[str], object]) -> Finding:
    """Show a judge a red and a blue disc and ask for their similarity; every failure becomes a finding.

    A judge of facts is shown the red disc alone, with one true and one false sentence.

    Args:
        judge: From its file.
        timeout: Seconds that the answer may take.
        say: As for ``examine_seat``.
    """

    async def check(patient: _Patient) -> list[Finding]:
        listed = "\n".join(f"{number}. {sentence}" for number, sentence in enumerate(DISC_SENTENCES, start=1))
        words = judge.prompts.facts.replace("{sentences}", listed)
        view = JudgeView(words, captioned(shown_picture()), schema=verdicts_schema(len(DISC_SENTENCES)))
        timed = await patient.ask("one image", patient.player.judge(view))
        return [timed if isinstance(timed, Finding) else _verdicts(patient, timed)]

    async def rate(patient: _Patient) -> list[Finding]:
        pictures = captioned(shown_picture(), shown_picture("#0000ff"))
        view = JudgeView(judge.prompts.similarity, pictures, schema=SIMILARITY_SCHEMA)
        timed = await patient.ask("two images", patient.player.judge(view))
        return [timed if isinstance(timed, Finding) else _rating(patient, timed)]

    return _examined("judge", judge.spec, timeout, check if judge.asks == "facts" else rate, say=say)[0]


def _examined(
    seat: str, spec: PlayerSpec, timeout: float, trial: Callable[[_Patient], Awaitable[list[Finding]]], **more: Any
) -> list[Finding]:
    """Make a player, let a trial ask the player, and close the player's connections."""
    try:
        player = new_player(_hurried(spec, timeout))
    except InputError as error:
        return [Finding(seat, "two images" if seat == "judge" else "settings", False, error.problem, error.remedy)]
    return asyncio.run(_closing(player, _greeted(_Patient(seat, spec, player, timeout, **more), trial)))


async def _greeted(patient: _Patient, trial: Callable[[_Patient], Awaitable[list[Finding]]]) -> list[Finding]:
    """Try a player, unless what is at its address is no service at all, which would take the longest."""
    silence = await patient.silence("address")
    return [silence] if silence is not None else await trial(patient)


async def _accept(patient: _Patient) -> list[Finding]:
    """Ask nothing: without an instance of the player's game only the settings can be tried."""
    return [patient.finding("settings", True, "are taken; not asked, since it answers questions of its game only")]


async def _describe(patient: _Patient) -> list[Finding]:
    """Show a describer a red disc, then a blue disc as the rendering."""
    prompts, budget = load_prompts(RECONSTRUCTION), patient.rules.token_budget
    first, later = prompts.describer(1, budget), prompts.describer(2, budget)
    view = DescriberView(1, first, shown_picture(), (), (), (), (), budget, 0)
    timed = await patient.ask("image input", patient.player.describe(view))
    if isinstance(timed, Finding):
        return [timed]
    findings = [_reply(patient, "image input", timed, 1)]
    if findings[0].works:
        text, drawn = timed.answer.text, (shown_picture("#0000ff"),)
        again = DescriberView(
            2, later, view.target, drawn, (parse_reply(text, 1).message,), (text,), (first,), budget, 0
        )
        timed = await patient.ask("two images", patient.player.describe(again))
        findings.append(timed if isinstance(timed, Finding) else _reply(patient, "two images", timed, 2))
    return findings


async def _render(patient: _Patient) -> list[Finding]:
    """Ask a generator for a red disc, then for a blue disc in its place; drawn anew, if it cannot edit."""
    first = await _drawn(patient, "image output", 0, None)
    if isinstance(first, Finding):
        return [first]
    findings = [patient.finding("image output", True, _drawing(first, 0)[0])]
    # A generator that cannot edit may still draw anew, and then plays by another rule.
    for mode in ("edit", "redraw") if patient.rules.drawing == "edit" else ("redraw",):
        question = "correction" if mode == "edit" else "redraw"
        again = await _drawn(patient, question, 2, first.answer.picture if mode == "edit" else None)
        if not isinstance(again, Finding):
            remedy = "" if len(findings) == 1 else "Play with the rule drawing: redraw."
            return [*findings, patient.finding(question, True, _drawing(again, 2)[0], remedy)]
        findings.append(again)
    return findings


async def _drawn(patient: _Patient, question: str, channel: int, previous: Picture | None) -> _Timed | Finding:
    """Ask a generator for a red disc, or for its correction (``channel`` 2) with or without its last picture."""
    earlier, message = ((), FIRST_MESSAGE) if channel == 0 else ((FIRST_MESSAGE,), SECOND_MESSAGE)
    prompt = load_prompts(RECONSTRUCTION).generator(message, earlier, "edit" if previous else "redraw")
    view = GeneratorView(len(earlier) + 1, message, earlier, previous, 0, prompt)
    return await patient.ask(question, patient.player.render(view))


async def _answer(patient: _Patient) -> list[Finding]:
    """Ask a player that takes questions of any game to recognise, or to draw, a red disc."""
    shown = () if patient.answers == "picture" else (Captioned("the picture", shown_picture()),)
    choices = COLOURS if patient.answers == "choice" else ()
    question = Question(1, QUESTIONS[patient.answers], shown, choices, answers=patient.answers)
    timed = await patient.ask(f"a {patient.answers}", patient.player.answer(question))
    if isinstance(timed, Finding):
        return [timed._replace(remedy=f"{BROKEN} {OWN_GAME}") if timed.remedy == BROKEN else timed]
    answer = timed.answer
    if isinstance(answer, PictureAnswer):
        detail, right = _drawing(timed, 0)
    elif isinstance(answer, ChoiceAnswer):
        notes = "".join(f"; {note}" for note in answer.notes)
        detail, right = f"chose {answer.choice}{notes}, {timed.took}", answer.choice == "red"
    else:
        right = any(word in answer.text.lower() for word in COLOUR_WORDS)
        words = "saw the red disc" if right else "but nothing red in the words on a red disc"
        detail = f"{len(answer.text.split())} words, {timed.took}; {words}"
    return [patient.finding(f"a {patient.answers}", True, detail, "" if right or not shown else SEE)]


_TRIALS: Mapping[str, Callable[[_Patient], Awaitable[list[Finding]]]] = {
    "describe": _describe,
    "render": _render,
    "answer": _answer,
}
"""What is asked, by the method that a seat's questions go to."""


_AGAIN = "Such answers are sent back once. Try again; parameters.structured: true may help, or another model."


def _rating(patient: _Patient, timed: _Timed) -> Finding:
    try:
        score = read_score(timed.answer.text).value
    except AnswerError as problem:
        detail = f"answers, but not so that it can be used: {problem} ({timed.took})"
        return patient.finding("two images", False, detail, _AGAIN)
    detail = f"rates a red and a blue disc {score} of 10, {timed.took}"
    return patient.finding("two images", True, detail, SEE if score == 10 else "")


def _verdicts(patient: _Patient, timed: _Timed) -> Finding:
    try:
        letters = read_verdicts(timed.answer.text, len(DISC_SENTENCES)).value
    except AnswerError as problem:
        detail = f"answers, but not so that it can be used: {problem} ({timed.took})"
        return patient.finding("one image", False, detail, _AGAIN)
    said = " and ".join({"1": "yes", "0": "no", "?": "cannot tell"}[letter] for letter in letters)
    detail = f"says {said} to a true and a false sentence, {timed.took}"
    return patient.finding("one image", True, detail, "" if letters == "10" else SEE)


def _reply(patient: _Patient, question: str, timed: _Timed, turn: int) -> Finding:
    """Return whether a describer keeps to the protocol, and on turn 1 whether the message names the shown colour."""
    answer: TextAnswer = timed.answer
    summary = f"{len(answer.text.split())} words, {timed.took}"
    try:
        move = parse_reply(answer.text, turn)
    except ProtocolViolationError as fault:
        detail = f"answers, but not in the protocol: {fault.reason}: {fault.detail} ({summary})"
        remedy = "Episodes with such answers are aborted. Try again; if it stays so, name another model."
        return patient.finding(question, False, detail, remedy)
    if turn > 1:
        return patient.finding(question, True, summary)
    if not any(word in move.message.lower() for word in COLOUR_WORDS):
        return patient.finding(question, True, f"{summary}, but nothing red in the words on a red disc", SEE)
    return patient.finding(question, True, f"{summary}; saw the red disc")


def _drawing(timed: _Timed, channel: int) -> tuple[str, bool]:
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


def _took(usage: Usage, seconds: float) -> str:
    counts = ((usage.prompt_tokens, "read"), (usage.completion_tokens, "written"), (usage.reasoning_tokens, "reasoned"))
    parts = [f"{seconds:.1f} s", *(f"{counted(count, 'token')} {done}" for count, done in counts if count is not None)]
    return ", ".join([*parts, *([f"{usage.requests} requests"] if usage.requests > 1 else [])])


def shown_picture(colour: str = COLOUR) -> Picture:
    """Return the small picture that players are shown: a red disc on white, or a disc of another colour."""
    drawing = Drawing(SIDE, SIDE)
    drawing.ellipse((SIDE / 2, SIDE / 2), (SIDE / 4, SIDE / 4), fill=colour)
    return Picture.from_pixels(drawing.pixels)


def _hurried(spec: PlayerSpec, timeout: float) -> PlayerSpec:
    """Shorten the deadline of a player that has a deadline, so that the player fails in time with its own reason."""
    check = getattr(load("players", spec.player), "check", None)
    # A deadline that the manifest states is part of the pair, and holds in play too.
    if check is None or "deadline_s" in spec.parameters:
        return spec
    hurried = spec.model_copy(update={"parameters": {**spec.parameters, "deadline_s": timeout}})
    try:
        check(hurried)
    except InputError:
        return spec
    return hurried


async def _unbroken(pending_answer: Awaitable[AnswerT]) -> AnswerT:
    """Wait for an answer; any exception of a plug-in player becomes an error with a single line."""
    try:
        return await pending_answer
    except (PlayerError, JudgeError, InputError):
        raise
    except Exception as error:
        raise WorkError(f"broke with {type(error).__name__}: {error}", BROKEN) from error


async def _closing(player: Any, pending_answer: Awaitable[AnswerT]) -> AnswerT:
    try:
        return await pending_answer
    finally:
        if close := getattr(player, "close", None):
            await close()


def remedy_of(error: PlayerError, spec: PlayerSpec) -> str:
    """Return the remedy for a player that could not answer."""
    if error.reason == "generator_no_image":
        return f"Make sure that {spec.label} makes pictures through the player {spec.player}; try another player."
    if error.reason in ("describer_refused", "generator_refused", "answer_refused"):
        return (
            "The model or its provider's filter declined a plain circle: look at its settings, or name another model."
        )
    return service_remedy(spec, error.attempts)


def meaning_words(attempts: Sequence[Attempt]) -> str:
    """Return what the last request's fault was read as, such as ``read as denied: a key that is wrong``; else empty."""
    kind = attempts[-1].kind if attempts else "answered"
    return "" if kind == "answered" else f"read as {kind}: {meaning_table().meanings[kind]}"


def service_remedy(spec: PlayerSpec, attempts: Sequence[Attempt] = ()) -> str:
    """Return the remedy for the fault of the last request; without a request, for the player's settings."""
    # The last request decided: earlier ones were repeated.
    if attempts and (remedy := remedies_for(spec).get(cast(FaultKind, attempts[-1].kind))):
        return remedy
    if spec.model is None:
        return f"Look at the settings of the player {spec.player} in the manifest."
    where = f" at {spec.base_url}" if spec.base_url else ""
    return f"Make sure that the service{where} is up and knows {spec.label}, then try again."
