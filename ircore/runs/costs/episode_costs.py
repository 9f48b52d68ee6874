"""The cost of each episode of a run."""

from collections import defaultdict
from collections.abc import Mapping
from math import fsum

from pydantic import TypeAdapter

from ircore.core.episode_records import EpisodeCost
from ircore.core.validation import validating
from ircore.runs.costs.prices import prices_of_run, seconds
from ircore.runs.events import End
from ircore.runs.folder import RunFolder

COSTS = "costs.json"
"""File in a run folder whose journal has no answers, as one pulled from a release: the cost of each episode."""

_COSTS = TypeAdapter(dict[str, EpisodeCost])


def episode_costs(run: RunFolder) -> Mapping[str, EpisodeCost]:
    """Return what each episode cost, failed questions included.

    Args:
        run: A run of any game.

    Raises:
        InputError: The run folder's own table of prices, or of costs, is damaged.
    """
    known = _recorded_costs(run)
    if known is not None:
        return known
    prices = prices_of_run(run)
    dollars: dict[str, list[float | None]] = defaultdict(list)
    waited: dict[str, list[float]] = defaultdict(list)
    for event in run.events():
        if not isinstance(event, End):
            dollars[event.episode_id].append(prices.cost(event))
            waited[event.episode_id].append(seconds(event))
    return {episode: EpisodeCost(usd=_sum(usd), seconds=fsum(waited[episode])) for episode, usd in dollars.items()}


def _recorded_costs(run: RunFolder) -> Mapping[str, EpisodeCost] | None:
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
