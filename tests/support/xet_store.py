"""Reading what ``hf_xet`` stored in a folder: its ``local://`` store, which a test can hand out instead of a service.

A store keeps shards, tables of 48-byte records: for each file a header with its own hash and a number of entries, the
entries, then, as flags of the header say, as many verification records, and a record with the SHA-256 of the content.
Hashes are four 64-bit words in the byte order of the machine, so their bytes are turned around in eights.
"""

import struct
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

RECORD = 48
END = b"\xff" * 32
VERIFIED, HAS_SHA256 = 1 << 31, 1 << 30


class Stored(NamedTuple):
    """A file of a store."""

    sha256: str
    xet_hash: str


def stored_files(store: Path) -> Iterator[Stored]:
    """Yield the files that the shards of a store name."""
    for shard in sorted(store.rglob("shards/*.mdb")):
        data, at = shard.read_bytes(), RECORD
        while data[at : at + 32] != END:
            flags, entries = struct.unpack_from("<II", data, at + 32)
            file, at = _hash(data, at), at + RECORD * (1 + entries * (2 if flags & VERIFIED else 1))
            if flags & HAS_SHA256:
                yield Stored(_hash(data, at), file)
                at += RECORD


def read_stored(store: Path, sha256: str, size: int) -> bytes:
    """Return the content of a file of a store.

    Raises:
        StopIteration: There is none of this SHA-256.
    """
    import hf_xet  # type: ignore[import-untyped]

    wanted = next(file.xet_hash for file in stored_files(store) if file.sha256 == sha256)
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "file"
        with hf_xet.XetSession().new_file_download_group(
            endpoint=f"local://{store}", token="xet", token_expiry_unix_secs=4_000_000_000
        ) as group:
            group.start_download_file(hf_xet.XetFileInfo(wanted, size), str(path))
        return path.read_bytes()


def _hash(data: bytes, at: int) -> str:
    return "".join(data[at + word : at + word + 8][::-1].hex() for word in range(0, 32, 8))
