"""Running MkDocs on the sources in a build folder, or taking its output from the earlier build if nothing changed."""

import os
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from importlib.metadata import version
from io import BytesIO
from zipfile import ZipFile, ZipInfo

from ircore.core.errors import WorkError
from leaderboard.building.tree import Tree
from leaderboard.storage.build_cache import BuildCache, compute_content_key, hash_folder

_PROGRAMS = ("mkdocs", "mkdocs-material", "markdown", "pymdown-extensions", "pygments", "jinja2")
"""Packages that decide what MkDocs makes of its input."""


@contextmanager
def run_mkdocs(tree: Tree, cache: BuildCache | None = None) -> Iterator[None]:
    """Run MkDocs in parallel with the body of the ``with`` statement; MkDocs reads only the page sources.

    A new pair changes the content of pages and not their shells: then the output of the earlier build is taken.

    Args:
        tree: Folders of the build; ``site`` holds the output afterwards, and ``docs`` may be gone.
        cache: Build cache for the output; None to run MkDocs in any case.

    Raises:
        WorkError: MkDocs failed.
    """
    name = "" if cache is None else _compute_key(tree)
    cached = None if cache is None else cache.load(name)
    if cached is not None:
        yield
        _restore(tree, cached)
        return
    with _run_in_background(tree):
        yield
    if cache is not None:
        cache.store(name, _pack_output(tree))


def _compute_key(tree: Tree) -> str:
    input_hashes = (hash_folder(folder) for folder in (tree.docs, tree.overrides))
    settings = tree.settings.read_text(encoding="utf-8")
    return f"shells/{compute_content_key(settings, *input_hashes, *map(version, _PROGRAMS))}"


def _pack_output(tree: Tree) -> bytes:
    """Return the files that MkDocs made, without the files that it copied from its input."""
    data = BytesIO()
    with ZipFile(data, "w") as archive:
        for path in sorted(tree.site.rglob("*")):
            name = path.relative_to(tree.site)
            if path.is_file() and not (tree.docs / name).is_file():
                # Without a time, so that equal output is equal to the byte.
                archive.writestr(ZipInfo(name.as_posix()), path.read_bytes())
    return data.getvalue()


def _restore(tree: Tree, archive: bytes) -> None:
    for source in tree.docs.rglob("*.md"):
        source.unlink()
    # What remains are the files that MkDocs would copy.
    tree.docs.rename(tree.site)
    with ZipFile(BytesIO(archive)) as made:
        made.extractall(tree.site)


@contextmanager
def _run_in_background(tree: Tree) -> Iterator[None]:
    # Material for MkDocs would print a warning about MkDocs 2 into every build.
    environment = {**os.environ, "NO_MKDOCS_2_WARNING": "1"}
    command = [sys.executable, "-m", "mkdocs", "build", "--strict", "--quiet", "--site-dir", tree.site.name]
    with subprocess.Popen(  # noqa: S603 - fixed words
        command, cwd=tree.work, env=environment, stdout=subprocess.PIPE, stderr=subprocess.PIPE, encoding="utf-8"
    ) as child:
        try:
            yield
        except BaseException:  # Ctrl-C too: nothing may write into a folder that is being removed
            child.kill()
            raise
        out, errors = child.communicate()
    if child.returncode:
        said = (errors or out).strip()
        raise WorkError(
            f"mkdocs build --strict failed:\n{said}",
            "Correct the page or link that it names; the earlier site is untouched.",
        )
