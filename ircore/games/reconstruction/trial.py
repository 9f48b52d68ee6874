"""Tiny questions to the players of both seats, which show faults before a long run: ``ircore doctor``."""

from ircore.core.images import Picture
from ircore.games.reconstruction.prompts import load_prompts
from ircore.games.reconstruction.records import RECONSTRUCTION, Rules
from ircore.games.reconstruction.reply import ProtocolViolationError, parse_reply
from ircore.games.reconstruction.rules import DESCRIBER, GENERATOR
from ircore.players.base import DescriberView, GeneratorView, TextAnswer
from ircore.players.examination import (
    COLOUR_WORDS,
    SEE,
    Finding,
    Patient,
    SeatTrial,
    TimedAnswer,
    drawing_words,
    shown_picture,
)

FIRST_MESSAGE = "A filled red circle with a radius of 80 pixels in the middle. The background is white."
SECOND_MESSAGE = "Make the red circle blue."


def seat_trial(seat: str, rules: Rules) -> SeatTrial | None:
    """Return the questions to the player of a seat; see ``ircore.games.base.Game.trial``."""
    trial = {DESCRIBER.name: _describe, GENERATOR.name: _render}.get(seat)
    return None if trial is None else lambda patient: trial(patient, rules)


async def _describe(patient: Patient, rules: Rules) -> list[Finding]:
    """Show a describer a red disc, then a blue disc as the rendering."""
    prompts, budget = load_prompts(RECONSTRUCTION), rules.token_budget
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


async def _render(patient: Patient, rules: Rules) -> list[Finding]:
    """Ask a generator for a red disc, then for a blue disc in its place; drawn anew, if it cannot edit."""
    first = await _drawn(patient, "image output", 0, None)
    if isinstance(first, Finding):
        return [first]
    findings = [patient.finding("image output", True, drawing_words(first, 0)[0])]
    # A generator that cannot edit may still draw anew, and then plays by another rule.
    for mode in ("edit", "redraw") if rules.drawing == "edit" else ("redraw",):
        question = "correction" if mode == "edit" else "redraw"
        again = await _drawn(patient, question, 2, first.answer.picture if mode == "edit" else None)
        if not isinstance(again, Finding):
            remedy = "" if len(findings) == 1 else "Play with the rule drawing: redraw."
            return [*findings, patient.finding(question, True, drawing_words(again, 2)[0], remedy)]
        findings.append(again)
    return findings


async def _drawn(patient: Patient, question: str, channel: int, previous: Picture | None) -> TimedAnswer | Finding:
    """Ask a generator for a red disc, or for its correction (``channel`` 2) with or without its last picture."""
    earlier, message = ((), FIRST_MESSAGE) if channel == 0 else ((FIRST_MESSAGE,), SECOND_MESSAGE)
    prompt = load_prompts(RECONSTRUCTION).generator(message, earlier, "edit" if previous else "redraw")
    view = GeneratorView(len(earlier) + 1, message, earlier, previous, 0, prompt)
    return await patient.ask(question, patient.player.render(view))


def _reply(patient: Patient, question: str, timed: TimedAnswer, turn: int) -> Finding:
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
