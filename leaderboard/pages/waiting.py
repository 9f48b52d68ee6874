"""The page of a submission that was handed in and not played yet, and what every page of its preview says."""

import shlex
from urllib.parse import quote

from markupsafe import escape

from ircore.core.game_records import AnySubmission
from ircore.core.records import Submission
from ircore.games.registry import installed_games
from ircore.players.submission import AnyLoaded
from ircore.submissions.history import status_of
from leaderboard.pages.board_views import View, view_path
from leaderboard.pages.pairs import credit_lines, player_words
from leaderboard.site import Page, Site
from leaderboard.tiers import REPORTED


def waiting_page(site: Site, loaded: AnyLoaded) -> Page | None:
    """Return the page of a submission that was not played; None if a run of it has a page already."""
    if loaded.slug in site.played:
        return None
    submission = loaded.submission
    rivals, board = _rivals(site, submission)
    return Page(
        f"pairs/{loaded.slug}",
        f"Pair {loaded.slug}",
        "waiting",
        {
            "submission": submission,
            "rivals": rivals,
            "board": board,
            "rules": _rule_words(submission),
            "settings": _settings(submission),
            "transcripts": _transcripts(submission),
            "tier": REPORTED,
            "history": site.history(loaded.slug),
            "status": status_of(site.history(loaded.slug)),
            "links": sorted(submission.links.items()),
            "command": f"ircore play {shlex.quote(f'submissions/{loaded.slug}')} --instances INSTANCES --out RUN",
        },
    )


def _rivals(site: Site, submission: AnySubmission) -> tuple[int, str]:
    """Return the number of runs that a submission takes its place among, and the page of their board."""
    if isinstance(submission, Submission):
        rivals = sum(pair.result.run.rules == submission.rules for pair in site.pairs.values())
        return rivals, view_path(site, View(site.judge, rules=submission.rules)) if rivals else ""
    sections = [section for section in site.games if section.game.name == submission.game]
    return sum(len(section.results.runs) for section in sections), sections[0].folder + "/index" if sections else ""


def preview_notice(site: Site, loaded: AnyLoaded) -> str:
    """Return what stands at the top of every page of a preview, as HTML; ``{root}`` is the way to the site's root."""
    page = site.played.get(loaded.slug, f"pairs/{loaded.slug}")
    link = f'<a href="{{root}}{escape(page)}.html">{escape(loaded.slug)}</a>'
    return (
        '<aside class="irg-notice" aria-label="Preview"><p><strong>Preview, not the leaderboard:</strong> '
        f"how the site would look if the submission {link} were merged.</p></aside>"
    )


def _rule_words(submission: AnySubmission) -> str:
    """Return the rules that a submission states; empty if a game's defaults hold."""
    if isinstance(submission, Submission):
        return f"{submission.rules.token_budget} tokens a message, {submission.rules.max_turns} turns"
    return ", ".join(f"{name} {value}" for name, value in submission.rules.items())


def _settings(submission: AnySubmission) -> list[tuple[str, str]]:
    seats = [(seat.capitalize(), player_words(spec)) for seat, spec in submission.players.items()]
    if not isinstance(submission, Submission):
        game = installed_games()[0].get(submission.game)
        about = [("Game", game.title if game else submission.game), ("Name", submission.name)]
        stated = ("Rules", _rule_words(submission) or "the game's own")
        return [*about, *seats, stated, *credit_lines(submission)]
    rules = submission.rules
    return [
        ("Name", submission.name),
        *seats,
        ("Token budget", f"{rules.token_budget} a message; over budget: {rules.over_budget}"),
        ("Turn limit", str(rules.max_turns)),
        *credit_lines(submission),
    ]


def _transcripts(submission: AnySubmission) -> dict[str, str] | None:
    """Return where its transcripts are, in words and as an address of the Hub; None if it names none."""
    one = submission.transcripts
    if one is None:
        return None
    address = f"https://huggingface.co/datasets/{quote(one.repo)}/tree/{one.revision}/{quote(one.run)}"
    return {"text": f"{one.repo} at {one.revision}, run {one.run}", "address": address}
