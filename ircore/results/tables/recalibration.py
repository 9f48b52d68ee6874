"""Judges on the people's scale: the method and quality of each map, and the mapped score of every pair."""

from ircore.results.calibration import MARKS, RecalibratedCell, calibrate
from ircore.results.model import Results
from ircore.results.statistics.recalibration import Refusal
from ircore.results.tables.model import Column, Selection, Table, Value
from ircore.results.tables.pairs import caption, pair_columns, pair_values
from ircore.results.tables.rated_shares import gap_notes, rated_columns, rated_values

ERRORS = (
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
            for key, title, words in ERRORS
            for when in ("before", "after")
        ),
    )  # fmt: skip
    rows = []
    for judge, fitted in results.raters.maps.items():
        if isinstance(fitted, Refusal):
            missing = [Value(None, n=0, missing=fitted.reason)] * (2 * len(ERRORS))
            method = Value(None, missing=fitted.reason)
            rows.append((Value(judge), method, Value(fitted.n), Value(fitted.instances), *missing))
            continue
        errors = (Value.of(getattr(when, key)) for key, *_ in ERRORS for when in (fitted.before, fitted.after))
        rows.append((Value(judge), Value(fitted.method), Value(fitted.n), Value(fitted.instances), *errors))
    notes = MAP_NOTES if any(row[1].value is not None for row in rows) else ()
    return Table("maps", "Recalibration of judges", caption(results), columns, tuple(rows), notes)


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
    return Table("reliability", "Reliability of judges", caption(results), columns, rows, notes)


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
        *(column for judge in judges for column in rated_columns(f"{judge}_", judge)),
    )
    rows = []
    counted_cells = []
    for run_id, who in pair_values(results).items():
        cells = [results.cell(run_id, judge, category, difficulty) for judge in judges]
        counted_cells += cells
        values = (_mapped(calibration.cells.get((run_id, category, difficulty, judge))) for judge in judges)
        rows.append((*who, *values, *(count for counted in cells for count in rated_values(counted))))
    mapped = any(not isinstance(fitted, Refusal) for fitted in calibration.maps.values())
    notes = (*SCORE_NOTES, *gap_notes(counted_cells)) if mapped else ()
    words = caption(results, None, category, difficulty)
    marks = {str(key): text for key, text in MARKS.items()}
    return Table("recalibrated", "Recalibrated scores", words, columns, tuple(rows), notes, marks)


def _mapped(cell: RecalibratedCell | None) -> Value:
    if cell is None or cell.score is None:
        return Value(None, n=0, missing="the judge rated nothing here" if cell is None else cell.reason)
    behind = Selection((cell.run_id,), "rated", cell.category, cell.difficulty, cell.judge)
    return Value(cell.score.value, cell.score.low, cell.score.high, cell.score.n, None, cell.marks, behind)
