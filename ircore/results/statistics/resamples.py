"""Drawing the instances again: the same resamples for every column, stratified by condition.

The unit that is drawn again is the instance: everything that hangs on one (the values of all pairs, judges and
quantities) stays together. So one set of resamples serves every column, and differences between columns are paired
without further ado. Within a stratum as many instances are drawn as it has, because a set is built with a fixed number
per condition (Davison and Hinkley 1997, *Bootstrap Methods and their Application*, section 3.2).

A resample is a row of counts that says how often each instance was drawn. Sums over resamples are then matrix products,
and there is no loop over resamples.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property, lru_cache
from zlib import crc32

import numpy as np
from numpy.typing import NDArray

from ircore.results.statistics.intervals import MINIMUM_PICTURES
from ircore.results.statistics.sums import on_a_grid

RESAMPLES = 10_000
"""Number of resamples of the instances."""

SEED = 20260101
"""Seed of every draw: part of the method, so that the same data give the same interval."""

CHUNK = 16
"""Columns that are resampled at once: bounds the memory, and what is worked on stays in the processor's cache."""

BLOCK = 50
"""Resamples of one matrix product: small ones stay in one thread. On a busy machine several of them wait for each
other for longer than they work."""

CONDITIONS = 32
"""Sets of resamples kept in memory: those of all conditions of the reconstruction game, 45 MB for 140 instances."""


@dataclass(frozen=True)
class Resamples:
    """Instances with their conditions, and how often each resample draws each of them, the same for every column.

    Example:
        >>> drawn = resample(["easy"] * 6)
        >>> drawn.sums(np.ones((6, 1)))[0, :3].tolist()  # each resample draws six instances
        [6.0, 6.0, 6.0]
    """

    labels: tuple[str, ...]
    """Condition of each instance."""

    resamples: int
    """How many resamples, a multiple of ``BLOCK``."""

    seed: int
    """Of the draws."""

    @property
    def size(self) -> int:
        """Number of instances."""
        return len(self.labels)

    @cached_property
    def members(self) -> list[NDArray[np.intp]]:
        """Instances of each condition."""
        labels = np.array(self.labels)
        return [np.flatnonzero(labels == label) for label in dict.fromkeys(self.labels)]

    @cached_property
    def strata(self) -> NDArray[np.intp]:
        """Stratum of each instance, counted from 0: its condition, or one for all where a condition has too few."""
        strata = np.zeros(self.size, np.intp)
        if min(map(len, self.members), default=0) >= MINIMUM_PICTURES:
            for code, rows in enumerate(self.members):
                strata[rows] = code
        return strata

    @cached_property
    def weights(self) -> NDArray[np.float64]:
        """Counts in blocks, shape (resamples / BLOCK, instances, BLOCK); drawn when first asked for, and read only."""
        weights = np.empty((self.size, self.resamples), np.float64)
        for stratum in np.unique(self.strata):
            rows = self.strata == stratum
            size = int(np.count_nonzero(rows))
            # Conditions that are no strata are drawn from together, under no label.
            label = "" if len(set(self.strata.tolist())) < len(self.members) else self.labels[int(rows.argmax())]
            # A hash of the label that is the same in every process, unlike Python's own; equal labels draw alike.
            rng = np.random.default_rng((self.seed, crc32(label.encode())))
            draws = rng.integers(size, size=(self.resamples, size))
            # Each resample has numbers of its own, so that one count tells how often each drew each instance.
            cells = draws + size * np.arange(self.resamples)[:, None]
            counts = np.bincount(cells.ravel(), minlength=self.resamples * size).reshape(self.resamples, size)
            weights[rows] = counts.T
        # In memory block by block, as the matrix products read them.
        blocks = weights.reshape(self.size, self.resamples // BLOCK, BLOCK).transpose(1, 0, 2)
        weights = np.ascontiguousarray(blocks)
        # Kept and shared by all runs, so that nobody may write into it.
        weights.flags.writeable = False
        return weights

    def first(self, resamples: int) -> "Resamples":
        """Return the first of these resamples."""
        # Draws are made one resample after the other, so that fewer of them are the same ones.
        return resample(self.labels, resamples, self.seed)

    def sums(self, values: NDArray[np.float64]) -> NDArray[np.float64]:
        """Add up each resample's values exactly: no digit depends on other columns or on the processor.

        Args:
            values: Shape (instances, columns); rounded by less than adding them up would round.

        Returns:
            Shape (columns, resamples).
        """
        blocks, columns = len(self.weights), values.shape[1]
        # On a grid every partial sum is exact, so the order in which the product adds does not matter.
        values = on_a_grid(values, self.size)
        first = values[:1]
        if len(values) and (values == first).all():
            # As many instances are drawn as there are: the sum is the same in every resample.
            return np.repeat(first.T * len(values), blocks * BLOCK, axis=1)
        sums = np.empty((columns, blocks, BLOCK))
        for start in range(0, columns, CHUNK):
            some = slice(start, start + CHUNK)
            np.matmul(values.T[some], self.weights, out=sums[some].transpose(1, 0, 2))
        return sums.reshape(columns, blocks * BLOCK)


def resample(labels: Sequence[str], resamples: int = RESAMPLES, seed: int = SEED) -> Resamples:
    """Draw the instances again.

    A stratum's draws depend on its label, its size and the seed alone. Where a stratum has fewer instances than
    ``MINIMUM_PICTURES``, all are drawn from together: drawn alone, one or two instances would seem to leave no doubt.

    Args:
        labels: The stratum of each instance, such as its condition.
        resamples: How many resamples, a multiple of ``BLOCK``.
        seed: Of the draws.
    """
    return _resample(tuple(labels), resamples, seed)


@lru_cache(maxsize=CONDITIONS)
def _resample(labels: tuple[str, ...], resamples: int, seed: int) -> Resamples:
    """Return the one object that every run under a condition shares."""
    return Resamples(labels, resamples, seed)
