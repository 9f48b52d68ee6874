"""Merging two releases with a common ancestor: the runs of both, and the decisions about runs in either.

The history of each states its changes since the last common release, so that this is a three-way merge: where only one
of the two changed a run, its version of the run holds.
"""

from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path

from dataset_card.card.card import read_maintainer_texts
from dataset_card.releases.build import Built, write_release
from dataset_card.releases.history import read_gaps
from dataset_card.releases.record import ChangeLogEntry
from dataset_card.releases.selection import InstanceSets, ReleaseSelection, list_cleared_runs, make_replacement_key
from dataset_card.releases.stored_release import StoredRelease, StoredRun, open_stored_run
from ircore.core.errors import WorkError
from ircore.core.submission_records import Withdrawal


def merge_releases(mine: StoredRelease, head: StoredRelease, instances: InstanceSets, out: Path) -> Built:
    """Write the merge of two releases, built upon ``head``.

    A withdrawal in either release wins, unless the other one reinstated the run later. Maintainers' sections come from
    ``mine``; a section that is empty there comes from ``head``.

    Args:
        mine: The release whose runs and decisions are added.
        head: The release that the new one is built upon: its parent.
        instances: The sets that the runs were played on, by identity.
        out: Folder to make; it must not exist or be empty.

    Raises:
        InputError: Runs of both have different prompts, or a judge of one name is another one in each.
        WorkError: The releases are of different targets, both changed a run, or both have a run of the same submission
            under the same rules; or the place cannot be written.
    """
    sets, others = mine.record.instance_sets, head.record.instance_sets
    if any(not {*sets[game]} & {*others[game]} for game in sets.keys() & others.keys()):
        raise WorkError(
            f"{mine.folder}: is of other targets than {head.record.name}, so that they cannot be merged",
            "Build it again with --former and runs on the same targets.",
        )
    changes = _Changes(mine, head, instances)
    tombstones = changes.tombstones()
    gone = {run_id for run_id, tombstone in tombstones.items() if tombstone.removes}
    runs = [run for run in changes.runs() if run.run.run_id not in gone]
    _refuse_twins(runs, head)
    left_out = tuple(tombstones[run_id] for run_id in sorted(gone & mine.runs.keys()))
    decisions = tuple(tombstones[run_id] for run_id in sorted(tombstones))
    chosen = ReleaseSelection(tuple(runs), decisions, list_cleared_runs(mine) | list_cleared_runs(head), left_out)
    # A merge of the same two releases has the same date on every day.
    date = max(mine.record.date, head.record.date)
    maintainer_texts = dict(read_maintainer_texts(head.folder)) | {
        key: lines for key, lines in read_maintainer_texts(mine.folder).items() if any(lines)
    }
    # Previews and gaps of head are carried on by themselves, because head is the previous release.
    return write_release(
        chosen, instances, head, out, date, mine.has_previews, maintainer_texts, season=read_gaps(mine.folder)
    )


class _Changes:
    """Changes of two releases since their common ancestor."""

    def __init__(self, mine: StoredRelease, head: StoredRelease, instances: InstanceSets) -> None:
        self._mine, self._head = mine, head
        self._mine_since = _find_newer_entries(mine.record.history, head.record.history)
        self._head_since = _find_newer_entries(head.record.history, mine.record.history)
        self._instances = instances

    def tombstones(self) -> dict[str, Withdrawal]:
        """Return the decision that holds for each run about which either release decided, by run id."""
        mine, head = _index_by_run(self._mine.tombstones), _index_by_run(self._head.tombstones)
        mine_decided, head_decided = _list_decided_runs(self._mine_since), _list_decided_runs(self._head_since)
        merged = {**mine, **head}
        for run_id in mine.keys() & head.keys():
            only_mine = run_id in mine_decided and run_id not in head_decided
            only_head = run_id in head_decided and run_id not in mine_decided
            # Where both or neither decided since, a withdrawal holds: a run must not come back by a merge.
            if only_mine or (not only_head and mine[run_id].removes and not head[run_id].removes):
                merged[run_id] = mine[run_id]
        return merged

    def runs(self) -> Iterator[StoredRun]:
        """Yield every run of either release, from the release whose rows hold.

        Raises:
            WorkError: Both changed a run.
        """
        mine, head = self._mine.runs.keys(), self._head.runs.keys()
        for run_id in sorted(mine | head):
            if run_id in mine and run_id in head:
                yield self._select_newer(self._run(self._mine, run_id), self._run(self._head, run_id))
            else:
                yield self._run(self._mine if run_id in mine else self._head, run_id)

    def _run(self, release: StoredRelease, run_id: str) -> StoredRun:
        run = release.runs[run_id]
        return open_stored_run(release, run, self._instances[run.instance_set])

    def _select_newer(self, mine: StoredRun, head: StoredRun) -> StoredRun:
        """Return the copy of a run whose rows hold."""
        if _has_same_rows(mine, head):
            # With the same rows, the copy whose files are published already is taken.
            if mine.provenance() in (None, head.provenance()):
                return head
            if head.provenance() is None:
                return mine
        run_id = mine.run.run_id
        mine_changed, head_changed = (
            run_id in _list_touched_runs(self._mine_since),
            run_id in _list_touched_runs(self._head_since),
        )
        if mine_changed != head_changed:
            return mine if mine_changed else head
        raise WorkError(
            f"{mine.path}: holds run {run_id} with another content than {head.release.record.name}, so that they "
            f"cannot be merged",
            "Decide which one is right, and build the release again with --former.",
        )


def _find_newer_entries(
    history: Sequence[ChangeLogEntry], other: Sequence[ChangeLogEntry]
) -> tuple[ChangeLogEntry, ...]:
    """Return the entries of a history after the newest entry that both histories share."""
    return tuple(history[: next((at for at, entry in enumerate(history) if entry in other), len(history))])


def _list_touched_runs(entries: Sequence[ChangeLogEntry]) -> set[str]:
    added = {note.run_id for entry in entries for note in entry.added}
    return added | {change.run.run_id for entry in entries for change in entry.changed}


def _list_decided_runs(entries: Sequence[ChangeLogEntry]) -> set[str | None]:
    return {withdrawal.run_id for entry in entries for withdrawal in entry.withdrawals}


def _index_by_run(tombstones: Sequence[Withdrawal]) -> Mapping[str, Withdrawal]:
    return {tombstone.run_id: tombstone for tombstone in tombstones if tombstone.run_id is not None}


def _has_same_rows(mine: StoredRun, head: StoredRun) -> bool:
    """Say whether two copies of a run are the same; in another layout the same rows have other keys."""
    if mine.run != head.run:
        return False
    return mine.keys() == head.keys() or bool(mine.records == head.records)


def _refuse_twins(runs: Sequence[StoredRun], head: StoredRelease) -> None:
    """Refuse two runs of a submission under the same rules: a withdrawal must say which run goes."""
    there = {make_replacement_key(run): run for run in runs if run.release is head}
    for run in runs:
        twin = there.get(make_replacement_key(run), run)
        if twin is not run:
            raise WorkError(
                f"{run.path}: holds run {run.run.run_id}, and {head.record.name} has {twin.run.run_id} of the same "
                f"submission under the same rules, so that they cannot be merged",
                "State why one goes: ircore maintain correct, then ircore maintain decisions for --withdrawals.",
            )
