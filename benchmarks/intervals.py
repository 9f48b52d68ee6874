"""How long all tables and intervals take and how much memory, how that grows, and how often intervals and ranks hold.

    python benchmarks/intervals.py           all parts, some minutes
    python benchmarks/intervals.py speed     one part: speed, coverage, ranks or refusals

Speed counts ``Results.from_runs``, every board, and every table as JSON (those of a judge for each), from runs that are
in memory, of 140 episodes and three judges each, with 10,000 resamples; each size runs in a process of its own, so that
the memory is its own. Coverage and ranks are simulations whose truth is known.
"""

import argparse
import resource
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from ircore.results.statistics.bootstrap import (
    DIFFERENCE,
    MAIN,
    SCORE,
    Method,
    Ratios,
    Scale,
    ratio_intervals,
    resample,
)
from ircore.results.statistics.ranks import standing

if TYPE_CHECKING:
    from invented import InventedRun

ROOT = Path(__file__).resolve().parents[1]
PARTS = ("speed", "coverage", "ranks", "refusals")
SIZES = (25, 50, 100)
METHODS: tuple[Method, ...] = ("percentile", "bca", "student")

PLAYED = (0.5, 0.8, 0.95, 1.0)
"""Shares of episodes that are not aborted."""

SHAPES: dict[str, list[float]] = {
    "even": [2, 4, 7, 10, 12, 13, 14, 14, 13, 8, 3],
    "weak pair": [10, 14, 18, 20, 14, 9, 6, 4, 3, 1.5, 0.5],
    "strong pair": [0.5, 1, 2, 3, 5, 8, 12, 17, 27, 20, 4.5],
    "rarely fails": [1, 1, 2, 2, 3, 4, 6, 11, 27, 35, 8],
    "near the top": [0.5, 0.5, 1, 1, 1, 2, 3, 5, 12, 34, 40],
    "two heaps": [3, 5, 10, 10, 5, 3, 4, 10, 30, 17, 3],
}
"""Share of episodes in percent that get each score 0–10."""

CHANGES: dict[str, dict[int, float]] = {
    "helps": {-2: 2, -1: 4, 0: 14, 1: 20, 2: 25, 3: 15, 4: 10, 5: 6, 6: 3, 7: 1},
    "mixed": {-4: 1, -3: 1, -2: 3, -1: 8, 0: 42, 1: 20, 2: 12, 3: 6, 4: 4, 5: 2, 6: 1},
    "mostly stable": {-5: 1, -2: 1, -1: 4, 0: 75, 1: 12, 2: 5, 3: 1, 5: 1},
    "harms at times": {-7: 3, -5: 3, -2: 6, -1: 13, 0: 45, 1: 18, 2: 8, 3: 3, 4: 1},
}
"""Share of episodes in percent that get each ΔQ."""


def speed() -> None:
    """Print seconds and memory for each number of pairs."""
    print(f"{'pairs':>6}{'cells':>8}{'make s':>9}{'results s':>11}{'boards s':>10}{'tables s':>10}{'peak MB':>9}")
    for pairs in SIZES:
        subprocess.run([sys.executable, __file__, "--pairs", str(pairs)], check=True)


def one_speed(pairs: int) -> None:
    """Measure one number of pairs in this process."""
    sys.path.insert(0, str(ROOT / "tests" / "support"))
    from invented import invented_run, invented_set

    from ircore.results.model import Results
    from ircore.results.tables.catalogue import TABLES, Question
    from ircore.results.tables.formats import render

    spent: dict[str, float] = {}
    begun = time.perf_counter()
    instances, runs = invented_set(10), []
    for index in range(pairs):
        run = invented_run(instances, f"describer-{index // 10}", f"generator-{index % 10}", 4 + index % 7 / 3, 0.3)
        runs.append(_by_three(run))
    made = time.perf_counter()
    before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
    results = Results.from_runs(runs)
    computed = time.perf_counter()
    for category in (None, *results.categories):
        for difficulty in (None, *results.difficulties):
            for judge in results.judges:
                results.board(judge, category, difficulty)
    boards = time.perf_counter()
    for name, entry in TABLES.items():
        for judge in results.judges if entry.of_judge else results.judges[:1]:
            started = time.perf_counter()
            render(entry.build(results, Question(judge)), "json")
            spent[name] = spent.get(name, 0.0) + time.perf_counter() - started
    tables = time.perf_counter()
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
    print(
        f"{pairs:>6}{len(results.cells):>8}{made - begun:>9.1f}{computed - made:>11.2f}{boards - computed:>10.2f}"
        f"{tables - boards:>10.2f}{peak:>9.0f}  ({before:.0f} MB of it before)"
    )
    slowest = [item for item in sorted(spent.items(), key=lambda item: -item[1]) if item[1] >= 0.05]
    print(" " * 8 + "tables from 0.05 s: " + ", ".join(f"{name} {seconds:.2f} s" for name, seconds in slowest))


def _by_three(run: "InventedRun") -> "InventedRun":
    """Return the run as rated by three judges; as with a folder, no score is in memory until it is asked for."""
    from invented import InventedRun

    from ircore.core.score_records import Score

    class Rated(InventedRun):
        def scores(self) -> tuple[Score, ...]:
            return tuple(
                score.model_copy(update={"judge": judge, "value": float(round(score.value or 0))})
                for judge in ("judge-a", "judge-b", "judge-c")
                for score in self.given
            )

    return Rated(run.path, run.run, run.instances, run.played, run.given)


def coverage(trials: int = 4000) -> None:
    """Print how often the 95 % intervals hold the true mean, by shape of the data, n and method."""
    print(f"\n{'share of intervals that hold':<32}{'n':>5}" + "".join(f"{method:>12}" for method in METHODS))
    rng = np.random.default_rng(0)
    for what, (name, steps, odds) in _shapes():
        for size, strata in ((5, 1), (10, 1), (20, 1), (10, 14)):
            values = rng.choice(steps, (size * strata, trials), p=odds)
            values[rng.random(values.shape) < 0.05] = np.nan
            print(f"{name:<32}{size * strata:>5}" + "".join(
                f"{_held(values, strata, float(odds @ steps), what, method):>12.3f}" for method in METHODS
            ))  # fmt: skip
    main_scores()


def main_scores(trials: int = 2000) -> None:
    """Print how often intervals of the main score hold, by the true share of episodes that are played."""
    print(f"\n{'main scores that hold':<32}{'n':>5}" + "".join(f"{f'played {share}':>12}" for share in PLAYED))
    for name, shares in SHAPES.items():
        odds = np.array(shares) / sum(shares)
        for size in (10, 140):
            row = "".join(f"{_main_held(odds, size, share, trials):>12.3f}" for share in PLAYED)
            print(f"{name:<32}{size:>5}{row}")


def _main_held(odds: NDArray[np.float64], size: int, share: float, trials: int) -> float:
    rng = np.random.default_rng(1)
    played = rng.random((size, trials)) < share
    values = np.where(played, 10 * rng.choice(np.arange(11.0), (size, trials), p=odds), 0)
    drawn = resample(["all"] * size, 2_000)
    intervals = ratio_intervals(Ratios.means(values), drawn, MAIN)
    truth = 10 * share * float(odds @ np.arange(11))
    return float(np.mean([e.low is not None and e.high is not None and e.low <= truth <= e.high for e in intervals]))


def _shapes() -> Iterator[tuple[Scale, tuple[str, NDArray[np.float64], NDArray[np.float64]]]]:
    for name, shares in SHAPES.items():
        yield SCORE, (f"score, {name}", np.arange(11.0), np.array(shares) / sum(shares))
    for name, changes in CHANGES.items():
        odds = np.array(list(changes.values())) / sum(changes.values())
        yield DIFFERENCE, (f"ΔQ, {name}", np.array(list(changes), float), odds)


def _held(values: NDArray[np.float64], strata: int, truth: float, scale: Scale, method: Method) -> float:
    """Return the share of intervals that hold the truth, each trial with resamples that others of it share."""
    collected = []
    for seed, start in enumerate(range(0, values.shape[1], 100)):
        drawn = resample([str(index % strata) for index in range(len(values))], 2_000, seed)
        collected += ratio_intervals(Ratios.means(values[:, start : start + 100]), drawn, scale, method)
    return float(np.mean([e.low is not None and e.high is not None and e.low <= truth <= e.high for e in collected]))


def ranks(trials: int = 400) -> None:
    """Print how often all rank ranges of a board hold the true ranks, and how wide they are."""
    print(f"\n{'boards on which every range holds':<36}{'pairs':>6}{'n':>5}{'held':>8}{'mean width':>12}")
    rng = np.random.default_rng(0)
    for pairs in (4, 12, 30):
        for size, strata in ((10, 1), (10, 14)):
            for spread in (0.0, 0.3, 1.0):
                held, width = rank_trials(rng, pairs, size, strata, spread, trials)
                print(f"{'true means ' + (f'{spread} apart' if spread else 'equal'):<36}{pairs:>6}"
                      f"{size * strata:>5}{held:>8.3f}{width:>12.2f}")  # fmt: skip


def rank_trials(
    rng: np.random.Generator, pairs: int, size: int, strata: int, spread: float, trials: int
) -> tuple[float, float]:
    """Return the share of boards whose ranges all hold, and the mean number of ranks in a range."""
    truths, held, width = spread * np.arange(pairs) / max(1, pairs // 6), 0, 0.0
    for seed in range(trials):
        hard = rng.normal(0, 1.2, (size * strata, 1))
        values = np.round(5.5 + truths - truths.mean() + hard + rng.normal(0, 1.4, (size * strata, pairs))).clip(0, 10)
        drawn = resample([str(index % strata) for index in range(len(values))], 2_000, seed)
        ranges = [span for span in standing(10 * values, 10 * values, drawn).ranges if span is not None]
        better = (truths[:, None] > truths[None, :]).sum(axis=0)
        worse = (truths[:, None] < truths[None, :]).sum(axis=0)
        # Pairs with equal means share all ranks between them, so each of them must be allowed for both ends.
        held += all(
            item.best <= 1 + over and item.worst >= pairs - under
            for item, over, under in zip(ranges, better, worse, strict=True)
        )
        width += float(np.mean([span.worst - span.best + 1 for span in ranges])) / trials
    return held / trials, width


REFUSED = ((0.0, 0.0), (0.1, 0.0), (0.3, 0.0), (0.3, 0.05))
"""Share of the pictures, the hardest ones, that the refusing pair does not play; share of what the other pairs played,
the worst of it, that the judge does not rate."""


def refusals(trials: int = 400) -> None:
    """Print how often all rank ranges hold the true ranks by main score if one pair refuses hard pictures."""
    print(f"\n{'boards with a pair that refuses':<44}{'pairs':>6}{'n':>5}{'held':>8}{'mean width':>12}")
    rng = np.random.default_rng(0)
    for refused, unrated in REFUSED:
        for pairs in (4, 12):
            for size, strata in ((10, 1), (10, 14)):
                for spread in (0.0, 0.3, 1.0):
                    board = RefusingBoard(rng, pairs, spread, refused, unrated)
                    held, width = board.trials(size, strata, trials)
                    what = f"{refused:.0%} refused, {unrated:.0%} unrated, {spread} apart"
                    print(f"{what:<44}{pairs:>6}{size * strata:>5}{held:>8.3f}{width:>12.2f}")


class RefusingBoard:
    """Boards on which the pair with the best pictures refuses to play the hardest of them.

    Whether an episode is played depends on the picture, and on what the pair would have made of it: what is missing is
    worse than what is there. The truth is each pair's expected main score, from many pictures.

    Args:
        rng: Draws the boards.
        pairs: How many pairs.
        spread: Points of similarity between neighbours in what they would make of all pictures.
        refused: Share of the pictures that the last pair refuses.
        unrated: Share of what the others play that the judge does not rate.
    """

    def __init__(self, rng: np.random.Generator, pairs: int, spread: float, refused: float, unrated: float) -> None:
        self._rng, self._pairs, self._refused, self._unrated = rng, pairs, refused, unrated
        self._skills = spread * np.arange(pairs) / max(1, pairs // 6)
        self._skills -= self._skills.mean()
        many = self._made(400_000)
        self._limits = np.quantile(many, (refused, unrated), axis=0)
        self._truths = self._played(many).mean(axis=0)

    def trials(self, size: int, strata: int, trials: int) -> tuple[float, float]:
        """Return the share of boards whose ranges all hold, and the mean number of ranks in a range."""
        held, width = 0, 0.0
        # The truth is known to a few hundredths of a point: pairs nearer than that count as equal.
        gaps = self._truths[:, None] - self._truths[None, :]
        better, worse = (gaps > 0.2).sum(axis=0), (gaps < -0.2).sum(axis=0)
        for seed in range(trials):
            made = self._made(size * strata)
            least = self._played(made)
            most = np.where(self._unseen(made), 100, least)
            drawn = resample([str(index % strata) for index in range(len(made))], 2_000, seed)
            ranges = [span for span in standing(np.where(self._unseen(made), 0, least), most, drawn).ranges if span]
            held += all(
                item.best <= 1 + over and item.worst >= self._pairs - under
                for item, over, under in zip(ranges, better, worse, strict=True)
            )
            width += float(np.mean([span.worst - span.best + 1 for span in ranges])) / trials
        return held / trials, width

    def _made(self, size: int) -> NDArray[np.float64]:
        """Return what every pair would make of some pictures, 0–10."""
        hard = self._rng.normal(0, 1.5, (size, 1))
        return np.asarray((5.5 + self._skills + hard + self._rng.normal(0, 1.4, (size, self._pairs))).clip(0, 10))

    def _played(self, made: NDArray[np.float64]) -> NDArray[np.float64]:
        values = 10 * made.round()
        values[:, -1] *= made[:, -1] > self._limits[0, -1] if self._refused else 1
        return np.asarray(values)

    def _unseen(self, made: NDArray[np.float64]) -> NDArray[np.bool_]:
        unseen = made < self._limits[1] if self._unrated else np.zeros(made.shape, bool)
        unseen[:, -1] = False
        return np.asarray(unseen)


def main() -> None:
    """Measure what is asked for."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else None)
    parser.add_argument("parts", nargs="*", help=f"of: {', '.join(PARTS)}")
    parser.add_argument("--pairs", type=int, help=argparse.SUPPRESS)
    asked = parser.parse_args()
    if asked.pairs:
        return one_speed(asked.pairs)
    for part, measure in zip(PARTS, (speed, coverage, ranks, refusals), strict=True):
        if part in (asked.parts or PARTS):
            measure()
    return None


if __name__ == "__main__":
    main()
