"""Finding what must not be published in a text: keys, and paths of somebody's machine."""

import re

_FORBIDDEN = {
    "a Hugging Face token": r"\bhf_[A-Za-z0-9]{20,}",
    "an API key (sk-…)": r"\bsk-[A-Za-z0-9_-]{20,}",
    "a Google API key": r"\bAIza[A-Za-z0-9_-]{30,}",
    "a GitHub token": r"\b(?:gh[pousr]_[A-Za-z0-9]{30,}|github_pat_[A-Za-z0-9_]{30,})",
    "a Slack token": r"\bxox[abeprs]-[A-Za-z0-9-]{10,}",
    "a private key": r"-----BEGIN [A-Z ]*PRIVATE KEY-----",
    "an AWS key": r"\b(?:AKIA|ASIA)[A-Z0-9]{16}\b",
    "a path of a machine": (
        r"(?<![\w./:<-])/(?:home|Users|root|tmp|var|mnt|srv|opt|etc|private|media)/[\w.-]+"
        r"|\b[A-Za-z]:\\(?:Users|Windows|Program|Documents|temp)\b|\bfile://"
    ),
}
_PATTERN = re.compile("|".join(f"({pattern})" for pattern in _FORBIDDEN.values()))
_NAMES = tuple(_FORBIDDEN)

SHOWN = 8
"""Characters of a finding that a report repeats: enough to search for it, too few to use it."""


def find_forbidden(text: str) -> str | None:
    """Say what must not be published in a text, such as ``"a GitHub token (ghp_Ab12…)"``; None if there is nothing."""
    found = _PATTERN.search(text)
    if found is None or found.lastindex is None:
        return None
    return f"{_NAMES[found.lastindex - 1]} ({found[0][:SHOWN]}…)"
