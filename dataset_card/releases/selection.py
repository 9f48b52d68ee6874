"""The runs of a release: new runs and the runs of the previous release, without withdrawn runs."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from dataset_card.releases.stored_release import StoredRelease, StoredRun, open_stored_run
from ircore.core.errors import InputError, WorkError
from ircore.core.records import format_rules_key
from ircore.core.submission_records import Withdrawal
from ircore.instances.store import InstanceSet
from ircore.runs.folder import RunFolder

ReleaseRun = RunFolder | StoredRun
"""A run that a release is made of, where it is stored."""

InstanceSets = Mapping[str, InstanceSet]
"""The instance sets of a release, by identity."""


@dataclass(frozen=True)
class ReleaseSelection:
    """The runs of a release.

    >>> from pathlib import Path
    >>> from ircore.instances.store import read_instances
    >>> run = RunFolder(Path("run"))
    >>> targets = read_instances(Path("targets"))
    >>> sets = {targets.identity: targets}
    >>> select_runs([run], sets, previous=None, withdrawals=None).runs == (run,)
    True
    """

    runs: tuple[ReleaseRun, ...]
    """In no particular order."""

    tombstones: tuple[Withdrawal, ...]
    """The decision about each run that was ever withdrawn, corrected or reinstated, or is disputed."""

    cleared: frozenset[str]
    """Ids of the runs whose findings a maintainer looked at: they keep their ranks."""

    left_out: tuple[Withdrawal, ...]
    """Withdrawals that keep a run out although its folder was named."""


def select_runs(
    new_runs: Sequence[RunFolder],
    instances: InstanceSets,
    previous: StoredRelease | None,
    withdrawals: Sequence[Withdrawal] | None,
) -> ReleaseSelection:
    """Return the runs that a release holds.

    Nothing leaves in silence: a run of the previous release without a new folder stays unless it was withdrawn.

    Args:
        new_runs: Run folders; a folder replaces the run of the previous release with the same id.
        instances: The sets that runs were played on.
        previous: The previous release; its runs on other sets are left out.
        withdrawals: Runs that were withdrawn, corrected, reinstated or disputed; None if nothing was said, so that
            disputes stay.

    Raises:
        InputError: A run was played on another set, appears twice, or replaces another run without a withdrawal; the
            set of a game of the previous release is missing; or no run is left.
        WorkError: A withdrawal concerns no run, so that the run that it means would stay.
    """
    _refuse_unfit(new_runs, instances)
    runs: dict[str, ReleaseRun] = {}
    if previous is not None:
        _refuse_missing_sets(previous, instances)
        carried = _select_carried(previous, instances)
        runs |= {run.run_id: open_stored_run(previous, run, instances[run.instance_set]) for run in carried}
    # After the carried runs, so that a folder replaces the stored run with the same id.
    runs |= {run.run.run_id: run for run in new_runs}
    _refuse_unmatched(withdrawals or (), runs.values(), previous)
    tombstones = _merge_tombstones(runs.values(), previous, withdrawals)
    remaining = tuple(run for run_id, run in runs.items() if not (run_id in tombstones and tombstones[run_id].removes))
    if not remaining:
        raise InputError("no run is left for the release", "Give at least one with --runs.")
    _refuse_successors(remaining)
    left_out = tuple(
        tombstone for run in new_runs if (tombstone := tombstones.get(run.run.run_id)) and tombstone.removes
    )
    cleared = {step.run_id for step in withdrawals or () if step.kind == "cleared" and step.run_id is not None}
    # Looking at a run's findings is not taken back.
    cleared |= frozenset() if previous is None else list_cleared_runs(previous)
    decisions = tuple(tombstones[run_id] for run_id in sorted(tombstones))
    return ReleaseSelection(remaining, decisions, frozenset(cleared), left_out)


def list_cleared_runs(release: StoredRelease) -> frozenset[str]:
    """Return the ids of the runs of a release whose findings a maintainer looked at."""
    return frozenset(run_id for run_id, provenance in release.provenance.items() if provenance.cleared)


def _refuse_unmatched(
    withdrawals: Sequence[Withdrawal], runs: Iterable[ReleaseRun], previous: StoredRelease | None
) -> None:
    """Refuse a withdrawal of no run that is here or was before: a mistyped name would leave the run public."""
    known = [run.run for run in runs] + list(previous.runs.values() if previous is not None else ())
    # Runs that an earlier release took out: which transcripts each was of, and when it began, is no longer known.
    decided = previous.tombstones if previous is not None else ()
    gone = {(tombstone.slug, tombstone.run_id) for tombstone in decided}
    gone |= {(tombstone.slug, None) for tombstone in decided if tombstone.kind != "disputed"}
    unmatched = [
        withdrawal
        for withdrawal in withdrawals
        if (withdrawal.slug, withdrawal.run_id) not in gone and not any(map(withdrawal.concerns, known))
    ]
    if not unmatched:
        return
    first, more = unmatched[0], f" ({len(unmatched)} such lines in all)" if len(unmatched) > 1 else ""
    which = f"run {first.run_id}" if first.run_id is not None else f"all runs until {first.date}"
    run_ids = sorted({run.run_id for run in known if run.slug == first.slug})
    raise WorkError(
        f"withdrawal of {first.slug}, {which}: concerns no run here{more}",
        f"Name one of {', '.join(run_ids[:5])}, or take the line out."
        if run_ids
        else "Mend the name, or take the line out: ircore maintain decisions --runs leaves out those of no run.",
    )


def _select_carried(previous: StoredRelease, instances: InstanceSets) -> Iterable[Any]:
    """Return the runs of the previous release that were played on the sets of the new release."""
    return [run for run in previous.runs.values() if run.instance_set in instances]


def _refuse_missing_sets(previous: StoredRelease, instances: InstanceSets) -> None:
    games = {known.game for known in instances.values()}
    for run in previous.runs.values():
        if run.game not in games:
            raise InputError(
                f"{previous.folder}: has runs of {run.game}, whose instance set was not given",
                "Name it with a further --instances; ircore release pull brings it back from the release.",
            )


def _merge_tombstones(
    runs: Iterable[ReleaseRun], previous: StoredRelease | None, withdrawals: Sequence[Withdrawal] | None
) -> dict[str, Withdrawal]:
    """Return the decision that holds for each run about which anything was decided, now or before, by run id."""
    tombstones = {
        tombstone.run_id: tombstone
        for tombstone in (previous.tombstones if previous is not None else ())
        # A dispute is over when it is not said again.
        if tombstone.run_id is not None and (tombstone.kind != "disputed" or withdrawals is None)
    }
    # By date, whatever the order of their lines: of one day, the later line follows the earlier one.
    for withdrawal in sorted(withdrawals or (), key=lambda decision: decision.date):
        # A cleared run stands as any other run.
        for run in runs if withdrawal.kind != "cleared" else ():
            run_id = run.run.run_id
            # Decisions follow one another: reinstating counts only after a withdrawal.
            known = tombstones.get(run_id)
            if withdrawal.concerns(run.run) and (holds := withdrawal.follows(known)) is not None:
                # A tombstone names its run; the transcripts by which the run was found are no part of that.
                tombstones[run_id] = holds.model_copy(update={"run_id": run_id, "transcripts": None})
    return tombstones


def _refuse_unfit(new_runs: Sequence[RunFolder], instances: InstanceSets) -> None:
    """Refuse runs of another set, and a run whose folder is named twice."""
    runs_by_id: dict[str, RunFolder] = {}
    for run in new_runs:
        if run.run.instance_set not in instances:
            of_game = [known for known in instances.values() if known.game == run.game]
            raise InputError(
                f"{run.path}: was played on another instance set ({run.run.instance_set[:12]}…) than "
                + " and ".join(f"{known.folder} ({known.identity[:12]}…)" for known in of_game)
                if of_game
                else f"{run.path}: a run of {run.game}, and no set of that game is named",
                "Give a further --instances the set that the run was played on; a copy is in the run's folder.",
            )
        twin = runs_by_id.setdefault(run.run.run_id, run)
        if twin is not run:
            raise InputError(f"{twin.path} and {run.path} are the same run {run.run.run_id}", "Name the run once.")


def _refuse_successors(runs: Sequence[ReleaseRun]) -> None:
    """Refuse a run that replaces a run of the previous release without a withdrawal that says why."""
    before = {make_replacement_key(run): run for run in runs if isinstance(run, StoredRun)}
    for run in runs:
        old = before.get(make_replacement_key(run), run)
        if old is not run:
            raise InputError(
                f"{run.path}: the previous release holds {old.run.run_id}, of the same submission under the same rules",
                "State why it goes: ircore maintain correct, then ircore maintain decisions for --withdrawals.",
            )


def make_replacement_key(run: ReleaseRun) -> tuple[str, str, str]:
    """Return instance set, submission and rules: a release holds at most a single run of each such triple."""
    played = run.run
    return played.instance_set, played.slug, format_rules_key(played.rules)
