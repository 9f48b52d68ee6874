"""Run folders, and the release before, to a release folder."""

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import get_args

from dataset_card.card.maintainer_texts import MaintainerTexts, read_maintainer_texts
from dataset_card.card.verification import (
    VERIFICATION,
    Verification,
    read_verification,
    still_true,
    verification_text,
)
from dataset_card.releases.derived import derived_files
from dataset_card.releases.history import describe_release
from dataset_card.releases.record import (
    JUDGES,
    PROVENANCE,
    RELEASE,
    RUNS,
    TOMBSTONES,
    ReleaseRecord,
    Vouched,
)
from dataset_card.releases.run_records import records_of, records_path, write_run_records
from dataset_card.releases.selection import ReleaseRun, Selection, select_runs
from dataset_card.releases.stored import StoredRelease, StoredRun, link_or_copy
from dataset_card.tables import rows
from dataset_card.tables.parquet import Written, write_table
from dataset_card.tables.parts import Part, layout_key, make_part, part_key, sum_parts
from dataset_card.tables.previews import preview_rows
from dataset_card.tables.rows import ReleaseSource, Row
from dataset_card.tables.schema import (
    ALL_CONFIGS,
    CONFIGS,
    EPISODES,
    INSTANCES,
    LEADERBOARD,
    PREVIEWS,
    SCORES,
    TRANSCRIPTS,
    Config,
)
from ircore.core.errors import InputError
from ircore.core.files import new_folder, write_bytes
from ircore.core.lifecycle import Withdrawal, WithdrawalKind, decision_lines, parse_day
from ircore.core.progress import progress
from ircore.instances.store import InstanceSet, read_instances
from ircore.results.model import Results
from ircore.results.played_run import PlayedRun
from ircore.results.tables.names import ALL
from ircore.runs.folder import RunFolder

LARGEST_SEED = 2**63 - 1

_OF_A_RUN: dict[str, Callable[[InstanceSet, PlayedRun], Iterable[Row]]] = {
    TRANSCRIPTS.name: rows.transcript_rows,
    EPISODES.name: rows.episode_rows,
    SCORES.name: rows.score_rows,
    PREVIEWS.name: preview_rows,
}

_OF_NO_RUN: dict[str, Callable[[ReleaseSource], Iterable[Row]]] = {
    INSTANCES.name: lambda source: rows.instance_rows(source.instances),
    LEADERBOARD.name: lambda source: rows.leaderboard_rows(source.results),
}


@dataclass(frozen=True)
class BuildPlan:
    """What else may be asked of a build."""

    previous: Path | None = None
    """The release before: its runs and its history are carried on, and its files taken over where they fit."""

    withdrawals: Sequence[Withdrawal] | None = None
    """Runs that go, or are disputed; None if nothing is said about it."""

    date: str | None = None
    """Of the release, YYYY-MM-DD; by default that of the newest thing in it."""

    previews: bool = False
    """Whether there is a table with small pictures; one that the previous release had is carried on anyway."""

    previous_commit: str | None = None
    """The commit of a repository that the previous release was read from; None if it is a folder of this machine."""


@dataclass(frozen=True)
class Built:
    """A release that was built."""

    record: ReleaseRecord
    """What it says of itself."""

    written: tuple[Written, ...]
    """What each config came to, in the order of ``ALL_CONFIGS``."""

    taken_over: int
    """Bytes of tables that are those of the previous release."""

    unmatched: tuple[Withdrawal, ...]
    """Withdrawals that concern no run."""

    left_out: tuple[Withdrawal, ...]
    """Those for which a run that was given stays out."""

    def lines(self) -> Iterator[str]:
        """Yield what came about, as lines for people."""
        entry = self.record.history[0]
        counts = (
            (len(entry.added), "added"),
            (len(entry.changed), "changed"),
            *((sum(one.kind == kind for one in entry.withdrawals), kind) for kind in get_args(WithdrawalKind)),
        )
        runs = ", ".join(f"{number} {word}" for number, word in counts if number) or "nothing new"
        kept = f"; {self.taken_over / 1e6:,.2f} MB as they were" if self.taken_over else ""
        yield f"release {self.record.name}: runs {runs}{kept}"
        for one in self.unmatched:
            yield f"withdrawal of {one.slug}: concerns no run here"
        for one in self.left_out:
            yield f"run {one.run_id} stays out until reinstated: {one.kind} on {one.date}, {one.reason}"


def build_release(runs: Sequence[Path], instances: Path, out: Path, plan: BuildPlan | None = None) -> Built:
    """Make a release; the folder appears only when it is complete. The same input gives the same bytes.

    Args:
        runs: Run folders, in any order; may be none if there is a previous release.
        instances: The instance set that all of them were played on.
        out: Where to; it must not exist or be empty.
        plan: What else is asked.

    Raises:
        InputError: A folder holds no run or no set, a run is of another set, two runs are of the same pair under the
            same rules, no judge rated anything, or ``out`` holds something.
        WorkError: The place cannot be written.
    """
    plan = plan or BuildPlan()
    date = None if plan.date is None else parse_day(plan.date, "--date")
    played_on = read_instances(instances)
    _refuse_unfit(played_on)
    previous = StoredRelease(plan.previous, plan.previous_commit) if plan.previous is not None else None
    chosen = select_runs([RunFolder(path) for path in runs], played_on, previous, plan.withdrawals)
    return write_release(chosen, played_on, previous, out, date, plan.previews)


def write_release(
    chosen: Selection,
    instances: InstanceSet,
    previous: StoredRelease | None,
    out: Path,
    date: str | None = None,
    previews: bool = False,
    maintainer_texts: MaintainerTexts | None = None,
) -> Built:
    """Write a release of runs that were chosen; the folder appears only when it is complete.

    Args:
        chosen: Its runs, and what was decided about runs.
        instances: The set that all of them were played on.
        previous: The release that it is built upon: its parent.
        out: Where to; it must not exist or be empty.
        date: Of the release, YYYY-MM-DD; None for that of the newest thing in it.
        previews: As in ``BuildPlan``.
        maintainer_texts: Texts of the maintainers' sections; None for those of the previous release.

    Raises:
        InputError: No judge rated anything, or ``out`` holds something.
        WorkError: The place cannot be written.
    """
    source = make_source(chosen.runs, instances)
    if maintainer_texts is None:
        maintainer_texts = {} if previous is None else read_maintainer_texts(previous.folder)
    configs = ALL_CONFIGS if previews or (previous is not None and previous.has_previews) else CONFIGS
    with new_folder(out) as folder:
        writer = _PartWriter(folder, previous)
        with progress("release", sum(1 if one.name in _OF_NO_RUN else len(source.runs) for one in configs)) as shown:
            parts = tuple(_parts(configs, source, writer, shown.advance))
        _keep_records(folder, source.runs, parts)
        texts = _texts(source, chosen)
        record = describe_release(source, parts, texts, previous, chosen.tombstones, date)
        written = tuple(sum_parts(config, parts) for config in configs)
        record = _write_files(folder, source, record, texts, (maintainer_texts, _verified_before(previous, parts)))
    return Built(record, written, writer.taken_over, chosen.unmatched, chosen.left_out)


def _write_files(
    folder: Path,
    source: ReleaseSource,
    record: ReleaseRecord,
    texts: dict[str, str],
    carried: tuple[MaintainerTexts, Verification],
) -> ReleaseRecord:
    """Write everything beside the tables; return the record with the list of these files."""
    known = {name: text.encode() for name, text in texts.items() if text or name == JUDGES}
    known[VERIFICATION] = verification_text(carried[1]).encode()
    known |= derived_files(folder, source, record, *carried, record.hashes)
    record = record.model_copy(update={"files": tuple(sorted({*known, RELEASE}))})
    known[RELEASE] = (record.model_dump_json(by_alias=True, indent=1) + "\n").encode()
    for name, data in known.items():
        write_bytes(folder / name, data)
    return record


def make_source(runs: Sequence[ReleaseRun], instances: InstanceSet) -> ReleaseSource:
    """Compute the results of the runs of a release.

    Raises:
        InputError: As in ``build_release``.
    """
    by_id = {run.run.run_id: _view(run) for run in runs}
    results = Results.from_runs(by_id.values())
    if not results.judges:
        # load_dataset refuses a table without rows, so there would be no leaderboard to load.
        raise InputError(
            f"{', '.join(str(one.path) for one in runs)}: no played episode was rated by a judge",
            "Score the runs first: ircore score RUN...",
        )
    return ReleaseSource(instances, tuple(by_id[entry.run_id] for entry in results.submissions), results)


def _view(stored: ReleaseRun) -> PlayedRun:
    run = PlayedRun(stored)
    if isinstance(stored, StoredRun) and (published := stored.release.cells.get(stored.run.run_id)):
        run.cells = published  # the same program computed them
    return run


def _refuse_unfit(instances: InstanceSet) -> None:
    """Refuse instances that are valid records but do not fit into the tables."""
    for one in instances.instances:
        where = f"{instances.folder}: {one.instance_id}"
        if one.category == ALL:
            raise InputError(f"{where}: category {ALL!r}", "A release uses this word for all categories; rename it.")
        if one.seed is not None and one.seed > LARGEST_SEED:
            raise InputError(f"{where}: seed {one.seed} is too large", f"At most {LARGEST_SEED} fits into 64 bits.")


class _PartWriter:
    """Writes the parts of a release, or takes them over from the previous one or the one that a run comes from.

    Attributes:
        taken_over: Bytes that were taken over.
    """

    def __init__(self, folder: Path, previous: StoredRelease | None) -> None:
        self._folder = folder
        self._previous = previous
        self._layout = layout_key(CONFIGS)
        self.taken_over = 0

    def kept(self, config: Config, run: PlayedRun) -> Part | None:
        """Take over what a released run has in a table; None if it has to be written."""
        release = run.source.release if isinstance(run.source, StoredRun) else None
        part = self._part_of(release, config, run.run.run_id)
        return self._taken(release, part) if release is not None and part is not None else None

    def written(self, config: Config, run_id: str | None, content: Iterable[Row]) -> Part:
        """Write rows, unless the previous release has the same ones."""
        held = list(content)
        key, known = part_key(config, held), self._part_of(self._previous, config, run_id)
        if self._previous is not None and known is not None and known.key == key:
            return self._taken(self._previous, known)
        return make_part(config, run_id, key, write_table(self._folder, config, held, run_id))

    def _taken(self, release: StoredRelease, part: Part) -> Part:
        release.take_over(part, self._folder)
        self.taken_over += part.size
        return part

    def _part_of(self, release: StoredRelease | None, config: Config, run_id: str | None) -> Part | None:
        """Return a part that can be taken over: one that is laid out as it would be now."""
        if release is None or release.record.layout != self._layout:
            return None
        return release.parts.get((config.name, run_id))


def _parts(
    configs: Iterable[Config], source: ReleaseSource, writer: _PartWriter, advance: Callable[[str], None]
) -> Iterator[Part]:
    for config in configs:
        if config.name in _OF_NO_RUN:
            yield writer.written(config, None, _OF_NO_RUN[config.name](source))
            advance(config.name)
            continue
        for run in source.runs:
            made = _OF_A_RUN[config.name]
            yield writer.kept(config, run) or writer.written(config, run.run.run_id, made(source.instances, run))
            advance(config.name)


def _keep_records(folder: Path, runs: Iterable[PlayedRun], parts: Sequence[Part]) -> None:
    """Keep the records of every run for the next build."""
    for run in runs:
        run_id = run.run.run_id
        path = records_path(folder, (one for one in parts if one.run_id == run_id))
        previous = run.source.records_path if isinstance(run.source, StoredRun) else None
        if previous is not None:
            link_or_copy(previous, path)
        else:
            write_run_records(path, records_of(run))


def _verified_before(previous: StoredRelease | None, parts: Sequence[Part]) -> Verification:
    """Return what was computed again of a previous release, as far as it holds for the runs of this one."""
    return Verification() if previous is None else still_true(read_verification(previous.folder), parts)


def _texts(source: ReleaseSource, chosen: Selection) -> dict[str, str]:
    """Return the files of records of a release by name; a file without a record is left out."""
    judges = source.results.judge_identities.values()
    vouched = ((run.run.run_id, run.provenance) for run in source.runs)
    known = [Vouched(run_id=run_id, provenance=one) for run_id, one in vouched if one is not None]
    return {
        RUNS: "".join(run.run.model_dump_json(by_alias=True) + "\n" for run in source.runs),
        JUDGES: "".join(judge.model_dump_json() + "\n" for judge in judges),
        PROVENANCE: "".join(one.model_dump_json() + "\n" for one in known),
        TOMBSTONES: decision_lines(chosen.tombstones),
    }
