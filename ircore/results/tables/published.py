"""The published figures as tables, never among results of runs, and the paper's sentences held against runs."""

from typing import Literal

from ircore.games.reconstruction.published.claims import claims
from ircore.games.reconstruction.published.paper_tables import (
    JUDGES,
    REPORTED,
    SOURCE,
    mean_preferences,
    mean_scores,
    published_agreement,
    published_scores,
)
from ircore.results.model import Results
from ircore.results.tables.model import Column, Table, Value
from ircore.results.tables.pairs import caption
from ircore.results.tables.paper_claims import paper_checks

NOT_GIVEN = "not given by the paper"


def published_scores_table() -> Table:
    """Return the paper's Table 3, 56 rows."""
    columns = (
        Column("describer", "describer", "As the paper prints it.", digits=None),
        Column("generator", "generator", "As the paper prints it.", digits=None),
        Column("category", "category", "Of the pictures; photos are the paper's Visual Genome.", digits=None),
        Column("difficulty", "difficulty", "easy or hard.", digits=None),
        *(Column(judge, judge, f"Mean final score by {judge}.", "0–10", "higher", 1) for judge in JUDGES),
        Column("final_preferred", "final preferred", "By LipSim, share of multi-turn episodes.", "0–1", "higher", 3,
               nullable=True),
        Column("human", "human", "Mean final score by three people.", "0–10", "higher", 2, nullable=True),
    )  # fmt: skip
    rows = tuple(
        (
            Value(score.pair.describer),
            Value(score.pair.generator),
            Value(score.category),
            Value(score.difficulty),
            *(Value(score.score(judge)) for judge in JUDGES),
            Value.or_missing(score.final_preferred, NOT_GIVEN),
            Value.or_missing(score.human, NOT_GIVEN),
        )
        for score in published_scores()
    )
    return Table(
        "published", "Published scores", f"Table 3 of {SOURCE}.", columns, rows, origin=REPORTED,
        spare=("final_preferred", "human"),
    )  # fmt: skip


def published_means_table() -> Table:
    """Return the means of the paper's Table 3 over its 14 conditions, a row a pair, best first by its first judge."""
    columns = (
        Column("pair", "pair", "As the paper prints it.", digits=None),
        *(Column(judge, judge, f"Mean final score by {judge}.", "0–10", "higher") for judge in JUDGES),
        Column("final_preferred", "final preferred", "By LipSim.", "0–1", "higher"),
    )
    means, preferred = mean_scores(), mean_preferences()
    rows = tuple(
        (
            Value(f"{pair.describer} + {pair.generator}"),
            *(Value(means[pair][judge]) for judge in JUDGES),
            Value(preferred[pair]),
        )
        for pair in sorted(means, key=lambda pair: -means[pair][JUDGES[0]])
    )
    words = f"Unweighted means over the conditions of Table 3 of {SOURCE}, computed from the published values."
    return Table("published_means", "Published means", words, columns, rows, (), {}, REPORTED)


def published_agreement_table(number: Literal["table1", "table2", "table4"]) -> Table:
    """Return the paper's Table 1 (judges), 2 (people and judges) or 4 (annotators)."""
    columns = (
        Column("one", "one", "A judge.", digits=None),
        Column("other", "other", "Another.", digits=None),
        Column("pearson", "Pearson r", "Of similarity ratings.", "", "higher", nullable=True),
        Column("spearman", "Spearman ρ", "Of the same.", "", "higher", nullable=True),
        Column("agreement", "agreement", "Share of equal preferences.", "0–1", "higher", 3),
        Column("kappa", "Cohen's κ", "Of the same.", "", "higher"),
    )
    rows = tuple(
        (
            Value(agreement.one),
            Value(agreement.other),
            Value.or_missing(agreement.pearson, NOT_GIVEN),
            Value.or_missing(agreement.spearman, NOT_GIVEN),
            Value(agreement.agreement),
            Value(agreement.kappa),
        )
        for agreement in published_agreement(number)
    )
    words = f"{number.replace('table', 'Table ')} of {SOURCE}."
    return Table(f"published_{number}", "Published agreement", words, columns, rows, (), {}, REPORTED)


def paper_table(results: Results, judge: str) -> Table:
    """Return the sentences of the paper that can be checked: what its own tables and what some runs say of each."""
    columns = (
        Column("claim", "Claim", "Key of the sentence.", digits=None, audience="programs"),
        Column("section", "section", "Of the paper; B is an appendix.", digits=None),
        Column("sentence", "what the paper says", "In other words than its own.", digits=None),
        Column("in_paper", "in its tables", "Whether the paper's printed tables bear it out.", digits=None),
        Column("paper_evidence", "their numbers", "Numbers of the paper that say so.", digits=None),
        Column("here", "here", "Whether these runs bear it out.", digits=None),
        Column("here_evidence", "numbers here", "Numbers of these runs that say so.", digits=None),
    )
    here = paper_checks(results, judge)
    rows = tuple(
        tuple(Value(text) for text in (claim.key, claim.section, claim.sentence, *claim.in_paper, *here[claim.key]))
        for claim in claims()
    )
    notes = (
        f"The paper is {SOURCE}: other players, targets and judges; its tables have no intervals, so that verdicts "
        "on them go by printed numbers alone. Here verdicts go by 95 % intervals: open is what these do not tell.",
    )
    words = caption(results, judge)
    return Table("paper", "What the paper says", words, columns, rows, notes, spare=("paper_evidence", "here_evidence"))
