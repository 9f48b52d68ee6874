"""Measures of pictures, on pictures whose measures can be counted by hand."""

import numpy as np

from ircore.core.records import Box, Element, Scene
from ircore.instances.measures import measure, near_duplicates, perceptual_hash


def squares(side: int = 100) -> np.ndarray:
    pixels = np.full((side, side, 3), 255, dtype=np.uint8)
    pixels[side // 4 : side // 2, side // 4 : side // 2] = (255, 0, 0)
    return pixels


def test_a_red_square_on_white_has_two_colours_and_its_rim_as_edges() -> None:
    """25 pixels left, 25 inside at the right, and likewise above and below; one corner counts once."""
    label = Element(type="label", text="square", box=Box(0, 0, 1, 1))
    scene = Scene(width=100, height=100, background="#ffffff", elements=(label, label))
    measures = measure(squares(), scene)
    assert measures.colours == 2
    assert measures.elements == 2
    assert measures.text_density == 12  # twice six letters in 100 × 100 pixels
    assert measures.edge_density == (4 * 25 - 1) / 10_000


def test_without_a_scene_elements_and_text_are_unknown() -> None:
    measures = measure(squares(), None)
    assert (measures.elements, measures.text_density) == (None, None)


def test_the_same_picture_in_another_size_is_a_near_duplicate_and_its_mirror_image_is_not() -> None:
    hashes = {"small": perceptual_hash(squares(72)), "large": perceptual_hash(squares(144))}
    assert near_duplicates(hashes) == [("small", "large")]
    ramp = np.tile(np.linspace(0, 255, 90).astype(np.uint8), (90, 1))[..., None].repeat(3, axis=2)
    sides = {"ramp": perceptual_hash(ramp), "mirrored": perceptual_hash(ramp[:, ::-1])}
    assert sides == {"ramp": 2**64 - 1, "mirrored": 0}
    assert near_duplicates(sides) == []
