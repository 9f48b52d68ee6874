"""Results of several runs that a new pair leaves as they are, from the build cache while their runs are unchanged.

The ranks and differences on a board depend on every pair. The effects of players depend on the runs of their grid
alone, and the mean of a player on the player's own runs.
"""

from collections.abc import Callable
from functools import cache
from typing import TypeVar

from pydantic import TypeAdapter, ValidationError

from ircore.results.effects import (
    NO_GRID,
    PlayerResult,
    average_player,
    estimate_grid_effects,
    find_player_grid,
    select_player_runs,
)
from ircore.results.model import Results
from ircore.results.statistics.effects import Effects
from ircore.results.statistics.mixed import Unavailable
from leaderboard.model.site import Site
from leaderboard.storage.build_cache import compute_content_key, load_or_make

T = TypeVar("T")


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
