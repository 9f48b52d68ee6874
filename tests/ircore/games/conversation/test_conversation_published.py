"""Published figures of ConvGenVisMo, and the game's curves on the published values of 85 conversations."""

import json
import os
from pathlib import Path
from statistics import fmean
from typing import Any

import pytest

from ircore.games.base import Curve
from ircore.games.conversation.game import ConversationGame
from ircore.games.conversation.published import HOP_MEANS, TABLE_1
from ircore.results.game_curves import SteppedEpisode, curve_points

SHARED = Path(os.environ.get("IRCORE_SHARED_DATA", Path(__file__).resolve().parents[4].parent / "shared" / "data"))
VECTORS = SHARED / "metrics" / "hop_vectors.json"
SERIES: dict[str, Any] = json.loads(VECTORS.read_text())["metrics"] if VECTORS.is_file() else {}
KEYS = {"psnr": "psnr", "ssim": "ssim", "uqi": "uqi_sewar", "brisque": "brisque", "clip": "clip",
        "ep_f1": "ep_f1_published"}  # fmt: skip


@pytest.mark.skipif(not SERIES, reason="the published values are not beside the checkout")
@pytest.mark.parametrize("name", sorted(KEYS))
def test_the_curves_of_the_game_reproduce_the_published_means_to_six_decimals(name: str) -> None:
    measure = next(measure for measure in ConversationGame.measures if measure.key == KEYS[name])
    episodes = [
        SteppedEpisode("all", [{}] * len(values), {measure.key: dict(enumerate(values, 1))})
        for values in SERIES[name]["series"].values()
    ]
    hops = [episode.on_curve(measure, Curve(measure.key, axis="hop")) for episode in episodes]
    # The published means are over the conversations that are left at each hop.
    published = SERIES[name]["mean_by_hop_index"]
    left = [[hop[place] for hop in hops if place in hop] for place in range(1, len(published) + 1)]
    assert [fmean(values) for values in left] == pytest.approx(published, abs=1e-6)
    # Our curve is over the same conversations at each hop.
    points = curve_points(episodes, measure, Curve(measure.key, axis="hop"))
    longest = [hop for hop in hops if max(points) in hop]
    assert [point.mean for point in points.values()] == pytest.approx(
        [fmean(hop[place] for hop in longest) for place in points]
    )
    whole = curve_points(episodes, measure, Curve(measure.key, normalised=True))
    assert list(whole) == list(range(1, 21))
    assert [point.mean for point in whole.values()] == pytest.approx(SERIES[name]["mean_normalised_20"], abs=1e-6)


def test_published_figures_are_those_of_the_paper_and_its_repository() -> None:
    assert TABLE_1 == {"iou_common": 0.298925, "iou_precision": 0.223916, "iou_recall": 0.273368}
    assert all(len(means) == 5 for means in HOP_MEANS.values())
    clip = [figure.value for figure in ConversationGame.published if figure.measure == "clip"]
    assert clip == [0.652505, 0.692666, 0.689876, 0.705306, 0.689999]
    keys = {measure.key for measure in ConversationGame.measures}
    assert {figure.measure for figure in ConversationGame.published} <= keys


def test_the_normalised_axis_by_hand() -> None:
    measure = next(measure for measure in ConversationGame.measures if measure.key == "ep_f1")
    rising = SteppedEpisode("all", [{}] * 2, {"ep_f1": {1: 0.0, 2: 1.0}})
    one_hop = SteppedEpisode("all", [{}], {"ep_f1": {1: 0.5}})
    assert rising.on_curve(measure, Curve("ep_f1", normalised=True))[20] == 1
    assert rising.on_curve(measure, Curve("ep_f1", normalised=True))[2] == pytest.approx(1 / 19)
    assert set(one_hop.on_curve(measure, Curve("ep_f1", normalised=True)).values()) == {0.5}
