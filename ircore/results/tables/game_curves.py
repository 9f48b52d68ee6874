"""Tables of a game beside the board: learning curves, players seat by seat, and the figures of the game's paper."""

from collections import Counter
from collections.abc import Callable, Iterator, Mapping
from functools import partial
from typing import Any, NamedTuple

from ircore.core.errors import InputError
from ircore.core.plain_words import form_plural
from ircore.games.base import Curve, Game, Measure
from ircore.results.curves import (
    POINTS,
    TOO_FEW_REACH,
    WHOEVER_IS_LEFT,
    SteppedEpisode,
    compute_curve_points,
    estimate_by_turn,
    estimate_normalised_means,
    estimate_partner_mean,
    list_recorded_episodes,
    run_episodes,
)
from ircore.results.measure_means import scale_of
from ircore.results.model import Results
from ircore.results.played_run import PlayedRun
from ircore.results.ranking import refuse_condition
from ircore.results.tables.board import measure_column
from ircore.results.tables.games import (
    build_rules_columns,
    format_condition,
    list_rules_values,
)
from ircore.results.tables.model import Column, Table, Value
from ircore.results.tables.pairs import build_seat_column

PEOPLE = "people, as recorded"
"""Name of the rows of what people played on the same instances."""


_TO_THE_LAST = f", the first, to {POINTS}, the last"


class _Line(NamedTuple):
    """Episodes of one curve with the texts of its rows."""

    name: str
    players: tuple[str, ...]
    rules: tuple[Value, ...]
    episodes: tuple[SteppedEpisode, ...]

    @property
    def who(self) -> tuple[Value, ...]:
        """Entries of the columns that say who played."""
        return (Value(self.name), *map(Value, self.players))


def list_stepped_tables(game: Game[Any]) -> Mapping[str, Callable[..., Table]]:
    """Return the tables of a game by step, by the names that users give: of results, category and difficulty."""
    plain = {_format_plural(game, curve) for curve in game.pages.curves if not curve.normalised}
    tables: dict[str, Callable[..., Table]] = {
        name: partial(curves_table, curve=curve)
        for curve in game.pages.curves
        # Beside a plain curve over the same axis, a normalised curve would take its table.
        if not ((name := _format_plural(game, curve)) in plain and curve.normalised)
    }
    if any(measure.per == "step" for measure in game.measures):
        tables |= {"at_k": at_k_table, "normalised": normalised_steps_table}
    return tables


def curves_table(
    results: Results, category: str | None = None, difficulty: str | None = None, *, curve: Curve
) -> Table:
    """Return every measure per step by the place of the step, such as its repetition: each run, then people.

    Args:
        results: Of one game.
        category: Only this category; None for all.
        difficulty: Only this difficulty; None for both.
        curve: Declaration that says what steps are grouped by.

    Raises:
        InputError: No step of any run has a value, or there is no such category or difficulty.
    """
    game = results.game
    axis = curve.words(game.step_word)
    measures = [measure for measure in game.measures if measure.per == "step"]
    lines = list(_build_lines(results, category, difficulty))
    rows = [row for line in lines for row in _build_rows(line, measures, curve)]
    _require(rows, results)
    recorded = any(line.name == PEOPLE for line in lines)
    people = f" Rows of {PEOPLE!r} are computed from what the instances hold." if recorded else ""
    return Table(
        name=f"{game.name}_{_format_plural(game, curve)}",
        title=f"{game.title}: measures by {axis}",
        caption=f"Mean for each {axis} over the same episodes, those that reach the last {axis} with a value, with its "
        f"95 % interval.{people}"
        f"{format_condition(category, difficulty)}",
        columns=(
            *_build_run_columns(results),
            Column(
                axis.replace(" ", "_"),
                axis.capitalize(),
                f"From 1{_TO_THE_LAST if curve.normalised else ''}.",
                digits=0,
            ),
            Column("reaching", "Reach it", f"Episodes with a value at this {axis}.", digits=0, implied="episodes"),
            *map(measure_column, measures),
            *build_rules_columns(results),
        ),
        rows=tuple(rows),
        # A game declares its measures in their order of importance; the name of a run tells its players, too.
        spare=(*_list_seats(results), *(measure.key for measure in measures[:0:-1]), "reaching"),
    )


def _list_seats(results: Results) -> tuple[str, ...]:
    return tuple(seat.name for seat in results.seats)


def _build_run_columns(results: Results) -> tuple[Column, ...]:
    run = Column("run", "Run", "Its folder's name, or people.", digits=None)
    return run, *map(build_seat_column, results.seats)


def _require(rows: list[tuple[Value, ...]], results: Results) -> None:
    if not rows:
        game = results.game
        raise InputError(
            f"no {game.step_word} of the runs of {game.name} has a value", "Score the runs first: ircore score RUN..."
        )


def _build_lines(results: Results, category: str | None, difficulty: str | None) -> Iterator[_Line]:
    refuse_condition(results.instances, category, difficulty)
    for run in results.every_run:
        rules = list_rules_values(results, run.run)
        yield _Line(run.run.slug, _list_players(results, run), rules, run_episodes(results, run, category, difficulty))
    people = list_recorded_episodes(results, category, difficulty)
    if people:
        none = tuple(Value(None, missing="people were given no rules") for _ in build_rules_columns(results))
        yield _Line(PEOPLE, ("people",) * len(results.seats), none, people)


def _build_rows(line: _Line, measures: list[Measure], curve: Curve) -> Iterator[tuple[Value, ...]]:
    points = {measure.key: compute_curve_points(line.episodes, measure, curve) for measure in measures}
    reached = {
        measure.key: Counter(place for episode in line.episodes for place in episode.on_curve(measure, curve))
        for measure in measures
    }
    for place in sorted({place for counts in reached.values() for place in counts}):
        values = (
            Value.of(points[measure.key][place], missing="no value")
            if place in points[measure.key]
            else Value(None, missing=TOO_FEW_REACH if reached[measure.key][place] else "no value at this place")
            for measure in measures
        )
        reaching = max(counts[place] for counts in reached.values())
        yield (*line.who, Value(place), Value(reaching), *values, *line.rules)


def at_k_table(results: Results, category: str | None = None, difficulty: str | None = None) -> Table:
    """Return every measure per step up to each step ("@K"): at the step, the latest value, and the best one.

    Args:
        results: Of one game.
        category: Only this category; None for all.
        difficulty: Only this difficulty; None for both.

    Raises:
        InputError: No step of any run has a value, or there is no such category or difficulty.
    """
    game, step = results.game, results.game.step_word
    measures = [measure for measure in game.measures if measure.per == "step"]
    rows = []
    for line in _build_lines(results, category, difficulty):
        for measure in measures:
            series = [episode.series(measure) for episode in line.episodes]
            labels = [episode.stratum for episode in line.episodes]
            points = estimate_by_turn(series, measure.direction == "higher", scale_of(measure), labels)
            for point in points:
                # Past the longest episode that has a value there is nothing to tell.
                if point.latest.n:
                    same = Value.of(point.same, missing=TOO_FEW_REACH)
                    means = (Value.of(mean, missing="no value") for mean in (point.at, point.latest, point.best))
                    rows.append((*line.who, Value(measure.title), Value(point.turn), same, *means, *line.rules))
    _require(rows, results)
    return Table(
        name=f"{game.name}_at_k",
        title=f"{game.title}: measures up to {step} K",
        caption="Mean over episodes with its 95 % interval; an episode that has ended keeps its last value."
        f"{format_condition(category, difficulty)}",
        columns=(
            *_build_run_columns(results),
            Column("measure", "Measure", f"The game's measure per {step}.", digits=None),
            Column("k", "K", f"Number of the {step}, from 1.", digits=0),
            Column("same", f"At {step} K, same episodes", f"Mean over the episodes that reach the curve's last {step}.",
                   estimated=True),
            Column("at", f"At {step} K, whoever is left",
                   f"Mean over the episodes with a value at this {step}: n of them.",
                   estimated=True),
            Column("latest", "@K, latest", f"Mean of each episode's last value up to {step} K.", estimated=True),
            Column("best", "@K, best", f"Mean of each episode's best value up to {step} K.", estimated=True),
            *build_rules_columns(results),
        ),
        rows=tuple(rows),
        notes=(WHOEVER_IS_LEFT,),
        primary="latest",
        spare=(*_list_seats(results), "at", "best", "same"),
    )  # fmt: skip


def normalised_steps_table(results: Results, category: str | None = None, difficulty: str | None = None) -> Table:
    """Return every measure per step on the axis from an episode's first step (0) to its last (1), at 20 places.

    Args:
        results: Of one game.
        category: Only this category; None for all.
        difficulty: Only this difficulty; None for both.

    Raises:
        InputError: No step of any run has a value, or there is no such category or difficulty.
    """
    game, step = results.game, results.game.step_word
    rows = []
    for line in _build_lines(results, category, difficulty):
        for measure in game.measures:
            if measure.per != "step":
                continue
            series = [episode.series(measure) for episode in line.episodes]
            means = estimate_normalised_means(series, scale_of(measure), [episode.stratum for episode in line.episodes])
            names = (*line.who, Value(measure.title))
            rows += [
                (*names, Value(place / (POINTS - 1)), Value.of(mean), *line.rules) for place, mean in enumerate(means)
            ]
    _require(rows, results)
    return Table(
        name=f"{game.name}_normalised",
        title=f"{game.title}: measures from first to last {step}",
        caption=f"Mean over episodes with its 95 % interval, between {step}s by straight lines; one {step} has the "
        f"same value throughout.{format_condition(category, difficulty)}",
        columns=(
            *_build_run_columns(results),
            Column("measure", "Measure", f"The game's measure per {step}.", digits=None),
            Column("place", "Place", f"0 is the first {step}, 1 the last.", "0–1"),
            Column("value", "Value", "Mean over episodes.", estimated=True),
            *build_rules_columns(results),
        ),
        rows=tuple(rows),
        primary="value",
        spare=_list_seats(results),
    )


def players_table(results: Results) -> Table:
    """Return the players of each seat with the mean of the headline over partners, best first within a seat."""
    game = results.game
    rows = []
    for number, seat in enumerate(results.seats):
        runs: dict[str, list[PlayedRun]] = {}
        for run in results.every_run:
            # Where the rules leave a seat empty, nobody played in it.
            if seat.name in run.run.submission.players:
                runs.setdefault(_list_players(results, run)[number], []).append(run)
        means = {player: estimate_partner_mean(of_player, game.headline) for player, of_player in runs.items()}
        # Sorted upwards, so that names break ties in the order of the alphabet.
        sign = -1 if game.headline.direction == "higher" else 1
        for player in sorted(means, key=lambda name: (sign * (means[name].mean or 0.0), name)):
            mean = Value.of(means[player], missing="no value")
            rows.append((Value(seat.name), Value(player), mean, Value(len(runs[player]))))
    return Table(
        name=f"{game.name}_players",
        title=f"{game.title}: players",
        caption="Of each instance the mean over a player's runs, then the mean over instances, with its 95 % interval.",
        columns=(
            Column("seat", "Seat", "Seat in which the player played.", digits=None),
            Column("player", "Player", "Its label.", digits=None),
            measure_column(game.headline),
            Column("runs", "Runs", "Runs with the player in this seat.", digits=0),
        ),
        rows=tuple(rows),
    )


def published_figures_table(game: Game[Any]) -> Table:
    """Return the figures of the game's paper, as reported; they are never among results."""
    titles = {measure.key: measure.title for measure in game.measures}
    return Table(
        name=f"{game.name}_published",
        title=f"{game.title}: published figures",
        caption="As published: other players, other instances.",
        columns=(
            Column("who", "Who", "Players and setting.", digits=None),
            Column("measure", "Measure", "The game's measure.", digits=None),
            Column("value", "Value", "In the measure's unit."),
            Column("value_low", "Low", "Lower end of its 95 % interval.", nullable=True, audience="programs"),
            Column("value_high", "High", "Upper end of its 95 % interval.", nullable=True, audience="programs"),
            Column("source", "Source", "The paper.", digits=None),
        ),
        rows=tuple(
            (Value(figure.label), Value(titles.get(figure.measure, figure.measure)),
             Value(figure.value, figure.low, figure.high),
             *(Value.or_missing(end, "no interval known") for end in (figure.low, figure.high)), Value(figure.source))
            for figure in game.published
        ),
        origin="reported by the paper",
        spare=("source",),
    )  # fmt: skip


def _list_players(results: Results, run: PlayedRun) -> tuple[str, ...]:
    return tuple(run.run.submission.label_of(seat.name) for seat in results.seats)


def _format_plural(game: Game[Any], curve: Curve) -> str:
    return form_plural(curve.words(game.step_word)).replace(" ", "_")
