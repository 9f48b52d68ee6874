"""The game master's words: names and places of the texts in ``prompt_texts``, and the dialogue as text."""

from collections.abc import Sequence

from ircore.games.conversation.records import Dialogue, Exchange

PLACEHOLDERS: dict[str, tuple[str, ...]] = {
    "summariser": ("{dialogue}", "{budget}"),
    "asker": (),
    "asker_later": ("{dialogue}",),
    "answerer": ("{question}",),
    "answerer_later": ("{dialogue}", "{question}"),
}
"""The texts of a set by name, and what each must have a place for."""


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
