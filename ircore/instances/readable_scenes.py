"""Scenes in which every element states what its type defines: what programs that read scenes may rest on.

Any category may use any type of element with any parameters. The types that this project draws itself are read in a
form of their own, such as a bar with value, baseline, category, series and orientation.
"""

from ircore.core.records import Element, Scene
from ircore.instances.synthesis.scenes import parameter_fits

PLAIN = "plain_"
"""Before the type of an element that lacks what the type defines."""

NEEDED: dict[str, tuple[str, ...]] = {
    "angle": ("points", "degrees"), "arc": ("points",), "arrowhead": ("points",), "asymptote": ("points",),
    "axis": ("axis", "data_range", "pixel_range", "points"),
    "bar": ("value", "baseline", "category", "series", "orientation"), "curve": ("points", "function", "formula"),
    "frame": ("points",), "grid_line": ("start", "end"), "gridline": ("axis", "points"), "leader": ("points",),
    "area": (), "disc": (), "marker": ("shape", "centre"), "panel": (),
    "point": ("name", "centre", "radius"), "polygon": ("corners", "points"),
    "polyline": ("points", "series", "values", "categories"), "right_angle": ("points",),
    "sector": ("centre", "radius", "degrees"), "segment": ("points", "start", "end"), "tick": ("points",),
    "wedge": ("category", "share", "start", "centre", "radius", "hole", "exploded"), "zero_line": ("axis", "points"),
    **dict.fromkeys(
        ("arrow", "cross", "diamond", "hexagon", "octagon", "parallelogram", "pentagon", "rectangle", "right_triangle",
         "square", "star", "trapezoid", "triangle"), ("centre", "corners"),
    ),
    **dict.fromkeys(("circle", "ellipse", "half_circle", "quarter_circle", "ring"), ("centre", "radius")),
}  # fmt: skip
"""Parameters of each drawn type that facts and eye rest on, beside the colour."""


def readable_scene(scene: Scene) -> Scene:
    """Return a scene in which every element states what its type defines, each parameter in its own form.

    Parameters in another form are left out, and an element that then lacks something is of a kind of its own: its type
    begins with ``plain_``. A scene of this project comes back as it is.
    """
    elements = tuple(map(_readable, scene.elements))
    same = all(new is old for new, old in zip(elements, scene.elements, strict=True))
    return scene if same else scene.model_copy(update={"elements": elements})


def missing_parameters(element: Element) -> tuple[str, ...]:
    """Return what an element of a known type does not state, or states in another form; empty of unknown types."""
    if element.type in NEEDED and element.colour is None:
        return ("colour",)
    needed = NEEDED.get(element.type, ())
    if element.type == "marker" and "series" not in element.parameters:
        needed = (*needed, "x", "y")
    if element.type == "asymptote" and "x" not in element.parameters:
        needed = (*needed, "y")
    if element.type == "tick_label" and "axis" in element.parameters:
        needed = ("axis", "value")
    missing = tuple(name for name in needed if element.parameters.get(name) is None or name in _misfits(element))
    about = element.parameters
    if element.type == "polyline" and not missing:
        counts = [len(about[name]) for name in ("points", "values", "categories")]  # type: ignore[arg-type]
        return () if len(set(counts)) == 1 else ("values",)
    return missing


def _misfits(element: Element) -> set[str]:
    """Return the names of parameters that are not in the form that facts and eye read under these names."""
    return {
        name
        for name, value in element.parameters.items()
        if not parameter_fits(element.type, name, value) and (name, value) != ("outline", None)
    }


def _readable(element: Element) -> Element:
    misfits = _misfits(element)
    # A text is read as a text, whatever else its type would be.
    is_plain = element.type in NEEDED and (bool(missing_parameters(element)) or element.text is not None)
    if element.type == "tick_label" and missing_parameters(element):
        misfits.add("axis")
    if not misfits and not is_plain:
        return element
    kept = {name: value for name, value in element.parameters.items() if name not in misfits}
    return element.model_copy(
        update={"type": (PLAIN + element.type)[:100] if is_plain else element.type, "parameters": kept}
    )
