"""The tables of a release of a game: columns from the game's declarations, rows from its runs."""

import json
from collections.abc import Iterable, Iterator
from typing import Any, Literal, get_origin

from dataset_card.tables.rows import PictureFile, Row
from dataset_card.tables.schema import Column, Config, Kind
from ircore.core.game_records import GameEpisode, GameInstance
from ircore.core.records import Record
from ircore.games.base import Game, picture_fields
from ircore.instances.store import GameInstanceSet
from ircore.results.games import GameResults, PlayedGameRun
from ircore.results.tables.formats import flat_columns, flat_records
from ircore.results.tables.games import game_board

GAME = Column("game", "string", "Name of the game.")
_RUN = (
    Column("run_id", "string", "The run; its settings are in `runs.jsonl`."),
    Column("submission", "string", "Slug of the submission."),
)
_EPISODE = (
    Column("episode_id", "string", "One instance played by the players of a submission; unique within its run."),
    Column("instance_id", "string", "What was played; joins with `instances`."),
    Column("category", "string", "Of the instance."),
    Column("difficulty", "string", "`easy` or `hard`."),
)
RECORD = Column("record", "string", "The same as the game's own record, as JSON.")


def game_configs(game: Game[Any], instances: GameInstanceSet, results: GameResults) -> tuple[Config, ...]:
    """Return the tables of a game's release, the transcripts first."""
    seats = tuple(Column(f"player_{seat.name}", "string", f"Who took the seat {seat.name}.") for seat in game.seats)
    return (
        Config(
            f"transcripts_{game.name}",
            "one step",
            (GAME, *_RUN, *seats, *_EPISODE, Column("step", "int32", "1-based."), *_step_columns(game.step), RECORD),
            default=True,
        ),
        Config("instances", "one instance", _instance_columns(instances)),
        Config(
            "episodes",
            "one episode",
            (
                GAME,
                *_RUN,
                *seats,
                *_EPISODE,
                Column("outcome", "string", f"One of {', '.join(one.name for one in game.outcomes)}."),
                Column("abort_reason", "string", "Why it was aborted.", nullable=True),
                Column("abort_detail", "string", "What was seen that led to the abort.", nullable=True),
                Column("steps", "int32", f"Rows it has in `transcripts_{game.name}`."),
            ),
        ),
        Config(
            "scores",
            "one value",
            (
                GAME,
                *_RUN,
                *_EPISODE,
                Column("step", "int32", "1-based; null for a measure of the episode.", nullable=True),
                Column("measure", "string", f"One of {', '.join(measure.key for measure in game.measures)}."),
                Column("value", "float64", "In the measure's unit.", nullable=True),
                Column("reason", "string", "Why there is no value.", nullable=True),
            ),
        ),
        Config("leaderboard", "one run", (GAME, Column("run_id", "string", "The run."), *_board_columns(results))),
    )


def rows_of(config: Config, game: Game[Any], instances: GameInstanceSet, results: GameResults) -> Iterable[Row]:
    """Return the rows of a table, in an order that only the content decides."""
    if config.name == "instances":
        return _instance_rows(config, instances)
    if config.name == "leaderboard":
        board = zip(results.board(), flat_records(game_board(results)), strict=True)
        return ({"game": game.name, "run_id": row.submission.run.run_id, **flat} for row, flat in board)
    make = {"episodes": _episode_rows, "scores": _score_rows}.get(config.name, _step_rows)
    runs = sorted(results.runs, key=lambda run: run.run.run_id)
    return (row for run in runs for row in make(game, run))


def _step_columns(step: type[Record]) -> Iterator[Column]:
    pictures = picture_fields(step)
    for name, info in step.model_fields.items():
        about = info.description or name
        if name in pictures:
            yield Column(step_column(name), "image", about, nullable=True, repeats=True)
            yield Column(f"{step_column(name)}_sha256", "string", f"SHA-256 of the bytes of `{name}`.", nullable=True)
        else:
            yield Column(step_column(name), _kind(info.annotation), about, nullable=True)


TAKEN = frozenset(
    {"game", "run_id", "submission", "episode_id", "instance_id", "category", "difficulty", "step", "record"}
)


def step_column(field: str) -> str:
    """Return the column of a field of a step: its name, unless the table has such a column of its own."""
    return f"step_{field}" if field in TAKEN or field.startswith("player_") else field


def _kind(annotation: Any) -> Kind:
    """Return the type of a column for a field's annotation; what has no plain type is JSON text."""
    plain: dict[Any, Kind] = {str: "string", int: "int32", float: "float64", bool: "bool", tuple[str, ...]: "strings"}
    if get_origin(annotation) is Literal:
        return "string"
    return plain.get(annotation, "string")


def _step_rows(game: Game[Any], run: PlayedGameRun) -> Iterator[Row]:
    pictures = picture_fields(game.step)
    for episode in run.episodes:
        for number, step in enumerate(episode.steps, start=1):
            row: Row = {**_of_run(game, run), **_players(game, run), **_of_episode(episode), "step": number}
            for name, info in game.step.model_fields.items():
                value = step.get(name)
                column = step_column(name)
                if name in pictures:
                    row |= _drawn(run, column, value)
                elif _kind(info.annotation) == "string" and value is not None and not isinstance(value, str):
                    row[column] = json.dumps(value)
                else:
                    row[column] = value
            yield row | {"record": json.dumps(step, sort_keys=True, ensure_ascii=False)}


def _drawn(run: PlayedGameRun, column: str, value: Any) -> Row:
    if value is None:
        return {column: None, f"{column}_sha256": None}
    sha256 = str(value["sha256"])
    path = run.source.rendering_path(sha256)
    return {column: PictureFile(path.name, path.read_bytes), f"{column}_sha256": sha256}


def _instance_columns(instances: GameInstanceSet) -> tuple[Column, ...]:
    pictures: list[Column] = []
    for name in _picture_names(instances.instances):
        pictures.append(Column(f"picture_{name}", "image", f"The picture `{name}`.", nullable=True, repeats=True))
        pictures.append(Column(f"picture_{name}_sha256", "string", "SHA-256 of its bytes.", nullable=True))
    return (
        GAME,
        *_EPISODE[1:],
        *pictures,
        Column("payload", "string", "The game's own fields, as JSON."),
        Column("source", "string", "Where it comes from."),
        Column("licence", "string", "SPDX identifier, or `LicenseRef-…` for a public-domain statement."),
        RECORD,
    )


def _picture_names(instances: Iterable[GameInstance]) -> list[str]:
    return sorted({name for instance in instances for name in instance.pictures})


def _instance_rows(config: Config, instances: GameInstanceSet) -> Iterator[Row]:
    for instance in instances.instances:
        row: Row = {
            "game": instance.game,
            "instance_id": instance.instance_id,
            "category": instance.category,
            "difficulty": instance.difficulty,
            "payload": json.dumps(instance.payload, sort_keys=True, ensure_ascii=False),
            "source": instance.source,
            "licence": instance.licence,
            "record": instance.model_dump_json(),
        }
        files = instances.files(instance)
        for column in config.images:
            picture = instance.pictures.get(column.name.removeprefix("picture_"))
            held = (
                None if picture is None else PictureFile(picture.image.rpartition("/")[2], _held(files[picture.image]))
            )
            row |= {column.name: held, f"{column.name}_sha256": picture.sha256 if picture else None}
        yield row


def _held(data: bytes) -> Any:
    return lambda: data


def _episode_rows(game: Game[Any], run: PlayedGameRun) -> Iterator[Row]:
    for episode in run.episodes:
        yield {
            **_of_run(game, run),
            **_players(game, run),
            **_of_episode(episode),
            "outcome": episode.outcome,
            "abort_reason": episode.abort_reason,
            "abort_detail": episode.detail,
            "steps": len(episode.steps),
        }


def _score_rows(game: Game[Any], run: PlayedGameRun) -> Iterator[Row]:
    episodes = {episode.episode_id: episode for episode in run.episodes}
    for score in run.scores:
        yield {
            **_of_run(game, run),
            **_of_episode(episodes[score.episode_id]),
            "step": score.step,
            "measure": score.measure,
            "value": score.value,
            "reason": score.reason,
        }


def _board_columns(results: GameResults) -> Iterator[Column]:
    table = game_board(results)
    for flat in flat_columns(table.columns, table.primary):
        about = flat.column
        whole: Kind = "string" if about.digits is None else "int32" if about.digits == 0 else "float64"
        kind: Kind = whole if flat.part == "value" else "int32" if flat.part == "n" else "float64"
        yield Column(flat.name, kind, about.description, nullable=True)


def _of_run(game: Game[Any], run: PlayedGameRun) -> Row:
    return {"game": game.name, "run_id": run.run.run_id, "submission": run.run.slug}


def _players(game: Game[Any], run: PlayedGameRun) -> Row:
    players = run.run.submission.players
    return {f"player_{seat.name}": players[seat.name].label for seat in game.seats}


def _of_episode(episode: GameEpisode) -> Row:
    return {
        "episode_id": episode.episode_id,
        "instance_id": episode.instance_id,
        "category": episode.category,
        "difficulty": episode.difficulty,
    }
