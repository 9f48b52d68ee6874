"""Describer and generator effects by a mixed model: each instance has a level of its own, drawn at random.

The model takes the scores of one instance as independent once its level is known. They are not: a picture that suits
one describer suits it with every generator. So only the points come from the model. Standard errors are clustered on
instances (Liang and Zeger 1986, *Longitudinal data analysis using generalized linear models*, Biometrika 73), within
conditions, with n / (n − conditions) for few instances; intervals are Student's with n − conditions degrees of freedom.
On a grid without gaps that is the repeated-measures analysis with instances as subjects.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ircore.statistics.draws import merged_strata
from ircore.statistics.effects import SOURCES, Source
from ircore.statistics.estimate import MINIMUM_PICTURES, Estimate, t_quantile


@dataclass(frozen=True)
class MixedEffects:
    """Score = grand + describer + generator + interaction + instance (random) + rest."""

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
    and Geisser (1959, Psychometrika 24). Without any effect ``benchmarks/effects.py`` finds p < 0.05 in 5 % of cases
    or fewer."""


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

    bread: NDArray[np.float64]
    """Covariance of the coefficients over ``rest``, were the model true."""

    rest: float
    """Variance of what is left."""


def mixed_effects(
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
    if not known.any(axis=0).all() or known.sum(axis=0).min() < MINIMUM_PICTURES:
        return Unavailable(f"needs at least {MINIMUM_PICTURES} pictures with a score of every pair")
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
    strata = merged_strata(["all"] * len(scores) if labels is None else labels)
    clustered = _clustered(fit, design, values - design @ fit.beta, groups, np.array(strata))
    return _result(fit, clustered, blocks, describers, generators)


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
    return _Fit(ratio, float(deviance), beta, np.asarray(np.linalg.inv(left), np.float64), rest)


@dataclass(frozen=True)
class _Clustered:
    """How sure the coefficients are, by instances."""

    covariance: NDArray[np.float64]
    """Of the coefficients."""

    instances: int
    """Instances with a score."""

    freedom: int
    """Instances less conditions."""


def _clustered(
    fit: _Fit,
    design: NDArray[np.float64],
    residuals: NDArray[np.float64],
    groups: NDArray[np.intp],
    strata: NDArray[np.intp],
) -> _Clustered:
    """Return the sandwich of Liang and Zeger (1986): each instance's pull on the coefficients, less its condition's."""
    from scipy.sparse import csr_array

    there, places = np.unique(groups, return_inverse=True)
    order: Any = csr_array((np.ones(len(places)), (places, np.arange(len(places)))), shape=(len(there), len(places)))
    of_design, of_residuals = order @ design, order @ residuals
    shrink = fit.ratio / (1 + fit.ratio * np.bincount(places))
    pulls = order @ (design * residuals[:, None]) - (shrink * of_residuals)[:, None] * of_design
    conditions = strata[there]
    for condition in np.unique(conditions):
        pulls[conditions == condition] -= pulls[conditions == condition].mean(axis=0)
    freedom = len(there) - len(np.unique(conditions))
    influence = pulls @ fit.bread
    return _Clustered(influence.T @ influence * len(there) / freedom, len(there), freedom)


def _design(
    rows: NDArray[np.intp], columns: NDArray[np.intp], d: int, g: int
) -> tuple[NDArray[np.float64], dict[Source, slice]]:
    """Return the design matrix in sum-to-zero coding and where each source's columns are."""
    first, second = _coding(d), _coding(g)
    one, other = first[rows], second[columns]
    both = (one[:, :, None] * other[:, None, :]).reshape(len(rows), -1)
    ends = np.cumsum([1, d - 1, g - 1, (d - 1) * (g - 1)])
    blocks = {name: slice(int(a), int(b)) for name, a, b in zip(SOURCES, ends[:-1], ends[1:], strict=True)}
    return np.hstack([np.ones((len(rows), 1)), one, other, both]), blocks


def _coding(size: int) -> NDArray[np.float64]:
    """Return the weights of coefficients in effects that add up to 0, shape (effects, effects − 1)."""
    return np.vstack([np.eye(size - 1), -np.ones(size - 1)])


def _result(
    fit: _Fit,
    clustered: _Clustered,
    blocks: dict[Source, slice],
    describers: Sequence[str],
    generators: Sequence[str],
) -> MixedEffects:
    first, second = (_coding(len(names)) for names in (describers, generators))
    codings: dict[Source, NDArray[np.float64]] = {
        "describer": first,
        "generator": second,
        "interaction": np.asarray(np.kron(first, second), np.float64),
    }
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
        p={source: _chance(fit, clustered, coding, blocks[source]) for source, coding in codings.items()},
    )


def _chance(fit: _Fit, clustered: _Clustered, coding: NDArray[np.float64], block: slice) -> float:
    """Return p of a source's effects: Σ effect² over its expectation without effects, as an F of Box (1954).

    The degrees of freedom are (tr V)² / tr V² and so many times those of the instances, with the covariance V of the
    effects.
    """
    from scipy.special import fdtrc

    effects, spread = coding @ fit.beta[block], coding @ clustered.covariance[block, block] @ coding.T
    trace = float(np.trace(spread))
    if trace <= 0:
        return float("nan")
    first = trace**2 / float((spread**2).sum())
    return float(fdtrc(first, first * clustered.freedom, float(effects @ effects) / trace))
