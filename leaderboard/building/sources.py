"""Input of MkDocs: hand-written pages, assets, theme overrides and settings, copied into the build folder.

Some of it is made on the way. ES modules in the repository become one plain script per bundle: browsers load no ES
modules from files on a disk, and pages must work there too. A bundle therefore holds an entry module and its imports,
each in a function of its own, so that the names of modules do not collide. For Python in the browser on the page *Try
it*, the source of the built-in canvas is packed into an archive.
"""

import inspect
import io
import json
import re
import shutil
import zipfile
from collections.abc import Iterator, Mapping, Sequence
from importlib.resources import files
from pathlib import Path
from typing import Any

import PIL.ImageColor
import yaml
from markupsafe import escape
from pydantic.json_schema import models_json_schema

import ircore.core.exact
import ircore.core.untrusted_text
import ircore.players
import ircore.seeing.colours
from ircore.core import drawing
from ircore.core.episode_records import Episode
from ircore.core.errors import InputError, WorkError
from ircore.core.files import read_table, write_bytes
from ircore.core.records import Instance, Record
from ircore.core.score_records import JudgeIdentity, Score
from ircore.core.submission_records import Run
from ircore.games.registry import build_manifest_form, load_installed_games
from ircore.scorers.judge_test.card import read_card_style
from leaderboard.building.finish import Tree
from leaderboard.building.menus import Menu, add_front_matter, read_menu, select_navigation
from leaderboard.building.shells import has_own_shell
from leaderboard.model.site import LEADERBOARD, Page
from leaderboard.pages.feed import NAME
from leaderboard.skeleton import SKELETON
from leaderboard.storage.output_folder import write_text
from leaderboard.theme import build_stylesheet

MODULES = Path(__file__).resolve().parents[1] / "assets" / "js"
"""The modules."""

ENTRIES = ("site", "charts", "compare-pairs", "figures", "gallery", "gallery-index", "matrix", "replay", "try")
"""Modules that pages name: ``site`` on every page of the theme, the others on the pages whose templates name them."""

_IMPORT = re.compile(r'^import (?:(?P<names>\{[^}]*\}) from )?"\./(?P<module>[\w-]+)\.js";\n', re.MULTILINE)
_EXPORT = re.compile(r"^export (?=(?:async function|function|class|const) (?P<name>\w+))", re.MULTILINE)
_COMMENT = re.compile(r"^[ \t]*/\*.*?\*/\n", re.MULTILINE | re.DOTALL)
"""A comment on lines of its own: a fifth of what a reader's browser would fetch."""

_LEFT = re.compile(r"^(?:import|export)\b.*", re.MULTILINE)


def bundle(entry: str, modules: Path = MODULES) -> str:
    """Bundle a module and its imports, without comments, into one JavaScript expression: the module's exports.

    Args:
        entry: Name of the module, without ``.js``.
        modules: Folder of the modules. They import by ``import { a, b as c } from "./x.js";`` or ``import "./x.js";``,
            at the start of lines, and export declarations of functions, classes and constants.

    Raises:
        ValueError: Modules import each other in a circle, import what is not exported, or are written otherwise.
        OSError: A module cannot be read.
    """
    exports: dict[str, list[str]] = {}
    parts = list(_wrap_modules(entry, modules, exports, ()))
    head = '(() => {\n"use strict";\nconst $here = document.currentScript?.src;\n'
    return f"{head}{''.join(parts)}return {_name_variable(entry)};\n}})();\n"


def write_bundles(folder: Path) -> None:
    """Write the bundle of each of ``ENTRIES`` into a folder.

    Raises:
        OSError: The folder cannot be written to.
    """
    for entry in ENTRIES:
        write_text(folder / f"{entry}.js", bundle(entry))


def strip_comments(source: str) -> str:
    """Return a script or style sheet without the comments that stand on lines of their own."""
    return _COMMENT.sub("", source)


def _wrap_modules(name: str, modules: Path, exports: dict[str, list[str]], above: tuple[str, ...]) -> Iterator[str]:
    """Yield a module as a function, after its imports; ``above`` lists the chain of importing modules."""
    if name in above:
        raise ValueError(f"modules import each other in a circle: {' → '.join((*above, name))}")
    # Two modules may import the same third: it runs once, so its state is shared as among ES modules.
    if name in exports:
        return
    source = strip_comments((modules / f"{name}.js").read_text(encoding="utf-8"))
    for imported in _IMPORT.finditer(source):
        yield from _wrap_modules(imported["module"], modules, exports, (*above, name))
        _check_names(name, imported, exports)
    exports[name] = [exported["name"] for exported in _EXPORT.finditer(source)]
    body = _EXPORT.sub("", _IMPORT.sub(_format_import, source)).replace("import.meta.url", "$here")
    # A form left over would be a syntax error in every browser, so the build fails instead.
    if left := _LEFT.search(body):
        raise ValueError(f"{name}.js: the bundler does not know this form: {left[0]}")
    yield f"const {_name_variable(name)} = (() => {{\n{body}return {{ {', '.join(exports[name])} }};\n}})();\n"


def _check_names(name: str, imported: re.Match[str], exports: dict[str, list[str]]) -> None:
    wanted = [part.split(" as ")[0].strip() for part in (imported["names"] or "").strip("{}").split(",")]
    unknown = set(filter(None, wanted)) - set(exports[imported["module"]])
    if unknown:
        raise ValueError(f"{name}.js: {imported['module']}.js exports no {', '.join(sorted(unknown))}")


def _format_import(imported: re.Match[str]) -> str:
    if not imported["names"]:
        return ""
    return f"const {imported['names'].replace(' as ', ': ')} = {_name_variable(imported['module'])};\n"


def _name_variable(module: str) -> str:
    return f"${module.replace('-', '_')}"


_PARTS = Path(__file__).resolve().parents[1] / "assets" / "try" / "python"
"""Small stand-ins, as text, for packages that a browser's Python would have to fetch."""
_MOMENT = (2026, 1, 1, 0, 0, 0)
_IMPORTED = (ircore.core.exact, ircore.core.untrusted_text, ircore.seeing.colours)
"""Modules that the canvas imports from other rooms, beside parts of the drawing and of the word files."""


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
    own_parts: tuple[Any, ...] = (drawing.AxisScale, drawing.PlotArea, drawing.arc_points, drawing._arc)
    texts["ircore/core/drawing.py"] = "\n\n".join(
        [(_PARTS / "drawing.txt").read_text(encoding="utf-8"), *(inspect.getsource(part) for part in own_parts)]
    )
    head = "import tomllib\nfrom importlib.resources import files\nfrom typing import Any\n\n\n"
    texts["ircore/core/files.py"] = head + inspect.getsource(read_table)
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


SETTINGS = "mkdocs.yml"

ABSENT = "absent"
"""Template of pages that only state that they have no content, so that links to them work."""

_PACKAGE = Path(__file__).resolve().parents[1]


def check_sources() -> None:
    """Check that the hand-written pages are there.

    Raises:
        InputError: They are not.
    """
    if not (SKELETON / SETTINGS).is_file():
        raise InputError(
            f"{SKELETON}: no {SETTINGS}, so there are no hand-written pages to build from",
            "Install the package again: pip install --force-reinstall 'ircore[site]'",
        )


def copy_sources(
    tree: Tree,
    pages: Sequence[Page],
    games: Sequence[tuple[str, str]],
    address: str,
    title: str = NAME,
) -> Menu:
    """Copy everything that MkDocs reads into the build folder, and return the menu of the site.

    Args:
        tree: Folders of the build.
        pages: Pages that templates write; the navigation leaves out pages without content.
        games: Title and path of the board of each other game.
        address: Address of the site, absolute, ending in a slash; empty if unknown.
        title: Name of the site.

    Raises:
        WorkError: The disk is full.
    """
    ignored = shutil.ignore_patterns("generated", ".*")
    try:
        shutil.copytree(SKELETON / "docs", tree.docs, ignore=ignored)
        # Modules and the browser's Python go in as bundles and as an archive, style sheets without comments.
        plain = shutil.ignore_patterns("js", "css", "python", ".*")
        shutil.copytree(_PACKAGE / "assets", tree.docs / "assets", dirs_exist_ok=True, ignore=plain)
        write_bundles(tree.docs / "assets" / "js")
        for sheet in sorted((_PACKAGE / "assets" / "css").glob("*.css")):
            text = strip_comments(sheet.read_text(encoding="utf-8"))
            write_text(tree.docs / "assets" / "css" / sheet.name, text)
        write_bytes(tree.docs / "assets" / "try" / "canvas.zip", pack_canvas())
        shutil.copytree(_PACKAGE / "overrides", tree.overrides, ignore=ignored)
    except OSError as error:
        # shutil.Error holds a list of (source, target, reason) and no strerror.
        reason = error.args[0][0][-1] if isinstance(error, shutil.Error) else error.strerror
        raise WorkError(f"{tree.work}: cannot be written ({reason})", "Free some space.") from error
    write_text(tree.docs / "assets" / "css" / "theme.css", build_stylesheet())
    write_text(tree.docs / "assets" / "css" / "judge-card.css", read_card_style())
    for name, schema in build_json_schemas().items():
        text = json.dumps(schema, indent=2, ensure_ascii=False) + "\n"
        write_text(tree.docs / "schemas" / f"{name}.json", text)
    for name in LEADERBOARD:
        write_text(tree.docs / name, "")  # MkDocs refuses links to missing files; the content comes later
    settings = yaml.safe_load((SKELETON / SETTINGS).read_text(encoding="utf-8"))
    known = {path.relative_to(tree.docs).as_posix() for path in tree.docs.rglob("*.md")}
    shown = {f"{page.path}.md" for page in pages if page.template != ABSENT}
    settings["nav"] = select_navigation(settings["nav"], known | shown, games)
    menu = read_menu(settings["nav"])
    settings["extra"]["tabs"] = menu.links()
    for page in known:
        source = tree.docs / page
        place = menu.place(page.removesuffix(".md"))
        write_text(source, add_front_matter(source.read_text(encoding="utf-8"), {"place": place}))
    if title != NAME:
        # The theme does not escape titles; the description speaks of the reconstruction game.
        name = str(escape(title))
        settings |= {"site_name": name, "site_description": f"{name}: scores, intervals and episodes."}
    settings["extra"]["feeds"] = "changes.md" in shown
    settings["not_in_nav"] += "".join(f"/{page.path}.md\n" for page in pages if has_own_shell(page))
    if address:
        settings["site_url"] = address
    write_text(tree.settings, yaml.safe_dump(settings, allow_unicode=True, sort_keys=False))
    return menu


def _build_union_schema(forms: Sequence[type[Record]]) -> dict[str, Any]:
    """Return a schema that takes whatever one of the records takes."""
    # Each has a title of its own, by which a definition is told from that of another game.
    schemas = [(form, "validation") for form in forms]
    known, document = models_json_schema(schemas)  # type: ignore[arg-type]  # of any kind of record
    return {"anyOf": list(known.values()), **document}


def build_json_schemas() -> dict[str, dict[str, Any]]:
    """Return the JSON Schema of every record by the record's name, for publishing."""
    kinds = (Instance, Run, Episode, Score, JudgeIdentity)
    forms = tuple(build_manifest_form(game) for game in load_installed_games()[0].values())
    manifest = {"title": "Submission", **_build_union_schema(forms)}
    return {**{kind.__name__.lower(): kind.model_json_schema() for kind in kinds}, "submission": manifest}
