"""Language of describers, turn by turn: length of messages, and share of new words in them."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from math import ceil

from ircore.results.tables.language import messages_table
from ircore.results.tables.model import Table, Value
from leaderboard import labels
from leaderboard.charts.data import MOST_PANELS, RUN, Subject, grouped, of_runs, picked, where
from leaderboard.charts.dots import ends
from leaderboard.charts.panels import Scale, Spot, Track, panels
from leaderboard.charts.parts import Missing, Sketch, mean, pair_name, plain, steps
from leaderboard.charts.turns import turn_ticks
from leaderboard.site import Pair

_AID = (
    "The line is the mean over the episodes that have a message at a turn, the band its 95 % interval, and a mark's"
    " area shows how many these are: later turns rest on fewer, and usually harder, episodes."
)


def lengths_sketch(subject: Subject) -> Sketch | Missing:
    """Draw the mean length of messages by turn, a panel a pair."""
    table, rows = _of(subject)
    most = max([*ends([row["tokens"] for given in rows.values() for row in given]), 1.0])
    step = next(step for step in (5, 10, 20, 25, 50, 100, 200, 500, 10**9) if 1.1 * most / step <= 5)
    top = step * ceil(1.1 * most / step)
    scale = _scale(rows, (0, top * 1.02), steps(0, top, step), "mean length (tokens a message)", _whole)
    return _sketch(subject, table, rows, "tokens", scale, _length_title)


def novelty_sketch(subject: Subject) -> Sketch | Missing:
    """Draw which share of the words of a message is new to its episode, by turn, a panel a pair."""
    table, rows = _of(subject)
    later = where(table, "turn", lambda turn: turn != 1)
    if not later.rows:
        return Missing("Do later messages say anything new?", "No pair has a message after turn 1.")
    scale = replace(
        _scale(rows, (0, 101), steps(0, 100, 50), "new content words (%)", _percent),
        factor=100.0,
    )
    return _sketch(subject, later, grouped(later), "novelty", scale, _novelty_title)


def _of(subject: Subject) -> tuple[Table, dict[str, list[dict[str, Value]]]]:
    some = subject.best(MOST_PANELS)
    table = of_runs(messages_table(some.results), [pair.run_id for pair in some.ranked])
    return table, grouped(table)


def _scale(
    rows: Mapping[str, Sequence[Mapping[str, Value]]],
    y: tuple[float, float],
    y_ticks: Sequence[tuple[float, str]],
    y_title: str,
    form: Callable[[float | None], str],
) -> Scale:
    turns = max((round(mean(given[-1]["turn"]) or 1) for given in rows.values()), default=1)
    return Scale((0.6, turns + 0.4), turn_ticks(turns), "turn", y, y_ticks, y_title, form)


def _sketch(
    subject: Subject,
    table: Table,
    rows: Mapping[str, Sequence[Mapping[str, Value]]],
    key: str,
    scale: Scale,
    title: Callable[[Sequence[Track]], str],
) -> Sketch:
    tracks = [_track(pair, rows.get(pair.run_id, ()), key) for pair in subject.ranked[:MOST_PANELS]]
    traces, wide, narrow = panels(tracks, scale)
    return Sketch(
        title=title(tracks),
        reading_aid=f"{_AID}{subject.chosen_words(MOST_PANELS)}",
        traces=traces,
        wide=wide,
        narrow=narrow,
        table=picked(table, [RUN, "pair", "turn", "messages", key]),
    )


def _track(pair: Pair, rows: Sequence[Mapping[str, Value]], key: str) -> Track:
    most = max((mean(row["messages"]) or 0.0 for row in rows), default=0.0) or 1.0
    return Track(
        pair,
        tuple(
            Spot(
                mean(row["turn"]) or 0.0,
                row[key],
                (mean(row["messages"]) or 0.0) / most,
                f"{plain(pair_name(pair))}, turn {row['turn'].value}, {row['messages'].value} messages<br>",
            )
            for row in rows
        ),
    )


def _length_title(tracks: Sequence[Track]) -> str:
    several = [track for track in tracks if len(track.spots) > 1]
    shorter = sum((mean(track.spots[-1].value) or 0.0) < (mean(track.spots[0].value) or 0.0) for track in several)
    if not several:
        return "How long are messages?"
    return f"Do messages get shorter? The last ones are shorter than the first in {shorter} of {len(several)} pairs"


def _novelty_title(tracks: Sequence[Track]) -> str:
    several = [track for track in tracks if len(track.spots) > 1]
    firsts, lasts = ([mean(track.spots[at].value) or 0.0 for track in several] for at in (0, -1))
    if not several:
        return "Do later messages say anything new?"
    return f"New words: {_span(firsts)} of a message at turn 2, {_span(lasts)} at the last turn"


def _span(shares: Sequence[float]) -> str:
    low, high = labels.percent(min(shares)), labels.percent(max(shares))
    return f"{low} %" if low == high else f"{low}–{high} %"


def _whole(value: float | None) -> str:
    return labels.number(value, 0)


def _percent(value: float | None) -> str:
    return labels.MISSING if value is None else f"{labels.percent(value)} %"
