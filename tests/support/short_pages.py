"""The hand-written part of the site for tests that do not read it: most of what a build takes is its sixty pages."""

import re
import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from leaderboard import skeleton

WHOLE = skeleton.SKELETON
"""The folder with all pages as they are."""

_SUFFIXES = {".py", ".j2", ".html", ".js", ".yaml"}
_TESTED = {"install", "load"}
"""Pages that only tests of the site name."""


def write_short_pages(folder: Path) -> Path:
    """Write the settings and the pages that the site's own code leads to, each with headings and anchors alone."""
    sources = (path for path in (WHOLE / "leaderboard").rglob("*") if path.suffix in _SUFFIXES)
    linked = set(re.findall(r"([\w-]+)\.html", "\n".join(path.read_text("utf-8") for path in sources))) | _TESTED
    for name in ("mkdocs.yml", "CITATION.cff"):
        shutil.copy(WHOLE / name, folder)
    shutil.copytree(WHOLE / "docs", folder / "docs", ignore=shutil.ignore_patterns("*.md", ".*"))
    for path in (WHOLE / "docs").glob("*.md"):
        if path.stem in linked:
            text = re.sub(r"^```.*?^```$", "", path.read_text("utf-8"), flags=re.MULTILINE | re.DOTALL)
            front = re.match(r"---\n.*?\n---\n", text, re.DOTALL)
            parts = re.findall(r'^#+ .*$|<strong id="[^"]*">.*?</strong>', text, re.MULTILINE)
            (folder / "docs" / path.name).write_text("\n\n".join([front[0] if front else "", *parts]), "utf-8")
    return folder


@pytest.fixture(scope="session", autouse=True)
def _sites_with_short_pages(tmp_path_factory: pytest.TempPathFactory) -> Iterator[None]:
    """Build sites in this process with short pages."""
    from leaderboard.building import sources

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(sources, "SKELETON", write_short_pages(tmp_path_factory.mktemp("short-pages")))
        yield


@contextmanager
def whole_pages() -> Iterator[None]:
    """Build sites with all pages as they are."""
    from leaderboard.building import sources

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(sources, "SKELETON", WHOLE)
        yield
