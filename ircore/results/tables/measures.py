"""Scores beside known properties of targets, such as how differently people name a tangram."""

from collections.abc import Iterator, Mapping

from ircore.core.records import measures_of
from ircore.results.conditions import under
from ircore.results.episodes import final_scores
from ircore.results.model import Results
from ircore.results.statistics.agreement import spearman
from ircore.results.tables.agreement import agreement_value
from ircore.results.tables.model import Column, Table, Value
from ircore.results.tables.pairs import caption, pair_columns, pair_values

NOTES = (
    "Spearman's ρ of final score and measure over the targets of a pair, unplayed episodes left out. snd is shape "
    "naming divergence: 0 where all people use the same words for a picture, 1 where no two share a word.",
)
NO_MEASURES = "No target of this set has measures; `ircore instances import tangrams` makes sets that have."


def measures_table(results: Results, category: str | None = None, difficulty: str | None = None) -> Table:
    """Return how the scores of each pair go with each measure of the targets, a row a pair, judge and measure."""
    columns = (
        *pair_columns(results),
        Column("judge", "judge", "Whose scores.", digits=None),
        Column("measure", "measure", "Number known of the targets, as the instance set records it.", digits=None),
        Column("spearman", "Spearman ρ", "Of final score and measure.", "", estimated=True),
    )
    targets = {
        instance.instance_id: measures
        for instance in under(results.instances, category, difficulty)
        if (measures := measures_of(instance))
    }
    rows = tuple(_rows(results, targets))
    words = caption(results, None, category, difficulty)
    return Table("measures", "Scores beside measures", words, columns, rows, NOTES if rows else (NO_MEASURES,))


def _rows(results: Results, targets: Mapping[str, Mapping[str, float]]) -> Iterator[tuple[Value, ...]]:
    names = sorted({name for measures in targets.values() for name in measures})
    for run_id, who in pair_values(results).items():
        for judge in results.judges:
            final = final_scores(results.episodes[run_id], judge)
            for name in names:
                known = [instance for instance in targets if instance in final and name in targets[instance]]
                scores = [final[instance] for instance in known]
                measured = [targets[instance][name] for instance in known]
                yield (*who, Value(judge), Value(name), agreement_value(spearman(scores, measured, known)))
