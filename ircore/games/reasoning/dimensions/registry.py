"""All dimensions by name, in the order of boards and pages."""

from collections.abc import Mapping

from ircore.games.reasoning.dimensions.base import Dimension
from ircore.games.reasoning.dimensions.entity import EntityDescribed, EntityNamed, Recognition
from ircore.games.reasoning.dimensions.jigsaw import Jigsaw
from ircore.games.reasoning.dimensions.layout import Layout
from ircore.games.reasoning.dimensions.painting import Painting
from ircore.games.reasoning.dimensions.quantity import Quantity
from ircore.games.reasoning.dimensions.sudoku import Sudoku
from ircore.games.reasoning.dimensions.text import Text

_ALL = (
    Quantity(), Layout(), Text(), Jigsaw(), Sudoku(), Painting(), EntityNamed(), EntityDescribed(), Recognition(),
)  # fmt: skip

DIMENSIONS: Mapping[str, Dimension] = {dimension.name: dimension for dimension in _ALL}
"""Dimensions by name."""
