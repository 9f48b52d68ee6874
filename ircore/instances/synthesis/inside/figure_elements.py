"""The elements of a figure, as readers of its artists note them, and the pixels that an artist touches.

Elements are held in the project's form of scenes, and unreadable artists. To know its pixels, each artist is drawn
alone on a transparent sheet.
"""

from typing import Any

import numpy as np

Box = tuple[int, int, int, int]


class FigureElements:
    """Elements of a figure, back to front.

    >>> from matplotlib.backends.backend_agg import FigureCanvasAgg
    >>> from matplotlib.figure import Figure
    >>> page = FigureElements(FigureCanvasAgg(Figure(facecolor="white")).figure, "geometry")
    >>> page.add("circle", (10, 10, 50, 50), "#d62728", centre=[30, 30], radius=20)
    >>> page.elements[0]["type"], page.background
    ('circle', '#ffffff')

    Args:
        figure: A matplotlib figure that was drawn.
        category: Category of the target, which decides how its elements are called.
    """

    def __init__(self, figure: Any, category: str) -> None:
        self.sheet = TransparentSheet(figure)
        self.category = category
        self.background = blend_over(figure.patch.get_facecolor(), "#ffffff") or "#ffffff"
        if not figure.patch.get_visible():
            self.background = "#ffffff"
        self.ground = self.background
        self.elements: list[dict[str, Any]] = []
        self.unread: list[str] = []
        self.titles: list[str] = []
        self.legends = 0
        self.series = 0

    def add(self, kind: str, box: Box | None, colour: str | None, **parameters: Any) -> None:
        """Add an element, unless it touches no pixel; the parameter ``text`` holds its words."""
        text = parameters.pop("text", None)
        if box is not None:
            element = {"type": kind, "text": text, "colour": colour, "box": list(box), "parameters": parameters}
            self.elements.append(element)

    def skip(self, reason: str) -> None:
        """Note an unreadable artist, once."""
        if reason not in self.unread:
            self.unread.append(reason)

    def colour(self, colour: Any) -> str | None:
        """Return a colour as drawn on the ground of the axes that are being read."""
        return blend_over(colour, self.ground)

    def colour_of(self, artist: Any) -> str | None:
        """Return the colour of a line or a text, its transparency included."""
        from matplotlib.colors import to_rgba

        red, green, blue, alpha = to_rgba(artist.get_color())
        return self.colour((red, green, blue, alpha if artist.get_alpha() is None else artist.get_alpha()))

    def text(self, kind: str, artist: Any, **parameters: Any) -> None:
        """Add a text, unless it is empty or hidden."""
        words = artist.get_text().strip()
        if not words or not artist.get_visible():
            return
        if artist.get_rotation():
            parameters["rotation"] = round(float(artist.get_rotation()), 1)
        size = self.sheet.width_of(artist.get_fontsize())
        self.add(kind, self.sheet.box(artist), self.colour_of(artist), text=words[:200], size=size, **parameters)


class TransparentSheet:
    """A transparent sheet of the figure's size.

    >>> from matplotlib.backends.backend_agg import FigureCanvasAgg
    >>> from matplotlib.figure import Figure
    >>> canvas = FigureCanvasAgg(Figure(figsize=(2, 1), dpi=100))
    >>> TransparentSheet(canvas.figure).size
    (200, 100)

    Args:
        figure: A matplotlib figure that was drawn.
    """

    def __init__(self, figure: Any) -> None:
        from matplotlib.backends.backend_agg import RendererAgg

        self.width, self.height = figure.canvas.get_width_height()
        self.dpi = float(figure.dpi)
        self._renderer = RendererAgg(self.width, self.height, figure.dpi)

    @property
    def size(self) -> tuple[int, int]:
        """Width and height in pixels."""
        return self.width, self.height

    def box(self, artist: Any) -> Box | None:
        """Return the smallest box [left, top, right, bottom) of pixels that an artist touches; None for none."""
        self._renderer.clear()
        artist.draw(self._renderer)
        drawn = np.asarray(self._renderer.buffer_rgba())[..., 3] > 0
        rows, columns = np.flatnonzero(drawn.any(axis=1)), np.flatnonzero(drawn.any(axis=0))
        if not rows.size:
            return None
        return int(columns[0]), int(rows[0]), int(columns[-1]) + 1, int(rows[-1]) + 1

    def pixels(self, points: Any, transform: Any) -> list[list[float]]:
        """Return points in pixels from the top left corner, to the hundredth; points that are not finite left out."""
        moved = np.asarray(transform.transform(np.asarray(points, float).reshape(-1, 2)))
        return [[round(float(x), 2), round(self.height - float(y), 2)] for x, y in moved if np.isfinite([x, y]).all()]

    def width_of(self, points: float) -> float:
        """Return a width in typographic points as pixels."""
        return round(points * self.dpi / 72, 2)


def blend_over(colour: Any, ground: str) -> str | None:
    """Return a colour of matplotlib as ``#rrggbb`` on an opaque ground; None if it is wholly transparent."""
    from matplotlib.colors import to_rgba

    if isinstance(colour, str) and colour == "none":
        return None
    red, green, blue, alpha = to_rgba(colour)
    if alpha == 0:
        return None
    below = [int(ground[place : place + 2], 16) / 255 for place in (1, 3, 5)]
    mixed = [alpha * top + (1 - alpha) * bottom for top, bottom in zip((red, green, blue), below, strict=True)]
    return "#" + "".join(f"{round(255 * part):02x}" for part in mixed)


def compute_box(points: list[list[float]], reach: float, width: int, height: int) -> Box | None:
    """Return the box around points with a reach in pixels on all sides, inside of the picture; None for no points."""
    if not points:
        return None
    left, right = min(x for x, _ in points) - reach, max(x for x, _ in points) + reach
    top, bottom = min(y for _, y in points) - reach, max(y for _, y in points) + reach
    box = max(0, int(left)), max(0, int(top)), min(width, int(right) + 1), min(height, int(bottom) + 1)
    return box if box[0] < box[2] and box[1] < box[3] else None
