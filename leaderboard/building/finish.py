"""Finishing pages: every slot of the shells that MkDocs built is filled, and the files for servers are written.

``Tree`` names the folders of a build.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from urllib.parse import quote

from ircore.core.errors import WorkError
from ircore.core.workers import run_shares
from leaderboard.building.cards import build_card_tags
from leaderboard.building.shells import PageShell, read_shells
from leaderboard.pages.feed import NAME
from leaderboard.pages.figures import EMBEDDED
from leaderboard.rendering.render import describe_page, render_block
from leaderboard.rendering.shell import Shell
from leaderboard.storage.output_folder import write_text


@dataclass(frozen=True)
class Tree:
    """Folders of a build below one root.

    >>> Tree(Path("build")).docs.as_posix()
    'build/docs'
    """

    work: Path
    """Root of the build folder."""

    @property
    def docs(self) -> Path:
        """Sources of pages, stylesheets and scripts, as MkDocs reads them."""
        return self.work / "docs"

    @property
    def overrides(self) -> Path:
        """The project's templates, which MkDocs prefers to its theme's."""
        return self.work / "overrides"

    @property
    def settings(self) -> Path:
        """Settings of MkDocs."""
        return self.work / "mkdocs.yml"

    @property
    def blocks(self) -> Path:
        """HTML of the pages that templates write, put into their shells after MkDocs has built these."""
        return self.work / "blocks"

    @property
    def files(self) -> Path:
        """Data and pictures, put beside the finished pages; MkDocs never reads them."""
        return self.work / "files"

    @property
    def site(self) -> Path:
        """Output of MkDocs."""
        return self.work / "site"


def finding_path(tree: Tree, page: str) -> Path:
    """Return where the finding of a page is written for its description.

    Args:
        tree: Folders of the build.
        page: Path of the page, without suffix.
    """
    return tree.blocks / f"{page}.finding.txt"


_CHART = '<figure class="chart"'
"""Beginning of a figure in a page: strangers' words cannot imitate it, since their quotes are escaped."""

_MANY = 200
"""Number of pages from which they are finished in several processes."""

ROBOTS = "User-agent: *\nAllow: /\n"

Notice = Callable[[str], str]
"""Function from the relative address of the site's root to the HTML that stands at the top of a page."""


def omit_notice(_: str) -> str:
    """Return nothing: a site that is no preview has no notice."""
    return ""


def finish_pages(
    tree: Tree, sharing: Mapping[str, str], images: str = "", notice: Notice = omit_notice, address: str = ""
) -> None:
    """Fill the slots of every page: its policy, its HTML, and the notice of a preview.

    Args:
        tree: Folders of the build: shells in ``site``, HTML of pages in ``blocks``, each under its page's path.
        sharing: Title by path of the pages that share a shell.
        images: Address that full-size pictures are fetched from; empty for none.
        notice: Notice at the top of every page.
        address: Address of the site, absolute, ending in a slash; empty if unknown.

    Raises:
        WorkError: The shell of a page that templates wrote has no place for its HTML.
    """
    shells = list(read_shells(tree.site, sharing))
    run_shares(partial(_finish_share, shells, tree, images, notice, address), len(shells) >= _MANY)


def _finish_share(
    shells: Sequence[PageShell], tree: Tree, images: str, notice: Notice, address: str, share: int, shares: int
) -> None:
    for path, shell, title in shells[share::shares]:
        file = tree.blocks / f"{path}.html"
        content = file.read_text(encoding="utf-8") if file.is_file() else ""
        if content and not shell.takes_content:
            raise WorkError(
                f"{path}.html: its shell has no slot for the content",
                "Check the slots in leaderboard/overrides/main.html.",
            )
        finding_file = finding_path(tree, path)
        finding = finding_file.read_text(encoding="utf-8") if finding_file.is_file() else ""
        words = describe_page(content or shell.template.partition("<article")[2], title, finding)
        whole = shell.filled(
            content=content,
            title=title,
            name=quote(path.rpartition("/")[2]),
            notice=notice("../" * path.count("/")),
            images=images,
            charts=_CHART in content,
            description=words,
            card=build_card_tags(tree.files, path, title or shell.title, address, words),
        )
        write_text(tree.site / f"{path}.html", whole)


def write_surroundings(site: Path, address: str = "", title: str = NAME) -> None:
    """Write the files for servers and crawlers: ``404.html``, ``robots.txt``, and a site map if the address is known.

    The server shows ``404.html`` at any depth, so that it cannot refer to files by relative addresses.

    Args:
        site: Root of the site.
        address: Address of the site, absolute, ending in a slash; empty if unknown.
        title: Name of the site.
    """
    write_text(site / "404.html", Shell(render_block("not_found", {"address": address, "title": title})).filled())
    write_text(site / "robots.txt", ROBOTS + (f"Sitemap: {address}sitemap.xml\n" if address else ""))
    # The site map of MkDocs knows nothing of pages that share a shell.
    # MkDocs writes the map compressed as well.
    (site / "sitemap.xml.gz").unlink(missing_ok=True)
    (site / "sitemap.xml").unlink(missing_ok=True)
    if address:
        pages = sorted(path.relative_to(site).as_posix() for path in site.rglob("*.html") if _is_in_site_map(path))
        addresses = [address + quote(page) for page in pages]
        write_text(site / "sitemap.xml", render_block("site_map", {"addresses": addresses}))


def _is_in_site_map(page: Path) -> bool:
    """Return whether a site map lists a page: not the error page, nor pages that others embed."""
    return page.name != "404.html" and page.parent.name != EMBEDDED


def merge(folder: Path, into: Path) -> None:
    """Move all files of a folder to the same paths in another on the same disk; existing files are replaced."""
    for path in folder.iterdir():
        target = into / path.name
        if path.is_dir() and target.is_dir():
            merge(path, target)
        else:
            # A rename, not a copy: both folders lie on one disk.
            path.replace(target)
