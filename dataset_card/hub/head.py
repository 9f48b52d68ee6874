"""The newest release of a repository, and the conditions under which another release may replace it."""

from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import NamedTuple

from dataset_card.hub.changes import is_owned
from dataset_card.hub.repository import HubRepository, MissingRevisionError, Remote, RemoteFile
from dataset_card.releases.files import LocalFile, is_table_file, read_local_file
from dataset_card.releases.record import JUDGES, PROVENANCE, RELEASE, RUNS, TOMBSTONES, ReleaseRecord
from dataset_card.releases.stored_release import StoredRelease
from ircore.core.errors import InputError, WorkError

RECORDS = (RELEASE, RUNS, JUDGES, PROVENANCE, TOMBSTONES)
"""The files of a release that hold its runs, its history and the decisions about runs."""

MOST_NAMED = 5
"""Losses that a refusal names."""

REMEDY = "Merge it in with --rebase, or build the release again with --former {name}."


class RemoteHead(NamedTuple):
    """A repository and its newest release.

    >>> RemoteHead(Remote("0" * 40, private=True, files={}, tags={}), head=None).listed
    ()
    """

    remote: Remote
    """The repository as it was read."""

    head: StoredRelease | None
    """The newest release, with its records but without its tables; None in a repository without a release."""

    @property
    def listed(self) -> tuple[str, ...]:
        """Files that the record of that release lists."""
        return self.head.record.files if self.head is not None else ()


def read_head(repo: HubRepository, remote: Remote, folder: Path, local: Mapping[str, LocalFile]) -> RemoteHead:
    """Read the records of the newest release of a repository.

    Args:
        repo: The repository.
        remote: State of the repository.
        folder: The release that is to be pushed; if it is there already, whole or damaged, its records are read here.
        local: The files of that release.

    Raises:
        WorkError: What is there cannot be read, or the Hub cannot be reached.
    """
    same_files = {path for path, file in local.items() if path in remote.files and remote.files[path].same_as(file)}
    if RELEASE in same_files:
        return RemoteHead(remote, StoredRelease(folder, remote.commit))
    if RELEASE not in remote.files:
        # Without the record nobody can tell which runs a push would remove.
        if tables := sorted(path for path in remote.files.keys() - same_files if is_table_file(path)):
            raise WorkError(
                f"{repo.name}: holds tables of a release ({tables[0]}) but no {RELEASE}",
                f"Bring {RELEASE} back there, or remove the tables.",
            )
        return RemoteHead(remote, None)
    return RemoteHead(remote, _fetch_records(repo, remote))


def _fetch_records(repo: HubRepository, remote: Remote) -> StoredRelease:
    folder = repo.fetch(remote.commit, RECORDS)
    for name in RECORDS:
        path = folder / name
        if name in remote.files and not (path.is_file() and remote.files[name].same_as(read_local_file(path))):
            raise WorkError(f"{path}: differs from the file in {repo.name}", "Remove it from the cache of the Hub.")
    try:
        return StoredRelease(folder, remote.commit)
    except InputError as error:
        raise WorkError(
            f"{repo.name}: its newest release cannot be read ({error.problem.removeprefix(f'{folder}/')})",
            "Use the newest version of ircore, or mend the file there.",
        ) from error


def needs_rebase(release: StoredRelease, head: StoredRelease | None) -> bool:
    """Return whether a release must be rebuilt upon the newest release of a repository before replacing it."""
    if head is None:
        return False
    if not is_descendant(release.record, head.record) or any(find_losses(release, head)):
        return True
    parent = release.record.parent
    # A commit upon the same release may have edited files there that this release does not have.
    return parent is not None and parent.release == head.record.name and parent.commit not in (None, head.commit)


def refuse_losses(repo: HubRepository, release: StoredRelease, head: StoredRelease | None) -> None:
    """Refuse a release that was not built upon the newest release of a repository.

    Raises:
        WorkError: Naming what would be lost.
    """
    if head is None:
        return
    losses = tuple(find_losses(release, head))
    if is_descendant(release.record, head.record) and not losses:
        return
    named = "; ".join(losses[:MOST_NAMED]) or "its history would be lost"
    more = f"; and {len(losses) - MOST_NAMED} more" if len(losses) > MOST_NAMED else ""
    raise WorkError(
        f"{repo.name}: {release.folder} was not built upon the newest release there, {head.record.name}: {named}{more}",
        REMEDY.format(name=repo.name),
    )


def refuse_changed(
    repo: HubRepository,
    release: StoredRelease,
    local: Mapping[str, LocalFile],
    before: Mapping[str, RemoteFile],
    now: RemoteHead,
) -> None:
    """Refuse to overwrite changes that somebody made to the published files since this release was built upon them.

    Args:
        repo: The repository.
        release: The release.
        local: The release's files.
        before: Files of the repository when the push began: compared with if it is not known upon which commit the
            release was built.
        now: The repository as it is.

    Raises:
        WorkError: A file was changed, or the commit that the release was built upon is not there.
    """
    parent, head = release.record.parent, now.head
    if parent is not None and parent.commit is not None and head is not None and parent.release == head.record.name:
        before = _list_files(repo, parent.commit, now.remote)
    there = now.remote.files
    for path in sorted({*local, *(path for path in {*before, *there} if is_owned(path, now.listed))}):
        # Whoever made the same change as this release has changed nothing that would be lost.
        if before.get(path) != there.get(path) and not _is_as_wanted(there.get(path), local.get(path)):
            raise WorkError(
                f"{repo.name}: {path} was changed by another commit meanwhile",
                "Look at it, then give the same command with --rebase to overwrite it.",
            )


def _list_files(repo: HubRepository, commit: str, remote: Remote) -> Mapping[str, RemoteFile]:
    if commit == remote.commit:
        return remote.files
    try:
        return repo.files(commit)
    except MissingRevisionError as error:
        raise WorkError(
            f"{repo.name}: commit {commit}, which the release was built upon, is not there",
            REMEDY.format(name=repo.name),
        ) from error


def _is_as_wanted(remote: RemoteFile | None, local: LocalFile | None) -> bool:
    return local is None if remote is None else local is not None and remote.same_as(local)


def is_descendant(record: ReleaseRecord, other: ReleaseRecord) -> bool:
    """Return whether a release equals another release in content, or was built upon it, directly or not.

    Args:
        record: Content of the release's ``release.json``.
        other: Content of the other release's ``release.json``.
    """
    own, known = record.history, other.history
    # Names hold eight digits of a content hash, so equal histories alone do not prove equal contents.
    if own == known:
        return record.content == other.content
    # Histories grow at their beginning, so that the history of an ancestor is the end of this one.
    return record.parent is not None and len(own) > len(known) and own[-len(known) :] == known


def find_losses(release: StoredRelease, other: StoredRelease) -> Iterator[str]:
    """Yield the runs and decisions that a replacement of a release would lose or bring back, a phrase each.

    Runs on other targets may go: that is how a new version of the benchmark begins. A dispute may be over.

    Args:
        release: The release.
        other: The one whose place it would take.
    """
    decisions = {tombstone.run_id: tombstone for tombstone in release.tombstones}
    sets = release.record.instance_sets
    for run_id in sorted(other.runs.keys() - release.runs.keys()):
        run = other.runs[run_id]
        # A game that the release lacks has no other targets there: runs of the game would vanish.
        on_other_targets = run.instance_set not in sets.get(run.game, (run.instance_set,))
        if not on_other_targets and (run_id not in decisions or not decisions[run_id].removes):
            yield f"run {run_id} would vanish"
    for tombstone in other.tombstones:
        decision = decisions.get(tombstone.run_id)
        if tombstone.kind == "disputed" or (decision is not None and decision.kind != "disputed"):
            continue
        if tombstone.removes and tombstone.run_id in release.runs:
            yield f"{tombstone.kind} run {tombstone.run_id} would come back"
        elif decision is None:
            yield f"it would be forgotten that run {tombstone.run_id} was {tombstone.kind}"
