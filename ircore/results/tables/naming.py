"""Tables of people's names for pictures: naming divergence and segmentation agreement, by picture and by set."""

from collections.abc import Mapping, Sequence
from statistics import fmean, pstdev
from typing import NamedTuple

from ircore.games.reference.game import KILOGRAM
from ircore.games.reference.naming import EASY_BELOW, HARD_ABOVE, Annotation, Naming, compute_naming
from ircore.results.tables.model import Column, Table, Value

MEASURES = (
    Column("snd", "SND", "Shape naming divergence: 0, everybody uses the same words; 1, no word is shared.", "0–1"),
    Column("pnd", "PND", "Part naming divergence: the same of the names of parts.", "0–1"),
    Column("psa", "PSA", "Part segmentation agreement: pieces that two people put into the same parts.", "1–7"),
)
"""The measures as columns, in KiloGram's order."""

_WHO = Column("set", "Set", "Where the names come from.", digits=None)
_PICTURES = Column("pictures", "Pictures", "Pictures with the measure.", digits=0)


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
            *MEASURES,
            Column("difficulty", "Difficulty", "By shape naming divergence.", digits=None),
        ),
        rows=tuple(_build_row(picture, measured[picture]) for picture in order),
    )


def _build_row(picture: str, measured: Naming) -> tuple[Value, ...]:
    few = "fewer than two names" if measured.n < 2 else "not everybody named the pieces"
    values = (Value.or_missing(value, few) for value in (measured.snd, measured.pnd, measured.psa))
    return Value(picture), Value(measured.n), *values, Value(classify_difficulty(measured.snd) or None, missing=few)


def naming_means_table(tables: Mapping[str, Table]) -> Table:
    """Return mean and standard deviation of each measure over the pictures of each set.

    Args:
        tables: ``naming_table`` of each set, by its name.
    """
    rows = []
    for name, table in tables.items():
        cells = []
        for measure in MEASURES:
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
        figures = [reported[name, measure.key] for measure in MEASURES]
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


def _build_mean_columns() -> list[Column]:
    return [
        column
        for measure in MEASURES
        for column in (
            measure,
            Column(f"{measure.key}_sd", f"{measure.title} ±", f"Standard deviation of {measure.title} over pictures."),
        )
    ]


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
