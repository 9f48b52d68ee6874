"""Cells of the matrix of describers and generators, and of heat maps of many pairs.

A cell of the matrix has numbers, rendering and trust of one pair; a cell of a heat map leads to a pair, and the small
map has no words.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Any
from urllib.parse import quote

from markupsafe import Markup

from ircore.core.untrusted_text import format_one_line
from ircore.results.model import BoardRow, Cell
from ircore.results.statistics.intervals import are_too_few
from ircore.results.tables.formats import count_money_digits
from ircore.results.tables.pairs import explain_no_rank
from leaderboard.components.episodes import picture
from leaderboard.components.markup import macro
from leaderboard.components.players import render_own_family, tier_badge
from leaderboard.components.values import badge, describe_empty_cell, main_dot, main_score, missing, quality, rated
from leaderboard.model.site import Gallery, Pair
from leaderboard.model.trust import Tier
from leaderboard.storage.pictures import Shown
from leaderboard.theme import score_class
from leaderboard.words import MISSING, format_interval_width, format_signed, number, rank

_REMEMBERED = 4_096
"""Pairs whose names and addresses are kept."""

_TENTH = 10
"""Factor from the scale of the main score, 0-100, to that of the colours, 0-10."""


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
    cell: MatrixCell, gallery: Gallery | None, root: str, anchor: str, judge: str, same_family: str, judged: bool
) -> Markup:
    """Return the cell of a pair on the matrix of a condition.

    Args:
        cell: The pair and its numbers.
        gallery: Target whose renderings are shown; None for no renderings.
        root: Relative address of the site's root.
        anchor: Anchor on the pair's page of the episodes behind its numbers.
        judge: Judge that gave the scores.
        same_family: Explanation of the dagger where judge and describer are of one model family.
        judged: Whether judges give a score beside the main score.
    """
    aggregates, episodes = cell.cell, _link_episodes(root, cell.pair.path, anchor)
    price = aggregates.amounts["cost"].mean
    words = "cost not known" if price is None else f"US$ {number(price, count_money_digits(price, 2))}"
    delta = aggregates.delta.mean
    numbers = macro("condition_numbers")(
        episodes,
        main_score(aggregates),
        main_dot(aggregates, cell.pair.hue, references=cell.references),
        _describe_rank(cell),
        quality(aggregates) if judged else "",
        aggregates,
        rated(aggregates),
        "" if delta is None else format_signed(delta),
        "" if price == 0 else words,
    )
    return _render_cell(cell, gallery, root, judge, numbers, same_family)


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
    value = missing("not scored") if cell.score is None else macro("value")(number(cell.score))
    row, episodes = _link_row(root, gallery, cell.pair.key), _link_episodes(root, cell.pair.path, anchor)
    numbers = macro("target_numbers")(row, value, episodes, main_score(cell.cell), cell.cell)
    return _render_cell(cell, gallery, root, judge, numbers, same_family)


def map_row(places: Sequence[Sequence[MatrixCell]], root: str, anchor: str, of_target: bool) -> Markup:
    """Return the table cells of a row of a heat map, whose pairs lead to their episodes.

    Args:
        places: For each column the pairs that were played, and their numbers.
        root: Relative address of the site's root.
        anchor: Anchor on the pair's page of the episodes behind its numbers.
        of_target: Whether the map is of one target, whose final scores it shows; else it shows main scores.
    """
    return macro("map_row")([[_describe_on_map(cell, root, anchor, of_target) for cell in cells] for cells in places])


def _describe_on_map(cell: MatrixCell, root: str, anchor: str, of_target: bool) -> tuple[str, str, str, str, str]:
    """Return colour, pair, address, tooltip and text of a pair on a heat map."""
    main = cell.cell.main
    value = cell.score if of_target else main.mean
    similarity = value if of_target or value is None else value / _TENTH
    who = _format_players(cell.pair.describer, cell.pair.generator)
    if value is None:
        text, description = (MISSING, "not scored") if of_target else describe_empty_cell(cell.cell)
        colour = "none"
    else:
        text = number(value, 1 if of_target else 0)
        # A final score on one target is no mean, so that few pictures cannot make it unsure.
        colour = "few" if not of_target and are_too_few(main.n) else score_class(similarity or 0.0)
        width = "" if of_target else f" {format_interval_width(main, 1)}"
        description = f"{number(value, 1)}{width}" + (
            "" if of_target else f", rank {rank(cell.row.rank_low, cell.row.rank_high)}"
        )
    href = f"{root}{cell.pair.path}.html#{anchor}"
    return colour, cell.pair.key, href, f"{who}: {description}", text


def small_map(rows: Sequence[Sequence[float | None]]) -> Markup:
    """Return a heat map without words, one unit a cell; cells without a main score stay empty.

    Args:
        rows: Main scores, 0-100, row by row.
    """
    places: dict[str, list[str]] = {}
    for down, row in enumerate(rows):
        for along, value in enumerate(row):
            if value is not None:
                # One path for each colour instead of an element a cell keeps large maps small.
                places.setdefault(score_class(value / _TENTH), []).append(f"M{along} {down}h1v1h-1z")
    paths = [(colour, "".join(marks)) for colour, marks in places.items()]
    return macro("small_map")(max(map(len, rows), default=0), len(rows), paths)


def _describe_rank(cell: MatrixCell) -> str:
    if cell.row.rank_low is None:
        return f"no rank: {explain_no_rank(cell.row)}"
    return f"rank {rank(cell.row.rank_low, cell.row.rank_high)}"


def _render_cell(
    cell: MatrixCell, gallery: Gallery | None, root: str, judge: str, numbers: Markup, same_family: str
) -> Markup:
    shown = "" if gallery is None else _render_picture(cell, gallery, root, judge)
    family = render_own_family(same_family) if cell.cell.same_family else ""
    # Of more than two seats, a row and a column do not say which run it is.
    name = cell.pair.apart or ("" if cell.pair.generator else format_one_line(cell.pair.describer, 60))
    return macro("matrix_cell")(shown, numbers, family, tier_badge(cell.tier), name)


def _render_picture(cell: MatrixCell, gallery: Gallery, root: str, judge: str) -> Markup:
    if cell.picture is None:
        shown = macro("no_picture")(missing("no rendering of this target"))
    else:
        words = f"{gallery.title}, final rendering by {_format_players(cell.pair.describer, cell.pair.generator)}"
        shown = picture(cell.picture, words, root) + badge(cell.score, f", judged by {judge}")
    return macro("matrix_picture")(cell.pair.key, _link_row(root, gallery, cell.pair.key), shown)


@lru_cache(maxsize=_REMEMBERED)
def _format_players(describer: str, generator: str) -> str:
    # Runs of more than two seats go by one name.
    return " + ".join(format_one_line(name, 60) for name in (describer, generator) if name)


def _link_row(root: str, gallery: Gallery, key: str) -> str:
    """Return the address of a pair's row in the gallery."""
    return f"{root}gallery/{gallery.instance.instance_id}.html?pair={quote(key)}#{key}"


def _link_episodes(root: str, path: str, anchor: str) -> str:
    return f"{root}{path}.html#{anchor}"
