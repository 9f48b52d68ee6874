"""The only module that uses the package ``openai``: sends a request, reads the reply, classifies errors.

The client brings addresses, keys, connections and the two transports. Retries are ours (``players.calls``); replies
are read within a bound on their size and checked against what we need of them, since "compatible" servers differ.
"""

import asyncio
from typing import TYPE_CHECKING, Any, TypeVar, cast
from urllib.parse import urljoin, urlsplit
from weakref import WeakValueDictionary

from pydantic import BaseModel, ValidationError

from ircore.core.episode_records import FaultKind
from ircore.core.validation import describe_validation_error
from ircore.players.calls import FaultError, Reply, RequestFault, Tokens
from ircore.players.openai.provider_errors import find_body_error_status, find_reply_fault, find_response_fault
from ircore.players.openai.replies import read_tokens
from ircore.players.openai.settings import DEFAULT_BASE_URL
from ircore.players.openai.transport import (
    FormBody,
    JsonBody,
    LeanClient,
    LeanResponse,
    assemble_document,
    build_picture_files,
    can_send,
    is_stream,
    mend_characters,
    read_document,
)

if TYPE_CHECKING:
    import httpx2
    from openai import AsyncOpenAI

Kind = TypeVar("Kind", bound=BaseModel)

MAX_REPLY_BYTES = 64 * 1024 * 1024
"""A picture of the most bytes that ``ircore.core.images`` takes, in base64, and some more."""

CONNECT_S = 15.0
"""Seconds until a connection must stand."""

_CUT = {"ServerDisconnectedError", "ClientOSError", "ConnectionResetError"}
_NEVER_SENT = {
    "ConnectionTimeoutError",
    "ConnectError",
    "ConnectTimeout",
    "ClientConnectorError",
    "PoolTimeout",
    "gaierror",
}


class Connection:
    """A connection to a service, opened by the first request, and again after ``close`` or in another event loop.

    >>> connection = find_connection("http://127.0.0.1:8000/v1", "", "httpx", 10.0)
    >>> connection is find_connection("http://127.0.0.1:8000/v1", "", "httpx", 10.0)
    True

    Args:
        key: Sent as a bearer token; empty for none.
        transport: ``httpx`` or ``aiohttp``.
        timeout: Seconds between two bytes; ``ircore.players.calls`` bounds the whole.
    """

    def __init__(self, base_url: str | None, key: str, transport: str, timeout: float) -> None:
        self._base_url = base_url or DEFAULT_BASE_URL
        self._key = key
        self._transport = transport
        self._timeout = timeout
        self._client: AsyncOpenAI | None = None
        self._lean: LeanClient | None = None
        self._loop: asyncio.AbstractEventLoop | None = None
        self._rounds_left = 0

    async def post(self, path: str, body: JsonBody | FormBody, kind: type[Kind]) -> Reply[Kind]:
        """Send a request and return the validated reply.

        Args:
            path: Path of the endpoint, such as ``/chat/completions``.
            body: Body of the request.
            kind: Record that the reply must fit.

        Raises:
            FaultError: There is no reply that fits.
        """
        import openai

        received, tokens = bytearray(), Tokens()
        try:
            response = await self._send(path, body)
            # What a header says of the cost holds whatever becomes of the body.
            tokens = read_tokens(None, response.headers)
            try:
                async for piece in response.aiter_bytes():
                    received += piece
                    if len(received) > MAX_REPLY_BYTES:
                        raise FaultError(
                            _build_malformed_fault(f"more than {MAX_REPLY_BYTES:,} bytes", response),
                            tokens,
                            len(received),
                        )
            finally:
                await response.aclose()
            # Redirects are not followed, so they count as errors too.
            if response.status_code >= 300:
                text = received.decode(errors="replace")
                fault = find_response_fault(response.status_code, response.headers, text)
                raise FaultError(fault, tokens, len(received))
        except openai.APIStatusError as error:
            text = error.response.text
            fault = find_response_fault(error.status_code, error.response.headers, text)
            raise FaultError(fault, None, len(error.response.content)) from None
        except _list_network_errors() as error:
            raise FaultError(_classify_transport_error(error), tokens, len(received)) from None
        return _parse_reply(response, received, kind)

    async def fetch(self, url: str) -> bytes:
        """Return the file at an address of the service itself: same scheme, host and port, no redirect followed.

        Args:
            url: In full, or relative to the service's address.

        Raises:
            FaultError: The address is another server's; or nothing came from there, which is ``final``: the picture was
                made and billed, and a further request would make and bill another one.
        """
        import openai

        address = urljoin(f"{self._base_url}/", url)
        # An answer must not decide whom this machine asks: it may stand inside a network.
        if _parse_origin(address) != _parse_origin(self._base_url):
            problem = f"its picture is at {urlsplit(address).hostname}, which is another server and not asked"
            raise FaultError(RequestFault("no_image", f"{problem}; parameters.response_format: b64_json may help"))
        received = bytearray()
        try:
            response = await self._get(address)
            try:
                async for piece in response.aiter_bytes():
                    received += piece
                    if len(received) > MAX_REPLY_BYTES:
                        raise FaultError(RequestFault("bad_image", f"a picture of more than {MAX_REPLY_BYTES:,} bytes"))
            finally:
                await response.aclose()
        except openai.APIStatusError as error:
            detail = f"its picture could not be fetched: HTTP {error.status_code}"
            raise FaultError(RequestFault("dropped", detail, error.status_code, final=True)) from None
        except _list_network_errors() as error:
            fault = _classify_transport_error(error)
            kind: FaultKind = "timeout" if fault.kind == "timeout" else "dropped"
            raise FaultError(
                RequestFault(kind, f"its picture could not be fetched: {fault.detail}", final=True)
            ) from None
        if response.status_code != 200:
            detail = f"its picture could not be fetched: HTTP {response.status_code}"
            raise FaultError(RequestFault("dropped", detail, response.status_code, final=True))
        return bytes(received)

    async def greet(self) -> None:
        """Ask for the list of models, and take any answer over HTTP as a sign of life; nobody bills for that.

        Raises:
            FaultError: There is none: nothing listens at the address, or no service that speaks HTTP.
        """
        import openai

        try:
            response = await self._get(f"{self._base_url}/models")
            await response.aclose()
        except openai.APIStatusError:
            return
        except _list_network_errors() as error:
            raise FaultError(_classify_transport_error(error)) from None

    async def _get(self, address: str) -> "httpx2.Response | LeanResponse":
        import httpx2
        import openai

        client = self.open()
        if self._lean is not None:
            return await self._lean.get(address)
        options: Any = {"follow_redirects": False}
        pending_response: Any = client.get(
            address, cast_to=httpx2.Response, options=options, stream=True, stream_cls=openai.AsyncStream[Any]
        )
        return cast("httpx2.Response", await pending_response)

    async def _send(self, path: str, body: JsonBody | FormBody) -> "httpx2.Response | LeanResponse":
        import httpx2
        import openai

        client = self.open()
        if self._lean is not None and can_send(body):
            return await self._lean.post(path, body)

        sent: dict[str, Any] = {"cast_to": httpx2.Response, "stream": True, "stream_cls": openai.AsyncStream[Any]}
        if isinstance(body, JsonBody):
            sent["content"] = body
            headers = {"Content-Type": "application/json", "Content-Length": str(body.length)}
        else:
            sent["body"] = body.fields
            sent["files"] = build_picture_files(body.pictures)
            headers = {"Content-Type": "multipart/form-data"}
        # A redirect would take pictures and words to an address that the manifest does not name.
        sent["options"] = {"headers": headers, "follow_redirects": False}
        # With this type the client returns the raw response.
        return cast("httpx2.Response", await client.post(path, **sent))

    async def ready(self) -> None:
        """Open the client if it is not open, and let the event loop hear the signals that came meanwhile."""
        self.open()
        while self._rounds_left:
            await asyncio.sleep(0)

    def _count_round(self) -> None:
        self._rounds_left -= 1
        if self._rounds_left:
            asyncio.get_running_loop().call_soon(self._count_round)

    def open(self) -> "AsyncOpenAI":
        """Return the open client; opening imports the package, which must not count as time of a request."""
        loop = asyncio.get_running_loop()
        # A client's sockets belong to the event loop that opened them.
        if self._client is None or self._loop is not loop:
            self._client, self._loop = self._open(), loop
            # Opening takes a second, in which no signal is heeded: heard in the next round, it is heeded in the second.
            self._rounds_left = 3
            loop.call_soon(self._count_round)
            connect = min(CONNECT_S, self._timeout)
            self._lean = LeanClient(self._client, self._timeout, connect) if self._transport == "aiohttp" else None
        return self._client

    def _open(self) -> "AsyncOpenAI":
        import httpx2
        import openai

        timeout = httpx2.Timeout(self._timeout, connect=min(CONNECT_S, self._timeout))
        headers: dict[str, Any] = {}
        if self._base_url != DEFAULT_BASE_URL:
            # The client would send what the environment says of the user's account at OpenAI to anyone.
            headers = {"OpenAI-Organization": openai.Omit(), "OpenAI-Project": openai.Omit()}
        return openai.AsyncOpenAI(
            base_url=self._base_url,
            # The client refuses to start without a key, which local servers do not need.
            api_key=self._key or "none",
            admin_api_key="",
            # Retries are counted and recorded in the project's own calls.
            max_retries=0,
            timeout=timeout,
            default_headers=headers,
        )

    async def close(self) -> None:
        """Close the client, if open."""
        if self._client is not None and self._loop is asyncio.get_running_loop():
            await self._client.close()
            if self._lean is not None:
                await self._lean.close()
        self._client = self._lean = None


_OPEN: WeakValueDictionary[tuple[str | None, str, str, float], Connection] = WeakValueDictionary()


def find_connection(base_url: str | None, key: str, transport: str, timeout: float) -> Connection:
    """Return the connection shared by all players with the same address, key, transport and timeout.

    A client's pool looks at every idle connection at every request, so that one pool is better than two half idle.
    """
    # Weak values: a connection goes away with the last player that uses it.
    return _OPEN.setdefault((base_url, key, transport, timeout), Connection(base_url, key, transport, timeout))


def _parse_reply(response: "httpx2.Response | LeanResponse", data: bytearray, kind: type[Kind]) -> Reply[Kind]:
    """Parse and validate a reply of status 200; a reply that is of no use was billed all the same."""
    size, status, tokens = len(data), response.status_code, read_tokens(None, response.headers)
    try:
        streamed = is_stream(response.headers.get("content-type", ""), data)
        document = mend_characters(assemble_document(data)) if streamed else read_document(data)
    except ValueError:
        detail = find_response_fault(status, {}, data.decode(errors="replace")).detail
        raise FaultError(_build_malformed_fault(f"not JSON: {detail}", response), tokens, size) from None
    if isinstance(document, dict):
        tokens = read_tokens(document.get("usage"), response.headers)
    code = find_body_error_status(document)
    if code is not None:
        text = data.decode(errors="replace")
        raise FaultError(find_response_fault(code, response.headers, text), tokens, size)
    try:
        return Reply(kind.model_validate(document), Tokens(), status, size, response.headers)
    except ValidationError as error:
        if (fault := find_reply_fault(document)) is not None:
            raise FaultError(fault, tokens, size) from None
        raise FaultError(_build_malformed_fault(describe_validation_error(error), response), tokens, size) from None


def _parse_origin(address: str) -> tuple[str, str | None, int | None]:
    parts = urlsplit(address)
    try:
        port = parts.port or {"http": 80, "https": 443}.get(parts.scheme)
    except ValueError:
        port = None
    return parts.scheme, parts.hostname, port


def _build_malformed_fault(fault: str, response: "httpx2.Response | LeanResponse") -> RequestFault:
    kind = response.headers.get("content-type", "no content type")
    return RequestFault("malformed", f"{kind}: {fault}", response.status_code)


def _classify_transport_error(error: BaseException) -> RequestFault:
    """Classify a transport error by the class names in its chain of causes, which differ between transports."""
    chain = [error]
    while (cause := _find_cause(chain[-1])) is not None:
        chain.append(cause)
    names = {type(cause).__name__ for cause in chain}
    explanation = next((text for cause in reversed(chain) if (text := str(cause).strip())), "no explanation")
    detail = f"{type(chain[-1]).__name__}: {explanation}"
    if names & _CUT:
        return RequestFault("dropped", detail)
    if names & _NEVER_SENT:
        return RequestFault("unreachable", detail)
    return RequestFault("timeout" if any("Timeout" in name for name in names) else "dropped", detail)


def _find_cause(error: BaseException) -> BaseException | None:
    """Return an error's cause; for a group of errors, as from both addresses of localhost, the first error."""
    if isinstance(error, BaseExceptionGroup):
        return error.exceptions[0]
    return error.__cause__ or error.__context__


def _list_network_errors() -> tuple[type[Exception], ...]:
    """Return the exceptions that clients and transports raise; aiohttp's only if aiohttp is installed."""
    import httpx2
    import openai

    known = (openai.APIError, httpx2.HTTPError, httpx2.StreamError, OSError)
    try:
        import aiohttp
    except ImportError:
        return known
    return (*known, aiohttp.ClientError)
