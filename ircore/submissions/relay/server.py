"""The relay: the engine of play, whose players answer over HTTP, with a signature for every line of the journal."""

import asyncio
import hashlib
import hmac
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager, suppress
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from pydantic import Field, ValidationError

from ircore.core.errors import InputError
from ircore.core.records import Record
from ircore.games.base import Game
from ircore.players.recorded_seat import RECORDED, RecordedSeat
from ircore.runs.engine import Engine
from ircore.runs.events import Entry
from ircore.runs.session import PlayPlan, Session
from ircore.runs.writer import RunWriter
from ircore.submissions.relay.desk import Desk, RelayedPlayer, RelayError
from ircore.submissions.relay.messages import MAX_ANSWER_BYTES, read_handed_answer

if TYPE_CHECKING:
    from aiohttp import web
    from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey

PATIENCE_S = 1800.0
POLL_S = 20.0
"""Seconds that a request for a question waits for one."""

REQUEST_S = 120.0
"""Seconds that any request may take, its body included."""

FAREWELL_S = 2.0
"""Seconds in which the first client must come to be told that the run is over."""

QUIET_S = 1.0
"""Seconds without another client that was told so, after which the relay ends; twice a client's pause."""

MOST_REQUESTS = 64
"""Requests at the same time; more are refused."""

MAX_HELD_BYTES = 64 * 1024


class _Held(Record):
    held: tuple[str, ...] = Field(default=(), max_length=256, description="Questions that a client is working on.")


def token_of(key: "Ed25519PrivateKey", run_file: bytes) -> str:
    """Return the token of a run: it follows from the relay's private key and ``run.json``, so that none is stored.

    Args:
        key: Private key of the relay.
        run_file: Content of the run's ``run.json``.
    """
    # With the text in front, no other use of the private key can give the same bytes.
    return hmac.digest(key.private_bytes_raw(), b"ircore relay token " + run_file, hashlib.sha256).hex()


@dataclass(frozen=True)
class Relay:
    """Plays a run with players that answer over HTTP; takes the place of ``ProcessPool`` in ``play``.

    >>> Relay(game=None, token="0" * 64).port
    8750

    Attributes:
        game: The game.
        token: Secret that every request must show.
        host: Address to listen at.
        port: Port to listen at.
        patience: Seconds from handing out a question to its answer.
        listening: Called with the address once requests are taken.
    """

    game: Game[Any]
    token: str = field(repr=False)
    host: str = "127.0.0.1"
    port: int = 8750
    patience: float = PATIENCE_S
    listening: Callable[[str], None] = print

    async def run(self, plan: PlayPlan, writer: RunWriter, engine: Engine[Entry]) -> None:
        """Play the unfinished episodes of a plan; raises as ``Engine.run``."""
        desk = Desk(self.token, self.patience, len(plan.episode_ids))
        players = {
            seat.name: RecordedSeat(spec) if spec.player == RECORDED else RelayedPlayer(desk, seat)
            for seat in self.game.seats
            if (spec := plan.run.submission.players.get(seat.name)) is not None
        }
        # What a relay recorded before it was started anew is not asked again.
        unfinished = plan.due(writer.finished)
        about = {
            "slug": plan.run.slug,
            "submission": plan.run.submission.model_dump(mode="json", by_alias=True),
            "total": len(plan.episode_ids),
        }
        handlers = _Handlers(desk, about, lambda: len(writer.finished))
        async with _serving(handlers, self):
            if unfinished:
                await Session(plan, self.game, players, writer, engine, None).run(unfinished)
            await handlers.finish()


@dataclass
class _Handlers:
    """A relay's answers to requests."""

    desk: Desk
    about: dict[str, Any]
    done: Callable[[], int]
    requests: int = 0
    told: asyncio.Event = field(default_factory=asyncio.Event)

    async def finish(self) -> None:
        """Stay until the clients were told that the run is over, or for a short while, as nobody knows their number."""
        await self.desk.finish()
        with suppress(TimeoutError):
            async with asyncio.timeout(FAREWELL_S):
                await self.told.wait()
            while True:
                self.told.clear()
                async with asyncio.timeout(QUIET_S):
                    await self.told.wait()

    async def run(self, request: "web.Request") -> "web.Response":
        """Answer with the description of the run."""
        from aiohttp import web

        del request
        return web.json_response(self.about)

    async def question(self, request: "web.Request") -> "web.Response":
        """Hand out a question."""
        from aiohttp import web

        try:
            taken_names = _Held.model_validate_json(await _body(request, MAX_HELD_BYTES), strict=True).held
        except ValidationError as error:
            raise RelayError(422, "held: write the names of questions as a list") from error
        self.desk.done = self.done()
        try:
            handed = await self.desk.next(frozenset(taken_names), POLL_S)
        except RelayError as error:
            # Clients that were told so are gone, and the relay need not wait for them.
            if error.code == 410:
                self.told.set()
            raise
        if handed is None:
            return web.Response(status=204)
        return web.Response(text=handed.model_dump_json(), content_type="application/json")

    async def answer(self, request: "web.Request") -> "web.Response":
        """Take an answer."""
        from aiohttp import web

        answer = await asyncio.to_thread(read_handed_answer, await _body(request, MAX_ANSWER_BYTES))
        await self.desk.take(request.match_info["question"], answer)
        return web.json_response({})


async def _body(request: "web.Request", most: int) -> bytes:
    """Read the body of a request up to a limit."""
    # The header may be missing or wrong, so that the bytes are counted as well.
    if (request.content_length or 0) > most:
        raise RelayError(413, f"larger than {most:,} bytes")
    body = bytearray()
    async for chunk in request.content.iter_chunked(1 << 16):
        body += chunk
        if len(body) > most:
            raise RelayError(413, f"larger than {most:,} bytes")
    return bytes(body)


@asynccontextmanager
async def _serving(handlers: _Handlers, relay: Relay) -> AsyncIterator[None]:
    """Take requests while the block runs.

    Raises:
        InputError: The address cannot be listened at.
    """
    from aiohttp import web

    app = web.Application(middlewares=[_guard(handlers, relay.token)])
    app.add_routes(
        [
            web.get("/run", handlers.run),
            web.post("/question", handlers.question),
            web.post("/answer/{question}", handlers.answer),
        ]
    )
    runner = web.AppRunner(app, access_log=None, handle_signals=False, shutdown_timeout=FAREWELL_S)
    await runner.setup()
    try:
        try:
            await web.TCPSite(runner, relay.host, relay.port).start()
        except OSError as error:
            problem = f"--port {relay.port}: cannot listen at {relay.host} ({error.strerror})"
            raise InputError(problem, "Choose another --port.") from error
        relay.listening(f"http://{relay.host}:{relay.port}")
        yield
    finally:
        await runner.cleanup()


def _guard(handlers: _Handlers, token: str) -> Any:
    """Return the check that every request passes: token first, then the number and duration of requests."""
    from aiohttp import web

    @web.middleware
    async def guarded(
        request: web.Request, handler: Callable[[web.Request], Awaitable[web.StreamResponse]]
    ) -> web.StreamResponse:
        shown = request.headers.get("Authorization", "").encode()
        # In constant time: how long a comparison takes would betray the token letter by letter.
        if not hmac.compare_digest(shown, f"Bearer {token}".encode()):
            return _refused(401, "the token is not this run's")
        if handlers.requests >= MOST_REQUESTS:
            return _refused(503, f"{MOST_REQUESTS} requests are under way")
        handlers.requests += 1
        try:
            async with asyncio.timeout(REQUEST_S):
                return await handler(request)
        except TimeoutError:
            return _refused(408, f"not complete within {REQUEST_S:g} s")
        except RelayError as error:
            return _refused(error.code, error.problem)
        except InputError as error:
            return _refused(422, error.problem)
        finally:
            handlers.requests -= 1

    def _refused(status: int, problem: str) -> web.Response:
        return web.json_response({"problem": problem}, status=status)

    return guarded
