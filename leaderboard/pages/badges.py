"""Badges for a README: rank range and main score of a pair, overall and by category, as SVG and for shields.io."""

import json
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import product

from ircore.core.untrusted_text import format_one_line
from ircore.results.model import BoardRow
from ircore.results.tables.pairs import explain_no_rank
from leaderboard.components.markup import macro
from leaderboard.model.site import Pair, Site
from leaderboard.words import format_category, format_interval_width, number, rank

_LABEL = "image reconstruction"
_HEIGHT = 20
_PADDING = 6

_NARROW = frozenset("ijl.,:;'|!()[]ftI1 ")
_WIDE = frozenset("mwMW%@±–—")


@dataclass(frozen=True)
class Badge:
    """Content of one badge.

    >>> badge = Badge("badges/my-pair/overall", "all categories", "reconstruction", "rank 2 of 12", is_ranked=True)
    >>> "rank 2 of 12" in badge.svg()
    True
    """

    path: str
    """Without suffix, relative to the site's root: ``badges/<pair>/<category>``, or ``overall``."""

    condition: str
    """Condition in words: ``all categories``, or a category."""

    label: str
    """Left half: the game, the benchmark's version if it is released, the category."""

    message: str
    """Right half: ``rank 2–4 of 12 · 73.1 ± 4.2``, the main score; or why there is none."""

    is_ranked: bool
    """Whether the pair has a rank."""

    def svg(self) -> str:
        """Return the badge as a picture that needs no font file, script or style sheet."""
        left, right = (_estimate_width(text) + 2 * _PADDING for text in (self.label, self.message))
        fill = "#4a3fa3" if self.is_ranked else "#5a5b66"
        return macro("badge_picture")(self, left, right, _HEIGHT, _PADDING, fill)

    def shields(self) -> str:
        """Return the same as an answer of shields.io's endpoint badge (schema version 1)."""
        colour = "4a3fa3" if self.is_ranked else "lightgrey"
        said = {"schemaVersion": 1, "label": self.label, "message": self.message, "color": colour}
        return json.dumps(said, ensure_ascii=False) + "\n"


def build_badges(site: Site) -> dict[str, list[Badge]]:
    """Return every pair's badges by run_id: the overall badge, then one per category, by the site's judge.

    A rank is among the pairs that were played under the same rules.
    """
    made: dict[str, list[Badge]] = {run_id: [] for run_id in site.pairs}
    for rules, category in product(site.rule_sets, (None, *site.results.categories)):
        board = site.under(rules).board(site.judge, category)
        for row in board:
            pair = site.pairs[row.submission.run_id]
            made[pair.run_id].append(_build_badge(pair, row, category, len(board), site.version.name))
    return made


def build_badge_files(site: Site) -> Iterator[tuple[str, str]]:
    """Yield path and text of every badge, as SVG and as JSON."""
    for badges_of_pair in build_badges(site).values():
        for badge in badges_of_pair:
            yield f"{badge.path}.svg", badge.svg()
            yield f"{badge.path}.json", badge.shields()


def format_badge_snippet(badge: Badge, pair: Pair, address: str) -> str:
    """Return Markdown that shows a badge and leads to the pair's page.

    Args:
        badge: One of the pair's.
        pair: Pair of the badge.
        address: The site's absolute address, ending in a slash; empty leaves a place to fill in.
    """
    base = address or "https://SITE/"
    return f"[![{badge.label}: {badge.message}]({base}{badge.path}.svg)]({base}pairs/{pair.key}.html)"


def _build_badge(pair: Pair, row: BoardRow, category: str | None, pairs: int, version: str | None) -> Badge:
    label = f"{_LABEL} {version}" if version else _LABEL
    condition = "all categories" if category is None else format_category(category).lower()
    return Badge(
        path=f"badges/{pair.key}/{category or 'overall'}",
        condition=condition,
        label=format_one_line(label if category is None else f"{label}, {condition}", 80),
        message=_format_message(row, pairs),
        is_ranked=row.rank_low is not None,
    )


def _format_message(row: BoardRow, pairs: int) -> str:
    """Return rank range and main score in words; for an unranked pair the reason alone, without any number."""
    main = row.cell.main
    # A score without a rank would be read as a result, so the reason stands alone.
    if row.rank_low is None:
        return f"no rank: {explain_no_rank(row)}"
    words = f"rank {rank(row.rank_low, row.rank_high)} of {pairs} · {number(main.mean, 1)}"
    return f"{words} {format_interval_width(main, 1)}".rstrip()


def _estimate_width(text: str) -> int:
    """Return about how many pixels a text has in Verdana at 11 pixels; ``textLength`` evens out the rest."""
    return round(
        sum(
            4.2 if character in _NARROW else 9.6 if character in _WIDE or ord(character) > 0x2E7F else 6.9
            for character in text
        )
    )
