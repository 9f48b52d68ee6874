"""``ircore doctor``: tiny questions to each player, and what to do about what fails."""

import json
import socket
import threading
import time
from pathlib import Path

import pytest
from openai_server import OpenAIServer, serving
from pairs import served_pair, write_pair

from ircore.commands.main import run as ircore
from ircore.players import examination
from ircore.players.examination import SIDE, build_shown_picture
from ircore.players.submission import read_manifest

pytestmark = pytest.mark.slow

SUBMISSIONS = Path(__file__).resolve().parents[3] / "submissions"


def doctor(submission: Path, capsys: pytest.CaptureFixture[str], *more: str) -> tuple[int, str]:
    capsys.readouterr()
    status = ircore(["doctor", str(submission), *more])
    said = capsys.readouterr()
    assert "Traceback" not in said.err
    return status, said.out


def test_the_picture_is_a_red_disc_on_white() -> None:
    pixels = build_shown_picture().pixels
    assert pixels.shape == (SIDE, SIDE, 3)
    assert tuple(pixels[SIDE // 2, SIDE // 2]) == (255, 0, 0)
    assert tuple(pixels[0, 0]) == (255, 255, 255)


def test_built_in_players_work(capsys: pytest.CaptureFixture[str]) -> None:
    status, out = doctor(SUBMISSIONS / "builtin-captioner-canvas", capsys)
    assert status == 0
    assert "works  image input: " in out
    assert "saw the red disc" in out
    assert "works  image output: 512 × 512 px, " in out
    assert out.count("drew it red") == out.count("drew it blue") == 1


def test_a_service_is_asked_four_tiny_questions(
    tmp_path: Path, server: OpenAIServer, capsys: pytest.CaptureFixture[str]
) -> None:
    status, out = doctor(served_pair(tmp_path, server.base_url), capsys)
    assert status == 0
    assert f"describer  a-describer at {server.base_url}" in out
    assert "900 tokens read, 100 tokens written, 64 tokens reasoned" in out
    assert out.count("64 × 64 px") == 2
    paths = [request.path for request in server.seen]
    assert paths == ["/chat/completions", "/chat/completions", "/images/generations", "/images/edits"]
    shown = [json.dumps(request.document).count("data:image/png") for request in server.seen[:2]]
    assert shown == [1, 2]


@pytest.mark.parametrize(
    ("model", "fault", "said", "remedy"),
    [
        ("a-describer", "unauthorized", "FAILS  image input: ", "Check "),
        ("a-describer", "no_model", "The model does not exist", "Check model and base_url"),
        ("a-describer", "refusal", "describer_refused: ", "declined a plain circle"),
        ("a-generator", "no_quota", "FAILS  image output: ", "Add credit"),
        ("a-generator", "moderation", "generator_refused: ", "declined a plain circle"),
        ("a-generator", "unsupported", "Unsupported parameter", "Change parameters"),
        ("a-describer", "rate_limit_long", "FAILS  ", "parameters.requests_per_minute"),
        ("a-describer", "context", "FAILS  ", "history: last N"),
        ("a-describer", "too_many_pictures", "FAILS  ", "--limit-mm-per-prompt"),
        ("a-describer", "wrong_type", "FAILS  ", "check that base_url ends where"),
    ],
)  # fmt: skip
def test_what_fails_is_said_with_its_remedy(
    tmp_path: Path,
    server: OpenAIServer,
    capsys: pytest.CaptureFixture[str],
    model: str,
    fault: str,
    said: str,
    remedy: str,
) -> None:
    server.fail(*[fault] * 6, model=model)
    status, out = doctor(served_pair(tmp_path, server.base_url), capsys, "--timeout", "30")
    assert status == 1
    assert said in out
    assert remedy in out
    # The other player is asked all the same.
    assert "works  " in out


def test_a_service_that_only_draws_from_text(
    tmp_path: Path, server: OpenAIServer, capsys: pytest.CaptureFixture[str]
) -> None:
    server.fail("ok", "no_edits", model="a-generator")
    status, out = doctor(served_pair(tmp_path, server.base_url), capsys)
    assert status == 1
    assert "FAILS  correction: " in out
    assert "This service does not edit pictures: play with the rule drawing: redraw" in out
    assert "works  redraw: 64 × 64 px" in out
    assert [request.path for request in server.seen][-2:] == ["/images/edits", "/images/generations"]


@pytest.mark.parametrize("name", ["literal", "looker", "extractive", "editor", "solver-editor"])
def test_built_in_programs_of_any_game_hold_nobody_up(name: str, capsys: pytest.CaptureFixture[str]) -> None:
    """A program that looks for a dialogue or a task in the words refuses any other question, and is right to."""
    status, out = doctor(SUBMISSIONS / name, capsys)
    assert status == 0, out
    assert "FAILS" not in out


def test_answers_outside_the_protocol(tmp_path: Path, server: OpenAIServer, capsys: pytest.CaptureFixture[str]) -> None:
    server.turns = 0
    status, out = doctor(served_pair(tmp_path, server.base_url), capsys)
    assert status == 1
    assert "answers, but not in the protocol: describer_done_first" in out


@pytest.mark.parametrize(("greeting", "told"), [(b"SSH-2.0-OpenSSH_9.6\r\n", "HTTP"), (b"", "nothing is said at")])
def test_what_is_no_service_of_models_is_told_within_seconds(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch, greeting: bytes, told: str
) -> None:
    """A server that speaks first and hangs up, as for SSH, and one that takes connections and says nothing."""
    monkeypatch.setattr(examination, "GREETING", 1.0)
    with socket.create_server(("127.0.0.1", 0)) as listener:

        def answer() -> None:
            open_sockets = []
            while True:
                try:
                    connection, _ = listener.accept()
                except OSError:
                    return
                open_sockets.append(connection)  # else it would be closed
                if greeting:
                    connection.sendall(greeting)
                    connection.shutdown(socket.SHUT_WR)

        threading.Thread(target=answer, daemon=True).start()
        begun = time.monotonic()
        pair = served_pair(tmp_path, f"http://127.0.0.1:{listener.getsockname()[1]}/v1")
        status, out = doctor(pair, capsys, "--timeout", "120")
        listener.shutdown(socket.SHUT_RDWR)
    assert status == 1
    assert out.count("FAILS  address: ") == 2
    assert told in out
    assert "Check base_url" in out
    assert time.monotonic() - begun < 60  # of both seats; far below the time for one answer


def test_while_an_answer_is_waited_for_something_is_said(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(examination, "SAID_EVERY", 1)
    with serving(side=64, latency=1.5) as slow:
        capsys.readouterr()
        assert ircore(["doctor", str(served_pair(tmp_path, slow.base_url))]) == 0
    assert "describer: image input: no answer yet after 1 s of at most 120 s" in capsys.readouterr().err


def test_a_missing_key_is_named(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("NOBODYS_API_KEY", raising=False)
    seat = {"player": "openai", "model": "words", "api_key_env": "NOBODYS_API_KEY"}
    status, out = doctor(write_pair(tmp_path, seat, {"player": "sketch"}), capsys)
    assert status == 1
    assert "FAILS  settings: " in out
    assert "NOBODYS_API_KEY" in out


def test_a_person_who_is_not_there(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    seat = {"player": "human", "parameters": {"folder": str(tmp_path / "desk"), "timeout_s": 0.1, "poll_s": 0.05}}
    status, out = doctor(write_pair(tmp_path, seat, {"player": "sketch"}), capsys)
    assert status == 1
    assert "No answer within 0.1 s" in out


def judge_file(folder: Path, server: OpenAIServer) -> Path:
    path = folder / "judge.yaml"
    given = {"schema": 1, "name": "j", "label": "J", "player": "openai", "model": "judge-1"}
    path.write_text(json.dumps({**given, "base_url": server.base_url}))
    return path


def test_a_judge_is_asked_about_two_pictures(
    tmp_path: Path, server: OpenAIServer, capsys: pytest.CaptureFixture[str]
) -> None:
    path = judge_file(tmp_path, server)
    assert ircore(["doctor", str(path)]) == 0
    head, line = capsys.readouterr().out.splitlines()
    assert head == f"judge      judge-1 at {server.base_url}"
    assert line.startswith("  works  two images: rates a red and a blue disc 7 of 10, ")
    assert "900 tokens read, 100 tokens written" in line
    server.judge = lambda question: '{"score": 10}'
    assert ircore(["doctor", str(path)]) == 0
    assert "Make sure that this model sees pictures." in capsys.readouterr().out
    server.judge = lambda question: "Seven, I would say."
    assert ircore(["doctor", str(path)]) == 1
    assert (
        "FAILS  two images: answers, but not so that it can be used: it has no JSON object" in capsys.readouterr().out
    )
    server.fail("refusal")
    assert ircore(["doctor", str(path)]) == 1
    assert "FAILS  two images: judge_refused: refused: HTTP 200: I cannot help" in capsys.readouterr().out
    assert server.count() == 4


def test_a_judge_of_facts_is_shown_one_picture_with_a_true_and_a_false_sentence(
    tmp_path: Path, server: OpenAIServer, capsys: pytest.CaptureFixture[str]
) -> None:
    path = judge_file(tmp_path, server)
    path.write_text(json.dumps({**json.loads(path.read_text()), "asks": "facts"}))
    server.judge = lambda question: json.dumps({"1": "yes", "2": "no"} if len(question.pictures) == 1 else {})
    assert ircore(["doctor", str(path)]) == 0
    assert "works  one image: says yes and no to a true and a false sentence, " in capsys.readouterr().out
    server.judge = lambda question: '{"1": "yes", "2": "yes"}'
    assert ircore(["doctor", str(path)]) == 0
    assert "Make sure that this model sees pictures." in capsys.readouterr().out
    server.judge = lambda question: "Both, I would say."
    assert ircore(["doctor", str(path)]) == 1
    assert (
        "FAILS  one image: answers, but not so that it can be used: it has a verdict on 0 of" in capsys.readouterr().out
    )


def rows(out: str) -> dict[str, str]:
    """Return the table line of ``--deep`` by column."""
    head, row = (line.partition("|")[2] for line in out.splitlines() if " | " in line)
    return dict(zip(map(str.strip, head.split("|")), map(str.strip, row.split("|")), strict=True))


def test_deep_probes_say_what_a_service_can_do(
    tmp_path: Path, server: OpenAIServer, capsys: pytest.CaptureFixture[str]
) -> None:
    status, out = doctor(served_pair(tmp_path, server.base_url), capsys, "--deep")
    assert status == 0
    assert "works  served model: answers as a-describer-0613@fp_1" in out
    cells = rows(out)
    sent = [cells[key] for key in ("streams", "usage", "pictures", "full answer")]
    assert sent == ["as asked", "yes", "10", "16000"]
    assert (cells["seed"], cells["same answer twice"], cells["edits"]) == ("yes", "yes", "yes")
    assert cells["errors"] == "unclear"  # this service answers for models that it does not have
    ten = [seen for seen in server.seen if json.dumps(seen.document).count("data:image/png") == 10]
    assert len(ten) == 1
    assert {seen.document["stream"] for seen in server.seen if seen.path == "/chat/completions"} == {False}


def test_deep_probes_write_a_manifest_that_works(
    tmp_path: Path, server: OpenAIServer, capsys: pytest.CaptureFixture[str]
) -> None:
    """A service that takes five pictures, has a context of 8,192 tokens and does not edit."""
    refused = ["too_many_pictures", "too_many_pictures"]  # ten, then six
    server.fail("ok", *refused, "ok", "small_context", model="a-describer")
    server.fail("ok", "no_edits", model="a-generator")
    status, out = doctor(served_pair(tmp_path, server.base_url), capsys, "--deep", "--out", str(tmp_path / "mended"))
    assert status == 0
    assert "needs      rules.history: last 4, rules.drawing: redraw, " in out
    mended = read_manifest(tmp_path / "mended").submission
    assert (mended.rules["history"], mended.rules["drawing"]) == ("last 4", "redraw")
    assert mended.players["describer"].parameters["max_completion_tokens"] == (8192 - 900) // 2
    assert rows(out)["edits"] == "redraws only"


def test_deep_probes_of_a_service_that_refuses_say_so(
    tmp_path: Path, server: OpenAIServer, capsys: pytest.CaptureFixture[str]
) -> None:
    server.fail("unauthorized", model="a-describer")
    status, out = doctor(served_pair(tmp_path, server.base_url), capsys, "--deep")
    assert status == 1
    assert "FAILS  a picture: denied: HTTP 401: Incorrect API key provided" in out
