"""What models think aloud is no answer: marks of many models, cut off or not, for describers, judges and listeners."""

# ruff: noqa: E501 - what a service sends stands in one line

import asyncio
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from pairs import play_pair, write_pair
from service_errors import ErrorService, answering

from ircore.core.records import PlayerSpec
from ircore.instances.store import InstanceSet
from ircore.players import calls
from ircore.players.base import Captioned, JudgeView, PlayerError, Question
from ircore.players.calls import FaultError
from ircore.players.examination import build_shown_picture
from ircore.players.openai.players import OpenAIDescriber
from ircore.players.openai.replies import ChatReply, ResponsesReply, read_visible_text
from ircore.players.spoken_answers import extract_spoken
from ircore.runs.folder import RunFolder

ANSWER = "<DESCRIPTION>A red circle.</DESCRIPTION>"
DRAFT = "A draft: <DESCRIPTION>Green.</DESCRIPTION> or <DONE>? No."

MARKED = {
    "DeepSeek, Qwen": f"<think>{DRAFT}</think>\n\n{ANSWER}", "the template opened it": f"{DRAFT}</think>\n{ANSWER}",
    "several": f"<think>{DRAFT}</think>\n<think>{DRAFT}</think>{ANSWER}",
    "several kinds": f"<reflection>{DRAFT}</reflection>\n<thinking>{DRAFT}</thinking>{ANSWER}",
    "a word between": f"<think>{DRAFT}</think>\nHm, once more.\n<think>{DRAFT}</think>\n{ANSWER}",
    "one within another": f"<think>a <think>{DRAFT}</think> b</think>{ANSWER}",
    "a tag that is spoken of": f"<think>I write <think> first. {DRAFT}</think>{ANSWER}",
    "nothing thought": f"<think>\n\n</think>\n\n{ANSWER}", "closed in itself": f"<think/>{ANSWER}",
    "Magistral": f"[THINK]{DRAFT}[/THINK]{ANSWER}", "Seed": f"<seed:think>{DRAFT}</seed:think>{ANSWER}",
    "MiniMax": f"<mm:think>{DRAFT}</mm:think>{ANSWER}", "Kimi": f"◁think▷{DRAFT}◁/think▷{ANSWER}",
    "OpenThinker": f"<|begin_of_thought|>{DRAFT}<|end_of_thought|>\n<|begin_of_solution|>{ANSWER}<|end_of_solution|>",
    "Cohere": f"<|START_THINKING|>{DRAFT}<|END_THINKING|><|START_RESPONSE|>{ANSWER}<|END_RESPONSE|>",
    "gpt-oss": f"<|channel|>analysis<|message|>{DRAFT}<|end|><|start|>assistant<|channel|>final<|message|>{ANSWER}<|return|>",
    "gpt-oss, several channels": f"<|channel|>analysis<|message|>{DRAFT}<|end|><|start|>assistant<|channel|>commentary"
    f"<|message|>Now.<|end|><|start|>assistant<|channel|>final<|message|>{ANSWER}",
    "gpt-oss without marks": f"analysisWe need words. {DRAFT}assistantfinal{ANSWER}",
    "Gemma": f"<|channel>thought\n{DRAFT}<channel|>{ANSWER}",
    "MedGemma": f"<unused94>thought\n{DRAFT}<unused95>{ANSWER}",
    "Granite": f"Here is my thought process: {DRAFT}\nHere is my response: {ANSWER}",
    "GLM": f"<think>{DRAFT}</think><answer><|begin_of_box|>{ANSWER}<|end_of_box|></answer>",
    "a box alone": f"<|begin_of_box|>{ANSWER}<|end_of_box|>",
    "Hunyuan": f"<think>{DRAFT}</think>\n<answer>\n{ANSWER}\n</answer>",
    "a page's details": f'<details type="reasoning" done="true"><summary>Thought</summary>{DRAFT}</details>\n{ANSWER}',
    "a fence": f"```thinking\n{DRAFT}\n```\n{ANSWER}",
    "a terminal": f"Thinking...\n{DRAFT}\n...done thinking.\n\n{ANSWER}",
    "escaped": f"&lt;think&gt;{DRAFT}&lt;/think&gt;{ANSWER}",
    "capitals and attributes": f'<Thinking kind="draft">{DRAFT}</Thinking>{ANSWER}',
    "curly": f"{{thinking}}{DRAFT}{{/thinking}}{ANSWER}", "doubled": f"<<reasoning>>{DRAFT}<</reasoning>>{ANSWER}",
    "full width": f"<｜begin▁of▁thinking｜>{DRAFT}<｜end▁of▁thinking｜>{ANSWER}", "Chinese": f"<思考>{DRAFT}</思考>{ANSWER}",
    "the end of the turn": f"{ANSWER}<|im_end|>", "the end of the text": f"<think>{DRAFT}</think>{ANSWER}</s>",
}  # fmt: skip


@pytest.mark.parametrize("kind", MARKED)
def test_thoughts_before_an_answer_are_left_out(kind: str) -> None:
    assert extract_spoken(MARKED[kind]) == (ANSWER, False)


@pytest.mark.parametrize(
    "text",
    [
        ANSWER, f" {ANSWER}\n", "A red [analysis] circle", "I think </ red", '{"score": 7}', "<DONE>", "",
        "<DESCRIPTION>A page that says <think>hm</think> in red</DESCRIPTION>", "(thinking) A red circle.", "<answer>7</answer>",
    ],
)  # fmt: skip
def test_an_answer_without_thoughts_stays_as_it_is(text: str) -> None:
    assert extract_spoken(text, stopped=True) == (text, False)
    reply = {"choices": [{"message": {"content": text}, "finish_reason": "stop"}]}
    assert ChatReply.model_validate(reply).text == text


UNFINISHED = [
    f"<think>{DRAFT}", f"[THINK]{DRAFT}", f"<|channel|>analysis<|message|>{DRAFT}", f"<think>a</think><think>{DRAFT}",
    f"<|channel>thought\n{DRAFT}", f"◁think▷{DRAFT}", f"Here is my thought process: {DRAFT}",
]  # fmt: skip


@pytest.mark.parametrize("text", UNFINISHED)
def test_a_limit_inside_a_thought_is_no_answer(text: str) -> None:
    chat = {"choices": [{"message": {"content": text}, "finish_reason": "length"}]}
    said = [{"type": "message", "content": [{"type": "output_text", "text": text}]}]
    details = {"reason": "max_output_tokens"}
    for reply in (
        ChatReply.model_validate(chat),
        ResponsesReply.model_validate({"output": said, "status": "incomplete", "incomplete_details": details}),
    ):
        with pytest.raises(FaultError, match="max_completion_tokens") as caught:
            read_visible_text(reply)
        assert caught.value.fault.kind == "cut_off"


def test_parts_and_fields_of_thoughts_are_no_answer() -> None:
    parts = [
        {"type": "thinking", "thinking": [{"type": "text", "text": DRAFT}]}, {"type": "thinking", "text": DRAFT},
        {"type": "reasoning", "text": DRAFT}, {"type": "redacted_thinking", "data": "x"},
        {"text": DRAFT, "thought": True}, {"type": "text", "text": ANSWER},
    ]  # fmt: skip
    message = {"content": parts, "reasoning": DRAFT, "reasoning_content": DRAFT, "reasoning_details": [{"text": DRAFT}]}
    assert read_visible_text(ChatReply.model_validate({"choices": [{"message": message}]})) == ANSWER
    output = [
        {"type": "reasoning", "summary": [{"type": "summary_text", "text": DRAFT}], "content": None},
        {"type": "message", "phase": "commentary", "content": [{"type": "output_text", "text": "Let me look."}]},
        {
            "type": "message",
            "phase": "final_answer",
            "content": [{"type": "output_text", "text": f"<think>a</think>{ANSWER}"}],
        },
    ]
    assert read_visible_text(ResponsesReply.model_validate({"output": output})) == ANSWER


@pytest.mark.slow
@pytest.mark.parametrize(
    "text", ["<think>" * 50_000, "</think>" * 50_000, "<" * 300_000, "[[" * 100_000 + "think", "<|channel|>" * 50_000]
)
def test_hostile_marks_take_no_time(text: str) -> None:
    assert len(extract_spoken(text).text) <= len(text)


@pytest.fixture
def service(monkeypatch: pytest.MonkeyPatch) -> Iterator[ErrorService]:
    monkeypatch.setattr(calls, "BACKOFF_S", 0.01)
    with answering() as server:
        server.first = 0
        yield server


def reply(content: Any, finish: str = "stop", **message: Any) -> dict[str, Any]:
    return {"model": "m", "choices": [{"finish_reason": finish, "message": {"content": content, **message}}]}


def test_judges_and_listeners_read_through_the_same_door(service: ErrorService) -> None:
    spec = PlayerSpec(player="openai", model="m", base_url=service.base_url)

    async def ask() -> None:
        player, shown = OpenAIDescriber(spec), (Captioned("a", build_shown_picture()),)
        service.good = reply('[THINK]{"score": 1}?[/THINK]{"score": 7}')
        assert (await player.judge(JudgeView("How similar?", shown))).text == '{"score": 7}'
        service.good = reply("Not the second.</think>\nfirst")
        question = Question(1, "Which?", shown, ("first", "second"), answers="choice")
        assert (await player.answer(question)).choice == "first"  # type: ignore[union-attr]
        service.good = reply("<think>Is it the first", "length")
        with pytest.raises(PlayerError) as caught:
            await player.answer(question)
        assert [attempt.kind for attempt in caught.value.attempts] == ["cut_off"] * 4
        await player.close()

    asyncio.run(ask())


@pytest.mark.slow
def test_an_answer_cut_off_inside_a_thought_is_asked_again(
    tmp_path: Path, service: ErrorService, instances: InstanceSet
) -> None:
    seat = {"player": "openai", "model": "m", "base_url": service.base_url}
    pair, few = write_pair(tmp_path, seat, {"player": "sketch"}), ("--limit", "1", "--max-turns", "1")
    service.good = reply(f"<think>{DRAFT}", "length")
    assert play_pair(pair, instances, tmp_path / "run", *few) == 1
    (episode,) = RunFolder(tmp_path / "run").episodes()
    assert (episode.abort_reason, service.asked) == ("provider_error", 4)
    assert "parameters.max_completion_tokens" in (episode.detail or "")
    service.good = reply(f"<think>{DRAFT}</think>{ANSWER}")
    assert play_pair(pair, instances, tmp_path / "run", *few) == 0


# Half characters, and faults beside an answer.


@pytest.mark.slow
@pytest.mark.parametrize("transport", ["aiohttp", "httpx"])
@pytest.mark.parametrize(
    ("body", "text"),
    [
        (b'{"choices": [{"message": {"content": "red \\ud83d disc"}}]}', "red \ufffd disc"),
        (b'{"choices": [{"message": {"content": "red \\ude00\\ud83d\\ude00"}}]}', "red \ufffd😀"),
        (b'{"choices": [{"message": {"content": [{"type": "text", "text": "red \\ud83d"}]}}]}', "red \ufffd"),
        (b'{"model": "\\ud83d", "choices": [{"message": {"content": "red", "reasoning": "\\ud83d"}}]}', "red"),
        (b'{"choices": [{"message": {"content": "red \xff disc"}}]}', "red \ufffd disc"),
        (b'\xef\xbb\xbf{"choices": [{"message": {"content": "red\ndisc"}}]}', "red\ndisc"),
        (b'data: {"choices": [{"delta": {"content": "red \\ud83d"}}]}\n\ndata: {"choices": [{"delta": {"content": '
         b'"\\ude00 \\ud83d"}, "finish_reason": "stop"}]}\n\ndata: [DONE]\n\n', "red 😀 \ufffd"),
        (b'{"choices": [{"message": {"content": "red", "refusal": {}, "images": 7}, "finish_reason": 3}, null, {"x": 1}], '
         b'"usage": "none", "model": 4, "system_fingerprint": []}', "red"),
        (b'{"choices": [{"message": {"content": ["red", {"type": "text", "text": {"value": " disc"}}, null, 4]}}]}', "red disc"),
        (b'{"choices": [{"message": {"content": {"type": "text", "text": "red"}}}]}', "red"),
        (b'{"choices": [{"message": {"content": "red"}, "logprobs": {"content": NaN}}], "error": null}', "red"),
    ],
)  # fmt: skip
def test_an_answer_is_not_lost_for_a_fault_in_the_reply(
    service: ErrorService, transport: str, body: bytes, text: str
) -> None:
    service.good = body
    parameters = {"transport": transport}
    spec = PlayerSpec(player="openai", model="m", base_url=service.base_url, parameters=parameters)

    async def ask() -> str:
        player = OpenAIDescriber(spec)
        try:
            answer = await player.answer(Question(1, "What is it?"))
            return answer.text  # type: ignore[union-attr]
        finally:
            await player.close()

    assert asyncio.run(ask()) == text
    assert service.asked == 1
