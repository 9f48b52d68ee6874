"""A submission as the site will show it: its page, and its place on the board as far as it was played."""

import json
import shlex
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from ircore.errors import InputError
from ircore.records import Submission
from ircore.submissions import LoadedSubmission
from ircore.submissions.history import status_of
from leaderboard.board_views import View, view_path
from leaderboard.pairs import credit_lines, player_words
from leaderboard.site import Page, Site
from leaderboard.tiers import REPORTED

EVERYTHING = ("all", "all")
"""Category and difficulty of the row that stands for all episodes."""


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
    try:
        from leaderboard.build import build_site
    except ModuleNotFoundError as error:
        raise InputError(
            f"a preview needs {error.name}, which is not installed", "pip install 'ircore[site]'"
        ) from error
    if not runs:
        raise InputError(
            "--preview: no runs to show the entry beside",
            "Name scored runs: --runs build/demo/runs/builtin-classical-canvas",
        )
    build_site(runs, out, waiting=loaded)
    rows = _rows(out, loaded.slug)
    page = out / "pairs" / f"{loaded.slug}.html"
    return [f"page   {page}" if page.is_file() else f"pages  {out / 'pairs'}", *(_place(row) for row in rows)] + (
        [] if rows else ["place  none: it has not been played (docs/submit.md says how)"]
    )


def waiting_page(site: Site, loaded: LoadedSubmission) -> Page | None:
    """Return the page of a submission that was not played; None if a run of it has a page already."""
    if any(pair.result.slug == loaded.slug for pair in site.pairs.values()):
        return None
    submission = loaded.submission
    rivals = sum(pair.result.run.rules == submission.rules for pair in site.pairs.values())
    return Page(
        f"pairs/{loaded.slug}",
        f"Pair {loaded.slug}",
        "waiting",
        {
            "submission": submission,
            "rivals": rivals,
            "board": view_path(site, View(site.judge, rules=submission.rules)) if rivals else "",
            "settings": _settings(submission),
            "tier": REPORTED,
            "history": site.history(loaded.slug),
            "status": status_of(site.history(loaded.slug)),
            "links": sorted(submission.links.items()),
            "command": f"ircore play {shlex.quote(f'submissions/{loaded.slug}')} --instances INSTANCES --out RUN",
        },
    )


def _settings(submission: Submission) -> list[tuple[str, str]]:
    rules, reference = submission.rules, submission.transcripts
    return [
        ("Name", submission.name),
        ("Describer", player_words(submission.describer)),
        ("Generator", player_words(submission.generator)),
        ("Token budget", f"{rules.token_budget} a message; over budget: {rules.over_budget}"),
        ("Turn limit", str(rules.max_turns)),
        *credit_lines(submission),
        *([("Transcripts", f"{reference.repo} at {reference.revision}, run {reference.run}")] if reference else []),
    ]


def _rows(out: Path, slug: str) -> list[dict[str, Any]]:
    """Return the rows of the built site's own table that are about a submission as a whole, one a judge."""
    table = json.loads((out / "data" / "leaderboard.json").read_bytes())
    return [
        row
        for row in table["rows"]
        if row["submission"] == slug and (row["category"], row["difficulty"]) == EVERYTHING and row["score"] is not None
    ]


def _place(row: dict[str, Any]) -> str:
    low, high = row["rank_low"], row["rank_high"]
    rank = f"{low}" if low == high else f"{low}–{high}"
    interval = f" [{row['score_low']:.2f}, {row['score_high']:.2f}]" if row["score_low"] is not None else ""
    return f"place  {rank} by {row['judge']}: {row['score']:.2f}{interval}, n = {row['score_n']}"
