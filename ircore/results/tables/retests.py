"""How far judges agree with themselves, when they are asked a second time."""

from ircore.results.model import Results
from ircore.results.retests import retest_agreements
from ircore.results.tables.agreement import agreement_value
from ircore.results.tables.model import Column, Table, Value
from ircore.results.tables.pairs import caption

COLUMNS = (
    Column("judge", "judge", "Who was asked twice.", digits=None),
    Column("task", "task", "Similarity of one rendering, or preference of two.", digits=None),
    Column("n", "n", "Questions that were answered twice.", digits=0),
    Column("same", "alike", "Share with the same answer.", "0–1", "higher", estimated=True),
    Column("correlation", "Pearson r", "Of first and second answer: test–retest reliability.", "", "higher",
           estimated=True, implied="−1–1"),
    Column("deviation", "deviation", "Standard deviation of a single answer around the judge's own mean.", "points",
           "lower"),
    Column("shift", "shift", "Mean of second less first answer.", "points", signed=True),
)  # fmt: skip

NOTES = (
    "Second answers are kept apart and count nowhere else. Intervals are clustered on instances. Points are of 10 for "
    "similarity, of 1 for preference.",
)


def retests_table(results: Results) -> Table:
    """Return the agreement of each judge with itself, over all runs."""
    answers = [answer for run in results.runs.values() for answer in run.second_answers]
    rows = tuple(
        (
            Value(agreement.judge),
            Value(agreement.task),
            Value(agreement.n),
            agreement_value(agreement.same),
            agreement_value(agreement.correlation),
            Value(agreement.deviation),
            Value(agreement.shift),
        )
        for judge in results.judges
        for agreement in retest_agreements(answers, judge)
    )
    notes = NOTES if rows else ("No judge was asked twice: ircore score RUN --judge FILE --again 10%",)
    return Table("retests", "Judges asked twice", caption(results), COLUMNS, rows, notes, primary="same")
