"""The game master's words as games hand them over."""

from dataclasses import dataclass
from typing import Protocol


class GamePrompts(Protocol):
    """The game master's words; their version is part of a run's identity.

    >>> class Words:
    ...     version = "built-in 1a2b3c4d5e6f"
    ...     guess = "Guess the fruit."
    >>> prompts: GamePrompts = Words()
    >>> prompts.version
    'built-in 1a2b3c4d5e6f'
    """

    @property
    def version(self) -> str:
        """Name of the set of texts with their hash."""
        ...


@dataclass(frozen=True)
class NoPrompts:
    """The prompts of games whose words stand in their rules.

    >>> NoPrompts().version
    'built-in'
    """

    version: str = "built-in"
