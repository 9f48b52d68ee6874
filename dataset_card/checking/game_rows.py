"""Rows of a game in a release back to records, and the faults in them: in the end, the rows that the records make."""

import hashlib
from collections import defaultdict
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping
from itertools import zip_longest
from pathlib import Path
from typing import Any, TypeVar

from pydantic import ValidationError

from dataset_card.findings import Findings, Pictures, are_same_value, shorten_value
from dataset_card.tables.calls import parse_calls
from dataset_card.tables.columns import ITEMS, Config, ReleaseColumn
from dataset_card.tables.embedded_pictures import (
    EmbeddedInstances,
    EmbeddedPictures,
    index_instance_pictures,
    index_step_pictures,
    list_run_files,
)
from dataset_card.tables.fact_table import FactCompleteness, check_fact_row
from dataset_card.tables.game_tables import GameTables, ReleasedRun
from dataset_card.tables.parquet import list_table_files, read_rows
from dataset_card.tables.rows import (
    Row,
    parse_cost,
    parse_episode_fields,
    parse_instance_fields,
    parse_public_id,
    parse_retired_target,
    score_fields,
    step_fields,
)
from dataset_card.tables.schema import (
    CALLS,
    EPISODES,
    FACTS,
    INSTANCES,
    JUDGES,
    OF_GAMES,
    OF_NO_RUN,
    PREVIEW_SIDE,
    PREVIEWS,
    SCORES,
    is_transcripts,
    make_transcripts_config,
    name_transcripts,
    step_column,
)
from dataset_card.tables.writing import PartKey, compute_part_key
from ircore.core.episode_records import Episode, EpisodeCost, list_renderings
from ircore.core.errors import InputError, WorkError
from ircore.core.plugins import list_available
from ircore.core.records import Instance, Record
from ircore.core.score_records import JudgeIdentity, Score
from ircore.core.submission_records import Run
from ircore.core.validation import describe_validation_error
from ircore.games.base import Game, step_defaults
from ircore.games.registry import load_game
from ircore.instances.benchmark import RetiredTarget
from ircore.instances.records import Instances
from ircore.instances.store import build_index_bytes
from ircore.results.played_run import PlayedRun
from ircore.runs.provenance import Provenance

R = TypeVar("R", bound=Record)

EpisodeKey = tuple[str, str]
"""Run and episode."""


class GameRows:
    """Takes the rows of a game, then compares them with the rows that the records in them make.

    Args:
        folder: The release.
        game: Name of the game.
        identity: Identity of its instance set: of a game on several sets, the rows of each are taken apart.
        configs: The release's tables by name.
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
    >>> GameRows(Path("release"), "reference", "0" * 64, {}, findings, Pictures(findings), {}, {}, {}).instances()
    ()
    """

    def __init__(
        self,
        folder: Path,
        game: str,
        identity: str,
        configs: Mapping[str, Config],
        findings: Findings,
        pictures: Pictures,
        runs: Mapping[str, Run],
        provenances: Mapping[str, Provenance],
        judges: Mapping[str, JudgeIdentity],
    ) -> None:
        self.game, self.identity = game, identity
        self.tables: GameTables | None = None
        self.not_checked: list[str] = []
        self._folder, self._configs = folder, configs
        self._findings, self._pictures = findings, pictures
        self._runs, self._provenances, self._judges = runs, provenances, judges
        self._keys: dict[tuple[str, str | None], PartKey] = {}
        self._instances: dict[str, Instance] = {}
        self._retired: list[RetiredTarget] = []
        self._steps: defaultdict[EpisodeKey, list[dict[str, Any]]] = defaultdict(list)
        self._episodes: dict[EpisodeKey, Episode] = {}
        self._scores: defaultdict[str, dict[tuple[object, ...], Score]] = defaultdict(dict)
        self._costs: defaultdict[str, dict[str, EpisodeCost]] = defaultdict(dict)
        self._facts = FactCompleteness()
        self._previews = 0
        self._named_judges: set[str] = set()
        self._installed = self._load()
        self._rules = {run_id: self._find_rules(run) for run_id, run in runs.items()}

    def _load(self) -> Game[Any] | None:
        """Return the game, if a version is installed here that plays such steps."""
        if self.game not in list_available("games"):
            self.not_checked.append(f"the game {self.game} is not installed here: its rows are not compared")
            return None
        try:
            game = load_game(self.game)
        except (InputError, WorkError) as error:
            self.not_checked.append(f"{self.game}: rows not compared with its records: {error.problem}")
            return None
        # Another version of the game may have other fields, which is no fault of the release.
        name = name_transcripts(self.game)
        held = self._configs.get(name)
        lacking = "" if held is None else ", ".join(column.name for column in find_lacking_columns(held, game))
        if lacking:
            other = f"the installed game declares other columns of {name}; the release lacks {lacking}"
            self.not_checked.append(f"{self.game}: rows not compared with its records: {other}")
            return None
        return game

    def _find_rules(self, run: Run) -> Any:
        try:
            return None if self._installed is None else self._installed.read_rules(run)
        except InputError as error:
            self._findings.add("runs.jsonl", error.problem)
            return None

    def take(self, config: Config, where: str, row: Row) -> None:
        """Take a row of a table: instances first, then transcripts, episodes, scores, facts and the others."""
        run_id = None if config.name in OF_NO_RUN else str(row["run_id"])
        key = self._keys.get((config.name, run_id))
        if key is None:
            key = self._keys[config.name, run_id] = PartKey(config)
        key.take(row)
        self._check_pictures(config, where, row)
        if "run_id" in row and row["run_id"] not in self._runs:
            return self._findings.add(where, f"unknown run {row['run_id']}")
        takers: dict[str, Callable[[str, Row], None]] = {
            INSTANCES.name: self._take_instance,
            EPISODES.name: self._take_episode,
            SCORES.name: self._take_score,
            CALLS.name: self._take_call,
            FACTS.name: self._take_fact,
            PREVIEWS.name: self._take_preview,
            JUDGES.name: self._take_judge,
        }
        take = self._take_step if is_transcripts(config.name) else takers.get(config.name)
        try:
            if take is not None:
                take(where, row)
        # First, because a ValidationError is a ValueError whose own text has many lines.
        except ValidationError as error:
            self._findings.add(where, describe_validation_error(error))
        except ValueError as error:
            self._findings.add(where, str(error))
        except InputError as error:
            self._findings.add(where, error.problem)
        return None

    def _check_pictures(self, config: Config, where: str, row: Row) -> None:
        # The hash beside a preview is that of the original.
        for column in config.images if config.name != PREVIEWS.name else ():
            name = column.name
            if column.kind in ITEMS:
                self._check_list(f"{where}: {name}", row)
                continue
            shown = self._pictures.check(f"{where}: {name}", row[name], row[f"{name}_sha256"])
            size = row.get(f"{name}_width"), row.get(f"{name}_height")
            # A picture with a fault of its own is reported already, and has no size.
            if shown is not None and f"{name}_width" in row and size != (shown.width, shown.height):
                self._findings.add(where, f"{name} is {shown.width} × {shown.height} px, the row says otherwise")

    def _check_list(self, where: str, row: Row) -> None:
        pictures, hashes, widths, heights = (
            [*items] if isinstance(items := row[name], list) else []
            for name in ("pictures", "pictures_sha256", "picture_widths", "picture_heights")
        )
        if pictures and not len(pictures) == len(hashes) == len(widths) == len(heights):
            return self._findings.add(where, "its lists are not of one length")
        # Pictures that may not be published are not there at all.
        for picture, sha256, *size in zip(pictures, hashes, widths, heights, strict=False):
            shown = self._pictures.check(where, picture, sha256)
            if shown is not None and size != [shown.width, shown.height]:
                self._findings.add(where, f"a picture is {shown.width} × {shown.height} px, the row says otherwise")
        return None

    def _take_instance(self, where: str, row: Row) -> None:
        instance = Instance.model_validate(parse_instance_fields(row))
        if instance.game != self.game:
            self._findings.add(where, f"is of the game {instance.game}")
        if (target := parse_retired_target(row)) is not None:
            self._retired.append(target)
        if self._instances.setdefault(instance.instance_id, instance) is not instance:
            self._findings.add(where, f"instance {instance.instance_id} is there twice")

    def _take_step(self, where: str, row: Row) -> None:
        step = step_fields(self._configs[name_transcripts(self.game)], row)
        steps = self._steps[_make_key(row)]
        steps.append(step)
        if row["step"] != len(steps):
            self._findings.add(where, f"step {row['step']} stands where step {len(steps)} must be")
        if self._installed is not None:
            typed = self._installed.step.model_validate(step)
            for fault in self._installed.step_faults(self._rules[str(row["run_id"])], len(steps), typed):
                self._findings.add(where, fault)

    def _take_episode(self, where: str, row: Row) -> None:
        episode = Episode.model_validate(parse_episode_fields(row, self._steps[_make_key(row)]))
        self._costs[str(row["run_id"])][episode.episode_id] = parse_cost(row)
        if episode.instance_id not in self._instances:
            self._findings.add(where, f"unknown instance {episode.instance_id}")
        if self._episodes.setdefault(_make_key(row), episode) is not episode:
            self._findings.add(where, f"episode {episode.episode_id} of this run is there twice")

    def _take_score(self, where: str, row: Row) -> None:
        episode = self._episodes.get(_make_key(row))
        score = Score.model_validate(score_fields(row))
        if episode is None:
            return self._findings.add(where, f"unknown episode {row['episode_id']}")
        if score.task == "game" and score.by != self.game:
            raise ValueError(f"a judge gives a similarity or a preference, not {score.measure!r}")
        if score.rendering is not None and score.step not in self._find_steps(episode, score.rendering):
            self._findings.add(where, f"it scores another rendering than that of step {score.step}")
        identity = (score.episode_id, score.step, score.measure, score.by, score.annotator)
        if self._scores[str(row["run_id"])].setdefault(identity, score) is not score:
            self._findings.add(where, f"{score.by} scored step {score.step} of this episode twice")
        return None

    def _find_steps(self, episode: Episode, rendering: str) -> set[int]:
        """Return the numbers of the steps that hold a rendering."""
        places = [place for place, drawn in list_renderings(episode) if drawn.sha256 == rendering]
        game = self._installed
        if game is None:
            return set(places)
        typed = episode.steps_as(game.step)
        return {game.step_number(place, typed[place - 1]) for place in places}

    def _take_call(self, where: str, row: Row) -> None:
        (call,) = parse_calls([row])
        episode = self._episodes.get(_make_key(row))
        if episode is None:
            return self._findings.add(where, f"unknown episode {row['episode_id']}")
        if (call.seat is None) == (call.judge is None):
            self._findings.add(where, "names both a seat and a judge, or neither")
        return None

    def _take_fact(self, where: str, row: Row) -> None:
        episode = self._episodes.get(_make_key(row))
        drawn = None if episode is None else episode.renderings.get(int(str(row["step"])))
        if drawn is None or row["rendering_sha256"] != drawn.sha256:
            self._findings.add(where, f"it is of another rendering than that of step {row['step']}")
        for fault in check_fact_row(row):
            self._findings.add(where, fault)
        if not self._facts.take(row):
            self._findings.add(where, f"fact {row['fact']} of step {row['step']} of this episode is there twice")

    def _take_judge(self, _: str, row: Row) -> None:
        self._named_judges.add(str(row["judge"]))

    def _take_preview(self, where: str, row: Row) -> None:
        self._previews += 1
        for name in ("target", "rendering"):
            self._check_preview(f"{where}: {name}", row[name], row[f"{name}_sha256"])

    def _check_preview(self, where: str, cell: object, original: object) -> None:
        data = cell.get("bytes") if isinstance(cell, dict) else None
        if (data is None) != (original is None):
            return self._findings.add(where, "small picture without its original, or none of one that is there")
        shown = None if data is None else self._pictures.look_at(where, cell)
        if shown is not None and max(shown.width, shown.height) > PREVIEW_SIDE:
            self._findings.add(where, f"{shown.width} × {shown.height} pixels, a preview has at most {PREVIEW_SIDE}")
        return None

    def finish(self) -> None:
        """Check what needs all rows: steps without an episode, the set, and that the records make these rows."""
        name = name_transcripts(self.game)
        for run_id, episode_id in self._steps.keys() - self._episodes.keys():
            self._findings.add(f"data/{name}", f"episode {episode_id} of run {run_id} is not in episodes")
        scores = {run: of_run.values() for run, of_run in self._scores.items()}
        for fault in self._facts.faults(scores, self._instances):
            self._findings.add(f"data/{FACTS.name}", fault)
        steps = sum(map(len, self._steps.values()))
        # Previews are optional, and a release has them of all turns or of none.
        if self._previews not in (0, steps):
            self._findings.add(f"data/{PREVIEWS.name}", f"has {self._previews} rows for {steps} turns")
        identity = self._build_instance_set().identity
        for run in self._runs.values():
            if run.instance_set != identity:
                self._findings.add(f"data/{INSTANCES.name}", f"not the set that run {run.run_id} was played on")
        if self._findings.faults or self._installed is None:
            return
        try:
            tables = GameTables.of(self._build_instance_set(), [PlayedRun(run) for run in self.runs()], self._retired)
        except (InputError, WorkError) as error:
            self._findings.add(f"data/{SCORES.name}", error.problem)
            return
        for config in self._configs.values():
            if config.name == name or not (is_transcripts(config.name) or config.name in OF_GAMES):
                self._compare(config, tables)
        if not self._findings.faults:
            self.tables = tables

    def _compare(self, config: Config, tables: GameTables) -> None:
        """Compare the rows of a table with those that the game's records make."""
        if config.name in OF_NO_RUN:
            self._compare_part(config, None, tables)
            return
        for run_id in self._runs:
            self._compare_part(config, run_id, tables)

    def _compare_part(self, config: Config, run_id: str | None, tables: GameTables) -> None:
        run = next((run for run in tables.runs if run.run.run_id == run_id), None)
        taken = self._keys.get((config.name, run_id))
        held = compute_part_key(config, ()) if taken is None else taken.hexdigest()
        # Previews are only there if they are asked for.
        if config.name == PREVIEWS.name and taken is None:
            return
        if compute_part_key(config, tables.rows(config, run)) == held:
            return
        paths = (
            list_table_files(self._folder, config) if run_id is None else list_run_files(self._folder, config, run_id)
        )
        rows = ((where, row) for where, row in read_rows(self._folder, paths) if self._is_own(row))
        compare_rows(config, rows, tables.rows(config, run), self._findings)

    def _is_own(self, row: Row) -> bool:
        """Return whether a row is of this set or of a run on it."""
        return row["instance_set"] == self.identity if "instance_set" in row else row["run_id"] in self._runs

    def instances(self) -> tuple[Instance, ...]:
        """Return the instances taken so far, each once."""
        return tuple(self._instances.values())

    def _build_instance_set(self) -> EmbeddedInstances:
        instances = tuple(self._instances.values())
        identity = hashlib.sha256(build_index_bytes(instances)).hexdigest()
        return EmbeddedInstances(self._folder, identity, Instances.of(instances), index_instance_pictures(self._folder))

    def runs(self) -> tuple[ReleasedRun, ...]:
        """Return the runs read back; faulty records may be missing."""
        instances, steps = self._build_instance_set(), self._configs.get(name_transcripts(self.game))
        used = {score.by for scores in self._scores.values() for score in scores.values()}
        return tuple(
            ReleasedRun(
                Path(run_id),
                run,
                instances,
                ended=tuple(episode for key, episode in self._episodes.items() if key[0] == run_id),
                known_scores=tuple(self._scores[run_id].values()),
                # A judge without any score is known to have been asked, and not of whom.
                known_judges=self._select_judges(run_id, self._named_judges - used),
                known_costs=self._costs[run_id],
                known_provenance=self._provenances.get(run_id),
                pictures=EmbeddedPictures((), ())
                if steps is None
                else index_step_pictures(list_run_files(self._folder, steps, run_id), steps),
                fact_files=list_run_files(self._folder, FACTS, run_id),
                call_files=list_run_files(self._folder, CALLS, run_id),
            )
            for run_id, run in self._runs.items()
        )

    def _select_judges(self, run_id: str, unused: Collection[str]) -> Mapping[str, JudgeIdentity]:
        used = {score.by for score in self._scores[run_id].values()}.union(unused)
        return {name: judge for name, judge in self._judges.items() if name in used}


def compare_rows(config: Config, held: Iterable[tuple[str, Row]], made: Iterable[Row], findings: Findings) -> None:
    """Compare rows of a table, each with where it stands, with those that the records make."""
    images = {column.name for column in config.images}
    for held_row, row in zip_longest(held, made):
        if held_row is None or row is None:
            at = f"data/{config.name}" if held_row is None else held_row[0]
            fault = "a row is missing that the records make" if held_row is None else "no record makes this row"
            findings.add(at, f"{fault}: {_name_row(row or held_row[1])}")
            return
        where, own = held_row
        for column, value in own.items():
            if column not in images and not are_same_value(value, row.get(column)):
                wanted, measure = shorten_value(row.get(column)), f"{own['measure']}: " if "measure" in own else ""
                findings.add(where, f"{measure}{column} is {shorten_value(value)}, the records say {wanted}")


def find_lacking_columns(held: Config, game: Game[Any]) -> Iterator[ReleaseColumn]:
    """Yield the columns that the installed game declares and its transcripts in a release lack or have otherwise.

    A field that was added later with a default is not missed: steps of before have the default.
    """
    columns = {column.name: column for column in held.columns}
    parts = ("", "_sha256", "_width", "_height")
    defaulted = {f"{step_column(game, name)}{part}" for name in step_defaults(game.step) for part in parts}
    for column in make_transcripts_config(game).columns:
        if column.name in columns:
            known = columns[column.name]
            same = (known.kind, known.field, known.as_json) == (column.kind, column.field, column.as_json)
        else:
            same = column.name in defaulted
        if not same:
            yield column


def _make_key(row: Row) -> EpisodeKey:
    return str(row["run_id"]), parse_public_id(row["episode_id"])


def _name_row(row: Row) -> str:
    """Return what a row is of, for a message."""
    names = ("run_id", "episode_id", "instance_id", "category", "difficulty", "step", "by", "measure", "fact")
    return " / ".join(str(row[name]) for name in names if row.get(name) is not None)
