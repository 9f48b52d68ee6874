"""Relays on loopback, honest clients, and requests as anybody could send them."""

import asyncio
import http.client
import json
import socket
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from functools import partial
from pathlib import Path
from typing import Any, NamedTuple

from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey
from samples import BlockGenerator, CentreDescriber, sample_instances, sample_submission

from ircore.core.records import Rules
from ircore.games.reconstruction.game import ReconstructionGame
from ircore.games.reconstruction.prompts import load_prompts
from ircore.runs.folder import RunFolder
from ircore.runs.play import make_run, open_run, play
from ircore.runs.session import PlayPlan
from ircore.runs.witness import WitnessedWriter, public_half
from ircore.submissions.relay.client import RelayClient
from ircore.submissions.relay.server import Relay, token_of

KEY = Ed25519PrivateKey.from_private_bytes(bytes(range(32)))
KEYS = {"berlin": public_half(KEY)}


def free_port() -> int:
    """Return a port of loopback that nobody listens at."""
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port: int = free.getsockname()[1]
        return port


class Reply(NamedTuple):
    """What a relay answers."""

    status: int
    body: Any


class RunningRelay(NamedTuple):
    """A relay that plays the sample pair.

    Attributes:
        folder: The run folder.
        port: Of loopback.
        token: Of the run.
    """

    folder: RunFolder
    port: int
    token: str

    @property
    def address(self) -> str:
        """Return where it listens."""
        return f"http://127.0.0.1:{self.port}"

    def send(self, method: str, path: str, body: Any = None, headers: dict[str, str] | None = None) -> Reply:
        """Send a request: JSON of ``body``, or its bytes; with the token unless ``headers`` are given."""
        given = {"Authorization": f"Bearer {self.token}"} if headers is None else headers
        connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=30)
        data = body if isinstance(body, bytes) or body is None else json.dumps(body).encode()
        try:
            connection.request(method, path, body=data, headers=given)
            response = connection.getresponse()
            text = response.read()
        finally:
            connection.close()
        try:
            return Reply(response.status, json.loads(text) if text else None)
        except ValueError:
            return Reply(response.status, text)

    def question(self, *held: str) -> Any:
        """Fetch a question."""
        status, body = self.send("POST", "/question", {"held": list(held)})
        assert status == 200, body
        return body

    def answer(self, question: Any, body: Any) -> Reply:
        """Hand in an answer."""
        return self.send("POST", f"/answer/{question['question']}", body)

    def finish(self, concurrency: int = 4) -> int:
        """Let an honest client answer until the run is over."""
        return asyncio.run(self.client(concurrency).play())

    def client(self, concurrency: int = 4, **players: Any) -> RelayClient:
        """Return an honest client of the sample pair."""
        loaded = sample_submission()
        spec = loaded.submission.describer
        known = {"describer": CentreDescriber(spec), "generator": BlockGenerator(spec), **players}
        return RelayClient(loaded, known, self.address, self.token, concurrency)


@contextmanager
def running_relay(folder: Path, concurrency: int = 2, patience: float = 60) -> Iterator[RunningRelay]:
    """Let a relay play the sample pair on four targets in a thread; at the end, wait until the run is over."""
    new = not (folder / "set").exists()
    known = sample_instances(folder / "set") if new else RunFolder.open(folder / "run").instances
    prompts = load_prompts("reconstruction")
    run = make_run(sample_submission(), known, Rules(), prompts, seed=7)
    plan = PlayPlan(run, known, known.instances, prompts, concurrency)
    opened = open_run(folder / "run", run, known)
    token = token_of(KEY, (folder / "run" / "run.json").read_bytes())
    listening = threading.Event()
    relay = Relay(ReconstructionGame(), token, "127.0.0.1", free_port(), patience, lambda _: listening.set())
    failures: list[Exception] = []

    def work() -> None:
        try:
            play(plan, opened, ReconstructionGame(), {}, pool=relay, writing=partial(WitnessedWriter, key=KEY))
        except Exception as error:  # noqa: BLE001 - shown by the test
            failures.append(error)

    thread = threading.Thread(target=work, daemon=True)
    thread.start()
    assert listening.wait(20), failures
    yield RunningRelay(opened, relay.port, token)
    thread.join(30)
    assert not thread.is_alive()
    assert not failures, failures


def wait_for(condition: Any, seconds: float = 60) -> None:
    """Wait until something is so."""
    end = time.monotonic() + seconds
    while not condition():
        assert time.monotonic() < end
        time.sleep(0.02)
