"""Building a release folder from run folders and the previous release.

Tables are written part by part, and files of parts that have not changed are reused.
"""

from collections import deque
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from copy import copy
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any, cast, get_args

from dataset_card.card.card import MaintainerTexts, read_maintainer_texts
from dataset_card.card.verification import (
    VERIFICATION,
    VerificationRecord,
    dump_verification,
    keep_unchanged,
    read_verification,
)
from dataset_card.releases.files import FEATURE, build_derived_files, name_descriptor_file
from dataset_card.releases.history import describe_release, dump_season_gaps
from dataset_card.releases.record import (
    JUDGES,
    PROVENANCE,
    RELEASE,
    RUNS,
    TOMBSTONES,
    ReleaseRecord,
    Vouched,
    select_layout_configs,
)
from dataset_card.releases.selection import InstanceSets, ReleaseRun, ReleaseSelection, select_runs
from dataset_card.releases.stored_release import (
    StoredRelease,
    StoredRun,
    collect_records,
    link_or_copy,
    records_path,
    write_run_records,
)
from dataset_card.tables.columns import Config
from dataset_card.tables.game_tables import GameTables, ReleaseSource
from dataset_card.tables.rows import Row
from dataset_card.tables.schema import OF_NO_RUN
from dataset_card.tables.writing import (
    TablePart,
    Written,
    compute_layout_key,
    compute_part_key,
    make_part,
    sum_parts,
    write_table,
)
from ircore.core.errors import InputError
from ircore.core.files import write_bytes, write_new_folder
from ircore.core.plain_words import parse_day
from ircore.core.score_records import JudgeIdentity
from ircore.core.submission_records import Withdrawal, WithdrawalKind, format_decisions
from ircore.core.terminal import show_progress
from ircore.games.registry import has_support, load_game, sort_game_names
from ircore.instances.store import InstanceSet, read_sets, refuse_withheld
from ircore.results.judges_of_runs import merge_identities
from ircore.results.played_run import PlayedRun, RunSource
from ircore.results.tables.pairs import ALL
from ircore.runs.episode import list_drawn_over
from ircore.runs.folder import RunFolder
from ircore.submissions.rescoring.picture_index import compute_index, find_stored_index, index_bytes, index_of
from ircore.submissions.seasons import SEASON_GAPS, SeasonGaps

AT_ONCE = 2
"""Parts that are written at a time, and runs whose renderings are described at a time, each with some 100 MB of memory.

A second one keeps the processors busy while the first is in one of the steps that a single thread does.
"""


class PartWriter:
    """Writes the parts of a release, or reuses files of the previous release or of the release of a stored run.

    Attributes:
        reused: Bytes of reused files.

    >>> from tempfile import mkdtemp
    >>> from dataset_card.tables.schema import INSTANCES, TABLES
    >>> with ThreadPoolExecutor(1) as pool:
    ...     writer = PartWriter(Path(mkdtemp()), previous=None, configs=TABLES, pool=pool)
    ...     writer.write(INSTANCES, run_id=None, content=[]).result().rows, writer.reused
    (0, 0)
    """

    def __init__(
        self, folder: Path, previous: StoredRelease | None, configs: Sequence[Config], pool: ThreadPoolExecutor
    ) -> None:
        self._folder = folder
        self._previous = previous
        self._pool = pool
        self._layout = compute_layout_key(select_layout_configs(configs))
        self.reused = 0

    def reuse(self, config: Config, run: PlayedRun) -> Future[TablePart] | None:
        """Reuse the files of a stored run's rows in a table; None if the rows have to be written."""
        release = run.source.release if isinstance(run.source, StoredRun) else None
        part = self._find_part(release, config, run.run.run_id)
        return self._take_over(release, part) if release is not None and part is not None else None

    def write(self, config: Config, run_id: str | None, content: Iterable[Row]) -> Future[TablePart]:
        """Have rows written by the pool, unless the previous release has the same rows."""
        # Held as a list for two passes, key and files; pictures are read only when they are written.
        rows = list(content)
        key, known = compute_part_key(config, rows), self._find_part(self._previous, config, run_id)
        if self._previous is not None and known is not None and known.key == key:
            return self._take_over(self._previous, known)
        return self._pool.submit(
            lambda: make_part(config, run_id, key, write_table(self._folder, config, rows, run_id))
        )

    def _take_over(self, release: StoredRelease, part: TablePart) -> Future[TablePart]:
        release.take_over(part, self._folder)
        self.reused += part.size
        there = Future[TablePart]()
        there.set_result(part)
        return there

    def _find_part(self, release: StoredRelease | None, config: Config, run_id: str | None) -> TablePart | None:
        """Return a part of a release with the current layout, which can be reused; None without such a part."""
        # Of another layout, the same rows have other columns or other bytes.
        if release is None or release.record.layout != self._layout:
            return None
        return release.parts.get((config.name, run_id))


def write_parts(
    configs: Iterable[Config], source: ReleaseSource, writer: PartWriter, advance: Callable[[str], None]
) -> Iterator[TablePart]:
    """Write every table of a release and yield the parts in their order.

    Args:
        configs: The tables.
        source: The games.
        writer: Writes a part, or reuses one.
        advance: Called with the name of the table after each part.
    """
    waiting = deque[tuple[Config, Future[TablePart]]]()
    for begun in _begin_parts(configs, source, writer):
        waiting.append(begun)
        # One more than are written at a time: the rows of a part are held until its files are there.
        if len(waiting) > AT_ONCE:
            yield _finish_part(*waiting.popleft(), advance)
    while waiting:
        yield _finish_part(*waiting.popleft(), advance)


def _begin_parts(
    configs: Iterable[Config], source: ReleaseSource, writer: PartWriter
) -> Iterator[tuple[Config, Future[TablePart]]]:
    for config in configs:
        if config.name in OF_NO_RUN:
            yield config, writer.write(config, None, source.shared_rows(config))
            continue
        for game, run in list_runs_with_rows(config, source):
            yield config, writer.reuse(config, run) or writer.write(config, run.run.run_id, game.rows(config, run))


def _finish_part(config: Config, begun: Future[TablePart], advance: Callable[[str], None]) -> TablePart:
    part = begun.result()
    advance(config.name)
    return part


def list_runs_with_rows(config: Config, source: ReleaseSource) -> list[tuple[GameTables, Any]]:
    """Return the runs with rows in a table, each with the tables of the run's game."""
    return [(game, run) for game in source.games if config.name in game.configs for run in game.runs]


def _count_parts(configs: Iterable[Config], source: ReleaseSource) -> int:
    return sum(1 if config.name in OF_NO_RUN else len(list_runs_with_rows(config, source)) for config in configs)


LARGEST_SEED = 2**63 - 1


@dataclass(frozen=True)
class BuildPlan:
    """Options of a build besides the runs.

    >>> plan = BuildPlan(previous=Path("release"), date="2027-01-01")
    >>> build_release([], Path("targets"), Path("next"), plan).record.date
    '2027-01-01'
    """

    previous: Path | None = None
    """The previous release: its runs and history are carried on, and files of unchanged rows are reused."""

    withdrawals: Sequence[Withdrawal] | None = None
    """Runs that are removed or disputed; None for no statement, so that disputes of the previous release stay."""

    date: str | None = None
    """Date of the release, YYYY-MM-DD; by default the day of the newest run or withdrawal."""

    previews: bool = False
    """Whether to add the table of small pictures; a table in the previous release is kept in any case."""

    previous_commit: str | None = None
    """The commit of a repository that the previous release was read from; None if it is a folder of this machine."""

    season: SeasonGaps | None = None
    """Gaps to a season, added to those of the previous release."""


@dataclass(frozen=True)
class Built:
    """A release that was built.

    >>> built = build_release([Path("run")], Path("targets"), Path("again"))
    >>> [f"{table.config.name}: {table.rows}" for table in built.written][:2]
    ['transcripts: 8', 'instances: 2']
    """

    record: ReleaseRecord
    """Content of its ``release.json``."""

    written: tuple[Written, ...]
    """Sizes of its tables, in their order."""

    reused: int
    """Bytes of tables whose files are those of the previous release."""

    left_out: tuple[Withdrawal, ...]
    """Withdrawals that keep a run out although its folder was named."""

    def lines(self) -> Iterator[str]:
        """Yield the changes as lines for people."""
        entry = self.record.history[0]
        counts = (
            (len(entry.added), "added"),
            (len(entry.changed), "changed"),
            *(
                (sum(withdrawal.kind == kind for withdrawal in entry.withdrawals), kind)
                for kind in get_args(WithdrawalKind)
            ),
        )
        runs = ", ".join(f"{number} {word}" for number, word in counts if number) or "nothing new"
        reused = f"; {self.reused / 1e6:,.2f} MB as they were" if self.reused else ""
        yield f"release {self.record.name}: runs {runs}{reused}"
        for tombstone in self.left_out:
            decision = f"{tombstone.kind} on {tombstone.date}, {tombstone.reason}"
            yield f"run {tombstone.run_id} stays out until reinstated: {decision}"


def build_release(
    runs: Sequence[Path], instances: Path | Sequence[Path] | None, out: Path, plan: BuildPlan | None = None
) -> Built:
    """Write a release; the folder appears only when complete. The same input gives the same bytes.

    Args:
        runs: Run folders of any games, in any order; may be empty if there is a previous release.
        instances: Instance sets, several of a game too, or a folder that ``ircore release pull`` made, see
            ``read_sets``. The sets of a game without any are those of runs that hold all of theirs.
        out: Folder to make; it must not exist or be empty.
        plan: Options of the build.

    Raises:
        InputError: A folder holds no run or no set, a run is of another set, two runs are of the same submission under
            the same rules, a run was not scored, or ``out`` holds something.
        WorkError: A withdrawal concerns no run, a game cannot be imported, or ``out`` cannot be written.
    """
    plan = plan or BuildPlan()
    date = None if plan.date is None else parse_day(plan.date, "--date")
    opened = [RunFolder(path) for path in runs]
    sets = _read_sets([instances] if isinstance(instances, Path) else instances or (), opened)
    previous = StoredRelease(plan.previous, plan.previous_commit) if plan.previous is not None else None
    selection = select_runs(opened, sets, previous, plan.withdrawals)
    return write_release(selection, sets, previous, out, date, plan.previews, season=plan.season)


def _read_sets(folders: Sequence[Path], runs: Sequence[RunFolder]) -> dict[str, InstanceSet]:
    """Return the instance sets by identity.

    Raises:
        InputError: A folder holds no set, no run holds the whole of a set of a game without a folder, or an instance
            does not fit into the tables.
    """
    sets = read_sets(folders)
    named = {instances.game for instances in sets.values()}
    unnamed = {run.run.instance_set: run for run in runs if run.game not in named}
    for identity, first in sorted(unnamed.items()):
        own = [run.instances for run in runs if run.run.instance_set == identity]
        whole = next((instances for instances in own if instances.is_whole), None)
        if whole is None:
            raise InputError(
                f"{first.path}: holds a part of its instance set alone, as every run on it here",
                "Name the set: --instances DIR",
            )
        sets[identity] = whole
    for instances in sets.values():
        _refuse_unfit(instances)
    return sets


def write_release(
    selection: ReleaseSelection,
    instances: InstanceSets,
    previous: StoredRelease | None,
    out: Path,
    date: str | None = None,
    previews: bool = False,
    maintainer_texts: MaintainerTexts | None = None,
    season: SeasonGaps | None = None,
) -> Built:
    """Write a release of selected runs; the folder appears only when complete.

    Args:
        selection: The release's runs, and the decisions about runs.
        instances: The instance sets, by identity.
        previous: The release that it is built upon: its parent.
        out: Folder to make; it must not exist or be empty.
        date: Date of the release, YYYY-MM-DD; None for the day of the newest run or decision.
        previews: Whether to add the table of small pictures, as in ``BuildPlan``.
        maintainer_texts: Texts of the maintainers' sections; None for those of the previous release.
        season: Gaps to a season, added to those of the previous release.

    Raises:
        InputError: A run was not scored, gaps are of other runs, or ``out`` holds something.
        WorkError: A game cannot be imported, or ``out`` cannot be written.
    """
    source = make_source(selection.runs, instances, selection.cleared)
    if maintainer_texts is None:
        maintainer_texts = {} if previous is None else read_maintainer_texts(previous.folder)
    configs = source.configs(previews or (previous is not None and previous.has_previews))
    with write_new_folder(out) as folder:
        # Before the tables: whatever picture was compared with its record here is not decoded again there.
        with ThreadPoolExecutor(AT_ONCE) as pool:
            copies = dict(pool.map(partial(_find_descriptors, previous=previous), _list_described_runs(source)))
            writer = PartWriter(folder, previous, configs, pool)
            with show_progress("release", _count_parts(configs, source)) as shown:
                parts = tuple(write_parts(configs, source, writer, shown.advance))
        _write_run_records(folder, source.runs, parts)
        texts = _build_texts(source, selection)
        record = describe_release(source, configs, parts, texts, previous, selection.tombstones, date)
        # Gaps of a run that was taken out go with the run and are no fault of whoever gave them.
        gone = {str(tombstone.run_id) for tombstone in selection.tombstones if tombstone.removes}
        # After the record, because gaps are no part of the content that a release is named after.
        texts[SEASON_GAPS] = dump_season_gaps(season, source, record, previous, gone)
        written = tuple(sum_parts(config, parts) for config in configs)
        verified = (
            VerificationRecord() if previous is None else keep_unchanged(read_verification(previous.folder), parts)
        )
        record = _write_files(folder, source, record, texts, (maintainer_texts, verified), copies)
    return Built(record, written, writer.reused, selection.left_out)


def _write_files(
    folder: Path,
    source: ReleaseSource,
    record: ReleaseRecord,
    texts: dict[str, str],
    carried: tuple[MaintainerTexts, VerificationRecord],
    copies: Mapping[str, bytes],
) -> ReleaseRecord:
    """Write everything beside the tables; return the record with the list of these files."""
    # The file of judges is there in any case, without a line where no identity is known.
    known = {name: text.encode() for name, text in texts.items() if text or name == JUDGES} | dict(copies)
    known[VERIFICATION] = dump_verification(carried[1]).encode()
    known |= build_derived_files(folder, source, record, *carried, record.hashes)
    # After all others, since the record lists their names.
    record = record.model_copy(update={"files": tuple(sorted({*known, RELEASE}))})
    known[RELEASE] = (record.model_dump_json(by_alias=True, indent=1) + "\n").encode()
    for name, data in known.items():
        write_bytes(folder / name, data)
    return record


def make_source(runs: Sequence[ReleaseRun], instances: InstanceSets, cleared: Collection[str] = ()) -> ReleaseSource:
    """Compute the results of the runs of a release.

    Args:
        runs: At least one.
        instances: The instance sets, by identity.
        cleared: Ids of runs whose findings a maintainer looked at.

    Raises:
        InputError: As in ``build_release``.
        WorkError: A game cannot be imported.
    """
    games: list[GameTables] = []
    # The default game first: its table of turns is the default one.
    played_games = {played_on.game for played_on in instances.values()}
    for name in sort_game_names(played_games):
        game, sets = load_game(name), [played_on for played_on in instances.values() if played_on.game == name]
        # Of a game, the set with the most instances first: the card shows its boards.
        for played_on in sorted(sets, key=lambda known: (-len(known.instances), known.identity)):
            own = [_strip_addresses(run, cleared) for run in runs if run.run.instance_set == played_on.identity]
            if not own:
                continue
            # What is shown in every row, or may be in what was drawn, cannot be left out.
            shown = played_on.instances if game.shown_pictures else list_drawn_over(game, played_on)
            refuse_withheld(shown, "release")
            games.append(build_game_tables(own, played_on))
    return ReleaseSource(tuple(games))


def _strip_addresses(run: ReleaseRun, cleared: Collection[str]) -> ReleaseRun:
    """Return a run whose players have no address on the machine that played; the id stays that of the run played.

    Its provenance says whether its findings were looked at.
    """
    public: Any = copy(run)
    if any(player.on_loopback for player in run.run.submission.players.values()):
        public.run = run.run.model_copy(update={"submission": run.run.submission.published})
    if run.run.run_id in cleared and (known := run.provenance()) is not None:
        public.provenance = lambda: known.model_copy(update={"cleared": True})
    return cast("ReleaseRun", public)


def build_game_tables(runs: Sequence[RunSource], instances: InstanceSet) -> GameTables:
    """Return the tables of runs of a game, their results computed; see ``GameTables.of``."""
    views = [PlayedRun(run) for run in runs]
    judges = merge_identities(views)
    for view in views:
        _take_cells(view, judges)
    return GameTables.of(instances, views)


def _take_cells(run: PlayedRun, judges: Mapping[str, JudgeIdentity]) -> None:
    """Give a stored run its published cells by judges that are who they were; the same program computed them."""
    if isinstance(run.source, StoredRun):
        release = run.source.release
        cells = release.cells_of(run.run).items()
        # A judge that rates further categories by now counts other pictures, of runs that it never saw too.
        published = {key: cell for key, cell in cells if release.judges.get(cell.judge) == judges.get(cell.judge)}
        if published:
            run.cells = published


def _refuse_unfit(instances: InstanceSet) -> None:
    """Refuse instances that are valid records but do not fit into the tables."""
    for instance in instances.instances:
        where = f"{instances.folder}: {instance.instance_id}"
        # The word stands for all categories in the same column of the leaderboard.
        if instance.category == ALL:
            raise InputError(f"{where}: category {ALL!r}", "A release uses this word for all categories; rename it.")
        if instance.seed is not None and instance.seed > LARGEST_SEED:
            raise InputError(
                f"{where}: seed {instance.seed} is too large", f"At most {LARGEST_SEED} fits into 64 bits."
            )


def _write_run_records(folder: Path, runs: Iterable[PlayedRun], parts: Sequence[TablePart]) -> None:
    """Write the records of the runs of reconstruction for the next build, which reads them faster than tables."""
    for run in runs:
        run_id = run.run.run_id
        path = records_path(folder, (part for part in parts if part.run_id == run_id))
        known = run.source.records_path if isinstance(run.source, StoredRun) else None
        if known is not None:
            link_or_copy(known, path)
        else:
            write_run_records(path, collect_records(run))


def _list_described_runs(source: ReleaseSource) -> list[PlayedRun]:
    return [run for run in source.runs if has_support(FEATURE, run.run.game)]


def _find_descriptors(run: PlayedRun, previous: StoredRelease | None) -> tuple[str, bytes]:
    """Return the file of descriptors of a run: that of a release as it is, else of the run folder, else computed."""
    source, name = run.source, name_descriptor_file(run.run.run_id)
    # Computing descriptors means decoding every picture, so stored ones are looked for first.
    releases = (previous, source.release if isinstance(source, StoredRun) else None)
    released = (release.folder / name for release in releases if release is not None)
    if (stored := next((path for path in released if find_stored_index(source, path)), None)) is not None:
        return name, stored.read_bytes()
    return name, index_bytes(index_of(source) if isinstance(source, RunFolder) else compute_index(source))


def _build_texts(source: ReleaseSource, selection: ReleaseSelection) -> dict[str, str]:
    """Return the files of records of a release by name; a file without a record is left out."""
    judges = merge_identities(source.runs).values()
    provenances = ((run.run.run_id, run.provenance) for run in source.runs)
    vouched = [Vouched(run_id=run_id, provenance=known) for run_id, known in provenances if known is not None]
    return {
        RUNS: "".join(run.run.model_dump_json(by_alias=True) + "\n" for run in source.runs),
        JUDGES: "".join(judge.model_dump_json() + "\n" for judge in judges),
        PROVENANCE: "".join(voucher.model_dump_json() + "\n" for voucher in vouched),
        TOMBSTONES: format_decisions(selection.tombstones),
    }
