"""Records to rows: generators that yield the rows of each table, in an order that only the content decides.

A row is a mapping of column names, as in ``schema``, to plain values. A picture is a ``PictureFile``, which is read
only when it is written, so that rows can be compared with those of a previous release without reading a picture; a row
that was read back from a release has an ``EmbeddedImage``.
"""

import io
import json
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any, TypedDict

from PIL import Image, ImageOps

from dataset_card.tables.columns import build_cells
from dataset_card.tables.schema import (
    EPISODES,
    INSTANCES,
    PREVIEW_SIDE,
    PREVIEWS,
    SCORES,
    make_transcripts_config,
    step_column,
)
from ircore.core.episode_records import UNKNOWN_COST, Episode, Rendering
from ircore.core.records import Instance
from ircore.core.score_records import JudgeIdentity
from ircore.games.base import Game, list_picture_fields, read_ending, step_defaults
from ircore.instances.benchmark import RetiredTarget
from ircore.instances.store import InstanceSet, may_be_published
from ircore.results.model import Results
from ircore.results.played_run import PlayedRun
from ircore.results.tables.board import Filling, build_board_columns, leaderboard_table


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


Row = dict[str, object]


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


def _build_retired_fields(target: RetiredTarget | None) -> Row:
    if target is None:
        return dict.fromkeys(("retired", "retired_in", "retired_reason"))
    return {"retired": target.date, "retired_in": target.version, "retired_reason": target.reason}


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
            "message_tokens": run.game.effort(read_ending(run.game, episode)).tokens,
            "seconds": cost.seconds,
            "cost_usd": cost.usd,
        }


def _build_rendering_columns(name: str, run: PlayedRun, drawn: list[Rendering]) -> Row:
    """Return the columns of a rendering: the picture and, beside it, the SHA-256 of its pixels; empty without one."""
    return {
        name: next((_build_picture_file(run, rendering) for rendering in drawn), None),
        f"{name}_sha256": next((rendering.sha256 for rendering in drawn), None),
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


def _build_run_columns(run: PlayedRun) -> Row:
    rules = run.game.rules_of(run.run).key
    return {"game": run.run.game, "run_id": run.run.run_id, "submission": run.run.slug, "rules": rules}


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


QUALITY = 85
"""Quality of the JPEG files of previews, 0–100."""


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


def _shrink_file(original: object) -> RowPicture | None:
    if not isinstance(original, RowPicture):
        return None
    # A preview is made when its row is written, and rows that the previous release has are not written.
    return RowPicture(f"{original.path.rpartition('.')[0]}.jpg", lambda: shrink(original.load()))
