"""The append-only file: whole lines or nothing; workers whose results come in order."""

import asyncio
import io
import os
import sys
import time
from collections.abc import Sequence
from pathlib import Path

import pytest

from ircore.core import journal, terminal
from ircore.core.episode_records import Rendering
from ircore.core.errors import WorkError
from ircore.core.images import Picture
from ircore.core.journal import JournalWriter, Recorder, is_cut_off, read_lines
from ircore.core.workers import map_in_order
from ircore.runs.events import Call, EventEntry
from ircore.runs.folder import RunFolder, RunWriter


def test_lines_come_back_in_order(tmp_path: Path) -> None:
    with JournalWriter(tmp_path / "j") as journal:
        journal.append([b"one", b"two"])
        journal.append([b"three"])
    assert list(read_lines(tmp_path / "j")) == [(1, b"one"), (2, b"two"), (3, b"three")]


def test_a_cut_off_last_line_does_not_count_and_is_removed_by_the_next_writer(tmp_path: Path) -> None:
    path = tmp_path / "j"
    path.write_bytes(b"one\ntw")
    assert list(read_lines(path)) == [(1, b"one")]
    assert is_cut_off(path)
    with JournalWriter(path) as journal:
        journal.append([b"two"])
    assert path.read_bytes() == b"one\ntwo\n"
    assert not is_cut_off(path)


@pytest.mark.parametrize("size", [10, 65_536, 200_000])
def test_a_long_cut_off_line_is_removed_too(tmp_path: Path, size: int) -> None:
    path = tmp_path / "j"
    path.write_bytes(b"one\n" + b"x" * size)
    with JournalWriter(path):
        assert path.read_bytes() == b"one\n"


def test_a_place_that_cannot_be_written_is_said(tmp_path: Path) -> None:
    with pytest.raises(WorkError, match="cannot be written"):
        JournalWriter(tmp_path / "missing" / "j")


def test_a_second_writer_is_noticed_and_its_lines_are_kept(tmp_path: Path) -> None:
    """Two processes on two machines may believe to have the lock, where the file system has none."""
    path = tmp_path / "j"
    with JournalWriter(path) as first, JournalWriter(path) as second:
        first.append([b"one"])
        with pytest.raises(WorkError, match="another process writes into it"):
            second.append([b"two"])
        first.append([b"three"])
    assert path.read_bytes() == b"one\nthree\n"


def test_a_failing_write_takes_back_its_own_bytes_alone(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path, real = tmp_path / "j", os.write

    def full(file: int, data: bytes) -> int:
        written = real(file, data[:2])
        with path.open("ab") as other:
            other.write(b"\nother\n")
        return written

    with JournalWriter(path) as journal:
        journal.append([b"one"])
        monkeypatch.setattr(os, "write", full)
        with pytest.raises(WorkError, match="No space left"):
            journal.append([b"two"])
    assert path.read_bytes() == b"one\ntw\nother\n"


class SlowWriter(RunWriter):
    """Takes 10 ms for whatever is written at a time, as a disk does."""

    batches: list[int]

    def record(self, entries: Sequence[EventEntry]) -> None:
        time.sleep(0.01)
        super().record(entries)
        self.batches = [*getattr(self, "batches", []), len(entries)]


def said(turn: int, episode: str = "geometry-easy-01") -> EventEntry:
    return EventEntry(Call(episode_id=episode, turn=turn, role="describer", text=f"Message {turn}", seconds=0))


def drawn(picture: Picture) -> EventEntry:
    rendering = Rendering(sha256=picture.sha256, width=picture.width, height=picture.height)
    return EventEntry(
        Call(episode_id="geometry-easy-01", turn=1, role="generator", rendering=rendering, seconds=0), picture
    )


@pytest.fixture
def empty(run: RunFolder) -> RunFolder:
    (run.path / "journal.jsonl").unlink()
    for rendering in (run.path / "renderings").iterdir():
        rendering.unlink()
    return run


@pytest.mark.slow
def test_what_comes_while_a_batch_is_written_is_written_together(empty: RunFolder) -> None:
    async def play(writer: RunWriter) -> None:
        recorder = Recorder(writer)
        await asyncio.gather(*(recorder.record(said(turn)) for turn in range(1, 40)))
        await recorder.close()

    with SlowWriter(empty) as writer:
        asyncio.run(play(writer))
    assert sum(writer.batches) == 39
    assert len(writer.batches) <= 3
    assert [key.turn for key in empty.calls()] == list(range(1, 40))


@pytest.mark.slow
def test_what_was_begun_is_written_although_the_caller_is_cancelled(empty: RunFolder) -> None:
    async def play(writer: RunWriter) -> None:
        recorder = Recorder(writer)
        task = asyncio.create_task(recorder.record(said(1)))
        await asyncio.sleep(0)
        task.cancel()
        await recorder.close()
        assert task.cancelled()

    with SlowWriter(empty) as writer:
        asyncio.run(play(writer))
    assert len(empty.calls()) == 1


@pytest.mark.slow
def test_each_caller_learns_that_writing_failed(empty: RunFolder, monkeypatch: pytest.MonkeyPatch) -> None:
    def full(file: int, data: bytes) -> int:
        raise OSError(28, "No space left on device")

    async def play(writer: RunWriter) -> None:
        recorder = Recorder(writer)
        outcomes = await asyncio.gather(*(recorder.record(said(turn)) for turn in (1, 2)), return_exceptions=True)
        await recorder.close()
        assert [type(item) for item in outcomes] == [WorkError, WorkError]

    with RunWriter(empty) as writer:
        monkeypatch.setattr(os, "write", full)
        asyncio.run(play(writer))
    assert not empty.calls()


def test_what_nobody_waits_for_is_written_or_said(empty: RunFolder, monkeypatch: pytest.MonkeyPatch) -> None:
    def full(file: int, data: bytes) -> int:
        raise OSError(28, "No space left on device")

    async def play(writer: RunWriter) -> None:
        recorder = Recorder(writer)
        recorder.record_soon(said(1))
        await recorder.record(said(2))
        monkeypatch.setattr(os, "write", full)
        recorder.record_soon(said(3))
        await recorder.close()

    with RunWriter(empty) as writer, pytest.raises(WorkError, match="No space left on device"):
        asyncio.run(play(writer))
    assert [key.turn for key in empty.calls()] == [1, 2]


def test_a_picture_its_name_and_its_line_reach_the_disk_in_this_order(
    empty: RunFolder, monkeypatch: pytest.MonkeyPatch
) -> None:
    steps: list[str] = []

    def synced(file: int) -> None:
        path = Path(f"/proc/self/fd/{file}").readlink()
        state = f"{len(list((empty.path / 'renderings').glob('*.png')))} named, {len(empty.calls())} lines"
        steps.append(f"{path.suffix or path.name}: {state}")

    monkeypatch.setattr(os, "fsync", synced)
    monkeypatch.setattr(journal, "_sync", synced)
    picture = empty.instances.picture(empty.instances.instances[0], "target")
    with RunWriter(empty) as writer:
        writer.record([drawn(picture)])
        writer.record([drawn(picture)])  # the same picture: written once
    assert steps[:3] == [".part: 0 named, 0 lines", "renderings: 1 named, 0 lines", ".jsonl: 1 named, 1 lines"]
    assert len(steps) == 4


@pytest.mark.slow
def test_a_stored_picture_keeps_no_bytes(empty: RunFolder) -> None:
    picture = empty.instances.picture(empty.instances.instances[0], "target")
    with RunWriter(empty) as writer:
        writer.record([drawn(picture)])
    rendering = Rendering(sha256=picture.sha256, width=picture.width, height=picture.height)
    stored = empty.stored_rendering(rendering)
    assert stored.data == picture.data
    assert (stored.sha256, stored.width, stored.height) == (picture.sha256, 96, 96)
    assert not any(isinstance(value, bytes) for value in vars(stored).values())
    assert (stored.pixels == picture.pixels).all()


def test_the_last_piece_of_work_shows_in_a_log(monkeypatch: pytest.MonkeyPatch) -> None:
    said = io.StringIO()
    monkeypatch.setattr(sys, "stderr", said)
    with terminal.show_progress("draw", 3) as shown:
        for _ in range(3):
            shown.advance("note")
    lines = said.getvalue().splitlines()
    assert [line for line in lines if "3 of 3" in line]
    assert len(lines) == 1


def slow_first(number: int) -> int:
    time.sleep(0.15 if number == 0 else 0)
    return number


@pytest.mark.slow
def test_results_come_in_the_order_of_their_pieces() -> None:
    assert list(map_in_order(slow_first, range(12), 2)) == list(range(12))


class Failing:
    """A writer whose first batch cannot be written."""

    def __init__(self) -> None:
        self.batches = 0

    def record(self, entries: object) -> None:
        self.batches += 1
        if self.batches == 1:
            raise WorkError("the disk is full", "Free some space.")


def test_what_could_not_be_written_is_said_at_the_end_though_later_entries_were() -> None:
    async def record() -> None:
        recorder: Recorder[str] = Recorder(Failing())
        for entry in "abc":
            recorder.record_soon(entry)
            await asyncio.sleep(0.02)
        await recorder.close()

    with pytest.raises(WorkError, match="the disk is full"):
        asyncio.run(record())
