"""The sentences of the paper held against runs: which hold, which do not, and where the exceptions are.

``Game.list_claims`` lists the sentences and what the paper's own tables say of them. The
paper has two describers and two generators; here *the better describer* is the one with the highest mean over a full
grid of pairs, and *the weaker* the one with the lowest. Verdicts go by intervals, not by points:

* a sentence about one difference *holds* or *does not hold* where the 95 % interval is clear of 0, else it is *open*;
* a sentence about all of m differences *holds* where each is clear of 0 (so many tests at once need no correction:
  Berger 1982, Technometrics 24, intersection–union tests). An exception counts where the interval that is widened to
  the level 1 − 0.05 / m (Bonferroni) is clear of 0 on the other side: then it *has exceptions*, or, if there are no
  fewer of these than of clear agreements, it *does not hold*.
"""

from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from functools import cached_property, lru_cache
from itertools import combinations, pairwise, product
from statistics import fmean

import numpy as np
from numpy.typing import NDArray

from ircore.core.records import Instance
from ircore.core.score_records import HUMAN
from ircore.games.declarations import Check, Verdict, check_of_people
from ircore.results.arrays import Array, arrange_values, estimate_run_means, estimate_target_mean, select_condition
from ircore.results.corrections import Correction
from ircore.results.effects import compare_budgets, estimate_grid_effects, find_player_grid
from ircore.results.episodes import JudgedEpisode
from ircore.results.language import estimate_usage
from ircore.results.model import Results
from ircore.results.statistics.bootstrap import Ratios, compute_couple_moments, estimate_ratios, resample
from ircore.results.statistics.intervals import (
    AMOUNT,
    DIFFERENCE,
    MINIMUM_PICTURES,
    SCORE,
    SHARE,
    Estimate,
    clear_of,
    compute_mean_ends,
    estimate,
    estimate_clustered_share,
    subtract_estimates,
    t_quantile,
    t_quantiles,
)
from ircore.results.statistics.mixed import Unavailable
from ircore.results.subsets import select_by_rules
from ircore.results.tables.formats import number
from ircore.results.tables.pairs import pair_names

NAMED = 3
"""Exceptions that are named."""

_BLOCK = 256
"""Differences that are estimated at once: bounds the memory."""

HARDLY = 0.1
"""Share of messages up to which a kind of correction is hardly ever used."""

NO_GRID = Check("no data", "needs two describers and two generators, all crossed, under the same rules")


def check_paper(results: Results, judge: str) -> dict[str, Check]:
    """Return what some runs say of each sentence of the paper, by its key.

    Args:
        results: Of any runs. Budgets apart, those count that were played by the rules that most were played by.
        judge: One of ``results.judges``; sentences about judges take all of them.
    """
    played = _Played(select_by_rules(results, results.rule_sets[0]), results, judge)
    return {claim.key: _CHECKS[claim.key](played) for claim in results.game.list_claims()}


EpisodeNumber = Callable[[JudgedEpisode], float | None]
"""Returns a number of an episode; None where it has none."""


class _Played:
    """Scores of the runs under the usual rules, and the roles that the paper's sentences speak of."""

    def __init__(self, results: Results, every: Results, judge: str) -> None:
        self.results, self.every, self.judge = results, every, judge
        self.runs = [submission.run_id for submission in results.submissions]
        self._arranged: dict[tuple[EpisodeNumber, str], Array] = {}
        self.names = pair_names(results.submissions)
        grid = find_player_grid(results)
        self.grid = grid
        self.run_of = dict(zip(product(grid.describers, grid.generators), grid.run_ids, strict=True))
        # Best first.
        self.describers = sorted(grid.describers, key=lambda name: -self._estimate_mean(self.of_describer(name)))
        self.generators = sorted(grid.generators, key=lambda name: -self._estimate_mean(self.of_generator(name)))

    def of_describer(self, name: str) -> list[str]:
        """Return the runs of a describer within the grid."""
        return [self.run_of[name, generator] for generator in self.grid.generators]

    def of_generator(self, name: str) -> list[str]:
        """Return the runs of a generator within the grid."""
        return [self.run_of[describer, name] for describer in self.grid.describers]

    def values(
        self, runs: Sequence[str], value: EpisodeNumber | None = None, instances: Sequence[Instance] | None = None
    ) -> Array:
        """Return a number of each judged episode, NaN where there is none; shape (instances, runs).

        Args:
            runs: Ids of runs.
            value: Returns the number of an episode; None for the final score.
            instances: Instances of the set; None for all.
        """
        chosen = self._rows.values() if instances is None else (self._rows[each.instance_id] for each in instances)
        return self.arrange(value or _final, self.judge)[np.ix_([*chosen], [self._columns[run_id] for run_id in runs])]

    @cached_property
    def _rows(self) -> dict[str, int]:
        """The row of each instance."""
        return {instance.instance_id: row for row, instance in enumerate(self.results.instances)}

    @cached_property
    def _columns(self) -> dict[str, int]:
        """The column of each run."""
        return {run_id: column for column, run_id in enumerate(self.runs)}

    def arrange(self, value: EpisodeNumber, judge: str) -> Array:
        """Return a number of each episode that a judge judged, of all runs on all instances."""
        # Kept: sentences ask for thousands of selections.
        if (value, judge) not in self._arranged:
            self._arranged[value, judge] = _arrange(self.results, self.runs, value, judge)
        return self._arranged[value, judge]

    def list_corrections(self, describer: str) -> list[list[Collection[Correction]]]:
        """Return the topics of each correction message of a describer, by target."""
        by_episode: dict[str, list[Collection[Correction]]] = {}
        for run_id in self.of_describer(describer):
            for name, messages in self.results.runs[run_id].paper_corrections.items():
                if messages:
                    by_episode.setdefault(name, []).extend(messages)
        return list(by_episode.values())

    def differences(self, couples: Iterable[tuple[str, str, Sequence[Instance] | None]]) -> list[Estimate]:
        """Return how far the first run's final scores lie above the second's on pictures that both have.

        Args:
            couples: Two runs each, and the instances that count; None for all.
        """
        columns, finals = [], self.arrange(_final, self.judge)
        for first, second, instances in couples:
            column = finals[:, self._columns[first]] - finals[:, self._columns[second]]
            if instances is not None:
                counts = np.zeros(len(column), bool)
                counts[[self._rows[instance.instance_id] for instance in instances]] = True
                column = np.where(counts, column, np.nan)
            columns.append(column)
        # Many at once: the grid of 200 pairs has thousands.
        blocks = (columns[start : start + _BLOCK] for start in range(0, len(columns), _BLOCK))
        return [mean for block in blocks for mean in _estimate_differences(np.column_stack(block))]

    def _estimate_mean(self, runs: Sequence[str]) -> float:
        return estimate_target_mean(self.values(runs), list(self.results.instances), SCORE).mean or 0.0


def _final(judged: JudgedEpisode) -> float | None:
    return judged.final


def _delta(judged: JudgedEpisode) -> float | None:
    return judged.delta


def _preference(judged: JudgedEpisode) -> float | None:
    return judged.preference


def _arrange(results: Results, runs: Sequence[str], value: EpisodeNumber, judge: str) -> Array:
    """Return a number of each episode that a judge judged, NaN where there is none; shape (instances, runs)."""
    return arrange_values(
        results.instances,
        [results.episodes[run_id] for run_id in runs],
        lambda result: value(result.judged[judge]) if judge in result.judged else None,
    )


def _estimate_differences(differences: Array) -> list[Estimate]:
    """Estimate the mean of each column of differences, NaN where there is none; shape (instances, columns)."""
    return estimate_ratios(Ratios.means(differences), resample([""] * len(differences)), DIFFERENCE)


def _check_above(value: Estimate, said: str, line: float = 0.0) -> Check:
    """Return the check of a sentence that one number lies above a line."""
    if value.mean is None:
        return Check("no data", said)
    verdicts: Mapping[int, Verdict] = {1: "holds", 0: "open", -1: "does not hold"}
    return Check(verdicts[clear_of(value, line)], f"{said} {_format_estimate(value)}")


def check_all(differences: Sequence[tuple[str, Estimate]], noun: str, lacking: str) -> Check:
    """Return the check of a sentence that all of some differences lie above 0.

    Args:
        differences: Named, so that exceptions can be told.
        noun: What they are, in the plural.
        lacking: What runs must have to be checked, for where there is no difference.
    """
    known = [(name, value) for name, value in differences if value.mean is not None]
    if not known:
        return Check("no data", lacking)
    clear = sum(clear_of(value, 0) == 1 for _, value in known)
    against = [(name, value) for name, value in known if clear_of(_widen_interval(value, len(known)), 0) == -1]
    above = sum((value.mean or 0) > 0 for _, value in known)
    said = f"{above} of {len(known)} {noun}, {clear} of them clearly"
    if against:
        against.sort(key=lambda entry: entry[1].mean or 0)
        named = "; ".join(f"{name} {_format_estimate(value)}" for name, value in against[:NAMED])
        more = f" and {len(against) - NAMED} more" if len(against) > NAMED else ""
        return Check("exceptions" if clear > len(against) else "does not hold", f"{said}; not {named}{more}")
    return Check("holds" if clear == len(known) else "open", said)


def _widen_interval(value: Estimate, comparisons: int) -> Estimate:
    """Widen an interval to the level that some comparisons share (Bonferroni)."""
    if value.mean is None or value.low is None or value.high is None or value.n < 2:
        return value
    factor = _compute_widening(value.n - 1, comparisons)
    return Estimate(
        value.mean,
        value.mean - factor * (value.mean - value.low),
        value.mean + factor * (value.high - value.mean),
        value.n,
    )


@lru_cache
def _compute_widening(freedom: int, comparisons: int) -> float:
    """Return how much wider the interval of one of some comparisons is, by Student's t; thousands ask for the same."""
    from scipy.special import stdtrit

    return float(stdtrit(freedom, 1 - 0.025 / comparisons)) / t_quantile(freedom)


def _format_estimate(value: Estimate) -> str:
    mean = "none" if value.mean is None else number(value.mean, 2)
    if value.low is None or value.high is None:
        return f"{mean} (n = {value.n})"
    return f"{mean} [{number(value.low, 2)}, {number(value.high, 2)}]"


def _check_hard(played: _Played) -> Check:
    results = played.results
    means = {
        (category, level): estimate_run_means(played.values(played.runs, instances=chosen), chosen, SCORE)
        for category, level in product(results.categories, ("easy", "hard"))
        for chosen in [select_condition(results.instances, category, level)]
    }
    differences = [
        (
            f"{category.replace('_', ' ')} of {played.names[run_id]}",
            subtract_estimates(means[category, "easy"][column], means[category, "hard"][column]),
        )
        for (column, run_id), category in product(enumerate(played.runs), results.categories)
    ]
    return check_all(differences, "categories of pairs are lower when hard", "needs easy and hard pictures")


def _list_ranking_judges(played: _Played) -> list[str]:
    """Return the judges, people apart, whose boards rank at least two pairs."""
    results = played.results
    return [
        judge
        for judge in results.judges
        if judge != HUMAN and sum(row.rank_low is not None for row in results.board(judge)) > 1
    ]


def _check_ends(played: _Played) -> Check:
    judges = _list_ranking_judges(played)
    if len(judges) < 2:
        return Check("no data", "needs two judges that rank at least two pairs")
    tops, bottoms = [], []
    for judge in judges:
        rows = [row for row in played.results.board(judge) if row.rank_low is not None]
        tops.append({row.submission.run_id for row in rows if row.rank_low == 1})
        bottoms.append({row.submission.run_id for row in rows if row.rank_high == len(rows)})
    alone = all(len(end) == 1 for end in (*tops, *bottoms))
    shared = set.intersection(*tops) and set.intersection(*bottoms)
    verdict: Verdict = "does not hold" if not shared else "holds" if alone else "open"
    said = "; ".join(
        f"{judge}: {' or '.join(sorted(played.names[run] for run in top))}"
        for judge, top in zip(judges, tops, strict=True)
    )
    return Check(verdict, f"first by {said}")


def _compare_couples(values: Array, comparisons: int) -> NDArray[np.int8]:
    """Compare every couple of columns, in the order of ``combinations``.

    Args:
        values: Shape (instances, runs), NaN where there is none.
        comparisons: How many share the level of the last row.

    Returns:
        Shape (3, couples): 1 where the mean difference is above 0; 1, 0 or −1 where its interval lies above, around or
        below 0; the same for the interval at the level that the comparisons share.
    """
    from scipy.special import stdtrit

    moments = compute_couple_moments(values)
    low, high = compute_mean_ends(moments, DIFFERENCE)
    wider = stdtrit(np.maximum(moments.freedom, 1), 1 - 0.025 / comparisons) / t_quantiles(moments.freedom)
    enough = moments.counts >= MINIMUM_PICTURES
    factors, points = (1, wider), moments.points
    sides = [
        enough * np.subtract(points - factor * (points - low) > 0, points + factor * (high - points) < 0, dtype=np.int8)
        for factor in factors
    ]
    return np.array([points > 0, *sides], np.int8)


def _order(played: _Played) -> Check:
    judges = _list_ranking_judges(played)
    couples = list(combinations(played.runs, 2))
    if len(judges) < 2 or not couples:
        return Check("no data", "needs two judges that rank at least two pairs")
    compared = [_compare_couples(played.arrange(_final, judge), len(couples) * len(judges)) for judge in judges]
    above, sides, sure = np.array(compared).swapaxes(0, 1)
    alike = int((above == above[0]).all(axis=0).sum())
    clear = int(((sides == sides[0]) & (sides != 0)).all(axis=0).sum())
    turned = [couples[place] for place in np.flatnonzero((sure == 1).any(axis=0) & (sure == -1).any(axis=0))]
    said = f"{alike} of {len(couples)} couples of pairs in the same order by {len(judges)} judges, {clear} clearly"
    if turned:
        named = "; ".join(f"{played.names[first]} and {played.names[second]}" for first, second in turned[:NAMED])
        return Check("exceptions" if clear > len(turned) else "does not hold", f"{said}; not {named}")
    return Check("holds" if clear == len(couples) else "open", said)


def _check_dominance(played: _Played) -> Check:
    effects = estimate_grid_effects(played.results, played.grid, played.judge)
    if isinstance(effects, Unavailable):
        return Check("no data", effects.reason)
    return _check_above(effects.dominance, "spread of describers less that of generators, points:")


def _check_lead(played: _Played) -> Check:
    if not played.describers:
        return NO_GRID
    best, *others = played.describers
    results = played.results
    chosen = {
        condition: select_condition(results.instances, *condition)
        for condition in product(results.categories, results.difficulties)
    }
    pairs = list(product(others, played.generators))
    couples = [(played.run_of[best, generator], played.run_of[other, generator]) for other, generator in pairs]
    names = [
        f"{category.replace('_', ' ')}, {difficulty}, {best} against {other} with {generator}"
        for (other, generator), (category, difficulty) in product(pairs, chosen)
    ]
    differences = played.differences((*couple, instances) for couple, instances in product(couples, chosen.values()))
    check = check_all(list(zip(names, differences, strict=True)), f"conditions have {best} ahead", NO_GRID.evidence)
    apart = played.differences((*couple, None) for couple in couples)
    means = [value.mean for value in apart if value.mean is not None]
    if not means:
        return check
    return Check(check.verdict, f"{check.evidence}; by {min(means):.2f} to {max(means):.2f} on average by generator")


def _check_generator(played: _Played) -> Check:
    if not played.generators:
        return NO_GRID
    best, *others = played.generators
    pairs = list(product(others, played.describers))
    differences = played.differences(
        (played.run_of[describer, best], played.run_of[describer, other], None) for other, describer in pairs
    )
    names = [f"{best} against {other} with {describer}" for other, describer in pairs]
    return check_all(list(zip(names, differences, strict=True)), f"comparisons have {best} ahead", NO_GRID.evidence)


def _check_hardest(played: _Played) -> Check:
    results = played.results
    hardest = next(claim.categories for claim in results.game.list_claims() if claim.key == "hardest")
    means = {
        category: estimate_target_mean(played.values(played.runs, instances=chosen), chosen, SCORE)
        for category in results.categories
        for chosen in [select_condition(results.instances, category, None)]
    }
    differences = [
        (f"{other.replace('_', ' ')} against {hard}", subtract_estimates(means[other], means[hard]))
        for hard, other in product(hardest, means)
        if hard in means and other not in hardest
    ]
    return check_all(differences, "categories are easier than these", "needs functions, geometry and other pictures")


def _estimate_gains(played: _Played, runs: Sequence[str]) -> Estimate:
    return estimate_target_mean(played.values(runs, _delta), list(played.results.instances), DIFFERENCE)


def _check_by_generator(played: _Played, measure: Callable[[Sequence[str]], Estimate], line: float, noun: str) -> Check:
    """Return the check that a measure lies above a line with one generator and does not with another."""
    values = {name: measure(played.of_generator(name)) for name in played.generators}
    known = {name: value for name, value in values.items() if value.mean is not None}
    if len(known) < 2:
        return Check("no data", "needs episodes of several turns with two generators")
    high, low = (pick(known.values(), key=lambda value: value.mean or 0.0) for pick in (max, min))
    apart = clear_of(subtract_estimates(high, low), 0) == 1
    said = ", ".join(f"{name} {_format_estimate(value)}" for name, value in known.items())
    helps, fails = clear_of(high, line) == 1, clear_of(low, line) < 1
    if helps and fails and apart:
        return Check("holds", f"{noun} {said}")
    same_side = all(clear_of(value, line) == 1 for value in known.values()) or clear_of(high, line) == -1
    return Check("does not hold" if same_side else "open", f"{noun} {said}")


def _check_payoff(played: _Played) -> Check:
    return _check_by_generator(played, lambda runs: _estimate_gains(played, runs), 0.0, "ΔQ:")


def _check_preference(played: _Played) -> Check:
    return _check_by_generator(
        played,
        lambda runs: estimate_target_mean(played.values(runs, _preference), list(played.results.instances), SHARE),
        0.5,
        "final preferred:",
    )


def _check_turns(played: _Played) -> Check:
    deltas = played.values(played.runs, _delta)
    refined = ~np.isnan(deltas)
    sizes = refined.sum(axis=1)
    if not sizes.any():
        return Check("no data", "needs episodes of several turns")
    worse = (deltas <= 0).sum(axis=1)
    share = estimate_clustered_share(worse[sizes > 0].tolist(), sizes[sizes > 0].tolist())
    verdict: Verdict = "holds" if worse.any() else "does not hold"
    said = f"{worse.sum()} of {sizes.sum()} episodes of several turns end no better than they began"
    return Check(verdict, f"{said}, {_format_estimate(share)}")


def _check_single_turn(played: _Played) -> Check:
    if not played.describers:
        return NO_GRID
    name = played.describers[-1]
    single: dict[str, list[bool]] = {}
    for run_id in played.of_describer(name):
        for result in played.results.episodes[run_id]:
            if result.episode.played:
                alone = len(result.episode.renderings) == 1
                single.setdefault(result.episode.instance_id, []).append(alone)
    share = estimate_clustered_share(
        [sum(group) for group in single.values()], [len(group) for group in single.values()]
    )
    return _check_above(share, f"episodes of a single turn of {name}:", 0.5)


def _check_steadiness(played: _Played) -> Check:
    if not played.describers:
        return NO_GRID
    best, weakest = played.describers[0], played.describers[-1]
    gain, other = (_estimate_gains(played, played.of_describer(name)) for name in (best, weakest))
    said = f"ΔQ of {best} {_format_estimate(gain)}, of {weakest} {_format_estimate(other)}"
    if gain.mean is None:
        return Check("no data", "needs episodes of several turns of the better describer")
    more = 1 if other.mean is None else clear_of(subtract_estimates(gain, other), 0)
    if clear_of(gain, 0) == more == 1:
        return Check("holds", said)
    return Check("does not hold" if -1 in (clear_of(gain, 0), more) else "open", said)


def _check_by_budget(played: _Played, value: EpisodeNumber, sign: int, noun: str) -> Check:
    """Return the check that a number rises (sign 1) or falls (−1) from each token budget to the next."""
    differences = []
    for series in compare_budgets(played.every, played.judge):
        for smaller, larger in pairwise(series.points):
            first, second = (
                _arrange(played.every, [point.cell.run_id], value, played.judge)
                for point in ((larger, smaller) if sign > 0 else (smaller, larger))
            )
            name = f"{series.describer} + {series.generator} from {smaller.budget} to {larger.budget} tokens"
            (difference,) = _estimate_differences(first - second)
            differences.append((name, difference))
    return check_all(differences, noun, "needs a pair that was played under several token budgets")


def _check_vocabulary(played: _Played) -> Check:
    if not played.describers:
        return NO_GRID
    kinds: list[Estimate] = []
    for name in (played.describers[0], played.describers[-1]):
        corrections = played.list_corrections(name)
        kinds.append(estimate([fmean(map(len, messages)) for messages in corrections], AMOUNT))
    best, weakest = kinds
    said = (
        f"{played.describers[0]} {_format_estimate(best)} of ten kinds a message, {played.describers[-1]} "
        f"{_format_estimate(weakest)}; apart"
    )
    return _check_above(subtract_estimates(best, weakest), said)


def _check_numeric(played: _Played) -> Check:
    if not played.describers:
        return NO_GRID
    name = played.describers[-1]
    usage = estimate_usage(played.list_corrections(name))["numeric"]
    if usage.mean is None:
        return Check("no data", f"{name} never corrected anything")
    verdicts: Mapping[int, Verdict] = {-1: "holds", 0: "open", 1: "does not hold"}
    return Check(
        verdicts[clear_of(usage, HARDLY)], f"share of corrections of {name} with numbers: {_format_estimate(usage)}"
    )


NOBODY = Check("no data", "no person has rated these renderings")


def _check_people(played: _Played) -> Check:
    couples = [pair for pair in played.results.raters.agreement.pairs if pair.kind == "human-human"]
    pearsons = [pair.pearson.value for pair in couples if pair.pearson.value is not None]
    kappas = [pair.kappa.value for pair in couples if pair.kappa.value is not None]
    if not pearsons or not kappas:
        return Check("no data", "needs two people who rated and preferred the same renderings")
    return check_of_people(fmean(pearsons), fmean(kappas), len(couples))


def _check_nearest_judge(played: _Played) -> Check:
    known = [
        pair
        for pair in played.results.raters.agreement.pairs
        if pair.kind == "judge-human" and pair.kappa.value is not None
    ]
    if not known:
        return NOBODY
    best = max(known, key=lambda pair: pair.pearson.value if pair.pearson.value is not None else -1.0)
    kappa = Estimate(best.kappa.value, best.kappa.low, best.kappa.high, best.kappa.n)
    verdicts: Mapping[int, Verdict] = {-1: "holds", 0: "open", 1: "does not hold"}
    return Check(verdicts[clear_of(kappa, 0.4)], f"{best.first_rater}: κ {_format_estimate(kappa)}")


def _check_tolerance(played: _Played) -> Check:
    from ircore.results.tables.judges import people_table
    from ircore.results.tables.pairs import ALL

    table = people_table(played.results)
    differences = [
        (str(judge.value), Estimate(bias.value, bias.low, bias.high, bias.n or 0))
        for judge, category, bias in zip(
            table.column("judge"), table.column("category"), table.column("bias"), strict=True
        )
        if category.value == ALL and isinstance(bias.value, float)
    ]
    return check_all(differences, "judges score higher than people", NOBODY.evidence)


def _check_lipsim(played: _Played) -> Check:
    shares = {
        pair.first_rater: pair.agreement
        for pair in played.results.raters.agreement.pairs
        if pair.kind == "judge-human" and pair.agreement.value is not None
    }
    lipsim = shares.pop("lipsim", None)
    if lipsim is None or len(shares) < 2:
        return Check("no data", "needs preferences of lipsim, of two more judges and of people")
    second = sorted(shares, key=lambda judge: -(shares[judge].value or 0.0))[1]
    first, other = (
        Estimate(agreement.value, agreement.low, agreement.high, agreement.n) for agreement in (lipsim, shares[second])
    )
    apart = clear_of(subtract_estimates(first, other), 0)
    verdicts: Mapping[int, Verdict] = {1: "holds", 0: "open", -1: "does not hold"}
    return Check(verdicts[apart], f"lipsim {_format_estimate(first)}, {second} {_format_estimate(other)}")


_CHECKS: Mapping[str, Callable[[_Played], Check]] = {
    "hard": _check_hard,
    "ends": _check_ends,
    "order": _order,
    "dominant": _check_dominance,
    "ahead": _check_lead,
    "generator": _check_generator,
    "hardest": _check_hardest,
    "payoff": _check_payoff,
    "turns": _check_turns,
    "single": _check_single_turn,
    "steady": _check_steadiness,
    "preferred": _check_preference,
    "budget": lambda played: _check_by_budget(played, _final, 1, "steps raise the final score"),
    "first": lambda played: _check_by_budget(played, lambda judged: judged.first, 1, "steps raise the first score"),
    "budget_preferred": lambda played: _check_by_budget(
        played, _preference, -1, "steps lower the share that prefers the final picture"
    ),
    "vocabulary": _check_vocabulary,
    "numeric": _check_numeric,
    "people": _check_people,
    "nearest": _check_nearest_judge,
    "tolerant": _check_tolerance,
    "lipsim": _check_lipsim,
}
"""What runs say of each sentence, by its key."""
