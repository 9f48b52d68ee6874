"""Columns of a game's tables, from the game's declarations, and rows from runs of the game."""

import json
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Any, Literal, get_origin

from dataset_card.tables.columns import Column, Config, Kind
from dataset_card.tables.game_tables import GameTables
from dataset_card.tables.rows import (
    PictureFile,
    Row,
    episode_columns,
    leaderboard_rows,
    picture_columns,
    score_rows,
)
from dataset_card.tables.schema import (
    EPISODES,
    INSTANCES,
    LEADERBOARD,
    SCORES,
    leaderboard_config,
    transcripts_name,
)
from ircore.core.episode_records import UNKNOWN_COST, Episode, Rendering
from ircore.core.game_records import rules_key
from ircore.core.records import Fields, Instance
from ircore.games.base import Game, picture_fields, step_defaults
from ircore.instances.store import InstanceSet
from ircore.instances.withheld_pictures import published_pictures
from ircore.results.model import Results
from ircore.results.played_run import PlayedRun, RunSource

_GAME = Column("game", "string", "Name of the game.")
_RUN = (
    Column("run_id", "string", "The run; its settings are in `runs.jsonl`."),
    Column("submission", "string", "Slug of the submission."),
)
_EPISODE = (
    Column("episode_id", "string", "One instance played by the players of a submission; unique within its run."),
    Column("instance_id", "string", "Instance that was played; joins with `instances`."),
    Column("category", "string", "Category of the instance."),
    Column("difficulty", "string", "`easy` or `hard`."),
)
_RULES = Column("rules", "string", "Key of the rules played by: each rule and its value, such as `rounds=3`.")
_RECORD = Column(
    "record", "string", "The game's own record of the row, as JSON; of an instance with the SHA-256 of every picture."
)

OWN_COLUMNS = frozenset({*(column.name for column in (_GAME, *_RUN, *_EPISODE, _RULES, _RECORD)), "step"})
"""Columns of the transcripts that every game has: a field of a step of the same name is called otherwise."""


@dataclass(frozen=True)
class DeclaredTables(GameTables):
    """The tables of a game other than reconstruction.

    Attributes:
        game: The game.
        instances: The set that all runs were played on.
        results: Computed from its runs.

    >>> from pathlib import Path
    >>> from ircore.games.registry import load_game
    >>> no_instances = InstanceSet(Path(), "0" * 64, ())
    >>> DeclaredTables(load_game("reference"), no_instances, results=None).name
    'reference'
    """

    game: Game[Any]
    instances: InstanceSet
    results: Results

    @classmethod
    def of(cls, game: Game[Any], instances: InstanceSet, runs: Iterable[RunSource]) -> "DeclaredTables":
        """Return the tables of runs, their results computed.

        Raises:
            InputError: A run has no values yet, or no episode was played.
        """
        results = Results.from_runs(runs, game=game)
        if not any(result.played for of_run in results.episodes.values() for result in of_run):
            # load_dataset refuses a table without rows, and there would be no step to load.
            raise results.no_ratings()
        return cls(game, instances, results)

    @property
    def runs(self) -> tuple[PlayedRun, ...]:
        """See ``GameTables``."""
        return self.results.every_run

    @property
    def name(self) -> str:
        """See ``GameTables``."""
        return self.game.name

    @cached_property
    def configs(self) -> Mapping[str, Config]:
        """See ``GameTables``."""
        tables = (
            Config(
                transcripts_name(self.name),
                "one step",
                (_GAME, *_RUN, *self._seats, *_EPISODE, *self._step_columns(), _RULES, _RECORD),
                default=True,
            ),
            Config(INSTANCES.name, "one instance", self._instance_columns()),
            Config(EPISODES.name, "one episode", (_GAME, *_RUN, *self._seats, *_EPISODE, *self._ending(), _RULES)),
            SCORES,
            leaderboard_config(self.results.game, self.results.seats),
        )
        return {config.name: config for config in tables}

    def own_rows(self, config: Config, run: Any) -> Iterable[Row]:
        """See ``GameTables``."""
        if config.name == INSTANCES.name:
            return self._instance_rows()
        if config.name == LEADERBOARD.name:
            return leaderboard_rows(self.results)
        if config.name == SCORES.name:
            return score_rows(run, rules_key(run.run.rules))
        return (self._episode_rows if config.name == EPISODES.name else self._step_rows)(run)

    @property
    def _seats(self) -> tuple[Column, ...]:
        return tuple(
            Column(f"player_{seat.name}", "string", f"Player in the seat {seat.name}.") for seat in self.game.seats
        )

    def _step_columns(self) -> Iterator[Column]:
        yield Column("step", "int32", "1-based.")
        pictures = picture_fields(self.game.step)
        for name, info in self.game.step.model_fields.items():
            about, column = info.description or name, step_column(name)
            if name in pictures:
                words = f"SHA-256 of the pixels of `{name}`."
                yield Column(column, "image", about, nullable=True, repeats=True)
                yield Column(f"{column}_sha256", "string", words, nullable=True)
            else:
                yield Column(column, _kind(info.annotation), about, nullable=True)

    @cached_property
    def defaulted(self) -> frozenset[str]:
        """Columns of fields of a step with a default: a release from before such a field lacks its columns."""
        fields = self.game.step.model_fields.items()
        names = [step_column(name) for name, info in fields if not info.is_required()]
        return frozenset(column for name in names for column in (name, f"{name}_sha256"))

    def _instance_columns(self) -> tuple[Column, ...]:
        pictures: list[Column] = []
        # Sorted, because the order of a set differs from one process to the next.
        for name in sorted({name for instance in self.instances.instances for name in published_pictures(instance)}):
            pictures.append(Column(f"picture_{name}", "image", f"The picture `{name}`.", nullable=True, repeats=True))
            pictures.append(Column(f"picture_{name}_sha256", "string", "SHA-256 of its pixels.", nullable=True))
        return (
            _GAME,
            *_EPISODE[1:],
            *pictures,
            Column("payload", "string", "The game's own fields, as JSON."),
            Column("source", "string", "Where the instance comes from."),
            Column("licence", "string", "SPDX identifier, or `LicenseRef-…` for a public-domain statement."),
            _RECORD,
        )

    def _ending(self) -> tuple[Column, ...]:
        return (
            Column("outcome", "string", f"One of {', '.join(outcome.name for outcome in self.game.outcomes)}."),
            Column("abort_reason", "string", "Why the episode was aborted.", nullable=True),
            Column("abort_detail", "string", "Observation that led to the abort.", nullable=True),
            Column("steps", "int32", f"Rows of the episode in `{transcripts_name(self.name)}`."),
            Column("seconds", "float64", "Time until its answers were there, seconds; null if unknown.", nullable=True),
            Column("cost_usd", "float64", "US dollars that its answers cost; null if one is not known.", nullable=True),
        )

    def _instance_rows(self) -> Iterator[Row]:
        columns = self.configs[INSTANCES.name].images
        for instance in self.instances.instances:
            pictures: Row = {}
            for column in columns:
                picture = published_pictures(instance).get(column.name.removeprefix("picture_"))
                pictures[f"{column.name}_sha256"] = None if picture is None else picture.sha256
                pictures[column.name] = None if picture is None else self._picture_file(instance, picture.image)
            yield {
                _GAME.name: instance.game,
                "instance_id": instance.instance_id,
                "category": instance.category,
                "difficulty": instance.difficulty,
                "payload": json.dumps(instance.payload, sort_keys=True, ensure_ascii=False),
                "source": instance.source,
                "licence": instance.licence,
                "record": instance.model_dump_json(),
            } | pictures

    def _picture_file(self, instance: Instance, image: str) -> PictureFile:
        return PictureFile(image.rpartition("/")[2], lambda: self.instances.files(instance)[image])

    def _step_rows(self, run: PlayedRun) -> Iterator[Row]:
        for episode in run.episodes:
            for number, step in enumerate(episode.steps, start=1):
                row = self._of_episode(run, episode) | self._players(run) | self._of_step(run, step)
                # Sorted keys, so that the same step has the same bytes in each release.
                yield row | {"step": number} | {"record": json.dumps(step, sort_keys=True, ensure_ascii=False)}

    def _of_step(self, run: PlayedRun, step: Fields) -> Row:
        row: Row = {}
        pictures, defaults = picture_fields(self.game.step), step_defaults(self.game.step)
        for name, info in self.game.step.model_fields.items():
            value, column = step.get(name, defaults.get(name)), step_column(name)
            if name in pictures:
                rendering = None if value is None else Rendering.model_validate(value)
                row |= picture_columns(column, run, rendering)
            # A field of a type that no column has, such as a mapping, stands as JSON.
            elif _kind(info.annotation) == "string" and value is not None and not isinstance(value, str):
                row[column] = json.dumps(value)
            else:
                row[column] = value
        return row

    def _episode_rows(self, run: PlayedRun) -> Iterator[Row]:
        for episode in run.episodes:
            cost = run.costs.get(episode.episode_id, UNKNOWN_COST)
            ending: Row = {
                "outcome": episode.outcome,
                "abort_reason": episode.abort_reason,
                "abort_detail": episode.detail,
                "steps": len(episode.steps),
                "seconds": cost.seconds,
                "cost_usd": cost.usd,
            }
            yield self._of_episode(run, episode) | self._players(run) | ending

    def _of_episode(self, run: PlayedRun, episode: Episode) -> Row:
        """Return the columns that name game, run, rules and episode of a row."""
        named: Row = {_GAME.name: self.name, "run_id": run.run.run_id, "submission": run.run.slug}
        return named | {"rules": rules_key(run.run.rules)} | episode_columns(episode)

    def _players(self, run: PlayedRun) -> Row:
        return {f"player_{seat.name}": run.run.submission.label_of(seat.name) for seat in self.game.seats}


def step_column(field: str) -> str:
    """Return the column for a field of a step: the field's name, prefixed where every table has that name."""
    return f"step_{field}" if field in OWN_COLUMNS or field.startswith("player_") else field


def _kind(annotation: Any) -> Kind:
    """Return the type of a column for a field's annotation; a type that no column has becomes JSON text."""
    plain: dict[Any, Kind] = {str: "string", int: "int32", float: "float64", bool: "bool", tuple[str, ...]: "strings"}
    if get_origin(annotation) is Literal:
        return "string"
    return plain.get(annotation, "string")
