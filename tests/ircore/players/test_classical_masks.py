"""Masks and paths are treated as the well-known tools do it, only faster."""

import numpy as np
import pytest
from scipy import ndimage
from skimage.measure import approximate_polygon

from ircore.players.builtin.classical.corners import approximated
from ircore.players.builtin.classical.masks import filled, grown, shrunk, touched, uniform, without_rim

SQUARE = np.ones((3, 3), bool)


@pytest.fixture(params=range(6))
def mask(request: pytest.FixtureRequest) -> np.ndarray:
    rng = np.random.default_rng(request.param)
    high, wide = rng.integers(1, 40, 2)
    return np.asarray(ndimage.binary_dilation(rng.random((high, wide)) < 0.06, iterations=2))


def test_grown_and_shrunk_by_a_square(mask: np.ndarray) -> None:
    for reach in (1, 2, 3, 5):
        assert (grown(mask, reach) == ndimage.binary_dilation(mask, SQUARE, reach)).all()
        assert (shrunk(mask, reach) == ndimage.binary_erosion(mask, SQUARE, reach)).all()


def test_grown_and_shrunk_by_an_oblong(mask: np.ndarray) -> None:
    oblong = np.ones((5, 3), bool)
    assert (grown(mask, 2, 1) == ndimage.binary_dilation(mask, oblong)).all()
    assert (shrunk(mask, 2, 1) == ndimage.binary_erosion(mask, oblong)).all()


def test_the_four_sides_and_holes(mask: np.ndarray) -> None:
    assert (touched(mask) == ndimage.binary_dilation(mask)).all()
    assert (without_rim(mask) == ndimage.binary_erosion(mask)).all()
    assert (filled(mask) == ndimage.binary_fill_holes(mask)).all()


def test_uniform_squares(mask: np.ndarray) -> None:
    numbers = mask + 2 * np.roll(mask, 3)
    same = ndimage.minimum_filter(numbers, 3) == ndimage.maximum_filter(numbers, 3)
    assert (uniform(numbers) == same).all()


def test_a_path_keeps_the_corners_that_douglas_and_peucker_keep() -> None:
    rng = np.random.default_rng(3)
    for tolerance in (0.5, 1.5, 4.0):
        path = np.column_stack([np.arange(80.0), rng.normal(0, 2, 80).cumsum()])
        wanted = approximate_polygon(path, tolerance)  # type: ignore[no-untyped-call]
        assert (approximated(path, tolerance) == wanted).all()
    ring = np.array([(0, 0), (5, 0.2), (10, 0), (10, 10), (0, 10), (0, 0)], float)
    assert approximated(ring, 1).tolist() == [[0, 0], [10, 0], [10, 10], [0, 10], [0, 0]]
