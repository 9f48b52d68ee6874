"""What each episode of a run cost."""

from collections import defaultdict
from collections.abc import Mapping
from typing import Protocol, runtime_checkable

from ircore.cost import prices_of_run
from ircore.runs import End, RunFolder


@runtime_checkable
class Costed(Protocol):
    """A run that knows its costs without a journal, such as one read back from a release."""

    def costs(self) -> Mapping[str, float | None]:
        """Return US dollars by episode; None where they are not known."""
        ...


def episode_costs(run: object) -> Mapping[str, float | None]:
    """Return US dollars by episode, questions asked in vain included; None where an answer's cost is not known.

    Args:
        run: A run folder, or a run that says what it cost; any other gives nothing.

    Raises:
        InputError: The run folder's own table of prices is damaged.
    """
    if isinstance(run, Costed):
        return run.costs()
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
