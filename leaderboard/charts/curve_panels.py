"""Panels of curves: one for each set of rules, with the runs that were played by them in the colour of a seat."""

from collections.abc import Sequence
from dataclasses import dataclass, replace

from leaderboard.charts.beside_curves import BesideCurves
from leaderboard.charts.grammar import Drawing, Json, escape_for_plotly, make_annotation
from leaderboard.charts.panels import Grid, name_panel_refs
from leaderboard.charts.tracks import Scale, Track, draw_context, draw_line
from leaderboard.model.site import Pair
from leaderboard.theme import describer_token, token

MOST_COLOURED = 4
"""Runs of a panel with a colour and a name; further runs are grey."""

PLOT = 200
"""Height of a panel, CSS pixels."""

_LINE = 14
"""Height of a name above a panel, CSS pixels."""


@dataclass(frozen=True)
class CurvePanel:
    """The runs of one panel.

    >>> CurvePanel("L2", tracks=()).title
    'L2'
    """

    title: str
    """Name of the rules; empty where all runs share them."""

    tracks: tuple[Track, ...]
    """Curves of its runs, the best run first."""


def colour_runs(pairs: Sequence[Pair]) -> list[Pair]:
    """Return runs in the colours and with the names of the seats that vary among them.

    Where all runs have the same player in the first seat, the colour tells the players of the second one.
    """
    firsts, seconds = ({getattr(pair, seat) for pair in pairs} for seat in ("describer", "generator"))
    by_second = len(firsts) == 1 and len(seconds) > 1
    same_second = len(seconds) == 1 and len(firsts) > 1
    return [
        replace(
            pair,
            hue=pair.shape if by_second else pair.hue,
            describer=pair.generator if by_second else pair.describer,
            generator="" if by_second or same_second else pair.generator,
            programs=pair.programs[1:] if by_second else pair.programs,
        )
        for pair in pairs
    ]


def draw_curve_panels(parts: Sequence[CurvePanel], scale: Scale, beside: BesideCurves) -> Drawing:
    """Return the drawing of some panels, in this order.

    Args:
        parts: The panels.
        scale: Axes that they share.
        beside: What stands behind the curves: people, and published series beside runs by their rules.
    """
    traces = [trace for number, part in enumerate(parts) for trace in _draw_traces(part, scale, beside, number)]
    wide, narrow = (_build_layout(parts, scale, beside, min(len(parts), most)) for most in (3, 1))
    return Drawing(traces, wide, narrow)


def _draw_traces(part: CurvePanel, scale: Scale, beside: BesideCurves, panel: int) -> list[Json]:
    own, others = part.tracks[:MOST_COLOURED], part.tracks[MOST_COLOURED:]
    # Bands first, so that no band hides another run's line, or a point of the paper.
    bands, lines = zip(*(draw_line(track, scale, panel) for track in reversed(own)), strict=True)
    return [
        *beside.people_traces(scale, panel),
        *bands,
        *([draw_context(others, scale, panel)] if others else []),
        *beside.series_traces(scale, panel, part.title),
        *lines,
    ]


def _build_layout(parts: Sequence[CurvePanel], scale: Scale, beside: BesideCurves, count: int) -> Json:
    x, y = ({name: value for name, value in axis.items() if name != "title"} for axis in (scale.x, scale.y))
    lines = max(min(len(part.tracks), MOST_COLOURED) for part in parts) + any(part.title for part in parts)
    head = _LINE * lines + 10

    def axes(panel: int, grid: Grid) -> tuple[Json, Json]:
        return {**x, "showgrid": False, "showline": True, "showticklabels": panel + grid.columns >= grid.count}, y

    def titles(panel: int, _: Grid) -> list[Json]:
        part = parts[panel]
        heads = [(escape_for_plotly(part.title, 40), token("text"), 700)] if part.title else []
        heads += [(_describe_track(track, scale), describer_token(track.pair.hue, "-text"), 400)
                  for track in part.tracks[:MOST_COLOURED]]  # fmt: skip
        return [
            *(
                make_annotation(
                    text, (0, 1), name_panel_refs(panel), "left bottom", (0, 6 + _LINE * (len(heads) - 1 - place)),
                    align="left", colour=colour, weight=weight,
                )
                for place, (text, colour, weight) in enumerate(heads)
            ),
            *beside.names(scale, panel, part.title, PLOT),
        ]  # fmt: skip

    notes = [
        make_annotation(scale.y["title"]["text"], (0, 1), "paper paper", "left bottom", (-18, head + 8)),
        make_annotation(scale.x["title"]["text"], (1, 0), "paper paper", "right top", (0, -20)),
    ]
    left = 12 + 7 * max(map(len, y["ticktext"]))
    return Grid(len(parts), count, panel=PLOT, between=head + 34, top=head + 32).layout(axes, titles, notes, left)


def _describe_track(track: Track, scale: Scale) -> str:
    """Return the name of a run with the first and the last value of its curve."""
    ends = [scale.form(value) for _, value, _ in track.known]
    name = " + ".join(filter(None, track.pair.names))
    return (
        f"{escape_for_plotly(name, 40)} {ends[0]} → {ends[-1]}"
        if len(ends) > 1
        else f"{escape_for_plotly(name, 40)} {''.join(ends)}"
    )
