"""Figures of pages; figures of a pair's page come from the build cache while the pair's run is unchanged."""

import json
from collections.abc import Sequence
from dataclasses import astuple

from leaderboard.charts.catalogue import Chart, Drawn, figures
from leaderboard.model.site import Page, Site
from leaderboard.rendering.render import block


def draw(site: Site, pages: Sequence[Page]) -> dict[str, Chart | Drawn]:
    """Return the figures of pages, by id.

    Args:
        site: Data of the figures; figures of a single pair are loaded from its build cache, or stored there.
        pages: Pages that name their figures; those of a pair's page must depend on this pair alone.

    Raises:
        WorkError: The disk is full.
    """
    of_pairs = [page for page in pages if "pair" in page.values]
    cached = {page.path: _load_cached(site, page) for page in of_pairs}
    wanted = {name for page in pages if not cached.get(page.path) for name in page.values.get("charts", ())}
    charts = figures(site.results, site.pairs, wanted, site.judge, site.under(), site.version)
    for page in of_pairs:
        cached[page.path] = cached[page.path] or _drawn(site, page, charts)
    return {**charts, **{chart.id: chart for drawn in cached.values() for chart in drawn}}


def _load_cached(site: Site, page: Page) -> list[Drawn]:
    """Return the cached figures of a page; an empty list unless they are exactly the page's figures."""
    data = site.cache.load(_name(site, page)) if site.cache else None
    charts = [Drawn(*fields) for fields in json.loads(data)] if data else []
    # The page may name other figures than the page that the earlier build cached.
    return charts if {chart.id for chart in charts} == set(page.values["charts"]) else []


def _drawn(site: Site, page: Page, charts: dict[str, Chart]) -> list[Drawn]:
    made = [_of(charts[name], page.root) for name in page.values["charts"]]
    if site.cache:
        site.cache.store(_name(site, page), json.dumps([astuple(chart) for chart in made]).encode())
    return made


def _of(chart: Chart, root: str) -> Drawn:
    figure, numbers = ("", "") if chart.missing else (chart.json(), chart.csv())
    return Drawn(chart.id, chart.missing, figure, numbers, block("chart", {"figure": chart, "root": root}))


def _name(site: Site, page: Page) -> str:
    return f"figures/{site.key(page.values['pair'])}"
