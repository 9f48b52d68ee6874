"""Cache of the records of each run for the next build: JSON is read in a tenth of the time that tables take.

It lies in ``.ircore-kept`` of the release, as the site's does, and is not part of it: hidden files are not published,
and a release without it is read from its tables. A file is named by the keys of what the run has in the tables.
"""

import hashlib
from collections.abc import Iterable
from pathlib import Path

from pydantic import ValidationError

from dataset_card.tables.parts import TablePart
from dataset_card.tables.schema import holds_records
from ircore.core.episode_records import Episode, EpisodeCost
from ircore.core.files import write_text
from ircore.core.records import Record
from ircore.core.score_records import Score
from ircore.results.played_run import PlayedRun

FOLDER = ".ircore-kept"


class RunRecords(Record):
    """Episodes, scores and costs of a run, without pictures.

    >>> path = next(Path("release").glob(".ircore-kept/*.json"))
    >>> len(read_run_records(path).episodes)
    2
    """

    episodes: tuple[Episode, ...]
    scores: tuple[Score, ...]
    costs: dict[str, EpisodeCost]


def records_path(release: Path, parts: Iterable[TablePart]) -> Path:
    """Return where the records of a run lie in a release.

    Args:
        release: Folder of the release.
        parts: Parts of the run; only tables of records matter.
    """
    keys = sorted(f"{part.config} {part.key}" for part in parts if holds_records(part.config))
    return release / FOLDER / f"{hashlib.sha256(' '.join(keys).encode()).hexdigest()}.json"


def read_run_records(path: Path) -> RunRecords | None:
    """Return the stored records; None for a missing or damaged file, or a file of another version."""
    try:
        return RunRecords.model_validate_json(path.read_bytes())
    except (OSError, ValidationError):
        return None


def collect_records(run: PlayedRun) -> RunRecords:
    """Return the records of a run, with the scores that count."""
    return RunRecords(episodes=run.episodes, scores=run.scores, costs=dict(run.costs))


def write_run_records(path: Path, records: RunRecords) -> None:
    """Write records for the next build, without fields that have their default."""
    write_text(path, records.model_dump_json(by_alias=True, exclude_defaults=True))
