"""A person in either seat: through files, and at the terminal."""

import asyncio
import io
import os
import re
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, redirect_stderr, suppress
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from pairs import play_pair, write_pair
from samples import sample_instances

from ircore.core.errors import InputError
from ircore.core.files import write_bytes, write_text
from ircore.core.images import Picture, read_picture
from ircore.core.records import PlayerSpec
from ircore.games.reconstruction.records import collect_renderings, list_turns
from ircore.instances.store import InstanceSet
from ircore.players.base import DescriberView, GeneratorView, PlayerError
from ircore.players.builtin import editor as editor
from ircore.players.examination import build_shown_picture
from ircore.players.human import HumanPlayer
from ircore.runs.folder import RunFolder


def seat(folder: Path | None = None, timeout: float = 120) -> dict[str, Any]:
    parameters: dict[str, Any] = {"timeout_s": timeout, "poll_s": 0.02}
    if folder is not None:
        parameters["folder"] = str(folder)
    return {"player": "human", "parameters": parameters}


def player(folder: Path, timeout: float = 120) -> HumanPlayer:
    return HumanPlayer(PlayerSpec.model_validate(seat(folder, timeout)))


def describer_view(turn: int = 1) -> DescriberView:
    return DescriberView(turn, "Say what you see.", build_shown_picture(), (), (), (), (), 200, 0)


@contextmanager
def person(folder: Path, act: Callable[[Path], None]) -> Iterator[None]:
    """Somebody who looks into a folder and acts once on every question in it."""
    seen: set[Path] = set()
    gone = threading.Event()

    def look() -> None:
        while not gone.is_set():
            for instructions in sorted(folder.glob("*/instructions.txt")):
                if instructions not in seen:
                    seen.add(instructions)
                    act(instructions.parent)
            time.sleep(0.01)

    thread = threading.Thread(target=look)
    thread.start()
    try:
        yield
    finally:
        gone.set()
        thread.join()


def speak(place: Path) -> None:
    words = "done" if (place / "rendering-2.png").exists() else f"the target, {place.name[10:17]}"
    (place / "answer.txt").write_text(f"{words}\n")


def answering(text: str) -> Callable[[Path], None]:
    return lambda place: write_text(place / "answer.txt", text)


@pytest.mark.slow
def test_two_people_play_through_folders(tmp_path: Path, instances: InstanceSet) -> None:
    def draw(place: Path) -> None:
        assert (place / "message.txt").read_text().startswith("the target, turn-0")
        assert (place / "previous.png").exists() == ("turn-02" in place.name)
        (place / "picture.png").write_bytes(build_shown_picture().data)

    eyes, hands = tmp_path / "eyes", tmp_path / "hands"
    pair = write_pair(tmp_path, seat(eyes), seat(hands))
    with person(eyes, speak), person(hands, draw):
        assert play_pair(pair, instances, tmp_path / "run", "--limit", "2", "--concurrency", "1") == 0
    run = RunFolder(tmp_path / "run")
    assert [episode.outcome for episode in run.episodes()] == ["converged"] * 2
    first = run.episodes()[0]
    assert [turn.message for turn in list_turns(first)] == ["the target, turn-01", "the target, turn-02", None]
    assert (run.rendering(collect_renderings(first)[1]).pixels == build_shown_picture().pixels).all()
    shown = {path.name for path in eyes.glob("describer-turn-03-*/*")}
    assert shown == {"answer.txt", "instructions.txt", "rendering-1.png", "rendering-2.png", "target.png"}
    target = next(eyes.glob("describer-turn-01-*/target.png"))
    assert read_picture(target).sha256 in {instance.pictures["target"].sha256 for instance in run.instances.instances}


@pytest.mark.parametrize(
    ("written", "answer"),
    [
        ("a red disc\n", "<DESCRIPTION>a red disc</DESCRIPTION>"),
        ("two\nlines", "<DESCRIPTION>two\nlines</DESCRIPTION>"),
        ("<DESCRIPTION>tagged</DESCRIPTION>", "<DESCRIPTION>tagged</DESCRIPTION>"),
        (" Done \n", "<DONE>"),
        ("<DONE>", "<DONE>"),
    ],
)
def test_tags_are_put_around_a_persons_words(tmp_path: Path, written: str, answer: str) -> None:
    with person(tmp_path, answering(written)):
        assert asyncio.run(player(tmp_path).describe(describer_view())).text == answer


def test_an_answer_that_is_there_is_taken_at_once(tmp_path: Path) -> None:
    with person(tmp_path, answering("a disc")):
        first = asyncio.run(player(tmp_path).describe(describer_view()))
    assert asyncio.run(player(tmp_path).describe(describer_view())).text == first.text  # nobody is there any more


@pytest.mark.slow
def test_a_picture_is_taken_when_it_is_whole(tmp_path: Path) -> None:
    data = build_shown_picture().data

    def save_slowly(place: Path) -> None:
        write_bytes(place / "picture.png", data[: len(data) // 2])
        end = time.monotonic() + 60
        while not said.getvalue() and time.monotonic() < end:
            time.sleep(0.01)
        time.sleep(0.1)  # it is looked at a few times more
        write_bytes(place / "picture.png", data)

    view = GeneratorView(1, "a red disc", (), None, 0, "a red disc")
    with redirect_stderr(io.StringIO()) as said, person(tmp_path, save_slowly):
        answer = asyncio.run(player(tmp_path).render(view))
    assert (answer.picture.pixels == build_shown_picture().pixels).all()
    assert said.getvalue().count("picture.png: the picture is damaged or truncated") == 1


@pytest.mark.slow
def test_nobody_answers(tmp_path: Path) -> None:
    with pytest.raises(PlayerError, match=r"No answer within 0.1 s \(.*answer\.txt\)") as caught:
        asyncio.run(player(tmp_path, timeout=0.1).describe(describer_view()))
    assert caught.value.reason == "provider_error"


@pytest.mark.parametrize(
    ("given", "problem"),
    [
        ({"model": "me"}, "model: a person has no model"),
        ({"parameters": {"floder": "x"}}, "parameters.floder: unknown"),
        ({"parameters": {"timeout_s": 0}}, "parameters.timeout_s: not a number of seconds"),
        ({"parameters": {"folder": 7}}, "parameters.folder: not a path"),
    ],
)
def test_settings_are_checked(given: dict[str, Any], problem: str) -> None:
    with pytest.raises(InputError, match=problem):
        HumanPlayer(PlayerSpec.model_validate({"player": "human", **given}))


@pytest.mark.slow
@pytest.mark.skipif(sys.platform == "win32", reason="needs a pseudo-terminal")
def test_a_person_at_a_terminal_sees_pictures_writes_lines_and_gets_a_score(tmp_path: Path) -> None:
    """The describer is a person at a pseudo-terminal, the generator draws offline."""
    import pty

    instances = sample_instances(tmp_path / "set")
    pair = write_pair(tmp_path, seat(), {"player": "canvas"})
    parent, child = pty.openpty()
    command = [sys.executable, "-m", "ircore", "play", str(pair), "--instances", str(instances.folder)]
    environment = {**os.environ, "TERM": "xterm-256color"}
    environment.pop("NO_COLOR", None)
    with subprocess.Popen(
        [*command, "--out", str(tmp_path / "run"), "--limit", "1", "--concurrency", "1"],
        stdin=child, stdout=child, stderr=child, env=environment,
    ) as process:  # fmt: skip
        os.close(child)
        os.write(parent, b"A red disc in the middle.\nA blue square on the left.\n\nDONE\n")
        shown = b""
        with suppress(OSError):  # how Linux tells that the other end is closed
            while part := os.read(parent, 65536):
                shown += part
        assert process.wait(timeout=300) == 0, shown.decode()
    os.close(parent)
    (episode,) = RunFolder(tmp_path / "run").episodes()
    assert list_turns(episode)[0].message == "A red disc in the middle.\nA blue square on the left."
    assert b"\x1b[38;2;" in shown
    said = shown.decode()
    assert re.search(rf"your score  {episode.episode_id}: .*structural \d\.\d of 10", said)
    assert f"next:\x1b[0m ircore results {tmp_path / 'run'}" in said


PICTURES = [Picture.from_pixels(np.full((32, 32, 3), level, np.uint8)) for level in (9, 200)]


VIEW = DescriberView(2, "Go on.", PICTURES[0], (PICTURES[0],), ("m",), ("<m>",), ("p",), 200, 0)


def ask_person(folder: Path) -> HumanPlayer:
    return HumanPlayer(PlayerSpec(player="human", parameters={"folder": str(folder), "timeout_s": 5, "poll_s": 0.02}))


def test_a_question_of_a_person_is_named_after_its_words_and_pictures(tmp_path: Path) -> None:
    """An answer that lies in a folder is that to a question of the same words about the same pictures alone."""

    async def asked(view: DescriberView) -> str:
        waiting = asyncio.create_task(ask_person(tmp_path).describe(view))
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
    answer = asyncio.run(ask_person(tmp_path).describe(VIEW)).text
    assert answer == "<DESCRIPTION>a red circle in the middle</DESCRIPTION>"
