"""Page on people's names for pictures: how far they diverge, by picture, beside the figures of KiloGram's paper."""

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from ircore.core.errors import InputError
from ircore.games.reference.naming import read_annotations, read_stated_measures
from ircore.instances.store import HOW_TO_GET, KILOGRAM
from ircore.results.tables.model import Table, Value
from ircore.results.tables.targets import NAMING_MEASURES, naming_means_table, naming_table, published_naming_table
from leaderboard.charts.catalogue import Chart
from leaderboard.charts.data import list_entries
from leaderboard.charts.naming import make_naming_charts
from leaderboard.model.section import GameSection
from leaderboard.model.site import Page, Site
from leaderboard.storage.pictures import Shown

PATH = "naming"
"""Path of the page, without suffix."""

_KILOGRAM_ID = re.compile(r"page(\d+|-?[A-L])(-\d+)?", re.IGNORECASE)


@dataclass(frozen=True)
class _NamedPicture:
    """A row of a set's table."""

    picture: str
    """Its id: a stranger's text, so escape it."""

    files: Shown | None
    """Its files; None where it is not among the pictures of this site."""

    cells: Mapping[str, Value]
    """By the keys of ``naming_table``."""

    stated: Mapping[str, float]
    """Measures as the file of annotations states them, by key."""


@dataclass(frozen=True)
class _NamedSet:
    """A set of annotations."""

    name: str
    pictures: tuple[_NamedPicture, ...]
    charts: tuple[Chart, ...]
    difference: float | None
    """Largest difference of a measure from what the file states; None if it states none."""

    withheld: str
    """Why some pictures are not shown and how readers get them; empty if that is not known."""


def build_naming_page(paths: Sequence[Path], shown_pictures: Mapping[str, Shown]) -> Page:
    """Return the page.

    Args:
        paths: Files of annotations, at least one.
        shown_pictures: Pictures of this site that may be published, by the ids under which annotations name them.

    Raises:
        InputError: A file cannot be read, or two have the same name.
    """
    tables: dict[str, Table] = {}
    for path in paths:
        # The page names a set by the stem of the file, so two equal stems would hide one set behind the other.
        if path.stem in tables:
            raise InputError(
                f"--names {path}: two files are called {path.stem}", "Rename one; the page names sets by it."
            )
        tables[path.stem] = naming_table(path.stem, read_annotations(path))
    sets = [
        _build_named_set(place, path, tables[path.stem], shown_pictures) for place, path in enumerate(paths, start=1)
    ]
    values = {
        "sets": sets,
        "measures": NAMING_MEASURES,
        "means": naming_means_table(tables),
        "published": published_naming_table(),
        "own_charts": tuple(chart for named in sets for chart in named.charts),
    }
    return Page(PATH, "Names for pictures", "naming", values, searchable=True, cited=False)


def list_nameable_pictures(site: Site | None, games: Iterable[GameSection]) -> dict[str, Shown]:
    """Return the published pictures of a site by id: of a target, or of a context as INSTANCE/PICTURE."""
    pictures: dict[str, Shown] = {}
    if site is not None:
        pictures |= {name: gallery.target for name, gallery in site.galleries.items()}
    for section in games:
        for instance in section.instances:
            own = section.instance_pictures(instance)
            # Names of pictures are unique within a context only, so the context stands before the name.
            pictures |= {f"{instance.instance_id}/{name}": shown for name, shown in own.items()}
    return pictures


def _build_named_set(place: int, path: Path, table: Table, shown_pictures: Mapping[str, Shown]) -> _NamedSet:
    stated = read_stated_measures(path)
    pictures = [_build_named_picture(row, shown_pictures, stated) for row in list_entries(table)]
    differences = [
        abs(float(picture.cells[key].value or 0) - value)
        for picture in pictures
        for key, value in picture.stated.items()
    ]
    # Only a missing picture with an id of KiloGram can be explained: its pictures must not be published here.
    withheld = any(picture.files is None and _KILOGRAM_ID.fullmatch(picture.picture) for picture in pictures)
    return _NamedSet(
        path.stem,
        tuple(pictures),
        make_naming_charts(place, path.stem, table),
        max(differences, default=None),
        HOW_TO_GET[KILOGRAM] if withheld else "",
    )


def _build_named_picture(
    row: Mapping[str, Value], shown_pictures: Mapping[str, Shown], stated: Mapping[str, Mapping[str, float]]
) -> _NamedPicture:
    picture = str(row["picture"].value)
    return _NamedPicture(picture, shown_pictures.get(picture), row, stated.get(picture, {}))
