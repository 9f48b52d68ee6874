"""Renderings of packed transcripts: checked as a stranger's files, then kept as this package encodes their pixels."""

from collections.abc import Iterator
from pathlib import Path

from ircore.core.episode_records import Rendering
from ircore.core.errors import InputError
from ircore.core.files import write_bytes
from ircore.core.images import Picture
from ircore.core.progress import tracked
from ircore.runs.events import Call
from ircore.submissions.rescoring.clean_png import read_clean_png
from ircore.submissions.rescoring.packed_transcripts import PackedRun, rendering_name

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
        for sha256 in tracked(sorted(self._sizes), "pictures", len(self._sizes)):
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
