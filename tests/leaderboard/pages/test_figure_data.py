"""Numbers from which figures are drawn again: they are those of the boards, worked out by hand."""

import json
from typing import Any

import pytest
from invented import scored_run

from leaderboard.model.site import Site
from leaderboard.pages.figures import build_figure_data_files

JUDGE = "structural"


@pytest.fixture(scope="module")
def files() -> dict[str, Any]:
    site = Site([scored_run([4, 6, 8], [2], [6, 7])])  # type: ignore[list-item]
    return {path.removeprefix("data/figures/"): json.loads(text) for path, text in build_figure_data_files(site)}


def record(figure: dict[str, Any], row: int = 0) -> dict[str, Any]:
    """A row of a figure's numbers by name."""
    return dict(zip(["key", *figure["head"]], figure["rows"][row], strict=True))


def test_a_file_for_each_choice_that_a_figure_allows(files: dict[str, Any]) -> None:
    """One judge leaves no judge to choose; one category can be chosen beside all."""
    both = ("scores", "deltas", "preferences", "convergence", "trajectories", "costs", "seconds")
    once = ("categories", "heat-maps", "corrections", "corrections-by-turn", "lengths", "novelty")
    named = {f"{kind}{category}.json" for kind in both for category in ("", "-on-geometry")}
    assert files.keys() == {"pairs.json", *named, *(f"{kind}.json" for kind in once)}
    (pair,) = files["pairs.json"]["pairs"]
    assert pair["names"] == ["seer", "painter"]
    assert files["pairs.json"]["categories"] == [["geometry", "Geometry"]]
    assert files["pairs.json"]["order"] == {JUDGE: [0]}
    assert files["categories.json"] == {"missing": "Fewer than two categories were rated."}


def test_numbers_are_means_over_episodes(files: dict[str, Any]) -> None:
    """Finals 8, 2 and 7; gains 4 and 1, the episode of one rendering has none; two improved, one did not refine."""
    for condition in ("", "-on-geometry"):
        score, delta, outcomes = (
            record(files[f"{kind}{condition}.json"]) for kind in ("scores", "deltas", "convergence")
        )
        assert (score[f"{JUDGE}_mean"], score[f"{JUDGE}_n"]) == (pytest.approx(17 / 3), 3)
        assert (delta["delta_mean"], delta["delta_n"]) == (2.5, 2)
        assert (outcomes["improved_mean"], outcomes["no_refinement_mean"]) == (
            pytest.approx(2 / 3),
            pytest.approx(1 / 3),
        )


def test_what_is_drawn_says_whose_it_is(files: dict[str, Any]) -> None:
    figure = files["deltas-on-geometry.json"]
    assert figure["pairs"] == figure["shown"] == ["seer-painter"]
    assert [trace["ids"] for trace in figure["data"]] == [["seer-painter"]]
    assert {note.get("name") for note in figure["layout"]["annotations"]} == {"seer-painter", None}
    # Two episodes are too few for a headline.
    assert figure["says"] == {}
    assert figure["title"].startswith("On geometry: ")
    assert figure["source"]["category"] == "geometry"


@pytest.mark.slow
def test_an_ended_episode_keeps_its_last_score_in_the_turns(files: dict[str, Any]) -> None:
    """After turn 1: (4 + 2 + 6) / 3; after 2: (6 + 2 + 7) / 3; after 3: (8 + 2 + 7) / 3; refined by 3, 2 and 1."""
    figure = files["trajectories.json"]
    points = [record(figure, row) for row in range(3)]
    assert [point["turn"] for point in points] == [1, 2, 3]
    assert [point["mean"] for point in points] == pytest.approx([4, 5, 17 / 3])
    assert [point["refining"] for point in points] == [3, 2, 1]
    assert figure["data"][-1]["y"] == [4, 5, 5.667]
