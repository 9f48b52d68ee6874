"""Manifests of the pairs that a person is part of, and the targets for each seat."""

import json
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from ircore.core.files import write_text

HUMAN_S = 86_400
"""Seconds that a person has for an answer."""


@dataclass(frozen=True)
class Mode:
    """A seat that a person may take.

    >>> MODES["listen"].game
    'reference'

    Attributes:
        name: As given to ``--mode``.
        game: The game that is played.
        categories: Categories of the targets that are drawn where none are given.
        pair: The built-in submission whose other seat plays, and that is to be beaten.
        rules: Rules other than the game's usual ones.
    """

    name: str
    game: str
    categories: tuple[str, ...]
    pair: str
    rules: tuple[tuple[str, int], ...] = ()


MODES = {
    mode.name: mode
    for mode in (
        Mode("describe", "reconstruction", ("simple_shapes", "pie_graph", "bar_graph", "geometry"), "classical+canvas"),
        Mode("draw", "reconstruction", ("simple_shapes", "pie_graph"), "plain+canvas"),
        Mode("listen", "reference", ("lineup", "tangrams"), "looker", (("repetitions", 2),)),
    )
}
"""Every mode of ``ircore play-me`` by its name."""


def make_person(desk: str) -> dict[str, Any]:
    """Return a player ``human`` who answers through a folder."""
    return {"player": "human", "parameters": {"folder": desk, "poll_s": 0.1, "timeout_s": HUMAN_S}}


def write_pair(folder: Path, seat: str, other: dict[str, Any], slug: str = "pair", desk: str = "") -> Path:
    """Write the manifest of a pair of a person and a player of the reconstruction game, and return its path.

    Args:
        folder: Where the manifest's folder is made.
        seat: The person's seat, ``describer`` or ``generator``.
        other: Settings of the player in the other seat.
        slug: Name of the manifest's folder.
        desk: Folder through which the person answers; by default ``desk`` in ``folder``.
    """
    human = make_person(desk or str(folder / "desk"))
    label = other.get("model") or other["player"]
    seats = {"describer": human, "generator": other}
    name = f"human + {label}"
    if seat == "generator":
        seats, name = {"describer": other, "generator": human}, f"{label} + human"
    return _write_manifest(folder / slug, {"schema": 1, "name": name, "licence": "CC0-1.0", **seats})


def write_listener(folder: Path, speaker: dict[str, Any]) -> Path:
    """Write the manifest of a speaker and a person who listens, and return its path."""
    label = speaker.get("model") or speaker["player"]
    players = {"speaker": speaker, "listener": make_person(str(folder / "desk"))}
    manifest = {"schema": 1, "game": "reference", "name": f"{label} + human", "licence": "CC0-1.0", **players}
    return _write_manifest(folder / "pair", manifest)


def _write_manifest(folder: Path, manifest: dict[str, Any]) -> Path:
    path = folder / "submission.yaml"
    write_text(path, json.dumps(manifest, indent=2) + "\n")
    return path
