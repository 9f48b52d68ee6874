"""The same picture in every wrapping gives the same pixels; at a terminal, pictures and texts that cannot steer it."""

import io
import re
import struct
import zlib
from collections.abc import Callable
from typing import Any

import numpy as np
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

from ircore.core.errors import InputError
from ircore.core.images import Picture, read_stored_pixels
from ircore.core.strict_yaml import parse_mapping, parse_value
from ircore.core.terminal import make_printable
from ircore.core.terminal_pictures import can_show_pictures, show_pictures
from ircore.core.untrusted_text import (
    encode_unprintable,
    escape_name,
    format_one_line,
    format_plain_line,
    make_visible,
    replace_controls,
    shorten_text,
)

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
    pixels = Picture.read_untrusted(data, "a picture").pixels
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
    assert Picture.read_untrusted(data, "a.png").pixels.tolist() == [[[255, 255, 255], [255, 255, 255]]]


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
    assert Picture.read_untrusted(saved(plain(), icc_profile=srgb), "a.png").changes == ()
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


class Terminal(io.StringIO):
    """A stream that says that it is a terminal."""

    def isatty(self) -> bool:
        return True


@pytest.mark.parametrize(
    ("variables", "shows"),
    [
        ({"TERM": "xterm-256color"}, True),
        ({"TERM": "xterm-kitty"}, True),
        ({"TERM": "dumb"}, False),
        ({"TERM": "xterm-256color", "NO_COLOR": "1"}, False),
        ({"TERM": "xterm-256color", "IRCORE_PICTURES": "none"}, False),
    ],
)
def test_a_terminal_with_colours_shows_pictures(
    variables: dict[str, str], shows: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in ("NO_COLOR", "IRCORE_PICTURES"):
        monkeypatch.delenv(name, raising=False)
    for name, value in variables.items():
        monkeypatch.setenv(name, value)
    assert can_show_pictures(Terminal()) is shows
    assert not can_show_pictures(io.StringIO())


def test_an_unknown_choice_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("IRCORE_PICTURES", "ascii")
    with pytest.raises(InputError, match="IRCORE_PICTURES: 'ascii' is unknown"):
        can_show_pictures(Terminal())


@pytest.fixture
def wide(monkeypatch: pytest.MonkeyPatch) -> None:
    """A terminal of 42 columns."""
    for name, value in {"NO_COLOR": "", "IRCORE_PICTURES": "", "TERM": "xterm", "COLUMNS": "42"}.items():
        monkeypatch.setenv(name, value)


@pytest.mark.usefixtures("wide")
def test_half_blocks_show_two_pixels_a_cell(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("COLUMNS", "5")
    image = Image.new("RGB", (40, 40), (255, 0, 0))
    image.paste((0, 0, 255), (0, 20, 40, 40))
    screen = Terminal()
    assert show_pictures({"two": Picture.from_pixels(np.asarray(image))}, screen)
    red, blue, white = "38;2;255;0;0;48;2;255;0;0", "38;2;0;0;255;48;2;0;0;255", "38;2;255;255;255;48;2;255;255;255"
    assert screen.getvalue().splitlines() == [
        f"\x1b[{red}m▀" * 4 + f"\x1b[{white}m▀\x1b[0m",
        f"\x1b[{blue}m▀" * 4 + f"\x1b[{white}m▀\x1b[0m",
        "two",
    ]


@pytest.mark.usefixtures("wide")
def test_pictures_stand_side_by_side_with_their_names() -> None:
    white = Picture.from_pixels(np.full((30, 30, 3), 255, np.uint8))
    screen = Terminal()
    assert show_pictures({"target": white, "your picture": white}, screen)
    *lines, names = re.sub(r"\x1b\[[0-9;]*m", "", screen.getvalue()).splitlines()
    assert len(lines) == 10
    assert {len(line) for line in lines} == {42}
    assert names == "target               your picture"
    assert not show_pictures({"target": white}, io.StringIO())


OVERRIDE, JOINER = "\u202e", "\u200d"


@pytest.mark.parametrize(
    ("made_harmless", "expected"),
    [
        (make_visible, f"a⟦U+202E⟧b\n\U0001f469{JOINER}\U0001f3a8"),
        (encode_unprintable, "a⟦U+202E⟧b⟦U+000A⟧\U0001f469⟦U+200D⟧\U0001f3a8"),
        (format_one_line, f"a⟦U+202E⟧b \U0001f469{JOINER}\U0001f3a8"),
        (format_plain_line, "a b \U0001f469 \U0001f3a8"),
        (make_printable, "a\ufffdb\n\U0001f469\ufffd\U0001f3a8"),
        (escape_name, "a\\u202eb\\n\U0001f469\\u200d\U0001f3a8"),
        (replace_controls, "a b \U0001f469 \U0001f3a8"),
    ],
)
def test_each_reader_has_a_form_of_its_own(made_harmless: Callable[[str], str], expected: str) -> None:
    assert made_harmless(f"a{OVERRIDE}b\n\U0001f469{JOINER}\U0001f3a8") == expected


def test_a_cut_text_has_the_sign_of_the_cut_within_its_length() -> None:
    shortened = (shorten_text("abcdef", 4), shorten_text("abcd", 4), shorten_text("abcdef", None))
    assert shortened == ("abc…", "abcd", "abcdef")
    # A name that is cut behind a word has no space before the sign of the cut; a line of a log keeps it.
    assert (format_one_line("abc def", 5), format_plain_line("abc def", 5)) == ("abc…", "abc …")


@pytest.mark.parametrize(
    ("text", "number"),
    [
        ("5e-2", 0.05), ("1e3", 1000.0), ("9E-1", 0.9), ("1.e3", 1000.0), ("+1e3", 1000.0), ("-2.5e-4", -0.00025),
        ("1.5e3", 1500.0), (".5e1", 5.0), ("1.0e+3", 1000.0), ("0.5", 0.5), ("7", 7),
    ],
)  # fmt: skip
def test_a_number_with_an_exponent_of_any_form_is_a_number(text: str, number: float) -> None:
    value = parse_mapping(f"a: {{b: {text}}}".encode(), "m.yaml", "").mapping["a"]["b"]
    assert (value, type(value)) == (number, type(number))
    assert parse_value(text, "--rule") == number


@pytest.mark.parametrize("text", ["0o17", "017", "0x1F", "1_000", "1:30", "1e400"])
def test_a_number_that_is_read_in_two_ways_or_by_nobody_is_refused(text: str) -> None:
    with pytest.raises(InputError, match=r"m\.yaml:2: not valid YAML"):
        parse_mapping(f"a: 1\nb: {text}\n".encode(), "m.yaml", "")


@pytest.mark.parametrize("text", ["'5e-2'", '"1e3"', "e3", "1e", "1e3x", "1-e3", "v1e3", "1.2.3", "2e3-preview"])
def test_what_is_no_number_stays_a_text(text: str) -> None:
    assert isinstance(parse_value(text, "m.yaml"), str)


@pytest.mark.parametrize("text", ["\x1b[2J", "a\x07b", "\u202e", "\x0b", "\x0c", "\x1c", "\x85", "\u2028", "\ud800"])
def test_nothing_that_moves_a_terminal_is_printed_and_names_show_it(text: str) -> None:
    assert "\N{REPLACEMENT CHARACTER}" in make_printable(text)
    assert all(character.isprintable() for character in format_one_line(f"a{text}b"))
    assert make_visible(text) != text or text in ("\x0b", "\x0c")


def test_characters_for_private_use_are_shown_by_their_code() -> None:
    assert make_visible("a\ue000b") == "a⟦U+E000⟧b"
