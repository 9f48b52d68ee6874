"""Finding keys, and paths of somebody's machine, that must not be published; a match is never repeated whole."""

import re
from collections.abc import Iterator
from typing import NamedTuple

SECRETS = {
    "a Hugging Face token": r"\bhf_[A-Za-z0-9]{20,}",
    "an API key (sk-…)": r"\bsk-[A-Za-z0-9_-]{20,}",
    "a Google API key": r"\bAIza[A-Za-z0-9_-]{30,}",
    "a GitHub token": r"\b(?:gh[pousr]_[A-Za-z0-9]{30,}|github_pat_[A-Za-z0-9_]{30,})",
    "a Slack token": r"\bxox[abeprs]-[A-Za-z0-9-]{10,}",
    "a key of a model service": r"\b(?:gsk_|xai-|pplx-|r8_|nvapi-|tgp_v1_|fw_)[A-Za-z0-9_-]{24,}",
    "a token of a package registry": r"\b(?:pypi-|npm_|glpat-)[A-Za-z0-9_-]{20,}",
    "a private key": r"-----BEGIN [A-Z ]*PRIVATE KEY-----",
    "an AWS key": r"\b(?:AKIA|ASIA)[A-Z0-9]{16}\b",
}
"""Patterns of keys by the rule's name, as people read it."""

PATHS = {
    "a path of a machine": (
        r"(?<![\w./:<-])/(?:home|Users|root|tmp|var|mnt|srv|opt|etc|private|media)/[\w.-]+"
        r"|\b[A-Za-z]:\\(?:Users|Windows|Program|Documents|temp)\b|\bfile://"
    ),
}
"""Patterns of absolute paths, which tell names of people and machines."""

_PATTERNS = {**SECRETS, **PATHS}
_NAMES = tuple(_PATTERNS)
_ANY = re.compile("|".join(f"({pattern})" for pattern in _PATTERNS.values()))


class Leak(NamedTuple):
    """A key or path in a text that must not be published.

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
        """Whether the leak is a key; else it is a path."""
        return self.rule in SECRETS

    def __str__(self) -> str:
        return f"{self.rule} at character {self.begin + 1}"


def find_leaks(text: str) -> Iterator[Leak]:
    """Yield every key and machine path in a text, from left to right."""
    for match in _ANY.finditer(text):
        if match.lastindex is not None:
            yield Leak(_NAMES[match.lastindex - 1], match.start(), match.end())


def without_leaks(text: str) -> str:
    """Return a text in which each leak is replaced by the name of its rule."""
    return _ANY.sub(lambda match: f"[{_NAMES[(match.lastindex or 1) - 1]} was here]", text)
