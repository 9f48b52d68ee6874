"""Files that strangers may hand in as pictures, each with what it is refused with."""

import io
import struct
import zlib
from typing import Any

from PIL import Image


def chunk(kind: bytes, content: bytes = b"") -> bytes:
    return struct.pack(">I", len(content)) + kind + content + struct.pack(">I", zlib.crc32(kind + content))


def png(width: int = 96, height: int = 96, rest: bytes = b"\x08\x02\0\0\0", packed: bytes | None = None) -> list[bytes]:
    """The chunks of a picture, for putting others between them."""
    rows = zlib.compress(b"\0" * (height * (1 + 3 * width))) if packed is None else packed
    return [chunk(b"IHDR", struct.pack(">II", width, height) + rest), chunk(b"IDAT", rows), chunk(b"IEND")]


def file(*chunks: bytes) -> bytes:
    return b"\x89PNG\r\n\x1a\n" + b"".join(chunks)


def saved(kind: str, mode: str = "RGB", **options: Any) -> bytes:
    buffer = io.BytesIO()
    Image.new(mode, (96, 96)).save(buffer, kind, **options)
    return buffer.getvalue()


HEAD, PIXELS, TAIL = png()
SVG = b'<svg xmlns="http://www.w3.org/2000/svg" onload="alert(1)"/>'
BEYOND = zlib.compress(b"\0" * (96 * 289 + 40_000_000))
PICTURES: dict[str, tuple[bytes, str]] = {
    "claims to be 60000 pixels a side": (file(*png(60_000, 60_000, packed=b"x")), "60000 × 60000 pixels is too large"),
    "is 12000 pixels a side": (file(*png(12_000, 12_000, packed=b"x")), "12000 × 12000 pixels is too large"),
    "unpacks to more than its pixels": (file(HEAD, chunk(b"IDAT", BEYOND), TAIL), "do not fill 96 × 96, or more"),
    "has fewer pixels than it says": (file(*png(packed=zlib.compress(b"\0" * 99))), "do not fill 96 × 96"),
    "SVG": (SVG, "not a PNG file"),
    "HTML": (b"<html><script>alert(1)</script>", "not a PNG file"),
    "PDF": (b"%PDF-1.7\n", "not a PNG file"),
    "EPS": (b"%!PS-Adobe-3.0 EPSF-3.0\n", "not a PNG file"),
    "JPEG": (saved("JPEG"), "not a PNG file"),
    "WebP": (saved("WEBP"), "not a PNG file"),
    "GIF": (saved("GIF"), "not a PNG file"),
    "TIFF": (saved("TIFF"), "not a PNG file"),
    "empty": (b"", "not a PNG file"),
    "animated GIF": (
        saved("GIF", "P", save_all=True, append_images=[Image.new("P", (96, 96), 3)], loop=0), "not a PNG file",
    ),
    "animated PNG": (
        saved("PNG", save_all=True, append_images=[Image.new("RGB", (96, 96), "red")]), "chunk 'acTL'",
    ),
    "HTML after the picture": (file(HEAD, PIXELS, TAIL) + b"<script>alert(1)</script>", "25 bytes after the picture"),
    "ZIP after the picture": (file(HEAD, PIXELS, TAIL) + b"PK\3\4" + b"\0" * 30, "34 bytes after the picture"),
    "a file inside the last chunk": (file(HEAD, PIXELS, chunk(b"IEND", SVG)), "holds data beside its pixels"),
    "a file behind the pixels' stream": (
        file(HEAD, chunk(b"IDAT", zlib.compress(b"\0" * 96 * 289) + SVG), TAIL), "or more follows them",
    ),
    "a prompt in a text chunk": (file(HEAD, chunk(b"tEXt", b"prompt\0hf_" + b"a" * 30), PIXELS, TAIL), "chunk 'tEXt'"),
    "international text": (file(HEAD, chunk(b"iTXt", b"XML\0\0\0\0\0x"), PIXELS, TAIL), "chunk 'iTXt'"),
    "packed text that is a bomb": (
        file(HEAD, chunk(b"zTXt", b"a\0\0" + zlib.compress(b"x" * 10_000_000)), PIXELS, TAIL), "chunk 'zTXt'",
    ),
    "EXIF with a place": (file(HEAD, chunk(b"eXIf", b"MM\0*\0\0\0\x08"), PIXELS, TAIL), "chunk 'eXIf'"),
    "a colour profile": (file(HEAD, chunk(b"iCCP", b"x\0\0" + zlib.compress(b"p")), PIXELS, TAIL), "chunk 'iCCP'"),
    "a chunk whose name is a command": (file(HEAD, chunk(b"\x1b[2J"), PIXELS, TAIL), r"chunk '\x1b[2J'"),
    "two headers": (file(HEAD, HEAD, PIXELS, TAIL), "a damaged PNG file"),
    "no header": (file(PIXELS, TAIL), "a damaged PNG file"),
    "cut off": (file(HEAD, PIXELS, TAIL)[:-20], "a truncated PNG file"),
    "a chunk longer than the file": (file(HEAD, struct.pack(">I", 2**31 - 1) + b"IDAT", TAIL), "a truncated PNG file"),
    "a wrong checksum": (file(HEAD, PIXELS[:-1] + b"!", TAIL), "damaged PNG file (checksum)"),
    "not packed pixels": (file(HEAD, chunk(b"IDAT", b"pixels"), TAIL), "do not fill 96 × 96"),
    "a filter that does not exist": (file(*png(packed=zlib.compress(b"\xff" * 96 * 289))), "damaged or truncated"),
    "no size": (file(*png(0, 96)), "0 × 96 pixels is too large"),
    "16 bit": (file(*png(rest=b"\x10\x02\0\0\0")), "not a PNG file of 8-bit RGB"),
    "a palette": (saved("PNG", "P"), "not a PNG file of 8-bit RGB"),
    "transparency": (saved("PNG", "RGBA"), "not a PNG file of 8-bit RGB"),
    "grey": (saved("PNG", "L"), "not a PNG file of 8-bit RGB"),
    "two pictures in one file": (file(HEAD, PIXELS, TAIL) * 2, "bytes after the picture"),
    "a picture after nothing": (b"\0" * 8 + file(HEAD, PIXELS, TAIL), "not a PNG file"),
    "interlaced": (file(*png(rest=b"\x08\x02\0\0\1")), "not a PNG file of 8-bit RGB"),
    "another size than stated": (file(*png(64, 64)), "is 64 × 64 pixels, the transcript says otherwise"),
}  # fmt: skip
