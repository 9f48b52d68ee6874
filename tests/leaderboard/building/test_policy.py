"""The policy of a page, and what the checks of a built site find."""

import base64
import hashlib
from pathlib import Path
from typing import Any

import pytest

from ircore.core.errors import InputError, WorkError
from leaderboard.building.finish import finish_pages, write_surroundings
from leaderboard.building.menus import read_menu, select_navigation
from leaderboard.building.site_check import check_site
from leaderboard.building.tree import Tree
from leaderboard.rendering.shell import Shell, build_content_policy
from leaderboard.storage.output_folder import build_folder, remove_left_over

HEAD = (
    '<!doctype html><head><meta charset="utf-8"><meta http-equiv="Content-Security-Policy" content="irg_slot_policy">'
)
SHELL = Shell(f"{HEAD}</head><body>irg_slot_notice<script>shell()</script>irg_slot_content</body>")


def sha256(text: str) -> str:
    return f"'sha256-{base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()}'"


def test_inline_scripts_of_the_shell_are_allowed_by_their_hashes() -> None:
    shell = (
        '<script>one()</script><script id="__config" type="application/json">{}</script><script src="a.js"></script>'
    )
    rules = dict(rule.split(" ", 1) for rule in build_content_policy(shell).split("; "))
    assert rules["script-src"] == f"'self' {sha256('one()')}"
    assert rules["default-src"] == "'none'"
    assert "unsafe" not in rules["script-src"]


def test_full_size_pictures_may_come_from_one_place() -> None:
    policy = build_content_policy("", "https://huggingface.co/datasets/org/name/resolve/abc/")
    assert "img-src 'self' data: https://huggingface.co;" in policy
    for wrong in ("http://example.org/", "https://example.org; script-src *", "javascript:alert(1)"):
        with pytest.raises(InputError):
            build_content_policy("", wrong)


@pytest.fixture
def tree(tmp_path: Path) -> Tree:
    """Folders of a build in which MkDocs has made the shells of two pages."""
    made = Tree(tmp_path)
    for folder in (made.site, made.blocks):
        folder.mkdir()
    for name in ("index", "charts"):
        (made.site / f"{name}.html").write_text(SHELL.template)
    return made


def test_style_attributes_are_allowed_only_where_figures_stand(tree: Tree) -> None:
    (tree.blocks / "index.html").write_text("<p>&lt;figure class=&#34;chart&#34;</p>")
    (tree.blocks / "charts.html").write_text('<figure class="chart" id="x"></figure>')
    finish_pages(tree, {})
    plain, charts = ((tree.site / f"{name}.html").read_text() for name in ("index", "charts"))
    assert "style-src-attr 'none'" in plain
    assert "unsafe" not in plain
    assert "style-src-attr 'unsafe-inline'" in charts
    assert sha256("") in charts
    assert sha256("") not in plain


def test_a_script_in_a_page_is_not_among_those_allowed(tree: Tree) -> None:
    content = r"<h1>Page \1 irg_slot_policy</h1><script>stranger()</script>"
    (tree.blocks / "index.html").write_text(content)
    finish_pages(tree, {}, notice=lambda root: f'<a href="{root}index.html">notice</a>')
    page = (tree.site / "index.html").read_text()
    assert content in page  # what is put into a slot is not searched for slots
    assert '<a href="index.html">notice</a>' in page
    assert sha256("shell()") in page
    assert sha256("stranger()") not in page


def test_a_theme_that_loses_the_place_of_a_page_is_found_out(tree: Tree) -> None:
    (tree.site / "index.html").write_text(HEAD)
    (tree.blocks / "index.html").write_text("<h1>Page</h1>")
    with pytest.raises(WorkError, match=r"index\.html: its shell has no slot"):
        finish_pages(tree, {})


@pytest.mark.parametrize(
    ("body", "what"),
    [
        ("<h1>A</h1><h1>B</h1>", "2 headings"),
        ('<h1>A</h1><a href="nowhere.html">x</a>', "leads nowhere"),
        ('<h1>A</h1><a href="#nowhere">x</a>', "no such place"),
        ('<h1>A</h1><a href="../../etc/passwd">x</a>', "out of the site"),
        ('<h1>A</h1><a href="javascript:alert(1)">x</a>', "no https address"),
        ('<h1>A</h1><a href="https://example.org/">x</a>', "not on the list"),
        ('<h1>A</h1><img src="https://example.org/a.png">', "fetched from elsewhere"),
        ('<h1 onclick="x()">A</h1>', "inline handler"),
        ('<h1 style="background:url(https://example.org/)">A</h1>', "style with an address"),
        ('<h1 id="a">A</h1><p id="a"></p>', "there twice"),
        ("<h1>/home/someone/runs</h1>", "path of the machine"),
    ],
)
def test_the_check_finds(tmp_path: Path, body: str, what: str) -> None:
    (tmp_path / "index.html").write_text(SHELL.filled(body))
    findings, pages = check_site(tmp_path)
    assert pages == 1
    assert [what in finding.what for finding in findings] == [True]


def test_the_check_passes_what_is_right(tmp_path: Path) -> None:
    good = '<h1 id="a">A</h1><a href="#a">x</a><a href="index.html#a">x</a><a href="https://arxiv.org/abs/1">x</a>'
    stranger = '<a href="https://example.org/" rel="nofollow noopener ugc">x</a>'
    (tmp_path / "index.html").write_text(SHELL.filled(good + stranger))
    assert check_site(tmp_path) == ([], 1)
    (tmp_path / "index.html").write_text("<h1>A</h1>")
    assert [fault.what for fault in check_site(tmp_path)[0]] == ["no content security policy"]


@pytest.mark.slow
def test_crawlers_and_lost_readers_are_answered(tmp_path: Path) -> None:
    (tmp_path / "sitemap.xml").write_text("<urlset/>")
    write_surroundings(tmp_path)
    assert not (tmp_path / "sitemap.xml").exists()
    assert "href=" not in (tmp_path / "404.html").read_text().replace('href="data:,"', "")
    (tmp_path / "pairs").mkdir()
    (tmp_path / "pairs" / "a b.html").touch()
    write_surroundings(tmp_path, "https://example.org/board/")
    assert "Sitemap: https://example.org/board/sitemap.xml" in (tmp_path / "robots.txt").read_text()
    assert "<url><loc>https://example.org/board/pairs/a%20b.html</loc></url>" in (tmp_path / "sitemap.xml").read_text()
    assert "404" not in (tmp_path / "sitemap.xml").read_text()
    assert 'href="https://example.org/board/index.html"' in (tmp_path / "404.html").read_text()


def test_what_killed_builds_left_is_removed_and_nothing_else(tmp_path: Path) -> None:
    import os

    out = tmp_path / "site"
    for name in (".site.dead", ".site.strange", ".other.dead"):
        (tmp_path / name).mkdir()
    (tmp_path / ".site.dead" / ".ircore-building").touch()
    (tmp_path / ".other.dead" / ".ircore-building").touch()
    (tmp_path / ".site.dead" / "old").mkdir()
    (tmp_path / ".site.dead" / "old" / "index.html").write_text("the site before the kill")
    for path in tmp_path.iterdir():
        os.utime(path, (0, 0))
    with build_folder(tmp_path / "site") as running:
        os.utime(running, (0, 0))
        remove_left_over(out)
        assert running.is_dir()
    assert sorted(path.name for path in tmp_path.iterdir()) == [".other.dead", ".site.strange", "site"]
    assert (out / "index.html").read_text() == "the site before the kill"


@pytest.mark.slow
def test_a_build_of_many_files_leaves_none_behind_and_what_a_link_names_stays(tmp_path: Path) -> None:
    kept = tmp_path / "elsewhere" / "kept.txt"
    kept.parent.mkdir()
    kept.touch()
    with build_folder(tmp_path / "site") as work:
        (work / "old").mkdir()
        (work / "old" / "link").symlink_to(kept.parent)
        for number in range(2_100):  # so many that several processes remove them
            (work / "old" / str(number)).touch()
    assert [path.name for path in tmp_path.iterdir()] == ["elsewhere"]
    assert kept.is_file()


NAV: list[dict[str, Any]] = [
    {"Start": "index.md"},
    {"Leaderboard": [{"Board": "boards/index.md"}, {"Pairs": "pairs/index.md"}, {"History": [{"Moves": "moves.md"}]}]},
    {"Gallery": "gallery/index.md"},
    {
        "Docs": [
            {"How-to": [{"Install": "install.md"}, {"Load": "load.md"}]},
            {"Reference": [{"Columns": "columns.md"}]},
        ]
    },
]


def test_a_site_has_tabs_of_the_pages_that_it_has() -> None:
    known = {"index.md", "boards/index.md", "gallery/index.md", "columns.md"}
    assert select_navigation(NAV, known, [("Tangrams", "games/tangrams/index")]) == [
        {"Start": "index.md"},
        {"Leaderboard": [{"Board": "boards/index.md"}]},
        {"Gallery": "gallery/index.md"},
        {"Games": [{"Tangrams": "games/tangrams/index.md"}]},
        {"Docs": [{"Reference": [{"Columns": "columns.md"}]}]},
    ]


@pytest.mark.parametrize(
    ("path", "tab", "current"),
    [
        ("index", "Start", []),
        ("boards/index", "Leaderboard", [("Board", "page")]),
        ("boards/by-eye/all-easy", "Leaderboard", [("Board", "true")]),
        ("describers/ours", "Leaderboard", [("Pairs", "true")]),
        ("moves", "Leaderboard", [("History", "true")]),
        ("load", "Docs", [("How-to", "true"), ("Load", "page")]),
    ],
)
def test_a_page_belongs_where_it_or_its_folder_is_listed(path: str, tab: str, current: list[tuple[str, str]]) -> None:
    place = read_menu(NAV).place(path)
    links = [link for row in place["rows"] for link in row["links"]]
    assert place["tab"] == tab
    assert [(link["title"], link["current"]) for link in links if "current" in link] == current


def test_a_page_that_nothing_lists_has_no_place() -> None:
    assert read_menu(NAV).place("schemas/run") == {}
