"""Content of a repository on the Hub, and failures of requests that the caller handles."""

from collections.abc import Mapping
from dataclasses import dataclass

from dataset_card.releases.files import LocalFile
from ircore.core.errors import WorkError


class TemporaryError(WorkError):
    """The Hub cannot answer now; the same request may succeed later.

    Attributes:
        wait: Seconds that the server asked to wait, if it did.
    """

    wait: float | None = None


class MissingRevisionError(WorkError):
    """The repository has no such commit, branch or tag."""


class StaleError(Exception):
    """Another commit has been made since the repository was read."""


@dataclass(frozen=True)
class RemoteFile:
    """A file of a repository as its listing has it."""

    size: int
    """Bytes."""

    digest: str
    """SHA-256 of a large file, git's hash of a small file."""

    large: bool
    """Whether the file is stored outside of git."""

    def same_as(self, local: LocalFile) -> bool:
        """Say whether a file here has the same content."""
        return self.size == local.size and self.digest == (local.sha256 if self.large else local.git_hash)


@dataclass(frozen=True)
class Remote:
    """A repository as it was read."""

    commit: str
    """The newest commit."""

    private: bool
    """Whether only its owners see it."""

    files: Mapping[str, RemoteFile]
    """By path."""

    tags: Mapping[str, str]
    """Commit by tag."""
