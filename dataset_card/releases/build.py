"""Run folders, and the release before, to a release folder."""

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import get_args

from dataset_card.card.card import card_files
from dataset_card.card.croissant import CROISSANT, render_croissant, semantic_version
from dataset_card.releases.former import FormerRelease, FormerRun, link_or_copy
from dataset_card.releases.given import GivenRun
from dataset_card.releases.history import describe_release
from dataset_card.releases.kept import keep, kept_path
from dataset_card.releases.record import (
    CHANGES,
    JUDGES,
    PROVENANCE,
    RELEASE,
    RUNS,
    TOMBSTONES,
    ReleaseRecord,
    Vouched,
    render_changes,
)
from dataset_card.releases.selection import ReleaseRun, Selection, select_runs
from dataset_card.tables import rows
from dataset_card.tables.parquet import Written, write_table
from dataset_card.tables.parts import Part, layout_key, make_part, part_key, sum_parts
from dataset_card.tables.previews import preview_rows
from dataset_card.tables.rows import ReleaseSource, Row, SourceRun
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
from ircore.core.files import new_folder, write_bytes, write_text
from ircore.core.lifecycle import Withdrawal, WithdrawalKind, parse_day, withdrawal_lines
from ircore.core.progress import progress
from ircore.instances.store import InstanceSet, read_instances
from ircore.results.model import Results
from ircore.results.tables.names import ALL

LARGEST_SEED = 2**63 - 1

_OF_A_RUN: dict[str, Callable[[InstanceSet, SourceRun], Iterable[Row]]] = {
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

    former: Path | None = None
    """The release before: its runs and its history are carried on, and its files taken over where they fit."""

    withdrawals: Sequence[Withdrawal] | None = None
    """Runs that go, or are disputed; None if nothing is said about it."""

    date: str | None = None
    """Of the release, YYYY-MM-DD; by default that of the newest thing in it."""

    previews: bool = False
    """Whether there is a table with small pictures; one that the former release had is carried on anyway."""


@dataclass(frozen=True)
class Built:
    """A release that was built."""

    record: ReleaseRecord
    """What it says of itself."""

    written: tuple[Written, ...]
    """What each config came to, in the order of ``ALL_CONFIGS``."""

    taken_over: int
    """Bytes of tables that are those of the former release."""

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
        runs: Run folders, in any order; may be none if there is a former release.
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
    former = FormerRelease(plan.former) if plan.former is not None else None
    chosen = select_runs([GivenRun(path) for path in runs], played_on, former, plan.withdrawals)
    source = make_source(chosen.runs, played_on)
    configs = ALL_CONFIGS if plan.previews or (former is not None and former.has_previews) else CONFIGS
    with new_folder(out) as folder:
        writer = _PartWriter(folder, former)
        with progress("release", sum(1 if one.name in _OF_NO_RUN else len(source.runs) for one in configs)) as shown:
            parts = tuple(_parts(configs, source, writer, shown.advance))
        _keep_records(folder, chosen.runs, parts)
        written = tuple(sum_parts(config, parts) for config in configs)
        texts = _texts(source, chosen)
        record = describe_release(source, parts, texts, former, chosen.tombstones, date)
        texts |= {RELEASE: record.model_dump_json(by_alias=True, indent=1) + "\n", CHANGES: render_changes(record)}
        for name, text in texts.items():
            if text or name == JUDGES:
                write_text(folder / name, text)
        for name, data in card_files(source, written, record.name).items():
            write_bytes(folder / name, data)
        version = semantic_version(record.benchmark, record.date, record.content)
        write_text(folder / CROISSANT, render_croissant(folder, source, version, record.date, record.hashes))
    return Built(record, written, writer.taken_over, chosen.unmatched, chosen.left_out)


def make_source(runs: Sequence[SourceRun], instances: InstanceSet) -> ReleaseSource:
    """Compute the results of the runs of a release.

    Raises:
        InputError: As in ``build_release``.
    """
    results = Results.from_runs(runs)
    if not results.judges:
        # load_dataset refuses a table without rows, so there would be no leaderboard to load.
        raise InputError(
            f"{', '.join(str(one.path) for one in runs)}: no played episode was rated by a judge",
            "Score the runs first: ircore score RUN...",
        )
    by_id = {one.run.run_id: one for one in runs}
    return ReleaseSource(instances, tuple(by_id[one.run_id] for one in results.submissions), results)


def _refuse_unfit(instances: InstanceSet) -> None:
    """Refuse instances that are valid records but do not fit into the tables."""
    for one in instances.instances:
        where = f"{instances.folder}: {one.instance_id}"
        if one.category == ALL:
            raise InputError(f"{where}: category {ALL!r}", "A release uses this word for all categories; rename it.")
        if one.seed is not None and one.seed > LARGEST_SEED:
            raise InputError(f"{where}: seed {one.seed} is too large", f"At most {LARGEST_SEED} fits into 64 bits.")


class _PartWriter:
    """Writes the parts of a release, or takes them over from the former one.

    Attributes:
        taken_over: Bytes that were taken over.
    """

    def __init__(self, folder: Path, former: FormerRelease | None) -> None:
        self._folder = folder
        fits = former is not None and former.record.layout == layout_key(CONFIGS)
        self._former = former if fits else None
        self.taken_over = 0

    def kept(self, config: Config, run: SourceRun) -> Part | None:
        """Take over what a run of the former release has in a table; None if it has to be written."""
        part = self._known(config, run.run.run_id) if isinstance(run, FormerRun) else None
        return None if part is None else self._taken(part)

    def written(self, config: Config, run_id: str | None, content: Iterable[Row]) -> Part:
        """Write rows, unless the former release has the same ones."""
        held = list(content)
        key, known = part_key(config, held), self._known(config, run_id)
        if known is not None and known.key == key:
            return self._taken(known)
        return make_part(config, run_id, key, write_table(self._folder, config, held, run_id))

    def _known(self, config: Config, run_id: str | None) -> Part | None:
        return self._former.parts.get((config.name, run_id)) if self._former is not None else None

    def _taken(self, part: Part) -> Part:
        assert self._former is not None  # noqa: S101 - the part is of it
        self._former.take_over(part, self._folder)
        self.taken_over += part.size
        return part


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


def _keep_records(folder: Path, runs: Iterable[ReleaseRun], parts: Sequence[Part]) -> None:
    """Keep the records of every run for the next build."""
    for run in runs:
        run_id = run.run.run_id
        path = kept_path(folder, (one for one in parts if one.run_id == run_id))
        former = run.kept_path if isinstance(run, FormerRun) else None
        if former is not None:
            link_or_copy(former, path)
        else:
            keep(path, run.records)


def _texts(source: ReleaseSource, chosen: Selection) -> dict[str, str]:
    """Return the files of records of a release by name; a file without a record is left out."""
    judges = source.results.judge_identities.values()
    vouched = ((run.run.run_id, run.provenance()) for run in source.runs)
    known = [Vouched(run_id=run_id, provenance=one) for run_id, one in vouched if one is not None]
    return {
        RUNS: "".join(run.run.model_dump_json(by_alias=True) + "\n" for run in source.runs),
        JUDGES: "".join(judge.model_dump_json() + "\n" for judge in judges),
        PROVENANCE: "".join(one.model_dump_json() + "\n" for one in known),
        TOMBSTONES: withdrawal_lines(chosen.tombstones),
    }
