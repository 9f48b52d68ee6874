"""Language of describers: length of messages and share of new words by turn, and the topics of their corrections.

Topics are heat maps, by pair and by turn.
"""

from collections.abc import Callable, Mapping, Sequence
from math import ceil

from ircore.results.corrections import CORRECTIONS
from ircore.results.curves import SAME_EPISODES
from ircore.results.statistics.intervals import MINIMUM_PICTURES
from ircore.results.tables.language import corrections_by_turn_table, corrections_table, messages_table
from ircore.results.tables.model import Table, Value
from leaderboard import words
from leaderboard.charts.data import (
    MOST_PANELS,
    MOST_ROWS,
    RUN,
    ChartSubject,
    filter_rows,
    group_by_run,
    select_columns,
    select_runs,
)
from leaderboard.charts.grammar import (
    Json,
    Missing,
    PlotlyDrawing,
    Sketch,
    build_layout,
    count_sides,
    escape_for_plotly,
    format_percent,
    get_mean,
    has_enough_samples,
    list_interval_ends,
    list_pair_lines,
    make_annotation,
    make_axis,
    make_ticks,
    measure_margin,
    name_pair,
)
from leaderboard.charts.heat import HeatMap, draw_small_maps, name_axis
from leaderboard.charts.tracks import PairTrack, TrackScale, draw_panels, turn_track
from leaderboard.charts.turns import turn_axis
from leaderboard.model.site import Pair
from leaderboard.words import CORRECTION_WORDS

_AID = (
    "The line is the mean over the same episodes at each turn, those that go on to the last turn shown, the band its"
    " 95 % interval; a mark's area shows how many episodes have a message at the turn, these and easier ones."
)

_LAST = f"at the last turn that {MINIMUM_PICTURES} episodes reach"

_STEPS = (5, 10, 20, 25, 50, 100, 200, 500, 10**9)
"""Candidates for the tokens between two ticks; the last fits any length."""

_TOPIC_NAMES = [CORRECTION_WORDS[correction] for correction in CORRECTIONS]

_TOPIC_QUESTION = "What do corrections talk about?"

_TOPIC_HEAD = 124
"""Room for the names of the columns, CSS pixels."""

_TOPIC_ROW = 38
"""Height of a row, CSS pixels."""


def sketch_lengths(subject: ChartSubject) -> Sketch | Missing:
    """Draw the mean length of messages by turn, a panel a pair."""
    table = _select_messages(subject)
    rows = group_by_run(table)
    most = max([*list_interval_ends(table.column("tokens")), 1.0])
    step = next(step for step in _STEPS if 1.1 * most / step <= 5)
    # A tenth of room, so that the highest mark does not touch the edge.
    top = step * ceil(1.1 * most / step)
    y = make_axis(0, top * 1.02, make_ticks(0, top, step), "mean length (tokens a message)")
    scale = TrackScale(_build_turn_axis(rows), y, form=lambda value: words.number(value, 0))
    tracks = _build_tracks(subject, rows, "tokens")
    said = f" A pair's messages get shorter if the interval {_LAST} lies below that of turn 1."
    return _build_sketch(subject, table, "tokens", tracks, scale, _compose_length_title, said)


def sketch_novelty(subject: ChartSubject) -> Sketch | Missing:
    """Draw the share of a message's words that are new to its episode, by turn, one panel per pair."""
    table = _select_messages(subject)
    # In the first message of an episode every word is new.
    later = filter_rows(table, "turn", lambda turn: turn != 1)
    if not later.rows:
        return Missing("Do later messages say anything new?", "No pair has a message after turn 1.")
    y = make_axis(0, 101, make_ticks(0, 100, 50), "new content words (%)")
    scale = TrackScale(_build_turn_axis(group_by_run(table)), y, form=format_percent, factor=100.0)
    tracks = _build_tracks(subject, group_by_run(later), "novelty")
    return _build_sketch(subject, later, "novelty", tracks, scale, _compose_novelty_title)


def sketch_corrections(subject: ChartSubject) -> Sketch | Missing:
    """Draw the topics of each pair's correction messages as a heat map, as the paper's Figure 7."""
    some = subject.best(MOST_ROWS)
    table = select_runs(some.table(corrections_table), [pair.run_id for pair in some.ranked])
    rows = group_by_run(table)
    pairs = [pair for pair in some.ranked if get_mean(rows[pair.run_id][0]["messages"])]
    if not pairs:
        return Missing(_TOPIC_QUESTION, "No pair has a message after turn 1.")
    cells = [[rows[pair.run_id][0][correction] for correction in CORRECTIONS] for pair in pairs]
    heat_map = HeatMap([escape_for_plotly(name_pair(pair), 80) for pair in pairs], _TOPIC_NAMES, cells, share=True)
    wide, narrow = (_build_profile_layout(pairs, heat_map, narrow) for narrow in (False, True))
    keys = [pair.key for pair in pairs]
    best = {pair.key for pair in subject.ranked[:MOST_ROWS]}
    of_best = [row for pair, row in zip(pairs, cells, strict=True) if pair.key in best]
    return Sketch(
        title=subject.among_words(MOST_ROWS) + _compose_profile_title(of_best),
        reading_aid=(
            "Each cell is the share (%) of a pair's messages after turn 1 in which words of a category occur; a message"
            " may be about several things. Intervals are in the table."
        ),
        selection_words=subject.selection_words(MOST_ROWS),
        drawing=PlotlyDrawing([{**heat_map.trace(), "ids": keys}], wide, narrow, "rows", keys),
        table=select_columns(table, [RUN, "pair", "messages", *CORRECTIONS]),
        question=_TOPIC_QUESTION,
    )


def sketch_corrections_by_turn(subject: ChartSubject) -> Sketch | Missing:
    """Draw the topics of corrections by turn, one small heat map per pair, as the paper's Figure 13."""
    title = "Do corrections change over the turns?"
    some = subject.best(MOST_PANELS)
    table = select_runs(some.table(corrections_by_turn_table), [pair.run_id for pair in some.ranked])
    if not table.rows:
        return Missing(title, "No pair has a message after turn 1.")
    maps, rows = [], group_by_run(table)
    for pair in some.ranked:
        by_turn = {round(get_mean(row["turn"]) or 0): row for row in rows.get(pair.run_id, ())}
        # Turn 1 corrects nothing: there is no rendering yet.
        turns = range(2, max(by_turn, default=2) + 1)
        cells = [
            [by_turn[turn][correction] if turn in by_turn else None for turn in turns] for correction in CORRECTIONS
        ]
        maps.append(HeatMap(_TOPIC_NAMES, [f"turn {turn}" for turn in turns], cells, share=True))
    return Sketch(
        title=title,
        reading_aid=(
            "Each cell is the share of a turn's messages in which words of a category occur: the stronger the colour"
            f" the more. {SAME_EPISODES}"
        ),
        selection_words=subject.selection_words(MOST_PANELS),
        drawing=draw_small_maps(some.ranked, maps, _TOPIC_NAMES, first=2),
        table=select_columns(table, [RUN, "pair", "turn", "messages", *CORRECTIONS]),
        question=title,
    )


def _select_messages(subject: ChartSubject) -> Table:
    some = subject.best(MOST_PANELS)
    return select_runs(some.table(messages_table), [pair.run_id for pair in some.ranked])


def _build_turn_axis(rows: Mapping[str, Sequence[Mapping[str, Value]]]) -> Json:
    return turn_axis(max((round(get_mean(entries[-1]["turn"]) or 1) for entries in rows.values()), default=1))


def _build_tracks(
    subject: ChartSubject, rows: Mapping[str, Sequence[Mapping[str, Value]]], key: str
) -> list[PairTrack]:
    return [
        turn_track(pair, rows.get(pair.run_id, ()), key, "messages", "messages") for pair in subject.shown(MOST_PANELS)
    ]


def _build_sketch(
    subject: ChartSubject,
    table: Table,
    key: str,
    tracks: Sequence[PairTrack],
    scale: TrackScale,
    title: Callable[[Sequence[PairTrack]], str],
    more: str = "",
) -> Sketch:
    best = {pair.key for pair in subject.ranked[:MOST_PANELS]}
    return Sketch(
        title=subject.among_words(MOST_PANELS) + title([track for track in tracks if track.key in best]),
        reading_aid=_AID + more,
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


def _compose_length_title(tracks: Sequence[PairTrack]) -> str:
    ends = _collect_ends(tracks)
    if not ends:
        return "How long are messages?"
    # Of the same episodes the difference is at least as sure as intervals apart show it.
    sides = [_are_apart(last, first) - _are_apart(first, last) for first, last in ends]
    return count_sides(sides, ("Messages get shorter in", "longer in")) or (
        "Do messages get shorter? No pair's length at its last turn is clear of that at turn 1"
    )


def _are_apart(lower: Value, higher: Value) -> bool:
    return lower.high is not None and higher.low is not None and lower.high < higher.low


def _compose_novelty_title(tracks: Sequence[PairTrack]) -> str:
    ends = _collect_ends(tracks)
    if not ends:
        return "Do later messages say anything new?"
    firsts, lasts = zip(*ends, strict=True)
    return f"New words: {_format_span(firsts)} of a message at turn 2, {_format_span(lasts)} {_LAST}"


def _collect_ends(tracks: Sequence[PairTrack]) -> list[tuple[Value, Value]]:
    """Return the first and the last value that rest on enough episodes, of each track that has several such values."""
    values = [[spot.value for spot in track.spots if has_enough_samples(spot.value)] for track in tracks]
    # A pair with a single turn has nothing that changes.
    return [(of_track[0], of_track[-1]) for of_track in values if len(of_track) > 1]


def _format_span(values: Sequence[Value]) -> str:
    shares = [get_mean(value) or 0.0 for value in values]
    low, high = words.format_share(min(shares)), words.format_share(max(shares))
    return f"{low} %" if low == high else f"{low}–{high} %"


def _build_profile_layout(pairs: Sequence[Pair], heat_map: HeatMap, narrow: bool) -> Json:
    length, angle, anchor = (15, -90, "center bottom") if narrow else (36, -45, "left bottom")
    lines = [list_pair_lines(pair) for pair in pairs]
    heads = [
        make_annotation(name, (at, 1), "x paper", anchor, (0, 3), textangle=angle)
        for at, name in enumerate(heat_map.columns)
    ]
    return build_layout(
        _TOPIC_HEAD + 12 + _TOPIC_ROW * len(pairs),
        measure_margin([line[:length] for pair in lines for line in pair], 250),
        8 if narrow else 70,
        _TOPIC_HEAD,
        12,
        xaxis=make_axis(-0.5, len(heat_map.columns) - 0.5, showgrid=False),
        yaxis=name_axis(["<br>".join(escape_for_plotly(line, length) for line in pair) for pair in lines]),
        annotations=[*heat_map.numbers([pair.key for pair in pairs]), *heads],
        coloraxis=heat_map.coloraxis,
    )


def _compose_profile_title(cells: Sequence[Sequence[Value]]) -> str:
    """Name the most frequent topic of corrections and the topic on which two pairs differ most, if any two surely do.

    Args:
        cells: Shares of each pair by topic; a pair with messages of too few episodes is left out.
    """
    known = [row for row in cells if all(map(has_enough_samples, row))]
    rows = [[get_mean(value) or 0.0 for value in row] for row in known]
    if not rows:
        return _TOPIC_QUESTION
    spans = [
        (max(shares) - min(shares), sum(shares) / len(shares), name.lower())
        for name, shares in zip(_TOPIC_NAMES, zip(*rows, strict=True), strict=True)
    ]
    widest, _, differing = max(spans, key=lambda span: span[0])
    _, _, commonest = max(spans, key=lambda span: span[1])
    said = f"Corrections are most often about {commonest}"
    topic = next(
        values for name, values in zip(_TOPIC_NAMES, zip(*known, strict=True), strict=True) if name.lower() == differing
    )
    least, most = (choose(topic, key=lambda value: get_mean(value) or 0.0) for choose in (min, max))
    # A spread of less than five points is too small for a headline, and one within the intervals may be chance.
    if len(rows) < 2 or widest < 0.05 or not _are_apart(least, most):
        return said
    return f"{said}; pairs differ most in {differing} ({100 * widest:.0f} points)"
