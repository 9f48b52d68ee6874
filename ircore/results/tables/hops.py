"""Every judge, part of the facts and metric over the turns: by turn and up to turn K, and on the normalised axis."""

from collections.abc import Iterator, Sequence
from typing import NamedTuple

from ircore.core.fact_records import PARTS, Part
from ircore.games.reconstruction.records import renderings_of
from ircore.results.conditions import strata, under
from ircore.results.episodes import EpisodeResult
from ircore.results.hops import (
    POINTS,
    TOO_FEW_REACH,
    WHOEVER_IS_LEFT,
    Series,
    by_turn,
    normalised_means,
    series_of,
)
from ircore.results.metric_facts import metric_facts
from ircore.results.model import Results
from ircore.results.statistics.scales import SCORE, SHARE, Scale
from ircore.results.tables.model import Column, Table, Value
from ircore.results.tables.pairs import caption, pair_columns, pair_values

_MEASURED = (
    Column("measure", "measure", "A judge, a part of the facts (`verified.PART`), or an image metric.", digits=None),
    Column("better", "better", "Direction of the measure.", digits=None),
)
EVERY_TURN = "Turns between the first and the final one have values only in runs scored with --every-turn."
NO_VALUE = "no rendering has a value"


class _Measure(NamedTuple):
    name: str
    better: str
    scale: Scale


def by_turn_table(results: Results, category: str | None = None, difficulty: str | None = None) -> Table:
    """Return every judge, part of the facts and metric at each turn and up to each turn ("@K"), by pair and measure."""
    columns = (
        *pair_columns(results),
        *_MEASURED,
        Column("turn", "turn", "1-based; K of @K.", digits=0),
        Column("same", "at turn, same episodes", "Mean over the episodes that reach the curve's last turn.",
               estimated=True),
        Column("at", "at turn, whoever is left", "Mean over the episodes with a value at this turn: n of them.",
               estimated=True),
        Column("latest", "@K, latest", "Mean of each episode's last value up to this turn.", estimated=True),
        Column("best", "@K, best", "Mean of each episode's best value up to this turn.", estimated=True),
    )  # fmt: skip
    rows = []
    for run_id, who in pair_values(results).items():
        for measure, series, labels in _measured(results, run_id, category, difficulty):
            for point in by_turn(series, measure.better == "higher", measure.scale, labels):
                same = Value.of(point.same, missing=TOO_FEW_REACH)
                numbers = (Value.of(number, missing=NO_VALUE) for number in (point.at, point.latest, point.best))
                rows.append((*who, Value(measure.name), Value(measure.better), Value(point.turn), same, *numbers))
    notes = (f"An episode that has ended keeps its last value in the columns @K. {EVERY_TURN}", WHOEVER_IS_LEFT)
    words = caption(results, None, category, difficulty)
    spare = ("at", "best", "same")
    return Table("by_turn", "Measures by turn", words, columns, tuple(rows), notes, primary="latest", spare=spare)


def normalised_table(results: Results, category: str | None = None, difficulty: str | None = None) -> Table:
    """Return every judge, part of the facts and metric on the axis from first (0) to final rendering (1)."""
    columns = (
        *pair_columns(results),
        *_MEASURED,
        Column("place", "place", "0 is the first rendering, 1 the final one.", "0–1"),
        Column("value", "value", "Mean over episodes, between turns by straight lines.", estimated=True),
    )
    rows = []
    for run_id, who in pair_values(results).items():
        for measure, series, labels in _measured(results, run_id, category, difficulty):
            for place, mean in enumerate(normalised_means(series, measure.scale, labels)):
                row = (Value(measure.name), Value(measure.better), Value(place / (POINTS - 1)), Value.of(mean))
                rows.append((*who, *row))
    notes = (f"An episode of one rendering has the same value throughout. {EVERY_TURN}",)
    words = caption(results, None, category, difficulty)
    return Table("normalised", "Measures from first to final", words, columns, tuple(rows), notes, primary="value")


def _measured(
    results: Results, run_id: str, category: str | None, difficulty: str | None
) -> Iterator[tuple[_Measure, Sequence[Series], Sequence[str]]]:
    """Yield every measure of a run with its series, one a played episode, and the condition of each."""
    played = [result for result in under(results.episodes[run_id], category, difficulty) if result.episode.played]
    labels = strata(result.episode for result in played)
    for judge in results.judges:
        yield _Measure(judge, "higher", SCORE), [series_of(result, judge) for result in played], labels
    for part, series in part_series(results, run_id, played).items():
        yield _Measure(f"verified.{part}", "higher", SHARE), series, labels
    for name in results.metrics:
        facts = metric_facts(name)
        better = "higher" if facts.higher_is_better else "lower"
        yield _Measure(name, better, facts.scale), [series_of(result, name) for result in played], labels


def part_series(
    results: Results, run_id: str, episodes: Sequence[EpisodeResult]
) -> dict[Part, list[list[float | None]]]:
    """Return each part of some played episodes of a run turn by turn.

    A turn whose rendering was not verified has None. Nothing is returned for a run without facts.
    """
    shares = results.runs[run_id].rendering_shares
    renderings = [
        [(result.episode.episode_id, rendering.sha256) for rendering in renderings_of(result.episode).values()]
        for result in episodes
    ]
    if not shares:
        return {}
    return {part: [[shares.get(key, {}).get(part) for key in keys] for keys in renderings] for part in PARTS}
