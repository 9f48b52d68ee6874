"""Names of submissions' folders: safe in addresses and on every file system."""

import re

SLUG = re.compile(r"[a-z0-9][a-z0-9_.-]{0,79}")
SLUG_HELP = (
    "Begin the folder's name with a lower-case letter or digit; then also '-', '_' and '.', 80 in all, "
    "but no name that the site or Windows keeps, such as index or con."
)
PAGES = frozenset({"index", "irg-shell"})
"""Names that the site keeps beside the pages of pairs."""

MAINTAINERS = "builtin-"
"""How the names of folders begin that only maintainers add."""


def reserved_name(name: str) -> bool:
    """Whether Windows reserves a name for a device, or drops the name's end."""
    stem = name.split(".", 1)[0].rstrip(" ").upper()
    devices = {"CON", "PRN", "AUX", "NUL", "CONIN$", "CONOUT$"}
    # Windows reserves the superscript digits of these devices as well.
    numbered = re.fullmatch(r"(COM|LPT)[0-9\u00b9\u00b2\u00b3]", stem) is not None
    return stem in devices or numbered or name != name.rstrip(". ")


_RUN_ID = re.compile(r".+[-_.][0-9a-f]{8}")
"""A run's id: its submission's name, and eight digits of a hash; with separators that look like the one of ids."""


def like_run_id(name: str) -> bool:
    """Whether a submission of this name could be taken for a run, whose id names its page and its files.

    >>> like_run_id("good-pair-97e64db0"), like_run_id("good-pair")
    (True, False)
    """
    return _RUN_ID.fullmatch(name) is not None


def usable_slug(name: str) -> bool:
    """Whether a submission's folder may have this name."""
    return SLUG.fullmatch(name) is not None and not reserved_name(name) and name not in PAGES
