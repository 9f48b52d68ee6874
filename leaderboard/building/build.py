"""Building the site: a tree of pages beside the output, MkDocs for their shells, then one rename."""

import json
import os
import shutil
import subprocess
import sys
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from functools import partial
from itertools import chain
from pathlib import Path
from typing import Any

from ircore import __version__
from ircore.core.collector import without_collector
from ircore.core.errors import InputError, WorkError
from ircore.core.records import json_schemas
from ircore.core.workers import run_pieces
from ircore.games.reconstruction.prompts import load_prompts
from ircore.instances.benchmark import RECORDS, read_versions
from ircore.players.submission import AnyLoaded
from ircore.results.benchmark_version import require_version
from ircore.submissions.merged import merged_submissions
from leaderboard.build_cache import BuildCache
from leaderboard.building.drawing import draw
from leaderboard.building.finish import finish_pages, merge, write_surroundings
from leaderboard.building.shells import write_sources
from leaderboard.gallery.fragments import Fragments
from leaderboard.gallery.pages import gallery_pages
from leaderboard.gallery.shards import gallery_shards
from leaderboard.games.pages import game_pages
from leaderboard.games.section import game_sections, split_runs
from leaderboard.output_folder import build_folder, replace, write_text
from leaderboard.pages.badges import badge_files
from leaderboard.pages.board_files import LEADERBOARD, leaderboard_files
from leaderboard.pages.boards import board_pages
from leaderboard.pages.citation import citation_page
from leaderboard.pages.compare import Comparisons, compare_page, comparison_files
from leaderboard.pages.feed import changes_page, feed_files
from leaderboard.pages.figures import figures_page
from leaderboard.pages.limits import limits_page
from leaderboard.pages.matrix import matrix_files, matrix_pages
from leaderboard.pages.metric_boards import metric_pages
from leaderboard.pages.overview import front_page
from leaderboard.pages.pairs import pair_pages
from leaderboard.pages.paper import paper_page
from leaderboard.pages.players import player_pages
from leaderboard.pages.targets import targets_page
from leaderboard.pages.waiting import preview_notice, waiting_page
from leaderboard.pictures import ENCODING
from leaderboard.rendering.render import Renderer, read_templates
from leaderboard.rendering.sections import Section, read_sections, with_section
from leaderboard.site import Page, Site
from leaderboard.site_runs import read_runs
from leaderboard.skeleton import SKELETON
from leaderboard.theme import stylesheet
from leaderboard.versions.archive import read_archive, write_frozen
from leaderboard.versions.pages import version_pages

MARKER = ".ircore-site.json"
"""Marker file in the root of every built site: a folder that is not empty is replaced only if it holds this file."""

SOURCES = SKELETON
"""Where ``mkdocs.yml`` and ``docs`` lie."""

ASSETS = Path(__file__).resolve().parents[1] / "assets"


_DATA = (matrix_files, comparison_files, badge_files, feed_files)
"""Functions that yield path and text of data files that pages refer to, the slowest first."""

_MANY = 8
"""Number of pairs from which pages are written in several processes."""

_PIECES = 12
"""Number of pieces that pages, and the gallery's data, are cut into: many, so that all processes end together."""


@dataclass(frozen=True)
class Tree:
    """Folders of a build, all below its root."""

    work: Path
    """Root of the build folder."""

    @property
    def docs(self) -> Path:
        """Sources of pages, stylesheets and scripts, as MkDocs reads them."""
        return self.work / "docs"

    @property
    def blocks(self) -> Path:
        """HTML blocks, put into the pages after MkDocs has built their shells."""
        return self.work / "blocks"

    @property
    def files(self) -> Path:
        """Data and pictures, put beside the finished pages; MkDocs never reads them."""
        return self.work / "files"

    @property
    def site(self) -> Path:
        """Output of MkDocs."""
        return self.work / "site"


@dataclass(frozen=True)
class BuildReport:
    """Counts of a finished build."""

    pages: int
    """Pages written by templates; the hand-written ones are not counted."""

    pictures: int
    """Different pictures shown."""

    encoded: int
    """Pictures among ``pictures`` that no earlier build had encoded."""


def build_site(
    runs: Sequence[Path],
    out: Path,
    sources: Path = SOURCES,
    judge: str | None = None,
    address: str = "",
    archive: Path | None = None,
    version: str | None = None,
    originals: str = "",
    versions: Path = RECORDS,
    waiting: AnyLoaded | None = None,
    submissions: Path | None = None,
) -> BuildReport:
    """Build the site of some runs.

    Args:
        runs: Run folders, all on the same instance set.
        out: The site's folder: missing, empty, or an earlier build, which is replaced at the end.
        sources: Folder with ``mkdocs.yml`` and ``docs``.
        judge: Who judges on pages with room for one; None for the choice of ``leaderboard.site_judge.site_judge``.
        address: Where the site will stand, absolute, ending in a slash, for feeds and badges; empty if not known.
        archive: Folder of the frozen boards of former versions; None for none.
        version: The benchmark version that the runs must be of; None for whatever they are.
        originals: Where the pictures to zoom into are published, ending in a slash; empty if the site holds them.
        versions: The benchmark's released versions, as ``ircore.results.benchmark_version`` reads them.
        waiting: A submission that the site is a preview of: every page says so, and it has a page even if it was not
            played.
        submissions: Folder of all merged submissions: those without a run are listed too, and histories shown.

    Raises:
        InputError: The runs cannot be shown together, or ``out`` holds something else.
        WorkError: MkDocs failed, or the disk is full.
    """
    # Of a link the folder that it names is replaced.
    out = Path(os.path.realpath(out)) if out.is_symlink() else out
    _check(out, sources)
    released = read_versions(versions)
    with without_collector(), build_folder(out) as work:
        tree = Tree(work)
        cache = BuildCache(tree.files, out if out.is_dir() else None)
        ours, others = split_runs(runs)
        if not ours:
            raise InputError(
                "no run of the reconstruction game, whose pages are the site's frame",
                "Give at least one with --runs; other games stand beside it.",
            )
        site = Site(read_runs(ours, cache), judge, address, originals, released)
        site.games = game_sections(others, site.pictures)
        site.cache = cache
        if version is not None:
            require_version(site.version, version, released)
        site.submitted = () if submissions is None else merged_submissions(submissions)
        frozen = () if archive is None else read_archive(archive, site.version)
        site.former = tuple(board.record for board in frozen)
        pages = [*all_pages(site), *version_pages(site.version, frozen), *_waiting_pages(site, waiting)]
        _copy_sources(sources, work, address)
        sharing = write_sources(pages, tree.docs)
        fragments = Fragments(site)
        fragments.make()
        render_pages(site, pages, fragments, tree)
        with _mkdocs(work):
            write_frozen(frozen, tree.files)
            encoded = site.pictures.write(tree.files, _earlier(out))
        notice = "" if waiting is None else preview_notice(site, waiting)
        finish_pages(tree.site, tree.blocks, sharing, originals, notice)
        _complete(site, tree)
        replace(tree.site, out)
    return BuildReport(len(pages), len(site.pictures), encoded)


def all_pages(site: Site) -> Iterator[Page]:
    """Yield every page that templates write."""
    prompts = Page("prompts", "Prompts", "prompts", {"prompts": load_prompts("reconstruction")}, True)
    compared = compare_page(Comparisons(site))
    single = (front_page(site), paper_page(), prompts, compared, limits_page(site), changes_page(site))
    cited = citation_page(site.version, site.address)
    several = (
        board_pages(site),
        metric_pages(site),
        matrix_pages(site),
        pair_pages(site),
        player_pages(site),
        gallery_pages(site),
        game_pages(site),
    )
    return chain(*several, single, (figures_page(site), cited, targets_page(site)))


def _waiting_pages(site: Site, asked: AnyLoaded | None) -> Iterator[Page]:
    """Yield the page of each submission without a run, the previewed submission first."""
    several = (*((asked,) if asked is not None else ()), *(submitted.loaded for submitted in site.unplayed))
    return filter(None, (waiting_page(site, submission) for submission in several))


def render_pages(site: Site, pages: Sequence[Page], fragments: Fragments, tree: Tree) -> None:
    """Write the blocks of pages, their charts and their data files; pictures are written later."""
    read_templates()
    work = list(_work(site, pages, fragments, tree))
    run_pieces(lambda piece: work[piece](), len(work), len(site.pairs) >= _MANY)


def _work(site: Site, pages: Sequence[Page], fragments: Fragments, tree: Tree) -> Iterator[Callable[[], None]]:
    """Yield the pieces of work, the longest first; pages of the root stay together, since they share most charts."""
    sections = read_sections(SOURCES / "mkdocs.yml")
    root = [page for page in pages if "/" not in page.path]
    others = [page for page in pages if "/" in page.path]
    yield partial(_write_pages, site, root, sections, tree)
    for piece in range(_PIECES):
        yield partial(_write_pages, site, others[piece::_PIECES], sections, tree)
    yield lambda: _write_files(leaderboard_files(site.results, site.version), tree)
    for make in _DATA:
        yield lambda make=make: _write_files(make(site), tree)  # type: ignore[misc]
    for piece in range(_PIECES):
        yield lambda piece=piece: _write_files(gallery_shards(site, fragments, piece, _PIECES), tree)  # type: ignore[misc]


def _write_pages(site: Site, pages: Sequence[Page], sections: tuple[Section, ...], tree: Tree) -> None:
    """Write the blocks of pages, and their charts."""
    charts = draw(site, pages)
    for name, chart in charts.items():
        if not chart.missing:
            write_text(tree.files / "charts" / f"{name}.json", chart.json())
            write_text(tree.files / "charts" / f"{name}.csv", chart.csv())
    renderer = Renderer(site, charts)
    for page in pages:
        write_text(tree.blocks / f"{page.path}.html", with_section(renderer.block(page), page.path, sections))


def _write_files(files: Iterable[tuple[str, str]], tree: Tree) -> None:
    for path, text in files:
        write_text(tree.files / path, text)


def _complete(site: Site, tree: Tree) -> None:
    """Move data and pictures beside the finished pages, and write the marker file."""
    merge(tree.files, tree.site)
    write_surroundings(tree.site, site.address)
    marker = {"ircore": __version__, "pictures": ENCODING, **site.version.as_dict()}
    write_text(tree.site / MARKER, json.dumps(marker) + "\n")


def _check(out: Path, sources: Path) -> None:
    if not (sources / "mkdocs.yml").is_file():
        raise InputError(
            f"{sources}: no mkdocs.yml, so there are no hand-written pages to build from",
            "Install the package again: pip install --force-reinstall 'ircore[site]'",
        )
    if out.is_file() or (out.is_dir() and any(out.iterdir()) and not (out / MARKER).is_file()):
        raise InputError(f"{out}: exists and is no site of ours (no {MARKER})", "Choose another --out, or remove it.")


def read_marker(site: Path) -> dict[str, Any]:
    """Return the content of a site's marker: ``ircore``, ``pictures``, ``benchmark``, ``instance_set``, ``prompts``.

    Raises:
        InputError: It is no site of ours.
    """
    try:
        marker = json.loads((site / MARKER).read_bytes())
    except (OSError, ValueError) as error:
        raise InputError(f"{site}: no site of ours (no {MARKER})", "Build one: ircore site build …") from error
    if not isinstance(marker, dict):
        raise InputError(f"{site / MARKER}: damaged", "Build the site again.")
    return marker


def _earlier(out: Path) -> Path | None:
    """Return the earlier build if its pictures have today's encoding and can be reused; else None."""
    if not (out / MARKER).is_file():
        return None
    try:
        return out if read_marker(out).get("pictures") == ENCODING else None
    except InputError:
        return None


def _copy_sources(sources: Path, work: Path, address: str) -> None:
    ignored = shutil.ignore_patterns("generated", ".*")
    try:
        shutil.copytree(sources / "docs", work / "docs", ignore=ignored)
        shutil.copytree(ASSETS, work / "docs" / "assets", dirs_exist_ok=True, ignore=ignored)
        settings = (sources / "mkdocs.yml").read_text(encoding="utf-8")
        # A string in JSON is a string in YAML.
        write_text(work / "docs" / "assets" / "css" / "theme.css", stylesheet())
        for name, schema in json_schemas().items():
            text = json.dumps(schema, indent=2, ensure_ascii=False) + "\n"
            write_text(work / "docs" / "schemas" / f"{name}.json", text)
        for name in LEADERBOARD:
            write_text(work / "docs" / name, "")  # hand-written pages link to them, so the builder has to see them
        write_text(work / "mkdocs.yml", settings + (f"\nsite_url: {json.dumps(address)}\n" if address else ""))
        sections = read_sections(sources / "mkdocs.yml")
        for page in (work / "docs").glob("*.md"):
            write_text(page, with_section(page.read_text(encoding="utf-8"), page.stem, sections))
    except OSError as error:
        reason = error.args[0][0][-1] if isinstance(error, shutil.Error) else error.strerror
        raise WorkError(f"{work}: cannot be written ({reason})", "Free some space.") from error


@contextmanager
def _mkdocs(work: Path) -> Iterator[None]:
    """Run MkDocs while the body of the ``with`` statement works; it reads the sources of pages alone.

    Raises:
        WorkError: It failed.
    """
    environment = {**os.environ, "NO_MKDOCS_2_WARNING": "1"}
    command = [sys.executable, "-m", "mkdocs", "build", "--strict", "--quiet", "--site-dir", "site"]
    with subprocess.Popen(  # noqa: S603 - fixed words
        command, cwd=work, env=environment, stdout=subprocess.PIPE, stderr=subprocess.PIPE, encoding="utf-8"
    ) as child:
        try:
            yield
        except BaseException:  # Ctrl-C too: nothing may write into a folder that is being removed
            child.kill()
            raise
        out, errors = child.communicate()
    if child.returncode:
        said = (errors or out).strip()
        raise WorkError(f"mkdocs build --strict failed:\n{said}", "Mend what it names; the earlier site is untouched.")
