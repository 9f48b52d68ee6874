"""Whose entry a submission is: the account that handed it in, recorded when it was merged.

``owners.jsonl`` in the root of the repository has a JSON record a line, the oldest first. Workflows of the repository
write it, from what the service says of the merged pull request; no pull request of a stranger may change it. An account
is known by its number: a name can be given up, and taken by somebody else.
"""

from collections.abc import Iterable
from typing import Annotated, NamedTuple

from pydantic import Field, StringConstraints

from ircore.core.days import Day
from ircore.core.errors import InputError
from ircore.core.lifecycle import decision_lines, read_decisions
from ircore.core.records import Name, Record

OWNERS = "owners.jsonl"
MAX_BYTES = 8 * 1024 * 1024
"""Largest file of owners, in bytes: some 50,000 submissions."""

Login = Annotated[str, StringConstraints(pattern=r"^[A-Za-z0-9](?:[A-Za-z0-9_-]{0,98}(?:\[bot\])?)?$")]
"""Name of an account or organisation of the service that keeps the repository."""


class Owner(Record):
    """The account that a submission belongs to. A line of ``owners.jsonl``."""

    slug: Name = Field(description="The submission's folder name.")
    account: Login = Field(description="Name of the account that opened the pull request, at the time of the merge.")
    account_id: int = Field(
        gt=0, strict=True, description="Number of that account, which never changes: changes go by it."
    )
    organisation: Login | None = Field(
        default=None, description="Owner of the fork that the pull request came from: the account or an organisation."
    )
    pull_request: int | None = Field(
        default=None, gt=0, strict=True, description="Number of the pull request; null if by hand."
    )
    date: Day = Field(description="When it was merged, YYYY-MM-DD.")


class Proposer(NamedTuple):
    """Account that proposes a change, as the service says; never as the change itself says."""

    account_id: int
    """Number of the account that opened the pull request."""

    fork: str = ""
    """Owner of the repository that its branch lies in: the account's own name or an organisation's; may be unknown."""


def parse_owners(data: bytes, name: str = OWNERS) -> dict[str, Owner]:
    """Return the owner of each submission: the last line about it counts, so that a pair can change hands.

    Args:
        data: Content of the file; empty where there is none yet.
        name: Name of the file for error messages.

    Raises:
        InputError: The file is too large, or a line is no such record.
    """
    if len(data) > MAX_BYTES:
        raise InputError(f"{name}: larger than {MAX_BYTES // 1024**2} MiB", "One line a submission is enough.")
    lines = enumerate(data.splitlines(), start=1)
    remedy = "A maintainer mends it: slug, account, account_id and date in each line."
    return {owner.slug: owner for owner in read_decisions(lines, Owner, name, remedy)}


def with_lines(data: bytes, records: Iterable[Record]) -> bytes:
    """Return the content of a file of records with a further line for each record."""
    # A file that was edited by hand may lack the last line's end.
    whole = data if not data or data.endswith(b"\n") else data + b"\n"
    return whole + decision_lines(records).encode()
