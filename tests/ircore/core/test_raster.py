"""Filling polygons: exact at whole pixels, and a pixel belongs to one of two neighbours, never to both or none."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from ircore.core import raster

places = st.integers(-30, 70).map(lambda quarter: quarter / 4)


def test_a_triangle_worked_by_hand() -> None:
    """Middles (x + ½, y + ½) above the diagonal from (0, 0) to (4, 4)."""
    inside = raster.filled([(0, 0), (4, 0), (4, 4)], 4, 4)
    assert inside.astype(int).tolist() == [[1, 1, 1, 1], [0, 1, 1, 1], [0, 0, 1, 1], [0, 0, 0, 1]]


def test_what_covers_itself_twice_is_outside_unless_filled_together() -> None:
    square, inner = [(0, 0), (6, 0), (6, 6), (0, 6)], [(2, 2), (4, 2), (4, 4), (2, 4)]
    twice = [*square, square[0], *inner, inner[0]]
    assert raster.filled(twice, 6, 6).sum() == 36 - 4
    assert raster.filled_together([square, inner[::-1]], 6, 6).sum() == 36


@pytest.mark.slow
@given(st.lists(st.tuples(places, places), min_size=4, max_size=4, unique=True))
def test_a_cut_shares_pixels_out(corners: list[tuple[float, float]]) -> None:
    """The two triangles of a four-sided figure, by the even-odd rule, are the figure."""
    a, b, c, d = corners
    whole = raster.filled([a, b, c, d], 12, 12)
    assert (raster.filled([a, b, c], 12, 12) ^ raster.filled([a, c, d], 12, 12) == whole).all()


def test_quarter_turns_move_pixels_only() -> None:
    mask = np.arange(6, dtype=np.uint8).reshape(2, 3)
    assert raster.turned(mask, 90).tolist() == [[2, 5], [1, 4], [0, 3]]
    assert raster.turned(mask, 180).tolist() == [[5, 4, 3], [2, 1, 0]]
    assert raster.turned(mask, 0).tolist() == mask.tolist()


def test_a_turned_mask_keeps_its_ink_and_its_direction() -> None:
    mask = np.zeros((40, 80), np.uint8)
    mask[18:22, 60:80] = 255
    by_45 = raster.turned(mask, 45)
    assert by_45.sum(dtype=int) == pytest.approx(mask.sum(dtype=int), rel=0.03)
    rows, columns = np.nonzero(by_45)
    assert rows.mean() < by_45.shape[0] / 2 < columns.mean()  # what was on the right is now at the upper right
