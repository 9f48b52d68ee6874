"""Elements by the eye of the judge ``verified``: which elements of the target a rendering shows, and where.

Example:
    >>> from ircore.instances.targets.categories import draw_target
    >>> target = draw_target("simple_shapes", "easy", 5)
    >>> own = Picture.from_pixels(target.drawing.pixels)
    >>> seen = detect_by_eye(own, target.scene, own)
    >>> sorted(seen.counts) == sorted({element.type for element in target.scene.elements})
    True
"""

from collections.abc import Iterator

from ircore.core.elements import ElementList, SeenElement
from ircore.core.images import Picture
from ircore.core.records import Box, Scene
from ircore.scorers.verification.eye.ground_readers import find_extras, read_all
from ircore.scorers.verification.eye.look import Look, Observations, look_at
from ircore.scorers.verification.eye.regions import prepare_target
from ircore.scorers.verification.scene_facts import Mark
from ircore.scorers.verification.score import VERSION

UNKNOWN = "unknown"
"""Label of what is drawn where the target shows nothing."""


def detect_by_eye(target: Picture, scene: Scene, image: Picture) -> ElementList:
    """Return the target's elements that the eye sees in a rendering, by their types, and all extra things.

    Elements of which the eye cannot say whether they are there (tick marks, things that others hide) are left out:
    hold two renderings, or a rendering and the target itself, against each other, each seen by the eye.

    Args:
        target: The target.
        scene: What the target shows.
        image: The rendering, of any size.

    Returns:
        Boxes in pixels of the rendering: as measured for bars, shapes and texts, else those of the target, moved as the
        rendering as a whole is; things that the target does not show have the label ``unknown``.
    """
    look = look_at(prepare_target(target, scene), image.pixels)
    readings = read_all(look)
    height, width = image.pixels.shape[:2]
    elements = tuple(
        SeenElement(label=label, box=_convert_to_rendering(look, box, width, height))
        for label, box in _iterate_seen_elements(look, readings)
    )
    return ElementList(width=width, height=height, source=f"eye {VERSION}", elements=elements)


def _iterate_seen_elements(look: Look, readings: Observations) -> Iterator[tuple[str, Box]]:
    """Yield type and box, in the target's coordinates, of each element that is there."""
    scene = look.target.scene
    for mark in look.target.marks:
        presence = readings.get(f"{mark.key}/presence")
        # `seen` is None where the eye cannot tell, as of tick marks; such elements are left out like absent ones.
        if presence is None or not presence.seen:
            continue
        measured = _find_seen_box(look, mark)
        for index in mark.elements:
            element = scene.elements[index]
            # The mark of a pie covers all wedges, each of which has a mark of its own and would be counted twice.
            if mark.kind != "pie":
                yield element.type, measured or element.box
    for extra in find_extras(look):
        yield UNKNOWN, extra.box


def _find_seen_box(look: Look, mark: Mark) -> Box | None:
    """Return the seen box of a mark of one element; None if the eye saw only that the mark is there."""
    element = look.target.scene.elements[mark.elements[0]]
    if mark.form == "text":
        block = look.blocks[look.target.texts.index(element)]
        return None if block is None else block.box
    if mark.kind == "shape":
        area = look.view.notes["shapes"][mark.key]
        box: Box = area.box
        return box
    if mark.kind == "bar":
        bar = look.view.notes["bars"][mark.key]
        low, high = round(bar.low), round(bar.high)
        # Only the ends along the axis of values are measured; across it the bar lies where the target's does.
        left, top, right, bottom = element.box
        if element.parameters["orientation"] == "horizontal":
            return Box(low, top, high, bottom)
        return Box(left, low, right, high)
    return None


def _convert_to_rendering(look: Look, box: Box, width: int, height: int) -> tuple[float, float, float, float]:
    """Return a box of the target's coordinates in pixels of the rendering."""
    scene = look.target.scene
    corners = [(x, y) for x in (box.left, box.right) for y in (box.top, box.bottom)]
    # The transform leads to the rendering brought to the target's size; the factors lead on to its own pixels.
    placed = look.transform.placed(corners, scene.width, scene.height) * (width / scene.width, height / scene.height)
    (left, top), (right, bottom) = placed.min(axis=0).tolist(), placed.max(axis=0).tolist()
    limits = ((left, width), (top, height), (right, width), (bottom, height))
    left, top, right, bottom = (round(min(max(edge, 0.0), float(limit)), 1) for edge, limit in limits)
    return left, top, right, bottom
