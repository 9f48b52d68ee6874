"""Charts of scores, ΔQ and preference with one mark and whisker per pair, and of where scores vary from.

Marks are by one judge or by all judges. Scores vary with the picture, with what a picture is to a pair, and with the
luck of play.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from math import ceil, floor

from ircore.core.plain_words import format_count
from ircore.results.statistics.intervals import MINIMUM_PICTURES, clear_of
from ircore.results.tables.formats import SEM, SEM_WORDS
from ircore.results.tables.games import published_table
from ircore.results.tables.judges import judges_table
from ircore.results.tables.model import Table, Value
from ircore.results.tables.variance import variance_table
from leaderboard import words
from leaderboard.charts.data import (
    MOST_ROWS,
    RUN,
    ChartSubject,
    Entry,
    join_judges,
    list_entries,
    select_columns,
    select_runs,
)
from leaderboard.charts.grammar import (
    HEAD,
    Json,
    Missing,
    Sketch,
    count_sides,
    describe_interval,
    escape_for_plotly,
    format_percent,
    get_mean,
    has_enough_samples,
    list_interval_ends,
    list_pair_lines,
    make_annotation,
    make_axis,
    make_ticks,
    make_vertical_line,
    name_pair,
)
from leaderboard.charts.rows import (
    ChartMark,
    MarkRow,
    build_preference_rows,
    draw_marked_rows,
    list_published_judges,
    score_rows,
)
from leaderboard.model.site import Pair
from leaderboard.theme import describer_token, generator_symbol, judge_token

_Form = Callable[[float | None], str]

_ByJudge = Mapping[str, Mapping[str, Value]]
"""A measure by judge and run_id."""

EACH_ALONE = "Each line is for its pair alone: of twenty pairs without any effect one is clear of the middle by chance."
"""What counts of intervals do not say."""

_LOW_HEAD = 14
"""Room above the first row where no words explain the axis, CSS pixels."""

_SIDE = 3 / 7
"""Extent of the shorter side of zero, as a share of the longer one, at which a word beside zero fits on a phone."""

_NO_DELTAS = Missing("Does refinement help?", "No episode of several renderings was rated.")
"""Stands for the figures of ΔQ where nobody knows any."""


def sketch_scores(subject: ChartSubject) -> Sketch | Missing:
    """Draw the mean score of each pair by each judge, as the paper's Figure 4."""
    scores = _collect_ratings(subject, "score")
    if not scores:
        return Missing("How similar is what pairs draw?", "No rendering was rated.")
    several = len(scores) > 1
    pairs: Sequence[Pair] = subject.shown(MOST_ROWS)
    if subject.category:
        # A board is about all categories.
        pairs = _sort_by_value(pairs, scores)
    means = published_table(subject.results.game, "published_means")
    # Published values are of other pairs than those that a reader chooses.
    published = () if subject.choice else score_rows(means, alone=not several)
    beside = [mark.value for row in published for line in row.marks for mark in line]
    low, high = _choose_whole_points([*(value for by_run in scores.values() for value in by_run.values()), *beside])
    table = select_runs(subject.table(judges_table, subject.category), [pair.run_id for pair in pairs])
    return Sketch(
        title=subject.among_words() + _compose_scores_title(subject, tuple(scores)),
        reading_aid=(
            "Each mark is a pair's mean similarity of the final rendering, each line its 95 % interval"
            + (", one line of marks a judge" if several else "")
            + "; judges do not mean the same by a number, so compare pairs within a judge."
            + (" † is a judge of the describer's own family." if table.carried else "")
        ),
        selection_words=subject.selection_words(MOST_ROWS),
        drawing=draw_marked_rows(
            [*_build_rows(subject, pairs, scores, words.number), *published],
            make_axis(low, high, make_ticks(low, high, 1), "mean similarity of the final rendering (0–10)"),
            (),
            _LOW_HEAD,
        ),
        table=select_columns(table, [RUN, "pair", *scores]),
        published=(select_columns(means, ["pair", *list_published_judges(means)]),),
        question="How similar is what pairs draw?",
        says=_format_numbers(pairs, scores, words.number),
    )


def sketch_delta(subject: ChartSubject) -> Sketch | Missing:
    """Draw ΔQ, the gain by refinement, of each pair by one judge, best first."""
    return _build_delta_sketch(subject, {subject.judge: subject.by_run(subject.judge, "delta")})


def sketch_deltas(subject: ChartSubject) -> Sketch | Missing:
    """Draw ΔQ, the gain by refinement, of each pair by each judge, as the paper's Figure 15."""
    deltas = _collect_ratings(subject, "delta")
    return _build_delta_sketch(subject, deltas) if deltas else _NO_DELTAS


def sketch_deltas_sem(subject: ChartSubject) -> Sketch | Missing:
    """Draw ΔQ by each judge with bars of one standard error, the bars of the paper's Figure 15."""
    judges = _collect_ratings(subject, "delta")
    if not judges:
        return _NO_DELTAS
    shown = ChartSubject(subject.results, subject.pairs, subject.judge, subject.shown(MOST_ROWS), "sem")
    return replace(
        _build_delta_sketch(shown, {judge: shown.by_run(judge, "delta") for judge in judges}),
        title="ΔQ as the paper’s Figure 15 draws it, with bars of one standard error",
        reading_aid=f"Each mark is a pair's mean change from first to final rendering. {SEM_WORDS}",
    )


def _build_delta_sketch(subject: ChartSubject, deltas: _ByJudge) -> Sketch:
    pairs = _sort_by_value(subject.shown(MOST_ROWS), deltas)
    low, high, step = choose_range_around_zero(
        [by_run[pair.run_id] for by_run in deltas.values() for pair in pairs], True
    )
    return Sketch(
        # The title counts every pair, also where the figure shows the best alone.
        title=subject.among_words()
        + _count_against_line(
            subject,
            deltas,
            0,
            ("Refinement helps", "harms"),
            "Does refinement help? No pair's interval is clear of zero",
        ),
        reading_aid=(
            "Each mark is a pair's mean change from first to final rendering, over its episodes of at least two"
            " renderings, and each line its 95 % interval: a line that crosses zero leaves open whether refining helps."
            f" {EACH_ALONE}"
        ),
        selection_words=subject.selection_words(MOST_ROWS),
        drawing=draw_marked_rows(
            _build_rows(subject, pairs, deltas, words.format_signed),
            make_axis(
                low,
                high,
                make_ticks(low, high, step, 1 if step < 1 else 0, signed=True),
                "ΔQ = final − first similarity (points of 10)",
            ),
            _annotate_sides(0, "← worse", "better →"),
            HEAD,
            [make_vertical_line(0)],
        ),
        table=_build_judged_table(subject, tuple(deltas), pairs, "delta", "ΔQ"),
        question="Does refinement help?",
        says=_format_numbers(pairs, deltas, words.format_signed),
    )


def sketch_preferences(subject: ChartSubject) -> Sketch | Missing:
    """Draw how often the final rendering is preferred to the first, as the paper's Figure 16."""
    shares = _collect_ratings(subject, "preference")
    if not shares:
        return Missing("Is the final rendering preferred to the first?", "No judge was asked for a preference.")
    pairs = _sort_by_value(subject.shown(MOST_ROWS), shares)
    means = published_table(subject.results.game, "published_means")
    return Sketch(
        title=subject.among_words()
        + _count_against_line(
            subject,
            shares,
            0.5,
            ("The final rendering is preferred in", "the first in"),
            "Is the final rendering preferred to the first? No interval is clear of 50 %",
        ),
        reading_aid=(
            "Each mark is the share of a pair's episodes of several renderings in which the final one is preferred to"
            " the first, a tie being half; a line that crosses 50 % leaves it open."
            f" {EACH_ALONE}"
        ),
        selection_words=subject.selection_words(MOST_ROWS),
        drawing=draw_marked_rows(
            [
                *_build_rows(subject, pairs, shares, format_percent),
                *(() if subject.choice else build_preference_rows(means)),
            ],
            make_axis(0, 100, make_ticks(0, 100, 25), "final rendering preferred (% of episodes)"),
            _annotate_sides(50, "← first", "final →"),
            HEAD,
            [make_vertical_line(50)],
            factor=100,
        ),
        table=_build_judged_table(subject, tuple(shares), pairs, "preference", "Preference: final against first"),
        published=(select_columns(means, ["pair", "final_preferred"]),),
        question="Is the final rendering preferred to the first?",
        says=_format_numbers(pairs, shares, format_percent),
    )


def _collect_ratings(subject: ChartSubject, key: str) -> dict[str, dict[str, Value]]:
    """Return a measure by judge and run_id; judges without any value are left out, the subject's judge is first."""
    by_judge = {judge: subject.by_run(judge, key) for judge in subject.judges}
    return {judge: by_run for judge, by_run in by_judge.items() if any(value.n for value in by_run.values())}


def _build_rows(subject: ChartSubject, pairs: Sequence[Pair], values: _ByJudge, form: _Form) -> list[MarkRow]:
    """Return a row per pair with a mark per judge."""
    return [
        MarkRow(
            list_pair_lines(pair),
            tuple(
                _format_label(judge, by_run[pair.run_id], form, len(values) == 1) for judge, by_run in values.items()
            ),
            tuple(
                (pair_mark(subject, pair, judge, by_run[pair.run_id], form, len(values) == 1),)
                for judge, by_run in values.items()
            ),
            pair.key,
        )
        for pair in pairs
    ]


def _format_numbers(pairs: Sequence[Pair], values: _ByJudge, form: _Form) -> dict[str, str]:
    """Return the number of each pair with enough pictures; none where several judges have one each."""
    if len(values) > 1:
        return {}
    by_run = next(iter(values.values()))
    return {pair.key: form(get_mean(by_run[pair.run_id])) for pair in pairs if has_enough_samples(by_run[pair.run_id])}


def pair_mark(subject: ChartSubject, pair: Pair, judge: str, value: Value, form: _Form, alone: bool) -> ChartMark:
    """Return a pair's mark: in its describer's hue, or in the judge's neutral tone if several judges are shown."""
    who = escape_for_plotly(name_pair(pair)) + ("" if alone else f"<br>judged by {escape_for_plotly(judge)}")
    return ChartMark(
        value,
        generator_symbol(pair.shape),
        describer_token(pair.hue) if alone else judge_token(subject.results.judges.index(judge)),
        f"{who}<br>{form(get_mean(value))}<br>{describe_interval(value, form)}",
    )


def _format_label(judge: str, value: Value, form: _Form, alone: bool) -> str:
    if not value.n and not alone:
        return f"{judge} · none"
    text = f"{form(get_mean(value))}{'†' if set(value.marks) - {SEM} else ''} · n {value.n or 0}"
    return text if alone else f"{judge} · {text}"


def _build_judged_table(
    subject: ChartSubject, judges: Sequence[str], pairs: Sequence[Pair], key: str, title: str
) -> Table:
    tables = [(judge, replace(subject.board(judge, [RUN, "pair", key]), title=title)) for judge in judges]
    return select_runs(tables[0][1] if len(tables) == 1 else join_judges(tables), [pair.run_id for pair in pairs])


def _sort_by_value(pairs: Sequence[Pair], values: _ByJudge) -> list[Pair]:
    """Return pairs by the first judge's value, highest first; pairs without a value last."""
    by_run = next(iter(values.values()))
    return sorted(
        pairs, key=lambda pair: (get_mean(by_run[pair.run_id]) is None, -(get_mean(by_run[pair.run_id]) or 0.0))
    )


def _annotate_sides(at: float, left: str, right: str) -> list[Json]:
    return [
        make_annotation(left, (at, 1), "x paper", "right bottom", (-6, 6)),
        make_annotation(right, (at, 1), "x paper", "left bottom", (6, 6)),
    ]


def choose_range_around_zero(values: Sequence[Value], beside: bool = False) -> tuple[float, float, float]:
    """Return a range of whole half points that holds every interval and zero, with some room on either side of zero.

    Args:
        values: Differences.
        beside: Whether a word stands beside zero on either side, as those of ``_annotate_sides`` do.

    Returns:
        Its ends, and the step of its ticks: about eight.
    """
    # Zero belongs to the range even where every pair gains.
    ends = [0.0, *list_interval_ends(values)]
    low, high = min(ends), max(ends)
    spare = max(0.25, 0.15 * (high - low))
    first, last = floor(2 * min(low - 0.1, -spare)) / 2, ceil(2 * max(high + 0.1, spare)) / 2
    if beside:
        # On a phone the words take three tenths of the plot.
        first, last = min(first, floor(-2 * _SIDE * last) / 2), max(last, ceil(-2 * _SIDE * first) / 2)
    return first, last, next((step for step in (0.5, 1, 2, 5) if (last - first) / step <= 7), 5)


def _choose_whole_points(values: Sequence[Value]) -> tuple[float, float]:
    """Return a range of whole points within 0–10 that holds every interval, at least four points."""
    ends = list_interval_ends(values) or [0.0, 10.0]
    low, high = floor(min(ends)), ceil(max(ends))
    # On a narrower range differences of hundredths would look large.
    while high - low < 4:
        low, high = max(0, low - 1), min(10, high + 1)
    return low, high


def _count_against_line(
    subject: ChartSubject, values: _ByJudge, line: float, verbs: tuple[str, str], open_title: str
) -> str:
    """Return how many pairs' intervals lie above and below a line by the first judge, as boards count them.

    Args:
        subject: Its pairs are counted; one without a mean is passed over.
        values: By judge and run_id; with several judges the title names the first.
        line: Value that tells the two sides apart.
        verbs: Words for pairs above and for pairs below.
        open_title: The title where no pair is on either side.
    """
    judge, by_run = next(iter(values.items()))
    known = [by_run[pair.run_id] for pair in subject.ranked if get_mean(by_run[pair.run_id]) is not None]
    # Of several judges' marks a reader could not tell which are counted.
    judged = f", judged by {judge}" if len(values) > 1 else ""
    return count_sides([clear_of(value, line) for value in known], verbs, judged) or open_title + judged


def _compose_scores_title(subject: ChartSubject, judges: Sequence[str]) -> str:
    """Return a title that the ranks support: the leading pair, or how many pairs are statistically tied."""
    results = subject.results
    boards = {judge: results.board(judge, subject.category) for judge in judges}
    tops = {judge: {row.submission.run_id for row in board if row.top} for judge, board in boards.items()}
    # A judge of too few pictures ranks nobody; the others still do.
    ranking = {judge: top for judge, top in tops.items() if top}
    if len({row.submission.run_id for board in boards.values() for row in board if row.cell.score.n}) < 2:
        return "How similar is what the pair draws?"
    if not ranking:
        reasons = {row.cell.unranked for board in boards.values() for row in board}
        few = reasons == {"too_few"}
        return f"Fewer than {MINIMUM_PICTURES} pictures a pair: too few to rank" if few else "No pair has a rank yet"
    top = list(ranking.values())
    by = next(iter(ranking)) if len(ranking) == 1 else "every judge" + " that ranks" * (len(ranking) < len(judges))
    # A leader is named only if every judge that ranks has this pair alone at the top.
    always = set.intersection(*top)
    if len(always) == 1 and all(len(cluster) == 1 for cluster in top):
        # A pair without a rank may stand above it in the figure.
        rows = [row for judge in ranking for row in boards[judge] if row.cell.main.mean is not None]
        among = "the ranked pairs " if any(row.rank_low is None for row in rows) else ""
        return f"{name_pair(subject.pairs[next(iter(always))])} leads {among}by main score, judged by {by}"
    if len(ranking) == 1:
        ranked = sum(row.rank_low is not None for row in boards[by])
        alone = f", judged by {by}" if len(judges) > 1 else ""
        return f"{len(top[0])} of {ranked} ranked pairs cannot be told from the best by main score{alone}"
    fewest, most = min(map(len, top)), max(map(len, top))
    left = f"{by.capitalize()} leaves {most}" if fewest == most else f"Judges leave {fewest} to {most}"
    return f"{left} of {format_count(len(subject.pairs), 'pair')} in the top group"


QUESTION = "Where do scores vary from?"

LUCK = "luck of play"


def sketch_variance(subject: ChartSubject) -> Sketch | Missing:
    """Draw the standard deviation that each source gives an episode's main score, with its interval."""
    table = variance_table(subject.results, subject.judge)
    entries = [entry for entry in list_entries(table) if get_mean(entry["deviation"]) is not None]
    if not any(entry["source"].value == LUCK for entry in entries):
        return Missing(QUESTION, "No pair played a target twice, so luck cannot be told from pictures.")
    shown = entries[:MOST_ROWS]
    rows = [
        MarkRow(
            (str(entry["source"].value), escape_for_plotly(str(entry["pair"].value))),
            (_format_deviation(entry),),
            ((_mark(entry),),),
        )
        for entry in shown
    ]
    highest = max(list_interval_ends([entry["deviation"] for entry in shown]))
    top = 5.0 * (1 + highest // 5)
    more = f" The first {MOST_ROWS} of {len(entries)} are shown." if len(entries) > len(shown) else ""
    return Sketch(
        title=_compose_title(entries),
        reading_aid="Each mark is the standard deviation, in points of the main score, that a source gives a single "
        f"episode; lines are 95 % intervals over targets. A picture is what a target is to all pairs.{more}",
        drawing=draw_marked_rows(
            rows, make_axis(-0.02 * top, 1.02 * top, make_ticks(0, top, top / 5, 0), "points of 100"), [], 30
        ),
        table=table,
    )


def _format_deviation(entry: Entry) -> str:
    return f"{words.number(get_mean(entry['deviation']), 1)} · n {entry['deviation'].n or 0}"


def _mark(entry: Entry) -> ChartMark:
    value, source = entry["deviation"], str(entry["source"].value)
    hover = (
        f"{escape_for_plotly(source)}, {escape_for_plotly(str(entry['pair'].value))}: "
        f"{words.number(get_mean(value), 1)}"
    )
    return ChartMark(value, "circle", describer_token(0), f"{hover}<br>{describe_interval(value)}")


def _compose_title(entries: list[Entry]) -> str:
    """Name the larger of pictures and luck where their intervals are apart; else the question stays open."""
    first = entries[0]["pair"].value
    of_all = {str(entry["source"].value): entry["deviation"] for entry in entries if entry["pair"].value == first}
    picture, luck = of_all.get("picture"), of_all.get(LUCK)
    if picture is None or luck is None or None in (picture.low, picture.high, luck.low, luck.high):
        return QUESTION
    by_picture, by_luck = words.number(get_mean(picture), 1), words.number(get_mean(luck), 1)
    if (picture.low or 0) > (luck.high or 0):
        return f"Scores vary more by picture ({by_picture} points) than by luck ({by_luck})"
    if (luck.low or 0) > (picture.high or 0):
        return f"Scores vary more by luck ({by_luck} points) than by picture ({by_picture})"
    return QUESTION
