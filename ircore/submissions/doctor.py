"""Tiny questions to each player of a submission, or to a judge, that show faults before a long run.

Every player gets a question about a red disc: as its seat's game puts it, or as any game does. Players that take only
questions that their game does not try are made and not asked.
"""

import asyncio
from collections.abc import Awaitable, Callable, Mapping
from typing import Any

from ircore.core.errors import InputError
from ircore.core.plugins import builtin, load
from ircore.core.records import PlayerSpec
from ircore.games.base import Seat
from ircore.games.registry import load_game
from ircore.players.base import AnswerKind, Captioned, ChoiceAnswer, JudgeView, PictureAnswer, Question
from ircore.players.examination import (
    BROKEN,
    COLOUR_WORDS,
    COLOURS,
    SEE,
    AnswerT,
    Finding,
    Patient,
    SeatTrial,
    TimedAnswer,
    drawing_words,
    shown_picture,
)
from ircore.players.recorded_seat import RECORDED
from ircore.players.submission import LoadedSubmission, new_player
from ircore.players.traits import traits_of
from ircore.runs.judge_answers import SIMILARITY_SCHEMA, AnswerError, read_score, read_verdicts, verdicts_schema
from ircore.scorers.judges.manifest import LoadedJudge, captioned

DISC_SENTENCES = ("There is a red disc in the middle.", "There are 3 discs.")
"""A true and a false sentence on the red disc, for a judge of facts."""
OWN_GAME = "One that answers questions of its own game only leaves answers out of its TRAITS."
QUESTIONS: Mapping[AnswerKind, str] = {
    "text": "Which colour is the disc in this picture? Answer in a few words.",
    "choice": "Which colour is the disc in this picture?",
    "picture": "Draw a filled red disc in the middle of a white picture.",
}
"""Asked of players that take questions of any game, by what the seat answers with."""


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
    game = load_game(loaded.submission.game)
    trial = game.trial(seat, game.rules_of(loaded.submission))
    if trial is None and seat.method == "answer" and traits_of(spec.player).answers:
        trial = _answer
    return _examined(seat.name, spec, timeout, trial or _accept, answers=seat.answers, say=say)


def examine_judge(judge: LoadedJudge, timeout: float, say: Callable[[str], object]) -> Finding:
    """Show a judge a red and a blue disc and ask for their similarity; every failure becomes a finding.

    A judge of facts is shown the red disc alone, with one true and one false sentence.

    Args:
        judge: From its file.
        timeout: Seconds that the answer may take.
        say: As for ``examine_seat``.
    """

    async def check(patient: Patient) -> list[Finding]:
        listed = "\n".join(f"{number}. {sentence}" for number, sentence in enumerate(DISC_SENTENCES, start=1))
        words = judge.prompts.facts.replace("{sentences}", listed)
        view = JudgeView(words, captioned(shown_picture()), schema=verdicts_schema(len(DISC_SENTENCES)))
        timed = await patient.ask("one image", patient.player.judge(view))
        return [timed if isinstance(timed, Finding) else _verdicts(patient, timed)]

    async def rate(patient: Patient) -> list[Finding]:
        pictures = captioned(shown_picture(), shown_picture("#0000ff"))
        view = JudgeView(judge.prompts.similarity, pictures, schema=SIMILARITY_SCHEMA)
        timed = await patient.ask("two images", patient.player.judge(view))
        return [timed if isinstance(timed, Finding) else _rating(patient, timed)]

    return _examined("judge", judge.spec, timeout, check if judge.asks == "facts" else rate, say=say)[0]


def _examined(seat: str, spec: PlayerSpec, timeout: float, trial: SeatTrial, **more: Any) -> list[Finding]:
    """Make a player, let a trial ask the player, and close the player's connections."""
    try:
        player = new_player(_hurried(spec, timeout))
    except InputError as error:
        return [Finding(seat, "two images" if seat == "judge" else "settings", False, error.problem, error.remedy)]
    return asyncio.run(_closing(player, _greeted(Patient(seat, spec, player, timeout, **more), trial)))


async def _greeted(patient: Patient, trial: SeatTrial) -> list[Finding]:
    """Try a player, unless what is at its address is no service at all, which would take the longest."""
    silence = await patient.silence("address")
    return [silence] if silence is not None else await trial(patient)


async def _accept(patient: Patient) -> list[Finding]:
    """Ask nothing: without an instance of the player's game only the settings can be tried."""
    return [patient.finding("settings", True, "are taken; not asked, since it answers questions of its game only")]


async def _answer(patient: Patient) -> list[Finding]:
    """Ask a player that takes questions of any game to recognise, or to draw, a red disc."""
    shown = () if patient.answers == "picture" else (Captioned("the picture", shown_picture()),)
    choices = COLOURS if patient.answers == "choice" else ()
    question = Question(1, QUESTIONS[patient.answers], shown, choices, answers=patient.answers)
    timed = await patient.ask(f"a {patient.answers}", patient.player.answer(question))
    if isinstance(timed, Finding):
        # A program of this project that seeks a dialogue or a task in the words is right to refuse these.
        if timed.detail.startswith("rule_broken") and patient.spec.player in builtin("players"):
            return await _accept(patient)
        return [timed._replace(remedy=f"{BROKEN} {OWN_GAME}") if timed.remedy == BROKEN else timed]
    answer = timed.answer
    if isinstance(answer, PictureAnswer):
        detail, right = drawing_words(timed, 0)
    elif isinstance(answer, ChoiceAnswer):
        notes = "".join(f"; {note}" for note in answer.notes)
        detail, right = f"chose {answer.choice}{notes}, {timed.took}", answer.choice == "red"
    else:
        right = any(word in answer.text.lower() for word in COLOUR_WORDS)
        words = "saw the red disc" if right else "but nothing red in the words on a red disc"
        detail = f"{len(answer.text.split())} words, {timed.took}; {words}"
    return [patient.finding(f"a {patient.answers}", True, detail, "" if right or not shown else SEE)]


_AGAIN = "Such answers are sent back once. Try again; parameters.structured: true may help, or another model."


def _rating(patient: Patient, timed: TimedAnswer) -> Finding:
    try:
        score = read_score(timed.answer.text).value
    except AnswerError as problem:
        detail = f"answers, but not so that it can be used: {problem} ({timed.took})"
        return patient.finding("two images", False, detail, _AGAIN)
    detail = f"rates a red and a blue disc {score} of 10, {timed.took}"
    return patient.finding("two images", True, detail, SEE if score == 10 else "")


def _verdicts(patient: Patient, timed: TimedAnswer) -> Finding:
    try:
        letters = read_verdicts(timed.answer.text, len(DISC_SENTENCES)).value
    except AnswerError as problem:
        detail = f"answers, but not so that it can be used: {problem} ({timed.took})"
        return patient.finding("one image", False, detail, _AGAIN)
    said = " and ".join({"1": "yes", "0": "no", "?": "cannot tell"}[letter] for letter in letters)
    detail = f"says {said} to a true and a false sentence, {timed.took}"
    return patient.finding("one image", True, detail, "" if letters == "10" else SEE)


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


async def _closing(player: Any, pending_answer: Awaitable[AnswerT]) -> AnswerT:
    try:
        return await pending_answer
    finally:
        if close := getattr(player, "close", None):
            await close()
