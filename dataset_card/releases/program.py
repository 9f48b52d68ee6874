"""Hash of the code that computes the numbers of a release."""

import hashlib
from functools import cache
from pathlib import Path

import ircore

# Everything else that a number depends on stands in the tables as episodes and scores.
_PARTS = ("results",)
"""Packages of ``ircore`` that a number depends on."""


@cache
def program_key() -> str:
    """Return the hash of the code: numbers of the previous release are reused only if the code has not changed."""
    root = Path(ircore.__file__).parent
    digest = hashlib.sha256()
    for path in sorted(path for part in _PARTS for path in (root / part).rglob("*.py")):
        data = path.read_bytes()
        # With the length, so that code cannot move from one file into the next unseen.
        digest.update(f"{path.relative_to(root).as_posix()} {len(data)}\n".encode() + data)
    return digest.hexdigest()
