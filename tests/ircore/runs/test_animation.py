"""``ircore show --animate``: an episode as a short animation."""

from pathlib import Path

import numpy as np
import pytest
from PIL import Image

from ircore.commands.main import run as ircore
from ircore.runs.folder import RunFolder


@pytest.mark.slow
@pytest.mark.parametrize("name", ["episode.png", "episode.webp"])
def test_an_episode_has_two_frames_a_turn(run: RunFolder, tmp_path: Path, name: str) -> None:
    episode = run.episodes()[0]
    words = ["show", str(run.path), "--episode", episode.episode_id, "--animate", str(tmp_path / name)]
    assert ircore(words) == 0
    with Image.open(tmp_path / name) as animation:
        assert getattr(animation, "n_frames", 1) == 2 * len(episode.rendered_turns)
        target = run.instances.picture(next(iter(run.instances.instances.named({episode.instance_id}))), "target")
        # The middle of the target at the left, fitted into 400 pixels, under a head of 50.
        shown = np.asarray(animation.convert("RGB"))[50 + 200, 20 + 200]
        wanted = target.pixels[target.height // 2, target.width // 2]
        assert np.abs(shown.astype(int) - wanted.astype(int)).max() < 24
