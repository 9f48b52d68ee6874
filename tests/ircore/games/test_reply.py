"""The describer's answers: what is a message, what is done, what is accepted with a flag, what aborts."""

import pytest

from ircore.games.reconstruction.prompts import MAX_REPLY_CHARACTERS, Move, ProtocolViolationError, parse_reply


def test_a_message_between_tags_is_a_description() -> None:
    assert parse_reply("<DESCRIPTION> A red circle. </DESCRIPTION>", 1) == Move("describe", "A red circle.", ())


def test_the_done_tag_alone_ends_the_game() -> None:
    assert parse_reply("<DONE>", 2) == Move("done", "", ())


@pytest.mark.parametrize(
    ("reply", "leniencies"),
    [
        ("done", ("bare_done",)),
        ("Done", ("bare_done",)),
        ("<done>", ("letter_case",)),
        ("\n<DONE>\n", ("surrounding_whitespace",)),
        ("```\n<DONE>\n```", ("code_fence",)),
    ],
)
def test_done_is_accepted_leniently_and_flagged(reply: str, leniencies: tuple[str, ...]) -> None:
    assert parse_reply(reply, 2) == Move("done", "", leniencies)


@pytest.mark.parametrize(
    ("reply", "leniencies"),
    [
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


@pytest.mark.parametrize(
    "reply",
    [
        "A red circle.", "Sure! <DESCRIPTION>A red circle.</DESCRIPTION>",
        "<DESCRIPTION>A red circle.</DESCRIPTION> Shall I go on?",
        "<DESCRIPTION>a</DESCRIPTION><DESCRIPTION>b</DESCRIPTION>", "<DESCRIPTION>a <DONE></DESCRIPTION>",
        "<DONE> <DONE>", "I am done", "<DESCRIPTION>" + "x" * MAX_REPLY_CHARACTERS,
    ],
)  # fmt: skip
def test_anything_else_breaks_the_format(reply: str) -> None:
    with pytest.raises(ProtocolViolationError) as caught:
        parse_reply(reply, 2)
    assert caught.value.reason == "describer_format"


@pytest.mark.parametrize("reply", ["", "  \n", "<DESCRIPTION></DESCRIPTION>", "<DESCRIPTION>  ", "```\n\n```"])
def test_an_answer_without_content_is_empty(reply: str) -> None:
    with pytest.raises(ProtocolViolationError) as caught:
        parse_reply(reply, 2)
    assert caught.value.reason == "describer_empty"


@pytest.mark.parametrize("reply", ["<DONE>", "done", "```\nDONE\n```"])
def test_done_before_anything_was_drawn_is_a_violation(reply: str) -> None:
    with pytest.raises(ProtocolViolationError) as caught:
        parse_reply(reply, 1)
    assert caught.value.reason == "describer_done_first"
