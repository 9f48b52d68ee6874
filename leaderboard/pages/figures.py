"""The page of all figures of all pairs, in the order in which the paper asks, and a page of each figure alone."""

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from ircore.core.untrusted_text import format_one_line
from leaderboard.model.site import Page, Site
from leaderboard.model.site_judge import has_rated
from leaderboard.pages.board_views import View, describe_view, view_path
from leaderboard.pages.figure_data import FOLDER

SECTIONS = (
    ("similarity", "How close do pairs get?", ("scores", "categories")),
    ("refinement", "Does refinement help?", ("convergence", "deltas", "preferences")),
    ("turns", "Turn by turn", ("trajectories", "heat-maps")),
    ("budgets", "Token budgets", ("budget-scores", "budget-deltas", "budget-outcomes")),
    ("language", "What describers say", ("corrections", "corrections-by-turn", "lengths", "novelty")),
    ("judges", "What judges are worth", ("agreement", "ratings", "reliability")),
    ("effort", "What it takes", ("costs", "seconds", "variance")),
)
"""Anchor, heading and figures of each part."""

ALONE = "figure_alone"
"""Template of a page that holds one figure, without the site around it: other pages embed it."""

EMBEDDED = "embed"
"""Folder of these pages, relative to the site's root."""


def build_figures_page(site: Site) -> Page:
    """Return the page of figures."""
    sections = [
        {"id": name, "title": title, "charts": _select_figures(site, charts)} for name, title, charts in SECTIONS
    ]
    return Page(
        "figures",
        "Figures",
        "figures",
        {
            "sections": sections,
            "charts": tuple(chart for section in sections for chart in section["charts"]),
            "plays": FOLDER,
            "embedded": EMBEDDED,
            "words": describe_view(site, View(site.judge, rules=site.rule_sets[0])),
            "others": [
                (judge, view_path(site, View(judge, rules=site.rule_sets[0])))
                for judge in site.results.judges
                if judge != site.judge and has_rated(site.results, judge)
            ],
        },
        searchable=True,
        finding=_join_headlines,
    )


def _join_headlines(values: Mapping[str, Any]) -> str:
    """Return the headlines of a page's first figures that can be drawn."""
    drawn = [figure.title for figure in values["figures_of"](values["charts"]) if not figure.missing]
    return format_one_line("; ".join(drawn[:3]), 300)


def build_figure_pages(site: Site) -> Iterator[Page]:
    """Yield the page of each figure alone."""
    for _, title, charts in SECTIONS:
        for chart in _select_figures(site, charts):
            values = {"heading": f"{title} Figure: {chart}", "charts": (chart,), "plays": FOLDER}
            yield Page(f"{EMBEDDED}/{chart}", f"Figure: {chart}", ALONE, values, finding=_join_headlines)


def _select_figures(site: Site, charts: Sequence[str]) -> tuple[str, ...]:
    """Return the figures of a part: the figure of costs only where something costs."""
    # A figure of costs of local players alone would be empty.
    costs = any(cell.amounts["cost"].mean for cell in site.results.cells.values())
    return tuple(chart for chart in charts if chart != "costs" or costs)
