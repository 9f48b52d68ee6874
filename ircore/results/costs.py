"""What each episode of a run cost."""

from collections import defaultdict
from collections.abc import Mapping

from ircore.cost import prices_of_run
from ircore.runs import End, RunFolder


def episode_costs(run: object) -> Mapping[str, float | None]:
    """Return US dollars by episode, questions asked in vain included; None where an answer's cost is not known.

    Args:
        run: A run folder; anything else, such as a run read back from a release, does not know, and gives nothing.

    Raises:
        InputError: The run folder's own table of prices is damaged.
    """
    if not isinstance(run, RunFolder):
        return {}
    prices = prices_of_run(run)
    asked: dict[str, list[float | None]] = defaultdict(list)
    for event in run.events():
        if not isinstance(event, End):
            asked[event.episode_id].append(prices.cost(event))
    return {episode: _sum(found) for episode, found in asked.items()}


def _sum(costs: list[float | None]) -> float | None:
    known = [cost for cost in costs if cost is not None]
    return sum(known) if len(known) == len(costs) else None
