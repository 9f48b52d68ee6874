"""Ending a run for good: what has no result yet counts as not played from then on."""

from collections.abc import Sequence

from ircore.core.game_records import GameEpisode
from ircore.core.records import GIVEN_UP, RECONSTRUCTION, AnyInstance, Episode
from ircore.runs.events import end_entry
from ircore.runs.folder import AnyRunFolder
from ircore.runs.writer import RunWriter


def declare_final(folder: AnyRunFolder, selected: Sequence[AnyInstance]) -> int:
    """Give up what has no result yet: it counts as not played from then on, and is never played again.

    Every such episode gets an end of its own in the journal, with the reason ``given_up`` and what was there of it.

    Args:
        folder: The run.
        selected: Some of its instances.

    Returns:
        How many episodes were given up.

    Raises:
        InputError: Another process works on the run.
        WorkError: It cannot be recorded.
    """
    with folder.lock(), RunWriter(folder) as writer:
        failed = folder.ended()
        open_instances = [instance for instance in selected if instance.instance_id not in writer.finished]
        given_up = [
            _given_up(folder.run.game, instance, failed.get(instance.instance_id)) for instance in open_instances
        ]
        writer.record([end_entry(episode) for episode in given_up])
    return len(given_up)


def _given_up(game: str, instance: AnyInstance, failed: Episode | GameEpisode | None) -> Episode | GameEpisode:
    """Return an episode as declared final: what a technical failure left of it, or nothing if it was never begun."""
    was = "never played to an end" if failed is None else f"{failed.abort_reason}: {failed.detail or ''}"
    stated = {
        "episode_id": instance.instance_id,
        "instance_id": instance.instance_id,
        "category": instance.category,
        "difficulty": instance.difficulty,
        "outcome": "aborted",
        "abort_reason": GIVEN_UP,
        "detail": f"declared final; {was}"[:2000],
    }
    if game == RECONSTRUCTION:
        return Episode.model_validate({**stated, "turns": failed.turns if isinstance(failed, Episode) else ()})
    return GameEpisode.model_validate({**stated, "steps": failed.steps if isinstance(failed, GameEpisode) else ()})
