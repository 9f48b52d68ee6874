"""Pictures in words: alternative texts of targets, which say what is drawn, and of renderings, and names of colours."""

from collections import Counter
from collections.abc import Iterable
from colorsys import rgb_to_hls

from ircore.core.plain_words import format_count
from ircore.core.records import Element, Instance
from ircore.core.untrusted_text import format_one_line
from ircore.games.registry import find_category_words

LONGEST_ALT_TEXT = 280
"""Characters: screen readers read an alt text in one breath."""

_FURNITURE = frozenset(
    {
        "angle", "arrow_head", "arrowhead", "axis", "background", "frame", "grid_line", "gridline", "leader", "marker",
        "panel", "patch", "right_angle", "tick", "zero_line",
    }
)  # fmt: skip
"""Element types that an alternative text skips where the figure has other content."""

_ELEMENT_PLURALS = {"box": "boxes", "cross": "crosses", "polyline": "lines"}
_ELEMENT_NAMES = {"polyline": "line"}

_FEW_ELEMENTS = 6
"""Number of elements up to which each is described by colour, value or name."""

_HUE_NAMES = ((18, "red"), (45, "orange"), (68, "yellow"), (165, "green"), (195, "teal"), (258, "blue"),
              (295, "purple"), (342, "pink"), (361, "red"))  # fmt: skip
"""Name of a colour by the upper end of its range of hues, in degrees."""


def describe_target_picture(instance: Instance) -> str:
    """Describe a target in words: its kind, its drawn elements and its texts.

    Args:
        instance: With or without a scene; without one its source is named.

    Returns:
        At most ``LONGEST_ALT_TEXT`` characters on one line, such as ``Pie graph with 3 wedges: Mouse 55 %, …``.
    """
    category = find_category_words(instance.category)
    kind = category.picture or category.title
    if instance.scene is None:
        return format_one_line(f"{kind}, {instance.difficulty}: {instance.source}", LONGEST_ALT_TEXT)
    things = [
        element
        for element in instance.scene.elements
        if element.type not in _FURNITURE and not element.type.endswith("label")
    ]
    parts = [", ".join(_count_kinds(things)) or "nothing but a ground"]
    descriptions = list(_describe_elements(things)) if len(things) <= _FEW_ELEMENTS else []
    words = f"{kind} with {parts[0]}" + (f": {', '.join(descriptions)}" if descriptions else "")
    written = list(dict.fromkeys(_list_texts(instance.scene.elements, descriptions)))
    return format_one_line(words + (f"; labelled {', '.join(written)}" if written else ""), LONGEST_ALT_TEXT)


def describe_rendering(turn: int, pair: str, score: float | None, judge: str) -> str:
    """Describe a rendering in words: its turn, its pair and its score.

    Args:
        turn: 1-based.
        pair: Describer and generator.
        score: Similarity 0–10, or None if it was not scored.
        judge: Judge that gave the score.
    """
    rated = "not scored" if score is None else f"score {score:.1f} by {judge}"
    return f"Rendering of turn {turn} by {format_one_line(pair, 80)}, {rated}"


def colour_name(colour: str) -> str:
    """Return a plain name for a colour ``#rrggbb``: a hue out of eight, brown, black, grey or white."""
    red, green, blue = (int(colour[start : start + 2], 16) / 255 for start in (1, 3, 5))
    hue, lightness, saturation = rgb_to_hls(red, green, blue)
    # Without chroma the hue is noise, so a tinted grey must not be called by a hue.
    if max(red, green, blue) - min(red, green, blue) < 0.1 or saturation < 0.12:
        return "black" if lightness < 0.2 else "white" if lightness > 0.92 else "grey"
    name = next(name for limit, name in _HUE_NAMES if 360 * hue < limit)
    # English has a word of its own for dark orange and dull red.
    dull = name == "red" and saturation < 0.4 and lightness < 0.55
    return "brown" if dull or (name in ("orange", "yellow") and lightness < 0.38) else name


def _count_kinds(things: Iterable[Element]) -> Iterable[str]:
    for kind, count in Counter(element.type for element in things).items():
        name = _ELEMENT_NAMES.get(kind, kind).replace("_", " ")
        yield format_count(count, name, _ELEMENT_PLURALS.get(kind, ""))


def _describe_elements(things: Iterable[Element]) -> Iterable[str]:
    """Yield a description of each element: its name and value, or its colour and type."""
    for element in things:
        value = element.parameters.get("share", element.parameters.get("value"))
        name = element.parameters.get("category")
        if isinstance(name, str) and isinstance(value, int | float):
            yield f"{name} {value:g}{' %' if 'share' in element.parameters else ''}"
        elif element.colour is not None:
            yield f"{colour_name(element.colour)} {_ELEMENT_NAMES.get(element.type, element.type).replace('_', ' ')}"


def _list_texts(elements: Iterable[Element], descriptions: Iterable[str]) -> Iterable[str]:
    """Yield the texts of elements, without values along axes and texts already described."""
    said = {description.rpartition(" ")[0] for description in descriptions} | {
        description.split(" ")[0] for description in descriptions
    }
    for element in elements:
        numeric = element.text is not None and element.text.strip("−-+%°.,").replace(".", "").isdigit()
        # Numbers along an axis would fill the text and say little.
        skipped = element.type == "value_label" or (element.type in ("tick_label", "wedge_label") and numeric)
        if element.text is not None and not skipped and element.text not in said:
            yield f"“{element.text}”"
