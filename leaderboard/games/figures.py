"""Learning curves of a game: one panel per run, the other runs behind it in grey."""

from collections.abc import Mapping, Sequence

from ircore.games.base import Measure, PublishedFigure
from ircore.games.pages import Curve
from ircore.results.game_curves import SteppedEpisode, curve_points, recorded_episodes, run_episodes
from ircore.results.statistics.intervals import Estimate
from ircore.results.tables.board_columns import measure_column
from ircore.results.tables.game_curves import PEOPLE
from ircore.results.tables.model import Column, Table, Value
from leaderboard.charts.beside_curves import BesideCurves
from leaderboard.charts.catalogue import Chart, chart_of
from leaderboard.charts.data import MOST_PANELS
from leaderboard.charts.grammar import Json, Missing, Sketch, Ticks, axis, plain
from leaderboard.charts.tracks import Scale, Spot, Track, panels
from leaderboard.games.measures import drawn, measure, scale_ends
from leaderboard.model.section import GameSection
from leaderboard.model.site import Pair
from leaderboard.words.labels import number, scale_end, value_digits

Episodes = Mapping[str, Sequence[SteppedEpisode]]
"""Values of each run, step by step, by run id."""

_MOST_TICKS = 6
"""Steps up to which each has a tick on the horizontal axis."""


def curve_charts(section: GameSection) -> tuple[Chart, ...]:
    """Return a chart for each learning curve that the game declares."""
    if not section.game.pages.curves:
        return ()
    episodes = {pair.run_id: run_episodes(section.results, section.measured(pair)) for pair in section.ranked}
    people = recorded_episodes(section.results)
    return tuple(
        chart_of(
            f"game-{section.game.name}-curve-{place}",
            "curve",
            _sketch(section, curve, episodes, people),
            section.source,
        )
        for place, curve in enumerate(section.game.pages.curves, 1)
    )


def _sketch(
    section: GameSection, curve: Curve, episodes: Episodes, people: Sequence[SteppedEpisode]
) -> Sketch | Missing:
    shown = measure(section, curve.measure)
    words = curve.words(section.game.step_word)
    title = f"{shown.title} by {words}"
    points = {run_id: curve_points(played, shown, curve) for run_id, played in episodes.items()}
    points = {run_id: curve for run_id, curve in points.items() if curve}
    if not points:
        return Missing(title, f"No {section.game.step_word} of any run has a value.")
    # Runs come best first, so the first ones are the best.
    best = [section.pairs[run_id] for run_id in points][:MOST_PANELS]
    tracks = [_track(pair, points[pair.run_id], curve, words) for pair in best]
    # Published points stand at step numbers, which a normalised axis has not.
    beside = BesideCurves(curve_points(people, shown, curve), () if curve.normalised else _published(section, shown))
    lines = [*points.values(), beside.people]
    # What stands beside the runs may reach farther than they do, on both axes.
    places = sorted({place for means in lines for place in means} | {figure.place for figure in beside.published})
    reported = [Estimate(figure.value, None, None, 0) for figure in beside.published]
    low, high = scale_ends(shown, [*(mean for means in lines for mean in means.values()), *reported])
    digits = value_digits(shown)
    vertical = axis(low, high + 0.01 * (high - low), _ends(low, high), f"{plain(shown.title)} (mean, 95 % interval)")
    others = " The other runs stand behind in grey." if len(tracks) > 1 else ""
    chosen = f" The best {MOST_PANELS} of {len(points)} runs are shown." if len(points) > MOST_PANELS else ""
    return Sketch(
        title=title,
        reading_aid=f"Each line is the mean over the same episodes at each {words}, those that reach its last one; the "
        "band is the 95 % interval."
        f"{others}{beside.words}{chosen}",
        drawing=panels(
            tracks,
            Scale(_horizontal(places, curve, words), vertical, lambda value: number(value, digits)),
            beside.traces,
        ),
        table=_table(
            section, shown, words, [*((pair.name, points[pair.run_id]) for pair in best), (PEOPLE, beside.people)]
        ),
        published=(_published_table(section, shown, words, beside.published),) if beside.published else (),
    )


def _published(section: GameSection, measure: Measure) -> tuple[PublishedFigure, ...]:
    """Return the paper's points on a curve of this measure."""
    return tuple(figure for figure in section.game.published if figure.measure == measure.key and figure.place)


def _track(pair: Pair, points: dict[int, Estimate], curve: Curve, words: str) -> Track:
    said = plain(pair.name)
    # Twenty large marks side by side would hide the line: between its ends a normalised curve has small ones.
    ends = (min(points), max(points))
    spots = (
        Spot(
            place,
            Value.of(drawn(mean), missing="no value"),
            0.0 if curve.normalised and place not in ends else 1.0,
            f"{said}, {plain(words)} {place}<br>",
        )
        for place, mean in points.items()
    )
    return Track(pair, tuple(spots))


def _horizontal(places: list[int], curve: Curve, words: str) -> Json:
    # Places of episodes of different lengths are shares, so that step numbers would mean nothing.
    if curve.normalised:
        middle = (places[0] + places[-1]) / 2
        ends: Ticks = [(places[0], "0"), (middle, "0.5"), (places[-1], "1")]
        return axis(places[0] - 0.4, places[-1] + 0.4, ends, f"{plain(words)}, from the first to the last")
    # Division rounded up, so that there are never more ticks than fit.
    step = 1 if len(places) <= _MOST_TICKS else -(-len(places) // _MOST_TICKS)
    ticks: Ticks = [(place, str(place)) for place in places[::step]]
    return axis(places[0] - 0.4, places[-1] + 0.4, ticks, plain(words))


def _ends(low: float, high: float) -> Ticks:
    return [(place, scale_end(place)) for place in (low, (low + high) / 2, high)]


def _table(
    section: GameSection, measure: Measure, words: str, lines: Sequence[tuple[str, Mapping[int, Estimate]]]
) -> Table:
    return Table(
        name=f"curve_{measure.key}",
        title=f"{section.game.title}: {measure.title} by {words}",
        caption="Mean over the same episodes at each place, with its 95 % interval.",
        columns=(
            Column("run", "Run", "Players of the run.", digits=None),
            Column("place", words.capitalize(), "Place on the horizontal axis.", digits=0),
            measure_column(measure),
        ),
        rows=tuple(
            (Value(name), Value(place), Value.of(mean, missing="no value"))
            for name, means in lines
            for place, mean in means.items()
        ),
    )


def _published_table(section: GameSection, measure: Measure, words: str, figures: Sequence[PublishedFigure]) -> Table:
    return Table(
        name=f"published_{measure.key}",
        title=f"{section.game.title}: {measure.title} by {words}",
        caption="Other players, other instances; sources beside each figure on the page of the method.",
        columns=(
            Column("who", "Who", "Players and setting.", digits=None),
            Column("place", words.capitalize(), "Place on the horizontal axis.", digits=0),
            Column("value", measure.title, f"{measure.title} as reported."),
            Column("source", "Source", "The paper.", digits=None),
        ),
        rows=tuple(
            (Value(figure.series), Value(figure.place), Value(figure.value), Value(figure.source)) for figure in figures
        ),
        origin="reported by the paper",
    )
