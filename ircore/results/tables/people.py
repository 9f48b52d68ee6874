"""How far each judge follows people: r, κ and bias on the renderings that both rated, overall and by category."""

import numpy as np

from ircore.core.score_records import HUMAN
from ircore.results.model import Results
from ircore.results.statistics.agreement import bias, pearson, weighted_kappa
from ircore.results.tables.agreement import agreement_value
from ircore.results.tables.model import Column, Table, Value
from ircore.results.tables.pairs import ALL, caption

NOBODY = "No person has rated these renderings: ircore annotate build, then ircore ratings import"
NOTES = (
    "Against the mean of the people who rated a rendering. κ is weighted by squared distance (Cohen 1968) and, unlike "
    "r, is lowered by a bias. Bias: the judge's score less people's, in points. Intervals are clustered on instances "
    "and take the people as they are.",
)


def people_table(results: Results) -> Table:
    """Return how far each judge's scores follow people's, a row a judge and category."""
    columns = (
        Column("judge", "judge", "Who is held against people.", digits=None),
        Column("category", "category", f"A category, or {ALL}.", digits=None),
        Column("renderings", "renderings", "Rated by the judge and by people.", digits=0),
        Column("people", "people", "Annotators who rated any of them.", digits=0),
        Column("pearson", "Pearson r", "Correlation of the scores.", "", "higher", estimated=True, implied="−1–1"),
        Column("kappa", "weighted κ", "Cohen's κ with quadratic weights.", "", "higher", estimated=True,
               implied="−1–1"),
        Column("bias", "bias", "The judge's score less people's, on average.", "", signed=True, estimated=True,
               implied="points of 0–10"),
    )  # fmt: skip
    task = results.raters.similarity
    human = task.judges.get(HUMAN)
    rows = []
    for judge, scores in task.judges.items():
        if human is None or judge == HUMAN:
            continue
        both = ~np.isnan(scores + human)
        kinds = np.array(task.categories)
        for category in (None, *dict.fromkeys(kinds[both])) if both.any() else ():
            where = both if category is None else both & (kinds == category)
            people = sum(bool((~np.isnan(ratings[where])).any()) for ratings in task.annotators.values())
            measured = (
                agreement_value(measure(scores[where], human[where], task.instances[where]))
                for measure in (pearson, weighted_kappa, bias)
            )
            rows.append((Value(judge), Value(category or ALL), Value(int(where.sum())), Value(people), *measured))
    notes = NOTES if rows else (NOBODY,)
    return Table("people", "Judges against people", caption(results), columns, tuple(rows), notes, primary="kappa")
