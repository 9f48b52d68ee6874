"""The episodes that every point of a curve is over.

A curve over turns compares like with like only if every point is over the same episodes: where easy episodes end
early, later turns are over harder ones, and the curve shows who is left instead of what changes (attrition of a panel;
complete cases: Little and Rubin, *Statistical Analysis with Missing Data*, chapter 3). ``select_same_episodes``
chooses them.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from ircore.results.statistics.intervals import MINIMUM_PICTURES

KEPT_SHARE = 0.5
"""A turn at which so few of the episodes that reach the last one have a value is left out of a curve, not they."""


@dataclass(frozen=True)
class SameEpisodes:
    """The places of a curve and the episodes that all of its points are over."""

    places: tuple[int, ...]
    """Places of the curve, such as turns, in order."""

    episodes: tuple[int, ...]
    """Positions of the episodes among those that were given, 0-based."""


def select_same_episodes(values: Sequence[Mapping[int, object]]) -> SameEpisodes:
    """Return the episodes that reach the last place of a curve, and the places at which all of them have a value.

    The last place is the farthest one that ``MINIMUM_PICTURES`` episodes reach, or half of them if that is fewer.
    A place without a value in some of these episodes costs either these episodes or itself: the episodes as long as
    more than ``KEPT_SHARE`` of them are left.

    Args:
        values: By place, one mapping for each episode; what the values are does not matter here.

    Example:
        >>> easy, hard = {1: 9.0}, {1: 4.0, 2: 5.0}
        >>> select_same_episodes([easy, *[hard] * 5])
        SameEpisodes(places=(1, 2), episodes=(1, 2, 3, 4, 5))
    """
    counts: dict[int, int] = {}
    for episode in values:
        for place in episode:
            counts[place] = counts.get(place, 0) + 1
    if not counts:
        return SameEpisodes((), ())
    most = max(counts.values())
    needed = min(MINIMUM_PICTURES, (most + 1) // 2)
    last = max(place for place, count in counts.items() if count >= needed)
    reaching = [number for number, episode in enumerate(values) if last in episode]
    places = sorted(place for place in counts if place <= last)
    while True:
        complete = [number for number in reaching if all(place in values[number] for place in places)]
        if len(complete) > KEPT_SHARE * len(reaching) and len(complete) >= needed:
            return SameEpisodes(tuple(places), tuple(complete))
        # The last place has a value in each of these episodes, so that it stays.
        places.remove(min(places, key=lambda place: sum(place in values[number] for number in reaching)))
