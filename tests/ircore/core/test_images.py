"""Pictures at the border: what a viewer would show, or a clear refusal; an intact file is not decoded again."""

import hashlib
import io
import os
import struct
import subprocess
import sys
import zlib
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hostile_pictures import BEYOND, HEAD, TAIL, chunk, file
from PIL import Image, PngImagePlugin

from ircore.core.images import MAX_BYTES, ImageError, Picture, hash_pixels, read_picture

DATA = Path(os.environ.get("IRCORE_SHARED_DATA") or Path(__file__).resolve().parents[3].parent / "shared" / "data")
BAD = DATA / "metrics" / "bad"

RED, BLUE = (200, 30, 40), (20, 60, 180)


def encoded(image: Image.Image, format_: str = "PNG", **options: Any) -> bytes:
    """The bytes of a picture file."""
    buffer = io.BytesIO()
    image.save(buffer, format_, **options)
    return buffer.getvalue()


def two_tone() -> Image.Image:
    """12 × 6 pixels, red on the left and blue on the right."""
    image = Image.new("RGB", (12, 6), BLUE)
    image.paste(RED, (0, 0, 6, 6))
    return image


def png(width: int, height: int, depth: int, colour: int, rows: bytes) -> bytes:
    """A PNG file written by hand, for kinds that Pillow cannot write."""

    def chunk(kind: bytes, data: bytes) -> bytes:
        return struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))

    header = struct.pack(">IIBBBBB", width, height, depth, colour, 0, 0, 0)
    body = chunk(b"IHDR", header) + chunk(b"IDAT", zlib.compress(rows)) + chunk(b"IEND", b"")
    return b"\x89PNG\r\n\x1a\n" + body


def test_plain_rgb_comes_through_unchanged() -> None:
    picture = Picture.read_untrusted(encoded(two_tone()), "a.png")
    assert (picture.width, picture.height, picture.changes) == (12, 6, ())
    assert picture.pixels[0, 0].tolist() == list(RED)
    assert picture.pixels[5, 11].tolist() == list(BLUE)


@pytest.mark.parametrize("change", ["", "16 bit", "palette", "many parts", "crc"])
def test_the_pixels_alone_are_kept_of_any_png(change: str) -> None:
    image = two_tone()
    rows = b"".join(b"\0" + image.tobytes()[start : start + 36] for start in range(0, 216, 36))
    data = png(12, 6, 8, 2, rows)
    if change == "16 bit":
        wide = b"".join(b"\0" + bytes(byte for item in row[1:] for byte in (item, item)) for row in _rows(rows, 37))
        data = png(12, 6, 16, 2, wide)
    elif change == "palette":
        data = encoded(image.quantize(2))
    elif change == "many parts":
        extra = struct.pack(">I", 0) + b"IDAT" + struct.pack(">I", zlib.crc32(b"IDAT"))
        data = data[:33] + extra + data[33:]
    elif change == "crc":
        data = data[:-16] + b"oops" + data[-12:]
    picture = Picture.read_untrusted(data, "a.png")
    assert picture.pixels.tobytes() == image.tobytes()
    assert picture.sha256 == Picture.from_pixels(np.asarray(image)).sha256
    with Image.open(io.BytesIO(picture.data)) as again:
        again.verify()


def _rows(data: bytes, length: int) -> list[bytes]:
    return [data[start : start + length] for start in range(0, len(data), length)]


def test_re_encoding_drops_all_metadata() -> None:
    info = PngImagePlugin.PngInfo()
    info.add_text("Title", "red and blue halves")
    picture = Picture.read_untrusted(encoded(two_tone(), pnginfo=info, dpi=(300, 300)), "a.png")
    assert b"halves" not in picture.data
    with Image.open(io.BytesIO(picture.data)) as image:
        assert (image.format, image.mode, image.info) == ("PNG", "RGB", {})


def test_the_same_pixels_give_the_same_hash_whatever_the_file() -> None:
    as_png = Picture.from_pixels(Picture.read_untrusted(encoded(two_tone()), "a.png").pixels)
    as_webp = Picture.read_untrusted(encoded(two_tone(), "WEBP", lossless=True), "a.webp")
    assert as_png.sha256 == as_webp.sha256


def test_pixels_are_read_only_and_survive_a_round_trip() -> None:
    pixels = np.random.default_rng(1).integers(0, 256, (5, 7, 3), dtype=np.uint8)
    picture = Picture.from_pixels(pixels)
    first, again = (Picture.from_own_file(picture.data, picture, "a.png") for _ in range(2))
    assert np.array_equal(first.pixels, pixels)
    assert np.array_equal(again.pixels, pixels)  # its file was found sound before
    with pytest.raises(ValueError, match="read-only"):
        again.pixels[0, 0] = 0


@pytest.mark.parametrize(
    ("shape", "dtype", "said"),
    [
        ((8, 9, 4), np.uint8, "a picture of 8 × 9 × 4, uint8"),
        ((8, 9), np.uint8, "a picture of 8 × 9, uint8"),
        ((8, 9, 3), np.float64, "a picture of 8 × 9 × 3, float64"),
        ((0, 9, 3), np.uint8, "a picture of 0 × 9 × 3, uint8"),
    ],
)
def test_pixels_of_another_shape_are_refused(shape: tuple[int, ...], dtype: Any, said: str) -> None:
    with pytest.raises(ImageError) as told:
        Picture.from_pixels(np.zeros(shape, dtype))
    assert (told.value.problem, told.value.remedy) == (said, "Give height × width × 3 (RGB), uint8.")


def test_a_picture_is_known_by_its_size_and_pixels() -> None:
    pixels = np.arange(24, dtype=np.uint8).reshape(2, 4, 3)
    assert hash_pixels(pixels) == hashlib.sha256(b"\0\0\0\4\0\0\0\2" + bytes(range(24))).hexdigest()
    assert hash_pixels(pixels[:, ::2]) == hash_pixels(pixels[:, ::2].copy()) != hash_pixels(pixels.reshape(4, 2, 3))


@pytest.mark.parametrize("damage", ["another", "another size", "truncated", "no picture"])
def test_a_recorded_picture_is_refused_when_its_file_shows_another(damage: str) -> None:
    picture = Picture.read_untrusted(encoded(two_tone()), "a.png")
    files = {
        "another": Picture.from_pixels(255 - picture.pixels).data,
        "another size": Picture.from_pixels(picture.pixels[:, 1:]).data,
        "truncated": picture.data[:60],
        "no picture": b"GIF89a",
    }
    assert Picture.from_own_file(picture.data, picture, "a.png").sha256 == picture.sha256
    for _ in range(2):
        with pytest.raises(ImageError, match="damaged, not the picture that was recorded"):
            Picture.from_own_file(files[damage], picture, "a.png")


def test_transparent_pixels_are_shown_on_white() -> None:
    image = Image.new("RGBA", (2, 1))
    image.putpixel((0, 0), (0, 0, 0, 0))
    image.putpixel((1, 0), (0, 0, 0, 128))
    picture = Picture.read_untrusted(encoded(image), "a.png")
    assert picture.changes == ("alpha on white",)
    assert picture.pixels[0].tolist() == [[255, 255, 255], [127, 127, 127]]


def test_sixteen_bit_grey_is_scaled_not_cut() -> None:
    grey = np.array([[0, 257, 32896, 65535]], dtype=np.uint16)
    picture = Picture.read_untrusted(encoded(Image.fromarray(grey)), "a.png")
    assert picture.pixels[0, :, 0].tolist() == [0, 1, 128, 255]
    assert "16 bit scaled to 8" in picture.changes


def test_sixteen_bit_colour_keeps_its_high_bytes() -> None:
    data = png(2, 1, 16, 2, b"\0" + struct.pack(">6H", 65535, 32896, 257, 0, 0, 0))
    assert Picture.read_untrusted(data, "a.png").pixels[0].tolist() == [[255, 128, 1], [0, 0, 0]]


@pytest.mark.parametrize("orientation", range(1, 9))
def test_exif_turns_a_picture_as_a_viewer_would(orientation: int) -> None:
    exif = Image.Exif()
    exif[0x0112] = orientation
    picture = Picture.read_untrusted(encoded(two_tone(), exif=exif), "a.png")
    corners = [tuple(picture.pixels[row, column].tolist()) for row, column in ((0, 0), (0, -1), (-1, 0), (-1, -1))]
    across, down = [RED, BLUE, RED, BLUE], [RED, RED, BLUE, BLUE]
    expected = [across, across[::-1], across[::-1], across, down, down, down[::-1], down[::-1]]
    assert corners == expected[orientation - 1]
    assert (picture.width > picture.height) == (orientation < 5)


@pytest.mark.parametrize("format_", ["PNG", "WEBP", "JPEG"])
def test_damaged_exif_is_left_aside(format_: str) -> None:
    picture = Picture.read_untrusted(encoded(two_tone(), format_, exif=b"Exif\0\0no such thing"), "a")
    assert (picture.width, picture.height, picture.changes) == (12, 6, ())


def test_animations_show_their_first_frame() -> None:
    frames = [Image.new("RGB", (12, 6), BLUE)]
    picture = Picture.read_untrusted(encoded(two_tone().convert("P"), "GIF", save_all=True, append_images=frames), "a")
    assert "first frame" in picture.changes
    assert np.abs(picture.pixels[0, 0].astype(int) - RED).max() < 30


@pytest.mark.parametrize(
    ("data", "message"),
    [
        (b"", "empty"),
        (b"words, not pixels", "not a PNG, JPEG, WebP or GIF"),
        (encoded(two_tone(), "BMP"), "not a PNG, JPEG, WebP or GIF"),
        (encoded(two_tone())[:60], "damaged or truncated"),
        (png(30000, 30000, 1, 0, b""), "too many pixels"),
        (png(5000, 5000, 1, 0, b""), "5000 × 5000 pixels is too large"),
        (encoded(Image.new("L", (9000, 1))), "9000 × 1 pixels is too large"),
        (png(4, 4, 8, 2, b"\0" * 5), "damaged or truncated"),
    ],
)
def test_what_is_no_usable_picture_is_refused_by_name(data: bytes, message: str) -> None:
    with pytest.raises(ImageError, match=message) as caught:
        Picture.read_untrusted(data, "folder/a.png")
    assert caught.value.problem.startswith("folder/a.png: ")
    assert caught.value.remedy


def test_a_plain_file_keeps_its_packed_rows_and_nothing_else() -> None:
    """Packing anew would take most of the time of a picture that a service sends."""
    rows = zlib.compress(b"".join(bytes([row % 5]) + bytes(range(96)) * 3 for row in range(96)), 9)
    told = file(
        HEAD, chunk(b"tEXt", b"parameters\0a prompt"), chunk(b"IDAT", rows[:50]), chunk(b"IDAT", rows[50:]), TAIL
    )
    picture = Picture.read_untrusted(told, "a picture")
    assert picture.data == file(HEAD, chunk(b"IDAT", rows), TAIL)
    assert (picture.pixels == Picture(told, 96, 96).pixels).all()


def test_a_file_that_states_its_size_twice_is_the_picture_that_was_hashed() -> None:
    """Pillow takes the last head, and 5 rows of 2 pixels take 35 bytes, a row of 11 takes 34."""
    first, second = (struct.pack(">IIBBBBB", width, height, 8, 2, 0, 0, 0) for width, height in ((2, 5), (11, 1)))
    rows = zlib.compress(bytes(35))
    data = file(chunk(b"IHDR", first), chunk(b"IHDR", second), chunk(b"IDAT", rows), TAIL)
    picture = Picture.read_untrusted(data, "a picture")
    assert Picture(picture.data, 0, 0).sha256 == picture.sha256
    assert Picture(picture.data, 0, 0).pixels.shape[:2] == (picture.height, picture.width)


def test_what_a_service_sends_is_known_without_decoding_it_again_and_without_numpy() -> None:
    """Both stood between two questions of every player behind a service."""
    code = (
        "import sys; from pathlib import Path; from ircore.core.images import Picture;"
        "picture = Picture.read_untrusted(sys.stdin.buffer.read(), 'a picture').without_pixels();"
        "print(picture.sha256, picture.small_grey.size, picture.is_decoded, 'numpy' in sys.modules)"
    )
    done = subprocess.run([sys.executable, "-c", code], input=encoded(two_tone()), capture_output=True, check=True)
    known = Picture.read_untrusted(encoded(two_tone()), "a picture")
    grey = known.without_pixels().small_grey
    assert grey is not None
    assert done.stdout.decode().split("\n")[0] == f"{known.sha256} {grey.size} False False"


@pytest.mark.parametrize("behind", [b"<script>alert(1)</script>", b"PK\3\4" + b"\0" * 30, zlib.compress(b"x")])
def test_nothing_behind_the_pixels_is_kept(behind: bytes) -> None:
    """Readers stop where the pixels end, so that a second file may stand there."""
    rows = zlib.compress(b"\0" * 96 * 289)
    picture = Picture.read_untrusted(file(HEAD, chunk(b"IDAT", rows + behind), TAIL), "a picture")
    assert behind not in picture.data
    assert picture.pixels.shape == (96, 96, 3)


def test_a_stream_that_goes_on_behind_the_pixels_is_not_kept() -> None:
    picture = Picture.read_untrusted(file(HEAD, chunk(b"IDAT", BEYOND), TAIL), "a picture")
    assert len(picture.data) < 1000 < len(BEYOND)


def test_a_jpeg_that_asks_for_its_pixels_again_and_again_is_refused() -> None:
    """Each scan takes some thirty bytes, and a pass over all pixels."""
    data = encoded(Image.new("RGB", (64, 64)), "JPEG", progressive=True)
    scan = data[data.rindex(b"\xff\xda") : -2]
    assert Picture.read_untrusted(data[:-2] + scan * 20 + data[-2:], "a picture").width == 64
    with pytest.raises(ImageError, match="more than 100 scans"):
        Picture.read_untrusted(data[:-2] + scan * 100 + data[-2:], "a picture")


def test_missing_and_oversized_files_are_named(tmp_path: Path) -> None:
    with pytest.raises(ImageError, match=r"gone.png: cannot be read \(No such file"):
        read_picture(tmp_path / "gone.png")
    with pytest.raises(ImageError, match="cannot be read"):
        read_picture(tmp_path)
    large = tmp_path / "large.png"
    with large.open("wb") as file:
        file.truncate(MAX_BYTES + 1)
    for path in (large, Path("/dev/zero")):
        with pytest.raises(ImageError, match="larger than 32 MiB"):
            read_picture(path)


@pytest.mark.skipif(not BAD.is_dir(), reason="the folder of bad files is not beside the checkout")
@pytest.mark.parametrize("name", ["cmyk.jpg", "jpeg_named.png", "exif_orientation6.jpg", "ref_rgb_128x96.jpg"])
def test_variants_of_one_picture_look_alike(name: str) -> None:
    reference = read_picture(BAD / "ref_rgb_128x96.png").pixels
    pixels = read_picture(BAD / name).pixels
    if pixels.shape != reference.shape:
        assert pixels.shape == (128, 96, 3)
        assert np.abs(pixels.mean((0, 1)) - reference.mean((0, 1))).max() < 2
    else:
        assert np.abs(pixels.astype(int) - reference).mean() < 6


READS = """
import sys
from pathlib import Path
from PIL import Image
from ircore.core.images import ImageError, Picture
path, sha256, decodes = Path(sys.argv[1]), sys.argv[2], []
opened = Image.open
Image.open = lambda *args, **named: decodes.append(1) or opened(*args, **named)
try:
    Picture.from_own_file(path.read_bytes(), Picture.stored(path, sha256, 4, 3), "a.png")
    print("intact", len(decodes))
except ImageError:
    print("damaged", len(decodes))
"""


def read(path: Path, sha256: str) -> str:
    """Read a recorded picture in a process of its own; return what came out and how often it was decoded."""
    command = [sys.executable, "-c", READS, str(path), sha256]
    return subprocess.run(command, capture_output=True, text=True, check=True).stdout.strip()


@pytest.mark.slow
def test_the_next_process_knows_the_bytes_that_were_found_intact(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("IRCORE_CACHE", str(tmp_path / "caches"))
    picture = Picture.from_pixels(np.arange(36, dtype=np.uint8).reshape(3, 4, 3))
    another = Picture.from_pixels(255 - picture.pixels)
    path = tmp_path / "a.png"
    path.write_bytes(picture.data)
    assert [read(path, picture.sha256) for _ in range(2)] == ["intact 1", "intact 0"]
    assert read(path, another.sha256) == "damaged 1"  # the same bytes with another record
    path.write_bytes(another.data)
    assert read(path, picture.sha256) == "damaged 1"  # other bytes with the same record
    path.write_bytes(picture.data)
    (tmp_path / "caches" / "intact-pictures").write_bytes(b"half a line")
    assert read(path, picture.sha256) == "intact 1"


@pytest.mark.slow
def test_the_next_process_knows_the_bytes_that_were_remembered_when_they_were_written(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("IRCORE_CACHE", str(tmp_path / "caches"))
    writes = """
import sys
from pathlib import Path
import numpy as np
from ircore.core.images import Picture
picture = Picture.from_pixels(np.arange(36, dtype=np.uint8).reshape(3, 4, 3))
Path(sys.argv[1]).write_bytes(picture.data)
# A picture whose file stays on the disk has the hash that its record says, which nobody has compared.
stored = Picture.stored(Path(sys.argv[1]), "0" * 64, 4, 3)
stored.pixels
for written in (picture, stored):
    written.remember()
print(picture.sha256)
"""
    path = tmp_path / "a.png"
    command = [sys.executable, "-c", writes, str(path)]
    sha256 = subprocess.run(command, capture_output=True, text=True, check=True).stdout.strip()
    assert read(path, sha256) == "intact 0"
    assert read(path, "0" * 64) == "damaged 1"
    path.write_bytes(path.read_bytes() + b"more")  # the same pixels in other bytes
    assert read(path, sha256) == "intact 1"
