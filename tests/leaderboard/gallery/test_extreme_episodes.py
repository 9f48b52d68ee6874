"""Episodes that a filter of the gallery may bring to the top: of each target and way to end, the extremes alone."""

from typing import Any

from leaderboard.gallery.fragments import select_extreme_episodes

FIRST, LAST = ["first.webp", 64, 64, 1], ["last.webp", 64, 64, 2]


def ended(outcome: str, first: float | None, final: float | None) -> list[Any]:
    return [outcome, "improved", final, first, None, LAST, FIRST]


def test_of_episodes_that_ended_alike_the_extremes_alone_stay() -> None:
    outcomes = {
        "best": {"bars": ended("converged", 8.0, 9.0)}, "middle": {"bars": ended("converged", 4.0, 6.0)},
        "gained": {"bars": ended("converged", 1.0, 7.0)}, "lost": {"bars": ended("converged", 8.0, 5.0)},
        "worst": {"bars": ended("converged", 2.0, 3.0)}, "late": {"bars": ended("turn_limit", 4.0, 6.0)},
        "unrated": {"bars": ended("aborted", None, None)},
    }  # fmt: skip
    (episodes,) = select_extreme_episodes(outcomes).values()
    assert {episode[0] for episode in episodes} == {"best", "gained", "lost", "worst", "late"}
    assert ["late", *outcomes["late"]["bars"]] in episodes


def test_a_single_rendering_is_no_change() -> None:
    outcomes = {"once": {"bars": ["converged", "no_refinement", 7.0, 7.0, None, LAST, None]}}
    assert select_extreme_episodes(outcomes) == {"bars": [["once", *outcomes["once"]["bars"]]]}
