"""Showing strangers' text to people at a terminal."""


def printable(text: str) -> str:
    """Return a text without characters that could steer a terminal or hide other text; line breaks stay."""
    return "".join(
        character if character.isprintable() or character == "\n" else "\N{REPLACEMENT CHARACTER}" for character in text
    )
