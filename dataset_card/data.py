"""Loading a release in Python: as tables, or as results with every interval, rank and comparison.

A release is a folder, or a dataset on the Hub (``ORG/NAME``) whose files come into the user's Hub cache once. This is
not part of ``ircore``, which knows nothing of releases.
"""

import io
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from dataset_card.checking.release_check import Report, require_sound_release
from dataset_card.checking.rescored_run import Draw
from dataset_card.hub.full_check import check_release_fully
from dataset_card.hub.pull import find_release, pull_release
from dataset_card.releases.record import RELEASE, read_release
from dataset_card.tables.columns import Config
from dataset_card.tables.embedded_pictures import EmbeddedPictures, index_instance_pictures, index_step_pictures
from dataset_card.tables.parquet import list_table_files, read_frame, read_table
from dataset_card.tables.schema import DIALOGUES, INSTANCES, LEADERBOARD, PREFERENCES, is_transcripts, name_transcripts
from ircore.core.errors import InputError
from ircore.core.plugins import build_unknown_name_error
from ircore.core.records import DEFAULT_GAME
from ircore.core.submission_records import build_game_field
from ircore.games.registry import sort_game_names
from ircore.results.model import Results

if TYPE_CHECKING:
    import pandas as pd
    from PIL import Image


def load_results(
    place: str, revision: str | None = None, game: str | None = None, instance_set: str | None = None
) -> Results:
    """Check a release and compute the results of one of its games from its transcripts and scores.

    Reads the whole release and decodes every picture once, about 200 pictures a second.

    Args:
        place: A folder, or ``ORG/NAME`` on the Hub.
        revision: Tag, branch or commit on the Hub; the newest commit if None.
        game: Name of the game; if None the default game where the release has runs of it, else its only game.
        instance_set: Identity of the game's instance set, or its first digits; needed where the release has several.

    Raises:
        InputError: There is no such release; or it has no runs of the game, or of several games or sets and none is
            named.
        WorkError: The release has faults, the game cannot be imported, or the Hub has no such dataset or revision, or
            cannot be reached.
    """
    report = require_sound_release(find_release(place, revision), place)
    games = sort_game_names({run.run.game for run in report.runs})
    # The default game comes first, and is meant where it is there; of others nobody knows which is meant.
    if game is None and len(games) > 1 and build_game_field(games[0]):
        raise InputError(f"{place}: runs of several games: {', '.join(games)}", f"Name one of them: game={games[0]!r}.")
    chosen = game or games[0]
    if chosen not in games:
        raise build_unknown_name_error("game", chosen, games)
    runs = [run for run in report.runs if run.run.game == chosen]
    sets = sorted({run.run.instance_set for run in runs if run.run.instance_set.startswith(instance_set or "")})
    if len(sets) != 1:
        known = ", ".join(sorted({run.run.instance_set[:8] for run in runs}))
        problem = f"{place}: no such instance set of {chosen}" if instance_set else f"{place}: several sets of {chosen}"
        raise InputError(problem, f"Name one of {known}: instance_set=…")
    return Results.from_runs(run for run in runs if run.run.instance_set == sets[0])


def pull_runs(release: Path, out: Path) -> tuple[Path, ...]:
    """Check a release and write its runs as run folders, for commands that take runs.

    Args:
        release: The release's folder.
        out: Folder to make.

    Returns:
        The run folders.

    Raises:
        WorkError: The release has faults, or ``out`` cannot be written.
    """
    return pull_release(release, out).runs


def load_table(
    place: str, name: str | None = None, revision: str | None = None, pictures: bool = False
) -> "pd.DataFrame":
    """Load a table of a release.

    Args:
        place: A folder, or ``ORG/NAME`` on the Hub.
        name: Name of the table, such as ``scores`` or ``transcripts_reference``; the default one if None:
            ``transcripts`` where the release has runs of reconstruction. The dataset's card describes their columns.
        revision: Tag, branch or commit on the Hub; the newest commit if None.
        pictures: Whether the pictures come along, each a mapping with ``bytes`` and ``path``.

    Raises:
        InputError: There is no such folder, and it cannot be the name of a dataset; or the table is unknown or damaged.
        WorkError: The Hub has no such dataset or revision, or cannot be reached.
    """
    # The record and the smallest table, without which the Hub's folder would hold no release.
    record = read_release(find_release(place, revision, (RELEASE, LEADERBOARD.pattern)))
    configs = {config.name: config for config in record.configs}
    config = configs.get(name or record.configs[0].name)
    if config is None:
        raise build_unknown_name_error("table", str(name), list(configs))
    # Of a release on the Hub only the files of this table are fetched.
    folder = find_release(place, revision, (config.pattern,))
    return read_frame(folder, config, pictures)


def load_transcripts(
    place: str, revision: str | None = None, pictures: bool = False, game: str = DEFAULT_GAME
) -> "pd.DataFrame":
    """Load every turn of a release, by run, instance and turn; of other games every step. See ``load_table``."""
    return load_table(place, name_transcripts(game), revision, pictures)


def load_dialogues(place: str, revision: str | None = None, seat: str | None = None) -> Iterator[dict[str, Any]]:
    """Yield the episodes of a release as dialogues with their pictures, as chat templates and TRL take them.

    Each is a row of ``dialogues`` whose ``images`` are the pictures of its ``messages``, in order. A dialogue with a
    picture that must not be published is left out; a release whose runs have no questions has none.

    Args:
        place: A folder, or ``ORG/NAME`` on the Hub.
        revision: Tag, branch or commit on the Hub; the newest commit if None.
        seat: Only as this seat saw them, such as ``describer``; as every seat did if None.

    Raises:
        InputError: There is no such release.
        WorkError: The Hub has no such dataset or revision, or cannot be reached.
    """
    return _add_pictures(place, revision, DIALOGUES, seat)


def load_preferences(place: str, revision: str | None = None, seat: str | None = None) -> Iterator[dict[str, Any]]:
    """Yield pairs of answers of which one is preferred, with the pictures of the question, as TRL takes them.

    Each is a row of ``preferences`` whose ``images`` are the pictures of its ``prompt``. Answers that are
    pictures are ``chosen_image`` and ``rejected_image``, which are None where answers are words. Arguments and errors
    are as of ``load_dialogues``.
    """
    return _add_pictures(place, revision, PREFERENCES, seat)


def _add_pictures(place: str, revision: str | None, table: Config, seat: str | None) -> Iterator[dict[str, Any]]:
    """Yield the rows of a table of messages with their pictures."""
    record = read_release(find_release(place, revision, (RELEASE, LEADERBOARD.pattern)))
    configs = {config.name: config for config in record.configs}
    if table.name not in configs:
        return
    steps = [config for config in record.configs if is_transcripts(config.name)]
    folder = find_release(place, revision, [config.pattern for config in (table, INSTANCES, *steps)])
    sources = [index_step_pictures(list_table_files(folder, config), config) for config in steps]
    sources.append(index_instance_pictures(folder))
    for _, row in read_table(folder, configs[table.name]):
        # Those of a question and those that are answers, whose places are in other columns.
        hashes = {name: row[f"{name}_sha256"] for name in ("images", "chosen", "rejected") if f"{name}_sha256" in row}
        pictures = {name: _find_pictures(sources, sha256) for name, sha256 in hashes.items()}
        if seat in (None, row["seat"]) and None not in (item for held in pictures.values() for item in held):
            messages = {
                column.name: _remove_nulls(row[column.name]) for column in table.columns if column.kind == "messages"
            }
            answers = {f"{name}_image": next(iter(held), None) for name, held in pictures.items() if name != "images"}
            yield row | messages | answers | {"images": pictures["images"]}


def _find_pictures(sources: Sequence[EmbeddedPictures], hashes: Any) -> "list[Image.Image | None]":
    """Return pictures by their SHA-256, one or several; None for one that is not published."""
    from PIL import Image

    wanted = hashes if isinstance(hashes, list) else [sha256 for sha256 in [hashes] if sha256 is not None]
    files = (next(filter(None, (source.find(sha256) for source in sources)), None) for sha256 in wanted)
    return [None if data is None else Image.open(io.BytesIO(data)).convert("RGB") for data in files]


def _remove_nulls(messages: Any) -> list[dict[str, Any]]:
    """Return messages whose places of pictures have no text, as chat templates expect it."""
    return [
        message
        | {"content": [{key: part[key] for key in part if part[key] is not None} for part in message["content"]]}
        for message in messages
    ]


def verify_release(
    place: str, revision: str | None = None, share: float = 1.0, seed: int = 0, processes: int = 1
) -> Report:
    """Check a release and compute the scores again from pictures and messages.

    Args:
        place: A folder, or ``ORG/NAME`` on the Hub.
        revision: Tag, branch or commit on the Hub; the newest commit if None.
        share: Share of each run's episodes that is computed again, above 0, up to 1.
        seed: Seed of the draw of a share.
        processes: Number of processes that compute.

    Raises:
        InputError: There is no such folder, and it cannot be the name of a dataset; or the share is out of range.
        WorkError: The Hub has no such dataset or revision, or cannot be reached.
    """
    if not 0 < share <= 1:
        raise InputError(f"share {share}: must be above 0 and at most 1", "Give 0.25 for a quarter, 1 for all.")
    named = place if revision is None else f"{place}@{revision}"
    return check_release_fully(named, load=False, processes=processes, draw=Draw(share, seed))
