"""Files and folders that appear whole or not at all."""

import errno
import os
import stat
from pathlib import Path

import pytest

import ircore
from ircore.core.elements import read_elements
from ircore.core.errors import InputError, WorkError
from ircore.core.files import (
    lock_folder,
    read_bounded,
    sync_folder,
    write_bytes,
    write_new_file,
    write_new_folder,
    write_text,
)
from ircore.core.strict_yaml import load_own_mapping, read_mapping


def test_a_file_replaces_the_old_one(tmp_path: Path) -> None:
    write_text(tmp_path / "a" / "b.txt", "old")
    write_text(tmp_path / "a" / "b.txt", "new é")
    assert (tmp_path / "a" / "b.txt").read_text("utf-8") == "new é"
    assert [path.name for path in (tmp_path / "a").iterdir()] == ["b.txt"]


def test_a_failing_write_leaves_the_old_content(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    target = tmp_path / "a.txt"
    write_text(target, "old")

    def full(self: Path, data: bytes) -> int:
        with self.open("wb") as file:
            file.write(data[:2])
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(Path, "write_bytes", full)
    with pytest.raises(WorkError, match=r"a\.txt: cannot be written \(No space left on device\)"):
        write_bytes(target, b"new content")
    assert target.read_text() == "old"
    assert [path.name for path in tmp_path.iterdir()] == ["a.txt"]


def test_a_file_where_a_folder_should_be_is_told_by_its_own_name(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("no folder")
    for place in ("file/x", "file/below/x"):
        with pytest.raises(WorkError, match="a file stands where a folder should be"):
            write_text(tmp_path / place, "x")
        for write in (write_new_file, write_new_folder):
            told = rf"{place}: cannot be written \(a file stands where a folder should be\)"
            with pytest.raises(WorkError, match=told), write(tmp_path / place):
                pytest.fail("not to be begun")


def test_a_file_written_bit_by_bit_appears_when_it_is_complete(tmp_path: Path) -> None:
    path = tmp_path / "a" / "log.bin"
    with write_new_file(path) as file:
        file.write(b"one ")
        assert not path.exists()
        file.write(b"two")
    assert path.read_bytes() == b"one two"
    with pytest.raises(ValueError, match="stop"), write_new_file(path) as file:  # noqa: PT012 - what is written before it fails
        file.write(b"half")
        raise ValueError("stop")
    assert path.read_bytes() == b"one two"
    assert list(path.parent.iterdir()) == [path]


def test_a_folder_appears_when_it_is_complete(tmp_path: Path) -> None:
    with write_new_folder(tmp_path / "out") as temporary:
        (temporary / "x").write_text("1")
        assert not (tmp_path / "out").exists()
    assert (tmp_path / "out" / "x").read_text() == "1"
    assert [path.name for path in tmp_path.iterdir()] == ["out"]


def test_a_failure_leaves_no_folder(tmp_path: Path) -> None:
    with pytest.raises(ZeroDivisionError), write_new_folder(tmp_path / "out") as temporary:
        (temporary / "x").write_text(str(1 / 0))
    assert list(tmp_path.iterdir()) == []


def test_a_folder_that_holds_something_is_refused(tmp_path: Path) -> None:
    (tmp_path / "out").mkdir()
    (tmp_path / "out" / "mine").touch()
    with pytest.raises(InputError, match="exists already"), write_new_folder(tmp_path / "out"):
        pass
    assert (tmp_path / "out" / "mine").exists()


def test_an_empty_folder_is_filled(tmp_path: Path) -> None:
    (tmp_path / "out").mkdir()
    with write_new_folder(tmp_path / "out") as temporary:
        (temporary / "x").touch()
    assert (tmp_path / "out" / "x").exists()


def test_a_link_to_an_empty_folder_is_followed(tmp_path: Path) -> None:
    (tmp_path / "disk").mkdir()
    (tmp_path / "out").symlink_to("disk")
    with write_new_folder(tmp_path / "out") as temporary:
        (temporary / "x").touch()
    assert (tmp_path / "out").is_symlink()
    assert (tmp_path / "disk" / "x").exists()


def test_what_cannot_become_the_folder_is_refused_before_any_work(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    for path, message in (("/dev/null", "exists already"), (".", "the folder you are in")):
        with pytest.raises(InputError, match=message), write_new_folder(Path(path)):
            pytest.fail("the work was begun")


def test_a_file_is_read_up_to_a_limit(tmp_path: Path) -> None:
    path = tmp_path / "a.txt"
    path.write_bytes(b"x" * 1024)
    assert read_bounded(path, 1024, "Check the path.", "Shorten it.") == b"x" * 1024
    path.write_bytes(b"x" * 1025)
    with pytest.raises(InputError, match=r"a\.txt: is larger than 1 KiB"):
        read_bounded(path, 1024, "Check the path.", "Shorten it.")
    with pytest.raises(InputError, match="gone: cannot be read") as caught:
        read_bounded(tmp_path / "gone", 1024, "Check the path.", "Shorten it.")
    assert caught.value.remedy == "Check the path."


def test_a_durable_folder_is_on_the_disk_before_and_after_its_name(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    steps: list[str] = []
    real_sync, real_rename = os.fsync, Path.rename

    def sync(file: int) -> None:
        steps.append(Path(f"/proc/self/fd/{file}").readlink().name)
        real_sync(file)

    def rename(self: Path, target: Path) -> Path:
        steps.append("renamed")
        return real_rename(self, target)

    monkeypatch.setattr(os, "fsync", sync)
    monkeypatch.setattr(Path, "rename", rename)
    with write_new_folder(tmp_path / "out", durable=True) as temporary:
        (temporary / "inner").mkdir()
        (temporary / "inner" / "file").write_text("x")
    before, after = steps[: steps.index("renamed")], steps[steps.index("renamed") + 1 :]
    assert before[:2] == ["file", "inner"]  # content, then the names, then the folder that holds them
    assert len(before) == 3
    assert after == [tmp_path.name]


@pytest.mark.parametrize("number", [errno.EINVAL, errno.ENOTSUP, errno.ENOSYS])
def test_a_file_system_that_syncs_no_folders_is_played_on_with_a_line(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], number: int
) -> None:
    real = os.fsync

    def sync(file: int) -> None:
        if stat.S_ISDIR(os.fstat(file).st_mode):
            raise OSError(number, os.strerror(number))
        real(file)

    monkeypatch.setattr(os, "fsync", sync)
    sync_folder(tmp_path)
    sync_folder(tmp_path)
    (line,) = capsys.readouterr().err.splitlines()
    assert line.startswith(f"{tmp_path}: ")
    assert "a loss of power may lose" in line


def test_a_disk_that_fails_is_no_such_file_system(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def fail(file: int) -> None:
        raise OSError(errno.EIO, "Input/output error")

    monkeypatch.setattr(os, "fsync", fail)
    with pytest.raises(WorkError, match="Input/output error"):
        sync_folder(tmp_path)


@pytest.mark.parametrize("number", [errno.ENOSYS, errno.ENOLCK, errno.EINVAL, errno.ENOTSUP])
def test_a_file_system_without_locks_is_worked_on_with_a_line(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], number: int
) -> None:
    def no_locks(file: int, operation: int) -> None:
        raise OSError(number, os.strerror(number))

    monkeypatch.setattr(pytest.importorskip("fcntl"), "flock", no_locks)
    for _ in range(2):  # nothing is left that would refuse the next process
        with lock_folder(tmp_path, "run"):
            pass
    (line,) = capsys.readouterr().err.splitlines()
    assert line.startswith(f"{tmp_path}: ")
    assert "no locks" in line


def test_a_lock_that_cannot_be_made_is_told(tmp_path: Path) -> None:
    (tmp_path / ".lock").mkdir()
    with pytest.raises(WorkError, match=r"\.lock: cannot be written"), lock_folder(tmp_path, "run"):
        pytest.fail("not locked")


def test_counts_in_a_short_file_are_bounded(tmp_path: Path) -> None:
    (tmp_path / "a.json").write_text('{"dog": 1000}')
    assert len(read_elements(tmp_path / "a.json").elements) == 1000
    for count in (1001, 10**9, -1):
        (tmp_path / "a.json").write_text(f'{{"dog": {count}}}')
        with pytest.raises(InputError, match="out of range"):
            read_elements(tmp_path / "a.json")


def test_a_file_from_an_editor_on_windows_is_read(tmp_path: Path) -> None:
    (tmp_path / "a.yaml").write_bytes("\ufeffname: a\n".encode())
    assert read_mapping(tmp_path / "a.yaml", "", "") == {"name": "a"}


def test_others_may_read_a_folder_that_was_made(tmp_path: Path) -> None:
    with write_new_folder(tmp_path / "made") as folder:
        (folder / "file").write_text("x")
    assert (tmp_path / "made").stat().st_mode & 0o777 == 0o755


@pytest.mark.parametrize(
    "file", sorted(Path(ircore.__file__).parent.rglob("*.yaml")), ids=lambda file: "/".join(file.parts[-2:])
)
def test_files_of_the_package_are_read_fast_as_strictly_read_ones_are(file: Path) -> None:
    assert load_own_mapping(file) == read_mapping(file, "", "")
