"""The verdict on a pull request: its files are read from git's objects as data, never checked out and never run."""

import re
from collections.abc import Collection, Iterator
from dataclasses import dataclass
from itertools import chain, islice
from pathlib import Path

from ircore.core.strict_yaml import MAX_BYTES
from ircore.players.submission import FOLDER, MANIFEST
from ircore.submissions.check.entries import (
    PLAIN_FILE,
    Entry,
    entry_findings,
    is_maintainers,
    is_manifest,
    submission_slug,
)
from ircore.submissions.check.git_objects import ABSENT, Blob, Change, Repository
from ircore.submissions.check.history import history_findings
from ircore.submissions.check.neighbours import Neighbour, neighbours_of
from ircore.submissions.check.ownership import is_theirs, merged_owners, ownership_findings
from ircore.submissions.check.submission import Checked, Purpose, check_bytes
from ircore.submissions.findings import Finding, finding, ordered
from ircore.submissions.owners import Proposer

_SPACE = r"[\s_-]*"
_SKIP = re.compile(
    rf"\[{_SPACE}(?:(?:skip|no){_SPACE}(?:ci|actions?|checks?)|(?:ci|actions?){_SPACE}skip){_SPACE}\]"
    rf"|\*\*\*\s*no_ci\s*\*\*\*|^\s*skip-checks?\s*:",
    re.IGNORECASE | re.MULTILINE,
)
_REMEDY = "Write the message anew, without it: git commit --amend, or git rebase -i for an earlier commit."
MOST_COMMITS = 1000
"""Commits of a pull request whose messages are read; a pull request of more is refused."""


def skipping_words(text: str) -> str | None:
    """Return the first words in a message that keep workflows from running; None without.

    >>> skipping_words("Submit my-pair [Skip CI]"), skipping_words("Do not skip the ci")
    ('[Skip CI]', None)
    """
    match = _SKIP.search(text)
    return match[0].strip() if match is not None else None


def message_findings(objects: Repository, base: str, head: str, title: str = "") -> Iterator[Finding]:
    """Yield a finding for each commit whose message keeps workflows from running, and for such a title.

    Args:
        objects: The repository.
        base: The commit that the change is to be merged into.
        head: The change's last commit.
        title: Title of the pull request; empty where there is none.
    """
    if words := skipping_words(title):
        problem = f"the title of the pull request holds {words!r}, by which checks are left out"
        yield finding("the pull request", problem, "", "Take it out of the title.")
    # One more than is allowed tells that there are too many.
    messages = objects.messages(base, head, MOST_COMMITS + 1)
    if len(messages) > MOST_COMMITS:
        problem, remedy = f"more than {MOST_COMMITS} commits", "Make one commit of them: git rebase -i."
        yield finding("the pull request", problem, "one commit", remedy)
    for commit, message in messages:
        if words := skipping_words(message):
            problem = f"the message of commit {commit[:12]} holds {words!r}, by which checks are left out"
            yield finding("the pull request", problem, "", _REMEDY)


MOST_SHOWN = 50
"""Findings about files that are shown of one change."""


@dataclass(frozen=True)
class CheckedChange:
    """The verdict on a change."""

    base: str
    """Commit that it is to be merged into."""

    head: str
    """Last commit of the change."""

    checked: tuple[Checked, ...]
    """The submission that it adds or changes, if it is one that could be read."""

    findings: tuple[Finding, ...]
    """All findings, the submission's own included: errors, then warnings."""


def check_change(
    repository: Path,
    base: str,
    head: str,
    by_maintainers: bool = False,
    proposer: Proposer | None = None,
    title: str = "",
) -> CheckedChange:
    """Check the changes of a branch since it left another branch: a valid change of a single submission's folder.

    Args:
        repository: Any folder of a clone that has both commits, with their history.
        base: The commit or branch it is to be merged into; its other submissions are what names are compared with.
        head: The branch's last commit.
        by_maintainers: It may change several submissions, built-in ones and files elsewhere too. What it changes in
            submissions is checked all the same.
        proposer: The account that proposes it, by the service's word: it may change its own submissions alone. If None,
            as at home, a change of a merged submission is a warning.
        title: Title of the pull request.

    Raises:
        InputError: A commit is not there, the two share no history, or the record of owners is damaged.
    """
    objects = Repository(repository)
    base, head = objects.commit(base), objects.commit(head)
    # From the merge base on: what others merged in the meantime is no part of this change.
    changes = objects.changes(objects.merge_base(base, head), head)
    after = {blob.entry.path: blob for blob in objects.blobs(head, FOLDER)}
    merged = objects.blobs(base, FOLDER)
    if by_maintainers:
        # Maintainers change code in the same pull request, which this check says nothing about.
        changes = [change for change in changes if change.path.startswith(f"{FOLDER}/")]
    scope = () if by_maintainers else _scope(changes)
    # Generators cut short: a change of a hundred thousand files is not checked to its end.
    findings = list(islice(chain(scope, _changed(changes, after, merged)), MOST_SHOWN))
    findings += list(message_findings(objects, base, head, title))[:MOST_SHOWN]
    own_slugs: frozenset[str] = frozenset()
    if proposer is not None and not by_maintainers:
        owners = merged_owners(objects, base)
        there = {slug for blob in merged if (slug := submission_slug(blob.entry.path)) is not None}
        own_slugs = frozenset(slug for slug in there if is_theirs(slug, owners, proposer))
        findings += list(islice(ownership_findings(changes, there, owners, proposer), MOST_SHOWN))
    findings += list(history_findings(objects, changes, after, merged, by_maintainers, own_slugs))[:MOST_SHOWN]
    # Maintainers may name a provider without its fork, having asked the provider.
    purpose = Purpose(fork=None if by_maintainers or proposer is None else proposer.fork)
    checked = tuple(_submissions(objects, changes, after, merged, purpose, own_slugs))
    findings += [finding for each in checked for finding in each.findings]
    # A set, because several checks can say the same of one file.
    return CheckedChange(base, head, checked, ordered(set(findings)))


def _changed(changes: list[Change], after: dict[str, Blob], merged: list[Blob]) -> Iterator[Finding]:
    """Yield the faults of the changed files themselves."""
    present = {*after, *(blob.entry.path for blob in merged)}
    sizes = {path: blob.entry.size for path, blob in after.items()}
    # What is deleted elsewhere is no less out of place than what is added there.
    entries = [
        Entry(change.path, PLAIN_FILE if change.after == ABSENT else change.after, sizes.get(change.path, 0))
        for change in changes
        if change.after != ABSENT or submission_slug(change.path) is None
    ]
    yield from entry_findings(entries, present)
    for change in changes:
        if change.after == ABSENT:
            yield from _deleted(change)


def _deleted(change: Change) -> Iterator[Finding]:
    if is_manifest(change.path):
        remedy = (
            "Restore the file; a folder keeps its name. To take the pair back: "
            f"ircore submission withdraw {change.path.rpartition('/')[0]} --reason TEXT"
        )
        yield finding(change.path, "deletes a submission", "submissions are withdrawn, not deleted", remedy)


def _scope(changes: list[Change]) -> Iterator[Finding]:
    """Yield the faults of the change as a whole."""
    slugs = sorted({slug for change in changes if (slug := submission_slug(change.path)) is not None})
    expected = f"changes below one {FOLDER}/<slug>/"
    if not slugs:
        yield finding(FOLDER, "the change adds no submission", expected, f"Add {FOLDER}/<slug>/{MANIFEST}.")
    if len(slugs) > 1:
        names = ", ".join(slugs[:5])
        yield finding(
            FOLDER, f"the change touches {len(slugs)} submissions: {names}", expected, "Make a pull request of each."
        )
    for slug in slugs:
        if is_maintainers(slug):
            remedy = "Choose another name for yours, or ask a maintainer."
            yield finding(f"{FOLDER}/{slug}", "only maintainers add or change built-in pairs", expected, remedy)


def _submissions(
    objects: Repository,
    changes: list[Change],
    after: dict[str, Blob],
    merged: list[Blob],
    purpose: Purpose,
    own_slugs: Collection[str],
) -> Iterator[Checked]:
    """Check each manifest that a change adds or alters against the submissions that are merged already."""
    altered = [
        change
        for change in changes
        # A link or submodule of this name is refused as a file, and is never read.
        if change.after == PLAIN_FILE and is_manifest(change.path) and change.path in after
    ]
    readable = [after[change.path] for change in altered[:MOST_SHOWN] if after[change.path].entry.size <= MAX_BYTES]
    neighbours = _neighbours(objects, merged) if readable else ()
    before = {other.slug for other in neighbours}
    for blob, data in zip(readable, objects.contents(readable), strict=True):
        path = blob.entry.path
        slug = submission_slug(path) or ""
        checked = check_bytes(data, path, slug, neighbours, purpose)
        if slug in before and slug not in own_slugs:
            checked = _replaced(checked)
        yield checked


def _replaced(checked: Checked) -> Checked:
    remedy = "Nothing to do: only its submitter's account and maintainers may."
    note = Finding("warning", checked.file, 1, 1, "", "changes a submission that is already there", "", remedy)
    return Checked(checked.slug, checked.file, checked.submission, ordered([*checked.findings, note]))


def _neighbours(objects: Repository, merged: list[Blob]) -> tuple[Neighbour, ...]:
    blobs = [blob for blob in merged if is_manifest(blob.entry.path) and blob.entry.size <= MAX_BYTES]
    slugs = [submission_slug(blob.entry.path) or "" for blob in blobs]
    return neighbours_of(zip(slugs, objects.contents(blobs), strict=True))
