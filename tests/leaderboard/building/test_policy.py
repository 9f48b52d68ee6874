"""The policy of a page, its place in the menus, bundles of scripts, and what the checks of a built site find."""

import base64
import hashlib
import io
import json
from collections.abc import Iterator
from pathlib import Path
from types import SimpleNamespace
from typing import TYPE_CHECKING, Any

import pytest
from PIL import Image

from ircore.core.errors import InputError, WorkError
from ircore.core.files import write_bytes
from ircore.results.statistics.intervals import Estimate
from leaderboard.building.finish import Tree, finish_pages, write_surroundings
from leaderboard.building.menus import read_menu, select_navigation
from leaderboard.building.site_check import check_site
from leaderboard.building.sources import ENTRIES, MODULES, bundle, strip_comments
from leaderboard.components.markup import macro
from leaderboard.components.players import render_player_names
from leaderboard.components.prototypes import prototypes
from leaderboard.components.values import badge, difference, difference_heat, dot, extremes, heat, missing, wins_bar
from leaderboard.rendering.shell import Shell, build_content_policy
from leaderboard.storage.output_folder import build_folder, remove_left_over
from leaderboard.theme import generator_path

POLICY = '<meta http-equiv="Content-Security-Policy" content="irg_slot_policy">'
HEAD = f'<!doctype html><head><meta charset="utf-8">{POLICY}'
SHELL = Shell(f"{HEAD}</head><body>irg_slot_notice<script>shell()</script>irg_slot_content</body>")


def webp() -> bytes:
    """A small picture."""
    buffer = io.BytesIO()
    Image.new("RGB", (8, 8)).save(buffer, "WEBP")
    return buffer.getvalue()


def sha256(text: str) -> str:
    return f"'sha256-{base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()}'"


def test_inline_scripts_of_the_shell_are_allowed_by_their_hashes() -> None:
    data = '<script id="__config" type="application/json">{}</script>'
    shell = f'<script>one()</script>{data}<script src="a.js"></script>'
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


@pytest.mark.parametrize(
    ("name", "content", "what"),
    [
        ("data/board.json", b'{"rows": [', "cut off or damaged"),
        ("feed.atom", b"<feed><title>Ch", "cut off or damaged"),
        ("img/a.webp", webp()[:-9], "cut off or damaged"),
        ("img/a.webp", b"", "empty"),
        ("data/find.json", None, "missing"),
        ("search/search_index.json", None, "missing"),
        ("sitemap.xml", None, "missing"),
    ],
)
def test_the_check_finds_what_is_missing_or_cut(tmp_path: Path, name: str, content: bytes | None, what: str) -> None:
    site = {
        "index.html": SHELL.filled('<h1>A</h1><input data-md-component="search">').encode(),
        "robots.txt": b"Sitemap: https://example.org/sitemap.xml\n",
        "sitemap.xml": b"<urlset/>",
        "data/find.json": b"{}",
        "search/search_index.json": b"{}",
        "img/a.webp": webp(),
    }
    for path, data in {**site, name: content}.items():
        if data is not None:
            write_bytes(tmp_path / path, data)
    assert check_site(tmp_path) == ([(name, what)], 1)


def test_the_check_finds_each_fault_once(tmp_path: Path) -> None:
    link = '<a href="nowhere.html">x</a>'
    card = '<meta property="og:image" content="https://example.org/cards/index.png">'
    data = '<p data-against="data/against/index.json"></p>'
    (tmp_path / "robots.txt").write_text("Sitemap: https://example.org/sitemap.xml\n")
    (tmp_path / "sitemap.xml").write_text("<urlset/>")
    (tmp_path / "index.html").write_text(SHELL.filled(f"<h1>A</h1>{card}{link}{link}{data}"))
    missing = ["cards/index.png", "nowhere.html", "data/against/index.json"]
    assert [fault.what for fault in check_site(tmp_path)[0]] == [f"{path} leads nowhere" for path in missing]


def test_the_check_passes_what_is_right(tmp_path: Path) -> None:
    good = '<h1 id="a">A</h1><a href="#a">x</a><a href="index.html#a">x</a><a href="https://arxiv.org/abs/1">x</a>'
    stranger = '<a href="https://example.org/" rel="nofollow noopener ugc">x</a>'
    (tmp_path / "index.html").write_text(SHELL.filled(good + stranger))
    assert check_site(tmp_path) == ([], 1)
    # Of a hundred pairs a script shows most: their keys stand in a file.
    (tmp_path / "data" / "gallery").mkdir(parents=True)
    (tmp_path / "data" / "gallery" / "pairs.json").write_text('{"pairs": [{"key": "one"}]}')
    far = '<h1>A</h1><p data-shards="data/gallery"></p><a href="#one"></a><a href="#one~3"></a><a href="#two"></a>'
    (tmp_path / "index.html").write_text(SHELL.filled(far))
    assert [fault.what for fault in check_site(tmp_path)[0]] == ["#two: no such place on the page"]
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
    for name in (".site.dead", ".other.dead"):
        (tmp_path / name / ".ircore-building").touch()
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


if TYPE_CHECKING:
    from playwright.sync_api import Browser, Page


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """No site: these scripts run in a page without anything."""
    return tmp_path_factory.mktemp("none")


@pytest.fixture
def blank(browser: "Browser") -> Iterator["Page"]:
    with browser.new_context() as context:
        yield context.new_page()


def write(folder: Path, **modules: str) -> Path:
    for name, text in modules.items():
        (folder / f"{name}.js").write_text(text)
    return folder


def test_a_bundle_holds_each_module_once_and_in_a_scope_of_its_own(tmp_path: Path, blank: "Page") -> None:
    modules = write(
        tmp_path,
        counter="/* Counts.\n   From one. */\nlet count = 0;\n  /* The next. */\n"
        "export function next() { count += 1; return count; }\n",
        left='import { next as following } from "./counter.js";\nconst own = "left";\n'
        "export const first = [own, following()];\n",
        right='import {\n  next,\n} from "./counter.js";\nconst own = "right";\n'
        "export class Second { value = [own, next()]; }\n",
        entry='import { first } from "./left.js";\nimport { Second } from "./right.js";\n'
        "export async function all() { return [first, new Second().value]; }\n",
    )
    assert "/*" not in bundle("entry", modules)
    # Without a browser's help with modules: a function's body, evaluated as it stands.
    said = blank.evaluate(f"async () => {{ const {{ all }} = {bundle('entry', modules)} return all(); }}")
    assert said == [["left", 1], ["right", 2]]


@pytest.mark.parametrize(
    ("modules", "message"),
    [
        ({"entry": 'import { a } from "./other.js";\n', "other": 'import "./entry.js";\n'}, "entry → other → entry"),
        ({"entry": 'import { a, b } from "./other.js";\n', "other": "export const a = 1;\n"}, "other.js exports no b"),
        ({"entry": "export default 1;\n"}, "does not know this form: export default 1;"),
        ({"entry": 'import * as other from "./other.js";\n'}, "does not know this form: import"),
    ],
)
def test_what_a_bundle_cannot_hold_fails_the_build(tmp_path: Path, modules: dict[str, str], message: str) -> None:
    with pytest.raises(ValueError, match=message):
        bundle("entry", write(tmp_path, **modules))


def test_every_module_is_in_some_bundle() -> None:
    bundles = "".join(map(bundle, ENTRIES))
    names = {path.stem.replace("-", "_") for path in MODULES.glob("*.js")}
    assert {name for name in names if f"const ${name} = " not in bundles} == set()


def test_numbers_are_written_as_in_pages(blank: "Page") -> None:
    values = [0.005, -0.004, -2.5, 3.14159, 0.0, 0.125, 6.75]
    both = f"{json.dumps(values)}.map((value) => [fixed(value), signed(value, 1)])"
    said = blank.evaluate(f"() => {{ const {{ fixed, signed }} = {bundle('numbers')} return {both}; }}")
    # True minus signs, no sign before a zero, halves (0.125, 6.75) to the even digit as Python has it.
    assert [fixed for fixed, _ in said] == ["0.01", "0.00", "−2.50", "3.14", "0.00", "0.12", "6.75"]
    assert [signed for _, signed in said] == ["0.0", "0.0", "−2.5", "+3.1", "0.0", "+0.1", "+6.8"]


ESTIMATE = Estimate(1.25, 0.5, 2.0, 42)
WIDE = Estimate(1.0, -1.0, 3.0, 42)
"""Its interval reaches over zero."""

PAIR = {
    "mark": generator_path(0), "path": "pairs/a-b", "describer": "<b>seer</b>", "generator": "painter",
    "programs": [True, False], "apart": "b200", "hue": "describer-1",
}  # fmt: skip


PAIR_NAME = render_player_names(("<b>seer</b>", "painter"), "../pairs/a-b.html", 0, 0, "b200", (True, False))


@pytest.mark.parametrize(
    ("call", "wanted"),
    [
        ("badge(7.25, 'eye')", badge(7.25, ", judged by eye")),
        ("badge(null, 'eye')", badge(None)),
        ("missing('not played')", missing("not played")),
        ("heat(3.5, 'Geometry')", heat(3.5, "Geometry")),
        ("heat(null, 'Geometry')", heat(None, "Geometry")),
        ("differenceHeat(4.5, 6.25)", difference_heat(4.5, 6.25)),
        ("difference({ mean: 1.25, low: 0.5, high: 2, n: 42 }, 2, 1)", difference(ESTIMATE)),
        ("difference({ mean: 1, low: -1, high: 3, n: 42 }, 1, 0)", difference(WIDE, 1)),
        ("extremes({ least: -1.5, most: 2 })", extremes(-1.5, 2.0)),
        ("extremes({ least: 1, most: 1 })", extremes(1.0, 1.0)),
        ("winsBar({ wins: 3, ties: 1, losses: 4, n: 8 })", wins_bar(3, 1, 4)),
        ("difference({ mean: 1.25, low: 0.5, high: 2, n: 3 }, 2)", difference(Estimate(1.25, 0.5, 2.0, 3))),
        ("difference({ mean: 1.25, low: null, high: null, n: 1 }, 2)", difference(Estimate(1.25, None, None, 1))),
        ("winsBar({ wins: 3, ties: 0, losses: 5, n: 8 })", wins_bar(3, 0, 5)),
        (f"pairName({json.dumps(PAIR)}, '../')", PAIR_NAME),
    ],
    ids=lambda value: value[:30] if "(" in value[:16] else "",
)
def test_a_script_fills_a_component_as_a_page_does(blank: "Page", call: str, wanted: str) -> None:
    names = ("badge", "badge-missing", "missing", "heat", "heat-missing", "heat-difference", "difference")
    blank.set_content(str(prototypes(*names, "nothing-missing", "wins", "pair-name", "dot")))
    shown = blank.evaluate(f"() => {{ const c = {bundle('components')} const x = c.{call}; return x.outerHTML ?? x; }}")
    as_browsers_write_it = "text => Object.assign(document.createElement('div'), { innerHTML: text }).innerHTML"
    assert shown == blank.evaluate(as_browsers_write_it, str(wanted))


def taken(blank: "Page", figure: dict[str, Any], keys: list[str], hues: dict[str, str] | None = None) -> dict[str, Any]:
    """The part of a figure that shows these pairs, as the script of figures takes it."""
    layout = {"height": 140, "margin": {"t": 10, "b": 10}, "annotations": [], **figure.pop("layout")}
    whole = {"pairs": ["a", "b", "c"], "behind": None, **figure, "layout": layout, "narrow": layout}
    colours = json.dumps(list((hues or {}).items()))
    call = f"takePairs({json.dumps(whole)}, {json.dumps(keys)}, true, new Map({colours}))"
    code = f"() => {{ const {{ takePairs }} = {bundle('figure-parts')} return {call}; }}"
    return dict(blank.evaluate(code))


def test_rows_of_chosen_pairs_close_up(blank: "Page") -> None:
    """Three rows of 40 pixels; without the middle one the last one stands second and the figure is 40 lower."""
    figure = {
        "parts": "rows",
        "data": [{"type": "scatter", "ids": [key], "x": [at], "y": [at]} for at, key in enumerate("abc")]
        + [{"type": "bar", "ids": ["a", "b", "c"], "x": [5, 6, 7], "y": [0, 1, 2], "marker": {"color": "red"}}],
        "layout": {
            "yaxis": {"range": [2.5, -0.5], "tickvals": [0, 1, 2], "ticktext": ["A", "B", "C"]},
            "annotations": [{"text": "note", "y": 1}, *({"name": key, "y": at} for at, key in enumerate("abc"))],
        },
    }
    made = taken(blank, figure, ["c", "a"])
    assert [(trace["ids"], trace["x"], trace["y"]) for trace in made["data"]] == [
        (["a"], [0], [0]), (["c"], [2], [1]), (["a", "c"], [5, 7], [0, 1]),
    ]  # fmt: skip
    assert made["layout"]["height"] == 100
    assert made["layout"]["yaxis"] == {
        "range": [1.5, -0.5], "domain": [0, 1], "tickvals": [0, 1], "ticktext": ["A", "C"]
    }  # fmt: skip
    assert made["layout"]["annotations"] == [{"text": "note", "y": 1}, {"name": "a", "y": 0}, {"name": "c", "y": 1}]


def test_panels_of_chosen_pairs_close_up_with_each_other_in_grey(blank: "Page") -> None:
    """A grid of two columns with panels of 50 pixels and 20 between; a row of two needs 70 fewer than two rows."""
    low, high = [0, 0.4167], [0.5833, 1]
    boxes = {"": ([0, 0.45], high), "2": ([0.55, 1], high), "3": ([0, 0.45], low)}
    axes = {f"xaxis{at}": {"domain": across, "showticklabels": True} for at, (across, _) in boxes.items()}
    axes |= {f"yaxis{at}": {"domain": upright} for at, (_, upright) in boxes.items()}
    lines = [{"meta": key, "x": [at], "y": [at], "xaxis": "x9", "yaxis": "y9"} for at, key in enumerate("abc")]
    notes = [{"name": "c", "xref": "x3 domain", "yref": "y3", "text": "C"}]
    figure = {"parts": "panels", "data": lines, "behind": {"mode": "lines"}, "layout": {**axes, "annotations": notes}}
    made = taken(blank, figure, ["b", "c"])
    drawn = [(trace.get("meta"), trace["x"], trace["xaxis"], trace["yaxis"]) for trace in made["data"]]
    assert drawn == [
        (None, [2, None], "x", "y"),
        ("b", [1], "x", "y"),
        (None, [1, None], "x2", "y2"),
        ("c", [2], "x2", "y2"),
    ]
    assert made["layout"]["height"] == 70
    assert made["layout"].keys() == {"height", "margin", "annotations", "xaxis", "yaxis", "xaxis2", "yaxis2"}
    assert made["layout"]["annotations"] == [{**notes[0], "xref": "x2 domain", "yref": "y2"}]
    alone = taken(blank, {**figure, "layout": {**axes, "annotations": notes}}, ["c"])
    assert alone["layout"]["xaxis"]["domain"] == [0, 1]


def test_a_grey_describer_has_a_colour_among_a_few(blank: "Page") -> None:
    points = [{"meta": key, "marker": {"color": "var(--irc-describer-0)"}} for key in "ab"]
    made = taken(blank, {"parts": "points", "data": points, "layout": {}}, ["a", "b"], {"a": "describer-4"})
    assert [trace["marker"]["color"] for trace in made["data"]] == ["var(--irc-describer-4)", "var(--irc-describer-0)"]
    assert made["layout"]["showlegend"] is True


def test_a_dot_stands_where_the_page_puts_it(blank: "Page") -> None:
    blank.set_content(str(prototypes("dot")))
    call = "dot({ mean: 1.25, low: 0.5, high: 2, n: 42 }, 10)"
    shown = blank.evaluate(f"() => {{ const {{ dot }} = {bundle('components')} return {call}.innerHTML; }}")
    wanted = str(dot(ESTIMATE, None, -10, 10, 0))
    assert shown == wanted.partition(">")[2].removesuffix("</svg>")


def test_a_copied_rank_has_its_range_before_its_group(blank: "Page") -> None:
    row = SimpleNamespace(rank_low=1, rank_high=61, group=1, top=True)
    blank.set_content(f"<table><tr>{macro('rank_cell')(row, 'ranks', 'A', '1–61', '')}</tr></table>")
    columns = "[{ index: 0, digits: null, fields: [{ name: 'rank_low', place: 'sort' }] }]"
    code = f"() => {{ const c = {bundle('columns')} return c.texts({columns}, document.querySelector('tr')); }}"
    assert blank.evaluate(code) == ["1–61 (group A)"]


def test_style_sheets_go_without_the_comments_that_stand_alone() -> None:
    sheet = "/* The body,\n * and more. */\nbody { margin: 0; /* no frame */ }\n"
    assert strip_comments(sheet) == "body { margin: 0; /* no frame */ }\n"
