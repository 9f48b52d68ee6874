"""The cost of each episode of a run."""

from collections import defaultdict
from collections.abc import Mapping
from math import fsum

from pydantic import TypeAdapter

from ircore.core.validation import validating
from ircore.runs.costs.prices import prices_of_run
from ircore.runs.events import End
from ircore.runs.folder import RunFolder

COSTS = "costs.json"
"""File in a run folder whose journal has no answers, as one pulled from a release: US dollars or null by episode."""

_COSTS = TypeAdapter(dict[str, float | None])


def episode_costs(run: RunFolder) -> Mapping[str, float | None]:
    """Return US dollars by episode, failed questions included; None where the cost of an answer is not known.

    Args:
        run: A run of any game.

    Raises:
        InputError: The run folder's own table of prices, or of costs, is damaged.
    """
    known = _recorded_costs(run)
    if known is not None:
        return known
    prices = prices_of_run(run)
    costs_of_episode: dict[str, list[float | None]] = defaultdict(list)
    for event in run.events():
        if not isinstance(event, End):
            costs_of_episode[event.episode_id].append(prices.cost(event))
    return {episode: _sum(costs) for episode, costs in costs_of_episode.items()}


def _recorded_costs(run: RunFolder) -> Mapping[str, float | None] | None:
    """Return the costs recorded in a run folder that was pulled from a release; None for any other run folder."""
    path = run.path / COSTS
    if not path.is_file():
        return None
    with validating(path, "Pull the release again."):
        return _COSTS.validate_json(path.read_bytes())


def _sum(costs: list[float | None]) -> float | None:
    # One unknown answer makes the episode's cost unknown: a sum of the others would pass for the whole.
    known = [cost for cost in costs if cost is not None]
    return fsum(known) if len(known) == len(costs) else None
