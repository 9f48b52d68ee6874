"""The verdict on every submission of a folder."""

import stat
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

from ircore.core.errors import InputError
from ircore.core.strict_yaml import MAX_BYTES, read_bounded
from ircore.players.submission import MANIFEST
from ircore.submissions.check.entries import FOLDER, Entry, entry_findings
from ircore.submissions.check.findings import Finding, finding, ordered
from ircore.submissions.check.history import content_findings
from ircore.submissions.check.neighbours import Neighbour, neighbour
from ircore.submissions.check.submission import HAND_IN, Checked, Purpose, check_bytes
from ircore.submissions.history import HISTORY


class CheckedTree(NamedTuple):
    """The verdict on a folder of submissions."""

    checked: tuple[Checked, ...]
    """Each of them, by name."""

    findings: tuple[Finding, ...]
    """Everything found: errors, then warnings."""


def check_tree(folder: Path, purpose: Purpose = HAND_IN) -> CheckedTree:
    """Check every submission in a folder, and that nothing else is there; links are not followed.

    Args:
        folder: Such as ``submissions``.
        purpose: What for.

    Raises:
        InputError: It is no folder, or holds no submission.
    """
    entries = list(_entries(folder))
    data = {
        one.path.split("/")[1]: read_bounded(_on_disk(folder, one.path), "Make it readable.")
        for one in entries
        if one.mode == "100644" and one.path.count("/") == 2 and one.path.endswith(f"/{MANIFEST}")
    }
    if not data:
        raise InputError(f"{folder}: no submission in it", "Name the folder that holds submissions.")
    found = [_renamed(one, folder) for one in entry_findings(entries, [one.path for one in entries])]
    found += list(_empty(folder, entries))
    for one in entries:
        if one.mode == "100644" and one.path.endswith(f"/{HISTORY}"):
            file = _on_disk(folder, one.path)
            found += content_findings(read_bounded(file, "Make it readable."), str(file))
    neighbours = tuple(_neighbours(data))
    checked = tuple(
        check_bytes(content, str(folder / slug / MANIFEST), slug, neighbours, purpose)
        for slug, content in sorted(data.items())
    )
    found += [one for each in checked for one in each.findings]
    return CheckedTree(checked, ordered(set(found)))


def _entries(folder: Path) -> Iterator[Entry]:
    """Yield every file below a folder as git would list it below ``submissions/``."""
    try:
        names = sorted(one.name for one in folder.iterdir())
    except OSError as error:
        raise InputError(f"{folder}: cannot be read ({error.strerror})", "Name a folder of submissions.") from error
    for name in names:
        yield from _below(folder / name, f"{FOLDER}/{name}")


def _below(path: Path, name: str) -> Iterator[Entry]:
    about = path.lstat()
    if stat.S_ISDIR(about.st_mode):
        for one in sorted(each.name for each in path.iterdir()):
            yield from _below(path / one, f"{name}/{one}")
    elif stat.S_ISLNK(about.st_mode):
        yield Entry(name, "120000", 0)
    elif stat.S_ISREG(about.st_mode):
        yield Entry(name, "100755" if about.st_mode & 0o100 else "100644", about.st_size)
    else:
        yield Entry(name, "000000", 0)


def _empty(folder: Path, entries: list[Entry]) -> Iterator[Finding]:
    """Yield the folders without a manifest."""
    manifests = {one.path.split("/")[1] for one in entries if one.path.endswith(f"/{MANIFEST}")}
    for name in sorted(one.name for one in folder.iterdir()):
        if (folder / name).is_dir() and name not in manifests:
            yield finding(str(folder / name), f"has no {MANIFEST}", "", "Add one, or remove the folder.")


def _neighbours(data: dict[str, bytes]) -> Iterator[Neighbour]:
    for slug, content in data.items():
        one = neighbour(slug, content) if len(content) <= MAX_BYTES else None
        if one is not None:
            yield one


def _on_disk(folder: Path, path: str) -> Path:
    return folder.joinpath(*path.split("/")[1:])


def _renamed(one: Finding, folder: Path) -> Finding:
    """Return a finding with the file as it lies on this disk."""
    prefix = f"{FOLDER}/"
    file = str(folder / one.file.removeprefix(prefix)) if one.file.startswith(prefix) else one.file
    return Finding(one.level, file, one.line, one.column, one.field, one.problem, one.expected, one.remedy)
