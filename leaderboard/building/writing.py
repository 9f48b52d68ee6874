"""Writing a site's content into the build folder: pages, charts and data, in several processes for many pairs."""

import json
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import astuple
from functools import partial

from markupsafe import Markup

from ircore.core.files import write_bytes
from ircore.core.workers import run_pieces
from ircore.runs.animation import animate
from leaderboard.building.cards import card_path, draw_card
from leaderboard.building.content import Content, Files
from leaderboard.building.finish import Tree, finding_path
from leaderboard.charts.catalogue import Chart, RenderedFigure, make_figures
from leaderboard.model.site import Page, Site
from leaderboard.pages.citation import render_share_strip
from leaderboard.pages.figures import ALONE
from leaderboard.pages.players import build_board_lists
from leaderboard.pages.selections import Chosen, strip_episodes, strip_path
from leaderboard.rendering.render import Renderer, read_templates, render_block
from leaderboard.storage.build_cache import compute_content_key, load_or_make
from leaderboard.storage.output_folder import write_text

PIECES = 12
"""Number of pieces that pages are cut into: many, so that all processes end together."""


def write_content(content: Content, tree: Tree) -> None:
    """Write the HTML of pages, their charts, turn strips and data files; other pictures are written later."""
    # Read before processes are started, so that none reads the templates anew.
    read_templates()
    pieces = list(_list_work(content, tree))
    run_pieces(lambda piece: pieces[piece](), len(pieces), content.many)
    for site in (*filter(None, [content.site]), *content.games):
        _write_files(partial(build_board_lists, site, lambda path: (tree.files / path).is_file()), tree)


def _list_work(content: Content, tree: Tree) -> Iterator[Callable[[], None]]:
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

    def cite(page: Page) -> Markup:
        return render_share_strip(page, content.site, renderer.finding(page))

    renderer = Renderer(content.site, charts, cite)
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
        site = page.values.get("site", content.site)
        if site is not None and site.address and (card := draw_card(site, page)):
            path = card_path(tree.files, page.path)
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_bytes(card)


def _write_charts(charts: Iterable[Chart | RenderedFigure], tree: Tree) -> None:
    """Write the figure and the numbers of charts."""
    for chart in charts:
        if not chart.missing:
            write_text(tree.files / "charts" / f"{chart.id}.json", chart.json())
            write_text(tree.files / "charts" / f"{chart.id}.csv", chart.csv())


def _write_files(files: Files, tree: Tree) -> None:
    made: Iterable[tuple[str, str]] = files()
    for path, text in made:
        write_text(tree.files / path, text)


def draw(site: Site, pages: Sequence[Page]) -> dict[str, Chart | RenderedFigure]:
    """Return the figures of pages, by id.

    Args:
        site: Data of the figures; figures of a single pair are loaded from its build cache, or stored there.
        pages: Pages that name their figures; those of a pair's page must depend on this pair alone.

    Raises:
        WorkError: The disk is full.
    """
    of_pairs = [page for page in pages if page.template == "pair"]
    cached = {page.path: _load_cached(site, page) for page in of_pairs}
    wanted = {name for page in pages if not cached.get(page.path) for name in page.values.get("charts", ())}
    charts = make_figures(site.results, site.pairs, wanted, site.judge, site.under(), site.version)
    for page in of_pairs:
        cached[page.path] = cached[page.path] or _draw_for_pair(site, page, charts)
    return {**charts, **{chart.id: chart for drawn in cached.values() for chart in drawn}}


def _load_cached(site: Site, page: Page) -> list[RenderedFigure]:
    """Return the cached figures of a page; an empty list unless they are exactly the page's figures."""
    data = site.cache.load(_cache_name(site, page)) if site.cache else None
    charts = [RenderedFigure(*fields) for fields in json.loads(data)] if data else []
    # The page may name other figures than the page that the earlier build cached.
    return charts if {chart.id for chart in charts} == set(page.values["charts"]) else []


def _draw_for_pair(site: Site, page: Page, charts: dict[str, Chart]) -> list[RenderedFigure]:
    made = [_render_chart(charts[name], page.root) for name in page.values["charts"]]
    if site.cache:
        site.cache.store(_cache_name(site, page), json.dumps([astuple(chart) for chart in made]).encode())
    return made


def _render_chart(chart: Chart, root: str) -> RenderedFigure:
    figure, numbers = ("", "") if chart.missing else (chart.json(), chart.csv())
    return RenderedFigure(
        chart.id, chart.missing, figure, numbers, render_block("chart", {"figure": chart, "root": root})
    )


def _cache_name(site: Site, page: Page) -> str:
    return f"figures/{site.key(page.values['pair'])}"


def write_strips(site: Site | None, tree: Tree) -> None:
    """Write the strip of every episode that has one; a site without the reconstruction game has none.

    Raises:
        WorkError: The disk is full.
    """
    if site is None:
        return
    for chosen in strip_episodes(site):
        _write_strip(site, chosen, tree)


def _write_strip(site: Site, chosen: Chosen, tree: Tree) -> None:
    file = tree.files / strip_path(chosen)
    file.parent.mkdir(parents=True, exist_ok=True)

    def drawn() -> bytes:
        animate(site.runs[chosen.pair.run_id].source, chosen.result.episode.episode_id, file, (site.judge,))
        return file.read_bytes()

    name = f"strips/{compute_content_key(site.key(chosen.pair), chosen.gallery.instance.instance_id)}"
    strip = load_or_make(site.cache, name, drawn)
    if not file.exists():
        write_bytes(file, strip)
