"""Building the site: a tree of pages beside the output, MkDocs for their shells, then one rename.

MkDocs runs on the sources in a build folder; its output is taken from the earlier build if nothing changed. A marker
file identifies a folder as a built site and records its content, so that only a site is ever replaced.
"""

import json
import os
import subprocess
import sys
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from functools import partial
from importlib.metadata import version
from io import BytesIO
from pathlib import Path
from typing import Any
from zipfile import ZipFile, ZipInfo

from ircore import __version__
from ircore.core.collector import pause_collector
from ircore.core.errors import InputError, WorkError
from ircore.players.submission import LoadedSubmission
from leaderboard.building.content import Content, Options, read_content
from leaderboard.building.finish import Tree, finish_pages, merge, omit_notice, write_surroundings
from leaderboard.building.shells import write_alone_shells, write_sources
from leaderboard.building.sources import check_sources, copy_sources
from leaderboard.building.writing import write_content
from leaderboard.frozen_boards import write_frozen
from leaderboard.pages.maintainers_work import list_played_pages, waiting_path
from leaderboard.rendering.render import render_block
from leaderboard.storage.build_cache import BuildCache, compute_content_key, hash_folder
from leaderboard.storage.output_folder import build_folder, replace, write_text
from leaderboard.storage.pictures import ENCODING

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


MARKER = ".ircore-site.json"
"""Marker file in the root of every built site: a folder that is not empty is replaced only if it holds this file."""


def write_marker(site: Path, shown: Mapping[str, Any]) -> None:
    """Write the marker of a site.

    Args:
        site: Root of the site.
        shown: ``benchmark``, ``instance_set`` and ``prompts`` of the boards.
    """
    write_text(site / MARKER, json.dumps({"ircore": __version__, "pictures": ENCODING, **shown}) + "\n")


def read_marker(site: Path) -> dict[str, Any]:
    """Return the content of a site's marker: ``ircore``, ``pictures``, ``benchmark``, ``instance_set``, ``prompts``.

    Raises:
        InputError: The folder is no site of ours.
    """
    try:
        marker = json.loads((site / MARKER).read_bytes())
    except (OSError, ValueError) as error:
        raise InputError(
            f"{site}: not a site built by ircore (no {MARKER})", "Build one: ircore site build …"
        ) from error
    if not isinstance(marker, dict):
        raise InputError(f"{site / MARKER}: damaged", "Build the site again.")
    return marker


def find_earlier_build(out: Path) -> Path | None:
    """Return the earlier build if its pictures use the current encoding and can be reused; else None."""
    if not (out / MARKER).is_file():
        return None
    try:
        # Pictures of other sizes or quality must not stand beside new ones.
        return out if read_marker(out).get("pictures") == ENCODING else None
    except InputError:
        return None


def check_replaceable(out: Path) -> None:
    """Check that a folder may be replaced by a site.

    Raises:
        InputError: It is a file, or holds something that is no site of ours.
    """
    if out.is_file() or (out.is_dir() and any(out.iterdir()) and not (out / MARKER).is_file()):
        raise InputError(
            f"{out}: exists and is not a site built by ircore (no {MARKER})", "Choose another --out, or remove it."
        )


@dataclass(frozen=True)
class _BuildReport:
    """Counts of a finished build."""

    pages: int
    """Pages written by templates; the hand-written ones are not counted."""

    pictures: int
    """Different pictures shown."""

    encoded: int
    """Pictures among ``pictures`` that no earlier build had encoded."""


def build_site(runs: Sequence[Path], out: Path, options: Options | None = None) -> _BuildReport:
    """Build the site of some runs.

    Args:
        runs: Run folders of any games; those of one game are on one instance set.
        out: The site's folder: missing, empty, or an earlier build, which is replaced at the end.
        options: Choices for the site; None for the defaults.

    Raises:
        InputError: The runs cannot be shown together, or ``out`` holds something else.
        WorkError: MkDocs failed, or the disk is full.
    """
    options = options or Options()
    # If the output is a symbolic link, the folder that it points to is replaced.
    out = Path(os.path.realpath(out)) if out.is_symlink() else out
    # Checked before the long work: a wrong folder is refused at once.
    check_sources()
    check_replaceable(out)
    with pause_collector(), build_folder(out) as work:
        tree = Tree(work)
        cache = BuildCache(tree.files, out if out.is_dir() else None)
        content = read_content(runs, options, cache)
        menu = copy_sources(tree, content.pages, content.game_boards, options.address, content.title)
        sharing = write_sources(content.pages, tree.docs, menu)
        with run_mkdocs(tree, cache):
            write_content(content, tree)
            write_frozen(content.frozen, tree.files)
            encoded = content.pictures.write(tree.files, find_earlier_build(out))
        # Only now, since MkDocs empties its output folder when it begins.
        write_alone_shells(content.pages, tree.site)
        finish_pages(tree, sharing, options.originals, _make_notice_renderer(content, options.waiting), options.address)
        merge(tree.files, tree.site)
        write_surroundings(tree.site, options.address, content.title)
        write_marker(tree.site, content.marker)
        replace(tree.site, out)
    return _BuildReport(len(content.pages), len(content.pictures), encoded)


def _make_notice_renderer(content: Content, waiting: LoadedSubmission | None) -> partial[str]:
    """Return the function that makes the notice at the top of every page of a preview."""
    if waiting is None:
        return partial(omit_notice)
    page = list_played_pages(content.site, content.games).get(waiting.slug, waiting_path(content.site, waiting.slug))
    return partial(_render_preview_notice, waiting.slug, page)


def _render_preview_notice(slug: str, page: str, root: str) -> str:
    return render_block("notice", {"slug": slug, "page": page, "root": root})
