"""Check that a player keeps the contract of ``ircore.players.base``."""

import asyncio
import inspect
from collections.abc import Mapping, Sequence
from typing import Any

from ircore.core.conformance import ConformanceError, expect, sample_pictures
from ircore.core.errors import InputError
from ircore.core.records import PlayerSpec
from ircore.players.base import (
    Answer,
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
    Traits,
)

ANSWERS: Mapping[str, type[Any]] = {"describe": TextAnswer, "judge": TextAnswer, "render": PictureAnswer}
"""Type of answer by method for the seats of this project; other games are free."""


def check_player(
    player: type[Any],
    questions: Mapping[str, Sequence[Any]] | None = None,
    spec: PlayerSpec | None = None,
    traits: Traits | None = None,
) -> None:
    """Check a player: traits, settings, kinds of answers, and that answers depend on the question alone.

    A player that needs a service, a person or files is checked as far as that goes without asking it anything.

    Args:
        player: Class of the player.
        questions: Questions by method, instead of ``build_sample_questions``.
        spec: Settings that the player is made with; none by default.
        traits: Traits of the player, if they are not in its attribute ``TRAITS``.

    Raises:
        ConformanceError: The first fault.
    """
    name = player.__name__
    declared = traits or getattr(player, "TRAITS", None)
    if not isinstance(declared, Traits):
        raise ConformanceError(f"player {name}: declares no TRAITS of the type ircore.players.base.Traits")
    expect(bool(declared.methods), f"player {name}: TRAITS.methods names no method that answers a seat")
    for method in declared.methods:
        function = getattr(player, method, None)
        expect(function is not None, f"player {name}: TRAITS.methods names {method}, which it does not have")
        expect(inspect.iscoroutinefunction(function), f"player {name}: {method} is no coroutine method (async def)")
    made_from = spec or PlayerSpec(player="sample")
    # None means that the player checks its parameters itself and may take any name.
    if declared.parameters is not None:
        _check_refusal(player, made_from)
    if declared.needs == "nothing":
        for method in declared.methods:
            method_questions = (questions or {}).get(method, build_sample_questions(method))
            asyncio.run(_check_answers(player, made_from, method, method_questions))


def build_sample_questions(method: str) -> tuple[Any, ...]:
    """Return questions for a method: views for ``describe``, ``render`` and ``judge``, else plain questions."""
    red, moved, blue, upright = sample_pictures()
    if method == "describe":
        return tuple(
            DescriberView(
                turn=turn,
                prompt="Describe the target.",
                target=target,
                renderings=renderings,
                messages=("A red square on white.",) * len(renderings),
                replies=("<DESCRIPTION>A red square on white.</DESCRIPTION>",) * len(renderings),
                prompts=("Describe the target.",) * len(renderings),
                token_budget=200,
                seed=turn,
            )
            for turn, target, renderings in ((1, red, ()), (1, upright, ()), (2, red, (blue,)), (2, red, (moved,)))
        )
    if method == "render":
        words = "A red square of 30 by 30 pixels at the centre of a white picture."
        later = "Make the square blue."
        return (
            GeneratorView(1, words, (), None, 1, words),
            GeneratorView(2, later, (words,), red, 2, f"{words}\n{later}"),
            GeneratorView(1, later, (), None, 1, later),
        )
    if method == "judge":
        prompt, target = "How similar are the two pictures, 0 to 10?", Captioned("target", red)
        return tuple(JudgeView(prompt, (target, Captioned("image", picture))) for picture in (red, moved, blue))
    choices = ("first", "second")
    return tuple(
        Question(step, "Which of the two?", (Captioned("a picture", picture),), choices, seed=step)
        for step, picture in ((1, red), (2, blue), (1, upright))
    )


def _check_refusal(player: type[Any], spec: PlayerSpec) -> None:
    """Check that a player refuses unknown settings instead of ignoring them silently."""
    name, wrong = player.__name__, spec.model_copy(update={"parameters": {**spec.parameters, "no_such_setting": 1}})
    try:
        getattr(player, "check", player)(wrong)
    except InputError:
        return
    raise ConformanceError(f"player {name}: takes parameters.no_such_setting without an InputError")


async def _check_answers(player: type[Any], spec: PlayerSpec, method: str, questions: Sequence[Any]) -> None:
    """Ask new players in turn, then a single player in reverse order and concurrently; all answers must agree."""
    where = f"player {player.__name__}: {method}"
    expect(bool(questions), f"{where}: no question to ask: give some in questions")
    alone = [await _ask_player(player(spec), method, question, where) for question in questions]
    # One object serves many episodes, so state between questions would show in another order.
    busy = player(spec)
    backwards = [await _ask_player(busy, method, question, where) for question in reversed(questions)]
    expect(backwards[::-1] == alone, f"{where}: an answer depends on what was asked before: keep no state")
    together = await asyncio.gather(*(_ask_player(busy, method, question, where) for question in questions))
    expect(list(together) == alone, f"{where}: an answer changes when other questions are asked at the same time")


async def _ask_player(player: Any, method: str, question: Any, where: str) -> tuple[object, ...]:
    """Return kind and content of an answer for comparison; for a refusal, its reason."""
    try:
        answer = await getattr(player, method)(question)
    except (PlayerError, JudgeError) as refusal:
        # The wording of a refusal may differ between repetitions; its reason must not.
        return ("refusal", refusal.reason)
    except Exception as error:
        raise ConformanceError(
            f"{where}: breaks with {type(error).__name__}: {error}, when asked {question.prompt!r}. For a player that "
            f"knows one game alone, give questions of that game: check_player(…, questions={{{method!r}: […]}})"
        ) from error
    kind = ANSWERS.get(method, Answer)
    expected = getattr(kind, "__name__", None) or "TextAnswer, PictureAnswer or ChoiceAnswer"
    expect(isinstance(answer, kind), f"{where}: answers with a {type(answer).__name__}, not a {expected}")
    if isinstance(answer, PictureAnswer):
        # Seconds and usage are left out of the comparison: they differ from answer to answer.
        return ("picture", answer.picture.sha256, answer.notes)
    if isinstance(answer, ChoiceAnswer):
        offered = getattr(question, "choices", ())
        expect(answer.choice in offered, f"{where}: chooses {answer.choice!r}, which was not offered")
        return ("choice", answer.choice)
    return ("text", answer.text)
