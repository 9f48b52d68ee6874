"""The questions that a judge is asked about an item, and the score that follows from the answers."""

import hashlib
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass
from typing import NamedTuple, get_args

from pydantic import JsonValue

from ircore.core.fact_records import FactVerdicts
from ircore.core.images import Picture
from ircore.core.score_records import Orders
from ircore.players.base import Exchange, JudgeView
from ircore.runs.judge_answers import (
    PREFERENCE_FORM,
    PREFERENCE_SCHEMA,
    SIMILARITY_FORM,
    SIMILARITY_SCHEMA,
    AnswerError,
)
from ircore.runs.judge_questions import JudgeQuestion, Order
from ircore.scorers.judges.manifest import JudgePrompts, captioned
from ircore.scorers.model_judges.items import Item
from ircore.scorers.rated_episodes import picture_of


class Verdict(NamedTuple):
    """Reading of answers: a value, or the reason for no value; for a preference also the answer in each order.

    ``leniencies`` names what had to be overlooked in the answers that count, see ``ircore.runs.judge_answers``.
    """

    value: float | None
    reason: str | None = None
    orders: Orders | None = None
    leniencies: tuple[str, ...] = ()
    facts: FactVerdicts | None = None
    """Of a judge of facts: the verdicts behind the value."""


@dataclass(frozen=True)
class Question:
    """A question: the pictures that the judge sees, in their order."""

    view: JudgeView
    shown: tuple[str, ...]
    order: Order | None
    repair: bool
    words: str | None = None
    """Of sentences: the hash of the words."""
    sentences: int | None = None
    """Of sentences: how many there are."""


Ask = Callable[[Item, Question], Awaitable[JudgeQuestion]]
"""Returns what is known of a question, or asks it; what is neither answered nor declined does not come back."""


async def judged(item: Item, prompts: JudgePrompts, ask: Ask) -> Verdict:
    """Ask a judge all questions about one item.

    Args:
        item: What is judged.
        prompts: Of the judge.
        ask: Asks.
    """
    if item.task == "similarity":
        return await _answer(item, prompts, ask, None)
    first, final = item.renderings
    if first.sha256 == final.sha256:
        return Verdict(0.5)  # a judge that must choose could only guess
    preferences: list[float] = []
    leniencies: set[str] = set()
    for order in get_args(Order):
        verdict = await _answer(item, prompts, ask, order)
        if verdict.value is None:
            # One order without an answer is enough to lose the preference, so the other is not paid for.
            return verdict
        preferences.append(verdict.value)
        leniencies |= set(verdict.leniencies)
    orders = Orders(*preferences)
    mean = (orders.first_leading + orders.final_leading) / 2
    return Verdict(mean, orders=orders, leniencies=tuple(sorted(leniencies)))


async def _answer(item: Item, prompts: JudgePrompts, ask: Ask, order: Order | None) -> Verdict:
    """Ask one question, and once more if the answer cannot be used."""
    pictures = [item.run.rendering(rendering) for rendering in item.renderings]
    if order == "final_leading":
        pictures.reverse()
    target = picture_of(item.run, item.original)
    form = SIMILARITY_FORM if order is None else PREFERENCE_FORM
    exchanges: tuple[Exchange, ...] = ()
    problem = ""
    for repair in (False, True):
        view = _view(prompts, target, pictures, exchanges, order)
        question = await ask(item, Question(view, tuple(picture.sha256 for picture in pictures), order, repair))
        if question.text is None:
            return Verdict(None, f"{question.reason}: {question.detail}")
        try:
            reading = question.read()
            return Verdict(reading.value, leniencies=reading.leniencies)
        except AnswerError as error:
            problem = str(error)
        exchanges = (Exchange(question.text, prompts.repaired(problem, form)),)
    return Verdict(None, f"judge_format: {problem}")


def _view(
    prompts: JudgePrompts,
    target: Picture,
    pictures: Sequence[Picture],
    exchanges: tuple[Exchange, ...],
    order: Order | None,
) -> JudgeView:
    schema: dict[str, JsonValue] = SIMILARITY_SCHEMA if order is None else PREFERENCE_SCHEMA
    names = "".join(picture.sha256 for picture in (target, *pictures))
    return JudgeView(
        prompt=prompts.similarity if order is None else prompts.preference,
        pictures=captioned(target, *pictures),
        exchanges=exchanges,
        # From the pictures alone, so that the same question to the same model is the same in every run.
        seed=int.from_bytes(hashlib.sha256(names.encode()).digest()[:4]),
        schema=schema,
    )
