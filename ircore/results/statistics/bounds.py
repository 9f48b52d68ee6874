"""Intervals of means of which some values are not known: from the worst that they may be to the best.

Nothing is assumed about why a value is missing. The mean lies between the one with every missing value at the low end
of the scale and the one with all at the high end (Manski 1989, *Anatomy of the Selection Problem*, Journal of Human
Resources 24; Horowitz and Manski 2000, Journal of the American Statistical Association 95). The interval reaches from
the lower end of the first one's interval to the upper end of the second one's, and so holds whatever lies between them
at least as often as either (Imbens and Manski 2004, *Confidence Intervals for Partially Identified Parameters*,
Econometrica 72, whose interval is a little shorter).
"""

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from ircore.results.statistics.bootstrap import Ratios, Resamples, Scale, ratio_intervals
from ircore.results.statistics.intervals import Estimate

Floats = NDArray[np.float64]


def bounded_intervals(
    least: Floats, most: Floats, points: Floats, counts: Sequence[int], drawn: Resamples, scale: Scale
) -> list[Estimate]:
    """Estimate means, column by column.

    Args:
        least: Values with what is missing at its lowest, NaN where there is nothing to know; (instances, columns).
        most: The same with what is missing at its highest; the same array's values where nothing is missing.
        points: The means to be shown, NaN for none, shape (columns,).
        counts: How many values are known, shape (columns,).
        drawn: Resamples of the same instances.
        scale: Of the values.

    Returns:
        One estimate a column. Where nothing is missing it is that of ``ratio_intervals``.
    """
    lows = ratio_intervals(Ratios.means(least), drawn, scale)
    # Only columns with unknown values are resampled a second time.
    missing = np.flatnonzero(((least != most) & ~np.isnan(least)).any(axis=0))
    highs = ratio_intervals(Ratios.means(most[:, missing]), drawn, scale)
    upper = dict(zip(missing.tolist(), highs, strict=True))
    return [
        _joined(low, upper[column], float(points[column]), int(counts[column])) if column in upper else low
        for column, low in enumerate(lows)
    ]


def _joined(low: Estimate, high: Estimate, point: float, count: int) -> Estimate:
    if np.isnan(point):
        return Estimate(None, None, None, count)
    if low.low is None or high.high is None:
        return Estimate(point, None, None, count)
    # The point lies between the two bounds, but need not lie within their resampled ends.
    return Estimate(point, min(low.low, point), max(high.high, point), count)
