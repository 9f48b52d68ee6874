"""Sources for MkDocs: a placeholder for each block, and one page that stands for all others of its folder.

What our templates write never passes through Markdown, the theme's templates or the search index. To the builder, pages
of one folder differ in title and name alone: it makes one of them, and the others are made from that. Pages that the
navigation names or the search finds, in the site's root or the index of a folder, have a shell of their own.
"""

from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import NamedTuple

from markupsafe import escape

from leaderboard.output_folder import write_text
from leaderboard.rendering.render import front_matter
from leaderboard.site import Page

_NAME = "irg-shell"
_TITLE = "irg-shell-title"


def place(title: str, words: str = "") -> str:
    """Return the placeholder of a block in the source for MkDocs, on one line.

    It has a heading, since the theme writes one of its own into a page without; the search finds its words.

    Args:
        title: The page's title.
        words: What else the search shall find; of our own only.
    """
    return f'<div class="irg-place"><h1>{escape(title)}</h1><p>{escape(words)}</p></div>'


def write_sources(pages: Sequence[Page], docs: Path) -> dict[str, str]:
    """Write the sources from which MkDocs builds shells.

    Args:
        pages: All that templates write.
        docs: Where the builder looks for pages.

    Returns:
        Title by path of the pages that have no shell of their own.
    """
    sharing = {}
    for page in pages:
        folder, _, name = page.path.rpartition("/")
        if folder and name != "index":
            sharing[page.path] = page.title
            continue
        words = page.values.get("words")
        searchable_words = words if page.searchable and isinstance(words, str) else ""
        write_text(docs / f"{page.path}.md", _source(page.title, page.searchable, searchable_words))
    for folder in {path.rpartition("/")[0] for path in sharing}:
        write_text(docs / folder / f"{_NAME}.md", _source(_TITLE))
    return sharing


def _source(title: str, searchable: bool = False, words: str = "") -> str:
    return f"{front_matter(title, searchable)}{place(title, words)}\n"


class Shell(NamedTuple):
    """The shell that MkDocs built for a page."""

    path: str
    """Path of the page, without suffix."""

    text: str
    """The shell."""

    changes: tuple[tuple[str, str], ...] = ()
    """Replacements to make in the shell, as pairs of old and new text."""


def read_shells(site: Path, sharing: Mapping[str, str]) -> Iterator[Shell]:
    """Yield the shell of every page.

    Args:
        site: What the builder made; shells that several pages share are removed.
        sharing: As ``write_sources`` returned it.
    """
    for path in sorted(site.rglob("*.html")):
        if path.stem != _NAME:
            yield Shell(path.relative_to(site).with_suffix("").as_posix(), path.read_text(encoding="utf-8"))
    shared: dict[str, str] = {}
    for page, title in sharing.items():
        folder, _, name = page.rpartition("/")
        if folder not in shared:
            file = site / folder / f"{_NAME}.html"
            shared[folder] = file.read_text(encoding="utf-8")
            file.unlink()
        yield Shell(page, shared[folder], ((_TITLE, str(escape(title))), (f"/{_NAME}.html", f"/{name}.html")))
