"""How long all tables and intervals take and how much memory, how that grows, and how often intervals and ranks hold.

    python benchmarks/intervals.py           all parts, some minutes
    python benchmarks/intervals.py speed     one part: speed, coverage, differences, ranks, hidden or refusals

Speed counts ``Results.from_runs``, every board, and every table as JSON (those of a judge for each), from runs that are
in memory, of 140 episodes and three judges each, with 10,000 resamples; each size runs in a process of its own, so that
the memory is its own. Coverage and ranks are simulations whose truth is known.
"""

import argparse
import resource
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy import stats

from ircore.results.statistics.bootstrap import (
    DIFFERENCE,
    SCORE,
    Ratios,
    estimate_differences,
    estimate_ratios,
    resample,
)
from ircore.results.statistics.intervals import Estimate
from ircore.results.statistics.ranks import rank_pairs

if TYPE_CHECKING:
    from invented import InventedRun

ROOT = Path(__file__).resolve().parents[1]
SIZES = (25, 50, 100)
NUMBERS = (5, 6, 10, 14, 20, 42, 54, 140)
"""Numbers of pictures."""

Floats = NDArray[np.float64]
Ends = tuple[Floats, Floats]

SHARES = (0.5, 0.8, 0.9, 0.95, 0.97, 0.99, 0.999)
"""True shares of measures that are 0 or 1."""

PLAYED = (0.5, 0.8, 0.95)
"""Shares of episodes that are not aborted; the others count 0 in a main score."""

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


class Shape(NamedTuple):
    """A distribution of scores, 0–10."""

    name: str
    draw: Callable[[np.random.Generator, int, int], Floats]
    """Draws values of some pictures (rows) in some trials (columns)."""
    mean: float


def _shares(share: float, rng: np.random.Generator, n: int, trials: int) -> Floats:
    return np.where(rng.random((n, trials)) < share, 10.0, 0.0)


def _failing(low: int, failed: float, rng: np.random.Generator, n: int, trials: int) -> Floats:
    return np.asarray(rng.uniform(low, low + 1, (n, trials)) * (rng.random((n, trials)) >= failed))


def _heaps(share: float, low: int, high: int, rng: np.random.Generator, n: int, trials: int) -> Floats:
    return np.asarray(
        np.where(rng.random((n, trials)) < share, low, high) + rng.uniform(-0.5, 0.5, (n, trials)), np.float64
    )


def _steps(odds: Floats, share: float, rng: np.random.Generator, n: int, trials: int) -> Floats:
    return np.asarray(rng.choice(np.arange(11.0), (n, trials), p=odds) * (rng.random((n, trials)) < share))


def shapes() -> Iterator[Shape]:
    """Yield the distributions: shares, scores near an end with failures, two heaps, and scores in the middle."""
    for share in SHARES:
        yield Shape(f"share of {share}", partial(_shares, share), 10 * share)
    for low, failed in ((9, 0.05), (9, 0.02), (8, 0.05)):
        name = f"{low} to {low + 1}, {failed:.0%} zeros"
        yield Shape(name, partial(_failing, low, failed), (1 - failed) * (low + 0.5))
    for share, low, high in ((0.3, 1, 9), (0.1, 1, 9), (0.5, 2, 9)):
        mean = share * low + (1 - share) * high
        yield Shape(f"{share:.0%} at {low}, else {high}", partial(_heaps, share, low, high), mean)
    yield Shape("uniform", lambda rng, n, t: rng.uniform(0, 10, (n, t)), 5.0)
    yield Shape("normal, 5 ± 1", lambda rng, n, t: rng.normal(5, 1, (n, t)).clip(0, 10), 5.0)
    yield Shape("normal, 5 ± 2, whole", lambda rng, n, t: rng.normal(5, 2, (n, t)).round().clip(0, 10), 5.0)
    yield Shape("all at the top", lambda _, n, t: np.full((n, t), 10.0), 10.0)
    for name, shares in SHAPES.items():
        odds = np.array(shares) / sum(shares)
        mean = float(odds @ np.arange(11))
        yield Shape(name, partial(_steps, odds, 1.0), mean)
        if name == "strong pair":
            for share in PLAYED:
                yield Shape(f"{name}, {share:.0%} played", partial(_steps, odds, share), share * mean)


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
    from ircore.results.tables.catalogue import TABLES, TableQuestion
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
            render(entry.build(results, TableQuestion(judge)), "json")
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
                score.model_copy(update={"by": judge, "value": float(round(score.value or 0))})
                for judge in ("judge-a", "judge-b", "judge-c")
                for score in self.given
            )

    return Rated(run.path, run.run, run.instances, run.played, run.given)


def student(values: Floats) -> Ends:
    """Return the ends of Student's intervals, cut off where the scale ends."""
    mean, half = values.mean(axis=0), stats.t.ppf(0.975, len(values) - 1) * stats.sem(values, axis=0)
    return np.maximum(0, mean - half), np.minimum(10, mean + half)


def bootstrap(values: Floats) -> Ends:
    """Return percentiles of 1,000 resampled means, widened to Student's t (Hesterberg 2015, section 4.1.2)."""
    n = len(values)
    tail = stats.norm.cdf(-stats.t.ppf(0.975, n - 1) * (n / (n - 1)) ** 0.5)
    drawn = np.random.default_rng(1).multinomial(n, np.full(n, 1 / n), 1_000) / n
    low, high = np.quantile(drawn @ values, (tail, 1 - tail), axis=0)
    return low, high


def anderson(values: Floats) -> Ends:
    """Return intervals that hold for every distribution on the scale (Anderson 1969, by Massart's inequality 1990).

    The mean is 10 less the area under the distribution function, which is within √(ln(2 / 0.05) / 2n) of the sample's.
    """
    n, ordered = len(values), np.sort(values, axis=0)
    off = (np.log(2 / 0.05) / (2 * n)) ** 0.5
    gaps = np.diff(ordered, axis=0, prepend=0.0, append=10.0)
    steps = (np.arange(n + 1) / n)[:, None]
    heights = steps * np.ones(values.shape[1])
    low = 10 - (gaps * np.minimum(1, heights + off)).sum(axis=0)
    high = 10 - (gaps * np.maximum(0, heights - off)).sum(axis=0)
    return low, high


def ours(values: Floats, strata: int = 1) -> Ends:
    """Return the intervals of the project."""
    drawn = resample([str(index % strata) for index in range(len(values))])
    return ends(estimate_ratios(Ratios.means(values), drawn, SCORE))


def ends(intervals: list[Estimate]) -> Ends:
    """Return lower and upper ends, NaN for none."""
    low, high = np.array([(item.low, item.high) for item in intervals], np.float64).T
    return low, high


METHODS: dict[str, Callable[[Floats], Ends]] = {
    "ours": ours,
    "Student": student,
    "bootstrap": bootstrap,
    "Anderson": anderson,
}


def held(interval: Ends, truth: float) -> float:
    """Return the share of intervals that hold the truth; an interval without a width may hold it, too."""
    return float(((interval[0] <= truth + 1e-9) & (truth - 1e-9 <= interval[1])).mean())


def coverage(trials: int = 3000) -> None:
    """Print how often intervals hold the true mean and how wide they are beside Student's, by shape, n and method."""
    print(f"\n{'share of intervals that hold, width over Student':<50}" + "".join(f"{name:>20}" for name in METHODS))
    rng, least = np.random.default_rng(0), dict.fromkeys(METHODS, (1.0, ""))
    for shape in shapes():
        for size in NUMBERS:
            values = shape.draw(rng, size, trials)
            widths, line = {}, ""
            for name, method in METHODS.items():
                low, high = method(values)
                share, widths[name] = held((low, high), shape.mean), float((high - low).mean())
                least[name] = min(least[name], (share, f"{shape.name}, n {size}"))
                relative = widths[name] / width if (width := float(np.subtract(*student(values)[::-1]).mean())) else 0
                line += f"{share:>12.3f} {relative:>6.2f}×"
            print(f"{shape.name:<44}{size:>6}{line}", flush=True)
    print("least: " + "; ".join(f"{name} {share:.3f} ({where})" for name, (share, where) in least.items()))
    designs(trials)


def designs(trials: int) -> None:
    """Print the same of means over repeats of an instance, and of sets of 14 conditions, of which some are harder."""
    print(f"\n{'means over three repeats; 14 conditions':<44}{'n':>6}{'repeats':>10}{'conditions':>12}")
    rng = np.random.default_rng(1)
    for shape in shapes():
        for size in (5, 14, 42):
            # Half of the instances' luck is the picture's: repeats of one often turn out alike.
            of_picture, alike = shape.draw(rng, size, trials), rng.random((3, size, trials)) < 0.5
            repeats = np.where(alike, of_picture, [shape.draw(rng, size, trials) for _ in range(3)]).mean(axis=0)
            line = f"{shape.name:<44}{size:>6}{held(ours(repeats), shape.mean):>10.3f}"
            if size == 14:
                hard = np.repeat(np.arange(14) % 2 == 0, 10)[:, None]
                # Hard conditions get 0.7 of the score; the truth is the mean over the set's conditions.
                set_of = shape.draw(rng, 140, trials).reshape(10, 14, trials).transpose(1, 0, 2).reshape(140, trials)
                values = np.where(hard, 0.7, 1.0) * set_of
                drawn = resample([str(index // 10) for index in range(140)])
                stratified = ends(estimate_ratios(Ratios.means(values), drawn, SCORE))
                line += f"{held(stratified, 0.85 * shape.mean):>12.3f}"
            print(line, flush=True)


def differences(trials: int = 3000) -> None:
    """Print how often intervals of differences hold and how wide they are beside Student's: of pairs, and ΔQ."""
    rng = np.random.default_rng(0)
    known = {shape.name: shape for shape in shapes()}
    fails, never = known["9 to 10, 5% zeros"], Shape("9 to 10", lambda rng, n, t: rng.uniform(9, 10, (n, t)), 9.5)
    couples = [
        (fails, never), (fails, fails), (known["share of 0.97"], known["all at the top"]),
        (known["share of 0.95"], known["share of 0.95"]), (known["share of 0.9"], known["share of 0.8"]),
        (known["share of 0.99"], known["share of 0.5"]), (known["30% at 1, else 9"], known["30% at 1, else 9"]),
        (known["10% at 1, else 9"], never), (known["uniform"], known["uniform"]),
        (known["normal, 5 ± 1"], known["normal, 5 ± 1"]), (known["strong pair"], known["rarely fails"]),
        (known["near the top"], known["strong pair"]), (known["all at the top"], known["all at the top"]),
    ]  # fmt: skip
    print(f"\n{'differences that hold, width over Student':<46}" + "".join(f"{size:>14}" for size in NUMBERS))

    def line(name: str, truth: float, draw: Callable[[int], tuple[Floats, Floats]]) -> None:
        text = ""
        for size in NUMBERS:
            first, second = draw(size)
            drawn = resample(["all"] * size)
            low, high = ends(estimate_differences(first - second, first, drawn, SCORE, DIFFERENCE))
            t = 2 * stats.t.ppf(0.975, size - 1) * stats.sem(first - second, axis=0).mean()
            text += f"{held((low, high), truth):>8.3f} {(high - low).mean() / t if t > 1e-9 else 0:>4.2f}×"
        print(f"{name:<46}{text}", flush=True)

    def alike(size: int) -> tuple[Floats, Floats]:
        """One pair is as right as the other, but on 5 % of the pictures."""
        right = 10.0 * (rng.random((size, trials)) < 0.5)
        return np.asarray(right * (rng.random((size, trials)) >= 0.05), np.float64), np.asarray(right, np.float64)

    line("share of 0.5, the same but for 5%", -0.25, alike)

    def couple(one: Shape, two: Shape, size: int) -> tuple[Floats, Floats]:
        return one.draw(rng, size, trials), two.draw(rng, size, trials)

    for one, two in couples:
        line(f"{one.name} – {two.name}", one.mean - two.mean, partial(couple, one, two))
    for name, changes in CHANGES.items():
        steps, odds = np.array(list(changes), float), np.array(list(changes.values())) / sum(changes.values())

        def change(size: int, steps: Floats = steps, odds: Floats = odds) -> tuple[Floats, Floats]:
            delta = rng.choice(steps, (size, trials), p=odds)
            final = rng.uniform(np.maximum(0, delta), np.minimum(10, 10 + delta))
            return np.asarray(final), np.asarray(final - delta)

        line(f"ΔQ {name}", float(odds @ steps), change)


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
        ranges = [span for span in rank_pairs(10 * values, 10 * values, drawn).ranges if span is not None]
        better = (truths[:, None] > truths[None, :]).sum(axis=0)
        worse = (truths[:, None] < truths[None, :]).sum(axis=0)
        # Pairs with equal means share all ranks between them, so each of them must be allowed for both ends.
        held += all(
            item.best <= 1 + over and item.worst >= pairs - under
            for item, over, under in zip(ranges, better, worse, strict=True)
        )
        width += float(np.mean([span.worst - span.best + 1 for span in ranges])) / trials
    return held / trials, width


def hidden(trials: int = 150) -> None:
    """Print how often all rank ranges hold where half of the pairs fail on some pictures and are better otherwise."""
    print(f"\n{'boards with hidden failures':<36}{'pairs':>6}{'n':>5}{'held':>8}{'mean width':>12}")
    rng = np.random.default_rng(0)
    for failed in (0.05, 0.02):
        for pairs in (4, 12):
            for size in (10, 14, 42, 140):
                right, width = 0, 0.0
                fails = np.arange(pairs) % 2 == 0
                # The ones that fail are a little better where they do not, and a little worse in the mean.
                truths = np.where(fails, (1 - failed) * 95, (1 - failed) * 95 + 0.5)
                for seed in range(trials):
                    values = rng.uniform(90, 100, (size, pairs))
                    values = np.where(fails, values * (rng.random(values.shape) >= failed), values - 95 + truths)
                    ranges = [
                        span
                        for span in rank_pairs(values, values, resample(["all"] * size, 2_000, seed)).ranges
                        if span
                    ]
                    better = (truths[:, None] > truths[None, :]).sum(axis=0)
                    worse = (truths[:, None] < truths[None, :]).sum(axis=0)
                    right += all(
                        item.best <= 1 + over and item.worst >= pairs - under
                        for item, over, under in zip(ranges, better, worse, strict=True)
                    )
                    width += float(np.mean([span.worst - span.best + 1 for span in ranges])) / trials
                what = f"{failed:.0%} zeros in every other pair"
                print(f"{what:<36}{pairs:>6}{size:>5}{right / trials:>8.3f}{width:>12.2f}", flush=True)


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
            ranges = [span for span in rank_pairs(np.where(self._unseen(made), 0, least), most, drawn).ranges if span]
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


PARTS: dict[str, Callable[[], None]] = {
    "speed": speed,
    "coverage": coverage,
    "differences": differences,
    "ranks": ranks,
    "hidden": hidden,
    "refusals": refusals,
}


def main() -> None:
    """Measure what is asked for."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else None)
    parser.add_argument("parts", nargs="*", metavar="PART", help=f"of: {', '.join(PARTS)}")
    parser.add_argument("--pairs", type=int, help=argparse.SUPPRESS)
    asked = parser.parse_args()
    if asked.pairs:
        return one_speed(asked.pairs)
    for part in asked.parts or PARTS:
        PARTS[part]()
    return None


if __name__ == "__main__":
    main()
