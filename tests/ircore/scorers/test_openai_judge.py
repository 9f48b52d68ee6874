"""The player ``openai`` in the seat of a judge: what is sent and how an answer that is withheld is told."""

import asyncio
import json
from typing import Any

import pytest
from openai_server import OpenAIServer

from ircore.core.records import PlayerSpec
from ircore.players.base import Captioned, Exchange, JudgeError, JudgeView, TextAnswer
from ircore.players.openai.describer import OpenAIDescriber
from ircore.runs.answers import question_hash, seat_hash
from ircore.submissions.doctor import shown_picture

SCHEMA: dict[str, Any] = {"type": "object", "properties": {"score": {"type": "integer"}}, "required": ["score"]}
TARGET, IMAGE = shown_picture(), shown_picture("#0000ff")
VIEW = JudgeView("How alike are they?", (Captioned("A:", TARGET), Captioned("B:", IMAGE)), schema=SCHEMA)
REPAIRED = JudgeView(VIEW.prompt, VIEW.pictures, (Exchange("seven", "Answer with JSON."),))


def spec(server: OpenAIServer, **parameters: Any) -> PlayerSpec:
    return PlayerSpec(player="openai", model="judge-1", base_url=server.base_url, parameters=parameters)


def ask(server: OpenAIServer, view: JudgeView = VIEW, **parameters: Any) -> TextAnswer:
    async def asked() -> TextAnswer:
        player = OpenAIDescriber(spec(server, **parameters))
        try:
            return await player.judge(view)
        finally:
            await player.close()

    return asyncio.run(asked())


@pytest.mark.parametrize("api", ["chat", "responses"])
def test_pictures_stand_behind_their_captions_and_answers_are_repaired(server: OpenAIServer, api: str) -> None:
    answer = ask(server, REPAIRED, api=api, detail="low")
    assert answer.text == '{"score": 7}'
    assert (answer.usage.requests, answer.usage.prompt_tokens, len(answer.attempts)) == (1, 900, 1)
    first, reply, repair = server.seen[0].document["messages" if api == "chat" else "input"]
    kinds = {"chat": ("text", "image_url"), "responses": ("input_text", "input_image")}[api]
    assert [part["type"] for part in first["content"]] == [kinds[0], kinds[0], kinds[1], kinds[0], kinds[1]]
    assert [part["text"] for part in first["content"] if "text" in part] == ["How alike are they?", "A:", "B:"]
    assert json.dumps(first).count('"detail": "low"') == 2
    assert (reply["role"], reply["content"]) == ("assistant", "seven")
    assert (repair["role"], repair["content"][0]["text"]) == ("user", "Answer with JSON.")
    assert not {"response_format", "text"} & server.seen[0].document.keys()


@pytest.mark.slow
def test_a_schema_is_sent_only_if_asked_for(server: OpenAIServer) -> None:
    ask(server, structured=True)
    ask(server, structured=True, api="responses")
    chat, responses = (request.document for request in server.seen)
    answer = {"name": "judgement", "strict": True, "schema": SCHEMA}
    assert chat["response_format"] == {"type": "json_schema", "json_schema": answer}
    assert responses["text"] == {"format": {"type": "json_schema", **answer}}


@pytest.mark.slow
@pytest.mark.parametrize("api", ["chat", "responses"])
@pytest.mark.parametrize(
    ("fault", "times", "reason"),
    [
        ("refusal", 1, "judge_refused"),
        ("filtered", 2, "judge_refused"),
        ("moderation", 1, "judge_refused"),
        ("empty", 3, "judge_empty"),
        ("rejected", 1, "provider_error"),
    ],
)
def test_an_answer_withheld_is_the_judges(server: OpenAIServer, api: str, fault: str, times: int, reason: str) -> None:
    server.fail("ok", *[fault] * times)
    ask(server)
    with pytest.raises(JudgeError) as caught:
        ask(server, api=api)
    assert caught.value.reason == reason
    assert len(caught.value.attempts) == times


def test_another_picture_order_or_repair_is_another_question(server: OpenAIServer) -> None:
    views = [VIEW, REPAIRED, JudgeView(VIEW.prompt, VIEW.pictures[::-1]), JudgeView(VIEW.prompt, VIEW.pictures[:1])]
    asked = spec(server)
    assert len({question_hash(seat_hash("judge", asked), view) for view in views}) == 4
    same = asked.model_copy(update={"api_key_env": "OTHER_KEY"})
    assert question_hash(seat_hash("judge", asked), VIEW) == question_hash(seat_hash("judge", same), VIEW)
