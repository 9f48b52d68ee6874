"""Texts that strangers wrote, made harmless: players' messages, manifests, file names and services' words are data.

``visible`` is for people who read a text, ``coded`` for lines that a program reads too, ``replace_controls`` and
``format_plain_line`` for terminals and Markdown, ``format_one_line`` for names and titles. None of them escapes markup.
"""

import re
import unicodedata

HIDDEN = frozenset({"Cc", "Cf", "Cs", "Co", "Cn", "Zl", "Zp"})
"""Unicode categories of characters that cannot be seen or that reorder what can."""

_LAYOUT = "\n\t"
_JOINERS = "\u200c\u200d\ufe0f"
"""Format characters that ordinary scripts and emoji need and that hide nothing."""


def replace_controls(text: str, mark: str = " ", stays: str = "") -> str:
    r"""Return a text with a mark in place of each character that cannot be printed.

    >>> replace_controls("a\x1b[2J\nb"), replace_controls("a\x1b\nb", mark="?", stays="\n")
    ('a [2J b', 'a?\nb')
    """
    return "".join(character if character.isprintable() or character in stays else mark for character in text)


def replace_surrogates(text: str) -> str:
    r"""Return a text with a question mark in place of each lone surrogate, which UTF-8 cannot write.

    >>> replace_surrogates("a\ud800b")
    'a?b'
    """
    return text.encode(errors="replace").decode()


def format_plain_line(text: str, longest: int | None = None) -> str:
    r"""Return a text with one space in place of each run of white space and control characters.

    >>> format_plain_line("\x00one\n\ntwo three", 8)
    'one two…'

    Args:
        text: Anything.
        longest: Characters that stay, the sign of the cut among them; all of them if None.
    """
    return shorten_text(" ".join(replace_controls(text).split()), longest)


def shorten_text(text: str, longest: int | None) -> str:
    """Return a text of at most ``longest`` characters, which ends with … where it was cut; unchanged if None."""
    return text if longest is None or len(text) <= longest else f"{text[: longest - 1]}…"


def replace_half_characters(text: str) -> str:
    r"""Return a text with U+FFFD in place of each half of a character that stands without its other half.

    >>> replace_half_characters("a\ud83d b\ud83d\ude00")
    'a\ufffd b😀'
    """
    # Nearly all texts, and base64 of any length, are known in one look.
    if text.isascii():
        return text
    return text.encode("utf-16-le", "surrogatepass").decode("utf-16-le", "replace")


def make_visible(text: str) -> str:
    r"""Return a text with every hidden character replaced by its code; line breaks, tabs and joiners stay.

    >>> make_visible("a\u202eb\r\n\tc")
    'a⟦U+202E⟧b\n\tc'
    """
    # Nearly all texts: what Python calls printable has no hidden character, and is known in one pass.
    if text.isprintable():
        return text
    # A Windows line break is one line break; a lone carriage return stays visible.
    return "".join(
        _format_code(character) if _is_hidden(character) else character for character in text.replace("\r\n", "\n")
    )


def format_one_line(text: str, longest: int = 120) -> str:
    r"""Return the beginning of a text on one line, its hidden characters visible.

    >>> format_one_line("a\u202eb\nsecond  line", 20)
    'a⟦U+202E⟧b second l…'
    """
    line = " ".join(make_visible(text).split())
    return line if len(line) <= longest else line[: longest - 1].rstrip() + "…"


def encode_unprintable(text: str) -> str:
    r"""Return a text on one line with the code of every character that cannot be printed, line breaks included.

    >>> encode_unprintable("a\n::error::b")
    'a⟦U+000A⟧::error::b'
    """
    return "".join(character if character.isprintable() else _format_code(character) for character in text)


def escape_name(name: str) -> str:
    r"""Return a file name of any bytes as one line, with Python's escape of each character that cannot be printed.

    >>> print(escape_name("a\tb\udcff"))
    a\tb\udcff
    """
    return "".join(
        character if character.isprintable() else character.encode("unicode_escape").decode() for character in name
    )


def _is_hidden(character: str) -> bool:
    return character not in _LAYOUT and character not in _JOINERS and unicodedata.category(character) in HIDDEN


def _format_code(character: str) -> str:
    return f"⟦U+{ord(character):04X}⟧"


def escape_markdown(text: str) -> str:
    """Return a stranger's text as inert Markdown: no markup, link, mention or reference comes of it."""
    plain = replace_controls(shorten_text(text, 300))
    # GitHub links no name or number inside of <code>; entities are text, whatever they stand for.
    return f"<code>{re.sub(r'[^A-Za-z0-9 ,]', lambda match: f'&#{ord(match[0])};', plain)}</code>"
