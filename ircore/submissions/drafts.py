"""Writing a new manifest: from answers to a file that passes the check."""

import json
import os
import re
import subprocess
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

import yaml

from ircore.core.errors import InputError
from ircore.core.files import write_text
from ircore.core.plugins import build_unknown_name_error, list_available
from ircore.core.records import DEFAULT_GAME
from ircore.core.strict_yaml import YamlError, parse_mapping, parse_value, read_yaml_bytes
from ircore.games.registry import load_game
from ircore.players.submission import FORMAT, MAINTAINERS, MANIFEST, SLUG_HELP, is_usable_slug
from ircore.submissions.check.manifest import build_stand_ins
from ircore.submissions.check.seats import list_maintainer_players
from ircore.submissions.check.submission import OtherSubmission, Purpose, check_bytes
from ircore.submissions.findings import Finding, select_errors

SCHEMA = Path(__file__).with_name("submission.schema.json")
"""The manifest's JSON Schema as this version of the package has it; the site publishes the same."""

LICENCE = "CC-BY-4.0"
"""Proposed where no licence is named: of messages and renderings, not of models."""

FIELDS = {"model": "model", "revision": "revision", "url": "base_url", "key": "api_key_env", "source": "source"}
"""What may follow a seat's name in an option, and the manifest's field for it."""

_SEAT_ORDER = ("player", "model", "revision", "base_url", "api_key_env", "source", "parameters")
_FIRST = ("schema", "game", "name")
_ORDER = ("rules", "authors", "submitter", "links", "licence", "hardware", "dates")
_GITHUB = re.compile(r"(?:https://|ssh://git@|git@)github\.com[/:]([A-Za-z0-9-]+)/([A-Za-z0-9_.-]+?)(?:\.git)?/?")


def new_folder_of(path: Path) -> Path:
    """Return the folder of a submission that is to be made, or gone on with.

    Args:
        path: The folder, or the manifest in it.

    Raises:
        InputError: Its name cannot be used.
    """
    folder = path.parent if path.name == MANIFEST else path
    name = Path(os.path.abspath(folder)).name  # noqa: PTH100 - the name as given, links not followed
    if not is_usable_slug(name):
        near = re.sub(r"[^a-z0-9_.-]+", "-", name.lower()).strip("-_.")[:80].rstrip("-_.")
        hint = f" Such as {near}." if is_usable_slug(near) else ""
        raise InputError(f"{folder}: the folder's name {name!r} cannot be used", f"{SLUG_HELP}{hint}")
    if name.startswith(MAINTAINERS):
        raise InputError(f"{folder}: names that begin with {MAINTAINERS} are the maintainers'", "Choose another name.")
    return folder


def read_draft(folder: Path) -> dict[str, Any]:
    """Return the fields of a folder's manifest so far; none without a manifest.

    Args:
        folder: The submission's.

    Raises:
        InputError: It cannot be read, or is no mapping.
    """
    path = folder / MANIFEST
    if not path.exists():
        return {}
    document = parse_mapping(read_yaml_bytes(path, "Make it readable."), str(path), FORMAT).mapping
    return {str(key): value for key, value in document.items()}


def check_answers(
    answers: Mapping[str, Any], field: str, slug: str, neighbours: tuple[OtherSubmission, ...] = (), local: bool = False
) -> list[Finding]:
    """Check answers as far as they go.

    Args:
        answers: Parts of a manifest.
        field: The field just answered, such as ``describer.model``: only errors in it are returned.
        slug: The folder's name.
        neighbours: The other submissions.
        local: Whether the pair stays on its author's machine.
    """
    # Stand-ins for what is not answered yet, so that only the answers can be at fault.
    required = build_stand_ins(load_game(str(answers.get("game", DEFAULT_GAME))))
    purpose = find_purpose(answers, local)
    data = _dump_document({**required, **answers}).encode()
    findings = select_errors(check_bytes(data, MANIFEST, slug, neighbours, purpose).findings)
    if purpose.unplayed and not local:
        # A player of the submitter's own is here, and says which seat and settings it takes.
        findings += select_errors(check_bytes(data, MANIFEST, slug, (), Purpose(True)).findings)
    below = (f"{field}.", f"{field}[")
    problems = [finding for finding in findings if finding.field == field or finding.field.startswith(below)]
    return list(dict.fromkeys(problems))


def find_purpose(answers: Mapping[str, Any], local: bool) -> Purpose:
    """Return the purpose with which a new manifest is checked.

    A pair that maintainers cannot play, since a server or a player is the submitter's own, waits for its transcripts.

    Args:
        answers: Parts of it.
        local: Whether the pair stays on its author's machine.
    """
    specs = player_specs(answers)
    own = list_available("players").keys() - list_maintainer_players(str(answers.get("game", DEFAULT_GAME)))
    unplayed = any(
        str(spec.get("base_url", "")).startswith("http://") or spec.get("player") in own for spec in specs.values()
    )
    return Purpose(local, unplayed=unplayed)


def player_specs(answers: Mapping[str, Any]) -> dict[str, Any]:
    """Return the players of a manifest, or of parts of a manifest, by seat."""
    seats = load_game(str(answers.get("game", DEFAULT_GAME))).seats
    return {seat.name: answers[seat.name] for seat in seats if seat.name in answers}


def format_manifest(document: Mapping[str, Any], schema: str | None) -> str:
    """Return the text of a manifest.

    Args:
        document: Content of the manifest.
        schema: Address of the JSON Schema for editors; None for no hint.
    """
    hint = f"# yaml-language-server: $schema={schema}\n" if schema else ""
    seats = {
        seat: {key: spec[key] for key in _SEAT_ORDER if key in spec} for seat, spec in player_specs(document).items()
    }
    ordered = {key: document[key] for key in _FIRST if key in document} | seats
    ordered |= {key: document[key] for key in _ORDER if key in document}
    return f"{hint}{_dump_document(ordered | {key: value for key, value in document.items() if key not in ordered})}"


def write_manifest(folder: Path, text: str) -> Path:
    """Write a manifest, whole or not at all, and return its path."""
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


def find_author() -> str | None:
    """Return the user's name in git's settings; None if git knows no name."""
    return _git(Path(), "config", "user.name")


def player_label(seat: Mapping[str, Any]) -> str:
    """Return the label of a player on boards."""
    return str(seat.get("model") or seat.get("player"))


def parse_parameter(text: str, option: str) -> tuple[str, Any]:
    """Read ``NAME=VALUE``; the value as in YAML.

    Raises:
        InputError: It is something else.
    """
    name, equals, value = text.partition("=")
    if not (equals and name.strip()):
        raise InputError(f"{option} {text!r}: not NAME=VALUE", "Write it as temperature=0.")
    try:
        return name.strip(), parse_value(value, f"{option} {name}")
    except YamlError as error:
        raise InputError(f"{option} {name}: {error.detail}", error.remedy or "Put it in quotes.") from error


def players_of(seats: Iterable[str], options: Iterable[str]) -> dict[str, dict[str, Any]]:
    """Return the settings of a game's players that command-line options state, by seat.

    Args:
        seats: Names of the game's seats.
        options: ``SEAT=PLAYER``, ``SEAT.FIELD=VALUE`` or ``SEAT.parameter.NAME=VALUE``.

    Raises:
        InputError: There is no such seat or field.
    """
    names = tuple(seats)
    specs: dict[str, dict[str, Any]] = {}
    for text in options:
        path, value = parse_parameter(text, "--player")
        seat, _, field = path.partition(".")
        if seat not in names:
            raise build_unknown_name_error("seat", seat, names, "--player")
        kind, _, name = field.partition(".")
        if not field:
            specs.setdefault(seat, {})["player"] = value
        elif kind == "parameter" and name:
            specs.setdefault(seat, {}).setdefault("parameters", {})[name] = value
        elif field in FIELDS:
            specs.setdefault(seat, {})[FIELDS[field]] = str(value)
        else:
            raise build_unknown_name_error("field", field, [*FIELDS, "parameter.NAME"], f"--player {seat}")
    return specs


def _pages(folder: Path) -> str | None:
    """Return the address of the pages of the GitHub repository that a clone comes from."""
    there = next((parent for parent in (folder, *folder.parents) if parent.is_dir()), Path())
    # In a clone of a fork, origin is the fork and upstream the repository itself.
    for remote in ("upstream", "origin"):
        repository = _GITHUB.fullmatch(_git(there, "remote", "get-url", remote) or "")
        if repository:
            # The host of the pages is in lower case, the path is as the repository spells its name.
            return f"https://{repository[1].lower()}.github.io/{repository[2]}"
    return None


def _git(folder: Path, *arguments: str) -> str | None:
    try:
        command = ["git", "-C", str(folder), *arguments]
        done = subprocess.run(command, capture_output=True, encoding="utf-8", check=False)  # noqa: S603 - fixed words
    except OSError:
        return None
    return done.stdout.strip() or None if done.returncode == 0 else None


def _dump_document(document: Mapping[str, Any]) -> str:
    lines = []
    for key, value in document.items():
        text = yaml.safe_dump({key: value}, allow_unicode=True, sort_keys=False, width=110, default_flow_style=False)
        # Rules stand on one line, as in the examples of the documentation.
        lines.append(text if key != "rules" else f"rules: {_format_flow(value)}\n")
    return "".join(lines)


def _format_flow(value: Mapping[str, Any]) -> str:
    return "{" + ", ".join(f"{key}: {json.dumps(part)}" for key, part in value.items()) + "}"
