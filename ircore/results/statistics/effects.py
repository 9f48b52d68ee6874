"""Contributions of describers and generators: the two-way decomposition of a crossed grid of pairs."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from itertools import combinations, product
from typing import Literal

import numpy as np

from ircore.results.statistics.bootstrap import (
    SCORE,
    Ratios,
    Resamples,
    Scale,
    estimate_contrasts,
    resample,
)
from ircore.results.statistics.intervals import CONFIDENCE, MINIMUM_PICTURES, Estimate, subtract_estimates, t_quantiles
from ircore.results.statistics.resamples import Floats

Source = Literal["describer", "generator", "interaction"]

SOURCES: tuple[Source, ...] = ("describer", "generator", "interaction")

LARGEST_SEARCH = 14
"""Up to so many names on the shorter side, every choice of them is looked at; beyond, the fullest rows are taken."""

ROUNDED = 1e-12
"""Share of the sum of squares below which the squares of the interaction are what rounding left."""

FEWEST_FOR_SHARES = 20
"""Fewer instances than this give shares of variance no interval: noise makes small shares larger, and with 5 to 10
instances intervals of theirs held in 80 to 95 % of simulations."""


@dataclass(frozen=True)
class Effects:
    """Mean of pair (d, g) = grand + describer d + generator g + interaction (d, g); each kind adds up to 0.

    Example:
        >>> scores = np.tile([2.0, 4.0, 6.0, 8.0], (6, 1))  # six instances, each pair always scored alike
        >>> effects = decompose(scores, ["a", "b"], ["x", "y"], ["easy"] * 6)
        >>> effects.grand.mean, effects.describer["b"].mean, effects.generator["y"].mean
        (5.0, 2.0, 1.0)
    """

    describers: tuple[str, ...]
    """Describers of the grid, in order."""

    generators: tuple[str, ...]
    """Generators of the grid, in order."""

    grand: Estimate
    """Mean over all pairs, in the unit of the scores."""

    describer: Mapping[str, Estimate]
    """Mean of each describer's pairs less the grand mean."""

    generator: Mapping[str, Estimate]
    """Mean of each generator's pairs less the grand mean."""

    interaction: Mapping[tuple[str, str], Estimate]
    """Interaction of describer and generator beyond the sum of both; empty if it was not asked for."""

    shares: Mapping[Source, Estimate]
    """Share of the sum of squares between pairs, 0–1; the three add up to 1."""

    spread: Mapping[Source, Estimate]
    """Standard deviation of the effects, degrees of freedom as divisor, in the unit of the scores."""

    dominance: Estimate
    """Spread of describers less spread of generators: above 0 the describer matters more.

    Noise gives even a side without any effect some spread; the interval takes it out.
    """


@lru_cache(maxsize=64)
def find_complete_grid(pairs: tuple[tuple[str, str], ...]) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """Choose the largest set of describers and generators of which every pair is there.

    Of several with as many pairs, the one with more describers, then the one whose pairs come first.

    Cached, since most boards and matrices of a site ask for the grid of the same pairs.

    Args:
        pairs: Describer and generator of each pair that was played, in order of preference.

    Returns:
        Describers and generators, sorted; both empty if there are none.
    """
    places = {pair: place for place, pair in enumerate(pairs)}
    by_describer: dict[str, set[str]] = {}
    for describer, generator in pairs:
        by_describer.setdefault(describer, set()).add(generator)
    by_generator: dict[str, set[str]] = {}
    for describer, generator in pairs:
        by_generator.setdefault(generator, set()).add(describer)
    # The shorter side is searched through: its choices are fewer.
    flipped = len(by_generator) < len(by_describer)
    rows = by_generator if flipped else by_describer
    candidates = [(chosen, set.intersection(*(rows[name] for name in chosen))) for chosen in _list_subsets(rows)]
    grids = [
        (tuple(sorted(shared)), chosen) if flipped else (chosen, tuple(sorted(shared)))
        for chosen, shared in candidates
        if shared
    ]
    sizes = [(len(grid[0]) * len(grid[1]), len(grid[0])) for grid in grids]
    most = max(sizes, default=None)
    largest = (grid for grid, size in zip(grids, sizes, strict=True) if size == most)
    return min(largest, key=lambda grid: sorted(places[pair] for pair in product(*grid)), default=((), ()))


def _list_subsets(rows: Mapping[str, set[str]]) -> list[tuple[str, ...]]:
    names = sorted(rows)
    if len(names) <= LARGEST_SEARCH:
        return [chosen for size in range(1, len(names) + 1) for chosen in combinations(names, size)]
    # The name decides among rows as full, so that the same pairs give the same grid.
    fullest = sorted(names, key=lambda name: (-len(rows[name]), name))
    return [tuple(sorted(fullest[:size])) for size in range(1, len(names) + 1)]


def decompose(
    scores: Floats,
    describers: Sequence[str],
    generators: Sequence[str],
    labels: Sequence[str],
    interaction: bool = True,
) -> Effects | None:
    """Decompose the means of a crossed grid, with intervals over instances.

    Means and effects are contrasts of the pairs' means and follow the rule of all (``intervals``). Shares, spreads and
    dominance have no interval for fewer than ``MINIMUM_PICTURES`` instances. From there on spreads have one that takes
    out what noise adds to them (``_spread_ends``), and so has dominance, as the difference of two. Shares have one from
    ``FEWEST_FOR_SHARES`` on: percentiles corrected for bias (Efron 1987), as noise makes resampled shares larger.

    Args:
        scores: Shape (instances, describers, generators); NaN where there is none, which leaves that pair's mean to
            its other instances, as on boards.
        describers: Names, at least two.
        generators: Names, at least two.
        labels: Condition of each instance, within which instances are drawn again.
        interaction: Whether the interaction of every pair is wanted too.

    Returns:
        The decomposition; None if a pair has fewer than two scores, or a side fewer than two players.
    """
    known = scores.reshape(len(scores), -1)
    if min(len(describers), len(generators)) < 2 or (~np.isnan(known)).sum(axis=0).min() < 2:
        return None
    drawn = resample(labels)
    ratios = Ratios.means(known)
    moved = ratios.deviations(drawn)
    d, g = len(describers), len(generators)
    others_d, others_g = 1 - 1 / d, 1 - 1 / g

    def effects(part: Callable[[Floats, int, int], Floats], reach: float) -> list[Estimate]:
        """Return the contrasts of one part; reach: how far they can be from 0 on a scale from 0 to 1."""
        scale = Scale(-SCORE.highest * reach, SCORE.highest * reach)
        return estimate_contrasts(ratios, lambda rows: part(rows, d, g), drawn, SCORE, scale)

    others = _spread_intervals(ratios, moved, (d, g), drawn)
    # Spreads and dominance keep their intervals: those held in simulations with fewer instances.
    few = others[0].n < FEWEST_FOR_SHARES
    shares = [Estimate(estimate.mean, None, None, estimate.n) if few else estimate for estimate in others[:3]]
    pairs = [(describer, generator) for describer in describers for generator in generators] if interaction else []
    return Effects(
        describers=tuple(describers),
        generators=tuple(generators),
        grand=estimate_contrasts(ratios, lambda rows: _compute_grand_mean(rows, d, g), drawn, SCORE, SCORE)[0],
        describer=dict(zip(describers, effects(_compute_describer_effects, others_d), strict=True)),
        generator=dict(zip(generators, effects(_compute_generator_effects, others_g), strict=True)),
        interaction=dict(
            zip(pairs, effects(_compute_pair_effects, 2 * others_d * others_g) if pairs else (), strict=True)
        ),
        shares=dict(zip(SOURCES, shares, strict=True)),
        spread=dict(zip(SOURCES, others[3:6], strict=True)),
        dominance=others[6],
    )


def _compute_grand_mean(rows: Floats, d: int, g: int) -> Floats:
    """Return the grand mean, shape (1, any), of values of shape (pairs, any), describer by describer."""
    mean: Floats = rows.reshape(d, g, -1).mean(axis=1).mean(axis=0, keepdims=True)
    return mean


def _compute_describer_effects(rows: Floats, d: int, g: int) -> Floats:
    """Return the effects of describers, shape (describers, any), from values of pairs."""
    means: Floats = rows.reshape(d, g, -1).mean(axis=1)
    return means - _compute_grand_mean(rows, d, g)


def _compute_generator_effects(rows: Floats, d: int, g: int) -> Floats:
    """Return the effects of generators, shape (generators, any), from values of pairs."""
    means: Floats = rows.reshape(d, g, -1).mean(axis=0)
    return means - _compute_grand_mean(rows, d, g)


def _compute_pair_effects(rows: Floats, d: int, g: int) -> Floats:
    """Return the interaction effects, shape (pairs, any), from values of pairs."""
    means = rows.reshape(d, g, -1)
    apart: Floats = means - means.mean(axis=1)[:, None] - means.mean(axis=0) + _compute_grand_mean(rows, d, g)
    return apart.reshape(d * g, -1)


def _spread_intervals(ratios: Ratios, moved: Floats, shape: tuple[int, int], drawn: Resamples) -> list[Estimate]:
    """Return shares, spreads and dominance."""
    points = _compute_spreads(ratios.points[:, None], *shape)
    counts, freedom = (np.full(len(points), each.min()) for each in (ratios.counts, ratios.degrees(drawn)))
    n, (d, g) = int(counts[0]), shape
    if n < MINIMUM_PICTURES or freedom[0] < MINIMUM_PICTURES - 1:
        return [Estimate(float(point), None, None, n) for point in points[:, 0]]
    # Shares are no linear contrasts, so that they are computed anew from each resample's means.
    shares = slice(0, 3)
    again = _compute_spreads(ratios.points[:, None] + moved, *shape)[shares]
    ends = zip(*_correct_ends(counts[shares], freedom[shares], again - points[shares]), strict=True)
    estimates = [
        Estimate(float(point), float(point + below), float(point + above), n)
        for point, (below, above) in zip(points[shares, 0], ends, strict=True)
    ]
    noise = ratios.centred(drawn).T * (n / freedom[0]) ** 0.5
    parts = (
        (_compute_describer_effects, d - 1),
        (_compute_generator_effects, g - 1),
        (_compute_pair_effects, (d - 1) * (g - 1)),
    )
    for point, (part, independent) in zip(points[3:6, 0], parts, strict=True):
        low, high = _spread_ends(float(point), part(noise, d, g), independent, float(freedom[0]))
        estimates.append(Estimate(float(point), low, high, n))
    return [*estimates, subtract_estimates(estimates[3], estimates[4])]


def _spread_ends(point: float, noise: Floats, independent: int, freedom: float) -> tuple[float, float]:
    """Return the interval of the standard deviation of effects, without what noise adds to it.

    The observed variance of the effects over that which noise alone gives them is χ² with a non-centrality that grows
    with the true variance; the ends are those that it does not reject on either side, at 2.5 % each (Steiger 2004,
    *Beyond the F Test*, Psychological Methods 9). The noise is estimated itself, so that it is taken larger by as much
    as the quantile of F is above that of χ². Where some effects are noisier than others, degrees of freedom are those
    of Box (1954, Annals of Mathematical Statistics 25).

    Args:
        point: Observed standard deviation.
        noise: How far each instance moves each effect, shape (effects, instances).
        independent: Effects that are free to vary.
        freedom: Degrees of freedom of the noise.
    """
    from scipy.optimize import brentq
    from scipy.special import chdtr, chdtri, fdtri

    covariance = np.einsum("ik,jk->ij", noise, noise)
    total = float(np.trace(covariance))
    if total <= (ROUNDED * max(1.0, point)) ** 2:
        return point, point
    first = total**2 / float((covariance**2).sum())
    high, low = (1 + CONFIDENCE) / 2, (1 - CONFIDENCE) / 2
    variance = total / independent * float(first * fdtri(first, first * freedom, high) / chdtri(first, low))
    observed = first * point**2 / variance

    def above(noncentrality: float, tail: float) -> float:
        """Return by how much the chance of less than was observed is above a tail (Patnaik 1949, Biometrika 36)."""
        whole, twice = first + noncentrality, first + 2 * noncentrality
        return float(chdtr(whole**2 / twice, observed * whole / twice)) - tail

    ends = []
    for tail in (high, low):
        # Where even a true variance of 0 leaves more below, the end is 0.
        largest = 10 * (observed + first + 100)
        noncentrality = brentq(above, 0, largest, (tail,)) if above(0, tail) > 0 else 0.0
        ends.append(float((noncentrality * variance / first) ** 0.5))
    return min(ends[0], point), max(ends[1], point)


def _correct_ends(counts: Floats, freedom: Floats, moved: Floats) -> tuple[Floats, Floats]:
    """Return the lower and upper end of each row of resamples less the point, corrected for bias (Efron 1987, JASA 82).

    Bootstrap intervals are too narrow for few values, since resamples vary by (n − 1) / n too little and know nothing
    of Student's t. Both are made up for in the level: that of the normal quantile t(0.975, df) · √(n / df) (Hesterberg
    2015, *What Teachers Should Know About the Bootstrap*, The American Statistician 69, section 4.1.2; here with
    degrees of freedom df = n − strata).
    """
    from scipy.special import ndtr, ndtri

    wide = t_quantiles(freedom) * np.sqrt(counts / np.maximum(freedom, 1))
    # Resamples equal to the point count half to either side; cut off, since a point beyond all has an infinite bias.
    below = (moved < 0).mean(axis=1) + (moved == 0).mean(axis=1) / 2
    bias = ndtri(np.clip(below, 0.001, 0.999))
    low, high = _compute_quantiles(moved, np.array([ndtr(2 * bias + z) for z in (-wide, wide)]))
    return low, high


def _compute_quantiles(rows: Floats, levels: Floats) -> Floats:
    """Return quantiles of each row, linear between neighbours; the rows are reordered.

    Args:
        rows: Shape (rows, values).
        levels: Levels of the quantiles of each row, shape (quantiles, rows), as the result has it.
    """
    count = rows.shape[1]
    at = np.clip(levels * (count + 1) - 1, 0, count - 1)
    left = at.astype(np.intp)
    right = np.minimum(left + 1, count - 1)
    # Only the values beside a level have to be in their places: that takes half as long as sorting.
    rows.partition(np.unique((left, right)), axis=1)
    each, part = np.arange(len(rows)), at - left
    quantiles: Floats = rows[each, left] * (1 - part) + rows[each, right] * part
    return quantiles


def _compute_spreads(rows: Floats, d: int, g: int) -> Floats:
    """Return shares, spreads and dominance stacked, shape (7, any), from means of shape (pairs, any)."""
    of_describers, of_generators = (
        g * _sum_squares(_compute_describer_effects(rows, d, g)),
        d * _sum_squares(_compute_generator_effects(rows, d, g)),
    )
    total = _sum_squares(rows - _compute_grand_mean(rows, d, g))
    # The squares of a crossed grid add up, so that the effects of every pair in every resample need not be computed.
    of_pairs = total - of_describers - of_generators
    of_pairs[of_pairs < ROUNDED * total] = 0
    squares = np.stack([of_describers, of_generators, of_pairs])
    # Where no pair differs from another, there is no variance to share: all shares are 0.
    shares = squares / np.where(total > 0, total, 1)
    divisors = np.array([[g * (d - 1)], [d * (g - 1)], [(d - 1) * (g - 1)]])
    spread = np.sqrt(squares / divisors)
    return np.concatenate([shares, spread, spread[:1] - spread[1:2]])


def _sum_squares(effects: Floats) -> Floats:
    """Return the sum of squares of each column."""
    total: Floats = np.einsum("ij,ij->j", effects, effects)
    return total
