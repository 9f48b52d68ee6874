"""Writing a site's content into the build folder: pages, charts and data, in several processes for many pairs."""

from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import partial

from ircore.core.workers import run_pieces
from leaderboard.building.cards import card_of, card_path
from leaderboard.building.content import Content, Files
from leaderboard.building.drawing import draw
from leaderboard.building.strips import write_strips
from leaderboard.building.tree import Tree, finding_path
from leaderboard.charts.catalogue import Chart, Drawn
from leaderboard.model.site import Page
from leaderboard.pages.figures import ALONE
from leaderboard.pages.player_boards import compared_boards
from leaderboard.pages.sharing import share_strip
from leaderboard.rendering.render import Renderer, read_templates
from leaderboard.storage.output_folder import write_text

PIECES = 12
"""Number of pieces that pages are cut into: many, so that all processes end together."""


def write_content(content: Content, tree: Tree) -> None:
    """Write the HTML of pages, their charts, turn strips and data files; other pictures are written later."""
    # Read before processes are started, so that none reads the templates anew.
    read_templates()
    pieces = list(_pieces(content, tree))
    run_pieces(lambda piece: pieces[piece](), len(pieces), content.many)
    if content.site is not None:
        _write_files(partial(compared_boards, content.site, lambda path: (tree.files / path).is_file()), tree)


def _pieces(content: Content, tree: Tree) -> Iterator[Callable[[], None]]:
    """Yield the pieces of work, about the longest first; pages that share most charts stay together."""
    yield partial(_write_pages, content, [page for page in content.pages if _shares_charts(page)], tree)
    largest, *files = content.files
    # Before the other pages, since memory that it frees is used again, while later it would come on top of theirs.
    yield partial(_write_files, largest, tree)
    yield partial(write_strips, content.site, tree)
    others = [page for page in content.pages if not _shares_charts(page)]
    # Pages that follow each other share results, and so stand in one piece.
    size = -(-len(others) // PIECES)
    for start in range(0, len(others), size or 1):
        yield partial(_write_pages, content, others[start : start + size], tree)
    for make in files:
        yield partial(_write_files, make, tree)


def _shares_charts(page: Page) -> bool:
    """Return whether a page stands in the root, or shows one of the figures of the page of figures."""
    return "/" not in page.path or page.template == ALONE


def _write_pages(content: Content, pages: Sequence[Page], tree: Tree) -> None:
    """Write the HTML of pages, and their charts."""
    charts = {} if content.site is None else draw(content.site, pages)
    _write_charts(charts.values(), tree)
    renderer = Renderer(content.site, charts, lambda page: share_strip(page, content.site))
    for page in map(Page.complete, pages):
        own = page.values.get("own_charts", ())
        _write_charts(own, tree)
        charts |= {chart.id: chart for chart in own}
        if finding := renderer.finding(page):
            write_text(finding_path(tree, page.path), finding)
        write_text(tree.blocks / f"{page.path}.html", renderer.block(page))
        if page.files is not None:
            _write_files(partial(page.files, page.values), tree)
        # Other sites find a card by its absolute address alone.
        if content.site is not None and content.site.address and (card := card_of(content.site, page)):
            path = card_path(tree.files, page.path)
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_bytes(card)


def _write_charts(charts: Iterable[Chart | Drawn], tree: Tree) -> None:
    """Write the figure and the numbers of charts."""
    for chart in charts:
        if not chart.missing:
            write_text(tree.files / "charts" / f"{chart.id}.json", chart.json())
            write_text(tree.files / "charts" / f"{chart.id}.csv", chart.csv())


def _write_files(files: Files, tree: Tree) -> None:
    made: Iterable[tuple[str, str]] = files()
    for path, text in made:
        write_text(tree.files / path, text)
