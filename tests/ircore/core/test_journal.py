"""The append-only file: whole lines or nothing."""

import os
from pathlib import Path

import pytest

from ircore.core.errors import WorkError
from ircore.core.journal import JournalWriter, read_lines


def test_lines_come_back_in_order(tmp_path: Path) -> None:
    with JournalWriter(tmp_path / "j") as journal:
        journal.append([b"one", b"two"])
        journal.append([b"three"])
    assert list(read_lines(tmp_path / "j")) == [(1, b"one"), (2, b"two"), (3, b"three")]


def test_a_cut_off_last_line_does_not_count_and_is_removed_by_the_next_writer(tmp_path: Path) -> None:
    path = tmp_path / "j"
    path.write_bytes(b"one\ntw")
    assert list(read_lines(path)) == [(1, b"one")]
    with JournalWriter(path) as journal:
        journal.append([b"two"])
    assert path.read_bytes() == b"one\ntwo\n"


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
