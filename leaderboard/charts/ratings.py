"""Judge against judge: joint distribution of two judges' scores of the same renderings, with the line of agreement."""

from collections.abc import Sequence

from ircore.core.plain_words import format_count
from ircore.results.agreement import CrossedRatings
from ircore.results.tables.judges import ratings_table
from leaderboard.charts.data import Subject
from leaderboard.charts.grammar import Drawing, Json, Missing, Sketch, escape_for_plotly, scatter
from leaderboard.charts.panels import build_square_layouts, draw_diagonal, name_axes
from leaderboard.theme import token
from leaderboard.words import labels

_MOST = 9
"""Maximum of panels in the figure; the table has all pairs of raters."""

_LARGEST, _LEAST = 26.0, 3.5
"""Diameters of the commonest and of the rarest mark, CSS pixels: two neighbours touch but do not cover each other."""


def sketch_ratings(subject: Subject) -> Sketch | Missing:
    """Draw a joint histogram of the scores of every two judges, one panel per two judges."""
    crossings = subject.results.raters.crossed
    if not crossings:
        reason = "It needs two judges, or a judge and people, who rated the same renderings."
        return Missing("Do two judges mean the same by a number?", reason)
    shown = crossings[:_MOST]
    names = [f"{crossed.first_judge} × {crossed.second_judge}" for crossed in shown]
    traces = [trace for at, crossed in enumerate(shown) for trace in (_draw_marks(at, crossed), draw_diagonal(at))]
    layouts = build_square_layouts(names, "score by the second named (0–10)", "score by the first named (0–10)")
    return Sketch(
        title=_compose_title(crossings),
        reading_aid=(
            "Each mark is some renderings that the first named judge gave the score below and the second the score at"
            " the left, to whole points; its area is how many. On the dotted line both say the same: above it the"
            " second gives more." + (f" Shown are {_MOST} of {len(crossings)}." if len(crossings) > _MOST else "")
        ),
        drawing=Drawing(traces, *layouts),
        table=ratings_table(subject.results),
    )


def _compose_title(crossings: Sequence[CrossedRatings]) -> str:
    shares = [crossed.near for crossed in crossings]
    low, high = labels.format_share(min(shares)), labels.format_share(max(shares))
    span = f"{low} %" if low == high else f"{low} to {high} %"
    return f"Two judges are within one point of each other on {span} of renderings"


def _draw_marks(panel: int, crossed: CrossedRatings) -> Json:
    most = max(crossed.counts.values())
    return scatter(
        mode="markers",
        x=[x for x, _ in crossed.counts],
        y=[y for _, y in crossed.counts],
        marker={
            "symbol": "circle",
            # The square root makes the area, not the diameter, stand for the count.
            "size": [round(max(_LEAST, _LARGEST * (count / most) ** 0.5), 1) for count in crossed.counts.values()],
            "color": token("context"),
            "opacity": 1,
            "line": {"width": 1, "color": token("muted")},
        },
        customdata=[
            f"{escape_for_plotly(crossed.first_judge)} {x}, {escape_for_plotly(crossed.second_judge)} {y}"
            f"<br>{format_count(count, 'rendering')}"
            for (x, y), count in crossed.counts.items()
        ],
        hovertemplate="%{customdata}<extra></extra>",
        **name_axes(panel),
    )
