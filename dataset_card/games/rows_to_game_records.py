"""Reading the rows of a game other than reconstruction back into records, and finding rows that do not fit."""

import hashlib
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

from pydantic import ValidationError

from dataset_card.findings import Findings, Pictures, same_value, short_value
from dataset_card.games import records_of_rows as records
from dataset_card.tables.columns import Config
from dataset_card.tables.declared_tables import DeclaredTables
from dataset_card.tables.records_of_rows import cost_of, episode_fields, score_fields
from dataset_card.tables.released_run import ReleasedRun
from dataset_card.tables.rows import Row
from dataset_card.tables.schema import EPISODES, INSTANCES, LEADERBOARD, SCORES, is_transcripts, transcripts_name
from dataset_card.tables.shared_tables import foreign_columns
from ircore.core.episode_records import Episode, EpisodeCost
from ircore.core.errors import InputError, WorkError
from ircore.core.plugins import available
from ircore.core.records import Instance
from ircore.core.score_records import JudgeIdentity, Score
from ircore.core.submission_records import Run
from ircore.core.validation import describe_validation_error
from ircore.games.registry import load_game
from ircore.instances.records import Instances
from ircore.instances.store import InstanceSet, index_bytes
from ircore.runs.provenance import Provenance

EpisodeKey = tuple[str, str]
"""Run and episode."""


class GameRows:
    """Takes the rows of a game, then compares them with the rows that the records in them make.

    Args:
        game: Name of the game.
        findings: Collects faults.
        pictures: Checks the embedded pictures.
        runs: The release's runs of the game by id.
        provenances: Provenance of the runs, by id.
        judges: The release's judges by name.

    Attributes:
        tables: The game's tables made anew from its records; None before ``finish``, if there are faults, or if the
            game is not installed.
        not_checked: Comparisons that need the game, a line each.

    >>> findings = Findings()
    >>> GameRows("reference", findings, Pictures(findings), runs={}, provenances={}, judges={}).instances()
    ()
    """

    def __init__(
        self,
        game: str,
        findings: Findings,
        pictures: Pictures,
        runs: Mapping[str, Run],
        provenances: Mapping[str, Provenance],
        judges: Mapping[str, JudgeIdentity],
    ) -> None:
        self.game = game
        self.tables: DeclaredTables | None = None
        self.not_checked: list[str] = []
        self._findings, self._pictures = findings, pictures
        self._runs, self._provenances, self._judges = runs, provenances, judges
        self._rows: defaultdict[str, list[tuple[str, Row]]] = defaultdict(list)
        self._configs: dict[str, Config] = {}
        self._instances: dict[str, Instance] = {}
        self._steps: defaultdict[EpisodeKey, list[dict[str, Any]]] = defaultdict(list)
        self._episodes: dict[EpisodeKey, Episode] = {}
        self._scores: defaultdict[str, list[Score]] = defaultdict(list)
        self._costs: defaultdict[str, dict[str, EpisodeCost]] = defaultdict(dict)

    def take(self, config: Config, where: str, row: Row) -> None:
        """Take a row of a table: instances first, then transcripts, episodes, scores and the leaderboard."""
        self._configs[config.name] = config
        for column in config.images:
            self._pictures.check(f"{where}: {column.name}", row[column.name], row[f"{column.name}_sha256"])
        # Without the pictures, which are far larger than all the rest of a row.
        plain = {name: value for name, value in row.items() if name not in {column.name for column in config.images}}
        self._rows[config.name].append((where, plain))
        # Instances are the only rows without the id of a run.
        if config.name != INSTANCES.name and row["run_id"] not in self._runs:
            return self._findings.add(where, f"unknown run {row['run_id']}")
        try:
            self._take_record(config.name, where, row)
        # First, because a ValidationError is a ValueError whose own text has many lines.
        except ValidationError as error:
            self._findings.add(where, describe_validation_error(error))
        except ValueError as error:
            self._findings.add(where, str(error))
        return None

    def _take_record(self, table: str, where: str, row: Row) -> None:
        if table == INSTANCES.name:
            instance = records.instance_of(row)
            if instance.game != self.game or instance.instance_id != row["instance_id"]:
                self._findings.add(where, "its record is of another game or instance")
            if self._instances.setdefault(instance.instance_id, instance) is not instance:
                self._findings.add(where, f"instance {instance.instance_id} is there twice")
        elif is_transcripts(table):
            self._steps[_key(row)].append(records.step_of(row))
            if row["step"] != len(self._steps[_key(row)]):
                self._findings.add(where, f"step {row['step']} stands where step {len(self._steps[_key(row)])} must be")
        elif table == EPISODES.name:
            episode = Episode.model_validate(episode_fields(row, self._steps[_key(row)]))
            self._costs[str(row["run_id"])][str(row["episode_id"])] = cost_of(row)
            if row["instance_id"] not in self._instances:
                self._findings.add(where, f"unknown instance {row['instance_id']}")
            if self._episodes.setdefault(_key(row), episode) is not episode:
                self._findings.add(where, f"episode {episode.episode_id} of this run is there twice")
        elif table == SCORES.name:
            if _key(row) not in self._episodes:
                self._findings.add(where, f"unknown episode {row['episode_id']}")
            score = Score.model_validate(score_fields(row))
            if score.task == "game" and score.by != self.game:
                raise ValueError(f"a judge gives a similarity or a preference, not {score.measure!r}")
            self._scores[str(row["run_id"])].append(score)

    def finish(self) -> None:
        """Check steps without an episode, the instance set, and that the records make these rows."""
        name = transcripts_name(self.game)
        for run_id, episode_id in self._steps.keys() - self._episodes.keys():
            self._findings.add(f"data/{name}", f"episode {episode_id} of run {run_id} is not in episodes")
        identity = self._instance_set().identity
        for run in self._runs.values():
            if run.instance_set != identity:
                self._findings.add(f"data/{INSTANCES.name}", f"not the set that run {run.run_id} was played on")
        if self._findings.faults:
            return
        if self.game not in available("games"):
            self.not_checked.append(f"the game {self.game} is not installed here: its rows are not compared")
            return
        try:
            tables = DeclaredTables.of(load_game(self.game), self._instance_set(), self.runs())
        except (InputError, WorkError) as error:
            self.not_checked.append(f"{self.game}: rows not compared with its records: {error.problem}")
            return
        # Another version of the game may have other fields, which is no fault of the release.
        if fault := next(self._column_faults(tables), None):
            self.not_checked.append(f"{self.game}: rows not compared with its records: {fault}")
            return
        for config in self._configs.values():
            self._compare(config, tables)
        if not self._findings.faults:
            self.tables = tables

    def _column_faults(self, tables: DeclaredTables) -> Iterator[str]:
        """Yield the columns that the installed game declares and the release lacks."""
        for name, declared in tables.configs.items():
            config = self._configs.get(name)
            if config is None:
                continue
            names = {column.name for column in config.columns}
            own = tuple(
                column for column in declared.columns if column.name in names or column.name not in tables.defaulted
            )
            held = names - set(foreign_columns(config, replace(declared, columns=own)))
            if len(held) != len(own):
                lacking = [column.name for column in own if column.name not in held]
                yield (
                    f"the installed game declares other columns of {name}; the release lacks"
                    f" {', '.join(lacking) or 'none of its own'}"
                )

    def _compare(self, config: Config, tables: DeclaredTables) -> None:
        made: list[Row] = []
        if config.name in (INSTANCES.name, LEADERBOARD.name):
            made = list(tables.rows(config))
        else:
            # In the order of the release's files, which its record checks.
            runs = {run.run.run_id: run for run in tables.runs}
            order = dict.fromkeys(str(row["run_id"]) for _, row in self._rows[config.name])
            made = [row for run_id in order for row in tables.rows(config, runs[run_id])]
        rows = self._rows[config.name]
        if len(made) != len(rows):
            self._findings.add(f"data/{config.name}", f"{len(rows)} rows of {self.game}, its records make {len(made)}")
        # Another number of rows is a fault already.
        for (where, row), wanted in zip(rows, made, strict=False):
            for column, value in row.items():
                if not same_value(value, wanted.get(column)):
                    fault = (
                        f"{column} is {short_value(value)}, the game's records say {short_value(wanted.get(column))}"
                    )
                    self._findings.add(where, fault)

    def instances(self) -> tuple[Instance, ...]:
        """Return the instances taken so far, each once."""
        return tuple(self._instances.values())

    def _instance_set(self) -> InstanceSet:
        instances = tuple(self._instances.values())
        return InstanceSet(Path(), hashlib.sha256(index_bytes(instances)).hexdigest(), Instances.of(instances))

    def runs(self) -> tuple[ReleasedRun, ...]:
        """Return the runs read back; faulty records may be missing."""
        instances = self._instance_set()
        return tuple(
            ReleasedRun(
                Path(run_id),
                run,
                instances,
                ended=tuple(episode for key, episode in self._episodes.items() if key[0] == run_id),
                known_scores=tuple(self._scores[run_id]),
                known_judges=self._judges_of(self._scores[run_id]),
                known_costs=self._costs[run_id],
                known_provenance=self._provenances.get(run_id),
            )
            for run_id, run in self._runs.items()
        )

    def _judges_of(self, ratings: Sequence[Score]) -> Mapping[str, JudgeIdentity]:
        used = {score.by for score in ratings}
        return {name: judge for name, judge in self._judges.items() if name in used}


def _key(row: Row) -> EpisodeKey:
    return str(row["run_id"]), str(row["episode_id"])
