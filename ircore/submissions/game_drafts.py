"""A new manifest of ``schema: 2``: the game, a player for each seat and the rules, all from options."""

from collections.abc import Iterable, Mapping
from typing import Any

from ircore.core.errors import InputError
from ircore.core.plugins import unknown
from ircore.games.registry import load_game
from ircore.submissions.drafts import LICENCE, known_author, parameter, player_label

FIELDS = {"model": "model", "revision": "revision", "url": "base_url", "key": "api_key_env", "source": "source"}
"""What may follow a seat's name in an option, and the manifest's field for it."""


def game_document(game: str, players: Iterable[str], given: Mapping[str, Any]) -> dict[str, Any]:
    """Return a manifest.

    Args:
        game: Name of an installed game.
        players: ``SEAT=PLAYER``, ``SEAT.FIELD=VALUE`` or ``SEAT.parameter.NAME=VALUE``.
        given: The other parts that are known: name, authors, licence, links, hardware, rules.

    Raises:
        InputError: There is no such game, seat or field, or a seat has no player.
    """
    seats = [seat.name for seat in load_game(game, "--game").seats]
    specs: dict[str, dict[str, Any]] = {seat: {} for seat in seats}
    for text in players:
        _set(specs, text)
    for seat, spec in specs.items():
        if "player" not in spec:
            raise InputError(f"players.{seat}.player: is missing", f"Give --player {seat}=PLAYER.")
    label = " + ".join(player_label(specs[seat]) for seat in seats)
    author = known_author()
    document: dict[str, Any] = {"schema": 2, "game": game, "name": label, "players": specs}
    document |= {"authors": [author]} if author else {}
    return {**document, "licence": LICENCE, **given}


def _set(specs: dict[str, dict[str, Any]], text: str) -> None:
    """Put what one option says where it belongs."""
    path, value = parameter(text, "--player")
    seat, _, field = path.partition(".")
    if seat not in specs:
        raise unknown("seat", seat, list(specs), "--player")
    kind, _, name = field.partition(".")
    if not field:
        specs[seat]["player"] = value
    elif kind == "parameter" and name:
        specs[seat].setdefault("parameters", {})[name] = value
    elif field in FIELDS:
        specs[seat][FIELDS[field]] = str(value)
    else:
        raise unknown("field", field, [*FIELDS, "parameter.NAME"], f"--player {seat}")
