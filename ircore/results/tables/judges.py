"""Judges side by side: never averaged, since they do not mean the same by a number."""

from itertools import product

from ircore.results.conditions import under
from ircore.results.model import Results
from ircore.results.tables.model import Column, Selection, Table, Value
from ircore.results.tables.pairs import caption, pair_columns, pair_values
from ircore.results.tables.rated_shares import UNDERRATED, marks_of, rated_columns, rated_values

SAME_FAMILY = "Judge and describer are models of one family: such a judge may favour its own."

MARKS = {"same_family": SAME_FAMILY, "underrated": UNDERRATED}
"""Meaning of the marks of scores."""


def judges_table(results: Results, category: str | None = None, difficulty: str | None = None) -> Table:
    """Return the mean final score of each pair, a column for each judge."""
    columns = (
        *pair_columns(results),
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


def conditions_table(results: Results, category: str | None = None, difficulty: str | None = None) -> Table:
    """Return every pair under every condition by every judge: the layout of the paper's Table 3.

    A row is a pair, category and difficulty. Judges that rate have a mean of final scores, people as the judge
    ``human``; those that choose between first and final rendering, as LipSim does, have the share that prefers the
    final one.
    """
    cells = [results.cell(run_id, judge) for judge in results.judges for run_id in results.episodes]
    rating = list(dict.fromkeys(cell.judge for cell in cells if cell.score.n))
    choosing = list(dict.fromkeys(cell.judge for cell in cells if cell.preference.n))
    columns = (
        *pair_columns(results),
        Column("category", "category", "Of the pictures.", digits=None),
        Column("difficulty", "difficulty", "easy or hard.", digits=None),
        *(Column(judge, judge, f"Mean final score by {judge}.", "0–10", "higher", estimated=True) for judge in rating),
        *(
            Column(
                f"{judge}_preferred", f"final preferred by {judge}", "Share of episodes of several renderings.", "0–1",
                "higher", estimated=True,
            )
            for judge in choosing
        ),
    )  # fmt: skip
    conditions = [
        (kind, level)
        for kind, level in product(results.categories, results.difficulties)
        if category in (None, kind) and difficulty in (None, level) and under(results.instances, kind, level)
    ]
    rows = []
    for (run_id, who), (kind, level) in product(pair_values(results).items(), conditions):
        scores = (
            Value.of(
                results.cell(run_id, judge, kind, level).score,
                Selection((run_id,), "rated", kind, level, judge),
                marks=marks_of(results.cell(run_id, judge, kind, level)),
            )
            for judge in rating
        )
        shares = (
            Value.of(
                results.cell(run_id, judge, kind, level).preference,
                Selection((run_id,), "refined", kind, level, judge),
                "no episode of several renderings",
            )
            for judge in choosing
        )
        rows.append((*who, Value(kind), Value(level), *scores, *shares))
    words = caption(results, None, category, difficulty)
    spare = tuple(f"{judge}_preferred" for judge in choosing)
    return Table("conditions", "Conditions", words, columns, tuple(rows), marks=MARKS, spare=spare)
