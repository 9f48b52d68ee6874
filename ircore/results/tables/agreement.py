"""Agreement of raters, metrics and people, as the paper's Tables 1, 2 and 4; crossed scores, orders, second answers."""

import numpy as np

from ircore.core.score_records import HUMAN
from ircore.results.metric_facts import metric_facts
from ircore.results.model import Results
from ircore.results.retests import retest_agreements
from ircore.results.statistics.agreement import Agreement, bias, pearson, weighted_kappa
from ircore.results.tables.model import Column, Table, Value
from ircore.results.tables.pairs import ALL, caption

_MEASURES = (
    Column("pearson", "Pearson r", "Of similarity ratings of the same renderings.", "", "higher", estimated=True,
           implied="−1–1"),
    Column("spearman", "Spearman ρ", "Of the same.", "", "higher", estimated=True, implied="−1–1"),
    Column("agreement", "agreement", "Share of episodes with the same preference.", "0–1", "higher", estimated=True),
    Column("kappa", "Cohen's κ", "Of first, final and tie.", "", "higher", estimated=True, implied="−1–1"),
    Column("decided_agreement", "agreement, decided", "Where neither left it tied.", "0–1", "higher", estimated=True,
           audience="pages"),
    Column("decided_kappa", "κ, decided", "Of the same.", "", "higher", estimated=True, audience="pages",
           implied="−1–1"),
)  # fmt: skip

NOTES = (
    "Pearson and Spearman: similarity of the renderings that both rated. Agreement and κ: which of first and final"
    " rendering is preferred, in the episodes that both judged; a tie is an answer of its own (a judge whose "
    "choice turns with the order of showing, or people who are split). Pages and files also give both without ties"
    " ('decided'). Intervals are clustered on instances and take the raters as they are.",
)
PEOPLE = (
    "human is the mean of the annotators who rated a rendering, and what more of them prefer. A mean is less noisy"
    " than one person: a judge can come nearer to it than two annotators come to each other without judging "
    "better."
)
SCALE = (
    "1 is perfect agreement, 0 is what chance gives. Krippendorff (2018, Content Analysis, chapter 12) relies on "
    "ratings from 0.8 and draws tentative conclusions from 0.667. Intervals are clustered on instances and take "
    "the annotators as they are."
)
ORDER_NOTES = (
    "Orders disagree: the choice turned when the two renderings changed places, which counts as a tie everywhere. "
    "A judge that only guesses would do so in half of the episodes, one that always takes the first shown in all.",
)


def agreement_table(results: Results) -> Table:
    """Return every two raters side by side: judges, judges and people, annotators."""
    columns = (
        Column("kind", "who", "Two judges, a judge and the mean of people, or two annotators.", digits=None),
        Column("one", "one", "A judge, or an annotator's pseudonym.", digits=None),
        Column("other", "other", "A judge, human, or an annotator's pseudonym.", digits=None),
        Column("renderings", "renderings", "Rated by both.", digits=0, audience="readers"),
        *_MEASURES[:2],
        Column("episodes", "episodes", "In which both preferred one or left it tied.", digits=0, audience="readers"),
        *_MEASURES[2:],
    )
    agreement = results.raters.agreement
    rows = tuple(
        (
            Value(pair.kind.replace("-", " × ")),
            Value(pair.first_rater),
            Value(pair.second_rater),
            Value(pair.pearson.n),
            *(agreement_value(getattr(pair, column.key)) for column in _MEASURES[:2]),
            Value(pair.agreement.n),
            *(agreement_value(getattr(pair, column.key)) for column in _MEASURES[2:]),
        )
        for pair in agreement.pairs
    )
    people = (PEOPLE,) if any(pair.kind == "judge-human" for pair in agreement.pairs) else ()
    notes = (*NOTES, *people) if rows else ("Fewer than two raters: nothing to compare.",)
    spare = ("spearman", "kappa", "episodes", "renderings", "agreement")
    return Table("agreement", "Agreement of raters", caption(results), columns, rows, notes, spare=spare)


def annotators_table(results: Results) -> Table:
    """Return Krippendorff's α over all annotators, for each task."""
    columns = (
        Column("task", "task", "similarity or preference.", digits=None),
        Column("level", "level", "What differences count.", digits=None),
        Column("units", "rated by several", "Renderings or episodes that two or more annotators rated.", digits=0,
               audience="readers"),
        Column("alpha", "Krippendorff's α", "1 is perfect, 0 is chance.", "", "higher", 3, estimated=True),
    )  # fmt: skip
    agreement = results.raters.agreement
    rows = tuple(
        (Value(task), Value(level), Value(alpha.n), agreement_value(alpha))
        for task, level, alpha in (
            *(("similarity", level, alpha) for level, alpha in agreement.similarity_alpha.items()),
            ("preference", "nominal", agreement.preference_alpha),
        )
    )
    words = f"Annotators: {', '.join(agreement.annotators) or 'none yet'}. {caption(results)}"
    notes = (SCALE,) if len(agreement.annotators) > 1 else ()
    return Table("annotators", "Agreement of all annotators", words, columns, rows, notes)


def ratings_table(results: Results) -> Table:
    """Return how many renderings got which two scores from every two judges, a row for each two scores that occur."""
    columns = (
        Column("one", "one", "A judge.", digits=None),
        Column("other", "other", "Another, or human: the mean of people.", digits=None),
        Column("score_one", "score by one", "To the nearest whole point.", "0–10", digits=0),
        Column("score_other", "score by other", "To the nearest whole point.", "0–10", digits=0),
        Column("renderings", "renderings", "That got these two scores.", digits=0, implied="renderings"),
    )
    rows = tuple(
        (Value(crossed.first_judge), Value(crossed.second_judge), Value(first), Value(other), Value(count))
        for crossed in results.raters.crossed
        for (first, other), count in crossed.counts.items()
    )
    notes = () if rows else ("No two judges rated the same renderings.",)
    return Table("ratings", "Ratings of every two judges", caption(results), columns, rows, notes)


def orders_table(results: Results) -> Table:
    """Return how the order in which two renderings are shown changes each judge's choice."""
    columns = (
        Column("judge", "judge", "Who was asked in both orders.", digits=None),
        Column("episodes", "episodes", "In which both orders have an answer.", digits=0, audience="readers"),
        Column("disagree", "orders disagree", "Share of episodes.", "0–1", "lower", estimated=True),
        Column("first_shown", "chose the first shown", "Share of decided answers; 0.5 is no bias.", "0–1",
               estimated=True),
    )  # fmt: skip
    agreement = results.raters.agreement
    rows = tuple(
        (Value(order.judge), Value(order.episodes), Value.of(order.disagree), Value.of(order.first_shown))
        for order in agreement.orders
    )
    notes = ORDER_NOTES if rows else ("No judge was asked in both orders.",)
    return Table("orders", "Order of showing", caption(results), columns, rows, notes)


def agreement_value(agreement: Agreement) -> Value:
    """Return the entry of a measure of agreement."""
    reason = agreement.reason if agreement.value is None else None
    return Value(agreement.value, agreement.low, agreement.high, agreement.n, reason)


METRIC_NOTES = (
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
    notes = METRIC_NOTES if rows else ("No run has both image metrics and ratings: nothing to compare.",)
    spare = ("spearman", "episodes", "renderings", "preference")
    return Table("metric_agreement", "Metrics beside judges", caption(results), columns, rows, notes, spare=spare)


NOBODY = "No person has rated these renderings: ircore annotate build, then ircore ratings import"
PEOPLE_NOTES = (
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
    notes = PEOPLE_NOTES if rows else (NOBODY,)
    return Table("people", "Judges against people", caption(results), columns, tuple(rows), notes, primary="kappa")


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

RETEST_NOTES = (
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
    notes = RETEST_NOTES if rows else ("No judge was asked twice: ircore score RUN --judge FILE --again 10%",)
    return Table("retests", "Judges asked twice", caption(results), COLUMNS, rows, notes, primary="same")
