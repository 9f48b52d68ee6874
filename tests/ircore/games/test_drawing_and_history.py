"""Rules of memory: what the describer is shown of earlier turns, and what the generator draws from."""

import asyncio
from typing import Any

import pytest
from pydantic import ValidationError
from target_instances import target_instance

from ircore.core.drawing import Drawing
from ircore.core.images import Picture
from ircore.games.base import EpisodeSetup, Seat
from ircore.games.reconstruction.game import ReconstructionGame
from ircore.games.reconstruction.prompts import load_prompts
from ircore.games.reconstruction.records import Rules
from ircore.players.base import DescriberView, GeneratorView, PictureAnswer, TextAnswer
from ircore.players.openai.conversations import build_dialogue, build_drawing_messages

TARGET = Picture.from_pixels(Drawing(16, 16, "#ff0000").pixels)
DRAWN = [Picture.from_pixels(Drawing(16, 16, f"#0000{turn:02x}").pixels) for turn in range(1, 6)]


class Recorder:
    """Describes ``message N`` at turn N, draws the N-th picture, and keeps every question."""

    def __init__(self) -> None:
        self.described: list[DescriberView] = []
        self.rendered: list[GeneratorView] = []

    async def ask(self, seat: Seat[Any, Any], question: Any) -> Any:
        if seat.name == "describer":
            self.described.append(question)
            return TextAnswer(f"<DESCRIPTION>message {question.turn}</DESCRIPTION>")
        self.rendered.append(question)
        return PictureAnswer(DRAWN[question.turn - 1])


def played(rules: Rules) -> Recorder:
    instance = target_instance("geometry-easy-01", TARGET, category="geometry")
    table, prompts = Recorder(), load_prompts("reconstruction")
    setup = EpisodeSetup(instance, instance, {"target": TARGET}, rules, prompts, 0)
    asyncio.run(ReconstructionGame().play(table, setup))
    return table


@pytest.mark.parametrize(
    ("history", "renderings"),
    [("all", [1, 2, 3, 4]), ("last 2", [3, 4]), ("last 9", [1, 2, 3, 4]), ("first and last", [1, 4])],
)
def test_the_describer_is_shown_as_much_as_the_rule_allows(history: str, renderings: list[int]) -> None:
    view = played(Rules(max_turns=5, history=history)).described[4]
    assert view.renderings == tuple(DRAWN[turn - 1] for turn in renderings)
    assert view.messages == tuple(f"message {turn}" for turn in renderings)


def test_a_shortened_dialogue_still_begins_with_the_target_and_ends_with_the_latest_rendering() -> None:
    view = played(Rules(max_turns=5, history="last 1")).described[4]
    prompts = load_prompts("reconstruction")
    first, answer, last = build_dialogue(view)
    assert first.parts == (prompts.describer(1, 200), TARGET)
    assert answer.parts == ("<DESCRIPTION>message 4</DESCRIPTION>",)
    assert last.parts == (prompts.describer(5, 200), DRAWN[3])


def test_at_the_second_turn_first_and_last_are_one_rendering() -> None:
    assert played(Rules(max_turns=2, history="first and last")).described[1].renderings == (DRAWN[0],)


@pytest.mark.parametrize("rule", ["last 0", "last", "none", "last -1"])
def test_other_histories_are_refused(rule: str) -> None:
    with pytest.raises(ValidationError, match="history"):
        Rules(history=rule)


def test_a_generator_that_redraws_gets_every_message_and_no_picture() -> None:
    first, *_, last = played(Rules(max_turns=3, drawing="redraw")).rendered
    assert first.prompt == "message 1"
    (message,) = build_drawing_messages(last)
    (words,) = message.parts
    assert isinstance(words, str)
    assert [words.count(f"message {turn}") for turn in (1, 2, 3)] == [1, 1, 1]
    assert "attached" not in words
    assert not last.rewrite


def test_only_later_turns_are_rewritten() -> None:
    views = played(Rules(max_turns=3, drawing="rewrite")).rendered
    assert [view.rewrite for view in views] == [False, True, True]
    assert [view.previous for view in views] == [None, None, None]


def test_an_editing_generator_gets_its_own_last_picture() -> None:
    assert [view.previous for view in played(Rules(max_turns=3)).rendered] == [None, *DRAWN[:2]]


def test_runs_from_before_these_rules_keep_their_identity() -> None:
    assert Rules().model_dump() == {"token_budget": 200, "max_turns": 10, "over_budget": "allow"}
    assert Rules(history="first and last", drawing="redraw").key == "b200-t10-allow-firstlast-redraw"
