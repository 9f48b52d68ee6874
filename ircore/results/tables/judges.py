"""Tables of judges: side by side, on the people's scale, and how far raters and metrics agree with one another.

Judges stand side by side and are never averaged, since they do not mean the same by a number. On the people's scale
each judge has its map, the quality of the map, and the mapped score of every pair. Agreement is that of the paper's
Tables 1, 2 and 4, with crossed scores, orders of showing and second answers.
"""

from itertools import product

import numpy as np

from ircore.core.score_records import HUMAN
from ircore.results.agreement import measure_retests
from ircore.results.arrays import select_condition
from ircore.results.calibration import MARKS, RecalibratedCell, calibrate
from ircore.results.image_metrics import describe_metric
from ircore.results.model import Results
from ircore.results.statistics.agreement import Agreement, bias, pearson, weighted_kappa
from ircore.results.statistics.recalibration import Refusal
from ircore.results.tables.model import Column, Selection, Table, Value
from ircore.results.tables.pairs import (
    ALL,
    RATER_MARKS,
    build_rated_columns,
    format_caption,
    list_gap_notes,
    list_marks,
    list_rated_values,
    pair_columns,
    pair_values,
)

ERROR_MEASURES = (
    ("bias", "bias", "Mean of score less people's score"),
    ("absolute", "MAE", "Mean absolute error"),
    ("squared", "RMSE", "Root of the mean squared error"),
)

MAP_NOTES = (
    "Errors in points of 0–10 against the mean of the annotators. Before: the judge's scores as they are. "
    "After: each by a map fitted to all other pictures (cross-validated). Bias above 0: the judge scores "
    "higher than people.",
    "People's mean is unsure itself: with few annotators no judge could reach errors of 0.",
)
SCORE_NOTES = (
    "What people would be expected to give, on average, to renderings that the judge scores so. Where judge and "
    "people agree little, this draws scores towards their mean; a judge's liking for one pair is not taken out, "
    "but is in the interval.",
    "Intervals carry the uncertainty of the scores, of the map, and of how far single pairs are off it, which goes by "
    "the pairs that people rated: the fewer, the wider. A pair that nobody rated has none. They take the annotators as "
    "they are.",
)

_AGREEMENT_COLUMNS = (
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

AGREEMENT_NOTES = (
    "Pearson and Spearman: similarity of the renderings that both rated. Agreement and κ: which of first and final"
    " rendering is preferred, in the episodes that both judged; a tie is an answer of its own (a judge whose "
    "choice turns with the order of showing, or people who are split). Pages and files also give both without ties"
    " ('decided'). Intervals are clustered on instances and take the raters as they are.",
)
PEOPLE_NOTE = (
    "human is the mean of the annotators who rated a rendering, and what more of them prefer. A mean is less noisy"
    " than one person: a judge can come nearer to it than two annotators come to each other without judging "
    "better."
)
SCALE_NOTE = (
    "1 is perfect agreement, 0 is what chance gives. Krippendorff (2018, Content Analysis, chapter 12) relies on "
    "ratings from 0.8 and draws tentative conclusions from 0.667. Intervals are clustered on instances and take "
    "the annotators as they are."
)
ORDER_NOTES = (
    "Orders disagree: the choice turned when the two renderings changed places, which counts as a tie everywhere. "
    "A judge that only guesses would do so in half of the episodes, one that always takes the first shown in all.",
)

METRIC_NOTES = (
    "1 is agreement whatever the metric's direction: values for which lower is better are negated. Preference: the "
    "share of episodes in which metric and rater prefer the same of first and final rendering, ties of either left "
    "out; 0.5 is what chance gives. Intervals are clustered on instances.",
)

NO_PEOPLE = "No person has rated these renderings: ircore annotate build, then ircore ratings import"
PEOPLE_NOTES = (
    "Against the mean of the people who rated a rendering. κ is weighted by squared distance (Cohen 1968) and, unlike "
    "r, is lowered by a bias. Bias: the judge's score less people's, in points. Intervals are clustered on instances "
    "and take the people as they are.",
)

RETEST_COLUMNS = (
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


def judges_table(results: Results, category: str | None = None, difficulty: str | None = None) -> Table:
    """Return the mean final score of each pair, a column for each judge."""
    columns = (
        *pair_columns(results),
        *(
            Column(judge, judge, f"Final score by {judge}.", "0–10", "higher", estimated=True)
            for judge in results.judges
        ),
        *(column for judge in results.judges for column in build_rated_columns(f"{judge}_", judge)),
    )
    rows = []
    for run_id, who in pair_values(results).items():
        cells = [results.cell(run_id, judge, category, difficulty) for judge in results.judges]
        values = (
            Value.of(
                cell.score,
                Selection((run_id,), "rated", category, difficulty, cell.judge),
                marks=list_marks(cell),
            )
            for cell in cells
        )
        rows.append((*who, *values, *(count for cell in cells for count in list_rated_values(cell))))
    words = format_caption(results, None, category, difficulty)
    return Table("judges", "Judges", words, columns, tuple(rows), marks=RATER_MARKS)


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
        if category in (None, kind) and difficulty in (None, level) and select_condition(results.instances, kind, level)
    ]
    rows = []
    for (run_id, who), (kind, level) in product(pair_values(results).items(), conditions):
        scores = (
            Value.of(
                results.cell(run_id, judge, kind, level).score,
                Selection((run_id,), "rated", kind, level, judge),
                marks=list_marks(results.cell(run_id, judge, kind, level)),
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
    words = format_caption(results, None, category, difficulty)
    spare = tuple(f"{judge}_preferred" for judge in choosing)
    return Table("conditions", "Conditions", words, columns, tuple(rows), marks=RATER_MARKS, spare=spare)


def maps_table(results: Results) -> Table:
    """Return each judge's map: the data behind the fit, and cross-validated errors before and after."""
    columns = (
        Column("judge", "judge", "Whose scores are mapped.", digits=None),
        Column("method", "map", "The kind that cross-validation over instances chose.", digits=None, nullable=True),
        Column("matched", "matched", "Renderings that judge and people rated.", digits=0),
        Column("instances", "instances", "Pictures that these come from.", digits=0),
        *(
            Column(f"{key}_{when}", f"{title} {when}", f"{words}, {when} recalibration.", "", "lower", 2, key == "bias",
                   estimated=True)
            for key, title, words in ERROR_MEASURES
            for when in ("before", "after")
        ),
    )  # fmt: skip
    rows = []
    for judge, fitted in results.raters.maps.items():
        if isinstance(fitted, Refusal):
            missing = [Value(None, n=0, missing=fitted.reason)] * (2 * len(ERROR_MEASURES))
            method = Value(None, missing=fitted.reason)
            rows.append((Value(judge), method, Value(fitted.n), Value(fitted.instances), *missing))
            continue
        errors = (Value.of(getattr(when, key)) for key, *_ in ERROR_MEASURES for when in (fitted.before, fitted.after))
        rows.append((Value(judge), Value(fitted.method), Value(fitted.n), Value(fitted.instances), *errors))
    notes = MAP_NOTES if any(row[1].value is not None for row in rows) else ()
    return Table("maps", "Recalibration of judges", format_caption(results), columns, tuple(rows), notes)


def reliability_table(results: Results) -> Table:
    """Return the reliability diagram of each judge: people's mean rating of renderings with about the same score."""
    columns = (
        Column("judge", "judge", "Whose scores.", digits=None),
        Column("score", "judge's score", "Mean within a whole point.", "0–10"),
        Column("human", "people", "Mean score by people.", "0–10", estimated=True),
        Column("instances", "instances", "Pictures that these come from.", digits=0),
    )
    rows = tuple(
        (Value(judge), Value(point.judge), Value.of(point.human), Value(point.instances))
        for judge, fitted in results.raters.maps.items()
        if not isinstance(fitted, Refusal)
        for point in fitted.reliability
    )
    read = "A perfectly calibrated judge has the same number in both columns, within the intervals."
    notes = (read,) if rows else ("No judge has a map; the table maps says why.",)
    return Table("reliability", "Reliability of judges", format_caption(results), columns, rows, notes)


def recalibrated_table(results: Results, category: str | None = None, difficulty: str | None = None) -> Table:
    """Return the mean final score of each pair on the people's scale, a column for each judge."""
    calibration = calibrate(results.episodes)
    judges = tuple(calibration.maps)
    columns = (
        *pair_columns(results),
        *(
            Column(judge, judge, f"Final score by {judge}, as people would score.", "0–10", "higher", estimated=True)
            for judge in judges
        ),
        *(column for judge in judges for column in build_rated_columns(f"{judge}_", judge)),
    )
    rows = []
    counted_cells = []
    for run_id, who in pair_values(results).items():
        cells = [results.cell(run_id, judge, category, difficulty) for judge in judges]
        counted_cells += cells
        values = (
            _format_recalibrated(calibration.cells.get((run_id, category, difficulty, judge))) for judge in judges
        )
        rows.append((*who, *values, *(count for counted in cells for count in list_rated_values(counted))))
    mapped = any(not isinstance(fitted, Refusal) for fitted in calibration.maps.values())
    notes = (*SCORE_NOTES, *list_gap_notes(counted_cells)) if mapped else ()
    words = format_caption(results, None, category, difficulty)
    marks = {str(key): text for key, text in MARKS.items()}
    return Table("recalibrated", "Recalibrated scores", words, columns, tuple(rows), notes, marks)


def agreement_table(results: Results) -> Table:
    """Return every two raters side by side: judges, judges and people, annotators."""
    columns = (
        Column("kind", "who", "Two judges, a judge and the mean of people, or two annotators.", digits=None),
        Column("one", "one", "A judge, or an annotator's pseudonym.", digits=None),
        Column("other", "other", "A judge, human, or an annotator's pseudonym.", digits=None),
        Column("renderings", "renderings", "Rated by both.", digits=0, audience="readers"),
        *_AGREEMENT_COLUMNS[:2],
        Column("episodes", "episodes", "In which both preferred one or left it tied.", digits=0, audience="readers"),
        *_AGREEMENT_COLUMNS[2:],
    )
    agreement = results.raters.agreement
    rows = tuple(
        (
            Value(pair.kind.replace("-", " × ")),
            Value(pair.first_rater),
            Value(pair.second_rater),
            Value(pair.pearson.n),
            *(build_agreement_value(getattr(pair, column.key)) for column in _AGREEMENT_COLUMNS[:2]),
            Value(pair.agreement.n),
            *(build_agreement_value(getattr(pair, column.key)) for column in _AGREEMENT_COLUMNS[2:]),
        )
        for pair in agreement.pairs
    )
    people = (PEOPLE_NOTE,) if any(pair.kind == "judge-human" for pair in agreement.pairs) else ()
    notes = (*AGREEMENT_NOTES, *people) if rows else ("Fewer than two raters: nothing to compare.",)
    spare = ("spearman", "kappa", "episodes", "renderings", "agreement")
    return Table("agreement", "Agreement of raters", format_caption(results), columns, rows, notes, spare=spare)


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
        (Value(task), Value(level), Value(alpha.n), build_agreement_value(alpha))
        for task, level, alpha in (
            *(("similarity", level, alpha) for level, alpha in agreement.similarity_alpha.items()),
            ("preference", "nominal", agreement.preference_alpha),
        )
    )
    words = f"Annotators: {', '.join(agreement.annotators) or 'none yet'}. {format_caption(results)}"
    notes = (SCALE_NOTE,) if len(agreement.annotators) > 1 else ()
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
    return Table("ratings", "Ratings of every two judges", format_caption(results), columns, rows, notes)


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
    return Table("orders", "Order of showing", format_caption(results), columns, rows, notes)


def build_agreement_value(agreement: Agreement) -> Value:
    """Return the entry of a measure of agreement."""
    reason = agreement.reason if agreement.value is None else None
    return Value(agreement.value, agreement.low, agreement.high, agreement.n, reason)


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
            Value(describe_metric(agreement.metric).name),
            Value(agreement.rater),
            Value(agreement.pearson.n),
            build_agreement_value(agreement.pearson),
            build_agreement_value(agreement.spearman),
            Value(agreement.preference.n),
            build_agreement_value(agreement.preference),
        )
        for agreement in results.raters.metric_agreements
    )
    notes = METRIC_NOTES if rows else ("No run has both image metrics and ratings: nothing to compare.",)
    spare = ("spearman", "episodes", "renderings", "preference")
    return Table(
        "metric_agreement", "Metrics beside judges", format_caption(results), columns, rows, notes, spare=spare
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
                build_agreement_value(measure(scores[where], human[where], task.instances[where]))
                for measure in (pearson, weighted_kappa, bias)
            )
            rows.append((Value(judge), Value(category or ALL), Value(int(where.sum())), Value(people), *measured))
    notes = PEOPLE_NOTES if rows else (NO_PEOPLE,)
    return Table(
        "people", "Judges against people", format_caption(results), columns, tuple(rows), notes, primary="kappa"
    )


def retests_table(results: Results) -> Table:
    """Return the agreement of each judge with itself, over all runs."""
    answers = [answer for run in results.runs.values() for answer in run.second_answers]
    rows = tuple(
        (
            Value(agreement.judge),
            Value(agreement.task),
            Value(agreement.n),
            build_agreement_value(agreement.same),
            build_agreement_value(agreement.correlation),
            Value(agreement.deviation),
            Value(agreement.shift),
        )
        for judge in results.judges
        for agreement in measure_retests(answers, judge)
    )
    notes = RETEST_NOTES if rows else ("No judge was asked twice: ircore score RUN --judge FILE --again 10%",)
    return Table("retests", "Judges asked twice", format_caption(results), RETEST_COLUMNS, rows, notes, primary="same")


def _format_recalibrated(cell: RecalibratedCell | None) -> Value:
    if cell is None or cell.score is None:
        return Value(None, n=0, missing="the judge rated nothing here" if cell is None else cell.reason)
    behind = Selection((cell.run_id,), "rated", cell.category, cell.difficulty, cell.judge)
    return Value(cell.score.value, cell.score.low, cell.score.high, cell.score.n, None, cell.marks, behind)
