"""Extras: drawn areas where the target shows nothing."""

import math

import numpy as np
from scipy import ndimage

from ircore.core.fact_records import ExtraBox
from ircore.core.records import Box
from ircore.scorers.verification.eye.look import Look
from ircore.scorers.verification.eye.view import Floats, Mask, commonest, distance, grown, window

APART = 16.0
"""Distance in L*a*b* from every ground from which on a pixel is drawn."""
LEAST = 45
"""Pixels of a thing that counts; specks and rims do not."""
THINNEST = 2.2
"""Pixels of mean width: what is thinner and not long is the rim of something expected."""


LITTERED, LOST = 0.25, 0.6
"""Shares of the free ground: covered from the first on, it casts doubt on all that is found, which may be chance; from
the second on, nothing can be told from chance."""
MOST_LITTERED = 0.99
"""Largest doubt, 0–1: a bound on the weight of what covers the ground."""
FRINGE = 5
"""Pixels beyond the slack: what reaches no farther is the blurred rim of something expected."""


def extras_of(look: Look) -> list[ExtraBox]:
    """Find drawn areas where nothing is expected, the largest first."""
    return [*look.view.noted("extras", lambda: _extras(look))]


def _extras(look: Look) -> list[ExtraBox]:
    lab = look.view.lab
    # Labels may stand some pixels off their place, so writing that was found is explained where it is.
    explained = look.target.explained.copy()
    for block in look.writing:
        if block is not None:
            window(explained, grown(block.box, 4))[...] = True
    grounds = _grounds(look, explained)
    far = np.min([distance(lab, ground) for ground in grounds], axis=0)
    # Compression leaves ripples beside everything drawn: in rough pictures ink must differ more.
    ink = (far > APART + min(24.0, 80 * look.roughness)) & ~explained
    litter = _litter(look, far > APART, ~explained)
    # Lines a pixel wide are rims of blur and compression.
    ink = _thick(ink)
    if not ink.any():
        return [*litter, *sorted(look.beyond.things, key=lambda extra: -extra.weight)[: 40 - len(litter)]]
    parts, count = ndimage.label(ink, np.ones((3, 3)))
    sizes = ndimage.sum_labels(ink, parts, np.arange(1, count + 1))
    away = ink & ~ndimage.binary_dilation(explained, iterations=FRINGE)
    reaching = ndimage.sum_labels(away, parts, np.arange(1, count + 1))
    extras, places = [*look.beyond.things], ndimage.find_objects(parts)
    for number in np.flatnonzero((sizes >= LEAST * (2 if look.is_rough else 1)) & (reaching > 0)) + 1:
        extra = _extra(places[number - 1], float(sizes[number - 1]))
        if extra is not None:
            extras.append(extra)
    return [*litter, *sorted(extras, key=lambda extra: -extra.weight)[: 40 - len(litter)]]


def _thick(ink: Mask) -> Mask:
    """Return the part of a mask that squares of 2 × 2 pixels fill: its opening by them."""
    squares = ink[:-1, :-1] & ink[1:, :-1] & ink[:-1, 1:] & ink[1:, 1:]
    thick = np.zeros_like(ink)
    for rows in (slice(None, -1), slice(1, None)):
        for columns in (slice(None, -1), slice(1, None)):
            thick[rows, columns] |= squares
    return thick


def _litter(look: Look, drawn: Mask, free: Mask) -> list[ExtraBox]:
    """Return the whole page as an extra if much of its free ground is covered, as by noise, or much lies beyond it.

    On such a page something is found wherever the eye looks. The weight is the odds of the doubt, in weights of all
    facts, so that even a page on which every fact is found keeps one less the doubt of its score.
    """
    covered = float((drawn & free).sum()) / max(1, int(free.sum()))
    height, width = free.shape
    doubts = [
        (min(MOST_LITTERED, (covered - LITTERED) / (LOST - LITTERED)), Box(0, 0, width, height)),
        # The drawing may lie on another picture.
        (look.beyond.doubt, look.beyond.canvas),
    ]
    weights = math.fsum(fact.weight for fact in look.target.facts)
    return [ExtraBox(box, round(weights * doubt / (1 - doubt), 3)) for doubt, box in doubts if doubt > 0]


def _grounds(look: Look, explained: Mask) -> list[Floats]:
    """Return the colours of the ground: the commonest colour, and the colours of panels and ground areas."""
    free = ~explained
    plain, areas = free.copy(), []
    for index, element in enumerate(look.target.scene.elements):
        if element.type in {"panel", "background"}:
            areas.append(look.target.outline(index) & free)
        if element.type == "background":
            plain &= ~look.target.outline(index)
    outside = free.copy()
    # The rim of the page: a renderer may leave a margin of another colour about its figure.
    outside[20:-20, 20:-20] = False
    visible_areas = [area for area in (*areas, plain, outside) if area.sum() > 60]
    return [look.view.background, *(commonest(look.view.lab_under(area)) for area in visible_areas)]


def _extra(place: tuple[slice, ...], size: float) -> ExtraBox | None:
    rows, columns = place
    box = Box(columns.start, rows.start, columns.stop, rows.stop)
    long = max(box.right - box.left, box.bottom - box.top)
    if size / long < THINNEST and long < 40:
        return None
    return ExtraBox(box, round(min(3.0, 0.4 + size / 1500 + long / 200), 3))
