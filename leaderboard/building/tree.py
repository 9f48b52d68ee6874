"""Folders of a build."""

from dataclasses import dataclass
from pathlib import Path


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
