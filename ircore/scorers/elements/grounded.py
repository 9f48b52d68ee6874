"""Elements by any vision model behind a player: asked for JSON with boxes from 0 to 1000."""

import asyncio
import hashlib
from contextlib import suppress
from pathlib import Path

from ircore.core.elements import ElementList, read_elements, write_elements
from ircore.core.errors import InputError, WorkError
from ircore.core.files import cache_folder
from ircore.core.images import Picture
from ircore.games.reasoning.puzzles.detections import DetectionError, Detections, read_detections
from ircore.players.base import Captioned, JudgeView, JudgingPlayer, PlayerError, RepairExchange
from ircore.scorers.judges.manifest import read_judge

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
