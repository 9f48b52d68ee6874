"""At a terminal: colours, 40 columns, and one style of error; nothing of it in files and pipes."""

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest
from PIL import Image

from ircore.commands.main import run as ircore
from ircore.core.terminal import wrap_with_indent
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
