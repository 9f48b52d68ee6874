"""The paper's published values in our charts: hollow grey marks in rows of their own, under a heading that says so.

They have no intervals, since the paper prints none, and stand in a table of their own: nobody played them here.
"""

from typing import Literal

from ircore.games.reconstruction.published.paper_tables import (
    JUDGES,
    mean_preferences,
    mean_scores,
    published_agreement,
)
from ircore.results.tables.model import Value
from leaderboard.charts.grammar import plain
from leaderboard.charts.rows import Mark, Row
from leaderboard.theme import token
from leaderboard.words.labels import judge_name

_HEADING = Row(("reported by the paper,", "not run here"), ())


def score_rows(alone: bool) -> list[Row]:
    """Return a heading and the mean scores of the paper's pairs by judge, best first by the first judge.

    Args:
        alone: Whether our rows have a single mark each: the paper's three then stand on one line.
    """
    means, rows = mean_scores(), [_HEADING]
    for pair in sorted(means, key=lambda pair: -means[pair][JUDGES[0]]):
        name = (pair.describer, f"+ {pair.generator}")
        said = [f"{judge_name(judge)} · {means[pair][judge]:.2f}" for judge in JUDGES]
        marks = [_mark(name, words, means[pair][judge]) for words, judge in zip(said, JUDGES, strict=True)]
        together = ", ".join(f"{judge_name(judge)} {means[pair][judge]:.1f}" for judge in JUDGES)
        rows.append(
            Row(name, (together,), (tuple(marks),))
            if alone
            else Row(name, tuple(said), tuple((mark,) for mark in marks))
        )
    return rows


def preference_rows() -> list[Row]:
    """Return a heading and the shares 0–1 of final renderings that the paper's LipSim prefers, highest first."""
    rows = [_HEADING]
    for pair, share in sorted(mean_preferences().items(), key=lambda entry: -entry[1]):
        name, said = (pair.describer, f"+ {pair.generator}"), f"LipSim · {100 * share:.0f} %"
        rows.append(Row(name, (said,), ((_mark(name, said, share),),)))
    return rows


def agreement_rows(people: bool) -> list[Row]:
    """Return a heading and the correlations of the paper's judges, with people first if ``people``."""
    tables: tuple[tuple[Literal["table2", "table1"], str], ...] = (
        ("table2", "judge × human"),
        ("table1", "judge × judge"),
    )
    rows = [_HEADING]
    for table, kind in tables if people else tables[1:]:
        for agreement in published_agreement(table):
            pearson, spearman = agreement.pearson, agreement.spearman
            # The paper does not print both correlations of every two raters.
            if pearson is None or spearman is None:
                continue
            name = (_names(agreement.one, agreement.other), kind)
            marks = (
                (_mark(name, f"r = {pearson:.2f}", pearson),),
                (_mark(name, f"ρ = {spearman:.2f}", spearman, "diamond-open"),),
            )
            rows.append(Row(name, (f"r · {pearson:.2f}", f"ρ · {spearman:.2f}"), marks))
    return rows


def _names(first: str, other: str) -> str:
    """Name two raters as in our own rows: the judge first, then people."""
    return f"{judge_name(other)} × people" if first == "human" else f"{judge_name(first)} × {judge_name(other)}"


def _mark(name: tuple[str, str], score_words: str, value: float, symbol: str = "circle-open") -> Mark:
    hover = f"{plain(' '.join(name))}<br>{plain(score_words)}<br>reported by the paper, not run here"
    return Mark(Value(value), symbol, token("muted"), hover)
