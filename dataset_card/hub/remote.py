"""Content of a repository on the Hub, and failures of requests that the caller handles."""

from collections.abc import Mapping
from dataclasses import dataclass

from dataset_card.releases.files import LocalFile
from ircore.core.errors import WorkError


class TemporaryError(WorkError):
    """The Hub cannot answer now; the same request may succeed later.

    Attributes:
        wait: Seconds that the server asked to wait, if it did.

    >>> TemporaryError("the Hub cannot do this now: 503", "Try again later.").wait is None
    True
    """

    wait: float | None = None


class MissingRevisionError(WorkError):
    """The repository lacks the asked commit, branch or tag.

    >>> raise MissingRevisionError("org/dataset: no such revision")
    Traceback (most recent call last):
    dataset_card.hub.remote.MissingRevisionError: org/dataset: no such revision
    """


class StaleError(Exception):
    """Another commit has been made since the repository was read.

    >>> raise StaleError
    Traceback (most recent call last):
    dataset_card.hub.remote.StaleError
    """


@dataclass(frozen=True)
class RemoteFile:
    """A file of a repository, as the Hub lists the file.

    >>> from pathlib import Path
    >>> from dataset_card.releases.files import read_local_file
    >>> local = read_local_file(Path("release/runs.jsonl"))
    >>> RemoteFile(local.size, local.git_hash, large=False).same_as(local)
    True
    """

    size: int
    """Bytes."""

    digest: str
    """SHA-256 of a large file, git's hash of a small file."""

    large: bool
    """Whether the Hub stores the file outside of git."""

    def same_as(self, local: LocalFile) -> bool:
        """Say whether a file here has the same content."""
        return self.size == local.size and self.digest == (local.sha256 if self.large else local.git_hash)


@dataclass(frozen=True)
class Remote:
    """State of a repository when the repository was read.

    >>> Remote(commit="0" * 40, private=True, files={}, tags={"v1": "0" * 40}).tags["v1"][:4]
    '0000'
    """

    commit: str
    """The newest commit."""

    private: bool
    """Whether only the repository's owners see the repository."""

    files: Mapping[str, RemoteFile]
    """Files of the repository by path."""

    tags: Mapping[str, str]
    """Commit by tag."""
