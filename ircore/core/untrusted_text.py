"""Texts that strangers wrote, made harmless: players' messages, manifests, file names and services' words are data.

``visible`` is for people who read a text, ``coded`` for lines that a program reads too, ``without_controls`` and
``plain_line`` for terminals and Markdown, ``one_line`` for names and titles. None of them escapes markup.
"""

import re
import unicodedata

HIDDEN = frozenset({"Cc", "Cf", "Cs", "Co", "Cn", "Zl", "Zp"})
"""Unicode categories of characters that cannot be seen or that reorder what can."""

_LAYOUT = "\n\t"
_JOINERS = "\u200c\u200d\ufe0f"
"""Format characters that ordinary scripts and emoji need and that hide nothing."""


def without_controls(text: str, mark: str = " ", stays: str = "") -> str:
    r"""Return a text with a mark in place of each character that cannot be printed.

    >>> without_controls("a\x1b[2J\nb"), without_controls("a\x1b\nb", mark="?", stays="\n")
    ('a [2J b', 'a?\nb')
    """
    return "".join(character if character.isprintable() or character in stays else mark for character in text)


def writable(text: str) -> str:
    r"""Return a text with a question mark in place of each lone surrogate, which UTF-8 cannot write.

    >>> writable("a\ud800b")
    'a?b'
    """
    return text.encode(errors="replace").decode()


def plain_line(text: str, longest: int | None = None) -> str:
    r"""Return a text with one space in place of each run of white space and control characters.

    >>> plain_line("\x00one\n\ntwo three", 8)
    'one two…'

    Args:
        text: Anything.
        longest: Characters that stay, the sign of the cut among them; all of them if None.
    """
    return shortened(" ".join(without_controls(text).split()), longest)


def shortened(text: str, longest: int | None) -> str:
    """Return a text of at most ``longest`` characters, which ends with … where it was cut; unchanged if None."""
    return text if longest is None or len(text) <= longest else f"{text[: longest - 1]}…"


def whole_characters(text: str) -> str:
    r"""Return a text with U+FFFD in place of each half of a character that stands without its other half.

    >>> whole_characters("a\ud83d b\ud83d\ude00")
    'a\ufffd b😀'
    """
    # Nearly all texts, and base64 of any length, are known in one look.
    if text.isascii():
        return text
    return text.encode("utf-16-le", "surrogatepass").decode("utf-16-le", "replace")


def visible(text: str) -> str:
    r"""Return a text with every hidden character replaced by its code; line breaks, tabs and joiners stay.

    >>> visible("a\u202eb\r\n\tc")
    'a⟦U+202E⟧b\n\tc'
    """
    # Nearly all texts: what Python calls printable has no hidden character, and is known in one pass.
    if text.isprintable():
        return text
    # A Windows line break is one line break; a lone carriage return stays visible.
    return "".join(_code(character) if _hides(character) else character for character in text.replace("\r\n", "\n"))


def one_line(text: str, longest: int = 120) -> str:
    r"""Return the beginning of a text on one line, its hidden characters visible.

    >>> one_line("a\u202eb\nsecond  line", 20)
    'a⟦U+202E⟧b second l…'
    """
    line = " ".join(visible(text).split())
    return line if len(line) <= longest else line[: longest - 1].rstrip() + "…"


def coded(text: str) -> str:
    r"""Return a text on one line with the code of every character that cannot be printed, line breaks included.

    >>> coded("a\n::error::b")
    'a⟦U+000A⟧::error::b'
    """
    return "".join(character if character.isprintable() else _code(character) for character in text)


def escaped(name: str) -> str:
    r"""Return a file name of any bytes as one line, with Python's escape of each character that cannot be printed.

    >>> print(escaped("a\tb\udcff"))
    a\tb\udcff
    """
    return "".join(
        character if character.isprintable() else character.encode("unicode_escape").decode() for character in name
    )


def _hides(character: str) -> bool:
    return character not in _LAYOUT and character not in _JOINERS and unicodedata.category(character) in HIDDEN


def _code(character: str) -> str:
    return f"⟦U+{ord(character):04X}⟧"


def inert_markdown(text: str) -> str:
    """Return a stranger's text as inert Markdown: no markup, link, mention or reference comes of it."""
    plain = without_controls(shortened(text, 300))
    # GitHub links no name or number inside of <code>; entities are text, whatever they stand for.
    return f"<code>{re.sub(r'[^A-Za-z0-9 ,]', lambda match: f'&#{ord(match[0])};', plain)}</code>"
