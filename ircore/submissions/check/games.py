"""The verdict on a manifest of ``schema: 2``.

Strangers' words, keys and addresses are held to the same rules as in any manifest; seats and rules to the game's own.
"""

from collections.abc import Iterator
from typing import Any

from pydantic import ValidationError

from ircore.core.errors import InputError
from ircore.core.plugins import load, unknown
from ircore.core.records import PlayerSpec
from ircore.core.strict_yaml import FieldPath
from ircore.core.submission_records import GameSubmission
from ircore.core.validation import worded
from ircore.games.base import Game, Seat
from ircore.games.registry import load_game
from ircore.players.recorded_seat import RECORDED, RecordedSeat
from ircore.players.traits import answer_problem
from ircore.submissions.check.manifest import seat_fault
from ircore.submissions.check.seats import Conditions, setting_faults
from ircore.submissions.findings import Fault


def is_game_manifest(mapping: dict[Any, Any]) -> bool:
    """Return whether a document is a manifest of ``schema: 2``."""
    return mapping.get("schema") == 2 and bool(mapping.keys() & {"game", "players"})


def read_game_manifest(mapping: dict[Any, Any]) -> tuple[GameSubmission | None, list[Fault]]:
    """Return the record of a manifest and no faults, or None and every fault of the manifest's form."""
    try:
        return GameSubmission.model_validate(mapping), []
    except ValidationError as error:
        return None, _record_faults(error, (), "See docs/submit.md for the format.")


def game_faults(submission: GameSubmission, conditions: Conditions) -> Iterator[Fault]:
    """Yield the faults in game, seats, players and rules of a manifest."""
    try:
        game = load_game(submission.game)
    except InputError as error:
        yield Fault(("game",), error.problem, "a game that is installed", error.remedy)
        return
    names = [seat.name for seat in game.seats]
    for name in submission.players.keys() - set(names):
        refusal = unknown(f"seat of {game.name}", name, names)
        yield Fault(("players", name), refusal.problem, ", ".join(names), refusal.remedy)
    try:
        active_seats = game.seats_of(game.rules.model_validate(submission.rules))
    except ValidationError as error:
        yield from _record_faults(error, ("rules",), f"See: ircore games show {game.name}")
        # Rules at fault cannot say which seats are asked, so those that the manifest names are checked.
        active_seats = tuple(seat for seat in game.seats if not seat.when or seat.name in submission.players)
    for seat in game.seats:
        spec = submission.players.get(seat.name)
        if seat not in active_seats:
            if spec is not None:
                remedy = f"Leave it out, or set rules.{seat.when} to true."
                yield Fault(("players", seat.name), f"is asked only with the rule {seat.when}", "", remedy)
            continue
        if spec is None:
            yield Fault(("players",), f"{seat.name} is missing", "a player for each seat", f"Name the {seat.name}.")
            continue
        for fault in (*setting_faults(seat.name, spec, conditions), *_player_faults(game, seat, spec)):
            yield fault._replace(path=("players", *fault.path))


def _player_faults(game: Game[Any], seat: Seat[Any, Any], spec: PlayerSpec) -> Iterator[Fault]:
    """Yield the faults of a seat's player: a player that cannot take the seat, or refuses the stated settings."""
    path = (seat.name, "player")
    if spec.player == RECORDED and not seat.recorded:
        yield Fault(path, f"{game.name} has no recorded answers for this seat", "a player", "Name a player.")
        return
    player: Any = RecordedSeat
    if spec.player != RECORDED:
        try:
            player = load("players", spec.player)
        except InputError as error:
            yield Fault(path, error.problem, "", error.remedy)
            return
        problem = answer_problem(spec.player, seat.method, seat.answers)
        if problem or not hasattr(player, seat.method):
            problem = problem or f"{spec.player} cannot take the seat {seat.name}"
            yield Fault(path, problem, "another player", "Name another player.")
            return
    try:
        getattr(player, "check", player)(spec)
    except InputError as error:
        yield seat_fault(seat.name, error)


def _record_faults(error: ValidationError, field: FieldPath, remedy: str) -> list[Fault]:
    """Return the faults of a record that stands in a field of the manifest."""
    return [Fault((*field, *detail["loc"]), worded(detail), "", remedy) for detail in error.errors(include_url=False)]
