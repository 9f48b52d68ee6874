"""The game master's words: text files, replaceable with ``--prompts DIR``, versioned by their hash."""

import re
from dataclasses import dataclass
from importlib.resources import files
from pathlib import Path

from ircore.core.prompt_files import prompts_version, read_prompts

PLACEHOLDERS: dict[str, tuple[str, ...]] = {
    "speaker_simple": (),
    "speaker_gricean": (),
    "speaker_explicit": (),
    "speaker_consistent": (),
    "speaker_round": ("{label}",),
    "speaker_right": (),
    "speaker_wrong": ("{chosen}",),
    "speaker_invalid": (),
    "listener": ("{labels}",),
    "listener_masked": ("{labels}",),
    "listener_round": ("{message}",),
    "listener_right": (),
    "listener_wrong": ("{label}",),
    "listener_invalid": ("{labels}",),
}
"""The texts of a set by name, and what each must have a place for."""


@dataclass(frozen=True)
class ReferencePrompts:
    """The prompts of a run.

    >>> ReferencePrompts("by hand", {"round": "Round {round}: {message}"}).words("round", round=2, message="{dog}")
    'Round 2: {dog}'

    Attributes:
        version: Name of the set and a hash of its texts: part of a result's identity.
        texts: The texts by the names in ``PLACEHOLDERS``.
    """

    version: str
    texts: dict[str, str]

    def words(self, name: str, **places: object) -> str:
        """Return a text with the places filled; braces in a message stay as they are."""
        return re.sub(r"\{(\w+)\}", lambda place: str(places.get(place[1], place[0])), self.texts[name])


def load_prompts(folder: Path | None = None) -> ReferencePrompts:
    """Read the prompts.

    Args:
        folder: A folder with a file ``NAME.txt`` for each name in ``PLACEHOLDERS``; the built-in ones if None.

    Raises:
        InputError: A file is missing, too large, not UTF-8, or lacks a place for what it must tell.
    """
    texts = read_prompts(PLACEHOLDERS, files(__package__) / "prompt_texts", folder, "--prompts")
    return ReferencePrompts(prompts_version(list(texts.values()), folder), texts)
