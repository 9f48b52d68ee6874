"""Charts of image metrics beside raters: the question RQ 4 of ConvGenVisMo, asked of the runs shown."""

from collections.abc import Callable, Sequence

from ircore.core.plain_words import format_count
from ircore.core.score_records import HUMAN
from ircore.results.image_metrics import describe_metric
from ircore.results.tables.judges import metric_agreement_table
from leaderboard import words
from leaderboard.charts.data import ChartSubject, Entry, list_entries
from leaderboard.charts.grammar import (
    Json,
    Missing,
    Sketch,
    describe_interval,
    escape_for_plotly,
    format_percent,
    get_mean,
    list_interval_ends,
    make_axis,
    make_ticks,
    make_vertical_line,
)
from leaderboard.charts.rows import ChartMark, MarkRow, draw_marked_rows
from leaderboard.theme import generator_symbol, judge_token

_RATERS = {HUMAN: "people", "verified": "the verified share"}
"""Raters that titles prefer to judges, with their names there."""


def sketch_correlations(subject: ChartSubject) -> Sketch | Missing:
    """Draw how every metric orders renderings beside every rater: Spearman's ρ with its interval."""
    return _build_sketch(
        subject,
        "spearman",
        "Which metrics order renderings as raters do?",
        "Each mark is Spearman's ρ between a metric and a rater over the renderings that have a value from both: 1 is"
        " the same order, 0 none, below 0 the opposite. Metrics for which lower is better are negated first.",
        "Spearman's ρ",
        0.0,
    )


def sketch_metric_preferences(subject: ChartSubject) -> Sketch | Missing:
    """Draw how often every metric prefers the same of first and final rendering as every rater."""
    return _build_sketch(
        subject,
        "preference",
        "Which metrics prefer the rendering that raters prefer?",
        "Each mark is the share (%) of episodes in which a metric and a rater prefer the same of first and final"
        " rendering; ties of either are left out, and 50 is what chance gives.",
        "same preference, % of episodes",
        50.0,
        factor=100,
    )


def _build_sketch(
    subject: ChartSubject, key: str, question: str, aid: str, name: str, chance: float, factor: float = 1
) -> Sketch | Missing:
    table = metric_agreement_table(subject.results)
    entries = [entry for entry in list_entries(table) if get_mean(entry[key]) is not None]
    if not entries:
        reason = table.notes[0] if not table.rows else "No rater and no metric have enough renderings in common."
        return Missing(question, reason)
    raters = list(dict.fromkeys(str(entry["rater"].value) for entry in entries))
    by_metric: dict[str, list[Entry]] = {}
    for entry in entries:
        by_metric.setdefault(str(entry["metric"].value), []).append(entry)
    ordered = sorted(by_metric.items(), key=lambda group: -_compute_average(group[1], key))
    form = words.number if factor == 1 else format_percent
    rows = [
        MarkRow(
            (describe_metric(metric).title,),
            tuple(f"{_name_rater(entry)} · {form(get_mean(entry[key]))} · n {entry[key].n or 0}" for entry in group),
            tuple((_make_mark(entry, key, raters, form),) for entry in group),
        )
        for metric, group in ordered
    ]
    return Sketch(
        title=_compose_title(entries, key, form, question),
        reading_aid=f"{aid} Lines are 95 % intervals clustered on pictures.",
        drawing=draw_marked_rows(
            rows, _build_axis(entries, key, factor, name), [], 30, [make_vertical_line(chance)], factor
        ),
        table=table,
    )


def _build_axis(entries: Sequence[Entry], key: str, factor: float, name: str) -> Json:
    """Return the axis: from 0, or as far below as an interval goes; half a mark's width of room at the ends."""
    lowest = min(list_interval_ends([entry[key] for entry in entries]))
    low = -1.0 if lowest < -0.5 else -0.5 if lowest < 0 else 0.0
    ticks = make_ticks(factor * low, factor, factor * 0.25, 2 if factor == 1 else 0)
    return make_axis(factor * (low - 0.02), factor * 1.02, ticks, name)


def _name_rater(entry: Entry) -> str:
    name = str(entry["rater"].value)
    return "people" if name == HUMAN else name


def _compute_average(group: Sequence[Entry], key: str) -> float:
    values = [get_mean(entry[key]) or 0.0 for entry in group]
    return sum(values) / len(values)


def _make_mark(entry: Entry, key: str, raters: Sequence[str], form: Callable[[float | None], str]) -> ChartMark:
    rater, value = raters.index(str(entry["rater"].value)), entry[key]
    hover = (
        f"{escape_for_plotly(str(entry['metric'].value))} beside {escape_for_plotly(_name_rater(entry))}: "
        f"{form(get_mean(value))}"
    )
    return ChartMark(value, generator_symbol(rater), judge_token(rater), f"{hover}<br>{describe_interval(value, form)}")


def _compose_title(entries: Sequence[Entry], key: str, form: Callable[[float | None], str], question: str) -> str:
    """Name the metric that comes nearest to people; without people to the verified share, else to the first judge.

    Metrics whose intervals overlap its interval are counted beside it; without an interval the question stays open.
    """
    raters = [str(entry["rater"].value) for entry in entries]
    # People are what a metric is meant to stand for.
    rater = next((name for name in _RATERS if name in raters), raters[0])
    of_rater = [entry for entry in entries if entry["rater"].value == rater]
    best = max(of_rater, key=lambda entry: get_mean(entry[key]) or 0.0)
    value = best[key]
    if value.low is None:
        return question
    name, near = describe_metric(str(best["metric"].value)).title, _RATERS.get(rater, rater)
    interval = f"({form(value.low)} to {form(value.high)})"
    ends = (entry[key].high for entry in of_rater if entry is not best)
    tied = sum(end is None or end >= value.low for end in ends)
    if not tied:
        return f"{name} comes nearest to {near}: {form(get_mean(value))} {interval}"
    metrics = format_count(tied, "metric")
    return (
        f"Nearest to {near} are {name}, {form(get_mean(value))} {interval}, and {metrics} that cannot be told from it"
    )
