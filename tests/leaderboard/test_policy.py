"""The policy of a page, and what the checks of a built site find."""

import base64
import hashlib
from pathlib import Path

import pytest
import yaml

from ircore.core.errors import InputError, WorkError
from leaderboard.building.check import check_site
from leaderboard.building.finish import finish_pages, write_surroundings
from leaderboard.building.shells import place
from leaderboard.output_folder import build_folder, remove_left_over
from leaderboard.rendering.policy import content_policy, with_policy

ROOT = Path(__file__).resolve().parents[2]
SHELL = '<!doctype html><head><meta charset="utf-8"></head><body><script>shell()</script>{}</body>'


def sha256(text: str) -> str:
    return f"'sha256-{base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()}'"


def test_inline_scripts_of_the_shell_are_allowed_by_their_hashes() -> None:
    shell = (
        '<script>one()</script><script id="__config" type="application/json">{}</script><script src="a.js"></script>'
    )
    rules = dict(rule.split(" ", 1) for rule in content_policy(shell).split("; "))
    assert rules["script-src"] == f"'self' {sha256('one()')}"
    assert rules["default-src"] == "'none'"
    assert "unsafe" not in rules["script-src"]


def test_full_size_pictures_may_come_from_one_place() -> None:
    policy = content_policy("", "https://huggingface.co/datasets/org/name/resolve/abc/")
    assert "img-src 'self' data: https://huggingface.co;" in policy
    for wrong in ("http://example.org/", "https://example.org; script-src *", "javascript:alert(1)"):
        with pytest.raises(InputError):
            content_policy("", wrong)


def test_style_attributes_are_allowed_only_where_figures_stand(tmp_path: Path) -> None:
    for folder in ("site", "blocks"):
        (tmp_path / folder).mkdir()
    said = "&lt;figure class=&#34;chart&#34;"
    for name, block in (("plain", f"<p>{said}</p>"), ("charts", '<figure class="chart" id="x"></figure>')):
        (tmp_path / "site" / f"{name}.html").write_text(SHELL.format(place(name)))
        (tmp_path / "blocks" / f"{name}.html").write_text(block)
    finish_pages(tmp_path / "site", tmp_path / "blocks", {})
    plain, charts = ((tmp_path / "site" / f"{name}.html").read_text() for name in ("plain", "charts"))
    assert "style-src-attr 'none'" in plain
    assert "unsafe" not in plain
    assert "style-src-attr 'unsafe-inline'" in charts
    assert sha256("") in charts
    assert sha256("") not in plain


def test_a_script_in_a_block_is_not_among_those_allowed(tmp_path: Path) -> None:
    (tmp_path / "site").mkdir()
    (tmp_path / "blocks").mkdir()
    (tmp_path / "site" / "index.html").write_text(SHELL.format(place("Title", "words for the search")))
    (tmp_path / "blocks" / "index.html").write_text(r"<h1>Block \1</h1><script>stranger()</script>")
    finish_pages(tmp_path / "site", tmp_path / "blocks", {})
    page = (tmp_path / "site" / "index.html").read_text()
    assert r"<h1>Block \1</h1>" in page
    assert "words for the search" not in page
    assert sha256("shell()") in page
    assert sha256("stranger()") not in page


def test_a_builder_that_loses_the_place_of_a_block_is_found_out(tmp_path: Path) -> None:
    for folder, text in (("site", SHELL.format("")), ("blocks", "<h1>Block</h1>")):
        (tmp_path / folder).mkdir()
        (tmp_path / folder / "index.html").write_text(text)
    with pytest.raises(WorkError, match=r"index\.html: no place"):
        finish_pages(tmp_path / "site", tmp_path / "blocks", {})


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
    (tmp_path / "index.html").write_text(with_policy(SHELL.format(body)))
    findings, pages = check_site(tmp_path)
    assert pages == 1
    assert [what in one.what for one in findings] == [True]


def test_the_check_passes_what_is_right(tmp_path: Path) -> None:
    good = '<h1 id="a">A</h1><a href="#a">x</a><a href="index.html#a">x</a><a href="https://arxiv.org/abs/1">x</a>'
    stranger = '<a href="https://example.org/" rel="nofollow noopener ugc">x</a>'
    (tmp_path / "index.html").write_text(with_policy(SHELL.format(good + stranger)))
    assert check_site(tmp_path) == ([], 1)
    (tmp_path / "index.html").write_text(SHELL.format("<h1>A</h1>"))
    assert [one.what for one in check_site(tmp_path)[0]] == ["no content security policy"]


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


def test_the_shell_is_kept_to_what_another_builder_has_too() -> None:
    settings = yaml.safe_load((ROOT / "mkdocs.yml").read_text())
    extensions = {one if isinstance(one, str) else next(iter(one)) for one in settings["markdown_extensions"]}
    assert settings["plugins"] == ["search"]
    assert extensions <= {"admonition", "tables", "toc"}
    assert not settings.keys() & {"hooks", "macros", "extra_templates"}
    assert "custom_dir" not in settings["theme"]
    assert settings["theme"]["font"] is False
    assert [path for path in (ROOT / "docs").rglob("*.md") if "--8<--" in path.read_text()] == []
