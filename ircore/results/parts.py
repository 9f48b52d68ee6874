"""The parts of judge ``verified`` over a run: share of the facts that final renderings show, part by part."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING

from ircore.core.episode_records import Episode
from ircore.core.fact_records import PARTS, Part, PartShare, RenderingFacts
from ircore.results.conditions import is_under
from ircore.results.statistics.intervals import Estimate, estimate
from ircore.results.statistics.scales import SHARE

if TYPE_CHECKING:
    from ircore.results.model import Results


@dataclass(frozen=True)
class _PartResult:
    """Mean share of one part of the facts over episodes of a run."""

    share: Estimate
    """Share of the facts, by weight, that final renderings show, 0–1: mean over episodes. Of extra: precision."""

    held: int
    """Number of facts that hold, over all these episodes."""

    decided: int
    """Number of facts that hold or fail."""

    total: int
    """Number of facts."""


def final_parts(episodes: Iterable[Episode], facts: Iterable[RenderingFacts]) -> dict[str, dict[Part, PartShare]]:
    """Return the parts of each episode's final rendering whose facts are known.

    Args:
        episodes: Of one run.
        facts: Of the same run; read once, nothing else of them is kept.
    """
    finals = {}
    # Only the hash of each final rendering is held while facts, which can be many, are read once.
    for episode in episodes:
        if episode.played and episode.renderings:
            finals[episode.episode_id] = [*episode.renderings.values()][-1].sha256
    return {line.episode_id: dict(line.parts) for line in facts if finals.get(line.episode_id) == line.rendering}


def part_results(shares: Iterable[Mapping[Part, PartShare]]) -> dict[Part, _PartResult]:
    """Return each part over some episodes.

    >>> part_results([{"text": PartShare(0.5, 1, 2, 3)}, {"text": PartShare(1.0, 2, 2, 2)}])["text"].share.mean
    0.75
    """
    episodes = list(shares)
    results: dict[Part, _PartResult] = {}
    for part in PARTS:
        own = [parts[part] for parts in episodes if part in parts]
        results[part] = _PartResult(
            estimate([score.share for score in own if score.share is not None], SHARE),
            sum(score.held for score in own),
            sum(score.decided for score in own),
            sum(score.total for score in own),
        )
    return results


def parts_under(
    results: "Results", run_id: str, category: str | None = None, difficulty: str | None = None
) -> dict[Part, _PartResult]:
    """Return each part of a run over the episodes of one condition."""
    known = results.runs[run_id].part_shares
    return part_results(
        known[result.episode.episode_id]
        for result in results.episodes[run_id]
        if result.episode.episode_id in known and is_under(result.episode, category, difficulty)
    )


def part_series(
    results: "Results", run_id: str, category: str | None = None, difficulty: str | None = None
) -> dict[Part, list[list[float | None]]]:
    """Return each part of a run turn by turn, a series for each played episode under one condition.

    A turn whose rendering was not verified has None. Nothing is returned for a run without facts.
    """
    shares = results.runs[run_id].rendering_shares
    renderings = [
        [(result.episode.episode_id, rendering.sha256) for rendering in result.episode.renderings.values()]
        for result in results.episodes[run_id]
        if result.episode.played and is_under(result.episode, category, difficulty)
    ]
    if not shares:
        return {}
    return {part: [[shares.get(key, {}).get(part) for key in keys] for keys in renderings] for part in PARTS}
