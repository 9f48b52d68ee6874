"""Cells of the matrix of describers and generators: numbers, rendering and trust of one pair."""

from collections.abc import Iterable
from dataclasses import dataclass
from functools import lru_cache
from typing import Any
from urllib.parse import quote

from markupsafe import Markup, escape

from ircore.core.untrusted_text import one_line
from ircore.results.model import BoardRow, Cell
from ircore.results.tables.intervals import money_digits
from ircore.results.tables.ranks import why_no_rank
from leaderboard.components.episodes import picture
from leaderboard.components.markup import safe
from leaderboard.components.players import own_family, tier_badge
from leaderboard.components.plots import main_dot
from leaderboard.components.values import badge, main_score, missing, quality, rated
from leaderboard.model.site import Gallery, Pair
from leaderboard.model.trust import Tier
from leaderboard.storage.pictures import Shown
from leaderboard.words.labels import number, rank, signed

_REMEMBERED = 4_096
"""Pairs whose names and addresses are kept."""


@dataclass(frozen=True)
class MatrixCell:
    """Numbers and rendering of a pair.

    Example:
        >>> from types import SimpleNamespace
        >>> row = SimpleNamespace(cell="the numbers of the pair")
        >>> MatrixCell(pair=None, row=row, tier=None, picture=None, score=None).cell
        'the numbers of the pair'
    """

    pair: Pair
    """The pair."""

    row: BoardRow
    """Rank and numbers under the page's condition."""

    tier: Tier
    """Trust tier of the pair."""

    picture: Shown | None
    """The pair's final rendering of the page's target; None if it made no rendering."""

    score: float | None
    """The final score on that target, 0–10, by the page's judge."""

    references: tuple[float, ...] = ()
    """Ceilings and floors with the same generator, on the scale of the main score."""

    @property
    def cell(self) -> Cell:
        """Aggregates of the pair under the matrix's condition."""
        return self.row.cell


def is_priced(rows: Iterable[Any]) -> bool:
    """Return whether a cell of some rows of a matrix names a price."""
    return any(place.cell.amounts["cost"].mean for row in rows for cell in row.cells for place in cell)


def condition_cell(
    cell: MatrixCell, gallery: Gallery | None, root: str, anchor: str, judge: str, same_family: str
) -> Markup:
    """Return the cell of a pair on the matrix of a condition.

    Args:
        cell: The pair and its numbers.
        gallery: Target whose renderings are shown; None for no renderings.
        root: Relative address of the site's root.
        anchor: Anchor on the pair's page of the episodes behind its numbers.
        judge: Judge that gave the scores.
        same_family: Explanation of the dagger where judge and describer are of one model family.
    """
    aggregates, episodes = cell.cell, _episodes(root, cell.pair.path, anchor)
    price = aggregates.amounts["cost"].mean
    words = "cost not known" if price is None else f"US$ {number(price, money_digits(price, 2))}"
    cost = "" if price == 0 else f' <span class="muted">{words}</span>'
    delta = aggregates.delta.mean
    change = "" if delta is None else f'<span class="muted">ΔQ {signed(delta)}</span>'
    numbers = (
        f'<a class="matrix-score" href="{episodes}">{main_score(aggregates)}</a>{_main_dot(cell)}\n'
        f'<span class="muted">{_rank_words(cell)}</span> <span class="muted">score {quality(aggregates)}</span> '
        f'<span class="muted">played {aggregates.played}/{aggregates.episodes}</span> '
        f'<span class="muted rated">rated {rated(aggregates)}</span> '
        f"{change}{cost}\n"
    )
    return _cell(cell, gallery, root, judge, numbers, same_family)


def _main_dot(cell: MatrixCell) -> Markup:
    return main_dot(cell.cell, cell.pair.hue, references=cell.references)


def _rank_words(cell: MatrixCell) -> str:
    if cell.row.rank_low is None:
        return f"no rank: {escape(why_no_rank(cell.row))}"
    return f"rank {rank(cell.row.rank_low, cell.row.rank_high)}"


def target_cell(cell: MatrixCell, gallery: Gallery, root: str, anchor: str, judge: str, same_family: str) -> Markup:
    """Return the cell of a pair on the matrix of a target: its score there, and its main score on similar targets.

    Args:
        cell: The pair and its numbers.
        gallery: The target.
        root: As in ``condition_cell``.
        anchor: As in ``condition_cell``.
        judge: As in ``condition_cell``.
        same_family: As in ``condition_cell``.
    """
    value = missing("not scored") if cell.score is None else f'<span class="value">{number(cell.score)}</span>'
    numbers = (
        f'<a class="matrix-score" href="{_row(root, gallery, cell.pair.key)}">{value}</a>\n'
        f'<span class="muted">such targets: main score <a href="{_episodes(root, cell.pair.path, anchor)}">'
        f'{main_score(cell.cell)}</a></span> <span class="muted">'
        f"played {cell.cell.played}/{cell.cell.episodes}</span>\n"
    )
    return _cell(cell, gallery, root, judge, numbers, same_family)


def _cell(cell: MatrixCell, gallery: Gallery | None, root: str, judge: str, numbers: str, same_family: str) -> Markup:
    shown = "" if gallery is None else _picture(cell, gallery, root, judge)
    family = own_family(same_family) if cell.cell.same_family else ""
    apart = f' <span class="muted">{escape(cell.pair.apart)}</span>' if cell.pair.apart else ""
    return safe(
        f'<div class="matrix-cell">\n{shown}<div class="matrix-numbers">{numbers}{family}{tier_badge(cell.tier)}{apart}'
        "</div></div>\n"
    )


def _picture(cell: MatrixCell, gallery: Gallery, root: str, judge: str) -> str:
    if cell.picture is None:
        shown = safe(f'<span class="no-picture">{missing("no rendering of this target")}</span>')
    else:
        words = f"{gallery.title}, final rendering by {_players(cell.pair.describer, cell.pair.generator)}"
        shown = picture(cell.picture, words, root) + badge(cell.score, f", judged by {judge}")
    key = escape(cell.pair.key)
    return f'<a class="matrix-picture" data-pair="{key}" href="{_row(root, gallery, cell.pair.key)}">{shown}</a>\n'


@lru_cache(maxsize=_REMEMBERED)
def _players(describer: str, generator: str) -> str:
    return f"{one_line(describer, 60)} + {one_line(generator, 60)}"


def _row(root: str, gallery: Gallery, key: str) -> str:
    """Return the address of a pair's row in the gallery."""
    return f"{root}gallery/{gallery.instance.instance_id}.html{_query(key)}"


@lru_cache(maxsize=_REMEMBERED)
def _query(key: str) -> Markup:
    return escape(f"?pair={quote(key)}#{key}")


@lru_cache(maxsize=_REMEMBERED)
def _episodes(root: str, path: str, anchor: str) -> Markup:
    return escape(f"{root}{path}.html#{anchor}")
