"""Ending a run for good: what has no result yet counts as not played from then on."""

from collections.abc import Sequence

from ircore.core.records import GIVEN_UP, Episode, Instance
from ircore.runs.folder import End, Entry, RunFolder, RunWriter


def declare_final(folder: RunFolder, selected: Sequence[Instance]) -> int:
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
        failed = {one.episode_id: one for one in folder.episodes()}
        given_up = [_given_up(one, failed.get(one.instance_id)) for one in selected
                    if one.instance_id not in writer.finished]  # fmt: skip
        writer.record([Entry(End(episode=episode)) for episode in given_up])
    return len(given_up)


def _given_up(instance: Instance, failed: Episode | None) -> Episode:
    """Return an episode as declared final: what a technical failure left of it, or nothing if it was never begun."""
    was = "never played to an end" if failed is None else f"{failed.abort_reason}: {failed.detail or ''}"
    return Episode(
        episode_id=instance.instance_id,
        instance_id=instance.instance_id,
        category=instance.category,
        difficulty=instance.difficulty,
        outcome="aborted",
        abort_reason=GIVEN_UP,
        detail=f"declared final; {was}"[:2000],
        turns=failed.turns if failed is not None else (),
    )
