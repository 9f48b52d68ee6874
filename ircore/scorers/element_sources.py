"""Elements of a picture, seen by the eye of the judge ``verified`` or by any vision model behind a player.

The eye says which elements of the target a rendering shows, and where. A model is asked for JSON with boxes from 0 to
1000.

Example:
    >>> from ircore.instances.targets.categories import draw_target
    >>> target = draw_target("simple_shapes", "easy", 5)
    >>> own = Picture.from_pixels(target.drawing.pixels)
    >>> seen = detect_by_eye(own, target.scene, own)
    >>> sorted(seen.counts) == sorted({element.type for element in target.scene.elements})
    True
"""

import asyncio
import hashlib
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path

from ircore.core.elements import ElementList, SeenElement, read_elements, write_elements
from ircore.core.errors import InputError, WorkError
from ircore.core.files import cache_folder
from ircore.core.images import Picture
from ircore.core.records import Box, Scene
from ircore.games.reasoning.detections import DetectionError, Detections, read_detections
from ircore.players.base import Captioned, JudgeView, JudgingPlayer, PlayerError, RepairExchange
from ircore.scorers.judges.manifest import read_judge
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
    placed = look.transform.place_points(corners, scene.width, scene.height) * (
        width / scene.width,
        height / scene.height,
    )
    (left, top), (right, bottom) = placed.min(axis=0).tolist(), placed.max(axis=0).tolist()
    limits = ((left, width), (top, height), (right, width), (bottom, height))
    left, top, right, bottom = (round(min(max(edge, 0.0), float(limit)), 1) for edge, limit in limits)
    return left, top, right, bottom


PROMPT = """List what the picture shows{asked}. Answer with one JSON object and nothing else:
{{"objects": [{{"label": "person", "count": 2, "boxes": [[left, top, right, bottom], ...]}}], "missing_objects": []}}
Labels are singular nouns in lower case. Boxes are whole numbers from 0 to 1000 of the picture's width and height, one \
for each object. Put objects that were asked for and are not there into missing_objects."""
AGAIN = "That could not be used: {problem}. Answer with the JSON object alone."


def detect_by_model(path: Path, picture: Picture, labels: tuple[str, ...] = ()) -> ElementList:
    """Ask a vision model, given by a judge's file, for the elements of a picture as grounded JSON.

    Args:
        path: File of a judge (docs/judges.md): its player, model and address are asked.
        picture: The picture.
        labels: What to look for; everything if empty.

    Raises:
        InputError: The file cannot be used, or the model gave no usable answer.
    """
    judge = read_judge(path)
    try:
        detections = asyncio.run(_ask_detector(judge.make_player(), picture, labels))
    except PlayerError as error:
        raise InputError(
            f"{path}: the model gave no answer ({error})", "Try the file with: ircore doctor FILE."
        ) from error
    except DetectionError as error:
        raise InputError(f"{path}: the model's answer cannot be used: {error}", "Name another model.") from error
    return detections.as_elements(picture.width, picture.height, f"model {judge.name}")


def detect_with_cache(path: Path, picture: Picture, labels: tuple[str, ...]) -> ElementList:
    """Return the elements that a vision model sees; an answer is kept in the cache folder, and not asked for again.

    Args:
        path: File of a judge, as of ``detect_by_model``.
        picture: The picture.
        labels: What to look for.

    Raises:
        InputError: The file cannot be used, or the model gave no usable answer.
    """
    folder = cache_folder()
    if folder is None:
        return detect_by_model(path, picture, labels)
    # All that shapes the answer: after a change of model or prompt the kept answers are not used. No label holds NUL.
    cache_key = "\0".join((read_judge(path).identity.model_dump_json(), PROMPT, *labels))
    cache_file = folder / "detections" / hashlib.sha256(cache_key.encode()).hexdigest()[:32] / f"{picture.sha256}.json"
    if cache_file.is_file():
        return read_elements(cache_file)
    elements = detect_by_model(path, picture, labels)
    with suppress(WorkError):  # without a file in the cache the model is asked again next time
        write_elements(cache_file, elements)
    return elements


async def _ask_detector(player: JudgingPlayer, picture: Picture, labels: tuple[str, ...]) -> Detections:
    """Ask, and once more if the answer cannot be used."""
    wanted = f"; look for: {', '.join(labels)}" if labels else ""
    exchanges: tuple[RepairExchange, ...] = ()
    try:
        for last in (False, True):
            view = JudgeView(PROMPT.format(asked=wanted), (Captioned("The picture:", picture),), exchanges)
            text = (await player.judge(view)).text
            try:
                return read_detections(text)
            except DetectionError as error:
                if last:
                    raise
                # The model sees its own unusable answer and why it is unusable.
                exchanges = (RepairExchange(text, AGAIN.format(problem=error)),)
    finally:
        # Only players that hold a connection have the method.
        close = getattr(player, "close", None)
        if close is not None:
            await close()
    raise AssertionError  # the second attempt returns or raises
