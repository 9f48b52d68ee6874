"""Loading a release in Python: as tables, or as results with every interval, rank and comparison.

A release is a folder, or a dataset on the Hub (``ORG/NAME``) whose files come into the user's Hub cache once. This is
not part of ``ircore`` since that knows nothing of releases.
"""

from typing import TYPE_CHECKING, Literal

from dataset_card.checking.check import Report, check_release
from dataset_card.checking.full_check import full_check
from dataset_card.checking.rescored_run import Draw
from dataset_card.hub.pull import find_release
from dataset_card.tables.parquet import read_frame
from dataset_card.tables.schema import ALL_CONFIGS
from ircore.core.errors import InputError, WorkError
from ircore.core.plugins import unknown
from ircore.results.model import Results

if TYPE_CHECKING:
    import pandas as pd

TableName = Literal["transcripts", "instances", "episodes", "scores", "leaderboard", "previews"]


def load_results(place: str, revision: str | None = None) -> Results:
    """Check a release and compute everything that the leaderboard says from its transcripts and scores.

    Reads the whole release and decodes every picture once, about 200 pictures a second.

    Args:
        place: A folder, or ``ORG/NAME`` on the Hub.
        revision: Tag, branch or commit on the Hub; the newest commit if None.

    Raises:
        InputError: There is no such folder, and it cannot be the name of a dataset.
        WorkError: The release has faults, or the Hub has none such or cannot be reached.
    """
    folder = find_release(place, revision)
    report = check_release(folder, card=False)
    if report.faults:
        raise WorkError(f"{place}: {report.faults[0]} ({len(report.faults)} in all)", "See: ircore release check")
    return Results.from_runs(report.runs)


def load_table(
    place: str, name: TableName = "transcripts", revision: str | None = None, pictures: bool = False
) -> "pd.DataFrame":
    """Load one table of a release.

    Args:
        place: A folder, or ``ORG/NAME`` on the Hub.
        name: Which table; the dataset's card describes their columns.
        revision: Tag, branch or commit on the Hub; the newest commit if None.
        pictures: Whether the pictures come along, each a mapping with ``bytes`` and ``path``.

    Raises:
        InputError: There is no such folder, and it cannot be the name of a dataset; or the table is unknown or damaged.
        WorkError: The Hub has no such dataset or revision, or cannot be reached.
    """
    configs = {config.name: config for config in ALL_CONFIGS}
    if name not in configs:
        raise unknown("table", name, list(configs))
    config = configs[name]
    folder = find_release(place, revision, (config.pattern,))
    return read_frame(folder, config, pictures)


def load_transcripts(place: str, revision: str | None = None, pictures: bool = False) -> "pd.DataFrame":
    """Load every turn of a release, by run, instance and turn; see ``load_table``."""
    return load_table(place, "transcripts", revision, pictures)


def verify_release(
    place: str, revision: str | None = None, share: float = 1.0, seed: int = 0, processes: int = 1
) -> Report:
    """Check a release and compute its scores again from its pictures and messages.

    Args:
        place: A folder, or ``ORG/NAME`` on the Hub.
        revision: Tag, branch or commit on the Hub; the newest commit if None.
        share: Of each run's episodes that are computed again, above 0, up to 1.
        seed: Of the draw of a share.
        processes: How many may decode and compute.

    Raises:
        InputError: There is no such folder, and it cannot be the name of a dataset; or the share is out of range.
        WorkError: The Hub has no such dataset or revision, or cannot be reached.
    """
    if not 0 < share <= 1:
        raise InputError(f"share {share}: must be above 0 and at most 1", "Give 0.25 for a quarter, 1 for all.")
    named = place if revision is None else f"{place}@{revision}"
    return full_check(named, load=False, processes=processes, draw=Draw(share, seed))
