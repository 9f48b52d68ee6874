"""Describer and generator effects by a mixed model: each instance has a level of its own, drawn at random."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from ircore.results.statistics.effects import SOURCES, Source
from ircore.results.statistics.intervals import CONFIDENCE, Estimate


@dataclass(frozen=True)
class MixedEffects:
    """Score = grand + describer + generator + interaction + instance (random) + rest."""

    grand: Estimate
    """Mean of all pairs; intervals here are mean ± z · standard error."""

    describer: Mapping[str, Estimate]
    """Effect of each describer; they add up to 0. ``n`` counts scores."""

    generator: Mapping[str, Estimate]
    """Effect of each generator; they add up to 0."""

    instance_deviation: float
    """Standard deviation of the instances' levels, in the unit of the scores."""

    rest_deviation: float
    """Standard deviation of what is left."""

    p: Mapping[Source, float]
    """Probability of effects at least this large if there were none: Wald's test, χ²."""


@dataclass(frozen=True)
class Unavailable:
    """What stands where a mixed model cannot be fitted."""

    reason: str
    """Why, one line."""


@dataclass(frozen=True)
class _Sums:
    """What the likelihood needs of the data: products over everything, and sums within each instance."""

    products: NDArray[np.float64]
    """Of the design's columns and the scores with each other, shape (p + 1, p + 1), the scores last."""

    within: NDArray[np.float64]
    """Sum of the same over each instance's scores, shape (instances, p + 1)."""

    sizes: NDArray[np.float64]
    """Scores of each instance."""

    @classmethod
    def of(cls, design: NDArray[np.float64], values: NDArray[np.float64], groups: NDArray[np.intp]) -> "_Sums":
        both = np.column_stack([design, values])
        within = np.zeros((int(groups.max()) + 1, both.shape[1]))
        np.add.at(within, groups, both)
        sizes = np.bincount(groups, minlength=len(within)).astype(np.float64)
        return cls(both.T @ both, within[sizes > 0], sizes[sizes > 0])


@dataclass(frozen=True)
class _Fit:
    """The model at one ratio of variances."""

    ratio: float
    """Variance of the instances' levels over that of the rest, ≥ 0."""

    deviance: float
    """−2 × restricted log-likelihood, but for a constant."""

    beta: NDArray[np.float64]
    """Coefficients."""

    covariance: NDArray[np.float64]
    """Of the coefficients."""

    rest: float
    """Variance of what is left."""


def mixed_effects(
    scores: NDArray[np.float64], describers: Sequence[str], generators: Sequence[str]
) -> MixedEffects | Unavailable:
    """Fit the model by restricted maximum likelihood, effects coded to add up to 0.

    With one random level an instance, coefficients and residual variance have a closed form for each ratio of the two
    variances (Patterson and Thompson 1971), so that only this ratio is searched for. General optimisers stop at a
    ratio of 0 now and then, and are a hundred times slower on large grids.

    Args:
        scores: Shape (instances, describers, generators), NaN where there is none.
        describers: Names.
        generators: Names.
    """
    if min(len(describers), len(generators)) < 2:
        return Unavailable("needs at least two describers and two generators, all crossed")
    known = ~np.isnan(scores)
    if (known.any(axis=(1, 2))).sum() < 2 or not known.any(axis=0).all():
        return Unavailable("needs at least two instances, and a score of every pair")
    groups, rows, columns = np.nonzero(known)
    design, blocks = _design(rows, columns, len(describers), len(generators))
    values = scores[known]
    if len(np.unique(values)) == 1 or len(values) <= design.shape[1]:
        return Unavailable("the scores do not vary, or are too few")
    try:
        fit = _best(_Sums.of(design, values, groups), len(values))
    except np.linalg.LinAlgError:
        return Unavailable("the model is singular on these scores")
    if fit.rest <= 0:
        return Unavailable("the model explains every score, so there is nothing to judge it by")
    return _result(fit, blocks, describers, generators, len(values))


def _best(sums: _Sums, n: int) -> _Fit:
    """Return the fit of least deviance; a ratio of 0 is one of the answers."""
    from scipy.optimize import minimize_scalar

    found = minimize_scalar(lambda log: _fit(sums, n, float(np.exp(log))).deviance, bounds=(-12, 12), method="bounded")
    return min(_fit(sums, n, 0.0), _fit(sums, n, float(np.exp(found.x))), key=lambda fit: fit.deviance)


def _fit(sums: _Sums, n: int, ratio: float) -> _Fit:
    """Fit by generalised least squares at a ratio of variances (Woodbury's identity within each instance)."""
    shrunk = sums.within * np.sqrt(ratio / (1 + ratio * sums.sizes))[:, None]
    products = sums.products - shrunk.T @ shrunk
    left, right = products[:-1, :-1], products[:-1, -1]
    beta = np.asarray(np.linalg.solve(left, right), np.float64)
    freedom = n - len(beta)
    squares = float(products[-1, -1] - right @ beta)
    rest = max(squares, 0.0) / freedom
    sign, determinant = np.linalg.slogdet(left)
    if sign <= 0:
        raise np.linalg.LinAlgError("singular")
    deviance = freedom * np.log(max(squares, 1e-300)) + np.log1p(ratio * sums.sizes).sum() + determinant
    covariance = np.asarray(rest * np.linalg.inv(left), np.float64)
    return _Fit(ratio, float(deviance), beta, covariance, rest)


def _design(
    rows: NDArray[np.intp], columns: NDArray[np.intp], d: int, g: int
) -> tuple[NDArray[np.float64], dict[Source, slice]]:
    """Return the design matrix in sum-to-zero coding and where each source's columns are."""
    first, second = (np.vstack([np.eye(size - 1), -np.ones(size - 1)]) for size in (d, g))
    one, other = first[rows], second[columns]
    both = (one[:, :, None] * other[:, None, :]).reshape(len(rows), -1)
    ends = np.cumsum([1, d - 1, g - 1, (d - 1) * (g - 1)])
    blocks = {name: slice(int(a), int(b)) for name, a, b in zip(SOURCES, ends[:-1], ends[1:], strict=True)}
    return np.hstack([np.ones((len(rows), 1)), one, other, both]), blocks


def _result(
    fit: _Fit, blocks: dict[Source, slice], describers: Sequence[str], generators: Sequence[str], n: int
) -> MixedEffects:
    from scipy.special import chdtrc, ndtri

    beta, covariance = fit.beta, fit.covariance
    z = float(ndtri((1 + CONFIDENCE) / 2))

    def estimate(weights: NDArray[np.float64], block: slice) -> Estimate:
        point = float(weights @ beta[block])
        half = z * float(weights @ covariance[block, block] @ weights) ** 0.5
        return Estimate(point, point - half, point + half, n)

    def effects(names: Sequence[str], source: Source) -> dict[str, Estimate]:
        coding = np.vstack([np.eye(len(names) - 1), -np.ones(len(names) - 1)])
        return {name: estimate(row, blocks[source]) for name, row in zip(names, coding, strict=True)}

    def chance(block: slice) -> float:
        statistic = beta[block] @ np.linalg.solve(covariance[block, block], beta[block])
        return float(chdtrc(block.stop - block.start, statistic))

    return MixedEffects(
        grand=estimate(np.ones(1), slice(0, 1)),
        describer=effects(describers, "describer"),
        generator=effects(generators, "generator"),
        instance_deviation=(fit.ratio * fit.rest) ** 0.5,
        rest_deviation=fit.rest**0.5,
        p={source: chance(block) for source, block in blocks.items()},
    )
