"""Bundling of scripts: ES modules in the repository become one plain script per bundle in the site.

Browsers load no ES modules from files on a disk, and pages must work there too. A bundle therefore holds an entry
module and its imports, each in a function of its own, so that the names of modules do not collide.
"""

import re
from collections.abc import Iterator
from pathlib import Path

from leaderboard.storage.output_folder import write_text

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
