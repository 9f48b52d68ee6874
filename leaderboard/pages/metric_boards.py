"""Boards of image metrics: the rows of a judge's board with values computed from pixels, without ranks."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from ircore.core.plain_words import format_count
from ircore.core.untrusted_text import format_one_line
from ircore.results.image_metrics import MetricFacts, describe_metric
from ircore.results.metric_cells import MetricCell, estimate_metric_cells
from ircore.results.model import Cell
from ircore.results.statistics.intervals import Estimate
from leaderboard.components.board_cells import select_amount_columns
from leaderboard.components.board_rows import Listed
from leaderboard.components.markup import Chip
from leaderboard.model.site import Page, Site
from leaderboard.pages.board_views import (
    BoardView,
    build_judge_chip,
    describe_view,
    metric_path,
    split_chips,
    view_path,
)
from leaderboard.pages.boards import GROUPS, build_menus, collect_column_facts, collect_menu_fields
from leaderboard.pages.citation import dump_provenance
from leaderboard.words import describe_estimate


def build_metric_pages(site: Site) -> Iterator[Page]:
    """Yield a page for every image metric."""
    for metric in site.results.metrics:
        yield _build_metric_page(site, metric)


@dataclass(frozen=True, kw_only=True)
class _MetricLine(Listed):
    """A row of an image metric's board."""

    cell: MetricCell
    """Overall."""

    parts: tuple[Estimate, ...]
    """Final value, one a category."""

    total: Cell
    """Counts and costs of the run, which are the same for every judge."""


def _build_metric_page(site: Site, metric: str) -> Page:
    results, facts = site.under(), describe_metric(metric)
    overall = estimate_metric_cells(results, metric)
    view = BoardView(site.judge, rules=site.rule_sets[0])
    parts = [estimate_metric_cells(results, metric, category) for category in results.categories]
    lines = [
        _MetricLine(
            **collect_menu_fields(site, cell.run_id),
            cell=cell,
            parts=tuple(part[index].final for part in parts),
            total=results.cell(cell.run_id, site.judge),
        )
        for index, cell in enumerate(overall)
    ]
    amounts = select_amount_columns(results.game, (line.total for line in lines))
    return Page(
        path=metric_path(metric),
        title=f"Leaderboard by {facts.title}",
        template="metric_board",
        values={
            "facts": facts,
            "metric": metric,
            "about": dump_provenance(site, view, metric),
            "measured": collect_column_facts(results),
            "amounts": amounts,
            "tools": build_menus(lines),
            "groups": {
                name: GROUPS[name]
                for name in ("categories", "refinement", *dict.fromkeys(each.group for each in amounts), "provenance")
            },
            "lines": sorted(lines, key=lambda line: _compute_sort_key(line, facts)),
            "domain": _compute_domain([line.cell.final for line in lines]),
            **split_chips([*_build_home_chips(site, metric)]),
            "words": describe_view(site, view).replace(f"judged by {site.judge}", f"measured by {facts.title}"),
        },
        finding=_describe_finding,
    )


def _describe_finding(values: Mapping[str, Any]) -> str:
    """Return which pair is best by the metric, over how many pairs."""
    facts: MetricFacts = values["facts"]
    lines: Sequence[_MetricLine] = values["lines"]
    if lines[0].cell.final.mean is None:
        return ""
    best = "highest" if facts.higher_is_better else "lowest"
    name = format_one_line(lines[0].pair.name, 80)
    mean = f"mean of {format_count(len(lines), 'pair')}, {describe_estimate(lines[0].cell.final)}"
    return f"{name} has the {best} {mean}" + (f", in {facts.unit}" if facts.unit else "")


def _compute_sort_key(line: _MetricLine, facts: MetricFacts) -> tuple[bool, float]:
    mean = line.cell.final.mean
    # Lines without a value stand last, whichever direction is better.
    return mean is None, 0.0 if mean is None else -mean if facts.higher_is_better else mean


def _compute_domain(estimates: Sequence[Estimate]) -> tuple[float, float]:
    """Return the ends of the scale of a metric's dots: the lowest and highest end of the intervals."""
    ends = [end for estimate in estimates for end in (estimate.low, estimate.high, estimate.mean) if end is not None]
    low, high = (min(ends), max(ends)) if ends else (0.0, 1.0)
    # Equal ends would divide by zero where dots are placed.
    return (low, high) if high > low else (low - 0.5, high + 0.5)


def _build_home_chips(site: Site, metric: str) -> list[tuple[str, list[Chip]]]:
    judged = BoardView(site.judge, rules=site.rule_sets[0])
    judges = [
        build_judge_chip(site, judge, view_path(site, replace(judged, judge=judge)), current=False)
        for judge in site.results.judges
    ]
    metrics = [Chip(describe_metric(name).title, metric_path(name), name == metric) for name in site.results.metrics]
    return [("Judge", judges), ("Metric", metrics)]
