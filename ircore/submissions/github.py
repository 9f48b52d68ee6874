"""The few questions and requests to GitHub's REST API that the maintainers' inbox needs."""

import json
import os
import re
from base64 import b64decode, b64encode
from collections.abc import Mapping
from typing import Any, NamedTuple
from urllib.error import HTTPError, URLError
from urllib.parse import quote
from urllib.request import HTTPRedirectHandler, Request, build_opener

from ircore.core.errors import InputError, WorkError

SECONDS = 60.0
MOST_BYTES = 4 * 1024**3
"""Largest answer, in bytes: an artefact with the runs of a batch."""

_REPOSITORY = re.compile(r"[A-Za-z0-9_.-]+/[A-Za-z0-9_.-]+")


class PullRequest(NamedTuple):
    """An open pull request.

    >>> PullRequest(12, "a" * 40, "Submit my-pair", "somebody").number
    12
    """

    number: int
    """Its number."""

    head: str
    """Its last commit."""

    title: str
    """Its title, in its author's words."""

    author: str
    """The account that opened it."""

    account_id: int = 0
    """Number of that account."""

    source: str = ""
    """Repository that its branch lies in, as ``OWNER/NAME``; empty if that was deleted."""

    @property
    def fork(self) -> str:
        """Owner of the repository that its branch lies in."""
        return self.source.partition("/")[0]


class _NoCredentialsElsewhere(HTTPRedirectHandler):
    """Follow redirects without the token: an artefact lies at another host, behind a signed address."""

    def redirect_request(self, *about: Any) -> Request | None:
        """Return the next request: urllib gives its address last."""
        newurl = str(about[-1])
        # A new request has no header of the old one, and so no token.
        return Request(newurl) if newurl.startswith(("https://", "http://127.0.0.1:")) else None  # noqa: S310 - checked


class GitHub:
    """A repository on GitHub, asked with the token of a workflow's job.

    Args:
        api: Address of the API.
        repository: ``OWNER/NAME``.
        token: The job's token.

    Raises:
        InputError: The repository's name cannot be one.

    >>> GitHub("https://api.github.com", "owner/name", "token").repository
    'owner/name'
    """

    def __init__(self, api: str, repository: str, token: str) -> None:
        if not _REPOSITORY.fullmatch(repository):
            raise InputError(f"{repository!a}: no repository", "Give it as OWNER/NAME in GITHUB_REPOSITORY.")
        self.repository = repository
        self._api, self._token = api.rstrip("/"), token
        self._opener = build_opener(_NoCredentialsElsewhere)

    @classmethod
    def of_job(cls) -> "GitHub":
        """Return the repository whose workflow runs this.

        Raises:
            InputError: The variables of a job are not set.
        """
        names = ("GITHUB_API_URL", "GITHUB_REPOSITORY", "GITHUB_TOKEN")
        missing = [name for name in names if not os.environ.get(name)]
        if missing:
            raise InputError(f"{', '.join(missing)} not set", "This is for a workflow of the repository.")
        return cls(*(os.environ[name] for name in names))

    def is_maintainer(self, login: str) -> bool:
        """Return whether an account may push to the repository."""
        about = self._ask("GET", f"/collaborators/{quote(login, safe='')}/permission", missing={})
        return about.get("permission") in ("admin", "write")

    def pull_requests(self) -> list[PullRequest]:
        """Return the open pull requests, the oldest first; the first hundred of them."""
        listed = self._ask("GET", "/pulls?state=open&sort=created&direction=asc&per_page=100")
        return [_pull_request(each) for each in listed]

    def pull_request(self, number: int) -> PullRequest:
        """Return a pull request, open or not."""
        return _pull_request(self._ask("GET", f"/pulls/{number}"))

    def merged_by(self, commit: str) -> PullRequest | None:
        """Return the pull request that brought a commit to the branch ``main``; None if it came without one."""
        listed = self._ask("GET", f"/commits/{quote(commit, safe='')}/pulls?per_page=100")
        # A commit can be part of several pull requests, merged or not.
        merged = [each for each in listed if each.get("merged_at") and each["base"]["ref"] == "main"]
        return _pull_request(merged[0]) if merged else None

    def set_status(self, commit: str, name: str, passed: bool, text: str) -> None:
        """Set a status of a commit, which the branch ``main`` may require: ``name`` with a line about it."""
        state = "success" if passed else "failure"
        self._ask("POST", f"/statuses/{quote(commit, safe='')}", {"state": state, "context": name, "description": text})

    def is_checked(self, commit: str) -> bool:
        """Return whether all checks of a commit have ended well, and there is at least one."""
        runs = self._ask("GET", f"/commits/{quote(commit, safe='')}/check-runs?per_page=100")["check_runs"]
        # A check that still runs has no conclusion.
        return bool(runs) and all(run["conclusion"] in ("success", "skipped", "neutral") for run in runs)

    def open_disputes(self) -> list[tuple[int, str]]:
        """Return number and title of the open issues with the label ``dispute``."""
        listed = self._ask("GET", "/issues?state=open&labels=dispute&per_page=100")
        # The API lists pull requests among the issues.
        return [(int(issue["number"]), issue["title"]) for issue in listed if "pull_request" not in issue]

    def merge(self, number: int, head: str) -> None:
        """Merge a pull request, unless its last commit is another one by now."""
        # GitHub refuses the merge if the branch has moved since this commit was checked.
        self._ask("PUT", f"/pulls/{number}/merge", {"sha": head, "merge_method": "merge"})

    def dispatch(self, workflow: str, inputs: Mapping[str, str]) -> None:
        """Start a workflow on the branch ``main``."""
        self._ask("POST", f"/actions/workflows/{workflow}/dispatches", {"ref": "main", "inputs": dict(inputs)})

    def write_issue(self, number: int, body: str) -> None:
        """Replace the text of an issue."""
        self._ask("PATCH", f"/issues/{number}", {"body": body})

    def read_file(self, path: str) -> bytes:
        """Return a file of the branch ``main``; empty if it is not there."""
        known = self._ask("GET", f"/contents/{quote(path)}?ref=main", missing={}).get("sha")
        # As a blob, since the API leaves out the content of files above 1 MB.
        return b64decode(self._ask("GET", f"/git/blobs/{known}")["content"]) if known else b""

    def write_file(self, path: str, data: bytes, message: str) -> None:
        """Commit a file to the branch ``main``."""
        place = f"/contents/{quote(path)}"
        known = self._ask("GET", f"{place}?ref=main", missing={}).get("sha")
        document = {"message": message, "branch": "main", "content": b64encode(data).decode()}
        # Without the hash of the present file GitHub refuses to replace the file.
        self._ask("PUT", place, document | ({"sha": known} if known else {}))

    def newest_artefact(self, name: str) -> bytes | None:
        """Return the ZIP file of the newest artefact of a name that a run on ``main`` left; None if there is none."""
        listed = self._ask("GET", f"/actions/artifacts?name={quote(name, safe='')}&per_page=100")["artifacts"]
        # Artefacts of other branches may come from a workflow that a stranger changed.
        usable = [each for each in listed if not each["expired"] and each["workflow_run"]["head_branch"] == "main"]
        newest = max(usable, key=lambda each: str(each["created_at"]), default=None)
        return None if newest is None else self._bytes("GET", f"/actions/artifacts/{int(newest['id'])}/zip", None)

    def _ask(self, method: str, path: str, document: Any = None, missing: Any = None) -> Any:
        """Return the answer as JSON; ``missing`` where there is no such thing, unless that is None."""
        try:
            return json.loads(self._bytes(method, path, document) or b"{}")
        except HTTPError as error:
            if error.code == 404 and missing is not None:
                return missing
            raise WorkError(f"GitHub answers {error.code} to {method} {path}", "See the job's permissions.") from error

    def _bytes(self, method: str, path: str, document: Any) -> bytes:
        data = None if document is None else json.dumps(document).encode()
        headers = {"Authorization": f"Bearer {self._token}", "Accept": "application/vnd.github+json"}
        request = Request(f"{self._api}/repos/{self.repository}{path}", data, headers, method=method)  # noqa: S310
        try:
            with self._opener.open(request, timeout=SECONDS) as answer:
                result: bytes = answer.read(MOST_BYTES)
                return result
        # Caught first: it is a URLError too, but an answer, which callers tell apart by its status.
        except HTTPError:
            raise
        except (URLError, OSError) as error:
            raise WorkError(f"GitHub cannot be reached: {error}", "Start the job again.") from error


def _pull_request(about: Mapping[str, Any]) -> PullRequest:
    """Return a pull request as the service lists it."""
    user, source = about["user"], about["head"].get("repo") or {}
    numbers = int(about["number"]), int(user["id"])
    return PullRequest(
        numbers[0], about["head"]["sha"], about["title"], user["login"], numbers[1], source.get("full_name", "")
    )
