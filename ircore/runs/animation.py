"""An episode as a short animation: the target, the messages, and the drawing as it changes turn by turn."""

import io
import textwrap
from collections.abc import Mapping, Sequence
from functools import cache
from pathlib import Path

import numpy as np
from PIL import Image, ImageOps

from ircore.core.drawing import Drawing
from ircore.core.episode_records import Episode
from ircore.core.errors import InputError
from ircore.core.files import write_bytes
from ircore.core.images import Picture
from ircore.core.terminal import make_printable
from ircore.games.base import list_messages
from ircore.games.registry import load_game
from ircore.runs.folder import RunFolder

FORMATS = {".png": "PNG", ".webp": "WEBP"}
"""Formats by the ends of file names: APNG and animated WebP."""

JUDGES = ("verified", "structural")
"""Judges whose scores are shown by default, the first that rated the episode."""

_SIDE, _GAP, _MARGIN, _HEAD, _LINE, _LINES = 400, 24, 20, 30, 22, 7
_RIGHT = _MARGIN + _SIDE + _GAP
_WIDTH = 2 * _MARGIN + 2 * _SIDE + _GAP
_HEIGHT = _MARGIN + _HEAD + _SIDE + 16 + _LINES * _LINE + _MARGIN
_CHARACTERS = 112
"""Characters of a line of a message."""
_PAPER, _INK, _ACCENT, _BLANK = "#ffffff", "#1b1f24", "#0b62a8", "#f0f2f4"
_SAID_MS, _DRAWN_MS, _LAST_MS = 2600, 1600, 4000
"""How long a frame stands while a message is read, when it has been drawn, and at the end."""


def animate(folder: RunFolder, episode_id: str, file: Path, judges: Sequence[str] = JUDGES) -> int:
    """Write an episode as an animation and return the number of frames.

    Args:
        folder: The run.
        episode_id: The episode, with at least one rendering.
        file: Ends in ``.png`` (APNG) or ``.webp``.
        judges: Judges whose scores are shown: the first of them that rated the episode.

    Raises:
        InputError: The format is unknown, or the run has no rendering of the episode.
    """
    if file.suffix.lower() not in FORMATS:
        raise InputError(f"{file}: an animation ends in {' or '.join(FORMATS)}", "Give the file another name.")
    episode = next((episode for episode in folder.episodes() if episode.episode_id == episode_id), None)
    if episode is None or not episode.renderings:
        raise InputError(f"{folder.path}: episode {episode_id!r} has no rendering", "Name another episode.")
    instance = next(iter(folder.instances.instances.select({episode.instance_id})))
    frames, lasting = _draw_frames(folder, episode, folder.instances.picture(instance, "target"), judges)
    buffer = io.BytesIO()
    frames[0].save(
        buffer, FORMATS[file.suffix.lower()], save_all=True, append_images=frames[1:], duration=lasting, loop=0,
        **({"quality": 88, "method": 2, "kmax": 0} if file.suffix.lower() == ".webp" else {"optimize": True}),
    )  # fmt: skip
    write_bytes(file, buffer.getvalue())
    return len(frames)


def _draw_frames(
    folder: RunFolder, episode: Episode, target: Picture, judges: Sequence[str]
) -> tuple[list[Image.Image], list[int]]:
    """Return two frames a turn, while the message is read and when it is drawn, and how long each stands."""
    scores = _find_scores(folder, episode, judges)
    frames, lasting = list[Image.Image](), list[int]()
    shown, before = _fit_picture(target), Image.new("RGB", (_SIDE, _SIDE), _BLANK)
    messages = {message.step: message.text for message in list_messages(load_game(folder.game), episode)}
    for turn, rendering in episode.renderings.items():
        after, message = _fit_picture(folder.rendering(rendering)), messages.get(turn, "")
        frames += [
            _draw_frame(shown, before, turn, message),
            _draw_frame(shown, after, turn, message, scores.get(turn)),
        ]
        lasting += [_SAID_MS, _DRAWN_MS]
        before = after
    # The animation repeats without a pause, so the finished drawing stands longer than the others.
    lasting[-1] = _LAST_MS
    return frames, lasting


def _find_scores(folder: RunFolder, episode: Episode, judges: Sequence[str]) -> Mapping[int, float]:
    """Return the score of each turn by the first judge that rated the episode."""
    rated = [score for score in folder.scores() if (score.episode_id, score.task) == (episode.episode_id, "similarity")]
    for judge in judges:
        if own := {score.picture[0]: score.value for score in rated if score.by == judge and score.value is not None}:
            return own
    return {}


def _fit_picture(picture: Picture) -> Image.Image:
    return ImageOps.contain(Image.fromarray(picture.pixels), (_SIDE, _SIDE), Image.Resampling.LANCZOS)


@cache
def _draw_sheet() -> np.ndarray:
    """Return what is the same in every frame."""
    sheet = Drawing(_WIDTH, _HEIGHT, _PAPER)
    sheet.text((_MARGIN, _MARGIN + _HEAD / 2), "Target: only the describer sees it", 17, _ACCENT, "lm")
    top = _MARGIN + _HEAD
    for left in (_MARGIN, _RIGHT):
        sheet.rectangle(left - 1, top - 1, left + _SIDE + 1, top + _SIDE + 1, _BLANK)
    return sheet.pixels


def _draw_frame(
    target: Image.Image, drawn: Image.Image, turn: int, message: str, score: float | None = None
) -> Image.Image:
    sheet = Drawing.over(_draw_sheet())
    caption = f"Drawn after message {turn}" if score is not None else f"Message {turn} is read"
    sheet.text((_RIGHT, _MARGIN + _HEAD / 2), caption, 17, _INK, "lm")
    if score is not None:
        sheet.text((_RIGHT + _SIDE, _MARGIN + _HEAD / 2), f"{score:.1f} of 10", 17, _INK, "rm")
    top = _MARGIN + _HEAD
    _write_message(sheet, message, top + _SIDE + 16)
    # Pasted as pixels: a drawing holds shapes and texts alone.
    image = Image.fromarray(sheet.pixels)
    for left, fitted in ((_MARGIN, target), (_RIGHT, drawn)):
        image.paste(fitted, (left + (_SIDE - fitted.width) // 2, top + (_SIDE - fitted.height) // 2))
    return image


def _write_message(sheet: Drawing, message: str, top: int) -> None:
    # Messages come from models: line breaks and control characters would break the layout.
    lines = textwrap.wrap(" ".join(make_printable(message).split()), _CHARACTERS)
    # The sheet has a fixed height, since all frames of an animation are of one size.
    if len(lines) > _LINES:
        lines = [*lines[: _LINES - 1], lines[_LINES - 1][: _CHARACTERS - 4] + " …"]
    for number, line in enumerate(lines):
        sheet.text((_MARGIN, top + (number + 0.5) * _LINE), line.replace("…", "..."), 16, _INK, "lm")
