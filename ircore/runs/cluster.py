"""The connection to a Dask scheduler: hands a piece of work to a worker and waits for the result.

A piece whose worker is killed is done again by another one: that is Dask's part. What Dask leaves open is bounded here:
a scheduler that is not there, or a cluster without workers, ends the command with one line instead of a wait for ever.

Players answer on the workers instead of in this process, by ``cluster_worker``. This is the only module that imports
``distributed``. Scores on a cluster are computed by ``ircore.scorers.scoring``.
"""

import asyncio
import logging
import pickle
import re
import warnings
from collections.abc import Awaitable, Callable
from contextlib import AsyncExitStack, suppress
from importlib.metadata import PackageNotFoundError, version
from itertools import count
from secrets import token_hex
from typing import TYPE_CHECKING, Any, TypeVar

from ircore import __version__
from ircore.core.episode_records import Attempt
from ircore.core.errors import InputError, WorkError
from ircore.core.plugins import find_package_version, require_packages
from ircore.players.base import Answer, Asked
from ircore.players.open_questions import HaltedError, OpenQuestion, open_question
from ircore.players.submission import LoadedSubmission
from ircore.runs.cluster_worker import RemoteQuestion, answer, build_topic, stop_asking

if TYPE_CHECKING:
    from distributed import Client

T = TypeVar("T")

PATIENCE_S = 10.0
"""Seconds that a scheduler has to answer, and that a cluster may be without workers."""

CLOSING_S = 2.0
"""Seconds that saying good-bye may take; Dask would wait long for a scheduler that is gone."""

_ADDRESS = re.compile(r"(?:tcp|tls)://(?:[\w.-]+|\[[0-9a-fA-F:]+\]):(\d{1,5})/?")
_LARGEST_PORT = 65535
_GOES_ON = "Every finished answer is kept; the same command goes on."


class Cluster:
    """A connection that is made on first use, in the event loop of that use; ``close`` it in the same loop.

    >>> Cluster("127.0.0.1")
    Traceback (most recent call last):
    ...
    ircore.core.errors.InputError: --scheduler 127.0.0.1: no address of a scheduler
    Write it as tcp://HOST:PORT.

    Args:
        address: Address of the scheduler, such as ``tcp://127.0.0.1:8786``.
        patience: See ``PATIENCE_S``.

    Raises:
        InputError: This is no address, or Dask is not installed.
    """

    def __init__(self, address: str, patience: float = PATIENCE_S) -> None:
        match = _ADDRESS.fullmatch(address)
        if match is None or not 0 < int(match[1]) <= _LARGEST_PORT:
            raise InputError(f"--scheduler {address}: no address of a scheduler", "Write it as tcp://HOST:PORT.")
        require_packages("--executor dask", "dask", "distributed")
        self.address = address
        self._patience = patience
        self.token = token_hex(8)
        self._client: Client | None = None
        self._connecting = asyncio.Lock()
        self._numbers = count()
        self._open: dict[int, OpenQuestion] = {}
        self._stopping: asyncio.Future[frozenset[int]] | None = None
        self._has_dropped = False

    def next_number(self) -> int:
        """Return a number for a question, which no other question of this connection has."""
        return next(self._numbers)

    async def run(self, function: Callable[[str, bytes], T], data: bytes, number: int | None = None) -> T:
        """Let a worker call ``function`` with this package's version and ``data``.

        Args:
            function: Called on a worker.
            data: Its argument.
            number: The question's own, where the piece of work is a question to a player.

        Raises:
            InputError: A worker has another version of this package.
            WorkError: The cluster cannot be reached, has no workers, or lost several of them over this piece of work.
            HaltedError: Asking has ended, and no worker had begun the question.
            Exception: What the function raised.
        """
        client, question = await self._ensure_connected(), open_question()
        question.halt.check()
        # Not pure: Dask would answer the same question with the result of the first time.
        future = client.submit(function, __version__, data, pure=False)
        result: asyncio.Future[T] = asyncio.ensure_future(future.result())
        halted = asyncio.ensure_future(question.halt.wait())
        started = asyncio.get_running_loop().time()
        if number is not None:
            self._open[number] = question
        try:
            waits: set[asyncio.Future[Any]] = {result, halted}
            while not result.done():
                done, _ = await asyncio.wait(waits, timeout=self._patience, return_when=asyncio.FIRST_COMPLETED)
                if halted in done:
                    waits.discard(halted)
                    # What a worker has begun is waited for; it sends nothing more for it.
                    if number not in await self._stop_workers(client) and not result.done():
                        raise HaltedError.now()
                elif not done:
                    await self._wait_for_workers(client)
            return self._get_outcome(result)
        except asyncio.CancelledError:
            if number is not None:
                # A worker may have sent a request by now, of which it tells when the request has ended.
                seconds = round(asyncio.get_running_loop().time() - started, 4)
                question.note(Attempt(kind="timeout", seconds=seconds, detail="given up; a worker may have gone on"))
                self._has_dropped = True
            raise
        finally:
            self._open.pop(number, None)  # type: ignore[arg-type]
            halted.cancel()
            result.cancel()

    async def _stop_workers(self, client: "Client") -> frozenset[int]:
        """Tell all workers, once, that nothing more is asked, and return the questions that one of them has begun."""
        if self._stopping is None:
            self._stopping = asyncio.ensure_future(self._find_stop(client))
        # Several questions wait for this, and each of them may be cancelled.
        return await asyncio.shield(self._stopping)

    async def _find_stop(self, client: "Client") -> frozenset[int]:
        try:
            begun: dict[str, list[int] | Exception] = await client.run(stop_asking, self.token, on_error="return")
        except OSError:
            return frozenset()  # the scheduler is gone, and every question ends with that
        return frozenset(number for numbers in begun.values() if isinstance(numbers, list) for number in numbers)

    def _note_request(self, event: tuple[float, dict[str, Any]]) -> None:
        """Note a request that a worker tells of."""
        question = self._open.get(event[1]["number"])
        if question is not None:
            question.note(Attempt.model_validate_json(event[1]["attempt"]))

    async def slots(self) -> int:
        """Return how many pieces of work can be done at the same time now: the threads of all workers, at least 1."""
        client = await self._ensure_connected()
        try:
            threads: dict[str, int] = await client.nthreads()
        except OSError as error:
            raise self._build_lost_error() from error
        return max(1, sum(threads.values()))

    async def close(self) -> None:
        """Disconnect; work that was handed out and not begun is dropped, and workers send nothing more for the rest."""
        client, self._client = self._client, None
        if client is not None:
            if self._has_dropped:
                with suppress(OSError, TimeoutError):
                    async with asyncio.timeout(CLOSING_S):
                        await self._stop_workers(client)
            await client.close(timeout=CLOSING_S)

    def _get_outcome(self, result: "asyncio.Future[T]") -> T:
        from concurrent.futures import CancelledError

        from distributed import KilledWorker

        try:
            return result.result()
        except KilledWorker as error:
            raise WorkError(
                f"--scheduler {self.address}: several workers died over the same piece of work, the last one at "
                f"{error.last_worker.address}",
                f"Look into the workers' logs; often memory is short. {_GOES_ON}",
            ) from error
        except CancelledError as error:
            # Dask cancels what was handed out when the scheduler is gone.
            raise self._build_lost_error() from error

    async def _ensure_connected(self) -> "Client":
        async with self._connecting:
            if self._client is None:
                self._client = await self._connect()
            if self._client.status in ("closed", "failed"):
                raise self._build_lost_error()
            return self._client

    async def _connect(self) -> "Client":
        import dask
        from distributed import Client
        from distributed.versions import VersionMismatchWarning

        # Dask would print a table of packages that differ, most of which do not matter here; see _check_versions.
        warnings.simplefilter("ignore", VersionMismatchWarning)
        # What goes wrong is told once, by this class. A question may have ten pictures in it, so no size is remarkable.
        for name in [name for name in logging.root.manager.loggerDict if name.partition(".")[0] == "distributed"]:
            logging.getLogger(name).setLevel(logging.CRITICAL)
        dask.config.set({"distributed.admin.large-graph-warning-threshold": "1 TB"})
        client = Client(self.address, asynchronous=True, timeout=self._patience, set_as_default=False)
        async with AsyncExitStack() as undone:
            undone.push_async_callback(client.close, timeout=CLOSING_S)
            await self._reach(client)
            await self._wait_for_workers(client)
            await self._check_versions(client)
            client.subscribe_topic(build_topic(self.token), self._note_request)
            undone.pop_all()
        return client

    async def _reach(self, client: "Client") -> None:
        try:
            # Dask's own limit does not hold for something else that listens there and says nothing.
            async with asyncio.timeout(self._patience + 1):
                await client
        except (OSError, TimeoutError) as error:
            raise WorkError(
                f"--scheduler {self.address}: no scheduler answered within {self._patience:g} s",
                "Start one with: dask scheduler. Or check host and port.",
            ) from error

    async def _wait_for_workers(self, client: "Client") -> None:
        try:
            await client.wait_for_workers(1, timeout=self._patience)
        except TimeoutError as error:
            raise WorkError(
                f"--scheduler {self.address}: no workers for {self._patience:g} s",
                f"Start some with: dask worker {self.address}",
            ) from error
        except OSError as error:
            raise self._build_lost_error() from error

    async def _check_versions(self, client: "Client") -> None:
        """Compare versions before any object of this package is sent, which may differ between versions."""
        ours = version("ircore")
        versions: dict[str, str | Exception] = await client.run(version, "ircore", on_error="return")
        try:
            # The scheduler unpacks what it passes on.
            versions[self.address] = await client.run_on_scheduler(version, "ircore")
        except PackageNotFoundError as error:
            versions[self.address] = error
        for where, installed in versions.items():
            if isinstance(installed, PackageNotFoundError):
                raise InputError(f"there is no ircore at {where}", f"Install ircore {ours} for that Dask process.")
            if isinstance(installed, str) and installed != ours:
                raise InputError(f"{where} has ircore {installed}, not {ours}", "Install the same version everywhere.")

    def _build_lost_error(self) -> WorkError:
        return WorkError(f"--scheduler {self.address}: the scheduler is gone", f"Start it again. {_GOES_ON}")


class RemotePlayer:
    """Asks the player of a seat on a worker.

    >>> player = RemotePlayer(cluster=None, loaded=None, seat="describer")
    >>> callable(player.describe)  # whatever method the seat's questions go to
    True

    Args:
        cluster: The cluster; shared by all players of a run, closed with any of them.
        loaded: Names the players and their settings.
        seat: Seat of the asked player.
    """

    def __init__(self, cluster: Cluster, loaded: LoadedSubmission, seat: str) -> None:
        self._cluster = cluster
        self._loaded = loaded
        self._seat = seat
        self._package = (
            None if loaded is None else find_package_version("players", loaded.submission.players[seat].player)
        )

    def __getattr__(self, method: str) -> Callable[[Asked], Awaitable[Answer]]:
        """Return a method that sends a question to the player's method of the same name."""
        # Python itself looks such names up, as when an object is copied or pickled.
        if method.startswith("_"):
            raise AttributeError(method)
        return lambda view: self.ask(method, view)

    async def ask(self, method: str, view: Asked) -> Answer:
        """Let the player answer.

        Raises:
            WorkError: The cluster failed; see ``Cluster.run``.
            HaltedError: Asking has ended, and no worker had begun this question.
            Exception: What the player raised.
        """
        cluster = self._cluster
        number = cluster.next_number()
        question = RemoteQuestion(self._loaded, self._seat, method, view, cluster.token, number, self._package)
        # In a thread, since stored renderings are read from the disk here.
        return await cluster.run(answer, await asyncio.to_thread(pickle.dumps, question), number)

    async def close(self) -> None:
        """Disconnect; the workers keep their players."""
        await self._cluster.close()
