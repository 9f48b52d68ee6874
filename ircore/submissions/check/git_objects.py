"""Reading a repository's objects with git, without a work tree: nothing is checked out, filtered, run or fetched."""

import os
import subprocess
from collections.abc import Iterator, Sequence
from pathlib import Path
from tempfile import TemporaryFile
from typing import NamedTuple

from ircore.core.errors import InputError, WorkError
from ircore.submissions.check.entries import TreeEntry

MOST_OUTPUT = 32 * 1024 * 1024
"""Bytes of a listing, some 300,000 files; and of what is read at once."""

ABSENT = "0" * 6
"""The mode of a file that is not there."""

# The settings of a clone can name programs: no hook, no monitor and no transport is started.
_QUIET = ("-c", "core.hooksPath=/dev/null", "-c", "core.fsmonitor=false", "-c", "protocol.allow=never")


class TreeFile(NamedTuple):
    """A file in a tree.

    >>> TreeFile(TreeEntry("submissions/my-pair/submission.yaml", "100644", 300), "1" * 40).entry.size
    300
    """

    entry: TreeEntry
    """Path, mode and size of the file."""

    object_id: str
    """Git's hash of the content."""


class FileChange(NamedTuple):
    """A file that differs between two trees.

    >>> FileChange("submissions/my-pair/submission.yaml", ABSENT).after  # the file was deleted
    '000000'
    """

    path: str
    """Path from the repository's root, as in ``Entry``."""

    after: str
    """Mode of the file after the change; ABSENT for a deleted file."""


class Merge(NamedTuple):
    """A merge commit of a branch, and files that it changed there."""

    commit: str
    """Its id."""

    when: str
    """When it was made, ISO 8601."""

    paths: tuple[str, ...]
    """The files."""


class GitRepository:
    """The objects of a repository.

    Args:
        path: Any folder of its work tree, or a bare one.

    >>> GitRepository(Path("targets")).commit("main")  # doctest: +ELLIPSIS
    Traceback (most recent call last):
    ircore.core.errors.InputError: targets: no git repository...
    """

    def __init__(self, path: Path) -> None:
        self._path = path

    def commit(self, name: str) -> str:
        """Return the id of a commit.

        Raises:
            InputError: There is none of that name.
        """
        try:
            # A branch may be called --anything: after the mark no name is read as an option.
            commit = self._run("rev-parse", "--verify", "--quiet", "--end-of-options", f"{name}^{{commit}}")
        except WorkError as error:
            self._refuse_no_repository()
            raise InputError(f"{name}: no commit in {self._path}", "Fetch it first: git fetch origin NAME.") from error
        return commit.decode().strip()

    def _refuse_no_repository(self) -> None:
        try:
            self._run("rev-parse", "--git-dir")
        except WorkError as error:
            remedy = "Run it in a clone, or name one with --repo."
            raise InputError(f"{self._path}: no git repository", remedy) from error

    def merge_base(self, first: str, second: str) -> str:
        """Return the commit from which two branches departed.

        Where there are several, a merge may undo what a comparison with one of them does not show.

        Raises:
            InputError: They share none, as in a clone that is not deep enough; or there are several.
        """
        pair = f"{first[:12]} and {second[:12]}"
        try:
            bases = self._run("merge-base", "--all", first, second).decode().split()
        except WorkError as error:
            remedy = "Fetch the whole history: git fetch --unshallow."
            raise InputError(f"{pair} have no commit in common here", remedy) from error
        if len(bases) > 1:
            remedy = "Make it one line of commits on top of main: git rebase origin/main."
            raise InputError(f"{pair} departed from one another at {len(bases)} commits", remedy)
        return bases[0]

    def changes(self, first: str, second: str) -> list[FileChange]:
        """Return the files that differ between two commits; a renamed file is a deleted file and an added file.

        Both are listed and compared here: git's own comparison grows without bound before it says a word.
        """
        before, after = self._listed(first), self._listed(second)
        paths = sorted(path for path in before.keys() | after.keys() if before.get(path) != after.get(path))
        return [FileChange(path, after[path][0] if path in after else ABSENT) for path in paths]

    def blobs(self, commit: str, folder: str) -> list[TreeFile]:
        """Return the files below a folder of a commit."""
        listed = self._listed("-l", commit, "--", f"{folder}/")
        return [
            TreeFile(TreeEntry(path, mode, int(size) if size.isdigit() else 0), object_id)
            for path, (mode, _, object_id, size) in listed.items()
        ]

    def content(self, commit: str, path: str, most: int) -> bytes:
        """Return the content of a file of a commit, at most ``most`` bytes of it; empty if it is not there."""
        listed = self._listed("-l", commit, "--", path)
        blobs = [TreeFile(TreeEntry(path, mode, 0), name) for mode, kind, name, _ in listed.values() if kind == "blob"]
        return next(self.contents(blobs[:1]), b"")[:most]

    def merges(self, tip: str, pattern: str, folder: str) -> list[Merge]:
        """Return the merges into a branch that added or removed lines below a folder, the oldest first.

        Args:
            tip: The branch's last commit; merges on other branches are left out.
            pattern: Regular expression that such a line matches.
            folder: The folder.
        """
        form = ("--no-show-signature", "-z", "--format=%x00%H %cI", "--name-only", "--no-renames")
        which = ("--first-parent", "--merges", "--diff-merges=first-parent", "--reverse", f"-G{pattern}")
        listed = self._run("log", *form, *which, "--end-of-options", tip, "--", f"{folder}/").decode(errors="replace")
        merges = []
        for block in filter(None, listed.split("\0\0")):
            head, *paths = block.strip("\0").split("\0")
            commit, _, when = head.strip().partition(" ")
            merges.append(Merge(commit, when, tuple(path.strip("\n") for path in paths if path.strip("\n"))))
        return merges

    def _listed(self, *arguments: str) -> dict[str, list[str]]:
        """Return mode, kind, id and, if asked for, size of the files of a commit, by path.

        Raises:
            InputError: One is there twice, as only in forged commits: nobody knows which one counts.
        """
        listed = self._run("ls-tree", "-r", "-z", "--full-tree", *arguments)
        files: dict[str, list[str]] = {}
        for line in filter(None, listed.split(b"\0")):
            head, _, name = line.partition(b"\t")
            path = name.decode(errors="surrogateescape")
            if path in files:
                raise InputError(f"{path!a}: is twice in one commit", "Commit anew, with git itself.")
            files[path] = head.decode().split()
        return files

    def contents(self, blobs: Sequence[TreeFile]) -> Iterator[bytes]:
        """Yield the contents of files, in order; their sizes are the caller's to bound.

        Raises:
            WorkError: One of them is not in this clone.
        """
        if not blobs:
            return
        output = self._run("cat-file", "--batch", typed="".join(f"{blob.object_id}\n" for blob in blobs).encode())
        start = 0
        for _ in blobs:
            end = output.index(b"\n", start)
            head = output[start:end].split(b" ")
            if head[1] != b"blob":
                raise WorkError("a file of a commit is not in this clone", "Fetch the whole history, without filters.")
            size = int(head[2])
            yield output[end + 1 : end + 1 + size]
            # A line end follows each content.
            start = end + size + 2

    def _run(self, *arguments: str, typed: bytes = b"") -> bytes:
        """Run git and return its output.

        Raises:
            WorkError: It failed, or says more than is read.
        """
        environment = {**os.environ, "GIT_OPTIONAL_LOCKS": "0", "GIT_TERMINAL_PROMPT": "0", "LC_ALL": "C"}
        # A partial clone would fetch what lacks; a replacement would show another object under the same hash.
        environment |= {"GIT_NO_LAZY_FETCH": "1", "GIT_NO_REPLACE_OBJECTS": "1"}
        command = ["git", *_QUIET, "-C", str(self._path), *arguments]
        # Files, no pipes: git cannot wait on a full pipe while its output is read here.
        with TemporaryFile() as errors, TemporaryFile() as entered:
            entered.write(typed)
            entered.seek(0)
            try:
                git = subprocess.Popen(command, env=environment, stdin=entered, stdout=subprocess.PIPE, stderr=errors)  # noqa: S603
            except OSError as error:
                raise WorkError("git cannot be run", "Install git.") from error
            with git:
                # A few objects can name one another billions of times: what is too long is not waited for.
                output = git.stdout.read(MOST_OUTPUT + 1) if git.stdout else b""
                if len(output) > MOST_OUTPUT:
                    git.kill()
            errors.seek(0)
            lines = errors.read(1000).decode(errors="replace").strip().splitlines()
        if len(output) > MOST_OUTPUT:
            raise WorkError(f"git {arguments[0]} lists more than is read here", "Change fewer files.")
        if git.returncode:
            raise WorkError(
                f"git {arguments[0]} failed: {lines[0] if lines else 'it says nothing'}", "See git's words."
            )
        return output
