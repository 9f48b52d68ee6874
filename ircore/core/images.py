"""Pictures at the border: opened once, checked, turned into plain RGB, never trusted.

``Picture`` is what players, judges and metrics get: bytes of a PNG file and, decoded at most once, its pixels. It
carries no name, path or metadata, so that nothing but what can be seen reaches a player. A picture is known by the hash
of its pixels (``hash_pixels``), since compressors differ: the same pixels are other files on other systems.

Files that were found to hold the picture that a record states are remembered, so that none is decoded twice for that:
in the process and in the user's folder for caches, each as a hash of the file's bytes, of what the record states and of
the decoder's version. A file is hashed whenever it is read, so that a changed one is not known.
"""

import atexit
import hashlib
import io
import os
import struct
import sys
import warnings
import zlib
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from threading import Lock
from typing import TYPE_CHECKING, Any, Final, Literal, Protocol, TypeAlias, cast

from ircore.core.errors import InputError
from ircore.core.files import AS_BYTES, cache_folder, read_bounded
from ircore.core.picture_colours import PNG, BarePng, convert_to_srgb, strip_png

if TYPE_CHECKING:
    import numpy as np
    import numpy.typing as npt
    from PIL import Image


MOST: Final = 100_000
"""Files that are remembered; beyond that all are forgotten."""

_AT_ONCE: Final = 100
"""Files found intact that are written together, so that another process may be ended at any time and lose few."""

_DIGEST: Final = 32
"""Bytes of a hash."""

_lock = Lock()
_known: set[bytes] = set()
_unsaved: list[bytes] = []
_place: Path | None = None
"""The file in the user's folder for caches that has been read and is added to."""


def hash_file(data: bytes) -> bytes:
    """Return what a file is known by, 32 bytes."""
    return hashlib.sha256(data).digest()


def compute_intact_key(file: bytes, width: int, height: int, sha256: str, bare: bool = False) -> bytes:
    """Return what a file and a record of it are remembered by.

    Args:
        file: ``hash_file`` of its bytes.
        width: Of the picture as recorded, pixels.
        height: Of the picture as recorded, pixels.
        sha256: Hash of the pixels as recorded.
        bare: Whether the file holds no metadata either.
    """
    from PIL import __version__

    stated = f"{__version__} {width} {height} {sha256} {'bare' if bare else ''}\n"
    return hashlib.sha256(stated.encode() + file).digest()


def is_known_intact(key: bytes) -> bool:
    """Return whether the file was found to hold the recorded picture, by this process or by one before."""
    if key in _known:
        return True
    _read()
    return key in _known


def remember_intact(key: bytes) -> None:
    """Remember that the file holds the recorded picture."""
    # First, since it finds the place where it is to be written.
    _read()
    with _lock:
        if len(_known) >= MOST:
            _known.clear()
        _known.add(key)
        _unsaved.append(key)
        if len(_unsaved) >= _AT_ONCE:
            _save()


def _read() -> None:
    """Read what processes before have found, unless that was done."""
    global _place
    folder = cache_folder()
    place = None if folder is None else folder / "intact-pictures"
    if place == _place:
        return
    with _lock:
        _place = place
        _unsaved.clear()
        with suppress(OSError):
            data = place.read_bytes()[: MOST * _DIGEST] if place else b""
            _known.update(data[at : at + _DIGEST] for at in range(0, len(data), _DIGEST))


def _save() -> None:
    """Add what was found; a folder that cannot be written costs another look at the same files."""
    if _place is not None:
        with suppress(OSError):
            _place.parent.mkdir(parents=True, exist_ok=True)
            full = _place.is_file() and _place.stat().st_size >= MOST * _DIGEST
            flags = os.O_WRONLY | os.O_CREAT | os.O_APPEND | AS_BYTES | (os.O_TRUNC if full else 0)
            descriptor = os.open(_place, flags, 0o600)
            try:
                # In one piece, since other processes may add theirs at the same time.
                os.write(descriptor, b"".join(_unsaved))
            finally:
                os.close(descriptor)
    _unsaved.clear()


@atexit.register
def _save_the_last() -> None:
    with _lock:
        if _unsaved:
            _save()


def _begin_in_child() -> None:
    """Leave to the parent what it will write, and the lock that one of its threads may hold."""
    global _lock
    _lock = Lock()
    _unsaved.clear()


if sys.platform != "win32":  # where no process is a copy of another
    os.register_at_fork(after_in_child=_begin_in_child)


# numpy and PIL are imported where pixels are looked at: tables need no picture, players behind a service pass it on.
Pixels: TypeAlias = "npt.NDArray[np.uint8]"
"""Height × width × 3, RGB, 0–255."""

Loading = Literal["upstream", "native"]
"""How pictures are loaded for metrics, see ``ircore.scorers.metrics.base``."""

MAX_BYTES = 32 * 1024 * 1024
MAX_PIXELS = 4096 * 4096
MAX_SIDE = 8192
FORMATS = ("PNG", "JPEG", "WEBP", "GIF")
MOST_SCANS = 100
"""Passes over its pixels that a JPEG file may ask for: encoders make about ten, a small file could ask for millions."""

RESTORE = "Restore the file from a copy."
UNDECODABLE = (OSError, SyntaxError, ValueError, EOFError)
"""What Pillow raises over damaged files, beside its own error for pictures that are too large."""

_METADATA = frozenset(
    {"exif", "xmp", "xml:com.adobe.xmp", "comment", "photoshop", "raw profile type exif", "parameters"}
)
"""Names, in lower case, of picture metadata in Pillow: camera, place, author or prompt."""

BACKDROP = (255, 255, 255)
"""Transparent pixels are shown on white."""


class ImageError(InputError):
    """A file that is not a usable picture.

    >>> Picture.read_untrusted(b"no picture", "a.png")
    Traceback (most recent call last):
    ...
    ircore.core.images.ImageError: a.png: the file is not a PNG, JPEG, WebP or GIF picture
    Convert the file to PNG.
    """


class KnownPicture(Protocol):
    """What a record states of a picture."""

    @property
    def sha256(self) -> str:
        """Hash of the pixels."""

    @property
    def width(self) -> int:
        """Pixels."""

    @property
    def height(self) -> int:
        """Pixels."""


def hash_pixels(pixels: Pixels) -> str:
    """Return the SHA-256 of a picture: of its width and height, four bytes each, and of its RGB bytes, row by row.

    Args:
        pixels: Height × width × 3, uint8.
    """
    rows = pixels.data if pixels.flags.c_contiguous else pixels.tobytes()
    return _hash_rgb(pixels.shape[1], pixels.shape[0], rows)


def _hash_rgb(width: int, height: int, rows: "bytes | memoryview") -> str:
    digest = hashlib.sha256(struct.pack(">II", width, height))
    digest.update(rows)
    return digest.hexdigest()


SMALL_SIDE = 32
"""Longer side of the small grey picture that is kept of a rendering, in pixels."""


def shrink_image(image: "Image.Image", side: int = SMALL_SIDE) -> "Image.Image":
    """Return a picture in 256 greys, its longer side scaled to ``side`` pixels, each the mean of what it covers."""
    from PIL import Image

    scale = side / max(image.size)
    size = (max(1, round(image.width * scale)), max(1, round(image.height * scale)))
    return image.convert("L").resize(size, Image.Resampling.BOX)


@dataclass(frozen=True, eq=False)
class Picture:
    """An RGB picture as an encoded file in memory.

    >>> import numpy as np
    >>> white = Picture.from_pixels(np.full((20, 40, 3), 255, np.uint8))
    >>> white.width, white.height, white.pixels.max()
    (40, 20, np.uint8(255))

    Attributes:
        data: The bytes of a PNG or JPEG file.
        width: In pixels.
        height: In pixels.
        changes: Conversions to plain RGB (``"alpha on white"`` …); empty if none was needed.
    """

    data: bytes = field(repr=False)
    width: int
    height: int
    changes: tuple[str, ...] = ()

    def __reduce__(self) -> tuple[type["Picture"], tuple[bytes, int, int, tuple[str, ...]]]:
        """Send only the encoded file to another process, which may be unable to read a stored picture."""
        return (Picture, (self.data, self.width, self.height, self.changes))

    @cached_property
    def sha256(self) -> str:
        """What the picture is known by: the hash of its pixels (``hash_pixels``)."""
        return hash_pixels(self.pixels)

    @cached_property
    def pixels(self) -> Pixels:
        """Height × width × 3 array of RGB values 0–255, read-only, decoded on first use."""
        import numpy as np
        from PIL import Image

        with Image.open(io.BytesIO(self.data)) as image:
            return _freeze(np.asarray(convert_to_rgb(image)))

    @classmethod
    def from_pixels(cls, pixels: Pixels, changes: tuple[str, ...] = ()) -> "Picture":
        """Encode an RGB array as PNG.

        Args:
            pixels: Height × width × 3, uint8; kept, so that it is not decoded again.
            changes: Conversions to plain RGB.

        Raises:
            ImageError: The array has another shape or type, such as one of greys or with transparency.
        """
        from PIL import Image

        if pixels.ndim != 3 or pixels.shape[2] != 3 or not pixels.size or pixels.dtype != "uint8":
            shape = " × ".join(map(str, pixels.shape))
            raise ImageError(f"a picture of {shape}, {pixels.dtype}", "Give height × width × 3 (RGB), uint8.")
        file = io.BytesIO()
        # Level 4 packs drawn pictures as well as the usual 6 does, and photographs in less than half the time.
        Image.fromarray(pixels).save(file, "PNG", compress_level=4)
        picture = cls(file.getvalue(), pixels.shape[1], pixels.shape[0], changes)
        # In place of the cached property, which would decode what was just encoded.
        picture.__dict__.update(pixels=_freeze(pixels), is_bare=True)
        return picture

    @classmethod
    def read_untrusted(cls, data: bytes, name: str) -> "Picture":
        """Check a file from a stranger and turn it into a plain RGB PNG, which drops all but the pixels.

        A PNG of 8-bit RGB keeps its packed rows, every other file is encoded anew, which takes longer than all else.

        Args:
            data: The file's bytes.
            name: What to call it in an error message.

        Raises:
            ImageError: It is empty, truncated, too large, or no PNG, JPEG, WebP or GIF.
        """
        image, changes = _open(data, name)
        with image:
            rendered = _render_as_rgb(image, changes)
        plain = None if changes else _keep_rows(data)
        if plain is None:
            import numpy as np

            return cls.from_pixels(np.asarray(rendered), tuple(changes))
        # Without NumPy, which players behind a service do not need otherwise.
        picture = cls(plain, rendered.width, rendered.height)
        sha256 = _hash_rgb(rendered.width, rendered.height, rendered.tobytes())
        picture.__dict__.update(sha256=sha256, is_bare=True, small_grey=shrink_image(rendered))
        return picture

    @classmethod
    def from_own_file(cls, data: bytes, known: KnownPicture, where: str, remedy: str = RESTORE) -> "Picture":
        """Return a picture that was recorded, after comparing size and pixels with its record, once a file.

        Args:
            data: The file's bytes, kept as they are.
            known: What the record states.
            where: What to call the file in an error message.
            remedy: What to do if it is not the picture.

        Raises:
            ImageError: The file is damaged or shows another picture.
        """
        picture = cls(data, known.width, known.height)
        file, stated = hash_file(data), (known.width, known.height, known.sha256)
        if is_known_intact(compute_intact_key(file, *stated)):
            picture.__dict__["sha256"] = known.sha256
            return picture
        import numpy as np
        from PIL import Image

        bare = False
        try:
            with Image.open(io.BytesIO(data), formats=FORMATS) as image:
                # Before decoding: a file of some kilobytes can hold a picture that fills the memory.
                if image.size == (known.width, known.height) and known.width * known.height <= MAX_PIXELS:
                    picture.__dict__["pixels"] = _freeze(np.asarray(convert_to_rgb(image)))
                    bare = not list_metadata_names(image)
        except (*UNDECODABLE, Image.DecompressionBombError):
            pass
        if not picture.is_decoded or picture.sha256 != known.sha256:
            raise ImageError(f"{where}: damaged, not the picture that was recorded", remedy)
        remember_intact(compute_intact_key(file, *stated))
        if bare:
            remember_intact(compute_intact_key(file, *stated, bare=True))
        return picture

    @property
    def is_decoded(self) -> bool:
        """Whether its pixels are in memory."""
        return "pixels" in self.__dict__

    @property
    def small_grey(self) -> "Image.Image | None":
        """The picture in grey, ``SMALL_SIDE`` pixels long; None if its file would have to be decoded for that."""
        if not self.is_decoded:
            return cast("Image.Image | None", self.__dict__.get("small_grey"))
        from PIL import Image

        return shrink_image(Image.fromarray(self.pixels))

    def without_pixels(self) -> "Picture":
        """Return the picture without its pixels in memory, but with what was computed of them."""
        known = {"sha256": self.sha256, "small_grey": self.small_grey, "is_bare": self.__dict__.get("is_bare", False)}
        picture = Picture(self.data, self.width, self.height, self.changes)
        picture.__dict__.update(known)
        return picture

    def remember(self) -> None:
        """Remember that the file shows what the picture is known by, if this process has packed or unpacked its pixels.

        Whoever reads the same bytes as ``from_own_file``, now or in a later command, need not decode them to see that.
        """
        if not self.is_decoded and not self.__dict__.get("is_bare"):
            return
        file = hash_file(self.data)
        for bare in (False, True) if self.__dict__.get("is_bare") else (False,):
            remember_intact(compute_intact_key(file, self.width, self.height, self.sha256, bare))

    @classmethod
    def stored(cls, path: Path, sha256: str, width: int, height: int) -> "Picture":
        """Return a picture whose bytes stay in a file that this package wrote, read whenever they are asked for."""
        return _StoredPicture(path, sha256, width, height)


class _StoredPicture(Picture):
    """A picture whose bytes stay in a file, so that an episode can hold all its renderings without memory."""

    def __init__(self, path: Path, sha256: str, width: int, height: int) -> None:
        self.__dict__.update(path=path, sha256=sha256, width=width, height=height, changes=())

    @property
    def data(self) -> bytes:
        return read_image_bytes(self.__dict__["path"], RESTORE)

    def remember(self) -> None:
        """Remember nothing: the hash of the pixels is what the record says, and nobody has compared them."""


def read_picture(path: Path) -> Picture:
    """Read a picture from a file that may come from anyone.

    Raises:
        ImageError: The file is missing, unreadable or not a usable picture.
    """
    return Picture.read_untrusted(read_image_bytes(path), str(path))


def read_stored_pixels(path: Path) -> Pixels:
    """Read a picture's pixels as they are stored: EXIF orientation ignored, transparency dropped, 16 bit scaled to 8.

    This is how published image metrics were computed; ``read_picture`` shows what a viewer shows.

    Raises:
        ImageError: The file is missing, unreadable or not a usable picture.
    """
    image, _ = _open(read_image_bytes(path), str(path))
    with image:
        return decode_stored_pixels(image)


def decode_stored_pixels(image: "Image.Image") -> Pixels:
    """Return the pixels of an opened picture as they are stored, see ``read_stored_pixels``."""
    import numpy as np

    plain = _convert_16_bit(image) if image.mode.startswith("I") or image.mode == "F" else image
    return _freeze(np.asarray(plain.convert("RGB")))


def convert_to_rgb(image: "Image.Image") -> "Image.Image":
    """Return a picture in RGB: itself, where it is, since Pillow would copy it."""
    return image if image.mode == "RGB" else image.convert("RGB")


def list_metadata_names(image: "Image.Image") -> set[str]:
    """Return the names of a decoded picture's metadata, text chunks of PNG files included; empty without metadata."""
    names = {str(name) for name in image.info if str(name).lower() in _METADATA} | set(getattr(image, "text", {}))
    return names | {"EXIF"} if image.getexif() else names


def decode_viewed_pixels(image: "Image.Image") -> Pixels:
    """Return the pixels of an opened picture as a viewer shows them, on white."""
    import numpy as np

    return _freeze(np.asarray(_render_as_rgb(image, [])))


def read_image_bytes(path: Path, remedy: str = "Check the path.") -> bytes:
    """Read an image file's bytes.

    Args:
        path: The file.
        remedy: What to do if it cannot be read.

    Raises:
        ImageError: The file is missing, unreadable or larger than ``MAX_BYTES``.
    """
    return read_bounded(path, MAX_BYTES, remedy, "Use a smaller file.", ImageError)


def _open(data: bytes, name: str) -> "tuple[Image.Image, list[str]]":
    """Open and fully decode, with our own limit on pixels checked before any is decoded."""
    from PIL import Image, UnidentifiedImageError

    if not data:
        raise ImageError(f"{name}: the file is empty", "Replace the file with a PNG, JPEG, WebP or GIF picture.")
    if data.startswith(b"\xff\xd8") and data.count(b"\xff\xda") > MOST_SCANS:
        raise ImageError(
            f"{name}: the file has more than {MOST_SCANS} scans", "Save the picture again from its source."
        )
    # Long texts in a PNG file are no damage, and Pillow refuses them: such metadata is dropped unread.
    bare = strip_png(data) if data.startswith(PNG) else BarePng(data, None)
    try:
        with warnings.catch_warnings():
            # Pillow warns of large pictures and damaged EXIF; the first has a limit of our own, the second is harmless.
            warnings.simplefilter("ignore")
            image = Image.open(io.BytesIO(bare.data), formats=FORMATS)
        if image.width * image.height > MAX_PIXELS or max(image.size) > MAX_SIDE:
            raise ImageError(
                f"{name}: {image.width} × {image.height} pixels is too large",
                f"Reduce the picture to at most {MAX_PIXELS:,} pixels and {MAX_SIDE:,} a side.",
            )
        changes = ["first frame"] if getattr(image, "n_frames", 1) > 1 else []
        # Opening reads the header alone; damage further on shows only now.
        image.load()
        _note_colours(image, bare)
    except Image.DecompressionBombError as error:
        raise ImageError(
            f"{name}: the picture has too many pixels", f"Reduce the picture to at most {MAX_PIXELS:,} pixels."
        ) from error
    except UnidentifiedImageError as error:
        raise ImageError(
            f"{name}: the file is not a PNG, JPEG, WebP or GIF picture", "Convert the file to PNG."
        ) from error
    except UNDECODABLE as error:
        raise ImageError(
            f"{name}: the picture is damaged or truncated ({error})", "Save the picture again from its source."
        ) from error
    return image, changes


def fills_exactly(packed: Sequence[bytes], width: int, height: int) -> bool:
    """Return whether the stream of a PNG file of 8-bit RGB holds the picture's pixels and no byte more.

    Never more than one picture's bytes are unpacked.

    Args:
        packed: The contents of its IDAT chunks.
        width: In pixels.
        height: In pixels.
    """
    wanted, length, stream = height * (1 + 3 * width), 0, zlib.decompressobj()
    try:
        for part in packed:
            while part and length <= wanted:
                length += len(stream.decompress(part, min(1 << 20, wanted + 1 - length)))
                part = stream.unconsumed_tail
    except zlib.error:
        return False
    return length == wanted and stream.eof and not stream.unused_data


def _keep_rows(data: bytes) -> bytes | None:
    """Return a PNG file of 8-bit RGB reduced to its packed rows; None if the file has to be encoded anew."""
    if not data.startswith(PNG) or data[24:29] != _RGB_8_BIT:
        return None
    rows, at, kind = [], 33, b""  # behind the head
    while kind != b"IEND" and at + 8 <= len(data):
        size, kind = int.from_bytes(data[at : at + 4]), data[at + 4 : at + 8]
        if kind == b"IDAT":
            rows.append(data[at + 8 : at + 8 + size])
        elif kind[:1].isupper() and kind != b"IEND":
            return None  # a second head, say, which readers would go by
        at += size + 12
    # Behind the pixels a stream may carry a message that no viewer shows.
    if not fills_exactly(rows, *struct.unpack(">II", data[16:24])):
        return None
    chunks = ((b"IHDR", data[16:29]), (b"IDAT", b"".join(rows)), (b"IEND", b""))
    return PNG + b"".join(
        struct.pack(">I", len(content)) + name + content + struct.pack(">I", zlib.crc32(name + content))
        for name, content in chunks
    )


_RGB_8_BIT = b"\x08\x02\0\0\0"
"""What stands in the head of a PNG file of 8-bit RGB that is not interlaced."""


def _note_colours(image: "Image.Image", bare: BarePng) -> None:
    """Put into a picture's ``info`` what is known of its colours, and mend what Pillow says of a PNG file's."""
    if bare.profile is not None:
        image.info["icc_profile"] = bare.profile
    see_through = image.info.get("transparency")
    if bare.data.startswith(PNG) and isinstance(see_through, (int, tuple)):
        depth = bare.data[24]
        # Of pixels with 16 bits the upper eight stay, those with 2 or 4 are spread to 8: so is the named one.
        if depth == 16 and isinstance(see_through, tuple):
            image.info["transparency"] = tuple(value >> 8 for value in see_through)
        elif depth in (2, 4) and image.mode == "L" and isinstance(see_through, int):
            image.info["transparency"] = see_through * 255 // (2**depth - 1)


def _render_as_rgb(image: "Image.Image", changes: list[str]) -> "Image.Image":
    """Convert a picture of any mode to RGB as a viewer would show it; each conversion is added to ``changes``."""
    from PIL import Image

    # First, since conversions drop the EXIF data that says how the picture lies.
    if 2 <= (orientation := _read_orientation(image)) <= 8:
        image = image.transpose(Image.Transpose[_TURNS[orientation - 2]])
        changes.append("turned as its EXIF says")
    if image.mode.startswith("I") or image.mode == "F":
        image = _convert_16_bit(image)
        changes.append("16 bit scaled to 8")
    profile = image.info.get("icc_profile")
    if isinstance(profile, bytes) and profile and (converted := convert_to_srgb(image, profile)) is not None:
        changes += [] if image.mode in ("RGB", "RGBA") else [f"{image.mode} to RGB"]
        image = converted
        changes.append("colour profile to sRGB")
    if image.has_transparency_data:
        layer = image.convert("RGBA")
        backdrop = Image.new("RGBA", layer.size, (*BACKDROP, 255))
        image = Image.alpha_composite(backdrop, layer)
        changes.append("alpha on white")
    elif image.mode != "RGB":
        changes.append(f"{image.mode} to RGB")
    return image if image.mode == "RGB" else image.convert("RGB")


def _read_orientation(image: "Image.Image") -> int:
    """Return the EXIF orientation; 1 (upright) if EXIF is damaged, as viewers do."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", UserWarning)
        try:
            orientation = image.getexif().get(0x0112, 1)
        except (SyntaxError, ValueError, struct.error):
            return 1
    return orientation if isinstance(orientation, int) else 1


_TURNS = ("FLIP_LEFT_RIGHT", "ROTATE_180", "FLIP_TOP_BOTTOM", "TRANSPOSE", "ROTATE_270", "TRANSVERSE", "ROTATE_90")
"""Transpositions that show pictures of the EXIF orientations 2 to 8 upright (EXIF 2.3, tag 0x0112)."""


def _convert_16_bit(image: "Image.Image") -> "Image.Image":
    import numpy as np
    from PIL import Image

    values: npt.NDArray[Any] = np.asarray(image).astype(np.float64)
    # 65535 / 255 = 257: white stays white.
    grey = Image.fromarray(np.clip(values / 257.0, 0, 255).round().astype(np.uint8))
    if isinstance(see_through := image.info.get("transparency"), int):
        grey.putalpha(Image.fromarray(np.where(values == see_through, 0, 255).astype(np.uint8)))
    grey.info["icc_profile"] = image.info.get("icc_profile")
    return grey


def _freeze(pixels: Pixels) -> Pixels:
    view = pixels.view()
    view.flags.writeable = False
    return view
