"""Charts over turns and over token budgets: similarity, and facts said, drawn and corrected.

Similarity is of every pair or of a single pair; the facts are those of one pair. The effect of the token budget on
score and ΔQ, of pairs played under several budgets, is the paper's Figure 17.
"""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from math import log10

from ircore.core.plain_words import format_count
from ircore.results.statistics.intervals import are_too_few, clear_of
from ircore.results.tables.fact_tables import said_table
from ircore.results.tables.formats import SEM_WORDS
from ircore.results.tables.model import Table, Value
from ircore.results.tables.pairs import ALL
from ircore.results.tables.turns import budgets_table, trajectories_table
from leaderboard import words
from leaderboard.charts.data import (
    MOST_PANELS,
    RUN,
    ChartSubject,
    Entry,
    filter_rows,
    group_by_run,
    list_entries,
    select_columns,
    select_runs,
)
from leaderboard.charts.grammar import (
    FOOT,
    Json,
    Missing,
    PlotlyDrawing,
    Sketch,
    Ticks,
    build_layout,
    escape_for_plotly,
    format_percent,
    get_mean,
    has_enough_samples,
    make_axis,
    make_ticks,
    name_pair,
)
from leaderboard.charts.scores import choose_range_around_zero
from leaderboard.charts.tracks import PairTrack, TrackPoint, TrackScale, draw_line, draw_panels, label_ends, turn_track
from leaderboard.model.site import MarkedPlayers, Pair

_SMALL_TOP = 14
"""Room above a figure that needs no words there, CSS pixels."""

_AID = (
    "An episode that has ended keeps its last score, so every turn averages the same episodes; the band is the 95 %"
    " interval, and a mark's area shows how many episodes were still being refined."
)

_QUESTION = "How far does each pair get, turn by turn?"

_SEEN = 0.05
"""Points of the scale that two gains have to differ by to look different with one decimal."""

_COLUMNS = (RUN, "pair", "turn", "reached", "refining")

_SIMILARITY = "mean similarity so far (0–10)"

_SHARES = {
    "said": "facts stated",
    "drawn": "of these, shown",
    "corrected": "of those named",
}
"""Shares by key of the table, each with what stands below its name."""

_Series = Sequence[Entry]
"""Rows of one pair under several budgets, smallest first."""


def turn_axis(turns: int) -> Json:
    """Return the axis of turns 1 to ``turns``, with ticks at every turn, or at every third."""
    ticks: Ticks = [(turn, str(turn)) for turn in range(1, turns + 1, 1 if turns <= 5 else 3)]
    return make_axis(0.6, turns + 0.4, ticks, "turn")


def sketch_trajectories(subject: ChartSubject) -> Sketch | Missing:
    """Draw every pair's mean similarity by turn in a panel of its own, the others behind it in grey."""
    some = subject.best(MOST_PANELS)
    table = filter_rows(
        some.table(trajectories_table, subject.judge), "category", lambda of: of == (subject.category or ALL)
    )
    rows = group_by_run(table)
    # By what the figure shows, the last mean, which need not be the order of the board.
    ordered = sorted(some.ranked, key=lambda pair: _get_last(rows.get(pair.run_id, ())), reverse=True)
    tracks = [_build_track(pair, rows.get(pair.run_id, ())) for pair in ordered]
    others = " The other pairs stand behind in grey." if len(tracks) > 1 else ""
    # The best with a rank: one that broke the rules has its panel, and no headline.
    best = {pair.key for pair in subject.select_placed(subject.ranked[:MOST_PANELS])}
    return Sketch(
        title=subject.among_words(MOST_PANELS) + _compose_title([track for track in tracks if track.key in best]),
        reading_aid=f"{_AID}{others}",
        selection_words=subject.selection_words(MOST_PANELS),
        drawing=draw_panels(tracks, _choose_scale(tracks), subject.choice is not None),
        table=select_columns(select_runs(table, [pair.run_id for pair in ordered]), _COLUMNS),
        question=_QUESTION,
        says={
            track.key: "from {} to {}".format(*_format_ends(track))
            for track in tracks
            if track.spots and has_enough_samples(track.spots[0].value)
        },
    )


def sketch_pair_trajectory(subject: ChartSubject, pair: Pair) -> Sketch | Missing:
    """Draw one pair's mean similarity by turn."""
    table = _select_all_categories(trajectories_table(subject.only(pair).results, subject.judge))
    track = _build_track(pair, group_by_run(table).get(pair.run_id, ()))
    if not track.spots:
        return Missing("How far does the pair get, turn by turn?", "No episode was rated.")
    single = _build_single_layout(track, table)
    drawing = PlotlyDrawing(draw_line(track, _choose_scale([track])), single, single)
    return Sketch(_compose_pair_title(track), _AID, drawing, select_columns(table, _COLUMNS[2:]))


def sketch_pair_facts(subject: ChartSubject, pair: Pair) -> Sketch | Missing:
    """Draw a pair's shares of facts said, of said facts drawn, and of named errors corrected, by turn."""
    table = said_table(subject.only(pair).results)
    # The row ``last`` takes each episode at its own last turn, so it has no place on an axis of turns.
    rows = [row for row in group_by_run(table).get(pair.run_id, ()) if row["turn"].value != "last"]
    if not any(get_mean(row["said"]) is not None for row in rows):
        return Missing("What is said, drawn and corrected, turn by turn?", "Nobody looked for facts in this run.")
    tracks = [
        PairTrack(
            MarkedPlayers(key.capitalize(), "", words, pair.hue, pair.shape),
            tuple(_make_fact_spot(row, key) for row in rows),
        )
        for key, words in _SHARES.items()
    ]
    y = make_axis(0, 101, make_ticks(0, 100, 50), "share of facts, %")
    return Sketch(
        title=_compose_fact_title(rows),
        reading_aid=(
            "Shares of the facts of drawn targets, by weight: said by the messages up to a turn, shown by its rendering"
            " of those said, and right after a correction of those that it names. Bands are 95 % intervals; the other"
            " two shares stand behind in grey."
        ),
        drawing=draw_panels(tracks, TrackScale(turn_axis(len(rows)), y, form=format_percent, factor=100)),
        table=select_columns(table, ("turn", *_SHARES)),
    )


def sketch_budget_scores(subject: ChartSubject) -> Sketch | Missing:
    """Draw the mean score by token budget of each pair that was played under several budgets."""
    table = budgets_table(subject.results, subject.judge)
    if not table.rows:
        return Missing("Does a larger token budget give better pictures?", table.notes[0])
    table = subject.barred(table)
    series = _collect_series(table)
    y = make_axis(0, 10.1, make_ticks(0, 10, 5), "mean similarity of the final rendering (0–10)")
    return _build_sketch(
        subject, table, "score", TrackScale(_build_budget_axis(series), y), _compose_scores_title(series)
    )


def sketch_budget_scores_sem(subject: ChartSubject) -> Sketch | Missing:
    """Draw the mean score by token budget with bands of one standard error, the bars of the paper's Figure 17."""
    drawn = sketch_budget_scores(ChartSubject(subject.results, subject.pairs, subject.judge, bars="sem"))
    if isinstance(drawn, Missing):
        return drawn
    return replace(
        drawn,
        title="Score by token budget as the paper’s Figure 17 draws it, with bands of one standard error",
        reading_aid=f"Each mark is a mean over the episodes of one budget. {SEM_WORDS}",
    )


def sketch_budget_deltas(subject: ChartSubject) -> Sketch | Missing:
    """Draw ΔQ by token budget of each pair that was played under several budgets, with the line of no change."""
    title = "Does refinement bring more when messages are short?"
    table = budgets_table(subject.results, subject.judge)
    series = _collect_series(table)
    if not series:
        return Missing(title, table.notes[0])
    low, high, step = choose_range_around_zero([row["delta"] for rows in series for row in rows])
    y = make_axis(low, high, make_ticks(low, high, max(step, 1), signed=True), "ΔQ (points of 10)")
    return _build_sketch(
        subject, table, "delta", TrackScale(_build_budget_axis(series), y, form=words.format_signed, zero=True), title
    )


def _select_all_categories(table: Table) -> Table:
    """Return the rows of a table of trajectories that are about all categories together."""
    return filter_rows(table, "category", lambda category: category == ALL)


def _build_track(pair: Pair, rows: Sequence[Mapping[str, Value]]) -> PairTrack:
    return turn_track(pair, rows, "reached", "refining", "still refined")


def _get_last(rows: Sequence[Mapping[str, Value]]) -> float:
    # Below every score, so that pairs without a rated episode come last.
    return (get_mean(rows[-1]["reached"]) or 0.0) if rows else -1.0


def _choose_scale(tracks: Sequence[PairTrack]) -> TrackScale:
    turns = round(max((track.spots[-1].x for track in tracks if track.spots), default=1))
    y = make_axis(0, 10.1, make_ticks(0, 10, 5), _SIMILARITY)
    return TrackScale(turn_axis(turns), y, form=lambda value: words.number(value, 1))


def _build_single_layout(track: PairTrack, table: Table) -> Json:
    scale = _choose_scale([track])
    (first, last), (low, high) = scale.x["range"], scale.y["range"]
    refining = [cell.value for cell in table.column("refining")]
    ticks = [(spot.x, f"{spot.x:.0f}<br>n {n}") for spot, n in zip(track.spots, refining, strict=True)]
    return build_layout(
        _SMALL_TOP + FOOT + 252,
        44,
        12,
        _SMALL_TOP,
        FOOT + 16,
        xaxis=make_axis(first, last, ticks, "turn, and n episodes still being refined", showgrid=False),
        yaxis=make_axis(low, high, make_ticks(0, 10, 2), _SIMILARITY),
        annotations=label_ends(track, scale),
    )


def _compose_title(tracks: Sequence[PairTrack]) -> str:
    gains = sorted((_compute_gain(track) for track in tracks if track.spots), reverse=True)
    # Two gains that look the same leave no pair to be named.
    if len(gains) < 2 or gains[0] - max(0.0, gains[1]) < _SEEN:
        return _QUESTION
    best = max(tracks, key=_compute_gain)
    first, last = _format_ends(best)
    # What it gains is seen here; that it gains more than another pair has not been tested.
    return f"{name_pair(best.pair)} goes from {first} to {last} over the turns"


def _compose_pair_title(track: PairTrack) -> str:
    first, last = _format_ends(track)
    if len(track.spots) == 1:
        return f"No episode went beyond its first rendering: {first}"
    return f"From {first} after the first turn to {last} after the last"


def _format_ends(track: PairTrack) -> tuple[str, str]:
    return words.number(get_mean(track.spots[0].value), 1), words.number(get_mean(track.spots[-1].value), 1)


def _compute_gain(track: PairTrack) -> float:
    first, last = (get_mean(track.spots[at].value) or 0.0 for at in (0, -1)) if track.spots else (0.0, 0.0)
    return last - first


def _make_fact_spot(row: Entry, key: str) -> TrackPoint:
    value: Value = row[key]
    return TrackPoint(float(str(row["turn"].value)), value, hover_text=f"{key}, turn {row['turn'].value}<br>")


def _compose_fact_title(rows: list[Entry]) -> str:
    first, last = (format_percent(get_mean(rows[at]["said"])) for at in (0, -1))
    drawn = format_percent(get_mean(rows[-1]["drawn"]))
    said = (
        f"says {first} of the facts" if len(rows) == 1 else f"says {first} of the facts at first and {last} in the end"
    )
    return f"The describer {said}; the generator draws {drawn} of them"


def _collect_series(table: Table) -> list[_Series]:
    """Return the rows of each pair that was played under several budgets."""
    groups: list[list[Entry]] = []
    for row in list_entries(table):
        # Rows of one pair stand together, smallest budget first.
        if groups and row["players"] == groups[-1][-1]["players"] and _get_budget(row) > _get_budget(groups[-1][-1]):
            groups[-1].append(row)
        else:
            groups.append([row])
    return list(groups)


def _get_budget(row: Entry) -> int:
    return round(get_mean(row["budget"]) or 1)


def _build_budget_axis(series: Sequence[_Series]) -> Json:
    budgets = sorted({_get_budget(row) for rows in series for row in rows})
    low, high = log10(budgets[0]), log10(budgets[-1])
    # A single budget has no extent of its own.
    spare = 0.06 * (high - low or 1)
    ticks = [(round(log10(budget), 4), str(budget)) for budget in budgets]
    return make_axis(low - spare, high + spare, ticks, "token budget (tokens a message, logarithmic)")


def _build_sketch(subject: ChartSubject, table: Table, key: str, scale: TrackScale, title: str) -> Sketch:
    series = _collect_series(table)
    tracks = [
        PairTrack(
            # The rules in a pair's name would be those of one budget alone.
            replace(subject.pairs[str(rows[0][RUN].value)], apart=""),
            tuple(
                TrackPoint(
                    round(log10(_get_budget(row)), 4),
                    row[key],
                    hover_text=f"{escape_for_plotly(str(row['players'].value))}, {_get_budget(row)} tokens<br>",
                )
                for row in rows
            ),
        )
        for rows in series[:MOST_PANELS]
    ]
    return Sketch(
        title=title,
        reading_aid=(
            "Each mark is a mean over the episodes of one budget, the band its 95 % interval; only the budget differs"
            " along a line."
        ),
        selection_words=(
            f"Shown are {MOST_PANELS} of the {len(series)} pairs that were played under several budgets."
            if len(series) > MOST_PANELS
            else ""
        ),
        drawing=draw_panels(tracks, scale),
        table=select_columns(table, [RUN, "players", "budget", key, "episode_tokens", "over_budget"]),
    )


def _compose_scores_title(series: Sequence[_Series]) -> str:
    clear = sum(
        not are_too_few(rows[0]["score"].n) and high is not None and clear_of(rows[-1]["score"], high) == 1
        for rows in series
        for high in (rows[0]["score"].high,)
    )
    if not clear:
        return "Does a larger token budget give better pictures? No pair's intervals are clear of each other"
    return (
        f"The largest token budget is clearly better than the smallest for {clear} of "
        f"{format_count(len(series), 'pair')}"
    )
