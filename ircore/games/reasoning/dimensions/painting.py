"""*Painting*: a region that is only described is to be painted pure green."""

import random
from collections.abc import Mapping
from typing import Any

import numpy as np

from ircore.core.images import Picture
from ircore.games.reasoning.dimensions.base import Dimension, Task, Verdict
from ircore.games.reasoning.puzzles.descriptions import describe
from ircore.games.reasoning.puzzles.painting_scenes import SCENES
from ircore.games.reasoning.verifiers.green_paint import at_512, green, paint_iou, paint_iou_corrected

RIGHT = 0.5
"""Least IoU with which the region counts as found (Everingham et al. 2010, PASCAL VOC)."""


class Painting(Dimension):
    """Bars, slices, shapes and things of a landscape, described in one step (easy) or two (hard).

    >>> task = Painting().build("easy", random.Random(1))
    >>> Painting().verify(task.payload, task.pictures, task.pictures["truth"]).corrected
    1.0
    """

    name = "painting"
    part = "edit"
    title = "Painting"

    def build(self, difficulty: str, rng: random.Random) -> Task:
        """Return a scene of our own with a description that fits a single region."""
        scene = SCENES[rng.choice(list(SCENES))](rng)
        description, region = describe(scene, difficulty == "hard", rng)
        prompt = (
            f"In this picture, paint {description} pure green (#00ff00): all of it, and nothing else. "
            "Everything else stays as it is."
        )
        # Pictures of an instance are RGB, so the mask is stored in three equal channels.
        mask = np.repeat(scene.mask_of(region)[:, :, None], 3, axis=2).astype(np.uint8) * np.uint8(255)
        pictures = {
            "input": Picture.from_pixels(scene.drawing.pixels),
            "truth": Picture.from_pixels(scene.painted(region)),
            "mask": Picture.from_pixels(mask),
        }
        return Task(prompt, {"description": description, "region": region.name}, pictures)

    def verify(self, payload: Mapping[str, Any], pictures: Mapping[str, Picture], answer: Picture) -> Verdict:  # noqa: ARG002 - the mask says all
        """Return the IoU of the green area of the answer and the region's mask."""
        mask, before = pictures["mask"].pixels[..., 0], pictures["input"].pixels
        corrected = paint_iou_corrected(answer.pixels, mask, before)
        return Verdict(
            paint_iou(answer.pixels, mask, before),
            corrected,
            corrected >= RIGHT,
            _reasons(answer, pictures, corrected),
        )


def _reasons(answer: Picture, pictures: Mapping[str, Picture], iou: float) -> tuple[str, ...]:
    """Return in words how much of the region is painted, and how much beside it."""
    painted = green(answer.pixels, pictures["input"].pixels)
    if not painted.any():
        return ("nothing is painted green",)
    region = at_512(pictures["mask"].pixels[..., 0])
    inside = int((painted & region).sum())
    return (
        f"{inside / max(1, int(region.sum())):.0%} of the region is painted",
        f"{1 - inside / int(painted.sum()):.0%} of the paint lies outside of it",
        f"IoU {iou:.2f}",
    )
