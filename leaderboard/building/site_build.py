"""Building the site: a tree of pages beside the output, MkDocs for their shells, then one rename."""

import os
from collections.abc import Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path

from ircore.core.collector import without_collector
from ircore.instances.benchmark import RECORDS
from ircore.players.submission import AnyLoaded
from leaderboard.building.content import Content, Options, read_content
from leaderboard.building.finish import finish_pages, merge, no_notice, write_surroundings
from leaderboard.building.marker import check_replaceable, earlier_build, write_marker
from leaderboard.building.mkdocs_run import mkdocs
from leaderboard.building.shells import write_sources
from leaderboard.building.sources import check_sources, copy_sources
from leaderboard.building.tree import Tree
from leaderboard.building.writing import write_content
from leaderboard.pages.waiting import played_pages
from leaderboard.rendering.render import block
from leaderboard.skeleton import SKELETON
from leaderboard.storage.build_cache import BuildCache
from leaderboard.storage.output_folder import build_folder, replace
from leaderboard.versions.archive import write_frozen


@dataclass(frozen=True)
class _BuildReport:
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
    sources: Path = SKELETON,
    judge: str | None = None,
    address: str = "",
    archive: Path | None = None,
    version: str | None = None,
    originals: str = "",
    versions: Path = RECORDS,
    waiting: AnyLoaded | None = None,
    submissions: Path | None = None,
    judge_cards: Sequence[Path] = (),
    names: Sequence[Path] = (),
    season: Path | None = None,
) -> _BuildReport:
    """Build the site of some runs.

    Args:
        runs: Run folders of any games; those of one game are on one instance set.
        out: The site's folder: missing, empty, or an earlier build, which is replaced at the end.
        sources: Folder with ``mkdocs.yml`` and ``docs``.
        judge: Judge on pages with room for one; None for the choice of ``leaderboard.model.site_judge.site_judge``.
        address: Address of the site, absolute, ending in a slash, for feeds and badges; empty if unknown.
        archive: Folder of the frozen boards of former versions; None for none.
        version: The benchmark version that the runs must be of; None for any.
        originals: Where the pictures to zoom into are published, ending in a slash; empty if the site holds them.
        versions: The benchmark's released versions, as ``ircore.results.benchmark_version`` reads them.
        waiting: A submission that the site is a preview of: every page says so, and it has a page even if it was not
            played.
        submissions: Folder of all merged submissions: those without a run are listed too, and histories shown.
        judge_cards: Cards of judges (``ircore judge-test``) besides those that come with the project.
        names: Files of people's names for pictures, in KiloGram's layout, for a page on them.
        season: File of the gaps between the public set and a revealed season's; None for no such column.

    Raises:
        InputError: The runs cannot be shown together, or ``out`` holds something else.
        WorkError: MkDocs failed, or the disk is full.
    """
    options = Options(
        judge, address, archive, version, originals, versions, waiting, submissions, judge_cards, names, season
    )
    # Of a link the folder that it names is replaced.
    out = Path(os.path.realpath(out)) if out.is_symlink() else out
    check_sources(sources)
    check_replaceable(out)
    with without_collector(), build_folder(out) as work:
        tree = Tree(work)
        content = read_content(runs, options, BuildCache(tree.files, out if out.is_dir() else None))
        copy_sources(tree, content.pages, content.game_boards, address, sources, content.title)
        sharing = write_sources(content.pages, tree.docs)
        write_content(content, tree)
        with mkdocs(tree):
            write_frozen(content.frozen, tree.files)
            encoded = content.pictures.write(tree.files, earlier_build(out))
        finish_pages(tree, sharing, originals, _notice(content, waiting))
        merge(tree.files, tree.site)
        write_surroundings(tree.site, address, content.title)
        write_marker(tree.site, content.marker)
        replace(tree.site, out)
    return _BuildReport(len(content.pages), len(content.pictures), encoded)


def _notice(content: Content, waiting: AnyLoaded | None) -> partial[str]:
    """Return the function that makes the notice at the top of every page of a preview."""
    if waiting is None:
        return partial(no_notice)
    page = played_pages(content.site, content.games).get(waiting.slug, f"pairs/{waiting.slug}")
    return partial(_preview_notice, waiting.slug, page)


def _preview_notice(slug: str, page: str, root: str) -> str:
    return block("notice", {"slug": slug, "page": page, "root": root})
