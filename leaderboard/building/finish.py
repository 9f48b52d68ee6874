"""What happens to the shell's pages after MkDocs: each gets its policy, then the block that was kept out of Markdown.

What our templates write never passes through Markdown, the theme's templates or the search index: MkDocs sees a
``place`` in its stead. Another builder can take over as long as it leaves that element as it is.
"""

import os
import re
from collections.abc import Iterable
from pathlib import Path

from markupsafe import escape

from ircore.errors import WorkError
from ircore.files import write_text
from leaderboard.rendering.policy import with_policy

_CHART = '<figure class="chart"'
"""How a figure begins in a block: a stranger's words cannot look so, since their quotes are escaped."""

_FEEDS = """<link rel="alternate feed" type="application/atom+xml" title="What changed" href="{root}feed.atom">
<link rel="alternate feed" type="application/feed+json" title="What changed" href="{root}feed.json">
</head>"""
"""By which readers of feeds find them from any page. Without a second word beside ``alternate`` Material's script takes
them for the site in other languages and asks for its site map."""

_PLACE = re.compile(r'<div class="irg-place">.*?</div>', re.DOTALL)

ROBOTS = "User-agent: *\nAllow: /\n"
_NOT_FOUND = """<!doctype html>
<html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="robots" content="noindex"><link rel="icon" href="data:,"><title>Not here – Image Reconstruction Game</title>
<style>body{{font:1rem/1.5 system-ui,sans-serif;max-width:36rem;margin:20vh auto;padding:0 1rem}}
@media(prefers-color-scheme:dark){{body{{background:#16181d;color:#e8e8ec}}a{{color:#b7aeff}}}}</style></head>
<body><main><h1>This page is not here</h1>
<p>It may have been renamed, or belong to a pair that is no longer on the board.</p>
{way}</main></body></html>
"""
_WAY = (
    '<p><a href="{address}index.html">To the start</a>, or <a href="{address}boards/index.html">to the board</a>.</p>'
)


def place(title: str, words: str = "") -> str:
    """Return what the builder sees where a block belongs, on one line.

    It has a heading, since the theme writes one of its own into a page without; the search finds its words.

    Args:
        title: The page's title.
        words: What else the search shall find; of our own only.
    """
    return f'<div class="irg-place"><h1>{escape(title)}</h1><p>{escape(words)}</p></div>'


def finish_pages(site: Path, blocks: Path, images: str = "") -> None:
    """Give every page of a built site its policy, the addresses of the feeds, and its block.

    Args:
        site: What the builder made.
        blocks: The blocks, each under its page's path.
        images: Where full-size pictures are fetched from; empty for nowhere.

    Raises:
        WorkError: A page with a block has no place for it.
    """
    for path in sorted(site.rglob("*.html")):
        page = path.read_text(encoding="utf-8")
        block = blocks / path.relative_to(site)
        text = block.read_text(encoding="utf-8") if block.is_file() else None
        page = with_policy(page, images, charts=text is not None and _CHART in text)
        root = "../" * (len(path.relative_to(site).parts) - 1)
        page = page.replace("</head>", _FEEDS.format(root=root), 1)
        if text is not None:
            page, count = _PLACE.subn(lambda _, text=text: text, page, count=1)  # type: ignore[misc]
            if not count:
                raise WorkError(f"{path.relative_to(site)}: no place for its block", "Look at what the builder made.")
        write_text(path, page)


def write_surroundings(site: Path, address: str = "") -> None:
    """Write what a server and a crawler ask for: ``404.html`` and ``robots.txt``; no site map without an address.

    A missing page is asked for at any depth, so that its page cannot refer to anything by a relative way.

    Args:
        site: The site's folder.
        address: Where it will stand, absolute, ending in a slash; empty if that is not known.
    """
    way = _WAY.format(address=address) if address else "<p>Go back, or begin at the site's front page.</p>"
    write_text(site / "404.html", with_policy(_NOT_FOUND.format(way=way)))
    write_text(site / "robots.txt", ROBOTS + (f"Sitemap: {address}sitemap.xml\n" if address else ""))
    if not address:
        for name in ("sitemap.xml", "sitemap.xml.gz"):
            (site / name).unlink(missing_ok=True)


def merge(folder: Path, into: Path) -> None:
    """Move everything below one folder to the same place below another, both on one disk."""
    for path in _files(folder):
        target = into / path.relative_to(folder)
        target.parent.mkdir(parents=True, exist_ok=True)
        path.replace(target)


def _files(folder: Path) -> Iterable[Path]:
    for root, _, names in os.walk(folder):
        yield from (Path(root, name) for name in names)
