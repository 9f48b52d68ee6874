"""How often intervals of recalibrated means hold the truth, and how far off the recovered map is.

    python benchmarks/recalibration.py              400 studies a line, some minutes
    python benchmarks/recalibration.py --studies 50

Every study draws instances and renderings, lets a judge and humans rate them around a known map, fits, and applies the
map to a fresh cell. The truth is the mean that humans would give to such cells. In the second part humans take to each
pair differently, and the cell is of a pair that they rated. Of one that they did not rate there is no interval.
"""

import argparse
from collections import Counter
from collections.abc import Callable
from itertools import product

import numpy as np
from numpy.typing import NDArray
from scipy.special import expit

from ircore.results.statistics.calibration_map import Recalibration
from ircore.results.statistics.recalibration import recalibrate

Floats = NDArray[np.float64]

MAPS: dict[str, Callable[[Floats], Floats]] = {
    "line": lambda x: 1 + 0.7 * x,
    "S-curve": lambda x: np.asarray(10 * expit(0.7 * (x - 6))),
    "square": lambda x: x**2 / 10,
    "stairs": lambda x: np.where(x < 4, 2.0, np.where(x < 8, 5.0, 8.5)),
}
RATED = ((30, 3), (60, 4), (140, 4))
"""Instances and renderings of each that humans rated."""

CELLS = (10, 140)
"""Episodes of the cell."""

PAIRS, OF_PAIR = (2, 3, 4, 8, 20), (0.0, 0.5, 1.0, 2.0)
"""Pairs that humans rated something of, and how differently they take to pairs, standard deviation in points."""

OF_INSTANCE, OF_RATING = 0.7, 1.2
"""Standard deviations of humans around the map."""


def humans(true: Callable[[Floats], Floats], judge: Floats, common: Floats, rng: np.random.Generator) -> Floats:
    """Rate what the judge rated; ``common`` is what ratings of one instance share."""
    return np.clip(true(judge) + common + rng.normal(0, OF_RATING, len(judge)), 0, 10)


def study(true: Callable[[Floats], Floats], instances: int, each: int, rng: np.random.Generator) -> Recalibration:
    """Rate and fit."""
    clusters = np.repeat(np.arange(instances), each)
    level = rng.normal(5.5, 2, instances)[clusters] + rng.normal(0, 1.5, len(clusters))
    judge = np.clip(level, 0, 10).round()
    human = humans(true, judge, rng.normal(0, OF_INSTANCE, instances)[clusters], rng)
    adjusted = recalibrate(judge, human, clusters, fitted_for="judge", resamples=1000, seed=int(rng.integers(2**31)))
    if not isinstance(adjusted, Recalibration):
        raise SystemExit(adjusted.reason)
    return adjusted


def by_pair(studies: int) -> None:
    """Print how often the interval of a cell of 42 holds, by how humans take to pairs and how many pairs they rated."""
    print("\npairs rated  deviation of pairs  covered  width")
    for deviation, pairs in product(OF_PAIR, PAIRS):
        rng = np.random.default_rng(2)
        held, width = 0, 0.0
        for _ in range(studies):
            taste = rng.normal(0, deviation, pairs)
            clusters = np.repeat(np.arange(60), 4)
            judge = np.clip(rng.normal(5.5, 2, 60)[clusters] + rng.normal(0, 1.5, 240), 0, 10).round()
            made_by = rng.integers(0, pairs, 240)
            human = humans(MAPS["line"], judge, rng.normal(0, OF_INSTANCE, 60)[clusters] + taste[made_by], rng)
            names = [str(name) for name in made_by]
            adjusted = recalibrate(judge, human, clusters, fitted_for="judge", pairs=names, resamples=400)
            if not isinstance(adjusted, Recalibration):
                raise SystemExit(adjusted.reason)
            pool = rng.normal(5.5, 2.5, 20_000).clip(0, 10).round()
            cell = adjusted.mean(pool[:42])
            low, high = cell.low or 0.0, cell.high or 10.0
            common = rng.normal(0, OF_INSTANCE, len(pool))
            held += low <= humans(MAPS["line"], pool, common + taste[0], rng).mean() <= high
            width += (high - low) / studies
        print(f"{pairs:11}  {deviation:18}  {held / studies:7.1%}  {width:5.2f}", flush=True)


def main() -> None:
    """Print a line for each map, size of study and cell, then for each number of pairs."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--studies", type=int, default=400)
    studies = parser.parse_args().studies
    by_map(studies)
    by_pair(studies)


def by_map(studies: int) -> None:
    """Print a line for each map, size of study and cell."""
    print("map      rated   cell  covered  too high  too low  width  map off by  chosen")
    for (name, true), (instances, each) in ((first, second) for first in MAPS.items() for second in RATED):
        rng = np.random.default_rng(1)
        pool = rng.normal(6.5, 2, 200_000).clip(0, 10).round()
        truth = float(humans(true, pool, rng.normal(0, OF_INSTANCE, len(pool)), rng).mean())
        lines: dict[int, list[tuple[float, float]]] = {size: [] for size in CELLS}
        chosen, off = Counter[str](), []
        for _ in range(studies):
            items = study(true, instances, each, rng)
            chosen[items.method] += 1
            scores = np.arange(3.0, 9.0)
            off.append(float(np.abs(items.apply(scores)[0] - true(scores)).max()))
            for size, ends in lines.items():
                cell = items.mean(rng.choice(pool, size))
                ends.append((cell.low or 0.0, cell.high or 10.0))
        for size, ends in lines.items():
            low, high = np.array(ends).T
            over, under = (low > truth).mean(), (high < truth).mean()
            print(
                f"{name:8} {instances:3}×{each}  {size:4}  {1 - over - under:7.1%}  {over:8.1%}  {under:7.1%}"
                f"  {(high - low).mean():5.2f}  {np.median(off):10.2f}  {dict(chosen.most_common())}",
                flush=True,
            )


if __name__ == "__main__":
    main()
