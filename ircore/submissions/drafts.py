"""Writing a new manifest: from answers to a file that passes the check."""

import json
import os
import re
import subprocess
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import yaml

from ircore.core.errors import InputError
from ircore.core.files import write_text
from ircore.core.plugins import available
from ircore.players.slugs import MAINTAINERS, SLUG_HELP, usable_slug
from ircore.players.submission import MANIFEST
from ircore.submissions.check.findings import Finding, errors
from ircore.submissions.check.manifest import STAND_IN
from ircore.submissions.check.seats import OFFLINE, SEATS, SERVICES
from ircore.submissions.check.submission import Neighbour, Purpose, check_bytes

SCHEMA = Path(__file__).with_name("submission.schema.json")
"""The manifest's JSON Schema as this version of the package has it; the site publishes the same."""

LICENCE = "CC-BY-4.0"
"""Proposed where no licence is named: of messages and renderings, not of models."""

_SEAT_ORDER = ("player", "model", "revision", "base_url", "api_key_env", "parameters")
_ORDER = (
    "schema",
    "game",
    "name",
    "players",
    "describer",
    "generator",
    "rules",
    "authors",
    "links",
    "licence",
    "hardware",
    "dates",
)
_GITHUB = re.compile(r"(?:https://|ssh://git@|git@)github\.com[/:]([A-Za-z0-9-]+)/([A-Za-z0-9_.-]+?)(?:\.git)?/?")


def new_folder_of(path: Path) -> Path:
    """Return the folder of a submission that is to be made.

    Args:
        path: The folder, or the manifest in it.

    Raises:
        InputError: Its name cannot be used, or it has a manifest already.
    """
    folder = path.parent if path.name == MANIFEST else path
    name = Path(os.path.abspath(folder)).name  # noqa: PTH100 - the name as given, links not followed
    if not usable_slug(name):
        near = re.sub(r"[^a-z0-9_.-]+", "-", name.lower()).strip("-_.")[:80].rstrip("-_.")
        hint = f" Such as {near}." if usable_slug(near) else ""
        raise InputError(f"{folder}: the folder's name {name!r} cannot be used", f"{SLUG_HELP}{hint}")
    if name.startswith(MAINTAINERS):
        raise InputError(f"{folder}: names that begin with {MAINTAINERS} are the maintainers'", "Choose another name.")
    if (folder / MANIFEST).exists():
        raise InputError(f"{folder / MANIFEST}: exists already", "Edit it, or choose another name.")
    return folder


def problems_with(
    answers: Mapping[str, Any], field: str, slug: str, neighbours: tuple[Neighbour, ...] = (), local: bool = False
) -> list[Finding]:
    """Check answers as far as they go.

    Args:
        answers: Parts of a manifest.
        field: The field just answered, such as ``describer.model``: only errors in it are returned.
        slug: The folder's name.
        neighbours: The other submissions.
        local: It stays on its author's machine.
    """
    document = {**STAND_IN, **answers}
    purpose = purpose_of(answers, local)
    data = _dumped(document).encode()
    found = errors(check_bytes(data, MANIFEST, slug, neighbours, purpose).findings)
    if purpose.unplayed and not local:
        # A player of the submitter's own is here, and says which seat and settings it takes.
        found = list(dict.fromkeys([*found, *errors(check_bytes(data, MANIFEST, slug, (), Purpose(True)).findings)]))
    below = (f"{field}.", f"{field}[")
    return [one for one in found if one.field == field or one.field.startswith(below)]


def purpose_of(answers: Mapping[str, Any], local: bool) -> Purpose:
    """Return what a new manifest is checked for.

    A pair that maintainers cannot play, since a server or a player is the submitter's own, waits for its transcripts.

    Args:
        answers: Parts of it.
        local: It stays on its author's machine.
    """
    own = available("players").keys() - OFFLINE.keys() - SERVICES.keys()
    seats = [answers.get(seat, {}) for seat in SEATS]
    unplayed = any(str(one.get("base_url", "")).startswith("http://") or one.get("player") in own for one in seats)
    return Purpose(local, unplayed=unplayed)


def manifest_text(document: Mapping[str, Any], schema: str | None) -> str:
    """Return a manifest as it is written.

    Args:
        document: Its content.
        schema: Where its JSON Schema is, for editors; None for no hint.
    """
    hint = f"# yaml-language-server: $schema={schema}\n" if schema else ""
    ordered = {key: document[key] for key in _ORDER if key in document}
    for seat in (seat for seat in SEATS if seat in document):
        ordered[seat] = {key: document[seat][key] for key in _SEAT_ORDER if key in document[seat]}
    return f"{hint}{_dumped(ordered | {key: value for key, value in document.items() if key not in ordered})}"


def write_manifest(folder: Path, text: str) -> Path:
    """Write a manifest whole or not at all; returns its path."""
    write_text(folder / MANIFEST, text)
    return folder / MANIFEST


def schema_address(folder: Path, site: str | None) -> str | None:
    """Return where an editor finds the manifest's JSON Schema.

    Args:
        folder: The submission's folder.
        site: The site's address, if it is known.

    Returns:
        On that site; else on the pages of the GitHub repository that the folder's clone comes from; else in the same
        checkout, relative to the folder; else None.
    """
    site = site or os.environ.get("IRCORE_SITE_URL") or _pages(folder)
    if site:
        return f"{site.rstrip('/')}/schemas/submission.json"
    checkout = SCHEMA.parents[2]
    place = Path(os.path.abspath(folder))  # noqa: PTH100 - as given, links not followed
    return os.path.relpath(SCHEMA, place).replace(os.sep, "/") if place.is_relative_to(checkout) else None


def known_author() -> str | None:
    """Return the name under which the user commits, if git knows one."""
    return _git(Path(), "config", "user.name")


def player_label(seat: Mapping[str, Any]) -> str:
    """Return what boards call a player."""
    return str(seat.get("model") or seat.get("player"))


def parameter(text: str, option: str) -> tuple[str, Any]:
    """Read ``NAME=VALUE``; the value as in YAML.

    Raises:
        InputError: It is something else.
    """
    name, equals, value = text.partition("=")
    if not (equals and name.strip()):
        raise InputError(f"{option} {text!r}: not NAME=VALUE", "Write it as temperature=0.")
    try:
        return name.strip(), yaml.safe_load(value) if value.strip() else ""
    except yaml.YAMLError as error:
        raise InputError(f"{option} {name}: the value cannot be read", "Put it in quotes.") from error


def _pages(folder: Path) -> str | None:
    """Return the address of the pages of the GitHub repository that a clone comes from."""
    there = next((one for one in (folder, *folder.parents) if one.is_dir()), Path())
    for remote in ("upstream", "origin"):
        found = _GITHUB.fullmatch(_git(there, "remote", "get-url", remote) or "")
        if found:
            return f"https://{found[1].lower()}.github.io/{found[2]}"
    return None


def _git(folder: Path, *arguments: str) -> str | None:
    try:
        command = ["git", "-C", str(folder), *arguments]
        done = subprocess.run(command, capture_output=True, encoding="utf-8", check=False)  # noqa: S603 - fixed words
    except OSError:
        return None
    return done.stdout.strip() or None if done.returncode == 0 else None


def _dumped(document: Mapping[str, Any]) -> str:
    lines = []
    for key, value in document.items():
        text = yaml.safe_dump({key: value}, allow_unicode=True, sort_keys=False, width=110, default_flow_style=False)
        lines.append(text if key != "rules" else f"rules: {_flow(value)}\n")
    return "".join(lines)


def _flow(value: Mapping[str, Any]) -> str:
    return "{" + ", ".join(f"{key}: {json.dumps(one)}" for key, one in value.items()) + "}"
