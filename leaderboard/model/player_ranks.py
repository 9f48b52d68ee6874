"""Boards of describers and of generators: players ranked on the same pictures with the same partners.

The ranks and differences on a board depend on every pair. The effects of players depend on the runs of their grid
alone, and the mean of a player on the player's own runs, so that both are kept in the build cache while these runs are
unchanged.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from typing import TypeVar

from pydantic import TypeAdapter, ValidationError

from ircore.results.arrays import select_condition
from ircore.results.cells import pair_main_scores
from ircore.results.effects import (
    NO_GRID,
    PlayerResult,
    average_player,
    estimate_grid_effects,
    find_player_grid,
    list_usual_pairs,
    select_player_runs,
)
from ircore.results.judge_ratings import Floats
from ircore.results.model import Results
from ircore.results.next_episodes import PairDifferences
from ircore.results.ranking import RankedRow, rank_rows
from ircore.results.statistics.bootstrap import MAIN, Resamples
from ircore.results.statistics.comparison import estimate_bounded_means
from ircore.results.statistics.effects import Effects, find_complete_grid
from ircore.results.statistics.intervals import Estimate
from ircore.results.statistics.mixed import Unavailable
from ircore.results.statistics.ranks import Standing, bound_differences, rank_pairs
from leaderboard.model.site import Site
from leaderboard.storage.build_cache import compute_content_key, load_or_make

_Runs = Mapping[tuple[str, str], str]
"""Run ids by player and partner."""

T = TypeVar("T")


@dataclass(frozen=True)
class PlayerCell:
    """The numbers of a player under a condition.

    Example:
        >>> PlayerCell(Estimate(62.0, 55.0, 69.0, 36), runs=("a-1", "b-1"), unranked_words=None).main.mean
        62.0
    """

    main: Estimate
    """Mean of the main scores of its pairs, 0-100; ``n`` counts pictures."""

    runs: tuple[str, ...]
    """Ids of its runs with the partners of the board, one a partner; averaged if it has all of them."""

    unranked_words: str | None
    """Why it has no rank; None if it has one."""


PlayerRow = RankedRow[str, PlayerCell]
"""A row of a board of players; ``submission`` is the player's label."""


@dataclass(frozen=True)
class PlayerBoard:
    """Players of one seat under a condition."""

    role: str
    """Seat of the players."""

    rows: tuple[PlayerRow, ...]
    """Best first; players without a rank come last."""

    partners: tuple[str, ...]
    """Players of the other seat with whom every ranked player was played."""

    standing: Standing | None
    """What can be told apart; None if fewer than two players share a partner."""

    against: PairDifferences | None
    """Differences of every two players, by label."""


def rank_players(
    results: Results, role: str, judge: str, category: str | None = None, difficulty: str | None = None
) -> PlayerBoard:
    """Rank the players of a seat by the mean main score of their pairs.

    Only the largest complete grid of pairs under the most common rules is taken, so that every player is seen on the
    same pictures with the same partners. Ranks, groups and intervals follow the rule of boards of pairs.

    Args:
        results: Of some runs.
        role: The seat.
        judge: One of ``results.judges``.
        category: One of ``results.categories``, or None for all.
        difficulty: One of ``results.difficulties``, or None for both.
    """
    is_first = results.crossed is not None and role == results.crossed[0].name
    names = {run_id: pair if is_first else pair[::-1] for run_id, pair in results.crossed_players.items()}
    every = {names[run_id]: run_id for run_id in list_usual_pairs(results, judge).values()}
    runs = _select_rankable(results, every, judge, category, difficulty)
    own, partners = _find_grid(runs, is_first)
    columns = tuple(tuple(runs[label, partner] for partner in partners) for label in own)
    if len(own) < 2:
        own, partners, why = (), (), f"needs two {role}s that share a partner and have ranks with it"
    else:
        why = "not played with every partner of the full grid"
    # Every label, so that a player outside of the grid is listed with the reason.
    labels = {label for label, _ in names.values()}
    unranked = [
        (
            label,
            PlayerCell(Estimate(None, None, None, 0), _list_runs(label, runs if own else every, partners), why),
            None,
        )
        for label in sorted(labels.difference(own))
    ]
    if not own:
        return PlayerBoard(role, rank_rows(unranked, lambda cell: cell.main.mean), (), None, None)
    chosen = select_condition(results.instances, category, difficulty)
    ratings = results.ratings_of(judge, [run_id for runs in columns for run_id in runs], chosen)
    least, most, drawn = pair_main_scores(chosen, ratings)
    least, most = _average_partners(least, len(own)), _average_partners(most, len(own))
    points = ratings.main_scores().reshape(len(own), -1).mean(axis=1)
    place = rank_pairs(least, most, drawn)
    cells = _build_cells(columns, (least, most), points, drawn, place)
    rows = rank_rows([*zip(own, cells, place.ranges, strict=True), *unranked], lambda cell: cell.main.mean)
    low = bound_differences(least, most, drawn, place.critical)
    return PlayerBoard(role, rows, partners, place, PairDifferences(own, points, low) if place.critical else None)


def load_player_effects(
    site: Site, results: Results, judge: str, category: str | None = None, difficulty: str | None = None
) -> Effects | Unavailable:
    """Return the effects of describers and generators under a condition, without interactions.

    Args:
        site: What is shown.
        results: All results of the site, or those under some rules.
        judge: One of the judges.
        category: Only this category of targets.
        difficulty: Only this difficulty.

    Raises:
        WorkError: The disk is full.
    """
    grid = find_player_grid(results)
    if not grid.run_ids:
        return NO_GRID
    return _load_or_make(
        site,
        ("effects", judge, category or "", difficulty or "", *grid.describers, "×", *grid.generators),
        grid.run_ids,
        _make_effects_format(),
        lambda: estimate_grid_effects(results, grid, judge, category, difficulty),
    )


def load_player(site: Site, role: str, label: str) -> PlayerResult:
    """Return a player's mean scores over its partners, by the site's judge.

    Raises:
        WorkError: The disk is full.
    """
    return _load_or_make(
        site,
        ("players", role, label, site.judge),
        select_player_runs(site.results, role, label),
        _make_player_format(),
        lambda: average_player(site.results, role, label, site.judge),
    )


def _find_grid(runs: _Runs, first: bool) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """Return the players and partners of the largest complete grid; ``first``: whether the players' seat is the first.

    Which of several largest grids is taken must not depend on whose board it is.
    """
    if first:
        return find_complete_grid(tuple(runs))
    partners, own = find_complete_grid(tuple((partner, label) for label, partner in runs))
    return own, partners


def _select_rankable(results: Results, runs: _Runs, judge: str, category: str | None, difficulty: str | None) -> _Runs:
    return {
        players: run_id
        for players, run_id in runs.items()
        # A run of too few pictures stays in the grid: its players may have enough together with their other runs.
        if results.cell(run_id, judge, category, difficulty).unranked in (None, "too_few")
    }


def _list_runs(label: str, runs: _Runs, partners: Sequence[str]) -> tuple[str, ...]:
    """Return a player's runs with some partners; with any where none are named."""
    return tuple(
        run_id for (own, other), run_id in runs.items() if own == label and (not partners or other in partners)
    )


def _average_partners(values: Floats, players: int) -> Floats:
    """Return the mean over partners; columns are player by player, partner by partner."""
    means: Floats = values.reshape(len(values), players, -1).mean(axis=2)
    return means


def _build_cells(
    columns: Sequence[tuple[str, ...]], ends: tuple[Floats, Floats], points: Floats, drawn: Resamples, place: Standing
) -> list[PlayerCell]:
    estimates = estimate_bounded_means(*ends, points, [len(ends[0])] * len(columns), drawn, MAIN)
    return [
        PlayerCell(estimate, runs, None if rank else "fewer than five pictures")
        for estimate, runs, rank in zip(estimates, columns, place.ranges, strict=True)
    ]


def _load_or_make(
    site: Site, name: tuple[str, ...], run_ids: tuple[str, ...], form: TypeAdapter[T], make: Callable[[], T]
) -> T:
    """Return a result from the build cache, or make it.

    Args:
        site: What is shown.
        name: Kind of the result, and what it depends on besides runs, judges and instances.
        run_ids: The runs that it depends on.
        form: Its form in the cache.
        make: Computes it.
    """
    if site.cache is None:
        return make()
    instances = [instance.instance_id for instance in site.results.instances]
    shared = repr((sorted(site.results.judge_identities.items()), instances))
    key = compute_content_key(shared, *name, *(site.runs[run_id].key for run_id in run_ids))
    try:
        return form.validate_json(load_or_make(site.cache, f"{name[0]}/{key}", lambda: form.dump_json(make())))
    except ValidationError:  # a damaged entry
        return make()


@cache
def _make_effects_format() -> TypeAdapter[Effects | Unavailable]:
    return TypeAdapter(Effects | Unavailable)


@cache
def _make_player_format() -> TypeAdapter[PlayerResult]:
    return TypeAdapter(PlayerResult)
