"""What was handed in: every merged submission, played or not, with what happened to it since."""

from dataclasses import dataclass
from pathlib import Path

from ircore.core.errors import InputError
from ircore.players.submission import MANIFEST, LoadedSubmission, read_manifest
from ircore.submissions.history import Status, Step, read_history, status_of


@dataclass(frozen=True)
class Submitted:
    """A merged submission."""

    loaded: LoadedSubmission
    """Its manifest."""

    steps: tuple[Step, ...] = ()
    """What happened to it since, the oldest first."""

    @property
    def slug(self) -> str:
        """Its folder's name."""
        return self.loaded.slug

    @property
    def status(self) -> Status:
        """Where it stands."""
        return status_of(self.steps)


def read_submitted(folder: Path) -> tuple[Submitted, ...]:
    """Read every submission of a folder, by name.

    Raises:
        InputError: There is no such folder, or a manifest or history in it is damaged.
    """
    if not folder.is_dir():
        raise InputError(f"{folder}: no such folder", "Name the folder of submissions.")
    files = sorted(folder.glob(f"*/{MANIFEST}"))
    return tuple(Submitted(read_manifest(file), read_history(file.parent)) for file in files)
