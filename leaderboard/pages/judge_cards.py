"""A page for each judge that took the judge test, and the note on boards about a judge that failed."""

from collections.abc import Iterator
from typing import Any

from markupsafe import Markup

from ircore.scorers.judge_test.card import PASSING
from ircore.scorers.judge_test.page import format_percent, render_card
from leaderboard.model.site import Page, Site
from leaderboard.words.labels import judge_name

FOLDER = "judges"
"""Folder of the pages, relative to the site's root."""


def build_card_pages(site: Site) -> Iterator[Page]:
    """Yield the page of each judge's card."""
    for name, card in site.cards.items():
        body = Markup(render_card(card))  # noqa: S704 - every word of it is escaped there
        heading = f"Judge test: {judge_name(name)}"
        yield Page(card_path(name), heading, "judge_card", {"heading": heading, "body": body})


def card_path(judge: str) -> str:
    """Return where a judge's card stands, without suffix."""
    return f"{FOLDER}/{judge}"


def build_card_notes(site: Site, judge: str) -> dict[str, Any]:
    """Return the judge's test result for a board: page, share of correctly ordered pairs, passed or not."""
    card = site.cards.get(judge)
    # A card without a share of ordered pairs neither passes nor fails, so the board says nothing about the judge.
    if card is None or card.quoted_share is None:
        return {"card": None}
    share, least = format_percent(card.quoted_share, 1), format_percent(PASSING)
    pairs = "pairs of pictures by other drawers" if card.foreign else "ordered pairs of edits"
    return {"card": {"path": card_path(judge), "share": share, "passed": card.passed, "least": least, "pairs": pairs}}
