"""The page of a submission that was handed in and not played yet."""

import shlex
from urllib.parse import quote

from ircore.core.records import Submission
from ircore.players.submission import LoadedSubmission
from ircore.submissions.history import status_of
from leaderboard.pages.board_views import View, view_path
from leaderboard.pages.pairs import credit_lines, player_words
from leaderboard.site import Page, Site
from leaderboard.tiers import REPORTED


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
            "transcripts": _transcripts(submission),
            "tier": REPORTED,
            "history": site.history(loaded.slug),
            "status": status_of(site.history(loaded.slug)),
            "links": sorted(submission.links.items()),
            "command": f"ircore play {shlex.quote(f'submissions/{loaded.slug}')} --instances INSTANCES --out RUN",
        },
    )


def _settings(submission: Submission) -> list[tuple[str, str]]:
    rules = submission.rules
    return [
        ("Name", submission.name),
        ("Describer", player_words(submission.describer)),
        ("Generator", player_words(submission.generator)),
        ("Token budget", f"{rules.token_budget} a message; over budget: {rules.over_budget}"),
        ("Turn limit", str(rules.max_turns)),
        *credit_lines(submission),
    ]


def _transcripts(submission: Submission) -> dict[str, str] | None:
    """Return where its transcripts are, in words and as an address of the Hub; None if it names none."""
    one = submission.transcripts
    if one is None:
        return None
    address = f"https://huggingface.co/datasets/{quote(one.repo)}/tree/{one.revision}/{quote(one.run)}"
    return {"text": f"{one.repo} at {one.revision}, run {one.run}", "address": address}
