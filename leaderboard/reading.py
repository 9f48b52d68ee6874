"""Reading many runs for the site: each journal once, in several processes, and only if it has changed.

What the site needs of a run, and what depends on this run alone, is its ``Reading``.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cache, partial
from pathlib import Path

from pydantic import JsonValue, TypeAdapter, ValidationError

from ircore.core.collector import without_collector
from ircore.core.records import Episode, Rendering, Turn
from ircore.results.cell import Cell
from ircore.results.cells import BoardKey, run_cells
from ircore.results.episodes import EpisodeResult, judge_episodes
from ircore.results.language import RunLanguage, episode_messages, run_language
from ircore.results.rated import scopes_of
from ircore.runs.costs.episode_costs import episode_costs
from ircore.runs.costs.prices import prices_of_run
from ircore.runs.folder import RunFolder
from ircore.runs.held_journal import HeldJournal
from ircore.runs.summary import summarise
from leaderboard.kept import Kept, content_key, run_key
from leaderboard.shares import in_shares

_MANY = 4
"""Runs from which they are read in several processes."""


_TURN_FIELDS = set(Turn.model_fields)
_RENDERING_FIELDS = set(Rendering.model_fields)


@dataclass(frozen=True)
class Reading:
    """What a run's files amount to."""

    results: tuple[EpisodeResult, ...]
    """The episodes that have ended with what judges made of them, in the order of the instance set."""

    costs: Mapping[str, float | None]
    """US dollars by episode, as ``ircore.runs.costs.episode_costs`` has them."""

    summary: Mapping[str, JsonValue]
    """What ``ircore.runs.summary.summarise`` says, without ``per_episode``."""

    cells: tuple[Cell, ...]
    """Its numbers under every condition, by every judge that rated something of it."""

    language: RunLanguage
    """How its describer talks."""


class SiteRun(RunFolder):
    """A run folder that has been read.

    Args:
        path: The folder.
        reading: What was read; by default it is read now.
        key: Hash of its records; empty if it was not needed.
    """

    def __init__(self, path: Path, reading: Reading | None = None, key: str = "") -> None:
        super().__init__(path)
        self.key = key
        self._reading = reading or read_run(path)

    @property
    def summary(self) -> Mapping[str, JsonValue]:
        """What ``ircore.runs.summary.summarise`` says of it, without ``per_episode``."""
        return self._reading.summary

    def episodes(self) -> tuple[Episode, ...]:
        """Return the episodes that have ended, in the order of the instance set."""
        return tuple(one.episode for one in self._reading.results)

    def costs(self) -> Mapping[str, float | None]:
        """Return US dollars by episode, as ``ircore.runs.costs.episode_costs`` takes them."""
        return self._reading.costs

    def results(self) -> tuple[EpisodeResult, ...]:
        """Return the episodes with what judges made of them, as ``ircore.results.model`` takes them."""
        return self._reading.results

    def cells(self) -> Mapping[BoardKey, Cell]:
        """Return its numbers, as ``ircore.results.model`` takes them."""
        return {(one.category, one.difficulty, one.judge): one for one in self._reading.cells}

    def language(self) -> RunLanguage:
        """Return how its describer talks, as ``ircore.results.model`` takes it."""
        return self._reading.language


def read_run(path: Path) -> Reading:
    """Read a run.

    Raises:
        InputError: It is damaged.
    """
    journal = HeldJournal(path)
    results = judge_episodes(journal.run.run_id, journal.run.slug, journal.episodes(), journal.scores())
    summary, costs = summarise(journal, prices_of_run(journal)), episode_costs(journal)
    scopes = scopes_of(sorted({judge for one in results for judge in one.judged}), journal.judges())
    return Reading(
        results=results,
        costs=costs,
        summary={name: value for name, value in summary.items() if name != "per_episode"},
        cells=tuple(run_cells(journal.instances.instances, journal.run.run_id, results, scopes, costs).values()),
        language=run_language(episode_messages(results)),
    )


def read_runs(paths: Sequence[Path], kept: Kept | None = None) -> list[SiteRun]:
    """Read runs.

    Args:
        paths: Run folders.
        kept: Where readings are kept from build to build; None for nowhere.

    Raises:
        InputError: One of them is damaged.
        WorkError: The disk is full.
    """
    with without_collector():
        if kept is None:
            return [SiteRun(path) for path in paths]
        runs = [(RunFolder(path).path, run_key(path)) for path in paths]
        found = {key: reading for _, key in runs if (reading := _find(kept, key)) is not None}
        todo = {key: path for path, key in runs if key not in found}
        in_shares(partial(_read_share, list(todo.items()), kept), len(todo) >= _MANY)
        found |= {key: reading for key in todo if (reading := _find(kept, key)) is not None}
        return [SiteRun(path, found.get(key), key) for path, key in runs]


def _read_share(todo: Sequence[tuple[str, Path]], kept: Kept, share: int, shares: int) -> None:
    """Read some runs and keep what was read: as files, it reaches the other process faster than by a pipe."""
    for key, path in todo[share::shares]:
        kept.keep(_name(key), _format().dump_json(read_run(path)))


def _find(kept: Kept, key: str) -> Reading | None:
    """Return what is kept of a run; None if it is not, or cannot be understood."""
    data = kept.find(_name(key))
    try:
        return None if data is None else _light(_format().validate_json(data))
    except ValidationError:
        return None


def _light(reading: Reading) -> Reading:
    """Let all turns, and all renderings, share the note of which of their fields were given.

    A site holds a hundred thousand of them, and that note, which nobody asks for, is a third of each.
    """
    for turn in (turn for one in reading.results for turn in one.episode.turns):
        object.__setattr__(turn, "__pydantic_fields_set__", _TURN_FIELDS)
        if turn.rendering is not None:
            object.__setattr__(turn.rendering, "__pydantic_fields_set__", _RENDERING_FIELDS)
    return reading


def _name(key: str) -> str:
    return f"readings/{content_key(key)}"


@cache
def _format() -> TypeAdapter[Reading]:
    return TypeAdapter(Reading)
