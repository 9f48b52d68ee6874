"""The gaps to a revealed season in a release: public minus secret main score of each pair, with the season's proof."""

from collections.abc import Collection, Iterator
from pathlib import Path

from dataset_card.tables.source import ReleaseSource
from ircore.core.errors import InputError
from ircore.submissions.season_gaps import SeasonGaps, read_season_gaps

SEASON_GAPS = "season_gaps.json"
"""File of a release, as ``ircore submission season gap --out`` writes it; only if a season was played."""


def season_text(given: SeasonGaps | None, previous: Path | None, source: ReleaseSource) -> str:
    """Return the content of ``season_gaps.json``; empty without a season.

    Args:
        given: Gaps for this release; None to carry on those of the previous release, without runs that are gone.
        previous: Folder of the release before.
        source: Of this release.

    Raises:
        InputError: Gaps that were given are to another public set, or of a run that the release has not.
    """
    gaps = given
    runs = _runs(source)
    former = None if given is not None or previous is None else gaps_of(previous)
    if former is not None:
        kept = tuple(gap for gap in former.gaps if gap.run_id in runs)
        gaps = former.model_copy(update={"gaps": kept}) if kept and former.public == _public(source) else None
    elif gaps is not None and (fault := next(_misfits(gaps, _public(source), runs), None)):
        raise InputError(f"--season: {fault}", "Make the gaps with the runs of this release: … season gap --public RUN")
    return "" if gaps is None else gaps.model_dump_json(indent=2, by_alias=True) + "\n"


def gaps_of(folder: Path) -> SeasonGaps | None:
    """Return the gaps that a release holds, None if it holds none; InputError if they are damaged."""
    return read_season_gaps(folder / SEASON_GAPS) if (folder / SEASON_GAPS).is_file() else None


def season_faults(folder: Path, source: ReleaseSource) -> Iterator[str]:
    """Yield what is wrong with a release's gaps: the season's proof, the public set, a run that is not there."""
    path = folder / SEASON_GAPS
    if not path.is_file():
        return
    try:
        gaps = read_season_gaps(path)
    except InputError as error:
        yield error.problem.removeprefix(f"{path}: ")
        return
    yield from _misfits(gaps, _public(source), _runs(source))


def _misfits(gaps: SeasonGaps, public: str | None, runs: Collection[str]) -> Iterator[str]:
    if gaps.public != public:
        yield f"the gaps of season {gaps.season.season} are to another public set, {gaps.public[:12]}"
    for gap in gaps.gaps:
        if gap.run_id not in runs:
            yield f"run {gap.run_id} is not in the release"


def _public(source: ReleaseSource) -> str | None:
    return None if source.reconstruction is None else source.reconstruction.instances.identity


def _runs(source: ReleaseSource) -> set[str]:
    return {run.run.run_id for run in source.runs}
