"""Rows of the boards of pairs: which cells a row has, in which order.

A site of hundreds of pairs has tens of thousands of rows, so that they are put together here, not by a template.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache

from markupsafe import Markup

from ircore.core.score_records import Part
from ircore.core.untrusted_text import format_one_line
from ircore.results.model import BoardRow, Cell
from ircore.results.statistics.intervals import Estimate
from ircore.results.tables.pairs import MOST_NAMES
from ircore.submissions.decisions import Decision
from leaderboard.components import values
from leaderboard.components.board_cells import (
    AmountColumn,
    Heat,
    ends,
    format_doubt,
    link_pair_page,
    mark_unsorted,
    rank_cell,
    render_chance_cells,
    render_heat_column,
    render_played_cell,
    render_rated_cell,
)
from leaderboard.components.markup import REMEMBERED, macro
from leaderboard.components.players import dispute, pair_name, render_fact_cells, render_own_family, tier_badge
from leaderboard.components.values import dot, main_dot
from leaderboard.model.site import Pair
from leaderboard.model.trust import Tier
from leaderboard.words import format_share


@dataclass(frozen=True, kw_only=True)
class Listed:
    """A row of any board: a pair, with the values that the menus above the board filter by.

    >>> from leaderboard.model.site import MarkedPlayers
    >>> from leaderboard.model.trust import HERE
    >>> Listed(pair=MarkedPlayers("seer", "painter", "", hue=0, shape=0), tier=HERE, budget="200", disputed=None).makers
    ''
    """

    pair: Pair
    """The pair, with its name and marks on the site."""

    tier: Tier
    """Trust tier of the row."""

    budget: str
    """Short description of the pair's rules."""

    disputed: Decision | None
    """The dispute about its run that is not settled."""

    makers: str = ""
    """Organisations that made the models, as far as they are stated."""

    weights: str = ""
    """Whether both models have open weights, in words."""


@dataclass(frozen=True, kw_only=True)
class RowView(Listed):
    """A row of a judge's board, with all values that its cells show.

    Example:
        >>> from types import SimpleNamespace
        >>> row = SimpleNamespace(cell="its numbers")
        >>> RowView(pair=None, tier=None, budget="200", disputed=None, row=row, heats=()).cell
        'its numbers'
    """

    row: BoardRow
    """Rank and numbers."""

    heats: tuple[tuple[Heat, ...], ...]
    """Small cells, one tuple a column."""

    parts: tuple[tuple[Part, Estimate], ...] = ()
    """Share of right facts by part, on the boards of judge verified."""

    references: tuple[float, ...] = ()
    """Ceilings and floors with the same generator, on the scale of the main score."""

    headline: Estimate | None = None
    """Mean of the measure that the board is by, in its own unit; None where judges give a similarity."""

    measures: tuple[Estimate, ...] = ()
    """Means of the further measures that the game's boards show."""

    @property
    def cell(self) -> Cell:
        """Aggregates of the pair under the board's condition."""
        return self.row.cell

    @property
    def date(self) -> str:
        """Day on which play began."""
        return self.row.submission.run.started[:10]

    @property
    def version(self) -> str:
        """Version of the package that played the run."""
        return self.row.submission.run.version


@dataclass(frozen=True)
class MeasureColumn:
    """The column of a measure of a game that measures itself.

    >>> MeasureColumn("accuracy", "Accuracy", "0–1", "Accuracy, mean over played episodes.", digits=2).export
    'accuracy accuracy_low:low accuracy_high:high accuracy_n:n'
    """

    key: str
    """Of the measure."""

    title: str
    """Heading; may be a plug-in's words, so escape it."""

    unit: str
    """Range or unit, as it stands in the heading."""

    about: str
    """What it is, in a sentence."""

    digits: int
    """Decimals."""

    lower: bool = False
    """Whether lower is better, so that the lowest stands first."""

    @property
    def export(self) -> str:
        """Columns of files that readers export, as ``board.js`` reads them."""
        return f"{self.key} {self.key}_low:low {self.key}_high:high {self.key}_n:n"


@dataclass(frozen=True, kw_only=True)
class RowLayout:
    """What the cells of a board's rows are."""

    rated: bool
    """Whether the judge rates single pictures; one that only compares gives no scores and no ranks."""

    said: str
    """Why none has a rank where that is said above the board, as ``Cell.unranked``; empty where rows say it."""

    grouped: bool
    """Whether a row leads with the letter of its group."""

    against: bool
    """Whether pairs can be compared with a chosen pair, and have a chance of being best."""

    doubted: bool
    """Whether the judge tells facts, some of which may be undecided."""

    preferred: bool
    """Whether the judge compared first and final renderings."""

    measures: Sequence["MeasureColumn"]
    """The measure that the board is by, and further ones, of a game that measures itself; empty where judges rate."""

    amounts: Sequence[AmountColumn]
    """Columns of what episodes take."""

    models: bool
    """Whether any submission states facts about its models."""

    levels: Sequence[str]
    """Difficulties whose small cells stand over one another; empty for one small cell a column."""

    columns: Sequence[str]
    """Headings of the columns of small cells."""

    parts: Sequence[Part]
    """Parts of scenes that have columns, on the boards of judge verified."""

    season: str
    """Season whose secret set the gaps are to."""

    gaps: Mapping[str, Estimate] | None
    """Gap of each pair between the public and the season's set, by run id; None for no such column."""

    same_family: str
    """Explanation of the dagger on pairs of the judge's own family."""


def board_rows(lines: Sequence[RowView], layout: RowLayout, root: str, anchor: str) -> Markup:
    """Return the rows of a board.

    Args:
        lines: The rows, best first.
        layout: What their cells are.
        root: Relative address of the site's root.
        anchor: Where the episodes of the board's condition stand on a pair's page.
    """
    rows, group = [], 1
    for line in lines:
        first = layout.grouped and line.row.group is not None and line.row.group > group
        if first and line.row.group is not None:
            group = line.row.group
        pair, cells = line.pair, _render_cells(line, layout, len(lines), root, link_pair_page(line.pair, root, anchor))
        players, apart = (format_one_line(pair.describer), format_one_line(pair.generator)), format_one_line(pair.apart)
        rows.append(macro("board_row")(line, *players, pair.result.rules.key, apart, layout.rated, first, cells))
    return Markup("").join(rows)


def _render_cells(line: RowView, layout: RowLayout, rows: int, root: str, episodes: str) -> Iterator[Markup]:
    """Yield the cells of a row; ``episodes``: where the episodes behind its numbers stand."""
    cell, page = line.cell, link_pair_page(line.pair, root)
    if layout.rated:
        yield rank_cell(line.row, rows, layout.grouped)
    yield _pair_cell(line, layout, root)
    if layout.rated:
        yield _render_main_cell(line, layout, episodes)
        if layout.against:
            yield render_chance_cells(line.row)
        if layout.measures:
            yield from _measure_cells(line, layout, episodes)
        else:
            quality = ends(cell.score) + format_doubt(cell)
            shown = values.render_stacked_quality(cell)
            yield macro("number_cell")("quality-column g-score", "Score", quality, shown, episodes)
        yield render_played_cell(cell, page)
        yield render_rated_cell(cell, episodes)
    else:
        yield _render_preference_cell(line, layout, episodes)
    yield from _render_small_cells(line, layout, page)
    yield from _render_part_cells(line, layout, episodes)
    if layout.gaps is not None:
        yield _render_gap_cell(layout.gaps.get(line.pair.run_id), layout.season)
    yield from _change_cells(cell, layout, page, episodes)
    yield from (amount.cell(cell, episodes) for amount in layout.amounts)
    if layout.models:
        yield render_fact_cells(line.pair)
    yield _render_provenance_cells(line, root)


def _measure_cells(line: RowView, layout: RowLayout, episodes: str) -> Iterator[Markup]:
    for place, (column, estimate) in enumerate(zip(layout.measures, (line.headline, *line.measures), strict=True)):
        if estimate is not None:
            # The main score says the same as the headline, which stands among the details.
            group = "g-measures" if place else "g-score"
            shown = values.stacked(estimate, column.digits, "no value", end_digits=column.digits)
            yield macro("number_cell")(group, column.title, ends(estimate), shown, episodes)


def _pair_cell(line: RowView, layout: RowLayout, root: str) -> Markup:
    names = f"{format_one_line(line.pair.describer)} {format_one_line(line.pair.generator)}"
    why = values.no_rank(line.row) if layout.rated and line.cell.unranked != layout.said else ""
    return macro("pair_cell")(names, pair_name(line.pair, root), why, _list_seats(line.pair))


def _list_seats(pair: Pair) -> list[tuple[str, str]]:
    """Return seats and players of a run that goes by its submission's name, unless that names them all."""
    result = pair.result
    taken = [seat for seat in result.game.seats if seat.name in result.run.submission.players]
    if len(taken) <= MOST_NAMES or all(label in result.run.submission.name for label in result.players):
        return []
    return [(seat.title.lower(), format_one_line(label, 40)) for seat, label in zip(taken, result.players, strict=True)]


def _render_main_cell(line: RowView, layout: RowLayout, episodes: str) -> Markup:
    main, shown = line.cell.main, values.main_score(line.cell)
    if main.mean is None:
        return macro("score_cell")("Main score", ends(main), "", shown)
    plot = main_dot(line.cell, line.pair.hue, False, line.references)
    return macro("score_cell")("Main score", ends(main), episodes, shown, _mark_own_family(line, layout), plot)


def _render_preference_cell(line: RowView, layout: RowLayout, episodes: str) -> Markup:
    preference = line.cell.preference
    label, attributes = "Final preferred, %", ends(preference)
    if preference.mean is None:
        return macro("score_cell")(
            label, attributes, "", values.missing("not asked, or no episode of several renderings")
        )
    plot = dot(preference, line.pair.hue, 0, 1, 0.5, labelled=False)
    shown, family = macro("value")(format_share(preference.mean)), _mark_own_family(line, layout)
    return macro("score_cell")(label, attributes, episodes, shown, family, plot, preference.n)


def _mark_own_family(line: RowView, layout: RowLayout) -> Markup:
    return render_own_family(layout.same_family) if line.cell.same_family else Markup()


def _render_small_cells(line: RowView, layout: RowLayout, page: str) -> Iterator[Markup]:
    if layout.levels and layout.columns:
        yield macro("level_cell")(layout.levels)
    for heats, heading in zip(line.heats, layout.columns, strict=True):
        yield render_heat_column(heats, page, heading, 1 if layout.rated else 10)


def _render_part_cells(line: RowView, layout: RowLayout, episodes: str) -> Iterator[Markup]:
    shares = dict(line.parts)
    for part in layout.parts:
        label, right = f"{part.capitalize()}, %", shares.get(part)
        if right is None:
            yield macro("number_cell")("g-facts", label, mark_unsorted(), values.missing("not verified"))
        else:
            shown = values.share(right, "no fact of this part can be told")
            yield macro("number_cell")("g-facts", label, ends(right), shown, episodes)


def _render_gap_cell(gap: Estimate | None, season: str) -> Markup:
    attributes, shown = mark_unsorted(), values.missing(f"not played on the set of season {season}")
    if gap is not None:
        attributes = ends(gap)
        shown = values.stacked(gap, 1, "no main score on one of the sets", as_difference=True, improves=False)
    return macro("number_cell")("season-gap", "Public − secret", attributes, shown)


def _change_cells(cell: Cell, layout: RowLayout, page: str, episodes: str) -> Iterator[Markup]:
    if not layout.rated:
        yield render_played_cell(cell, page)
        return
    if layout.measures:
        return
    change = values.stacked(cell.delta, 2, "no episode of two or more rated renderings", as_difference=True)
    yield macro("number_cell")("g-refinement", "ΔQ", ends(cell.delta), change, episodes)
    if layout.preferred:
        shown = values.share(cell.preference, "not asked, or no episode of several renderings")
        yield macro("number_cell")("g-preference", "Preferred, %", ends(cell.preference), shown, episodes)


def _render_provenance_cells(line: RowView, root: str) -> Markup:
    objection = dispute(line.disputed, line.pair, root) if line.disputed else ""
    return _render_origin(line.tier, line.date, line.version, objection)


@lru_cache(maxsize=REMEMBERED)
def _render_origin(tier: Tier, date: str, version: str, objection: str) -> Markup:
    """Return the cells of a row's trust, with an objection to it, and of the day and the version of play."""
    shown, short = format_one_line(version), format_one_line(version, 24)
    return macro("provenance_cells")(tier, date, tier_badge(tier), objection, shown, short)
