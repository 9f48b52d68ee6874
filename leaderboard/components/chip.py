"""A choice among boards, as a link."""

from dataclasses import dataclass


@dataclass(frozen=True)
class Chip:
    """A link to a board that differs from the shown board in one choice."""

    label: str
    """Text of the link; on frozen boards it may be a stranger's words, so escape it."""

    path: str
    """The board's page, without suffix."""

    current: bool
    """Whether the link leads to the board that is shown."""
