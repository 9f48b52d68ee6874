"""Measures of pictures, on pictures whose measures can be counted by hand."""

import numpy as np
import pytest
from photo_measures import measure_photo, saliency

from ircore.core.images import Pixels
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


def chequered(cells: int, side: int = 256) -> Pixels:
    rows, columns = np.indices((side, side)) * cells // side
    board = np.where((rows + columns) % 2, 255, 0).astype(np.uint8)
    return np.repeat(board[..., None], 3, axis=2)


@pytest.mark.parametrize(("cells", "segments"), [(1, 1), (4, 16), (8, 64)])
def test_each_field_of_a_chessboard_is_a_region(cells: int, segments: int) -> None:
    """Each touches its neighbours of the same colour at corners alone; each covers 1/64 of the picture or more."""
    assert measure_photo(chequered(cells)).segments == segments


def test_the_size_of_a_photograph_changes_nothing() -> None:
    assert measure_photo(chequered(4, 512)).segments == measure_photo(chequered(4, 128)).segments


def test_two_discs_on_an_even_ground_stand_out_and_the_ground_does_not() -> None:
    rows, columns = np.indices((256, 256))
    picture = np.full((256, 256, 3), 200, np.uint8)
    for row, column in ((64, 64), (192, 192)):
        picture[(rows - row) ** 2 + (columns - column) ** 2 < 24**2] = (200, 30, 30)
    measured = measure_photo(picture)
    assert (measured.segments, measured.salient_regions, measured.colours) == (3, 2, 2)


def test_saliency_is_the_distance_of_lab_colours_from_the_mean() -> None:
    """Half black and half white: the mean lightness is 50, both halves are 50 away (CIE Lab runs from 0 to 100)."""
    halves = np.zeros((64, 64, 3), np.int64)
    halves[:, 32:] = 255
    drawn = saliency(halves)
    assert drawn[32, 5] == pytest.approx(50, abs=0.1)
    assert drawn[32, 60] == pytest.approx(50, abs=0.1)
    assert measure_photo(halves.astype(np.uint8)).salient_regions == 0
