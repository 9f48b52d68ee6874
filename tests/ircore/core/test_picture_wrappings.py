"""The same picture in every wrapping gives the same pixels: those that a viewer shows."""

import io
import struct
import zlib
from collections.abc import Callable
from typing import Any

import pytest
from colour_profiles import (
    ADOBE_RGB,
    DISPLAY_P3,
    chromaticities,
    chunk,
    colours_profile,
    gamma,
    grey_profile,
    inks_profile,
    packed_profile,
    png,
)
from PIL import Image, ImageCms

from ircore.core.images import Picture, read_stored_pixels

COLOUR = (200, 120, 100)
P3 = colours_profile(DISPLAY_P3)


def linear(value: float) -> float:
    return float(value**2.2)


def encoded(value: float) -> int:
    """Return a linear value as sRGB writes it (IEC 61966-2-1)."""
    value = min(max(value, 0.0), 1.0)
    return round(255 * (12.92 * value if value <= 0.0031308 else 1.055 * value ** (1 / 2.4) - 0.055))


def in_srgb(matrix: tuple[tuple[float, float, float], ...], colour: tuple[int, int, int] = COLOUR) -> list[int]:
    """Return a colour in sRGB by a published matrix between linear values."""
    light = [linear(value / 255) for value in colour]
    return [encoded(sum(factor * value for factor, value in zip(row, light, strict=True))) for row in matrix]


# CSS Color 4 (W3C), and Lindbloom's tables of Adobe RGB and sRGB.
FROM_P3 = in_srgb(((1.22494, -0.22494, 0), (-0.04206, 1.04206, 0), (-0.01964, -0.07864, 1.09828)))
FROM_ADOBE = in_srgb(((1.39836, -0.39836, 0), (0, 1, 0), (0, -0.04293, 1.04293)))


def saved(image: Image.Image, kind: str = "PNG", **options: Any) -> bytes:
    buffer = io.BytesIO()
    image.save(buffer, kind, **options)
    return buffer.getvalue()


def shown(data: bytes) -> list[int]:
    """Return the pixel in the middle of a picture, as it is shown."""
    pixels = Picture.from_untrusted(data, "a picture").pixels
    middle: list[int] = pixels[pixels.shape[0] // 2, pixels.shape[1] // 2].tolist()
    return middle


def plain(mode: str = "RGB") -> Image.Image:
    return Image.new("RGB", (16, 16), COLOUR).convert(mode)


def sixteen(colour: int, samples: tuple[int, ...], *more: tuple[bytes, bytes]) -> bytes:
    """Return a PNG file of 8 × 8 pixels of 16 bits a sample."""
    row = b"\0" + struct.pack(f">{len(samples)}H", *samples) * 8
    return png(8, 8, 16, colour, row * 8, *more)


def palette() -> Image.Image:
    return plain().quantize(4)


def see_through_palette() -> bytes:
    """Return a palette of two colours, of which the second, at the left edge, is transparent."""
    image = palette()
    image.putpixel((0, 0), 1)
    return saved(image, transparency=1, icc_profile=P3)


def turned(orientation: int, kind: str) -> bytes:
    exif = Image.Exif()
    exif[0x0112] = orientation
    options: dict[str, Any] = {"lossless": True} if kind == "WEBP" else {}
    return saved(plain(), kind, exif=exif, icc_profile=P3, **options)


WRAPPINGS: dict[str, Callable[[], bytes]] = {
    "RGB": lambda: saved(plain(), icc_profile=P3),
    "RGBA": lambda: saved(plain("RGBA"), icc_profile=P3),
    "palette": lambda: saved(palette(), icc_profile=P3),
    "palette with transparency": see_through_palette,
    "one transparent colour": lambda: saved(plain(), icc_profile=P3, transparency=(1, 2, 3)),
    "16 bits": lambda: sixteen(2, tuple(257 * value for value in COLOUR), packed_profile(P3)),
    "16 bits and alpha": lambda: sixteen(6, (*(257 * value for value in COLOUR), 65535), packed_profile(P3)),
    "WebP": lambda: saved(plain(), "WEBP", lossless=True, icc_profile=P3),
    "WebP and alpha": lambda: saved(plain("RGBA"), "WEBP", lossless=True, icc_profile=P3),
    "turned PNG": lambda: turned(6, "PNG"),
    "turned WebP": lambda: turned(8, "WEBP"),
    "turned JPEG": lambda: turned(3, "JPEG"),
    "animated PNG": lambda: saved(
        plain(), icc_profile=P3, save_all=True, append_images=[Image.new("RGB", (16, 16), "blue")]
    ),
    "cICP": lambda: png(8, 8, 8, 2, (b"\0" + bytes(COLOUR) * 8) * 8, (b"cICP", bytes((12, 4, 0, 1)))),
    "cHRM and gAMA": lambda: png(
        8, 8, 8, 2, (b"\0" + bytes(COLOUR) * 8) * 8,
        chromaticities(0.3127, 0.329, 0.68, 0.32, 0.265, 0.69, 0.15, 0.06), gamma(0.45455),
    ),
}  # fmt: skip


@pytest.mark.parametrize("wrapping", WRAPPINGS)
def test_display_p3_is_the_same_picture_in_every_wrapping(wrapping: str) -> None:
    tolerance = 3 if "JPEG" in wrapping else 1
    got = shown(WRAPPINGS[wrapping]())
    assert max(abs(ours - theirs) for ours, theirs in zip(got, FROM_P3, strict=True)) <= tolerance, (got, FROM_P3)


@pytest.mark.parametrize("mode", ["RGB", "RGBA"])
def test_adobe_rgb_is_brought_to_srgb(mode: str) -> None:
    got = shown(saved(plain(mode), icc_profile=colours_profile(ADOBE_RGB)))
    assert max(abs(ours - theirs) for ours, theirs in zip(got, FROM_ADOBE, strict=True)) <= 1


@pytest.mark.parametrize("mode", ["L", "LA"])
@pytest.mark.parametrize("kind", ["PNG", "JPEG"])
def test_a_grey_profile_is_heeded(mode: str, kind: str) -> None:
    if (mode, kind) == ("LA", "JPEG"):
        pytest.skip("JPEG has no transparency")
    data = saved(Image.new("L", (16, 16), 55).convert(mode), kind, icc_profile=grey_profile(1.0))
    level = encoded(55 / 255)
    assert max(abs(value - level) for value in shown(data)) <= 1


@pytest.mark.parametrize(
    ("more", "level"),
    [
        ((gamma(1.0),), encoded(55 / 255)),
        ((gamma(1.0), (b"sRGB", b"\0")), 55),
        ((gamma(0.45455), chromaticities(0.3127, 0.329, 0.64, 0.33, 0.3, 0.6, 0.15, 0.06)), 55),
        ((gamma(0.45455),), 55),
        ((gamma(1.0), (b"cICP", bytes((1, 13, 0, 1)))), 55),
        ((packed_profile(grey_profile(1.0)), (b"cICP", bytes((1, 13, 0, 1)))), 55),
        ((gamma(0),), 55),
        (((b"cICP", bytes((9, 16, 0, 1))),), 55),
        ((chromaticities(0, 0, 0, 0, 0, 0, 0, 0),), 55),
        (((b"gAMA", b"\0"),), 55),
    ],
    ids=["gAMA", "sRGB before gAMA", "what sRGB comes to", "gAMA of sRGB", "cICP before gAMA", "cICP before iCCP",
         "gAMA of nothing", "high dynamic range", "no light", "half a gAMA"],
)  # fmt: skip
@pytest.mark.parametrize("colour", [0, 2])
def test_what_a_png_file_says_of_its_colours_counts_in_order(
    more: tuple[tuple[bytes, bytes], ...], level: int, colour: int
) -> None:
    data = png(8, 8, 8, colour, (b"\0" + bytes((55,) * (3 if colour == 2 else 1)) * 8) * 8, *more)
    got = shown(data)
    assert max(abs(value - level) for value in got) <= 1, got


@pytest.mark.parametrize(
    "data",
    [
        png(2, 1, 1, 0, b"\0\x40", (b"tRNS", struct.pack(">H", 0))),
        png(2, 1, 2, 0, b"\0\x70", (b"tRNS", struct.pack(">H", 1))),
        png(2, 1, 4, 0, b"\0\x3f", (b"tRNS", struct.pack(">H", 3))),
        png(2, 1, 8, 0, b"\0\x07\xff", (b"tRNS", struct.pack(">H", 7))),
        png(2, 1, 16, 0, b"\0" + struct.pack(">HH", 700, 65535), (b"tRNS", struct.pack(">H", 700))),
        png(2, 1, 8, 2, b"\0\1\2\3\xff\xff\xff", (b"tRNS", struct.pack(">HHH", 1, 2, 3))),
        png(
            2, 1, 16, 2, b"\0" + struct.pack(">6H", 257, 514, 771, *[65535] * 3),
            (b"tRNS", struct.pack(">HHH", 257, 514, 771)),
        ),
        png(2, 1, 8, 3, b"\0\0\1", (b"PLTE", bytes((1, 2, 3, 255, 255, 255))), (b"tRNS", b"\0")),
        png(2, 1, 8, 4, b"\0\x07\0\xff\xff"),
        png(2, 1, 16, 4, b"\0" + struct.pack(">4H", 700, 0, 65535, 65535)),
        png(2, 1, 8, 6, b"\0\1\2\3\0\xff\xff\xff\xff"),
    ],
    ids=["1 bit", "2 bits", "4 bits", "8 bits", "16 bits", "a colour", "a colour of 16 bits", "palette",
         "grey and alpha", "grey and alpha of 16 bits", "RGBA"],
)  # fmt: skip
def test_transparent_pixels_are_white_at_every_depth(data: bytes) -> None:
    assert Picture.from_untrusted(data, "a.png").pixels.tolist() == [[[255, 255, 255], [255, 255, 255]]]


@pytest.mark.slow
def test_a_text_that_unpacks_to_gigabytes_is_never_unpacked() -> None:
    packer = zlib.compressobj(9)
    bomb = b"".join(packer.compress(b"x" * 10_000_000) for _ in range(100)) + packer.flush()
    data = saved(plain())
    data = data[:33] + chunk(b"zTXt", b"workflow\0\0" + bomb) * 3 + data[33:]
    assert shown(data) == list(COLOUR)


@pytest.mark.parametrize(
    "profile", [b"no profile", b"p\0\0" + zlib.compress(bytes(20_000_000)), b"p\0\0" + zlib.compress(P3[:200]), b""]
)
def test_a_profile_that_is_none_is_left_aside(profile: bytes) -> None:
    data = saved(plain())
    assert shown(data[:33] + chunk(b"iCCP", profile) + data[33:]) == list(COLOUR)


def test_a_profile_counts_by_its_colours_and_not_by_its_name() -> None:
    """A profile of sRGB changes nothing; one that only says so is heeded."""
    srgb = ImageCms.ImageCmsProfile(ImageCms.createProfile("sRGB")).tobytes()
    assert Picture.from_untrusted(saved(plain(), icc_profile=srgb), "a.png").changes == ()
    named = P3.replace(b"acsp", b"acsp") + b"sRGB IEC61966-2.1"
    assert shown(saved(plain(), icc_profile=named)) == shown(saved(plain(), icc_profile=P3))


def test_metrics_still_read_what_is_stored(tmp_path: Any) -> None:
    path = tmp_path / "a.png"
    path.write_bytes(saved(plain("RGBA"), icc_profile=P3))
    assert read_stored_pixels(path)[0, 0].tolist() == list(COLOUR)


def test_inks_are_shown_as_their_profile_says() -> None:
    """Paper is white; cyan ink is a colour of its own, far from the naive 0, 255, 255."""
    solids = [(100, 0, 0) if number == 0 else (55, -35, -45) if number == 8 else (10, 0, 0) for number in range(16)]
    profile = inks_profile(solids)
    paper = saved(Image.new("CMYK", (16, 16), (0, 0, 0, 0)), "JPEG", icc_profile=profile)
    cyan = saved(Image.new("CMYK", (16, 16), (255, 0, 0, 0)), "JPEG", icc_profile=profile, quality=100)
    assert min(shown(paper)) >= 250
    red, green, blue = shown(cyan)
    # CIE Lab 55, -35, -45 at D50 lies outside of sRGB at red 0; green and blue by Lindbloom's formulas.
    assert red <= 5
    assert abs(green - 146) <= 8
    assert abs(blue - 211) <= 12
