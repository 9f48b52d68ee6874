"""Finishing the shells after MkDocs: each page gets its policy, then the block that was kept out of Markdown.

Another builder can take over as long as it leaves the place of a block as it is (``leaderboard.building.shells``).
"""

import re
from collections.abc import Mapping, Sequence
from functools import lru_cache, partial
from pathlib import Path
from urllib.parse import quote
from xml.sax.saxutils import escape

from ircore.core.errors import WorkError
from ircore.core.workers import run_shares
from leaderboard.building.shells import Shell, read_shells
from leaderboard.output_folder import write_text
from leaderboard.rendering.policy import with_policy

_CHART = '<figure class="chart"'
"""Beginning of a figure in a block: strangers' words cannot imitate it, since their quotes are escaped."""

_FEEDS = """<link rel="alternate feed" type="application/atom+xml" title="What changed" href="{root}feed.atom">
<link rel="alternate feed" type="application/feed+json" title="What changed" href="{root}feed.json">
</head>"""
"""Links by which feed readers find the feeds from any page. Without a second word beside ``alternate`` Material takes
them for the site in other languages and asks for its site map."""

_MANY = 200
"""Number of pages from which they are finished in several processes."""

_PLACE = re.compile(r'<div class="irg-place">.*?</div>', re.DOTALL)

_SITE_MAP = """<?xml version="1.0" encoding="UTF-8"?>
<urlset xmlns="http://www.sitemaps.org/schemas/sitemap/0.9">
{urls}</urlset>
"""

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


def finish_pages(site: Path, blocks: Path, sharing: Mapping[str, str], images: str = "", notice: str = "") -> None:
    """Add to every page of a built site its policy, the links to the feeds, its block, and the notice of a preview.

    Args:
        site: What the builder made.
        blocks: The blocks, each under its page's path.
        sharing: Title by path of the pages that have no shell of their own.
        images: Where full-size pictures are fetched from; empty for nowhere.
        notice: HTML that stands at the top of every page, ``{root}`` being the way to the site's root; empty for none.

    Raises:
        WorkError: A page with a block has no place for it.
    """
    shells = list(read_shells(site, sharing))
    run_shares(partial(_finish_share, shells, site, blocks, images, notice), len(shells) >= _MANY)


def _finish_share(
    shells: Sequence[Shell], site: Path, blocks: Path, images: str, notice: str, share: int, shares: int
) -> None:
    policed = lru_cache(maxsize=8)(with_policy)
    for path, shell, changes in shells[share::shares]:
        block = blocks / f"{path}.html"
        text = block.read_text(encoding="utf-8") if block.is_file() else None
        page = policed(shell, images, charts=text is not None and _CHART in text)
        for old, new in changes:
            page = page.replace(old, new)
        root = "../" * path.count("/")
        page = page.replace("</head>", _FEEDS.format(root=root), 1)
        if notice:
            page = page.replace("<header", f"{notice.replace('{root}', root)}\n<header", 1)
        if text is not None:
            page, count = _PLACE.subn(lambda _, text=text: text, page, count=1)  # type: ignore[misc]
            if not count:
                raise WorkError(f"{path}.html: no place for its block", "Look at what the builder made.")
        write_text(site / f"{path}.html", page)


def write_surroundings(site: Path, address: str = "") -> None:
    """Write the files for servers and crawlers: ``404.html``, ``robots.txt``, and a site map if the address is known.

    A missing page is asked for at any depth, so that its page cannot refer to anything by a relative way.

    Args:
        site: The site's folder.
        address: Where it will stand, absolute, ending in a slash; empty if that is not known.
    """
    way = _WAY.format(address=address) if address else "<p>Go back, or begin at the site's front page.</p>"
    write_text(site / "404.html", with_policy(_NOT_FOUND.format(way=way)))
    write_text(site / "robots.txt", ROBOTS + (f"Sitemap: {address}sitemap.xml\n" if address else ""))
    # The builder's own site map knows nothing of pages that share a shell.
    (site / "sitemap.xml.gz").unlink(missing_ok=True)
    (site / "sitemap.xml").unlink(missing_ok=True)
    if address:
        pages = sorted(path.relative_to(site).as_posix() for path in site.rglob("*.html") if path.name != "404.html")
        urls = "".join(f"<url><loc>{escape(address + quote(page))}</loc></url>\n" for page in pages)
        write_text(site / "sitemap.xml", _SITE_MAP.format(urls=urls))


def merge(folder: Path, into: Path) -> None:
    """Move all files of a folder to the same paths in another on the same disk; existing files are replaced."""
    for path in folder.iterdir():
        target = into / path.name
        if path.is_dir() and target.is_dir():
            merge(path, target)
        else:
            path.replace(target)
