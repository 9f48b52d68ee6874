"""The files that a submission may consist of, by name, mode and size; and reading such files from git's objects.

Allowed files are listed. A repository's objects are read with git, without a work tree: nothing is checked out,
filtered, run or fetched.
"""

import os
import subprocess
import unicodedata
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from tempfile import TemporaryFile
from typing import NamedTuple

from ircore.core.errors import InputError, WorkError
from ircore.core.strict_yaml import MAX_BYTES
from ircore.players.submission import FOLDER, MAINTAINERS, MANIFEST, SLUG, SLUG_HELP, is_reserved_name
from ircore.submissions.decisions import DECISIONS
from ircore.submissions.findings import Finding, build_finding
from ircore.submissions.texts import build_slug_skeleton

FILES: Mapping[str, int] = {MANIFEST: MAX_BYTES, DECISIONS: MAX_BYTES}
"""The files of a submission, each with the bytes that it may have."""

PLAIN_FILE = "100644"
_MODES = {
    "100755": ("is marked as a program", "Take the mark off: git update-index --chmod=-x FILE."),
    "120000": ("is a symbolic link", "Put the file itself there."),
    "160000": ("is a submodule", "Take it out; transcripts are named by repo and revision."),
    "040000": ("is a folder", "Put the files themselves there."),
}

MOST_OUTPUT = 32 * 1024 * 1024
"""Bytes of a listing, some 300,000 files; and of what is read at once."""

ABSENT = "0" * 6
"""The mode of a file that is not there."""

# The settings of a clone can name programs: no hook, no monitor and no transport is started.
_QUIET = ("-c", "core.hooksPath=/dev/null", "-c", "core.fsmonitor=false", "-c", "protocol.allow=never")


class TreeEntry(NamedTuple):
    """A file in the listing of a git tree or of a folder.

    >>> script = TreeEntry("submissions/my-pair/run.sh", "100755", 20)
    >>> next(check_entries([script])).problem
    'is marked as a program'
    """

    path: str
    """From the repository's root, with forward slashes; bytes that are not UTF-8 stand as surrogates."""

    mode: str
    """Mode in git's form, such as ``100644``."""

    size: int
    """Bytes."""


def check_entries(entries: Iterable[TreeEntry], present: Iterable[str] = ()) -> Iterator[Finding]:
    """Yield the faults in names, modes and sizes of files below ``submissions/``.

    Args:
        entries: The files.
        present: Paths of all files that will be there, these included, among which none may differ by case alone.
    """
    # On macOS and Windows two such files would be one, and a checkout would show one in place of the other.
    folded = Counter(unicodedata.normalize("NFKC", path).casefold() for path in present)
    for entry in entries:
        problem = _name_problem(entry.path) or _find_file_problem(entry)
        if problem is None and folded[entry.path.casefold()] > 1:  # without a problem, it is plain ASCII
            problem = "differs from another file only by case or accents", "Choose another name."
        if problem is not None:
            yield build_finding(entry.path, problem[0], f"{FOLDER}/<slug>/{MANIFEST}", problem[1])


def find_submission_slug(path: str) -> str | None:
    """Return the name of the submission's folder that a path lies in; None for a path outside of all submissions."""
    parts = path.split("/")
    return parts[1] if len(parts) > 2 and parts[0] == FOLDER else None


def is_manifest(path: str) -> bool:
    """Return whether a path is the manifest of a submission.

    >>> is_manifest("submissions/my-pair/submission.yaml"), is_manifest("submissions/submission.yaml")
    (True, False)
    """
    return find_submission_slug(path) is not None and path.count("/") == 2 and path.endswith(f"/{MANIFEST}")


def is_maintainers(slug: str) -> bool:
    """Return whether only maintainers may add a folder of this name, or of a name that looks like theirs."""
    return build_slug_skeleton(slug).startswith(build_slug_skeleton(MAINTAINERS))


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
        before, after = self._list_files(first), self._list_files(second)
        paths = sorted(path for path in before.keys() | after.keys() if before.get(path) != after.get(path))
        return [FileChange(path, after[path][0] if path in after else ABSENT) for path in paths]

    def blobs(self, commit: str, folder: str) -> list[TreeFile]:
        """Return the files below a folder of a commit."""
        listed = self._list_files("-l", commit, "--", f"{folder}/")
        return [
            TreeFile(TreeEntry(path, mode, int(size) if size.isdigit() else 0), object_id)
            for path, (mode, _, object_id, size) in listed.items()
        ]

    def content(self, commit: str, path: str, most: int) -> bytes:
        """Return the content of a file of a commit, at most ``most`` bytes of it; empty if it is not there."""
        listed = self._list_files("-l", commit, "--", path)
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

    def _list_files(self, *arguments: str) -> dict[str, list[str]]:
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


def _name_problem(path: str) -> tuple[str, str] | None:
    parts = path.split("/")
    if any(part in ("", ".", "..") for part in parts):
        return "the path leads out of its folder", "Name the file plainly."
    # Windows drops dots and spaces at the end, and git~1 is its short name of .git (CVE-2014-9390).
    if any(part.casefold().rstrip(". ") in (".git", "git~1") for part in parts):
        return "the path belongs to git itself", "Take it out."
    if not path.isascii() or not path.isprintable():
        return "the name has characters other than plain ASCII", "Use lower-case letters, digits, '-', '_' and '.'."
    if any(character in path for character in '\\:*?"<>|'):
        return "the name has characters that Windows does not take", "Use letters, digits, '-', '_' and '.'."
    if any(is_reserved_name(part) for part in parts):
        return "the name is one that Windows keeps for a device, or ends in a dot or space", "Choose another name."
    return None


def _find_file_problem(entry: TreeEntry) -> tuple[str, str] | None:
    slug, name = find_submission_slug(entry.path), entry.path.rpartition("/")[2]
    if slug is None:
        return "is in no submission's folder", f"Put it below {FOLDER}/<slug>/, or hand it in by itself."
    if not SLUG.fullmatch(slug):
        return f"the folder's name {slug!r} cannot be used", SLUG_HELP
    if entry.mode != PLAIN_FILE:
        return _MODES.get(entry.mode, (f"has the mode {entry.mode}", "Put a plain file there."))
    if entry.path.count("/") != 2 or name not in FILES:
        return "is no file that a submission has", f"Take it out; a submission is {' and '.join(FILES)}."
    if entry.size > FILES[name]:
        return f"larger than {FILES[name] // 1024} KiB", "Such a file is short; shorten it."
    return None
