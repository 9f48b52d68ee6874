"""Building the site: a tree of pages beside the output, MkDocs for their shells, then one rename."""

import os
from collections.abc import Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path

from ircore.core.workers import pause_collector
from ircore.players.submission import LoadedSubmission
from leaderboard.building.content import Content, Options, read_content
from leaderboard.building.finish import finish_pages, merge, omit_notice, write_surroundings
from leaderboard.building.marker import check_replaceable, find_earlier_build, write_marker
from leaderboard.building.mkdocs_run import run_mkdocs
from leaderboard.building.shells import write_alone_shells, write_sources
from leaderboard.building.sources import check_sources, copy_sources
from leaderboard.building.tree import Tree
from leaderboard.building.writing import write_content
from leaderboard.frozen_boards.archive import write_frozen
from leaderboard.pages.unplayed_submission import list_played_pages, waiting_path
from leaderboard.rendering.render import render_block
from leaderboard.storage.build_cache import BuildCache
from leaderboard.storage.output_folder import build_folder, replace


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
