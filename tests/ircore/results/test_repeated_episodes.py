"""Results of runs with several episodes of an instance: each instance counts once, whatever the number of episodes."""

from pathlib import Path

import numpy as np
import pytest
from samples import sample_instances, sample_run

from ircore.core.episode_records import Episode, Rendering, repeat_id
from ircore.core.records import Instance
from ircore.core.score_records import Score
from ircore.games.reconstruction.records import Turn, list_turns
from ircore.games.registry import load_game
from ircore.results.arrays import arrange_values
from ircore.results.cells import Tally
from ircore.results.episodes import EpisodeResult, average_final_scores, judge_episodes
from ircore.results.judge_ratings import PENDING, RATED, UNFINISHED, UNPLAYED, judge_ratings

GAME = load_game("reconstruction")

SHA256 = "0" * 64


def results(instance: Instance, finals: list[float | None], unrated: int = 0) -> tuple[EpisodeResult, ...]:
    """Return episodes of one rendering with these ratings; None stands for one that the pair aborted."""
    episodes, scores = [], []
    for repeat, final in enumerate([*finals, *[0.0] * unrated], start=1):
        name = repeat_id(instance.instance_id, repeat)
        outcome = "aborted" if final is None else "turn_limit"
        turn = Turn(turn=1, action="describe", rendering=Rendering(sha256=SHA256, width=8, height=8))
        episodes.append(
            Episode(
                episode_id=name, instance_id=instance.instance_id, category=instance.category,
                difficulty=instance.difficulty, outcome=outcome,
                abort_reason="describer_format" if final is None else None, steps=(turn,),
            )
        )  # fmt: skip
        if final is not None and repeat <= len(finals):
            scores.append(Score(episode_id=name, step=1, measure="similarity", by="eye", value=final, rendering=SHA256))
    return judge_episodes(GAME, "run", "pair", episodes, scores)


@pytest.fixture
def instances(tmp_path: Path) -> list[Instance]:
    return list(sample_instances(tmp_path / "set").instances)


def test_the_main_score_is_the_mean_over_instances_of_their_own_means(instances: list[Instance]) -> None:
    # 8 and 4 of two episodes, 0 (aborted) and 6, 9 of one, 2 three times.
    every = [
        *results(instances[0], [8.0, 4.0]),
        *results(instances[1], [None, 6.0]),
        *results(instances[2], [9.0]),
        *results(instances[3], [2.0, 2.0, 2.0]),
    ]
    ratings = judge_ratings(instances, {"run": every}, "eye")
    least, most = ratings.main
    assert least[:, 0].tolist() == most[:, 0].tolist() == [60.0, 30.0, 90.0, 20.0]
    assert ratings.main_scores().tolist() == [50.0]
    assert ratings.final[:, 0].tolist() == [6.0, 6.0, 9.0, 2.0]
    assert average_final_scores(every, "eye") == dict(
        zip([i.instance_id for i in instances], [6.0, 6.0, 9.0, 2.0], strict=True)
    )


def test_an_unrated_episode_leaves_its_part_of_the_instance_open(instances: list[Instance]) -> None:
    ratings = judge_ratings(instances[:1], {"run": results(instances[0], [8.0], unrated=1)}, "eye")
    assert ratings.status.tolist() == [[PENDING]]
    assert [end.tolist() for end in ratings.quality] == [[[4.0]], [[9.0]]]
    assert [end.tolist() for end in ratings.main] == [[[40.0]], [[90.0]]]


def test_a_repeat_is_due_of_a_whole_condition_or_not_at_all(tmp_path: Path) -> None:
    first, second, *others = sample_instances(tmp_path / "two", per_condition=2).instances
    instances = [first, second, *others]
    once = [episode for other in others for episode in results(other, [5.0])]
    # The second target of the same condition lacks the repeat that the first one has.
    lacking = [*results(first, [8.0, 4.0]), *results(second, [6.0]), *once]
    assert judge_ratings(instances, {"run": lacking}, "eye").status[:, 0].tolist() == [RATED, UNFINISHED, *[RATED] * 6]
    whole = [*results(first, [8.0, 4.0]), *results(second, [6.0, 6.0]), *once]
    ratings = judge_ratings(instances, {"run": whole}, "eye")
    assert ratings.status[:, 0].tolist() == [RATED] * 8
    assert ratings.episodes(RATED).tolist() == [10]
    assert ratings.count(RATED).tolist() == [8]
    assert judge_ratings(instances, {"run": results(first, [None])}, "eye").status[0].tolist() == [UNPLAYED]


def test_amounts_are_means_over_the_episodes_of_an_instance(instances: list[Instance]) -> None:
    every = results(instances[0], [8.0, 4.0])
    values = {"geometry-easy-01": 1.0, "geometry-easy-01.r2": 3.0}
    amounts = arrange_values(instances, [every], lambda result: values[result.episode.episode_id])
    np.testing.assert_array_equal(amounts[:, 0], [2.0, np.nan, np.nan, np.nan])


def test_preferences_rest_on_instances_and_not_on_episodes(instances: list[Instance], tmp_path: Path) -> None:
    run = sample_run(tmp_path / "run", sample_instances(tmp_path / "again"))
    tally = Tally(outcome.name for outcome in GAME.outcomes)
    turns = list_turns(run.episodes()[0])
    for repeat in (1, 2, 3):
        name = repeat_id(instances[0].instance_id, repeat)
        episode = run.episodes()[0].model_copy(update={"episode_id": name})
        drawn = turns[1].rendering
        assert drawn is not None
        score = Score(episode_id=name, step=2, measure="preference", by="eye", value=1.0, rendering=drawn.sha256)
        (result,) = judge_episodes(GAME, "run", "pair", [episode], [score])
        tally.add(result, "eye")
    assert (tally.preference().mean, tally.preference().n) == (1.0, 1)
