"""The few questions to GitHub's REST API that a leaderboard needs: artefacts, runs of workflows, settings."""

import json
import os
import re
from collections.abc import Iterator, Mapping
from http.client import HTTPException
from pathlib import Path
from time import monotonic
from typing import Any, NamedTuple
from urllib.error import HTTPError, URLError
from urllib.parse import quote
from urllib.request import HTTPRedirectHandler, Request, build_opener

from ircore.core.errors import InputError, WorkError

SECONDS = 60.0
"""Seconds that the service may be silent."""

MOST_BYTES = 64 * 1024**2
"""Largest answer in bytes: a page of a list, or a file of the repository."""

MOST_ARTEFACT_BYTES = 4 * 1024**3
"""Largest artefact in bytes: the runs of a batch."""

DOWNLOAD_SECONDS = 1800.0
"""Seconds that an artefact may take to arrive."""

PAGE = 100
"""Entries of a page, the most that the service gives."""

MOST_PAGES = 100
"""Pages of a list that are read: what is behind ten thousand entries is not looked for."""

MAIN = "main"
"""The branch whose workflows are trusted."""

_PIECE = 1024**2
_NOTHING: Mapping[str, Any] = {}

_REPOSITORY = re.compile(r"[A-Za-z0-9_.-]+/[A-Za-z0-9_.-]+")


class Artefact(NamedTuple):
    """An artefact that a workflow's run left."""

    number: int
    """Its number."""

    run: int
    """Number of the workflow's run."""

    created: str
    """When it was uploaded, as the service writes it: sorts by time."""

    size: int = 0
    """Size in bytes, as far as the service tells."""


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

    def read(self, path: str) -> Any:
        """Return an answer about the repository as JSON; None where there is no such thing.

        Raises:
            WorkError: The service cannot be asked, or does not let this token read it.
        """
        return self._ask("GET", path, missing=_NOTHING) or None

    def playing(self, workflow: str, job: str, own: str = "") -> list[int]:
        """Return the numbers of the workflow's runs whose job of a name is under way.

        Args:
            workflow: File name of the workflow.
            job: Name of the job, as the workflow states it.
            own: Number of the run that asks, which is left out.
        """
        under_way = [number for number in self._runs(workflow, "in_progress") if str(number) != own]
        return [
            number
            for number in under_way
            if any(
                (each["name"], each["status"]) == (job, "in_progress")
                for each in self._listed(f"/actions/runs/{number}/jobs", "jobs")
            )
        ]

    def unapproved(self, workflow: str) -> list[int]:
        """Return the numbers of the workflow's runs that wait for somebody's approval."""
        return self._runs(workflow, "waiting")

    def _runs(self, workflow: str, status: str) -> list[int]:
        listed = self._listed(f"/actions/workflows/{quote(workflow, safe='')}/runs?status={status}", "workflow_runs")
        return sorted(int(run["id"]) for run in listed if run["head_branch"] == MAIN)

    def artefacts(self, name: str, workflow: str) -> Iterator[Artefact]:
        """Yield the artefacts that a workflow of this repository's branch ``main`` left, the newest first.

        Anybody can upload an artefact of any name, from a branch of any name: a pull request from a fork runs the
        fork's own workflow, and its artefacts stand in the same list. So nothing that its author can choose counts,
        but the repository that the commit lies in, and the event and file of the run, as the service tells them.

        Args:
            name: Name of the artefacts.
            workflow: File name of the workflow, which is started by hand or by schedule.

        Raises:
            WorkError: The service cannot be asked, or lists more than ``MOST_PAGES`` pages.
        """
        about = self._listed(f"/actions/artifacts?name={quote(name, safe='')}", "artifacts")
        named = [known for each in about if each["name"] == name and (known := _own_artefact(each)) is not None]
        for artefact in sorted(named, key=lambda each: (each.created, each.number), reverse=True):
            if _is_own_run(self._ask("GET", f"/actions/runs/{artefact.run}", missing={}), workflow):
                yield artefact

    def download(self, artefact: Artefact, file: Path) -> bool:
        """Write the ZIP file of an artefact; return whether it is still there and not too large.

        Raises:
            WorkError: It does not arrive, or the file cannot be written.
        """
        until = monotonic() + DOWNLOAD_SECONDS
        path = f"/actions/artifacts/{artefact.number}/zip"
        size = 0
        if artefact.size > MOST_ARTEFACT_BYTES:
            return False
        try:
            with file.open("wb") as written, self._opener.open(self._request("GET", path), timeout=SECONDS) as answer:
                while piece := answer.read(_PIECE):
                    size += len(piece)
                    if size > MOST_ARTEFACT_BYTES:
                        return False
                    if monotonic() > until:
                        raise WorkError(f"artefact {artefact.number}: does not arrive", "Start the job again.")
                    written.write(piece)
        except HTTPError as error:
            # Deleted or expired since it was listed.
            if error.code in (404, 410):
                return False
            raise WorkError(f"GitHub answers {error.code} to GET {path}", "See the job's permissions.") from error
        except (URLError, HTTPException, OSError) as error:
            raise WorkError(f"artefact {artefact.number}: does not arrive: {error}", "Start the job again.") from error
        return True

    def _listed(self, path: str, key: str = "") -> Iterator[Any]:
        """Yield the entries of a list of the service, page by page.

        Args:
            path: The list.
            key: Name of the list in the answer; empty where the answer is the list.

        Raises:
            WorkError: There are more pages than are read.
        """
        for page in range(1, MOST_PAGES + 1):
            answer = self._ask("GET", f"{path}{'&' if '?' in path else '?'}per_page={PAGE}&page={page}")
            entries = answer[key] if key else answer
            yield from entries
            if len(entries) < PAGE:
                return
        # Not cut in silence: strangers can make most of these lists longer.
        remedy = "Close or delete what strangers made, and start the job again."
        raise WorkError(f"GitHub lists more than {MOST_PAGES * PAGE:,} entries at {path}", remedy)

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
        try:
            with self._opener.open(self._request(method, path, data), timeout=SECONDS) as answer:
                result: bytes = answer.read(MOST_BYTES + 1)
        # Caught first: it is a URLError too, but an answer, which callers tell apart by its status.
        except HTTPError:
            raise
        except (URLError, HTTPException, OSError) as error:
            raise WorkError(f"GitHub cannot be reached: {error}", "Start the job again.") from error
        if len(result) > MOST_BYTES:
            raise WorkError(f"GitHub answers {method} {path} with more than {MOST_BYTES // 1024**2} MiB", "")
        return result

    def _request(self, method: str, path: str, data: bytes | None = None) -> Request:
        headers = {"Authorization": f"Bearer {self._token}", "Accept": "application/vnd.github+json"}
        return Request(f"{self._api}/repos/{self.repository}{path}", data, headers, method=method)  # noqa: S310


def _own_artefact(about: Mapping[str, Any]) -> Artefact | None:
    """Return an artefact that a run on the branch ``main`` of its own repository left; None for any other."""
    run = about.get("workflow_run") or {}
    # A fork's branch may be called main, too: its commit lies in another repository.
    own = run.get("repository_id") is not None and run["repository_id"] == run.get("head_repository_id")
    if about["expired"] or not own or run.get("head_branch") != MAIN:
        return None
    return Artefact(int(about["id"]), int(run["id"]), str(about["created_at"]), int(about.get("size_in_bytes") or 0))


def _is_own_run(run: Mapping[str, Any], workflow: str) -> bool:
    """Return whether a workflow's run was started by hand or by schedule on this repository's branch ``main``."""
    repositories = [(run.get(name) or {}).get("id") for name in ("repository", "head_repository")]
    # With the branch behind an @, in some answers.
    path, _, ref = str(run.get("path")).partition("@")
    return (
        repositories[0] is not None
        and repositories[0] == repositories[1]
        and path == f".github/workflows/{workflow}"
        and ref in ("", MAIN, f"refs/heads/{MAIN}")
        and run.get("event") in ("workflow_dispatch", "schedule")
        and run.get("head_branch") == MAIN
    )
