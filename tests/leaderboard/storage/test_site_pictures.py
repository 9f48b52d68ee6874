"""Pictures of the site: sizes, encoding once, damage."""

import hashlib
from pathlib import Path

import numpy as np
import pytest
from PIL import Image

from ircore.core.images import ImageError, Picture
from leaderboard.storage.pictures import PictureBook

pytestmark = pytest.mark.slow


def write_picture(folder: Path, width: int, height: int) -> tuple[Path, str]:
    pixels = np.full((height, width, 3), 255, np.uint8)
    pixels[: height // 2] = (214, 39, 40)
    data = Picture.from_pixels(pixels).data
    path = folder / "picture.png"
    path.write_bytes(data)
    return path, hashlib.sha256(data).hexdigest()


def test_pictures_fit_their_box_and_keep_their_proportions(tmp_path: Path) -> None:
    path, sha256 = write_picture(tmp_path, 1000, 250)
    book = PictureBook()
    shown = book.add(path, sha256, 1000, 250)
    assert (shown.width, shown.height) == (256, 64)
    assert book.write(tmp_path / "site") == 1
    with Image.open(tmp_path / "site" / shown.small) as small, Image.open(tmp_path / "site" / shown.large) as large:
        assert (small.format, small.size, large.size) == ("WEBP", (256, 64), (512, 128))
        red, green, blue = np.asarray(large.convert("RGB"))[10, 10]
        assert (int(red), int(green), int(blue)) == pytest.approx((214, 39, 40), abs=8)


def test_small_pictures_are_not_enlarged(tmp_path: Path) -> None:
    path, sha256 = write_picture(tmp_path, 60, 90)
    book = PictureBook()
    shown = book.add(path, sha256, 60, 90)
    book.write(tmp_path / "site")
    with Image.open(tmp_path / "site" / shown.large) as large:
        assert large.size == (shown.width, shown.height) == (60, 90)


def test_a_picture_shown_twice_is_encoded_once_and_never_again(tmp_path: Path) -> None:
    path, sha256 = write_picture(tmp_path, 60, 90)
    book = PictureBook()
    assert book.add(path, sha256, 60, 90) == book.add(path, sha256, 60, 90)
    assert len(book) == 1
    assert book.write(tmp_path / "site") == 1
    assert book.write(tmp_path / "next", earlier=tmp_path / "site") == 0
    assert len(list((tmp_path / "next" / "img").iterdir())) == 2


def test_a_damaged_file_is_named(tmp_path: Path) -> None:
    path, sha256 = write_picture(tmp_path, 60, 90)
    path.write_bytes(path.read_bytes()[:-20])
    book = PictureBook()
    book.add(path, sha256, 60, 90)
    with pytest.raises(ImageError, match=r"picture\.png: damaged"):
        book.write(tmp_path / "site")


def test_where_originals_are_published_the_site_holds_thumbnails_alone(tmp_path: Path) -> None:
    path, sha256 = write_picture(tmp_path, 1000, 250)
    book = PictureBook(originals="https://example.org/pictures/0a1b/")
    shown = book.add(path, sha256, 1000, 250)
    assert shown.large == f"https://example.org/pictures/0a1b/{sha256}.png"
    assert book.write(tmp_path / "site") == 1
    assert [path.name for path in (tmp_path / "site" / "img").iterdir()] == [Path(shown.small).name]
    assert PictureBook(originals="https://example.org/").write(tmp_path / "next", earlier=tmp_path / "site") == 0
