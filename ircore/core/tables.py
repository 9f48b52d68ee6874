"""Tables of words that stand beside the code which uses them, as TOML files."""

import tomllib
from importlib.resources import files
from typing import Any


def read_table(package: str, name: str) -> dict[str, Any]:
    """Return the table ``NAME.toml`` of a package.

    >>> read_table("ircore.core", "fault_words")["missing"]
    'is missing'
    """
    return tomllib.loads((files(package) / f"{name}.toml").read_text(encoding="utf-8"))
