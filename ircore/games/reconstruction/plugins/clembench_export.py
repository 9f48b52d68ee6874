"""``ircore export clembench``: runs as clembench's folders, which ``clem transcribe`` and ``clem eval`` read.

Each pair has a folder of its own for each set of rules, so that several runs fit into one results folder.
"""

import json
import math
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from ircore.core.errors import InputError
from ircore.core.files import write_bytes, write_new_folder, write_text
from ircore.core.plugins import build_unknown_name_error
from ircore.core.records import Instance
from ircore.core.score_records import Score
from ircore.games.reconstruction.plugins.clembench import (
    ABORTED,
    COMPLETED,
    EXPERIMENT,
    GAME,
    INSTANCE,
    INTERACTIONS,
    LOSE,
    MAIN,
    OURS,
    PARSED,
    RATIO,
    REQUESTS,
    RUN,
    SCORES,
    SUCCESS,
    VIOLATED,
    Document,
    Played,
    ResultPlace,
    build_interactions,
    collect_answers,
    describe_player_models,
    format_model_names,
    format_target_name,
    list_places,
    pair_folder,
)
from ircore.games.reconstruction.records import Rules
from ircore.games.registry import load_game
from ircore.results.episodes import EpisodeResult, judge_episodes
from ircore.results.headline import VERIFIED
from ircore.runs.events import Call, Failure
from ircore.runs.folder import RunFolder

SCALE = 10.0
"""clembench's main score runs from 0 to 100, similarity from 0 to 10."""


@dataclass(frozen=True)
class _Exported:
    """Results folder that was written."""

    pair: Path
    """The pair's folder."""

    episodes: int
    """Episodes in it."""

    judge: str | None
    """Judge whose similarity is the main score; None without ratings and scores."""


def export_runs(runs: Sequence[RunFolder], out: Path, judge: str | None = None) -> tuple[_Exported, ...]:
    """Write runs as a results folder of clembench, which appears only when complete.

    Args:
        runs: At least one; each of another pair, or under other rules.
        out: The results folder to make; it must not exist or be empty.
        judge: Judge whose similarity is the main score; if None, ``verified`` if it rated, else the only judge.

    Returns:
        What was written of each run, in their order.

    Raises:
        InputError: Two runs would have one folder, a run has repeats, there is no such judge, several judges and
            none is named, or ``out`` holds something.
        WorkError: The place cannot be written.
    """
    _refuse_twins(runs)
    for run in runs:
        if run.run.repeats > 1:
            raise InputError(
                f"{run.path}: has {run.run.repeats} episodes of an instance, and clembench has room for one",
                "Export a run that was played without --repeats.",
            )
    results = [
        judge_episodes(load_game(run.game), run.run.run_id, run.run.slug, run.episodes(), run.scores()) for run in runs
    ]
    chosen = _select_judge(runs, results, judge)
    exported = []
    with write_new_folder(out) as folder:
        for run, episodes in zip(runs, results, strict=True):
            rated = chosen if any(chosen in episode.judged for episode in episodes) else None
            export = _Export(run, {episode.episode.episode_id: episode for episode in episodes}, rated)
            pair = pair_folder(run.run)
            _write_document(folder / pair / RUN, export.run_document())
            for instance in run.instances.instances:
                export.write_instance(folder, instance)
            exported.append(_Exported(out / pair, len(episodes), rated))
    return tuple(exported)


def _refuse_twins(runs: Sequence[RunFolder]) -> None:
    """Refuse two runs with the same folder in clembench: the second would overwrite the first."""
    folders: dict[str, RunFolder] = {}
    for run in runs:
        twin = folders.setdefault(pair_folder(run.run), run)
        if twin is not run:
            raise InputError(
                f"{twin.path} and {run.path}: the same two models under the same rules ({Rules.of(run.run).key})",
                "Export them one by one: --out another folder.",
            )


class _Export:
    def __init__(self, run: RunFolder, results: dict[str, EpisodeResult], judge: str | None) -> None:
        self._run, self._results, self._judge = run, results, judge
        self._places = list_places(run.run, run.instances.instances)
        self._asked: dict[str, list[Call | Failure]] = {}
        for event in run.events():
            if isinstance(event, Call | Failure):
                self._asked.setdefault(event.episode_id, []).append(event)
        self._scores: dict[str, list[Score]] = {}
        for score in run.scores():
            self._scores.setdefault(score.episode_id, []).append(score)

    def run_document(self) -> Document:
        run = self._run.run
        return {
            "clem_version": f"ircore {run.version}",
            "created": run.started,
            "player_models": describe_player_models(format_model_names(run)),
            "rules": Rules.of(run).key,
            "games": {GAME: {"benchmark_start": run.started, "num_instances": len(self._results)}},
            OURS: {
                "run": run.model_dump(mode="json", by_alias=True),
                "judges": [judge.model_dump(mode="json") for judge in self._run.judges().values()],
            },
        }

    def write_instance(self, folder: Path, instance: Instance) -> None:
        place = self._places[instance.instance_id]
        self._write_experiment(folder, place, instance)
        target = place.image(format_target_name(instance))
        write_bytes(folder / target, self._run.instances.picture_bytes(instance, "target"))
        _write_document(folder / place.folder / INSTANCE, _build_instance_document(place, instance, target))
        result = self._results.get(instance.instance_id)
        if result is None:
            return
        events = self._asked.get(instance.instance_id, [])
        played = Played(self._run.run, instance, result.episode, collect_answers(events), place)
        for rendering in result.episode.renderings.values():
            write_bytes(folder / place.image(f"{rendering.sha256}.png"), self._run.rendering(rendering).data)
        document = build_interactions(played)
        scores = [score.model_dump(mode="json") for score in self._scores.get(instance.instance_id, ())]
        # Failures too: clembench has no place for requests without an answer, and they come back with the import.
        recorded = [event.model_dump(mode="json") for event in events]
        ours = {"episode": result.episode.model_dump(mode="json"), "asked": recorded, "scores": scores}
        _write_document(folder / place.folder / INTERACTIONS, document | {OURS: ours})
        # A constant time, so that the same run gives the same bytes.
        _write_document(folder / place.folder / COMPLETED, {"timestamp": self._run.run.started})
        if self._judge is not None:
            _write_document(folder / place.folder / SCORES, _build_scores_document(document, result, self._judge))

    def _write_experiment(self, folder: Path, place: ResultPlace, instance: Instance) -> None:
        path = folder / place.pair / GAME / place.experiment / EXPERIMENT
        # All instances of an experiment have the same document.
        if path.is_file():
            return
        run = self._run.run
        document = {"name": place.experiment, "game_name": GAME, "timestamp": run.started}
        rules = {"rules": Rules.of(run).key, **run.rules}
        labels = {"category": instance.category, "difficulty": instance.difficulty, "prompts": run.prompts}
        _write_document(
            path, document | labels | rules | {"player_models": describe_player_models(format_model_names(run))}
        )


def _select_judge(
    runs: Sequence[RunFolder], results: Sequence[Sequence[EpisodeResult]], judge: str | None
) -> str | None:
    known = sorted({name for episodes in results for episode in episodes for name in episode.judged})
    if judge is not None and judge not in known:
        raise build_unknown_name_error("judge", judge, known, "--judge")
    if judge is None and VERIFIED in known:
        return VERIFIED
    if judge is None and len(known) > 1:
        which = "this run" if len(runs) == 1 else f"this run and {len(runs) - 1} more"
        raise InputError(f"{runs[0].path}: several judges rated {which}", f"Choose one: --judge {'|'.join(known)}")
    return judge or next(iter(known), None)


def _build_instance_document(place: ResultPlace, instance: Instance, target: str) -> Document:
    labels = {"instance_id": instance.instance_id, "category": instance.category, "difficulty": instance.difficulty}
    return {"game_id": place.game_id, **labels, "target_image": target, OURS: instance.model_dump(mode="json")}


def _build_scores_document(document: Document, result: EpisodeResult, judge: str) -> Document:
    """Return the content of ``scores.json``; clembench wants NaN as the main score of an aborted episode."""
    requests, violated = sum(document[REQUESTS]), sum(document[VIOLATED])
    judged = result.judged.get(judge)
    final = judged.final if judged is not None and result.episode.played else None
    episode = {
        ABORTED: document[ABORTED],
        LOSE: document[LOSE],
        SUCCESS: document[SUCCESS],
        REQUESTS: requests,
        PARSED: requests - violated,
        VIOLATED: violated,
        RATIO: (requests - violated) / requests if requests else 0.0,
        MAIN: math.nan if final is None else final * SCALE,
        **({} if final is None else _list_final_scores(result)),
    }
    shared_entries = {name: document[name] for name in ("meta", "player_models", "players")}
    return {**shared_entries, "round scores": _round_scores(document, result), "episode scores": episode}


def _list_final_scores(result: EpisodeResult) -> Document:
    return {f"Similarity {name}": judged.final for name, judged in result.judged.items() if judged.final is not None}


def _round_scores(document: Document, result: EpisodeResult) -> Document:
    rounds: dict[str, dict[str, Any]] = {}
    for index, (requests, violated) in enumerate(zip(document[REQUESTS], document[VIOLATED], strict=True)):
        rounds[str(index)] = {REQUESTS: requests, PARSED: requests - violated, VIOLATED: violated}
        for name, judged in result.judged.items():
            # Rounds count from 0, turns from 1.
            if (value := judged.trajectory.get(index + 1)) is not None:
                rounds[str(index)][f"Similarity {name}"] = value
    return rounds


def _write_document(path: Path, document: Document) -> None:
    write_text(path, json.dumps(document, indent=2, ensure_ascii=False) + "\n")
