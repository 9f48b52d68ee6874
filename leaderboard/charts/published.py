"""The paper's published values in our charts: hollow grey marks in rows of their own, under a heading that says so.

They have no intervals, since the paper prints none, and stand in a table of their own: nobody played them here.
"""

from typing import Any

from ircore.games.base import Game
from ircore.results.tables.games import published_table
from ircore.results.tables.model import Table, Value
from leaderboard.charts.data import list_entries
from leaderboard.charts.grammar import escape_for_plotly
from leaderboard.charts.rows import ChartMark, MarkRow
from leaderboard.theme import token
from leaderboard.words import judge_name

_HEADING = MarkRow(("reported by the paper,", "not run here"), ())


def list_published_judges(means: Table) -> tuple[str, ...]:
    """Return the judges of the table of published means, in the order of its columns."""
    return tuple(column.key for column in means.columns if column.key not in ("pair", "final_preferred"))


def score_rows(means: Table, alone: bool) -> list[MarkRow]:
    """Return a heading and the mean scores of the paper's pairs by judge, in the order of their table.

    Args:
        means: The table ``published_means``.
        alone: Whether our rows have a single mark each: the paper's then stand on one line.
    """
    rows = [_HEADING]
    for entry in list_entries(means):
        name = _pair(entry["pair"])
        scores = {judge_name(judge): _number(entry[judge]) for judge in list_published_judges(means)}
        said = [f"{judge} · {score:.2f}" for judge, score in scores.items()]
        marks = [_mark(name, words, score) for words, score in zip(said, scores.values(), strict=True)]
        together = ", ".join(f"{judge} {score:.1f}" for judge, score in scores.items())
        rows.append(
            MarkRow(name, (together,), (tuple(marks),))
            if alone
            else MarkRow(name, tuple(said), tuple((mark,) for mark in marks))
        )
    return rows


def build_preference_rows(means: Table) -> list[MarkRow]:
    """Return a heading and the shares 0–1 of final renderings that the paper's LipSim prefers, highest first.

    Args:
        means: The table ``published_means``.
    """
    rows = [_HEADING]
    shares = [(_pair(entry["pair"]), _number(entry["final_preferred"])) for entry in list_entries(means)]
    for name, share in sorted(shares, key=lambda entry: -entry[1]):
        said = f"LipSim · {100 * share:.0f} %"
        rows.append(MarkRow(name, (said,), ((_mark(name, said, share),),)))
    return rows


def build_agreement_rows(game: Game[Any], people: bool) -> list[MarkRow]:
    """Return a heading and the correlations of the paper's judges, with people first if ``people``."""
    tables = (("published_table2", "judge × human"), ("published_table1", "judge × judge"))
    rows = [_HEADING]
    for table, kind in tables if people else tables[1:]:
        for entry in list_entries(published_table(game, table)):
            # The paper does not print both correlations of every two raters.
            if entry["pearson"].value is None or entry["spearman"].value is None:
                continue
            pearson, spearman = _number(entry["pearson"]), _number(entry["spearman"])
            name = (_name_raters(str(entry["one"].value), str(entry["other"].value)), kind)
            marks = (
                (_mark(name, f"r = {pearson:.2f}", pearson),),
                (_mark(name, f"ρ = {spearman:.2f}", spearman, "diamond-open"),),
            )
            rows.append(MarkRow(name, (f"r · {pearson:.2f}", f"ρ · {spearman:.2f}"), marks))
    return rows


def _pair(value: Value) -> tuple[str, str]:
    """Name a pair on two lines."""
    describer, _, generator = str(value.value).partition(" + ")
    return describer, f"+ {generator}"


def _number(value: Value) -> float:
    return float(value.value or 0)


def _name_raters(first: str, other: str) -> str:
    """Name two raters as in our own rows: the judge first, then people."""
    return f"{judge_name(other)} × people" if first == "human" else f"{judge_name(first)} × {judge_name(other)}"


def _mark(name: tuple[str, str], score_words: str, value: float, symbol: str = "circle-open") -> ChartMark:
    hover = (
        f"{escape_for_plotly(' '.join(name))}<br>{escape_for_plotly(score_words)}<br>reported by the "
        f"paper, not run here"
    )
    return ChartMark(Value(value), symbol, token("muted"), hover)
