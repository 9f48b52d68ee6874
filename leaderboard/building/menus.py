"""Menus of the site: its tabs, and the place of each page in them.

The place of a page is written into its front matter, because themes differ in what they know of the navigation, and
none of them knows where pages belong that the navigation does not name: those of single pairs, players and targets.
"""

import json
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import yaml

_GAMES_AFTER = "Gallery"
"""Tab behind which the tab of the other games stands."""

_LISTED_BY = {"describers": "pairs", "generators": "pairs", "strips": "gallery"}
"""Folders without an index of their own, and the folder whose index lists their pages."""

_FENCE = "---\n"
"""Line before and after the front matter of a page."""


@dataclass(frozen=True)
class MenuEntry:
    """A page, or a tab or section with its entries.

    >>> MenuEntry("Docs", "", (MenuEntry("Install", "install"),)).first
    'install'
    """

    title: str
    """Title in the menu."""

    path: str
    """Path of the page, without suffix; empty for a tab or section."""

    children: tuple["MenuEntry", ...] = ()
    """Entries of a tab or section."""

    @property
    def first(self) -> str:
        """Path of the page that the entry leads to: its own, or that of its first entry."""
        return self.children[0].first if self.children else self.path

    def trail_to(self, path: str) -> tuple["MenuEntry", ...]:
        """Return the entries from this one down to the page of a path; empty if the page is not among them."""
        if not self.children:
            return (self,) if self.path == path else ()
        trail = next(filter(None, (child.trail_to(path) for child in self.children)), ())
        return (self, *trail) if trail else ()


@dataclass(frozen=True)
class Menu:
    """Tabs of a site."""

    tabs: tuple[MenuEntry, ...]
    """Tabs in their order."""

    def links(self) -> list[dict[str, str]]:
        """Return title and page of every tab, for the settings of the theme."""
        return [{"title": tab.title, "page": f"{tab.first}.html"} for tab in self.tabs]

    def place(self, path: str) -> dict[str, Any]:
        """Return the place of a page: the tab that it belongs to, and the rows of pages below the tab.

        A page that no entry names belongs where the index of a folder above it stands, or of the page that lists it.

        Args:
            path: Path of the page, without suffix.

        Returns:
            ``tab``, a title, and ``rows``; every row has a ``label`` and its ``links``, each with ``title``, ``page``
            and, on the way to the page, ``current`` as ``aria-current`` says it. Empty for a page without a place.
        """
        for candidate in _list_menu_paths(path):
            for tab in self.tabs:
                if trail := tab.trail_to(candidate):
                    rows = [
                        {"label": entry.title, "links": [_link(child, trail, path) for child in entry.children]}
                        for entry in trail
                        if len(entry.children) > 1
                    ]
                    return {"tab": tab.title, "rows": rows}
        return {}


def _link(entry: MenuEntry, trail: Sequence[MenuEntry], path: str) -> dict[str, str]:
    link = {"title": entry.title, "page": f"{entry.first}.html"}
    if entry in trail:
        link["current"] = "page" if entry.path == path else "true"
    return link


def _list_menu_paths(path: str) -> Iterator[str]:
    """Yield the paths at which the menu may name a page, or the page that it belongs to."""
    yield path
    folder = path.rpartition("/")[0]
    folder = _LISTED_BY.get(folder, folder)
    while folder:
        yield f"{folder}/index"
        yield folder
        folder = folder.rpartition("/")[0]


def select_navigation(
    nav: Sequence[Mapping[str, Any]], known: Collection[str], games: Collection[tuple[str, str]]
) -> list[dict[str, Any]]:
    """Return a navigation without the pages that this site lacks, and with a tab of the other games.

    Args:
        nav: Navigation in the form of MkDocs.
        known: Sources of the site's pages.
        games: Title and path of the board of each other game.
    """
    shown: list[dict[str, Any]] = []
    for item in nav:
        ((title, entry),) = item.items()
        content = select_navigation(entry, known, ()) if isinstance(entry, list) else entry if entry in known else None
        if content:
            shown.append({title: content})
        if title == _GAMES_AFTER and games:
            shown.append({"Games": [{game: f"{path}.md"} for game, path in games]})
    return shown


def read_menu(nav: Sequence[Mapping[str, Any]]) -> Menu:
    """Return the menu of a navigation in the form of MkDocs."""
    return Menu(tuple(_parse_entries(nav)))


def _parse_entries(nav: Sequence[Mapping[str, Any]]) -> Iterator[MenuEntry]:
    for item in nav:
        ((title, entry),) = item.items()
        if isinstance(entry, list):
            yield MenuEntry(title, "", tuple(_parse_entries(entry)))
        else:
            yield MenuEntry(title, entry.removesuffix(".md"))


def add_front_matter(source: str, settings: Mapping[str, Any]) -> str:
    """Return the source of a page with settings for the theme in its front matter, beside those that it has.

    >>> add_front_matter("# Install", {"place": {"tab": "Docs"}}).splitlines()
    ['---', '{"place": {"tab": "Docs"}}', '---', '# Install']
    """
    own: dict[str, Any] = {}
    if source.startswith(_FENCE):
        front, _, source = source.removeprefix(_FENCE).partition(f"\n{_FENCE}")
        own = yaml.safe_load(front) or {}
    # JSON is valid YAML.
    return f"{_FENCE}{json.dumps({**own, **settings}, ensure_ascii=False)}\n{_FENCE}{source}"
