"""Section navigation: a row of links above every page of a section, read from the navigation in ``mkdocs.yml``."""

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

import yaml
from markupsafe import escape

_LISTED_IN = {"describers": "pairs", "generators": "pairs"}
"""Folders whose pages are listed by the index of another folder."""

_END = "\n---\n"
_BLOCK = '<div class="irg">\n'


@dataclass(frozen=True)
class Section:
    """Several pages under one tab."""

    title: str
    """The tab's."""

    pages: Mapping[str, str]
    """Title by path without suffix."""


def read_sections(settings: Path) -> tuple[Section, ...]:
    """Read the tabs that hold several pages.

    Args:
        settings: ``mkdocs.yml``.
    """
    tabs = [next(iter(tab.items())) for tab in yaml.safe_load(settings.read_text(encoding="utf-8")).get("nav", [])]
    return tuple(
        Section(title, {path.removesuffix(".md"): name for page in pages for name, path in page.items()})
        for title, pages in tabs
        if isinstance(pages, list)
    )


def with_section(source: str, path: str, sections: tuple[Section, ...]) -> str:
    """Return a page's source with the row of its section at its head; as it is if it is in none.

    A page belongs to the section that names it, or that names the index of its folder or a page of the folder's name.

    Args:
        source: Markdown, with front matter.
        path: Of the page, without suffix.
        sections: All there are.
    """
    for section in sections:
        folder = path.rpartition("/")[0]
        known = (path, f"{_LISTED_IN.get(folder, folder)}/index", folder)
        current = next((name for name in known if name in section.pages), None)
        if current is not None:
            row = _row(section, path, current)
            if _BLOCK in source:
                return source.replace(_BLOCK, f"{_BLOCK}{row}\n", 1)
            start = source.find(_END) + len(_END) if source.startswith("---\n") else 0
            return f"{source[:start]}\n{row}\n\n{source[start:]}"
    return source


def _row(section: Section, path: str, current: str) -> str:
    root = "../" * path.count("/")
    links = []
    for page, title in section.pages.items():
        mark = ' aria-current="page"' if page == path else ' aria-current="true"' if page == current else ""
        links.append(f'<a class="chip" href="{root}{page}.html"{mark}>{escape(title)}</a>')
    return f'<nav class="irg section-row" aria-label="{escape(section.title)}">{"".join(links)}</nav>'
