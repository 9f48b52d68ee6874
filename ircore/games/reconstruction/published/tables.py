"""The paper's tables in the form that a game declares; see ``ircore.games.base.Game.published_tables``."""

from typing import Literal

from ircore.games.papers import PublishedColumn, PublishedTable
from ircore.games.reconstruction.published.paper_tables import (
    JUDGES,
    SOURCE,
    mean_preferences,
    mean_scores,
    published_agreement,
    published_scores,
)


def published_tables() -> tuple[PublishedTable, ...]:
    """Return Table 3 and its means, and Tables 1 (judges), 2 (people and judges) and 4 (annotators)."""
    return (_scores(), _means(), _agreement("table1"), _agreement("table2"), _agreement("table4"))


def _scores() -> PublishedTable:
    columns = (
        PublishedColumn("describer", "describer", "As the paper prints it.", digits=None),
        PublishedColumn("generator", "generator", "As the paper prints it.", digits=None),
        PublishedColumn("category", "category", "Of the pictures; photos are the paper's Visual Genome.", digits=None),
        PublishedColumn("difficulty", "difficulty", "easy or hard.", digits=None),
        *(PublishedColumn(judge, judge, f"Mean final score by {judge}.", "0–10", "higher", 1) for judge in JUDGES),
        PublishedColumn("final_preferred", "final preferred", "By LipSim, share of multi-turn episodes.", "0–1",
                        "higher", 3, nullable=True),
        PublishedColumn("human", "human", "Mean final score by three people.", "0–10", "higher", nullable=True),
    )  # fmt: skip
    rows = tuple(
        (
            score.pair.describer, score.pair.generator, score.category, score.difficulty,
            *(score.score(judge) for judge in JUDGES), score.final_preferred, score.human,
        )
        for score in published_scores()
    )  # fmt: skip
    return PublishedTable(
        "published", "Published scores", f"Table 3 of {SOURCE}.", columns, rows, ("final_preferred", "human")
    )


def _means() -> PublishedTable:
    """Return the means of Table 3 over its 14 conditions, a row a pair, best first by its first judge."""
    columns = (
        PublishedColumn("pair", "pair", "As the paper prints it.", digits=None),
        *(PublishedColumn(judge, judge, f"Mean final score by {judge}.", "0–10", "higher") for judge in JUDGES),
        PublishedColumn("final_preferred", "final preferred", "By LipSim.", "0–1", "higher"),
    )
    means, preferred = mean_scores(), mean_preferences()
    rows: tuple[tuple[float | str, ...], ...] = tuple(
        (f"{pair.describer} + {pair.generator}", *(means[pair][judge] for judge in JUDGES), preferred[pair])
        for pair in sorted(means, key=lambda pair: -means[pair][JUDGES[0]])
    )
    words = f"Unweighted means over the conditions of Table 3 of {SOURCE}, computed from the published values."
    return PublishedTable("published_means", "Published means", words, columns, rows)


def _agreement(number: Literal["table1", "table2", "table4"]) -> PublishedTable:
    columns = (
        PublishedColumn("one", "one", "A judge.", digits=None),
        PublishedColumn("other", "other", "Another.", digits=None),
        PublishedColumn("pearson", "Pearson r", "Of similarity ratings.", "", "higher", nullable=True),
        PublishedColumn("spearman", "Spearman ρ", "Of the same.", "", "higher", nullable=True),
        PublishedColumn("agreement", "agreement", "Share of equal preferences.", "0–1", "higher", 3),
        PublishedColumn("kappa", "Cohen's κ", "Of the same.", "", "higher"),
    )
    rows = tuple(
        (row.one, row.other, row.pearson, row.spearman, row.agreement, row.kappa) for row in published_agreement(number)
    )
    words = f"{number.replace('table', 'Table ')} of {SOURCE}."
    return PublishedTable(f"published_{number}", "Published agreement", words, columns, rows)
