"""Pictures that judges and people rate, as games name them: sound ones are listed, faults are the game's."""

from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest
from invented import invented_run, invented_set
from rated_games import Drawing, drawn_run, rendering

from ircore.core.errors import InputError, WorkError
from ircore.core.images import Picture
from ircore.core.records import Scene
from ircore.games.base import Ending, RatedPicture
from ircore.games.reconstruction.game import ReconstructionGame
from ircore.games.reconstruction.records import list_turns
from ircore.instances.targets.categories import draw_target
from ircore.scorers.game_measures import EpisodeInstruments
from ircore.scorers.rated_episodes import RatedEpisode, iterate_rated_episodes
from ircore.scorers.verification.judge import VerifiedJudge

SCENE = Scene(width=8, height=8, elements=())


class Naming(Drawing):
    """Names the pictures that a test gives."""

    def __init__(self, *pictures: Any) -> None:
        self.pictures = pictures

    def rated(self, payload: Any, ending: Ending) -> Iterator[RatedPicture]:
        return iter(self.pictures)


def episode(*pictures: Any) -> RatedEpisode:
    run = drawn_run(steps=3)
    (rated,) = iterate_rated_episodes(Naming(*pictures), run.instances, run.episodes())
    return rated


def test_each_rendering_has_its_original_beside_it() -> None:
    rated = episode(RatedPicture(1, "target", rendering(1)), RatedPicture(3, "target", rendering(3), SCENE))
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


def test_one_picture_cannot_be_compared_with_another() -> None:
    assert episode(RatedPicture(2, "target", rendering(2))).compared is None
    assert episode().compared is None


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
        episode(*pictures)
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
