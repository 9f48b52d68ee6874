"""What holds for whatever is handed in as transcripts: refused in one line, or a run that holds by the rules."""

import shutil
import tempfile
from pathlib import Path

from hostile_pictures import saved
from transcripts import Handed, hand_in

from ircore.core.errors import InputError
from ircore.core.images import ImageError, Picture
from ircore.runs.provenance import read_provenance
from ircore.submissions.decisions import find_faults_of_decisions
from ircore.submissions.rescoring.fetch import _parse_entries
from ircore.submissions.rescoring.packed_transcripts import read_packed
from ircore.submissions.rescoring.pictures import read_clean_png
from ircore.submissions.rescoring.rescore import rescore

TEXTS = ("journal.jsonl", "run.json", "pack.json")
LONGEST = 1000
"""Characters of an error; a path of the temporary folder is part of it."""


class Promises:
    """Checks them on bytes of any kind: the first one says what the others stand for.

    Args:
        folder: Holds packed transcripts as a pattern, and what is made of each input.
    """

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._pattern = hand_in(folder / "pattern")
        self._work = folder / "work"

    @property
    def seeds(self) -> list[bytes]:
        """What a search may begin with."""
        picture = next((self._pattern.run / "renderings").iterdir()).read_bytes()
        texts = [(self._pattern.run / name).read_bytes() for name in TEXTS]
        listing = b'[{"type": "file", "path": "run/pack.json", "size": 9}, {"type": "directory", "path": "run"}]'
        step = b'{"date":"2026-11-01","kind":"withdrawn","reason":"r"}\n'
        contents = [picture, *texts, listing, step, b'{"schema":1,"kind":"maintainers"}', saved("JPEG")]
        return [bytes([number]) + content for number, content in enumerate(contents)]

    def keep(self, data: bytes) -> None:
        """Check one input; AssertionError or any error but ``InputError`` is a find."""
        if not data:
            return
        which, content = data[0] % 8, data[1:]
        try:
            if which == 0:
                picture = read_clean_png(content, "x")
                assert picture.pixels.shape == (picture.height, picture.width, 3)
            elif which <= len(TEXTS):
                self._rescored(TEXTS[which - 1], content)
            elif which == 4:
                list(_parse_entries(content, "me/mine"))
            elif which == 5:
                check_decisions(content)
            elif which == 7:
                picture = Picture.read_untrusted(content, "x")
                assert read_clean_png(picture.data, "x").sha256 == picture.sha256
            else:
                self._provenance(content)
        except InputError as error:
            check_refusal(error)
        finally:
            shutil.rmtree(self._work, ignore_errors=True)

    def _rescored(self, name: str, content: bytes) -> None:
        shutil.copytree(self._pattern.packed, self._work / "packed")
        run = self._work / "packed" / self._pattern.run.name
        (run / name).write_bytes(content)
        changed = Handed(self._pattern.submission, self._work / "packed", run, self._pattern.instances)
        if name != "pack.json":
            changed.seal()
        read_packed(run, run.name)
        made = rescore(self._pattern.submission, self._work / "run", self._pattern.instances, changed.packed)
        assert len(made.folder.episodes()) == 4
        assert made.provenance is None

    def _provenance(self, content: bytes) -> None:
        self._work.mkdir()
        (self._work / "provenance.json").write_bytes(content)
        read_provenance(self._work)


def check_decisions(content: bytes) -> None:
    """Whatever is wrong with decisions is told at a line of the file, in words that show all they hold."""
    lines = content.count(b"\n") + content.count(b"\r") + 1
    for finding in find_faults_of_decisions(content, "x"):
        assert finding.remedy
        assert 1 <= finding.line <= lines
        assert (finding.field + finding.problem + finding.expected + finding.remedy).isprintable()


def check_refusal(error: InputError) -> None:
    """A refusal is one line that is not long, and says what to do."""
    assert "\n" not in error.problem
    assert len(error.problem) < LONGEST
    assert error.remedy or isinstance(error, ImageError)


def new_promises() -> Promises:
    """Return promises with a temporary folder that stays until the process ends."""
    return Promises(Path(tempfile.mkdtemp(prefix="transcripts-")))
