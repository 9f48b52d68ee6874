"""Checking a built site: links lead somewhere, nothing runs or reaches out, and what is fetched is whole.

Strangers' links may lead to any https address if they are marked ``nofollow ugc``; our own only to ``HOSTS``.
"""

import json
import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from functools import cached_property
from html.parser import HTMLParser
from pathlib import Path
from typing import NamedTuple
from urllib.parse import unquote, urlsplit
from xml.parsers.expat import ExpatError, ParserCreate

from ircore.core.errors import InputError
from ircore.core.images import UNDECODABLE
from leaderboard.gallery.fragments import PAIRS

HOSTS = frozenset(
    {
        "arxiv.org",
        "citation-file-format.github.io",
        "distributed.dask.org",
        "docs.mlcommons.org",
        "doi.org",
        "github.com",
        "huggingface.co",
        "squidfunk.github.io",
        "www.w3.org",
        "creativecommons.org",
    }
)
"""Hosts that pages of our own words may link to."""

_ADDRESSES = frozenset({"href", "src", "data-large", "data-chart", "action", "formaction", "poster", "srcset"})
_FETCHED = frozenset({"script", "img", "iframe", "source", "video", "audio", "embed", "object", "track"})
_PICTURES = frozenset({".webp", ".png", ".jpg", ".jpeg", ".gif"})
_XML = frozenset({".xml", ".atom", ".svg"})
_SEARCHED = (("data/find.json",), ("search/search_index.json", "search.json"))
"""What the search field fetches; of each, either file, by the program that made the shells."""

_HOME = re.compile(r"(?<![\w/.-])(/(home|root|Users|work|tmp|mnt)/[\w.-]+|[A-Z]:\\Users\\)")
_SHELL = "#__"
"""Prefixes of the anchors that the theme's own switches use: they are no links."""


class PageFault(NamedTuple):
    """A fault of a page.

    >>> str(PageFault("pairs/a.html", "two headings of the first level"))
    'pairs/a.html: two headings of the first level'
    """

    page: str
    """Relative to the site."""

    what: str
    """Description of the fault."""

    def __str__(self) -> str:
        """Return both on a line."""
        return f"{self.page}: {self.what}"


@dataclass
class _Page(HTMLParser):
    """The parts of a page that are checked."""

    text: str
    ids: set[str] = field(default_factory=set)
    links: list[tuple[str, str, str]] = field(default_factory=list)
    """Tag, address, rel."""
    faults: list[str] = field(default_factory=list)
    headings: int = 0
    policy: str = ""
    adds_pairs: bool = False
    """Whether a script shows the episodes of further pairs there."""
    searches: bool = False
    """Whether it has the search field."""

    def __post_init__(self) -> None:
        super().__init__(convert_charrefs=True)
        self.feed(self.text)
        self.close()

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        values = {name: value or "" for name, value in attrs}
        self.headings += tag == "h1"
        if "id" in values:
            if values["id"] in self.ids:
                self.faults.append(f"the id {values['id']!r} is there twice")
            self.ids.add(values["id"])
        self.adds_pairs |= "data-shards" in values
        self.searches |= values.get("data-md-component") == "search"
        if tag == "meta" and values.get("http-equiv", "").lower() == "content-security-policy":
            self.policy = values.get("content", "")
        # Either would send the reader, or every relative link of the page, to another address.
        if tag == "base" or (tag == "meta" and values.get("http-equiv", "").lower() == "refresh"):
            self.faults.append(f"a {tag} element that leads elsewhere")
        for name, value in values.items():
            if name.startswith("on"):
                self.faults.append(f"an inline handler {name} on {tag}")
            # A style can fetch an address just as an image does.
            elif name == "style" and "url(" in value.lower():
                self.faults.append(f"a style with an address on {tag}")
            elif value and (name in _ADDRESSES or (name.startswith("data-") and value.endswith(".json"))):
                self.links.append((tag, value, values.get("rel", "")))
        # The card that other sites show beside a link; addresses there are absolute.
        if values.get("property") == "og:image":
            self.links.append((tag, values.get("content", ""), ""))


@dataclass(frozen=True)
class _Site:
    folder: Path
    pages: dict[str, _Page]

    @cached_property
    def files(self) -> frozenset[str]:
        return frozenset(path.relative_to(self.folder).as_posix() for path in self.folder.rglob("*") if path.is_file())

    @cached_property
    def added_pairs(self) -> frozenset[str]:
        """Keys of the pairs whose episodes scripts show; none if their file is missing or damaged."""
        try:
            return frozenset(pair["key"] for pair in json.loads((self.folder / PAIRS).read_bytes())["pairs"])
        except (OSError, ValueError, LookupError, TypeError):
            return frozenset()

    @cached_property
    def own(self) -> str:
        """Address at which the site will stand, from its robots.txt; empty if unknown."""
        robots = self.folder / "robots.txt"
        match = re.search(
            r"^Sitemap: (https://\S+/)sitemap\.xml$", robots.read_text() if robots.is_file() else "", re.M
        )
        return match[1] if match else ""

    def findings(self) -> Iterator[PageFault]:
        for name, page in self.pages.items():
            for fault in (*page.faults, *_check_form(page), *self._find_dead_links(name, page)):
                yield PageFault(name, fault)
        wanted = list(_SEARCHED) if any(page.searches for page in self.pages.values()) else []
        if self.own:
            wanted.append(("sitemap.xml",))
        for names in wanted:
            if self.files.isdisjoint(names):
                yield PageFault(names[0], "missing")
        for name in sorted(self.files):
            # What builds keep for the next one is no part of the site.
            fault = "" if name.startswith(".") else _find_damage(self.folder / name)
            if fault:
                yield PageFault(name, fault)

    def _find_dead_links(self, name: str, page: _Page) -> Iterator[str]:
        for tag, address, rel in page.links:
            if self.own and address.startswith(self.own):
                # Absolute addresses of our own pages are checked as files of this site, which may not be online yet.
                yield from self._check_inner_link("index.html", address.removeprefix(self.own) or "index.html")
                continue
            parts = urlsplit(address)
            if parts.scheme or parts.netloc:
                yield from _check_outer_link(tag, address, rel)
            # The server shows the error page at any depth, so its relative addresses cannot be resolved.
            elif not address.startswith(_SHELL) and name != "404.html":
                yield from self._check_inner_link(name, address)

    def _check_inner_link(self, name: str, address: str) -> Iterator[str]:
        parts = urlsplit(address)
        target = _resolve_path(name, unquote(parts.path))
        if target is None:
            yield f"{address} leads out of the site"
        elif target not in self.files:
            yield f"{address} leads nowhere"
        elif parts.fragment and target in self.pages and not self._has_place(target, unquote(parts.fragment)):
            yield f"{address}: no such place on the page"

    def _has_place(self, target: str, place: str) -> bool:
        """Return whether a page has a place, or its script adds the episode of a pair with this key."""
        page = self.pages[target]
        return place in page.ids or (page.adds_pairs and place.split("~")[0] in self.added_pairs)


def check_site(folder: Path) -> tuple[list[PageFault], int]:
    """Check every page of a built site.

    Args:
        folder: The site.

    Returns:
        Findings, page by page and then file by file, each once, and the number of pages.

    Raises:
        InputError: There is no site in the folder.
    """
    if not (folder / "index.html").is_file():
        raise InputError(f"{folder}: no site here (no index.html)", "Build one: ircore site build …")
    paths = sorted(folder.rglob("*.html"))
    pages = {path.relative_to(folder).as_posix(): _Page(path.read_text(encoding="utf-8")) for path in paths}
    return list(dict.fromkeys(_Site(folder, pages).findings())), len(pages)


def _find_damage(path: Path) -> str:
    """Return why a file of data, a feed or a picture cannot be read; empty if it can, or is of another kind."""
    try:
        if path.suffix == ".json":
            json.loads(path.read_bytes())
        elif path.suffix in _XML:
            ParserCreate().Parse(path.read_bytes(), True)
        elif path.suffix in _PICTURES:
            from PIL import Image

            with Image.open(path) as image:
                image.load()
    except (ExpatError, *UNDECODABLE):
        return "cut off or damaged" if path.stat().st_size else "empty"
    return ""


def _check_form(page: _Page) -> Iterator[str]:
    if page.headings != 1:
        yield f"{page.headings} headings of the first level, not one"
    if "script-src 'self'" not in page.policy or "default-src 'none'" not in page.policy:
        yield "no content security policy"
    # Our own inline scripts stand in the policy by their hashes and need no such word.
    elif re.search(r"script-src[^;]*'unsafe-", page.policy):
        yield "a policy that lets inline scripts run"
    match = _HOME.search(page.text)
    if match:
        yield f"a path of the machine that built it: {match[0]}"


def _check_outer_link(tag: str, address: str, rel: str) -> Iterator[str]:
    parts = urlsplit(address)
    if tag in _FETCHED and parts.scheme != "data":
        yield f"{address[:80]} is fetched from elsewhere by {tag}"
    elif parts.scheme not in {"https", "data"}:
        yield f"{address[:80]} is no https address"
    elif (
        parts.scheme == "https"
        and tag == "a"
        and not {"nofollow", "ugc"} <= set(rel.split())
        and parts.hostname not in HOSTS
    ):
        yield f"{address[:80]} leads to a host that is not on the list, and is not marked nofollow ugc"


def _resolve_path(page: str, path: str) -> str | None:
    """Return the file that a relative address on a page names; None if it is outside of the site."""
    if not path:
        return page
    parts = [] if path.startswith("/") else page.split("/")[:-1]
    for part in path.split("/"):
        if part == "..":
            # More ".." than folders: a browser stays at the root of a host, but on a disk this leaves the site.
            if not parts:
                return None
            parts.pop()
        elif part not in ("", "."):
            parts.append(part)
    return "/".join([*parts, "index.html"] if path.endswith(("/", ".")) else parts)
