"""Holding figures against Plotly's own schema: the first of each kind, since all of a kind are made alike.

Figures are written without Plotly, whose check of every property takes about 30 ms a figure; here it has its say once
a build, so that a figure which a browser would not draw fails the build.
"""

import json
from collections.abc import Iterator
from pathlib import Path

from ircore.core.errors import WorkError
from leaderboard.charts.catalogue import OF_ALL, OF_JUDGE, OF_PAIR


def check_figures(folder: Path) -> int:
    """Check one figure of each kind that was written, in its wide and in its narrow layout.

    Args:
        folder: Holds ``<id>.json`` of every figure, as ``leaderboard.charts.catalogue.Chart.json`` has it.

    Returns:
        How many figures were checked.

    Raises:
        WorkError: Plotly does not know a property or a value of one.
    """
    import plotly.graph_objects as go

    checked = 0
    for path in _first_of_each_kind(folder):
        figure = json.loads(path.read_bytes())
        try:
            go.Figure(data=figure["data"], layout=figure["layout"])
            go.Figure(layout=figure["narrow"])
        except ValueError as error:
            said = next((line.strip() for line in str(error).splitlines() if line.strip()), "no reason given")
            raise WorkError(f"charts/{path.name}: Plotly refuses it: {said}", "Mend what draws it.") from error
        checked += 1
    return checked


def _first_of_each_kind(folder: Path) -> Iterator[Path]:
    for kind in (*OF_ALL, *OF_JUDGE):
        if (folder / f"{kind}.json").is_file():
            yield folder / f"{kind}.json"
    for kind in OF_PAIR:
        yield from sorted(folder.glob(f"{kind}-*.json"))[:1]
