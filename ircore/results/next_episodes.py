"""Differences of the pairs of a board, and the fewest further episodes that would tell two neighbours apart.

A plan says of which targets the further episodes are, and how to play them. Further repeats of the targets that both
have played make the luck of play smaller, and nothing else: where the targets themselves differ too much, only more
targets help, of a larger set. The plan is for the difference found so far; that and all others go by the rule of the
board's ranks.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from math import ceil
from shlex import quote
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ircore.core.episode_records import EpisodeCost
from ircore.core.records import Instance, format_rule_value
from ircore.core.submission_records import Run
from ircore.games.base import Game
from ircore.games.registry import load_game
from ircore.results.arrays import select_condition, strata
from ircore.results.cells import pair_main_scores
from ircore.results.judge_ratings import InstanceRating, group_main_scores
from ircore.results.model import Results
from ircore.results.statistics.bootstrap import resample
from ircore.results.statistics.intervals import CONFIDENCE, Estimate
from ircore.results.statistics.ranks import bound_differences
from ircore.results.statistics.repeats import (
    MOST_FURTHER,
    RepeatGroup,
    compute_needed_variance,
    find_fewest_repeats,
    find_further_critical,
    find_uniform_repeats,
    measure_luck,
    shrink_variances,
)

Group = tuple[int, str, str]
"""Which of the two runs, category, difficulty."""

_RULE_OPTIONS = {"token_budget": "--token-budget", "max_turns": "--max-turns"}
"""Rules that ``ircore play`` has an option of their own for."""


@dataclass(frozen=True)
class PlannedRun:
    """One of the two runs: its identity, its episodes as they count, and what they cost."""

    run: Run
    episodes: Sequence[InstanceRating]
    costs: Mapping[str, EpisodeCost]
    """What each episode cost, by its id."""

    @property
    def usd(self) -> float | None:
        """Mean cost of an episode; None if one of them is not known."""
        costs = [cost.usd for cost in self.costs.values()]
        return None if not costs or None in costs else float(np.mean([cost for cost in costs if cost is not None]))


@dataclass(frozen=True)
class SeparationPlan:
    """The further episodes of two runs that would tell them apart with a chance of 80 %."""

    is_told_apart: bool
    """Whether the board tells them apart already."""

    at_further_look: bool
    """Whether it does so with half its error rate, as a look after further play asks for."""

    further: Mapping[Group, int]
    """Further repeats of each condition by either run; empty if none are needed, or would do."""

    episodes: int | None
    """Episodes of these repeats; None if no number of them would do."""

    uniform: int | None
    """Episodes that repeats of everything by both would take; None if no number would do."""

    usd: float | None
    """Cost of the episodes; None if it is not known."""

    targets: int | None
    """Targets of a larger set that would do without repeats; None if repeats do."""

    commands: tuple[str, ...]
    """What plays them: first half of the repeats, then, if they are not told apart yet, the rest."""

    reason: str
    """Why there is no plan, or what it is for, in words; empty for a plan as it should be."""


def plan_separation(
    instances: Sequence[Instance], couple: tuple[PlannedRun, PlannedRun], main: Estimate, critical: float | None
) -> SeparationPlan:
    """Return the plan for two runs of one board.

    Args:
        instances: Of the board.
        couple: The two runs.
        main: The difference of their main scores, with the board's interval.
        critical: The board's critical value; None for that of two runs alone.
    """
    from scipy.special import stdtrit

    if main.mean is None or main.low is None or main.high is None:
        return _build_empty_plan("the difference has no interval")
    values = [group_main_scores(each.episodes) for each in couple]
    counted = [instance for instance in instances if all(instance.instance_id in known for known in values)]
    drawn = resample(strata(counted))
    freedom = len(counted) - len(set(drawn.strata.tolist()))
    is_told_apart = main.low > 0 or main.high < 0
    if freedom < 1:
        return (
            SeparationPlan(True, False, {}, 0, 0, 0.0, None, (), "")
            if is_told_apart
            else _build_empty_plan("too few targets")
        )
    wide = critical or float(stdtrit(freedom, (1 + CONFIDENCE) / 2))
    look = find_further_critical(wide)
    variance = ((main.high - main.low) / 2 / wide) ** 2
    if is_told_apart:
        at_further_look = abs(main.mean) > look * variance**0.5
        return SeparationPlan(True, at_further_look, {}, 0, 0, 0.0, None, (), "")
    needed = compute_needed_variance(main.mean, variance, look) if main.mean else 0.0
    groups = _group_instances(counted, drawn.strata.tolist(), freedom, values)
    # If all were luck, the variance would shrink by the number of plays, and never faster.
    is_hopeless = needed * (1 + MOST_FURTHER) < variance
    if not is_hopeless and not any(len(known) > 1 for of_run in values for known in of_run.values()):
        once = {group.key: 1 for group in groups}
        first = "how much is luck is not known before anything was repeated: play all once more, then ask again"
        return _build_plan(couple, groups, once, None, first)
    further = None if is_hopeless else find_fewest_repeats(groups, variance - needed)
    if further is None:
        size = len(instances) * variance / needed if needed > 0 else np.inf
        return _build_empty_plan(
            f"{MOST_FURTHER} further repeats would not do: the difference is too small, or the targets themselves "
            "differ too much, and more of them are needed",
            ceil(size) if np.isfinite(size) and size < 100_000 else None,
        )
    uniform, every = find_uniform_repeats(groups, variance - needed), sum(group.instances for group in groups)
    return _build_plan(couple, groups, further, None if uniform is None else uniform * every, "")


def play_command(run: Run, seed: int, repeats: int, out: str, game: Game[Any] | None = None) -> str:
    """Return the command that plays a run's submission by the run's rules, under a seed.

    Args:
        run: The run.
        seed: First seed.
        repeats: How often every instance is played.
        out: Folder of the new run.
        game: The run's game; the installed one of its name if None.
    """
    usual = (game or load_game(run.game)).rules().model_dump(mode="json")
    options = ""
    for name, value in run.rules.items():
        if name in _RULE_OPTIONS:
            options += f" {_RULE_OPTIONS[name]} {value}"
    options += f" --seed {seed}" + (f" --repeats {repeats}" if repeats > 1 else "")
    for name, value in run.rules.items():
        # What the submission states or the game takes anyway is not named, so that common commands stay short.
        if name not in _RULE_OPTIONS and value != run.submission.rules.get(name, usual.get(name)):
            options += f" --rule {quote(f'{name}={format_rule_value(value)}')}"
    return f"ircore play {quote(f'submissions/{run.slug}')} --instances INSTANCES --out {quote(out)}{options}"


@dataclass(frozen=True)
class PairDifferences:
    """The intervals of all differences of main scores on a board.

    Example:
        >>> board = PairDifferences(("a", "b"), means=np.array([70.0, 60.0]), low=np.array([[0.0, 4.0], [-16.0, 0.0]]))
        >>> board.verdict("a", "b"), board.verdict("b", "a")
        (1, -1)
    """

    run_ids: tuple[str, ...]
    """Pairs that have ranks, in the order of the results."""

    means: NDArray[np.float64]
    """Their main scores, 0-100; what is not known counts half."""

    low: NDArray[np.float64]
    """Lower end of the interval of the pair of the row less the pair of the column; its upper end is minus the lower
    end of the other order."""

    def verdict(self, first: str, second: str) -> int:
        """Return 1 if the first pair is better than the second, -1 if it is worse, 0 if that is undecided.

        Args:
            first: run_id of a pair with a rank.
            second: run_id of another.
        """
        row, column = self.run_ids.index(first), self.run_ids.index(second)
        return int(self.low[row, column] > 0) - int(self.low[column, row] > 0)

    def tells(self, first: str, second: str) -> bool:
        """Return whether the board tells two pairs apart; pairs without a rank it tells from none."""
        return {first, second} <= set(self.run_ids) and self.verdict(first, second) != 0

    def ranks(self, run_id: str, among: Iterable[str]) -> tuple[int, int] | None:
        """Return the best and the worst rank that a pair's comparisons allow it among some pairs; None without ranks.

        >>> board = PairDifferences(("a", "b"), means=np.array([70.0, 60.0]), low=np.array([[0.0, 4.0], [-16.0, 0.0]]))
        >>> board.ranks("b", ["a", "b"]), board.ranks("b", ["b"])
        ((2, 2), (1, 1))

        Args:
            run_id: The pair.
            among: Pairs that are ranked with it; those without a rank do not count.
        """
        places = {name: place for place, name in enumerate(self.run_ids)}
        if run_id not in places:
            return None
        own = places[run_id]
        others = [places[name] for name in among if name in places and name != run_id]
        better, worse = (int((ends > 0).sum()) for ends in (self.low[others, own], self.low[own, others]))
        return 1 + better, 1 + len(others) - worse


def pair_differences(
    results: Results, judge: str, category: str | None = None, difficulty: str | None = None
) -> PairDifferences | None:
    """Return the differences of all pairs of a board; None if no two of them have ranks.

    Args:
        results: Of pairs that are ranked together (``subsets.by_rules``).
        judge: One of ``results.judges``.
        category: One of ``results.categories``, or None for all.
        difficulty: One of ``results.difficulties``, or None for both.
    """
    standing = results.standings.get((category, difficulty, judge))
    # No such board, or fewer than two ranked pairs on it.
    if standing is None or standing.critical is None:
        return None
    places = zip(results.submissions, standing.ranges, strict=True)
    run_ids = tuple(submission.run_id for submission, place in places if place is not None)
    chosen = select_condition(results.instances, category, difficulty)
    least, most, drawn = pair_main_scores(chosen, results.ratings_of(judge, run_ids, chosen))
    means = (least.mean(axis=0) + most.mean(axis=0)) / 2
    return PairDifferences(run_ids, means, bound_differences(least, most, drawn, standing.critical))


def _build_empty_plan(reason: str, targets: int | None = None) -> SeparationPlan:
    return SeparationPlan(False, False, {}, None, None, None, targets, (), reason)


def _group_instances(
    instances: Sequence[Instance], places: Sequence[int], freedom: int, values: Sequence[Mapping[str, list[float]]]
) -> list[RepeatGroup[Group]]:
    """Return the instances by condition and run, with the luck that each run had there."""
    rows: dict[tuple[str, str], list[int]] = {}
    for row, instance in enumerate(instances):
        rows.setdefault((instance.category, instance.difficulty), []).append(row)
    sizes = np.bincount(places)
    groups = []
    for number, known in enumerate(values):
        episodes = {key: [known[instances[row].instance_id] for row in of_key] for key, of_key in rows.items()}
        lucks = shrink_variances({key: measure_luck(of_key) for key, of_key in episodes.items()})
        for key, of_key in rows.items():
            # The share of an instance's variance in the squared error of the board's differences.
            weight = sum(1 - 1 / sizes[places[row]] for row in of_key) / (len(instances) * freedom)
            counts = tuple(len(each) for each in episodes[key])
            groups.append(RepeatGroup((number, *key), len(of_key), counts, lucks[key], float(weight)))
    return groups


def _build_plan(
    couple: tuple[PlannedRun, PlannedRun],
    groups: Sequence[RepeatGroup[Group]],
    further: Mapping[Group, int],
    uniform: int | None,
    reason: str,
) -> SeparationPlan:
    sizes = {group.key: group.instances for group in groups}
    episodes = [sum(sizes[key] * count for key, count in further.items() if key[0] == run) for run in (0, 1)]
    prices = [0.0 if not count else each.usd for count, each in zip(episodes, couple, strict=True)]
    usd = None if None in prices else sum(count * (price or 0) for count, price in zip(episodes, prices, strict=True))
    commands = [
        line
        for number, each in enumerate(couple)
        for line in _list_commands(each.run, {key[1:]: further.get(key, 0) for key in sizes if key[0] == number})
    ]
    return SeparationPlan(False, False, further, sum(episodes), uniform, usd, None, tuple(commands), reason)


def _list_commands(run: Run, further: Mapping[tuple[str, str], int]) -> list[str]:
    """Return what plays the further repeats of every condition: the first half, then the rest.

    Every command has seeds of its own, since its run is joined with the others by them.
    """
    lines, seed = [], max(run.seeds) + 1
    for words, odd in (("first", 1), ("then", 0)):
        difficulties: dict[tuple[int, str], list[str]] = {}
        for (category, difficulty), count in further.items():
            if half := (count + odd) // 2:
                difficulties.setdefault((half, category), []).append(difficulty)
        categories: dict[tuple[int, tuple[str, ...]], list[str]] = {}
        for (half, category), of_category in difficulties.items():
            categories.setdefault((half, tuple(of_category)), []).append(category)
        for (half, levels), names in categories.items():
            chosen = "".join(f" --category {quote(name)}" for name in names)
            chosen += "".join(f" --difficulty {level}" for level in levels)
            whole = len(names) * len(levels) == len(further)
            out = f"{run.slug}-seed{seed}"
            lines.append(f"{words}: {play_command(run, seed, half, out)}{'' if whole else chosen}")
            seed += half
    return lines
