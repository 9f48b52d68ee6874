"""Renderings of packed transcripts: checked, kept as this package encodes their pixels, and shown as evidence.

They are checked as a stranger's files. Texts drawn into them are read by optical character recognition: a model that
judges reads them too. Findings about them are a table in Markdown for the page of a pull request, and each pair of
pictures side by side.
"""

import struct
import zlib
from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path

from ircore.core.episode_records import Rendering, list_renderings
from ircore.core.errors import InputError
from ircore.core.files import write_bytes, write_text
from ircore.core.images import MAX_PIXELS, MAX_SIDE, ImageError, Picture, fills_exactly
from ircore.core.plain_words import format_count
from ircore.core.terminal import track_progress
from ircore.core.untrusted_text import escape_markdown
from ircore.instances.store import InstanceSet
from ircore.runs.events import Call
from ircore.runs.folder import RunFolder
from ircore.runs.provenance import Evidence, Flag
from ircore.seeing.ocr import find_missing_ocr_package, read_text
from ircore.submissions.rescoring.copies import CopyComparison
from ircore.submissions.rescoring.messages import addresses_a_judge
from ircore.submissions.rescoring.packed_transcripts import PackedRun, name_rendering

SIGNATURE = b"\x89PNG\r\n\x1a\n"
_RGB_8_BIT = b"\x08\x02\0\0\0"
MAX_CHUNKS = 10_000
"""Chunks of a file: the largest picture has 6,200, of 8 KiB each as libpng writes them."""

_SLACK = 64 * 1024
"""Bytes that a file may have beyond its pixels unpacked: no encoder needs more than that and a hundredth."""

_REMEDY = "Make the transcripts with: ircore submission pack"

MEAN_PIXELS = 2048 * 2048
"""Pixels of a run's renderings on average: a small file can hold 16 million, and a run has thousands of files."""

LEAST_PICTURES = 4
"""Renderings whose pixels any run may have, so that a run of one large picture is no fault."""

Reader = Callable[[Picture], str]
"""Returns the text in a picture, line by line."""

SURE = 0.5
"""Confidence of the recogniser, 0–1, from which on a line counts."""

UNREAD = "texts in renderings were not read: pip install 'ircore[ocr]'"

SIDE = 256
"""Longer side of a shown picture, in pixels."""

MOST_SHOWN = 20
"""Findings that the table lists, grave ones first."""

_PAPER = (255, 255, 255)


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
        kind, content, at = _read_chunk(data, at, name)
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
    if not fills_exactly(packed, width, height):
        raise ImageError(f"{name}: its pixels do not fill {width} × {height}, or more follows them", _REMEDY)
    # Decoded by the library that everything else will use: filters are only known to be sound then.
    return Picture.read_untrusted(data, name)


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

    def load(self, rendering: Rendering) -> Picture:
        """Return a checked rendering, whose file is read when the pixels are needed."""
        path = self._packed.folder / name_rendering(rendering.sha256)
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


def make_text_reader() -> Reader | None:
    """Return a reader of texts in pictures that reads each picture once for all processes; None without ``ocr``."""
    return None if find_missing_ocr_package() else _read_text


def find_texts_to_a_judge(comparison: CopyComparison, instances: InstanceSet, read: Reader | None) -> Iterator[Flag]:
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


def format_findings(flags: Sequence[Flag], pictures: Mapping[Flag, str] | None = None, embed: bool = False) -> str:
    """Return findings as Markdown, grave ones first, with words of strangers as inert text; empty without findings.

    Args:
        flags: The findings.
        pictures: File of the pictures of a finding.
        embed: Whether the files lie beside the text, so that they are shown; else they are named.
    """
    if not flags:
        return ""
    grave = sum(flag.grave for flag in flags)
    head = (
        f"**Held**: {format_count(grave, 'grave finding')}. The run is listed without a rank until a "
        "maintainer has looked at the pictures and cleared or withdrawn it."
        if grave
        else "Nothing here holds the run; it is for people to look at."
    )
    lines = ["### Findings", "", head, "", "| finding | where | what | holds | pictures |", "|---|---|---|---|---|"]
    listed = sorted(flags, key=lambda flag: not flag.grave)
    for flag in listed[:MOST_SHOWN]:
        file = (pictures or {}).get(flag, "")
        picture_cell = (f"![this run, then the other]({file})" if embed else f"`{file}`") if file else "–"
        holds = "yes" if flag.grave else f"no: {escape_markdown(flag.explained)}" if flag.explained else "no"
        lines.append(
            f"| `{flag.rule}` | {escape_markdown(flag.where)} | {escape_markdown(flag.what)} | {holds} | "
            f"{picture_cell} |"
        )
    if len(listed) > MOST_SHOWN:
        lines += ["", f"{len(listed) - MOST_SHOWN} more."]
    return "\n".join([*lines, ""])


def write_evidence(run: Path, flags: Sequence[Flag], others: Sequence[Path], out: Path) -> dict[Flag, str]:
    """Write the pictures of findings, this run's on the left, and the findings as ``findings.md``.

    Args:
        run: The run folder.
        flags: Its findings.
        others: Published runs, whose renderings it is compared with.
        out: The folder in which ``findings.md`` and the folder ``findings`` appear.

    Returns:
        The file of each finding with pictures, relative to ``out``.
    """
    source = RunFolder(run)
    by_id = {folder.run.run_id: folder for folder in map(RunFolder, others)} if others else {}
    pictures: dict[Flag, str] = {}
    for number, flag in enumerate(sorted(flags, key=lambda flag: not flag.grave)[:MOST_SHOWN], start=1):
        sides = [] if flag.evidence is None else _list_sides(source, by_id, flag.evidence)
        if sides:
            name = f"findings/{number:02d}-{flag.rule}.png"
            write_bytes(out / name, _join_pictures(sides))
            pictures[flag] = name
    if flags:
        write_text(out / "findings.md", format_findings(flags, pictures, embed=True))
    return pictures


def _read_chunk(data: bytes, at: int, name: str) -> tuple[bytes, bytes, int]:
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


def _read_text(picture: Picture) -> str:
    return "\n".join(line.text for line in read_text(picture.pixels) if line.score >= SURE)


def _list_sides(source: RunFolder, others: Mapping[str, RunFolder], evidence: Evidence) -> list[Picture]:
    """Return this run's rendering, then the pictures that it repeats, as far as they are here."""
    sides = [_load_rendering(source, evidence.rendering)]
    if evidence.instance is not None:
        instances = source.instances
        named = next((each for each in instances.instances if each.instance_id == evidence.instance), None)
        sides += instances.pictures(named).values() if named is not None else ()
    elif evidence.run_id is not None and evidence.run_id in others and evidence.other is not None:
        sides.append(_load_rendering(others[evidence.run_id], evidence.other))
    return [side for side in sides if side is not None]


def _load_rendering(folder: RunFolder, sha256: str) -> Picture | None:
    for episode in folder.episodes():
        for _, rendering in list_renderings(episode):
            if rendering.sha256 == sha256:
                return folder.rendering(rendering)
    return None


def _join_pictures(sides: Sequence[Picture]) -> bytes:
    """Return pictures side by side, as a PNG file."""
    from io import BytesIO

    from PIL import Image

    scaled: list[Image.Image] = []
    for side in sides:
        image = Image.fromarray(side.pixels)
        # Never enlarged: a tiny rendering is a finding of its own, and is shown as it is.
        image.thumbnail((SIDE, SIDE))
        scaled.append(image)
    sheet = Image.new(
        "RGB", (sum(image.width + 8 for image in scaled) - 8, max(image.height for image in scaled)), _PAPER
    )
    left = 0
    for image in scaled:
        sheet.paste(image, (left, 0))
        left += image.width + 8
    data = BytesIO()
    sheet.save(data, "PNG")
    return data.getvalue()
