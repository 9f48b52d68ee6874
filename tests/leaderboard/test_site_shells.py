"""A page made from a shell that several share is the page that MkDocs itself would have made."""

import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from leaderboard.building.build import SOURCES
from leaderboard.building.shells import read_shells, write_sources
from leaderboard.site import Page

pytestmark = pytest.mark.slow

ADDRESS = "https://example.org/board/"


def test_pages_of_a_folder_differ_in_title_and_name_alone(tmp_path: Path) -> None:
    docs, names = tmp_path / "docs", ("pairs/a", "matrix/by-judge/all-easy")
    shutil.copytree(SOURCES / "docs", docs, ignore=shutil.ignore_patterns(".*"))
    settings = (SOURCES / "mkdocs.yml").read_text("utf-8")
    (tmp_path / "mkdocs.yml").write_text(f"{settings}\nsite_url: {ADDRESS}\n", "utf-8")
    titles = {name: f"Pie graphs × {number} – “easy”" for number, name in enumerate(names)}
    pages = [Page(path, title, "pair") for path, title in titles.items()]
    pages += [Page("pairs/index", "Pairs", "pairs_index", {"words": "found by the search"}, searchable=True)]
    assert write_sources(pages, docs) == titles
    for name, title in titles.items():
        # The same page, asked for by itself.
        write_sources([Page("alone", title, "pair")], docs)
        (docs / "alone.md").rename(docs / f"{name}.md")

    command = [sys.executable, "-m", "mkdocs", "build", "--quiet", "--site-dir", "site"]
    subprocess.run(command, cwd=tmp_path, check=True, capture_output=True)
    made: dict[str, list[str]] = {}
    for path, shell, changes in read_shells(tmp_path / "site", titles):
        for old, new in changes:
            assert old in shell
            shell = shell.replace(old, new)
        made.setdefault(path, []).append(shell)
    for name in names:
        alone, shared = made[name]
        assert f'<link rel="canonical" href="{ADDRESS}{name}.html">' in alone
        assert shared == alone
    assert "irg-shell" not in "".join(text for texts in made.values() for text in texts)
    assert list((tmp_path / "site").rglob("irg-shell*")) == []
    index = (tmp_path / "site" / "search" / "search_index.json").read_text("utf-8")
    assert "found by the search" in index
    assert "Pie graphs ×" not in index
