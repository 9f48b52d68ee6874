"""Shells of pages: the slots left open by MkDocs and stand-alone templates, and every page's policy.

A shell names its slots ``irg_slot_NAME``. They are filled in one pass, so that nothing in what is put in is taken for a
slot, and the policy is worked out from the shell before strangers' words are in it.
"""

import base64
import hashlib
import re
from collections.abc import Iterable
from functools import lru_cache
from html import unescape
from html.parser import HTMLParser
from string import Template
from urllib.parse import urlsplit

from markupsafe import escape

from ircore.core.errors import InputError

SLOT = "irg_slot_"
"""Beginning of the name of every slot, in ``overrides/main.html`` and in templates of stand-alone pages."""

NAME = f"{SLOT}name"
"""File name, without suffix, of a shell that the pages of a folder share: its own address has the slot in it."""

TITLE = f"{SLOT}title"
"""Title of such a shell."""


class Shell(Template):
    """A page with empty slots for its policy, notice and HTML.

    >>> shell = Shell("<title>irg_slot_title</title><main>irg_slot_content</main>")
    >>> shell.filled("<p>irg_slot_title</p>", title="A & B")
    '<title>A &amp; B</title><main><p>irg_slot_title</p></main>'
    """

    delimiter = SLOT
    idpattern = "policy|title|name|notice|content|description|card"
    # By default case is ignored, which takes twenty times as long.
    flags = re.NOFLAG

    @property
    def takes_content(self) -> bool:
        """Whether the shell has a place for the HTML of a page."""
        return f"{SLOT}content" in self.template

    @property
    def title(self) -> str:
        """Title of the shell's own page; a slot where pages share the shell."""
        written = re.search(r"<title>(.*?)</title>", self.template)
        return unescape(written[1]) if written else ""

    def filled(
        self,
        content: str = "",
        title: str = "",
        name: str = "",
        notice: str = "",
        images: str = "",
        charts: bool = False,
        description: str = "",
        card: str = "",
    ) -> str:
        """Return the whole page.

        Args:
            content: HTML of the page, escaped.
            title: Title of the page, as text.
            name: File name of the page, without suffix.
            notice: HTML that stands at the top; empty for none.
            images: Address that full-size pictures are fetched from, ``https://HOST/…``; empty for none.
            charts: Whether Plotly draws on the page.
            description: Description of the page, as text.
            card: HTML of the tags by which other sites show a link to the page; empty for none.

        Raises:
            InputError: ``images`` is no https address.
        """
        policy = build_content_policy(self.template, images, charts)
        parts = {"policy": policy, "title": str(escape(title)), "name": name, "notice": notice, "content": content}
        parts["description"] = str(escape(description))
        parts["card"] = card
        # A str, although what is put in may be Markup, which would escape the rest of the page.
        return self.substitute({slot: str(part) for slot, part in parts.items()})


_ELEMENT = re.compile(r"<(script|style)\b.*?</\1\s*>", re.DOTALL | re.IGNORECASE)
"""Where a script or a style stands in a page."""


class _Inline(HTMLParser):
    """Scripts and styles that stand in a page itself, and would run or apply."""

    def __init__(self, html: str) -> None:
        super().__init__(convert_charrefs=False)
        self.scripts: list[str] = []
        self.styles: list[str] = []
        self._open: list[str] | None = None
        # Parsing whole pages takes longer than building them: the rest of a page cannot hold a script or a style.
        for element in _ELEMENT.finditer(html):
            self.feed(element[0])
        self.close()

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        values = dict(attrs)
        if tag == "style":
            self._open = self.styles
        # Data blocks such as JSON-LD never run, so the policy need not name them.
        elif tag == "script" and "src" not in values and not _is_data(values.get("type") or ""):
            self._open = self.scripts
        if self._open is not None:
            self._open.append("")

    def handle_endtag(self, tag: str) -> None:
        if tag in ("script", "style"):
            self._open = None

    def handle_data(self, data: str) -> None:
        if self._open is not None:
            self._open[-1] += data


def _is_data(kind: str) -> bool:
    """Return whether a script of this type is data that no browser runs."""
    return kind in ("application/json", "application/ld+json")


@lru_cache(maxsize=256)
def build_content_policy(shell: str, images: str = "", charts: bool = False) -> str:
    """Return the content security policy of a page.

    Nothing inline runs but the scripts of the shell; nothing is evaluated; nothing comes from elsewhere but pictures,
    and these from one place only. Style attributes are allowed where figures stand and nowhere else: Plotly adds its
    rules to an empty style element and sets style attributes on what it draws. ``leaderboard.building.site_check``
    refuses a page of ours that has any with an address.

    Args:
        shell: The page without its content.
        images: As for ``Shell.filled``.
        charts: As for ``Shell.filled``.

    Raises:
        InputError: ``images`` is no https address.
    """
    inline = _Inline(shell)
    rules = {
        "default-src": "'none'",
        "script-src": _join_sources("'self'", *_hash_texts(inline.scripts)),
        # The hash of the empty text allows the empty style element that Plotly adds rules to.
        "style-src": _join_sources("'self'", *_hash_texts([*[""] * charts, *inline.styles])),
        "style-src-attr": "'unsafe-inline'" if charts else "'none'",
        "img-src": _join_sources("'self'", "data:", *_parse_origin(images)),
        "connect-src": _join_sources("'self'", *_parse_origin(images)),
        "font-src": "'self'",
        "manifest-src": "'self'",
        "worker-src": "'self'",
        "base-uri": "'none'",
        "form-action": "'none'",
    }
    return "; ".join(f"{name} {value}" for name, value in rules.items())


def _hash_texts(texts: Iterable[str]) -> list[str]:
    # Sorted, so that the same page always has the same policy.
    digests = {base64.b64encode(hashlib.sha256(text.encode()).digest()).decode() for text in texts}
    return [f"'sha256-{digest}'" for digest in sorted(digests)]


def _parse_origin(address: str) -> list[str]:
    if not address:
        return []
    parts = urlsplit(address)
    # A blank or semicolon in the host would add words of its own to the policy.
    if parts.scheme != "https" or not re.fullmatch(r"[A-Za-z0-9.-]+(:\d+)?", parts.netloc):
        raise InputError(f"{address}: not a web address for pictures", "Give one that begins with https://HOST/")
    return [f"https://{parts.netloc}"]


def _join_sources(*sources: str) -> str:
    return " ".join(sources)
