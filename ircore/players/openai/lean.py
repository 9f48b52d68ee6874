"""Sends the requests of the package ``openai`` straight over aiohttp.

The client decides what is sent: address, headers and key are its own, and a test holds every request to the bytes that
the client sends. Only the way to the socket is shorter: the client's own layers take more processor time a request
than everything else that playing does.
"""

from collections.abc import AsyncIterator, Mapping
from functools import cache
from typing import TYPE_CHECKING, Any

from ircore.core.images import Picture
from ircore.players.openai.bodies import FormBody, JsonBody, media_type

if TYPE_CHECKING:
    import ssl

    import aiohttp
    from openai import AsyncOpenAI

CONNECTIONS = 1000
"""Most connections to a service at a time, as in the client."""

FieldValue = str | int | float | bool


class LeanResponse:
    """A reply whose body is still to be read, with the names that ``httpx`` uses.

    >>> from types import SimpleNamespace
    >>> LeanResponse(SimpleNamespace(status=429, headers={"Retry-After": "2"})).status_code
    429
    """

    def __init__(self, response: "aiohttp.ClientResponse") -> None:
        self._response = response
        self.status_code = response.status
        self.headers: Mapping[str, str] = response.headers

    async def aiter_bytes(self) -> AsyncIterator[bytes]:
        """Yield the body, decompressed, as it arrives."""
        async for piece in self._response.content.iter_any():
            yield piece

    async def aclose(self) -> None:
        """Give the connection back, or close it if the body was not read to its end."""
        self._response.release()


class LeanClient:
    """Sends requests as a client of ``openai`` would.

    >>> import asyncio, openai
    >>> async def to_nobody() -> str:
    ...     client = LeanClient(openai.AsyncOpenAI(api_key="k", base_url="http://127.0.0.1:1/v1"), timeout=5, connect=5)
    ...     try:
    ...         await client.post("/chat/completions", JsonBody({"model": "m"}))
    ...     except OSError as error:
    ...         return type(error).__name__
    ...     finally:
    ...         await client.close()
    >>> asyncio.run(to_nobody())
    'ClientConnectorError'

    Args:
        client: Knows address, headers and key.
        timeout: Seconds between two bytes.
        connect: Seconds until a connection must stand.
    """

    def __init__(self, client: "AsyncOpenAI", timeout: float, connect: float) -> None:
        import aiohttp

        self._base_url = str(client.base_url).rstrip("/")
        headers = {**client.default_headers, **client.auth_headers, "X-Stainless-Retry-Count": "0"}
        # What the client leaves out on purpose is no string.
        self._headers = {name: value for name, value in headers.items() if isinstance(value, str)}
        self._headers["X-Stainless-Read-Timeout"] = str(timeout)
        self._session = aiohttp.ClientSession(
            connector=aiohttp.TCPConnector(limit=CONNECTIONS, ssl=_certificates()),
            timeout=aiohttp.ClientTimeout(total=None, sock_connect=connect, sock_read=timeout),
            cookie_jar=aiohttp.DummyCookieJar(),
            # By itself aiohttp reads environment and .netrc again for each request, and refuses a key beside .netrc's.
            # Where the environment names proxies, the client's own way is taken (``chosen_transport``).
            trust_env=False,
        )

    async def post(self, path: str, body: JsonBody | FormBody) -> LeanResponse:
        """Send a request; a redirect is not followed."""
        if isinstance(body, JsonBody):
            headers = {**self._headers, "Content-Type": "application/json", "Content-Length": str(body.length)}
            data: Any = body
        else:
            # aiohttp writes the type of a form itself, with the boundary between its fields.
            headers = {name: value for name, value in self._headers.items() if name.lower() != "content-type"}
            data = _form(body)
        sent = self._session.post(f"{self._base_url}{path}", data=data, headers=headers, allow_redirects=False)
        return LeanResponse(await sent)

    async def get(self, url: str) -> LeanResponse:
        """Ask for the file at an address of the service; a redirect is not followed."""
        headers = {name: value for name, value in self._headers.items() if name.lower() != "content-type"}
        return LeanResponse(await self._session.get(url, headers=headers, allow_redirects=False))

    async def close(self) -> None:
        """Close all connections."""
        await self._session.close()


@cache
def _certificates() -> "ssl.SSLContext":
    """Return the certificates that the client trusts; making them takes some milliseconds."""
    import httpx2

    return httpx2.create_ssl_context()


def can_send(body: JsonBody | FormBody) -> bool:
    """Return whether a request is simple enough: the client alone knows how it writes nested fields into a form."""
    return isinstance(body, JsonBody) or all(isinstance(value, FieldValue) for value in body.fields.values())


def _form(body: FormBody) -> "aiohttp.FormData":
    import aiohttp

    form = aiohttp.FormData()
    for name, value in body.fields.items():
        form.add_field(name, str(value).lower() if isinstance(value, bool) else str(value))
    for name, (filename, data, kind) in picture_files(body.pictures):
        form.add_field(name, data, filename=filename, content_type=kind)
    return form


def picture_files(pictures: tuple[Picture, ...]) -> list[tuple[str, tuple[str, bytes, str]]]:
    """Return the files of a form: ``image``, or ``image[]`` for each of several."""
    # The client's own names for one picture and for several.
    name = "image" if len(pictures) == 1 else "image[]"
    kinds = [(picture.data, media_type(picture.data)) for picture in pictures]
    return [(name, (f"picture.{kind.removeprefix('image/')}", data, kind)) for data, kind in kinds]
