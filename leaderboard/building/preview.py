"""Preview of a submission: its future page on the site and, if it was played, its place on the board."""

from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

from ircore.core.errors import InputError
from ircore.core.plugins import require_extras
from ircore.core.submission_records import Submission
from ircore.games.registry import load_game
from ircore.players.submission import LoadedSubmission
from ircore.results.model import Results
from ircore.results.ranking import RankedRow
from ircore.results.subsets import count_ranked, list_board_rows
from ircore.results.tables.pairs import explain_no_rank
from leaderboard.model.section import split_runs
from leaderboard.model.site import Pair, Site
from leaderboard.model.site_runs import read_runs
from leaderboard.words import describe_estimate, rank


def preview(loaded: LoadedSubmission, runs: Sequence[Path], out: Path) -> list[str]:
    """Build a site that shows a submission beside the pairs of some runs: the entry point ``ircore.previews: site``.

    Args:
        loaded: The submission.
        runs: Scored runs, its own among them if it was played.
        out: The site's folder.

    Returns:
        Lines for people: where its page is, and what place it takes.

    Raises:
        InputError: There are no runs, or they cannot be shown together.
    """
    require_extras("a preview", ["site"])
    # Imported late: these modules need the extra.
    from leaderboard.building.content import Options
    from leaderboard.building.site_build import build_site

    if not runs:
        raise InputError(
            "--preview: no runs to compare the submission with",
            "Name scored runs: --runs build/demo/runs/builtin-classical-canvas",
        )
    build_site(runs, out, Options(waiting=loaded))
    if not load_game(loaded.submission.game).is_judged:
        return list(_place_in_game(loaded.slug, loaded.submission, runs, out))
    site = Site(read_runs(split_runs(runs)[0]))
    pairs = [pair for pair in site.pairs.values() if pair.result.slug == loaded.slug]
    if not pairs:
        return list(_report_unplayed(loaded.slug, loaded.submission, out))
    return [line for pair in pairs for line in _report_played(site, pair, loaded.submission, out)]


def _report_unplayed(slug: str, submission: Submission, out: Path) -> Iterator[str]:
    """Yield lines with the page of a submission without a run and the reason why it has no rank yet."""
    waits = "its transcripts are scored" if submission.transcripts else "maintainers play it"
    yield f"page   {out / 'pairs' / slug}.html"
    yield f"place  none yet: {waits} once it is merged"


def _place_in_game(slug: str, submission: Submission, runs: Sequence[Path], out: Path) -> Iterator[str]:
    """Yield lines with the board of a game other than reconstruction and the submission's rank on that board."""
    folders = [folder for folder in split_runs(runs)[1] if folder.game == submission.game]
    if slug not in {folder.run.slug for folder in folders}:
        yield from _report_unplayed(slug, submission, out)
        return
    results = Results.from_runs(folders)
    yield f"page   {out / 'games' / submission.game / 'boards' / 'index.html'}"
    for row in list_board_rows(results):
        if row.submission.run.slug == slug:
            yield f"place  {_place(row, count_ranked(results, row.submission.rules, results.judges[0]))}"


def _report_played(site: Site, pair: Pair, submission: Submission, out: Path) -> Iterator[str]:
    """Yield lines with the page of a played pair and the pair's rank by each judge."""
    yield f"page   {out / 'pairs' / pair.key}.html"
    if pair.result.run.submission.published != submission.published:
        # Scores of an edited manifest are those of the manifest that was played.
        yield "note   the run was played with another version of the manifest"
    results = site.under(pair.result.rules)
    for judge in results.judges:
        for row in results.board(judge):
            if row.submission.run_id == pair.run_id and row.cell.main.mean is not None:
                shown = f"main score {describe_estimate(row.cell.main, 1)}"
                yield f"place  {_place(row, count_ranked(results, pair.result.rules, judge))} by {judge}: {shown}"


def _place(row: RankedRow[Any, Any], among: int) -> str:
    """Return the rank range of a board row in words, or the reason why the row has no rank."""
    return f"{rank(row.rank_low, row.rank_high)} of {among}" if row.rank_low else f"none ({explain_no_rank(row)})"
