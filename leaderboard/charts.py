"""The figures of the site; the only module that knows Plotly.

A chart is data: its colours are names of CSS variables, which ``assets/js/charts.js`` looks up when it draws, and it
carries its numbers as a table for those who cannot or do not want to see it.
"""

import json
from collections.abc import Callable, Collection, Iterator, Mapping
from dataclasses import dataclass
from functools import partial
from typing import Any

import plotly.graph_objects as go
from plotly.offline import get_plotlyjs_version

from ircore.results.model import Results
from leaderboard.chart_parts import Sketch
from leaderboard.chart_rows import convergence_sketch, delta_sketch, pair_convergence_sketch
from leaderboard.chart_turns import heat_map_sketch, pair_trajectory_sketch, trajectories_sketch
from leaderboard.site import Pair
from leaderboard.theme import NARROW


@dataclass(frozen=True)
class Chart:
    """A figure with everything that stands around it."""

    id: str
    """Unique on the site and safe as a file name: ``charts/<id>.json``."""

    kind: str
    """What it shows, such as ``delta``."""

    title: str
    """The finding, or the question that it answers; may hold a stranger's words, so escape it."""

    reading_aid: str
    """One sentence on how to read it."""

    figure: Mapping[str, Any]
    """``data``, ``layout`` and ``narrow`` (the layout below ``breakpoint`` pixels), as Plotly's JSON."""

    columns: tuple[str, ...]
    """Heads of the table that says the same."""

    rows: tuple[tuple[str, ...], ...]
    """Its cells as text; may hold a stranger's words, so escape them."""

    @property
    def height(self) -> int:
        """Height of the wide layout, CSS pixels: to be kept free while the chart loads."""
        return int(self.figure["layout"]["height"])

    @property
    def narrow_height(self) -> int:
        """Height of the narrow layout, CSS pixels."""
        return int(self.figure["narrow"]["height"])

    def json(self) -> str:
        """Return the content of ``charts/<id>.json``."""
        return json.dumps(self.figure, ensure_ascii=False, separators=(",", ":"), allow_nan=False) + "\n"


def figures(
    results: Results, pairs: Mapping[str, Pair], wanted: Collection[str] | None = None, site_judge: str | None = None
) -> dict[str, Chart]:
    """Make the figures of the site.

    Args:
        results: What to show.
        pairs: Names and marks of the pairs, by run_id.
        wanted: Ids of the figures to make; None makes all.
        site_judge: Whose figures' ids do not name the judge; None for the first by name.

    Returns:
        By id, which is ``chart_id``. For each judge: ``trajectories``, ``delta`` and ``convergence`` over all pairs,
        and for each pair ``trajectory``, ``heat-map`` and ``pair-convergence``.
    """
    charts = {}
    for judge in results.judges:
        said = judge if judge != (site_judge or results.judges[0]) else None
        for kind, key, draw in _drawings(results, pairs, judge):
            identity = chart_id(kind, key, said)
            if wanted is None or identity in wanted:
                charts[identity] = _chart(identity, kind, draw())
    return charts


def chart_id(kind: str, pair_key: str | None = None, judge: str | None = None) -> str:
    """Return the id of a chart.

    Args:
        kind: What it shows.
        pair_key: ``Pair.key``; None for a chart of all pairs.
        judge: None for the site's own judge.
    """
    parts = (kind, pair_key, f"by-{judge}" if judge else None)
    return "-".join(part for part in parts if part)


def plotly_js_version() -> str:
    """Return the version of plotly.js that the installed Plotly was made for: the vendored bundle must be the same."""
    return str(get_plotlyjs_version())


_OF_ALL = {"trajectories": trajectories_sketch, "delta": delta_sketch, "convergence": convergence_sketch}

_OF_PAIR = {
    "trajectory": pair_trajectory_sketch,
    "heat-map": heat_map_sketch,
    "pair-convergence": pair_convergence_sketch,
}


def _drawings(
    results: Results, pairs: Mapping[str, Pair], judge: str
) -> Iterator[tuple[str, str | None, Callable[[], Sketch]]]:
    """Yield the kind of every figure, the key of the pair that it is about, and how to draw it."""
    every = tuple(pairs.values())
    for kind, of_all in _OF_ALL.items():
        yield kind, None, partial(of_all, results, every, judge)
    for pair in every:
        for kind, of_one in _OF_PAIR.items():
            yield kind, pair.key, partial(of_one, results, pair, judge)


def _chart(identity: str, kind: str, sketch: Sketch) -> Chart:
    return Chart(
        id=identity,
        kind=kind,
        title=sketch.title,
        reading_aid=sketch.reading_aid,
        figure={**_checked(sketch), "breakpoint": NARROW},
        columns=sketch.columns,
        rows=sketch.rows,
    )


def _checked(sketch: Sketch) -> dict[str, Any]:
    """Return the figure as Plotly's JSON, every property checked by Plotly and without its template."""
    wide = go.Figure(data=list(sketch.traces), layout={**sketch.wide, "template": "none"}).to_plotly_json()
    narrow = go.Layout({**sketch.narrow, "template": "none"}).to_plotly_json()
    for made in (wide["layout"], narrow):
        made.pop("template")
    return {"data": [_lean(trace) for trace in wide["data"]], "layout": wide["layout"], "narrow": narrow}


def _lean(trace: dict[str, Any]) -> dict[str, Any]:
    return {name: value for name, value in trace.items() if name != "uid"}
