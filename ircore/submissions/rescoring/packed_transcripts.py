"""Packed transcripts: the files that a submitter uploads to a dataset repository, and the reader of these files.

A repository may hold several runs, each in a folder of its own name:

    <run>/pack.json          every other file below with its size and SHA-256 (``PackIndex``)
    <run>/run.json           the run's identity, as in a run folder
    <run>/journal.jsonl      every answer, as in a run folder
    <run>/renderings/*.png   each rendering once, a clean PNG file named by the SHA-256 of its pixels

Everything in it is a stranger's: names are compared with this list, sizes are bounded before anything is read, and no
other file is looked at. Scores and provenance have no place in it.
"""

import re
import stat
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Literal, TypeVar

from pydantic import Field, ValidationError

from ircore.core.errors import InputError
from ircore.core.files import compute_file_sha256
from ircore.core.images import MAX_BYTES
from ircore.core.records import Line, Name, Record, Sha256
from ircore.core.submission_records import Run, refuse_double_keys
from ircore.core.validation import describe_validation_error
from ircore.runs.events import EVENTS, Event
from ircore.runs.folder import JOURNAL, RUN_FILE

T = TypeVar("T")

INDEX = "pack.json"
README = "README.md"
MAX_FILES = 50_000
MAX_TOTAL_BYTES = 16 * 1024**3
MAX_INDEX_BYTES = 16 * 1024**2
MAX_RUN_BYTES = 256 * 1024
MAX_JOURNAL_BYTES = 128 * 1024**2
"""Some five times what the longest honest journal has; read, it takes up to twenty times the room."""

MAX_LINE_BYTES = 4 * 1024**2
REMEDY = "Make the transcripts with: ircore submission pack"

_RENDERING = re.compile(r"renderings/([0-9a-f]{64})\.png")


class TranscriptError(InputError):
    """Transcripts that are refused.

    >>> check_listing({"notes.txt": 5}, "transcripts")  # doctest: +ELLIPSIS
    Traceback (most recent call last):
    ircore.submissions.rescoring.packed_transcripts.TranscriptError: transcripts: 'notes.txt' has no place in ...
    """


class PackedFile(Record):
    """A file of packed transcripts."""

    path: Line = Field(description="Relative to pack.json, with forward slashes.")
    size: int = Field(ge=0, description="Bytes.")
    sha256: Sha256 = Field(description="Of its bytes.")


class PackIndex(Record):
    """The list of files of a packed run. File ``pack.json``.

    >>> files = [PackedFile(path=name, size=100, sha256="0" * 64) for name in ("journal.jsonl", "run.json")]
    >>> PackIndex(run="my-pair-01234567", instance_set="1" * 64, files=files).size
    200
    """

    schema_: Literal[1] = Field(default=1, alias="schema", description="Version of this format.")
    run: Name = Field(description="The run's id: the name of the folder.")
    instance_set: Sha256 = Field(description="Identity of the instance set that was played.")
    files: tuple[PackedFile, ...] = Field(max_length=MAX_FILES, description="Every file but this one, by path.")

    @property
    def size(self) -> int:
        """Bytes of all files."""
        return sum(file.size for file in self.files)


@dataclass(frozen=True)
class PackedRun:
    """Packed transcripts whose files match their index; the content is not checked against the rules yet.

    Attributes:
        folder: Folder of the transcripts.
        run: The run's identity as the submitter states it.
        events: Events in the order of the journal.

    >>> from ircore.submissions.rescoring.packing import pack
    >>> packed = pack(Path("run"), Path("packed"))
    >>> read_packed(packed.folder / packed.index.run, packed.index.run).run.slug
    'builtin-classical-canvas'
    """

    folder: Path
    run: Run
    events: tuple[Event, ...]

    def rendering_bytes(self, sha256: str) -> bytes:
        """Return the bytes of a rendering that the index lists; its hash was checked."""
        return (self.folder / name_rendering(sha256)).read_bytes()


def name_rendering(sha256: str) -> str:
    """Return the path of a rendering in packed transcripts."""
    return f"renderings/{sha256}.png"


def get_size_limit(path: str) -> int | None:
    """Return the largest size of a file of packed transcripts in bytes; None for a file that they cannot have."""
    if _RENDERING.fullmatch(path):
        return MAX_BYTES
    return {INDEX: MAX_INDEX_BYTES, RUN_FILE: MAX_RUN_BYTES, JOURNAL: MAX_JOURNAL_BYTES}.get(path)


def check_listing(sizes: Mapping[str, int], where: str) -> None:
    """Check names and sizes of the files of packed transcripts, before any is read.

    Args:
        sizes: Bytes by path, relative to the run's folder.
        where: Name of the folder for error messages.

    Raises:
        TranscriptError: There is a file that has no place there, one is missing, or there is too much.
    """
    if len(sizes) > MAX_FILES:
        raise TranscriptError(f"{where}: more than {MAX_FILES:,} files", REMEDY)
    for path, size in sizes.items():
        limit = get_size_limit(path)
        if limit is None:
            raise TranscriptError(f"{where}: {path[:200]!a} has no place in transcripts", REMEDY)
        if size > limit:
            raise TranscriptError(f"{where}: {path} is larger than {limit / 2**20:g} MiB", REMEDY)
    # All other files may be missing: a run can be without renderings, and few have signatures.
    for path in (INDEX, RUN_FILE, JOURNAL):
        if path not in sizes:
            raise TranscriptError(f"{where}: {path} is missing", REMEDY)
    if sum(sizes.values()) > MAX_TOTAL_BYTES:
        raise TranscriptError(f"{where}: larger than {MAX_TOTAL_BYTES / 2**30:g} GiB in all", REMEDY)


def read_packed(folder: Path, run_id: str) -> PackedRun:
    """Read packed transcripts and verify every hash.

    Args:
        folder: The folder with ``pack.json``.
        run_id: The run that was asked for.

    Raises:
        TranscriptError: They are not complete, not what their index says, or not in the format.
    """
    sizes = dict(_list_folder(folder))
    check_listing(sizes, str(folder))
    index = read_index(folder / INDEX)
    if index.run != run_id:
        raise TranscriptError(f"{folder / INDEX}: is of the run {index.run}, not {run_id}", REMEDY)
    _check_files(folder, index, sizes)
    run = _read_checked(folder / RUN_FILE, Run.model_validate_json, MAX_RUN_BYTES)
    if run.run_id != run_id:
        raise TranscriptError(f"{folder / RUN_FILE}: is of the run {run.run_id}, not {run_id}", REMEDY)
    if run.instance_set != index.instance_set:
        raise TranscriptError(f"{folder / RUN_FILE}: names another instance set than {INDEX}", REMEDY)
    return PackedRun(folder, run, tuple(_read_events(folder / JOURNAL)))


def read_index(path: Path) -> PackIndex:
    """Read ``pack.json``.

    Raises:
        TranscriptError: It is not in the format.
    """
    return _read_checked(path, PackIndex.model_validate_json, MAX_INDEX_BYTES)


def _list_folder(folder: Path) -> Iterator[tuple[str, int]]:
    """Yield path and size of everything in a folder; nothing but plain files and folders may be there."""
    if not folder.is_dir():
        raise TranscriptError(f"{folder}: no such folder", "Name the folder that ircore submission pack made.")
    for path in sorted(folder.rglob("*")):
        # Not stat, which would measure what a link leads to.
        name, known = path.relative_to(folder).as_posix(), path.lstat()
        if stat.S_ISDIR(known.st_mode):
            continue
        if not stat.S_ISREG(known.st_mode):
            raise TranscriptError(f"{folder}: {name[:200]!a} is a link or no plain file", REMEDY)
        yield name, known.st_size


def _check_files(folder: Path, index: PackIndex, sizes: Mapping[str, int]) -> None:
    listed: dict[str, PackedFile] = {}
    for file in index.files:
        # Of two entries of one path, each reader could believe another one.
        if listed.setdefault(file.path, file) is not file:
            raise TranscriptError(f"{folder / INDEX}: {file.path[:200]!a} is listed twice", REMEDY)
        if file.path not in sizes:
            raise TranscriptError(f"{folder}: {file.path[:200]!a} is listed and not there", REMEDY)
    for path in sizes.keys() - {INDEX} - listed.keys():
        raise TranscriptError(f"{folder}: {path} is not listed in {INDEX}", REMEDY)
    for path, file in listed.items():
        if sizes[path] != file.size or compute_file_sha256(folder / path) != file.sha256:
            raise TranscriptError(f"{folder}: {path} is not what {INDEX} says (size or SHA-256)", REMEDY)


def _read_checked(path: Path, read: Callable[..., T], limit: int) -> T:
    with path.open("rb") as file:
        # Bounded here too, since a file can grow after its size was checked.
        data = file.read(limit + 1)
    if len(data) > limit:
        raise TranscriptError(f"{path}: larger than {limit // 1024} KiB", REMEDY)
    return _parse_strict(data, read, str(path))


def _parse_strict(data: bytes, read: Callable[..., T], where: str) -> T:
    """Read a stranger's JSON: a key given twice, ``true`` for 1 and ``"0.1"`` for 0.1 are refused.

    Raises:
        TranscriptError: It does not fit.
    """
    try:
        value = read(data, strict=True)
        refuse_double_keys(data)
    except ValueError as error:
        problem = describe_validation_error(error) if isinstance(error, ValidationError) else str(error)
        raise TranscriptError(f"{where}: {problem[:400]}", REMEDY) from error
    return value


def _read_events(path: Path) -> Iterator[Event]:
    with path.open("rb") as file:
        number = 0
        # A byte more than allowed: a line that is too long is seen without being read to its end.
        while line := file.readline(MAX_LINE_BYTES + 1):
            number += 1
            if not line.endswith(b"\n"):
                fault = "too long" if len(line) > MAX_LINE_BYTES else "cut off"
                raise TranscriptError(f"{path}:{number}: a line that is {fault}", REMEDY)
            yield _parse_strict(line, EVENTS.validate_json, f"{path}:{number}")
