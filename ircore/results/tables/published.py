"""The published figures as tables, never among results of runs, and the paper's sentences held against runs."""

from typing import Any

from ircore.games.base import Game
from ircore.results.model import Results
from ircore.results.tables.model import Column, Table, Value
from ircore.results.tables.pairs import caption
from ircore.results.tables.paper_claims import paper_checks

NOT_GIVEN = "not given by the paper"


def published_table(game: Game[Any], name: str) -> Table:
    """Return a table of a game's paper.

    Args:
        game: The game.
        name: Of one of ``game.published_tables``.
    """
    table = next(table for table in game.published_tables() if table.name == name)
    columns = tuple(
        Column(
            column.key, column.title, column.about, column.unit, column.better, column.digits, nullable=column.nullable
        )
        for column in table.columns
    )
    rows = tuple(tuple(Value.or_missing(entry, NOT_GIVEN) for entry in row) for row in table.rows)
    return Table(
        table.name, table.title, table.caption, columns, rows, origin="reported by the paper", spare=table.spare
    )


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
        for claim in results.game.claims()
    )
    notes = (
        f"The paper is {results.game.paper}: other players, targets and judges; its tables have no intervals, so that "
        "verdicts on them go by printed numbers alone. Here verdicts go by 95 % intervals: open is what these do not "
        "tell.",
    )
    words = caption(results, judge)
    return Table("paper", "What the paper says", words, columns, rows, notes, spare=("paper_evidence", "here_evidence"))
