"""Targets as they are drawn, and what the judge ``verified`` says of a picture made from one."""

from functools import cache

import numpy as np
from PIL import Image

from ircore.core.images import Picture
from ircore.instances.targets.base import Drawn
from ircore.instances.targets.categories import draw_target
from ircore.scorers.verification.score import Verification, verify_picture


@cache
def target(category: str, seed: int = 5) -> Drawn:
    return draw_target(category, "easy", seed)


def verified(drawn: Drawn, image: Image.Image, ocr: bool | None = None) -> Verification:
    own = Picture.from_pixels(drawn.drawing.pixels)
    return verify_picture(own, drawn.scene, Picture.from_pixels(np.asarray(image)), ocr=ocr)
