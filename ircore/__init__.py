"""The Image Reconstruction Game as a library: build targets, play, score, read results, compare, verify.

Importing this package loads nothing heavy: each of the names below is imported when it is first used.
"""

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from ircore.core.errors import InputError as InputError
    from ircore.core.errors import WorkError as WorkError
    from ircore.library.loading import board as board
    from ircore.library.loading import compare as compare
    from ircore.library.loading import load_results as load_results
    from ircore.library.loading import load_table as load_table
    from ircore.library.loading import table as table
    from ircore.library.loading import tables as tables
    from ircore.library.loading import verify as verify
    from ircore.library.playing import build_instances as build_instances
    from ircore.library.playing import load_instances as load_instances
    from ircore.library.playing import pairs as pairs
    from ircore.library.playing import play as play
    from ircore.library.playing import score as score

__version__ = "0.1.0"

_HOMES = {
    "build_instances": "ircore.library.playing",
    "load_instances": "ircore.library.playing",
    "pairs": "ircore.library.playing",
    "play": "ircore.library.playing",
    "score": "ircore.library.playing",
    "load_results": "ircore.library.loading",
    "board": "ircore.library.loading",
    "table": "ircore.library.loading",
    "tables": "ircore.library.loading",
    "load_table": "ircore.library.loading",
    "compare": "ircore.library.loading",
    "verify": "ircore.library.loading",
    "InputError": "ircore.core.errors",
    "WorkError": "ircore.core.errors",
}
"""Module of each public name, in the order of the reference page."""


def __getattr__(name: str) -> Any:
    """Import a public name when it is first used."""
    if name not in _HOMES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    public = globals()[name] = getattr(import_module(_HOMES[name]), name)
    return public


def __dir__() -> list[str]:
    """List the public names before they are imported, for completion in notebooks."""
    return sorted({*globals(), *_HOMES})
