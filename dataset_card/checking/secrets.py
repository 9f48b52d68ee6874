"""Finding texts that must not be published: by our own patterns, and credentials by form with ``detect-secrets``.

Its detectors of named forms are used. Those of words (``password: …``), of addresses, and of strings that merely look
random are not: they fire on the labels, hashes and file names that every release is full of.
"""

from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from functools import lru_cache

from ircore.core.errors import WorkError
from ircore.core.private_text import find_leaks

LEFT_OUT = frozenset({"KeywordDetector", "IPPublicDetector", "Base64HighEntropyString", "HexHighEntropyString"})

SHOWN, SHOWN_OF_OURS = 3, 8
"""Characters that a report repeats of a leak by ``detect-secrets`` and by our patterns: enough to search for the leak,
too few to use it."""

REMEMBERED = 10_000
"""Texts whose result is cached: names and words that occur in many rows."""

FindLeak = Callable[[str], str | None]


def find_forbidden(text: str) -> str | None:
    """Return the first leak that our own patterns find in a text; None without a leak.

    >>> find_forbidden("a photograph in /home/somebody/pictures")
    'a path of a machine (/home/so…)'
    """
    leak = next(find_leaks(text), None)
    return None if leak is None else f"{leak.rule} ({text[leak.begin : leak.end][:SHOWN_OF_OURS]}…)"


@contextmanager
def leak_finder() -> Iterator[FindLeak]:
    """Yield a function that names the first leak in a text, such as ``"a Stripe Access Key (sk_…)"``.

    Texts that come often are searched once.

    Raises:
        WorkError: ``detect-secrets`` is not installed.
    """
    try:
        from detect_secrets.core.plugins.util import get_mapping_from_secret_type_to_class
        from detect_secrets.core.scan import scan_line
        from detect_secrets.settings import get_plugins, transient_settings
    except ImportError as error:
        raise WorkError("detect-secrets is not installed", 'Install it: pip install "ircore[release]"') from error

    def may_hold(line: str) -> bool:
        # Patterns alone come first: they clear nearly all lines in a twentieth of the time of a full scan.
        return any(next(detector.analyze_string(line), None) is not None for detector in detectors)

    @lru_cache(REMEMBERED)
    def find(text: str) -> str | None:
        if ours := find_forbidden(text):
            return ours
        secret = next((secret for line in text.splitlines() if may_hold(line) for secret in scan_line(line)), None)
        return None if secret is None else f"a {secret.type} ({(secret.secret_value or '')[:SHOWN]}…)"

    kinds: Iterable[type] = get_mapping_from_secret_type_to_class().values()
    names = sorted(kind.__name__ for kind in kinds)
    with transient_settings({"plugins_used": [{"name": name} for name in names if name not in LEFT_OUT]}):
        detectors = get_plugins()
        yield find
