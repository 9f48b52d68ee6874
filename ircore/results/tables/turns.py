"""Effect of refinement: outcomes of episodes, every measure over the turns, token budgets and prompts side by side.

Judges, parts of the facts and metrics are averaged by turn and up to turn K, and on the normalised axis from the first
to the final rendering.
"""

from collections.abc import Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from typing import NamedTuple

from ircore.core.score_records import HUMAN, PARTS, Part
from ircore.results.arrays import select_condition, strata
from ircore.results.column import AMOUNTS
from ircore.results.curves import (
    POINTS,
    TOO_FEW_REACH,
    WHOEVER_IS_LEFT,
    Series,
    estimate_by_turn,
    estimate_normalised_means,
    select_series,
)
from ircore.results.effects import compare_budgets, group_by_prompts
from ircore.results.episodes import CONVERGENCES, EpisodeResult
from ircore.results.headline import judge_kind
from ircore.results.image_metrics import describe_metric
from ircore.results.model import Results
from ircore.results.statistics.intervals import (
    SCORE,
    SHARE,
    Estimate,
    Scale,
    estimate_clustered_shares,
    estimate_grouped,
)
from ircore.results.tables.board import build_amount_column
from ircore.results.tables.model import Column, Selection, Table, Value
from ircore.results.tables.pairs import (
    build_rated_columns,
    format_caption,
    list_rated_values,
    pair_columns,
    pair_values,
)

KNOWN_SHARE = 0.9
"""A turn is shown if this share of the episodes has a score for it: otherwise a few odd ones would stand for all."""

_BUDGETED = ("steps", "episode_tokens", "over_budget")
"""What a budget of tokens changes."""

_MEASURED = (
    Column("measure", "measure", "A judge, a part of the facts (`verified.PART`), or an image metric.", digits=None),
    Column("better", "better", "Direction of the measure.", digits=None),
)
EVERY_TURN = "Turns between the first and the final one have values only in runs scored with --every-turn."
NO_VALUE = "no rendering has a value"


@dataclass(frozen=True)
class _TurnPoint:
    """Mean similarity of a group of episodes after a turn."""

    turn: int
    """1-based."""

    reached: Estimate
    """Similarity of each episode's latest rendering, 0–10; an episode that has ended keeps its last one."""

    refining: int
    """Number of episodes with a rendering at this turn."""


def average_trajectories(
    episodes: Iterable[EpisodeResult], judge: str, categories: Sequence[str | None], difficulty: str | None = None
) -> dict[str | None, tuple[_TurnPoint, ...]]:
    """Average similarity turn by turn, by category.

    An episode that has ended keeps its last score. So every turn averages the same episodes: the line begins at the
    mean first score, ends at the mean final score, and does not drop because only hard episodes go on. An episode
    without a score at a turn that is shown is in no point.

    Args:
        episodes: Of one run.
        judge: Whose scores.
        categories: Categories of episodes, None for all episodes.
        difficulty: Only episodes of this difficulty.

    Returns:
        For each category one point a turn up to the longest episode's; turns whose scores are mostly unknown are left
        out.
    """
    tracks: dict[str | None, list[_Track]] = {category: [] for category in categories}
    chosen = select_condition(episodes, None, difficulty)
    for result, label in zip(chosen, strata(result.episode for result in chosen), strict=True):
        judged = result.judged.get(judge)
        if judged is not None and judged.final is not None:
            track = _Track(list(map(judged.trajectory.get, result.episode.renderings)), label)
            for category in (None, result.episode.category):
                if category in tracks:
                    tracks[category].append(track)
    curves = {category: _select_turns(of_category) for category, of_category in tracks.items()}
    means = iter(estimate_grouped([groups for curve in curves.values() for groups in curve.scores], SCORE))
    return {
        category: tuple(
            _TurnPoint(turn, next(means), refining) for turn, refining in zip(curve.turns, curve.refining, strict=True)
        )
        for category, curve in curves.items()
    }


def outcomes_table(results: Results, judge: str, category: str | None = None, difficulty: str | None = None) -> Table:
    """Return how episodes ended, and how refinement changed scores, as shares with intervals."""
    columns = (
        *pair_columns(results),
        Column("played", "played", "Episodes not aborted, of all.", "0–1", "higher", estimated=True),
        Column("improved", "improved", "ΔQ > 0.", "0–1", "higher", estimated=True),
        Column("stable", "stable", "ΔQ = 0.", "0–1", estimated=True),
        Column("regressed", "regressed", "ΔQ < 0.", "0–1", "lower", estimated=True),
        Column("no_refinement", "single turn", "One rendering only.", "0–1", estimated=True),
        Column("converged", "converged", "The describer ended it.", "episodes", digits=0),
        Column("turn_limit", "turn limit", "Out of turns.", "episodes", digits=0),
        Column("aborted", "aborted", "Rules broken, or no answer.", "episodes", digits=0),
        Column("unfinished", "no result", "Not begun, or failed for a technical reason.", "episodes", digits=0),
        *build_rated_columns("count_"),
    )
    rows = []
    for run_id, who in pair_values(results).items():
        cell = results.cell(run_id, judge, category, difficulty)
        rated = Selection((run_id,), "rated", category, difficulty, judge)
        shares = (Value.of(share, rated) for share in cell.convergence_shares.values())
        ends = (Value(cell.outcomes[outcome]) for outcome in ("converged", "turn_limit", "aborted"))
        played = Value.of(cell.played_rate, Selection((run_id,), "played", category, difficulty))
        rows.append((*who, played, *shares, *ends, Value(cell.unfinished), *list_rated_values(cell)))
    words = format_caption(results, judge, category, difficulty)
    notes = ("Shares of rated episodes, Wilson intervals.",)
    spare = ("turn_limit", "converged", "no_refinement", "stable", "unfinished", "aborted", "regressed", "improved")
    return Table("outcomes", "Outcomes", words, columns, tuple(rows), notes, spare=spare)


def list_pooled_judges(results: Results) -> tuple[str, ...]:
    """Return the judges whose outcomes are pooled: the models where there are several, else all but people."""
    judges = tuple(judge for judge in results.judges if judge != HUMAN)
    models = tuple(judge for judge in judges if judge_kind(results, judge) == "model")
    return models if len(models) > 1 else judges


def pooled_outcomes_table(
    results: Results,
    category: str | None = None,
    difficulty: str | None = None,
    run_ids: Collection[str] | None = None,
) -> Table:
    """Return the outcomes of refinement pooled over judges, as the paper's Figure 5 has them.

    A rating is an episode seen by one judge. Judges of one episode resemble each other, so the intervals take pictures
    as the units (``estimate_clustered_shares``), and not ratings.

    Args:
        results: Of some runs.
        category: One of the set's categories, or None for all.
        difficulty: ``easy``, ``hard``, or None for both.
        run_ids: The only runs that have a row; None for all.
    """
    judges = list_pooled_judges(results)
    columns = (
        *pair_columns(results),
        Column("improved", "improved", "ΔQ > 0.", "0–1", "higher", estimated=True),
        Column("stable", "stable", "ΔQ = 0.", "0–1", estimated=True),
        Column("regressed", "regressed", "ΔQ < 0.", "0–1", "lower", estimated=True),
        Column("no_refinement", "single turn", "One rendering only.", "0–1", estimated=True),
        Column("ratings", "ratings", "Episodes, each counted once for each judge that rated it.", digits=0),
    )
    rows = []
    every = pair_values(results)
    for run_id, who in every.items() if run_ids is None else [(run_id, every[run_id]) for run_id in run_ids]:
        by_picture: dict[str, list[str]] = {}
        for result in select_condition(results.episodes[run_id], category, difficulty):
            for judge in judges:
                judged = result.judged.get(judge)
                if judged is not None and judged.convergence is not None:
                    by_picture.setdefault(result.episode.instance_id, []).append(judged.convergence)
        sizes = list(map(len, by_picture.values()))
        # Played, not rated by one judge: several judges stand behind each share.
        behind = Selection((run_id,), "played", category, difficulty)
        hits = [[outcomes.count(outcome) for outcomes in by_picture.values()] for outcome in CONVERGENCES]
        shares = (Value.of(share, behind) for share in estimate_clustered_shares(hits, sizes))
        rows.append((*who, *shares, Value(sum(sizes))))
    words = format_caption(results, None, category, difficulty).removesuffix(".")
    notes = (
        f"Pooled over {', '.join(judges)}, as the paper's Figure 5 pools its three judges: shares of ratings; judges "
        "of one episode are not independent, so intervals go by pictures, which n counts. By one judge: outcomes.",
    )
    spare = ("no_refinement", "stable")
    return Table("outcomes_pooled", "Outcomes, judges pooled", f"{words}.", columns, tuple(rows), notes, spare=spare)


def trajectories_table(
    results: Results, judge: str, category: str | None = None, difficulty: str | None = None
) -> Table:
    """Return the score reached by each turn, a row for each pair, category and turn."""
    columns = (
        *pair_columns(results),
        Column("category", "category", "A category, or all.", digits=None),
        Column("turn", "turn", "1-based.", digits=0),
        Column("reached", "score", "Similarity of each episode's latest rendering.", "0–10", "higher", estimated=True),
        Column("refining", "still refining", "Episodes with a rendering at this turn.", digits=0, implied="episodes"),
        *build_rated_columns(),
    )
    categories = (category,) if category else (None, *results.categories)
    rows = []
    for run_id, who in pair_values(results).items():
        for shown, points in average_trajectories(results.episodes[run_id], judge, categories, difficulty).items():
            behind = Selection((run_id,), "rated", shown, difficulty, judge)
            counts = list_rated_values(results.cell(run_id, judge, shown, difficulty))
            for point in points:
                reached, refining = Value.of(point.reached, behind), Value(point.refining)
                rows.append((*who, Value(shown or "all"), Value(point.turn), reached, refining, *counts))
    return Table(
        "trajectories",
        "Score by turn",
        format_caption(results, judge, category, difficulty),
        columns,
        tuple(rows),
        ("An episode that has ended keeps its last score.",),
        primary="reached",
    )


def budgets_table(results: Results, judge: str, category: str | None = None, difficulty: str | None = None) -> Table:
    """Return pairs that were played under several token budgets, a row for each pair and budget."""
    columns = (
        *pair_columns(results)[:-1],
        Column("players", "pair", "Describer + generator.", digits=None, audience="readers"),
        Column("budget", "budget", "Tokens a message may have.", "tokens", digits=0),
        Column("score", "score", "Similarity of the final rendering.", "0–10", "higher", estimated=True),
        Column(
            "delta", "ΔQ", "Final minus first score.", "", "higher", signed=True, estimated=True, implied="points of 10"
        ),
        Column("preference", "final preferred", "Share, a tie being half.", "0–1", "higher", estimated=True),
        *_build_amount_columns(results, *_BUDGETED),
        *build_rated_columns(),
    )
    who = pair_values(results)
    rows = []
    for series in compare_budgets(results, judge, category, difficulty):
        for budget, cell in series.points:
            run = (cell.run_id,)
            refined = Selection(run, "refined", category, difficulty, judge)
            played = Selection(run, "played", category, difficulty)
            means = (
                Value.of(cell.score, Selection(run, "rated", category, difficulty, judge)),
                *(Value.of(mean, refined) for mean in (cell.delta, cell.preference)),
                *(Value.of(mean, played) for mean in (cell.amounts[key] for key in _BUDGETED)),
            )
            # Without the rules that tell runs of one pair apart, because a row names its budget.
            names = (*who[cell.run_id][:-1], Value(f"{series.describer} + {series.generator}"))
            rows.append((*names, Value(budget), *means, *list_rated_values(cell)))
    notes = () if rows else ("No pair was played under several token budgets.",)
    words = format_caption(results, judge, category, difficulty)
    return Table("budgets", "Token budgets", words, columns, tuple(rows), notes, primary="score")


def prompts_table(results: Results, judge: str, category: str | None = None, difficulty: str | None = None) -> Table:
    """Return pairs that were played with several prompts, a row for each pair and prompts, the built-in ones first.

    Differences are paired: over the pictures that a row and the first row of its pair both have a score for, with the
    interval of this one comparison.
    """
    columns = (
        *pair_columns(results)[:-1],
        Column("players", "pair", "Describer + generator.", digits=None, audience="readers"),
        Column("prompts", "prompts", "Name of the prompts and hash of their texts.", digits=None),
        Column("score", "score", "Similarity of the final rendering.", "0–10", "higher", estimated=True),
        Column("difference", "less the first", "Score less that with the first prompts, picture by picture.", "",
               "higher", signed=True, estimated=True, implied="points of 10"),
        Column("wins", "better", "Pictures with a better score than with the first prompts.", "pictures", digits=0,
               nullable=True),
        Column("losses", "worse", "Pictures with a worse score.", "pictures", digits=0, nullable=True),
        Column("delta", "ΔQ", "Final minus first score.", "", "higher", signed=True, estimated=True,
               implied="points of 10"),
        *_build_amount_columns(results, "steps", "episode_tokens"),
        *build_rated_columns(),
    )  # fmt: skip
    who, rows = pair_values(results), []
    for group in group_by_prompts(results):
        for entry in group:
            cell = results.cell(entry.run_id, judge, category, difficulty)
            rated, refined, played = (
                Selection((entry.run_id,), which, category, difficulty, judge)
                for which in ("rated", "refined", "played")
            )
            if entry is group[0]:
                apart = tuple(Value(None, missing="the first prompts") for _ in range(3))
            else:
                compared = results.compare(entry.run_id, group[0].run_id, judge, category, difficulty)
                difference = Value.of(compared.difference, missing="no picture that both have")
                apart = (difference, Value(compared.wins), Value(compared.losses))
            values = (
                Value(f"{entry.describer} + {entry.generator}"),
                Value(entry.run.prompts),
                Value.of(cell.score, rated),
                *apart,
                Value.of(cell.delta, refined),
                Value.of(cell.amounts["steps"], played),
                Value.of(cell.amounts["episode_tokens"], played),
            )
            rows.append((*who[entry.run_id][:-1], *values, *list_rated_values(cell)))
    notes = () if rows else ("No pair was played with several prompts: ircore play … --prompts built-in --prompts DIR",)
    words = format_caption(results, judge, category, difficulty)
    spare = ("episode_tokens", "steps", "delta", "losses", "wins")
    return Table("prompts", "Prompts", words, columns, tuple(rows), notes, primary="score", spare=spare)


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
        for measure, series, labels in _list_measures(results, run_id, category, difficulty):
            for point in estimate_by_turn(series, measure.better == "higher", measure.scale, labels):
                same = Value.of(point.same, missing=TOO_FEW_REACH)
                numbers = (Value.of(number, missing=NO_VALUE) for number in (point.at, point.latest, point.best))
                rows.append((*who, Value(measure.name), Value(measure.better), Value(point.turn), same, *numbers))
    notes = (f"An episode that has ended keeps its last value in the columns @K. {EVERY_TURN}", WHOEVER_IS_LEFT)
    words = format_caption(results, None, category, difficulty)
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
        for measure, series, labels in _list_measures(results, run_id, category, difficulty):
            for place, mean in enumerate(estimate_normalised_means(series, measure.scale, labels)):
                row = (Value(measure.name), Value(measure.better), Value(place / (POINTS - 1)), Value.of(mean))
                rows.append((*who, *row))
    notes = (f"An episode of one rendering has the same value throughout. {EVERY_TURN}",)
    words = format_caption(results, None, category, difficulty)
    return Table("normalised", "Measures from first to final", words, columns, tuple(rows), notes, primary="value")


def list_part_series(
    results: Results, run_id: str, episodes: Sequence[EpisodeResult]
) -> dict[Part, list[list[float | None]]]:
    """Return each part of some played episodes of a run turn by turn.

    A turn whose rendering was not verified has None. Nothing is returned for a run without facts.
    """
    shares = results.runs[run_id].rendering_shares
    renderings = [
        [(result.episode.episode_id, rendering.sha256) for rendering in result.episode.renderings.values()]
        for result in episodes
    ]
    if not shares:
        return {}
    return {part: [[shares.get(key, {}).get(part) for key in keys] for keys in renderings] for part in PARTS}


class _Track(NamedTuple):
    """An episode's scores turn by turn, None for a rendering without one, and the condition of its target."""

    scores: list[float | None]
    label: str


class _Curve(NamedTuple):
    """The scores of some episodes at the turns that are shown; the episodes are the same at all of them."""

    turns: Sequence[int]
    scores: Sequence[Sequence[Sequence[float]]]
    """At each turn those of all episodes, by the condition of their targets."""

    refining: Sequence[int]
    """Number of episodes with a rendering at each turn."""


def _select_turns(tracks: Sequence[_Track]) -> _Curve:
    """Return the turns at which most tracks have a score, with the tracks that have one at all of these turns."""
    longest = max((len(track.scores) for track in tracks), default=0)
    reached = zip(*(scores + scores[-1:] * (longest - len(scores)) for scores, _ in tracks), strict=True)
    # Turns between the first and the final one are rated only on request.
    shown = {
        turn: latest
        for turn, latest in enumerate(reached, start=1)
        if len(latest) - latest.count(None) >= KNOWN_SHARE * len(tracks)
    }
    # Each turn has a score for most episodes; the line is over those with a score at all of these turns.
    known = [
        (track, scores)
        for track, scores in zip(tracks, zip(*shown.values(), strict=True), strict=False)
        if None not in scores
    ]
    groups: dict[str, list[tuple[float, ...]]] = {}
    for track, scores in known:
        groups.setdefault(track.label, []).append(scores)
    return _Curve(
        list(shown),
        # Where no episode has a score at all of them, no turn has a mean.
        list(zip(*(zip(*group, strict=True) for group in groups.values()), strict=True)) or [()] * len(shown),
        [sum(len(track.scores) >= turn for track, _ in known) for turn in shown],
    )


def _build_amount_columns(results: Results, *keys: str) -> list[Column]:
    """Return the columns of amounts, for everyone."""
    known = {
        amount.column.key: replace(build_amount_column(results.game, amount), audience="everyone") for amount in AMOUNTS
    }
    return [known[key] for key in keys]


class _Measure(NamedTuple):
    name: str
    better: str
    scale: Scale


def _list_measures(
    results: Results, run_id: str, category: str | None, difficulty: str | None
) -> Iterator[tuple[_Measure, Sequence[Series], Sequence[str]]]:
    """Yield every measure of a run with its series, one a played episode, and the condition of each."""
    played = [
        result for result in select_condition(results.episodes[run_id], category, difficulty) if result.episode.played
    ]
    labels = strata(result.episode for result in played)
    for judge in results.judges:
        yield _Measure(judge, "higher", SCORE), [select_series(result, judge) for result in played], labels
    for part, series in list_part_series(results, run_id, played).items():
        yield _Measure(f"verified.{part}", "higher", SHARE), series, labels
    for name in results.metrics:
        facts = describe_metric(name)
        better = "higher" if facts.higher_is_better else "lower"
        yield _Measure(name, better, facts.scale), [select_series(result, name) for result in played], labels
