"""Pages of what maintainers look after: what waits, submissions not played yet, retired targets.

What waits is the list that ``ircore maintain pending`` prints. The page of a retired target says what it shows, why it
was retired, and what the board is with and without it.
"""

import shlex
from collections.abc import Iterator, Sequence
from functools import partial
from pathlib import Path
from typing import Any
from urllib.parse import quote

from ircore.core.records import describe_rules
from ircore.core.submission_records import Submission, build_game_field
from ircore.games.registry import find_title, load_installed_games
from ircore.instances.benchmark import RetiredTarget
from ircore.instances.store import select_published_pictures
from ircore.players.submission import LoadedSubmission
from ircore.results.model import Results
from ircore.results.played_run import PlayedRun
from ircore.results.subsets import list_board_rows
from ircore.runs.folder import RunFolder
from ircore.submissions.decisions import Decision, find_status
from ircore.submissions.pending_work import MergedSubmission, collect_pending_work, read_cleared_runs
from ircore.submissions.services import explain_self_reported
from leaderboard.components.players import describe_player
from leaderboard.model.section import GameSection
from leaderboard.model.site import Page, Site
from leaderboard.model.trust import REPORTED
from leaderboard.pages.board_views import BoardView, view_path
from leaderboard.pages.pairs import list_credits
from leaderboard.words import name_waiting_page

PENDING = "pending"
"""Path of the page."""


def build_pending_page(submitted: Sequence[MergedSubmission], runs: Sequence[Path]) -> Page:
    """Return the page of what waits, what it would cost, what is held and what is disputed.

    Args:
        submitted: All merged submissions.
        runs: The published runs, whose sets count.
    """
    later = partial(_collect_values, submitted, tuple(runs))
    return Page(PENDING, "What waits for maintainers", "pending", later=later, cited=False)


def build_waiting_page(
    site: Site | None, games: Sequence[GameSection], loaded: LoadedSubmission, history: Sequence[Decision] = ()
) -> Page | None:
    """Return the page of a submission that was not played; None if a run of the submission has a page already.

    Args:
        site: Results of the reconstruction game; None for a site of other games alone.
        games: Other games that have results.
        loaded: The submission.
        history: What happened to it since it was merged.
    """
    if loaded.slug in list_played_pages(site, games):
        return None
    submission = loaded.submission
    rivals, board, noun = _count_rivals(site, games, submission)
    return Page(
        waiting_path(site, loaded.slug),
        f"Pair {loaded.slug}",
        "waiting",
        {
            "submission": submission,
            "rivals": rivals,
            "noun": noun,
            "board": board,
            "rules": _describe_rules(submission),
            "settings": _describe_settings(submission),
            "transcripts": _describe_transcripts(submission),
            "tier": REPORTED,
            "unlisted": explain_self_reported(submission),
            "history": history,
            "status": find_status(history),
            "links": sorted(submission.links.items()),
            "command": f"ircore play {shlex.quote(f'submissions/{loaded.slug}')} --instances INSTANCES --out RUN",
        },
        cited=False,
    )


def list_played_pages(site: Site | None, games: Sequence[GameSection]) -> dict[str, str]:
    """Return the slugs of the submissions that have a run on a site, each with the path of a run's page."""
    runs = {pair.result.slug: pair.path for section in games for pair in section.ranked}
    # Reversed, so that the first of several runs of a submission is the one that stands.
    pairs = () if site is None else reversed(site.pairs.values())
    return {**runs, **{pair.result.slug: f"pairs/{pair.key}" for pair in pairs}}


def waiting_path(site: Site | None, slug: str) -> str:
    """Return the path of the page of a submission without a run, which is no run's page."""
    return f"pairs/{name_waiting_page(slug, () if site is None else site.runs)}"


def build_retired_pages(site: Site) -> Iterator[Page]:
    """Yield a page for each target that was retired from the set of a game, where its page stood before.

    Args:
        site: The game's.
    """
    whole = next(iter(site.runs.values())).source.instances
    known = {instance.instance_id: instance for instance in whole.instances}
    for target in site.results.retired:
        # A run may hold a part of its set.
        if (instance := known.get(target.instance_id)) is None:
            continue
        pictures = [
            site.pictures.add(path, file.sha256, file.width, file.height)
            for file in select_published_pictures(instance).values()
            if (path := whole.folder / file.image).is_file()
        ]
        values = {"target": target, "instance": instance, "target_pictures": pictures}
        name = site.path(f"gallery/{target.instance_id}")
        title = f"Retired: {target.instance_id}"
        yield Page(name, title, "retired", values, later=partial(_compare_boards, site, target), cited=False)


def _collect_values(submitted: Sequence[MergedSubmission], runs: Sequence[Path]) -> dict[str, Any]:
    # Of each set one run is enough.
    sets = [run.instances for run in {run.run.instance_set: run for run in map(RunFolder, runs)}.values()]
    return {"work": collect_pending_work(submitted, runs, sets)}


def _count_rivals(site: Site | None, games: Sequence[GameSection], submission: Submission) -> tuple[int, str, str]:
    """Return the number of runs by a submission's rules, the page of their board, and their noun."""
    sections = games if site is None else (site, *games)
    shown = next((section for section in sections if section.game.name == submission.game), None)
    if shown is None:
        return 0, "", "run"
    rules = shown.game.read_rules(submission)
    results = [pair.result for pair in shown.pairs.values()]
    rivals = sum(result.rules == rules and not result.run.reference for result in results)
    return rivals, view_path(shown, BoardView(shown.judge, rules=rules)) if rivals else "", shown.noun


def _describe_rules(submission: Submission) -> str:
    """Return the rules that a submission states; empty if a game's defaults hold."""
    game = load_installed_games()[0].get(submission.game)
    return str(game.read_rules(submission).words) if game else describe_rules(submission.rules)


def _describe_settings(submission: Submission) -> list[tuple[str, str]]:
    named = [("Game", find_title(game)) for game in build_game_field(submission.game).values()]
    seats = [(seat.capitalize(), describe_player(spec)) for seat, spec in submission.players.items()]
    rules = ("Rules", _describe_rules(submission) or "the game's own")
    return [*named, ("Name", submission.name), *seats, rules, *list_credits(submission)]


def _describe_transcripts(submission: Submission) -> dict[str, str] | None:
    """Return text and Hub address of a submission's transcripts; None if the submission names no transcripts."""
    named = submission.transcripts
    if named is None:
        return None
    address = f"https://huggingface.co/datasets/{quote(named.repo)}/tree/{named.revision}/{quote(named.run)}"
    return {"text": f"{named.repo} at {named.revision}, run {named.run}", "address": address}


def _compare_boards(site: Site, target: RetiredTarget) -> dict[str, Any]:
    """Return the board with the target, beside the board of now: runs, scores and ranks."""
    runs = [PlayedRun(run.source) for run in site.results.every_run]
    others = [other for other in site.results.retired if other != target]
    before = Results.from_runs(runs, read_cleared_runs(site.submitted), retired=others)
    judge = site.judge
    former = {row.submission.run_id: row for row in list_board_rows(before, judge)}
    now = list_board_rows(site.results, judge)
    return {"judge": judge, "rows": [(former.get(row.submission.run_id), row) for row in now]}
