"""As much of GitHub's REST API on loopback as the inbox asks: pull requests, checks, issues, files, artefacts.

Commits go to a bare repository, as the service would make them.
"""

import base64
import io
import json
import re
import subprocess
import tempfile
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
WHO = ["-c", "user.name=a", "-c", "user.email=a@example.org"]


def git(folder: Path, *words: str) -> str:
    return subprocess.run(["git", *WHO, "-C", str(folder), *words], capture_output=True, text=True, check=True).stdout


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
        maintainers: Accounts that may push.
        titles: Titles of pull requests by number; their commits are ``refs/pull/N/head`` of the repository.
        accounts: Account that opened each pull request: name and number; ``somebody``, 7, if not given.
        statuses: The newest status of each commit: whether it is good, and its text.
        green: Commits whose checks ended well.
        disputes: Open issues of disputes: number and title.
        issues: Texts of issues by number.
        started: Workflows that were started, each with its inputs.
        artefacts: Folder of artefacts, one folder each.
        uploads: Artefacts beside the one in the folder ``runs``, which the workflow ``evaluate`` left, if it is there.
        downloaded: Folders of the artefacts that were downloaded, in order.
        merged_elsewhere: Numbers of pull requests that were merged into a fork's branch ``main``.
        tokens_elsewhere: Tokens that were sent to where artefacts lie, which must be none.
    """

    daemon_threads = True

    def __init__(self, origin: Path, artefacts: Path) -> None:
        super().__init__(("127.0.0.1", 0), _Handler)
        self.origin, self.artefacts = origin, artefacts
        self.maintainers: set[str] = set()
        self.titles: dict[int, str] = {}
        self.accounts: dict[int, tuple[str, int]] = {}
        self.statuses: dict[str, tuple[bool, str]] = {}
        self.green: set[str] = set()
        self.disputes: list[tuple[int, str]] = []
        self.issues: dict[int, str] = {}
        self.started: list[tuple[str, dict[str, str]]] = []
        self.tokens_elsewhere: list[str] = []
        self.uploads: list[Uploaded] = []
        self.downloaded: list[str] = []
        self.merged_elsewhere: set[int] = set()

    def listed(self) -> list[Uploaded]:
        """All artefacts; the place of each is its number, and that of its run."""
        kept = [Uploaded("runs")] if (self.artefacts / "runs").is_dir() else []
        return [*kept, *self.uploads]

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.server_address[1]}"

    def pulls(self) -> list[dict[str, Any]]:
        merged = git(self.origin, "rev-list", "main").split()
        return [about for number in sorted(self.titles) if (about := self.pull(number))["head"]["sha"] not in merged]

    def pull(self, number: int) -> dict[str, Any]:
        login, account = self.accounts.get(number, ("somebody", 7))
        head = git(self.origin, "rev-parse", f"refs/pull/{number}/head").strip()
        return {
            "number": number, "title": self.titles.get(number, "Mine"), "user": {"login": login, "id": account},
            "head": {"sha": head, "repo": {"full_name": f"{login}/benchmark"}}, "base": {"ref": "main", "repo": OWN},
        }  # fmt: skip

    def commit(self, change: Any) -> None:
        """Let a function change a clone of ``main``, and push."""
        with tempfile.TemporaryDirectory() as work:
            clone = Path(work) / "clone"
            git(Path(work), "clone", "-q", "--branch", "main", str(self.origin), str(clone))
            change(clone)
            git(clone, "push", "-q", "origin", "main")


class _Handler(BaseHTTPRequestHandler):
    server: GitHubServer

    def log_message(self, format: str, *args: Any) -> None:  # noqa: A002 - the base class's name
        pass

    def do_GET(self) -> None:
        self._serve()

    do_POST = do_PUT = do_PATCH = do_GET  # noqa: N815 - names of the base class

    def _serve(self) -> None:
        place = urlsplit(self.path)
        if place.path.startswith("/blobs/"):
            self.server.tokens_elsewhere += self.headers.get_all("authorization") or []
            return self._answer(200, self._zipped(place.path.removeprefix("/blobs/")))
        if self.headers["authorization"] != f"Bearer {TOKEN}":
            return self._answer(401, {"message": "Bad credentials"})
        body = self.rfile.read(int(self.headers.get("content-length") or 0))
        document = json.loads(body) if body else {}
        for method, pattern, act in ROUTES:
            match = re.fullmatch(pattern, place.path)
            if match is not None and method == self.command:
                status, answer = act(self.server, match, document, parse_qs(place.query))
                return self._answer(status, answer)
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


def _permission(server: GitHubServer, match: Any, document: Any, query: Any) -> tuple[int, Any]:
    return 200, {"permission": "write" if match[1] in server.maintainers else "read"}


def _page(entries: list[Any], query: Any) -> list[Any]:
    """A page of a list, as the service cuts it."""
    size, number = int(query["per_page"][0]), int(query.get("page", ["1"])[0])
    assert size <= 100
    return entries[(number - 1) * size : number * size]


def _pulls(server: GitHubServer, match: Any, document: Any, query: Any) -> tuple[int, Any]:
    return 200, _page(server.pulls(), query)


def _pull(server: GitHubServer, match: Any, document: Any, query: Any) -> tuple[int, Any]:
    return 200, server.pull(int(match[1]))


def _pulls_of(server: GitHubServer, match: Any, document: Any, query: Any) -> tuple[int, Any]:
    """The pull requests that a commit is the last one of, merged here or elsewhere."""
    pulls = []
    for number in sorted(server.titles):
        commits = git(server.origin, "rev-list", f"refs/pull/{number}/head").split()
        if match[1] == commits[0]:
            base = {"ref": "main", "repo": FORK if number in server.merged_elsewhere else OWN}
            pulls.append(server.pull(number) | {"merged_at": f"2026-11-23T00:00:{number:02}Z", "base": base})
    return 200, _page(pulls, query)


def _status(server: GitHubServer, match: Any, document: Any, query: Any) -> tuple[int, Any]:
    assert document["context"] == "submission gate"
    assert len(document["description"]) <= 140
    server.statuses[match[1]] = (document["state"] == "success", document["description"])
    return 201, {}


def _statuses(server: GitHubServer, match: Any, document: Any, query: Any) -> tuple[int, Any]:
    known = server.statuses.get(match[1])
    listed = [] if known is None else [{"context": "submission gate", "state": "success" if known[0] else "failure"}]
    return 200, {"state": "pending", "statuses": _page(listed, query)}


def _blob(server: GitHubServer, match: Any, document: Any, query: Any) -> tuple[int, Any]:
    return 200, {"content": base64.encodebytes(git(server.origin, "cat-file", "blob", match[1]).encode()).decode()}


def _checks(server: GitHubServer, match: Any, document: Any, query: Any) -> tuple[int, Any]:
    runs = [{"conclusion": "success" if match[1] in server.green else "failure"}]
    return 200, {"check_runs": _page(runs, query)}


def _disputes(server: GitHubServer, match: Any, document: Any, query: Any) -> tuple[int, Any]:
    assert query["labels"] == ["dispute"]
    return 200, _page([{"number": number, "title": title} for number, title in server.disputes], query)


def _merge(server: GitHubServer, match: Any, document: Any, query: Any) -> tuple[int, Any]:
    head = git(server.origin, "rev-parse", f"refs/pull/{match[1]}/head").strip()
    if document["sha"] != head:
        return 409, {"message": "Head branch was modified. Review and try the merge again."}

    def change(clone: Path) -> None:
        git(clone, "fetch", "-q", "origin", f"refs/pull/{match[1]}/head")
        git(clone, "merge", "-q", "--no-ff", "-m", "merged", head)

    server.commit(change)
    return 200, {"merged": True}


def _dispatch(server: GitHubServer, match: Any, document: Any, query: Any) -> tuple[int, Any]:
    assert document["ref"] == "main"
    server.started.append((match[1], document["inputs"]))
    return 204, b""


def _issue(server: GitHubServer, match: Any, document: Any, query: Any) -> tuple[int, Any]:
    assert len(document["body"]) < 65_536
    server.issues[int(match[1])] = document["body"]
    return 200, {}


def _read(server: GitHubServer, match: Any, document: Any, query: Any) -> tuple[int, Any]:
    try:
        return 200, {"sha": git(server.origin, "rev-parse", f"main:{match[1]}").strip()}
    except subprocess.CalledProcessError:
        return 404, {"message": "Not Found"}


def _write(server: GitHubServer, match: Any, document: Any, query: Any) -> tuple[int, Any]:
    if _read(server, match, document, query)[1].get("sha") != document.get("sha"):
        return 409, {"message": f"{match[1]} does not match"}

    def change(clone: Path) -> None:
        (clone / match[1]).write_bytes(base64.b64decode(document["content"]))
        git(clone, "add", "-A")
        git(clone, "commit", "-qm", document["message"])

    server.commit(change)
    return 200, {}


def _artefacts(server: GitHubServer, match: Any, document: Any, query: Any) -> tuple[int, Any]:
    listed = []
    for number, artefact in enumerate(server.listed(), start=1):
        of = {"id": number, "repository_id": OWN["id"], "head_repository_id": (FORK if artefact.fork else OWN)["id"]}
        about = {"id": number, "name": artefact.name, "expired": artefact.expired, "created_at": artefact.created}
        listed.append(about | {"workflow_run": of | {"head_branch": artefact.branch}})
    named = [about for about in reversed(listed) if about["name"] == query["name"][0]]
    return 200, {"total_count": len(named), "artifacts": _page(named, query)}


def _run(server: GitHubServer, match: Any, document: Any, query: Any) -> tuple[int, Any]:
    artefact = server.listed()[int(match[1]) - 1]
    about = {"id": int(match[1]), "path": artefact.path, "event": artefact.event, "head_branch": artefact.branch}
    return 200, about | {"repository": OWN, "head_repository": FORK if artefact.fork else OWN}


def _zip(server: GitHubServer, match: Any, document: Any, query: Any) -> tuple[int, Any]:
    return 302, {"location": f"{server.url}/blobs/{server.listed()[int(match[1]) - 1].folder}"}


_REPOSITORY = "/repos/org/benchmark"
ROUTES = (
    ("GET", f"{_REPOSITORY}/collaborators/([^/]+)/permission", _permission),
    ("GET", f"{_REPOSITORY}/pulls", _pulls),
    ("GET", f"{_REPOSITORY}/pulls/([0-9]+)", _pull),
    ("GET", f"{_REPOSITORY}/commits/([0-9a-f]+)/pulls", _pulls_of),
    ("POST", f"{_REPOSITORY}/statuses/([0-9a-f]+)", _status),
    ("GET", f"{_REPOSITORY}/git/blobs/([0-9a-f]+)", _blob),
    ("GET", f"{_REPOSITORY}/commits/([0-9a-f]+)/status", _statuses),
    ("GET", f"{_REPOSITORY}/commits/([0-9a-f]+)/check-runs", _checks),
    ("GET", f"{_REPOSITORY}/issues", _disputes),
    ("PUT", f"{_REPOSITORY}/pulls/([0-9]+)/merge", _merge),
    ("POST", f"{_REPOSITORY}/actions/workflows/([a-z-]+.yml)/dispatches", _dispatch),
    ("PATCH", f"{_REPOSITORY}/issues/([0-9]+)", _issue),
    ("GET", f"{_REPOSITORY}/contents/(.+)", _read),
    ("PUT", f"{_REPOSITORY}/contents/(.+)", _write),
    ("GET", f"{_REPOSITORY}/actions/artifacts", _artefacts),
    ("GET", f"{_REPOSITORY}/actions/runs/([0-9]+)", _run),
    ("GET", f"{_REPOSITORY}/actions/artifacts/([0-9]+)/zip", _zip),
)


@contextmanager
def running_github(origin: Path, artefacts: Path) -> Iterator[GitHubServer]:
    """Serve until the block ends."""
    server = GitHubServer(origin, artefacts)
    with serving_until_the_end(server):
        yield server
