"""The records of an instance set, of which few are in memory at a time, whatever the size of the set."""

import hashlib
import operator
import os
from collections import OrderedDict
from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from functools import lru_cache, partial
from pathlib import Path
from typing import NamedTuple, TypeVar, overload

from pydantic import BaseModel

from ircore.core.errors import InputError
from ircore.core.records import Instance
from ircore.core.validation import convert_validation_errors

ModelT = TypeVar("ModelT", bound=BaseModel)

MOST_BYTES = 256 * 1024 * 1024
"""Size of the largest index file that is read."""

MOST_KEPT = 256
"""Records that stay in memory after they were read: all of a usual set, a few megabytes of a large one."""

MOST_SETS = 8
"""Sets whose entries stay in memory: every run of a site has a copy of the set, mostly of the same."""

_REMEDY = "Build the set again."


class InstanceEntry(NamedTuple):
    """The place of an instance in a set, and the fields by which instances are chosen.

    Attributes:
        instance_id: Id of the instance.
        category: Category of the instance.
        difficulty: Difficulty of the instance.
        line: Number of the line in the index file, from 1 on.
        offset: Bytes before the line.
    """

    instance_id: str
    category: str
    difficulty: str
    line: int
    offset: int


class Instances(Sequence[Instance]):
    """Instances in the order of their set, each read from the index file when it is asked for.

    >>> from ircore.instances.store import read_instances
    >>> instances = read_instances(Path("targets")).instances
    >>> instances.ids
    ('simple_shapes-easy-01', 'simple_shapes-hard-01')
    >>> instances.where(lambda entry: entry.difficulty == "easy")[0].category
    'simple_shapes'

    Args:
        entries: In their order.
        read: Returns the record of an entry.
    """

    def __init__(self, entries: Sequence[InstanceEntry], read: Callable[[InstanceEntry], Instance]) -> None:
        self.entries = tuple(entries)
        self._read = read

    @classmethod
    def of(cls, records: Sequence[Instance]) -> "Instances":
        """Return records that are in memory already as such a sequence."""
        if isinstance(records, Instances):
            return records
        known = {record.instance_id: record for record in records}
        entries = [
            InstanceEntry(record.instance_id, record.category, record.difficulty, line, 0)
            for line, record in enumerate(records, start=1)
        ]
        # A function of the module, unlike a lambda, can be sent to a worker process.
        return cls(entries, partial(_find_in_memory, known))

    @property
    def ids(self) -> tuple[str, ...]:
        """Ids of the instances; no record is read."""
        return tuple(entry.instance_id for entry in self.entries)

    def where(self, wanted: Callable[[InstanceEntry], bool]) -> "Instances":
        """Return the instances whose entries are wanted; no record is read."""
        return Instances([entry for entry in self.entries if wanted(entry)], self._read)

    def in_order(self, ids: Iterable[str]) -> "Instances":
        """Return the instances with these ids, in the order of the ids; no record is read."""
        entries = {entry.instance_id: entry for entry in self.entries}
        return Instances([entries[name] for name in ids], self._read)

    def select(self, ids: Collection[str]) -> "Instances":
        """Return the instances with these ids, in their order here; no record is read."""
        return self.where(lambda entry: entry.instance_id in ids)

    def __len__(self) -> int:
        return len(self.entries)

    @overload
    def __getitem__(self, place: int) -> Instance: ...
    @overload
    def __getitem__(self, place: slice) -> "Instances": ...
    def __getitem__(self, place: int | slice) -> "Instance | Instances":
        if isinstance(place, slice):
            return Instances(self.entries[place], self._read)
        return self._read(self.entries[place])

    def __iter__(self) -> Iterator[Instance]:
        return map(self._read, self.entries)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Sequence) and len(self) == len(other) and all(map(operator.eq, self, other))

    def __hash__(self) -> int:
        return hash(self.ids)


def _find_in_memory(records: dict[str, Instance], entry: InstanceEntry) -> Instance:
    return records[entry.instance_id]


class _FromFile:
    """Reads records from an index file and caches the most recent of them."""

    def __init__(self, path: Path) -> None:
        self._path = path
        self._known = lru_cache(maxsize=MOST_KEPT)(self._record)

    def __call__(self, entry: InstanceEntry) -> Instance:
        return self._known(entry)

    def _record(self, entry: InstanceEntry) -> Instance:
        try:
            with self._path.open("rb") as file:
                file.seek(entry.offset)
                line = file.readline()
        except OSError as error:
            raise InputError(f"{self._path}: cannot be read ({error.strerror})", _REMEDY) from error
        record = _parse_record(Instance, line, self._path, entry.line)
        # The file is opened anew for every record, and another command may have replaced it meanwhile.
        if record.instance_id != entry.instance_id:
            raise InputError(f"{self._path}:{entry.line}: has changed while it was read", "Give the command again.")
        return record

    def __reduce__(self) -> tuple[type["_FromFile"], tuple[Path]]:
        # Without the records in memory, which a worker process reads itself.
        return type(self), (self._path,)


class Index(NamedTuple):
    """Contents of an index file: identity and records.

    >>> from ircore.instances.store import INDEX
    >>> len(read_index(Path("targets") / INDEX).instances)
    2
    """

    identity: str
    instances: Instances


def read_index(path: Path, identity: str | None = None) -> Index:
    """Read an index file line by line; one line is in memory at a time.

    Args:
        path: ``instances.jsonl``.
        identity: SHA-256 of an index that was validated before. The records of that file are not validated again until
            they are asked for.

    Raises:
        InputError: The file cannot be read or is too large, a line is not a valid instance or is of another game than
            the first, an id is there twice, or two pictures have one file.
    """
    if identity is not None and identity in _known_sets and _hash_index(path) == identity:
        return Index(identity, Instances(_known_sets[identity], _FromFile(path)))
    digest = hashlib.sha256()
    entries: dict[str, InstanceEntry] = {}
    seen = _Seen()
    offset = 0
    for number, line in enumerate(_read_lines(path), start=1):
        digest.update(line)
        if identity:
            head: _Head | Instance = _parse_record(_Head, line, path, number)
        else:
            head = _parse_record(Instance, line, path, number)
            seen.add(head, f"{path}:{number}")
        entry = InstanceEntry(head.instance_id, head.category, head.difficulty, number, offset)
        # Results name instances by their ids alone.
        if entries.setdefault(entry.instance_id, entry) is not entry:
            raise InputError(f"{path}:{number}: instance_id {entry.instance_id!r} is there twice", _REMEDY)
        offset += len(line)
    if not entries:
        raise InputError(f"{path}: holds no instance", _REMEDY)
    if identity not in (None, digest.hexdigest()):
        return read_index(path)  # another file than the validated one
    in_order = tuple(entries.values())
    _known_sets[digest.hexdigest()] = in_order
    if len(_known_sets) > MOST_SETS:
        _known_sets.popitem(last=False)
    return Index(digest.hexdigest(), Instances(in_order, _FromFile(path)))


_known_sets: OrderedDict[str, tuple[InstanceEntry, ...]] = OrderedDict()
"""Entries of the sets read last, by the SHA-256 of their index."""


class _Seen:
    """The game and the pictures of the records of an index so far."""

    def __init__(self) -> None:
        self._game = ""
        self._files: dict[str, str] = {}

    def add(self, instance: Instance, where: str) -> None:
        """Refuse a record that does not belong to those before it."""
        self._game = self._game or instance.game
        if instance.game != self._game:
            games = ", ".join(sorted((self._game, instance.game)))
            raise InputError(f"{where}: the instances are of several games: {games}", "Make a set for each game.")
        for file in instance.pictures.values():
            if self._files.setdefault(file.image, file.sha256) != file.sha256:
                raise InputError(f"{where}: {file.image} is the file of two pictures", _REMEDY)


def _hash_index(path: Path) -> str:
    digest = hashlib.sha256()
    for line in _read_lines(path):
        digest.update(line)
    return digest.hexdigest()


def _read_lines(path: Path) -> Iterator[bytes]:
    """Yield the lines of an index file that is not too large."""
    try:
        with path.open("rb") as file:
            if os.fstat(file.fileno()).st_size > MOST_BYTES:
                raise InputError(f"{path}: larger than {MOST_BYTES // 2**20} MiB", "Split the set.")
            yield from file
    except OSError as error:
        raise InputError(f"{path}: cannot be read ({error.strerror})", "Check the file's permissions.") from error


class _Head(BaseModel):
    """The fields of an entry; all others of a line are skipped."""

    instance_id: str
    category: str
    difficulty: str


def _parse_record(kind: type[ModelT], line: bytes, path: Path, number: int) -> ModelT:
    with convert_validation_errors(f"{path}:{number}", _REMEDY):
        return kind.model_validate_json(line)
