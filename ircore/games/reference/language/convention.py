"""Word novelty: how a description differs from the picture's last, by ICCA's paper and by ICCA's code.

Source: Hua and Artzi, *Talk Less, Interact Better: Evaluating In-context Conversational Adaptation in Multimodal LLMs*
(COLM 2024), section 4. The published code (``icca_code``) differs from the paper (``paper``): words dropped from the
beginning cost one each.
"""

from collections.abc import Sequence
from typing import Literal, NamedTuple

Definition = Literal["icca_code", "paper"]
DEFINITIONS: tuple[Definition, ...] = ("icca_code", "paper")


class Novelty(NamedTuple):
    """Novelty of a description beside an earlier description of the same picture.

    >>> novelty(("red", "house"), ("red", "barn")).rate
    0.5

    Attributes:
        distance: Word novelty distance (WND): insertions and substitutions, 0 or more.
        rate: Word novelty rate (WNR): distance by words of the earlier description; above 1 if it grew much.
    """

    distance: int
    rate: float


def novelty(earlier: Sequence[str], later: Sequence[str], definition: Definition = "icca_code") -> Novelty:
    """Return the word novelty of a description.

    Args:
        earlier: Content words of the last description of the same picture.
        later: Content words of this one.
        definition: ``paper``: deletions are free. ``icca_code``: as the published code computes; a common word is
            always matched and words dropped at the beginning cost one each.

    Returns:
        Distance and rate. Where the earlier description has no content words, the rate is 1 in ``icca_code``; in
        ``paper``, where it is undefined, it is 1 if the later one has any and 0 if it has none.

    >>> grown, man = ("grown", "man", "in", "tuxedo", "eat"), ("man", "in", "tuxedo")
    >>> novelty(grown, man), novelty(grown, man, "paper")
    (Novelty(distance=1, rate=0.2), Novelty(distance=0, rate=0.0))
    """
    published = definition == "icca_code"
    distance = _distance(earlier, later, published)
    if earlier:
        return Novelty(distance, distance / len(earlier))
    return Novelty(distance, 1.0 if published or later else 0.0)


def _distance(earlier: Sequence[str], later: Sequence[str], published: bool) -> int:
    # Row by row of the edit matrix: the length of a message is a stranger's choice, so one row is held, not the matrix.
    above = list(range(len(later) + 1))
    for row, old in enumerate(earlier, 1):
        costs = [row if published else 0]
        for column, new in enumerate(later, 1):
            if old == new and published:
                costs.append(above[column - 1])
            else:
                substituted = above[column - 1] + (old != new)
                costs.append(min(substituted, costs[column - 1] + 1, above[column]))
        above = costs
    return above[-1]
