"""How often p of the mixed model is below 0.05 without any effect, and how often intervals of effects hold.

    python benchmarks/effects.py                 2,000 grids a line, some minutes
    python benchmarks/effects.py --grids 200
    python benchmarks/effects.py --sentences     verdicts on sentences of the paper about all of m comparisons

Pictures differ in difficulty and, but for the first shape, suit some describers and some generators better than others:
that is no effect of these. In the skewed shape scores are whole numbers that heap up near the top, and 5 % are missing;
in the last one pictures suit describers very differently. Coverage is that of the first describer's effect, which is 0.
Dominance is claimed where its interval lies on one side of 0: for describers, and for generators.
"""

import argparse
from itertools import product
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from ircore.results.statistics.effects import decompose
from ircore.results.statistics.intervals import DIFFERENCE, clear_of, estimate
from ircore.results.statistics.mixed import MixedEffects, fit_mixed_effects
from ircore.results.tables.paper_claims import check_all

Floats = NDArray[np.float64]

GRIDS = ((2, 2), (4, 4), (3, 10))
"""Describers and generators."""

PICTURES = ((3, 1), (5, 1), (10, 1), (42, 1), (140, 14))
"""Pictures, and conditions that they are of."""

SHAPES = ("independent", "tastes", "skewed", "strong tastes")


class Line(NamedTuple):
    """What some grids without effects show."""

    small: tuple[float, ...]
    """Share of p below 0.05: describers, generators, interaction; not defined below five pictures."""

    model: float
    """Share of the mixed model's intervals that hold."""

    effects: float
    """Share of the decomposition's intervals that hold."""

    dominance: tuple[float, ...]
    """Share of grids on which describers dominate, and generators."""


def grid(shape: str, pictures: int, conditions: int, size: tuple[int, int], rng: np.random.Generator) -> Floats:
    """Draw scores without effects, shape (pictures, describers, generators)."""
    d, g = size
    level = rng.normal(0, 1, conditions)[np.arange(pictures) % conditions] + rng.normal(0, 1.5, pictures)
    scores = 6 + level[:, None, None] + rng.normal(0, 1, (pictures, d, g))
    if shape == "strong tastes":
        scores += rng.normal(0, 3, (pictures, d, 1))
    elif shape != "independent":
        scores += rng.normal(0, 1, (pictures, d, 1)) + rng.normal(0, 0.7, (pictures, 1, g))
    if shape == "skewed":
        scores = np.round(10 - 1.2 * np.exp((8 - scores) / 3)).clip(0, 10)
        scores[rng.random(scores.shape) < 0.05] = np.nan
    return np.asarray(scores, np.float64)


def line(shape: str, pictures: int, conditions: int, size: tuple[int, int], grids: int) -> Line:
    """Try some grids."""
    rng = np.random.default_rng(0)
    labels = [str(index % conditions) for index in range(pictures)]
    describers, generators = (
        [f"{side}{index}" for index in range(count)] for side, count in zip("dg", size, strict=True)
    )
    small, held, fits, tried, dominance = np.zeros(3), np.zeros(2), 0, 0, np.zeros(2)
    for _ in range(grids):
        scores = grid(shape, pictures, conditions, size, rng)
        model = fit_mixed_effects(scores, describers, generators, labels)
        if isinstance(model, MixedEffects):
            fits += 1
            small += [p < 0.05 for p in model.p.values()]
            held[0] += _holds(model.describer["d0"].low, model.describer["d0"].high)
        parts = decompose(scores, describers, generators, labels, interaction=False)
        if parts is not None:
            tried += 1
            held[1] += _holds(parts.describer["d0"].low, parts.describer["d0"].high)
            dominance += [clear_of(parts.dominance, 0) == side for side in (1, -1)]
    shares = small / fits if fits else np.full(3, np.nan)
    model, effects = (held / (fits or np.nan, tried or np.nan)).tolist()
    return Line(tuple(shares.tolist()), model, effects, tuple((dominance / (tried or np.nan)).tolist()))


def sentences(tries: int) -> None:
    """Print how often a sentence about all of m differences gets each verdict: none, all, or all but one of them true.

    Differences of scores 0–10 on 10 or 20 pictures, which heap up near the top as scores do; true ones are 1 point.
    """
    print(f"{'m':>4} {'n':>4}  {'true':<12} {'holds':>7} {'exceptions':>11} {'does not':>9} {'open':>6}")
    for m, n, true in product((6, 28, 84), (10, 20), ("none", "all", "all but one")):
        rng = np.random.default_rng(0)
        verdicts = {"holds": 0, "exceptions": 0, "does not hold": 0, "open": 0}
        for _ in range(tries):
            shift = np.full(m, 0.0 if true == "none" else 1.0)
            if true == "all but one":
                shift[0] = -1.5
            base = 8 + rng.normal(0, 1, (m, n))
            first, second = (
                np.round(np.clip(base + rng.normal(0, 0.6, (m, n)) + change, 0, 10), 1)
                for change in (0, -shift[:, None])
            )
            values = [(str(at), estimate((first[at] - second[at]).tolist(), DIFFERENCE)) for at in range(m)]
            verdicts[check_all(values, "differences", "none").verdict] += 1
        shares = [100 * count / tries for count in verdicts.values()]
        print(f"{m:>4} {n:>4}  {true:<12} {shares[0]:>6.1f}% {shares[1]:>10.1f}% {shares[2]:>8.1f}% {shares[3]:>5.1f}%")


def _holds(low: float | None, high: float | None) -> bool:
    return low is not None and high is not None and low <= 0 <= high


def main() -> None:
    """Print a line for each grid, number of pictures and shape."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--grids", type=int, default=2000)
    parser.add_argument("--sentences", action="store_true")
    given = parser.parse_args()
    grids = given.grids
    if given.sentences:
        sentences(grids)
        return
    print(
        "shares of p < 0.05, of intervals of the model and of effects that hold, and of grids on which a side dominates"
    )
    print(
        "grid    pictures  shape          describers  generators  interaction   model  effects  describers  generators"
    )
    for size, (pictures, conditions), shape in product(GRIDS, PICTURES, SHAPES):
        small, model, effects, dominance = line(shape, pictures, conditions, size, grids)
        print(
            f"{size[0]} × {size[1]:<3} {pictures:8}  {shape:14}{small[0]:11.3f} {small[1]:11.3f} {small[2]:12.3f}"
            f" {model:7.3f} {effects:8.3f} {dominance[0]:11.3f} {dominance[1]:11.3f}",
            flush=True,
        )


if __name__ == "__main__":
    main()
