"""Naming divergence and segmentation agreement as KiloGram's paper reports them, for sets of tangrams.

Source: Ji et al., *Abstract Visual Reasoning with Tangram Shapes* (EMNLP 2022), table 2. The standard deviation is that
of the population.
"""

from typing import NamedTuple

from ircore.games.reference.published import KILOGRAM


class PublishedNaming(NamedTuple):
    """A measure of a set of tangrams, as reported.

    >>> PublishedNaming("DENSE", "snd", 0.93, 0.06).source
    'https://arxiv.org/abs/2211.16492'

    Attributes:
        tangrams: Name of the set in the paper.
        measure: ``snd``, ``pnd`` or ``psa``.
        mean: Over the tangrams of the set.
        deviation: Standard deviation over the tangrams.
        source: Address of the paper.
    """

    tangrams: str
    measure: str
    mean: float
    deviation: float
    source: str = KILOGRAM


PUBLISHED_NAMING = (
    PublishedNaming("FULL, 1,016 tangrams", "snd", 0.91, 0.11),
    PublishedNaming("FULL, 1,016 tangrams", "pnd", 0.76, 0.19),
    PublishedNaming("FULL, 1,016 tangrams", "psa", 5.30, 0.62),
    PublishedNaming("DENSE, 74 tangrams", "snd", 0.93, 0.06),
    PublishedNaming("DENSE, 74 tangrams", "pnd", 0.79, 0.15),
    PublishedNaming("DENSE, 74 tangrams", "psa", 5.09, 0.53),
    PublishedNaming("DENSE10, 74 tangrams", "snd", 0.90, 0.15),
    PublishedNaming("DENSE10, 74 tangrams", "pnd", 0.73, 0.20),
    PublishedNaming("DENSE10, 74 tangrams", "psa", 5.34, 0.77),
)
