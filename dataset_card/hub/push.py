"""Publishing a release folder on the Hub: a commit upon the parent release and a tag; files of others stay.

A push is a compare-and-swap: the commit is made only if the newest release there is the one that this release carries
on. If it is not, the two are merged first.
"""

import re
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Literal, NamedTuple

from dataset_card.card.croissant import CROISSANT, add_hub_page
from dataset_card.card.verification import VERIFICATION, VerificationRecord, read_verification
from dataset_card.checking.release_check import Report, check_release, require_sound_release
from dataset_card.checking.rescore import find_new_runs, recheck_new_runs
from dataset_card.hub.changes import Changes, Say, commit_changes, compare_files
from dataset_card.hub.head import RemoteHead, needs_rebase, read_head, refuse_changed, refuse_losses
from dataset_card.hub.pull import refuse_other_folders, write_instance_sets
from dataset_card.hub.repository import HubRepository, Remote
from dataset_card.releases.build import Built
from dataset_card.releases.files import PATTERNS, LocalFile, read_local_file, read_release_files
from dataset_card.releases.merge import merge_releases
from dataset_card.releases.stored_release import StoredRelease
from ircore.core.errors import InputError, WorkError
from ircore.core.files import write_bytes
from ircore.core.plain_words import format_count
from ircore.core.records import DEFAULT_GAME

Visibility = Literal["private", "public"]
TAG = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]{0,99}")


@contextmanager
def merge_with_head(repo: HubRepository, folder: Path, commit: str) -> Iterator[tuple[Path, Built]]:
    """Merge a release with the release of a commit; the result lies in a temporary folder beside the release.

    Args:
        repo: The repository.
        folder: The release.
        commit: Commit of the newest release there.

    Yields:
        The folder of the merged release, and a report of the build.

    Raises:
        InputError: As ``merge_releases``.
        WorkError: As ``merge_releases``; or the release there has faults, or the Hub cannot be reached.
    """
    there = repo.download(commit, PATTERNS)
    report = require_sound_release(there, repo.name)
    with _make_scratch_folder(folder) as scratch:
        instances = write_instance_sets(there, scratch / "there", report.configs, report.runs)
        mine = StoredRelease(folder)
        needed = {identity for own in mine.record.instance_sets.values() for identity in own}
        if not instances.keys() >= needed:  # it has a game or a set that the other one lacks
            own_report = require_sound_release(folder, str(folder))
            instances = write_instance_sets(folder, scratch / "here", own_report.configs, own_report.runs) | instances
        built = merge_releases(mine, StoredRelease(there, commit), instances, scratch / "release")
        yield scratch / "release", built


def replace_release(folder: Path, merged: Path) -> None:
    """Replace a release by the merged version.

    Raises:
        WorkError: The folder cannot be replaced.
    """
    aside = merged.with_name("before")
    try:
        folder.rename(aside)
        merged.rename(folder)
    except OSError as error:
        # The first move went well and the second did not: the release goes back to its place.
        if aside.exists() and not folder.exists():
            aside.rename(folder)
        raise WorkError(f"{folder}: cannot be replaced ({error.strerror})", "Build it again with --former.") from error


@dataclass(frozen=True)
class PushPlan:
    """Options of a push.

    >>> PushPlan("org/dataset").rebase
    False
    """

    repo: str
    """``ORG/NAME``."""

    revision: str | None = None
    """Tag that the release gets; its name if None."""

    visibility: Visibility | None = None
    """Visibility; with None a new repository is private and an existing repository stays as it is."""

    message: str | None = None
    """Message of the commit; ``Release`` and the tag if None."""

    rebase: bool = False
    """Whether to merge with the newest published release if the release was not built upon that release."""


def preview_push(folder: Path, plan: PushPlan) -> tuple[str, ...]:
    """Return the changes that a push would make, as lines for people; nothing is changed.

    Raises:
        InputError: As ``push_release``.
        WorkError: As ``push_release``.
    """
    repo, outgoing = _open_repository(plan), _prepare_release(folder, plan)
    remote = repo.read()
    _refuse_public(plan, remote)
    if remote is None:
        first = f"{plan.repo}: would be made, private"
        return (
            first,
            *_describe_recomputing(len(outgoing.report.runs)),
            *compare_files(outgoing.files, {}).lines(outgoing.files),
            *_list_later_steps(plan, outgoing.tag, None),
        )
    now = _read_head(repo, remote, outgoing)
    if not plan.rebase or not needs_rebase(outgoing.release, now.head):
        return _describe_push(repo, outgoing, now, plan)
    with merge_with_head(repo, folder.resolve(), remote.commit) as (merged, built):
        first_line = f"{folder}: would be merged with the newest release there"
        return first_line, *built.lines(), *_describe_push(repo, _prepare_release(merged, plan), now, plan)


class _Pushed(NamedTuple):
    """The place of a published release."""

    repo: str
    """``ORG/NAME``."""

    tag: str
    """Tag of the release."""

    commit: str
    """The commit that holds it."""

    holds_messages: bool
    """Whether the default table has a column ``message``, as the table of reconstruction has."""


def push_release(folder: Path, plan: PushPlan, say: Say) -> _Pushed:
    """Publish a release on the Hub: check it, create the repository if needed, commit, tag, make public if asked.

    Commits are made only upon the release that this one carries on, so that of two pushes at once one is refused. The
    tag is set only once the last one was read back and holds every file as it is here. The same command again goes on
    where it was stopped, and does nothing to what is done. Commits that others make meanwhile are kept: only if one of
    them changed a file of the release is it left to the user.

    Before that, the runs that are new there are computed again from their pictures and messages, and the outcome is
    recorded in ``folder``: see ``recheck_new_runs``.

    Args:
        folder: The release; replaced by the merged one if that is asked for and needed.
        plan: Repository and options.
        say: Takes a line about each step.

    Raises:
        InputError: The release, the name or the tag is not usable, or there is no token.
        WorkError: The release has faults or does not carry on the newest one there, the tag is another release's, the
            two cannot be merged, or the Hub refuses, cannot be reached, or does not hold what was sent.
    """
    repo, outgoing = _open_repository(plan), _prepare_release(folder, plan)
    repo.require_token()
    remote = _make_repository(repo, plan, say)
    if plan.rebase and needs_rebase(outgoing.release, _read_head(repo, remote, outgoing).head):
        with merge_with_head(repo, folder.resolve(), remote.commit) as (merged, built):
            replace_release(folder.resolve(), merged)
        for line in (f"{folder}: merged with the newest release there", *built.lines()):
            say(line)
        outgoing = _prepare_release(folder, plan)
    tag = outgoing.tag
    # Files that stand under the tag were computed again before an earlier push.
    if not _has_files(repo, remote, outgoing):
        outgoing = _recheck_release(repo, outgoing, _read_head(repo, remote, outgoing), say)
    # Only now, so that a release that is refused stays as it was.
    outgoing = _add_hub_page(repo, outgoing)
    if _is_released(repo, remote, outgoing):
        commit = remote.tags[tag]
        say(f"{tag} is there already with the same files")
    else:
        commit = _commit_release(repo, remote, outgoing, plan.message or f"Release {tag}", say)
        repo.tag(tag, commit)
        say(f"tagged {tag}")
    # Last, so that nobody outside sees a release without its tag.
    if plan.visibility == "public" and remote.private:
        repo.publish()
        say("made public")
    messages = DEFAULT_GAME in outgoing.release.record.instance_sets
    return _Pushed(plan.repo, tag, commit, messages)


def format_loading_code(pushed: _Pushed) -> tuple[str, str, str]:
    """Return three lines of Python that load the release that was pushed."""
    rows, column = ("turns", '["message"]') if pushed.holds_messages else ("steps", "")
    return (
        "from datasets import load_dataset",
        f'{rows} = load_dataset("{pushed.repo}", split="test", revision="{pushed.tag}")',
        f"print({rows}[0]{column})",
    )


@contextmanager
def _make_scratch_folder(folder: Path) -> Iterator[Path]:
    try:
        # On the release's own disk, so that the merged release can be moved into its place.
        scratch = TemporaryDirectory(prefix=f".{folder.name}.", dir=folder.parent)
    except OSError as error:
        raise WorkError(
            f"{folder.parent}: cannot be written ({error.strerror})", "Make the folder writable."
        ) from error
    with scratch as name:
        yield Path(name)


class _Outgoing(NamedTuple):
    """A release that was checked and is to be pushed."""

    release: StoredRelease
    """The release's records."""

    files: Mapping[str, LocalFile]
    """The release's files by path."""

    tag: str
    """The tag that it gets."""

    report: Report
    """Report of the release's check."""


def _describe_push(repo: HubRepository, outgoing: _Outgoing, now: RemoteHead, plan: PushPlan) -> tuple[str, ...]:
    remote = now.remote
    if _is_released(repo, remote, outgoing):
        return (f"{plan.repo}: has this release already, as {outgoing.tag}",)
    refuse_losses(repo, outgoing.release, now.head)
    refuse_changed(repo, outgoing.release, outgoing.files, remote.files, now)
    there = f"{plan.repo}: is there, {'private' if remote.private else 'public'}"
    changes = compare_files(outgoing.files, remote.files, now.listed)
    new = find_new_runs(outgoing.release.record, outgoing.report, now.head.record if now.head is not None else None)
    return (
        there,
        *_describe_recomputing(len(new)),
        *changes.lines(outgoing.files),
        *_list_later_steps(plan, outgoing.tag, remote),
    )


def _open_repository(plan: PushPlan) -> HubRepository:
    """Return the repository of a plan, before any request to the Hub."""
    # A tag called main could not be told from the branch.
    if plan.revision is not None and (not TAG.fullmatch(plan.revision) or plan.revision == "main"):
        raise InputError(f"--revision {plan.revision}: not the name of a tag", "Give a name such as v1.0.0.")
    return HubRepository(plan.repo)


def _prepare_release(folder: Path, plan: PushPlan) -> _Outgoing:
    """Check a release and return the files to push."""
    refuse_other_folders(folder)
    files = read_release_files(folder)
    report = check_release(folder)
    # What cannot be compared with the data here is not published either.
    faults = report.faults or report.not_checked
    if faults:
        more = f" (and {format_count(len(faults) - 1, 'more fault')})" if len(faults) > 1 else ""
        raise WorkError(f"{folder}: {faults[0]}{more}", f"See them with: ircore release check {folder}")
    release = StoredRelease(folder)
    return _Outgoing(release, files, plan.revision or release.record.name, report)


def _add_hub_page(repo: HubRepository, outgoing: _Outgoing) -> _Outgoing:
    """Return the release with its page on the Hub in ``croissant.json``, which is written into its folder too."""
    path = outgoing.release.folder / CROISSANT
    data = path.read_bytes()
    if (named := add_hub_page(data, repo.name)) == data:
        return outgoing
    write_bytes(path, named)
    return outgoing._replace(files={**outgoing.files, CROISSANT: read_local_file(path)})


def _recheck_release(repo: HubRepository, outgoing: _Outgoing, now: RemoteHead, say: Say) -> _Outgoing:
    """Compute the new runs again, and return the release with the verification."""
    folder, there = outgoing.release.folder, now.remote
    refuse_losses(repo, outgoing.release, now.head)  # before the long computation
    parent, known = now.head.record if now.head is not None else None, VerificationRecord()
    try:
        # From the repository, not from the folder here: what the folder says of itself proves nothing.
        if VERIFICATION in there.files:
            known = read_verification(repo.fetch(there.commit, (VERIFICATION,)))
    except InputError:  # damaged on its way: all is computed again
        parent = None
    rechecked = recheck_new_runs(folder, outgoing.report, parent, known)
    for line in rechecked.lines:
        say(line)
    changed = {name: read_local_file(folder / name) for name in rechecked.changed}
    return outgoing._replace(files={**outgoing.files, **changed})


def _make_repository(repo: HubRepository, plan: PushPlan, say: Say) -> Remote:
    """Return the repository, created if missing."""
    remote = repo.read()
    _refuse_public(plan, remote)
    if remote is None:
        repo.create()
        say(f"made {repo.url} (private)")
        remote = repo.read()
    if remote is None:
        raise WorkError(f"{plan.repo}: was made, but this token may not see it", "Give the token access to it.")
    return remote


def _read_head(repo: HubRepository, remote: Remote, outgoing: _Outgoing) -> RemoteHead:
    return read_head(repo, remote, outgoing.release.folder, outgoing.files)


def _refuse_public(plan: PushPlan, remote: Remote | None) -> None:
    if plan.visibility == "private" and remote is not None and not remote.private:
        raise InputError(f"{plan.repo}: is public already", "Leave --private out, or change it in its settings.")


def _is_released(repo: HubRepository, remote: Remote, outgoing: _Outgoing) -> bool:
    """Say whether the tag is there with these very files.

    Raises:
        WorkError: It is there with others.
    """
    if outgoing.tag not in remote.tags:
        return False
    if not _has_files(repo, remote, outgoing):
        raise WorkError(
            f"{repo.name}: tag {outgoing.tag} exists already, with another release",
            "Tags of releases are never moved: choose another --revision.",
        )
    return True


def _has_files(repo: HubRepository, remote: Remote, outgoing: _Outgoing) -> bool:
    """Say whether the tag is there and has the files as they are here."""
    commit = remote.tags.get(outgoing.tag)
    return commit is not None and not compare_files(outgoing.files, repo.files(commit))


def _commit_release(repo: HubRepository, first: Remote, outgoing: _Outgoing, message: str, say: Say) -> str:
    """Commit upon the newest release that this one carries on; return the last commit."""
    heads: list[RemoteHead] = []

    def look() -> tuple[str, Changes]:
        # The state at the beginning is fresh enough for the first look.
        now = _read_head(repo, _read_again(repo) if heads else first, outgoing)
        heads.append(now)
        refuse_losses(repo, outgoing.release, now.head)
        refuse_changed(repo, outgoing.release, outgoing.files, first.files, now)
        return now.remote.commit, compare_files(outgoing.files, now.remote.files, now.listed)

    commit, is_new = commit_changes(repo, outgoing.files, look, message, say)
    if is_new:
        _refuse_damaged(repo, commit, outgoing, heads[-1])
    return commit


def _read_again(repo: HubRepository) -> Remote:
    remote = repo.read()
    if remote is None:
        raise WorkError(
            f"{repo.name}: does not exist any more", "Check the repository, then give the same command again."
        )
    return remote


def _refuse_damaged(repo: HubRepository, commit: str, outgoing: _Outgoing, before: RemoteHead) -> None:
    """Refuse to tag a commit that lacks a file of the release, by size and hash, or holds a file that had to go.

    Raises:
        WorkError: Naming the first of them.
    """
    left = compare_files(outgoing.files, repo.files(commit), before.listed)
    words = ((left.added, "is missing"), (left.changed, "is another file"), (left.removed, "is still there"))
    faults = [f"{path} {word}" for paths, word in words for path in paths]
    if faults:
        more = f" (and {len(faults) - 1} more)" if len(faults) > 1 else ""
        raise WorkError(
            f"{repo.name}: commit {commit} is not the release, and was not tagged: {faults[0]}{more}",
            "Give the same command again to send what is missing.",
        )


def _describe_recomputing(runs: int) -> tuple[str, ...]:
    """Return a line with the number of runs that a push would compute again; empty without new runs."""
    return (f"new runs whose values would be computed again first: {runs}",) if runs else ()


def _list_later_steps(plan: PushPlan, tag: str, remote: Remote | None) -> Iterator[str]:
    yield f"then tagged {tag}"
    if plan.visibility == "public" and (remote is None or remote.private):
        yield "then made public"
