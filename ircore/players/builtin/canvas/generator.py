"""The built-in generator ``canvas``: reads plain English, draws with Pillow."""

import asyncio

from ircore.core.images import Picture
from ircore.core.plain_words import format_count
from ircore.core.records import PlayerSpec
from ircore.players.base import GeneratorView, PictureAnswer, Question, refuse_settings
from ircore.players.builtin.canvas.reader import read
from ircore.players.builtin.canvas.render import affordable, draw
from ircore.players.builtin.canvas.shapes import Canvas
from ircore.players.builtin.canvas.sheet import MAX_NOTES


class CanvasGenerator:
    """Draws the whole dialogue, and changes only the things that a correction names.

    The generator sees only text: at every turn it reads all messages again from the first.

    >>> view = GeneratorView(1, "A red circle of radius 40 px centred at (100, 100).", (), None, 0, "")
    >>> answer = asyncio.run(CanvasGenerator(PlayerSpec(player="canvas")).render(view))
    >>> answer.picture.pixels[100, 100].tolist()
    [255, 0, 0]
    """

    def __init__(self, spec: PlayerSpec) -> None:
        refuse_settings(spec)

    async def render(self, view: GeneratorView) -> PictureAnswer:
        """Return the picture of all messages so far, with notes on the words of the last message not understood."""
        return await asyncio.to_thread(lambda: answer(*read((*view.earlier, view.message))))

    async def answer(self, question: Question) -> PictureAnswer:
        """Return the picture of the words of a question; pictures that are shown with it are not looked at."""
        return await asyncio.to_thread(lambda: answer(*read([question.prompt])))


def answer(canvas: Canvas, notes: tuple[str, ...]) -> PictureAnswer:
    """Draw a canvas, up to the items that can be drawn in reasonable time; a note tells if items are left out."""
    # A message from anyone may ask for thousands of large things.
    drawable = affordable(canvas)
    if len(drawable.items) < len(canvas.items):
        notes = (
            f"only {len(drawable.items):,} of {format_count(len(canvas.items), 'thing')} drawn: too much to draw",
            *notes,
        )
    return PictureAnswer(Picture.from_pixels(draw(drawable)), notes[:MAX_NOTES])
