"""Facts are kept beside the score of judge verified: small, complete, and never computed twice."""

from pathlib import Path

import pytest
from charts import BLUE, RED, bars, chart_instances, instance_of
from samples import sample_run

from ircore.core.images import Picture
from ircore.core.records import Scene
from ircore.runs.folder import RunFolder
from ircore.runs.rendering_facts import FACTS, read_facts
from ircore.scorers.scoring import ScoringPlan, score_runs
from ircore.scorers.verification.score import verify_picture
from ircore.scorers.verification.stored_verdicts import checked_facts, verdicts_of

PLAN = ScoringPlan(metrics=(), every_turn=True)


def pets(dogs: int) -> tuple[Scene, Picture]:
    drawn = bars({"Cats": 40, "Dogs": dogs, "Fish": 20}, [RED, BLUE, RED])
    instance, pictures = instance_of(drawn, "pets", "bar_graph")
    assert instance.scene is not None
    return instance.scene, pictures["target"]


@pytest.mark.slow
def test_what_is_kept_of_a_verification_gives_the_same_facts_back() -> None:
    (scene, target), (_, wrong) = pets(80), pets(40)
    verification = verify_picture(target, scene, wrong)
    stored = verdicts_of(verification)
    back = checked_facts(scene, stored)
    assert [(fact.fact.key, fact.verdict, fact.credit, fact.reason) for fact in back] == [
        (fact.fact.key, fact.verdict, fact.credit, fact.reason) for fact in verification.facts
    ]
    (dogs,) = [fact for fact in back if fact.verdict == "fails" and fact.fact.attribute == "value"]
    assert "Dogs" in dogs.fact.sentence  # half as high as it should be
    assert stored.parts["value"].decided - stored.parts["value"].held == 1
    assert len(stored.model_dump_json()) < 3000


def test_facts_of_another_version_are_not_read_as_those_of_this_one() -> None:
    scene, target = pets(80)
    stored = verdicts_of(verify_picture(target, scene, target)).model_copy(update={"version": "0"})
    assert checked_facts(scene, stored) == ()


@pytest.mark.slow
def test_facts_are_kept_once_for_each_rendering_and_never_computed_again(tmp_path: Path) -> None:
    run = sample_run(tmp_path / "run", chart_instances(tmp_path / "charts"))
    assert score_runs([run], PLAN, workers=1).counts["verified"].new > 0
    drawn = {
        (episode.episode_id, turn.rendering.sha256)
        for episode in run.episodes()
        if episode.played
        for turn in episode.turns
        if turn.rendering is not None
    }
    lines = [(line.episode_id, line.rendering) for line in read_facts(run)]
    assert sorted(lines) == sorted(drawn)
    before = (run.path / FACTS).read_bytes()
    assert score_runs([RunFolder.open(run.path)], PLAN, workers=1).new == 0
    assert (run.path / FACTS).read_bytes() == before


@pytest.mark.slow
def test_runs_scored_together_have_what_each_has_by_itself(tmp_path: Path) -> None:
    charts = chart_instances(tmp_path / "charts")
    runs = [sample_run(tmp_path / f"run-{number}", charts) for number in (1, 2)]
    alone = sample_run(tmp_path / "alone", charts)
    score_runs(runs, PLAN, workers=2)
    score_runs([alone], PLAN, workers=1)
    for run in runs:
        assert run.scores() == alone.scores()
        assert list(read_facts(run)) == list(read_facts(alone))
