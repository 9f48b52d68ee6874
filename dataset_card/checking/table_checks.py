"""Checks of the tables of a release: the bytes of their files, the rows of their joins, and texts to keep private.

Files must be, to the byte, those that this program writes of their rows. Rows alone do not make a Parquet file: row
groups and page indexes decide how fast it streams, and its statistics, its dictionaries and the bytes between its row
groups can hold what no row says.

A finding about a text names the rule, and too few characters to use a key.
"""

import json
import re
from collections import Counter, defaultdict, deque
from collections.abc import Iterator, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from functools import lru_cache
from pathlib import Path
from typing import TYPE_CHECKING

from dataset_card.findings import Findings
from dataset_card.releases.record import ReleaseRecord, select_layout_configs
from dataset_card.tables.columns import Config
from dataset_card.tables.parquet import PLAIN_KINDS, open_parquet
from dataset_card.tables.rows import Row
from dataset_card.tables.schema import BY_STEP, JOINS, is_transcripts
from dataset_card.tables.writing import (
    GROUP_ROWS,
    GROUP_ROWS_WITH_IMAGES,
    TablePart,
    TableWriter,
    Written,
    compute_layout_key,
)
from ircore.core.private_text import PATTERNS, UNSEEN, find_leaks
from ircore.core.untrusted_text import encode_unprintable

if TYPE_CHECKING:
    import pyarrow.parquet as pq


BATCH, BATCH_WITH_IMAGES = 1000, 16
"""Rows that are handed over to be written again together."""

AHEAD = 2
"""Batches that wait to be written again, each with some 10 MB of pictures."""

_WRITER = re.compile(r"parquet-cpp-arrow version (\d{1,4}\.\d{1,4}\.\d{1,4})")


class TableFiles:
    """Writes the tables of a release again, into nothing, while a check reads them, and compares the files' hashes.

    A thread writes, so that no row is read twice. A release with any other fault is not compared: rows that are at
    fault are no reason to write them again.

    Args:
        folder: The release.
        record: Content of ``release.json``.
        findings: Collects the faults.

    >>> from dataset_card.releases.record import read_release
    >>> from dataset_card.tables.parquet import read_table
    >>> folder = Path("release")
    >>> record, findings = read_release(folder), Findings()
    >>> files = TableFiles(folder, record, findings)
    >>> for config in record.configs:
    ...     for where, row in read_table(folder, config):
    ...         files.take(where, row)
    >>> files.finish(), findings.faults
    ((), [])
    """

    def __init__(self, folder: Path, record: ReleaseRecord, findings: Findings) -> None:
        self._folder, self._record, self._findings = folder, record, findings
        self._is_other_layout = record.layout != compute_layout_key(select_layout_configs(record.configs))
        self._configs = {config.name: config for config in record.configs}
        self._parts = {name: part for part in record.parts for name in part.files}
        self._begun: dict[tuple[str, str | None], _PartAgain] = {}
        self._file = ""
        # One thread, since the rows of a part are to stay in their order.
        self._pool = ThreadPoolExecutor(1)
        self._waiting = deque[Future[None]]()

    def take(self, where: str, row: Row) -> None:
        """Take the next row of a table, in the order of the table's files; ``where`` is its file and number."""
        if self._findings.faults or self._is_other_layout:
            return
        name = where.rpartition(":")[0]
        if name != self._file:
            self._end_file()
            self._file = name
        part = self._begin(self._parts[name])
        part.rows.append(row)
        if len(part.rows) >= (BATCH_WITH_IMAGES if part.config.images else BATCH):
            self._hand_over(part)

    def finish(self) -> tuple[str, ...]:
        """Compare the files.

        Returns:
            Files that could not be compared to the byte, one line for each version of pyarrow that wrote some.
        """
        import pyarrow as pa

        with self._pool as pool:
            if self._findings.faults:
                pool.shutdown(cancel_futures=True)
                return ()
            if self._is_other_layout:
                return ("data: bytes of the files not compared: another version of the program wrote them",)
            self._end_file()
        others = Counter[str]()
        parts = [self._begin(part) for part in self._record.parts]
        for name, fault in (fault for part in parts for fault in part.form_faults):
            self._findings.add(name, fault)
        for part in parts:
            others.update(dict.fromkeys(part.versions - {pa.cpp_version}, len(part.part.files)))
            for name in part.list_changed_files():
                self._findings.add(
                    name, "is not the file that its rows give when they are written again (another SHA-256)"
                )
        return tuple(
            f"data: bytes of {count} files not compared: pyarrow {version} wrote them, {pa.cpp_version} is here"
            for version, count in sorted(others.items())
        )

    def _begin(self, part: TablePart) -> "_PartAgain":
        key = part.config, part.run_id
        if key not in self._begun:
            self._begun[key] = _PartAgain(self._folder, self._configs[part.config], part)
        return self._begun[key]

    def _end_file(self) -> None:
        """Hand over the last rows of a file; after the last file of a part, its last row group is written too."""
        if self._file:
            part = self._begin(self._parts[self._file])
            part.left.discard(self._file)
            self._hand_over(part)

    def _hand_over(self, part: "_PartAgain") -> None:
        rows, part.rows = part.rows, []
        self._waiting.append(self._pool.submit(part.write, rows, not part.left))
        # The thread is waited for before it is given more, since rows hold pictures.
        if len(self._waiting) > AHEAD:
            self._waiting.popleft().result()


class _PartAgain:
    """A part that is written again.

    Attributes:
        config: The table.
        part: What the record says of it.
        rows: Rows that were taken and not handed over.
        left: Its files whose rows have not all been taken.
        form_faults: Files that are not in the form in which releases are written, each with its fault.
        versions: Versions of pyarrow that wrote its files.
    """

    def __init__(self, folder: Path, config: Config, part: TablePart) -> None:
        import pyarrow as pa

        self.config, self.part = config, part
        self.rows: list[Row] = []
        self.left = set(part.files)
        self.form_faults: list[tuple[str, str]] = []
        self.versions: set[str] = set()
        for name in part.files:
            with open_parquet(folder / name) as file:
                writer = _WRITER.fullmatch(str(file.metadata.created_by))
                self.form_faults += [(name, fault) for fault in _check_form(config, file.metadata)]
            if writer is None:
                self.form_faults.append((name, "names no program that writes releases as the one that wrote it"))
            else:
                self.versions.add(writer[1])
        self._writer = TableWriter(config, None) if self.versions == {pa.cpp_version} else None
        self._written: Written | None = None
        self._error: Exception | None = None

    def write(self, rows: Sequence[Row], last: bool) -> None:
        """Write rows into nothing; with the last rows, end the files."""
        if self._writer is None or self._error is not None:
            return
        try:
            for row in rows:
                self._writer.take(row)
            if last:
                self._written = self._writer.finish()
        # Whatever cannot be written has a fault, which the check of the rows tells; if none does, it is raised there.
        except Exception as error:  # noqa: BLE001
            self._error = error

    def list_changed_files(self) -> list[str]:
        """Return the files that are not those that their rows give."""
        if self._writer is None:
            return []
        # A part without rows was never taken.
        self.write(self.rows, last=self._written is None)
        if self._error is not None:
            raise self._error
        files = () if self._written is None else self._written.files
        wanted = dict(zip(self.part.files, files, strict=False))
        return [name for name, shard in self.part.files.items() if wanted.get(name) != (shard.size, shard.sha256)]


def _check_form(config: Config, metadata: "pq.FileMetaData") -> Iterator[str]:
    """Yield the differences between a file and the form in which releases are written, whatever its rows."""
    most = GROUP_ROWS_WITH_IMAGES if config.images else GROUP_ROWS
    kinds = {column.name: column.kind for column in config.columns}
    for number in range(metadata.num_row_groups):
        group = metadata.row_group(number)
        if group.num_rows > most:
            yield f"row group {number + 1} has {group.num_rows:,} rows, at most {most:,} are written"
        chunks = [group.column(index) for index in range(group.num_columns)]
        for chunk in chunks:
            column, _, part = chunk.path_in_schema.partition(".")
            part = part.rpartition(".")[2]
            plain = kinds.get(column) in PLAIN_KINDS
            # Values too long for an index of them have none; where values are parted into pages is always there.
            if not chunk.has_offset_index or (chunk.has_column_index and not plain):
                yield f"row group {number + 1} has not the page index that is written ({column[:60]})"
                break
            if chunk.is_stats_set != plain:
                yield f"row group {number + 1} has not the statistics that are written ({column[:60]})"
                break
            if chunk.compression != ("UNCOMPRESSED" if part == "bytes" else "ZSTD"):
                yield f"row group {number + 1} is compressed otherwise than it is written ({column[:60]})"
                break
            if chunk.bloom_filter_offset is not None:
                yield f"row group {number + 1} has a Bloom filter, which is never written ({column[:60]})"
                break


_Steps = tuple[object, object]
"""Episode and step."""


class JoinCounts:
    """Counts what a reader gets who joins the tables as the card says.

    A table joins with the owner of each of its ids, and tables of steps with transcripts on episode and step. Each row
    must find one row there, or the join would repeat or lose rows. Transcripts are taken before other tables of steps.

    >>> from dataset_card.tables.schema import EPISODES, INSTANCES
    >>> joins = JoinCounts()
    >>> for config in (INSTANCES, INSTANCES, EPISODES):
    ...     joins.take(config, {"instance_id": "rps/1a2b3c4d/one"})
    >>> list(joins.faults())
    [('data/episodes', 'joined with instances on instance_id, its 1 rows become 2')]
    """

    def __init__(self) -> None:
        self._ids: defaultdict[tuple[str, str], Counter[object]] = defaultdict(Counter)
        self._steps: Counter[_Steps] = Counter()
        self._by_step: defaultdict[str, list[int]] = defaultdict(lambda: [0, 0])

    def take(self, config: Config, row: Row) -> None:
        """Take the next row of a table."""
        for name in JOINS.keys() & row.keys():
            self._ids[config.name, name][row[name]] += 1
        if is_transcripts(config.name):
            self._steps[row["episode_id"], row["step"]] += 1
        elif config.name in BY_STEP and row["step"] is not None:
            rows = self._by_step[config.name]
            rows[0] += 1
            rows[1] += self._steps[row["episode_id"], row["step"]]

    def faults(self) -> Iterator[tuple[str, str]]:
        """Yield each join that does not give the rows of its table: the table's place, and the fault."""
        for (table, name), ids in self._ids.items():
            owner = JOINS[name]
            known, rows = self._ids[owner, name] if (owner, name) in self._ids else Counter[object](), ids.total()
            joined = sum(count * known[value] for value, count in ids.items())
            if joined != rows and table != owner:
                yield f"data/{table}", f"joined with {owner} on {name}, its {rows:,} rows become {joined:,}"
        for table, (rows, joined) in self._by_step.items():
            if joined != rows:
                yield (
                    f"data/{table}",
                    f"joined with transcripts on episode_id and step, {rows:,} rows become {joined:,}",
                )


SHOWN, SHOWN_OF_OURS = 3, 8
"""Characters that a report repeats of a leak by ``detect-secrets`` and by our patterns: enough to search for the leak,
too few to use it."""

REMEMBERED = 10_000
"""Texts whose result is cached: names and words that occur in many rows."""


@lru_cache(REMEMBERED)
def find_forbidden(text: str) -> str | None:
    r"""Return the first leak in a text, in JSON also behind its escapes; None without a leak.

    >>> find_forbidden("a photograph in /home/somebody/pictures")
    'a path of a machine (/home/so…)'
    >>> find_forbidden('{"name": "a\\u202eb"}')
    'a character that reorders text (⟦U+202E⟧)'
    """
    found = ((part, leak) for part in _list_readings(text) for leak in find_leaks(part))
    text, leak = next(found, (text, None))
    if leak is None:
        return None
    if leak.rule in UNSEEN:
        return f"{leak.rule} ({encode_unprintable(text[leak.begin])})"
    most = SHOWN_OF_OURS if leak.rule in PATTERNS else SHOWN
    return f"{leak.rule} ({text[leak.begin : leak.end][:most]}…)"


def _list_readings(text: str) -> Iterator[str]:
    """Yield a text, and the strings in each of its lines of JSON as far as they are written with escapes."""
    yield text
    if "\\" not in text:
        return
    for line in (text, *text.splitlines()):
        if line.lstrip()[:1] in ("{", "["):
            try:
                yield from _find_strings(json.loads(line))
            except (ValueError, RecursionError):
                continue


def _find_strings(value: object) -> Iterator[str]:
    if isinstance(value, str):
        yield value
    elif isinstance(value, dict):
        for name, part in value.items():
            yield name
            yield from _find_strings(part)
    elif isinstance(value, list):
        for part in value:
            yield from _find_strings(part)
