"""Numbers from which figures are drawn again: they are those of the boards, worked out by hand."""

import json
from dataclasses import replace
from typing import Any

import pytest
from invented import InventedRun, invented_run, invented_set

from ircore.games.reconstruction.records import turns_of
from leaderboard.model.site import Site
from leaderboard.pages.figure_data import figure_data_files

JUDGE = "structural"


def scored_run(*trajectories: list[float]) -> InventedRun:
    """A run of easy geometry whose episodes got these scores, turn by turn."""
    instances = invented_set(len(trajectories), ("geometry",))
    easy = instances.select(difficulties=["easy"])
    run = invented_run(replace(instances, instances=easy), "seer", "painter", 5, 0)
    episodes, scores = [], []
    for episode, values in zip(run.played, trajectories, strict=True):
        turn, score = turns_of(episode)[0], next(score for score in run.given if score.episode_id == episode.episode_id)
        turns = tuple(turn.model_copy(update={"turn": number}) for number in range(1, len(values) + 1))
        episodes.append(episode.with_steps(turns, outcome="converged", abort_reason=None))
        scores += [score.model_copy(update={"step": at, "value": value}) for at, value in enumerate(values, start=1)]
    return replace(run, played=tuple(episodes), given=tuple(scores))


@pytest.fixture(scope="module")
def files() -> dict[str, Any]:
    site = Site([scored_run([4, 6, 8], [2], [6, 7])])  # type: ignore[list-item]
    return {path.removeprefix("data/figures/"): json.loads(text) for path, text in figure_data_files(site)}


def test_a_file_for_pairs_and_words_and_two_for_each_judge(files: dict[str, Any]) -> None:
    assert files.keys() == {"pairs.json", f"cells-{JUDGE}.json", f"turns-{JUDGE}.json", "words.json"}
    (pair,) = files["pairs.json"]["pairs"]
    assert (pair["describer"], pair["generator"]) == ("seer", "painter")
    assert files["pairs.json"]["categories"] == [["geometry", "Geometry", "Geom."]]
    about = files["pairs.json"]["about"]
    assert about.keys() == {"judge", "category", "difficulty", "rules", "game", "benchmark", "instance_set", "ircore"}


def test_cells_are_means_over_episodes(files: dict[str, Any]) -> None:
    """Finals 8, 2 and 7; gains 4 and 1, the episode of one rendering has none; two improved, one did not refine."""
    for condition in ("", "geometry"):
        cells = files[f"cells-{JUDGE}.json"]["conditions"][condition]
        (score,), (delta,), (outcomes,) = cells["score"], cells["delta"], cells["outcomes"]
        assert (score[0], score[3]) == (pytest.approx(17 / 3), 3)
        assert (delta[0], delta[3]) == (2.5, 2)
        assert outcomes == [2, 0, 0, 1]
        # Three pictures are too few for a rank.
        assert cells["ranks"] == [None]
        assert score[1] < score[0] < score[2]


def test_an_ended_episode_keeps_its_last_score_in_the_turns(files: dict[str, Any]) -> None:
    """After turn 1: (4 + 2 + 6) / 3; after 2: (6 + 2 + 7) / 3; after 3: (8 + 2 + 7) / 3; refined by 3, 2 and 1."""
    (turns,) = files[f"turns-{JUDGE}.json"][""]
    assert [turn for turn, *_ in turns] == [1, 2, 3]
    assert [point[1] for point in turns] == pytest.approx([4, 5, 17 / 3])
    assert [point[-1] for point in turns] == [3, 2, 1]
