"""Results of several runs that a new pair leaves as they are, from the build cache while their runs are unchanged.

The ranks and differences on a board depend on every pair. The effects of players depend on the runs of their grid
alone, and the mean of a player on the player's own runs.
"""

from collections.abc import Callable
from functools import cache
from typing import TypeVar

from pydantic import TypeAdapter, ValidationError

from ircore.core.records import Role
from ircore.results.effects import NO_GRID, grid_effects, player_grid
from ircore.results.model import Results
from ircore.results.players import PlayerResult, player_result, player_runs
from ircore.results.statistics.effects import Effects
from ircore.results.statistics.mixed import Unavailable
from leaderboard.model.site import Site
from leaderboard.storage.build_cache import content_key, kept

T = TypeVar("T")


def effects_of_players(
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
    grid = player_grid(results)
    if not grid.run_ids:
        return NO_GRID
    parts = (judge, category or "", difficulty or "", *grid.describers, "×", *grid.generators)
    return _kept(
        site,
        _name(site, "effects", grid.run_ids, *parts),
        _effects_format(),
        lambda: grid_effects(results, grid, judge, category, difficulty),
    )


def player_of(site: Site, role: Role, label: str) -> PlayerResult:
    """Return a player's mean scores over its partners, by the site's judge.

    Raises:
        WorkError: The disk is full.
    """
    return _kept(
        site,
        _name(site, "players", player_runs(site.results, role, label), role, label, site.judge),
        _player_format(),
        lambda: player_result(site.results, role, label, site.judge),
    )


def _kept(site: Site, name: str, form: TypeAdapter[T], make: Callable[[], T]) -> T:
    try:
        return form.validate_json(kept(site.cache, name, lambda: form.dump_json(make())))
    except ValidationError:  # a damaged entry
        return make()


def _name(site: Site, kind: str, run_ids: tuple[str, ...], *parts: str) -> str:
    """Return the name in the cache of a result that depends on some runs, on judges and instances, and on ``parts``."""
    shared = repr((sorted(site.results.judge_identities.items()), [one.instance_id for one in site.results.instances]))
    return f"{kind}/{content_key(shared, *parts, *(site.runs[run_id].key for run_id in run_ids))}"


@cache
def _effects_format() -> TypeAdapter[Effects | Unavailable]:
    return TypeAdapter(Effects | Unavailable)


@cache
def _player_format() -> TypeAdapter[PlayerResult]:
    return TypeAdapter(PlayerResult)
