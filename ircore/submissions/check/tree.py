"""The verdict on every submission of a folder."""

import stat
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import NamedTuple

from ircore.core.errors import InputError
from ircore.core.strict_yaml import read_yaml_bytes
from ircore.players.submission import FOLDER, MANIFEST
from ircore.submissions.check.entries import PLAIN_FILE, TreeEntry, entry_findings, is_manifest
from ircore.submissions.check.submission import HAND_IN, CheckedSubmission, Purpose, build_neighbours, check_bytes
from ircore.submissions.decisions import DECISIONS, decisions_findings
from ircore.submissions.findings import Finding, finding, sort_findings


class _CheckedTree(NamedTuple):
    """The verdict on a folder of submissions."""

    checked: tuple[CheckedSubmission, ...]
    """Each of them, by name."""

    findings: tuple[Finding, ...]
    """All findings: errors, then warnings."""


def check_tree(folder: Path, purpose: Purpose = HAND_IN) -> _CheckedTree:
    """Check every submission in a folder, and that nothing else is there; links are not followed.

    Args:
        folder: The folder of submissions, such as ``submissions``.
        purpose: Purpose of the check.

    Raises:
        InputError: It is no folder, or holds no submission.
    """
    entries = list(_list_entries(folder))
    data = {
        entry.path.split("/")[1]: read_yaml_bytes(_locate_on_disk(folder, entry.path), "Make it readable.")
        for entry in entries
        if entry.mode == PLAIN_FILE and is_manifest(entry.path)
    }
    if not data:
        raise InputError(f"{folder}: no submission in it", "Name the folder that holds submissions.")
    findings = [
        _rename_finding(finding, folder) for finding in entry_findings(entries, [entry.path for entry in entries])
    ]
    findings += list(_find_empty(folder, entries))
    for entry in entries:
        if entry.mode == PLAIN_FILE and entry.path.endswith(f"/{DECISIONS}"):
            file = _locate_on_disk(folder, entry.path)
            findings += decisions_findings(read_yaml_bytes(file, "Make it readable."), str(file))
    neighbours = build_neighbours(data.items())
    checked = tuple(
        check_bytes(content, str(folder / slug / MANIFEST), slug, neighbours, purpose)
        for slug, content in sorted(data.items())
    )
    findings += [finding for each in checked for finding in each.findings]
    return _CheckedTree(checked, sort_findings(set(findings)))


def folder_findings(folder: Path) -> Iterator[Finding]:
    """Yield the faults of the files in the folder of a single submission, its manifest's content aside.

    A folder that does not stand in ``submissions/`` cannot be handed in as it is: its other files are left alone.

    Args:
        folder: The submission's.
    """
    place = folder.absolute()
    # As in a folder of drafts, where other files are the author's own.
    if place.parent.name != FOLDER or not place.is_dir():
        return
    entries = list(_list_below(place, f"{FOLDER}/{place.name}"))
    for each in entry_findings(entries, [entry.path for entry in entries]):
        yield _rename_finding(each, folder.parent)
    decisions = folder / DECISIONS
    if decisions.is_file() and not decisions.is_symlink():
        yield from decisions_findings(read_yaml_bytes(decisions, "Make it readable."), str(decisions))


def _list_entries(folder: Path) -> Iterator[TreeEntry]:
    """Yield every file below a folder in the form in which git lists files below ``submissions/``."""
    try:
        names = sorted(child.name for child in folder.iterdir())
    except OSError as error:
        raise InputError(f"{folder}: cannot be read ({error.strerror})", "Name a folder of submissions.") from error
    for name in names:
        yield from _list_below(folder / name, f"{FOLDER}/{name}")


def _list_below(path: Path, name: str) -> Iterator[TreeEntry]:
    # Not stat, which would follow a link and list what it leads to.
    about = path.lstat()
    if stat.S_ISDIR(about.st_mode):
        for child in sorted(each.name for each in path.iterdir()):
            yield from _list_below(path / child, f"{name}/{child}")
    elif stat.S_ISLNK(about.st_mode):
        yield TreeEntry(name, "120000", 0)
    elif stat.S_ISREG(about.st_mode):
        yield TreeEntry(name, "100755" if about.st_mode & 0o100 else PLAIN_FILE, about.st_size)
    else:
        # A device, pipe or socket, which git cannot hold: a mode that no rule allows.
        yield TreeEntry(name, "000000", 0)


def _find_empty(folder: Path, entries: list[TreeEntry]) -> Iterator[Finding]:
    """Yield the folders without a manifest."""
    manifests = {entry.path.split("/")[1] for entry in entries if entry.path.endswith(f"/{MANIFEST}")}
    for name in sorted(child.name for child in folder.iterdir()):
        if (folder / name).is_dir() and name not in manifests:
            yield finding(str(folder / name), f"has no {MANIFEST}", "", "Add one, or remove the folder.")


def _locate_on_disk(folder: Path, path: str) -> Path:
    return folder.joinpath(*path.split("/")[1:])


def _rename_finding(finding: Finding, folder: Path) -> Finding:
    """Return a finding with the path of the file on this disk."""
    prefix = f"{FOLDER}/"
    file = str(folder / finding.file.removeprefix(prefix)) if finding.file.startswith(prefix) else finding.file
    return replace(finding, file=file)
