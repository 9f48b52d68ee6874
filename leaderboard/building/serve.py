"""Serving a built site on the loopback interface, for looking at it."""

from collections.abc import Callable
from functools import partial
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

from ircore.core.errors import InputError, WorkError

HOST = "127.0.0.1"


class _QuietHandler(SimpleHTTPRequestHandler):
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
    return open_server(partial(_QuietHandler, directory=str(folder)), port)


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
