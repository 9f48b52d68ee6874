"""Reading a repository's objects with git, without a work tree: nothing is checked out, filtered, run or fetched."""

import os
import subprocess
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import NamedTuple

from ircore.errors import InputError, WorkError
from ircore.submissions.entries import Entry

MOST_OUTPUT = 64 * 1024 * 1024
"""Bytes of a listing; some 400,000 files."""

ABSENT = "0" * 6
"""The mode of a file that is not there."""

_QUIET = ("-c", "core.hooksPath=/dev/null", "-c", "core.fsmonitor=false", "-c", "protocol.allow=never")


class Blob(NamedTuple):
    """A file in a tree."""

    entry: Entry
    """Its path, mode and size."""

    object_id: str
    """Of its content."""


class Change(NamedTuple):
    """A file that differs between two trees."""

    path: str
    """As in ``Entry``."""

    before: str
    """Its mode; ABSENT where it was added."""

    after: str
    """Its mode; ABSENT where it was deleted."""


class Repository:
    """The objects of a repository.

    Args:
        path: Any folder of its work tree, or a bare one.
    """

    def __init__(self, path: Path) -> None:
        self._path = path

    def commit(self, name: str) -> str:
        """Return the id of a commit.

        Raises:
            InputError: There is none of that name.
        """
        try:
            found = self._run("rev-parse", "--verify", "--quiet", "--end-of-options", f"{name}^{{commit}}")
        except WorkError as error:
            raise InputError(f"{name}: no commit in {self._path}", "Fetch it first: git fetch origin NAME.") from error
        return found.decode().strip()

    def merge_base(self, first: str, second: str) -> str:
        """Return the commit from which two others departed.

        Raises:
            InputError: They share none, as in a clone that is not deep enough.
        """
        try:
            return self._run("merge-base", first, second).decode().strip()
        except WorkError as error:
            raise InputError(
                f"{first[:12]} and {second[:12]} have no commit in common here",
                "Fetch the whole history: git fetch --unshallow.",
            ) from error

    def changes(self, first: str, second: str) -> list[Change]:
        """Return what differs between two commits; a renamed file is one deleted and one added."""
        given = self._run("diff-tree", "-r", "-z", "--raw", "--no-renames", "--no-ext-diff", first, second)
        parts = given.split(b"\0")
        found = []
        for head, path in zip(parts[0::2], parts[1::2], strict=False):
            before, after, *_ = head.decode().lstrip(":").split(" ")
            found.append(Change(path.decode(errors="surrogateescape"), before, after))
        return found

    def blobs(self, commit: str, folder: str) -> list[Blob]:
        """Return the files below a folder of a commit."""
        given = self._run("ls-tree", "-r", "-z", "-l", "--full-tree", commit, "--", f"{folder}/")
        found = []
        for line in filter(None, given.split(b"\0")):
            head, _, path = line.partition(b"\t")
            mode, _, object_id, size = head.decode().split()
            entry = Entry(path.decode(errors="surrogateescape"), mode, int(size) if size.isdigit() else 0)
            found.append(Blob(entry, object_id))
        return found

    def contents(self, blobs: Sequence[Blob]) -> Iterator[bytes]:
        """Yield the contents of files, in order; their sizes are the caller's to bound.

        Raises:
            WorkError: One of them is not in this clone.
        """
        if not blobs:
            return
        given = self._run("cat-file", "--batch", given="".join(f"{one.object_id}\n" for one in blobs).encode())
        start = 0
        for _ in blobs:
            end = given.index(b"\n", start)
            head = given[start:end].split(b" ")
            if head[1] != b"blob":
                raise WorkError("a file of a commit is not in this clone", "Fetch the whole history, without filters.")
            size = int(head[2])
            yield given[end + 1 : end + 1 + size]
            start = end + size + 2

    def _run(self, *arguments: str, given: bytes | None = None) -> bytes:
        """Run git and return what it says.

        Raises:
            WorkError: It failed, or says more than is read.
        """
        environment = {**os.environ, "GIT_OPTIONAL_LOCKS": "0", "GIT_TERMINAL_PROMPT": "0", "LC_ALL": "C"}
        environment |= {"GIT_NO_LAZY_FETCH": "1", "GIT_NO_REPLACE_OBJECTS": "1"}
        command = ["git", *_QUIET, "-C", str(self._path), *arguments]
        try:
            done = subprocess.run(command, env=environment, input=given, capture_output=True, check=False)  # noqa: S603
        except OSError as error:
            raise WorkError("git cannot be run", "Install git.") from error
        if done.returncode:
            said = done.stderr.decode(errors="replace").strip().splitlines()
            raise WorkError(f"git {arguments[0]} failed: {said[0] if said else 'it says nothing'}", "See git's words.")
        if len(done.stdout) > MOST_OUTPUT:
            raise WorkError(f"git {arguments[0]} lists more than is read here", "Change fewer files.")
        return done.stdout
