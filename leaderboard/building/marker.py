"""The marker file of a built site: it identifies the folder as a built site and records its content."""

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from ircore import __version__
from ircore.core.errors import InputError
from leaderboard.storage.output_folder import write_text
from leaderboard.storage.pictures import ENCODING

MARKER = ".ircore-site.json"
"""Marker file in the root of every built site: a folder that is not empty is replaced only if it holds this file."""


def write_marker(site: Path, shown: Mapping[str, Any]) -> None:
    """Write the marker of a site.

    Args:
        site: Root of the site.
        shown: ``benchmark``, ``instance_set`` and ``prompts`` of the boards.
    """
    write_text(site / MARKER, json.dumps({"ircore": __version__, "pictures": ENCODING, **shown}) + "\n")


def read_marker(site: Path) -> dict[str, Any]:
    """Return the content of a site's marker: ``ircore``, ``pictures``, ``benchmark``, ``instance_set``, ``prompts``.

    Raises:
        InputError: The folder is no site of ours.
    """
    try:
        marker = json.loads((site / MARKER).read_bytes())
    except (OSError, ValueError) as error:
        raise InputError(
            f"{site}: not a site built by ircore (no {MARKER})", "Build one: ircore site build …"
        ) from error
    if not isinstance(marker, dict):
        raise InputError(f"{site / MARKER}: damaged", "Build the site again.")
    return marker


def find_earlier_build(out: Path) -> Path | None:
    """Return the earlier build if its pictures use the current encoding and can be reused; else None."""
    if not (out / MARKER).is_file():
        return None
    try:
        # Pictures of other sizes or quality must not stand beside new ones.
        return out if read_marker(out).get("pictures") == ENCODING else None
    except InputError:
        return None


def check_replaceable(out: Path) -> None:
    """Check that a folder may be replaced by a site.

    Raises:
        InputError: It is a file, or holds something that is no site of ours.
    """
    if out.is_file() or (out.is_dir() and any(out.iterdir()) and not (out / MARKER).is_file()):
        raise InputError(
            f"{out}: exists and is not a site built by ircore (no {MARKER})", "Choose another --out, or remove it."
        )
