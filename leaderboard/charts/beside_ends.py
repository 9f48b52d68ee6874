"""Names on the right of a plot, each at the height of its line's end as far as no name lies on another."""

from collections.abc import Sequence

from leaderboard.charts.grammar import Json, pair_lines, pair_name, plain, room, words
from leaderboard.model.site import Marked
from leaderboard.theme import describer_token

PLOT = 300
"""Height of the plot, CSS pixels."""

_LINE = 15
"""Height of a line of a name, CSS pixels."""

_WIDEST = 42
"""Characters of a line of a name beside a wide plot."""


def end_names(named: Sequence[tuple[float, Marked]], ends: tuple[float, float], narrow: bool) -> tuple[list[Json], int]:
    """Return the names of pairs on the right of a plot, from above, none on another; and the room that they take.

    Args:
        named: Values on the y axis, the highest on the picture first, with their pairs.
        ends: Value at the lower and at the upper end of the axis.
        narrow: Whether a name has two lines, for a phone; a name that is too long for one line has two in any case.
    """
    # Cut to one line, pairs of one describer would have the same name.
    two = narrow or any(len(pair_name(pair)) > _WIDEST for _, pair in named)
    most = 18 if narrow else _WIDEST
    texts = [[plain(line, most) for line in (pair_lines(pair) if two else [pair_name(pair)])] for _, pair in named]
    gap, (low, high) = _LINE * (2 if two else 1) + 2, ends
    own = [PLOT * (high - value) / (high - low) for value, _ in named]
    annotations = [
        words(
            "<br>".join(lines), (1, value), "paper y", "left middle", (10, round(at - place)), align="left",
            colour=describer_token(pair.hue, "-text"),
        )
        for (value, pair), lines, at, place in zip(named, texts, own, spread(own, gap, PLOT), strict=True)
    ]  # fmt: skip
    return annotations, room([line for lines in texts for line in lines], 300)


def spread(places: Sequence[float], gap: float, end: float) -> list[float]:
    """Return places in the same order that are at least a gap apart, moved as little down or up as that needs.

    Args:
        places: Ascending.
        gap: Least distance of two.
        end: Largest place, if there is room for all.

    >>> spread([0, 4, 50, 98, 100], 10, 100)
    [0, 10, 50, 90, 100]
    """
    moved: list[float] = []
    for place in places:
        moved.append(max(place, moved[-1] + gap) if moved else place)
    limit = end
    for at in range(len(moved) - 1, -1, -1):
        moved[at] = min(moved[at], limit)
        limit = moved[at] - gap
    return moved
