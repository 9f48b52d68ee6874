"""Bundles of scripts: modules of the repository as one plain script, which browsers also load from a disk."""

import json
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from ircore.results.statistics.intervals import Estimate
from leaderboard.building.sources import ENTRIES, MODULES, bundle, strip_comments
from leaderboard.components.players import render_player_names
from leaderboard.components.plots import dot, wins_bar
from leaderboard.components.prototypes import prototypes
from leaderboard.components.values import badge, difference, difference_heat, extremes, heat, missing
from leaderboard.theme import generator_path

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
    said = blank.evaluate(
        f"() => {{ const {{ fixed, signed }} = {bundle('numbers')}"
        f" return {json.dumps(values)}.map((value) => [fixed(value), signed(value, 1)]); }}"
    )
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
        ("winsBar({ wins: 3, ties: 0, losses: 5, n: 8 })", wins_bar(3, 0, 5)),
        (
            f"pairName({json.dumps(PAIR)}, '../')",
            render_player_names(("<b>seer</b>", "painter"), "../pairs/a-b.html", 0, 0, "b200", (True, False)),
        ),
    ],
    ids=lambda value: value[:30] if "(" in value[:16] else "",
)
def test_a_script_fills_a_component_as_a_page_does(blank: "Page", call: str, wanted: str) -> None:
    names = ("badge", "badge-missing", "missing", "heat", "heat-missing", "heat-difference", "difference")
    blank.set_content(str(prototypes(*names, "nothing-missing", "wins", "pair-name", "dot")))
    code = f"() => {{ const c = {bundle('components')} const made = c.{call}; return made.outerHTML ?? made; }}"
    shown = blank.evaluate(code)
    as_browsers_write_it = (
        "text => { const box = document.createElement('div'); box.innerHTML = text; return box.innerHTML; }"
    )
    assert shown == blank.evaluate(as_browsers_write_it, str(wanted))


def taken(blank: "Page", figure: dict[str, Any], keys: list[str], hues: dict[str, str] | None = None) -> dict[str, Any]:
    """The part of a figure that shows these pairs, as the script of figures takes it."""
    layout = {"height": 140, "margin": {"t": 10, "b": 10}, "annotations": [], **figure.pop("layout")}
    whole = {"pairs": ["a", "b", "c"], "behind": None, **figure, "layout": layout, "narrow": layout}
    call = (
        f"takePairs({json.dumps(whole)}, {json.dumps(keys)}, true, new Map(Object.entries({json.dumps(hues or {})})))"
    )
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


def test_style_sheets_go_without_the_comments_that_stand_alone() -> None:
    sheet = "/* The body,\n * and more. */\nbody { margin: 0; /* no frame */ }\n"
    assert strip_comments(sheet) == "body { margin: 0; /* no frame */ }\n"
