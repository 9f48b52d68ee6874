"""Files of this machine that can be read inside of the sandbox: Python, named packages, shared libraries.

Of packages, only the files that their distributions list and require are shown, not the whole environment.
"""

import sys
import sysconfig
from collections.abc import Iterable, Iterator
from functools import cache
from importlib.metadata import Distribution, PackageNotFoundError, distribution
from pathlib import Path
from typing import NamedTuple

from ircore.core.errors import InputError

PYTHON = "/python"
PACKAGES = "/packages"
LIBRARY_FOLDERS = ("/lib64", "/usr/lib64", "/lib", "/usr/lib")


class Mount(NamedTuple):
    """A file or folder of this machine that the inside can read."""

    outside: Path
    inside: str


def version_name() -> str:
    """Return the name of this Python's folders, such as ``python3.11``."""
    return f"python{sys.version_info.major}.{sys.version_info.minor}"


@cache
def python_mounts() -> tuple[Mount, ...]:
    """Return the interpreter, the standard library and, where there is one, the shared library of Python."""
    name = version_name()
    # The interpreter behind a virtual environment, whose own is a link to a place that the inside lacks.
    executable = Path(getattr(sys, "_base_executable", sys.executable)).resolve()
    mounts = [
        Mount(executable, f"{PYTHON}/bin/{name}"),
        Mount(Path(sysconfig.get_path("stdlib")), f"{PYTHON}/lib/{name}"),
    ]
    shared = sysconfig.get_config_var("INSTSONAME")
    # A Python that was moved after it was built still names the folder that it was built for.
    folders = (sysconfig.get_config_var("LIBDIR") or "/", f"{sys.base_prefix}/lib")
    library = next((path for folder in folders if (path := Path(folder, str(shared))).is_file()), None)
    if library is not None:
        mounts.append(Mount(library.resolve(), f"{PYTHON}/lib/{shared}"))
    return tuple(mounts)


@cache
def library_mounts() -> tuple[Mount, ...]:
    """Return the folders of shared libraries: for this machine's architecture, and of the loader."""
    multiarch = sysconfig.get_config_var("MULTIARCH") or ""
    wanted = [*(f"/lib/{multiarch}", f"/usr/lib/{multiarch}"), "/lib64", "/usr/lib64"] if multiarch else []
    folders = [Path(folder) for folder in wanted or LIBRARY_FOLDERS]
    return tuple(Mount(folder, str(folder)) for folder in folders if folder.is_dir())


@cache
def package_mounts(names: tuple[str, ...], without: tuple[str, ...] = ()) -> tuple[Mount, ...]:
    """Return the top-level folders and files of distributions and of every one that they require.

    Args:
        names: Names of distributions, such as ``matplotlib``.
        without: Top-level folders that are left out.

    Raises:
        InputError: A distribution is not installed.
    """
    mounts = {}
    for package in _with_requirements(names):
        for top in {file.parts[0] for file in package.files or () if _is_package(file.parts)}:
            mounts[top] = Mount(Path(str(package.locate_file(top))).resolve(), f"{PACKAGES}/{top}")
    return tuple(mount for top, mount in sorted(mounts.items()) if top not in without and mount.outside.exists())


def _is_package(parts: tuple[str, ...]) -> bool:
    return parts[0] not in ("..", "__pycache__", "bin") and not parts[0].endswith((".dist-info", ".pth"))


def _with_requirements(names: Iterable[str]) -> Iterator[Distribution]:
    from packaging.requirements import Requirement

    # Distributions may require each other in a circle, so each is taken once.
    waiting, visited = list(names), set()
    while waiting:
        name = waiting.pop().lower()
        if name in visited:
            continue
        visited.add(name)
        package = _installed(name)
        yield package
        required = [Requirement(text) for text in package.requires or ()]
        waiting += [
            requirement.name
            for requirement in required
            if requirement.marker is None or requirement.marker.evaluate({"extra": ""})
        ]


def _installed(name: str) -> Distribution:
    try:
        return distribution(name)
    except PackageNotFoundError as error:
        raise InputError(
            f"the package {name} is not installed", 'Install it with: pip install "ircore[synthesis]"'
        ) from error
