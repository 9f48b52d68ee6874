"""Showing strangers' text to people at a terminal."""


def printable(text: str) -> str:
    """Return a text without what could steer a terminal or hide what it says; line breaks stay."""
    return "".join(
        character if character.isprintable() or character == "\n" else "\N{REPLACEMENT CHARACTER}" for character in text
    )
