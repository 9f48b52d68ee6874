"""Which runs a release holds: those that are given, those of the previous release, less what was withdrawn."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from dataset_card.releases.stored import StoredRelease, StoredRun
from ircore.core.errors import InputError
from ircore.core.lifecycle import Withdrawal
from ircore.instances.store import InstanceSet
from ircore.runs.folder import RunFolder

ReleaseRun = RunFolder | StoredRun
"""A run that a release is made of, where it is stored."""


@dataclass(frozen=True)
class Selection:
    """The runs of a release."""

    runs: tuple[ReleaseRun, ...]
    """In no particular order."""

    tombstones: tuple[Withdrawal, ...]
    """One a run that was withdrawn or corrected, now or before, or is disputed; each names its run."""

    unmatched: tuple[Withdrawal, ...]
    """Withdrawals that concern no run, now or before."""

    left_out: tuple[Withdrawal, ...]
    """Those for which a run that was given stays out."""


def select_runs(
    given: Sequence[RunFolder],
    instances: InstanceSet,
    previous: StoredRelease | None,
    withdrawals: Sequence[Withdrawal] | None,
) -> Selection:
    """Return the runs that a release holds.

    Nothing leaves in silence: a run of the previous release that is not given again is kept unless it was withdrawn.

    Args:
        given: Run folders; one takes the place of a run of the previous release with the same id.
        instances: The set that all of them were played on.
        previous: The previous release; its runs are passed over if they were played on another set.
        withdrawals: What was withdrawn, corrected or is disputed; None if nothing was said, so that disputes stay.

    Raises:
        InputError: A run was played on another set, a run is there twice or takes a place that is not free, or no run
            is left.
    """
    _refuse_unfit(given, instances)
    runs: dict[str, ReleaseRun] = {}
    if previous is not None and previous.record.instance_set == instances.identity:
        runs |= {one.run_id: StoredRun(previous, one, instances) for one in previous.runs.values()}
    runs |= {one.run.run_id: one for one in given}
    tombstones = _tombstones(runs.values(), previous, withdrawals)
    kept = tuple(run for run_id, run in runs.items() if not (run_id in tombstones and tombstones[run_id].removes))
    if not kept:
        raise InputError("no run is left for the release", "Give at least one with --runs.")
    _refuse_successors(kept)
    slugs = {one.slug for one in tombstones.values()}
    unmatched = tuple(one for one in withdrawals or () if one.slug not in slugs)
    left_out = tuple(known for one in given if (known := tombstones.get(one.run.run_id)) and known.removes)
    return Selection(kept, tuple(tombstones[run_id] for run_id in sorted(tombstones)), unmatched, left_out)


def _tombstones(
    runs: Iterable[ReleaseRun], previous: StoredRelease | None, withdrawals: Sequence[Withdrawal] | None
) -> dict[str, Withdrawal]:
    """Return what holds of each run about which anything was decided, now or before, by its id."""
    found = {
        one.run_id: one
        for one in (previous.tombstones if previous is not None else ())
        # A dispute is over when it is not said again.
        if one.run_id is not None and (one.kind != "disputed" or withdrawals is None)
    }
    for one in withdrawals or ():
        for run in runs:
            run_id = run.run.run_id
            if one.concerns(run.run) and (holds := one.follows(found.get(run_id))) is not None:
                found[run_id] = holds.model_copy(update={"run_id": run_id, "transcripts": None})
    return found


def _refuse_unfit(given: Sequence[RunFolder], instances: InstanceSet) -> None:
    """Refuse runs of another set, and one that is given twice."""
    seen: dict[str, RunFolder] = {}
    for one in given:
        if one.run.instance_set != instances.identity:
            raise InputError(
                f"{one.path}: was played on another instance set ({one.run.instance_set[:12]}…) than "
                f"{instances.folder} ({instances.identity[:12]}…)",
                "Give --instances the set that the run was played on; a copy is in the run's folder instances.",
            )
        twin = seen.setdefault(one.run.run_id, one)
        if twin is not one:
            raise InputError(f"{twin.path} and {one.path} are the same run {one.run.run_id}", "Give one of them.")


def _refuse_successors(runs: Sequence[ReleaseRun]) -> None:
    """Refuse a run that takes the place of one of the previous release without a word of why."""
    before = {(one.run.slug, one.run.rules): one for one in runs if isinstance(one, StoredRun)}
    for one in runs:
        old = before.get((one.run.slug, one.run.rules), one)
        if old is not one:
            raise InputError(
                f"{one.path}: the previous release holds {old.run.run_id}, of the same submission under the same rules",
                "Say why it goes: ircore submission correct, then ircore submission withdrawals for --withdrawals.",
            )
