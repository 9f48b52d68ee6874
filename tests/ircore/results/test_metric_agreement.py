"""How metrics agree with raters: cases whose answer is known, and the table of a run."""

from collections.abc import Sequence
from dataclasses import replace

import pytest
from invented import InventedRun, invented_run, invented_set
from samples import rating_of

from ircore.core.episode_records import Episode, Rendering, Turn
from ircore.core.errors import InputError
from ircore.core.score_records import Score, Task
from ircore.results.episodes import EpisodeResult, judge_episodes
from ircore.results.metric_agreement import metric_agreements
from ircore.results.model import Results
from ircore.results.tables.metric_agreement import metric_agreement_table
from ircore.runs.folder import RunFolder
from ircore.scorers.scoring import ScoringPlan, score_runs


def episodes(metric: str, measured: Sequence[tuple[float, float]]) -> tuple[EpisodeResult, ...]:
    """Episodes of two renderings that the eye rates 2 and 8, preferring the final one, with these metric values."""
    played, scores = [], []
    for number, values in enumerate(measured):
        name = f"e{number}"
        renderings = [Rendering(sha256=f"{number}{turn}".ljust(64, "0"), width=9, height=9) for turn in (1, 2)]
        turns = [
            Turn(turn=turn, action="describe", message="…", rendering=rendering)
            for turn, rendering in enumerate(renderings, start=1)
        ]
        played.append(
            Episode(episode_id=name, instance_id=name, category="photos", difficulty="easy", outcome="turn_limit",
                    steps=(*turns,))
        )  # fmt: skip
        given: list[tuple[int, Task, str, float]] = [
            (1, "similarity", "eye", 2.0), (2, "similarity", "eye", 8.0), (2, "preference", "eye", 1.0),
            (1, "metric", metric, values[0]), (2, "metric", metric, values[1]),
        ]  # fmt: skip
        scores += [
            Score(
                episode_id=name, turn=turn, task=task, judge=judge, value=value, rendering=renderings[turn - 1].sha256
            )
            for turn, task, judge, value in given
        ]
    return judge_episodes("run", "slug", played, scores)


def test_a_metric_that_moves_with_the_rater_agrees_whatever_its_direction() -> None:
    for metric, measured in (("ssim", (0.1, 0.7)), ("brisque", (70.0, 10.0))):
        (agreement,) = metric_agreements({"run": episodes(metric, [measured] * 6)}, [metric], ["eye"])
        assert agreement.pearson.value == pytest.approx(1)
        assert agreement.spearman.value == pytest.approx(1)
        assert (agreement.preference.value, agreement.preference.n) == (1, 6)


def test_a_metric_that_prefers_the_first_rendering_disagrees() -> None:
    measured = [(0.1, 0.7)] * 3 + [(0.7, 0.1)] * 3 + [(0.4, 0.4)]  # the last one is a tie and counts for nothing
    (agreement,) = metric_agreements({"run": episodes("ssim", measured)}, ["ssim"], ["eye"])
    assert (agreement.preference.value, agreement.preference.n) == (0.5, 6)
    assert agreement.pearson.value == pytest.approx(0, abs=1e-12)


@pytest.mark.slow
def test_the_table_of_a_run_has_a_row_for_every_metric_and_judge(run: RunFolder) -> None:
    score_runs([run], ScoringPlan(metrics=("psnr", "ssim")))
    table = metric_agreement_table(Results.from_runs([run]))
    rows = [(table.entry(row, "metric").value, table.entry(row, "rater").value) for row in range(len(table.rows))]
    assert rows == [("psnr", "structural"), ("ssim", "structural")]
    assert float(table.entry(1, "pearson").value or 0) > 0.5  # the final rendering is exact by both
    assert table.entry(0, "pearson").n == 4  # an identical picture has no PSNR


def measured(run: InventedRun, *versions: str) -> InventedRun:
    """The same run with SSIM of every final rendering, computed in turn by these versions."""
    scores = [
        rating_of(episode, episode.rendered_turns[-1], 0.5, "ssim", "metric", version=versions[number % len(versions)])
        for number, episode in enumerate(run.played)
    ]
    return replace(run, given=(*run.given, *scores))


def test_values_of_two_versions_of_a_metric_are_not_mixed_within_a_run_or_between_runs() -> None:
    instances = invented_set(3)
    seer, poet = (invented_run(instances, name, "painter", 5.0, 0.0) for name in ("seer", "poet"))
    assert Results.from_runs([measured(seer, "1"), measured(poet, "1")]).metrics == ("ssim",)
    with pytest.raises(InputError, match=r"seer-painter: metric ssim was computed by two versions .*\(1; 2\)"):
        Results.from_runs([measured(seer, "1", "2")])
    with pytest.raises(InputError, match=r"poet-painter and seer-painter: metric ssim .*\(2; 1\)") as refused:
        Results.from_runs([measured(seer, "1"), measured(poet, "2")])
    assert "ircore score seer-painter --metric ssim" in str(refused.value.remedy)
