"""What a release says against the one before it: its name, the changes since, and gaps to a season that stay.

The gaps to a revealed season are public minus secret main score of each pair, with the season's proof.
"""

from collections.abc import Collection, Iterator, Sequence
from pathlib import Path
from typing import NamedTuple

from dataset_card.releases.record import (
    ChangeLogEntry,
    GameRecord,
    ReleaseRecord,
    RunChange,
    RunNote,
    TableRecord,
    compute_content_hash,
    compute_program_key,
    identify_renderer,
    release_name,
    select_layout_configs,
)
from dataset_card.releases.stored_release import StoredRelease, collect_records, open_stored_run
from dataset_card.tables.columns import Config
from dataset_card.tables.game_tables import GameTables, ReleaseSource
from dataset_card.tables.schema import SCORES
from dataset_card.tables.writing import TablePart, compute_layout_key
from ircore.core.errors import InputError
from ircore.core.records import DEFAULT_GAME
from ircore.core.submission_records import Withdrawal
from ircore.results.benchmark_version import Version, find_version
from ircore.results.played_run import PlayedRun
from ircore.submissions.seasons import SEASON_GAPS, SeasonGaps, read_season_gaps


class ReleaseSubject(NamedTuple):
    """What the runs of a release say of it by themselves: benchmark, games and judges.

    >>> from pathlib import Path
    >>> from dataset_card.checking.release_check import check_release
    >>> subject = read_subject(check_release(Path("release")).source)
    >>> [game.name for game in subject.games], subject.judges
    (['reconstruction'], ('structural', 'verified'))
    """

    version: Version | None
    """Of the benchmark; None without runs of its game."""

    games: tuple[GameRecord, ...]
    """The games."""

    judges: tuple[str, ...]
    """Every judge on the boards."""


def read_subject(source: ReleaseSource) -> ReleaseSubject:
    """Return what the runs of a release say of it.

    Raises:
        InputError: Two runs of a game were played with different prompts.
    """
    version = None if source.lead is None else find_version(source.lead.results)
    return ReleaseSubject(version, tuple(_build_game_record(game) for game in source.games), _list_judges(source))


def describe_release(
    source: ReleaseSource,
    configs: tuple[Config, ...],
    parts: tuple[TablePart, ...],
    texts: dict[str, str],
    previous: StoredRelease | None,
    tombstones: Sequence[Withdrawal],
    date: str | None,
) -> ReleaseRecord:
    """Return the record of a release; the same content as the previous release gives the same record.

    Args:
        source: Games of the release.
        configs: Tables of the release.
        parts: Rows that each run adds to each table.
        texts: The content of its files of records, by name.
        previous: The previous release.
        tombstones: Decisions about runs that were withdrawn, corrected or are disputed.
        date: Date of the release, YYYY-MM-DD; None for the day of the newest run or decision.

    Raises:
        InputError: Two runs were played with different prompts.
    """
    subject = read_subject(source)
    games, version = subject.games, subject.version
    layout = compute_layout_key(select_layout_configs(configs))
    content = compute_content_hash(parts, texts, layout)
    tables = tuple(TableRecord.of(config) for config in configs)
    # Where nothing changed, name, date and history stay, and only the marks of the program are written anew.
    if previous is not None and previous.record.content == content and date in (None, previous.record.date):
        written = {
            "games": games,
            "tables": tables,
            "parts": parts,
            "program": compute_program_key(),
            "renderer": identify_renderer(),
        }
        return previous.record.model_copy(update=written)
    # What a dispute ended for may be the newest thing in a release that is newer than the dispute's own release.
    day = date or max(_find_newest_day(source, tombstones), "" if previous is None else previous.record.date)
    benchmark = None if version is None else version.name
    taken = {entry.name for entry in previous.record.history} if previous is not None else set()
    entry = ChangeLogEntry(
        name=release_name(benchmark, day, content, taken),
        date=day,
        added=tuple(_list_added_runs(source, previous)),
        changed=tuple(_list_changed_runs(source, parts, previous, layout)),
        withdrawals=_list_new_decisions(tombstones, previous),
        notes=tuple(_list_notes(source, previous, version)),
    )
    return ReleaseRecord(
        name=entry.name,
        benchmark=benchmark,
        games=games,
        tables=tables,
        date=day,
        content=content,
        layout=layout,
        program=compute_program_key(),
        renderer=identify_renderer(),
        judges=subject.judges,
        parts=parts,
        files=(),  # known once the derived files are written
        parent=previous.as_parent() if previous is not None else None,
        history=(entry, *(previous.record.history if previous is not None else ())),
    )


def _list_new_decisions(tombstones: Sequence[Withdrawal], previous: StoredRelease | None) -> tuple[Withdrawal, ...]:
    # A decision is news once: later releases carry it in their list of tombstones.
    return tuple(step for step in tombstones if previous is None or step not in previous.tombstones)


def _list_judges(source: ReleaseSource) -> tuple[str, ...]:
    own = () if source.lead is None else source.lead.results.judges
    others = {score.by for run in source.runs for score in run.scores if score.task in ("similarity", "preference")}
    return (*own, *sorted(others.difference(own)))


def _build_game_record(tables: GameTables) -> GameRecord:
    """Return the record of a game.

    Raises:
        InputError: Two runs were played with different prompts.
    """
    game = tables.game
    prompts = {run.run.prompts: run.run.run_id for run in tables.runs}
    if len(prompts) > 1:
        (first, run), (second, other) = list(prompts.items())[:2]
        raise InputError(
            f"{run} was played with the prompts {first}, {other} with {second}", "Give runs with the same prompts."
        )
    return GameRecord(
        name=game.name,
        title=game.title,
        paper=game.paper,
        headline=game.headline.title,
        seats=tuple(seat.name for seat in game.seats),
        instance_set=tables.instances.identity,
        prompts=next(iter(prompts)),
    )


def _find_newest_day(source: ReleaseSource, tombstones: Sequence[Withdrawal]) -> str:
    """Return the day of the newest run or withdrawal: no clock, so that the same input gives the same release."""
    days: list[str] = [run.run.started[:10] for run in source.runs]
    return max([*days, *(tombstone.date for tombstone in tombstones)])


def _list_added_runs(source: ReleaseSource, previous: StoredRelease | None) -> Iterator[RunNote]:
    known = previous.runs if previous is not None else {}
    return (RunNote.of(run.run) for run in source.runs if run.run.run_id not in known)


def _list_changed_runs(
    source: ReleaseSource, parts: tuple[TablePart, ...], previous: StoredRelease | None, layout: str
) -> Iterator[RunChange]:
    if previous is None:
        return
    for run in source.runs:
        run_id = run.run.run_id
        own = [part for part in parts if part.run_id == run_id]
        tables = tuple(
            part.config for part in own if (old := previous.parts.get((part.config, run_id))) and old.key != part.key
        )
        if run_id in previous.runs and tables and not (layout != previous.record.layout and _is_same(run, previous)):
            yield RunChange(run=RunNote.of(run.run), tables=tables)


def _is_same(run: PlayedRun, previous: StoredRelease) -> bool:
    """Return whether a run holds what it held: in tables with other columns, the same rows have other keys."""
    former = open_stored_run(previous, previous.runs[run.run.run_id], run.instances)
    return collect_records(run) == former.records and [*run.facts(judge=None)] == [*former.facts()]


def _list_notes(source: ReleaseSource, previous: StoredRelease | None, version: Version | None) -> Iterator[str]:
    if previous is None:
        return
    sets = previous.record.instance_sets
    for game in source.games:
        if game.name not in sets:
            yield f"New game: {game.name}."
        elif game.instances.identity not in sets[game.name]:
            set_name = version.words if version is not None and game.name == DEFAULT_GAME else game.name
            yield f"Other targets: {set_name}. Runs on the former ones stay in the releases before this one."
    now, before = set(_list_judges(source)), set(previous.record.judges)
    for word, names in (("New judges", now - before), ("Judges no longer there", before - now)):
        if names:
            yield f"{word}: {', '.join(sorted(names))}."


def dump_season_gaps(
    further: SeasonGaps | None,
    source: ReleaseSource,
    record: ReleaseRecord,
    previous: StoredRelease | None,
    removed_run_ids: Collection[str] = (),
) -> str:
    """Return the content of ``season_gaps.json``; empty without a gap.

    Gaps of the previous release stay as long as their runs and the scores of these do. Where gaps of another season,
    judge or number of pictures are given, those of before go.

    Args:
        further: Further gaps; None for none.
        source: Of this release.
        record: Of this release, whose newest entry says what changed.
        previous: The release before.
        removed_run_ids: Runs that were taken out: their gaps go with them.

    Raises:
        InputError: Gaps that were given are to another public set, or of a run that the release never had.
    """
    runs, public = _list_run_ids(source), _find_public_set(source)
    gaps = None if further is None else further.of({gap.run_id for gap in further.gaps} - set(removed_run_ids))
    if gaps is not None and (fault := next(_find_misfits(gaps, public, runs), None)):
        raise InputError(f"--season: {fault}", "Make the gaps with the runs of this release: … season gap --public RUN")
    former = None if previous is None else read_gaps(previous.folder)
    # Gaps to another public set say nothing about the runs of this release.
    if former is not None and former.public == public and (gaps is None or former.fits(gaps)):
        # A gap is to a main score that a run which was scored again has no more.
        news = () if previous is None or record.name == previous.record.name else record.history[0].changed
        scored_again = {change.run.run_id for change in news if SCORES.name in change.tables}
        gaps = former.of(runs - scored_again).with_gaps(() if gaps is None else gaps.gaps)
    return gaps.model_dump_json(indent=2, by_alias=True) + "\n" if gaps is not None and gaps.gaps else ""


def read_gaps(folder: Path) -> SeasonGaps | None:
    """Return the gaps that a release holds, None if it holds none; InputError if they are damaged."""
    return read_season_gaps(folder / SEASON_GAPS) if (folder / SEASON_GAPS).is_file() else None


def check_season(folder: Path, source: ReleaseSource) -> Iterator[str]:
    """Yield faults of a release's gaps: in the season's proof, the public set, or the runs that are named."""
    path = folder / SEASON_GAPS
    if not path.is_file():
        return
    try:
        gaps = read_season_gaps(path)
    except InputError as error:
        yield error.problem.removeprefix(f"{path}: ")
        return
    yield from _find_misfits(gaps, _find_public_set(source), _list_run_ids(source))


def _find_misfits(gaps: SeasonGaps, public: str | None, runs: Collection[str]) -> Iterator[str]:
    if gaps.public != public:
        yield f"the gaps of season {gaps.season.season} are to another public set, {gaps.public[:12]}"
    for gap in gaps.gaps:
        if gap.run_id not in runs:
            yield f"run {gap.run_id} is not in the release"


def _find_public_set(source: ReleaseSource) -> str | None:
    return None if source.lead is None else source.lead.instances.identity


def _list_run_ids(source: ReleaseSource) -> set[str]:
    return {run.run.run_id for run in source.runs}
