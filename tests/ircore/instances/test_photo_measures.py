"""Measures of photographs on drawn pictures whose regions can be counted by eye."""

import numpy as np
import pytest
from photo_measures import measure_photo, saliency

from ircore.core.images import Pixels


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
