"""Importing a folder of pictures as an instance set.

A picture’s category is, in this order: what ``metadata.jsonl`` says of it, the first folder it lies in
(``PATH/<category>/a.png``), or the category given for the whole import. Its difficulty is ``metadata.jsonl``’s, the
second folder (``PATH/<category>/<easy|hard>/a.png``), or the difficulty given. Every picture is re-encoded as plain RGB
PNG, shown as a viewer would show it. If anything is wrong with any file, all faults are told and nothing is written.
"""

import sys
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path

from pydantic import Field, ValidationError

from ircore.core.counted import counted
from ircore.core.errors import InputError
from ircore.core.images import Picture, read_picture
from ircore.core.progress import progress
from ircore.core.records import DIFFICULTIES, Difficulty, Instance, Line, Name, PictureFile, Record
from ircore.core.untrusted_text import escaped
from ircore.core.validation import describe_validation_error
from ircore.games.reconstruction.records import CATEGORIES, RECONSTRUCTION
from ircore.instances.requests import ImportRequest
from ircore.instances.store import InstanceSet, write_instances

METADATA = "metadata.jsonl"
UNSTATED = "LicenseRef-unstated"
"""Licence recorded for a picture of which none is known."""


class Entry(Record):
    """A line of ``metadata.jsonl`` about a picture. Only ``file_name`` is required.

    >>> Entry(file_name="street.jpg", category="photos").licence is None
    True
    """

    file_name: Line = Field(description="Relative to the folder, with forward slashes.")
    category: Name | None = None
    difficulty: Difficulty | None = None
    source: Line | None = None
    licence: Line | None = None


@dataclass
class _Import:
    """The state of an import: the pictures read so far and all faults."""

    root: Path
    defaults: ImportRequest
    faults: list[str] = field(default_factory=list)
    counts: dict[tuple[str, str], int] = field(default_factory=dict)
    twins: dict[str, str] = field(default_factory=dict)
    unstated: int = 0


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
    files = _files(root)
    job.faults += [f"{METADATA}: {name}: the folder has no such file" for name in sorted(entries.keys() - set(files))]
    if not files:
        raise InputError(f"{root}: holds no pictures", "Name a folder with PNG, JPEG, WebP or GIF files.")
    made = write_instances(request.out, _imported(job, files, entries), CATEGORIES)
    if job.unstated:
        print(
            f"{job.unstated} of {counted(len(files), 'picture')}: no licence stated, recorded as {UNSTATED}; "
            f"give --licence or {METADATA} before you publish them",
            file=sys.stderr,
        )
    return made


def _files(root: Path) -> list[str]:
    """Return every file but hidden files and the metadata, relative to ``root``, in the same order on every system."""
    paths = [path.relative_to(root) for path in root.rglob("*") if path.is_file()]
    # Such as .DS_Store and .git, which people do not know that they have.
    shown = [path for path in paths if not any(part.startswith(".") for part in path.parts)]
    return sorted(path.as_posix() for path in shown if path.as_posix() != METADATA)


def _read_metadata(job: _Import) -> dict[str, Entry]:
    path = job.root / METADATA
    entries: dict[str, Entry] = {}
    if not path.is_file():
        return entries
    for number, line in enumerate(path.read_bytes().splitlines(), start=1):
        if not line.strip():
            continue
        try:
            entry = Entry.model_validate_json(line)
        except ValidationError as error:
            job.faults.append(f"{METADATA}:{number}: {describe_validation_error(error)}")
            continue
        # Which of two lines counts is for the user to say.
        if entry.file_name in entries:
            job.faults.append(f"{METADATA}:{number}: {entry.file_name} occurs twice")
        entries[entry.file_name] = entry
    return entries


def _imported(
    job: _Import, files: list[str], entries: dict[str, Entry]
) -> Iterator[tuple[Instance, dict[str, Picture]]]:
    """Yield the sound pictures and, at the end, raise all faults of the others at once."""
    with progress("importing", len(files)) as shown:
        for name in files:
            try:
                entry = entries.get(name) or Entry(file_name=name)
                picture = read_picture(job.root / name)
                instance = _instance(job, entry, picture)
            except ValidationError as error:
                job.faults.append(f"{escaped(name)}: {describe_validation_error(error)}")
            except InputError as error:
                # Faults are collected, so that the user can mend all files at once.
                job.faults.append(error.problem.removeprefix(f"{job.root}/"))
            else:
                yield instance, {"target": picture}
            shown.advance(escaped(name))
    if job.faults:
        listed = "\n".join(f"  {fault}" for fault in job.faults)
        raise InputError(
            f"{job.root}: {counted(len(job.faults), 'fault')}, nothing was imported\n{listed}",
            "Mend or remove these files and import again.",
        )


def _instance(job: _Import, entry: Entry, picture: Picture) -> Instance:
    category, difficulty = _condition(job, entry)
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


def _condition(job: _Import, entry: Entry) -> tuple[str, str]:
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
