"""What describers and generators each contribute: the two-way decomposition of a crossed grid of pairs."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from ircore.results.statistics.bootstrap import Ratios, Resamples, resample, resampled_ends
from ircore.results.statistics.intervals import Estimate

Source = Literal["describer", "generator", "interaction"]

SOURCES: tuple[Source, ...] = ("describer", "generator", "interaction")

LARGEST_SEARCH = 14
"""Up to so many names on the shorter side, every choice of them is looked at; beyond, the fullest rows are taken."""


@dataclass(frozen=True)
class Effects:
    """Mean of pair (d, g) = grand + describer d + generator g + interaction (d, g); each kind adds up to 0."""

    describers: tuple[str, ...]
    """Of the grid, in order."""

    generators: tuple[str, ...]
    """Of the grid, in order."""

    grand: Estimate
    """Mean over all pairs, in the unit of the scores."""

    describer: Mapping[str, Estimate]
    """How much better pairs with this describer are than the grand mean."""

    generator: Mapping[str, Estimate]
    """How much better pairs with this generator are."""

    interaction: Mapping[tuple[str, str], Estimate]
    """What describer and generator are together beyond the sum of both; empty if it was not asked for."""

    shares: Mapping[Source, Estimate]
    """Share of the sum of squares between pairs, 0–1; the three add up to 1."""

    spread: Mapping[Source, Estimate]
    """Standard deviation of the effects, degrees of freedom as divisor, in the unit of the scores."""

    dominance: Estimate
    """Spread of describers less spread of generators: above 0 the describer matters more.

    Noise gives even a side without any effect some spread: where one side has none, this is nearer to 0 than the truth.
    """


def complete_grid(pairs: Sequence[tuple[str, str]]) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """Choose the largest set of describers and generators of which every pair is there.

    Of several with as many pairs, the one with more describers, then the first in alphabetical order.

    Args:
        pairs: Describer and generator of each pair that was played.

    Returns:
        Describers and generators, sorted; both empty if there are none.
    """
    by_describer: dict[str, set[str]] = {}
    for describer, generator in pairs:
        by_describer.setdefault(describer, set()).add(generator)
    by_generator: dict[str, set[str]] = {}
    for describer, generator in pairs:
        by_generator.setdefault(generator, set()).add(describer)
    flipped = len(by_generator) < len(by_describer)
    rows = by_generator if flipped else by_describer
    found = [(chosen, set.intersection(*(rows[name] for name in chosen))) for chosen in _choices(rows)]
    grids = [
        (tuple(sorted(shared)), chosen) if flipped else (chosen, tuple(sorted(shared)))
        for chosen, shared in found
        if shared
    ]
    return min(grids, key=lambda grid: (-len(grid[0]) * len(grid[1]), -len(grid[0]), grid), default=((), ()))


def _choices(rows: Mapping[str, set[str]]) -> list[tuple[str, ...]]:
    names = sorted(rows)
    if len(names) <= LARGEST_SEARCH:
        return [chosen for size in range(1, len(names) + 1) for chosen in combinations(names, size)]
    fullest = sorted(names, key=lambda name: (-len(rows[name]), name))
    return [tuple(sorted(fullest[:size])) for size in range(1, len(names) + 1)]


def decompose(
    scores: NDArray[np.float64],
    describers: Sequence[str],
    generators: Sequence[str],
    labels: Sequence[str],
    interaction: bool = True,
) -> Effects | None:
    """Decompose the means of a crossed grid, with intervals over instances.

    The intervals are percentile intervals from resamples of the instances, those of shares, spreads and dominance
    corrected for bias (Efron 1987): noise makes resampled spreads larger than the actual one.

    Args:
        scores: Shape (instances, describers, generators); NaN where there is none, which leaves that pair's mean to
            its other instances, as on boards.
        describers: Names, at least two.
        generators: Names, at least two.
        labels: Condition of each instance, within which instances are drawn again.
        interaction: Whether the interaction of every pair is wanted too: of a large grid it takes longest.

    Returns:
        The decomposition; None if a pair has fewer than two scores, or a side fewer than two players.
    """
    known = scores.reshape(len(scores), -1)
    if min(len(describers), len(generators)) < 2 or (~np.isnan(known)).sum(axis=0).min() < 2:
        return None
    drawn = resample(labels)
    ratios = Ratios.means(known)
    shape = (len(describers), len(generators))
    means = ratios.points.reshape(*shape, 1)
    again = (ratios.points[:, None] + ratios.deviations(drawn)).reshape(*shape, -1)
    first, second = 1 + shape[0], 1 + shape[0] + shape[1]
    parts, drawn_parts = _parts(means), _parts(again)
    wanted = len(parts) if interaction else -1
    linear = _intervals(_effects(parts[:wanted]), _effects(drawn_parts[:wanted]), drawn, ratios, corrected=False)
    others = _intervals(_spreads(parts), _spreads(drawn_parts), drawn, ratios, corrected=True)
    pairs = [(d, g) for d in describers for g in generators] if interaction else []
    return Effects(
        describers=tuple(describers),
        generators=tuple(generators),
        grand=linear[0],
        describer=dict(zip(describers, linear[1:first], strict=True)),
        generator=dict(zip(generators, linear[first:second], strict=True)),
        interaction=dict(zip(pairs, linear[second:], strict=True)),
        shares=dict(zip(SOURCES, others[:3], strict=True)),
        spread=dict(zip(SOURCES, others[3:6], strict=True)),
        dominance=others[6],
    )


def _parts(means: NDArray[np.float64]) -> tuple[NDArray[np.float64], ...]:
    """Return grand mean, describer, generator and interaction effects, each of shape (…, …, resamples)."""
    grand = means.mean(axis=(0, 1), keepdims=True)
    rows = means.mean(axis=1, keepdims=True) - grand
    columns = means.mean(axis=0, keepdims=True) - grand
    return grand, rows, columns, means - grand - rows - columns


def _effects(parts: Sequence[NDArray[np.float64]]) -> NDArray[np.float64]:
    """Return the effects of some parts one below the other, shape (effects, resamples)."""
    return np.concatenate([part.reshape(-1, part.shape[2]) for part in parts])


def _spreads(parts: Sequence[NDArray[np.float64]]) -> NDArray[np.float64]:
    """Return shares, spreads and dominance one below the other, shape (7, resamples)."""
    _, rows, columns, rest = parts
    d, g = len(rows), columns.shape[1]
    squares = np.stack([g * (rows**2).sum(axis=(0, 1)), d * (columns**2).sum(axis=(0, 1)), (rest**2).sum(axis=(0, 1))])
    total = squares.sum(axis=0)
    shares = squares / np.where(total > 0, total, 1)
    divisors = np.array([[g * (d - 1)], [d * (g - 1)], [(d - 1) * (g - 1)]])
    spread = np.sqrt(squares / divisors)
    return np.concatenate([shares, spread, spread[:1] - spread[1:2]])


def _intervals(
    points: NDArray[np.float64], again: NDArray[np.float64], drawn: Resamples, ratios: Ratios, corrected: bool
) -> list[Estimate]:
    rows = len(points)
    # Every effect rests on all pairs: the one with the fewest scores says how few they are.
    counts, freedom = (np.full(rows, each.min()) for each in (ratios.counts, ratios.degrees(drawn)))
    flat = np.zeros((drawn.size, rows))
    low, high = resampled_ends(flat, counts, freedom, again - points, "bca" if corrected else "percentile")
    return [
        Estimate(float(point), float(point + below), float(point + above), int(counts[0]))
        for point, below, above in zip(points[:, 0], low, high, strict=True)
    ]
