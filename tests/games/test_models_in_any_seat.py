"""Models behind a service in the seats of a game from outside: real client, real HTTP on loopback, real command."""

import json
from collections import Counter
from pathlib import Path
from typing import Any

import pytest
from openai_server import Judged, OpenAIServer
from toy_games import MANIFEST, Toy, write_game_of_page

pytestmark = pytest.mark.slow


def pair(toy: Toy, server: OpenAIServer, drawer: str = "", **parameters: object) -> str:
    """Write a manifest whose chooser is a model, and whose signer is one if a player that draws is named."""
    served: dict[str, Any] = {"base_url": server.base_url}
    signer = {"player": drawer, "model": "a-signer", **served} if drawer else {"player": "rps-signer"}
    chooser = {"player": "openai", "model": "chooser", "parameters": parameters, **served}
    players = {"signer": signer, "chooser": chooser}
    document = {"schema": 1, "game": "rps", "name": "Models", "licence": "CC0-1.0", **players}
    return str(toy.manifest("models", text=json.dumps(document)))


def play(toy: Toy, submission: str, *more: str, status: int = 0) -> list[dict[str, Any]]:
    """Play one episode; return what its journal holds."""
    toy.run("play", submission, "--instances", "instances", "--out", "run", "--limit", "1", *more, status=status)
    return [json.loads(line) for line in (toy.folder / "run" / "journal.jsonl").read_text().splitlines()]


def of_seat(events: list[dict[str, Any]], seat: str) -> list[dict[str, Any]]:
    return [event for event in events if event.get("role") == seat]


@pytest.mark.parametrize(
    ("drawer", "api"), [("openai-chat", "responses"), ("openai-images", "chat"), ("openai-responses", "chat")]
)
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


@pytest.fixture
def guess(tmp_path: Path, server: OpenAIServer) -> Toy:
    """The game of the page on adding a game, whose guesser answers with a text; a model takes the seat."""
    write_game_of_page(tmp_path / "packages")
    toy = Toy(tmp_path, tmp_path / "packages")
    player = {"player": "openai", "model": "chooser", "base_url": server.base_url}
    document = {"schema": 1, "game": "guess", "name": "Model", "licence": "CC0-1.0", "guesser": player}
    toy.manifest("model", text=json.dumps(document))
    toy.run(
        "instances", "build", "--game", "guess", "--per-condition", "2", "--difficulty", "easy", "--out", "instances"
    )
    return toy


@pytest.mark.parametrize("api", ["chat", "responses"])
def test_a_model_takes_a_seat_that_answers_with_a_text(guess: Toy, server: OpenAIServer, api: str) -> None:
    manifest = guess.folder / "submissions" / "model" / "submission.yaml"
    document = json.loads(manifest.read_text())
    document["guesser"]["parameters"] = {"api": api}
    manifest.write_text(json.dumps(document))
    server.judge = lambda _: "apple"
    guess.run("play", manifest.parent, "--instances", "instances", "--out", "run")
    events = [json.loads(line) for line in (guess.folder / "run" / "journal.jsonl").read_text().splitlines()]
    calls = of_seat(events, "guesser")
    # Two instances, one question each, and the second fruit is an apple.
    assert [(call["text"], call["usage"]["requests"]) for call in calls] == [("apple", 1)] * 2
    assert server.count() == 2
    guess.run("score", "run")
    assert guess.json("results", "run")["rows"][0]["correct"]["mean"] == 0.5
    # The same command again asks nothing.
    guess.run("play", manifest.parent, "--instances", "instances", "--out", "run")
    assert server.count() == 2
    # What the model said can be handed in and is played again by the rules.
    guess.run("submission", "pack", "run", "--out", "packed")
    again = ["maintain", "rescore", manifest.parent, "--instances", "instances", "--transcripts", "packed"]
    assert "2 episodes hold by the rules" in guess.run(*again, "--out", "again")


def test_a_choice_in_other_letters_and_marks_is_taken_and_noted(toy: Toy, server: OpenAIServer) -> None:
    server.judge = lambda _: " **Scissors.**\n"
    calls = of_seat(play(toy, pair(toy, server)), "chooser")
    assert [(call["choice"], call["notes"]) for call in calls] == [
        ("scissors", ["taken for 'scissors': '**Scissors.**'"])
    ] * 3


@pytest.mark.parametrize("words", ["I would choose paper", "papers"])
def test_what_is_none_of_the_choices_ends_the_episode(toy: Toy, server: OpenAIServer, words: str) -> None:
    server.judge = lambda _: words
    episode = play(toy, pair(toy, server))[-1]["episode"]
    assert (episode["outcome"], episode["abort_reason"]) == ("aborted", "answer_format")
    assert episode["detail"] == f"none of the choices (rock, paper, scissors): {words!r}"
    assert server.count() == 1


def test_a_model_that_cannot_draw_is_refused_before_it_is_asked(toy: Toy, server: OpenAIServer) -> None:
    submission = pair(toy, server, "openai")
    said = toy.run("play", submission, "--instances", "instances", "--out", "run", status=2)
    assert "signer.player: openai answers with words or a choice, this seat with a picture" in said
    checked = toy.run("submission", "check", "--local", submission, status=2)
    assert "openai answers with words or a choice, this seat with a picture" in checked
    assert server.count() == 0


def test_a_person_chooses_at_the_terminal(toy: Toy) -> None:
    text = MANIFEST.replace('rps-chooser, parameters: {delay_s: DELAY, asked: "ASKED", slip: 3}', "human")
    words = ("--instances", "instances", "--out", "run", "--limit", "1")
    playing = toy.start("play", toy.manifest("person", text=text), *words, typed=True)
    _, said = playing.communicate("lizard\nrock\nPaper\nscissors\n", timeout=120)
    assert playing.returncode == 0, said
    events = [json.loads(line) for line in (toy.folder / "run" / "journal.jsonl").read_text().splitlines()]
    assert [call["choice"] for call in of_seat(events, "chooser")] == ["rock", "paper", "scissors"]
    assert "shown-1.png: the sign" in said
    assert said.count("Not one of: rock, paper, scissors.") == 1


def test_the_doctor_asks_each_seat_a_tiny_question(toy: Toy, server: OpenAIServer) -> None:
    server.judge = lambda _: "red"
    said = toy.run("doctor", pair(toy, server, "openai-chat"))
    assert f"signer     a-signer at {server.base_url}" in said
    assert "works  a picture: 64 × 64 px, " in said
    assert "works  a choice: chose red, " in said
    assert server.count() == 2
    shown = [json.dumps(request.document).count("data:image/png") for request in server.seen]
    assert shown == [0, 1]
