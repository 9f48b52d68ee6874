"""Finding texts that must not be published: keys, and paths of somebody's machine."""

from ircore.core.private_text import find_leaks

SHOWN = 8
"""Characters of a finding that a report repeats: enough to search for it, too few to use it."""


def find_forbidden(text: str) -> str | None:
    """Return the first leak in a text, such as ``"a GitHub token (ghp_Ab12…)"``; None without a leak."""
    leak = next(find_leaks(text), None)
    return None if leak is None else f"{leak.rule} ({text[leak.begin : leak.end][:SHOWN]}…)"
