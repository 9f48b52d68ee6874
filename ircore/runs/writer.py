"""Writing events into a run folder while the run is played."""

from collections.abc import Iterable, Sequence, Set
from typing import Self

from ircore.core.episode_records import Episode
from ircore.core.files import sync_folder, write_bytes
from ircore.core.journal import JournalWriter
from ircore.runs.events import Entry, event_line
from ircore.runs.folder import JOURNAL, RunFolder


class RunWriter:
    """Records a run while it is played; a context manager. The caller holds the run folder's lock.

    >>> from pathlib import Path
    >>> from ircore.runs.events import Call
    >>> from ircore.runs.folder import RunFolder
    >>> folder = RunFolder(Path("run"))
    >>> call = Call(episode_id="simple_shapes-easy-01", turn=9, role="describer", text="A red circle.", seconds=0.5)
    >>> with folder.lock(), RunWriter(folder) as writer:
    ...     writer.record([Entry(call)])
    >>> len(folder.calls()) - len(writer.known)
    1
    """

    def __init__(self, folder: RunFolder) -> None:
        self.folder = folder
        journal = folder.held()  # read once
        self.known = journal.calls()
        self.refused = journal.refusals()
        self.finished = self.finished_episodes(journal)
        # The caller holds the lock, so such files are of a process that was killed while it wrote.
        for left_over in (folder.path / "renderings").glob(".*.part"):
            left_over.unlink()
        self._journal = JournalWriter(folder.path / JOURNAL)
        self._stored = {path.stem for path in (folder.path / "renderings").iterdir()}

    @staticmethod
    def finished_episodes(folder: RunFolder) -> dict[str, Episode]:
        """Return the episodes that need not be played again, by id."""
        return {name: episode for name, episode in folder.ended().items() if episode.finished}

    def record(self, entries: Sequence[Entry]) -> None:
        """Record all events, or none on failure; on return they are on the disk itself.

        The files of renderings are there before the journal names them, whatever happens in between.

        Raises:
            WorkError: It cannot be written.
        """
        self._stored |= store_pictures(self.folder, entries, self._stored)
        self._journal.append([event_line(entry.event) for entry in entries], durable=True)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *error: object) -> None:
        self._journal.__exit__(None, None, None)


def store_pictures(folder: RunFolder, entries: Iterable[Entry], stored: Set[str]) -> set[str]:
    """Write the renderings of entries through to the disk, except those already there.

    Args:
        folder: The run folder.
        entries: To be recorded.
        stored: Hashes of the renderings that are there.

    Returns:
        The hashes of those that were written.

    Raises:
        WorkError: One cannot be written.
    """
    pictures = {entry.picture.sha256: entry.picture for entry in entries if entry.picture is not None}
    new = pictures.keys() - stored
    for sha256 in new:
        write_bytes(folder.rendering_path(sha256), pictures[sha256].data, durable=True)
    if new:
        # The names of new files survive a crash once their folder is on the disk, too.
        sync_folder(folder.path / "renderings")
    return new
