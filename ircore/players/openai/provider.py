"""A player's side of a provider: address, key and calls."""

from collections.abc import Awaitable, Callable
from random import Random
from typing import Any, TypeVar

from ircore.core.episode_records import FaultKind
from ircore.core.records import PlayerSpec, Role
from ircore.players.base import JudgeError, PlayerError
from ircore.players.calls import Called, Caller, CallError, Fault, FaultError, Reply
from ircore.players.openai.bodies import FormBody, JsonBody
from ircore.players.openai.connection import Kind, connection_to
from ircore.players.openai.provider_errors import scrubber
from ircore.players.openai.settings import DEFAULT_BASE_URL, CallSettings, chosen_transport, read_key
from ircore.players.openai.usage import tokens_of
from ircore.players.pacing import gate_for, pace_for

T = TypeVar("T")


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
        self.scrub = scrubber(key)
        self._extra = settings.extra_body
        self._connection = connection_to(spec.base_url, key, chosen_transport(settings.transport), settings.timeout_s)
        self._caller = Caller(
            who=who,
            gate=gate_for(base_url),
            timeout=settings.timeout_s,
            deadline=settings.deadline_s,
            pace=pace_for(base_url, str(spec.model), settings.requests_per_minute, settings.tokens_per_minute),
            remedies=_remedies(spec),
            scrub=self.scrub,
            random=Random(who),
        )

    async def ask(
        self,
        seat: Role | None,
        path: str,
        body: Callable[[], JsonBody | FormBody],
        kind: type[Kind],
        read: Callable[[Kind], Awaitable[T]],
    ) -> Called[T]:
        """Ask a question, again after faults that may pass, until an answer comes or the question fails for good.

        Args:
            seat: Seat of the reconstruction game, or judge; None for seats of other games.
            path: Of the endpoint.
            body: Makes the body of one attempt.
            kind: Record that the reply must fit.
            read: Returns the answer in a reply; raises ``FaultError`` if there is no usable answer.

        Raises:
            PlayerError: The question could not be answered.
            JudgeError: The question to a judge could not be answered.
            ProviderStopError: Every further question would fail as well.
        """

        async def attempt() -> Reply[T]:
            reply = await self._connection.post(path, body(), kind)
            tokens = tokens_of(getattr(reply.value, "usage", None), reply.headers)
            try:
                value = await read(reply.value)
            except FaultError as error:
                fault = Fault(error.fault.kind, error.fault.detail, reply.status)
                raise FaultError(fault, tokens, reply.received) from None
            return Reply(value, tokens, reply.status, reply.received)

        self._connection.opened()
        try:
            return await self._caller.call(attempt)
        except CallError as error:
            if seat == "judge":
                raise JudgeError(error.judge_reason, str(error), error.attempts) from None
            raise PlayerError(error.reason(seat), str(error), error.attempts) from None

    def json(self, **fields: Any) -> JsonBody:
        """Return a JSON body of the fields that are not None, and of the manifest's ``extra_body``."""
        return JsonBody(self.form_fields(**fields))

    def form_fields(self, **fields: Any) -> dict[str, Any]:
        """The same for a form."""
        return {**given(fields), **self._extra}

    async def close(self) -> None:
        """Close the connections."""
        await self._connection.close()


def given(fields: dict[str, Any]) -> dict[str, Any]:
    """Return the fields that are not None."""
    return {name: value for name, value in fields.items() if value is not None}


def _remedies(spec: PlayerSpec) -> dict[FaultKind, str]:
    key = f"the key in {spec.api_key_env}" if spec.api_key_env else "api_key_env, which the manifest does not give"
    again = "the same command then goes on where it stopped"
    return {
        "unreachable": "Check base_url in the manifest and the network; a server of your own must be running.",
        "denied": f"Check {key}, and what it may use; {again}.",
        "not_found": "Check model and base_url in the manifest.",
        "no_credit": f"Add credit with the provider, or wait until the quota is renewed; {again}.",
        "unsupported": "Change parameters in the manifest to what this model takes.",
    }
