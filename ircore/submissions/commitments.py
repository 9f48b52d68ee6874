"""The register of commitments: which was announced when, and the nonce that was drawn for it.

``commitments.jsonl`` in the root of the repository has a JSON record a line, the oldest first. A job of the repository
writes it, for open pull requests whose manifest has a commitment; no pull request of a stranger may change it.
"""

from collections.abc import Mapping
from contextlib import suppress
from pathlib import Path

from pydantic import Field

from ircore.core.errors import InputError
from ircore.core.lifecycle import read_decisions
from ircore.core.records import Line, Name, Record, Sha256
from ircore.submissions.branches import clone_root

COMMITMENTS = "commitments.jsonl"
MAX_BYTES = 16 * 1024 * 1024
"""Largest register, in bytes: some 40,000 commitments."""


class Registered(Record):
    """A commitment that was announced. A line of ``commitments.jsonl``.

    >>> when = "2026-11-23T10:00:00+00:00"
    >>> known = {"slug": "my-pair", "account_id": 7, "pull_request": 12}
    >>> Registered(commitment="0" * 64, players="2" * 64, nonce="1" * 64, when=when, **known).slug
    'my-pair'
    """

    slug: Name = Field(description="The submission's folder name.")
    commitment: Sha256 = Field(description="As in the manifest.")
    players: Sha256 = Field(description="Hash of game, rules and players, see ``players_of``.")
    nonce: Sha256 = Field(description="Drawn when the commitment was registered, 64 hexadecimal digits.")
    when: Line = Field(description="When it was registered, ISO 8601 in UTC.")
    account_id: int = Field(gt=0, strict=True, description="Number of the account.")
    pull_request: int = Field(gt=0, strict=True, description="Number of the pull request.")


Register = Mapping[tuple[str, str], Registered]
"""Registered commitments by submission and commitment: a copy under another name takes nothing from its owner."""


def parse_commitments(data: bytes, name: str = COMMITMENTS) -> dict[tuple[str, str], Registered]:
    """Return the registered commitments, the oldest first; the first line about a submission's commitment counts.

    Args:
        data: Content of the file; empty where there is none yet.
        name: Name of the file for error messages.

    Raises:
        InputError: The file is too large, or a line is no such record.
    """
    if len(data) > MAX_BYTES:
        raise InputError(f"{name}: larger than {MAX_BYTES // 1024**2} MiB", "One line a commitment is enough.")
    lines = enumerate(data.splitlines(), start=1)
    remedy = "A maintainer mends it: slug, commitment, players, nonce and when."
    known: dict[tuple[str, str], Registered] = {}
    for entry in read_decisions(lines, Registered, name, remedy):
        known.setdefault((entry.slug, entry.commitment), entry)
    return known


def register_of(folder: Path) -> Register:
    """Return the register of the clone that a folder lies in, else of the clone at hand; empty outside a clone.

    Raises:
        InputError: The file is damaged.
    """
    # A submission may lie outside of the clone in which a command is given.
    for place in (folder.absolute(), Path.cwd()):
        with suppress(InputError):
            if (path := clone_root(place) / COMMITMENTS).is_file():
                break
    else:
        return {}
    return parse_commitments(path.read_bytes(), str(path))


def number_of(entry: Registered, register: Register) -> int:
    """Return the place of a commitment among the commitments of its submission and of its players' other names.

    From 1 on; more than one may be a choice.
    """
    # Several commitments of the same players could be a choice of the best run, under whatever names.
    alike = [known for known in register.values() if known.slug == entry.slug or known.players == entry.players]
    return alike.index(entry) + 1
