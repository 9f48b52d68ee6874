"""Hashes of the code that writes the derived files: card, datasheet, licences, change log, Croissant, pictures."""

import hashlib
from functools import cache
from pathlib import Path

from pydantic import Field

import dataset_card
import ircore
from ircore.core.records import Record, Sha256

# Everything else that a number depends on stands in the tables as episodes and scores.
_PARTS = ("results",)
"""Packages of ``ircore`` that a number depends on."""


@cache
def compute_program_key() -> str:
    """Return the hash of the code: numbers of the previous release are reused only if the code has not changed."""
    root = Path(ircore.__file__).parent
    digest = hashlib.sha256()
    for path in sorted(path for part in _PARTS for path in (root / part).rglob("*.py")):
        data = path.read_bytes()
        # With the length, so that code cannot move from one file into the next unseen.
        digest.update(f"{path.relative_to(root).as_posix()} {len(data)}\n".encode() + data)
    return digest.hexdigest()


TEXT_SOURCES = (
    "card/*.py",
    "templates/*.j2",
    "tables/columns.py",
    "tables/schema.py",
    "tables/game_tables.py",
    "tables/rows.py",
    "markdown.py",
    "croissant_context.json",
)
"""Patterns of the files of this package that a derived text depends on; numbers and boards come from ``ircore``."""


class RendererCode(Record):
    """The code that wrote the derived files of a release: the same code writes the same bytes.

    >>> from dataset_card.releases.record import read_release
    >>> read_release(Path("release")).renderer == identify_renderer()
    True
    """

    texts: Sha256 = Field(description="Hash of the code and templates of the texts.")
    pictures: Sha256 = Field(description="The same with the versions of what draws and encodes the pictures.")


def list_renderer_files() -> tuple[Path, ...]:
    """Return the files of code and templates that decide a derived text, besides those of ``compute_program_key``."""
    own, core = Path(dataset_card.__file__).parent, Path(ircore.__file__).parent
    patterns = (*((own, pattern) for pattern in TEXT_SOURCES), (core, "results/tables/*.py"))
    return tuple(path for folder, pattern in patterns for path in sorted(folder.glob(pattern)))


@cache
def identify_renderer() -> RendererCode:
    """Return the hashes of the code of this program."""
    from PIL import __version__, features

    texts = hashlib.sha256(compute_program_key().encode())
    for path in list_renderer_files():
        texts.update(f"{path.parent.name}/{path.name} {hashlib.sha256(path.read_bytes()).hexdigest()}\n".encode())
    # zlib packs the PNG files, FreeType and Raqm draw their letters: other versions may give other bytes.
    drawing = [__version__, *(features.version(name) or "" for name in ("zlib", "freetype2", "raqm"))]
    pictures = hashlib.sha256(" ".join((texts.hexdigest(), *drawing)).encode())
    return RendererCode(texts=texts.hexdigest(), pictures=pictures.hexdigest())
