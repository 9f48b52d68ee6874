"""Importing ICCA's recorded games from their public repository's files: contexts, messages and people's choices.

Layout: a folder a game with ``trials_for_….csv`` and the four pictures that its rows name; in the repository these
folders lie in ``src/ICCA_data``. A game's orders are drawn from the same seeds as in the published program when all 54
games are imported together.
"""

import csv
import random
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import NamedTuple

from ircore.core.errors import InputError
from ircore.core.images import Picture, read_picture
from ircore.core.records import Instance
from ircore.games.reference.records import SEEDS, Context, HumanRound
from ircore.instances.requests import ImportRequest
from ircore.instances.store import COCO, InstanceSet, refuse_other_licence, write_instances

GAMES = 54
"""Games of the published data."""

PLACES = (".", "src/ICCA_data", "ICCA_data")
"""Where the games' folders may lie: in the given folder, or from the root or ``src`` of the public repository."""

PICTURES, REPETITIONS = 4, 6
MAX_BYTES = 1024 * 1024
SOURCE = "ICCA (Hua and Artzi 2024), COCO val2014"
_COLUMNS = ("trialNum", "repNum", "targetImg", "msg", "clickedObj")


class _Row(NamedTuple):
    trial: int
    repetition: int
    target: str
    message: str
    clicked: str


def import_icca(request: ImportRequest) -> InstanceSet:
    """Make an instance set of recorded games, an instance a game.

    The data name a wrongly chosen picture ``distr0`` … ``distr2`` and do not say which picture that is. They are taken
    as the other pictures in the order of their names, which no measure depends on.

    Args:
        request: Its path is the repository's root or a folder on the way to the folders of the games.

    Raises:
        InputError: Another licence is given.
        InputError: A game is incomplete or contradicts itself; the line names file, row and field. Nothing is written.
    """
    refuse_other_licence(request.licence, COCO)
    folders = _list_games(request.path)
    seeds = random.Random(0).sample(range(SEEDS), max(GAMES, len(folders)))
    return write_instances(request.out, _build_instances(folders, seeds, request))


def _list_games(path: Path) -> list[Path]:
    """Return the folders of the games, in the order of their names.

    Raises:
        InputError: There is none.
    """
    for place in PLACES:
        if folders := sorted({table.parent for table in (path / place).glob("*/trials_for_*.csv")}):
            return folders
    raise InputError(
        f"{path}: holds no game: no folder with a file trials_for_….csv, here or in {' or '.join(PLACES[1:])}",
        "Name the root of a checkout of github.com/lil-lab/ICCA, or the folder that holds the games' folders.",
    )


def _build_instances(
    folders: Sequence[Path], seeds: Sequence[int], request: ImportRequest
) -> Iterator[tuple[Instance, dict[str, Picture]]]:
    for index, folder in enumerate(folders):
        table = next(folder.glob("trials_for_*.csv"))
        rows = _read_rows(table)
        _check_rows(table, rows)
        files = sorted({row.target for row in rows})
        pictures = {_format_name(file): _read_picture(folder / file) for file in files}
        context = list(pictures)
        random.Random(index).shuffle(context)
        payload = Context(
            context=tuple(context),
            targets=tuple(_format_name(row.target) for row in rows),
            seed=seeds[index],
            human=tuple(HumanRound(message=row.message, chosen=_find_chosen(table, row, files)) for row in rows),
        )
        yield (
            Instance(
                instance_id=f"icca-{folder.name.lower()}"[:100],
                category=request.category or "photographs",
                difficulty=request.difficulty or "hard",
                game="reference",
                payload=payload.model_dump(mode="json"),
                source=request.source or SOURCE,
                licence=COCO,
            ),
            pictures,
        )


def _format_name(file: str) -> str:
    return Path(file).stem.lower()


def _read_picture(path: Path) -> Picture:
    if not path.is_file():
        raise InputError(f"{path}: targetImg names this picture, which is not there", "Restore the picture.")
    return read_picture(path)


def _read_rows(table: Path) -> list[_Row]:
    # Checked before reading: a stranger's file may be of any size.
    if table.stat().st_size > MAX_BYTES:
        raise InputError(f"{table}: is larger than {MAX_BYTES // 1024} KiB", "Restore the file: a game has 24 rows.")
    try:
        with table.open(encoding="utf-8", newline="") as file:
            reader = csv.DictReader(file)
            missing = [name for name in _COLUMNS if name not in (reader.fieldnames or ())]
            if missing:
                raise InputError(f"{table}: column {missing[0]} is missing", f"Add the columns {', '.join(_COLUMNS)}.")
            rows = [_parse_row(f"{table}: row {number}", fields) for number, fields in enumerate(reader, start=1)]
    except (UnicodeDecodeError, csv.Error) as error:
        raise InputError(f"{table}: is not a CSV file: {error}", "Save the file as CSV in UTF-8.") from None
    # By the number of the trial, since a file may hold its rows in another order.
    return sorted(rows)


def _parse_row(place: str, fields: dict[str, str | None]) -> _Row:
    # A message such as "NA" or "None" is a message: nothing is taken for a missing value.
    cells = {name: (fields[name] or "").strip() for name in _COLUMNS}
    for name in ("trialNum", "repNum"):
        # Digits of other scripts pass isdigit alone, and int refuses some of them, such as ².
        if not cells[name].isascii() or not cells[name].isdigit():
            raise InputError(f"{place}: {name}: {cells[name]!r} is not a number", "Write a whole number from 0.")
    if not cells["msg"]:
        raise InputError(f"{place}: msg: is empty", "Write the message of the round.")
    # A name with folders could lead out of the game's own folder.
    if Path(cells["targetImg"]).name != cells["targetImg"] or not cells["targetImg"]:
        raise InputError(
            f"{place}: targetImg: {cells['targetImg']!r} is not a file name", "Name a picture of the folder."
        )
    return _Row(int(cells["trialNum"]), int(cells["repNum"]), cells["targetImg"], cells["msg"], cells["clickedObj"])


def _check_rows(table: Path, rows: Sequence[_Row]) -> None:
    """Refuse a game that is not six repetitions of four pictures, each once a repetition."""
    if [row.trial for row in rows] != list(range(PICTURES * REPETITIONS)):
        raise InputError(
            f"{table}: trialNum: {len(rows)} rows do not count 0 to {PICTURES * REPETITIONS - 1}",
            f"Restore the file: a game has {REPETITIONS} repetitions of {PICTURES} pictures.",
        )
    files = {row.target for row in rows}
    for repetition in range(REPETITIONS):
        own = rows[repetition * PICTURES : (repetition + 1) * PICTURES]
        once = {row.target for row in own} == files and len(files) == PICTURES
        if not once or {row.repetition for row in own} != {repetition}:
            raise InputError(
                f"{table}: targetImg: repetition {repetition} does not have each of four pictures once",
                "Restore the file as it was published.",
            )


def _find_chosen(table: Path, row: _Row, files: Sequence[str]) -> str:
    others = {f"distr{place}": file for place, file in enumerate(file for file in files if file != row.target)}
    chosen = ({"target": row.target} | others).get(row.clicked)
    if chosen is None:
        known = ", ".join(["target", *others])
        raise InputError(
            f"{table}: trial {row.trial}: clickedObj: {row.clicked!r} is unknown", f"Write one of {known}."
        )
    return _format_name(chosen)
