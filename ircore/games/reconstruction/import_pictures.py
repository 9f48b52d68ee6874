"""Importing pictures as targets: a folder of them, or KiloGram's tangrams.

In a folder, a picture’s category is, in this order: what ``metadata.jsonl`` says of it, the first folder it lies in
(``PATH/<category>/a.png``), or the category given for the whole import. Its difficulty is ``metadata.jsonl``’s, the
second folder (``PATH/<category>/<easy|hard>/a.png``), or the difficulty given. Every picture is re-encoded as plain RGB
PNG, shown as a viewer would show it. If anything is wrong with any file, all faults are told and nothing is written.

The difficulty of a tangram (Ji et al., *Abstract Visual Reasoning with Tangram Shapes*, EMNLP 2022) is how differently
people name it: one that everybody calls a dog can be rebuilt from little more than "a dog"; one without a common name
has to be described piece by piece. Shape naming divergence (SND) below 0.80 is easy, above 0.95 hard; tangrams between
are left out, since the divergence of ten annotations is off by 0.05 (standard deviation).

KiloGram's layout: a folder with the tangrams (``dataset/tangrams-svg``, ``tangrams-svg`` or ``svg``), and the
annotations (``dataset/dense.json``, ``dataset/full.json``, also beside the tangrams) or the published divergences
(``analysis/behavior/measures/measures_data/dense_SND.json`` and ``full_SND.json``).
"""

import sys
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Annotated

from pydantic import Field, TypeAdapter, ValidationError

from ircore.core.drawing import Point
from ircore.core.errors import InputError
from ircore.core.files import read_json
from ircore.core.images import Picture, read_picture
from ircore.core.plain_words import format_count
from ircore.core.records import DIFFICULTIES, Difficulty, Instance, Line, Name, PictureFile, Record
from ircore.core.terminal import show_progress
from ircore.core.untrusted_text import escape_name
from ircore.core.validation import convert_validation_errors, describe_validation_error
from ircore.games.reconstruction.records import CATEGORIES, RECONSTRUCTION
from ircore.games.reference.naming import EASY_BELOW, HARD_ABOVE, compute_naming, read_annotations
from ircore.instances.requests import ImportRequest
from ircore.instances.store import KILOGRAM, UNSTATED, InstanceSet, refuse_other_licence, write_instances
from ircore.instances.tangrams import TangramShape, read_tangram_svg
from ircore.instances.targets.base import SIZE
from ircore.instances.targets.tangrams import draw_pieces

METADATA = "metadata.jsonl"

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


class MetadataLine(Record):
    """A line of ``metadata.jsonl`` about a picture. Only ``file_name`` is required.

    >>> MetadataLine(file_name="street.jpg", category="photos").licence is None
    True
    """

    file_name: Line = Field(description="Relative to the folder, with forward slashes.")
    category: Name | None = None
    difficulty: Difficulty | None = None
    source: Line | None = None
    licence: Line | None = None


def import_pictures(request: ImportRequest) -> InstanceSet:
    """Make an instance set of the pictures in a folder.

    Args:
        request: Names the folder and the set to make, with the labels of pictures of which the folder states none; a
            missing licence is recorded as ``LicenseRef-unstated``, with a line on stderr. Hidden files are left alone;
            every other file must be a picture, but for ``metadata.jsonl``.

    Raises:
        InputError: A file cannot be imported; the text names each such file with its fault, one a line.
        WorkError: The set cannot be written.
    """
    root = request.path
    if not root.is_dir():
        raise InputError(f"{root} is not a folder", "Name a folder of pictures.")
    job = _Import(root, request)
    entries = _read_metadata(job)
    files = _list_files(root)
    job.faults += [f"{METADATA}: {name}: the folder has no such file" for name in sorted(entries.keys() - set(files))]
    if not files:
        raise InputError(f"{root}: holds no pictures", "Name a folder with PNG, JPEG, WebP or GIF files.")
    made = write_instances(request.out, _import_all(job, files, entries), CATEGORIES)
    if job.unstated:
        print(
            f"{job.unstated} of {format_count(len(files), 'picture')}: no licence stated, recorded as {UNSTATED}; "
            f"give --licence or {METADATA} before you publish them",
            file=sys.stderr,
        )
    return made


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
    divergences = _read_divergences(request.path)
    known = {path: divergences[path.stem] for path in sorted(folder.glob("*.svg")) if path.stem in divergences}
    chosen = {path: snd for path, snd in known.items() if not EASY_BELOW <= snd <= HARD_ABOVE}
    if not chosen:
        raise InputError(f"{folder}: no tangram is easy or hard", "Add the files of their annotations.")
    print(
        f"{len(known) - len(chosen)} of {len(known)} tangrams left out: their naming divergence lies between "
        f"{EASY_BELOW} and {HARD_ABOVE}, neither easy nor hard",
        file=sys.stderr,
    )
    return write_instances(request.out, _build_tangram_targets(chosen, request))


@dataclass
class _Import:
    """The state of an import: the pictures read so far and all faults."""

    root: Path
    defaults: ImportRequest
    faults: list[str] = field(default_factory=list)
    counts: dict[tuple[str, str], int] = field(default_factory=dict)
    twins: dict[str, str] = field(default_factory=dict)
    unstated: int = 0


def _list_files(root: Path) -> list[str]:
    """Return every file but hidden files and the metadata, relative to ``root``, in the same order on every system."""
    paths = [path.relative_to(root) for path in root.rglob("*") if path.is_file()]
    # Such as .DS_Store and .git, which people do not know that they have.
    shown = [path for path in paths if not any(part.startswith(".") for part in path.parts)]
    return sorted(path.as_posix() for path in shown if path.as_posix() != METADATA)


def _read_metadata(job: _Import) -> dict[str, MetadataLine]:
    path = job.root / METADATA
    entries: dict[str, MetadataLine] = {}
    if not path.is_file():
        return entries
    for number, line in enumerate(path.read_bytes().splitlines(), start=1):
        if not line.strip():
            continue
        try:
            entry = MetadataLine.model_validate_json(line)
        except ValidationError as error:
            job.faults.append(f"{METADATA}:{number}: {describe_validation_error(error)}")
            continue
        # Which of two lines counts is for the user to say.
        if entry.file_name in entries:
            job.faults.append(f"{METADATA}:{number}: {entry.file_name} occurs twice")
        entries[entry.file_name] = entry
    return entries


def _import_all(
    job: _Import, files: list[str], entries: dict[str, MetadataLine]
) -> Iterator[tuple[Instance, dict[str, Picture]]]:
    """Yield the sound pictures and, at the end, raise all faults of the others at once."""
    with show_progress("importing", len(files)) as shown:
        for name in files:
            try:
                entry = entries.get(name) or MetadataLine(file_name=name)
                picture = read_picture(job.root / name)
                instance = _build_instance(job, entry, picture)
            except ValidationError as error:
                job.faults.append(f"{escape_name(name)}: {describe_validation_error(error)}")
            except InputError as error:
                # Faults are collected, so that the user can mend all files at once.
                job.faults.append(error.problem.removeprefix(f"{job.root}/"))
            else:
                yield instance, {"target": picture}
            shown.advance(escape_name(name))
    if job.faults:
        listed = "\n".join(f"  {fault}" for fault in job.faults)
        raise InputError(
            f"{job.root}: {format_count(len(job.faults), 'fault')}, nothing was imported\n{listed}",
            "Mend or remove these files and import again.",
        )


def _build_instance(job: _Import, entry: MetadataLine, picture: Picture) -> Instance:
    category, difficulty = _find_condition(job, entry)
    # Two ids for one picture would count its result twice.
    twin = job.twins.setdefault(picture.sha256, entry.file_name)
    if twin != entry.file_name:
        raise InputError(f"{entry.file_name}: is the same picture as {twin}")
    licence = entry.licence or job.defaults.licence
    index = job.counts.get((category, difficulty), 0) + 1
    name = f"{category}-{difficulty}-{index:02d}"
    instance = Instance.model_validate(
        {
            "instance_id": name,
            "category": category,
            "difficulty": difficulty,
            "game": RECONSTRUCTION,
            "pictures": {"target": PictureFile.of(f"images/{name}.png", picture)},
            "source": entry.source or job.defaults.source or f"file {entry.file_name}",
            "licence": licence or UNSTATED,
        }
    )
    # Only now, so that a faulty picture takes no number.
    job.counts[category, difficulty] = index
    job.unstated += licence is None
    return instance


def _find_condition(job: _Import, entry: MetadataLine) -> tuple[str, str]:
    """Return category and difficulty of a picture, from its metadata, its folders or the defaults."""
    *folders, _ = Path(entry.file_name).parts
    category = entry.category or (folders[0] if folders else job.defaults.category)
    difficulty = entry.difficulty or (folders[1] if len(folders) > 1 else job.defaults.difficulty)
    if category is None:
        raise InputError(
            f"{entry.file_name}: has no category (put the file into a folder of that name, or give --category)"
        )
    if difficulty is None:
        raise InputError(
            f"{entry.file_name}: has no difficulty (put the file into {category}/easy or /hard, or give --difficulty)"
        )
    if difficulty not in DIFFICULTIES:
        raise InputError(f"{entry.file_name}: folder {difficulty!r} is neither easy nor hard")
    return category, difficulty


def _read_divergences(root: Path) -> dict[str, float]:
    """Return the shape naming divergence of each tangram, from the most exact file that lists the tangram."""
    merged: dict[str, float] = {}
    for path in (root / name for name in DIVERGENCES):
        if path.is_file():
            # Files come in order of exactness, so what is known stays and a later file only adds.
            merged = {
                **(_read_published_divergences(path) if path.stem.endswith("SND") else _compute_divergences(path)),
                **merged,
            }
    if not merged:
        raise InputError(
            f"{root}: holds neither annotations nor divergences", f"Add one of the files {', '.join(DIVERGENCES)}."
        )
    return merged


def _compute_divergences(path: Path) -> dict[str, float]:
    measured = {tangram: compute_naming(annotations).snd for tangram, annotations in read_annotations(path).items()}
    return {tangram: snd for tangram, snd in measured.items() if snd is not None}


def _read_published_divergences(path: Path) -> dict[str, float]:
    remedy = "Restore the file as it was published."
    with convert_validation_errors(path, remedy):
        return _Divergences.validate_python(read_json(path, MAX_BYTES, remedy))


def _build_tangram_targets(
    chosen: Mapping[Path, float], request: ImportRequest
) -> Iterator[tuple[Instance, dict[str, Picture]]]:
    for path, snd in chosen.items():
        difficulty: Difficulty = "easy" if snd < EASY_BELOW else "hard"
        if request.difficulty not in (None, difficulty):
            continue
        drawn = draw_pieces(_fit_pieces(read_tangram_svg(path)), dict.fromkeys("1234567", COLOUR))
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


def _fit_pieces(shape: TangramShape) -> dict[str, tuple[Point, ...]]:
    """Return the pieces centred in the picture, as large as its margin allows."""
    points = [point for piece in shape.pieces.values() for point in piece.corners]
    (left, right), (top, bottom) = ((min(axis), max(axis)) for axis in zip(*points, strict=True))
    scale = (SIZE - 2 * MARGIN) / max(right - left, bottom - top)
    x, y = (SIZE - (left + right) * scale) / 2, (SIZE - (top + bottom) * scale) / 2
    return {name: tuple((px * scale + x, py * scale + y) for px, py in piece.corners)
            for name, piece in sorted(shape.pieces.items())}  # fmt: skip
