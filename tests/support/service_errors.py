"""Errors as services give them, with what each means; on loopback, over real HTTP."""

import json
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any, NamedTuple

import yaml
from loopback import serving_until_the_end


class Form(NamedTuple):
    """An error: its status, its body (bytes and text as they are, all else as JSON), and what it means."""

    status: int
    body: Any
    meaning: str
    headers: Mapping[str, str] = {}


def openai(message: str, type_: str | None = None, code: Any = None) -> dict[str, Any]:
    return {"error": {"message": message, "type": type_, "param": None, "code": code}}


FORMS: dict[str, tuple[Form, ...]] = {
    name: tuple(Form(status, body, meaning) for status, meaning, body in forms)
    for name, forms in yaml.safe_load(Path(__file__).with_suffix(".yaml").read_text(encoding="utf-8")).items()
}
"""The errors of each service."""


class ErrorService(ThreadingHTTPServer):
    """Answers every question with the form that is set; ``good`` is sent in place of it where that is set.

    Attributes:
        form: The error.
        first: Number of questions that are answered with it; the others get ``good``.
        good: A reply of status 200.
        asked: Questions that came.
    """

    daemon_threads = True
    form = Form(500, "", "server")
    first = 10**9
    good: Any = None
    asked = 0

    @property
    def base_url(self) -> str:
        return f"http://127.0.0.1:{self.server_port}/v1"


class _Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def do_POST(self) -> None:
        service: Any = self.server
        if self.headers.get("transfer-encoding") == "chunked":
            while size := int(self.rfile.readline(), 16):
                self.rfile.read(size + 2)
            self.rfile.readline()
        else:
            self.rfile.read(int(self.headers["content-length"]))
        service.asked += 1
        form = service.form if service.asked <= service.first else Form(200, service.good, "")
        text, body = isinstance(form.body, str), form.body
        data = body if isinstance(body, bytes) else (body if text else json.dumps(body)).encode()
        self.send_response(form.status)
        self.send_header("Content-Type", "text/html" if text else "application/json")
        self.send_header("Content-Length", str(len(data)))
        for name, value in form.headers.items():
            self.send_header(name, value)
        self.end_headers()
        self.wfile.write(data)

    def log_message(self, format: str, *arguments: Any) -> None:  # noqa: A002 - the name it has there
        """Say nothing."""


@contextmanager
def answering(form: Form | None = None) -> Iterator[ErrorService]:
    """Serve while the block runs."""
    service = ErrorService(("127.0.0.1", 0), _Handler)
    service.form = form or service.form
    with serving_until_the_end(service):
        yield service
