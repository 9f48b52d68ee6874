"""Serves the page of a demo on the loopback interface: what is being played, then the finished site."""

import json
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from functools import partial
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any
from urllib.parse import parse_qs, unquote, urlsplit

from ircore.core.errors import WorkError
from leaderboard.building.serve import HOST
from leaderboard.demo.feed import Feed

PAGE = Path(__file__).parent / "page"
KINDS = {".html": "text/html; charset=utf-8", ".css": "text/css", ".js": "text/javascript", ".png": "image/png",
         ".jpg": "image/jpeg"}  # fmt: skip
POLICY = "default-src 'self'; img-src 'self' data:; base-uri 'none'; form-action 'none'"


class State:
    """The state of a demo, as the page shows it.

    >>> state = State(Path("demo"), ["draw targets", "play"])
    >>> state.begin(1)
    >>> state.as_dict()["stage"], state.as_dict()["site"]
    (1, False)

    Args:
        folder: The demo's.
        stages: Labels of the stages.
    """

    def __init__(self, folder: Path, stages: list[str]) -> None:
        self.folder = folder
        self.stages = stages
        self.stage = 0
        self.failed: str | None = None
        self.feed = Feed(folder / "runs")
        self.lock = threading.Lock()

    def begin(self, stage: int) -> None:
        """Note that a stage begins; ``len(stages)`` when all are done."""
        self.stage = stage

    @property
    def site(self) -> Path | None:
        """The finished site; None while there is none."""
        folder = self.folder / "site"
        return folder if self.stage >= len(self.stages) and (folder / "index.html").is_file() else None

    def as_dict(self, since: int = 0) -> dict[str, Any]:
        """Return the state and the events from a number on, as JSON."""
        with self.lock:
            events = self.feed.since(since)
        known = {"stages": self.stages, "stage": self.stage, "failed": self.failed, "site": self.site is not None}
        return {**known, "events": events, "next": since + len(events)}


class _Handler(SimpleHTTPRequestHandler):
    """Answers with the live page until the site is there; the live page stays at ``/live/``."""

    def __init__(self, *args: Any, state: State, **options: Any) -> None:
        self._state = state
        super().__init__(*args, directory=str(state.site or PAGE), **options)

    def do_GET(self) -> None:
        """Answer a request."""
        if self.headers.get("Host", "").rpartition(":")[0] not in (HOST, "localhost"):
            self.send_error(403)  # another site's page that has found out the port
            return
        address = urlsplit(self.path)
        path = unquote(address.path)
        if path == "/live/feed.json":
            since = parse_qs(address.query).get("since", ["0"])[0]
            self._send(
                json.dumps(self._state.as_dict(int(since) if since.isdigit() else 0)).encode(), "application/json"
            )
        elif path.startswith("/live/picture/"):
            self._send_picture(path.removeprefix("/live/picture/"))
        elif path.startswith("/live/") or (path == "/" and self._state.site is None):
            self._send_file(PAGE / (Path(path).name if path not in ("/", "/live/") else "live.html"))
        elif self._state.site is None:
            self.send_error(404)
        else:
            super().do_GET()

    def _send_picture(self, name: str) -> None:
        run, _, picture = name.partition("/")
        with self._state.lock:
            path = self._state.feed.picture(run, picture)
        if path is None:
            self.send_error(404)
        else:
            self._send_file(path)

    def _send_file(self, path: Path) -> None:
        kind = KINDS.get(path.suffix)
        if kind is None or not path.is_file():
            self.send_error(404)
            return
        self._send(path.read_bytes(), kind)

    def _send(self, data: bytes, kind: str) -> None:
        self.send_response(200)
        self.send_header("Content-Type", kind)
        self.send_header("Content-Length", str(len(data)))
        self.send_header("Content-Security-Policy", POLICY)
        self.send_header("X-Content-Type-Options", "nosniff")
        self.end_headers()
        self.wfile.write(data)

    def log_message(self, format: str, *args: Any) -> None:  # noqa: A002 - the base class's name
        """Say nothing about each request."""


@contextmanager
def serving(state: State, port: int) -> Iterator[str]:
    """Serve while the block runs; yields the address.

    Raises:
        WorkError: The port is taken.
    """
    try:
        server = ThreadingHTTPServer((HOST, port), partial(_Handler, state=state))
    except OSError as error:
        raise WorkError(f"port {port}: {error.strerror}", "Choose another with --port, or --port 0.") from error
    thread = threading.Thread(target=server.serve_forever, daemon=True)
    thread.start()
    try:
        yield f"http://{HOST}:{server.server_address[1]}/"
    finally:
        server.shutdown()
        server.server_close()
