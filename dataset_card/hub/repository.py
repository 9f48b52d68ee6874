"""A dataset repository on the Hugging Face Hub; the only module that imports ``huggingface_hub``.

Where it is and who asks comes from the environment, as ``huggingface_hub`` reads it: ``HF_ENDPOINT``;
``HF_OIDC_RESOURCE`` for trusted publishing, else ``HF_TOKEN``, else the token that ``hf auth login`` stored. A token is
never printed. The state of a repository, and the failures that callers handle, are records of this module.
"""

import json
import logging
import os
import sys
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from http import HTTPStatus
from itertools import islice
from pathlib import Path
from time import sleep
from typing import TypeVar
from urllib.parse import urlsplit

from httpx2 import HTTPError
from huggingface_hub import (
    CommitOperationAdd,
    CommitOperationDelete,
    HfApi,
    constants,
    get_session,
    get_token,
    scan_cache_dir,
)
from huggingface_hub.errors import (
    CacheNotFound,
    FileMetadataError,
    HfHubHTTPError,
    HFValidationError,
    LocalEntryNotFoundError,
    OfflineModeIsEnabled,
    OIDCError,
    RepositoryNotFoundError,
    RevisionNotFoundError,
)
from huggingface_hub.hf_api import RepoFile
from huggingface_hub.utils import (  # type: ignore[attr-defined]
    build_hf_headers,
    disable_progress_bars,
    validate_repo_id,
)
from huggingface_hub.utils import logging as hub_logging

from dataset_card.releases.files import LocalFile
from ircore.core.errors import InputError, WorkError
from ircore.core.private_text import find_leaks
from ircore.core.terminal import make_printable


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
    dataset_card.hub.repository.MissingRevisionError: org/dataset: no such revision
    """


class StaleError(Exception):
    """Another commit has been made since the repository was read.

    >>> raise StaleError
    Traceback (most recent call last):
    dataset_card.hub.repository.StaleError
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


T = TypeVar("T")

KIND = "dataset"
WAITS = (0.5, 2.0, 8.0)
"""Seconds to wait before a request that failed for a while is made again."""

LONGEST_WAIT = 120.0
"""Seconds that a server may ask to wait; a longer wait is left to the user."""

# A listing comes page by page without a stated end, and the repository may be a stranger's.
MAX_FILES = 100_000

STORE_SECONDS = 10.0
"""Seconds that the store of large files may take for a first answer, before anything is sent to it."""

_STORE_LIMITS = {"HF_XET_CLIENT_RETRY_MAX_ATTEMPTS": "3", "HF_XET_CLIENT_RETRY_BASE_DELAY": "1s"}
for _name, _value in _STORE_LIMITS.items():
    # Read by hf_xet when it is first used; its own limits keep a push waiting for minutes when the store is gone.
    os.environ.setdefault(_name, _value)

_NO_ANSWERS = (json.JSONDecodeError, KeyError, TypeError, AttributeError, FileMetadataError)
"""What ``huggingface_hub`` raises where an answer with status 200 is none of the Hub: no JSON, or not its fields."""

# The Hub answers 412 where the parent of a commit is not the newest commit any more.
_STALE, _LIMITED = 412, 429


class HubRepository:
    """A dataset repository.

    Args:
        name: ``ORG/NAME``.

    Raises:
        InputError: It cannot be the name of one.

    >>> HubRepository("org/dataset").url
    'https://huggingface.co/datasets/org/dataset'
    """

    def __init__(self, name: str) -> None:
        self.name = name
        try:
            validate_repo_id(name)
        except HFValidationError as error:
            raise InputError(f"{name}: not the name of a dataset on the Hub", "Give it as ORG/NAME.") from error
        if name.count("/") != 1:
            raise InputError(f"{name}: not the name of a dataset on the Hub", "Give it as ORG/NAME.")
        hub_logging.set_verbosity(logging.ERROR)  # its warnings show addresses that a signature is part of
        if not sys.stderr.isatty():
            # In a log each step of a bar would be a line.
            disable_progress_bars()
        self._api = HfApi()

    @property
    def url(self) -> str:
        """Address of the repository's page."""
        return f"{constants.ENDPOINT}/datasets/{self.name}"

    def require_token(self) -> None:
        """Make sure that there is a token to write with.

        Raises:
            InputError: There is none.
            WorkError: Trusted publishing is asked for, and the exchange of tokens failed.
        """
        with self._explain_errors():
            if get_token() is None:
                raise InputError(
                    "no token for the Hugging Face Hub", "Set HF_TOKEN to one with write access, or run: hf auth login"
                )

    def read(self) -> Remote | None:
        """Return the current state; None if the repository does not exist or the token may not see the repository.

        Raises:
            WorkError: The Hub refuses or cannot be reached.
        """

        def ask() -> Remote | None:
            try:
                info = self._api.dataset_info(self.name)
            except RepositoryNotFoundError:
                return None
            refs = self._api.list_repo_refs(self.name, repo_type=KIND)
            commit = str(info.sha)
            tags = {tag.name: tag.target_commit for tag in refs.tags}
            return Remote(commit, bool(info.private), self._list_files(commit), tags)

        return self._retry_request(ask)

    def files(self, revision: str) -> Mapping[str, RemoteFile]:
        """Return the files of a commit, branch or tag.

        Raises:
            MissingRevisionError: There is no such revision.
            WorkError: There is no such repository, or the Hub cannot be reached.
        """
        return self._retry_request(lambda: self._list_files(revision))

    def create(self) -> None:
        """Create the repository as private; an existing repository is left unchanged."""
        self._retry_request(lambda: self._api.create_repo(self.name, repo_type=KIND, private=True, exist_ok=True))

    def commit(self, add: Mapping[str, Path], remove: Iterable[str], parent: str, message: str) -> str:
        """Make a commit on top of ``parent`` and return the commit's id; uploaded files are not sent again.

        Raises:
            StaleError: ``parent`` is not the newest commit any more.
            TemporaryError: The Hub cannot answer now; perhaps the commit was made, perhaps not.
            WorkError: The Hub refuses.
        """
        self._require_store()
        operations = [CommitOperationAdd(path, local) for path, local in add.items()]
        removals = [CommitOperationDelete(path) for path in remove]
        with self._explain_errors():
            # Not repeated here: whether a failed commit was made can only be seen by reading the repository.
            made = self._api.create_commit(
                self.name, [*operations, *removals], commit_message=message, repo_type=KIND, parent_commit=parent
            )
        return made.oid

    def tag(self, name: str, commit: str) -> None:
        """Give a commit a name.

        Raises:
            WorkError: The name is another commit's, the Hub refuses or cannot be reached.
        """
        self._retry_request(
            lambda: self._api.create_tag(self.name, tag=name, revision=commit, repo_type=KIND, exist_ok=True)
        )
        # With exist_ok, a tag of another commit stays where it is, without an error.
        refs = self._retry_request(lambda: self._api.list_repo_refs(self.name, repo_type=KIND))
        if {tag.name: tag.target_commit for tag in refs.tags}.get(name) != commit:
            raise WorkError(f"{self.name}: tag {name} was set by somebody else meanwhile", "Choose another --revision.")

    def publish(self) -> None:
        """Let everybody see the repository."""
        self._retry_request(lambda: self._api.update_repo_settings(self.name, private=False, repo_type=KIND))

    def download(self, revision: str | None, patterns: Sequence[str]) -> Path:
        """Bring files into the user's Hub cache, where they are not there yet, and return the folder.

        With ``HF_HUB_OFFLINE`` set, what is in the cache has to do.

        Args:
            revision: Commit, branch or tag; the newest commit if None, or offline the one that was fetched last.
            patterns: Which files, with ``*`` for any characters.

        Raises:
            WorkError: There is no such repository or revision, it has none of the files, or the Hub fails.
        """
        if not constants.is_offline_mode():
            # Asked first, since a download falls back on an old copy in silence if the Hub cannot be reached.
            self._retry_request(lambda: self._api.dataset_info(self.name, revision=revision))
        folder = self.fetch(revision, patterns)
        if not any(folder.glob("data/*/*.parquet")):
            raise WorkError(f"{self.name}: holds no release", "Name a dataset made by: ircore release push")
        return folder

    def fetch(self, revision: str | None, patterns: Iterable[str]) -> Path:
        """Bring any files into the user's Hub cache, and return the folder.

        Args:
            revision: As in ``download``.
            patterns: As in ``download``.

        Raises:
            WorkError: There is no such repository or revision, or the Hub fails.
        """
        wanted = list(patterns)
        if revision is None and constants.is_offline_mode():
            revision = self._find_newest_cached()
        return Path(
            self._retry_request(
                lambda: self._api.snapshot_download(self.name, repo_type=KIND, revision=revision, allow_patterns=wanted)
            )
        )

    def _find_newest_cached(self) -> str | None:
        """Return the commit that was brought into the user's Hub cache last; None if there is none."""
        try:
            cached = scan_cache_dir().repos
        except CacheNotFound:
            return None
        commits = [
            commit
            for repository in cached
            if (repository.repo_type, repository.repo_id) == (KIND, self.name)
            for commit in repository.revisions
        ]
        return max(commits, key=lambda commit: commit.last_modified).commit_hash if commits else None

    def _require_store(self) -> None:
        """Make sure that the storage service of large files answers: its client would retry for minutes.

        Raises:
            WorkError: It does not.
        """
        if constants.HF_HUB_DISABLE_XET:
            return
        address = f"{constants.ENDPOINT}/api/datasets/{self.name}/xet-write-token/main"
        with self._explain_errors():
            answer = get_session().get(address, headers=build_hf_headers(), timeout=STORE_SECONDS)
        store = str(answer.json().get("casUrl", "")) if answer.status_code == HTTPStatus.OK else ""
        if not store.startswith(("http://", "https://")):
            return  # the client's own message is clear
        try:
            get_session().get(store, timeout=STORE_SECONDS)
        except HTTPError as error:
            raise WorkError(
                # The host alone: the rest of the address may hold a signature.
                f"{self.name}: the store of large files, {urlsplit(store).netloc}, does not answer "
                f"({type(error).__name__})",
                "Try again later, or set HF_HUB_DISABLE_XET=1 to send them without it.",
            ) from error

    def _list_files(self, revision: str) -> dict[str, RemoteFile]:
        entries = self._api.list_repo_tree(self.name, recursive=True, revision=revision, repo_type=KIND)
        files = [entry for entry in islice(entries, MAX_FILES) if isinstance(entry, RepoFile)]
        return {
            file.path: RemoteFile(file.size, file.lfs.sha256 if file.lfs else file.blob_id, file.lfs is not None)
            for file in files
        }

    def _retry_request(self, ask: Callable[[], T]) -> T:
        """Repeat a request after a while if the Hub cannot answer; only for requests that may be repeated."""
        # The last try stands below, so that its error reaches the caller.
        for wait in WAITS:
            try:
                with self._explain_errors():
                    return ask()
            except TemporaryError as error:
                sleep(error.wait or wait)
        with self._explain_errors():
            return ask()

    @contextmanager
    def _explain_errors(self) -> Iterator[None]:
        """Turn errors of ``huggingface_hub`` into errors with a clear line and a remedy."""
        try:
            yield
        except HfHubHTTPError as error:
            raise self._build_refusal_error(error) from error
        except OIDCError as error:
            raise WorkError(
                f"trusted publishing failed: {_shorten_message(str(error))}", "See HF_OIDC_RESOURCE."
            ) from error
        except (OfflineModeIsEnabled, LocalEntryNotFoundError) as error:
            if not constants.is_offline_mode():
                # So the client calls a file that could not be fetched; why, it says behind that.
                raise self._build_no_answer_error(type(error.__cause__ or error).__name__) from error
            raise WorkError(
                f"{self.name}: not in the Hub's cache, and HF_HUB_OFFLINE forbids to ask the Hub",
                "Unset HF_HUB_OFFLINE.",
            ) from error
        except (ConnectionError, TimeoutError) as error:  # of hf_xet, which moves large files
            raise TemporaryError(
                f"{self.name}: the connection to the store of large files failed ({type(error).__name__})",
                "Give the same command again, or set HF_HUB_DISABLE_XET=1 to send them without it.",
            ) from error
        except _NO_ANSWERS as error:
            raise self._build_no_answer_error(type(error).__name__) from error
        except HTTPError as error:
            raise TemporaryError(
                f"{constants.ENDPOINT}: the connection failed ({type(error).__name__})",
                "Give the same command again: what was uploaded is not sent again.",
            ) from error
        except ValueError as error:
            raise WorkError(
                f"{self.name}: the Hub refuses the request ({_shorten_message(str(error))})",
                "Follow the message in brackets.",
            ) from error
        except (OSError, RuntimeError) as error:  # of hf_xet too
            raise WorkError(
                f"{self.name}: large files cannot be moved ({_shorten_message(str(error))})",
                "Give the same command again, or set HF_HUB_DISABLE_XET=1.",
            ) from error

    def _build_no_answer_error(self, explanation: str) -> WorkError:
        """Return the error for an answer that the Hub would not give: of a portal, of a mirror, of another program."""
        return WorkError(
            f"{self.name}: {constants.ENDPOINT} gave no answer of the Hub ({explanation})",
            "Check HF_ENDPOINT and the way there: a network's login page or a mirror may have answered.",
        )

    def _build_refusal_error(self, error: HfHubHTTPError) -> Exception:
        status = error.response.status_code
        headers = error.response.headers
        # The Hub's own refusals name an error or are JSON.
        if status < 500 and "html" in headers.get("Content-Type", "") and "X-Error-Code" not in headers:
            return self._build_no_answer_error(f"a page with status {status}")
        message = f" ({_shorten_message(error.server_message)})" if error.server_message else ""
        if status == _STALE:
            return StaleError()
        if status == _LIMITED or status >= 500:
            return _build_temporary_error(error, f"{self.name}: the Hub cannot do this now: {status}{message}")
        if isinstance(error, RevisionNotFoundError):
            return MissingRevisionError(
                f"{self.name}: no such revision", "Name a tag, a branch or a commit that it has."
            )
        if isinstance(error, RepositoryNotFoundError):
            return WorkError(
                f"{self.name}: no such dataset, or none that this token may see", "Check the name, and HF_TOKEN."
            )
        if status == 401:
            return WorkError(f"{self.name}: the Hub does not accept the token", "Set HF_TOKEN to a valid one.")
        if status == 403:
            return WorkError(
                f"{self.name}: the Hub refuses: 403{message}",
                "Check what the token may write, and the account's limits.",
            )
        return WorkError(f"{self.name}: the Hub refuses: {status}{message}", "Follow the message in brackets.")


def _build_temporary_error(error: HfHubHTTPError, problem: str) -> WorkError:
    retry_after = error.response.headers.get("Retry-After", "")
    # The header may also hold a date, which counts as no answer.
    wait = float(retry_after) if retry_after.isdecimal() else None
    if wait is not None and wait > LONGEST_WAIT:
        return WorkError(problem, f"Give the same command again in {wait / 60:.0f} min.")
    temporary = TemporaryError(problem, "Give the same command again later: what was uploaded is not sent again.")
    temporary.wait = wait
    return temporary


def _shorten_message(text: str | None) -> str:
    """Return a server's message as a short line, hidden if any part looks like a key."""
    line = make_printable(" ".join((text or "").split()))[:200]
    return "…" if any(find_leaks(line)) else line
