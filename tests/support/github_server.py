"""As much of GitHub's REST API on loopback as jobs and maintainers ask: artefacts, runs of workflows, settings."""

import io
import json
import re
import zipfile
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any
from urllib.parse import parse_qs, urlsplit

from loopback import serving_until_the_end

TOKEN = "token of a job"


@dataclass
class Uploaded:
    """An artefact, with what the service tells of the workflow's run that left it.

    Attributes:
        folder: Its content, below the folder of artefacts; also a ZIP file there.
        name: Its name.
        created: When it was uploaded.
        branch: Name of the branch that the run was of; a fork may call one ``main``.
        fork: Whether the commit lies in a fork.
        path: File of the workflow.
        event: What started it.
        expired: Whether it is no longer kept.
    """

    folder: str
    name: str = "runs"
    created: str = "2026-11-23T00:00:00Z"
    branch: str = "main"
    fork: bool = False
    path: str = ".github/workflows/evaluate.yml"
    event: str = "workflow_dispatch"
    expired: bool = False


OWN, FORK = {"id": 1, "full_name": "org/benchmark"}, {"id": 2, "full_name": "somebody/benchmark"}


class GitHubServer(ThreadingHTTPServer):
    """The service; ``running_github`` starts one.

    Attributes:
        artefacts: Folder of artefacts, one folder each.
        uploads: Artefacts beside the one in the folder ``runs``, which the workflow ``evaluate`` left, if it is there.
        downloaded: Folders of the artefacts that were downloaded, in order.
        under_way: Numbers of the evaluations that play now.
        looking: Numbers of those whose first job, which pays for nothing, is under way.
        unapproved: Numbers of those that wait for an approval.
        settings: Answers to further questions about the repository, by path below it.
        tokens_elsewhere: Tokens that were sent to where artefacts lie, which must be none.
    """

    daemon_threads = True

    def __init__(self, artefacts: Path) -> None:
        super().__init__(("127.0.0.1", 0), _Handler)
        self.artefacts = artefacts
        self.tokens_elsewhere: list[str] = []
        self.uploads: list[Uploaded] = []
        self.downloaded: list[str] = []
        self.under_way: list[int] = []
        self.looking: list[int] = []
        self.unapproved: list[int] = []
        self.settings: dict[str, Any] = {}

    def listed(self) -> list[Uploaded]:
        """All artefacts; the place of each is its number, and that of its run."""
        kept = [Uploaded("runs")] if (self.artefacts / "runs").is_dir() else []
        return [*kept, *self.uploads]

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.server_address[1]}"


class _Handler(BaseHTTPRequestHandler):
    server: GitHubServer

    def log_message(self, format: str, *args: Any) -> None:  # noqa: A002 - the base class's name
        pass

    def do_GET(self) -> None:
        place = urlsplit(self.path)
        if place.path.startswith("/blobs/"):
            self.server.tokens_elsewhere += self.headers.get_all("authorization") or []
            return self._answer(200, self._zipped(place.path.removeprefix("/blobs/")))
        if self.headers["authorization"] != f"Bearer {TOKEN}":
            return self._answer(401, {"message": "Bad credentials"})
        path = place.path.removeprefix("/repos/org/benchmark")
        for pattern, act in ROUTES:
            if match := re.fullmatch(pattern, path):
                return self._answer(*act(self.server, match, parse_qs(place.query)))
        if path in self.server.settings:
            return self._answer(200, self.server.settings[path])
        return self._answer(404, {"message": "Not Found"})

    def _zipped(self, name: str) -> bytes:
        self.server.downloaded.append(name)
        data, folder = io.BytesIO(), self.server.artefacts / name
        if folder.is_file():
            return folder.read_bytes()
        with zipfile.ZipFile(data, "w") as archive:
            for path in sorted(folder.rglob("*")):
                if path.is_file():
                    archive.write(path, path.relative_to(folder).as_posix())
        return data.getvalue()

    def _answer(self, status: int, content: Any) -> None:
        data = content if isinstance(content, bytes) else json.dumps(content).encode()
        self.send_response(status)
        if status == 302:
            self.send_header("location", content["location"])
        self.send_header("content-length", str(len(data)))
        self.end_headers()
        self.wfile.write(data)


def _page(entries: list[Any], query: Any) -> list[Any]:
    """A page of a list, as the service cuts it."""
    size, number = int(query["per_page"][0]), int(query.get("page", ["1"])[0])
    assert size <= 100
    return entries[(number - 1) * size : number * size]


def _artefacts(server: GitHubServer, match: Any, query: Any) -> tuple[int, Any]:
    listed = []
    for number, artefact in enumerate(server.listed(), start=1):
        of = {"id": number, "repository_id": OWN["id"], "head_repository_id": (FORK if artefact.fork else OWN)["id"]}
        about = {"id": number, "name": artefact.name, "expired": artefact.expired, "created_at": artefact.created}
        listed.append(about | {"workflow_run": of | {"head_branch": artefact.branch}})
    named = [about for about in reversed(listed) if about["name"] == query["name"][0]]
    return 200, {"total_count": len(named), "artifacts": _page(named, query)}


def _run(server: GitHubServer, match: Any, query: Any) -> tuple[int, Any]:
    artefact = server.listed()[int(match[1]) - 1]
    about = {"id": int(match[1]), "path": artefact.path, "event": artefact.event, "head_branch": artefact.branch}
    return 200, about | {"repository": OWN, "head_repository": FORK if artefact.fork else OWN}


def _under_way(server: GitHubServer, match: Any, query: Any) -> tuple[int, Any]:
    listed = {"in_progress": [*server.under_way, *server.looking], "waiting": server.unapproved}
    runs = [{"id": number, "head_branch": "main"} for number in listed[query["status"][0]]]
    return 200, {"total_count": len(runs), "workflow_runs": _page(runs, query)}


def _jobs(server: GitHubServer, match: Any, query: Any) -> tuple[int, Any]:
    looking = int(match[1]) in server.looking
    states = {"What waits, and what it would cost": looking, "Play or re-score": not looking}
    jobs = [{"name": name, "status": "in_progress" if busy else "completed"} for name, busy in states.items()]
    return 200, {"total_count": len(jobs), "jobs": _page(jobs, query)}


def _zip(server: GitHubServer, match: Any, query: Any) -> tuple[int, Any]:
    return 302, {"location": f"{server.url}/blobs/{server.listed()[int(match[1]) - 1].folder}"}


ROUTES = (
    ("/actions/artifacts", _artefacts),
    ("/actions/runs/([0-9]+)", _run),
    ("/actions/runs/([0-9]+)/jobs", _jobs),
    ("/actions/workflows/evaluate.yml/runs", _under_way),
    ("/actions/artifacts/([0-9]+)/zip", _zip),
)


@contextmanager
def running_github(artefacts: Path) -> Iterator[GitHubServer]:
    """Serve until the block ends."""
    server = GitHubServer(artefacts)
    with serving_until_the_end(server):
        yield server
