"""The part of ``ircore score`` that computes the measures of other games than reconstruction."""

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import click
from click.core import ParameterSource

from ircore.core.counted import counted
from ircore.core.errors import InputError, WorkError
from ircore.core.terminal import printable
from ircore.games.base import Game
from ircore.games.declarations import has_rated_pictures
from ircore.games.registry import load_game
from ircore.runs.folder import RunFolder

if TYPE_CHECKING:
    from ircore.scorers.game_measures import MeasureCounts

FOR_ANY_GAME = frozenset({"as_json", "dry_run"})
"""Options of ``ircore score`` that runs of every game take."""

OF_JUDGES = frozenset({"judges", "every_turn", "concurrency", "deadline", "max_cost", "prices", "cache"})
"""Options that runs of every game with pictures to rate take, if a judge is named."""


def runs_to_judge(runs: Sequence[RunFolder], judges: Sequence[str], mixed: bool) -> list[RunFolder]:
    """Return the runs whose pictures the named judges rate, and say of which games nothing can be rated.

    Args:
        runs: The runs of other games.
        judges: As named by ``--judge``.
        mixed: Whether reconstruction runs are given too, which judges rate.

    Raises:
        InputError: Judges are named, and nothing of the given runs can be rated.
    """
    if not judges:
        return []
    has_pictures = {run.game: _has_pictures(run) for run in runs}
    without = " and ".join(sorted(game for game, has in has_pictures.items() if has is False))
    rated = [run for run in runs if has_pictures[run.game]]
    problem = f"--judge: nothing of the game {without} can be rated: it names no pictures to compare"
    if without and not rated and not mixed:
        raise InputError(problem, "Leave out --judge: the game's own measures are computed.")
    if without:
        click.echo(printable(problem), err=True)
    return rated


def _has_pictures(run: RunFolder) -> bool | None:
    """Return whether pictures of a run can be rated; None for a broken game, told where its measures are computed."""
    try:
        return has_rated_pictures(_game_of(run))
    except WorkError:
        return None


def is_judged(run: RunFolder) -> bool:
    """Return whether judges give the headline of a run's game; not of a broken game, which is told of later."""
    try:
        return _game_of(run).is_judged
    except WorkError:
        return False


def limit_options(runs: Sequence[RunFolder], mixed: bool, judged: bool) -> None:
    """Say which options that were given by hand do not apply to runs of other games.

    Args:
        runs: The runs of other games.
        mixed: Whether reconstruction runs are given too, which take the options.
        judged: Whether a judge is named.

    Raises:
        InputError: No given run can take them.
    """
    context = click.get_current_context()
    stated = [
        option.opts[0]
        for option in context.command.params
        if isinstance(option, click.Option)
        and option.name not in FOR_ANY_GAME | (OF_JUDGES if judged else set())
        and context.get_parameter_source(option.name or "") is ParameterSource.COMMANDLINE
    ]
    if not stated:
        return
    games = " and ".join(sorted({run.game for run in runs}))
    if not mixed:
        raise InputError(
            f"{stated[0]}: does not apply to runs of the game {games}",
            f"Leave out {' and '.join(stated)}: the game's own measures are computed.",
        )
    limit = f"for runs of reconstruction alone; of the game {games} the game's own measures are computed"
    click.echo(printable(f"{', '.join(stated)}: {limit}"), err=True)


def tell_game_plan(runs: Sequence[RunFolder], judged: bool) -> None:
    """Show which measures would be computed of how many episodes; judges, if any is named, tell their own plans."""
    from ircore.scorers.game_measures import played

    for run in runs:
        game = _game_of(run)
        count = sum(played(game, episode) for episode in run.episodes())
        keys = ", ".join(measure.key for measure in game.measures if measure.needs in ("steps", "pictures"))
        line = f"{run.run.run_id} ({run.game}): of {counted(count, 'played episode')} it would compute {keys}"
        click.echo(printable(line if judged else f"{line}; no model would be asked"))


def score_games(runs: Sequence[RunFolder]) -> "list[tuple[RunFolder, MeasureCounts]]":
    """Compute the measures of runs, and return each run with its counts; runs of broken games are left out."""
    from ircore.scorers.game_measures import score_game_run

    measured = []
    for run in runs:
        try:
            measured.append((run, score_game_run(run, _game_of(run))))
        except WorkError as error:
            # A game whose package is broken must not hold up the runs of the others.
            click.echo(printable(f"ircore: {run.path} is left out: {error.problem}\n  {error.remedy}"), err=True)
    return measured


def tell_measured(measured: "Sequence[tuple[RunFolder, MeasureCounts]]") -> None:
    """Show the counts of each run in a line."""
    for run, counts in measured:
        click.echo(
            f"{run.run.run_id} ({run.game}): {counted(counts.episodes, 'played episode')}: "
            f"{counted(counts.new + counts.kept, 'value')}, {counts.new:,} new and {counts.kept:,} kept"
        )


def _game_of(run: RunFolder) -> Game[Any]:
    return load_game(run.game, f"{run.path}/run.json: game")
