"""Renderings of packed transcripts: checked as a stranger's files, then kept as this package encodes their pixels.

Texts drawn into renderings, read by optical character recognition: a model that judges reads them too.
"""

import struct
import zlib
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path

from ircore.core.episode_records import Rendering
from ircore.core.errors import InputError
from ircore.core.files import write_bytes
from ircore.core.images import MAX_PIXELS, MAX_SIDE, ImageError, Picture
from ircore.core.plain_words import format_count
from ircore.core.progress import track_progress
from ircore.instances.store import InstanceSet
from ircore.runs.events import Call
from ircore.runs.provenance import Evidence, Flag
from ircore.seeing.ocr import find_missing_ocr_package, read_text
from ircore.submissions.rescoring.copies import CopyComparison
from ircore.submissions.rescoring.messages import addresses_a_judge
from ircore.submissions.rescoring.packed_transcripts import PackedRun, rendering_name

SIGNATURE = b"\x89PNG\r\n\x1a\n"
_RGB_8_BIT = b"\x08\x02\0\0\0"
MAX_CHUNKS = 10_000
"""Chunks of a file: the largest picture has 6,200, of 8 KiB each as libpng writes them."""

_SLACK = 64 * 1024
"""Bytes that a file may have beyond its pixels unpacked: no encoder needs more than that and a hundredth."""

_REMEDY = "Make the transcripts with: ircore submission pack"


def read_clean_png(data: bytes, name: str) -> Picture:
    """Return the picture of a stranger's file after checking that it is a clean PNG file.

    Args:
        data: The file's bytes.
        name: Name of the file for error messages.

    Raises:
        ImageError: It is not; the message says what is in the way.
    """
    if not data.startswith(SIGNATURE):
        raise ImageError(f"{name}: not a PNG file", _REMEDY)
    header, packed = b"", []
    at, kind, chunks = len(SIGNATURE), b"", 0
    while kind != b"IEND":
        kind, content, at = _chunk(data, at, name)
        if (chunks := chunks + 1) > MAX_CHUNKS:
            raise ImageError(f"{name}: more than {MAX_CHUNKS:,} chunks", _REMEDY)
        # The header is the first chunk and the only one of its kind.
        if (kind == b"IHDR") == bool(header):
            raise ImageError(f"{name}: a damaged PNG file", _REMEDY)
        if kind == b"IHDR":
            header = content
            _check_header(header, name, len(data))
        elif kind == b"IDAT":
            packed.append(content)
        elif kind != b"IEND" or content:
            raise ImageError(f"{name}: holds data beside its pixels (chunk {kind.decode('latin-1')!a})", _REMEDY)
    if at != len(data):
        raise ImageError(f"{name}: {format_count(len(data) - at, 'byte')} after the picture's end", _REMEDY)
    width, height = struct.unpack(">II", header[:8])
    if not _fills_exactly(packed, width, height):
        raise ImageError(f"{name}: its pixels do not fill {width} × {height}, or more follows them", _REMEDY)
    # Decoded by the library that everything else will use: filters are only known to be sound then.
    return Picture.from_untrusted(data, name)


def _chunk(data: bytes, at: int, name: str) -> tuple[bytes, bytes, int]:
    """Return kind and content of the chunk at a position, and the position of the next chunk."""
    if at + 12 > len(data):
        raise ImageError(f"{name}: a truncated PNG file", _REMEDY)
    size = int.from_bytes(data[at : at + 4])
    end = at + 12 + size
    if end > len(data):
        raise ImageError(f"{name}: a truncated PNG file", _REMEDY)
    kind, content = data[at + 4 : at + 8], data[at + 8 : end - 4]
    if zlib.crc32(data[at + 4 : end - 4]) != int.from_bytes(data[end - 4 : end]):
        raise ImageError(f"{name}: a damaged PNG file (checksum)", _REMEDY)
    return kind, content, end


def _check_header(header: bytes, name: str, size: int) -> None:
    if len(header) != 13 or header[8:] != _RGB_8_BIT:
        raise ImageError(f"{name}: not a PNG file of 8-bit RGB, not interlaced", _REMEDY)
    width, height = struct.unpack(">II", header[:8])
    if not 0 < width * height <= MAX_PIXELS or max(width, height) > MAX_SIDE:
        raise ImageError(
            f"{name}: {width} × {height} pixels is too large", f"At most {MAX_PIXELS:,} pixels, {MAX_SIDE:,} a side."
        )
    # A pixel has three bytes and each row a byte for its filter; packed, random pixels grow by less than a hundredth.
    if size > 1.01 * 3 * width * height + height + _SLACK:
        raise ImageError(f"{name}: {size:,} bytes are more than {width} × {height} pixels can need", _REMEDY)


def _fills_exactly(packed: Sequence[bytes], width: int, height: int) -> bool:
    """Say whether the stream of a PNG file of 8-bit RGB holds the picture's pixels and no byte more.

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


MEAN_PIXELS = 2048 * 2048
"""Pixels of a run's renderings on average: a small file can hold 16 million, and a run has thousands of files."""

LEAST_PICTURES = 4
"""Renderings whose pixels any run may have, so that a run of one large picture is no fault."""


class PackedPictures:
    """The renderings of packed transcripts.

    >>> from ircore.submissions.rescoring.packed_transcripts import read_packed
    >>> from ircore.submissions.rescoring.packing import pack
    >>> packed = pack(Path("run"), Path("packed"))
    >>> list(PackedPictures(read_packed(packed.folder / packed.index.run, packed.index.run)).faults())
    []
    """

    def __init__(self, packed: PackedRun) -> None:
        self._packed = packed
        self._sizes = {
            event.rendering.sha256: (event.rendering.width, event.rendering.height)
            for event in packed.events
            if isinstance(event, Call) and event.rendering is not None
        }

    def stored(self, rendering: Rendering) -> Picture:
        """Return a checked rendering, whose file is read when the pixels are needed."""
        path = self._packed.folder / rendering_name(rendering.sha256)
        return Picture.stored(path, rendering.sha256, rendering.width, rendering.height)

    def faults(self) -> Iterator[str]:
        """Yield the faults of the picture files."""
        there = {path.stem for path in (self._packed.folder / "renderings").glob("*.png")}
        pixels = sum(width * height for width, height in self._sizes.values())
        if pixels > (budget := max(len(self._sizes), LEAST_PICTURES) * MEAN_PIXELS):
            # No picture is decoded then.
            yield f"renderings: {pixels:,} pixels in all, more than {budget:,}: {MEAN_PIXELS:,} for each on average"
            return
        for sha256 in sorted(there - self._sizes.keys()):
            yield f"renderings/{sha256[:12]}….png: in no turn of the transcript"
        for sha256 in track_progress(sorted(self._sizes), "pictures", len(self._sizes)):
            name = f"renderings/{sha256[:12]}….png"
            if sha256 not in there:
                yield f"{name}: is missing"
            elif fault := self._fault(sha256, name):
                yield fault

    def _fault(self, sha256: str, name: str) -> str | None:
        try:
            picture = read_clean_png(self._packed.rendering_bytes(sha256), name)
        except InputError as error:
            return error.problem
        # Readers find a rendering by its name.
        if picture.sha256 != sha256:
            return f"{name}: is not named by the SHA-256 of its pixels"
        # The stated size decides how many pixels the run is said to have in all.
        if (picture.width, picture.height) != self._sizes[sha256]:
            return f"{name}: is {picture.width} × {picture.height} pixels, the transcript says otherwise"
        return None

    def store(self, folder: Path) -> None:
        """Store every rendering as this package encodes its pixels, so that nothing else of a stranger's file is kept.

        Args:
            folder: Where files are stored under their hashes.
        """
        for sha256 in sorted(self._sizes):
            write_bytes(folder / f"{sha256}.png", read_clean_png(self._packed.rendering_bytes(sha256), sha256).data)


Reader = Callable[[Picture], str]
"""Returns the text in a picture, line by line."""

SURE = 0.5
"""Confidence of the recogniser, 0–1, from which on a line counts."""

UNREAD = "texts in renderings were not read: pip install 'ircore[ocr]'"


def reader() -> Reader | None:
    """Return a reader of texts in pictures that reads each picture once for all processes; None without ``ocr``."""
    return None if find_missing_ocr_package() else _text_in


def texts_to_a_judge(comparison: CopyComparison, instances: InstanceSet, read: Reader | None) -> Iterator[Flag]:
    """Yield renderings with a text for a judge that their target does not show.

    Pictures that an offline player drew again from the recorded words are not read: the words themselves are looked at.

    Args:
        comparison: The renderings of a transcript.
        instances: The set that was played.
        read: Returns the text in a picture; None to read nothing.
    """
    if read is None:
        return
    by_name = {instance.instance_id: instance for instance in instances.instances}
    for name, drawn in comparison.drawings.items():
        for sha256, step in drawn.items():
            if (name, sha256) in comparison.reproduced:
                continue
            text = read(comparison.picture(sha256))
            if not addresses_a_judge(text) or name not in by_name:
                continue
            shown = instances.pictures(by_name[name]).values()
            # A target may hold such words itself, and a good rendering repeats them.
            if not any(addresses_a_judge(read(picture)) for picture in shown):
                where = f"{name}, {comparison.word} {step}"
                problem = "a text in the rendering speaks to a judge, and none in the target does"
                yield Flag(
                    rule="text_to_a_judge",
                    where=where,
                    what=problem,
                    evidence=Evidence(rendering=sha256, instance=name),
                )


def _text_in(picture: Picture) -> str:
    return "\n".join(line.text for line in read_text(picture.pixels) if line.score >= SURE)
