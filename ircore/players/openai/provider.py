"""A player's side of a provider: address, key and calls."""

import asyncio
import math
from collections.abc import Awaitable, Callable
from dataclasses import replace
from random import Random
from typing import Any, TypeVar, cast

from ircore.core.episode_records import Purpose
from ircore.core.records import PlayerSpec
from ircore.players.base import JudgeError, PlayerError, Role
from ircore.players.calls import Called, Caller, CallError, FaultError, Reply, RequestFault, note_reply
from ircore.players.open_questions import build_scrubber
from ircore.players.openai.connection import Kind, find_connection
from ircore.players.openai.provider_errors import list_remedies
from ircore.players.openai.replies import read_tokens
from ircore.players.openai.settings import DEFAULT_BASE_URL, CallSettings, choose_transport, read_key
from ircore.players.openai.transport import FormBody, JsonBody
from ircore.players.pacing import find_gate, find_pace

T = TypeVar("T")

EDITS = "/images/edits"

FETCHES = 5
"""How often a picture at an address is fetched before it counts as lost."""

FETCH_PAUSE_S = 0.5
"""Seconds before it is fetched again; doubled with every further try."""


class Provider:
    """Sends a player's questions, retries them, and keeps the key secret.

    >>> spec = PlayerSpec(player="openai", model="m", base_url="http://127.0.0.1:8000/v1")
    >>> Provider(spec, CallSettings()).form_fields(model="m", top_p=None)
    {'model': 'm'}

    Args:
        spec: As in the manifest.
        settings: Parameters of the player.

    Raises:
        InputError: The key is not in the environment.
    """

    def __init__(self, spec: PlayerSpec, settings: CallSettings) -> None:
        key = read_key(spec)
        base_url = spec.base_url or DEFAULT_BASE_URL
        who = f"{spec.player}, model {spec.model} at {base_url}"
        self.scrub = build_scrubber(key)
        self._extra = settings.extra_body
        self._connection = find_connection(spec.base_url, key, choose_transport(settings.transport), settings.timeout_s)
        self._caller = Caller(
            who=who,
            gate=find_gate(base_url),
            timeout=settings.timeout_s,
            deadline=settings.deadline_s,
            pace=find_pace(base_url, str(spec.model), settings.requests_per_minute, settings.tokens_per_minute),
            remedies=list_remedies(spec),
            scrub=self.scrub,
            # Jitter seeded by the player makes runs repeatable and keeps players apart.
            random=Random(who),
        )

    async def ask(
        self,
        seat: Role | None,
        path: str,
        body: Callable[[], JsonBody | FormBody],
        kind: type[Kind],
        read: Callable[[Kind], Awaitable[T]],
        purpose: Purpose | None = None,
    ) -> Called[T]:
        """Ask a question, again after faults that may pass, until an answer comes or the question fails for good.

        Args:
            seat: Seat of the reconstruction game, or judge; None for seats of other games.
            path: Of the endpoint.
            body: Makes the body of one attempt.
            kind: Record that the reply must fit.
            read: Returns the answer in a reply; raises ``FaultError`` if there is no usable answer.
            purpose: What is asked for, where it is not the seat's answer itself.

        Raises:
            PlayerError: The question could not be answered.
            JudgeError: The question to a judge could not be answered.
            ProviderStopError: Every further question would fail as well.
        """
        room = math.inf

        async def attempt() -> Reply[T]:
            nonlocal room
            try:
                reply = await self._connection.post(path, _limit_answer_tokens(body(), room), kind)
            except FaultError as error:
                # A service that tells how many tokens are left is asked again for no more.
                room = min(room, error.fault.room or math.inf)
                raise _explain_by_path(error, path) from None
            tokens = read_tokens(getattr(reply.value, "usage", None), reply.headers)
            note_reply(tokens)
            try:
                value = await read(reply.value)
            except FaultError as error:
                fault = RequestFault(error.fault.kind, error.fault.detail, reply.status, final=error.fault.final)
                # With the tokens, because an unusable answer is billed all the same.
                raise FaultError(fault, tokens, reply.received) from None
            # Before anything is cut or split, which could leave parts of a key that the service repeats.
            if isinstance(value, str):
                value = cast(T, self.scrub(value))
            return Reply(value, tokens, reply.status, reply.received, reply.headers, find_served_model(reply.value))

        # Importing the client takes time that must not count as time of the first request.
        await self._connection.ready()
        try:
            return await self._caller.call(attempt, purpose)
        except CallError as error:
            if seat == "judge":
                raise JudgeError(error.judge_reason, str(error), error.attempts) from None
            raise PlayerError(error.reason(seat), str(error), error.attempts) from None

    async def fetch(self, url: str) -> bytes:
        """Return a picture that the service keeps at an address of its own; fetched again where that fails.

        Raises:
            FaultError: The address is of another host, or has no picture.
        """
        for number in range(FETCHES - 1):
            try:
                return await self._connection.fetch(url)
            except FaultError as error:
                if not error.fault.final:
                    raise
            await asyncio.sleep(FETCH_PAUSE_S * 2.0**number)
        return await self._connection.fetch(url)

    def json(self, **fields: Any) -> JsonBody:
        """Return a JSON body of the fields that are not None, and of the manifest's ``extra_body``."""
        return JsonBody(self.form_fields(**fields))

    def form_fields(self, **fields: Any) -> dict[str, Any]:
        """The same for a form."""
        return {**select_stated_fields(fields), **self._extra}

    async def close(self) -> None:
        """Close the connections."""
        await self._connection.close()


def select_stated_fields(fields: dict[str, Any]) -> dict[str, Any]:
    """Return the fields that are not None."""
    return {name: value for name, value in fields.items() if value is not None}


def _limit_answer_tokens(body: JsonBody | FormBody, room: float) -> JsonBody | FormBody:
    """Return a request whose answer may have no more tokens than the service has left for one."""
    return body if isinstance(body, FormBody) or math.isinf(room) else body.limit_answer(int(room))


def _explain_by_path(error: FaultError, path: str) -> FaultError:
    """Return a fault as the endpoint that was asked explains it: a service without edits may well draw."""
    fault = error.fault
    if path == EDITS and fault.status in (404, 405, 501) and "model" not in fault.detail.lower():
        return FaultError(replace(fault, kind="no_edits"), error.tokens, error.received)
    return error


def find_served_model(reply: Any) -> str | None:
    """Return the model that answered, as a reply names it, and its fingerprint."""
    model, fingerprint = getattr(reply, "model", None), getattr(reply, "system_fingerprint", None)
    if not isinstance(model, str) or not model:
        return None
    return f"{model}@{fingerprint}" if isinstance(fingerprint, str) and fingerprint else model
