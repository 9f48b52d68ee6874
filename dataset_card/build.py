"""Run folders to a release folder."""

from collections.abc import Callable, Iterable, Iterator, Sequence
from pathlib import Path

from dataset_card import rows
from dataset_card.card import card_files
from dataset_card.parquet import Written, write_table
from dataset_card.rows import ReleaseSource, Row
from dataset_card.schema import CONFIGS
from ircore.errors import InputError
from ircore.files import new_folder, write_bytes, write_text
from ircore.instances.store import InstanceSet, read_instances
from ircore.progress import progress
from ircore.provenance import Provenance
from ircore.records import Name, Record
from ircore.results.model import Results
from ircore.runs import RunFolder
from ircore.tables.names import ALL

RUNS = "runs.jsonl"
"""One line a run: its identity, as in ``run.json``."""

JUDGES = "judges.jsonl"
"""One line a judge: who it is, as far as a run says so."""

PROVENANCE = "provenance.jsonl"
"""One line a run that somebody vouches for; not there if there is none."""

LARGEST_SEED = 2**63 - 1

_ROWS: dict[str, Callable[[ReleaseSource], Iterable[Row]]] = {
    "instances": rows.instance_rows,
    "transcripts": rows.transcript_rows,
    "episodes": rows.episode_rows,
    "scores": rows.score_rows,
    "leaderboard": lambda source: rows.leaderboard_rows(source.results),
}


class Vouched(Record):
    """Who vouches for a run: a line of ``provenance.jsonl``."""

    run_id: Name
    provenance: Provenance


def build_release(runs: Sequence[Path], instances: Path, out: Path) -> tuple[Written, ...]:
    """Make a release; the folder appears only when it is complete. The same runs give the same bytes.

    Args:
        runs: Run folders, in any order.
        instances: The instance set that all of them were played on.
        out: Where to; it must not exist or be empty.

    Returns:
        What each config came to, in the order of ``CONFIGS``.

    Raises:
        InputError: A folder holds no run or no set, a run is of another set, two runs are of the same pair under the
            same rules, no judge rated anything, or ``out`` holds something.
        WorkError: The place cannot be written.
    """
    source = read_source(runs, read_instances(instances))
    with new_folder(out) as folder:
        with progress("release", len(CONFIGS)) as shown:
            written = tuple(_written(folder, source, shown.advance))
        for name, data in card_files(source, written).items():
            write_bytes(folder / name, data)
        write_text(folder / RUNS, "".join(run.run.model_dump_json(by_alias=True) + "\n" for run in source.runs))
        judges = source.results.judge_identities.values()
        write_text(folder / JUDGES, "".join(judge.model_dump_json() + "\n" for judge in judges))
        _write_provenance(folder, source)
    return written


def _write_provenance(folder: Path, source: ReleaseSource) -> None:
    known = ((run.run.run_id, run.provenance()) for run in source.runs)
    lines = [Vouched(run_id=run_id, provenance=one).model_dump_json() for run_id, one in known if one is not None]
    if lines:
        write_text(folder / PROVENANCE, "".join(line + "\n" for line in lines))


def read_source(runs: Sequence[Path], instances: InstanceSet) -> ReleaseSource:
    """Open the runs of a release and compute their results.

    Raises:
        InputError: As in ``build_release``.
    """
    folders = [RunFolder.open(path) for path in runs]
    for one in folders:
        if one.run.instance_set != instances.identity:
            raise InputError(
                f"{one.path}: was played on another instance set ({one.run.instance_set[:12]}…) than "
                f"{instances.folder} ({instances.identity[:12]}…)",
                "Give --instances the set that the run was played on; a copy is in the run's folder instances.",
            )
    _refuse_unfit(instances)
    results = Results.from_runs(folders)
    if not results.judges:
        # load_dataset refuses a table without rows, so there would be no leaderboard to load.
        raise InputError(
            f"{', '.join(str(path) for path in runs)}: no played episode was rated by a judge",
            "Score the runs first: ircore score RUN...",
        )
    by_id = {one.run.run_id: one for one in folders}
    return ReleaseSource(instances, tuple(by_id[one.run_id] for one in results.submissions), results)


def _refuse_unfit(instances: InstanceSet) -> None:
    """Refuse instances that are valid records but do not fit into the tables."""
    for one in instances.instances:
        where = f"{instances.folder}: {one.instance_id}"
        if one.category == ALL:
            raise InputError(f"{where}: category {ALL!r}", "A release uses this word for all categories; rename it.")
        if one.seed is not None and one.seed > LARGEST_SEED:
            raise InputError(f"{where}: seed {one.seed} is too large", f"At most {LARGEST_SEED} fits into 64 bits.")


def _written(folder: Path, source: ReleaseSource, advance: Callable[[str], None]) -> Iterator[Written]:
    for config in CONFIGS:
        yield write_table(folder, config, _ROWS[config.name](source))
        advance(config.name)
