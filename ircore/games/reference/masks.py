"""Grey pictures in place of a context, for listeners that are to see nothing."""

from collections.abc import Mapping
from functools import cache

from ircore.core.drawing import Drawing
from ircore.core.images import Picture

GREY = "#808080"


def masked(pictures: Mapping[str, Picture]) -> dict[str, Picture]:
    """Return a grey picture of the same size for each."""
    return {name: _grey(picture.width, picture.height) for name, picture in pictures.items()}


@cache
def _grey(width: int, height: int) -> Picture:
    return Picture.from_pixels(Drawing(width, height, GREY).pixels)
