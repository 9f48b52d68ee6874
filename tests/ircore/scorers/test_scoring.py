"""Scoring runs: what is scored, once only, in one order, whatever happens meanwhile."""

import json
import shutil
import signal
import subprocess
import sys
import time
from collections import Counter
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from invented import invented_run, invented_set
from rated_games import Drawing, drawn_run, rendering
from samples import sample_instances, sample_run
from target_instances import target_instance

from ircore.commands.main import run as ircore
from ircore.core.episode_records import Rendering
from ircore.core.errors import InputError, WorkError
from ircore.core.images import Picture
from ircore.core.records import Instance, Scene
from ircore.games.base import Ending, RatedPicture
from ircore.games.reconstruction.game import ReconstructionGame
from ircore.games.reconstruction.records import list_turns
from ircore.instances.targets.categories import draw_target
from ircore.results.model import Results
from ircore.runs.folder import SCORES, RunFolder
from ircore.scorers.game_measures import EpisodeInstruments
from ircore.scorers.rated_episodes import Original, RatedEpisode, iterate_rated_episodes
from ircore.scorers.scoring import (
    JUDGES,
    METRICS,
    ScoreCount,
    ScoringPlan,
    _count_left_out,
    _Work,
    list_wanted_scores,
    score_runs,
    select_applicable_judges,
)
from ircore.scorers.verification.judge import VerifiedJudge

QUICK = ScoringPlan(metrics=("psnr",))


def episode(renderings: str) -> RatedEpisode:
    drawings = {
        turn: Rendering(sha256=letter * 64, width=9, height=9) for turn, letter in enumerate(renderings, start=1)
    }
    target = Original("one", "target", sha256="0" * 64)
    return RatedEpisode("one", "one", "photos", "easy", dict.fromkeys(drawings, target), drawings)


@pytest.mark.slow
def test_first_and_final_rendering_are_wanted_and_the_preference() -> None:
    wanted = [
        (each.turn, each.task, each.judge, each.rendering[0]) for each in list_wanted_scores(episode("abc"), QUICK)
    ]
    assert wanted == [
        (1, "similarity", "structural", "a"),
        (1, "metric", "psnr", "a"),
        (3, "similarity", "structural", "c"),
        (3, "metric", "psnr", "c"),
        (3, "preference", "structural", "c"),
    ]


@pytest.mark.slow
def test_every_turn_and_single_renderings() -> None:
    every = ScoringPlan(metrics=(), every_turn=True)
    wanted = [(score.turn, score.task) for score in list_wanted_scores(episode("abc"), every)]
    assert wanted == [(1, "similarity"), (2, "similarity"), (3, "similarity"), (3, "preference")]
    assert [(score.turn, score.task) for score in list_wanted_scores(episode("a"), every)] == [(1, "similarity")]


@pytest.mark.slow
def test_verified_is_asked_by_default_wherever_a_set_has_scenes() -> None:
    photograph, chart, unknown = (
        an_instance("photos"),
        an_instance("bar_graph", Scene(width=9, height=9, elements=())),
        an_instance("bar_graph"),
    )
    assert select_applicable_judges(JUDGES, [photograph, chart]) == ("structural", "verified")
    assert select_applicable_judges(JUDGES, [photograph]) == ("structural",)
    assert select_applicable_judges(JUDGES, [photograph, unknown]) == ("structural",)
    # Of a set with scenes, a chart without one is asked about in vain: it is missing, not inapplicable.
    asked = list_wanted_scores(replace(episode("a"), category="bar_graph"), ScoringPlan(metrics=()))
    assert [wanted.judge for wanted in asked] == ["structural", "verified"]


@pytest.mark.slow
def test_verified_is_asked_of_scenes_in_another_game_whatever_its_categories_are_called() -> None:
    scene = Scene(width=9, height=9, elements=())
    instances = [an_instance("mosaic", scene)]
    drawn = RatedEpisode("one", "one", "mosaic", "easy", {1: Original("one", "target", "0" * 64, scene)}, {})
    assert select_applicable_judges(JUDGES, instances, [drawn]) == ("structural", "verified")
    unknown = replace(drawn, originals={1: Original("one", "target", "0" * 64)})
    assert select_applicable_judges(JUDGES, instances, [unknown]) == ("structural",)


def an_instance(category: str, scene: Scene | None = None) -> Instance:
    return target_instance("one", scene=scene, category=category)


@pytest.mark.slow
def test_a_run_is_scored_with_all_metrics(run: RunFolder) -> None:
    summary = score_runs([run], ScoringPlan())
    # 4 episodes of 2 renderings: 1 judge and 5 metrics each, and one preference; the second rendering is exact.
    assert (summary.episodes, summary.new, summary.kept, summary.unavailable) == (4, 4 * (2 * 6 + 1), 0, 4)
    counts = Counter((score.task, score.by) for score in run.scores())
    assert counts == {
        ("similarity", "structural"): 8,
        ("preference", "structural"): 4,
        **{("metric", metric): 8 for metric in METRICS},
    }
    infinite = [score for score in run.scores() if score.value is None]
    assert {(score.by, score.step, score.reason) for score in infinite} == {("psnr", 2, "identical pictures: infinite")}
    results = Results.from_runs([run])
    (pair,) = results.submissions
    cell = results.cell(pair.run_id, "structural")
    assert (cell.score.mean, cell.preference.mean, cell.convergence["improved"]) == (10, 1, 4)
    assert cell.delta.mean is not None
    assert cell.delta.mean > 0


@pytest.mark.slow
def test_nothing_is_scored_twice(run: RunFolder) -> None:
    first = score_runs([run], QUICK)
    again = score_runs([run], QUICK)
    assert (again.new, again.kept) == (0, first.new)
    more = score_runs([run], ScoringPlan(metrics=("psnr", "ssim")))
    assert (more.new, more.kept) == (8, first.new)


@pytest.mark.slow
def test_values_of_an_older_version_of_a_metric_are_computed_again(run: RunFolder) -> None:
    first = score_runs([run], QUICK)
    path = run.path / SCORES
    path.write_text(path.read_text("utf-8").replace(',"version":"1"', ""), "utf-8")
    again = score_runs([run], QUICK)
    assert (again.new, again.kept) == (8, first.new - 8)
    assert score_runs([run], QUICK).new == 0


@pytest.mark.slow
def test_aborted_episodes_are_not_scored(tmp_path: Path) -> None:
    run = sample_run(tmp_path / "run", sample_instances(tmp_path / "set", 3))
    aborted = {episode.episode_id for episode in run.episodes() if not episode.played}
    assert len(aborted) == 2
    assert score_runs([run], QUICK).episodes == 10
    assert aborted.isdisjoint(score.episode_id for score in run.scores())


@pytest.mark.slow
def test_the_file_does_not_depend_on_the_number_of_processes(tmp_path: Path, run: RunFolder) -> None:
    twin = RunFolder(shutil.copytree(run.path, tmp_path / "twin"))
    score_runs([run], QUICK, workers=1)
    score_runs([twin], QUICK, workers=3)
    assert (run.path / SCORES).read_bytes() == (twin.path / SCORES).read_bytes()


@pytest.mark.slow
def test_a_line_cut_off_by_a_crash_is_scored_again(run: RunFolder) -> None:
    score_runs([run], QUICK)
    whole = (run.path / SCORES).read_bytes()
    (run.path / SCORES).write_bytes(whole[:-30])
    assert score_runs([run], QUICK).new == 1
    assert (run.path / SCORES).read_bytes() == whole


@pytest.mark.slow
def test_ctrl_c_keeps_what_is_done(tmp_path: Path) -> None:
    run = sample_run(tmp_path / "run", sample_instances(tmp_path / "set", 3))
    twin = RunFolder(shutil.copytree(run.path, tmp_path / "twin"))
    command = [sys.executable, "-m", "ircore", "score", str(run.path)]
    process = subprocess.Popen(command, stderr=subprocess.PIPE, text=True)
    while not run.scores() and process.poll() is None:
        time.sleep(0.01)
    process.send_signal(signal.SIGINT)
    _, errors = process.communicate(timeout=300)
    kept = len(run.scores())
    score_runs([run], ScoringPlan())
    score_runs([twin], ScoringPlan())
    if process.returncode == 130:
        assert kept > 0
        assert "Traceback" not in errors
    else:  # it was done, or about to exit, before the signal came
        assert process.returncode in (0, -signal.SIGINT)
        assert kept == len(twin.scores())
    assert (run.path / SCORES).read_bytes() == (twin.path / SCORES).read_bytes()


@pytest.mark.slow
def test_scores_that_cannot_be_written_are_an_error_of_the_work(run: RunFolder) -> None:
    (run.path / SCORES).mkdir()
    with pytest.raises(WorkError, match="cannot be written"):
        score_runs([run], QUICK)


@pytest.mark.slow
def test_a_run_that_is_being_worked_on_is_left_alone(run: RunFolder) -> None:
    with run.lock(), pytest.raises(InputError, match="another process is working on this run"):
        score_runs([RunFolder(run.path)], QUICK)


@pytest.mark.slow
def test_command_says_what_it_did(run: RunFolder, capsys: pytest.CaptureFixture[str]) -> None:
    assert ircore(["score", str(run.path), "--metric", "psnr"]) == 0
    total, *lines, legend = capsys.readouterr().out.splitlines()
    assert total.startswith("4 played episodes of 1 run: 20 scores, 20 new and 0 kept; 4 without a value (")
    assert lines == [
        "  structural: 12 scores (8 renderings, 4 preferences), 12 new and 0 kept",
        "  verified: 0 scores, 0 new and 0 kept; 4 episodes of pictures that it does not rate",
        "  psnr: 8 scores, 8 new and 0 kept; 4 without a value: identical pictures (4)",
    ]
    assert legend.startswith("Scored: the first and the final rendering of each episode; a preference is between")
    assert ircore(["score", str(run.path), str(run.path), "--metric", "psnr", "--json"]) == 0
    document = json.loads(capsys.readouterr().out)
    assert (document["runs"], document["new"], document["kept"]) == (1, 0, 20)


SCENE = Scene(width=8, height=8, elements=())


class Naming(Drawing):
    """Names the pictures that a test gives."""

    def __init__(self, *pictures: Any) -> None:
        self.pictures = pictures

    def list_rated_pictures(self, payload: Any, ending: Ending) -> Iterator[RatedPicture]:
        return iter(self.pictures)


def rated_episode(*pictures: Any) -> RatedEpisode:
    run = drawn_run(steps=3)
    (rated,) = iterate_rated_episodes(Naming(*pictures), run.instances, run.episodes())
    return rated


def test_each_rendering_has_its_original_beside_it() -> None:
    rated = rated_episode(RatedPicture(1, "target", rendering(1)), RatedPicture(3, "target", rendering(3), SCENE))
    assert [*rated.renderings.items()] == [(1, rendering(1)), (3, rendering(3))]
    assert {original.sha256 for original in rated.originals.values()} == {"f" * 64}
    assert [original.scene for original in rated.originals.values()] == [None, SCENE]
    assert rated.compared == (1, 3)


def test_turns_that_were_left_out_keep_the_numbers_of_the_others() -> None:
    """As in tests of judges, where a turn stands for a way of editing that not every target allows."""
    instances = invented_set(1, ("geometry",))
    run = invented_run(instances, "seer", "painter", 6, 0)
    (played, *_) = run.played
    turns = [turn.model_copy(update={"turn": number}) for turn, number in zip(list_turns(played), (1, 4), strict=False)]
    (rated,) = iterate_rated_episodes(ReconstructionGame(), instances, [played.with_steps(turns)])
    assert [*rated.renderings] == [1, 4]


def test_an_episode_without_a_picture_is_none_that_a_judge_does_not_rate() -> None:
    """Such as by rules that leave the seat of the one who draws empty."""
    counts: dict[str, ScoreCount] = {}
    drawn, without = rated_episode(RatedPicture(1, "target", rendering(1))), rated_episode()
    _count_left_out(counts, ["verified"], [_Work(Path("nowhere"), episode, ()) for episode in (drawn, without)])
    assert counts["verified"].text() == (
        "0 scores, 0 new and 0 kept; 1 episode of pictures that it does not rate; 1 episode without a picture"
    )


def test_one_picture_cannot_be_compared_with_another() -> None:
    assert rated_episode(RatedPicture(2, "target", rendering(2))).compared is None
    assert rated_episode().compared is None


@pytest.mark.parametrize(
    ("pictures", "problem"),
    [
        (
            [RatedPicture(2, "target", rendering(2)), RatedPicture(1, "target", rendering(1))],
            "rated pictures are of the steps [2, 1], not one a step in their order",
        ),
        ([RatedPicture(1, "target", rendering(1))] * 2, "rated pictures are of the steps [1, 1]"),
        ([RatedPicture(1, "target", rendering(2))], "step 1: the rated picture is none of the step's"),
        ([RatedPicture(9, "target", rendering(1))], "step 9: the rated picture is none of the step's"),
        ([RatedPicture(1, "scene", rendering(1))], "step 1: the instance has no picture 'scene'; it has target"),
        ([17], "broke with TypeError"),
    ],
)
def test_pictures_that_cannot_be_rated_are_the_games_fault(pictures: list[Any], problem: str) -> None:
    with pytest.raises(WorkError) as told:
        rated_episode(*pictures)
    assert told.value.problem.startswith("one: the game guessing")
    assert problem in told.value.problem


def test_a_step_of_another_version_of_the_game_is_told() -> None:
    run = drawn_run()
    (played,) = run.episodes()
    other = played.model_copy(update={"steps": ({"painting": 1},)})
    with pytest.raises(InputError, match="a step does not fit the game"):
        list(iterate_rated_episodes(Drawing(), run.instances, [other]))


DRAWN = draw_target("simple_shapes", "easy", seed=5)
TARGET = Picture.from_pixels(DRAWN.drawing.pixels)
BLANK = Picture.from_pixels(np.full_like(TARGET.pixels, 255))


@pytest.fixture
def instruments() -> EpisodeInstruments:
    return EpisodeInstruments({"target": TARGET}, lambda rendering: BLANK)


@pytest.mark.slow
def test_a_perfect_drawing_has_the_best_values(instruments: EpisodeInstruments) -> None:
    target = instruments.picture("target")
    for name in ("ssim", "uqi", "ep_precision", "ep_recall", "ep_f1", "iou_common", "iou_precision", "iou_recall"):
        assert instruments.metric(name, target, TARGET, DRAWN.scene) == (1.0, None), name
    assert instruments.judge("verified", target, TARGET, DRAWN.scene).value == 10


@pytest.mark.slow
def test_an_empty_drawing_shows_no_element(instruments: EpisodeInstruments) -> None:
    assert instruments.metric("ep_recall", TARGET, BLANK, DRAWN.scene).value == 0
    assert instruments.metric("ep_f1", TARGET, BLANK, DRAWN.scene).value == 0
    missing = instruments.metric("ep_precision", TARGET, BLANK, DRAWN.scene)
    assert missing.value is None
    assert missing.reason
    rated = VerifiedJudge(DRAWN.scene).rate(TARGET, BLANK)
    assert instruments.judge("verified", TARGET, BLANK, DRAWN.scene) == (rated.value, rated.reason)


def test_what_cannot_be_measured_has_a_reason(instruments: EpisodeInstruments, monkeypatch: pytest.MonkeyPatch) -> None:
    for variable in ("IRCORE_CLIP_MODEL", "IRCORE_DETR_MODEL", "IRCORE_LIPSIM_CHECKPOINT"):
        monkeypatch.delenv(variable, raising=False)
    for name in ("clip", "ep_f1"):  # without a scene, elements are a detector's
        value, reason = instruments.metric(name, TARGET, BLANK)
        assert value is None
        assert reason
    assert instruments.judge("lipsim", TARGET, BLANK).value is None
    assert instruments.metric("psnr", TARGET, TARGET).reason  # identical pictures have no finite PSNR


def test_a_picture_that_the_instance_lacks_is_named_with_those_it_has(instruments: EpisodeInstruments) -> None:
    with pytest.raises(LookupError, match="the instance has no picture 'original'; it has target"):
        instruments.picture("original")
