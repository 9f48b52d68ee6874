"""The describer × generator matrix: a page for each judge, set of rules and condition, and one for each target.

A game of more seats has a page for every other two of its seats, over all instances.
Where judges rate, every page shows one target as each pair drew it. Without JavaScript a reader chooses another by
going to that target's own page; with it the pictures change in place, from ``data/matrix/<instance>.json``, and the
address says which.
"""

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache, partial
from itertools import combinations
from typing import Any

from ircore.core.plain_words import form_plural
from ircore.results.episodes import EpisodeResult
from ircore.results.model import Results
from ircore.results.statistics.effects import Effects
from ircore.results.statistics.intervals import Estimate
from ircore.results.statistics.mixed import Unavailable
from ircore.results.tables.pairs import SAME_FAMILY
from leaderboard.components.markup import Chip
from leaderboard.components.matrix_cells import MatrixCell, small_map
from leaderboard.model.player_ranks import load_player_effects
from leaderboard.model.site import Gallery, Page, Pair, Site
from leaderboard.model.trust import find_tier
from leaderboard.pages.beside_pairs import list_board_references, list_pair_references
from leaderboard.pages.board_views import (
    BoardView,
    build_chips,
    describe_view,
    format_view_title,
    is_rated,
    list_views,
    make_condition_anchor,
    name_view,
    select_view_results,
)
from leaderboard.pages.players import player_paths
from leaderboard.pages.selections import choose_example_target
from leaderboard.storage.output_folder import dump_compact
from leaderboard.storage.pictures import Shown
from leaderboard.words import format_category, shorten_category

_Roles = tuple[str, ...]
"""Names of two seats."""

DENSE = 30
"""Number of pairs up to which every cell of a matrix has its picture and its numbers."""

FOLDER = "data/matrix"
"""Folder of the files, relative to the site's root."""


@dataclass(frozen=True)
class MatrixGrid:
    """Matrix of describers and generators under a single set of rules.

    Example:
        >>> MatrixGrid(generators=(("canvas", 0), ("sketch", 1)), rows=()).generators[1]
        ('sketch', 1)
    """

    generators: tuple[tuple[str, int], ...]
    """Label of each column, which may be a stranger's words, and its marker's number, 0-based."""

    rows: "tuple[_MatrixRow, ...]"
    """Rows, one for each describer."""

    @property
    def dense(self) -> bool:
        """Whether the matrix is so large that it is a heat map, which shows a picture only of a chosen cell."""
        return len(self.rows) * len(self.generators) > DENSE

    def by_effect(self, effects: Effects | None) -> "MatrixGrid":
        """Return the matrix, best describers above, best generators left; without effects, by the mean main score."""
        described = {row.describer: _compute_mean([place for cell in row.cells for place in cell]) for row in self.rows}
        drawn = {
            label: _compute_mean([place for row in self.rows for place in row.cells[column]])
            for column, (label, _) in enumerate(self.generators)
        }
        of_describers, of_generators = (effects.describer, effects.generator) if effects else ({}, {})
        columns = sorted(
            range(len(self.generators)),
            key=lambda column: _make_order(self.generators[column][0], of_generators, drawn),
            reverse=True,
        )
        rows = sorted(self.rows, key=lambda row: _make_order(row.describer, of_describers, described), reverse=True)
        return MatrixGrid(
            tuple(self.generators[column] for column in columns),
            tuple(replace(row, cells=tuple(row.cells[column] for column in columns)) for row in rows),
        )

    @property
    def same_family(self) -> bool:
        """Whether any describer in the matrix is judged by a model of its own family."""
        return any(place.cell.same_family for row in self.rows for cell in row.cells for place in cell)


def _make_order(label: str, effects: Mapping[str, Estimate], means: Mapping[str, float | None]) -> tuple[bool, float]:
    """Return what players are ordered by: their effects, and of those outside the full grid, which come last, means."""
    mean = effects[label].mean if label in effects else means[label]
    return label in effects, float("-inf") if mean is None else mean


@dataclass(frozen=True)
class _MatrixRow:
    """A describer's row."""

    describer: str
    """May be a stranger's words, so escape it."""

    hue: int
    """Index of the describer's colour, 0-based."""

    cells: tuple[tuple[MatrixCell, ...], ...]
    """Pairs of the describer with each generator; empty where the two were not played together."""


def _compute_mean(cells: Sequence[MatrixCell]) -> float | None:
    """Return the mean main score of some pairs; None if none of them has one."""
    known = [cell.cell.main.mean for cell in cells if cell.cell.main.mean is not None]
    return sum(known) / len(known) if known else None


def build_matrix_pages(site: Site) -> Iterator[Page]:
    """Yield the matrix under every judge that rates, set of rules and condition, that of other seats and of targets."""
    for view in _list_views(site):
        yield _build_condition_page(site, view, site.roles)
    for roles in _list_other_roles(site):
        yield _build_condition_page(site, _find_view_of_seats(site, roles), roles)
    # Elsewhere the page of an instance shows it as every run played it.
    for gallery in () if site.folder else site.galleries.values():
        yield _build_target_page(site, gallery)


def matrix_path(site: Site, view: BoardView) -> str:
    """Return where a matrix stands, without suffix: ``matrix`` for the site's judge, rules and every target."""
    name = name_view(site, view)
    return site.path("matrix" if name == "index" else f"matrix/{name}")


def _get_usual_view(site: Site) -> BoardView:
    return BoardView(site.judge, rules=site.rule_sets[0])


def _find_view_of_seats(site: Site, roles: _Roles) -> BoardView:
    """Return the view of the rules by which most runs take two seats: some rules leave a seat empty."""

    def count(rules: Any) -> int:
        runs = [pair.result.run for pair in site.pairs.values() if pair.result.rules == rules]
        return sum(all(role in run.submission.players for role in roles) for run in runs)

    return BoardView(site.judge, rules=max(site.rule_sets, key=count))


def _list_other_roles(site: Site) -> list[_Roles]:
    """Return every other two seats of which one at least has several players; none where no score is there to cross."""
    couples = combinations([seat.name for seat in site.seats], 2)
    return [
        roles
        for roles in couples
        if set(roles) != set(site.roles)
        and any(len(site.labels(role)) > 1 for role in roles)
        and is_rated(site, _get_usual_view(site))
    ]


def _roles_path(site: Site, roles: _Roles) -> str:
    """Return where the matrix of two seats over all instances stands, without suffix."""
    if roles == site.roles:
        return matrix_path(site, _get_usual_view(site))
    return site.path(f"matrix/of-{'-'.join(roles)}")


def target_path(instance_id: str) -> str:
    """Return where the matrix of a target stands, without suffix."""
    return f"matrix/target-{instance_id}"


def build_matrix_files(site: Site) -> Iterator[tuple[str, str]]:
    """Yield the data of every target: its path below the site's root, and its text.

    ``pairs`` holds for each pair that drew it: thumbnail, its width and height in pixels, and the final score by each
    of ``judges``, null where one gave none.
    """
    judges = site.results.judges
    for gallery in site.galleries.values():
        pairs = {}
        for pair in site.pairs.values():
            result = site.episode(pair.run_id, gallery.instance.instance_id)
            picture = _find_final_picture(site, pair, result)
            if picture is not None:
                shown = [picture.small, picture.width, picture.height]
                pairs[pair.key] = [*shown, [_find_final_score(site, result, judge) for judge in judges]]
        target = gallery.target
        value = {
            "title": gallery.title,
            "target": [target.small, target.width, target.height],
            "judges": judges,
            "pairs": pairs,
        }
        yield f"{FOLDER}/{gallery.instance.instance_id}.json", dump_compact(value) + "\n"


def _list_views(site: Site) -> Iterator[BoardView]:
    return (view for view in list_views(site) if view.rules is not None and is_rated(site, view))


def _build_condition_page(site: Site, view: BoardView, roles: _Roles) -> Page:
    crossed = _name_seats(site, roles)
    return Page(
        path=matrix_path(site, view) if roles == site.roles else _roles_path(site, roles),
        title=f"{crossed}, {format_view_title(site, view)}".replace("Leaderboard", "all", 1),
        template="matrix",
        values={
            "site": site,
            "roles": roles,
            "view": view,
            "chips": _build_chips(site, view, roles),
            "words": describe_view(site, view),
            "anchor": make_condition_anchor(view.category, view.difficulty),
            "own": None,
        },
        later=partial(_collect_condition_values, site, view, roles),
        found_by="matrix" if roles == site.roles and view == _get_usual_view(site) else None,
    )


def _name_seats(site: Site, roles: _Roles) -> str:
    """Return the titles of two seats: ``Describers × generators``."""
    first, second = (site.seat_title(role) for role in roles)
    return f"{form_plural(first)} × {form_plural(second.lower())}"


def _collect_condition_values(site: Site, view: BoardView, roles: _Roles) -> dict[str, Any]:
    is_usual = roles == site.roles
    gallery = None if site.folder else choose_example_target(site, view)
    effects = _load_effects(site, view) if is_usual else None
    grid = _show_target(site, view, gallery, _build_grid(site, view, roles))
    return {
        **_collect_common_values(site, view, gallery),
        "grid": grid.by_effect(effects) if grid.dense else grid,
        "effects": effects,
        "maps": _build_maps(site, view, grid.by_effect(effects)) if grid.dense and view.overall and is_usual else (),
        "references": list_board_references(site, view),
    }


def _build_maps(site: Site, view: BoardView, grid: MatrixGrid) -> list[dict[str, Any]]:
    """Return small maps in the order of a large one: a category or a difficulty each, with its share of the scale."""
    results = select_view_results(site, view)
    parts = [(category, None) for category in results.categories] + [(None, level) for level in results.difficulties]
    made = []
    for category, difficulty in parts:
        values = [
            [_find_main_score(results, cell, view.judge, category, difficulty) for cell in row.cells]
            for row in grid.rows
        ]
        if any(value is not None for row in values for value in row):
            title = format_category(category) if category else str(difficulty).capitalize()
            path = matrix_path(site, replace(view, category=category, difficulty=difficulty))
            made.append({"title": title, "path": path, "map": small_map(values)})
    return made


def _find_main_score(
    results: Results, cell: Sequence[MatrixCell], judge: str, category: str | None, difficulty: str | None
) -> float | None:
    return results.cell(cell[0].pair.run_id, judge, category, difficulty).main.mean if cell else None


def _build_target_page(site: Site, gallery: Gallery) -> Page:
    instance = gallery.instance
    view = BoardView(site.judge, instance.category, instance.difficulty, site.rule_sets[0])
    back = Chip(f"{format_category(instance.category)}, {instance.difficulty}", matrix_path(site, view), current=False)
    every = Chip("All targets", matrix_path(site, _get_usual_view(site)), current=False)
    return Page(
        path=target_path(instance.instance_id),
        title=f"{_name_seats(site, site.roles)}: {gallery.title}",
        template="matrix",
        values={
            "site": site,
            "roles": site.roles,
            "effects": None,
            "maps": (),
            "references": (),
            "chips": [("Means over", [back, every])],
            "words": describe_view(site, view),
            "anchor": make_condition_anchor(view.category, view.difficulty),
            "own": gallery,
        },
        later=partial(_collect_target_values, site, view, gallery),
    )


def _collect_target_values(site: Site, view: BoardView, gallery: Gallery) -> dict[str, Any]:
    grid = _show_target(site, view, gallery, _order_by_mean(site, view))
    return {**_collect_common_values(site, view, gallery), "grid": grid}


def _collect_common_values(site: Site, view: BoardView, gallery: Gallery | None) -> dict[str, Any]:
    return {
        "judge": view.judge,
        "gallery": gallery,
        "choices": () if site.folder else _list_targets(site, view),
        "data": FOLDER,
        "same_family": SAME_FAMILY,
        "players": player_paths(site),
    }


def _build_chips(site: Site, view: BoardView, roles: _Roles) -> list[tuple[str, list[Chip]]]:
    """Return links to the matrices that differ in a single choice; judges that only compare have no matrix."""
    couples = [site.roles, *_list_other_roles(site)]
    seats = [Chip(_name_seats(site, couple), _roles_path(site, couple), couple == roles) for couple in couples]
    of_seats = [("Seats", seats)] if len(seats) > 1 else []
    if roles != site.roles:
        return of_seats
    there = {matrix_path(site, view) for view in _list_views(site)}
    groups = build_chips(site, view, matrix_path)
    known = [(label, [chip for chip in links if chip.path in there]) for label, links in groups]
    return [*of_seats, *((label, links) for label, links in known if len(links) > 1)]


def _list_targets(site: Site, view: BoardView) -> list[dict[str, Any]]:
    """Return the targets under a condition by category and difficulty, for the menu of targets."""
    by_condition: dict[tuple[str, str], list[Gallery]] = {}
    for gallery in site.galleries.values():
        instance = gallery.instance
        if view.category in (None, instance.category) and view.difficulty in (None, instance.difficulty):
            by_condition.setdefault((instance.category, instance.difficulty), []).append(gallery)
    return [
        {
            "category": category,
            "short": shorten_category(category),
            "difficulty": difficulty,
            "targets": [
                (gallery, gallery.title.rpartition(" ")[2], target_path(gallery.instance.instance_id))
                for gallery in targets
            ],
        }
        for (category, difficulty), targets in by_condition.items()
    ]


@lru_cache(maxsize=1)  # the pages of a condition's targets follow each other
def _order_by_mean(site: Site, view: BoardView) -> MatrixGrid:
    grid = _build_grid(site, view, site.roles)
    return grid.by_effect(None) if grid.dense else grid


def _build_grid(site: Site, view: BoardView, roles: _Roles) -> MatrixGrid:
    """Return the matrix under a condition, without a target."""
    first, second = roles
    cells: dict[tuple[str, str], list[MatrixCell]] = {}
    for row in select_view_results(site, view).board(view.judge, view.category, view.difficulty):
        pair = site.pairs[row.submission.run_id]
        players = pair.result.run.submission
        labels = players.label_of(first), players.label_of(second)
        references = tuple(line.value for line in list_pair_references(site, view, pair))
        cells.setdefault(labels, []).append(MatrixCell(pair, row, find_tier(row.submission), None, None, references))
    describers, drawers = {name for name, _ in cells}, {name for _, name in cells}
    generators = [(label, mark) for mark, label in enumerate(site.labels(second)) if label in drawers]
    return MatrixGrid(
        tuple(generators),
        tuple(
            _MatrixRow(
                describer,
                site.hues.number(describer),
                tuple(tuple(cells.get((describer, generator), ())) for generator, _ in generators),
            )
            for describer in site.labels(first)
            if describer in describers
        ),
    )


def _show_target(site: Site, view: BoardView, gallery: Gallery | None, grid: MatrixGrid) -> MatrixGrid:
    """Return a matrix with each pair's final score on a target, and its rendering unless there are many pairs."""
    if gallery is None:
        return grid
    # A heat map has no pictures of its own: a browser fetches that of the chosen cell.
    pictured = math.prod(len(site.labels(role)) for role in site.roles) <= DENSE

    def show(cell: MatrixCell) -> MatrixCell:
        result = site.episode(cell.pair.run_id, gallery.instance.instance_id)
        picture = _find_final_picture(site, cell.pair, result) if pictured else None
        score = _find_final_score(site, result, view.judge)
        return MatrixCell(cell.pair, cell.row, cell.tier, picture, score, cell.references)

    rows = (
        _MatrixRow(row.describer, row.hue, tuple(tuple(map(show, place)) for place in row.cells)) for row in grid.rows
    )
    return MatrixGrid(grid.generators, tuple(rows))


def _load_effects(site: Site, view: BoardView) -> Effects | None:
    """Return the effects of players under a condition; one set of rules, as everywhere on the page."""
    effects = load_player_effects(site, select_view_results(site, view), view.judge, view.category, view.difficulty)
    return None if isinstance(effects, Unavailable) else effects


def _find_final_score(site: Site, result: EpisodeResult | None, judge: str) -> float | None:
    judged = site.judged(result, judge)
    return judged.final if judged else None


def _find_final_picture(site: Site, pair: Pair, result: EpisodeResult | None) -> Shown | None:
    drawn = [*result.episode.renderings.values()] if result else []
    return site.rendering(pair.run_id, drawn[-1]) if drawn else None
