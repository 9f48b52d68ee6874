"""What boards show beside their pairs: ceilings and floors, and the gap between a public set and a secret season's.

Ceilings and floors are the scores of reference describers with the same generator, drawn as lines. The gap is a column
of its own.
"""

from dataclasses import dataclass
from pathlib import Path

from ircore.core.errors import InputError
from ircore.results.model import Results
from ircore.results.statistics.intervals import Estimate
from ircore.results.tables.model import Column
from ircore.results.tables.sensitivity import SEASON_COLUMNS
from ircore.submissions.seasons import SeasonGaps, read_season_gaps
from leaderboard.model.site import Pair, Site
from leaderboard.pages.board_views import BoardView, select_view_results

GAP = next(column for column in SEASON_COLUMNS if column.key == "gap")


@dataclass(frozen=True)
class SeasonColumn:
    """The gaps that stand on a board.

    >>> SeasonColumn("spring", "3f" * 6, {"classical-canvas": Estimate(10, 5, 15, 40)}).column.title
    'public − secret'
    """

    season: str
    """Name of the season."""

    identity: str
    """First digits of the identity of the season's set; of the commitment to it while it is secret."""

    gaps: dict[str, Estimate]
    """Gap of each pair that played both sets, by run id."""

    pictures: int | None = None
    """Pictures that each pair played of a set that stays secret; None if the whole set was played and published."""

    column: Column = GAP
    """Heading, unit and description."""


def check_season(site: Site, file: Path | None, pulled: Path) -> SeasonGaps | None:
    """Return gaps that belong to a site, or None if there are none.

    Args:
        site: Whose runs are shown.
        file: File of gaps that was asked for.
        pulled: Where ``release pull`` puts a release's gaps: shown if no file was asked for, as far as they fit.

    Raises:
        InputError: The gaps that were asked for are of another public set, of a judge that rated nothing, or of other
            runs; or a file is damaged.
    """
    if file is None:
        # Pulled gaps were not asked for: gaps that do not fit the site are passed over instead of being an error.
        gaps = read_season_gaps(pulled) if pulled.is_file() else None
        fits = gaps is not None and gaps.public == site.results.instance_set and gaps.judge in site.results.judges
        return gaps if fits else None
    gaps = read_season_gaps(file)
    if gaps.public != site.results.instance_set:
        raise InputError(
            f"--season: the gaps of season {gaps.season.season} are to another public set, {gaps.public[:12]}",
            "Make them with the runs of this site: ircore maintain season gap … --public RUN --out FILE",
        )
    if gaps.judge not in site.results.judges:
        raise InputError(f"--season: judge {gaps.judge} has rated no run of the site", "Rate the runs by it first.")
    if not any(gap.run_id in site.pairs for gap in gaps.gaps):
        raise InputError(
            f"--season: no run of the site has a gap to season {gaps.season.season}",
            "Make the gaps with the runs of this site: ircore maintain season gap … --public RUN --out FILE",
        )
    return gaps


def build_season_column(site: Site, view: BoardView) -> SeasonColumn | None:
    """Return the column of gaps of a board; None unless gaps of its judge and category are given."""
    season = site.season
    if season is None or (view.judge, view.category, view.difficulty) != (season.judge, season.category, None):
        return None
    gaps = {gap.run_id: gap.estimate for gap in season.gaps}
    # The set of a secret season has no public identity yet, only a commitment.
    shown = (season.season.identity or season.season.commitment)[:12]
    return SeasonColumn(season.season.season, shown, gaps, season.pictures)


@dataclass(frozen=True)
class _ReferenceLine:
    """A reference describer with one generator under the rules of a pair."""

    describer: str
    """Its name, such as ``scene``."""

    generator: str
    """May be a stranger's words, so escape it."""

    value: float
    """Ten times its mean score, 0–100: of what it played, since photographs have no scene to be told."""


def list_pair_references(site: Site, view: BoardView, pair: Pair) -> tuple[_ReferenceLine, ...]:
    """Return the references of a pair: with the same generator, under the same rules, best first."""
    if not site.game.is_judged:
        return ()
    run, key = pair.result.run, (view.category, view.difficulty, view.judge)
    lines = []
    for reference in site.results.references:
        other, cell = reference.submission.run, reference.cells.get(key)
        same = other.submission.players["generator"] == run.submission.players["generator"] and other.rules == run.rules
        if same and cell is not None and cell.score.mean is not None:
            lines.append(_ReferenceLine(reference.submission.describer, pair.generator, 10 * cell.score.mean))
    return tuple(sorted(lines, key=lambda line: -line.value))


def list_board_references(site: Site, view: BoardView) -> list[_ReferenceLine]:
    """Return every reference line of a board, each once."""
    results: Results = select_view_results(site, view)
    lines = [
        line
        for submission in results.submissions
        for line in list_pair_references(site, view, site.pairs[submission.run_id])
    ]
    # Several describers share a generator, and each of these pairs has the same references.
    return list(dict.fromkeys(lines))
