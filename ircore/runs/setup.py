"""Preparing play: from a manifest, an instance set and rules of the command line to a run with players."""

from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any, NamedTuple

from pydantic import ValidationError

from ircore.core.errors import InputError
from ircore.core.plugins import build_unknown_name_error
from ircore.core.records import GameRules
from ircore.core.validation import describe_validation_error
from ircore.games.base import Game
from ircore.games.registry import load_game
from ircore.instances.store import InstanceSet, read_instances
from ircore.players.base import RECORDED, RecordedSeat
from ircore.players.builtin_pairs import find_submission_place
from ircore.players.submission import LoadedSubmission, check_seat, make_player, read_manifest
from ircore.players.traits import load_traits
from ircore.runs.cluster import Cluster, RemotePlayer
from ircore.runs.costs.limit import CostLimit, check_limit
from ircore.runs.costs.prices import find_own_prices, load_run_prices, read_prices, store_prices
from ircore.runs.episode import parse_payload
from ircore.runs.folder import RUN_FILE, RunFolder, create_run
from ircore.runs.play import ShardPart, check_part, open_run, read_part, write_part
from ircore.runs.provenance import check_provenance, make_provenance, write_provenance
from ircore.runs.session import Players, PlayPlan


class Prepared(NamedTuple):
    """A submission with its game, an instance set of the same game and the rules of the run.

    >>> prepared = prepare(Path("classical+canvas"), Path("targets"), {"max_turns": 3})
    >>> prepared.game.name, prepared.rules.max_turns
    ('reconstruction', 3)
    """

    loaded: LoadedSubmission
    game: Game[Any]
    instances: InstanceSet
    rules: GameRules


def prepare(
    submission: Path,
    instance_set: Path | Callable[[str], Path],
    overrides: Mapping[str, object],
    installed: bool = True,
) -> Prepared:
    """Read manifest, game, instance set and rules, and check that they fit together.

    Args:
        submission: The submission's folder or its manifest, or a built-in pair such as ``classical+canvas``.
        instance_set: The folder of the instance set; or a function that makes one of a game and is called when all else
            is right.
        overrides: Rules that hold instead of the submission's, by name.
        installed: Whether the players must be installed here; False where others let them play.

    Raises:
        InputError: Something is missing or does not fit; the set is for another game; a seat has no player.
        WorkError: The game cannot be imported.
    """
    loaded = read_manifest(find_submission_place(submission))
    game = load_game(loaded.submission.game, f"{loaded.path}: game")
    loaded = loaded._replace(submission=loaded.submission.in_order(seat.name for seat in game.seats))
    rules = merge_rules(game, loaded, overrides)
    check_seats(game, loaded, rules, installed)
    folder = instance_set if isinstance(instance_set, Path) else instance_set(game.name)
    instances = read_instances(folder)
    if instances.game != game.name:
        raise InputError(
            f"{folder}: instances of the game {instances.game}; {loaded.path} plays {game.name}",
            f"Make a set with: ircore instances build --game {game.name} --out DIR",
        )
    return Prepared(loaded, game, instances, rules)


def merge_rules(game: Game[Any], loaded: LoadedSubmission, overrides: Mapping[str, object]) -> GameRules:
    """Return the rules of a run: the game's defaults, then the submission's, then the command line's.

    Raises:
        InputError: A rule is unknown to the game or out of its range.
    """
    # Before the record of the rules refuses the name: here the nearest known rule can be named.
    for name in overrides:
        if name not in game.rules.model_fields:
            raise build_unknown_name_error(f"rule of {game.name}", name, list(game.rules.model_fields), "--rule")
    try:
        return game.rules.model_validate({**loaded.submission.rules, **overrides})
    except ValidationError as error:
        at_fault = {detail["loc"][0] for detail in error.errors() if detail["loc"]}
        # The manifest is sound where every fault is of an option.
        where = "--rule" if at_fault and at_fault <= set(overrides) else f"{loaded.path}: rules"
        raise InputError(
            f"{where}: {describe_validation_error(error)}", f"See: ircore games show {game.name}"
        ) from error


def check_seats(game: Game[Any], loaded: LoadedSubmission, rules: GameRules, installed: bool = True) -> None:
    """Check that every seat that is asked under some rules has an installed player that can take the seat.

    Args:
        game: The game.
        loaded: The submission.
        rules: The rules of the run.
        installed: Whether the players must be installed here.

    Raises:
        InputError: A seat is empty, is none of the game's, is not asked, or its player cannot take it.
    """
    players, names = loaded.submission.players, [seat.name for seat in game.seats]
    for name in players:
        if name not in names:
            raise build_unknown_name_error(f"seat of {game.name}", name, names, f"{loaded.path}")
    seats = game.list_seats(rules)
    for seat in game.seats:
        if seat not in seats and seat.name in players:
            raise InputError(
                f"{loaded.path}: {seat.name}: this seat is asked only with the rule {seat.when}",
                f"Leave the seat out, or play with --rule {seat.when}=true.",
            )
    for seat in seats:
        if seat.name not in players:
            raise InputError(f"{loaded.path}: {seat.name}: is missing", f"Name who takes the seat {seat.name}.")
        # A recorded seat has no player that could be imported; its answers come with the game.
        if players[seat.name].player != RECORDED:
            if installed:
                check_seat(loaded, seat.name, seat.method, seat.answers)
        elif not seat.recorded:
            raise InputError(
                f"{loaded.path}: {seat.name}: the game {game.name} has no recorded answers for this seat",
                "Name a player.",
            )
    for remark in game.list_remarks(rules, players):
        if remark.refused:
            raise InputError(f"{loaded.path}: {'.'.join(remark.path)}: {remark.problem}", remark.remedy)


@contextmanager
def begin_run(
    plan: PlayPlan,
    loaded: LoadedSubmission,
    out: Path,
    *,
    part: ShardPart | None = None,
    prices_file: Path | None = None,
    max_cost: float | None = None,
    vouching: bool = False,
) -> Iterator[tuple[RunFolder, CostLimit]]:
    """Hold the run folder, with the settings that a resumed run needs, locked while the block runs.

    A new folder appears with all of them at once. In a folder that was begun nothing is changed before it is locked and
    everything about it is checked.

    Args:
        plan: Run, instances and limits of this session.
        loaded: The submission.
        out: The run folder: created, or resumed if it exists.
        part: Part of the run that the plan selects; None for an undivided run.
        prices_file: Prices on top of the built-in ones.
        max_cost: US dollars that the run may cost; no limit if None.
        vouching: Whether the maintainers vouch for the run.

    Yields:
        The run folder, and the limit on the run's cost.

    Raises:
        InputError: The folder holds another run or another part of it, another process works on it, the prices cannot
            be read, or a price is not known although the cost is limited.
    """
    prices = read_prices(find_own_prices(out), prices_file)
    if max_cost is not None:
        check_limit(loaded.submission.players, prices)

    def complete(folder: Path) -> None:
        if vouching:
            write_provenance(folder, make_provenance(loaded.path))
        if part is not None:
            write_part(folder, part)
        store_prices(folder, prices_file)

    if not (out / RUN_FILE).is_file():
        game = load_game(plan.run.game)
        # Before the folder is there: with a set that was mended, it would be that of another run.
        for instance in plan.selected:
            parse_payload(game, plan.instances, instance)
        create_run(out, plan.run, plan.instances, plan.selected, complete)
    folder = open_run(out, plan.run, plan.instances)
    with folder.lock():
        check_provenance(folder.path, vouching)
        check_part(folder, part)
        if part is not None and read_part(folder) != part:
            write_part(folder.path, part)
        store_prices(folder.path, prices_file)
        plan.instances.hold(folder.path / "instances", plan.selected)
        yield folder, CostLimit(load_run_prices(folder), max_cost)


def make_players(game: Game[Any], loaded: LoadedSubmission, scheduler: str | None = None) -> Players:
    """Make the players of all seats.

    Args:
        game: The game.
        loaded: The submission.
        scheduler: Address of the Dask cluster on whose workers players answer; None for this process. A reference
            player answers here in any case, where the instance set lies that it is told of.

    Raises:
        InputError: A player does not take its settings, the address is none, or Dask is not installed.
    """
    cluster = None if scheduler is None else Cluster(scheduler)
    players: dict[str, Any] = {}
    for seat in game.seats:
        if seat.name not in loaded.submission.players:
            continue  # not asked under the rules of the run, see check_seats
        spec = loaded.submission.players[seat.name]
        if spec.player == RECORDED:
            players[seat.name] = RecordedSeat(spec)
        # A reference player is told of all other targets of the set, which no worker has.
        elif cluster is None or load_traits(spec.player).reference:
            players[seat.name] = make_player(loaded, seat.name)
        else:
            players[seat.name] = RemotePlayer(cluster, loaded, seat.name)
    return players
