"""Which part of the eye looks at which kind of mark."""

from ircore.scorers.verification.eye import figure_readers, ground_readers, line_readers
from ircore.scorers.verification.eye.look import Look, Observations, Reader, read_texts

READERS: dict[str, Reader] = {
    "bar": figure_readers.read_bar,
    "pie": figure_readers.read_pie,
    "wedge": figure_readers.read_wedge,
    "line": line_readers.read_line,
    "curve": line_readers.read_line,
    "asymptote": line_readers.read_asymptote,
    **dict.fromkeys(("axis", "frame", "grid", "leaders", "squares", "ticks", "zero_line"), line_readers.read_group),
    **dict.fromkeys(
        ("segment", "polygon", "circle", "arc", "angle", "right_angle", "tick", "arrowhead"), figure_readers.read_stroke
    ),
    **dict.fromkeys(("point", "dot"), figure_readers.read_point),
    **dict.fromkeys(("area", "disc", "sector"), figure_readers.read_tint),
    "background": ground_readers.read_background,
    "panel": ground_readers.read_panel,
    "ground": ground_readers.read_ground,
    "shape": ground_readers.read_shape,
}


def read_all(look: Look) -> Observations:
    """Return the reading of each fact of a target; facts without a reading are left out."""
    return {**look.view.noted("readings", lambda: _read(look))}


def _read(look: Look) -> Observations:
    readings = read_texts(look)
    for mark in look.target.marks:
        reader = ground_readers.read_other if mark.form == "other" else READERS.get(mark.kind)
        if reader is not None and mark.form != "text":
            readings |= reader(look, mark)
    return readings | ground_readers.read_relations(look)
