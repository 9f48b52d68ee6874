"""Colour profiles and PNG files made by hand, from the rules of the ICC (ICC.1) and of the W3C (PNG, third edition)."""

import struct
import zlib
from collections.abc import Sequence

DISPLAY_P3 = ((0.51512, 0.24120, -0.00105), (0.29198, 0.69225, 0.04189), (0.15710, 0.06657, 0.78407))
ADOBE_RGB = ((0.60974, 0.31111, 0.01947), (0.20528, 0.62567, 0.06087), (0.14919, 0.06322, 0.74457))
"""Colorants X, Y, Z of red, green and blue, adapted to D50, as the published profiles have them."""

D50 = (0.9642, 1.0, 0.8249)


def colours_profile(colorants: Sequence[Sequence[float]], gamma: float = 2.2) -> bytes:
    """Return a profile of a display."""
    tags = [(name, _xyz(*light)) for name, light in zip((b"rXYZ", b"gXYZ", b"bXYZ"), colorants, strict=True)]
    curves = [(name, _curve(gamma)) for name in (b"rTRC", b"gTRC", b"bTRC")]
    return _profile(b"mntr", b"RGB ", b"XYZ ", [*tags, *curves])


def grey_profile(gamma: float) -> bytes:
    """Return a profile of a grey scale."""
    return _profile(b"mntr", b"GRAY", b"XYZ ", [(b"kTRC", _curve(gamma))])


def inks_profile(solids: Sequence[tuple[int, int, int]]) -> bytes:
    """Return a profile of a printer by the colours, L 0–100, a, b, of its inks at 0 or 1.

    Args:
        solids: Sixteen colours, cyan changing slowest and black fastest.
    """
    identity = bytes(range(256))
    table = bytes(byte for lightness, a, b in solids for byte in (round(lightness * 255 / 100), a + 128, b + 128))
    matrix = b"".join(struct.pack(">i", 65536 if row == column else 0) for row in range(3) for column in range(3))
    lut = b"mft1\0\0\0\0" + bytes((4, 3, 2, 0)) + matrix + identity * 4 + table + identity * 3
    return _profile(b"prtr", b"CMYK", b"Lab ", [(b"A2B0", lut)])


def _profile(kind: bytes, space: bytes, connection: bytes, tags: list[tuple[bytes, bytes]]) -> bytes:
    tags = [(b"wtpt", _xyz(*D50)), *tags]
    at, table, body = 132 + 12 * len(tags), b"", b""
    for name, content in tags:
        content += b"\0" * (-len(content) % 4)
        table += name + struct.pack(">II", at + len(body), len(content))
        body += content
    head = struct.pack(">I4sI", at + len(body), b"\0" * 4, 0x02400000) + kind + space + connection
    head += struct.pack(">6H", 2026, 1, 1, 0, 0, 0) + b"acsp" + b"\0" * 28 + _xyz(*D50)[8:] + b"\0" * 48
    return head + struct.pack(">I", len(tags)) + table + body


def _xyz(*values: float) -> bytes:
    return b"XYZ \0\0\0\0" + b"".join(struct.pack(">i", round(value * 65536)) for value in values)


def _curve(gamma: float) -> bytes:
    return b"curv\0\0\0\0" + struct.pack(">IH", 1, round(gamma * 256))


def chunk(kind: bytes, content: bytes = b"") -> bytes:
    """Return a chunk of a PNG file."""
    return struct.pack(">I", len(content)) + kind + content + struct.pack(">I", zlib.crc32(kind + content))


def png(width: int, height: int, depth: int, colour: int, rows: bytes, *more: tuple[bytes, bytes]) -> bytes:
    """Return a PNG file of rows that begin with their filter's number; ``more`` chunks stand before the pixels."""
    header = struct.pack(">IIBBBBB", width, height, depth, colour, 0, 0, 0)
    before = b"".join(chunk(kind, content) for kind, content in more)
    pixels = chunk(b"IDAT", zlib.compress(rows))
    return b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", header) + before + pixels + chunk(b"IEND")


def packed_profile(profile: bytes) -> tuple[bytes, bytes]:
    """Return a profile as a chunk of a PNG file."""
    return b"iCCP", b"p\0\0" + zlib.compress(profile)


def chromaticities(*values: float) -> tuple[bytes, bytes]:
    """Return x, y of white, red, green and blue as a chunk of a PNG file."""
    return b"cHRM", struct.pack(">8I", *(round(value * 100_000) for value in values))


def gamma(value: float) -> tuple[bytes, bytes]:
    """Return the exponent of a PNG file's values as a chunk."""
    return b"gAMA", struct.pack(">I", round(value * 100_000))
