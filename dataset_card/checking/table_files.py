"""Check that the files of the tables are, to the byte, those that this program writes of their rows.

Rows alone do not make a Parquet file: row groups and page indexes decide how fast it streams, and its statistics, its
dictionaries and the bytes between its row groups can hold what no row says.
"""

import re
from collections import Counter
from collections.abc import Iterator, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from pathlib import Path
from typing import TYPE_CHECKING

from dataset_card.findings import Findings
from dataset_card.releases.record import ReleaseRecord, select_layout_configs
from dataset_card.tables.columns import Config
from dataset_card.tables.parquet import PLAIN_KINDS, open_parquet, read_rows
from dataset_card.tables.parts import Part, compute_layout_key
from dataset_card.tables.writing import GROUP_ROWS, GROUP_ROWS_WITH_IMAGES, hash_table

if TYPE_CHECKING:
    import pyarrow.parquet as pq

AT_ONCE = 2
"""Parts that are written again at a time, each with some 250 MB of memory."""

_WRITER = re.compile(r"parquet-cpp-arrow version (\d{1,4}\.\d{1,4}\.\d{1,4})")


def check_table_files(folder: Path, record: ReleaseRecord, findings: Findings) -> tuple[str, ...]:
    """Write the tables of a release again, into nothing, and compare the hashes of the files.

    Args:
        folder: The release; its tables have no fault.
        record: Content of ``release.json``.
        findings: Collects the faults.

    Returns:
        Files that could not be compared to the byte, one line for each version of pyarrow that wrote some.
    """
    import pyarrow as pa

    if record.layout != compute_layout_key(select_layout_configs(record.configs)):
        return ("data: bytes of the files not compared: another version of the program wrote them",)
    configs = {config.name: config for config in record.configs}
    others = Counter[str]()
    written_again: list[Future[list[str]]] = []
    # Threads, since reading, writing and hashing hold up no other for most of their time.
    with ThreadPoolExecutor(AT_ONCE) as pool:
        for part in record.parts:
            config, paths = configs[part.config], [folder / name for name in part.files]
            versions = set()
            for path in paths:
                with open_parquet(path) as file:
                    writer = _WRITER.fullmatch(str(file.metadata.created_by))
                    faults = list(_check_form(config, file.metadata))
                if writer is None:
                    faults.append("names no program that writes releases as the one that wrote it")
                else:
                    versions.add(writer[1])
                for fault in faults:
                    findings.add(path.relative_to(folder).as_posix(), fault)
            if others_here := versions - {pa.cpp_version}:
                others.update(dict.fromkeys(others_here, len(paths)))
            elif versions:
                written_again.append(pool.submit(_other_files, folder, config, part, paths))
    for name in (name for names in written_again for name in names.result()):
        findings.add(name, "is not the file that its rows give when they are written again (another SHA-256)")
    return tuple(
        f"data: bytes of {count} files not compared: pyarrow {version} wrote them, {pa.cpp_version} is here"
        for version, count in sorted(others.items())
    )


def _other_files(folder: Path, config: Config, part: Part, paths: Sequence[Path]) -> list[str]:
    """Return the names of the files of a part that are not those that its rows give."""
    rows = (row for _, row in read_rows(folder, paths))
    wanted = dict(zip(part.files, hash_table(config, rows).files, strict=False))
    return [name for name, shard in part.files.items() if wanted.get(name) != (shard.size, shard.sha256)]


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
