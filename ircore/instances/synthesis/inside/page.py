"""The page that readers of artists write on: elements, in the project's form of scenes, and unreadable artists."""

from typing import Any

from ircore.instances.synthesis.inside.ink import Box, Sheet, blend_over


class Page:
    """Elements of a figure, back to front.

    >>> from matplotlib.backends.backend_agg import FigureCanvasAgg
    >>> from matplotlib.figure import Figure
    >>> page = Page(FigureCanvasAgg(Figure(facecolor="white")).figure, "geometry")
    >>> page.add("circle", (10, 10, 50, 50), "#d62728", centre=[30, 30], radius=20)
    >>> page.elements[0]["type"], page.background
    ('circle', '#ffffff')

    Args:
        figure: A matplotlib figure that was drawn.
        category: Category of the target, which decides how its elements are called.
    """

    def __init__(self, figure: Any, category: str) -> None:
        self.sheet = Sheet(figure)
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
