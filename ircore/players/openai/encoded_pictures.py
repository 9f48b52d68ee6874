"""Pictures in replies: base64 in the forms that services give, data addresses, and addresses to fetch from."""

import re
from binascii import Error, a2b_base64
from typing import NamedTuple
from urllib.parse import unquote

LONGEST_ADDRESS = 8_192
"""Characters of an address; whatever is longer is a picture."""

DATA_ADDRESS_IN_TEXT = re.compile(
    r"data:image/[a-z0-9+.-]{1,40}(?:;[a-z0-9=_-]{1,40}){0,4};base64,"
    # Lines as mail wraps them; a shorter line ends the picture, so that no word of the text behind is taken for it.
    r"(?:[A-Za-z0-9+/_-]{60,}\r?\n)*[A-Za-z0-9+/_%-]*={0,2}",
    re.IGNORECASE,
)
"""A picture inside of prose, such as Markdown."""

_DATA_ADDRESS = re.compile(r"\s*data:[^,;]{0,100}(?:;[^,;]{1,100}){0,8},", re.IGNORECASE)
_URL_SAFE = bytes.maketrans(b"-_", b"+/")
_WHITE_SPACE = b" \t\r\n\v\f"


class PictureAddress(NamedTuple):
    """The address of a picture that a reply names instead of holding the picture."""

    url: str


def picture_source(text: str) -> str | PictureAddress:
    """Return the address that a text is, or the text itself where it is a picture.

    >>> picture_source("https://127.0.0.1/1.png"), picture_source("data:image/png;base64,AAAA")
    (PictureAddress(url='https://127.0.0.1/1.png'), 'data:image/png;base64,AAAA')

    Args:
        text: From a field for base64 or for an address: services put either into both.
    """
    beginning = text[:8].lower()
    # A JPEG file in base64 begins with a slash, too.
    local = beginning.startswith("/") and not beginning.startswith("/9j/")
    if len(text) <= LONGEST_ADDRESS and (beginning.startswith(("http:", "https:")) or local):
        return PictureAddress(text)
    return text


def decode_base64(text: str) -> bytes:
    r"""Return the bytes of a base64 text: standard or URL-safe, in lines, without padding, or as data address.

    >>> decode_base64("data:image/png;base64,aGVs\nbG8"), decode_base64("_-8")
    (b'hello', b'\xff\xef')

    Raises:
        ValueError: It has other characters, both alphabets, or a length that no bytes have.
    """
    if (head := _DATA_ADDRESS.match(text)) is not None:
        if "base64" not in head[0].lower():
            raise ValueError("a data address that is not in base64")
        text = text[head.end() :]
        text = unquote(text) if "%" in text else text
    if not text:
        raise ValueError("an empty text")
    try:
        # Nearly all: as the standard has it, which is the fastest way too.
        return a2b_base64(text, strict_mode=True)
    except (Error, ValueError):
        pass
    try:
        data = text.encode("ascii").translate(None, _WHITE_SPACE)
    except UnicodeEncodeError as error:
        raise ValueError(f"the character {text[error.start]!r}") from None
    if (b"-" in data or b"_" in data) and (b"+" in data or b"/" in data):
        raise ValueError("characters of two alphabets")
    bare = data.rstrip(b"=")
    if not bare or len(data) - len(bare) > 2 or len(bare) % 4 == 1:
        raise ValueError("a length that no bytes have")
    padded = bare.translate(_URL_SAFE) + b"=" * (-len(bare) % 4)
    try:
        return a2b_base64(padded, strict_mode=True)
    except Error as error:
        raise ValueError(str(error)) from None
