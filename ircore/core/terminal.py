"""Showing strangers' text to people at a terminal."""


def printable(text: str) -> str:
    """Return a text without what could steer a terminal or hide what it says; line breaks stay."""
    return "".join(one if one.isprintable() or one == "\n" else "\N{REPLACEMENT CHARACTER}" for one in text)
