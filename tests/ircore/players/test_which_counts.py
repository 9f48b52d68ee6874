"""Which of two things counts in a player: the longer pause, the first in line, the whole answer, the picture shown."""

import asyncio
import json
from collections.abc import Sequence
from contextlib import AsyncExitStack
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from ircore.core.episode_records import Attempt
from ircore.core.errors import InputError
from ircore.core.images import Picture
from ircore.core.records import PlayerSpec
from ircore.players import human
from ircore.players.base import DescriberView, GeneratorView, Question
from ircore.players.builtin import editor as editor
from ircore.players.builtin.canvas.reader import read
from ircore.players.builtin.solver import Solver
from ircore.players.calls import Caller, Fault, FaultError
from ircore.players.examination import find_service_remedy
from ircore.players.human import HumanPlayer
from ircore.players.local.weights import format_served_name
from ircore.players.local.writer import Batches, OutOfMemoryError
from ircore.players.model_families import find_model_family
from ircore.players.open_questions import build_scrubber
from ircore.players.openai.connection import Connection
from ircore.players.openai.replies import read_tokens
from ircore.players.openai.settings import read_key
from ircore.players.openai.transport import assemble_document
from ircore.players.pacing import Gate, compute_wait

PICTURES = [Picture.from_pixels(np.full((32, 32, 3), level, np.uint8)) for level in (9, 200)]
VIEW = DescriberView(2, "Go on.", PICTURES[0], (PICTURES[0],), ("m",), ("<m>",), ("p",), 200, 0)


def person(folder: Path) -> HumanPlayer:
    return HumanPlayer(PlayerSpec(player="human", parameters={"folder": str(folder), "timeout_s": 5, "poll_s": 0.02}))


def test_a_question_of_a_person_is_named_after_its_words_and_pictures(tmp_path: Path) -> None:
    """An answer that lies in a folder is that to a question of the same words about the same pictures alone."""

    async def asked(view: DescriberView) -> str:
        waiting = asyncio.create_task(person(tmp_path).describe(view))
        before = set(tmp_path.iterdir())
        while not (new := {path for path in tmp_path.glob("*/instructions.txt") if path.parent not in before}):
            await asyncio.sleep(0.01)
        waiting.cancel()
        return new.pop().parent.name

    views = [
        VIEW, replace(VIEW, target=PICTURES[1]), replace(VIEW, renderings=(PICTURES[1],)), replace(VIEW, prompt="Or."),
        replace(VIEW, turn=3),
    ]  # fmt: skip
    names = [asyncio.run(asyncio.wait_for(asked(view), 10)) for view in views]
    assert len(set(names)) == len(views)


def test_an_answer_that_is_still_being_written_is_not_taken(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    looks = iter(("", "a red", "a red circle", "a red circle in", "a red circle in the middle"))

    async def next_look(self: HumanPlayer, *words: object) -> None:
        """Every look but the last two finds more than the one before."""
        (place,) = tmp_path.glob("*/instructions.txt")
        if (written := next(looks, None)) is not None:
            (place.parent / "answer.txt").write_text(written)

    monkeypatch.setattr(HumanPlayer, "_wait", next_look)
    answer = asyncio.run(person(tmp_path).describe(VIEW)).text
    assert answer == "<DESCRIPTION>a red circle in the middle</DESCRIPTION>"


def test_both_limits_have_to_be_free_again() -> None:
    headers = {
        "x-ratelimit-remaining-requests": "0", "x-ratelimit-reset-requests": "2s",
        "x-ratelimit-remaining-tokens": "0", "x-ratelimit-reset-tokens": "20s",
    }  # fmt: skip
    assert compute_wait(headers) == 20
    assert compute_wait({**headers, "x-ratelimit-remaining-tokens": "5"}) == 2


def test_whoever_waits_at_a_gate_goes_before_whoever_comes() -> None:
    order: list[str] = []

    async def enter(gate: Gate, name: str, leave: asyncio.Event) -> None:
        async with gate.slot():
            order.append(name)
            await leave.wait()

    async def queue() -> None:
        gate, leave, late = Gate(), asyncio.Event(), asyncio.Event()
        gate.limit = 1
        first = asyncio.create_task(enter(gate, "first", leave))
        await asyncio.sleep(0)
        second = asyncio.create_task(enter(gate, "second", late))
        await asyncio.sleep(0)
        # A place becomes free while somebody waits; whoever comes in the same moment stands behind.
        gate.limit = 2
        third = asyncio.create_task(enter(gate, "third", late))
        await asyncio.sleep(0)
        leave.set()
        await first
        await asyncio.sleep(0.01)
        late.set()
        await asyncio.gather(second, third)

    asyncio.run(queue())
    assert order == ["first", "second", "third"]


def test_a_place_that_was_handed_over_to_somebody_who_gave_up_is_passed_on() -> None:
    async def queue() -> int:
        gate = Gate()
        gate.limit = 1
        leave = asyncio.Event()

        async def hold() -> None:
            async with gate.slot():
                await leave.wait()

        first = asyncio.create_task(hold())
        await asyncio.sleep(0)
        second, third = asyncio.create_task(hold()), asyncio.create_task(hold())
        await asyncio.sleep(0)
        leave.set()
        await asyncio.sleep(0)  # the first leaves: its place is the second's, who has not woken yet
        second.cancel()
        await asyncio.wait_for(asyncio.gather(first, second, third, return_exceptions=True), 5)
        return gate.running

    assert asyncio.run(queue()) == 0


def test_requests_that_were_under_way_together_halve_the_limit_once() -> None:
    gate = Gate()

    async def many() -> None:
        async with AsyncExitStack() as slots:
            for _ in range(8):
                await slots.enter_async_context(gate.slot())
            for _ in range(3):
                gate.refused(started=1.0, now=2.0)
            assert gate.limit == 4
            gate.refused(started=3.0, now=4.0)
            assert gate.limit == 2

    asyncio.run(many())


def test_nobody_comes_back_before_the_time_that_the_provider_names() -> None:
    waiting = Caller(who="a model", gate=Gate(), timeout=5, deadline=5)
    waits = [waiting._wait(Fault("rate_limit", "busy", retry_after=7.0), attempts) for attempts in range(1, 40)]
    assert min(waits) >= 7


@pytest.mark.parametrize(("model", "family"), [
    ("gpt-oss-distilled-from-claude", "gpt"), ("claude-like-gpt", "claude"), ("no-such-maker-7b", None),
])  # fmt: skip
def test_the_family_that_a_name_begins_with_counts(model: str, family: str | None) -> None:
    assert find_model_family(model) == family


def test_a_key_is_taken_out_in_its_longest_form() -> None:
    scrub = build_scrubber("abcd+efgh/ijkl")
    for form in ("abcd+efgh/ijkl", "abcd%2Befgh%2Fijkl"):
        assert scrub(f"Bearer {form}!") == "Bearer [key]!"
    # The plain form of this one is the beginning of its form in JSON.
    assert build_scrubber("abcdefghijkl\\")(json.dumps("abcdefghijkl\\")) == '"[key]"'


@pytest.mark.parametrize("value", ["sk-with a blank", "sk-with\na line", "sk-with\ttab", "sk-wíth", "sk-\x7f"])
def test_a_key_that_would_end_its_header_is_refused(value: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("A_KEY", value)
    with pytest.raises(InputError, match="has characters that no key has"):
        read_key(PlayerSpec(player="openai", model="m", api_key_env="A_KEY"))


def test_weights_are_known_by_names_and_contents_of_files_that_are_not_hidden(tmp_path: Path) -> None:
    def name(**files: str) -> str:
        folder = tmp_path / str(len(list(tmp_path.iterdir()))) / "model"
        folder.mkdir(parents=True)
        for file, content in files.items():
            place = folder / file.replace("__", "/")
            place.parent.mkdir(exist_ok=True)
            place.write_text(content)
        return format_served_name(str(folder), None)

    one = name(a="1", b="2")
    assert name(a="1", b="2") == one
    assert len({one, name(a="2", b="1"), name(a="1"), name(a="1", c="2"), name(a="1", b="3")}) == 5
    assert name(**{"a": "1", "b": "2", ".cache__log": "x", ".note": "y"}) == one


def test_the_last_event_counts_though_the_stream_was_left_open() -> None:
    def chunk(text: str, **more: Any) -> str:
        return "data: " + json.dumps({"choices": [{"index": 0, "delta": {"content": text}, **more}]})

    stream = "\n\n".join([chunk("a red "), chunk("circle", finish_reason="stop")]).encode()
    for end in (b"", b"\n", b"\n\n", b"\n\ndata: [DONE]\n\n"):
        document = assemble_document(stream + end)
        assert document["choices"][0]["message"]["content"] == "a red circle"


def test_with_a_key_of_ones_own_the_cost_is_fee_and_bill() -> None:
    usage = {"cost": 0.001, "is_byok": True, "cost_details": {"upstream_inference_cost": 0.02}}
    assert read_tokens(usage, {}).cost_usd == pytest.approx(0.021)
    assert read_tokens({**usage, "is_byok": False}, {}).cost_usd == pytest.approx(0.001)


def test_a_problem_with_a_picture_must_last_for_two_looks(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """Half-saved at one look, another half at the next, whole at the third: nothing was ever wrong."""
    looks = iter(("cut off at 9 bytes", "cut off at 90 bytes", PICTURES[1]))
    monkeypatch.setattr(human, "_find_picture", lambda place: next(looks))
    answer = asyncio.run(person(tmp_path).render(GeneratorView(1, "m", (), None, 0, "m")))
    assert answer.picture is PICTURES[1]
    assert "cut off" not in capsys.readouterr().err


def test_a_riddle_with_several_solutions_is_not_understood() -> None:
    """Two ducks, a dog and two beetles have twenty legs, too: the solver says the task as it stands."""
    task = (
        "Draw every duck as a blue square, every dog as a red circle and every beetle as a green star. "
        "There are five animals, and they have twenty legs."
    )
    answered = asyncio.run(Solver(PlayerSpec(player="solver")).answer(Question(1, f"The task: {task}")))
    assert answered.text == task
    one = task.replace("five", "three").replace("twenty", "twelve")
    assert asyncio.run(Solver(PlayerSpec(player="solver")).answer(Question(1, f"The task: {one}"))).text != one


def test_of_several_values_at_one_place_the_first_that_is_told_counts() -> None:
    graph = "Both axes from -2 to 8. A red curve passes through (-1, 1), (0, 3), {}(2, 4)."
    assert read([graph.format("(0, 5), ")]) == read([graph.format("")])
    assert read([graph.format("(1, 5), ")]) != read([graph.format("")])


def test_the_order_of_choices_does_not_decide_between_equally_similar_things(monkeypatch: pytest.MonkeyPatch) -> None:
    same = dict.fromkeys(("zebra", "antelope"), "A red circle of radius 40 px at (100, 100).")
    monkeypatch.setattr(editor, "load_known_things", lambda: same)
    for choices in (("zebra", "antelope"), ("antelope", "zebra")):
        assert editor.recognise_thing(PICTURES[1], choices) == "antelope"


def test_a_batch_that_was_too_large_is_asked_again_in_its_old_order() -> None:
    asked: list[int] = []

    def answer_all(batch: Sequence[int]) -> list[int]:
        if len(batch) > 2:
            raise OutOfMemoryError("too many")
        asked.extend(batch)
        return list(batch)

    async def ask() -> None:
        batches = Batches(answer_all, 4, "Take a smaller model.")
        await asyncio.gather(*(batches.answer(number) for number in range(8)))

    asyncio.run(ask())
    assert asked == list(range(8))


def test_a_picture_at_another_server_is_not_asked_for() -> None:
    connection = Connection("http://127.0.0.1:9/v1", "", "httpx", 5)
    with pytest.raises(FaultError, match=r"127\.0\.0\.2, which is another server and not asked"):
        asyncio.run(connection.fetch("http://127.0.0.2:9/picture.png"))


def test_the_remedy_is_that_of_the_last_request() -> None:
    spec = PlayerSpec(player="openai", model="m", api_key_env="A_KEY")
    attempts = {
        kind: Attempt.model_validate({"kind": kind, "seconds": 1.0, "detail": "x"}) for kind in ("denied", "not_found")
    }
    denied, not_found = (find_service_remedy(spec, [attempts[kind]]) for kind in ("denied", "not_found"))
    assert denied != not_found
    assert find_service_remedy(spec, [attempts["denied"], attempts["not_found"]]) == not_found
    assert find_service_remedy(spec, [attempts["not_found"], attempts["denied"]]) == denied
