"""Describer and generator effects by a mixed model: each instance has a level of its own, drawn at random."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ircore.statistics.effects import SOURCES, Source
from ircore.statistics.estimate import CONFIDENCE, Estimate

EXTRA = "pip install 'ircore[analysis]'"


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


def mixed_effects(
    scores: NDArray[np.float64], describers: Sequence[str], generators: Sequence[str]
) -> MixedEffects | Unavailable:
    """Fit the model by restricted maximum likelihood (statsmodels, ``MixedLM``), effects coded to add up to 0.

    Args:
        scores: Shape (instances, describers, generators), NaN where there is none.
        describers: Names.
        generators: Names.
    """
    import warnings

    try:
        from statsmodels.regression.mixed_linear_model import MixedLM
    except ImportError:
        return Unavailable(f"statsmodels is not installed: {EXTRA}")
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
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # a variance of 0 is an answer, not a fault
        try:
            fit = MixedLM(values, design, groups).fit(reml=True)
        except np.linalg.LinAlgError:
            return Unavailable("the model is singular on these scores")
    if not np.isfinite(fit.bse_fe).all():
        return Unavailable("the model has no standard errors on these scores")
    return _result(fit, blocks, describers, generators, len(values))


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
    fit: Any, blocks: dict[Source, slice], describers: Sequence[str], generators: Sequence[str], n: int
) -> MixedEffects:
    from scipy.special import chdtrc, ndtri

    size = len(fit.fe_params)
    beta, covariance = np.asarray(fit.fe_params), np.asarray(fit.cov_params())[:size, :size]
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
        instance_deviation=float(np.asarray(fit.cov_re)[0, 0]) ** 0.5,
        rest_deviation=float(fit.scale) ** 0.5,
        p={source: chance(block) for source, block in blocks.items()},
    )
