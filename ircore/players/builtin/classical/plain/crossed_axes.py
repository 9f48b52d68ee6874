"""The scales of a graph whose axes cross inside, read from the numbers beside them, which stand on either side."""

import itertools
from collections.abc import Sequence

from ircore.core.plot_area import Scale
from ircore.players.builtin.classical.plain.axes import Area, Axis, value_of
from ircore.players.builtin.classical.statements import number
from ircore.seeing.percepts import Perception, Stroke

BESIDE = 4.0, 28.0
"""Least and greatest distance of a number's middle from its axis, in pixels."""
ON_SCALE = 2.0
"""Pixels that a number may stand off its place on the scale."""
LEAST = 3
"""Numbers that must lie on a scale."""


def read_crossed(perception: Perception) -> Area | None:
    """Return a graph's area with its scales, without labels; None unless two axes with numbers are seen."""
    lines = {
        role: max(
            (p for p in perception.percepts if isinstance(p, Stroke) and p.role == role),
            key=lambda line: line.area, default=None,
        )
        for role in ("x axis", "y axis")
    }  # fmt: skip
    level, upright = lines["x axis"], lines["y axis"]
    if level is None or upright is None:
        return None
    y0, x0 = level.points[0][1], upright.points[0][0]
    left, right = sorted(point[0] for point in (level.points[0], level.points[-1]))
    top, bottom = sorted(point[1] for point in (upright.points[0], upright.points[-1]))
    numbers = [(text.centre, value) for text in perception.texts if (value := value_of(text)) is not None]
    across = _scale([(x, value) for (x, y), value in numbers if _is_beside(y - y0)], (left, right))
    down = _scale([(y, value) for (x, y), value in numbers if _is_beside(x - x0)], (bottom, top))
    if across is None or down is None or right - left < 60 or bottom - top < 60:
        return None
    x = Axis("x", (), (), y0, across, level, None)
    y = Axis("y", (), (), x0, down, upright, None)
    return Area(left, right, top, bottom, x, y, None, None)


def _is_beside(off: float) -> bool:
    return BESIDE[0] <= abs(off) <= BESIDE[1]


def _scale(pairs: Sequence[tuple[float, float]], ends: tuple[float, float]) -> Scale | None:
    """Return the linear scale on which most numbers lie, from end to end; None if fewer than three do."""
    best: tuple[int, Scale] | None = None
    # Every pair of numbers proposes a scale, since some numbers may be misread or belong to something else.
    for (at, value), (other, other_value) in itertools.combinations(pairs, 2):
        if abs(at - other) < 20 or value == other_value:
            continue
        slope = (other_value - value) / (other - at)
        scale = Scale(value + slope * (ends[0] - at), value + slope * (ends[1] - at), *ends)
        count = sum(abs(scale(each) - place) <= ON_SCALE for place, each in pairs)
        if best is None or count > best[0]:
            best = count, scale
    return best[1] if best is not None and best[0] >= LEAST else None


def scale_words(area: Area) -> str:
    """Say where a graph lies and which values its axes span."""
    across = f"{number(area.left)} to {number(area.right)} px across"
    down = f"{number(area.top)} to {number(area.bottom)} px down"
    return f"The plot spans {across} and {down}. {_range(area.x)} {_range(area.y)}"


def _range(axis: Axis) -> str:
    scale = axis.scale
    assert scale is not None  # noqa: S101 - read_crossed gives both
    return f"The {axis.name} axis runs from {scale.low:.2f} to {scale.high:.2f}."
