"""The rules of the game, played with scripted seats: who sees what, when it ends, what is counted."""

import asyncio
from collections.abc import Sequence
from dataclasses import fields
from typing import Any

import pytest
from pydantic import ValidationError
from target_instances import target_instance

from ircore.core.drawing import Drawing
from ircore.core.episode_records import Episode
from ircore.core.images import Picture
from ircore.games.base import EpisodeSetup, Seat
from ircore.games.reconstruction.game import ReconstructionGame
from ircore.games.reconstruction.prompts import (
    MAX_REPLY_CHARACTERS,
    Move,
    ProtocolViolationError,
    load_prompts,
    parse_reply,
)
from ircore.games.reconstruction.records import Rules, list_rendered_turns, list_turns
from ircore.players.base import DescriberView, GeneratorView, PictureAnswer, PlayerError, TextAnswer
from ircore.players.openai.conversations import build_dialogue, build_drawing_messages
from ircore.runs.episode import record_ending


def flat(colour: str) -> Picture:
    return Picture.from_pixels(Drawing(16, 16, colour).pixels)


TARGET = flat("#ff0000")
DRAWN = [flat(f"#0000{turn:02x}") for turn in range(1, 11)]
INSTANCE = target_instance("geometry-easy-01", TARGET, category="geometry")


class ScriptedSeats:
    """Answers what the script says and keeps what it was shown."""

    def __init__(self, replies: Sequence[str | PlayerError], failing_turn: int | None = None) -> None:
        self.replies = replies
        self.failing_turn = failing_turn
        self.described: list[DescriberView] = []
        self.rendered: list[GeneratorView] = []

    async def ask(self, seat: Seat[Any, Any], question: Any) -> Any:
        return await getattr(self, seat.method)(question)

    async def describe(self, view: DescriberView) -> TextAnswer:
        self.described.append(view)
        reply = self.replies[min(view.turn, len(self.replies)) - 1]
        if isinstance(reply, PlayerError):
            raise reply
        return TextAnswer(reply, seconds=0.5)

    async def render(self, view: GeneratorView) -> PictureAnswer:
        self.rendered.append(view)
        if view.turn == self.failing_turn:
            raise PlayerError("generator_no_image", "There was only text.")
        return PictureAnswer(DRAWN[view.turn - 1], notes=("as told",), seconds=0.25)


def play(seats: ScriptedSeats, **rules: object) -> Episode:
    prompts = load_prompts("reconstruction")
    game = ReconstructionGame()
    setup = EpisodeSetup(INSTANCE, None, {"target": TARGET}, Rules.model_validate(rules), prompts, seed=7)
    episode = record_ending(game, INSTANCE, asyncio.run(game.play(seats, setup)))
    assert isinstance(episode, Episode)
    return episode


def said(text: str) -> str:
    return f"<DESCRIPTION>{text}</DESCRIPTION>"


def test_the_describer_ends_the_game_when_it_is_content() -> None:
    episode = play(ScriptedSeats([said("a red square"), said("more red"), "<DONE>"]))
    assert episode.outcome == "converged"
    assert episode.played
    assert [turn.turn for turn in list_turns(episode)] == [1, 2, 3]
    assert [turn.action for turn in list_turns(episode)] == ["describe", "describe", "done"]
    assert [turn.message for turn in list_turns(episode)] == ["a red square", "more red", None]
    assert [turn.rendering is not None for turn in list_turns(episode)] == [True, True, False]
    assert list_turns(episode)[0].seconds == 0.75


def test_the_game_ends_after_the_last_turn() -> None:
    episode = play(ScriptedSeats([said("more")]), max_turns=10)
    assert episode.outcome == "turn_limit"
    assert len(list_rendered_turns(episode)) == 10


def test_the_describer_sees_the_target_and_every_rendering_so_far() -> None:
    seats = ScriptedSeats([said("one"), said("two"), said("three"), "<DONE>"])
    play(seats)
    last = seats.described[3]
    assert [view.target.sha256 for view in seats.described] == [TARGET.sha256] * 4
    assert [picture.sha256 for picture in last.renderings] == [picture.sha256 for picture in DRAWN[:3]]
    assert last.messages == ("one", "two", "three")
    assert last.replies == (said("one"), said("two"), said("three"))
    assert len(last.prompts) == 3


def test_the_generator_gets_words_and_its_own_last_rendering_and_nothing_else() -> None:
    seats = ScriptedSeats([said("one"), said("two"), said("three"), "<DONE>"])
    play(seats)
    first, _, third = seats.rendered
    assert (first.message, first.earlier, first.previous) == ("one", (), None)
    assert (third.message, third.earlier) == ("three", ("one", "two"))
    assert third.previous is not None
    assert third.previous.sha256 == DRAWN[1].sha256
    assert {field.name for field in fields(GeneratorView)} == {
        "turn", "message", "earlier", "previous", "seed", "prompt", "rewrite",
    }  # fmt: skip


def test_the_describer_view_has_no_scene_and_no_name() -> None:
    names = {field.name for field in fields(DescriberView)}
    assert names == {"turn", "prompt", "target", "renderings", "messages", "replies", "prompts", "token_budget", "seed"}
    assert {field.name for field in fields(Picture)} == {"data", "width", "height", "changes"}


def test_the_prompt_tells_the_budget() -> None:
    seats = ScriptedSeats([said("one"), "<DONE>"])
    play(seats, token_budget=50)
    assert all("at most 50 tokens" in view.prompt for view in seats.described)
    assert "<DONE>" not in seats.described[0].prompt
    assert "<DONE>" in seats.described[1].prompt


@pytest.mark.parametrize(
    ("replies", "reason", "turns"),
    [
        (["A circle."], "describer_format", 0), ([""], "describer_empty", 0), (["<DONE>"], "describer_done_first", 0),
        ([said("one"), "what now?"], "describer_format", 1),
        ([PlayerError("provider_error", "The server is down.")], "provider_error", 0),
    ],
)  # fmt: skip
def test_a_violation_aborts_with_its_reason(replies: list[str | PlayerError], reason: str, turns: int) -> None:
    episode = play(ScriptedSeats(replies))
    assert (episode.outcome, episode.abort_reason, len(list_turns(episode))) == ("aborted", reason, turns)
    assert episode.detail
    assert not episode.played


def test_a_generator_without_a_picture_aborts_and_the_message_is_kept() -> None:
    episode = play(ScriptedSeats([said("one"), said("two")], failing_turn=2))
    assert (episode.abort_reason, episode.detail) == ("generator_no_image", "There was only text.")
    assert list_turns(episode)[1].message == "two"
    assert list_turns(episode)[1].rendering is None


LONG = "one two three four five six"  # six tokens


def test_a_message_over_the_budget_is_flagged_and_relayed() -> None:
    seats = ScriptedSeats([said(LONG), "<DONE>"])
    turn = list_turns(play(seats, token_budget=5))[0]
    assert (turn.message_tokens, turn.over_budget, turn.message) == (6, True, LONG)
    assert seats.rendered[0].message == LONG


def test_a_message_over_the_budget_can_be_cut() -> None:
    seats = ScriptedSeats([said(LONG), "<DONE>"])
    turn = list_turns(play(seats, token_budget=5, over_budget="truncate"))[0]
    assert (turn.message_tokens, turn.over_budget, turn.message) == (6, True, "one two three four five")
    assert seats.rendered[0].message == "one two three four five"


def test_a_message_over_the_budget_can_abort() -> None:
    episode = play(ScriptedSeats([said(LONG)]), token_budget=5, over_budget="abort")
    assert episode.abort_reason == "describer_over_budget"
    assert list_turns(episode)[0].message_tokens == 6


def test_leniencies_are_in_the_transcript() -> None:
    episode = play(ScriptedSeats([f"```\n{said('one')}\n```", "done"]))
    assert [turn.leniencies for turn in list_turns(episode)] == [("code_fence",), ("bare_done",)]


@pytest.mark.parametrize(
    ("reply", "leniencies"),
    [
        ("<DONE>", ()), ("done", ("bare_done",)), ("Done", ("bare_done",)), ("<done>", ("letter_case",)),
        ("\n<DONE>\n", ("surrounding_whitespace",)), ("```\n<DONE>\n```", ("code_fence",)),
    ],
)  # fmt: skip
def test_done_is_accepted_leniently_and_flagged(reply: str, leniencies: tuple[str, ...]) -> None:
    assert parse_reply(reply, 2) == Move("done", "", leniencies)


@pytest.mark.parametrize(
    ("reply", "leniencies"),
    [
        ("<DESCRIPTION> move it </DESCRIPTION>", ()),
        ("<DESCRIPTION>move it", ("missing_closing_tag",)),
        ("<description>move it</description>", ("letter_case",)),
        ("<DESCRIPTION>move it</Description>", ("letter_case",)),
        ("  <DESCRIPTION>move it</DESCRIPTION>", ("surrounding_whitespace",)),
        ("```xml\n<DESCRIPTION>move it</DESCRIPTION>\n```", ("code_fence",)),
        (
            "```\n<description>\nmove it\n```\n",
            ("surrounding_whitespace", "code_fence", "missing_closing_tag", "letter_case"),
        ),
    ],
)
def test_a_message_is_accepted_leniently_and_flagged(reply: str, leniencies: tuple[str, ...]) -> None:
    assert parse_reply(reply, 2) == Move("describe", "move it", leniencies)


FORMLESS = (
    "A red circle.", "Sure! <DESCRIPTION>A red circle.</DESCRIPTION>",
    "<DESCRIPTION>A red circle.</DESCRIPTION> Shall I go on?",
    "<DESCRIPTION>a</DESCRIPTION><DESCRIPTION>b</DESCRIPTION>", "<DESCRIPTION>a <DONE></DESCRIPTION>",
    "<DONE> <DONE>", "I am done", "<DESCRIPTION>" + "x" * MAX_REPLY_CHARACTERS,
)  # fmt: skip
EMPTY = ("", "  \n", "<DESCRIPTION></DESCRIPTION>", "<DESCRIPTION>  ", "```\n\n```")


@pytest.mark.parametrize(
    ("reply", "turn", "reason"),
    [
        *((reply, 2, "describer_format") for reply in FORMLESS),
        *((reply, 2, "describer_empty") for reply in EMPTY),
        # Before anything was drawn.
        *((reply, 1, "describer_done_first") for reply in ("<DONE>", "done", "```\nDONE\n```")),
    ],
)
def test_any_other_answer_breaks_the_rules(reply: str, turn: int, reason: str) -> None:
    with pytest.raises(ProtocolViolationError) as caught:
        parse_reply(reply, turn)
    assert caught.value.reason == reason


def played(**rules: object) -> ScriptedSeats:
    """Return seats of which the describer says ``message N`` at turn N, after an episode of the most turns."""
    seats = ScriptedSeats([said(f"message {turn}") for turn in range(1, 6)])
    play(seats, **rules)
    return seats


@pytest.mark.parametrize(
    ("history", "renderings"),
    [("all", [1, 2, 3, 4]), ("last 2", [3, 4]), ("last 9", [1, 2, 3, 4]), ("first and last", [1, 4])],
)
def test_the_describer_is_shown_as_much_as_the_rule_allows(history: str, renderings: list[int]) -> None:
    view = played(max_turns=5, history=history).described[4]
    assert view.renderings == tuple(DRAWN[turn - 1] for turn in renderings)
    assert view.messages == tuple(f"message {turn}" for turn in renderings)


def test_a_shortened_dialogue_still_begins_with_the_target_and_ends_with_the_latest_rendering() -> None:
    view = played(max_turns=5, history="last 1").described[4]
    prompts = load_prompts("reconstruction")
    first, answer, last = build_dialogue(view)
    assert first.parts == (prompts.describer(1, 200), TARGET)
    assert answer.parts == ("<DESCRIPTION>message 4</DESCRIPTION>",)
    assert last.parts == (prompts.describer(5, 200), DRAWN[3])


@pytest.mark.parametrize("rule", ["last 0", "last", "none", "last -1"])
def test_other_histories_are_refused(rule: str) -> None:
    with pytest.raises(ValidationError, match="history"):
        Rules(history=rule)


def test_a_generator_that_redraws_gets_every_message_and_no_picture() -> None:
    first, *_, last = played(max_turns=3, drawing="redraw").rendered
    assert first.prompt == "message 1"
    (message,) = build_drawing_messages(last)
    (words,) = message.parts
    assert isinstance(words, str)
    assert [words.count(f"message {turn}") for turn in (1, 2, 3)] == [1, 1, 1]
    assert "attached" not in words
    assert not last.rewrite


def test_only_later_turns_are_rewritten() -> None:
    views = played(max_turns=3, drawing="rewrite").rendered
    assert [view.rewrite for view in views] == [False, True, True]
    assert [view.previous for view in views] == [None, None, None]


def test_an_editing_generator_gets_its_own_last_picture() -> None:
    assert [view.previous for view in played(max_turns=3).rendered] == [None, *DRAWN[:2]]


def test_runs_from_before_these_rules_keep_their_identity() -> None:
    assert Rules().model_dump() == {"token_budget": 200, "max_turns": 10, "over_budget": "allow"}
    assert Rules(history="first and last", drawing="redraw").key == "b200-t10-allow-firstlast-redraw"


@pytest.mark.parametrize(("turns", "shown"), [(0, ()), (1, (0,)), (2, (0, 1)), (5, (0, 4))])
def test_the_first_rendering_is_not_shown_twice(turns: int, shown: tuple[int, ...]) -> None:
    assert Rules(history="first and last").select_remembered_turns(turns) == shown
