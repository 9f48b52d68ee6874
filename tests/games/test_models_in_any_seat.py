"""Models behind a service in the seats of a game from outside: real client, real HTTP on loopback, real command."""

import json
from collections import Counter
from collections.abc import Iterator
from typing import Any

import pytest
from openai_server import Judged, OpenAIServer, serving
from toy_games import MANIFEST, Toy

DRAWERS = ("openai-chat", "openai-images", "openai-responses")


@pytest.fixture
def server() -> Iterator[OpenAIServer]:
    with serving() as service:
        yield service


def pair(toy: Toy, server: OpenAIServer, drawer: str = "", **parameters: object) -> str:
    """Write a manifest whose chooser is a model, and whose signer is one if a player that draws is named."""
    served: dict[str, Any] = {"base_url": server.base_url}
    signer = {"player": drawer, "model": "a-signer", **served} if drawer else {"player": "rps-signer"}
    chooser = {"player": "openai", "model": "chooser", "parameters": parameters, **served}
    players = {"signer": signer, "chooser": chooser}
    document = {"schema": 2, "game": "rps", "name": "Models", "licence": "CC0-1.0", "players": players}
    return str(toy.manifest("models", text=json.dumps(document)))


def play(toy: Toy, submission: str, *more: str, status: int = 0) -> list[dict[str, Any]]:
    """Play one episode; return what its journal holds."""
    toy.run("play", submission, "--instances", "instances", "--out", "run", "--limit", "1", *more, status=status)
    return [json.loads(line) for line in (toy.folder / "run" / "journal.jsonl").read_text().splitlines()]


def of_seat(events: list[dict[str, Any]], seat: str) -> list[dict[str, Any]]:
    return [event for event in events if event.get("role") == seat]


@pytest.mark.parametrize("api", ["chat", "responses"])
@pytest.mark.parametrize("drawer", DRAWERS)
def test_models_take_both_seats(toy: Toy, server: OpenAIServer, drawer: str, api: str) -> None:
    asked: list[Judged] = []

    def choose(question: Judged) -> str:
        asked.append(question)
        return "paper"

    server.judge = choose
    events = play(toy, pair(toy, server, drawer, api=api))
    # Three rounds: each is one request to either model.
    assert Counter(event["role"] for event in events if "role" in event) == {"signer": 3, "chooser": 3}
    assert server.count() == 6
    assert [call["choice"] for call in of_seat(events, "chooser")] == ["paper"] * 3
    assert {(call["rendering"]["width"], call["usage"]["requests"]) for call in of_seat(events, "signer")} == {(64, 1)}
    assert [len(question.pictures) for question in asked] == [1, 1, 1]
    assert asked[0].words.splitlines() == [
        "Choose what beats this sign.",
        "the sign",
        "Answer with exactly one of these, as it stands here, and with nothing else:",
        "rock",
        "paper",
        "scissors",
    ]
    drawn = next(request for request in server.seen if request.document["model"] == "a-signer")
    assert "Show this sign." in json.dumps(drawn.document)
    assert drawn.files or "data:image/png;base64," in json.dumps(drawn.document)


def test_a_choice_in_other_letters_and_marks_is_taken_and_noted(toy: Toy, server: OpenAIServer) -> None:
    server.judge = lambda _: " **Scissors.**\n"
    calls = of_seat(play(toy, pair(toy, server)), "chooser")
    assert [(call["choice"], call["notes"]) for call in calls] == [
        ("scissors", ["taken for 'scissors': '**Scissors.**'"])
    ] * 3


@pytest.mark.parametrize("words", ["I would choose paper", "rock or paper", "lizard", "papers"])
def test_what_is_none_of_the_choices_ends_the_episode(toy: Toy, server: OpenAIServer, words: str) -> None:
    server.judge = lambda _: words
    episode = play(toy, pair(toy, server))[-1]["episode"]
    assert (episode["outcome"], episode["abort_reason"]) == ("aborted", "answer_format")
    assert episode["detail"] == f"none of the choices (rock, paper, scissors): {words!r}"
    assert server.count() == 1


@pytest.mark.parametrize(
    ("faults", "reason"),
    [
        (("refusal",), "answer_refused"),
        (("filtered",) * 2, "answer_refused"),
        (("empty",) * 3, "answer_empty"),
        (("rejected",), "provider_error"),
    ],
)
def test_an_answer_withheld_ends_the_episode(
    toy: Toy, server: OpenAIServer, faults: tuple[str, ...], reason: str
) -> None:
    server.fail(*faults)
    # A technical failure leaves the run incomplete: the same command asks again.
    status = 1 if reason == "provider_error" else 0
    events = play(toy, pair(toy, server), status=status)
    (failure,) = [event for event in events if event["event"] == "failure"]
    assert (failure["reason"], len(failure["attempts"])) == (reason, len(faults))


def test_a_passing_fault_is_retried(toy: Toy, server: OpenAIServer) -> None:
    server.judge = lambda _: "rock"
    server.fail("rate_limit", "drop")
    first = of_seat(play(toy, pair(toy, server)), "chooser")[0]
    assert [attempt["kind"] for attempt in first["attempts"]] == ["rate_limit", "dropped", "answered"]


def test_a_model_that_cannot_draw_is_refused_before_it_is_asked(toy: Toy, server: OpenAIServer) -> None:
    submission = pair(toy, server, "openai")
    said = toy.run("play", submission, "--instances", "instances", "--out", "run", status=2)
    assert "players.signer.player: openai answers with words or a choice, this seat with a picture" in said
    checked = toy.run("submission", "check", "--local", submission, status=2)
    assert "openai answers with words or a choice, this seat with a picture" in checked
    assert server.count() == 0


def test_a_person_chooses_at_the_terminal(toy: Toy) -> None:
    text = MANIFEST.replace('rps-chooser, parameters: {delay_s: DELAY, asked: "ASKED", slip: 3}', "human")
    playing = toy.start(
        "play",
        toy.manifest("person", text=text),
        "--instances",
        "instances",
        "--out",
        "run",
        "--limit",
        "1",
        typed=True,
    )
    _, said = playing.communicate("lizard\nrock\nPaper\nscissors\n", timeout=120)
    assert playing.returncode == 0, said
    events = [json.loads(line) for line in (toy.folder / "run" / "journal.jsonl").read_text().splitlines()]
    assert [call["choice"] for call in of_seat(events, "chooser")] == ["rock", "paper", "scissors"]
    assert "shown-1.png: the sign" in said
    assert said.count("Not one of: rock, paper, scissors.") == 1
