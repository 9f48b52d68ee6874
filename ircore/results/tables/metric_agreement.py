"""Image metrics beside judges and people: the question RQ 4 of ConvGenVisMo, asked of these runs."""

from ircore.results.metric_facts import metric_facts
from ircore.results.model import Results
from ircore.results.tables.agreement import agreement_value
from ircore.results.tables.model import Column, Table, Value
from ircore.results.tables.pairs import caption

NOTES = (
    "1 is agreement whatever the metric's direction: values for which lower is better are negated. Preference: the "
    "share of episodes in which metric and rater prefer the same of first and final rendering, ties of either left "
    "out; 0.5 is what chance gives. Intervals are clustered on instances.",
)


def metric_agreement_table(results: Results) -> Table:
    """Return how each image metric agrees with each judge, with people, and with verified facts."""
    columns = (
        Column("metric", "metric", "An image metric.", digits=None),
        Column(
            "rater", "rater", "A judge; human is the mean of people, verified the share of right facts.", digits=None
        ),
        Column("renderings", "renderings", "That have a value from both.", digits=0, audience="readers"),
        Column("pearson", "Pearson r", "Of metric and rating of the same renderings.", "", "higher", estimated=True,
               implied="−1–1"),
        Column("spearman", "Spearman ρ", "Of the same.", "", "higher", estimated=True, implied="−1–1"),
        Column("episodes", "episodes", "In which both prefer one.", digits=0, audience="readers"),
        Column("preference", "same preference", "Share of these episodes.", "0–1", "higher", estimated=True),
    )  # fmt: skip
    rows = tuple(
        (
            Value(metric_facts(agreement.metric).name),
            Value(agreement.rater),
            Value(agreement.pearson.n),
            agreement_value(agreement.pearson),
            agreement_value(agreement.spearman),
            Value(agreement.preference.n),
            agreement_value(agreement.preference),
        )
        for agreement in results.raters.metric_agreements
    )
    notes = NOTES if rows else ("No run has both image metrics and ratings: nothing to compare.",)
    spare = ("spearman", "episodes", "renderings", "preference")
    return Table("metric_agreement", "Metrics beside judges", caption(results), columns, rows, notes, spare=spare)
