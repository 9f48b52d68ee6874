"""The parts of judge ``verified`` over a run: share of the facts that final renderings show, part by part."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from ircore.core.episode_records import Episode
from ircore.core.fact_records import PARTS, Part, PartShare, RenderingFacts
from ircore.games.reconstruction.records import renderings_of
from ircore.results.statistics.intervals import Estimate, estimate
from ircore.results.statistics.scales import SHARE


@dataclass(frozen=True)
class PartResult:
    """Mean share of one part of the facts over episodes of a run.

    >>> PartResult(estimate([0.5, 1.0], SHARE), held=3, decided=4, total=5).share.mean
    0.75
    """

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
        if episode.played and renderings_of(episode):
            finals[episode.episode_id] = [*renderings_of(episode).values()][-1].sha256
    return {line.episode_id: dict(line.parts) for line in facts if finals.get(line.episode_id) == line.rendering}


def part_results(shares: Iterable[Mapping[Part, PartShare]], labels: Sequence[str] = ()) -> dict[Part, PartResult]:
    """Return each part over some episodes, given with the condition of each.

    >>> part_results([{"text": PartShare(0.5, 1, 2, 3)}, {"text": PartShare(1.0, 2, 2, 2)}])["text"].share.mean
    0.75
    """
    episodes = list(shares)
    results: dict[Part, PartResult] = {}
    for part in PARTS:
        own = [parts[part] for parts in episodes if part in parts]
        results[part] = PartResult(
            estimate([parts[part].share if part in parts else None for parts in episodes], SHARE, labels),
            sum(score.held for score in own),
            sum(score.decided for score in own),
            sum(score.total for score in own),
        )
    return results
