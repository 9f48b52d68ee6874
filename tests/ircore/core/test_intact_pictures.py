"""A file that was found to hold its picture is not decoded again by the next command; a changed one is."""

import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

from ircore.core.images import Picture

READS = """
import sys
from pathlib import Path
from PIL import Image
from ircore.core.images import ImageError, Picture
path, sha256, decodes = Path(sys.argv[1]), sys.argv[2], []
opened = Image.open
Image.open = lambda *args, **named: decodes.append(1) or opened(*args, **named)
try:
    Picture.from_own_file(path.read_bytes(), Picture.stored(path, sha256, 4, 3), "a.png")
    print("intact", len(decodes))
except ImageError:
    print("damaged", len(decodes))
"""


def read(path: Path, sha256: str) -> str:
    """Read a recorded picture in a process of its own; return what came out and how often it was decoded."""
    command = [sys.executable, "-c", READS, str(path), sha256]
    return subprocess.run(command, capture_output=True, text=True, check=True).stdout.strip()


@pytest.mark.slow
def test_the_next_process_knows_the_bytes_that_were_found_intact(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("IRCORE_CACHE", str(tmp_path / "caches"))
    picture = Picture.from_pixels(np.arange(36, dtype=np.uint8).reshape(3, 4, 3))
    another = Picture.from_pixels(255 - picture.pixels)
    path = tmp_path / "a.png"
    path.write_bytes(picture.data)
    assert [read(path, picture.sha256) for _ in range(2)] == ["intact 1", "intact 0"]
    assert read(path, another.sha256) == "damaged 1"  # the same bytes with another record
    path.write_bytes(another.data)
    assert read(path, picture.sha256) == "damaged 1"  # other bytes with the same record
    path.write_bytes(picture.data)
    (tmp_path / "caches" / "intact-pictures").write_bytes(b"half a line")
    assert read(path, picture.sha256) == "intact 1"
