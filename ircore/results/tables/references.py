"""Ceilings and floors: scores of generators with reference describers, which see the scene or nothing at all."""

from ircore.results.model import Results
from ircore.results.tables.model import Column, Table, Value
from ircore.results.tables.pairs import caption, pair_columns, who_played
from ircore.results.tables.rules import RULES


def references_table(results: Results, judge: str, category: str | None = None, difficulty: str | None = None) -> Table:
    """Return the unranked scores of reference describers' runs; these describers see more than any describer may."""
    columns = (
        *pair_columns(results),
        Column("score", "score", "Similarity of the final rendering.", "0–10", "higher", estimated=True),
        Column("main_score", "main score", "10 × score × share played.", "0–100", "higher", 1, estimated=True),
        Column("played", "played", "Episodes not aborted.", "episodes", digits=0),
        Column("episodes", "episodes", "All episodes under this condition.", "episodes", digits=0),
        RULES,
    )
    rows = []
    for reference in results.references:
        submission, cell = reference.submission, reference.cells[category, difficulty, judge]
        who = who_played(results, submission, " + ".join(submission.players))
        counts = (Value(cell.played), Value(cell.episodes), Value(submission.rules.key))
        rows.append((*who, Value.of(cell.score), Value.of(cell.main), *counts))
    notes = (
        "References see what no describer may see: scene is told what was drawn, shuffled describes another target, "
        "title-only knows category and difficulty. They are never ranked.",
    )
    words = caption(results, judge, category, difficulty)
    return Table("references", "Ceilings and floors", words, columns, tuple(rows), notes, primary="score")
