"""The submitter's side of a relay: fetches questions, lets the pair's own players answer, hands the answers in."""

import asyncio
import json
from collections import OrderedDict
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any
from urllib.parse import urlsplit

from pydantic import ValidationError

from ircore.core.episode_records import TECHNICAL_REASONS
from ircore.core.errors import InputError, WorkError
from ircore.core.extras import need_packages
from ircore.core.progress import Progress, progress
from ircore.core.records import LOOPBACK
from ircore.players.base import PlayerError
from ircore.players.guard import unbroken
from ircore.players.open_questions import Halt, OpenQuestion
from ircore.players.submission import AnyLoaded
from ircore.submissions.relay.messages import Handed, HandedAnswer

if TYPE_CHECKING:
    from aiohttp import ClientSession

TOKEN = "IRCORE_RELAY_TOKEN"  # noqa: S105 - the name of a variable
PATIENCE_S = 60.0
"""Seconds for which a relay that does not answer is asked again: it may be started anew."""

REQUEST_S = 150.0
PAUSE_S = 0.5
REMEMBERED = 64
"""Answers that are kept for a relay that was started anew before it had recorded them."""

_GOES_ON = "Nothing is lost: the same command goes on."


class _OverError(Exception):
    """The relay has said that the run is over."""


def check_relay(address: str, token: str | None) -> str:
    """Return the token, if the address is safe to send it to.

    Raises:
        InputError: The address is neither https nor this machine, there is no token, or a package is missing.
    """
    need_packages("a relay", "relay", "aiohttp")
    parts = urlsplit(address)
    loopback = parts.hostname in LOOPBACK
    if not parts.hostname or parts.username or not (parts.scheme == "https" or (parts.scheme == "http" and loopback)):
        raise InputError(f"--relay {address}: no address of a relay", "Write https://HOST as the maintainer gave it.")
    if not token:
        raise InputError(f"{TOKEN}: is not set", f"export {TOKEN}=… with the token that the maintainer gave you.")
    return token


class RelayClient:
    """Answers the questions of a relay until the run is over.

    >>> RelayClient(None, {}, "http://127.0.0.1:8750/", "token", concurrency=4).address
    'http://127.0.0.1:8750'

    Args:
        loaded: The submission.
        players: Its players by their seats.
        address: Of the relay.
        token: Of the run.
        concurrency: Questions that are worked on at once.
    """

    def __init__(
        self, loaded: AnyLoaded, players: Mapping[str, Any], address: str, token: str, concurrency: int
    ) -> None:
        self.loaded, self.players, self.address = loaded, players, address.rstrip("/")
        self._headers = {"Authorization": f"Bearer {token}"}
        self._concurrency = concurrency
        self._held: set[str] = set()
        self._given: OrderedDict[str, bytes] = OrderedDict()
        self._halt = Halt()

    async def play(self) -> int:
        """Answer until the run is over, and return the number of answers that were handed in.

        Raises:
            InputError: The relay plays another pair, or does not take the token.
            WorkError: The relay is gone, or a player could not be asked; the same command goes on.
        """
        from aiohttp import ClientSession, ClientTimeout

        async with ClientSession(headers=self._headers, timeout=ClientTimeout(total=REQUEST_S)) as session:
            about = json.loads(await self._request(session, "GET", "/run"))
            self._check(about)
            try:
                with progress(f"relay {self.loaded.slug}", about["total"]) as shown:
                    return await self._answer_all(session, shown)
            finally:
                for player in self.players.values():
                    if close := getattr(player, "close", None):
                        await close()

    def _check(self, about: Mapping[str, Any]) -> None:
        own = json.loads(self.loaded.submission.model_dump_json(by_alias=True))
        of_relay = about["submission"]
        # Both may be added to the manifest after play.
        for name in sorted({*own, *of_relay} - {"transcripts", "dates"}):
            if own.get(name) != of_relay.get(name):
                raise InputError(
                    f"{self.loaded.path}: {name}: the relay plays {about['slug']} with another {name}",
                    "Give the manifest that the maintainer started the relay with.",
                )

    async def _answer_all(self, session: "ClientSession", shown: Progress) -> int:
        """Fetch question after question; after a player's failure the questions under way finish, and the work ends."""
        working: set[asyncio.Task[None]] = set()
        fetching: asyncio.Task[Handed | None] | None = None
        count = done = 0
        try:
            while True:
                if fetching is None and len(working) < self._concurrency:
                    fetching = asyncio.create_task(self._fetch(session))
                waiting = {*working, *([fetching] if fetching else [])}
                await asyncio.wait(waiting, return_when=asyncio.FIRST_COMPLETED)
                working = _unfinished(working)
                if fetching is None or not fetching.done():
                    continue
                handed, fetching = fetching.result(), None
                if handed is not None:
                    for _ in range(done, handed.done):
                        shown.advance()
                    count, done = count + 1, max(done, handed.done)
                    self._held.add(handed.question)
                    working.add(asyncio.create_task(self._work(session, handed)))
        except _OverError:
            return count
        finally:
            if fetching is not None:
                # A request for a further question may wait for long, and its answer is not needed any more.
                fetching.cancel()
            # What was sent to a service is waited for; pauses before a retry end.
            self._halt.set()
            await asyncio.gather(*working, return_exceptions=True)

    async def _fetch(self, session: "ClientSession") -> Handed | None:
        body = json.dumps({"held": sorted(self._held)}).encode()
        answer = await self._request(session, "POST", "/question", body)
        try:
            return Handed.model_validate_json(answer) if answer else None
        except ValidationError as error:
            raise WorkError(f"{self.address}: answers otherwise than a relay", "Check the address.") from error

    async def _work(self, session: "ClientSession", handed: Handed) -> None:
        try:
            # A repeated question is not asked anew: the answer may have cost money.
            answer = self._given.get(handed.question) or await self._answer(handed)
            self._given[handed.question] = answer
            # The oldest go first, which the relay has recorded most likely.
            while len(self._given) > REMEMBERED:
                self._given.popitem(last=False)
            await self._request(session, "POST", f"/answer/{handed.question}", answer)
        except _OverError:
            pass  # the run ended without this answer
        finally:
            self._held.discard(handed.question)

    async def _answer(self, handed: Handed) -> bytes:
        """Let the player of a seat answer; the relay can name no other method than a player's."""
        player, who = self.players.get(handed.seat), f"the {handed.seat}"
        view = handed.opened()
        if player is None or not hasattr(player, handed.method):
            raise WorkError(f"the relay asks {who}, which this pair has not", "Check the address.")
        try:
            with OpenQuestion(self._halt).opened():
                answer = await unbroken(getattr(player, handed.method)(view), who)
        except PlayerError as refusal:
            # A technical failure is no answer: the question waits at the relay until the same command goes on.
            if refusal.reason in TECHNICAL_REASONS:
                raise WorkError(f"{who} could not be asked: {refusal.detail}", _GOES_ON) from refusal
            return HandedAnswer.of(refusal).model_dump_json().encode()
        return HandedAnswer.of(answer).model_dump_json(exclude_defaults=True).encode()

    async def _request(self, session: "ClientSession", method: str, path: str, body: bytes | None = None) -> bytes:
        """Send a request, again while the relay cannot be reached, and return the body of its answer."""
        from aiohttp import ClientError

        loop = asyncio.get_running_loop()
        end = loop.time() + PATIENCE_S
        while True:
            try:
                # No redirect is followed: it would take the token to another address.
                async with session.request(method, self.address + path, data=body, allow_redirects=False) as response:
                    answer = await response.read()
                    # 503: too many requests are under way, so this one is repeated.
                    if response.status != 503:
                        return self._taken(response.status, answer, path)
            except (ClientError, OSError, TimeoutError) as error:
                if loop.time() > end:
                    remedy = f"Ask the maintainer whether the relay runs. {_GOES_ON}"
                    raise WorkError(f"--relay {self.address}: no answer ({error})", remedy) from error
            await asyncio.sleep(PAUSE_S)

    def _taken(self, status: int, answer: bytes, path: str) -> bytes:
        """Return the body of an answer without fault; a question that is no longer asked needs none."""
        if status in (200, 204):
            return answer
        if status == 410:
            raise _OverError
        if status == 409:
            return b""
        try:
            problem = str(json.loads(answer)["problem"])[:300]
        except (ValueError, KeyError, TypeError):
            problem = f"HTTP {status}"
        if status == 401:
            raise InputError(f"--relay {self.address}: {problem}", f"Check {TOKEN}.")
        raise WorkError(f"--relay {self.address}{path.partition('/answer')[1]}: {problem}", _GOES_ON)


def _unfinished(tasks: set[asyncio.Task[None]]) -> set[asyncio.Task[None]]:
    """Return the tasks that are still at work; raises the error of a failed task."""
    for task in tasks:
        if task.done():
            task.result()
    return {task for task in tasks if not task.done()}
