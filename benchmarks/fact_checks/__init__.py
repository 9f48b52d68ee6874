"""Whether a stated fact reached the picture: the items of a finished canvas against what a description says.

A fact is a mapping with ``is``, the kind of thing, and what is stated of it: ``at`` and ``size`` in percent of the
picture, ``colour``, ``outline``, ``text``, ``value`` … Each of these counts by itself, and so does that the thing is
there at all. Values of charts are read off the drawn tick labels, as a reader of the picture would.
"""

from fact_checks.canvas_view import Checks, Fact
from fact_checks.matching import checked

__all__ = ["Checks", "Fact", "checked"]
