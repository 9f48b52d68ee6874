"""The game master's words: text files, replaceable with ``--prompts DIR``, versioned by their hash."""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from importlib.resources import files
from pathlib import Path
from typing import Protocol, TypeVar

from ircore.core.files import compute_prompts_version, read_prompts


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


@dataclass(frozen=True)
class TextPrompts:
    """The prompts of a run, by name.

    >>> prompts = TextPrompts("by hand", {"answerer": "{asker} asks: {question}"})
    >>> prompts.words("answerer", asker="Joe", question="What is {it}?")
    'Joe asks: What is {it}?'

    Attributes:
        version: Name of the set and a hash of its texts: part of a result's identity.
        texts: The texts by name.
    """

    version: str
    texts: Mapping[str, str]

    def words(self, name: str, **places: object) -> str:
        """Return a text with the places filled; braces in a message stay as they are."""
        # Not str.format: a message with braces would fail, or read attributes of the values.
        return re.sub(r"\{(\w+)\}", lambda place: str(places.get(place[1], place[0])), self.texts[name])


PromptsT = TypeVar("PromptsT", bound=TextPrompts)


def load_text_prompts(
    kind: type[PromptsT], placeholders: Mapping[str, Sequence[str]], package: str, folder: Path | None
) -> PromptsT:
    """Read the prompts of a game.

    Args:
        kind: Class of the prompts.
        placeholders: The texts by name, and the places that each must have.
        package: Package of the game, whose folder ``prompt_texts`` holds the built-in texts.
        folder: A folder with a file ``NAME.txt`` for each name; the built-in texts if None.

    Raises:
        InputError: A file is missing, too large, not UTF-8, or lacks a place for what it must tell.
    """
    texts = read_prompts(placeholders, files(package) / "prompt_texts", folder, "--prompts")
    return kind(compute_prompts_version(list(texts.values()), folder), texts)
