"""Chart of where scores vary from: pictures, what a picture is to a pair, and the luck of play."""

from ircore.results.tables.variance import variance_table
from leaderboard.charts.data import MOST_ROWS, Entry, Subject, list_entries
from leaderboard.charts.grammar import (
    Missing,
    Sketch,
    describe_interval,
    escape_for_plotly,
    get_mean,
    list_interval_ends,
    make_axis,
    make_ticks,
)
from leaderboard.charts.rows import Mark, Row, draw_marked_rows
from leaderboard.theme import describer_token
from leaderboard.words import labels

QUESTION = "Where do scores vary from?"

LUCK = "luck of play"


def sketch_variance(subject: Subject) -> Sketch | Missing:
    """Draw the standard deviation that each source gives an episode's main score, with its interval."""
    table = variance_table(subject.results, subject.judge)
    entries = [entry for entry in list_entries(table) if get_mean(entry["deviation"]) is not None]
    if not any(entry["source"].value == LUCK for entry in entries):
        return Missing(QUESTION, "No target was played twice: ircore play … --repeats 2")
    shown = entries[:MOST_ROWS]
    rows = [
        Row(
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
    return f"{labels.number(get_mean(entry['deviation']), 1)} · n {entry['deviation'].n or 0}"


def _mark(entry: Entry) -> Mark:
    value, source = entry["deviation"], str(entry["source"].value)
    hover = (
        f"{escape_for_plotly(source)}, {escape_for_plotly(str(entry['pair'].value))}: "
        f"{labels.number(get_mean(value), 1)}"
    )
    return Mark(value, "circle", describer_token(0), f"{hover}<br>{describe_interval(value)}")


def _compose_title(entries: list[Entry]) -> str:
    """Name the larger of pictures and luck where their intervals are apart; else the question stays open."""
    first = entries[0]["pair"].value
    of_all = {str(entry["source"].value): entry["deviation"] for entry in entries if entry["pair"].value == first}
    picture, luck = of_all.get("picture"), of_all.get(LUCK)
    if picture is None or luck is None or None in (picture.low, picture.high, luck.low, luck.high):
        return QUESTION
    by_picture, by_luck = labels.number(get_mean(picture), 1), labels.number(get_mean(luck), 1)
    if (picture.low or 0) > (luck.high or 0):
        return f"Scores vary more by picture ({by_picture} points) than by luck ({by_luck})"
    if (luck.low or 0) > (picture.high or 0):
        return f"Scores vary more by luck ({by_luck} points) than by picture ({by_picture})"
    return QUESTION
