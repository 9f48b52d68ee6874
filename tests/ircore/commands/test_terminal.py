"""At a terminal: colours, 40 columns, one style of error, and ``ircore show RUN --episode ID`` for reading."""

import json
import os
import re
import subprocess
import sys
from pathlib import Path

import pytest
from openai_server import OpenAIServer
from pairs import play_pair, served_pair
from PIL import Image
from samples import sample_instances, sample_run

from ircore.commands.main import run as ircore
from ircore.core.terminal import wrap_with_indent
from ircore.games.reconstruction.records import list_rendered_turns
from ircore.instances.store import InstanceSet
from ircore.runs.folder import RunFolder

pytestmark = pytest.mark.slow


pty = pytest.importorskip("pty", reason="needs a pseudo-terminal")


def at_terminal(words: list[str], columns: int = 80, **variables: str) -> str:
    """Run a command at a pseudo-terminal and return what it shows."""
    import fcntl
    import struct
    import termios

    parent, child = pty.openpty()
    fcntl.ioctl(child, termios.TIOCSWINSZ, struct.pack("HHHH", 24, columns, 0, 0))
    environment = {name: value for name, value in os.environ.items() if name not in ("NO_COLOR", "COLUMNS", "LINES")}
    command = [sys.executable, "-m", "ircore", *words]
    with subprocess.Popen(
        command, stdin=child, stdout=child, stderr=child, env={**environment, "TERM": "xterm-256color", **variables}
    ):
        os.close(child)
        shown = b""
        while True:
            try:
                part = os.read(parent, 4096)
            except OSError:  # how Linux tells that the other end is closed
                break
            if not part:
                break
            shown += part
    os.close(parent)
    return shown.decode()


def test_an_error_is_red_unless_nobody_wants_colours(tmp_path: Path) -> None:
    words = ["show", str(tmp_path / "nowhere")]
    assert at_terminal(words).startswith("\x1b[31;1mircore:\x1b[0m ")
    assert at_terminal(words, NO_COLOR="1").startswith("ircore: ")
    assert at_terminal(words, TERM="dumb").startswith("ircore: ")


def test_a_wide_table_fits_forty_columns(run: RunFolder) -> None:
    assert ircore(["score", str(run.path)]) == 0
    shown = at_terminal(["results", str(run.path)], 40).replace("\r\n", "\n").partition("next:")[0]
    board = shown.partition("\x1b")[0].splitlines()
    assert max(map(len, board)) <= 40
    assert any(line.startswith("pair ") for line in board)
    assert any(line.startswith("main (0–100) ") for line in board)


def test_a_dialogue_is_wrapped_to_the_terminal(run: RunFolder) -> None:
    (episode, *_) = run.episodes()
    shown = at_terminal(["show", str(run.path), "--episode", episode.episode_id], 40, IRCORE_PICTURES="none")
    messages = re.findall(r"^(?:  describer| {12})(.*)$", shown.replace("\r\n", "\n"), re.MULTILINE)
    assert messages
    assert max(map(len, messages)) <= 40 - 2


def test_compare_shows_both_pictures_and_fits_forty_columns(tmp_path: Path) -> None:
    for name, colour in (("target.png", "red"), ("image.png", "blue")):
        Image.new("RGB", (64, 64), colour).save(tmp_path / name)
    words = ["compare", str(tmp_path / "target.png"), str(tmp_path / "image.png"), "--metric", "psnr"]
    blocks = at_terminal(words, 40)
    assert "\x1b[38;2;255;0;0;48;2;255;0;0m▀" in blocks
    assert "\x1b[38;2;0;0;255;48;2;0;0;255m▀" in blocks
    plain = re.sub(r"\x1b\[[\d;]*m", "", blocks.replace("\r\n", "\n").partition("next:")[0])
    assert re.search(r"^target +image$", plain, re.MULTILINE)
    assert max(map(len, plain.splitlines())) <= 40
    assert "▀" not in at_terminal(words, 40, IRCORE_PICTURES="none")


@pytest.mark.parametrize(
    "words", ["--help", "show --help", "games", "games show reference", "metrics", "metrics show ssim"]
)
def test_lists_and_help_fit_forty_columns(words: str) -> None:
    shown = re.sub(r"\x1b\[[\d;]*m", "", at_terminal(words.split(), 40)).replace("\r\n", "\n").partition("next:")[0]
    longest = max(shown.splitlines(), key=len)
    assert len(longest) <= 40, longest


def test_words_that_are_wrapped_stand_below_their_column() -> None:
    assert wrap_with_indent("name   one two three\n" + "─" * 30, 16) == "name   one two\n       three\n" + "─" * 16
    assert wrap_with_indent("a line for a file, as it is", None) == "a line for a file, as it is"


def show(run: Path, episode: str, capsys: pytest.CaptureFixture[str], *more: str) -> str:
    capsys.readouterr()
    assert ircore(["show", str(run), "--episode", episode, *more]) == 0
    return capsys.readouterr().out


def test_who_said_what_and_what_was_drawn(run: RunFolder, capsys: pytest.CaptureFixture[str]) -> None:
    out = show(run.path, "geometry-easy-01", capsys)
    episode = run.episodes()[0]
    assert "outcome     converged, 3 turns, 2 renderings" in out
    assert [out.count(f"\nturn {number}\n") for number in (1, 2, 3, 4)] == [1, 1, 1, 0]
    for turn in list_rendered_turns(episode):
        assert turn.rendering is not None
        assert f"generator renderings/{turn.rendering.sha256}.png" in out
        assert f"describer {turn.message}\n" in out
    assert "note: drawn as a block" in out
    assert out.index("turn 3") < out.index("describer (done)")
    assert out.index("left 41") < out.index("left 31")


def test_failed_attempts_tokens_and_cost(
    tmp_path: Path, instances: InstanceSet, server: OpenAIServer, capsys: pytest.CaptureFixture[str]
) -> None:
    server.fail("rate_limit", model="a-describer")
    server.fail("moderation", model="a-generator")
    assert play_pair(served_pair(tmp_path, server.base_url), instances, tmp_path / "run", "--limit", "1") == 0
    out = show(tmp_path / "run", "geometry-easy-01", capsys)
    assert "outcome     aborted: generator_refused, 1 turn, 0 renderings." in out
    assert "900 tokens read, 100 tokens written, 64 tokens reasoned" in out
    assert "2 requests]" in out
    assert "failed: rate_limit 429 after " in out
    assert "generator no answer: generator_refused: " in out
    assert "rejected by the safety system" in out


def test_a_violation_is_shown_as_it_was_said(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    run = sample_run(tmp_path / "run", sample_instances(tmp_path / "set", per_condition=3))
    out = show(run.path, "geometry-easy-03", capsys)
    assert "aborted: describer_format" in out
    assert "describer I would rather not say." in out


def test_an_episode_that_was_not_played(
    tmp_path: Path, instances: InstanceSet, capsys: pytest.CaptureFixture[str]
) -> None:
    run = sample_run(tmp_path / "run", instances, limit=1)
    assert "outcome     not ended yet" in show(run.path, "simple_shapes-hard-01", capsys)


def test_an_unknown_episode_names_the_near_miss(run: RunFolder, capsys: pytest.CaptureFixture[str]) -> None:
    assert ircore(["show", str(run.path), "--episode", "geometry-easy-1"]) == 2
    assert "no episode 'geometry-easy-1' among 4\n  Did you mean geometry-easy-01 or " in capsys.readouterr().err


def test_as_json(run: RunFolder, capsys: pytest.CaptureFixture[str]) -> None:
    document = json.loads(show(run.path, "geometry-easy-01", capsys, "--json"))
    assert document["episode"]["outcome"] == "converged"
    assert [message["role"] for message in document["questions"]] == ["describer", "generator"] * 2 + ["describer"]
    assert (document["images"], document["cost_known"]) == (2, True)


def test_the_steps_of_another_games_run_that_came_from_a_release(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    build = ["instances", "build", "--game", "reference", "--per-condition", "1", "-c", "lineup", "-d", "easy"]
    assert ircore([*build, "--out", str(tmp_path / "set")]) == 0
    assert ircore(["play", "looker", "--instances", str(tmp_path / "set"), "--out", str(tmp_path / "run")]) == 0
    journal = tmp_path / "run" / "journal.jsonl"
    # A release keeps how episodes ended and no answers as they came.
    ends = [line for line in journal.read_text().splitlines() if json.loads(line)["event"] != "call"]
    journal.write_text("\n".join(ends) + "\n")
    (name,) = RunFolder(tmp_path / "run").read_endings()
    out = show(tmp_path / "run", name, capsys)
    assert "requests are not recorded, since the run was pulled from a release" in out
    steps = RunFolder(tmp_path / "run").read_endings()[name].steps
    assert out.count("\nstep ") == len(steps) > 0
    assert f"  message   {steps[0]['message']}\n" in out
