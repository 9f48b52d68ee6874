"""A Hub-compatible server on loopback: datasets, commits, tags, large files, and the faults of the real one.

Everything is held in memory. Clients find it through ``HF_ENDPOINT``; ``huggingface_hub`` reads that when it is
imported, so they run in processes of their own with ``HubServer.environment()``.
"""

import base64
import hashlib
import json
import re
import threading
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any, NamedTuple
from urllib.parse import parse_qs, unquote, urlsplit

from loopback import serving_until_the_end
from xet_store import read_stored

TOKEN = "hf_" + "x" * 20  # made up here, so that no scanner takes it for somebody's
CI_IDENTITY = "identity of a CI job"
XET_EXPIRY = 4_000_000_000  # in the year 2096
DATE = "2026-11-01T00:00:00.000Z"


class File(NamedTuple):
    """A file of a commit."""

    data: bytes
    large: bool

    @property
    def sha256(self) -> str:
        """SHA-256 of the content."""
        return hashlib.sha256(self.data).hexdigest()

    @property
    def oid(self) -> str:
        """What git calls it: the blob's hash, or that of the pointer to a large file."""
        stored = self.data
        if self.large:
            lines = (
                "version https://git-lfs.github.com/spec/v1",
                f"oid sha256:{self.sha256}",
                f"size {len(self.data)}",
            )
            stored = "".join(f"{line}\n" for line in lines).encode()
        return hashlib.sha1(b"blob %d\0" % len(stored) + stored).hexdigest()

    def listed(self, path: str) -> dict[str, Any]:
        """Return the entry of a tree listing."""
        entry = {"type": "file", "path": path, "oid": self.oid, "size": len(self.data)}
        return entry | ({"lfs": {"oid": self.sha256, "size": len(self.data), "pointerSize": 130}} if self.large else {})


Tree = dict[str, File]


@dataclass
class Repo:
    """A dataset repository."""

    private: bool
    commits: dict[str, Tree] = field(default_factory=dict)
    titles: list[str] = field(default_factory=list)
    head: str = ""
    tags: dict[str, str] = field(default_factory=dict)

    def commit(self, title: str, tree: Tree) -> str:
        """Put a commit on top and return its id."""
        self.titles.append(title)
        # Of the content too, since clients keep what they fetched of a commit.
        files = sorted((path, file.oid) for path, file in tree.items())
        self.head = hashlib.sha1(f"{len(self.titles)} {title} {self.head} {files}".encode()).hexdigest()
        self.commits[self.head] = tree
        return self.head

    @property
    def tree(self) -> Tree:
        """The files of the newest commit."""
        return self.commits[self.head]

    def revision(self, name: str) -> str:
        """Return the commit that a branch, tag or id names."""
        result = self.head if name in ("main", "refs/heads/main") else self.tags.get(name, name)
        if result not in self.commits:
            raise HubError(404, "RevisionNotFound", f"Invalid rev id: {name}")
        return result


class HubError(Exception):
    """An answer that is an error."""

    def __init__(self, status: int, code: str, message: str, **headers: str) -> None:
        super().__init__(message)
        self.status, self.code, self.message, self.headers = status, code, message, headers


class DroppedError(Exception):
    """The connection ends without an answer."""


class PageError(Exception):
    """Somebody else answers: a login page of a network, or a mirror that lacks the API."""

    def __init__(self, status: int, body: bytes, kind: str = "text/html; charset=utf-8") -> None:
        super().__init__(status)
        self.status, self.body, self.kind = status, body, kind


@dataclass
class Fault:
    """Something that goes wrong with requests of one kind."""

    request: re.Pattern[str]
    raises: Exception | None
    meanwhile: Callable[[], object] | None
    times: int
    after: bool


class HubServer(ThreadingHTTPServer):
    """The server; ``running_hub`` starts one.

    Attributes:
        repos: By ``ORG/NAME``.
        blobs: Large files that were uploaded, by SHA-256.
        requests: What was asked, each as ``METHOD /path``.
        quota: Bytes that large files may take in all.
        cas_url: Where clients are sent with large files; none of the store's own folder if it is set.
    """

    daemon_threads = True
    request_queue_size = 128

    def __init__(self, cas: Path | None = None, cas_url: str | None = None) -> None:
        super().__init__(("127.0.0.1", 0), _Handler)
        self.cas = cas
        self.cas_url = cas_url or (f"local://{cas}" if cas else None)
        self.lock = threading.RLock()
        self.empty()

    def empty(self) -> None:
        """Forget everything, faults to come included."""
        self.repos: dict[str, Repo] = {}
        self.blobs: dict[str, bytes] = {}
        self.requests: list[str] = []
        self.quota = 10**12
        self._faults: list[Fault] = []

    @property
    def url(self) -> str:
        """Where it listens."""
        return f"http://127.0.0.1:{self.server_port}"

    def environment(self, home: Path, token: str | None = TOKEN) -> dict[str, str]:
        """Return the variables that a client needs: its own empty home, and nothing of the tester's account."""
        known = {"HF_ENDPOINT": self.url, "HF_HOME": str(home), "HF_HUB_DISABLE_TELEMETRY": "1"}
        # A machine that stands still for ten seconds is no Hub that does not answer.
        known |= {"HF_HUB_DOWNLOAD_TIMEOUT": "60", "HF_HUB_ETAG_TIMEOUT": "60"}
        known |= {} if self.cas_url else {"HF_HUB_DISABLE_XET": "1"}
        return known | ({} if token is None else {"HF_TOKEN": token})

    def add_repo(self, name: str, private: bool = False, files: dict[str, bytes] | None = None) -> Repo:
        """Make a repository with these files."""
        repo = self.repos[name] = Repo(private)
        repo.commit("initial commit", {path: File(data, large=False) for path, data in (files or {}).items()})
        return repo

    def fail(
        self,
        request: str,
        raises: Exception | None = None,
        times: int = 1,
        meanwhile: Callable[[], object] | None = None,
        after: bool = False,
    ) -> None:
        """Let something go wrong.

        Args:
            request: Which requests: a pattern that ``METHOD /path`` matches from its beginning.
            raises: ``HubError`` is answered, ``DroppedError`` ends the connection; None lets the request go on.
            times: How many of them.
            meanwhile: What somebody else does just before.
            after: Whether the work is done all the same, so that only the answer is lost.
        """
        self._faults.append(Fault(re.compile(request), raises, meanwhile, times, after))

    def forgive(self) -> None:
        """Let nothing more go wrong."""
        self._faults.clear()

    def fault_of(self, request: str) -> Fault | None:
        """Return what goes wrong with this request, counted as used."""
        with self.lock:
            match = next((fault for fault in self._faults if fault.times and fault.request.match(request)), None)
            if match is not None:
                match.times -= 1
            return match

    def handle_error(self, request: Any, client_address: Any) -> None:
        """Stay silent about clients that went away."""


@contextmanager
def running_hub(cas: Path | None = None, cas_url: str | None = None) -> Iterator[HubServer]:
    """Start a server on a free port; stopped at the end.

    Args:
        cas: Folder for the client's own ``local://`` store of xet content; without one, large files go by LFS.
        cas_url: Address of a service for xet content, such as one that does not answer.
    """
    server = HubServer(cas, cas_url)
    with serving_until_the_end(server):
        yield server


class _Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    server: HubServer

    def log_message(self, *args: object) -> None:
        pass

    def _handle(self) -> None:
        parts = urlsplit(self.path)
        self.query = {key: values[0] for key, values in parse_qs(parts.query).items()}
        self.body = self._read_body()
        self.server.requests.append(f"{self.command} {unquote(parts.path)}")
        try:
            self._answer(parts.path)
        except DroppedError:
            self.close_connection = True
        except PageError as page:
            self.send_response(page.status)
            self.send_header("Content-Type", page.kind)
            self.send_header("Content-Length", str(len(page.body)))
            self.end_headers()
            if self.command != "HEAD":
                self.wfile.write(page.body)
        except HubError as error:
            about = {"X-Error-Code": error.code, "X-Error-Message": error.message}
            self.reply({"error": error.message}, error.status, headers=about | error.headers)

    do_GET = do_HEAD = do_POST = do_PUT = do_DELETE = _handle  # noqa: N815 - names of the base class

    def _answer(self, path: str) -> None:
        fault = self.server.fault_of(f"{self.command} {unquote(path)}")
        if fault and fault.meanwhile:
            with self.server.lock:
                fault.meanwhile()
        if fault and fault.raises and not fault.after:
            raise fault.raises
        self.lost = fault.raises if fault and fault.after else None
        for methods, pattern, action in ROUTES:
            match = re.fullmatch(pattern, path)
            if self.command in methods.split() and match:
                with self.server.lock:
                    action(self, *(group and unquote(group) for group in match.groups()))
                return
        raise HubError(404, "EntryNotFound", f"no route {self.command} {path}")

    def _read_body(self) -> bytes:
        if self.headers.get("Transfer-Encoding", "").lower() != "chunked":
            return self.rfile.read(int(self.headers.get("Content-Length") or 0))
        parts = []
        while size := int(self.rfile.readline().split(b";")[0], 16):
            parts.append(self.rfile.read(size))
            self.rfile.readline()
        self.rfile.readline()
        return b"".join(parts)

    def reply(
        self,
        content: object = b"",
        status: int = 200,
        length: int | None = None,
        headers: Mapping[str, object] | None = None,
    ) -> None:
        """Send an answer: bytes as they are, anything else as JSON."""
        if getattr(self, "lost", None) is not None:
            lost, self.lost = self.lost, None
            raise lost  # type: ignore[misc]  # what was done stays done
        binary = isinstance(content, bytes)
        data = content if isinstance(content, bytes) else json.dumps(content).encode()
        self.send_response(status)
        self.send_header("Content-Type", "application/octet-stream" if binary else "application/json")
        self.send_header("Content-Length", str(len(data) if length is None else length))
        for name, value in (headers or {}).items():
            self.send_header(name, str(value))
        self.end_headers()
        if self.command != "HEAD":
            self.wfile.write(data)

    @property
    def user(self) -> str | None:
        token = self.headers.get("Authorization", "").removeprefix("Bearer ")
        if token and token != TOKEN:
            raise HubError(401, "", "Invalid credentials in Authorization header")
        return "tester" if token else None

    def repo(self, name: str, write: bool = False) -> Repo:
        """Return a repository that this user may read, or write."""
        repository = self.server.repos.get(name)
        if repository is None or ((write or repository.private) and not self.user):
            raise HubError(404 if self.user else 401, "RepoNotFound", "Repository not found")
        return repository

    def document(self) -> Any:
        return json.loads(self.body or b"{}")

    # The account and its repositories.

    def whoami(self) -> None:
        if not self.user:
            raise HubError(401, "", "Invalid credentials in Authorization header")
        self.reply({"type": "user", "id": "0", "name": self.user, "orgs": [{"name": "org", "type": "org"}]})

    def create(self) -> None:
        if not self.user:
            raise HubError(401, "", "Invalid credentials in Authorization header")
        asked = self.document()
        name = f"{asked.get('organization') or self.user}/{asked['name']}"
        if asked.get("organization") not in (None, "org", "tester"):
            raise HubError(403, "", f"You don't have the rights to create a dataset under the namespace {name}")
        url = f"{self.server.url}/datasets/{name}"
        if name in self.server.repos:
            self.reply({"error": "You already created this dataset repo", "url": url}, 409)
            return
        attributes = {".gitattributes": b"*.parquet filter=lfs diff=lfs merge=lfs -text\n"}
        self.server.add_repo(name, asked.get("visibility") == "private", attributes)
        self.reply({"url": url, "name": name, "id": "0"})

    def exchange(self) -> None:
        """Trusted publishing: the CI's identity for a token."""
        asked = self.document()
        if (
            asked["subject_token"] != CI_IDENTITY
            or asked["resource"].removeprefix("datasets/") not in self.server.repos
        ):
            raise HubError(400, "", "invalid subject_token")
        self.reply({"access_token": TOKEN, "token_type": "bearer", "expires_in": 3600})

    def settings(self, name: str) -> None:
        self.repo(name, write=True).private = self.document()["visibility"] == "private"
        self.reply({})

    def info(self, name: str, revision: str | None = None) -> None:
        repo = self.repo(name)
        commit = repo.revision(revision or "main")
        about = {"_id": "0", "id": name, "author": name.split("/")[0], "sha": commit, "private": repo.private}
        dates = {"lastModified": DATE, "createdAt": DATE}
        counts = {"gated": False, "disabled": False, "tags": [], "downloads": 0, "likes": 0}
        files = [{"rfilename": path} for path in sorted(repo.commits[commit])]
        self.reply(about | dates | counts | {"siblings": files})

    def refs(self, name: str) -> None:
        repo = self.repo(name)
        tags = [{"name": tag, "ref": f"refs/tags/{tag}", "targetCommit": at} for tag, at in repo.tags.items()]
        main = {"name": "main", "ref": "refs/heads/main", "targetCommit": repo.head}
        self.reply({"branches": [main], "tags": tags, "converts": []})

    def delete(self) -> None:
        asked = self.document()
        name = f"{asked['organization']}/{asked['name']}"
        self.repo(name, write=True)
        del self.server.repos[name]
        self.reply({})

    def squash(self, name: str, branch: str) -> None:
        repo = self.repo(name, write=True)
        if branch != "main":
            raise HubError(404, "RevisionNotFound", f"Invalid rev id: {branch}")
        tree, repo.titles, repo.head = repo.tree, [], ""
        repo.commit(self.document()["message"], tree)
        self.reply({})

    def large_files(self, name: str) -> None:
        repo = self.repo(name)
        named = {file.sha256: path for tree in repo.commits.values() for path, file in tree.items() if file.large}
        about = {"pushedAt": DATE, "ref": "main"}
        # The id by which a file is deleted is not the hash of its content.
        self.reply(
            [
                about | {"fileOid": f"id-{oid}", "oid": oid, "filename": named[oid], "size": len(blob)}
                for oid, blob in self.server.blobs.items()
                if oid in named
            ]
        )

    def delete_large_files(self, name: str) -> None:
        self.repo(name, write=True)
        for oid in self.document()["deletions"]["sha"]:
            del self.server.blobs[oid.removeprefix("id-")]
        self.reply({})

    def tag(self, name: str, revision: str) -> None:
        repo = self.repo(name, write=True)
        if self.command == "DELETE":
            del repo.tags[revision]
        else:
            wanted = self.document()["tag"]
            if wanted in repo.tags:
                raise HubError(409, "", "Tag reference exists already")
            repo.tags[wanted] = repo.revision(revision)
        self.reply({})

    # Reading.

    def tree(self, name: str, revision: str, path: str | None = None) -> None:
        repo = self.repo(name)
        start = f"{path.strip('/')}/" if path else ""
        files = {name: file for name, file in repo.commits[repo.revision(revision)].items() if name.startswith(start)}
        if path and not files:
            raise HubError(404, "EntryNotFound", f"{path} does not exist on {revision}")
        deep = self.query.get("recursive", "").lower() in ("true", "1")
        folders = {start + "/".join(part) for file in files for part in _folders(file[len(start) :], deep)}
        entries = [{"type": "directory", "path": folder, "oid": "0" * 40, "size": 0} for folder in sorted(folders)]
        shown = (file for file in sorted(files) if deep or "/" not in file[len(start) :])
        entries += [files[item].listed(item) for item in shown]
        limit, at = int(self.query.get("limit", len(entries) or 1)), int(self.query.get("cursor", 0))
        more = f'<{self.server.url}{self.path.split("&cursor")[0]}&cursor={at + limit}>; rel="next"'
        self.reply(entries[at : at + limit], headers={"Link": more} if at + limit < len(entries) else None)

    def paths_info(self, name: str, revision: str) -> None:
        repo = self.repo(name)
        files = repo.commits[repo.revision(revision)]
        asked = self.document() if self.body[:1] == b"{" else parse_qs(self.body.decode())
        self.reply([files[path].listed(path) for path in asked.get("paths", []) if path in files])

    def resolve(self, name: str, revision: str, path: str) -> None:
        repo = self.repo(name)
        commit = repo.revision(revision)
        file = repo.commits[commit].get(path)
        if file is None:
            raise HubError(404, "EntryNotFound", f"{path} not found")
        tag = f'"{file.sha256 if file.large else file.oid}"'
        about: dict[str, object] = {"X-Repo-Commit": commit, "Accept-Ranges": "bytes", "ETag": tag}
        if file.large:
            about |= {"X-Linked-Etag": tag, "X-Linked-Size": len(file.data)}
        asked = re.fullmatch(r"bytes=(\d+)-(\d*)", self.headers.get("Range") or "")
        if self.command == "HEAD" or not asked:
            self.reply(file.data, length=len(file.data), headers=about)
            return
        begin, end = int(asked[1]), min(int(asked[2] or len(file.data)), len(file.data) - 1)
        if begin > end:
            raise HubError(416, "", "Range Not Satisfiable")
        about["Content-Range"] = f"bytes {begin}-{end}/{len(file.data)}"
        self.reply(file.data[begin : end + 1], 206, headers=about)

    # Writing.

    def validate_yaml(self) -> None:
        self.reply({"errors": [], "warnings": []})

    def preupload(self, name: str, revision: str) -> None:
        repo = self.repo(name, write=True)
        files = repo.commits[repo.revision(revision)]
        self.reply({"files": [_upload_mode(entry, files.get(entry["path"])) for entry in self.document()["files"]]})

    def lfs_batch(self, name: str) -> None:
        self.repo(name, write=True)
        self.reply({"transfer": "basic", "objects": [self._lfs_object(item) for item in self.document()["objects"]]})

    def _lfs_object(self, asked: dict[str, Any]) -> dict[str, Any]:
        oid, href = asked["oid"], f"{self.server.url}/lfs/{asked['oid']}"
        if sum(map(len, self.server.blobs.values())) + asked["size"] > self.server.quota:
            raise HubError(403, "", "Private repository storage limit reached, please upgrade your plan.")
        if oid in self.server.blobs:
            return {"oid": oid, "size": asked["size"]}
        actions = {"upload": {"href": href}, "verify": {"href": f"{href}/verify"}}
        return {"oid": oid, "size": asked["size"], "authenticated": True, "actions": actions}

    def lfs_put(self, oid: str) -> None:
        if hashlib.sha256(self.body).hexdigest() != oid:
            raise HubError(400, "", "not the content that was announced")
        self.server.blobs[oid] = self.body
        self.reply(b"")

    def lfs_verify(self, oid: str) -> None:
        if len(self.server.blobs.get(oid, b"")) != self.document()["size"]:
            raise HubError(404, "", "object missing")
        self.reply({})

    def xet_token(self, name: str, access: str) -> None:
        self.repo(name, write=access == "write")
        if self.server.cas_url is None:
            raise HubError(404, "EntryNotFound", "no xet storage here")
        self.reply({"casUrl": self.server.cas_url, "accessToken": "xet", "exp": XET_EXPIRY})

    def commit(self, name: str, revision: str) -> None:
        repo = self.repo(name, write=True)
        if revision != "main":
            raise HubError(404, "RevisionNotFound", f"Invalid rev id: {revision}")
        lines = [json.loads(line) for line in self.body.splitlines()]
        header = next(line["value"] for line in lines if line["key"] == "header")
        if header.get("parentCommit") not in (None, repo.head):
            raise HubError(412, "", "A commit has happened since. Please refresh and try again.")
        tree = dict(repo.tree)
        for line in lines:
            self._apply(tree, line["key"], line["value"])
        made = repo.commit(header["summary"], tree)
        self.reply(
            {"success": True, "commitOid": made, "commitUrl": f"{self.server.url}/datasets/{name}/commit/{made}"}
        )

    def _apply(self, tree: Tree, kind: str, value: dict[str, Any]) -> None:
        if kind == "file":
            tree[value["path"]] = File(base64.b64decode(value["content"]), large=False)
        elif kind == "lfsFile":
            if self.server.cas is not None and value["oid"] not in self.server.blobs:
                self.server.blobs[value["oid"]] = read_stored(self.server.cas, value["oid"], value["size"])
            if value["oid"] not in self.server.blobs:
                raise HubError(400, "", f"LFS object {value['oid']} was not uploaded")
            tree[value["path"]] = File(self.server.blobs[value["oid"]], large=True)
        elif kind == "deletedFile" and tree.pop(value["path"], None) is None:
            raise HubError(404, "EntryNotFound", "A file with this name doesn't exist")


def _upload_mode(asked: dict[str, Any], known: File | None) -> dict[str, Any]:
    """Say how a file is to be sent: as the Hub does, binary ones and Parquet as large files."""
    large = b"\0" in base64.b64decode(asked["sample"]) or asked["path"].endswith((".parquet", ".png"))
    oid = None if known is None else known.sha256 if known.large else known.oid
    return {"path": asked["path"], "uploadMode": "lfs" if large else "regular", "shouldIgnore": False, "oid": oid}


def _folders(path: str, deep: bool) -> Iterator[list[str]]:
    parts = path.split("/")
    for depth in range(1, len(parts) if deep else min(len(parts), 2)):
        yield parts[:depth]


_DATASET = r"/api/datasets/([^/]+/[^/]+)"
ROUTES: tuple[tuple[str, str, Callable[..., None]], ...] = (
    ("GET", "/api/whoami-v2", _Handler.whoami),
    ("POST", "/oauth/token", _Handler.exchange),
    ("POST", "/api/repos/create", _Handler.create),
    ("DELETE", "/api/repos/delete", _Handler.delete),
    ("POST", "/api/validate-yaml", _Handler.validate_yaml),
    ("GET", _DATASET, _Handler.info),
    ("GET", f"{_DATASET}/revision/([^/]+)", _Handler.info),
    ("PUT", f"{_DATASET}/settings", _Handler.settings),
    ("GET", f"{_DATASET}/refs", _Handler.refs),
    ("POST DELETE", f"{_DATASET}/tag/([^/]+)", _Handler.tag),
    ("POST", f"{_DATASET}/super-squash/([^/]+)", _Handler.squash),
    ("GET", f"{_DATASET}/lfs-files", _Handler.large_files),
    ("POST", f"{_DATASET}/lfs-files/batch", _Handler.delete_large_files),
    ("GET", f"{_DATASET}/tree/([^/]+)(?:/(.*))?", _Handler.tree),
    ("POST", f"{_DATASET}/paths-info/([^/]+)", _Handler.paths_info),
    ("POST", f"{_DATASET}/preupload/([^/]+)", _Handler.preupload),
    ("POST", f"{_DATASET}/commit/([^/]+)", _Handler.commit),
    ("GET", f"{_DATASET}/xet-(?:(read|write))-token/[^/]+", _Handler.xet_token),
    ("POST", r"/datasets/([^/]+/[^/]+)\.git/info/lfs/objects/batch", _Handler.lfs_batch),
    ("PUT", "/lfs/([0-9a-f]{64})", _Handler.lfs_put),
    ("POST", "/lfs/([0-9a-f]{64})/verify", _Handler.lfs_verify),
    ("GET HEAD", "/datasets/([^/]+/[^/]+)/resolve/([^/]+)/(.+)", _Handler.resolve),
)
"""Methods, pattern of the path, and what is done."""
