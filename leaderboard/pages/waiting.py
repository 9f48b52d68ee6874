"""The page of a submission that was handed in and not played yet."""

import shlex

from ircore.records import Submission
from ircore.submissions import LoadedSubmission
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
