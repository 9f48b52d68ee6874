"""A server on the loopback interface for pages of this project: own files, JSON, and nothing for other sites' pages."""

import json
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from http.server import SimpleHTTPRequestHandler
from pathlib import Path
from typing import Any

from leaderboard.building.serve import HOST, open_server

KINDS = {
    ".html": "text/html; charset=utf-8", ".css": "text/css", ".js": "text/javascript", ".png": "image/png",
    ".jpg": "image/jpeg",
}  # fmt: skip
POLICY = "default-src 'self'; img-src 'self'; base-uri 'none'; form-action 'none'"
MOST_POSTED = 64 * 1024
"""Bytes of a request's body."""


class LoopbackHandler(SimpleHTTPRequestHandler):
    """Sends files and JSON with a policy; requests that name another host, or come from another site, are refused.

    >>> LoopbackHandler.is_allowed("127.0.0.1:8000", None), LoopbackHandler.is_allowed("evil.example", None)
    (True, False)
    >>> LoopbackHandler.is_allowed("127.0.0.1:8000", "https://evil.example")
    False
    """

    most_posted = MOST_POSTED
    """Bytes of a request's body that are read."""

    @staticmethod
    def is_allowed(host: str | None, origin: str | None) -> bool:
        """Return whether a request may be answered, by its headers ``Host`` and ``Origin``."""
        # Another site may let its name point to 127.0.0.1 (DNS rebinding); its name stands in Host then.
        here = (host or "").rpartition(":")[0] in (HOST, "localhost")
        return here and origin in (None, f"http://{host}")

    def refuse(self) -> bool:
        """Refuse a request from elsewhere, such as another site's page that has found out the port."""
        if self.is_allowed(self.headers.get("Host"), self.headers.get("Origin")):
            return False
        self.send_error(403)
        return True

    def read_posted(self) -> Any:
        """Return the JSON in the body of a request; None if there is none, or too much."""
        length = self.headers.get("Content-Length", "")
        # Refused by the header, before a byte of the body is read.
        if not length.isdigit() or int(length) > self.most_posted:
            return None
        if self.headers.get("Content-Type") != "application/json":
            return None  # a form of another site can send other types
        try:
            return json.loads(self.rfile.read(int(length)))
        except ValueError:
            return None

    def send_json(self, document: Any) -> None:
        """Send JSON."""
        self.send_data(json.dumps(document).encode(), "application/json")

    def send_own(self, path: Path | None) -> None:
        """Send a file of this project or of a run; 404 if there is none."""
        # Only kinds on the list leave the machine's disk through this server.
        kind = KINDS.get(path.suffix) if path is not None else None
        if path is None or kind is None or not path.is_file():
            self.send_error(404)
            return
        self.send_data(path.read_bytes(), kind)

    def send_data(self, data: bytes, kind: str) -> None:
        """Send bytes of a kind."""
        self.send_response(200)
        self.send_header("Content-Type", kind)
        self.send_header("Content-Length", str(len(data)))
        self.send_header("Content-Security-Policy", POLICY)
        self.send_header("X-Content-Type-Options", "nosniff")
        self.send_header("Cache-Control", "no-store")
        self.end_headers()
        self.wfile.write(data)

    def log_message(self, format: str, *args: Any) -> None:  # noqa: A002 - the base class's name
        """Say nothing about each request."""


@contextmanager
def serve_locally(handler: Callable[..., LoopbackHandler], port: int) -> Iterator[str]:
    """Serve while the block runs; yields the address.

    Raises:
        WorkError: The port is taken.
    """
    server = open_server(handler, port)
    # Polled twenty times a second, since shutting down waits for the next poll.
    threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.05}, daemon=True).start()
    try:
        yield f"http://{HOST}:{server.server_address[1]}/"
    finally:
        server.shutdown()
        server.server_close()
