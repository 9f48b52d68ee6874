"""Figures with a dot and a whisker: scores, ΔQ and preference of every pair, by one judge or by all."""

from collections.abc import Callable, Sequence
from math import ceil, floor

from ircore.games.reconstruction.published.published import JUDGES
from ircore.results.model import Results
from ircore.results.statistics.intervals import MINIMUM_PICTURES, clear_of
from ircore.results.tables.judges import judges_table
from ircore.results.tables.model import Table, Value
from ircore.results.tables.published import published_means_table
from leaderboard import labels
from leaderboard.charts.data import MOST_ROWS, RUN, Subject, of_runs, picked, with_judges
from leaderboard.charts.marks import Dot, dot
from leaderboard.charts.parts import (
    Json,
    Missing,
    Sketch,
    axis,
    interval_words,
    mean,
    pair_lines,
    pair_name,
    plain,
    steps,
    vertical,
    words,
)
from leaderboard.charts.published import AID, PublishedRow, drawn, preference_rows, score_rows
from leaderboard.charts.rows import RowLabel, place, row_layouts
from leaderboard.site import Pair
from leaderboard.theme import describer_token, generator_symbol, judge_token

_Form = Callable[[float | None], str]


def pair_dot(subject: Subject, pair: Pair, judge: str, value: Value, form: _Form, alone: bool) -> Dot:
    """Return a pair's mark: in its describer's hue, or in the judge's neutral tone where several stand together."""
    who = plain(pair_name(pair)) + ("" if alone else f"<br>judged by {plain(judge)}")
    return Dot(
        value,
        generator_symbol(pair.shape),
        describer_token(pair.hue) if alone else judge_token(subject.results.judges.index(judge)),
        f"{who}<br>{form(mean(value))}<br>{interval_words(value, form)}",
    )


def scores_sketch(subject: Subject) -> Sketch | Missing:
    """Draw the mean score of each pair by each judge, as the paper's Figure 4."""
    judges = _rating(subject, "score")
    if not judges:
        return Missing("How similar is what pairs draw?", "No rendering was rated.")
    pairs = subject.ranked[:MOST_ROWS]
    by_judge = {judge: subject.by_run(judge, "score") for judge in judges}
    published = score_rows(alone=len(judges) == 1)
    beside = [Value(mark.value) for row in published for line in row.lines for mark in line]
    low, high = _whole_points([*(estimate for given in by_judge.values() for estimate in given.values()), *beside])
    table = of_runs(judges_table(subject.results), [pair.run_id for pair in pairs])
    return _sketch(
        subject,
        pairs,
        by_judge,
        title=_scores_title(subject),
        reading_aid=(
            "Each mark is a pair's mean similarity of the final rendering, each line its 95 % interval"
            + (", one line of marks a judge" if len(judges) > 1 else "")
            + "; judges do not mean the same by a number, so compare pairs within a judge."
            + (" † is a judge of the describer's own family." if table.carried else "")
        ),
        xaxis=axis(low, high, steps(low, high, 1), title={"text": "mean similarity of the final rendering (0–10)"}),
        table=picked(table, [RUN, "pair", *judges]),
        form=labels.number,
        published=published,
        beside=picked(published_means_table(), ["pair", *JUDGES]),
    )


def delta_sketch(subject: Subject) -> Sketch | Missing:
    """Draw what refinement brought to each pair as one judge sees it, best first."""
    return _deltas(subject, (subject.judge,))


def deltas_sketch(subject: Subject) -> Sketch | Missing:
    """Draw what refinement brought to each pair by each judge, as the paper's Figure 15."""
    judges = _rating(subject, "delta")
    if not judges:
        return Missing("Does refinement help?", "No episode of several renderings was rated.")
    return _deltas(subject, judges)


def preferences_sketch(subject: Subject) -> Sketch | Missing:
    """Draw how often the final rendering is preferred to the first, as the paper's Figure 16."""
    asked = {judge: subject.by_run(judge, "preference") for judge in _rating(subject, "preference")}
    if not asked:
        return Missing("Is the final rendering preferred to the first?", "No judge was asked for a preference.")
    pairs = _by_value(subject.ranked[:MOST_ROWS], next(iter(asked.values())))
    return _sketch(
        subject,
        pairs,
        asked,
        title=_against(
            [value for values in asked.values() for value in values.values()],
            0.5,
            ("The final rendering is preferred in", "the first in"),
            "Is the final rendering preferred to the first? No interval is clear of 50 %",
            "comparisons" if len(asked) > 1 else "pairs",
        ),
        reading_aid=(
            "Each mark is the share of a pair's episodes of several renderings in which the final one is preferred to"
            " the first, a tie being half; a line that crosses 50 % leaves it open."
        ),
        xaxis=axis(0, 100, steps(0, 100, 25), title={"text": "final rendering preferred (% of episodes)"}),
        table=_judged_table(subject, tuple(asked), pairs, "preference", "Preference: final against first"),
        form=_percent,
        scale=100,
        shapes=[vertical(50)],
        notes=_sides(50, "← first", "final →"),
        published=preference_rows(),
        beside=picked(published_means_table(), ["pair", "final_preferred"]),
    )


def _rating(subject: Subject, key: str) -> tuple[str, ...]:
    """Return the judges that have given some pair such a number, the subject's own first."""
    own = sorted(subject.results.judges, key=lambda judge: judge != subject.judge)
    return tuple(judge for judge in own if any(estimate.n for estimate in subject.by_run(judge, key).values()))


def _deltas(subject: Subject, judges: Sequence[str]) -> Sketch | Missing:
    by_judge = {judge: subject.by_run(judge, "delta") for judge in judges}
    pairs = _by_value(subject.ranked[:MOST_ROWS], by_judge[judges[0]])
    every = [by_judge[judge][pair.run_id] for judge in judges for pair in pairs]
    low, high, step = around_zero(every)
    return _sketch(
        subject,
        pairs,
        by_judge,
        title=_against(
            every,
            0,
            ("Refinement helps", "harms"),
            "Does refinement help? No pair's interval is clear of zero",
            "pairs" if len(judges) == 1 else "comparisons",
        ),
        reading_aid=(
            "Each mark is a pair's mean change from first to final rendering, over its episodes of at least two"
            " renderings, and each line its 95 % interval: a line that crosses zero leaves open whether refining helps."
        ),
        xaxis=axis(
            low,
            high,
            steps(low, high, step, 1 if step < 1 else 0, signed=True),
            title={"text": "ΔQ = final − first similarity (points of 10)"},
        ),
        table=_judged_table(subject, judges, pairs, "delta", "ΔQ"),
        form=labels.signed,
        shapes=[vertical(0)],
        notes=_sides(0, "← worse", "better →"),
    )


def _sketch(
    subject: Subject,
    pairs: Sequence[Pair],
    by_judge: dict[str, dict[str, Value]],
    *,
    title: str,
    reading_aid: str,
    xaxis: Json,
    table: Table,
    form: _Form,
    scale: float = 1,
    shapes: Sequence[Json] = (),
    notes: Sequence[Json] = (),
    published: Sequence[PublishedRow] = (),
    beside: Table | None = None,
) -> Sketch:
    """Draw a row per pair with a mark per judge; below, the paper's ``published`` rows, from the table ``beside``."""
    alone = len(by_judge) == 1
    most = max(len(by_judge), *(len(row.lines) for row in published), 0)
    names = [
        RowLabel(
            pair_lines(pair),
            tuple(_said(judge, values[pair.run_id], form, alone) for judge, values in by_judge.items()),
        )
        for pair in pairs
    ]
    marks = [
        dot(
            pair_dot(subject, pair, judge, values[pair.run_id], form, alone),
            place(row, index, len(by_judge), most),
            scale,
        )
        for row, pair in enumerate(pairs)
        for index, (judge, values) in enumerate(by_judge.items())
    ]
    more_names, more_marks, lines = drawn(published, len(names), most) if published else ([], [], [])
    head = 46 if notes else 14
    wide, narrow = row_layouts([*names, *more_names], xaxis, notes, head, shapes=[*shapes, *lines])
    aid = reading_aid + subject.chosen_words(MOST_ROWS) + AID * bool(published)
    return Sketch(title, aid, [*marks, *more_marks], wide, narrow, table, (beside,) if beside else ())


def _said(judge: str, value: Value, form: _Form, alone: bool) -> str:
    if not value.n and not alone:
        return f"{judge} · none"
    mark = "†" if value.marks else ""
    text = f"{form(mean(value))}{mark} · n {value.n or 0}"
    return text if alone else f"{judge} · {text}"


def _judged_table(subject: Subject, judges: Sequence[str], pairs: Sequence[Pair], key: str, title: str) -> Table:
    runs = [pair.run_id for pair in pairs]
    if len(judges) == 1:
        return picked(of_runs(subject.board(judges[0]), runs), [RUN, "pair", key], title=title)
    tables = [(judge, picked(subject.board(judge), [RUN, "pair", key], title=title)) for judge in judges]
    return of_runs(with_judges(tables), runs)


def _by_value(pairs: Sequence[Pair], values: dict[str, Value]) -> list[Pair]:
    """Return pairs by a value, highest first; those without one last."""
    return sorted(pairs, key=lambda pair: (mean(values[pair.run_id]) is None, -(mean(values[pair.run_id]) or 0.0)))


def _sides(at: float, left: str, right: str) -> list[Json]:
    above = {"xref": "x", "yref": "paper", "yanchor": "bottom", "yshift": 6}
    return [
        words(left, at, 1, **above, xanchor="right", xshift=-6),
        words(right, at, 1, **above, xanchor="left", xshift=6),
    ]


def ends(values: Sequence[Value]) -> list[float]:
    """Return every number and every end of an interval among some entries."""
    return [end for estimate in values for end in (mean(estimate), estimate.low, estimate.high) if end is not None]


def around_zero(values: Sequence[Value]) -> tuple[float, float, float]:
    """Return a range of whole half points that holds every interval and zero, with room for a word on either side.

    Returns:
        Its ends, and the step of its ticks: about eight.
    """
    interval_ends = ends(values)
    low, high = min([0.0, *interval_ends]), max([0.0, *interval_ends])
    spare = max(0.25, 0.15 * (high - low))
    first, last = floor(2 * min(low - 0.1, -spare)) / 2, ceil(2 * max(high + 0.1, spare)) / 2
    return first, last, next((step for step in (0.5, 1, 2, 5) if (last - first) / step <= 7), 5)


def _whole_points(values: Sequence[Value]) -> tuple[float, float]:
    """Return a range of whole points within 0–10 that holds every interval, at least four points."""
    interval_ends = ends(values) or [0.0, 10.0]
    low, high = floor(min(interval_ends)), ceil(max(interval_ends))
    while high - low < 4:
        low, high = max(0, low - 1), min(10, high + 1)
    return low, high


def _percent(share: float | None) -> str:
    return labels.MISSING if share is None else f"{labels.percent(share)} %"


def _against(values: Sequence[Value], line: float, verbs: tuple[str, str], open_title: str, what: str) -> str:
    """Say on how many sides of a line intervals lie; what crosses it is undecided, what has no mean does not count."""
    known = sum(mean(estimate) is not None for estimate in values)
    sides = [clear_of(estimate, line) for estimate in values]
    above, below = sides.count(1), sides.count(-1)
    if above == below == 0:
        return open_title
    undecided = known - above - below
    of = f"{known} {what.removesuffix('s') if known == 1 else what}"
    said = f"{verbs[0]} {above} of {of} and {verbs[1]} {below or 'none'}"
    return f"{said}; {undecided} {'is' if undecided == 1 else 'are'} undecided" if undecided else said


def _scores_title(subject: Subject) -> str:
    """Say what the ranks allow: who leads, or how many cannot be told apart."""
    results: Results = subject.results
    judges = _rating(subject, "score")
    top = [{row.submission.run_id for row in results.board(judge) if row.top} for judge in judges]
    by = subject.judge if len(judges) == 1 else "every judge"
    if len({row.submission.run_id for judge in judges for row in results.board(judge) if row.cell.score.n}) < 2:
        return "How similar is what the pair draws?"
    if not all(top):
        reasons = {row.cell.unranked for judge in judges for row in results.board(judge)}
        few = reasons == {"too_few"}
        return f"Fewer than {MINIMUM_PICTURES} pictures a pair: too few to rank" if few else "No pair has a rank yet"
    always = set.intersection(*top) if top else set()
    if len(always) == 1 and all(len(cluster) == 1 for cluster in top):
        return f"{pair_name(subject.pairs[next(iter(always))])} leads by main score, judged by {by}"
    if len(judges) == 1:
        ranked = sum(row.rank_low is not None for row in results.board(judges[0]))
        return f"{len(top[0])} of {ranked} ranked pairs cannot be told from the best by main score"
    return f"Judges leave {min(map(len, top))} to {max(map(len, top))} of {len(subject.pairs)} pairs in the top group"
