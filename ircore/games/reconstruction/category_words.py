"""Words of the site for the categories of targets: names, what each asks of a pair, and what is easy and hard in it."""

from collections.abc import Mapping

from ircore.games.declarations import CategoryWords

CATEGORY_WORDS: Mapping[str, CategoryWords] = {
    "bar_graph": CategoryWords(
        "Bar graphs", "Bar", "Bar graph",
        "A data chart whose bars are read off an axis; a correction has to get the numbers right.",
        {"easy": "three to six bars", "hard": "groups, stacks, many bars, or both signs"},
    ),
    "functions": CategoryWords(
        "Functions", "Func.", "Function graph",
        "Graphs of functions: the shape of the curve, the scale and the labels of the axes.",
        {"easy": "one curve", "hard": "several curves, pieces, a tangent, asymptotes, an area"},
    ),
    "geometry": CategoryWords(
        "Geometry", "Geom.", "Geometric figure",
        "A labelled figure or construction, in which small differences of measure matter.",
        {"easy": "one figure, few labels", "hard": "a construction of many parts"},
    ),
    "line_graph": CategoryWords(
        "Line graphs", "Line", "Line graph",
        "Values over months, years or hours as joined points, on an axis with numbers.",
        {"easy": "one line", "hard": "three to five lines that cross"},
    ),
    "pie_graph": CategoryWords(
        "Pie graphs", "Pie", "Pie graph",
        "Shares of a whole as wedges of a disc or a ring.",
        {"easy": "three or four wedges", "hard": "six to nine, often a ring or pulled out"},
    ),
    "simple_shapes": CategoryWords(
        "Simple shapes", "Shapes", "Simple shapes",
        "Coloured primitives at clear positions on a plain or patterned ground.",
        {"easy": "two to four, upright, apart", "hard": "six to ten, turned, outlined, overlapping, on patterns"},
    ),
    "photos": CategoryWords(
        "Photos", picture="Photograph",
        asks="A photograph: no scene is known, so that only judges and metrics can say how close a rendering came.",
    ),
}  # fmt: skip
"""By name of the category; other sets may have categories of their own, about which nothing is known here."""
