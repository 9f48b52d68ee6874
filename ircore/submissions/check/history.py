"""The verdict on a history in a pull request: new lines stand at the end, and earlier lines are unchanged."""

from collections import Counter
from collections.abc import Collection, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING

from ircore.core.errors import InputError
from ircore.core.strict_yaml import Place
from ircore.players.submission import MANIFEST
from ircore.submissions.check.entries import PLAIN_FILE, submission_slug
from ircore.submissions.findings import Finding, field_name, finding
from ircore.submissions.history import HISTORY, MAX_BYTES, Kind, parse_history, step_faults

if TYPE_CHECKING:
    from ircore.submissions.check.git_objects import Blob, Change, Repository

_DECISIONS: Mapping[Kind, str] = {"cleared": "clears findings", "settled": "settles a dispute"}
"""Steps that only maintainers may add, and what they do."""

_REMEDY = "Restore the lines, and add a new one: ircore submission withdraw|correct|reinstate|dispute|settle …"


def history_findings(
    objects: "Repository",
    changes: "Sequence[Change]",
    after: "Mapping[str, Blob]",
    merged: "Sequence[Blob]",
    by_maintainers: bool = False,
    own_slugs: Collection[str] = (),
) -> Iterator[Finding]:
    """Yield the faults of the histories that a change adds to.

    Args:
        objects: The repository.
        changes: Files that the change alters.
        after: Files below ``submissions/`` after it, by path.
        merged: The same files in the merged state.
        by_maintainers: Maintainers propose the change: they alone clear findings and settle disputes.
        own_slugs: Names of the submissions that belong to whoever proposes the change.
    """
    before = {blob.entry.path: blob for blob in merged}
    for change in changes:
        if not change.path.endswith(f"/{HISTORY}"):
            continue
        blob = after.get(change.path)
        if blob is None:
            yield finding(change.path, "deletes a history", "lines added at the end", _REMEDY)
        elif blob.entry.size <= MAX_BYTES and blob.entry.mode == PLAIN_FILE:
            is_theirs = submission_slug(change.path) in own_slugs
            yield from _added(objects, blob, before.get(change.path), by_maintainers, is_theirs)
            if change.path.removesuffix(HISTORY) + MANIFEST not in before:
                remedy = "Take it out: a history begins once the submission is merged."
                yield finding(change.path, "a history of a submission that is not there yet", "", remedy)


def _added(
    objects: "Repository", blob: "Blob", earlier: "Blob | None", by_maintainers: bool, is_theirs: bool
) -> Iterator[Finding]:
    path, data = blob.entry.path, next(objects.contents([blob]))
    known = next(objects.contents([earlier])) if earlier is not None else b""
    # Byte by byte, so that not even a space of an earlier line can change.
    if not data.startswith(known):
        yield finding(path, "changes what is in the history already", "lines added at the end", _REMEDY)
    if not is_theirs:
        remedy = "Nothing to do: only its submitter's account and maintainers may."
        line = known.count(b"\n") + 1
        yield Finding("warning", path, line, 1, "", "adds to the history of a submission", "", remedy)
    # Counted after parsing: the same step can be spelled in many ways.
    added = Counter(_kinds(data)) - Counter(_kinds(known))
    for kind, does in _DECISIONS.items():
        if not by_maintainers and added[kind]:
            yield finding(path, f"{does}, which only maintainers may", "", "Take the line out.")
    yield from content_findings(data, path)


def _kinds(data: bytes) -> list[Kind]:
    """Return the kinds of the steps in a history, however they are spelled there; none of a damaged one."""
    try:
        return [step.kind for step in parse_history(data, HISTORY)]
    except InputError:
        return []


def content_findings(data: bytes, path: str) -> Iterator[Finding]:
    """Yield the faults in the content of a history.

    Args:
        data: The file's bytes.
        path: Name of the file for findings.
    """
    try:
        steps = parse_history(data, path)
    except InputError as error:
        yield finding(path, error.problem.removeprefix(f"{path}:").strip(), "", error.remedy)
        return
    for number, step in enumerate(steps, start=1):
        for fault in step_faults(step):
            yield finding(path, fault.problem, fault.expected, fault.remedy, Place(number, 1), field_name(fault.path))
