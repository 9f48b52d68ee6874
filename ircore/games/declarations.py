"""Checking a game's declarations before play."""

from dataclasses import dataclass, field
from typing import Any

from ircore.games.base import Game


@dataclass
class _Declared:
    """Faults of a game's declarations, see ``declaration_faults``."""

    faults: list[str] = field(default_factory=list)

    def expect(self, holds: bool, fault: str) -> None:
        """Note a fault unless something holds."""
        if not holds:
            self.faults.append(fault)


def declaration_faults(game: Game[Any]) -> tuple[str, ...]:
    """Return the faults of a game's declarations, a line each; an empty tuple for a sound game."""
    declared = _Declared()
    for name in ("name", "title", "seats", "payload", "step", "outcomes", "measures"):
        declared.expect(bool(getattr(game, name, None)), f"{name} is missing")
    if declared.faults:
        return tuple(declared.faults)
    for kind, names in (
        ("seat", [seat.name for seat in game.seats]),
        ("measure", [measure.key for measure in game.measures]),
        ("outcome", [outcome.name for outcome in game.outcomes]),
    ):
        declared.expect(len(set(names)) == len(names), f"two {kind}s have one name")
    declared.expect(game.headline.range is not None, f"the headline {game.headline.key} has no range")
    declared.expect(any(outcome.played for outcome in game.outcomes), "no outcome counts as played")
    declared.expect(
        any(outcome.name == "aborted" and not outcome.played for outcome in game.outcomes),
        "there is no outcome aborted that does not count as played",
    )
    keys = {measure.key for measure in game.measures}
    for key in (*game.pages.columns, *game.pages.figures, *(curve.measure for curve in game.pages.curves)):
        declared.expect(key in keys, f"pages name the measure {key}, which is not declared")
    _expect_pages(declared, game)
    for seat in game.seats:
        rule = game.rules.model_fields.get(seat.when)
        declared.expect(
            not seat.when or (rule is not None and rule.annotation is bool),
            f"the seat {seat.name} is asked with {seat.when}, which is no rule that is true or false",
        )
    for measure in game.measures:
        sound = measure.difference is None or (measure.needs == "means" and keys.issuperset(measure.difference))
        declared.expect(sound, f"the measure {measure.key} is a difference of measures that are not declared")
    required = [name for name, info in game.rules.model_fields.items() if info.is_required()]
    declared.expect(not required, f"rules without a default: {', '.join(required)}")
    return tuple(declared.faults)


def _expect_pages(declared: _Declared, game: Game[Any]) -> None:
    """Note faults of the curves and of the matrix that a game's pages name."""
    per_step = {measure.key for measure in game.measures if measure.per == "step"}
    for curve in game.pages.curves:
        declared.expect(curve.measure in per_step, f"a curve is of {curve.measure}, which is no measure per step")
        declared.expect(
            not curve.over or curve.over in game.step.model_fields, f"a curve is over {curve.over}, no field of a step"
        )
    seats = {seat.name for seat in game.seats}
    sound = not game.pages.matrix or (len(set(game.pages.matrix)) == 2 and seats.issuperset(game.pages.matrix))
    declared.expect(sound, f"pages cross {', '.join(game.pages.matrix)} in a matrix, which are not two seats")
