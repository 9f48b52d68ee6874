"""Parameters in the manifest of players behind an OpenAI-compatible service."""

import os
from importlib.util import find_spec
from typing import Literal, TypeVar
from urllib.parse import urlsplit
from urllib.request import getproxies

from pydantic import Field, JsonValue

from ircore.core.errors import InputError
from ircore.core.plugins import require_packages
from ircore.core.records import LOOPBACK, Line, PlayerSpec, Record
from ircore.players.submission import read_parameters

DEFAULT_BASE_URL = "https://api.openai.com/v1"
RESERVED = ("model", "messages", "input", "prompt", "image", "n", "stream", "tools", "tool_choice")
"""Fields that the player sends itself, so that ``extra_body`` must not."""

ANOTHER_GAME = (
    "instructions", "system", "previous_response_id", "conversation",
    "models", "plugins", "functions", "function_call", "web_search_options",
)  # fmt: skip
"""Fields that would bring other words, models or tools into the game."""

TEXT_FIELDS = {"max_completion_tokens", "temperature", "top_p", "reasoning_effort"}
"""Parameters of text models that chat completions take under the same names."""

IMMATERIAL = frozenset({"timeout_s", "deadline_s", "transport", "requests_per_minute", "tokens_per_minute"})
"""Parameters that change no answer, only how it is waited for."""

Effort = Literal["none", "minimal", "low", "medium", "high", "xhigh", "max"]


class CallSettings(Record):
    """Parameters of every player of this package.

    >>> CallSettings(timeout_s=60).deadline_s
    3600
    """

    timeout_s: float = Field(default=300, gt=0, le=3600, description="Seconds one request may take.")
    deadline_s: float = Field(
        default=3600, gt=0, le=86_400, description="Seconds one answer may take, retries included."
    )
    transport: Literal["httpx", "aiohttp"] | None = Field(
        default=None, description="aiohttp, which is faster, where it is installed and no SOCKS proxy is set."
    )
    requests_per_minute: int | None = Field(default=None, ge=1, description="Of the provider for this model.")
    tokens_per_minute: int | None = Field(default=None, ge=1, description="Of the provider, read and written.")
    extra_body: dict[str, JsonValue] = Field(default_factory=dict, description="Further fields of each request.")


class _TextSettings(CallSettings):
    """Parameters of text models. None is not sent, so that the provider's default applies."""

    max_completion_tokens: int | None = Field(
        default=16_000, ge=1, description="Visible and reasoning tokens together; null sends no limit."
    )
    temperature: float | None = Field(default=None, ge=0, le=2)
    top_p: float | None = Field(default=None, gt=0, le=1)
    reasoning_effort: Effort | None = None
    system: str | None = Field(
        default=None, min_length=1, max_length=4000, description="A system message in front of the game master's words."
    )


class DescriberSettings(_TextSettings):
    """Parameters of ``openai``, as describer and as judge.

    >>> DescriberSettings(temperature=0).api
    'chat'
    """

    api: Literal["chat", "responses"] = "chat"
    detail: Literal["low", "high", "original", "auto"] | None = Field(default=None, description="Of every picture.")
    max_side: int | None = Field(default=None, ge=64, le=8192, description="Pixels; larger pictures are made smaller.")
    structured: bool = Field(
        default=False, description="Hold a judge's answers to their JSON Schema; not every server can."
    )


class DrawingSettings(CallSettings):
    """Parameters of every image model."""

    rewriter: Line | None = Field(
        default=None,
        description="For the rule drawing: rewrite: a text model of the same service, which merges the dialogue.",
    )


class _ToolSettings(DrawingSettings):
    """Parameters of image models. None is not sent."""

    size: Line | None = Field(default=None, description="Such as 1024x1024, or auto.")
    quality: Line | None = None
    background: Literal["transparent", "opaque", "auto"] | None = None
    moderation: Literal["low", "auto"] | None = None
    input_fidelity: Literal["low", "high"] | None = Field(default=None, description="Sent where there is a picture.")


class ImagesSettings(_ToolSettings):
    """Parameters of ``openai-images``.

    >>> ImagesSettings(size="1024x1024").size
    '1024x1024'
    """

    response_format: Literal["b64_json"] | None = Field(
        default=None, description="For servers that would answer with an address; OpenAI's own refuses it."
    )


class ChatImageSettings(_TextSettings, DrawingSettings):
    """Parameters of ``openai-chat``.

    >>> ChatImageSettings().modalities
    ('image', 'text')
    """

    modalities: tuple[Literal["image", "text"], ...] = ("image", "text")
    image_config: dict[str, JsonValue] | None = Field(default=None, description="Such as {aspect_ratio: 1:1}.")


class ResponsesImageSettings(_ToolSettings):
    """Parameters of ``openai-responses``."""

    image_model: Line | None = Field(default=None, description="The tool's model; else the provider's choice.")
    reasoning_effort: Effort | None = None


Settings = TypeVar("Settings", bound=CallSettings)


def read_settings(spec: PlayerSpec, kind: type[Settings]) -> Settings:
    """Check a player's settings in the manifest against the parameters that it takes, except the key."""
    settings = read_parameters(spec, kind, "Name the model as its provider does.")
    for name in settings.extra_body:
        if name in RESERVED:
            raise InputError(f"parameters.extra_body.{name}: is sent by the player itself", "Take it out.")
        if name in ANOTHER_GAME:
            raise InputError(
                f"parameters.extra_body.{name}: other words, models or tools than the game's", "Take it out."
            )
    # A server on this machine may need no key; every other one would refuse the request.
    if spec.api_key_env is None and not is_loopback(spec.base_url or DEFAULT_BASE_URL):
        raise InputError(
            "api_key_env is missing", "Name the environment variable that holds the key, such as OPENAI_API_KEY."
        )
    packages = ("openai", "aiohttp") if settings.transport == "aiohttp" else ("openai",)
    require_packages(f"the player {spec.player}", "models", *packages)
    return settings


def read_key(spec: PlayerSpec) -> str:
    """Return the API key from the environment; empty if the manifest names no variable, as for a private server.

    Raises:
        InputError: The variable is not set, or its value cannot be sent in a header.
    """
    if spec.api_key_env is None:
        return ""
    key = os.environ.get(spec.api_key_env, "").strip()
    if not key:
        raise InputError(
            f"api_key_env: the environment variable {spec.api_key_env} is not set",
            f"Give the key with: export {spec.api_key_env}=…  or write {spec.api_key_env}=… into the file .env here.",
        )
    # A line break or another sign would end the header that the key is sent in.
    if not (key.isascii() and key.isprintable()) or " " in key:
        raise InputError(
            f"api_key_env: the value of {spec.api_key_env} has characters that no key has", "Copy the key again."
        )
    return key


def is_loopback(base_url: str) -> bool:
    """Return whether an address is on this machine."""
    return urlsplit(base_url).hostname in LOOPBACK


OF_THE_NETWORK = ("SSL_CERT_FILE", "SSL_CERT_DIR", "SSLKEYLOGFILE")
"""Variables of the environment by which the client of the package ``openai`` chooses certificates."""


def choose_transport(transport: str | None) -> str:
    """Return the transport to be used where a manifest names this one, or none.

    Where the environment or the system names proxies or certificates it is the client's own, whatever a manifest
    says: names, ports and networks that are excepted, SOCKS and certificates are then heeded as the client does.

    >>> choose_transport("httpx")
    'httpx'
    """
    named = bool(getproxies()) or any(os.environ.get(name) for name in OF_THE_NETWORK)
    return "httpx" if named or transport == "httpx" or find_spec("aiohttp") is None else "aiohttp"
