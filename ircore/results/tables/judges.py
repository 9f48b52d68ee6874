"""Judges side by side: never averaged, since they do not mean the same by a number."""

from ircore.results.model import Results
from ircore.results.tables.model import Column, Selection, Table, Value
from ircore.results.tables.pairs import PAIR_COLUMNS, caption, pair_values
from ircore.results.tables.rated_shares import UNDERRATED, marks_of, rated_columns, rated_values

SAME_FAMILY = "Judge and describer are models of one family: such a judge may favour its own."

MARKS = {"same_family": SAME_FAMILY, "underrated": UNDERRATED}
"""Meaning of the marks of scores."""


def judges_table(results: Results, category: str | None = None, difficulty: str | None = None) -> Table:
    """Return the mean final score of each pair, a column for each judge."""
    columns = (
        *PAIR_COLUMNS,
        *(
            Column(judge, judge, f"Final score by {judge}.", "0–10", "higher", estimated=True)
            for judge in results.judges
        ),
        *(column for judge in results.judges for column in rated_columns(f"{judge}_", judge)),
    )
    rows = []
    for run_id, who in pair_values(results).items():
        cells = [results.cell(run_id, judge, category, difficulty) for judge in results.judges]
        values = (
            Value.of(
                cell.score,
                Selection((run_id,), "rated", category, difficulty, cell.judge),
                marks=marks_of(cell),
            )
            for cell in cells
        )
        rows.append((*who, *values, *(count for cell in cells for count in rated_values(cell))))
    words = caption(results, None, category, difficulty)
    return Table("judges", "Judges", words, columns, tuple(rows), marks=MARKS)
