"""Reading of runs: each journal is read once, in parallel, and only if it changed since the last build.

A ``RunReading`` holds the results of one run that the site needs and that depend on this run alone.
"""

import json
from collections.abc import Collection, Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import nullcontext
from dataclasses import dataclass, replace
from functools import cache, cached_property, partial
from pathlib import Path

from pydantic import JsonValue, TypeAdapter, ValidationError

from ircore.core.collector import pause_collector
from ircore.core.episode_records import Episode, EpisodeCost, PackedSteps, PlacedRendering, list_renderings
from ircore.core.score_records import Part
from ircore.core.workers import build_worker_pool, run_shares
from ircore.games.base import Message
from ircore.results.cells import Cell
from ircore.results.corrections import Correction
from ircore.results.episodes import EpisodeResult
from ircore.results.fact_shares import PartResult
from ircore.results.language import RunLanguage
from ircore.results.played_run import PlayedRun
from ircore.runs.folder import RunFolder
from ircore.runs.summary import summarise
from leaderboard.storage.build_cache import BuildCache, compute_content_key, load_or_make, run_key
from leaderboard.storage.output_folder import dump_compact

_MANY = 4
"""Number of runs from which they are read in several processes."""

_READERS = 4
"""Files that are read at once."""

_EPISODE_FIELDS = set(Episode.model_fields)


@dataclass(frozen=True)
class _RunReading:
    """Results computed from the files of one run."""

    results: tuple[EpisodeResult, ...]
    """The finished episodes with their judges' scores, in the order of the instance set, without their steps."""

    steps: tuple[PackedSteps, ...]
    """The steps of these episodes."""

    drawn: tuple[tuple[PlacedRendering, ...], ...]
    """The renderings in these steps."""

    first_messages: Mapping[str, Message]
    """The first message of each episode that has one, by its id."""

    costs: Mapping[str, EpisodeCost]
    """What each episode cost, by its id, as ``ircore.runs.costs.totals`` computes them."""

    summary: Mapping[str, JsonValue]
    """The run's summary by ``ircore.runs.summary.summarise``, without ``per_episode``."""

    cells: tuple[Cell, ...]
    """Aggregates of the run under every condition, by every judge that rated any of its renderings."""

    parts: tuple[tuple[str | None, str | None, Mapping[Part, PartResult]], ...]
    """Share of right facts under every condition: category, difficulty, and shares by part."""

    language: RunLanguage
    """Language statistics of the describer's messages."""


class SiteRun(PlayedRun):
    """A played run that takes its readings from the build cache instead of its files where possible.

    Args:
        path: The run folder.
        reading: The reading of the run; None to read the files now.
        key: Hash of its records; empty if it was not needed.
        cache: Build cache of what few pages ask; None to compute that anew.

    Example:
        >>> from pathlib import Path
        >>> [episode.outcome for episode in SiteRun(Path("run")).episodes]
        ['converged', 'converged']
    """

    source: RunFolder

    def __init__(
        self, path: Path, reading: _RunReading | None = None, key: str = "", cache: BuildCache | None = None
    ) -> None:
        super().__init__(RunFolder(path))
        reading, self._cache = reading or read_run(path), cache
        self.key, self.summary = key, reading.summary
        self.costs, self.language, self.first_messages = reading.costs, reading.language, reading.first_messages
        self.results = reading.results
        self.episodes = tuple(result.episode for result in reading.results)
        for episode, steps, drawn in zip(self.episodes, reading.steps, reading.drawn, strict=True):
            steps.put_into(episode, drawn)
            # Equal in all of them: a set of its own would be half of each.
            object.__setattr__(episode, "__pydantic_fields_set__", _EPISODE_FIELDS)
        self.condition_parts = {(category, difficulty): parts for category, difficulty, parts in reading.parts}
        self.cells = {(cell.category, cell.difficulty, cell.judge): cell for cell in reading.cells}

    @cached_property
    def paper_corrections(self) -> Mapping[str, Sequence[Collection[Correction]]]:
        """Topics of each correction message by the paper's own words; kept apart, since few runs are asked for it."""
        name = f"corrections/{compute_content_key(self.key, *(episode.episode_id for episode in self.episodes))}"
        data = load_or_make(self._cache, name, lambda: dump_compact(super(SiteRun, self).paper_corrections).encode())
        known: Mapping[str, Sequence[Collection[Correction]]] = json.loads(data)
        return known


def read_run(path: Path) -> _RunReading:
    """Return the reading of a run folder.

    Raises:
        InputError: The run is damaged.
    """
    folder = RunFolder(path).hold_journal()
    run = PlayedRun(folder)
    # The episodes are in ``results`` already; a second copy would double the cache.
    summary = summarise(folder, by_episode=False)
    return _RunReading(
        results=tuple(
            replace(result, episode=result.episode.model_copy(update={"steps": ()})) for result in run.results
        ),
        steps=tuple(PackedSteps.of(result.episode) for result in run.results),
        drawn=tuple(tuple(_place_renderings(result.episode)) for result in run.results),
        first_messages=run.first_messages,
        costs=run.costs,
        summary=summary,
        cells=tuple(run.cells.values()),
        parts=tuple((*condition, parts) for condition, parts in run.condition_parts.items()),
        language=run.language,
    )


def _place_renderings(episode: Episode) -> Iterator[PlacedRendering]:
    return ((place, drawn.sha256, drawn.width, drawn.height) for place, drawn in list_renderings(episode))


def read_runs(paths: Sequence[Path], cache: BuildCache | None = None) -> list[SiteRun]:
    """Return runs with their readings, from the build cache where it holds them.

    Args:
        paths: Run folders.
        cache: Build cache for the readings; None to read every run anew.

    Raises:
        InputError: A run is damaged.
        WorkError: The disk is full.
    """
    with pause_collector():
        if cache is None:
            return [SiteRun(path) for path in paths]
        with ThreadPoolExecutor(_READERS) as readers:  # files are read, hashed and unpacked without Python's lock
            keys = list(readers.map(run_key, paths))
            new = {key: path for key, path in zip(keys, paths, strict=True) if not cache.has(_name(key))}
            # A few new runs are read by another process while this one parses.
            beside = build_worker_pool(1) if 0 < len(new) < min(_MANY, len(paths)) else nullcontext()
            with beside as pool:
                read = pool and pool.submit(_read_share, list(new.items()), cache, 0, 1)
                # Each reading's data are dropped as soon as they are parsed.
                known = zip(keys, readers.map(cache.load, map(_name, keys)), strict=True)
                readings = {key: _parse_reading(data) for key, data in known}
            if read:
                read.result()
        missing = {key: path for key, path in zip(keys, paths, strict=True) if readings[key] is None}
        todo = [(key, path) for key, path in missing.items() if not (read and key in new)]
        run_shares(partial(_read_share, todo, cache), len(todo) >= _MANY)
        # The processes answer through the cache, so that the second look finds what they read.
        readings |= {key: _parse_reading(cache.load(_name(key))) for key in missing}
        return [SiteRun(path, readings[key], key, cache) for path, key in zip(paths, keys, strict=True)]


def _read_share(todo: Sequence[tuple[str, Path]], cache: BuildCache, share: int, shares: int) -> None:
    """Read a share of the runs into the cache; files carry readings to the parent process faster than a pipe."""
    for key, path in todo[share::shares]:
        # Defaults are left out: reading fills them in, and entries stay small.
        cache.store(_name(key), _format().dump_json(read_run(path), exclude_defaults=True))


def _parse_reading(data: bytes | None) -> _RunReading | None:
    """Return the reading in cached data; None if there is none, or in another format."""
    try:
        return None if data is None else _format().validate_json(data)
    except ValidationError:
        return None


def _name(key: str) -> str:
    return f"readings/{compute_content_key(key)}"


@cache
def _format() -> TypeAdapter[_RunReading]:
    return TypeAdapter(_RunReading)
