"""Shells for the pages that templates write: MkDocs builds one for each page that readers search or navigate to.

The HTML of these pages never passes through Markdown, the theme's templates or the search index. Pages of one folder
differ in title and name alone, so that MkDocs builds one shell for them, whose title and name are slots too. Pages in
the site's root and the index of a folder have a shell of their own.
"""

from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple

from markupsafe import escape

from leaderboard.building.menus import Menu, add_front_matter
from leaderboard.components.markup import macro
from leaderboard.model.site import Page
from leaderboard.pages.figures import ALONE
from leaderboard.rendering.render import render_block
from leaderboard.rendering.shell import NAME, TITLE, Shell
from leaderboard.storage.output_folder import write_text


class PageShell(NamedTuple):
    """The shell that MkDocs built for a page."""

    path: str
    """Path of the page, without suffix."""

    shell: Shell
    """The shell."""

    title: str = ""
    """Title for the slot of a shell that several pages share; empty for other shells."""


def has_own_shell(page: Page) -> bool:
    """Return whether MkDocs builds a shell for a page alone: in the site's root, or the index of a folder.

    Example:
        >>> has_own_shell(Page("pairs/index", "Pairs", "pairs")), has_own_shell(Page("pairs/ours", "Ours", "pair"))
        (True, False)
    """
    folder, _, name = page.path.rpartition("/")
    return page.template != ALONE and (not folder or name == "index")


def write_sources(pages: Sequence[Page], docs: Path, menu: Menu) -> dict[str, str]:
    """Write the sources from which MkDocs builds shells.

    Args:
        pages: Pages that templates write.
        docs: Folder where MkDocs looks for pages.
        menu: Menu of the site.

    Returns:
        Title by path of the pages that have no shell of their own.
    """
    sharing = {}
    for page in pages:
        if page.template == ALONE:
            continue
        if not has_own_shell(page):
            sharing[page.path] = page.title
            continue
        words = page.values.get("words")
        search_words = words if page.searchable and isinstance(words, str) else ""
        write_text(
            docs / f"{page.path}.md", _build_source(page.title, menu.place(page.path), page.searchable, search_words)
        )
    for folder in {path.rpartition("/")[0] for path in sharing}:
        write_text(docs / folder / f"{NAME}.md", _build_source(TITLE, menu.place(f"{folder}/{NAME}")))
    return sharing


def _build_source(title: str, place: Mapping[str, Any], searchable: bool = False, words: str = "") -> str:
    """Return the source of a shell: settings for the theme, and a body that only the search reads.

    Args:
        title: Title of the page.
        place: Place of the page in the menu.
        searchable: Whether the search finds the page.
        words: Further words that the search finds.
    """
    # The theme does not escape titles.
    settings = {"title": str(escape(title)), "hide": ["navigation", "toc"], "rendered": True, "place": place}
    if not searchable:
        settings["search"] = {"exclude": True}
    return add_front_matter(macro("searched_words")(title, words), settings)


def write_alone_shells(pages: Sequence[Page], site: Path) -> None:
    """Write the shells of the pages that hold one figure and nothing of the theme.

    Args:
        pages: Pages that templates write; only pages of single figures are taken.
        site: Output of MkDocs.
    """
    for page in pages:
        if page.template == ALONE:
            write_text(
                site / f"{page.path}.html", render_block(f"{ALONE}_shell", {"title": page.title, "root": page.root})
            )


def read_shells(site: Path, sharing: Mapping[str, str]) -> Iterator[PageShell]:
    """Yield the shell of every page.

    Args:
        site: Output of MkDocs; shells that several pages share are removed.
        sharing: As ``write_sources`` returned it.
    """
    for path in sorted(site.rglob("*.html")):
        if path.stem != NAME:
            yield PageShell(path.relative_to(site).with_suffix("").as_posix(), Shell(path.read_text(encoding="utf-8")))
    shared: dict[str, Shell] = {}
    for page, title in sharing.items():
        folder = page.rpartition("/")[0]
        if folder not in shared:
            file = site / folder / f"{NAME}.html"
            shared[folder] = Shell(file.read_text(encoding="utf-8"))
            file.unlink()
        yield PageShell(page, shared[folder], title)
