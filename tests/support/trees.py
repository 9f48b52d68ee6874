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

PLAIN, PROGRAM, LINK, MODULE, FOLDER = "100644", "100755", "120000", "160000", "40000"


class ObjectRepository:
    """A bare repository to which commits are added as objects.

    Args:
        path: Where to make it.
    """

    def __init__(self, path: Path) -> None:
        self.path = path
        subprocess.run(["git", "init", "-q", "--bare", str(path)], check=True)

    def commit(self, files: Files, *parents: str, when: int = 1790000000, message: str = "A change") -> str:
        """Add a commit with these files, made some seconds after 1970; returns its id."""
        return self.commit_of(self.tree(files), *parents, when=when, message=message)

    def commit_of(self, tree: str, *parents: str, when: int = 1790000000, message: str = "A change") -> str:
        """Add a commit of a tree; returns its id."""
        who = f"Someone <someone@example.org> {when} +0000"
        lines = [f"tree {tree}", *(f"parent {parent}" for parent in parents), f"author {who}", f"committer {who}"]
        return self._object("commit", "\n".join([*lines, "", message, ""]).encode())

    def blob(self, content: bytes) -> str:
        """Add the content of a file; returns its id."""
        return self._object("blob", content)

    def listing(self, *entries: tuple[str, str, str]) -> str:
        """Add a tree of entries as they come, each its mode, name and object, however senseless; returns its id."""
        raw = (
            f"{mode} {name}\0".encode(errors="surrogateescape") + bytes.fromhex(made) for mode, name, made in entries
        )
        return self._object("tree", b"".join(raw))

    def tree(self, files: Files) -> str:
        """Add files as a tree, as git would order them; returns its id."""
        below: dict[str, Files] = {}
        entries: list[tuple[str, str, str]] = []
        for path, (mode, content) in files.items():
            name, slash, rest = path.partition("/")
            if slash:
                below.setdefault(name, {})[rest] = (mode, content)
            else:
                made = content.decode() if mode == MODULE else self.blob(content)
                entries.append((mode, name, made))
        for name, inside in below.items():
            entries.append((FOLDER, name, self.tree(inside)))
        entries.sort(
            key=lambda entry: (entry[1] + ("/" if entry[0] == FOLDER else "")).encode(errors="surrogateescape")
        )
        return self.listing(*entries)

    def _object(self, kind: str, content: bytes) -> str:
        """Write an object as git keeps it, without git's opinion on it."""
        whole = f"{kind} {len(content)}\0".encode() + content
        name = hashlib.sha1(whole, usedforsecurity=False).hexdigest()
        place = self.path / "objects" / name[:2] / name[2:]
        if not place.exists():
            place.parent.mkdir(exist_ok=True)
            place.write_bytes(zlib.compress(whole, 1))
        return name
