"""Results of games other than reconstruction: a board by the headline measure, from values that are there."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import cached_property
from math import fsum, inf
from typing import Any, Protocol

from ircore.core.errors import InputError
from ircore.core.game_records import GameEpisode, GameRun, GameScore
from ircore.games.base import Game, Measure
from ircore.games.registry import load_game
from ircore.instances.store import GameInstanceSet
from ircore.results.played_run import AnyRunSource, RunView
from ircore.results.statistics.intervals import Estimate, estimate
from ircore.results.statistics.scales import Scale
from ircore.results.tables.model import Column, Table, Value
from ircore.runs.folder import GameRunFolder


class GameRunSource(AnyRunSource[GameRun, GameEpisode, GameInstanceSet], Protocol):
    """A run of a game other than reconstruction in the place where it is stored: a folder, or tables of a release."""

    def measured(self) -> tuple[GameScore, ...]:
        """Return the values of the game's measures."""
        ...


class PlayedGameRun(RunView[GameRun, GameEpisode, GameInstanceSet]):
    """A run of a game other than reconstruction with the values of its game's measures.

    Example:
        >>> from ircore.runs.folder import open_any_run  # doctest: +SKIP
        >>> PlayedGameRun(open_any_run(Path("rps-run"))).values(game.headline)  # doctest: +SKIP
        {'dawn-rock': 1.0, 'dawn-paper': 0.0}
    """

    source: GameRunSource

    def __init__(self, source: GameRunSource) -> None:
        super().__init__(source)

    @cached_property
    def scores(self) -> tuple[GameScore, ...]:
        """Values of the game's measures."""
        return self.source.measured()

    def values(self, measure: Measure) -> dict[str, float]:
        """Return the value of a measure by episode; of a measure per step the mean over the episode's steps."""
        by_episode: dict[str, list[float]] = {}
        for score in self.scores:
            if score.measure == measure.key and score.value is not None:
                by_episode.setdefault(score.episode_id, []).append(score.value)
        return {name: fsum(values) / len(values) for name, values in by_episode.items()}

    def mean(self, measure: Measure) -> Estimate:
        """Return the mean of a measure over episodes with its 95 % interval."""
        low, high = measure.range or (-inf, inf)
        return estimate(list(self.values(measure).values()), Scale(low, high))


@dataclass(frozen=True)
class GameResults:
    """The results of one game on one instance set."""

    game: Game[Any]
    """The game."""

    runs: tuple[PlayedGameRun, ...]
    """Best first by the headline."""

    @property
    def ranks(self) -> tuple[int | None, ...]:
        """The rank of each run, 1 for the best; runs with the same mean share it, one without a mean has none."""
        means = [run.mean(self.game.headline).mean for run in self.runs]
        better = 1 if self.game.headline.direction == "higher" else -1
        return tuple(
            None if mean is None else 1 + sum(other is not None and better * (other - mean) > 0 for other in means)
            for mean in means
        )


def game_results(game: Game[Any], runs: Iterable[PlayedGameRun]) -> GameResults:
    """Return runs as results, the best first.

    Raises:
        InputError: A run has no values, or was played on another set than the first.
    """
    held = list(runs)
    for run in held:
        if run.run.instance_set != held[0].run.instance_set:
            raise InputError(
                f"{run.run.run_id}: was played on another instance set than {held[0].run.run_id}",
                "Compare runs on one set.",
            )
        if not run.scores:
            raise InputError(f"{run.run.run_id}: no values yet", "Score the run first: ircore score RUN")
    sign = -1 if game.headline.direction == "higher" else 1

    def order(run: PlayedGameRun) -> tuple[bool, float, str]:
        mean = run.mean(game.headline).mean
        return mean is None, sign * (mean or 0.0), run.run.run_id

    return GameResults(game, tuple(sorted(held, key=order)))


def read_game_results(folders: Sequence[GameRunFolder]) -> GameResults:
    """Return the results of run folders of one game.

    Raises:
        InputError: They are of several games, or as ``game_results``.
        WorkError: The game cannot be imported.
    """
    for folder in folders:
        if folder.game != folders[0].game:
            raise InputError(
                f"{folder.path}: a run of {folder.game}; {folders[0].path} is one of {folders[0].game}",
                "Ask for one game at a time.",
            )
    game = load_game(folders[0].game)
    return game_results(game, [PlayedGameRun(folder) for folder in folders])


def game_board(results: GameResults) -> Table:
    """Return the board: runs by rank, their players, the headline and the measures that the game's pages name."""
    game = results.game
    shown = [measure for measure in game.measures if measure is game.headline or measure.key in game.pages.columns]
    columns = (
        Column("rank", "Rank", "1 is the best; equal means share it.", digits=0, nullable=True),
        Column("submission", "Submission", "Its folder's name.", digits=None),
        *(Column(seat.name, seat.title, f"Who took the seat {seat.name}.", digits=None) for seat in game.seats),
        *(measure_column(measure) for measure in shown),
        Column("played", "Played", "Episodes that were not aborted.", digits=0),
        Column("ended", "Ended", "Episodes that have ended.", digits=0),
    )
    return Table(
        name=f"board_{game.name}",
        title=f"{game.title}: board",
        caption=f"Runs by {game.headline.title}, mean over episodes with its 95 % interval.",
        columns=columns,
        rows=tuple(_row(results, rank, run, shown) for rank, run in zip(results.ranks, results.runs, strict=True)),
        primary=game.headline.key,
    )


def measure_column(measure: Measure) -> Column:
    """Return the column of a measure."""
    scale = f"{measure.range[0]:g}–{measure.range[1]:g}" if measure.range else measure.unit
    about = f"{measure.title}, mean over played episodes; {measure.direction} is better."
    return Column(measure.key, measure.title, about, scale, measure.direction, 2, estimated=True)


def _row(results: GameResults, rank: int | None, run: PlayedGameRun, shown: Sequence[Measure]) -> tuple[Value, ...]:
    played = {outcome.name for outcome in results.game.outcomes if outcome.played}
    players = run.run.submission.players
    return (
        Value(rank, missing=None if rank else "no value"),
        Value(run.run.slug),
        *(Value(label_of(players[seat.name].player, players[seat.name].model)) for seat in results.game.seats),
        *(Value.of(run.mean(measure), missing="no value") for measure in shown),
        Value(sum(episode.outcome in played for episode in run.episodes)),
        Value(len(run.episodes)),
    )


def label_of(player: str, model: str | None) -> str:
    """Return what boards call a player."""
    return model or player
