"""Which renderings people are asked about, and which choices."""

import json
from collections import Counter
from pathlib import Path

import pytest
from samples import COLOURS, CentreDescriber, sample_instances, sample_run, sample_submission
from site_samples import rate_turns

from ircore.commands.main import run as ircore
from ircore.core.errors import InputError
from ircore.instances.store import InstanceSet
from ircore.players.base import DescriberView, TextAnswer
from ircore.runs.folder import RunFolder
from ircore.scorers.annotation_tasks import Study, TaskPlan, choose_tasks

pytestmark = pytest.mark.slow


def kinds(study: Study) -> dict[tuple[str, int], int]:
    return dict(Counter((item.task, item.turn) for item in study.items))


class WanderingDescriber(CentreDescriber):
    """Is done on turn 4; on turn 3 it repeats the first message for hard targets, the second one for easy ones."""

    async def describe(self, view: DescriberView) -> TextAnswer:
        if view.turn < 3:
            return await super().describe(view)
        hard = view.messages[0].endswith((COLOURS[2], COLOURS[3]))
        return TextAnswer(
            "<DONE>" if view.turn == 4 else f"<DESCRIPTION>{view.messages[0 if hard else 1]}</DESCRIPTION>"
        )


def wandering_run(folder: Path, instances: InstanceSet) -> RunFolder:
    return sample_run(folder, instances, sample_submission("wandering", "Wandering"), describer=WanderingDescriber)


def test_first_and_final_renderings_then_choices(run: RunFolder) -> None:
    study = choose_tasks([run], TaskPlan())
    assert kinds(study) == {("similarity", 1): 4, ("similarity", 2): 4, ("preference", 2): 4}
    assert study.alike == 0


def test_every_turn_is_rated_if_asked(tmp_path: Path, instances: InstanceSet) -> None:
    study = choose_tasks([wandering_run(tmp_path / "run", instances)], TaskPlan(every_turn=True))
    assert kinds(study) == {("similarity", turn): 4 for turn in (1, 2, 3)} | {("preference", 3): 2}


def test_nobody_chooses_between_two_that_are_the_same(tmp_path: Path, instances: InstanceSet) -> None:
    """The two hard targets end as they began."""
    run = wandering_run(tmp_path / "run", instances)
    study = choose_tasks([run], TaskPlan())
    asked = {item.episode_id for item in study.items if item.task == "preference"}
    assert (asked, study.alike) == ({"geometry-easy-01", "simple_shapes-easy-01"}, 2)
    for seed in range(6):
        study = choose_tasks([run], TaskPlan(items=5, seed=seed))
        drawn = {item.episode_id for item in study.items}
        assert study.alike == sum("-hard-" in name for name in drawn)


def test_a_picture_of_two_turns_is_drawn_once_as_that_of_the_first(tmp_path: Path, instances: InstanceSet) -> None:
    run = rate_turns(wandering_run(tmp_path / "run", instances), 5.0)
    study = choose_tasks([run], TaskPlan(every_turn=True, by_score="structural"))
    assert kinds(study) == {("similarity", 1): 4, ("similarity", 2): 4}


def test_items_are_drawn_as_whole_targets_evenly(tmp_path: Path) -> None:
    """Eight targets of three items each, two in each of four conditions: 14 items are four targets, one of each."""
    run = sample_run(tmp_path / "run", sample_instances(tmp_path / "instances", per_condition=2))
    drawn = {seed: choose_tasks([run], TaskPlan(items=14, seed=seed)) for seed in range(6)}
    for study in drawn.values():
        by_target = Counter(item.episode_id for item in study.items)
        assert set(by_target.values()) == {3}
        assert len({name.rpartition("-")[0] for name in by_target}) == len(by_target) == 4
        assert len(study.pictures) == len(
            {sha for item in study.items for sha in (item.target, item.rendering, item.first) if sha}
        )
    assert choose_tasks([run], TaskPlan(items=14, seed=3)).items == drawn[3].items
    assert len({study.study_id for study in drawn.values()}) == 6
    assert len({frozenset(item.episode_id for item in study.items) for study in drawn.values()}) > 1
    with pytest.raises(InputError, match="--items 2 is too few: one target has 3 items") as error:
        choose_tasks([run], TaskPlan(items=2))
    assert error.value.remedy == "Allow more: --items 3"
    assert choose_tasks([run], TaskPlan(items=3)).items


def test_two_runs_need_twice_as_many_items(tmp_path: Path) -> None:
    instances = sample_instances(tmp_path / "instances")
    runs = [sample_run(tmp_path / slug, instances, sample_submission(slug)) for slug in ("one", "other")]
    with pytest.raises(InputError, match="one target has 6 items"):
        choose_tasks(runs, TaskPlan(items=5))
    assert len(choose_tasks(runs, TaskPlan(items=6)).items) == 6


def test_every_run_of_a_target_or_none(tmp_path: Path, instances: InstanceSet, run: RunFolder) -> None:
    other = sample_run(tmp_path / "other", instances, sample_submission("other", "Other"))
    study = choose_tasks([run, other], TaskPlan(items=8))
    assert Counter(item.run_id for item in study.items) == {run.run.run_id: 3, other.run.run_id: 3}
    with pytest.raises(InputError, match="the same run as"):
        choose_tasks([run, RunFolder(run.path)], TaskPlan())


def test_runs_of_different_sets_are_refused(tmp_path: Path, run: RunFolder) -> None:
    other = sample_run(tmp_path / "other", sample_instances(tmp_path / "more", per_condition=2))
    with pytest.raises(InputError, match="another instance set than") as caught:
        choose_tasks([run, other], TaskPlan())
    assert caught.value.remedy == "Make a page for each instance set."


def test_the_command_says_what_it_made(run: RunFolder, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    command = ["annotate", "build", str(run.path), "--out", str(tmp_path / "page"), "--annotators", "a1, a2"]
    assert ircore([*command, "--json"]) == 0
    told = json.loads(capsys.readouterr().out)
    assert (told["items"], told["similarity"], told["preference"], told["first_and_final_alike"]) == (12, 8, 4, 0)
    assert told["links"] == [f"{tmp_path / 'page' / 'index.html'}?annotator={name}" for name in ("a1", "a2")]
    assert ircore(command) == 2
    assert str(tmp_path / "page") in capsys.readouterr().err
