"""Repositories of git objects that no client of git's would make: any name, any mode, nothing checked out."""

import hashlib
import subprocess
import zlib
from pathlib import Path
from typing import TypeAlias

File: TypeAlias = tuple[str, bytes]
"""Mode and content; of a submodule the content is a commit's id in hexadecimal."""

Files: TypeAlias = dict[str, File]
"""By path, with forward slashes; surrogates stand for bytes that are not UTF-8."""

PLAIN, PROGRAM, LINK, MODULE = "100644", "100755", "120000", "160000"


class ObjectRepository:
    """A bare repository to which commits are added as objects.

    Args:
        path: Where to make it.
    """

    def __init__(self, path: Path) -> None:
        self.path = path
        subprocess.run(["git", "init", "-q", "--bare", str(path)], check=True)

    def commit(self, files: Files, *parents: str) -> str:
        """Add a commit with these files; returns its id."""
        who = "Someone <someone@example.org> 1790000000 +0000"
        lines = [
            f"tree {self._tree(files)}",
            *(f"parent {one}" for one in parents),
            f"author {who}",
            f"committer {who}",
        ]
        return self._object("commit", "\n".join([*lines, "", "A change", ""]).encode())

    def _tree(self, files: Files) -> str:
        below: dict[str, Files] = {}
        entries: list[tuple[bytes, bytes, str]] = []
        for path, (mode, content) in files.items():
            name, slash, rest = path.partition("/")
            if slash:
                below.setdefault(name, {})[rest] = (mode, content)
            else:
                made = content.decode() if mode == MODULE else self._object("blob", content)
                entries.append((name.encode(errors="surrogateescape"), mode.encode(), made))
        for name, inside in below.items():
            entries.append((name.encode(errors="surrogateescape"), b"40000", self._tree(inside)))
        entries.sort(key=lambda one: one[0] + (b"/" if one[1] == b"40000" else b""))
        raw = b"".join(mode + b" " + name + b"\0" + bytes.fromhex(made) for name, mode, made in entries)
        return self._object("tree", raw)

    def _object(self, kind: str, content: bytes) -> str:
        """Write an object as git keeps it, without git's opinion on it."""
        whole = f"{kind} {len(content)}\0".encode() + content
        name = hashlib.sha1(whole, usedforsecurity=False).hexdigest()
        place = self.path / "objects" / name[:2] / name[2:]
        if not place.exists():
            place.parent.mkdir(exist_ok=True)
            place.write_bytes(zlib.compress(whole, 1))
        return name
