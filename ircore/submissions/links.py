"""Whether the links of submissions still lead somewhere."""

import re
from collections.abc import Iterable
from concurrent.futures import ThreadPoolExecutor
from http.client import HTTPException
from socket import gaierror
from time import sleep
from typing import NamedTuple
from urllib.error import HTTPError, URLError
from urllib.request import Request, build_opener

from ircore import __version__
from ircore.players.submission import LoadedSubmission
from ircore.submissions.rescoring.fetch import SafeRedirects, endpoint, is_safe

SECONDS = 20.0
WAIT = 5.0
"""Seconds before a link that failed is asked for once more: a stumble is no dead link."""

AT_ONCE = 8
# 999 is what LinkedIn answers.
_REFUSES_PROGRAMS = {403, 405, 406, 429, 999}
"""Answers of sites that are there and do not serve programs."""

_UNSAFE = "not https at a public host with a name"
"""Problem of a link that is never asked for, so that waiting cannot help."""


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
        place = f"{endpoint()}/api/datasets/{reference.repo}/tree/{reference.revision}/{reference.run}"
        links.append(Link(loaded.slug, "transcripts", place))
    return links


def find_dead_links(links: Iterable[Link]) -> list[DeadLink]:
    """Ask for every link; nothing is sent but the request, and no more than the head of the answer is read.

    Args:
        links: The links.

    Returns:
        The links that lead nowhere, in the order given. A site that refuses programs counts as being there.
    """
    with ThreadPoolExecutor(AT_ONCE) as pool:
        return [dead for dead in pool.map(_ask_twice, links) if dead is not None]


def _ask_twice(link: Link) -> DeadLink | None:
    dead = _ask_link(link)
    if dead is None or dead.problem == _UNSAFE:
        return dead
    sleep(WAIT)
    return _ask_link(link)


def _ask_link(link: Link) -> DeadLink | None:
    base = endpoint()
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
