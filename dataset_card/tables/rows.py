"""Records to rows and back.

The first half are generators that yield the rows of each table, in an order that only the content decides. A row is a
mapping of column names, as in ``schema``, to plain values. A picture is a ``RowPicture``, which is read only when it is
written, so that rows can be compared with those of a previous release without reading a picture; a row that was read
back from a release has an ``EmbeddedImage``. The second half returns the fields of the records that a row was made of,
which the caller validates.
"""

import io
import json
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from dataclasses import fields as dataclass_fields
from functools import partial
from typing import Any, TypedDict, cast

from PIL import Image, ImageOps

from dataset_card.tables.columns import Config, ReleaseColumn, build_cells, parse_cells
from dataset_card.tables.schema import (
    EPISODES,
    INSTANCES,
    PREVIEW_SIDE,
    PREVIEWS,
    SCORES,
    make_transcripts_config,
    step_column,
)
from ircore.core.episode_records import UNKNOWN_COST, Episode, EpisodeCost, Rendering
from ircore.core.records import Instance
from ircore.core.score_records import JudgeIdentity
from ircore.games.base import Game, list_picture_fields, read_ending, step_defaults
from ircore.instances.benchmark import RetiredTarget
from ircore.instances.store import InstanceSet, may_be_published
from ircore.results.cells import Cell
from ircore.results.episodes import Doubt
from ircore.results.model import Results
from ircore.results.played_run import PlayedRun
from ircore.results.statistics.intervals import Estimate
from ircore.results.tables.board import Filling, build_board_columns, leaderboard_table
from ircore.results.tables.pairs import ALL

Row = dict[str, object]

QUALITY = 85
"""Quality of the JPEG files of previews, 0–100."""

COST_COLUMNS = ("cost_usd", "seconds")

_PICTURE_COLUMNS = ("picture_names", "picture_files", "pictures_sha256", "picture_widths", "picture_heights")

_CELL_FIELDS = {field.name for field in dataclass_fields(Cell)} - {"same_family"}
"""Fields of a cell that columns hold; others, such as the share that was played, follow from these."""


@dataclass(frozen=True)
class RowPicture:
    """A picture of a row that is read when the row is written.

    >>> RowPicture("red.png", lambda: b"bytes of the file").load()
    b'bytes of the file'
    """

    path: str
    """File name of the picture, without folders."""

    load: Callable[[], bytes]
    """Reads the bytes of its file and checks the pixels."""


class EmbeddedImage(TypedDict):
    """A picture in a row: the file's own bytes, and a name without folders.

    >>> EmbeddedImage(bytes=b"bytes of the file", path="red.png")["path"]
    'red.png'
    """

    bytes: bytes
    path: str


def make_public_id(owner: str, name: str) -> str:
    """Return an id that is unique in a release, such as that of an episode with its run."""
    return f"{owner}/{name}"


def make_public_instance_id(game: str, instance_set: str, name: str) -> str:
    """Return the id of an instance that is unique in a release, which may have several sets of a game.

    >>> make_public_instance_id("reconstruction", "1a2b3c4d5e6f7a8b", "geometry-easy-01")
    'reconstruction/1a2b3c4d/geometry-easy-01'
    """
    return make_public_id(make_public_id(game, instance_set[:8]), name)


def parse_public_id(public: object) -> str:
    """Return the id in the records; the way back of ``make_public_id`` and ``make_public_instance_id``.

    >>> parse_public_id(make_public_instance_id("reconstruction", "1a2b3c4d5e6f7a8b", "geometry-easy-01"))
    'geometry-easy-01'
    """
    return str(public).rpartition("/")[2]


def build_instance_rows(instances: InstanceSet, retired: Sequence[RetiredTarget] = ()) -> Iterator[Row]:
    """Yield the rows of ``instances``, in the order of the set, with what was retired of it."""
    gone = {target.instance_id: target for target in retired}
    for instance in instances.instances:
        files, pictures = instance.pictures.values(), select_published_files(instances, instance)
        # In its own order, which the identity of the set rests on; the scene leaves its place behind.
        payload = instance.payload if instance.scene is None else instance.payload | {"scene": None}
        yield {
            **build_cells(INSTANCES.columns, instance),
            "game": instance.game,
            "instance_set": instances.identity,
            "instance_id": make_public_instance_id(instance.game, instances.identity, instance.instance_id),
            "image": next(iter(pictures.values()), None),
            "image_sha256": next((file.sha256 for file in files if pictures), None),
            "pictures": [*pictures.values()],
            "picture_names": [*instance.pictures],
            "pictures_sha256": [file.sha256 for file in files],
            "picture_widths": [file.width for file in files],
            "picture_heights": [file.height for file in files],
            "picture_files": [file.image for file in files],
            "scene": None if instance.scene is None else dump_short_json(instance.payload["scene"]),
            "payload": dump_short_json(payload),
            **_build_retired_fields(gone.get(instance.instance_id)),
        }


def parse_retired_target(row: Row) -> RetiredTarget | None:
    """Return what a row of ``instances`` says of a retired target; None for others."""
    if row["retired"] is None:
        return None
    fields = {"version": row["retired_in"], "date": row["retired"], "reason": row["retired_reason"]}
    own = {"instance_set": row["instance_set"], "instance_id": parse_public_id(row["instance_id"])}
    return RetiredTarget.model_validate(own | fields)


def select_published_files(instances: InstanceSet, instance: Instance) -> dict[str, RowPicture]:
    """Return the pictures of an instance that may be published, by name: all of them or none."""
    if not may_be_published(instance.licence):
        return {}
    return {
        name: RowPicture(file.image.rpartition("/")[2], partial(instances.picture_bytes, instance, name))
        for name, file in instance.pictures.items()
    }


def dump_short_json(value: object) -> str:
    """Return a value as short JSON, its keys in their own order."""
    return json.dumps(value, ensure_ascii=False, separators=(",", ":"))


def step_rows(instances: InstanceSet, run: PlayedRun) -> Iterator[Row]:
    """Yield the rows of a game's transcripts of a run: by instance and step."""
    game, played_on = run.game, {instance.instance_id: instance for instance in instances.instances}
    columns, defaults = make_transcripts_config(game).columns, step_defaults(game.step)
    pictures = {name: step_column(game, name) for name in list_picture_fields(game.step)}
    seats: Row = {seat.name: _find_player_label(run, seat.name) for seat in game.seats}
    for episode in run.episodes:
        shown = _build_picture_columns(game, instances, played_on[episode.instance_id])
        for number, step in enumerate(episode.steps, start=1):
            fields = defaults | step
            drawn = {name: _parse_rendering(run, fields[name]) for name in pictures}
            yield {
                **build_episode_columns(run, episode),
                **seats,
                "step": number,
                **shown,
                **build_cells(columns, fields),
                **{pictures[name]: file for name, file in drawn.items()},
            }


def build_episode_rows(run: PlayedRun) -> Iterator[Row]:
    """Yield the rows of ``episodes`` of a run: by instance."""
    for episode in run.episodes:
        cost, drawn = run.costs.get(episode.episode_id, UNKNOWN_COST), [*episode.renderings.values()]
        yield {
            **build_cells(EPISODES.columns, episode),
            **build_episode_columns(run, episode),
            "turns": len(episode.steps),
            "renderings": len(drawn),
            **_build_rendering_columns("first_rendering", run, drawn[:1]),
            **_build_rendering_columns("final_rendering", run, drawn[-1:]),
            "message_tokens": run.game.measure_effort(read_ending(run.game, episode)).tokens,
            "seconds": cost.seconds,
            "cost_usd": cost.usd,
        }


def score_rows(run: PlayedRun) -> Iterator[Row]:
    """Yield the rows of ``scores`` of a run: by instance, step, measure, who gave it and annotator."""
    episodes = {episode.episode_id: build_episode_columns(run, episode) for episode in run.episodes}
    for score in run.scores:
        yield build_cells(SCORES.columns, score) | episodes[score.episode_id]


def build_episode_columns(run: PlayedRun, episode: Episode) -> Row:
    """Return the columns that name game, run, rules and episode of a row."""
    return {
        **_build_run_columns(run),
        "episode_id": make_public_id(run.run.run_id, episode.episode_id),
        "instance_id": make_public_instance_id(run.run.game, run.run.instance_set, episode.instance_id),
        "category": episode.category,
        "difficulty": episode.difficulty,
    }


def build_leaderboard_rows(results: Results) -> Iterator[Row]:
    """Yield the rows of ``leaderboard``: by judge, category and difficulty (all first), then as the board ranks."""
    filling, table = build_board_columns(results.game, results.seats), leaderboard_table(results)
    numbers = [*list_numeric_columns(results)]
    stated: set[tuple[object, ...]] = set()
    for entries in table.rows:
        row = {filled.column.key: entry for filled, entry in zip(filling, entries, strict=True)}
        named = ("run_id", "submission", "category", "difficulty", "rules")
        plain: Row = {"game": results.game.name, **{key: row[key].value for key in named}}
        for filled in numbers:
            key, entry = filled.column.key, row[filled.column.key]
            # An estimate without a mean still says of how many episodes; a number that is missing says nothing.
            if entry.value is None and not filled.column.estimated:
                continue
            place = plain["run_id"], plain["category"], plain["difficulty"], key
            if filled.by_all and place in stated:
                continue
            stated.add(place)
            ranks = key == "main_score"
            yield {
                **plain,
                "by": results.game.name if filled.by_all else row["judge"].value,
                "measure": key,
                "mean": entry.value,
                "low": entry.low,
                "high": entry.high,
                "n": entry.n,
                "rank_low": row["rank_low"].value if ranks else None,
                "rank_high": row["rank_high"].value if ranks else None,
                "unranked": row["unranked"].value if ranks else None,
            }


def list_numeric_columns(results: Results) -> Iterator[Filling]:
    """Yield the columns of a game's boards that are rows of ``leaderboard``: numbers, but ranks and rules."""
    left_out = {"rank_low", "rank_high", *results.game.pages.rules}
    for filled in build_board_columns(results.game, results.seats):
        if filled.column.digits is not None and filled.column.key not in left_out:
            yield filled


def measure_rows(results: Results) -> Iterator[Row]:
    """Yield the rows of ``measures``: what the numbers of the game's boards mean."""
    for filled in list_numeric_columns(results):
        column = filled.column
        yield {
            "game": results.game.name,
            "measure": column.key,
            "title": column.title,
            "unit": column.unit or column.implied or None,
            "better": column.better,
            "description": column.description,
        }


def run_rows(runs: Iterable[PlayedRun]) -> Iterator[Row]:
    """Yield the rows of ``runs``."""
    for run in runs:
        own, players = run.run, run.run.submission.players
        seats = [seat.name for seat in run.game.seats if seat.name in players]
        yield {
            **_build_run_columns(run),
            "name": own.submission.name,
            "seats": seats,
            "players": [own.submission.label_of(seat) for seat in seats],
            "settings": dump_short_json(own.model_dump(mode="json")["rules"]),
            "instance_set": own.instance_set,
            "prompts": own.prompts,
            "seed": own.seed,
            "version": own.version,
            "started": own.started,
            "licence": own.submission.licence,
            "reference": own.reference,
            "vouched_by": run.provenance and run.provenance.kind,
        }


def judge_rows(game: str, judges: Mapping[str, JudgeIdentity]) -> Iterator[Row]:
    """Yield the rows of ``judges`` of a game."""
    for judge in judges.values():
        yield {
            "game": game,
            "judge": judge.name,
            "label": judge.label,
            "kind": judge.kind,
            "family": judge.family,
            "model": judge.player and judge.player.label,
            "prompts": judge.prompts,
            "version": judge.version,
            "categories": [*(judge.categories or ())],
        }


def build_preview_rows(instances: InstanceSet, run: PlayedRun) -> Iterator[Row]:
    """Yield the rows of ``previews`` of a run: the rows of ``transcripts`` with small pictures."""
    names = [column.name for column in PREVIEWS.columns]
    last: tuple[object, RowPicture | None] = (None, None)
    for row in step_rows(instances, run):
        if row["target"] is not last[0]:  # the same object for all turns of an episode, and so is its preview
            last = row["target"], _shrink_file(row["target"])
        yield {name: row[name] for name in names} | {"target": last[1], "rendering": _shrink_file(row["rendering"])}


def shrink(data: bytes) -> bytes:
    """Return a picture as a JPEG file of at most ``PREVIEW_SIDE`` × ``PREVIEW_SIDE`` pixels, without any metadata."""
    buffer = io.BytesIO()
    with Image.open(io.BytesIO(data)) as image:
        # JPEG has neither transparency nor palettes.
        small = image.convert("RGB")
    if max(small.size) > PREVIEW_SIDE:
        small = ImageOps.contain(small, (PREVIEW_SIDE, PREVIEW_SIDE), Image.Resampling.LANCZOS)
    # Pillow would write comment, EXIF and profile of the original into the JPEG file.
    small.info.clear()
    small.save(buffer, "JPEG", quality=QUALITY, optimize=True)
    return buffer.getvalue()


def list_plain_columns(config: Config, *more: str) -> list[str]:
    """Return the columns of a table that its records are read from, and further ones."""
    return [column.name for column in config.columns if column.field or column.name in more]


def step_fields(config: Config, row: Row) -> dict[str, Any]:
    """Return the step of a row of a game's transcripts.

    Raises:
        ValueError: A text that must be JSON is none.
    """
    return parse_cells(config.columns, row)


def parse_episode_fields(row: Row, steps: Sequence[Mapping[str, object]]) -> dict[str, Any]:
    """Return the fields of the ``Episode`` in a row of ``episodes``; the steps are records or mappings."""
    return _parse_own_fields(EPISODES.columns, row) | {"steps": tuple(steps)}


def score_fields(row: Row) -> dict[str, Any]:
    """Return the fields of the ``Score`` of a row of ``scores``."""
    return _parse_own_fields(SCORES.columns, row)


def parse_instance_fields(row: Row) -> dict[str, Any]:
    """Return the fields of the ``Instance`` of a row of ``instances``.

    Raises:
        ValueError: Its lists are not of one length, or its scene or payload is no JSON.
    """
    files = zip(*(cast("Sequence[Any]", row[name]) for name in _PICTURE_COLUMNS), strict=True)
    scene = {} if row["scene"] is None else {"scene": json.loads(str(row["scene"]))}
    plain = ("game", "category", "difficulty", "source", "licence", "seed")
    return {name: row[name] for name in plain} | {
        "instance_id": parse_public_id(row["instance_id"]),
        "pictures": {
            name: {"image": image, "sha256": sha256, "width": width, "height": height}
            for name, image, sha256, width, height in files
        },
        "payload": json.loads(str(row["payload"])) | scene,
    }


def parse_cost(row: Row) -> EpisodeCost:
    """Return what the episode in a row of ``episodes`` cost."""
    # An unknown cost is null, and must not count as a cost of zero.
    known = (float(value) if isinstance(value := row[name], float) else None for name in COST_COLUMNS)
    return EpisodeCost(**dict(zip(("usd", "seconds"), known, strict=True)))


def parse_board_cells(rows: Iterable[Row], columns: Sequence[Filling]) -> Iterable[Cell]:
    """Yield the cells of the rows of ``leaderboard`` of a run of a game whose headline judges give.

    Whether judge and describer are of one family is not set: that is known of all runs together.

    Args:
        rows: The run's rows, in their order.
        columns: Those of the game's boards, each of which says where its number stands in a cell.
    """
    by_all: dict[tuple[object, object], dict[object, Row]] = {}
    by_judge: dict[tuple[object, object, object], dict[object, Row]] = {}
    for row in rows:
        place = row["category"], row["difficulty"]
        own = by_all.setdefault(place, {}) if row["by"] == row["game"] else by_judge.setdefault((*place, row["by"]), {})
        own[row["measure"]] = row
    for (category, difficulty, judge), numbers in by_judge.items():
        known = by_all[category, difficulty] | numbers
        named: Row = {"run_id": numbers["main_score"]["run_id"], "judge": judge}
        yield _build_cell(named | {"category": category, "difficulty": difficulty}, known, columns)


def _build_retired_fields(target: RetiredTarget | None) -> Row:
    if target is None:
        return dict.fromkeys(("retired", "retired_in", "retired_reason"))
    return {"retired": target.date, "retired_in": target.version, "retired_reason": target.reason}


def _find_player_label(run: PlayedRun, seat: str) -> str | None:
    return run.run.submission.label_of(seat) if seat in run.run.submission.players else None


def _build_picture_columns(game: Game[Any], instances: InstanceSet, instance: Instance) -> Row:
    """Return the columns of the pictures of an instance that are shown with each of its steps."""
    files = select_published_files(instances, instance)
    return {
        column: value
        for name in game.shown_pictures
        for column, value in ((name, files.get(name)), (f"{name}_sha256", instance.pictures[name].sha256))
    }


def _parse_rendering(run: PlayedRun, fields: Any) -> RowPicture | None:
    return None if fields is None else _build_picture_file(run, Rendering.model_validate(fields))


def _build_picture_file(run: PlayedRun, rendering: Rendering) -> RowPicture:
    return RowPicture(f"{rendering.sha256}.png", lambda: run.rendering(rendering).data)


def _build_rendering_columns(name: str, run: PlayedRun, drawn: list[Rendering]) -> Row:
    """Return the columns of a rendering: the picture and, beside it, the SHA-256 of its pixels; empty without one."""
    return {
        name: next((_build_picture_file(run, rendering) for rendering in drawn), None),
        f"{name}_sha256": next((rendering.sha256 for rendering in drawn), None),
    }


def _build_run_columns(run: PlayedRun) -> Row:
    rules = run.game.read_rules(run.run).key
    return {"game": run.run.game, "run_id": run.run.run_id, "submission": run.run.slug, "rules": rules}


def _shrink_file(original: object) -> RowPicture | None:
    if not isinstance(original, RowPicture):
        return None
    # A preview is made when its row is written, and rows that the previous release has are not written.
    return RowPicture(f"{original.path.rpartition('.')[0]}.jpg", lambda: shrink(original.load()))


def _parse_own_fields(columns: Iterable[ReleaseColumn], row: Row) -> dict[str, Any]:
    """Return the fields of a record with the ids that it has in its run and its set."""
    fields = parse_cells(columns, row)
    return fields | {name: parse_public_id(fields[name]) for name in ("episode_id", "instance_id") if name in fields}


def _build_cell(named: Row, numbers: Mapping[object, Row], columns: Sequence[Filling]) -> Cell:
    fields: dict[str, Any] = {}
    for filled in columns:
        *path, name = filled.field or ("",)
        inner = fields
        for step in path:
            inner = inner.setdefault(step, {})
        if name:
            inner[name] = _number(named, numbers.get(filled.column.key), filled)
    for condition in ("category", "difficulty"):
        fields[condition] = None if fields[condition] == ALL else fields[condition]
    doubt = fields.pop("doubt")
    return Cell(
        **{name: value for name, value in fields.items() if name in _CELL_FIELDS},
        doubt=None if doubt["low"] is None else Doubt(**doubt | {"unread": bool(doubt["unread"])}),
        counted=fields["main"].n,
        same_family=False,
    )


def _number(named: Row, row: Row | None, filled: Filling) -> Any:
    if filled.column.estimated:
        known = row or {}
        mean, low, high = (cast("float | None", known.get(part)) for part in ("mean", "low", "high"))
        return Estimate(mean, low, high, cast("int", known.get("n", 0)))
    if filled.column.key in named:
        return named[filled.column.key]
    value = None if row is None else cast("float", row["mean"])
    return int(value) if value is not None and filled.column.digits == 0 else value
