"""Ranges of possible values: an interval reaches as far as the values that a scale allows and that nobody has seen."""

from math import isfinite
from typing import NamedTuple


class Scale(NamedTuple):
    """Possible values of a number."""

    lowest: float
    """Smallest possible value; −inf if there is none."""

    highest: float
    """Largest possible value; inf if there is none."""

    @property
    def has_ends(self) -> bool:
        """Whether there is both a smallest and a largest value."""
        return isfinite(self.lowest) and isfinite(self.highest)


SCORE = Scale(0.0, 10.0)
"""Similarity of a rendering."""

DIFFERENCE = Scale(-10.0, 10.0)
"""Difference of two scores."""

SHARE = Scale(0.0, 1.0)

MAIN = Scale(0.0, 100.0)
"""Quality × played share."""

MAIN_DIFFERENCE = Scale(-100.0, 100.0)
"""Difference of two main scores."""

AMOUNT = Scale(0.0, float("inf"))
"""Tokens, turns, seconds, money."""

OPEN = Scale(-float("inf"), float("inf"))
"""Any number."""
