"""A page made from a shell that several share is the page that MkDocs, or Zensical, itself would have made."""

import shutil
import subprocess
import sys

import pytest
from markupsafe import escape

from leaderboard.building import sources
from leaderboard.building.finish import Tree
from leaderboard.building.shells import read_shells, write_sources
from leaderboard.building.site_build import run_mkdocs
from leaderboard.model.site import Page
from leaderboard.rendering.shell import NAME, TITLE
from leaderboard.skeleton import SKELETON
from leaderboard.storage.output_folder import write_text

pytestmark = pytest.mark.slow

ADDRESS = "https://example.org/board/"
TITLES = {
    name: f"Pie graphs × {number} – “easy” & <b>" for number, name in enumerate(("pairs/a", "boards/by-eye/all-easy"))
}
PAGES = (
    *(Page(path, title, "pair") for path, title in TITLES.items()),
    Page("pairs/index", "Pairs", "pairs_index", {"words": "found by the search"}, searchable=True),
    Page("index", "Start", "front"),
    *(
        Page(name, name, "paper")
        for name in (
            "boards/index", "gallery/index", "changes", "history", "compare", "limits", "replay", "prompts",
            "metric-agreement", "people",
        )
    ),
)  # fmt: skip


WRITTEN = ("install", "load", "metrics")
"""Hand-written pages of the small tree; the navigation leaves out all others."""


def build_with_zensical(tree: Tree) -> None:
    pytest.importorskip("zensical")
    command = [sys.executable, "-m", "zensical", "build", "--config-file", tree.settings.name]
    subprocess.run(command, cwd=tree.work, capture_output=True, check=True)


def build_with_mkdocs(tree: Tree) -> None:
    with run_mkdocs(tree):
        pass


@pytest.fixture(scope="module", params=[build_with_mkdocs, build_with_zensical])
def shells(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> dict[str, str]:
    """Pages with their slots filled, by path; ``alone/NAME`` are those that have a shell of their own."""
    tree, skeleton = Tree(tmp_path_factory.mktemp("build")), tmp_path_factory.mktemp("skeleton")
    shutil.copy(SKELETON / sources.SETTINGS, skeleton)
    for name in WRITTEN:
        write_text(skeleton / "docs" / f"{name}.md", f"---\nhide: [navigation]\n---\n\n# {name}\n\n## Part\n\nText.\n")
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(sources, "SKELETON", skeleton)
        menu = sources.copy_sources(tree, PAGES, [("Rock & paper", "games/rps/index")], ADDRESS)
    write_sources([Page("games/rps/index", "Rock & paper: board", "game_board")], tree.docs, menu)
    sharing = write_sources(PAGES, tree.docs, menu)
    assert sharing == TITLES
    for name, title in TITLES.items():
        # The same page, asked for by itself.
        shared = (tree.docs / name).with_name(f"{NAME}.md").read_text("utf-8")
        write_text(tree.docs / f"{name}.md", shared.replace(TITLE, escape(title)))
    request.param(tree)
    made: dict[str, str] = {}
    for path, shell, title in read_shells(tree.site, sharing):
        key = path if title else f"alone/{path}"
        # The same page has shorter or longer addresses.
        made[key] = shell.filled("<p>content</p>", title, path.rpartition("/")[2]).replace('href="./', 'href="')
    assert list(tree.site.rglob("*irg_slot*")) == []
    (index,) = (path for name in ("search_index.json", "search.json") for path in tree.site.rglob(name))
    made["index.json"] = index.read_text("utf-8")
    shutil.rmtree(tree.work)
    return made


@pytest.mark.parametrize("name", TITLES)
def test_pages_of_a_folder_differ_in_title_and_name_alone(shells: dict[str, str], name: str) -> None:
    assert f'<link rel="canonical" href="{ADDRESS}{name}.html">' in shells[f"alone/{name}"]
    assert shells[name] == shells[f"alone/{name}"]
    assert "– “easy” &amp; &lt;b&gt; - Image" in shells[name]
    assert "irg_slot" not in shells[name]
    assert "<p>content</p>" in shells[name]


def test_pages_of_a_section_lead_to_one_another(shells: dict[str, str]) -> None:
    pair, board = shells["pairs/a"], shells["boards/by-eye/all-easy"]
    assert '<a class="chip" href="index.html" aria-current="true">Pairs and players</a>' in pair
    assert '<a class="chip" href="../boards/index.html">Board</a>' in pair
    assert '<a class="chip" href="../index.html" aria-current="true">Board</a>' in board
    changes, page = shells["alone/changes"], shells["alone/load"]
    # A section within a tab has a row of its own below that of the tab.
    assert '<a class="chip" href="changes.html" aria-current="true">History</a>' in changes
    assert '<a class="chip" href="changes.html" aria-current="page">What changed</a>' in changes
    assert '<a class="chip" href="install.html" aria-current="true">How-to</a>' in page
    assert '<a class="chip" href="load.html" aria-current="page">Load the data</a>' in page
    assert page.count('class="irg section-row"') == changes.count('class="irg section-row"') == 2
    # A tab of a single page needs no row.
    assert "section-row" not in shells["alone/gallery/index"]


def test_the_tab_of_a_page_stands_out_although_the_navigation_does_not_name_it(shells: dict[str, str]) -> None:
    active = 'md-tabs__item--active"><a href="../boards/index.html" class="md-tabs__link">Leaderboard<'
    assert active in shells["pairs/a"]
    assert 'md-tabs__item--active"><a href="index.html" class="md-tabs__link">Games<' in shells["alone/games/rps/index"]


def test_tabs_name_what_the_site_has_and_nothing_else(shells: dict[str, str]) -> None:
    assert ">Games</a>" in shells["pairs/a"]
    assert "Published scores" not in shells["pairs/a"]  # the page is not among those written


def test_the_search_finds_words_of_our_own_and_no_shared_page(shells: dict[str, str]) -> None:
    assert "found by the search" in shells["index.json"]
    assert "Pie graphs ×" not in shells["index.json"]
