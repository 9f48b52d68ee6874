"""Boards of pairs, ranked under one condition by one judge, with a menu for everything in which their rows differ.

Boards of metrics are in ``metric_boards``.
"""

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache, partial
from typing import Any

from ircore.core.score_records import PARTS, Part
from ircore.games.base import Measure
from ircore.results.column import Column
from ircore.results.headline import VERIFIED, sort_judges
from ircore.results.model import BoardRow, Results
from ircore.results.statistics.intervals import Estimate, are_too_few
from ircore.results.statistics.ranks import Standing
from ircore.results.subsets import list_rows_and_references
from ircore.results.tables.board import build_board_columns, measure_column
from ircore.results.tables.fact_tables import ABOUT, estimate_condition_parts
from ircore.results.tables.pairs import FEW, SAME_FAMILY, describe_ties
from ircore.submissions.decisions import open_dispute
from leaderboard.charts.catalogue import make_chart_id
from leaderboard.components.board_cells import Heat, select_amount_columns
from leaderboard.components.board_rows import Listed, MeasureColumn, RowLayout, RowView
from leaderboard.components.markup import REMEMBERED
from leaderboard.components.players import FACTS, describe_weights, format_makers
from leaderboard.model.site import Gallery, Page, Pair, Site
from leaderboard.model.trust import LEGEND, find_tier
from leaderboard.pages.beside_pairs import (
    SeasonColumn,
    build_season_column,
    list_board_references,
    list_pair_references,
)
from leaderboard.pages.board_views import (
    BoardView,
    build_chips,
    describe_applicable,
    describe_leader,
    describe_view,
    format_view_heading,
    format_view_title,
    is_rated,
    judge_words,
    label_rules,
    list_quality_views,
    list_views,
    make_condition_anchor,
    select_view_results,
    split_chips,
    view_path,
)
from leaderboard.pages.citation import dump_provenance
from leaderboard.pages.judges import build_card_notes
from leaderboard.pages.pair_comparison import against_path
from leaderboard.pages.players import build_subject_chips
from leaderboard.words import choose_digits, format_category, shorten_category


@lru_cache(maxsize=REMEMBERED)  # a pair stands on dozens of boards
def collect_menu_fields(site: Site, run_id: str) -> Mapping[str, Any]:
    """Return the fields of ``Listed`` for the pair of a run."""
    pair = site.pairs[run_id]
    disputed = open_dispute(site.history(pair.result.slug), pair.run_id)
    budget = label_rules(site, pair.result.rules)
    models = {"makers": format_makers(pair), "weights": describe_weights(pair)}
    return {"pair": pair, "tier": find_tier(pair.result), "budget": budget, "disputed": disputed, **models}


@dataclass(frozen=True)
class _Menu:
    """A menu above a board that keeps the rows with one value."""

    name: str
    """Name of the menu in addresses and in the rows' data attribute."""

    label: str
    """Label of the menu."""

    options: tuple[str, ...]
    """Values to choose from; may be strangers' words, so escape them."""


def build_menus(lines: Sequence[Listed], seats: Sequence[str] = ("Describer", "Generator")) -> list[_Menu]:
    """Return a menu for everything in which the rows differ.

    Args:
        lines: The rows.
        seats: Titles of the seats whose players' names the rows have.

    >>> from leaderboard.model.site import MarkedPlayers
    >>> from leaderboard.model.trust import HERE, PAPER
    >>> pair = MarkedPlayers("seer", "painter", "", hue=0, shape=0)
    >>> rows = [Listed(pair=pair, tier=tier, budget="200 tokens", disputed=None) for tier in (HERE, PAPER)]
    >>> [(tool.name, tool.options) for tool in build_menus(rows)]  # the only difference between the two rows
    [('tier', ('paper', 'played here'))]
    """
    choices = {
        "describer": (seats[0], [line.pair.describer for line in lines]),
        "generator": (seats[-1], [line.pair.generator for line in lines]),
        "budget": ("Rules", [line.budget for line in lines]),
        "tier": ("Trust", [line.tier.label for line in lines]),
        "makers": ("Maker", [line.makers for line in lines]),
        "weights": ("Weights", [line.weights for line in lines]),
    }
    menus = (_Menu(name, label, tuple(sorted(filter(None, set(values))))) for name, (label, values) in choices.items())
    # A menu with a single choice could not narrow the board.
    return [menu for menu in menus if len(menu.options) > 1]


_THUMBNAILS = 24
"""Targets shown under a board; the gallery has all."""


@dataclass(frozen=True)
class _HeatColumn:
    """A column of small cells: one column per category, easy over hard, or one per difficulty."""

    key: str
    """Name of the sort key in addresses."""

    short: str
    """Heading."""

    title: str
    """Heading in full."""

    conditions: tuple[tuple[str, str | None], ...]
    """Category and difficulty of each small cell; difficulty None for both in one cell."""


def build_board_pages(site: Site) -> Iterator[Page]:
    """Yield a page for every board of a judge: judge, rules, category and difficulty, alone and together."""
    for view in (*list_views(site), *list_quality_views(site)):
        yield _build_board_page(site, view)


def collect_column_facts(results: Results) -> dict[str, Column]:
    """Return heading, unit and description of each column of boards by its key."""
    return {filled.column.key: filled.column for filled in build_board_columns(results.game, results.seats)}


def describe_board(site: Site, judge: str) -> str:
    """Describe a judge's overall board in words."""
    return describe_view(site, BoardView(judge, rules=site.rule_sets[0]))


def build_board_lines(site: Site, view: BoardView, columns: Sequence[_HeatColumn] = ()) -> list[RowView]:
    """Return the rows of a board, best first; of a judge that only compares, by the share that prefers the final."""
    results, rated = select_view_results(site, view), is_rated(site, view)
    measures = _list_measures(site.results, view)
    rows = list_rows_and_references(results, view.judge, view.category, view.difficulty, view.order)
    # A judge that only compares gives no main score to sort by; pairs without a preference stand last.
    if not rated:
        rows = tuple(sorted(rows, key=lambda row: -1.0 if (share := row.cell.preference.mean) is None else -share))
    return [
        RowView(
            **collect_menu_fields(site, pair.run_id),
            row=row,
            heats=tuple(_build_heats(results, pair, view, column, rated) for column in columns),
            parts=_collect_parts(results, view, pair),
            references=tuple(line.value for line in list_pair_references(site, view, pair)),
            **_collect_means(results, view, pair, measures),
        )
        for row in rows
        for pair in [site.pairs[row.submission.run_id]]
    ]


def _collect_means(results: Results, view: BoardView, pair: Pair, measures: Sequence[Measure]) -> dict[str, Any]:
    """Return a run's means of the measures that boards show, where the game measures its headline itself."""
    if not measures:
        return {}
    means = [results.mean(pair.run_id, measure.key, view.category, view.difficulty) for measure in measures]
    return {"headline": means[0], "measures": tuple(means[1:])}


def _list_measures(results: Results, view: BoardView) -> list[Measure]:
    """Return the measures of a board, the headline first; none where judges rate, and none that no run has there."""
    if results.game.is_judged:
        return []
    headline = results.game.headline
    return [
        headline,
        *(
            measure
            for measure in results.shown
            if measure is not headline
            and any(
                results.mean(run.run_id, measure.key, view.category, view.difficulty).mean is not None
                for run in results.submissions
            )
        ),
    ]


def _measure_columns(results: Results, view: BoardView) -> tuple[MeasureColumn, ...]:
    columns = ((measure, measure_column(measure)) for measure in _list_measures(results, view))
    return tuple(
        MeasureColumn(
            measure.key,
            measure.title,
            column.unit or column.implied,
            f"{column.description}{' ' + measure.about if measure.about else ''}",
            choose_digits(measure),
            measure.direction == "lower",
        )
        for measure, column in columns
    )


def _collect_parts(results: Results, view: BoardView, pair: Pair) -> tuple[tuple[Part, Estimate], ...]:
    if view.judge != VERIFIED or not results.game.is_judged:
        return ()
    parts = estimate_condition_parts(results, pair.run_id, view.category, view.difficulty)
    return tuple((part, parts[part].share) for part in PARTS) if any(right.total for right in parts.values()) else ()


def _build_board_page(site: Site, view: BoardView) -> Page:
    results, rated = select_view_results(site, view), is_rated(site, view)
    # Of all boards that differ only in judge, rules or order, the search lists one.
    own = view.judge == site.judge and view.rules == site.rule_sets[0] and view.order == "main"
    levels = () if not view.overall or _are_difficulties_merged(results) else results.difficulties
    season = build_season_column(site, view)
    # Without two ranks there are no differences to choose from, and no file of them.
    compared = rated and view.rules is not None and _find_standing(site, view).critical is not None
    against = against_path(site, view) if compared else None
    return Page(
        path=view_path(site, view),
        title=format_view_title(site, view),
        template="board",
        values={
            "heading": format_view_heading(view),
            "view": view,
            "about": dump_provenance(site, view),
            "anchor": make_condition_anchor(view.category, view.difficulty),
            "words": describe_view(site, view),
            "site": site,
            "judge_words": " ".join((judge_words(site, view.judge), describe_applicable(site, view))).strip(),
            "references": list_board_references(site, view),
            **build_card_notes(site, view.judge),
            **split_chips([*build_subject_chips(site, view), *build_chips(site, view)]),
            "rated": rated,
            "order": view.order,
            "levels": levels,
            "season": season,
            "measured": collect_column_facts(results),
            "legend": LEGEND,
            "detectable": results.detectable(view.judge, view.category, view.difficulty),
            "headline": describe_ties(_find_standing(site, view), f"{site.noun}s")
            if rated and view.rules is not None
            else "",
            "against": against,
            "charts": _list_charts(site, view) if own or (rated and view.rules == site.rule_sets[0]) else (),
            "galleries": [] if view.category is None else _select_targets(site, view.category, view.difficulty),
        },
        searchable=own and view.overall,
        later=partial(_build_rows, site, view, levels, season, bool(against)),
        finding=partial(_describe_finding, view) if rated and view.order == "main" else None,
    )


def _describe_finding(view: BoardView, values: Mapping[str, Any]) -> str:
    """Return who leads the board, and how far its pairs can be told apart."""
    lines: Sequence[RowView] = values["lines"]
    site: Site = values["site"]
    rows = [line.row for line in lines]
    return describe_leader(site, view.judge, rows, lines[0].pair.name, site.noun, values["headline"])


def _find_common_reason(reasons: Sequence[str | None]) -> str:
    """Return why no row has a rank where that is said once above the board; empty where each row says its own."""
    if None in reasons:
        return ""
    return next((reason for reason in ("too_few", "inapplicable") if reason in reasons), "")


def _find_other_judge(site: Site, view: BoardView) -> tuple[str, str] | None:
    """Return the headline judge of a condition that the board's judge rates nothing of, and its board; None without."""
    judges = sort_judges(select_view_results(site, view), view.category, view.difficulty)
    return (judges[0], view_path(site, replace(view, judge=judges[0]))) if judges else None


def _build_rows(
    site: Site, view: BoardView, levels: Sequence[str], season: SeasonColumn | None, against: bool
) -> dict[str, Any]:
    """Return the rows of a board, with the menus, columns and notes that depend on them."""
    rated = is_rated(site, view)
    columns = _build_heat_columns(select_view_results(site, view), view)
    lines = build_board_lines(site, view, columns)
    reasons = [line.cell.unranked for line in lines] if rated else []
    amounts = select_amount_columns(site.results.game, (line.cell for line in lines))
    layout = RowLayout(
        rated=rated,
        said=_find_common_reason(reasons),
        grouped=sum(line.row.rank_low is not None for line in lines) > FEW,
        against=against,
        doubted=any(line.cell.doubt is not None for line in lines),
        preferred=any(line.cell.preference.mean is not None for line in lines),
        measures=_measure_columns(site.results, view) if rated else (),
        amounts=amounts,
        models=any(spec.about for line in lines for spec in line.pair.result.run.submission.players.values()),
        levels=levels,
        columns=[column.short for column in columns],
        parts=PARTS if any(line.parts for line in lines) else (),
        season="" if season is None else season.season,
        gaps=None if season is None else season.gaps,
        same_family=SAME_FAMILY if any(line.cell.same_family for line in lines) else "",
    )
    return {
        "columns": columns,
        "lines": lines,
        "layout": layout,
        "reasons": reasons,
        "too_few": layout.said == "too_few",
        "elsewhere": _find_other_judge(site, view) if layout.said == "inapplicable" else None,
        "left_out": [line for line in lines if line.cell.played < line.cell.episodes],
        "tools": build_menus(lines, site.seat_titles),
        "groups": _list_groups(layout),
        "hidden": _list_hidden_groups(lines, view, layout),
        # What tells runs apart elsewhere is no news where all rows have it.
        "apart": len({line.pair.apart for line in lines}) > 1,
        "models": FACTS if layout.models else {},
        "parts": [(part, ABOUT[part]) for part in layout.parts],
    }


def _find_standing(site: Site, view: BoardView) -> Standing:
    return select_view_results(site, view).standings[view.category, view.difficulty, view.judge]


def _list_groups(layout: RowLayout) -> dict[str, str]:
    """Return the groups of columns that can be hidden, in the order of their columns, with their names."""
    there = {
        "score": layout.rated,
        "measures": len(layout.measures) > 1,
        "coverage": layout.rated,
        "categories": bool(layout.columns),
        "facts": bool(layout.parts),
        "refinement": layout.rated and not layout.measures,
        "preference": layout.preferred and layout.rated,
        "effort": any(amount.group == "effort" for amount in layout.amounts),
        "details": any(amount.group == "details" for amount in layout.amounts),
        "models": layout.models,
        "provenance": True,
    }
    named = {name: GROUPS[name] for name, is_there in there.items() if is_there}
    # Where nothing costs, there is no such column.
    if "effort" in named and all(amount.column.key != "cost" for amount in layout.amounts):
        named["effort"] = named["effort"].removesuffix(" and cost")
    return named


_MEASURES = 4
"""Measures of a game, the headline included, up to which they stand on its boards at first."""

GROUPS = {
    "score": "score and chance of being best",
    "measures": "measures",
    "coverage": "played and rated",
    "categories": "categories",
    "facts": "kinds of facts",
    "refinement": "change by corrections",
    "preference": "preference",
    "effort": "turns and cost",
    "details": "tokens and seconds",
    "models": "models",
    "provenance": "trust and date",
}
"""Groups of columns that a reader can hide, with their names in the menu."""


def _list_hidden_groups(lines: Sequence[RowView], view: BoardView, layout: RowLayout) -> tuple[str, ...]:
    """Return the groups of columns that are hidden at first: details, and what is the same in every row.

    The score is among the details, unless the rows are ordered by it.
    """
    partly = any(line.cell.played < line.cell.episodes or line.cell.rated < line.cell.applicable for line in lines)
    tiers = {line.tier for line in lines}
    hidden = {
        "score": view.order == "main",
        "measures": len(layout.measures) > _MEASURES,
        "coverage": not partly,
        "provenance": len(tiers) == 1 and not any(line.disputed for line in lines),
    }
    return ("facts", "preference", "details", "models", *(name for name, is_hidden in hidden.items() if is_hidden))


def _list_charts(site: Site, view: BoardView) -> tuple[str, ...]:
    if not view.overall or view.order != "main" or not site.game.is_judged:
        return ()
    # Figures by the site's own judge have no judge in their names.
    said = None if view.judge == site.judge else view.judge
    return tuple(make_chart_id(kind, None, said) for kind in ("trajectories", "delta", "convergence"))


def _build_heat_columns(results: Results, view: BoardView) -> tuple[_HeatColumn, ...]:
    """Return the columns of small cells: one per category, or one per difficulty where a category is chosen."""
    difficulties = (
        (view.difficulty,)
        if view.difficulty
        else (None,)
        if _are_difficulties_merged(results)
        else results.difficulties
    )
    if view.category is None:
        return tuple(
            _HeatColumn(
                category,
                shorten_category(category),
                format_category(category),
                tuple((category, which) for which in difficulties),
            )
            for category in results.categories
        )
    # Category and difficulty together are the board itself, so small cells would repeat the main column.
    if view.difficulty is not None:
        return ()
    title = format_category(view.category)
    return tuple(
        _HeatColumn(which, which.capitalize(), f"{title}, {which}", ((view.category, which),))
        for which in results.difficulties
    )


def _are_difficulties_merged(results: Results) -> bool:
    """Return whether easy and hard targets share a small cell: alone they are too few, together they are enough."""
    counts = Counter((instance.category, instance.difficulty) for instance in results.instances)
    whole = Counter(instance.category for instance in results.instances)
    return any(map(are_too_few, counts.values())) and not any(map(are_too_few, whole.values()))


def _build_heats(results: Results, pair: Pair, view: BoardView, column: _HeatColumn, rated: bool) -> tuple[Heat, ...]:
    cells = [(where, results.cells.get((pair.run_id, where[0], where[1], view.judge))) for where in column.conditions]
    return tuple(
        Heat(
            difficulty=difficulty or "easy and hard",
            anchor=make_condition_anchor(category, difficulty),
            key=f"{category}_{difficulty or 'both'}",
            estimate=cell.score if rated else cell.preference,
            cell=cell,
            **own,
        )
        for (category, difficulty), cell in cells
        if cell is not None
        for own in [_compute_headline_mean(results, pair, category, difficulty)]
    )


def _compute_headline_mean(results: Results, pair: Pair, category: str, difficulty: str | None) -> dict[str, Any]:
    """Return the mean of a small cell in the unit of the game's own headline."""
    if results.game.is_judged:
        return {}
    headline = results.game.headline
    mean = results.mean(pair.run_id, headline.key, category, difficulty)
    return {"own": mean, "digits": choose_digits(headline)}


def _select_targets(site: Site, category: str, difficulty: str | None) -> list[Gallery]:
    galleries = [
        gallery
        for gallery in site.galleries.values()
        if gallery.instance.category == category and difficulty in (None, gallery.instance.difficulty)
        if gallery.target is not None
    ]
    return galleries[:_THUMBNAILS]


def join_pairs(site: Site, rows: Sequence[BoardRow]) -> list[dict[str, Any]]:
    """Join the rows of a board with how the site names their pairs."""
    return [{"row": row, "pair": site.pairs[row.submission.run_id]} for row in rows]
