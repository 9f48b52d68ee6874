"""Tables of a set's targets: their content, counted from their scenes, and what is known of them beside scores.

People's names for pictures are known of tangrams: naming divergence and segmentation agreement, by picture and by set.
"""

from collections.abc import Iterator, Mapping, Sequence
from itertools import product
from statistics import fmean, pstdev
from typing import NamedTuple

from ircore.core.records import Scene, collect_measures
from ircore.games.reference.game import KILOGRAM
from ircore.games.reference.naming import EASY_BELOW, HARD_ABOVE, Annotation, Naming, compute_naming
from ircore.results.arrays import select_condition
from ircore.results.episodes import average_final_scores
from ircore.results.model import Results
from ircore.results.statistics.agreement import spearman
from ircore.results.tables.judges import build_agreement_value
from ircore.results.tables.model import Column, Selection, Table, Value
from ircore.results.tables.pairs import format_caption, pair_columns, pair_values

_NO_SCENE = "a photograph has no scene"
_GROUND = frozenset({"background", "grid_line", "gridline", "panel", "patch"})
"""Element types that lie behind a figure and do not add to its content."""

MEASURE_NOTES = (
    "Spearman's ρ of final score and measure over the targets of a pair, unplayed episodes left out. snd is shape "
    "naming divergence: 0 where all people use the same words for a picture, 1 where no two share a word.",
)
NO_MEASURES = "No target of this set has measures; `ircore instances import tangrams` makes sets that have."

NAMING_MEASURES = (
    Column("snd", "SND", "Shape naming divergence: 0, everybody uses the same words; 1, no word is shared.", "0–1"),
    Column("pnd", "PND", "Part naming divergence: the same of the names of parts.", "0–1"),
    Column("psa", "PSA", "Part segmentation agreement: pieces that two people put into the same parts.", "1–7"),
)
"""The measures as columns, in KiloGram's order."""

_WHO = Column("set", "Set", "Where the names come from.", digits=None)
_PICTURES = Column("pictures", "Pictures", "Pictures with the measure.", digits=0)


def targets_table(results: Results, category: str | None = None, difficulty: str | None = None) -> Table:
    """Return the number of targets of each condition and their contents, a row for each condition."""
    messages = _measure_first_messages(results)
    columns = (
        Column("category", "category", "Kind of picture.", digits=None),
        Column("difficulty", "difficulty", "easy or hard.", digits=None),
        Column("targets", "targets", "Pictures of this condition.", digits=0),
        Column("elements", "elements", "Drawn things a picture but grounds and grids, mean.", digits=1, nullable=True),
        Column("fewest", "fewest", "Of these in one picture.", digits=0, nullable=True),
        Column("most", "most", "Of these in one picture.", digits=0, nullable=True),
        Column("texts", "texts", "Written labels and numbers a picture, mean.", digits=1, nullable=True),
        Column("smallest", "smallest text", "Font size of the smallest text of all.", "px", digits=0, nullable=True),
        Column("colours", "colours", "Different colours of drawn things a picture, mean.", digits=1, nullable=True),
        Column("tokens", "first message", "Tokens that describers took for the first message, mean.", "tokens",
               digits=0, nullable=True),
    )  # fmt: skip
    rows = [
        (Value(name), Value(level), *_count_contents(results, name, level, messages.get((name, level), [])))
        for name, level in product(results.categories, results.difficulties)
        if category in (None, name) and difficulty in (None, level)
    ]
    words = format_caption(results, None, category, difficulty)
    counted = tuple(row for row in rows if row[2].value)
    spare = ("fewest", "most", "smallest", "colours", "texts", "tokens")
    return Table("targets", "What the targets show", words, columns, counted, spare=spare)


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
        for instance in select_condition(results.instances, category, difficulty)
        if (measures := collect_measures(instance))
    }
    rows = tuple(_build_rows(results, targets))
    words = format_caption(results, None, category, difficulty)
    return Table("measures", "Scores beside measures", words, columns, rows, MEASURE_NOTES if rows else (NO_MEASURES,))


def classify_difficulty(snd: float | None) -> str:
    """Return how hard a picture is to name for others, by shape naming divergence: the cuts of ``import tangrams``.

    >>> classify_difficulty(0.79), classify_difficulty(0.80), classify_difficulty(0.96)
    ('easy', 'between', 'hard')
    """
    if snd is None:
        return ""
    return "easy" if snd < EASY_BELOW else "hard" if snd > HARD_ABOVE else "between"


def naming_table(name: str, annotations: Mapping[str, Sequence[Annotation]]) -> Table:
    """Return the measures of each picture, the hardest to name first; pictures without the measure last.

    Args:
        name: Name of the set of annotations.
        annotations: By picture.
    """
    measured = {picture: compute_naming(of_picture) for picture, of_picture in annotations.items()}
    # Divergence is at most 1 and sorted downwards, so that 1 stands behind every measured picture.
    sorts = {picture: 1.0 if names.snd is None else -names.snd for picture, names in measured.items()}
    order = sorted(measured, key=lambda picture: (sorts[picture], picture))
    return Table(
        name="naming",
        title=f"Names of {name}",
        caption=f"Easy: SND below {EASY_BELOW:.2f}; hard: above {HARD_ABOVE:.2f}.",
        columns=(
            Column("picture", "Picture", "Its id.", digits=None),
            Column("names", "Names", "People who named it.", digits=0),
            *NAMING_MEASURES,
            Column("difficulty", "Difficulty", "By shape naming divergence.", digits=None),
        ),
        rows=tuple(_build_row(picture, measured[picture]) for picture in order),
    )


def naming_means_table(tables: Mapping[str, Table]) -> Table:
    """Return mean and standard deviation of each measure over the pictures of each set.

    Args:
        tables: ``naming_table`` of each set, by its name.
    """
    rows = []
    for name, table in tables.items():
        cells = []
        for measure in NAMING_MEASURES:
            values = [float(value.value) for value in table.column(measure.key) if isinstance(value.value, float | int)]
            # The population's deviation, as in KiloGram's paper, whose figures stand beside these.
            cells += (
                [Value(fmean(values)), Value(pstdev(values))] if values else [Value(None, missing="no picture")] * 2
            )
        rows.append((Value(name), Value(len(table.rows)), *cells))
    return Table(
        name="naming_means",
        title="Names by set",
        caption="Mean over pictures, and the population's standard deviation.",
        columns=(_WHO, _PICTURES, *_build_mean_columns()),
        rows=tuple(rows),
    )


def published_naming_table() -> Table:
    """Return the figures of KiloGram's paper in the form of ``naming_means_table``, with their source."""
    sets = dict.fromkeys(figure.tangrams for figure in PUBLISHED_NAMING)
    reported = {(figure.tangrams, figure.measure): figure for figure in PUBLISHED_NAMING}
    rows = []
    for name in sets:
        figures = [reported[name, measure.key] for measure in NAMING_MEASURES]
        cells = [Value(value) for figure in figures for value in (figure.mean, figure.deviation)]
        rows.append((Value(name), *cells, Value(figures[0].source)))
    return Table(
        name="published_naming",
        title="Names by set",
        caption="Table 2 of KiloGram's paper.",
        columns=(_WHO, *_build_mean_columns(), Column("source", "Source", "The paper.", digits=None)),
        rows=tuple(rows),
        origin="reported by the paper",
    )


class PublishedNaming(NamedTuple):
    """A measure of a set of tangrams, as reported.

    >>> PublishedNaming("DENSE", "snd", 0.93, 0.06).source
    'https://arxiv.org/abs/2211.16492'

    Attributes:
        tangrams: Name of the set in the paper.
        measure: ``snd``, ``pnd`` or ``psa``.
        mean: Over the tangrams of the set.
        deviation: Standard deviation over the tangrams.
        source: Address of the paper.
    """

    tangrams: str
    measure: str
    mean: float
    deviation: float
    source: str = KILOGRAM


PUBLISHED_NAMING = (
    PublishedNaming("FULL, 1,016 tangrams", "snd", 0.91, 0.11),
    PublishedNaming("FULL, 1,016 tangrams", "pnd", 0.76, 0.19),
    PublishedNaming("FULL, 1,016 tangrams", "psa", 5.30, 0.62),
    PublishedNaming("DENSE, 74 tangrams", "snd", 0.93, 0.06),
    PublishedNaming("DENSE, 74 tangrams", "pnd", 0.79, 0.15),
    PublishedNaming("DENSE, 74 tangrams", "psa", 5.09, 0.53),
    PublishedNaming("DENSE10, 74 tangrams", "snd", 0.90, 0.15),
    PublishedNaming("DENSE10, 74 tangrams", "pnd", 0.73, 0.20),
    PublishedNaming("DENSE10, 74 tangrams", "psa", 5.34, 0.77),
)


def _count_contents(results: Results, category: str, difficulty: str, tokens: Sequence[int]) -> tuple[Value, ...]:
    chosen = [
        instance for instance in results.instances if (instance.category, instance.difficulty) == (category, difficulty)
    ]
    scenes = [instance.scene for instance in chosen if instance.scene is not None]
    sizes = [sum(element.type not in _GROUND for element in scene.elements) for scene in scenes]
    texts = [[element for element in scene.elements if element.text is not None] for scene in scenes]
    # Parameters of a scene are of any JSON type, and a size may be written as a text.
    fonts = [
        float(str(element.parameters["size"])) for labels in texts for element in labels if "size" in element.parameters
    ]
    behind = Selection(tuple(results.episodes), "ended", category, difficulty)
    return (
        Value(len(chosen)),
        _average_values(sizes),
        Value.or_missing(min(sizes, default=None), _NO_SCENE),
        Value.or_missing(max(sizes, default=None), _NO_SCENE),
        _average_values([len(labels) for labels in texts]),
        Value.or_missing(min(fonts, default=None), "no texts" if scenes else _NO_SCENE),
        _average_values([len(_list_colours(scene)) for scene in scenes]),
        Value(fmean(tokens), n=len(tokens), episodes=behind) if tokens else Value(None, missing="not played yet"),
    )


def _average_values(values: list[int]) -> Value:
    return Value(fmean(values), n=len(values)) if values else Value(None, missing=_NO_SCENE)


def _list_colours(scene: Scene) -> set[str]:
    return {element.colour for element in scene.elements if element.colour and element.type not in _GROUND}


def _measure_first_messages(results: Results) -> dict[tuple[str, str], list[int]]:
    """Return the length of the first message of every episode, by category and difficulty."""
    tokens_by_condition: dict[tuple[str, str], list[int]] = {}
    for run_id, episodes in results.episodes.items():
        spoken = results.runs[run_id].first_messages
        for episode in (result.episode for result in episodes):
            message = spoken.get(episode.episode_id)
            if message is not None and message.tokens is not None:
                tokens_by_condition.setdefault((episode.category, episode.difficulty), []).append(message.tokens)
    return tokens_by_condition


def _build_rows(results: Results, targets: Mapping[str, Mapping[str, float]]) -> Iterator[tuple[Value, ...]]:
    names = sorted({name for measures in targets.values() for name in measures})
    for run_id, who in pair_values(results).items():
        for judge in results.judges:
            final = average_final_scores(results.episodes[run_id], judge)
            for name in names:
                known = [instance for instance in targets if instance in final and name in targets[instance]]
                scores = [final[instance] for instance in known]
                measured = [targets[instance][name] for instance in known]
                yield (*who, Value(judge), Value(name), build_agreement_value(spearman(scores, measured, known)))


def _build_row(picture: str, measured: Naming) -> tuple[Value, ...]:
    few = "fewer than two names" if measured.n < 2 else "not everybody named the pieces"
    values = (Value.or_missing(value, few) for value in (measured.snd, measured.pnd, measured.psa))
    return Value(picture), Value(measured.n), *values, Value(classify_difficulty(measured.snd) or None, missing=few)


def _build_mean_columns() -> list[Column]:
    return [
        column
        for measure in NAMING_MEASURES
        for column in (
            measure,
            Column(f"{measure.key}_sd", f"{measure.title} ±", f"Standard deviation of {measure.title} over pictures."),
        )
    ]
