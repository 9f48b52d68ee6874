"""Shares of facts said, drawn and corrected by a pair, turn by turn, one panel per share."""

from ircore.results.tables.model import Value
from ircore.results.tables.witnesses import said_table
from leaderboard.charts.data import Entry, Subject, grouped, picked
from leaderboard.charts.grammar import Missing, Sketch, axis, mean, percent, steps
from leaderboard.charts.tracks import Scale, Spot, Track, panels
from leaderboard.charts.turns import turn_axis
from leaderboard.model.site import Marked, Pair

_SHARES = {
    "said": "facts stated",
    "drawn": "of these, shown",
    "corrected": "of those named",
}
"""Shares by key of the table, each with what stands below its name."""


def pair_said_sketch(subject: Subject, pair: Pair) -> Sketch | Missing:
    """Draw a pair's shares of facts said, of said facts drawn, and of named errors corrected, by turn."""
    table = said_table(subject.only(pair).results)
    # The row ``last`` takes each episode at its own last turn, so it has no place on an axis of turns.
    rows = [row for row in grouped(table).get(pair.run_id, ()) if row["turn"].value != "last"]
    if not any(mean(row["said"]) is not None for row in rows):
        return Missing("What is said, drawn and corrected, turn by turn?", "Not measured: ircore score RUN --facts.")
    tracks = [
        Track(Marked(key.capitalize(), "", words, pair.hue, pair.shape), tuple(_spot(row, key) for row in rows))
        for key, words in _SHARES.items()
    ]
    y = axis(0, 101, steps(0, 100, 50), "share of facts, %")
    return Sketch(
        title=_title(rows),
        reading_aid=(
            "Shares of the facts of drawn targets, by weight: said by the messages up to a turn, shown by its rendering"
            " of those said, and right after a correction of those that it names. Bands are 95 % intervals; the other"
            " two shares stand behind in grey."
        ),
        drawing=panels(tracks, Scale(turn_axis(len(rows)), y, form=percent, factor=100)),
        table=picked(table, ("turn", *_SHARES)),
    )


def _spot(row: Entry, key: str) -> Spot:
    value: Value = row[key]
    return Spot(float(str(row["turn"].value)), value, hover_text=f"{key}, turn {row['turn'].value}<br>")


def _title(rows: list[Entry]) -> str:
    first, last = (percent(mean(rows[at]["said"])) for at in (0, -1))
    drawn = percent(mean(rows[-1]["drawn"]))
    said = (
        f"says {first} of the facts" if len(rows) == 1 else f"says {first} of the facts at first and {last} in the end"
    )
    return f"The describer {said}; the generator draws {drawn} of them"
