"""PNG files of our own encoder: every decoder reads them, and drawn pictures come out small.

That their bytes are the same everywhere is seen where released sets are built again, in ``test_released_sets.py``.
"""

import io
import zlib

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from PIL import Image

from ircore.core import png
from ircore.submissions.rescoring.clean_png import read_clean_png


def decoded(data: bytes) -> png.Bytes:
    with Image.open(io.BytesIO(data)) as image:
        assert (image.format, image.mode) == ("PNG", "RGB")
        return np.asarray(image)


def noise(height: int, width: int, seed: int = 0) -> png.Bytes:
    return np.random.default_rng(seed).integers(0, 256, (height, width, 3), dtype=np.uint8)


def fade(height: int, width: int) -> png.Bytes:
    return np.repeat(np.linspace(0, 255, width).astype(np.uint8)[None, :, None], height, 0).repeat(3, 2)


@pytest.mark.slow
@given(st.integers(1, 40), st.integers(1, 40), st.integers(0, 2**32 - 1), st.sampled_from([1, 2, 256]))
def test_any_picture_comes_back(height: int, width: int, seed: int, values: int) -> None:
    pixels = np.random.default_rng(seed).integers(0, values, (height, width, 3), dtype=np.uint8)
    assert (decoded(png.encode(pixels)) == pixels).all()


@pytest.mark.parametrize("length", [*range(1, 9), 257, 258, 259, 260, 261, 262, 516, 517, 1000])
def test_runs_of_every_length_come_back(length: int) -> None:
    """Matches are 3 to 258 bytes long (RFC 1951, 3.2.5), so lengths around these and their multiples are special."""
    row = np.concatenate([noise(1, 3)[0], np.full((length, 3), 7, np.uint8), noise(1, 3, 1)[0]])
    assert (decoded(png.encode(row[None])) == row).all()


@pytest.mark.slow
def test_a_picture_of_several_blocks_comes_back() -> None:
    pixels = np.concatenate([noise(700, 900), fade(700, 900)])
    assert pixels.nbytes > 3 * 2**20
    assert (decoded(png.encode(pixels)) == pixels).all()


def test_the_predictor_is_that_of_the_standard() -> None:
    """Written out after the pseudocode in *Portable Network Graphics*, 9.4."""
    bytes_ = [*range(0, 256, 15), 1, 2, 127, 128, 254]
    left, above, corner = (side.reshape(-1) for side in np.meshgrid(*3 * [np.array(bytes_, np.uint8)]))

    def predictor(a: int, b: int, c: int) -> int:
        p = a + b - c
        pa, pb, pc = abs(p - a), abs(p - b), abs(p - c)
        return a if pa <= pb and pa <= pc else b if pb <= pc else c

    wanted = [predictor(*sides) for sides in zip(left.tolist(), above.tolist(), corner.tolist(), strict=True)]
    assert png._paeth(left, above, corner).tolist() == wanted


def test_rare_bytes_keep_their_codes_within_15_bits() -> None:
    """Counts that grow as Fibonacci's numbers make Huffman's codes longest."""
    counts = [1, 1]
    while len(counts) < 24:
        counts.append(counts[-1] + counts[-2])
    sizes = png._code_sizes(counts, 15)
    assert max(sizes) <= 15
    assert sum(2.0**-size for size in sizes) == 1.0  # Kraft's equality: a complete code


def test_it_is_what_the_project_calls_a_clean_file() -> None:
    pixels = noise(20, 30)
    picture = read_clean_png(png.encode(pixels), "picture")
    assert (picture.width, picture.height) == (30, 20)


def test_the_stream_is_sound_for_zlib_too() -> None:
    data = png.encode(noise(5, 4))
    start = data.index(b"IDAT") + 4
    size = int.from_bytes(data[start - 8 : start - 4])
    assert len(zlib.decompress(data[start : start + size])) == 5 * (1 + 3 * 4)


def test_a_plain_picture_is_small() -> None:
    assert len(png.encode(np.full((512, 512, 3), 200, np.uint8))) < 2000
