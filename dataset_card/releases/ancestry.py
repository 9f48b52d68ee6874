"""Descent of releases: whether a release was built upon another release, and the losses of a replacement."""

from collections.abc import Iterator

from dataset_card.releases.record import ReleaseRecord
from dataset_card.releases.stored_release import StoredRelease


def descends(record: ReleaseRecord, other: ReleaseRecord) -> bool:
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
        on_other_targets = sets.get(run.game, run.instance_set) != run.instance_set
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
