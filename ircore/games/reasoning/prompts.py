"""The game master's words: text files, replaceable with ``--prompts DIR``, versioned by their hash."""

from dataclasses import dataclass
from importlib.resources import files
from pathlib import Path

from ircore.core.prompt_files import prompts_version, read_prompts

PLACES: dict[str, tuple[str, ...]] = {"thinker": ("{task}",), "thought": ("{thought}",)}
"""The texts of a set by name, and what each must have a place for."""


@dataclass(frozen=True)
class ReasoningPrompts:
    """The prompts of a run.

    >>> ReasoningPrompts("by hand", {"thinker": "Solve: {task}", "thought": "{thought}"}).thinker("2 + 2")
    'Solve: 2 + 2'

    Attributes:
        version: Name of the set and a hash of its texts: part of a result's identity.
        texts: The texts by the names in ``PLACES``.
    """

    version: str
    texts: dict[str, str]

    def thinker(self, task: str) -> str:
        """Return the words for the thinker; braces in a task stay as they are."""
        return self.texts["thinker"].replace("{task}", task)

    def thought(self, thought: str) -> str:
        """Return the words for a drawer or reader who hears the thinker."""
        return self.texts["thought"].replace("{thought}", thought)


def load_prompts(folder: Path | None = None) -> ReasoningPrompts:
    """Read the prompts.

    Args:
        folder: A folder with a file ``NAME.txt`` for each name in ``PLACES``; the built-in ones if None.

    Raises:
        InputError: A file is missing, too large, not UTF-8, or lacks a place for what it must tell.
    """
    texts = read_prompts(PLACES, files(__package__) / "prompt_texts", folder, "--prompts")
    return ReasoningPrompts(prompts_version(list(texts.values()), folder), texts)
