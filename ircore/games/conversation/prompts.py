"""The game master's words: text files, replaceable with ``--prompts DIR``, versioned by their hash."""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from importlib.resources import files
from pathlib import Path

from ircore.core.prompt_files import prompts_version, read_prompts
from ircore.games.conversation.records import Dialogue, Exchange

PLACEHOLDERS: dict[str, tuple[str, ...]] = {
    "summariser": ("{dialogue}", "{budget}"),
    "asker": (),
    "asker_later": ("{dialogue}",),
    "answerer": ("{question}",),
    "answerer_later": ("{dialogue}", "{question}"),
}
"""The texts of a set by name, and what each must have a place for."""


@dataclass(frozen=True)
class ConversationPrompts:
    """The prompts of a run.

    >>> prompts = ConversationPrompts("by hand", {"answerer": "{asker} asks: {question}"})
    >>> prompts.words("answerer", asker="Joe", question="What is {it}?")
    'Joe asks: What is {it}?'

    Attributes:
        version: Name of the set and a hash of its texts: part of a result's identity.
        texts: The texts by the names in ``PLACEHOLDERS``.
    """

    version: str
    texts: dict[str, str]

    def words(self, name: str, **places: object) -> str:
        """Return a text with the places filled; braces in a message stay as they are."""
        return re.sub(r"\{(\w+)\}", lambda place: str(places.get(place[1], place[0])), self.texts[name])


def load_prompts(folder: Path | None = None) -> ConversationPrompts:
    """Read the prompts.

    Args:
        folder: A folder with a file ``NAME.txt`` for each name in ``PLACEHOLDERS``; the built-in ones if None.

    Raises:
        InputError: A file is missing, too large, not UTF-8, or lacks a place for what it must tell.
    """
    texts = read_prompts(PLACEHOLDERS, files(__package__) / "prompt_texts", folder, "--prompts")
    return ConversationPrompts(prompts_version(list(texts.values()), folder), texts)


def written(talk: Sequence[Exchange], dialogue: Dialogue) -> str:
    r"""Return exchanges as lines ``NAME: message``; a message of several lines becomes one line.

    >>> talk = (Exchange(asked="What is it?", answered="A dog.\nIt sits."),)
    >>> print(written(talk, Dialogue(dialogue=talk)))
    Joe: What is it?
    Jill: A dog. It sits.
    """
    messages = (
        (name, text) for hop in talk for name, text in ((dialogue.asker, hop.asked), (dialogue.answerer, hop.answered))
    )
    return "\n".join(f"{name}: {' '.join(text.split())}" for name, text in messages)
