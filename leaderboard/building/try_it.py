"""The built-in canvas's own source as an archive, for Python in the browser on the page *Try it*."""

import inspect
import io
import json
import zipfile
from collections.abc import Mapping
from importlib.resources import files
from pathlib import Path

import PIL.ImageColor

import ircore.core.drawing
import ircore.core.drawing as drawing
import ircore.core.exact
import ircore.core.untrusted_text
import ircore.core.word_files
import ircore.players
import ircore.seeing.colours

_PARTS = Path(__file__).resolve().parents[1] / "assets" / "try" / "python"
"""Small stand-ins, as text, for packages that a browser's Python would have to fetch."""
_MOMENT = (2026, 1, 1, 0, 0, 0)
_IMPORTED = (
    ircore.core.exact, ircore.core.drawing, ircore.core.word_files, ircore.core.untrusted_text, ircore.seeing.colours
)  # fmt: skip
"""Modules that the canvas imports from other rooms, beside the drawing."""


def pack_canvas() -> bytes:
    """Return a ZIP archive of the reader and the drawer of the built-in canvas, and of their imports."""
    packed = io.BytesIO()
    with zipfile.ZipFile(packed, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, text in sorted(_collect_sources().items()):
            # A fixed time in every entry: the same sources give the same bytes.
            archive.writestr(zipfile.ZipInfo(name, _MOMENT), text, zipfile.ZIP_DEFLATED)
    return packed.getvalue()


def _collect_sources() -> Mapping[str, str]:
    """Return the text of every module by its path in the archive."""
    # Found by its place: importing the canvas would take the build of every site a quarter of a second.
    own = Path(ircore.players.__file__).parent / "builtin" / "canvas"
    root = "ircore/players/builtin/canvas"
    packages = ("ircore", "ircore/core", "ircore/seeing", "ircore/players", "ircore/players/builtin", root)
    texts = {f"{package}/__init__.py": "" for package in packages}
    for path in (*own.rglob("*.py"), *own.rglob("*.toml")):
        if path not in (own / "__init__.py", own / "generator.py"):
            texts[f"{root}/{path.relative_to(own).as_posix()}"] = path.read_text(encoding="utf-8")
    for module in _IMPORTED:
        texts[f"{module.__name__.replace('.', '/')}.py"] = inspect.getsource(module)
    names = files("ircore.seeing") / "colour_names.toml"
    texts["ircore/seeing/colour_names.toml"] = names.read_text(encoding="utf-8")
    arcs = inspect.getsource(drawing.arc_points) + "\n\n" + inspect.getsource(drawing._arc)
    texts["ircore/core/drawing.py"] = (_PARTS / "drawing.txt").read_text(encoding="utf-8") + "\n\n" + arcs
    texts["ircore/core/images.py"] = "Pixels = object\n"
    texts["numpy/__init__.py"] = (_PARTS / "numpy.txt").read_text(encoding="utf-8")
    texts["numpy/typing.py"] = "from numpy import NDArray\n"
    texts["PIL/__init__.py"] = "class Image:\n    pass\n"
    texts["PIL/ImageColor.py"] = f"colormap = {json.dumps(_list_colours(), indent=0)}\n"
    texts["try_it.py"] = (_PARTS / "try_it.txt").read_text(encoding="utf-8")
    return texts


def _list_colours() -> dict[str, str]:
    """Return the colour names of CSS as #rrggbb; Pillow keeps numbers in the place of colours that were drawn with."""
    return {
        name: value if isinstance(value, str) else "#{:02x}{:02x}{:02x}".format(*value[:3])
        for name, value in PIL.ImageColor.colormap.items()
    }
