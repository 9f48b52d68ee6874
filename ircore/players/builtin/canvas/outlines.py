"""Corners of named shapes, as fractions of a box from its middle (−0.5 … 0.5)."""

import math
import re

from ircore.core import exact
from ircore.core.drawing import Point

SIDES = {"pentagon": 5, "hexagon": 6, "heptagon": 7, "octagon": 8, "polygon": 6}
CIRCULAR = frozenset({"star", "semicircle", *SIDES})
"""Kinds whose corners lie on a circle that "radius" speaks of."""

Corners = tuple[Point, ...]


def corners_of(kind: str, words: str) -> Corners:
    """Return the corners of a kind of shape; empty for round kinds and rectangles."""
    if kind == "star":
        return star(_count(words, 5))
    if kind in SIDES:
        return regular(_count(words, SIDES[kind]))
    if kind == "triangle":
        return _triangle(words)
    if kind == "arrow":
        return _turned_arrow(words)
    if kind == "semicircle":
        return _facing(_HALF_DISC, words)
    return _FIXED.get(kind, ())


def star(spikes: int) -> Corners:
    """Return a star with a spike up; inner corners lie where lines between spikes cross."""
    reach = 2 if spikes >= 5 else 1
    inner = exact.cos(reach * math.pi / spikes) / exact.cos((reach - 1) * math.pi / spikes) if spikes >= 5 else 0.38
    ring = []
    for step in range(2 * spikes):
        angle, far = math.pi * step / spikes, 0.5 if step % 2 == 0 else 0.5 * inner
        ring.append((far * exact.sin(angle), -far * exact.cos(angle)))
    return tuple(ring)


def regular(sides: int) -> Corners:
    """Return a regular polygon with a corner up."""
    return tuple(
        (0.5 * exact.sin(2 * math.pi * step / sides), -0.5 * exact.cos(2 * math.pi * step / sides))
        for step in range(sides)
    )


def stretched(corners: Corners) -> Corners:
    """Return corners that fill their box in both directions."""
    xs, ys = [x for x, _ in corners], [y for _, y in corners]
    wide, high = max(xs) - min(xs), max(ys) - min(ys)
    return tuple(((x - min(xs)) / wide - 0.5, (y - min(ys)) / high - 0.5) for x, y in corners)


def _count(words: str, usual: int) -> int:
    match = re.search(
        r"\b(\d{1,2})\s*(?:px)?\s*(?:pointed|points?|spikes?|spiked|arms?|armed|sided|sides|corners|cornered)\b", words
    )
    return min(24, max(3, int(match[1]))) if match else usual


def _triangle(words: str) -> Corners:
    if re.search(r"\bright(?:\s+angled?)\b", words):
        return (-0.5, -0.5), (0.5, 0.5), (-0.5, 0.5)
    return _facing(((0.0, -0.5), (0.5, 0.5), (-0.5, 0.5)), words)


def _facing(corners: Corners, words: str) -> Corners:
    """Turn corners that point up to where the words say."""
    match = re.search(r"\b(?:pointing|facing|points|opening)\s+(?:to\s+the\s+)?(up|down|left|right)", words)
    if match is None:
        return tuple((x, -y) for x, y in corners) if re.search(r"\binverted\b|\bupside down\b", words) else corners
    if match[1] == "down":
        return tuple((x, -y) for x, y in corners)
    if match[1] == "left":
        return tuple((y, x) for x, y in corners)
    return tuple((-y, x) for x, y in corners) if match[1] == "right" else corners


_ARROW = ((-0.5, -0.18), (0.08, -0.18), (0.08, -0.5), (0.5, 0.0), (0.08, 0.5), (0.08, 0.18), (-0.5, 0.18))
_WAYS = {"right": 0.0, "down": 90.0, "left": 180.0, "up": 270.0}


def _turned_arrow(words: str) -> Corners:
    """Return a block arrow in a unit box, pointing right if the words name no direction."""
    match = re.search(
        r"\b(?:pointing|facing|points|directed|towards?)\s+(?:to(?:wards)?\s+)?(?:the\s+)?(?:(up|upper|top|down|lower|bottom)\w*)?[\s,]*"
        r"(?:and\s+)?(?:slightly\s+|to the\s+)?(left|right)?",
        words,
    )
    up = {"upper": "up", "top": "up", "lower": "down", "bottom": "down"}
    parts = [up.get(word, word) for word in match.groups() if word] if match else []
    if len(parts) == 2 and "slightly" not in words and not re.search(r"\bup and\b|\bdown and\b", words):
        turn = {"up right": 315.0, "up left": 225.0, "down right": 45.0, "down left": 135.0}[" ".join(parts)]
    else:
        turn = _WAYS[parts[0]] if parts else 0.0
    way = math.radians(turn)
    cosine, sine = exact.cos(way), exact.sin(way)
    return stretched(tuple((x * cosine - 0.62 * y * sine, x * sine + 0.62 * y * cosine) for x, y in _ARROW))


_HALF_DISC = tuple((-0.5 * exact.cos(math.pi * step / 40), -0.5 * exact.sin(math.pi * step / 40)) for step in range(41))


def _heart() -> Corners:
    """The heart curve x = 16 sin³ t, y = 13 cos t − 5 cos 2t − 2 cos 3t − cos 4t (MathWorld, "Heart Curve")."""
    curve = []
    for t in (2 * math.pi * step / 60 for step in range(60)):
        up = 13 * exact.cos(t) - 5 * exact.cos(2 * t) - 2 * exact.cos(3 * t) - exact.cos(4 * t)
        curve.append((16 * exact.whole_power(exact.sin(t), 3), -up))
    return stretched(tuple(curve))


_ARM = 1 / 6
_FIXED: dict[str, Corners] = {
    "diamond": ((0.0, -0.5), (0.5, 0.0), (0.0, 0.5), (-0.5, 0.0)),
    "trapezoid": ((-0.3, -0.5), (0.3, -0.5), (0.5, 0.5), (-0.5, 0.5)),
    "parallelogram": ((-0.25, -0.5), (0.5, -0.5), (0.25, 0.5), (-0.5, 0.5)),
    "cross": ((-_ARM, -0.5), (_ARM, -0.5), (_ARM, -_ARM), (0.5, -_ARM), (0.5, _ARM), (_ARM, _ARM), (_ARM, 0.5),
              (-_ARM, 0.5), (-_ARM, _ARM), (-0.5, _ARM), (-0.5, -_ARM), (-_ARM, -_ARM)),
    "heart": _heart(),
}  # fmt: skip
