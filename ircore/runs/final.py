"""Ending a run for good: an episode without a result counts as not played from then on."""

from ircore.core.episode_records import GIVEN_UP, Episode
from ircore.core.errors import InputError
from ircore.core.records import Instance
from ircore.instances.records import Instances
from ircore.runs.episode import episode_record
from ircore.runs.events import End, Entry
from ircore.runs.folder import RunFolder
from ircore.runs.shards import read_part
from ircore.runs.writer import RunWriter


def declare_final(folder: RunFolder, selected: Instances) -> int:
    """Give up every episode without a result: it counts as not played, and will not be played again.

    Each such episode gets an end of its own in the journal, with the reason ``given_up`` and the steps that a
    technical failure left of it.

    Args:
        folder: The run.
        selected: Some of its instances.

    Returns:
        The number of episodes that were given up.

    Raises:
        InputError: Another process works on the run, or it is a shard and some of the instances are of other shards.
        WorkError: It cannot be recorded.
    """
    # Under the lock: an episode that another process is playing must not be given up.
    with folder.lock(), RunWriter(folder) as writer:
        part = read_part(folder)
        foreign = set() if part is None else set(selected.ids) - set(part.instances)
        if part is not None and foreign:
            raise InputError(
                f"{folder.path}: shard {part.shard} is played here, and {len(foreign)} of these instances are of other "
                "shards",
                f"Give --shard {part.shard} too.",
            )
        failed = folder.ended()
        given_up = [
            _given_up(instance, repeat, failed.get(name))
            for instance in selected
            for repeat, name in enumerate(folder.run.episode_ids([instance.instance_id]), start=1)
            if name not in writer.finished
        ]
        writer.record([Entry(End(episode=episode)) for episode in given_up])
    return len(given_up)


def _given_up(instance: Instance, repeat: int, failed: Episode | None) -> Episode:
    """Return the final record of an episode; ``failed`` is its technical failure, None if it never ended."""
    was = "never played to an end" if failed is None else f"{failed.abort_reason}: {failed.detail or ''}"
    steps = () if failed is None else failed.steps
    return episode_record(instance, "aborted", steps, GIVEN_UP, f"declared final; {was}", repeat)
