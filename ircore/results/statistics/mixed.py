"""Describer and generator effects by a mixed model with a random level for each instance.

The model takes the scores of one instance as independent once its level is known. They are not: a picture that suits
one describer suits it with every generator. So only the points come from the model. Standard errors are clustered on
instances (Liang and Zeger 1986, *Longitudinal data analysis using generalized linear models*, Biometrika 73), within
conditions, with n / (n − conditions) for few instances; intervals are Student's with n − conditions degrees of freedom.
On a grid without gaps that is the repeated-measures analysis with instances as subjects.

Matrices here have as many rows as there are pairs. ``np.einsum`` multiplies them in one thread: several threads would
wait for each other for longer than they work, on a busy machine a thousand times as long.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise

import numpy as np
from numpy.typing import NDArray

from ircore.results.statistics.effects import Source
from ircore.results.statistics.intervals import MINIMUM_PICTURES, Estimate, t_quantile
from ircore.results.statistics.resamples import merge_strata


@dataclass(frozen=True)
class MixedEffects:
    """Score = grand + describer + generator + interaction + instance (random) + rest.

    Example:
        >>> zero = Estimate(0.0, -0.2, 0.2, 40)
        >>> grand = Estimate(7.0, 6.8, 7.2, 40)
        >>> effects = MixedEffects(grand, {"a": zero, "b": zero}, {"x": zero, "y": zero}, 1.1, 0.6, {})
        >>> effects.grand.mean
        7.0
    """

    grand: Estimate
    """Mean of all pairs; intervals here are point ± t · clustered standard error, ``n`` counts instances."""

    describer: Mapping[str, Estimate]
    """Effect of each describer; they add up to 0."""

    generator: Mapping[str, Estimate]
    """Effect of each generator; they add up to 0."""

    instance_deviation: float
    """Standard deviation of the instances' levels, in the unit of the scores."""

    rest_deviation: float
    """Standard deviation of what is left."""

    p: Mapping[Source, float]
    """Probability of effects at least this large if there were none: F test with the degrees of freedom of Greenhouse
    and Geisser (1959, Psychometrika 24). Without any effect ``benchmarks/effects.py`` finds p < 0.05 in about 5 % of
    cases, in fewer where there are few pictures for the effects."""


@dataclass(frozen=True)
class Unavailable:
    """Stands in place of a mixed model that cannot be fitted."""

    reason: str
    """Reason, one line."""


@dataclass(frozen=True)
class _Grid:
    """Scores by instance and pair, with the design row of each pair."""

    known: NDArray[np.float64]
    """1 where there is a score, else 0, shape (instances, pairs)."""

    values: NDArray[np.float64]
    """The scores, 0 where there is none, shape (instances, pairs)."""

    design: NDArray[np.float64]
    """One row a pair: 1, then its describer, its generator and both in sum-to-zero coding, shape (pairs, pairs)."""

    @classmethod
    def of(cls, scores: NDArray[np.float64]) -> "_Grid":
        known = ~np.isnan(scores)
        # An instance without a score says nothing, and would count as a degree of freedom.
        there = known.any(axis=(1, 2))
        first, second = (np.hstack([np.ones((size, 1)), _build_coding(size)]) for size in scores.shape[1:])
        every = np.kron(first, second)
        size = scores.shape[2]
        # Describers' columns are those that do not name a generator, and so on: the order of the blocks.
        own, other = np.divmod(np.arange(every.shape[1]), size)
        order = np.lexsort((other, own, (own > 0) * 1 + (other > 0) * 2))
        flat = known[there].reshape(-1, every.shape[0])
        values = np.where(flat, scores[there].reshape(flat.shape), 0.0)
        return cls(flat.astype(np.float64), values, np.asarray(every[:, order], np.float64))

    @property
    def n(self) -> int:
        """Number of scores."""
        return int(self.known.sum())

    def within(self, weighted: NDArray[np.float64]) -> NDArray[np.float64]:
        """Return each instance's sum over its pairs of weight × design, shape (instances, coefficients)."""
        return np.asarray(np.einsum("ip,pk->ik", weighted, self.design), np.float64)


@dataclass(frozen=True)
class _Sums:
    """Sufficient statistics of the likelihood: products over all scores, and sums within each instance."""

    products: NDArray[np.float64]
    """Products of the design's columns and the scores with each other, shape (k + 1, k + 1), the scores last."""

    by_size: NDArray[np.float64]
    """Products of the instances' sums of the same, added up over those with as many scores, (sizes, k + 1, k + 1)."""

    sizes: NDArray[np.float64]
    """Scores of these instances."""

    counts: NDArray[np.intp]
    """Number of instances with each of these numbers of scores."""

    @classmethod
    def of(cls, grid: _Grid) -> "_Sums":
        weights = grid.known.sum(axis=0)
        crossed = np.einsum("pk,p,pl->kl", grid.design, weights, grid.design)
        # Scores that are missing are 0 in the values, and so add nothing.
        right = np.einsum("pk,p->k", grid.design, grid.values.sum(axis=0))
        products = np.block([[crossed, right[:, None]], [right, np.array([[(grid.values**2).sum()]])]])
        sums = np.column_stack([grid.within(grid.known), grid.values.sum(axis=1)])
        sizes, places, counts = np.unique(grid.known.sum(axis=1), return_inverse=True, return_counts=True)
        groups = [sums[places == place] for place in range(len(sizes))]
        by_size = np.stack([np.einsum("ij,ik->jk", group, group) for group in groups])
        return cls(products, by_size, sizes, counts)

    def shrunk(self, ratio: float) -> NDArray[np.float64]:
        """Return the products, each instance's scores weighted by the inverse of their covariance (Woodbury)."""
        result: NDArray[np.float64] = self.products - np.einsum(
            "s,sjk->jk", ratio / (1 + ratio * self.sizes), self.by_size
        )
        return result


@dataclass(frozen=True)
class _Fit:
    """The mixed model fitted at a given ratio of variances."""

    ratio: float
    """Variance of the instances' levels over that of the rest, ≥ 0."""

    beta: NDArray[np.float64]
    """Coefficients."""

    bread: NDArray[np.float64]
    """Covariance of the coefficients over ``rest``, were the model true."""

    rest: float
    """Variance of what is left."""


def fit_mixed_effects(
    scores: NDArray[np.float64],
    describers: Sequence[str],
    generators: Sequence[str],
    labels: Sequence[str] | None = None,
) -> MixedEffects | Unavailable:
    """Fit the model by restricted maximum likelihood, effects coded to add up to 0.

    With one random level an instance, coefficients and residual variance have a closed form for each ratio of the two
    variances (Patterson and Thompson 1971), so that only this ratio is searched for. General optimisers stop at a
    ratio of 0 now and then, and are a hundred times slower on large grids.

    Args:
        scores: Shape (instances, describers, generators), NaN where there is none.
        describers: Names.
        generators: Names.
        labels: Condition of each instance, within which they vary by chance; without it they are all of one.
    """
    if min(len(describers), len(generators)) < 2:
        return Unavailable("needs at least two describers and two generators, all crossed")
    known = ~np.isnan(scores)
    if known.sum(axis=0).min() < MINIMUM_PICTURES:
        return Unavailable(f"needs at least {MINIMUM_PICTURES} pictures with a score of every pair")
    if len(np.unique(scores[known])) == 1:
        return Unavailable("the scores do not vary, or are too few")
    grid = _Grid.of(scores)
    try:
        fit = _find_best_fit(_Sums.of(grid), grid.n)
    except np.linalg.LinAlgError:
        return Unavailable("the model explains every score, or is singular on them, so there is nothing to judge it by")
    strata = np.array(merge_strata(["all"] * len(scores) if labels is None else labels))
    clustered = _compute_sandwich(fit, grid, strata[known.any(axis=(1, 2))])
    return _build_result(fit, clustered, describers, generators)


def _find_best_fit(sums: _Sums, n: int) -> _Fit:
    """Return the fit of least deviance, where the ratio of variances may be 0."""
    from scipy.optimize import minimize_scalar

    # The logarithm is searched through, since ratios range over many powers of ten.
    optimum = minimize_scalar(
        lambda log: _compute_deviance(sums, n, float(np.exp(log))), bounds=(-12, 12), method="bounded"
    )
    # A search in logarithms never reaches 0, which is the best ratio where instances do not differ.
    return _fit(sums, n, min(0.0, float(np.exp(optimum.x)), key=lambda ratio: _compute_deviance(sums, n, ratio)))


def _compute_deviance(sums: _Sums, n: int, ratio: float) -> float:
    """Return −2 × restricted log-likelihood, but for a constant.

    The last row of the Cholesky factor of all products holds what the scores have left beyond the design.
    """
    diagonal = np.diag(_factorise(sums, ratio))
    freedom = n - len(diagonal) + 1
    levels = float((sums.counts * np.log1p(ratio * sums.sizes)).sum())
    return float(2 * freedom * np.log(diagonal[-1]) + 2 * np.log(diagonal[:-1]).sum()) + levels


def _factorise(sums: _Sums, ratio: float) -> NDArray[np.float64]:
    """Return the lower Cholesky factor of all products; LinAlgError if the design leaves nothing of the scores."""
    return np.asarray(np.linalg.cholesky(sums.shrunk(ratio)), np.float64)


def _fit(sums: _Sums, n: int, ratio: float) -> _Fit:
    """Fit by generalised least squares at a ratio of variances."""
    from scipy.linalg.lapack import dtrtri

    factor = _factorise(sums, ratio)
    inverse = np.tril(dtrtri(factor[:-1, :-1], lower=1)[0])
    return _Fit(
        ratio=ratio,
        beta=np.einsum("kj,k->j", inverse, factor[-1, :-1]),
        bread=np.einsum("ki,kj->ij", inverse, inverse),
        rest=float(factor[-1, -1]) ** 2 / (n - len(inverse)),
    )


@dataclass(frozen=True)
class _Clustered:
    """Covariance of the coefficients, clustered by instances."""

    covariance: NDArray[np.float64]
    """Covariance of the coefficients."""

    instances: int
    """Instances with a score."""

    freedom: int
    """Instances less conditions."""


def _compute_sandwich(fit: _Fit, grid: _Grid, strata: NDArray[np.intp]) -> _Clustered:
    """Return the sandwich of Liang and Zeger (1986): each instance's pull on the coefficients, less its condition's."""
    # Known pairs alone: where there is no score, there is no residual.
    residuals = grid.values - grid.known * np.einsum("pk,k->p", grid.design, fit.beta)
    shrink = fit.ratio / (1 + fit.ratio * grid.known.sum(axis=1))
    pulls = grid.within(residuals) - (shrink * residuals.sum(axis=1))[:, None] * grid.within(grid.known)
    conditions = np.unique(strata)
    for condition in conditions:
        # A set has a fixed number of instances of each condition, so conditions do not vary by chance.
        pulls[strata == condition] -= pulls[strata == condition].mean(axis=0)
    freedom = len(strata) - len(conditions)
    influence = np.einsum("ik,kl->il", pulls, fit.bread)
    covariance = np.einsum("ik,il->kl", influence, influence) * (len(strata) / freedom)
    return _Clustered(covariance, len(strata), freedom)


def _build_coding(size: int) -> NDArray[np.float64]:
    """Return the weights of coefficients in effects that add up to 0, shape (effects, effects − 1)."""
    return np.vstack([np.eye(size - 1), -np.ones(size - 1)])


def _build_result(
    fit: _Fit, clustered: _Clustered, describers: Sequence[str], generators: Sequence[str]
) -> MixedEffects:
    first, second = (_build_coding(len(names)) for names in (describers, generators))
    codings: dict[Source, NDArray[np.float64]] = {
        "describer": first,
        "generator": second,
        "interaction": np.asarray(np.kron(first, second), np.float64),
    }
    ends = np.cumsum([1, *(coding.shape[1] for coding in codings.values())])
    blocks = dict(zip(codings, (slice(int(a), int(b)) for a, b in pairwise(ends)), strict=True))
    level = t_quantile(clustered.freedom)

    def estimates(coding: NDArray[np.float64], block: slice) -> list[Estimate]:
        points = coding @ fit.beta[block]
        halves = level * np.sqrt(np.einsum("ij,jk,ik->i", coding, clustered.covariance[block, block], coding))
        pairs = zip(points.tolist(), halves.tolist(), strict=True)
        return [Estimate(point, point - half, point + half, clustered.instances) for point, half in pairs]

    return MixedEffects(
        grand=estimates(np.ones((1, 1)), slice(0, 1))[0],
        describer=dict(zip(describers, estimates(first, blocks["describer"]), strict=True)),
        generator=dict(zip(generators, estimates(second, blocks["generator"]), strict=True)),
        instance_deviation=(fit.ratio * fit.rest) ** 0.5,
        rest_deviation=fit.rest**0.5,
        p={source: _compute_p_value(fit, clustered, coding, blocks[source]) for source, coding in codings.items()},
    )


def _compute_p_value(fit: _Fit, clustered: _Clustered, coding: NDArray[np.float64], block: slice) -> float:
    """Return p of a source's effects: Σ effect² over its expectation without effects, as an F of Box (1954).

    The degrees of freedom are (tr V)² / tr V² and so many times those of the instances, with the covariance V of the
    effects.
    """
    from scipy.special import fdtrc

    effects = np.einsum("ij,j->i", coding, fit.beta[block])
    spread = np.einsum("ik,jk->ij", np.einsum("ij,jk->ik", coding, clustered.covariance[block, block]), coding)
    trace = float(np.trace(spread))
    # All effects of the source are the same in every instance: there is no chance to compare them with.
    if trace <= 0:
        return float("nan")
    first = trace**2 / float((spread**2).sum())
    return float(fdtrc(first, first * clustered.freedom, float((effects**2).sum()) / trace))
