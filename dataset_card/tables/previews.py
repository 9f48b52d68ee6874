"""Small copies of the pictures of a run's turns, for looking through dialogues without the originals."""

import io
from collections.abc import Iterator

from PIL import Image, ImageOps

from dataset_card.tables.rows import PictureFile, Row, transcript_rows
from dataset_card.tables.schema import PREVIEW_SIDE, PREVIEWS
from ircore.instances.store import InstanceSet
from ircore.results.played_run import PlayedRun

QUALITY = 85
"""Quality of the JPEG files, 0–100."""


def preview_rows(instances: InstanceSet, run: PlayedRun) -> Iterator[Row]:
    """Yield the rows of ``previews`` of a run: the rows of ``transcripts`` with small pictures."""
    names = [column.name for column in PREVIEWS.columns]
    last: tuple[object, PictureFile | None] = (None, None)
    for row in transcript_rows(instances, run):
        if row["target"] is not last[0]:  # the same object for all turns of an episode, and so is its preview
            last = row["target"], _small_file(row["target"])
        yield {name: row[name] for name in names} | {"target": last[1], "rendering": _small_file(row["rendering"])}


def shrink(data: bytes) -> bytes:
    """Return a picture as a JPEG file of at most ``PREVIEW_SIDE`` × ``PREVIEW_SIDE`` pixels, without any metadata."""
    buffer = io.BytesIO()
    with Image.open(io.BytesIO(data)) as image:
        # JPEG has neither transparency nor palettes.
        small = image.convert("RGB")
    if max(small.size) > PREVIEW_SIDE:
        small = ImageOps.contain(small, (PREVIEW_SIDE, PREVIEW_SIDE), Image.Resampling.LANCZOS)
    # Pillow would write comment, EXIF and profile of the original into the JPEG file.
    small.info.clear()
    small.save(buffer, "JPEG", quality=QUALITY, optimize=True)
    return buffer.getvalue()


def _small_file(original: object) -> PictureFile | None:
    if not isinstance(original, PictureFile):
        return None
    # A preview is made when its row is written, and rows that the previous release has are not written.
    return PictureFile(f"{original.path.rpartition('.')[0]}.jpg", lambda: shrink(original.load()))
