"""Asking addresses that strangers name: packed transcripts are fetched, links of submissions are tried.

Transcripts lie in a dataset repository of a stranger: a pinned commit, bounded in size and time. Plain HTTPS and no
token: the repository must be public, and nothing of ours is sent to it. The names and sizes that the listing states are
checked before the first file is asked for, and no file may be longer than it was listed. ``HF_ENDPOINT`` names another
server than huggingface.co: by https, or by http on loopback.
"""

import json
import os
import re
from collections.abc import Iterable, Iterator
from concurrent.futures import ThreadPoolExecutor
from email.message import Message
from http.client import HTTPException, HTTPMessage, HTTPResponse
from pathlib import Path
from socket import gaierror
from time import monotonic, sleep
from typing import IO, Any, NamedTuple
from urllib.error import HTTPError, URLError
from urllib.parse import quote, urljoin, urlsplit
from urllib.request import HTTPRedirectHandler, OpenerDirector, Request, build_opener

from ircore import __version__
from ircore.core.errors import InputError, WorkError
from ircore.core.files import write_bytes
from ircore.core.records import LOOPBACK
from ircore.core.submission_records import TranscriptsReference
from ircore.core.terminal import show_progress
from ircore.players.submission import LoadedSubmission
from ircore.submissions.rescoring.packed_transcripts import MAX_FILES, REMEDY, TranscriptError, check_listing
from ircore.submissions.services import explain_internal_host, is_repository

HUB = "https://huggingface.co"
AT_ONCE = 4
WAITS = (1.0, 4.0, 16.0)
"""Seconds to wait before a request that failed for a while is made again."""

LONGEST_WAIT = 60.0
SILENCE = 30.0
"""Seconds without a byte after which a request has failed."""

PAGE = 1000
"""Entries of a listing that are asked for at once."""

MAX_PAGE_BYTES = 16 * 1024**2
_NEXT = re.compile(r'<([^>]+)>\s*;\s*rel="next"')
_BLOCK = 256 * 1024

SECONDS = 20.0
WAIT = 5.0
"""Seconds before a link that failed is asked for once more: a stumble is no dead link."""

LINKS_AT_ONCE = 8

# 999 is what LinkedIn answers.
_REFUSES_PROGRAMS = {403, 405, 406, 429, 999}
"""Answers of sites that are there and do not serve programs."""

_UNSAFE = "not https at a public host with a name"
"""Problem of a link that is never asked for, so that waiting cannot help."""


def fetch(reference: TranscriptsReference, out: Path, deadline: float) -> Path:
    """Fetch the packed transcripts of a run.

    Args:
        reference: Repository, commit and run.
        out: A folder to fill.
        deadline: Seconds that all of it may take.

    Returns:
        The folder with ``pack.json``; its files have the names and sizes of packed transcripts, their content is not
        checked yet.

    Raises:
        TranscriptError: There is no such repository, commit or run, or it holds what has no place there.
        WorkError: The Hub cannot be reached, or the deadline is over.
    """
    check_repository(reference.repo, "transcripts.repo")
    hub = Hub(read_endpoint(), monotonic() + deadline)
    sizes = dict(list_files(hub, reference))
    check_listing(sizes, f"{reference.repo}/{reference.run}")
    folder = out / reference.run

    def bring(path: str) -> None:
        address = f"/datasets/{reference.repo}/resolve/{reference.revision}/{quote(f'{reference.run}/{path}')}"
        write_bytes(folder / path, hub.get(address, sizes[path], path))

    # The small ones first: if they are not what they must be, the pictures need not be fetched.
    with show_progress("fetch", len(sizes)) as shown, ThreadPoolExecutor(AT_ONCE) as pool:
        try:
            for _ in pool.map(bring, sorted(sizes, key=lambda path: (path.startswith("renderings/"), path))):
                shown.advance("")
        except BaseException:  # Ctrl-C too: leaving the pool would wait for all that is still queued
            pool.shutdown(cancel_futures=True)
            raise
    return folder


def check_repository(name: str, where: str) -> None:
    """Check that something can be the name of a repository.

    Args:
        name: The name as the user gave it.
        where: Field or option of the name, for error messages.

    Raises:
        InputError: It cannot.
    """
    if not is_repository(name):
        raise InputError(f"{where}: {name!a} is no name of a dataset", "Give it as ORG/NAME.")


def read_endpoint() -> str:
    """Return the address of the Hub.

    Raises:
        InputError: ``HF_ENDPOINT`` is neither https nor http on loopback.
    """
    address = os.environ.get("HF_ENDPOINT", "").rstrip("/") or HUB
    if not is_safe(address, address):
        raise InputError(f"HF_ENDPOINT: {address!a} is not https", "Unset it to use the Hugging Face Hub.")
    return address


def is_safe(address: str, base: str) -> bool:
    """Say whether an address may be asked for: https at a host with a public name, or http on loopback.

    Args:
        address: The address.
        base: Address of the server that named it; only a server on loopback may name an address on loopback.
    """
    parts, home = urlsplit(address), urlsplit(base).hostname
    host = (parts.hostname or "").rstrip(".")
    if parts.username is not None:
        return False
    if parts.scheme == "http":
        return host in LOOPBACK and home in LOOPBACK
    # Digits at the end make an IP address, in whatever spelling.
    named = "." in host and host.rpartition(".")[2][:1].isalpha()
    # The user's own HF_ENDPOINT may lie inside a network; nothing that a stranger names may.
    return parts.scheme == "https" and named and (host == home or explain_internal_host(host) is None)


def list_files(hub: "Hub", reference: TranscriptsReference) -> Iterator[tuple[str, int]]:
    """Yield path and size of every file of the run, page by page.

    Raises:
        TranscriptError: There is no such repository, commit or run, or it holds what is no plain file.
        WorkError: The Hub cannot be reached, or answers what cannot be read.
    """
    address = (
        f"/api/datasets/{reference.repo}/tree/{reference.revision}/{quote(reference.run)}?recursive=true&limit={PAGE}"
    )
    where, count = f"{reference.repo} at {reference.revision[:12]}", 0
    while address:
        page = hub.open(address, where)
        with page:
            data = page.read(MAX_PAGE_BYTES + 1)
            following = _NEXT.search(page.headers.get("Link", ""))
        for path, size in _parse_entries(data, where):
            count += 1
            if count > MAX_FILES:
                raise TranscriptError(f"{where}: more than {MAX_FILES:,} files in {reference.run}", REMEDY)
            yield path.removeprefix(f"{reference.run}/"), size
        address = following[1] if following else ""


class SafeRedirects(HTTPRedirectHandler):
    """Follows redirects to safe addresses only, such as the Hub's redirects to its storage of large files.

    Args:
        base: The address that was asked for first.

    >>> request = Request("https://huggingface.co/file")
    >>> leads_inside = "http://169.254.169.254/latest"
    >>> SafeRedirects(HUB).redirect_request(request, None, 302, "Found", None, leads_inside)
    Traceback (most recent call last):
    urllib.error.URLError: <urlopen error led to http://169.254.169.254, which is not followed>
    """

    # The Hub redirects once or twice; urllib would follow ten.
    max_redirections = 5

    def __init__(self, base: str) -> None:
        self._base = base

    def redirect_request(
        self, req: Request, fp: IO[bytes], code: int, msg: str, headers: HTTPMessage, newurl: str
    ) -> Request | None:
        """Return the request that follows a redirect; URLError for an unsafe address."""
        if not is_safe(newurl, self._base):
            raise URLError(f"led to {urlsplit(newurl).scheme}://{urlsplit(newurl).hostname}, which is not followed")
        return super().redirect_request(req, fp, code, msg, headers, newurl)


class Hub:
    """Sends requests to the Hub, repeated after temporary failures, until a deadline.

    Args:
        base: Address of the Hub.
        until: When to give up, by ``monotonic``.

    >>> Hub(HUB, until=monotonic()).open("/api/datasets/org/name", "org/name")
    Traceback (most recent call last):
    ircore.core.errors.WorkError: fetching the transcripts takes too long
    Give more time with --deadline.
    """

    def __init__(self, base: str, until: float) -> None:
        self._base, self._until = base, until
        self._opener: OpenerDirector = build_opener(SafeRedirects(base))

    def get(self, address: str, size: int, name: str) -> bytes:
        """Return the content of a file that was listed with a size."""
        last: WorkError | None = None
        for wait in (0.0, *WAITS):
            self._rest(wait)
            with self.open(address, name) as answer:
                try:
                    data = self._read(answer, size)
                except (OSError, HTTPException) as error:
                    last = WorkError(f"{name}: the connection failed ({type(error).__name__})", "Try again later.")
                    continue
            # Another size is no failed connection, so it is not asked for again.
            if len(data) != size:
                raise TranscriptError(f"{name}: the Hub listed {size:,} bytes and sends another number", REMEDY)
            return data
        raise last or WorkError(f"{name}: the connection failed", "Try again later.")

    def open(self, address: str, name: str) -> HTTPResponse:
        """Ask for an address below the Hub's own."""
        try:
            # The address of a further page is the server's word, and must not lead to another server.
            address = urljoin(f"{self._base}/", address)
            below = urlsplit(address).netloc == urlsplit(self._base).netloc and is_safe(address, self._base)
        except ValueError:
            below = False
        if not below:
            raise WorkError(f"{name}: the Hub leads to {address[:200]!a}", "Try again later.")
        last = ""
        for wait in (0.0, *WAITS):
            # A wait past the deadline would hide the reason behind the message about time.
            if last and self._until - monotonic() <= wait:
                break
            self._rest(wait)
            try:
                request = Request(address, headers={"User-Agent": f"ircore/{__version__}"})  # noqa: S310 - checked above
                answer: Any = self._opener.open(request, timeout=self._left())
                return answer  # type: ignore[no-any-return]
            except HTTPError as error:
                last = f"the Hub answers {error.code}"
                # Other refusals of the server would be the same a second later.
                if error.code != 429 and error.code < 500:
                    raise _build_refusal(error.code, name) from error
                self._rest(_parse_wait(error.headers))
            except (URLError, OSError, HTTPException, ValueError) as error:  # ValueError: a redirect to no address
                last = f"the Hub {_describe_failure(error)}"
        raise WorkError(f"{name}: {last[:200]}", "Check the network, or try again later.")

    def _read(self, answer: HTTPResponse, size: int) -> bytes:
        """Read at most a byte more than the listed size, which shows a file that is too long."""
        parts: list[bytes] = []
        left = size + 1
        while left and (part := answer.read(min(_BLOCK, left))):
            parts.append(part)
            # A byte now and then passes every time-out of a socket, so the deadline is asked after each part.
            left -= len(part)
            self._left()
        return b"".join(parts)

    def _rest(self, seconds: float) -> None:
        if seconds:
            sleep(min(seconds, LONGEST_WAIT, self._left()))

    def _left(self) -> float:
        """Return how long a request may be silent now."""
        left = self._until - monotonic()
        if left <= 0:
            raise WorkError("fetching the transcripts takes too long", "Give more time with --deadline.")
        return min(left, SILENCE)


class Link(NamedTuple):
    """A link of a submission."""

    slug: str
    """Name of the submission's folder."""

    field: str
    """The field of the manifest, such as ``links.code``."""

    address: str
    """The address that it leads to."""


class DeadLink(NamedTuple):
    """A link that leads nowhere.

    >>> find_dead_links([Link("my-pair", "links.code", "ftp://example.org")])[0].problem
    'not https at a public host with a name'
    """

    link: Link
    """The link."""

    problem: str
    """Reason in a few words."""


def list_links(loaded: LoadedSubmission) -> list[Link]:
    """Return the links of a submission; the link of transcripts leads to the listing of the pinned commit."""
    links = [Link(loaded.slug, f"links.{name}", link) for name, link in loaded.submission.links.items()]
    if (reference := loaded.submission.transcripts) is not None:
        # The listing, because it answers only while commit and run are there.
        place = f"{read_endpoint()}/api/datasets/{reference.repo}/tree/{reference.revision}/{reference.run}"
        links.append(Link(loaded.slug, "transcripts", place))
    return links


def find_dead_links(links: Iterable[Link]) -> list[DeadLink]:
    """Ask for every link; nothing is sent but the request, and no more than the head of the answer is read.

    Args:
        links: The links.

    Returns:
        The links that lead nowhere, in the order given. A site that refuses programs counts as being there.
    """
    with ThreadPoolExecutor(LINKS_AT_ONCE) as pool:
        return [dead for dead in pool.map(_ask_twice, links) if dead is not None]


def _parse_entries(data: bytes, where: str) -> Iterator[tuple[str, int]]:
    try:
        entries = json.loads(data) if len(data) <= MAX_PAGE_BYTES else None
    except (ValueError, RecursionError):
        entries = None
    if not isinstance(entries, list):
        raise WorkError(f"{where}: the Hub's listing cannot be read", "Try again later.")
    for entry in entries:
        kind, path, size = (
            (entry.get(key) for key in ("type", "path", "size")) if isinstance(entry, dict) else (0, 0, 0)
        )
        if kind == "directory":
            continue
        if kind != "file" or not isinstance(path, str) or not isinstance(size, int) or size < 0:
            raise TranscriptError(f"{where}: {str(path)[:200]!a} is no plain file", REMEDY)
        yield path, size


def _describe_failure(error: Exception) -> str:
    """Say in a few words why there was no answer."""
    reason = error.reason if isinstance(error, URLError) else error
    if isinstance(reason, str):
        return reason  # of a redirect
    message = reason.strerror if isinstance(reason, OSError) else None
    return f"cannot be reached ({message or type(reason).__name__})"


def _build_refusal(status: int, name: str) -> InputError:
    if status in (401, 403, 404):
        return TranscriptError(
            f"{name}: no such public dataset, commit, run or file on the Hub ({status})",
            "Check transcripts in submission.yaml; the repository must be public.",
        )
    return WorkError(f"{name}: the Hub refuses: {status}", "Try again later.")


def _parse_wait(headers: "Message[str, str]") -> float:
    retry_after = headers.get("Retry-After", "")
    # The header may also hold a date; more than five digits are no serious number of seconds.
    return float(retry_after) if retry_after.isdecimal() and len(retry_after) < 6 else 0.0


def _ask_twice(link: Link) -> DeadLink | None:
    dead = _ask_link(link)
    if dead is None or dead.problem == _UNSAFE:
        return dead
    sleep(WAIT)
    return _ask_link(link)


def _ask_link(link: Link) -> DeadLink | None:
    base = read_endpoint()
    try:
        if not is_safe(link.address, base):
            return DeadLink(link, _UNSAFE)
        request = Request(link.address, headers={"User-Agent": f"ircore/{__version__}"})  # noqa: S310 - checked above
        # Redirects are followed by the same rule, because a public address may lead into a network.
        with build_opener(SafeRedirects(base)).open(request, timeout=SECONDS):
            return None
    except HTTPError as error:
        return None if error.code in _REFUSES_PROGRAMS else DeadLink(link, f"answers {error.code}")
    except (URLError, OSError, HTTPException, ValueError) as error:
        reason = str(error.reason) if isinstance(error, URLError) else type(error).__name__
        if isinstance(error, URLError) and isinstance(error.reason, gaierror):
            reason = "no such host"
        return DeadLink(link, re.sub(r"\s+", " ", reason)[:200])
