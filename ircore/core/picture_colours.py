"""Colours of picture files as a viewer shows them: profiles, a PNG file's own words on its colours, metadata left out.

A PNG file may describe its colours in four ways; the first that is there counts (PNG, third edition, 4.3): ``cICP``
(code points of ITU-T H.273), ``iCCP`` (a profile), ``sRGB``, ``gAMA`` with ``cHRM``. What is no profile is made one
here, so that all go through the same conversion, that of LittleCMS.
"""

import io
import struct
import zlib
from collections.abc import Sequence
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    import numpy as np
    import numpy.typing as npt
    from PIL import Image

Chromaticities = tuple[tuple[float, float], ...]
"""x, y of red, green, blue and white."""

PNG = b"\x89PNG\r\n\x1a\n"
MAX_PROFILE = 8 * 1024 * 1024
"""Bytes of a colour profile; the largest for printers have some three megabytes."""

_KEPT = frozenset({b"tRNS", b"eXIf", b"acTL", b"fcTL", b"fdAT"})
"""Ancillary chunks that tell what is seen: transparency, how the picture lies, animation."""

_SRGB: Chromaticities = ((0.64, 0.33), (0.30, 0.60), (0.15, 0.06), (0.3127, 0.3290))
_PRIMARIES: dict[int, Chromaticities] = {
    1: _SRGB,
    5: ((0.64, 0.33), (0.29, 0.60), (0.15, 0.06), (0.3127, 0.3290)),
    6: ((0.63, 0.34), (0.31, 0.595), (0.155, 0.07), (0.3127, 0.3290)),
    7: ((0.63, 0.34), (0.31, 0.595), (0.155, 0.07), (0.3127, 0.3290)),
    9: ((0.708, 0.292), (0.17, 0.797), (0.131, 0.046), (0.3127, 0.3290)),
    11: ((0.68, 0.32), (0.265, 0.69), (0.15, 0.06), (0.314, 0.351)),
    12: ((0.68, 0.32), (0.265, 0.69), (0.15, 0.06), (0.3127, 0.3290)),
}
"""Chromaticities x, y of red, green, blue and white by their number in ITU-T H.273, table 2."""

_SRGB_CURVE: tuple[float, ...] = (2.4, 1 / 1.055, 0.055 / 1.055, 1 / 12.92, 0.04045)
_BT_709_CURVE: tuple[float, ...] = (1 / 0.45, 1 / 1.099, 0.099 / 1.099, 1 / 4.5, 0.081)
_CURVES: dict[int, tuple[float, ...]] = {
    1: _BT_709_CURVE, 6: _BT_709_CURVE, 14: _BT_709_CURVE, 15: _BT_709_CURVE,
    4: (2.2,), 5: (2.8,), 8: (1.0,), 13: _SRGB_CURVE,
}  # fmt: skip
"""Transfer functions by their number in ITU-T H.273, table 3, as in ICC.1, 10.18; none of high dynamic range."""

_D50 = (0.9642, 1.0, 0.8249)
_BRADFORD = ((0.8951, 0.2664, -0.1614), (-0.7502, 1.7135, 0.0367), (0.0389, -0.0685, 1.0296))


class BarePng(NamedTuple):
    """A PNG file without metadata.

    Attributes:
        data: The file, for a decoder.
        profile: Profile of its colours; None for sRGB and for what nobody knows.
    """

    data: bytes
    profile: bytes | None


def strip_png(data: bytes) -> BarePng:
    """Return a PNG file without metadata, which is never unpacked, so that its length does not matter.

    Args:
        data: The file. What is not well-formed stays as it is, for the decoder to judge.
    """
    kept, said, at = [PNG], dict[bytes, bytes](), len(PNG)
    while at + 12 <= len(data):
        size, kind = int.from_bytes(data[at : at + 4]), data[at + 4 : at + 8]
        end = at + 12 + size
        # A lower-case letter marks a chunk without which the picture can be shown (PNG, 5.4).
        if end > len(data) or kind == b"IEND" or not kind.isalpha():
            break
        if kind[:1].isupper() or kind in _KEPT:
            kept.append(data[at:end])
        else:
            said.setdefault(kind, data[at + 8 : end - 4])
        at = end
    kept.append(data[at:])
    return BarePng(b"".join(kept) if said else data, _find_png_profile(said))


def _find_png_profile(said: dict[bytes, bytes]) -> bytes | None:
    """Return the profile of what a PNG file's chunks say of its colours."""
    points = said.get(b"cICP", b"")
    if len(points) == 4 and points[2:] == b"\0\1" and points[0] in _PRIMARIES and points[1] in _CURVES:
        return _build_unless_srgb(_PRIMARIES[points[0]], _CURVES[points[1]])
    if b"iCCP" in said:
        return _unpack_profile(said[b"iCCP"])
    gamma, light = said.get(b"gAMA", b""), said.get(b"cHRM", b"")
    if b"sRGB" in said or not (len(gamma) == 4 or len(light) == 32):
        return None
    curve, primaries = _SRGB_CURVE, _SRGB
    if len(gamma) == 4 and 0.1 < (value := int.from_bytes(gamma) / 100_000) < 10:
        curve = (1 / value,)
    if len(light) == 32:
        numbers = [value / 100_000 for value in struct.unpack(">8I", light)]
        white, *colours = zip(numbers[::2], numbers[1::2], strict=True)
        primaries = (*colours, white)
    return _build_unless_srgb(primaries, curve)


def _build_unless_srgb(primaries: Chromaticities, curve: tuple[float, ...]) -> bytes | None:
    # Many programs write what sRGB comes to: a gamma of 2.2, and its primaries to some places.
    like_srgb = curve == _SRGB_CURVE or (len(curve) == 1 and abs(curve[0] - 2.2) < 0.02)
    numbers, expected = ([value for point in points for value in point] for points in (primaries, _SRGB))
    if like_srgb and max(abs(value - known) for value, known in zip(numbers, expected, strict=True)) < 0.002:
        return None
    return build_profile(primaries, curve)


def _unpack_profile(chunk: bytes) -> bytes | None:
    """Return the profile in an iCCP chunk; None if it is damaged or too large, as viewers leave such a one aside."""
    name, mark, packed = chunk.partition(b"\0")
    stream = zlib.decompressobj()
    try:
        profile = stream.decompress(packed[1:], MAX_PROFILE)
    except zlib.error:
        return None
    return profile if mark and len(name) < 80 and packed[:1] == b"\0" and stream.eof else None


def build_profile(primaries: Sequence[Sequence[float]], curve: Sequence[float]) -> bytes | None:
    """Return an ICC profile of three colours and a curve; None if no light has such colours.

    Args:
        primaries: Chromaticities x, y of red, green, blue and white.
        curve: A gamma, or the five numbers g, a, b, c, d of ICC.1:2022, 10.18, function 3.
    """
    import numpy as np

    if min(y for _, y in primaries) <= 0:
        return None
    # Columns are X, Y, Z of each colour (Lindbloom, "RGB/XYZ Matrices"), adapted to D50 as Bradford has it.
    lights = np.array([(x / y, 1.0, (1 - x - y) / y) for x, y in primaries]).T
    cone = np.array(_BRADFORD)
    try:
        scaled = lights[:, :3] * np.linalg.solve(lights[:, :3], lights[:, 3])
        adapted = np.linalg.inv(cone) @ np.diag((cone @ _D50) / (cone @ lights[:, 3])) @ cone @ scaled
    except np.linalg.LinAlgError:
        return None
    if not np.isfinite(adapted).all() or np.abs(adapted).max() > 100:
        return None
    kind = 0 if len(curve) == 1 else 3
    para = b"para\0\0\0\0" + struct.pack(">HH", kind, 0) + b"".join(map(_pack_fixed_point, curve))
    light = [b"XYZ \0\0\0\0" + b"".join(map(_pack_fixed_point, column)) for column in (_D50, *adapted.T)]
    tags = [
        *zip((b"wtpt", b"rXYZ", b"gXYZ", b"bXYZ"), light, strict=True),
        *((name, para) for name in (b"rTRC", b"gTRC", b"bTRC")),
    ]
    at, table, body = 132 + 12 * len(tags), b"", b""
    for name, content in tags:
        table += name + struct.pack(">II", at + len(body), len(content))
        body += content + b"\0" * (-len(content) % 4)
    head = struct.pack(">I4sI12s", at + len(body), b"\0" * 4, 0x04200000, b"mntrRGB XYZ ")
    head += (
        struct.pack(">6H", 2000, 1, 1, 0, 0, 0)
        + b"acsp"
        + b"\0" * 28
        + b"".join(map(_pack_fixed_point, _D50))
        + b"\0" * 48
    )
    return head + struct.pack(">I", len(tags)) + table + body


def _pack_fixed_point(value: float) -> bytes:
    return struct.pack(">i", round(value * 65536))


def convert_to_srgb(image: "Image.Image", profile: bytes) -> "Image.Image | None":
    """Return a picture in sRGB: RGB, or RGBA if it has transparency; None if nothing is to be converted.

    A profile that is damaged, or of other colours than the picture's, is left aside, as viewers do.

    Args:
        image: In any mode of eight bits.
        profile: Of its colours.
    """
    import numpy as np
    from PIL import Image, ImageCms

    alpha = image.convert("RGBA").getchannel("A") if image.has_transparency_data else None
    try:
        source = ImageCms.ImageCmsProfile(io.BytesIO(profile))
        space = source.profile.xcolor_space.strip()
        mode = {"RGB": "RGB", "GRAY": "L", "CMYK": "CMYK"}.get(space)
        grey = image.mode in ("1", "L", "LA", "La")
        # Grey pixels can be read as colours, but nothing else as colours of another kind.
        if mode is None or (mode == "L") > grey or (mode == "CMYK") != (image.mode == "CMYK"):
            return None
        transform = ImageCms.buildTransform(source, ImageCms.createProfile("sRGB"), mode, "RGB")
        ramp = Image.fromarray(_build_sample_colours())
        sample = ramp.convert(mode)
        shown = np.asarray(ImageCms.applyTransform(sample, transform)).astype(int)
        # Profiles of sRGB differ in their last digits, and have many names.
        if mode != "CMYK" and np.abs(shown - np.asarray(sample.convert("RGB"))).max() <= 1:
            return None
        plain = (
            image if image.mode == mode else image.convert(mode) if alpha is None else _drop_transparency(image, mode)
        )
        converted = ImageCms.applyTransform(plain, transform)
    except (ImageCms.PyCMSError, OSError, ValueError, TypeError):
        return None
    if converted is None:
        return None
    if alpha is not None:
        converted.putalpha(alpha)
    return converted


def _drop_transparency(image: "Image.Image", mode: str) -> "Image.Image":
    """Return the colours of a picture without regard to its transparency."""
    from PIL import Image

    colours = Image.merge("RGB", image.convert("RGBA").split()[:3])
    return colours if mode == "RGB" else colours.convert(mode)


def _build_sample_colours() -> "npt.NDArray[np.uint8]":
    import numpy as np

    levels = np.array([0, 40, 90, 140, 200, 255], np.uint8)
    return np.stack(np.meshgrid(levels, levels, levels, indexing="ij"), axis=-1).reshape(6, 36, 3)
