"""Rows of reconstruction in a release back to records, and the faults in them."""

import hashlib
import json
from collections.abc import Callable, Mapping
from functools import partial
from pathlib import Path
from typing import TypeVar

from pydantic import ValidationError

from dataset_card.findings import Findings, Pictures, same_value, short_value
from dataset_card.tables.fact_completeness import FactCompleteness
from dataset_card.tables.fact_table import fact_faults
from dataset_card.tables.records_of_rows import cost_of, episode_fields, score_fields, turn_fields
from dataset_card.tables.released_run import ReleasedRun
from dataset_card.tables.rows import OF_GAME, Row, leaderboard_rows
from dataset_card.tables.schema import (
    EPISODES,
    FACTS,
    INSTANCES,
    LEADERBOARD,
    PREVIEW_SIDE,
    PREVIEWS,
    SCORES,
    TRANSCRIPTS,
)
from ircore.core.episode_records import Episode, EpisodeCost, Rendering
from ircore.core.errors import InputError
from ircore.core.records import Instance, Record, Scene
from ircore.core.score_records import JudgeIdentity, Score
from ircore.core.submission_records import Run
from ircore.core.validation import describe_validation_error
from ircore.games.reconstruction.records import Rules, Turn
from ircore.instances.records import Instances
from ircore.instances.store import InstanceSet, index_bytes
from ircore.results.model import Results
from ircore.runs.provenance import Provenance

R = TypeVar("R", bound=Record)

EpisodeKey = tuple[str, str]
"""Run and episode."""


class Tables:
    """Takes the rows of a release table by table, then compares the tables with each other.

    Args:
        findings: Collects the faults.
        pictures: Checks the embedded pictures.
        runs: The release's runs by id.
        judges: The release's judges by name.
        provenances: Provenance of the release's runs, by id.

    Attributes:
        results: Computed from its tables; None until all were taken, or if there are faults.

    >>> findings = Findings()
    >>> tables = Tables(findings, Pictures(findings), runs={}, judges={}, provenances={})
    >>> tables.has_rows
    False
    """

    def __init__(
        self,
        findings: Findings,
        pictures: Pictures,
        runs: dict[str, Run],
        judges: Mapping[str, JudgeIdentity],
        provenances: Mapping[str, Provenance],
    ) -> None:
        self._judges = judges
        self._provenances = provenances
        self._costs: dict[str, dict[str, EpisodeCost]] = {run: {} for run in runs}
        self._findings = findings
        self._pictures = pictures
        self._runs = runs
        self._instances: dict[str, Instance] = {}
        self._turns: dict[EpisodeKey, list[Turn]] = {}
        self._turns_at: dict[EpisodeKey, str] = {}
        self._episodes: dict[EpisodeKey, Episode] = {}
        self._scores: dict[str, dict[tuple[str, int | None, str, str, str | None], Score]] = {run: {} for run in runs}
        self._facts = FactCompleteness()
        self._previews = 0
        self._board: dict[tuple[object, ...], tuple[str, Row]] = {}
        self.results: Results | None = None

    @property
    def has_rows(self) -> bool:
        """Whether the release has any row of reconstruction."""
        return bool(self._instances or self._turns or self._episodes or self._runs)

    def take(self, table: str, where: str, row: Row) -> None:
        """Take a row of a table: instances, transcripts, episodes, scores, facts, leaderboard, previews."""
        take = {
            INSTANCES.name: self.take_instance,
            TRANSCRIPTS.name: self.take_turn,
            EPISODES.name: self.take_episode,
            SCORES.name: self.take_score,
            FACTS.name: self.take_fact,
            LEADERBOARD.name: self.take_board_row,
            PREVIEWS.name: self.take_preview,
        }
        take[table](where, row)

    def take_instance(self, where: str, row: Row) -> None:
        """Take a row of ``instances``."""
        self._compare(where, row, OF_GAME, "its tables are of")
        shown = self._pictures.check(f"{where}: image", row["image"], row["image_sha256"])
        # A picture with a fault of its own is reported already, and has no size.
        if shown is not None and (shown.width, shown.height) != (row["width"], row["height"]):
            self._findings.add(where, f"the picture is {shown.width} × {shown.height} px, the row says otherwise")
        plain = {name: row[name] for name in ("instance_id", "game", "category", "difficulty", "seed")}
        origin = {"source": row["source"], "licence": row["licence"]}
        scene = None
        if row["scene"] is not None:
            scene = self._record(f"{where}: scene", partial(Scene.model_validate_json, str(row["scene"])))
        file = {name: row[name] for name in ("width", "height")} | {"image": row["file"], "sha256": row["image_sha256"]}
        payload = {} if scene is None else {"scene": json.loads(str(row["scene"]))}
        fields = plain | origin | {"pictures": {"target": file}, "payload": payload}
        instance = self._record(where, partial(Instance.model_validate, fields))
        if instance is not None and self._instances.setdefault(instance.instance_id, instance) is not instance:
            self._findings.add(where, f"instance {instance.instance_id} is there twice")

    def take_turn(self, where: str, row: Row) -> None:
        """Take a row of ``transcripts``."""
        instance = self._refer(where, row)
        self._pictures.check(f"{where}: target", row["target"], row["target_sha256"])
        if instance is not None and row["target_sha256"] != instance.pictures["target"].sha256:
            self._findings.add(where, f"its target is not the picture of {instance.instance_id}")
        shown = self._pictures.check(f"{where}: rendering", row["rendering"], row["rendering_sha256"])
        drawn = None if shown is None else Rendering(**shown._asdict())
        size = (None, None) if drawn is None else (drawn.width, drawn.height)
        if size != (row["rendering_width"], row["rendering_height"]):
            self._findings.add(where, "rendering_width and rendering_height are not those of the rendering")
        turn = self._record(where, partial(Turn.model_validate, turn_fields(row, drawn)))
        if turn is None:
            return
        if (turn.action == "done") != (turn.message is None) or (turn.action == "done" and drawn is not None):
            self._findings.add(where, f"message or rendering does not fit action {turn.action}")
        run = self._runs.get(str(row["run_id"]))
        if run is not None and turn.over_budget != (turn.message_tokens > Rules.of(run).token_budget):
            self._findings.add(where, f"over_budget is {turn.over_budget} with {turn.message_tokens} tokens")
        turns = self._turns.setdefault(_key(row), [])
        self._turns_at.setdefault(_key(row), where)
        turns.append(turn)
        if turn.turn != len(turns):
            self._findings.add(where, f"turn {turn.turn} stands where turn {len(turns)} must be")

    def take_episode(self, where: str, row: Row) -> None:
        """Take a row of ``episodes``, after the episode's turns."""
        self._refer(where, row)
        turns = self._turns.get(_key(row), [])
        for name in ("first_rendering", "final_rendering"):
            self._pictures.check(f"{where}: {name}", row[name], row[f"{name}_sha256"])
        drawn = [turn.rendering.sha256 for turn in turns if turn.rendering is not None]
        known = {
            "turns": len(turns),
            "renderings": len(drawn),
            "first_rendering_sha256": drawn[0] if drawn else None,
            "final_rendering_sha256": drawn[-1] if drawn else None,
            "message_tokens": sum(turn.message_tokens for turn in turns),
        }
        self._compare(where, row, known, "its turns say")
        # A row of an unknown run is a fault already, and must not end the check.
        self._costs.setdefault(str(row["run_id"]), {})[str(row["episode_id"])] = cost_of(row)
        episode = self._record(where, partial(Episode.model_validate, episode_fields(row, turns)))
        if episode is not None and self._episodes.setdefault(_key(row), episode) is not episode:
            self._findings.add(where, f"episode {episode.episode_id} of this run is there twice")

    def take_score(self, where: str, row: Row) -> None:
        """Take a row of ``scores``; episodes and turns are known by now."""
        self._refer(where, row)
        score = self._record(where, partial(Score.model_validate, score_fields(row)))
        if score is None:
            return
        turns = self._turns.get(_key(row), [])
        drawn = {turn.turn: turn.rendering.sha256 for turn in turns if turn.rendering is not None}
        if score.step not in drawn:
            self._findings.add(where, f"there is no rendering of turn {score.step} of episode {score.episode_id}")
        elif drawn[score.step] != score.rendering:
            self._findings.add(where, f"it scores another rendering than that of turn {score.step}")
        identity = (score.episode_id, score.step, score.measure, score.by, score.annotator)
        if self._scores.setdefault(str(row["run_id"]), {}).setdefault(identity, score) is not score:
            self._findings.add(where, f"{score.by} scored turn {score.step} of this episode twice")

    def take_fact(self, where: str, row: Row) -> None:
        """Take a row of ``facts``; turns and scores are known by now."""
        self._refer(where, row)
        turns = {turn.turn: turn for turn in self._turns.get(_key(row), [])}
        turn = turns.get(int(str(row["turn"])))
        drawn = turn.rendering.sha256 if turn is not None and turn.rendering is not None else None
        if drawn is None or row["rendering_sha256"] != drawn:
            self._findings.add(where, f"it is of another rendering than that of turn {row['turn']}")
        for fault in fact_faults(row):
            self._findings.add(where, fault)
        if not self._facts.take(row):
            self._findings.add(where, f"fact {row['fact']} of turn {row['turn']} of this episode is there twice")

    def take_preview(self, where: str, row: Row) -> None:
        """Take a row of ``previews``, after the turn."""
        instance, turns = self._refer(where, row), self._turns.get(_key(row), [])
        self._previews += 1
        number = row["turn"]
        # A stranger's row may name any turn, 0 and negative ones too.
        turn = turns[number - 1] if isinstance(number, int) and 0 < number <= len(turns) else None
        if turn is None or instance is None:
            return self._findings.add(where, f"there is no turn {number} of episode {row['episode_id']}")
        drawn = turn.rendering and turn.rendering.sha256
        known = {"action": turn.action, "message": turn.message, "target_sha256": instance.pictures["target"].sha256}
        self._compare(where, row, known | {"rendering_sha256": drawn}, "its turn says")
        for name in ("target", "rendering"):
            self._check_preview(f"{where}: {name}", row[name], row[f"{name}_sha256"])
        return None

    def _check_preview(self, where: str, cell: object, original: object) -> None:
        data = cell.get("bytes") if isinstance(cell, dict) else None
        if (data is None) != (original is None):
            return self._findings.add(where, "small picture without its original, or none of one that is there")
        # The row states the hash of the original, not of the preview.
        shown = None if data is None else self._pictures.look_at(where, cell)
        if shown is not None and max(shown.width, shown.height) > PREVIEW_SIDE:
            self._findings.add(where, f"{shown.width} × {shown.height} pixels, a preview has at most {PREVIEW_SIDE}")
        return None

    def take_board_row(self, where: str, row: Row) -> None:
        """Take a row of ``leaderboard``."""
        if row["run_id"] not in self._runs:
            self._findings.add(where, f"unknown run {row['run_id']}")
        if self._board.setdefault(_board_key(row), (where, row))[0] != where:
            self._findings.add(where, "this pair, condition and judge is there twice")

    def finish(self) -> None:
        """Check turns without an episode, the set's identity and the leaderboard, which need all tables."""
        for key, where in self._turns_at.items():
            if key not in self._episodes:
                self._findings.add(where, f"episode {key[1]} of run {key[0]} is not in episodes")
        scores = {run: of_run.values() for run, of_run in self._scores.items()}
        for fault in self._facts.faults(scores, self._instances):
            self._findings.add(f"data/{FACTS.name}", fault)
        turns = sum(map(len, self._turns.values()))
        # Previews are optional, and a release has them of all turns or of none.
        if self._previews not in (0, turns):
            self._findings.add(f"data/{PREVIEWS.name}", f"has {self._previews} rows for {turns} turns")
        identity = self._instance_set().identity
        for run in self._runs.values():
            if run.instance_set != identity:
                self._findings.add(
                    f"data/{INSTANCES.name}", f"not the instance set that run {run.run_id} was played on"
                )
        where = f"data/{LEADERBOARD.name}"
        if self._findings.faults:
            self._findings.add(where, "not recomputed, because of the faults above")
        # A release of other games alone has no board of reconstruction.
        elif self._runs:
            self._check_board(where)

    def instances(self) -> tuple[Instance, ...]:
        """Return the instances taken so far, each once."""
        return tuple(self._instances.values())

    def _instance_set(self) -> InstanceSet:
        identity = hashlib.sha256(index_bytes(self._instances.values())).hexdigest()
        # No folder holds this set: its pictures lie in the tables.
        return InstanceSet(Path(), identity, Instances.of(self.instances()))

    def runs(self) -> tuple[ReleasedRun, ...]:
        """Return the runs read back, without pictures; faulty records may be missing."""
        instances = self._instance_set()
        return tuple(
            ReleasedRun(
                Path(run_id),
                run,
                instances,
                tuple(episode for key, episode in self._episodes.items() if key[0] == run_id),
                tuple(self._scores[run_id].values()),
                self._judges,
                self._costs[run_id],
                self._provenances.get(run_id),
            )
            for run_id, run in self._runs.items()
        )

    def _check_board(self, where: str) -> None:
        try:
            results = self.results = Results.from_runs(self.runs())
        except InputError as error:
            return self._findings.add(where, f"cannot be recomputed: {error.problem}")
        # What is left in the end is a row that the records do not make.
        published = dict(self._board)
        for wanted in leaderboard_rows(results):
            key = _board_key(wanted)
            if key in published:
                self._compare(published[key][0], published.pop(key)[1], wanted, "recomputed:")
            else:
                self._findings.add(where, f"no row for {' / '.join(map(str, key))}")
        for at, row in published.values():
            self._findings.add(at, f"no such row when recomputed: {' / '.join(map(str, _board_key(row)))}")
        return None

    def _refer(self, where: str, row: Row) -> Instance | None:
        """Check that the run and the instance of a row exist, and that the row repeats their fields."""
        run = self._runs.get(str(row["run_id"]))
        if run is None:
            self._findings.add(where, f"unknown run {row['run_id']}")
        else:
            pair = run.submission
            names: Row = {"submission": run.slug, **{seat: player.label for seat, player in pair.players.items()}}
            names |= {"rules": Rules.of(run).key} | OF_GAME
            # Some tables do not repeat the players, so only names that the row has are compared.
            self._compare(where, row, {name: names[name] for name in names if name in row}, "its run says")
        instance = self._instances.get(str(row["instance_id"]))
        if instance is None:
            self._findings.add(where, f"unknown instance {row['instance_id']}")
        else:
            known = {"category": instance.category, "difficulty": instance.difficulty}
            self._compare(where, row, known, "its instance says")
        return instance

    def _compare(self, where: str, row: Row, wanted: Mapping[str, object], source: str) -> None:
        for name, value in wanted.items():
            if name in row and not same_value(row[name], value):
                self._findings.add(where, f"{name} is {short_value(row[name])}, {source} {short_value(value)}")

    def _record(self, where: str, read: Callable[[], R]) -> R | None:
        try:
            return read()
        except ValidationError as error:
            self._findings.add(where, describe_validation_error(error))
            return None


def _key(row: Row) -> EpisodeKey:
    return str(row["run_id"]), str(row["episode_id"])


def _board_key(row: Row) -> tuple[object, ...]:
    return row["run_id"], row["category"], row["difficulty"], row["judge"]
