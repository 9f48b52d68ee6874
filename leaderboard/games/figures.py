"""Learning curves of a game, and the scales on which the measures of a game are drawn.

A curve has one panel for each set of rules, with the runs that were played by them.
"""

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from math import floor, log10

from ircore.games.base import Measure, PublishedFigure
from ircore.games.declarations import Curve
from ircore.results.curves import POINTS, SteppedEpisode, compute_curve_points, list_recorded_episodes, run_episodes
from ircore.results.statistics.intervals import MINIMUM_PICTURES, Estimate
from ircore.results.tables.board import measure_column
from ircore.results.tables.game_curves import PEOPLE
from ircore.results.tables.model import Column, Table, Value
from leaderboard.charts.catalogue import Chart, make_page_chart
from leaderboard.charts.curve_panels import (
    MOST_COLOURED,
    BesideCurves,
    CurvePanel,
    colour_runs,
    draw_curve_panels,
    group_alike,
    varies_alone,
)
from leaderboard.charts.data import MOST_PANELS
from leaderboard.charts.grammar import (
    Json,
    Missing,
    Sketch,
    Ticks,
    drop_weak_interval,
    escape_for_plotly,
    has_enough_samples,
    make_axis,
)
from leaderboard.charts.tracks import PairTrack, TrackPoint, TrackScale
from leaderboard.model.section import GameSection
from leaderboard.model.site import Pair
from leaderboard.pages.board_views import label_rules
from leaderboard.words import choose_digits, number, scale_end

Episodes = Mapping[str, Sequence[SteppedEpisode]]
"""Values of each run, step by step, by run id."""

TOO_FEW_WORDS = f"fewer than {MINIMUM_PICTURES} episodes are too few to tell"
"""What a headline says that can make no claim."""

_MOST_TICKS = 6
"""Steps up to which each has a tick on the horizontal axis."""


def get_measure(section: GameSection, key: str) -> Measure:
    """Return a measure of a game by its key; the game's declarations guarantee that the key exists."""
    return next(measure for measure in section.game.measures if measure.key == key)


def compute_similarity(measure: Measure, value: float | None) -> float | None:
    """Map a value to 0 (worst) to 10 (best) on its measure's range; None without value or range."""
    if value is None or measure.bounds is None:
        return None
    low, high = measure.bounds
    place = 10 * (value - low) / (high - low)
    return place if measure.direction == "higher" else 10 - place


def scale_ends(measure: Measure, means: Sequence[Estimate]) -> tuple[float, float]:
    """Return the ends of the scale that a measure is drawn on: its range, else round numbers around 0 and the values.

    An interval alone brings no negative end: of lengths and counts it can reach below 0, the values cannot.
    """
    if measure.bounds is not None:
        return measure.bounds
    values = [mean.mean for mean in means if mean.mean is not None]
    highs = [high for mean in means if (high := drop_weak_interval(mean).high) is not None]
    # Less from 0, since a negated 0 would be written with a minus sign.
    low, high = min([0.0, *values]), max([0.0, *values, *highs])
    return (0.0 - _round_end(-low), _round_end(high)) if high > low else (0.0, 1.0)


def make_curve_charts(section: GameSection) -> tuple[Chart, ...]:
    """Return a chart for each learning curve that the game declares."""
    if not section.game.pages.curves:
        return ()
    episodes = {pair.run_id: run_episodes(section.results, section.get_run(pair)) for pair in section.ranked}
    people = list_recorded_episodes(section.results)
    return tuple(
        make_page_chart(
            f"game-{section.game.name}-curve-{place}",
            "curve",
            _build_sketch(section, curve, episodes, people),
            section.source,
        )
        for place, curve in enumerate(section.game.pages.curves, 1)
    )


def name_setting(section: GameSection, pair: Pair) -> str:
    """Return the name of the rules of a run: the paper's, if it has one, else what tells them from other rules.

    Args:
        section: The game.
        pair: One of its runs.
    """
    named = section.game.name_setting(section.game.rules.model_validate(pair.result.run.rules))
    return named or (label_rules(section, pair.result.rules) if len(section.rule_sets) > 1 else "")


def build_published_table(
    section: GameSection, measure: Measure, words: str, figures: Sequence[PublishedFigure]
) -> Table:
    """Return the paper's figures that a chart shows beside runs.

    Args:
        section: The game.
        measure: What the chart is of.
        words: Title of the axis that the figures have a place on.
        figures: The figures.
    """
    return Table(
        name=f"published_{measure.key}",
        title=f"{section.game.title}: {measure.title} by {words}",
        caption="Other players, other instances; sources beside each figure on the page of the method.",
        columns=(
            Column("who", "Who", "Players and setting.", digits=None),
            Column("place", words.capitalize(), "Place in the chart.", digits=None),
            Column("value", measure.title, f"{measure.title} as reported."),
            Column("source", "Source", "The paper.", digits=None),
        ),
        rows=tuple(
            (
                Value(_name_source(figure)),
                Value(figure.row or figure.place),
                Value(figure.value, figure.low, figure.high),
                Value(figure.source),
            )
            for figure in figures
        ),
        origin="reported by the paper",
    )


def _round_end(end: float) -> float:
    """Return the least of 1, 2, 4, 6 and 8 times a power of ten that is not below ``end``; 0 for 0."""
    if end <= 0:
        return 0.0
    power = 10.0 ** floor(log10(end))
    return next(times * power for times in (1, 2, 4, 6, 8, 10) if times * power >= end)


def _build_sketch(
    section: GameSection, curve: Curve, episodes: Episodes, people: Sequence[SteppedEpisode]
) -> Sketch | Missing:
    shown = get_measure(section, curve.measure)
    # Titles of normalised axes name the step alone, which runs from the first to the last.
    words = section.game.step_word if curve.normalised else curve.words(section.game.step_word)
    title = f"{shown.title} from the first {words} to the last" if curve.normalised else f"{shown.title} by {words}"
    points = {run_id: compute_curve_points(played, shown, curve) for run_id, played in episodes.items()}
    points = {run_id: curve for run_id, curve in points.items() if curve}
    if not points:
        who = {"judge": "no judge rated it", "person": "nobody rated it"}.get(shown.needs, "it was not measured")
        return Missing(title, f"No {section.game.step_word} of any run has a value: {who}.")
    # Runs come best first, so the first ones are the best.
    pairs = [section.pairs[run_id] for run_id in points]
    settings = _group_by_setting(section, pairs)
    # Published points stand at step numbers, which a normalised axis has not.
    published = () if curve.normalised else _find_published(section, shown, settings)
    beside = BesideCurves(compute_curve_points(people, shown, curve), published)
    coloured = {pair.run_id: pair for pair in colour_runs(pairs)}
    colours = ""
    if varies_alone(pairs, "generator"):
        first, second = (seat.lower() for seat in section.seat_titles)
        colours = f" Colour stands for the {second} here, since all have the same {first}."
    parts = [
        CurvePanel(
            name,
            tuple(
                replace(_build_track(coloured[pair.run_id], points[pair.run_id], curve, words), alike=alike)
                for pair, alike in group_alike(own, [tuple(points[pair.run_id].items()) for pair in own])
            ),
        )
        for name, own in settings.items()
    ]
    drawn_beside = [figure for name in settings for of in beside.of_setting(name).values() for figure in of]
    lines = [*points.values(), beside.people]
    # What stands beside the runs may reach farther than they do, on both axes.
    places = sorted({place for means in lines for place in means} | {figure.place for figure in drawn_beside})
    reported = [Estimate(figure.high or figure.value, None, None, 0) for figure in drawn_beside]
    low, high = scale_ends(shown, [*(mean for means in lines for mean in means.values()), *reported])
    if (
        low
        < 0
        <= min(end for means in lines for mean in means.values() for end in (mean.mean, mean.low) if end is not None)
    ):
        # Half of the plot would be empty.
        low = 0.0
    digits = choose_digits(shown)
    vertical = make_axis(
        low,
        high + 0.01 * (high - low),
        _make_end_ticks(low, high),
        f"{escape_for_plotly(shown.title)} (mean, 95 % interval)",
    )
    last = max(place for means in points.values() for place in means)
    longer = not curve.normalised and any(max(of, default=0) > last for of in _list_places(episodes, shown, curve))
    same = (
        f"the same episodes, each from its first {words} to its last"
        if curve.normalised
        else f"the same episodes at each {words}, those that reach its last one"
    )
    if longer:
        title += f" up to {words} {last}"
        same += f"; too few go on after {words} {last}"
    apart = f" A panel holds the {section.noun}s played by the same rules." if len(parts) > 1 else ""
    return Sketch(
        title=f"{title}: {_describe_finding(parts, digits)}",
        reading_aid=f"Each line is the mean over {same}; the band, from five episodes on, is the 95 % interval."
        f"{' Lower is better.' * (shown.direction == 'lower')}{colours}{apart}{beside.words}"
        f"{' One line stands for all that are alike.' * any(track.alike for part in parts for track in part.tracks)}"
        f"{' Further runs stand behind in grey.' * _is_crowded(parts)}",
        drawing=draw_curve_panels(
            parts,
            TrackScale(
                _build_x_axis(places, curve, words, bool(drawn_beside)), vertical, lambda value: number(value, digits)
            ),
            beside,
        ),
        table=_build_table(
            section, shown, curve, [*((pair.name, points[pair.run_id]) for pair in pairs), (PEOPLE, beside.people)]
        ),
        published=(build_published_table(section, shown, words, drawn_beside),) if drawn_beside else (),
    )


def _list_places(episodes: Episodes, measure: Measure, curve: Curve) -> Iterator[Collection[int]]:
    """Yield the places at which each episode has a value."""
    for played in episodes.values():
        for episode in played:
            yield episode.on_curve(measure, curve)


def _is_crowded(parts: Sequence[CurvePanel]) -> bool:
    return any(len(part.tracks) > MOST_COLOURED for part in parts)


def _group_by_setting(section: GameSection, pairs: Sequence[Pair]) -> dict[str, list[Pair]]:
    """Return runs by the name of their rules: the paper's, if it has one, else what tells them from other rules."""
    settings: dict[str, list[Pair]] = {}
    for pair in pairs:
        settings.setdefault(name_setting(section, pair), []).append(pair)
    return dict(list(settings.items())[:MOST_PANELS])


def _describe_finding(parts: Iterable[CurvePanel], digits: int) -> str:
    """Return the named run that changes most from its first place to its last, and the one that changes least.

    Runs of fewer than ``MINIMUM_PICTURES`` episodes are named only where there are no others, and it is said.
    """
    tracks = [(part, track) for part in parts for track in part.coloured if track.known]
    # The same episodes stand behind every place.
    enough = [(part, track) for part, track in tracks if has_enough_samples(track.known[0][2].value)]
    changes: list[tuple[float, str]] = []
    for part, track in enough or tracks:
        first, last = track.known[0][1], track.known[-1][1]
        said = f"from {number(first, digits)} to {number(last, digits)}"
        said = said if first != last else f"{number(last, digits)} throughout"
        name = f"{track.pair.players} ({part.title})" if part.title else track.pair.players
        changes.append((abs(last - first), f"{said} with {name}"))
    changes.sort(key=lambda change: -change[0])
    ends = ", ".join(dict.fromkeys((changes[0][1], changes[-1][1]))) if changes else "no value"
    return ends if enough or not tracks else f"{ends}; {TOO_FEW_WORDS}"


def _find_published(section: GameSection, measure: Measure, settings: Collection[str]) -> tuple[PublishedFigure, ...]:
    """Return the paper's points on a curve of this measure that stand beside runs of any of these settings."""
    return tuple(
        figure
        for figure in section.game.published
        if figure.measure == measure.key and figure.place and figure.setting in ("", *settings)
    )


def _build_track(pair: Pair, points: dict[int, Estimate], curve: Curve, words: str) -> PairTrack:
    said = escape_for_plotly(pair.name)
    # Twenty large marks side by side would hide the line: between its ends a normalised curve has small ones.
    ends = (min(points), max(points))
    spots = (
        TrackPoint(
            place,
            Value.of(mean, missing="no value"),
            0.0 if curve.normalised and place not in ends else 1.0,
            f"{said}, {escape_for_plotly(words)} {place}<br>" if not curve.normalised else f"{said}<br>",
        )
        for place, mean in points.items()
    )
    return PairTrack(pair, tuple(spots))


def _build_x_axis(places: list[int], curve: Curve, words: str, named: bool) -> Json:
    # Places of episodes of different lengths are shares, so that step numbers would mean nothing.
    if curve.normalised:
        middle = (places[0] + places[-1]) / 2
        ends: Ticks = [(places[0], "0"), (middle, "0.5"), (places[-1], "1")]
        return make_axis(
            places[0] - 0.4, places[-1] + 0.4, ends, f"{escape_for_plotly(words)}, from the first to the last"
        )
    # Division rounded up, so that there are never more ticks than fit.
    step = 1 if len(places) <= _MOST_TICKS else -(-len(places) // _MOST_TICKS)
    ticks: Ticks = [(place, str(place)) for place in places[::step]]
    # The names of published series stand to the right of their last points.
    room = 0.45 * (places[-1] - places[0] + 1) if named else 0.4
    return make_axis(places[0] - 0.4, places[-1] + room, ticks, escape_for_plotly(words))


def _make_end_ticks(low: float, high: float) -> Ticks:
    return [(place, scale_end(place)) for place in (low, (low + high) / 2, high)]


def _build_table(
    section: GameSection, measure: Measure, curve: Curve, lines: Sequence[tuple[str, Mapping[int, Estimate]]]
) -> Table:
    words = curve.words(section.game.step_word)
    column = Column("place", words.capitalize(), "Place on the horizontal axis.", digits=0)
    if curve.normalised:
        about = f"0 is the first {section.game.step_word}, 1 the last."
        column = Column("place", "Place", about, "0–1", digits=2)
    return Table(
        name=f"curve_{measure.key}",
        title=f"{section.game.title}: {measure.title} by {words}",
        caption="Mean over the same episodes at each place, with its 95 % interval.",
        columns=(Column("run", "Run", "Players of the run.", digits=None), column, measure_column(measure)),
        rows=tuple(
            (
                Value(name),
                Value((place - min(means)) / (POINTS - 1) if curve.normalised else place),
                Value.of(mean, missing="no value"),
            )
            for name, means in lines
            for place, mean in means.items()
        ),
    )


def _name_source(figure: PublishedFigure) -> str:
    return f"{figure.series}, {figure.setting}" if figure.setting else figure.series
