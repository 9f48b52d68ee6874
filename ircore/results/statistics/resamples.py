"""Drawing the instances again: the same resamples for every column, stratified by condition, and exact sums over them.

The unit that is drawn again is the instance: everything that hangs on one (the values of all pairs, judges and
quantities) stays together. So one set of resamples serves every column, and differences between columns are paired
without further ado. Within a stratum as many instances are drawn as it has, because a set is built with a fixed number
per condition (Davison and Hinkley 1997, *Bootstrap Methods and their Application*, section 3.2). A resample is a row of
counts that says how often each instance was drawn. Sums over resamples are then matrix products, and there is no loop
over resamples.

A sum of floating-point numbers changes in its last digits with the order of adding, and with the number of columns that
a matrix product handles at once: the same cell, computed for one judge or for three, would differ. Sums of columns are
therefore rounded once (``math.fsum``; Shewchuk 1997), and what is multiplied with resamples lies on a grid on which
every partial sum is exact.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property, lru_cache
from math import fsum
from typing import Any
from zlib import crc32

import numpy as np
from numpy.typing import NDArray

from ircore.results.statistics.intervals import CONFIDENCE, MINIMUM_PICTURES

Floats = NDArray[np.float64]


@lru_cache(maxsize=16)
def count_draws(size: int, resamples: int, seed: int) -> Floats:
    """Return how often each instance was drawn, shape (instances, resamples); read only, since it is kept."""
    weights = np.ascontiguousarray(
        np.random.default_rng(seed).multinomial(size, np.full(size, 1 / size), resamples).T, np.float64
    )
    # Cached: a caller that wrote into the array would change the intervals of all later callers.
    weights.flags.writeable = False
    return weights


def merge_strata(labels: Sequence[str]) -> tuple[int, ...]:
    """Number strata from 0; merge all into stratum 0 if any stratum has fewer than ``MINIMUM_PICTURES`` pictures."""
    codes = {label: code for code, label in enumerate(dict.fromkeys(labels))}
    # Drawn alone, one or two pictures would seem to leave no doubt.
    few = any(labels.count(label) < MINIMUM_PICTURES for label in codes)
    return tuple(0 if few else codes[label] for label in labels)


def widen_levels(clusters: int) -> tuple[float, float]:
    """Return the levels of a percentile interval that makes up for few clusters.

    Hesterberg 2015, *What Teachers Should Know About the Bootstrap*, The American Statistician 69, section 4.1.2.
    """
    from scipy.special import ndtr, stdtrit

    # The normal tail at t · √(n / (n − 1)): resamples vary by (n − 1) / n too little and do not know t.
    tail = float(ndtr(-stdtrit(clusters - 1, (1 + CONFIDENCE) / 2) * np.sqrt(clusters / (clusters - 1))))
    return tail, 1 - tail


def divide(top: Floats, bottom: Floats, least: float = 0.0) -> Floats:
    """Divide; NaN where the divisor is not above ``least``."""
    result = np.full(np.shape(top), np.nan)
    np.divide(top, bottom, out=result, where=bottom > least)
    return result


AnyFloats = NDArray[np.floating[Any]]

EXACT_BITS = 53
"""Whole numbers up to 2 to this power are exact in floating point."""


def sum_columns(values: AnyFloats) -> NDArray[np.float64]:
    """Return the sum of each column, rounded once.

    Args:
        values: Finite, shape (rows, columns).

    Returns:
        Shape (columns,).
    """
    return np.array([fsum(column) for column in values.T.tolist()], np.float64)


def round_to_grid(values: AnyFloats, terms: int) -> NDArray[np.float64]:
    """Round each column to multiples of a power of two so that adding up any of them is exact.

    The multiple is the smallest with which a sum of ``terms`` values, each counted as often as it is drawn, stays below
    2⁵³ multiples. A value moves by less than ``terms`` · 2⁻⁵² of the column's largest, as much as adding rounds.

    Args:
        values: Finite, shape (rows, columns).
        terms: How many values are added up at most, each as often as it counts, ≥ 1.

    Returns:
        The same shape.
    """
    largest = np.abs(values).max(axis=0, initial=0.0)
    # Each of the values may be drawn as often as there are values: that takes as many bits more.
    exponents = np.frexp(largest)[1] + int(terms).bit_length()
    steps = np.ldexp(1.0, exponents - EXACT_BITS)
    return np.asarray(np.rint(values / steps) * steps, np.float64)


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
        values = round_to_grid(values, self.size)
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
