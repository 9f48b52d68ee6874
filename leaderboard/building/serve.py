"""Serving a built site on the loopback interface, for looking at it."""

from collections.abc import Callable
from functools import partial
from http import HTTPStatus
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

from ircore.core.errors import InputError, WorkError

HOST = "127.0.0.1"


class _SiteHandler(SimpleHTTPRequestHandler):
    def send_error(self, code: int, message: str | None = None, explain: str | None = None) -> None:
        """Answer an unknown address with the site's own page for it, as web servers do."""
        page = Path(self.directory) / "404.html"
        if code != HTTPStatus.NOT_FOUND or not page.is_file():
            super().send_error(code, message, explain)
            return
        # Its link has no address, since a host may keep the site in any folder; here the site is the root.
        content = page.read_bytes().replace(b"<a>", b'<a href="/">')
        self.send_response(code, message)
        self.send_header("Content-Type", "text/html; charset=utf-8")
        self.send_header("Content-Length", str(len(content)))
        self.end_headers()
        if self.command != "HEAD":
            self.wfile.write(content)

    def log_message(self, format: str, *args: Any) -> None:  # noqa: A002 - the base class's name
        """Say nothing about each request."""


def make_server(folder: Path, port: int) -> ThreadingHTTPServer:
    """Make a server for a site's folder that listens on 127.0.0.1 only.

    Args:
        folder: A built site.
        port: 0 takes any free port.

    Raises:
        InputError: There is no site in the folder.
        WorkError: The port is taken.
    """
    if not (folder / "index.html").is_file():
        raise InputError(
            f"{folder}: no site here (no index.html)", "Build one: ircore site build --runs RUN... --out DIR"
        )
    return open_server(partial(_SiteHandler, directory=str(folder)), port)


def open_server(handler: Callable[..., SimpleHTTPRequestHandler], port: int) -> ThreadingHTTPServer:
    """Return a server on 127.0.0.1.

    Args:
        handler: Makes the handler of a request.
        port: 0 takes any free port.

    Raises:
        WorkError: The port is taken.
    """
    try:
        return ThreadingHTTPServer((HOST, port), handler)
    except OSError as error:
        raise WorkError(f"port {port}: {error.strerror}", "Choose another with --port, or --port 0.") from error


def serve_site(folder: Path, port: int, announce: Callable[[str], object]) -> None:
    """Serve a site until Ctrl-C; ``announce`` receives the address."""
    with make_server(folder, port) as server:
        announce(f"http://{HOST}:{server.server_address[1]}/  (Ctrl-C stops)")
        try:
            server.serve_forever()
        except KeyboardInterrupt:
            return
