"""Finding keys, addresses, paths and unseen characters that must not be published; a match is never repeated whole.

Patterns of this project come first, then the detectors of named forms of ``detect-secrets``, such as those of Azure's
keys. Its detectors of words (``password: …``) and of strings that merely look random are left out: they fire on labels,
hashes and file names.
"""

import math
import re
from base64 import b64decode
from collections import Counter
from collections.abc import Iterator, Sequence
from functools import cache, lru_cache
from itertools import chain, pairwise
from typing import Any, NamedTuple

from ircore.core.files import read_table

_TABLE: dict[str, Any] = read_table("ircore.core", "private_text")

_NEEDED: dict[str, list[str]] = _TABLE.pop("needed")

PATTERNS = {rule: pattern for patterns in _TABLE.values() for rule, pattern in patterns.items()}
"""All patterns of this project by the rule's name: keys, paths of machines, addresses, unseen characters."""

UNSEEN = frozenset(_TABLE["characters"])
"""Rules that find characters which nobody sees."""

_OPEN = frozenset(rule for table in ("paths", "addresses", "characters") for rule in _TABLE[table])
"""Rules whose matches are no keys."""

_NAMES = tuple(PATTERNS)
_BEYOND_ASCII = UNSEEN - {"a control character"}
"""Rules that find nothing in a text of ASCII."""

_UNSEEN = re.compile("|".join(_TABLE["characters"].values()))

LEFT_OUT = frozenset({"KeywordDetector", "IPPublicDetector", "Base64HighEntropyString", "HexHighEntropyString"})
"""Detectors of ``detect-secrets`` that are not asked."""

_TOKEN = re.compile(r"(?<![A-Za-z0-9+/=_-])[A-Za-z0-9+/_-]{24,}={0,2}(?![A-Za-z0-9+/=_-])")
_RANDOM_LENGTHS = range(32, 201)
"""Characters of a token: what is longer is data, and no key."""

_BITS = 4.2
"""Shannon entropy of a token in bits per character, from which on it looks drawn at random: 40 random characters of
64 have some 4.8, words some 4, hexadecimal hashes at most 4."""

_CHANGES = 0.45
"""Share of a token's characters that are of another kind (capital, small, digit, sign) than the one before them, from
which on it looks drawn at random: random characters have some 0.6, words in capitals and small letters at most 0.4."""


class Leak(NamedTuple):
    """A key, address, path or unseen character in a text that must not be published.

    >>> (leak,) = find_leaks("saved to /home/ann/key")
    >>> str(leak), leak.is_secret
    ('a path of a machine at character 10', False)

    Attributes:
        rule: Name of the pattern, such as ``"a GitHub token"``.
        begin: Position of its first character, from 0.
        end: Position after its last.
    """

    rule: str
    begin: int
    end: int

    @property
    def is_secret(self) -> bool:
        """Whether the leak is a key, which has to be withdrawn."""
        return self.rule not in _OPEN

    def __str__(self) -> str:
        return f"{self.rule} at character {self.begin + 1}"


def find_leaks(text: str) -> Iterator[Leak]:
    """Yield every key, address, machine path and unseen character in a text, from left to right, none that overlap."""
    end = 0
    for leak in sorted(
        chain(_find_by_pattern(text), _find_secrets(text), _find_tokens(text)), key=lambda leak: leak.begin
    ):
        if leak.begin >= end:
            yield leak
            end = leak.end


def remove_invisible(text: str) -> str:
    r"""Return a text without the characters that nobody sees; line breaks, tabs, and joiners of scripts and emoji stay.

    >>> remove_invisible("a\u200bb\x00\n\tc")
    'ab\n\tc'
    """
    return _UNSEEN.sub("", text)


def redact_leaks(text: str) -> str:
    """Return a text in which each leak is replaced by the name of its rule."""
    shown, end = "", 0
    for leak in find_leaks(text):
        shown += f"{text[end : leak.begin]}[{leak.rule} was here]"
        end = leak.end
    return shown + text[end:]


def _find_by_pattern(text: str) -> Iterator[Leak]:
    # Looking for a few letters takes a hundredth of the time of a pattern.
    small, ascii_alone = text.casefold(), text.isascii()
    rules = tuple(
        rule
        for rule in _NAMES
        if not (ascii_alone and rule in _BEYOND_ASCII)
        and (rule not in _NEEDED or any(needed in small for needed in _NEEDED[rule]))
    )
    for match in _build_alternation(rules).finditer(text):
        if match.lastindex is not None:
            yield Leak(rules[match.lastindex - 1], match.start(), match.end())


@lru_cache(maxsize=1000)
def _build_alternation(rules: tuple[str, ...]) -> re.Pattern[str]:
    """Return an expression for whatever one of the rules finds; the group of a match says which rule."""
    return re.compile("|".join(f"({PATTERNS[rule]})" for rule in rules))


def _find_secrets(text: str) -> Iterator[Leak]:
    """Yield the secrets that ``detect-secrets`` finds in a text."""
    for line in text.splitlines():
        for kind, secret in _find_secrets_in_line(line):
            if (begin := text.find(secret)) >= 0:
                yield Leak(f"a {kind}", begin, begin + len(secret))


@lru_cache(maxsize=20_000)
def _find_secrets_in_line(line: str) -> Sequence[tuple[str, str]]:
    """Return kind and text of each secret in a line; lines of JSON and of cards recur, and are searched once."""
    return tuple(
        (detector.secret_type, secret) for detector in _load_detectors() for secret in detector.analyze_string(line)
    )


@cache
def _load_detectors() -> Sequence[Any]:
    from detect_secrets.core.plugins.util import get_mapping_from_secret_type_to_class

    kinds: list[Any] = sorted(get_mapping_from_secret_type_to_class().values(), key=lambda kind: kind.__name__)
    return tuple(kind() for kind in kinds if kind.__name__ not in LEFT_OUT)


def _find_tokens(text: str) -> Iterator[Leak]:
    """Yield tokens in base64: keys that were encoded, and strings of a token's length drawn at random."""
    for match in _TOKEN.finditer(text):
        if _has_encoded_key(match[0]):
            yield Leak("a key in base64", match.start(), match.end())
        elif len(match[0]) in _RANDOM_LENGTHS and _is_random(match[0]):
            yield Leak("a token in base64", match.start(), match.end())


def _has_encoded_key(token: str) -> bool:
    # Both alphabets of RFC 4648, with or without padding.
    data = token.rstrip("=").replace("-", "+").replace("_", "/")
    try:
        decoded = b64decode(data + "=" * (-len(data) % 4)).decode("ascii")
    except ValueError:
        return False
    return any(leak.is_secret for leak in chain(_find_by_pattern(decoded), _find_secrets(decoded)))


def _is_random(token: str) -> bool:
    kinds = [(character.isupper(), character.islower(), character.isdigit()) for character in token]
    changes = sum(kind != before for before, kind in pairwise(kinds)) / len(token)
    if changes < _CHANGES or not all(any(kind[number] for kind in kinds) for number in range(3)):
        return False
    counts = Counter(token).values()
    return -sum(count / len(token) * math.log2(count / len(token)) for count in counts) >= _BITS
