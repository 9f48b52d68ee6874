"""All dimensions by name, in the order of boards and pages."""

from collections.abc import Mapping

from ircore.games.reasoning.dimensions.base import Dimension
from ircore.games.reasoning.dimensions.layout import Layout
from ircore.games.reasoning.dimensions.quantity import Quantity
from ircore.games.reasoning.dimensions.text import Text

DIMENSIONS: Mapping[str, Dimension] = {dimension.name: dimension for dimension in (Quantity(), Layout(), Text())}
"""Dimensions by name."""
