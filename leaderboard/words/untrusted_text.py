"""Making a stranger's text harmless and visible: players' messages and manifests are data, never markup."""

import unicodedata

from markupsafe import Markup, escape

_PLAIN = frozenset("\n\t")
_HIDDEN = frozenset({"Cc", "Cf", "Cs", "Co", "Cn", "Zl", "Zp"})
"""Unicode categories of characters that cannot be seen or that reorder what can: shown by their code instead."""

_JOINERS = frozenset("\u200c\u200d\ufe0f")
"""Format characters that ordinary scripts and emoji need and that hide nothing."""


def visible(text: str) -> str:
    """Return text with every hidden character replaced by its code, such as ``⟦U+202E⟧``."""
    # Nearly all texts: what Python calls printable has no hidden character, and is known in one pass.
    if text.isprintable():
        return text
    # A Windows line break is one line break; a lone carriage return stays visible.
    return "".join(_shown(character) for character in text.replace("\r\n", "\n"))


def stranger(text: str) -> Markup:
    """Return a stranger's text as HTML that does nothing: escaped, hidden characters shown, direction isolated.

    Line breaks become character references, so that the text never adds a line to the page's source.
    """
    return Markup(f'<bdi dir="auto">{inert(text)}</bdi>')  # noqa: S704 - inert escapes


def inert(text: str) -> Markup:
    """Return a piece of a stranger's text as HTML that does nothing, for use within a ``bdi`` that holds all pieces."""
    safe = str(escape(visible(text))).replace("\n", "&#10;").replace("\t", "&#9;")
    return Markup(safe)  # noqa: S704 - escaped one line above


def one_line(text: str, length: int = 120) -> str:
    """Return the beginning of a text on one line, for attributes; escaping is left to the template."""
    flat = " ".join(visible(text).split())
    return flat if len(flat) <= length else flat[: length - 1].rstrip() + "…"


def _shown(character: str) -> str:
    if character in _PLAIN or character in _JOINERS or unicodedata.category(character) not in _HIDDEN:
        return character
    return f"⟦U+{ord(character):04X}⟧"
