"""The files that a submission may consist of, by name, mode and size: allowed files are listed."""

import unicodedata
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from typing import NamedTuple

from ircore.core.strict_yaml import MAX_BYTES
from ircore.players.submission import FOLDER, MAINTAINERS, MANIFEST, SLUG, SLUG_HELP, is_reserved_name
from ircore.submissions.decisions import DECISIONS
from ircore.submissions.findings import Finding, finding
from ircore.submissions.texts import slug_skeleton

FILES: Mapping[str, int] = {MANIFEST: MAX_BYTES, DECISIONS: MAX_BYTES}
"""The files of a submission, each with the bytes that it may have."""

PLAIN_FILE = "100644"
_MODES = {
    "100755": ("is marked as a program", "Take the mark off: git update-index --chmod=-x FILE."),
    "120000": ("is a symbolic link", "Put the file itself there."),
    "160000": ("is a submodule", "Take it out; transcripts are named by repo and revision."),
    "040000": ("is a folder", "Put the files themselves there."),
}


class TreeEntry(NamedTuple):
    """A file in the listing of a git tree or of a folder.

    >>> script = TreeEntry("submissions/my-pair/run.sh", "100755", 20)
    >>> next(entry_findings([script])).problem
    'is marked as a program'
    """

    path: str
    """From the repository's root, with forward slashes; bytes that are not UTF-8 stand as surrogates."""

    mode: str
    """Mode in git's form, such as ``100644``."""

    size: int
    """Bytes."""


def entry_findings(entries: Iterable[TreeEntry], present: Iterable[str] = ()) -> Iterator[Finding]:
    """Yield the faults in names, modes and sizes of files below ``submissions/``.

    Args:
        entries: The files.
        present: Paths of all files that will be there, these included, among which none may differ by case alone.
    """
    # On macOS and Windows two such files would be one, and a checkout would show one in place of the other.
    folded = Counter(unicodedata.normalize("NFKC", path).casefold() for path in present)
    for entry in entries:
        problem = _name_problem(entry.path) or _file_problem(entry)
        if problem is None and folded[entry.path.casefold()] > 1:  # without a problem, it is plain ASCII
            problem = "differs from another file only by case or accents", "Choose another name."
        if problem is not None:
            yield finding(entry.path, problem[0], f"{FOLDER}/<slug>/{MANIFEST}", problem[1])


def submission_slug(path: str) -> str | None:
    """Return the name of the submission's folder that a path lies in; None for a path outside of all submissions."""
    parts = path.split("/")
    return parts[1] if len(parts) > 2 and parts[0] == FOLDER else None


def is_manifest(path: str) -> bool:
    """Return whether a path is the manifest of a submission.

    >>> is_manifest("submissions/my-pair/submission.yaml"), is_manifest("submissions/submission.yaml")
    (True, False)
    """
    return submission_slug(path) is not None and path.count("/") == 2 and path.endswith(f"/{MANIFEST}")


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


def _file_problem(entry: TreeEntry) -> tuple[str, str] | None:
    slug, name = submission_slug(entry.path), entry.path.rpartition("/")[2]
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


def is_maintainers(slug: str) -> bool:
    """Return whether only maintainers may add a folder of this name, or of a name that looks like theirs."""
    return slug_skeleton(slug).startswith(slug_skeleton(MAINTAINERS))
