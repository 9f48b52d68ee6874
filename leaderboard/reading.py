"""Reading many runs for the site: each journal once, and no more kept than pages need."""

from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from ircore.cost import prices_of_run
from ircore.records import Episode
from ircore.results.costs import episode_costs
from ircore.runs import Call, End, Failure, RunFolder
from ircore.summary import summarise


class SiteRun(RunFolder):
    """A run folder whose journal has been read.

    Attributes:
        summary: What ``ircore.summary.summarise`` says of it, without ``per_episode``.
    """

    def __init__(self, path: Path) -> None:
        super().__init__(path)
        journal = _Journal(path)
        self._episodes = journal.episodes()
        self._costs = episode_costs(journal)
        self.summary: Mapping[str, Any] = {
            name: value for name, value in summarise(journal, prices_of_run(journal)).items() if name != "per_episode"
        }

    def episodes(self) -> tuple[Episode, ...]:
        """Return the episodes that have ended, in the order of the instance set."""
        return self._episodes

    def costs(self) -> Mapping[str, float | None]:
        """Return US dollars by episode, as ``ircore.results.costs`` takes them."""
        return self._costs


class _Journal(RunFolder):
    """A run folder that keeps the events of its journal."""

    def __init__(self, path: Path) -> None:
        super().__init__(path)
        self._events = tuple(super().events())

    def events(self) -> Iterator[Call | Failure | End]:
        return iter(self._events)


def read_runs(paths: Sequence[Path]) -> list[SiteRun]:
    """Read runs, one after the other: handing over what was read would take other processes longer than reading.

    Raises:
        InputError: One of them is damaged.
    """
    return [SiteRun(path) for path in paths]
