"""Finding games, players, judges, metrics and commands by name, in this and every other installed package.

Code that somebody else wrote may raise anything: it is run so that the error names whose fault it is. Packages that an
extra of this one brings are asked for before they are imported.
"""

import sys
import traceback
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from difflib import get_close_matches
from functools import lru_cache
from importlib.metadata import Distribution, EntryPoint, entry_points
from importlib.util import find_spec
from math import isfinite
from numbers import Real
from pathlib import Path
from typing import Any, Literal, NamedTuple

from ircore.core.errors import InputError, StoppedError, WorkError
from ircore.core.untrusted_text import replace_surrogates

_LIBRARIES = frozenset({"pydantic", "numpy", "PIL"})
"""Packages whose lines say nothing to the author of a plug-in that called them wrongly."""

EXTRAS: dict[str, tuple[str, ...]] = {
    "dask": ("dask", "distributed"),
    "heif": ("pillow_heif",),
    "judge-test": (
        "font_amatic_sc", "font_caladea", "font_fredoka_one", "font_hanken_grotesk", "font_intuitive", "font_lato",
        "font_manrope", "font_source_sans_pro", "font_source_serif_pro", "matplotlib", "resvg_py",
    ),
    "lipsim": ("torch",),
    "local": ("diffusers", "torch", "transformers"),
    "models": ("openai", "aiohttp"),
    "ocr": ("onnxruntime", "rapidocr"),
    "perceptual": ("torch", "transformers"),
    "release": ("datasets", "huggingface_hub", "pandas", "pyarrow"),
    "site": ("mkdocs", "material", "pandas", "plotly"),
    "synthesis": ("matplotlib",),
    "tagger": ("spacy",),
}  # fmt: skip
"""Packages that each extra brings, by the names under which they are imported."""

_BROUGHT_ALONG = {"httpx2": "huggingface_hub"}
"""Packages that come with one of those above."""

Group = Literal[
    "commands",
    "game_tables",
    "games",
    "instances",
    "judges",
    "metrics",
    "players",
    "previews",
    "releases",
    "tables",
    "traits",
]

_NEEDED: Mapping[Group, tuple[str, ...]] = {
    "commands": ("callback", "get_short_help_str"),
    "judges": ("label", "kind", "rate|prefer"),
    "metrics": ("title", "needs", "obstacle", "compute", "full_version"),
    "tables": ("description", "build"),
}
"""Attributes of the plug-ins of a group; of names with a bar between them one is enough."""

_CALLED: frozenset[Group] = frozenset({"game_tables", "instances", "judges", "players", "previews", "releases"})
"""Groups whose plug-ins are classes or functions."""

PROJECT = "ircore"
"""Name of this project's own package."""


@contextmanager
def convert_plugin_errors(
    who: str, *contract: type[BaseException], remedy: str = "Mend the package that adds it."
) -> Iterator[None]:
    """Turn an unexpected exception of a plug-in into an error of one line.

    Example:
        >>> try:
        ...     with convert_plugin_errors("judge 'coin'"):
        ...         1 / 0
        ... except WorkError as error:
        ...     print(error.problem.partition(" (")[0])
        judge 'coin' broke with ZeroDivisionError: division by zero

    Args:
        who: The plug-in, such as ``judge 'coin'``.
        contract: Errors and exits that callers expect of such plug-ins, besides ``InputError``; they pass unchanged.
        remedy: What the user does next.

    Raises:
        WorkError: The plug-in raised an unexpected exception.
    """
    try:
        yield
    except (Exception, SystemExit) as error:  # a plug-in that exits must not end this program
        if isinstance(error, (InputError, StoppedError, *contract)):
            raise
        if StoppedError.last is not None:
            raise StoppedError.last from None  # compiled code may have made another error of what a signal raised
        frames = traceback.extract_tb(error.__traceback__)
        own = [frame for frame in frames if _LIBRARIES.isdisjoint(Path(frame.filename).parts)]
        # The last frame outside of libraries is the plug-in's own line, where its author has to look.
        frame = (own or frames)[-1]
        place, words = (
            f"{Path(frame.filename).name}:{frame.lineno}",
            " ".join(replace_surrogates(_describe_error(error)).split()),
        )
        raise WorkError(f"{who} broke with {type(error).__name__}: {words} ({place})", remedy) from error


def check_finite(value: object) -> float:
    """Return a value that a plug-in computed as a number.

    >>> check_finite(1)
    1.0

    Raises:
        TypeError: The value is no finite number.
    """
    if not isinstance(value, Real) or not isfinite(value):
        raise TypeError(f"the value is {value!r}, which is no finite number")
    return float(value)


def install_words(*extras: str) -> str:
    """Return the command that installs extras.

    >>> install_words("release", "site").replace('"', "'")  # Windows knows no single quotes
    "pip install 'ircore[release,site]'"
    """
    quote = '"' if sys.platform == "win32" else "'"
    return f"pip install {quote}ircore[{','.join(extras)}]{quote}"


def require_packages(who: str, extra: str, *packages: str) -> None:
    """Refuse to go on unless packages are installed; ``who`` needs them, ``extra`` brings them.

    >>> require_packages("the player openai", "models", "no_such_package")
    Traceback (most recent call last):
    ...
    ircore.core.errors.InputError: the player openai needs the package no_such_package, which is not installed
    Install it with: pip install 'ircore[models]'
    """
    for package in packages:
        if find_spec(package) is None:
            raise InputError(
                f"{who} needs the package {package}, which is not installed",
                f"Install it with: {install_words(extra)}",
            )


def require_extras(who: str, extras: Iterable[str]) -> None:
    """Refuse to go on unless every package of some extras is installed; the remedy names all that are missing.

    Raises:
        InputError: A package is missing; the message names the packages, the remedy the extras.
    """
    missing = {extra: [name for name in EXTRAS[extra] if find_spec(name) is None] for extra in extras}
    if packages := dict.fromkeys(name for names in missing.values() for name in names):
        count = "package" if len(packages) == 1 else "packages"
        verb = "is" if len(packages) == 1 else "are"
        raise InputError(
            f"{who} needs the {count} {', '.join(packages)}, which {verb} not installed",
            f"Install {'it' if len(packages) == 1 else 'them'} with: "
            f"{install_words(*(extra for extra, names in missing.items() if names))}",
        )


def find_missing_package(error: ModuleNotFoundError) -> InputError | None:
    """Return the error to show where an import failed because an extra is not installed; None for any other import."""
    package = (error.name or "").partition(".")[0]
    package = _BROUGHT_ALONG.get(package, package)
    extras = [extra for extra, packages in EXTRAS.items() if package in packages]
    # Of several the one that brings most is meant: readers of a release need more of it next.
    extras.sort(key=lambda extra: -len(EXTRAS[extra]))
    if not extras or find_spec(package) is not None:
        return None
    return InputError(
        f"needs the package {package}, which is not installed", f"Install it with: {install_words(extras[0])}"
    )


def load_pretrained(where: str, place: str, kind: Any, processor_kind: Any, **settings: Any) -> tuple[Any, Any]:
    """Load a model of ``transformers`` and its processor, strictly.

    Args:
        where: Variable or field that names the model, for messages.
        place: A folder, or the name of a model on the Hub.
        kind: Class of the model.
        processor_kind: Class of the processor.
        settings: Passed to both classes, such as ``revision``.

    Raises:
        InputError: There is no such model, or its weights lack something or have something left over.
    """
    import torch
    from transformers.utils import logging

    logging.set_verbosity_error()
    logging.disable_progress_bar()
    torch.set_num_threads(1)  # scoring has a process for each core
    try:
        model, report = kind.from_pretrained(place, output_loading_info=True, **settings)
        processor = processor_kind.from_pretrained(place, **settings)
    except (OSError, ValueError, RuntimeError, KeyError) as error:
        message = " ".join(str(error).split())[:200]
        raise InputError(
            f"{where}: {place}: cannot be loaded ({message})",
            "Name a folder with a saved model, or a model of the Hub.",
        ) from error
    # transformers fills missing weights with random numbers and only warns: scores would be noise.
    for key in ("missing_keys", "unexpected_keys", "mismatched_keys"):
        faults = sorted(map(str, report.get(key, ())))
        if faults:
            words = key.removesuffix("_keys")
            raise InputError(f"{where}: {place}: {words} weights: {faults[0]} of {len(faults)}", "Name another model.")
    return model.eval(), processor


class BrokenPluginError(WorkError):
    """A plug-in is installed and cannot be imported, or is something else than a plug-in of its group.

    >>> str(BrokenPluginError("game 'chess' cannot be loaded: No module named 'board'", "Mend its package."))
    "game 'chess' cannot be loaded: No module named 'board'"
    """


def list_available(group: Group) -> dict[str, EntryPoint]:
    """Return the plug-ins of a group by name, not yet imported, sorted by name."""
    return {name: points[0] for name, points in _group_by_name(group).items()}


class Unused(NamedTuple):
    """A plug-in that is not used because another package has its name.

    >>> Unused("ssim", "sharp-metrics", owner="ircore").label
    'ssim (sharp-metrics)'
    """

    name: str
    package: str
    owner: str

    @property
    def label(self) -> str:
        """Name and package."""
        return f"{self.name} ({self.package})"

    @property
    def reason(self) -> str:
        """Reason why it is not used."""
        return f"the name belongs to the package {self.owner}"


def list_unused(group: Group) -> list[Unused]:
    """Return the plug-ins of a group whose names others have.

    A package must not change scores by being installed, so a name of this package stays this package's.
    """
    return [
        Unused(name, find_package_name(point), find_package_name(points[0]))
        for name, points in _group_by_name(group).items()
        for point in points[1:]
    ]


def find_package_name(point: EntryPoint) -> str:
    """Return the name of the package that adds a plug-in."""
    return _find_distribution_name(point.dist) if point.dist else "unknown"


def find_package_version(group: Group, name: str) -> tuple[str, str] | None:
    """Return name and version of the package that adds a plug-in; None for this package's own, or if not installed."""
    point = list_available(group).get(name)
    if point is None or point.dist is None or _is_ours(point):
        return None
    return point.dist.name, point.dist.version


def load_plugin(group: Group, name: str, where: str = "") -> Any:
    """Import a plug-in.

    Args:
        group: Kind of the plug-in.
        name: Name of the plug-in.
        where: File and field in which the name stood, for the error message.

    Returns:
        What the entry point names: a class, an object or a click command.

    Raises:
        InputError: There is none of that name, and the message names the nearest one; or an extra is missing.
        WorkError: Its package is broken or lacks something it needs.
    """
    points = list_available(group)
    if name not in points:
        raise build_unknown_name_error(group.removesuffix("s"), name, points, where)
    if group == "releases" and _is_ours(points[name]):
        # Before any work, and for the library as for commands: these modules import what they need late.
        require_extras("reading or publishing a release", ["release"])
    try:
        loaded = points[name].load()
        _check_plugin(group, name, loaded)
    except (KeyboardInterrupt, StoppedError):
        raise
    except BaseException as error:  # a plug-in is somebody else's code: importing it may raise anything, and exit too
        if StoppedError.last is not None:
            raise StoppedError.last from None  # while a class is made, Python and pydantic wrap what a signal raises
        plugin = f"{group.removesuffix('s')} {name!r}"
        # Nothing of this package is broken only because an extra is not installed.
        lacking = (
            find_missing_package(error) if isinstance(error, ModuleNotFoundError) and _is_ours(points[name]) else None
        )
        if lacking is not None:
            raise InputError(f"{plugin} {lacking.problem}", lacking.remedy) from error
        raise BrokenPluginError(
            f"{plugin} cannot be loaded: {_describe_import_failure(error)}",
            "Mend its package, or install it again.",
        ) from error
    return loaded


def list_builtin(group: Group) -> frozenset[str]:
    """Return the names of a group's plug-ins that come with this package."""
    return frozenset(name for name, point in list_available(group).items() if _is_ours(point))


def build_unknown_name_error(
    kind: str, name: str, known: "dict[str, Any] | tuple[str, ...] | list[str]", where: str = ""
) -> InputError:
    """Make the error for an unknown name, with the nearest known name.

    >>> str(build_unknown_name_error("category", "geomtry", ["geometry", "photos"]))
    "unknown category 'geomtry'"
    >>> build_unknown_name_error("category", "geomtry", ["geometry", "photos"]).remedy
    'Did you mean geometry? Known: geometry, photos.'

    Args:
        kind: Kind of the named object, such as ``"category"``.
        name: The unknown name.
        known: The names that exist.
        where: File and field in which the name stood.
    """
    near = get_close_matches(name.lower(), list(known), n=1, cutoff=0.55)
    prefix = f"{where}: " if where else ""
    hint = f"Did you mean {near[0]}? " if near else ""
    return InputError(f"{prefix}unknown {kind} {name!r}", f"{hint}Known: {', '.join(sorted(known))}.")


def _describe_error(error: BaseException) -> str:
    """Return what an error says, of a record that is not valid in words of our own."""
    # The import takes a tenth of a second, and what is raised without the library is no error of its.
    if "pydantic" not in sys.modules:
        return str(error)
    from pydantic import ValidationError

    from ircore.core.validation import describe_validation_error

    if isinstance(error, ValidationError):
        return f"{error.title}: {describe_validation_error(error)}"
    return str(error)


def _group_by_name(group: Group) -> dict[str, list[EntryPoint]]:
    """Return the plug-ins of each name, sorted by name; the first is used."""
    return _load_by_name(f"ircore.{group}", tuple((folder, _find_change_time(folder)) for folder in sys.path))


@lru_cache(maxsize=32)
def _load_by_name(group: str, _folders: tuple[tuple[str, int], ...]) -> dict[str, list[EntryPoint]]:
    """Return the plug-ins of each name, read again when a folder of the import path has changed."""
    installed = entry_points(group=group)  # reads a file of every installed package: 10 ms, and commands ask again
    by_name: dict[str, list[EntryPoint]] = {}
    for point in sorted(installed, key=lambda point: point.name):
        by_name.setdefault(point.name, []).append(point)
    for points in by_name.values():
        # Only then, since the name of a package is read from a file.
        if len(points) > 1:
            points.sort(key=lambda point: (not _is_ours(point), find_package_name(point)))
    return by_name


@lru_cache(maxsize=256)
def _find_distribution_name(distribution: Distribution) -> str:
    return distribution.name  # reads and parses a file: 1 ms, and every page asks of every player


def _is_ours(point: EntryPoint) -> bool:
    return find_package_name(point) == PROJECT


def _find_change_time(folder: str) -> int:
    """Return when an entry of a folder was added or removed, in nanoseconds; 0 where there is no such folder."""
    try:
        return Path(folder).stat().st_mtime_ns
    except OSError:
        return 0


def _check_plugin(group: Group, name: str, loaded: object) -> None:
    """Raise a TypeError for an object that is no plug-in of a group, or has another name than its entry point."""
    for names in _NEEDED.get(group, ()):
        if not any(hasattr(loaded, needed) for needed in names.split("|")):
            kind = getattr(loaded, "__name__", type(loaded).__name__)
            raise TypeError(f"{kind} has no {names.replace('|', ' or ')}")
    if group in _CALLED and not callable(loaded):
        raise TypeError(f"{type(loaded).__name__} cannot be called")
    # Scores are kept by the object's own name, and would not be found by the one that users give.
    own = getattr(loaded, "name", name) if group in ("judges", "metrics") else name
    if own != name:
        raise TypeError(f"its name is {own}, its entry point's {name}")


def _describe_import_failure(error: BaseException) -> str:
    message = " ".join(str(error).split())
    if isinstance(error, ImportError):
        return message
    # The last frame is the package's own line; the message of a syntax error names its line already.
    frame = traceback.extract_tb(error.__traceback__)[-1]
    elsewhere = frame.filename != __file__ and not isinstance(error, SyntaxError)
    return f"{type(error).__name__}: {message}" + (
        f" ({Path(frame.filename).name}:{frame.lineno})" if elsewhere else ""
    )
