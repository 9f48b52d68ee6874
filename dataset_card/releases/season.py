"""The gaps to a revealed season in a release: public minus secret main score of each pair, with the season's proof."""

from collections.abc import Collection, Iterator
from pathlib import Path

from dataset_card.releases.record import ReleaseRecord
from dataset_card.releases.stored_release import StoredRelease
from dataset_card.tables.release_source import ReleaseSource
from dataset_card.tables.schema import SCORES
from ircore.core.errors import InputError
from ircore.submissions.seasons import SEASON_GAPS, SeasonGaps, read_season_gaps


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
