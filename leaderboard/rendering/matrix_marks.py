"""A pair's place in the matrix, made here because a site has a page for every target and a place for every pair in it.

See ``marks``.
"""

from functools import lru_cache
from urllib.parse import quote

from markupsafe import Markup, escape

from ircore.results.tables.board import why_no_rank
from leaderboard.labels import number, rank, signed
from leaderboard.pages.matrix import MatrixCell
from leaderboard.rendering.marks import badge, missing, picture, safe, score
from leaderboard.rendering.result_marks import main_dot, main_score, rated
from leaderboard.site import Gallery
from leaderboard.text import one_line

_REMEMBERED = 4_096
"""Pairs whose names and addresses are kept."""


def place(cell: MatrixCell, gallery: Gallery | None, root: str, anchor: str, judge: str, same_family: str) -> Markup:
    """Return what stands on the matrix of a condition for one of its pairs.

    Args:
        cell: The pair and its numbers.
        gallery: The target whose renderings are shown; None for none.
        root: The way to the site's root.
        anchor: Where on the pair's page the episodes behind its numbers stand.
        judge: Whose scores these are.
        same_family: What a mark means that judge and describer are of one family.
    """
    aggregates, episodes = cell.cell, _episodes(root, cell.pair.key, anchor)
    cost = "cost not known" if aggregates.cost.mean is None else f"US$ {number(aggregates.cost.mean)}"
    numbers = (
        f'<a class="matrix-score" href="{episodes}">{main_score(aggregates)}</a>{main_dot(aggregates, cell.pair.hue)}\n'
        f'<span class="muted">{_place(cell)}</span> <span class="muted">score {score(aggregates.score)}</span> '
        f'<span class="muted">played {aggregates.played}/{aggregates.episodes}</span> '
        f'<span class="muted rated">rated {rated(aggregates)}</span> '
        f'<span class="muted">ΔQ {signed(aggregates.delta.mean)}</span> <span class="muted">{cost}</span>\n'
    )
    return _whole(cell, gallery, root, judge, numbers, same_family)


def _place(cell: MatrixCell) -> str:
    if cell.row.rank_low is None:
        return f"no rank: {escape(why_no_rank(cell.row))}"
    return f"rank {rank(cell.row.rank_low, cell.row.rank_high)}"


def own_place(cell: MatrixCell, gallery: Gallery, root: str, anchor: str, judge: str, same_family: str) -> Markup:
    """Return what stands on the matrix of a target for one pair: its score there, and what it gets on such targets.

    Args:
        cell: The pair and its numbers.
        gallery: The target.
        root: As in ``place``.
        anchor: As in ``place``.
        judge: As in ``place``.
        same_family: As in ``place``.
    """
    value = missing("not scored") if cell.score is None else f'<span class="value">{number(cell.score)}</span>'
    numbers = (
        f'<a class="matrix-score" href="{_row(root, gallery, cell.pair.key)}">{value}</a>\n'
        f'<span class="muted">such targets: main score <a href="{_episodes(root, cell.pair.key, anchor)}">'
        f'{main_score(cell.cell)}</a></span> <span class="muted">'
        f"played {cell.cell.played}/{cell.cell.episodes}</span>\n"
    )
    return _whole(cell, gallery, root, judge, numbers, same_family)


def _whole(cell: MatrixCell, gallery: Gallery | None, root: str, judge: str, numbers: str, same_family: str) -> Markup:
    shown = "" if gallery is None else _picture(cell, gallery, root, judge)
    family = f'<abbr class="own-family" title="{escape(same_family)}">†</abbr>' if cell.cell.same_family else ""
    tier = f'<span class="tier tier-{cell.tier.key}" title="{escape(cell.tier.description)}">{cell.tier.label}</span>'
    apart = f' <span class="muted">{escape(cell.pair.apart)}</span>' if cell.pair.apart else ""
    return safe(
        f'<div class="matrix-cell">\n{shown}<div class="matrix-numbers">{numbers}{family}{tier}{apart}</div></div>\n'
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
def _episodes(root: str, key: str, anchor: str) -> Markup:
    return escape(f"{root}pairs/{key}.html#{anchor}")
