"""Language of describers, turn by turn: length of messages, and share of new words in them."""

from collections.abc import Callable, Mapping, Sequence
from math import ceil

from ircore.core.plain_words import format_count
from ircore.results.statistics.intervals import MINIMUM_PICTURES
from ircore.results.tables.language import messages_table
from ircore.results.tables.model import Table, Value
from leaderboard.charts.data import MOST_PANELS, RUN, Subject, filter_rows, group_by_run, select_columns, select_runs
from leaderboard.charts.grammar import (
    Json,
    Missing,
    Sketch,
    format_percent,
    get_mean,
    has_enough_samples,
    list_interval_ends,
    make_axis,
    make_ticks,
)
from leaderboard.charts.tracks import Scale, Track, draw_panels, turn_track
from leaderboard.charts.turns import turn_axis
from leaderboard.words import labels

_AID = (
    "The line is the mean over the same episodes at each turn, those that go on to the last turn shown, the band its"
    " 95 % interval; a mark's area shows how many episodes have a message at the turn, these and easier ones."
)

_LAST = f"at the last turn that {MINIMUM_PICTURES} episodes reach"

_STEPS = (5, 10, 20, 25, 50, 100, 200, 500, 10**9)
"""Candidates for the tokens between two ticks; the last fits any length."""


def sketch_lengths(subject: Subject) -> Sketch | Missing:
    """Draw the mean length of messages by turn, a panel a pair."""
    table = _select_messages(subject)
    rows = group_by_run(table)
    most = max([*list_interval_ends(table.column("tokens")), 1.0])
    step = next(step for step in _STEPS if 1.1 * most / step <= 5)
    # A tenth of room, so that the highest mark does not touch the edge.
    top = step * ceil(1.1 * most / step)
    y = make_axis(0, top * 1.02, make_ticks(0, top, step), "mean length (tokens a message)")
    scale = Scale(_build_turn_axis(rows), y, form=lambda value: labels.number(value, 0))
    tracks = _build_tracks(subject, rows, "tokens")
    return _build_sketch(subject, table, "tokens", tracks, scale, _compose_length_title)


def sketch_novelty(subject: Subject) -> Sketch | Missing:
    """Draw the share of a message's words that are new to its episode, by turn, one panel per pair."""
    table = _select_messages(subject)
    # In the first message of an episode every word is new.
    later = filter_rows(table, "turn", lambda turn: turn != 1)
    if not later.rows:
        return Missing("Do later messages say anything new?", "No pair has a message after turn 1.")
    y = make_axis(0, 101, make_ticks(0, 100, 50), "new content words (%)")
    scale = Scale(_build_turn_axis(group_by_run(table)), y, form=format_percent, factor=100.0)
    tracks = _build_tracks(subject, group_by_run(later), "novelty")
    return _build_sketch(subject, later, "novelty", tracks, scale, _compose_novelty_title)


def _select_messages(subject: Subject) -> Table:
    some = subject.best(MOST_PANELS)
    return select_runs(some.table(messages_table), [pair.run_id for pair in some.ranked])


def _build_turn_axis(rows: Mapping[str, Sequence[Mapping[str, Value]]]) -> Json:
    return turn_axis(max((round(get_mean(entries[-1]["turn"]) or 1) for entries in rows.values()), default=1))


def _build_tracks(subject: Subject, rows: Mapping[str, Sequence[Mapping[str, Value]]], key: str) -> list[Track]:
    return [
        turn_track(pair, rows.get(pair.run_id, ()), key, "messages", "messages") for pair in subject.shown(MOST_PANELS)
    ]


def _build_sketch(
    subject: Subject,
    table: Table,
    key: str,
    tracks: Sequence[Track],
    scale: Scale,
    title: Callable[[Sequence[Track]], str],
) -> Sketch:
    best = {pair.key for pair in subject.ranked[:MOST_PANELS]}
    return Sketch(
        title=subject.among_words(MOST_PANELS) + title([track for track in tracks if track.key in best]),
        reading_aid=_AID,
        selection_words=subject.selection_words(MOST_PANELS),
        drawing=draw_panels(tracks, scale, subject.choice is not None),
        table=select_columns(table, [RUN, "pair", "turn", "messages", key]),
        question=title([]),
        says={
            track.key: f"from {scale.form(track.known[0][1])} to {scale.form(track.known[-1][1])}"
            for track in tracks
            if track.known and has_enough_samples(track.known[0][2].value)
        },
    )


def _compose_length_title(tracks: Sequence[Track]) -> str:
    firsts, lasts = _collect_ends(tracks)
    if not firsts:
        return "How long are messages?"
    shorter = sum(last < first for first, last in zip(firsts, lasts, strict=True))
    pairs = format_count(len(firsts), "pair")
    return f"Do messages get shorter? They are shorter {_LAST} than at turn 1 in {shorter} of {pairs}"


def _compose_novelty_title(tracks: Sequence[Track]) -> str:
    firsts, lasts = _collect_ends(tracks)
    if not firsts:
        return "Do later messages say anything new?"
    return f"New words: {_format_span(firsts)} of a message at turn 2, {_format_span(lasts)} {_LAST}"


def _collect_ends(tracks: Sequence[Track]) -> tuple[list[float], list[float]]:
    """Return the first and the last value that rest on enough episodes, of each track that has several such values."""
    values = [
        [get_mean(spot.value) or 0.0 for spot in track.spots if has_enough_samples(spot.value)] for track in tracks
    ]
    # A pair with a single turn has nothing that changes.
    several = [of_track for of_track in values if len(of_track) > 1]
    return [of_track[0] for of_track in several], [of_track[-1] for of_track in several]


def _format_span(shares: Sequence[float]) -> str:
    low, high = labels.format_share(min(shares)), labels.format_share(max(shares))
    return f"{low} %" if low == high else f"{low}–{high} %"
