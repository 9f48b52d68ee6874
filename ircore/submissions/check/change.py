"""The verdict on several submissions at once: on a pull request, and on every submission of a folder.

The files of a pull request are read from git's objects as data, never checked out and never run.
"""

import stat
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import chain, islice
from pathlib import Path
from typing import NamedTuple

from ircore.core.errors import InputError
from ircore.core.strict_yaml import MAX_BYTES, START, read_yaml_bytes
from ircore.players.submission import FOLDER, MANIFEST
from ircore.submissions.check.entries import (
    ABSENT,
    PLAIN_FILE,
    FileChange,
    GitRepository,
    TreeEntry,
    TreeFile,
    check_entries,
    find_submission_slug,
    is_maintainers,
    is_manifest,
)
from ircore.submissions.check.manifest import parse_manifest
from ircore.submissions.check.submission import (
    HAND_IN,
    CheckedSubmission,
    OtherSubmission,
    Purpose,
    build_neighbours,
    check_bytes,
)
from ircore.submissions.decisions import DECISIONS, MAINTAINERS_ALONE, find_added_decisions, find_faults_of_decisions
from ircore.submissions.findings import Finding, Level, build_finding, sort_findings


class ProposingAccount(NamedTuple):
    """The account that proposes a change, as the service says; never as the change itself says."""

    account: str
    """Name of the account that opened the pull request."""

    fork: str = ""
    """Owner of the repository that its branch lies in: the account or an organisation; may be unknown."""


MOST_SHOWN = 50
"""Findings about files that are shown of one change."""


@dataclass(frozen=True)
class CheckedChange:
    """The verdict on a change."""

    base: str
    """Commit that it is to be merged into."""

    head: str
    """Last commit of the change."""

    checked: tuple[CheckedSubmission, ...]
    """The submission that it adds or changes, if it is one that could be read."""

    findings: tuple[Finding, ...]
    """All findings, the submission's own included: errors, then warnings."""


def check_change(
    repository: Path, base: str, head: str, by_maintainers: bool = False, proposer: ProposingAccount | None = None
) -> CheckedChange:
    """Check the changes of a branch since it left another branch: a valid change of a single submission's folder.

    A change that touches no submission has nothing to be checked here.

    Args:
        repository: Any folder of a clone that has both commits, with their history.
        base: The commit or branch it is to be merged into; its other submissions are what names are compared with.
        head: The branch's last commit.
        by_maintainers: It may change several submissions, built-in ones and files elsewhere too. What it changes in
            submissions is checked all the same.
        proposer: The account that proposes it, by the service's word: it may change its own submissions alone. If None,
            as at home, a change of a merged submission is a warning.

    Raises:
        InputError: A commit is not there, or the two share no history.
    """
    objects = GitRepository(repository)
    base, head = objects.commit(base), objects.commit(head)
    # From the merge base on: what others merged in the meantime is no part of this change.
    changes = objects.changes(objects.merge_base(base, head), head)
    # A folder of another case is one on some disks: it counts as touched, and is refused below.
    touched = [change for change in changes if change.path.partition("/")[0].casefold() == FOLDER]
    if not touched:
        return CheckedChange(base, head, (), ())
    after = {blob.entry.path: blob for blob in objects.blobs(head, FOLDER)}
    merged = {blob.entry.path: blob for blob in objects.blobs(base, FOLDER)}
    if by_maintainers:
        # Maintainers change code in the same pull request, which this check says nothing about.
        changes = [change for change in touched if change.path.startswith(f"{FOLDER}/")]
    scope = () if by_maintainers else _check_scope(changes)
    # Generators cut short: a change of a hundred thousand files is not checked to its end.
    findings = list(islice(chain(scope, _check_changed_files(changes, after, merged)), MOST_SHOWN))
    if not by_maintainers:
        findings += list(_check_owner(objects, changes, merged, proposer))[:MOST_SHOWN]
    findings += list(_check_decisions(objects, changes, after, merged, by_maintainers))[:MOST_SHOWN]
    # Maintainers may name a provider without its fork, having asked the provider.
    purpose = Purpose(fork=None if by_maintainers or proposer is None else proposer.fork)
    checked = tuple(_check_submissions(objects, changes, after, merged, purpose))
    if not by_maintainers:
        checked = tuple(_check_submitter(each, proposer) for each in checked)
    findings += [finding for each in checked for finding in each.findings]
    # A set, because several checks can say the same of one file.
    return CheckedChange(base, head, checked, sort_findings(set(findings)))


def _check_owner(
    objects: GitRepository,
    changes: Sequence[FileChange],
    merged: Mapping[str, TreeFile],
    proposer: ProposingAccount | None,
) -> Iterator[Finding]:
    """Yield a finding for each file of a merged submission that another account changes; at home a warning for each.

    Whose a submission is stands in the merged manifest: what the change itself says of it does not count.
    """
    for change in changes:
        slug = find_submission_slug(change.path)
        manifest = merged.get(f"{FOLDER}/{slug}/{MANIFEST}")
        # Built-in pairs are the maintainers' together, which the change's scope says already.
        if slug is None or manifest is None or is_maintainers(slug):
            continue
        if proposer is None:
            remedy = "Nothing to do: only its submitter's account and maintainers may."
            yield Finding("warning", change.path, *START, "", "changes a submission that is already there", "", remedy)
            continue
        merged_submission = parse_manifest(next(objects.contents([manifest])), MANIFEST).submission
        owner = None if merged_submission is None else merged_submission.submitter
        if owner is None:
            remedy = "Ask a maintainer to add submitter: ACCOUNT to the manifest."
            yield build_finding(change.path, "names no submitter, so that only maintainers may change it", "", remedy)
        elif owner.casefold() != proposer.account.casefold():
            remedy = "Ask it to open the pull request. To object to a result, use the issue form Dispute a result."
            problem = f"belongs to the account {owner}, which alone may change {FOLDER}/{slug}"
            yield build_finding(change.path, problem, "", remedy)


def _check_submitter(checked: CheckedSubmission, proposer: ProposingAccount | None) -> CheckedSubmission:
    """Add a finding where a manifest does not name the account that proposes it; a warning where that is unknown."""
    stated = None if checked.submission is None else checked.submission.submitter
    account = None if proposer is None else proposer.account
    if checked.submission is None or (stated is not None and account is None):
        return checked
    if stated is not None and account is not None and stated.casefold() == account.casefold():
        return checked
    problem = "is missing" if stated is None else f"names {stated}, and {account} opens the pull request"
    remedy = f"Write submitter: {account or 'ACCOUNT, the one that opens the pull request'}."
    if stated is not None:
        remedy += " A maintainer passes a pair on."
    level: Level = "warning" if proposer is None else "error"
    fault = Finding(level, checked.file, *START, "submitter", problem, "", remedy)
    return replace(checked, findings=sort_findings([*checked.findings, fault]))


def _check_decisions(
    objects: GitRepository,
    changes: Sequence[FileChange],
    after: Mapping[str, TreeFile],
    merged: Mapping[str, TreeFile],
    by_maintainers: bool,
) -> Iterator[Finding]:
    """Yield the faults of the decisions that a change adds: earlier ones stay, and some are for maintainers alone."""
    for change in changes:
        if not change.path.endswith(f"/{DECISIONS}"):
            continue
        blob = after.get(change.path)
        if blob is None:
            remedy = "Restore the file: a later decision takes an earlier one back."
            yield build_finding(change.path, "deletes decisions", "", remedy)
            continue
        if blob.entry.size > MAX_BYTES or blob.entry.mode != PLAIN_FILE:
            continue
        if change.path.removesuffix(DECISIONS) + MANIFEST not in merged:
            remedy = "Take it out: there is nothing to decide before the submission is merged."
            yield build_finding(change.path, "decides about a submission that is not there yet", "", remedy)
        earlier = merged.get(change.path)
        before, data = (next(objects.contents([each])) if each is not None else b"" for each in (earlier, blob))
        yield from find_faults_of_decisions(data, change.path)
        try:
            added = find_added_decisions(before, data, change.path)
        except InputError:
            continue
        if added is None:
            remedy = "Restore them, and add a decision: ircore maintain withdraw|correct|reinstate|dispute …"
            yield build_finding(change.path, "changes earlier decisions", "", remedy)
        for kind in {decision.kind for decision in added or ()} & MAINTAINERS_ALONE if not by_maintainers else ():
            yield build_finding(change.path, f"says {kind}, which only maintainers decide", "", "Take it out.")


def _check_changed_files(
    changes: list[FileChange], after: Mapping[str, TreeFile], merged: Mapping[str, TreeFile]
) -> Iterator[Finding]:
    """Yield the faults of the changed files themselves."""
    present = {*after, *merged}
    sizes = {path: blob.entry.size for path, blob in after.items()}
    # What is deleted elsewhere is no less out of place than what is added there.
    entries = [
        TreeEntry(change.path, PLAIN_FILE if change.after == ABSENT else change.after, sizes.get(change.path, 0))
        for change in changes
        if change.after != ABSENT or find_submission_slug(change.path) is None
    ]
    yield from check_entries(entries, present)
    for change in changes:
        if change.after == ABSENT:
            yield from _check_deleted(change)


def _check_deleted(change: FileChange) -> Iterator[Finding]:
    if is_manifest(change.path):
        remedy = (
            "Restore the file; a folder keeps its name. To take the pair back: "
            f"ircore maintain withdraw {change.path.rpartition('/')[0]} --reason TEXT"
        )
        yield build_finding(change.path, "deletes a submission", "submissions are withdrawn, not deleted", remedy)


def _check_scope(changes: list[FileChange]) -> Iterator[Finding]:
    """Yield the faults of the change as a whole."""
    slugs = sorted({slug for change in changes if (slug := find_submission_slug(change.path)) is not None})
    expected = f"changes below one {FOLDER}/<slug>/"
    if len(slugs) > 1:
        names = ", ".join(slugs[:5])
        yield build_finding(
            FOLDER, f"the change touches {len(slugs)} submissions: {names}", expected, "Make a pull request of each."
        )
    for slug in slugs:
        if is_maintainers(slug):
            remedy = "Choose another name for yours, or ask a maintainer."
            yield build_finding(f"{FOLDER}/{slug}", "only maintainers add or change built-in pairs", expected, remedy)


def _check_submissions(
    objects: GitRepository,
    changes: list[FileChange],
    after: Mapping[str, TreeFile],
    merged: Mapping[str, TreeFile],
    purpose: Purpose,
) -> Iterator[CheckedSubmission]:
    """Check each manifest that a change adds or alters against the submissions that are merged already."""
    altered = [
        change
        for change in changes
        # A link or submodule of this name is refused as a file, and is never read.
        if change.after == PLAIN_FILE and is_manifest(change.path) and change.path in after
    ]
    readable = [after[change.path] for change in altered[:MOST_SHOWN] if after[change.path].entry.size <= MAX_BYTES]
    neighbours = _list_neighbours(objects, merged) if readable else ()
    for blob, data in zip(readable, objects.contents(readable), strict=True):
        path = blob.entry.path
        yield check_bytes(data, path, find_submission_slug(path) or "", neighbours, purpose)


def _list_neighbours(objects: GitRepository, merged: Mapping[str, TreeFile]) -> tuple[OtherSubmission, ...]:
    blobs = [blob for blob in merged.values() if is_manifest(blob.entry.path) and blob.entry.size <= MAX_BYTES]
    slugs = [find_submission_slug(blob.entry.path) or "" for blob in blobs]
    return build_neighbours(zip(slugs, objects.contents(blobs), strict=True))


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
        _rename_finding(finding, folder) for finding in check_entries(entries, [entry.path for entry in entries])
    ]
    findings += list(_find_empty(folder, entries))
    for entry in entries:
        if entry.mode == PLAIN_FILE and entry.path.endswith(f"/{DECISIONS}"):
            file = _locate_on_disk(folder, entry.path)
            findings += find_faults_of_decisions(read_yaml_bytes(file, "Make it readable."), str(file))
    neighbours = build_neighbours(data.items())
    checked = tuple(
        check_bytes(content, str(folder / slug / MANIFEST), slug, neighbours, purpose)
        for slug, content in sorted(data.items())
    )
    findings += [finding for each in checked for finding in each.findings]
    return _CheckedTree(checked, sort_findings(set(findings)))


def check_folder_files(folder: Path) -> Iterator[Finding]:
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
    for each in check_entries(entries, [entry.path for entry in entries]):
        yield _rename_finding(each, folder.parent)
    decisions = folder / DECISIONS
    if decisions.is_file() and not decisions.is_symlink():
        yield from find_faults_of_decisions(read_yaml_bytes(decisions, "Make it readable."), str(decisions))


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
            yield build_finding(str(folder / name), f"has no {MANIFEST}", "", "Add one, or remove the folder.")


def _locate_on_disk(folder: Path, path: str) -> Path:
    return folder.joinpath(*path.split("/")[1:])


def _rename_finding(finding: Finding, folder: Path) -> Finding:
    """Return a finding with the path of the file on this disk."""
    prefix = f"{FOLDER}/"
    file = str(folder / finding.file.removeprefix(prefix)) if finding.file.startswith(prefix) else finding.file
    return replace(finding, file=file)
