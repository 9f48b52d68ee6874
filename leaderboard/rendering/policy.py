"""Content security policy of every page: the scripts, addresses and pictures that a browser may use on it.

A page is allowed the inline scripts of its shell by their hashes. They are taken before the block with strangers' words
is put into the shell (``leaderboard.building.finish``), so that a script which somehow got into a block is not among
them.
"""

import base64
import hashlib
import re
from collections.abc import Iterable
from urllib.parse import urlsplit

from ircore.core.errors import InputError

_SCRIPT = re.compile(r"<script\b([^>]*)>(.*?)</script>", re.DOTALL | re.IGNORECASE)
_STYLE = re.compile(r"<style\b[^>]*>(.*?)</style>", re.DOTALL | re.IGNORECASE)
_CHARSET = re.compile(r'<meta charset="?utf-8"?\s*/?>', re.IGNORECASE)


def content_policy(shell: str, images: str = "", charts: bool = False) -> str:
    """Return the policy of a page.

    Nothing inline runs but the scripts of the shell; nothing is evaluated; nothing comes from elsewhere but pictures,
    and these from one place only. Style attributes are allowed where figures stand and nowhere else: Plotly adds its
    rules to an empty style element and sets style attributes on what it draws; ``leaderboard.building.check`` refuses a
    page of ours that has any with an address.

    Args:
        shell: The page without its block.
        images: Where full-size pictures are fetched from, ``https://HOST/…``; empty for nowhere.
        charts: Whether Plotly draws on the page.

    Raises:
        InputError: ``images`` is no https address.
    """
    scripts = [text for attributes, text in _SCRIPT.findall(shell) if _runs(attributes)]
    styles = [*[""] * charts, *_STYLE.findall(shell)]
    rules = {
        "default-src": "'none'",
        "script-src": _sources("'self'", *_hashes(scripts)),
        "style-src": _sources("'self'", *_hashes(styles)),
        "style-src-attr": "'unsafe-inline'" if charts else "'none'",
        "img-src": _sources("'self'", "data:", *_origin(images)),
        "connect-src": _sources("'self'", *_origin(images)),
        "font-src": "'self'",
        "manifest-src": "'self'",
        "worker-src": "'self'",
        "base-uri": "'none'",
        "form-action": "'none'",
    }
    return "; ".join(f"{name} {value}" for name, value in rules.items())


def with_policy(shell: str, images: str = "", charts: bool = False) -> str:
    """Return a page with its policy, as the first thing after its character set.

    Args:
        shell: The page without its block.
        images: As for ``content_policy``.
        charts: As for ``content_policy``.

    Raises:
        ValueError: The page does not say that it is UTF-8.
    """
    meta = f'<meta http-equiv="Content-Security-Policy" content="{content_policy(shell, images, charts)}">'
    policed, count = _CHARSET.subn(lambda match: f"{match[0]}\n{meta}", shell, count=1)
    if not count:
        raise ValueError("the page has no <meta charset> to put its policy behind")
    return policed


def _runs(attributes: str) -> bool:
    """Return whether an element is a script that stands in the page: not data, not a file."""
    return not re.search(r'\bsrc=|type="?application/(ld\+)?json', attributes)


def _hashes(texts: Iterable[str]) -> list[str]:
    digests = {base64.b64encode(hashlib.sha256(text.encode()).digest()).decode() for text in texts}
    return [f"'sha256-{digest}'" for digest in sorted(digests)]


def _origin(address: str) -> list[str]:
    if not address:
        return []
    parts = urlsplit(address)
    if parts.scheme != "https" or not re.fullmatch(r"[A-Za-z0-9.-]+(:\d+)?", parts.netloc):
        raise InputError(f"{address}: no address for pictures", "Give one that begins with https://HOST/")
    return [f"https://{parts.netloc}"]


def _sources(*sources: str) -> str:
    return " ".join(sources)
