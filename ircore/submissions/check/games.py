"""The verdict on the seats of a manifest of a game other than reconstruction.

Strangers' words, keys and addresses are held to the same rules as in any manifest; seats and rules to the game's own.
"""

from collections.abc import Iterator
from typing import Any

from ircore.core.errors import InputError
from ircore.core.plugins import load
from ircore.core.records import PlayerSpec
from ircore.core.submission_records import Submission
from ircore.games.base import Game, Seat
from ircore.games.registry import load_game
from ircore.players.recorded_seat import RECORDED, RecordedSeat
from ircore.players.traits import answer_problem
from ircore.submissions.check.manifest import seat_fault
from ircore.submissions.check.seats import Conditions, setting_faults
from ircore.submissions.findings import MISSING, Fault


def game_faults(submission: Submission, conditions: Conditions) -> Iterator[Fault]:
    """Yield the faults in seats and players of a manifest, whose form fits the game's declarations."""
    game = load_game(submission.game)
    active_seats = game.seats_of(game.rules.model_validate(submission.rules))
    for seat in game.seats:
        spec = submission.players.get(seat.name)
        if seat not in active_seats:
            if spec is not None:
                remedy = f"Leave it out, or set rules.{seat.when} to true."
                yield Fault((seat.name,), f"is asked only with the rule {seat.when}", "", remedy)
            continue
        if spec is None:
            yield Fault((seat.name,), MISSING, "a player for each seat", f"Name the {seat.name}.")
            continue
        yield from setting_faults(seat.name, spec, conditions)
        yield from _player_faults(game, seat, spec)


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
