"""A service says what the runner of a workflow would take for commands: no line of what runs there begins so."""

import json
import re
import threading
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

import pytest
from samples import sample_instances

from ircore.commands.main import run as ircore

pytestmark = pytest.mark.attack

SAID = "x\n::add-mask::y\n##[error]z\r\n ::stop-commands::q\u2028::error::\x1b[2J"
COMMAND = re.compile(r"^\s*(::|##\[)", re.MULTILINE)


class Service(ThreadingHTTPServer):
    """Answers every question with the same status and words."""

    daemon_threads = True
    status = 200

    class Handler(BaseHTTPRequestHandler):
        """Of one request."""

        def do_POST(self) -> None:
            self.rfile.read(int(self.headers["content-length"]))
            choice = {"message": {"content": f"<DESCRIPTION>{SAID}</DESCRIPTION>"}}
            status = self.server.status  # type: ignore[attr-defined]
            document = {"choices": [choice]} if status == 200 else {"error": {"message": SAID, "code": SAID}}
            body = json.dumps(document).encode()
            self.send_response(status)
            self.send_header("Content-Type", "application/json")
            self.send_header("Content-Length", str(len(body)))
            self.end_headers()
            self.wfile.write(body)

        def log_message(self, format: str, *arguments: Any) -> None:  # noqa: A002 - the name it has there
            """Say nothing."""


@pytest.fixture
def service() -> Iterator[Service]:
    server = Service(("127.0.0.1", 0), Service.Handler)
    threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.02}, daemon=True).start()
    yield server
    server.shutdown()
    server.server_close()


@pytest.mark.slow
@pytest.mark.parametrize("status", [200, 400, 401, 404])
def test_nothing_that_it_says_begins_a_line(
    tmp_path: Path, service: Service, status: int, capfd: pytest.CaptureFixture[str]
) -> None:
    service.status = status
    sample_instances(tmp_path / "set")
    address = f"http://127.0.0.1:{service.server_port}/v1"
    pair = tmp_path / "submissions" / "a-pair"
    pair.mkdir(parents=True)
    describer = {"player": "openai", "model": "m", "base_url": address}
    document = {"schema": 1, "name": "A pair", "describer": describer, "generator": {"player": "sketch"}}
    (pair / "submission.yaml").write_text(json.dumps({**document, "licence": "MIT"}))
    run = str(tmp_path / "run")
    few = ["--instances", str(tmp_path / "set"), "--limit", "1", "--max-turns", "2"]
    assert ircore(["play", str(pair), *few, "--out", run]) == (status != 200)
    ircore(["score", run, "--judge", "structural", "--metric", "psnr"])
    ircore(["results", run])
    told = "\n".join(capfd.readouterr())
    assert status == 200 or "add-mask" in told
    assert not COMMAND.search(told)
    assert "\x1b" not in told
