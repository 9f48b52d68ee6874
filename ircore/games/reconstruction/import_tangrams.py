"""Importing KiloGram's tangrams as targets of the reconstruction game; difficulty by how differently people name them.

A tangram that everybody calls a dog can be rebuilt from little more than "a dog"; one without a common name has to be
described piece by piece. Shape naming divergence (SND) below 0.80 is easy, above 0.95 hard; tangrams between are left
out, since the divergence of ten annotations is off by 0.05 (standard deviation).

Layout: a folder with the tangrams (``dataset/tangrams-svg``, ``tangrams-svg`` or ``svg``), and the annotations
(``dataset/dense.json``, ``dataset/full.json``, also beside the tangrams) or the published divergences
(``analysis/behavior/measures/measures_data/dense_SND.json`` and ``full_SND.json``).

Source: Ji et al., *Abstract Visual Reasoning with Tangram Shapes* (EMNLP 2022).
"""

import sys
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Annotated

from pydantic import Field, TypeAdapter

from ircore.core.drawing import Point
from ircore.core.errors import InputError
from ircore.core.files import read_json
from ircore.core.images import Picture
from ircore.core.records import Difficulty, Instance, PictureFile
from ircore.core.validation import validating
from ircore.games.reconstruction.records import RECONSTRUCTION
from ircore.games.reference.language.annotations import read_annotations
from ircore.games.reference.language.naming import EASY_BELOW, HARD_ABOVE, naming
from ircore.instances.requests import ImportRequest
from ircore.instances.store import InstanceSet, write_instances
from ircore.instances.tangram_svg import TangramShape, read_tangram_svg
from ircore.instances.targets.base import SIZE
from ircore.instances.targets.tangrams import draw_pieces
from ircore.instances.withheld_pictures import KILOGRAM, refuse_other_licence

CATEGORY = "tangrams"
SOURCE = "KiloGram (Ji et al. 2022), tangrams from Slocum (2003)"
COLOUR = "#000000"
MARGIN = SIZE / 16

PICTURE_FOLDERS = ("dataset/tangrams-svg", "tangrams-svg", "svg")
MEASURES = "analysis/behavior/measures/measures_data"
DIVERGENCES = (
    *(("dataset/dense.json", f"{MEASURES}/dense_SND.json", "dense.json", "dense_SND.json")),
    *(("dataset/full.json", f"{MEASURES}/full_SND.json", "full.json", "full_SND.json")),
)
"""Files with annotations or divergences, the densely annotated ones first: they are more exact."""

_Divergences = TypeAdapter(dict[str, Annotated[float, Field(ge=0, le=1)]])
MAX_BYTES = 8 * 1024**2


def import_tangrams(request: ImportRequest) -> InstanceSet:
    """Make an instance set of tangrams in black, easy and hard by naming divergence.

    The scene of each target holds its seven pieces, so that ``verified`` and ``pieces`` can rate renderings of it. The
    pictures must not be published: the tangrams are excluded from KiloGram's licence.

    Args:
        request: Its path is KiloGram's repository or a folder with its files; ``difficulty`` keeps one of the two.

    Raises:
        InputError: Another licence is given.
        InputError: A file is missing or wrong; the line names file, tangram and field. Nothing is written.
    """
    if request.category not in (None, CATEGORY):
        raise InputError(f"--category {request.category}: these targets are {CATEGORY}", "Leave --category out.")
    refuse_other_licence(request.licence, KILOGRAM)
    folder = next((request.path / name for name in PICTURE_FOLDERS if (request.path / name).is_dir()), None)
    if folder is None:
        raise InputError(
            f"{request.path}: holds no folder of tangrams", f"Add one of the folders {', '.join(PICTURE_FOLDERS)}."
        )
    divergences = _divergences(request.path)
    known = {path: divergences[path.stem] for path in sorted(folder.glob("*.svg")) if path.stem in divergences}
    chosen = {path: snd for path, snd in known.items() if not EASY_BELOW <= snd <= HARD_ABOVE}
    if not chosen:
        raise InputError(f"{folder}: no tangram is easy or hard", "Add the files of their annotations.")
    print(
        f"{len(known) - len(chosen)} of {len(known)} tangrams left out: their naming divergence lies between "
        f"{EASY_BELOW} and {HARD_ABOVE}, neither easy nor hard",
        file=sys.stderr,
    )
    return write_instances(request.out, _targets(chosen, request))


def _divergences(root: Path) -> dict[str, float]:
    """Return the shape naming divergence of each tangram, from the most exact file that lists the tangram."""
    merged: dict[str, float] = {}
    for path in (root / name for name in DIVERGENCES):
        if path.is_file():
            # Files come in order of exactness, so what is known stays and a later file only adds.
            merged = {**(_published(path) if path.stem.endswith("SND") else _computed(path)), **merged}
    if not merged:
        raise InputError(
            f"{root}: holds neither annotations nor divergences", f"Add one of the files {', '.join(DIVERGENCES)}."
        )
    return merged


def _computed(path: Path) -> dict[str, float]:
    measured = {tangram: naming(annotations).snd for tangram, annotations in read_annotations(path).items()}
    return {tangram: snd for tangram, snd in measured.items() if snd is not None}


def _published(path: Path) -> dict[str, float]:
    remedy = "Restore the file as it was published."
    with validating(path, remedy):
        return _Divergences.validate_python(read_json(path, MAX_BYTES, remedy))


def _targets(chosen: Mapping[Path, float], request: ImportRequest) -> Iterator[tuple[Instance, dict[str, Picture]]]:
    for path, snd in chosen.items():
        difficulty: Difficulty = "easy" if snd < EASY_BELOW else "hard"
        if request.difficulty not in (None, difficulty):
            continue
        drawn = draw_pieces(_fitted(read_tangram_svg(path)), dict.fromkeys("1234567", COLOUR))
        picture = Picture.from_pixels(drawn.drawing.pixels)
        name = f"{CATEGORY}-{difficulty}-{path.stem.lower()}"
        yield (
            Instance(
                instance_id=name,
                category=CATEGORY,
                difficulty=difficulty,
                game=RECONSTRUCTION,
                pictures={"target": PictureFile.of(f"images/{name}.png", picture)},
                payload={"scene": drawn.scene.model_dump(mode="json"), "measures": {"snd": round(snd, 6)}},
                source=request.source or SOURCE,
                licence=KILOGRAM,
            ),
            {"target": picture},
        )


def _fitted(shape: TangramShape) -> dict[str, tuple[Point, ...]]:
    """Return the pieces centred in the picture, as large as its margin allows."""
    points = [point for piece in shape.pieces.values() for point in piece.corners]
    (left, right), (top, bottom) = ((min(axis), max(axis)) for axis in zip(*points, strict=True))
    scale = (SIZE - 2 * MARGIN) / max(right - left, bottom - top)
    x, y = (SIZE - (left + right) * scale) / 2, (SIZE - (top + bottom) * scale) / 2
    return {name: tuple((px * scale + x, py * scale + y) for px, py in piece.corners)
            for name, piece in sorted(shape.pieces.items())}  # fmt: skip
