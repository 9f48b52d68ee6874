"""State of the reader: the only object that changes while messages are read."""

from collections.abc import Sequence
from dataclasses import dataclass, field, replace

from ircore.core.drawing import Point
from ircore.core.untrusted_text import without_controls
from ircore.players.builtin.canvas.area import Area
from ircore.players.builtin.canvas.described_figure import DescribedFigure
from ircore.players.builtin.canvas.quantities import Space
from ircore.players.builtin.canvas.shapes import Canvas, Item

MAX_ITEMS = 2_000
MAX_NOTES = 20
MAX_NOTE = 200
"""Characters of a note."""


@dataclass
class Sheet:
    """A canvas in the making.

    >>> sheet = Sheet()
    >>> sheet.paint("#ff0000")
    >>> sheet.finished().background
    '#ff0000'

    Attributes:
        canvas: Size and background; its own items are not used.
        last: Index of the item that was spoken of last.
        context: Which list is being read ("bars", "wedges" …), for clauses after a semicolon.
        lead: The words that opened that list.
        naive: Whether "the red circle" is taken for a new thing unless another is placed by it.
        told: The items of a figure that was told in its own terms.
        figure: Kind, place and categories of that figure, for corrections in its terms.
        area: The area of a plot that is told sentence by sentence.
        points: Named points in pixels, by their names in lower case.
    """

    canvas: Canvas = field(default_factory=Canvas)
    items: list[Item] = field(default_factory=list)
    last: int | None = None
    context: str = ""
    lead: str = ""
    notes: list[str] = field(default_factory=list)
    naive: bool = False
    told: tuple[Item, ...] = ()
    figure: DescribedFigure | None = None
    area: Area | None = None
    points: dict[str, Point] = field(default_factory=dict)

    @property
    def space(self) -> Space:
        """The picture's size, for percent and places."""
        return Space(*self.size)

    @property
    def size(self) -> tuple[int, int]:
        """Width and height of the picture in pixels."""
        return self.canvas.width, self.canvas.height

    def add(self, items: Sequence[Item]) -> bool:
        """Put items in front of all others, as long as there is room; return whether there were any."""
        for item in items:
            if len(self.items) < MAX_ITEMS:
                self.items.append(item)
                self.last = len(self.items) - 1
        return bool(items)

    def put(self, index: int, item: Item) -> None:
        """Replace the item at an index."""
        self.items[index] = item
        self.last = index

    def remove(self, indices: Sequence[int]) -> None:
        """Take items away."""
        # From the back, so that the remaining indices stay valid.
        for index in sorted(set(indices), reverse=True):
            del self.items[index]
        self.last = None

    def paint(self, background: str) -> None:
        """Give the picture a plain background."""
        self.canvas = replace(self.canvas, background=background, fade=None)

    def forget_figure(self) -> None:
        """Remove the items of the figure described before, unless a correction changed them since."""
        # By identity: a corrected item is a new record and stays.
        remaining = [item for item in self.items if not any(item is mentioned for mentioned in self.told)]
        self.items[:], self.told, self.figure, self.last = remaining, (), None, None

    def note(self, text: str) -> None:
        """Keep a note of at most 200 characters, as long as there are few."""
        if len(self.notes) < MAX_NOTES:
            # Notes are shown in terminals, where control characters of a message could do harm.
            plain = without_controls(text)
            self.notes.append(plain if len(plain) <= MAX_NOTE else plain[: MAX_NOTE - 2] + '…"')

    def finished(self) -> Canvas:
        """Return the canvas to draw."""
        return replace(self.canvas, items=tuple(self.items))
