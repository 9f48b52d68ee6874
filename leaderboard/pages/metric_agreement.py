"""Page on how image metrics agree with judges, people and the verified share: the question RQ 4 of ConvGenVisMo."""

from collections.abc import Mapping
from functools import partial
from typing import Any

from ircore.results.image_metrics import describe_metric
from ircore.results.tables.judges import metric_agreement_table
from leaderboard.model.site import Page, Site
from leaderboard.pages.board_views import metric_path

PATH = "metric-agreement"
"""Path of the page, without suffix."""

CHARTS = ("metric-correlations", "metric-preferences")
"""Ids of its figures."""


def build_metric_agreement_page(site: Site) -> Page:
    """Return the page: figures, every number with its interval, and the boards of the metrics."""
    boards = [(describe_metric(metric).title, metric_path(metric)) for metric in site.results.metrics]
    values = {"charts": CHARTS, "boards": boards}
    return Page(
        PATH, "How metrics agree", "metric_agreement", values, searchable=True, later=partial(_collect_values, site)
    )


def _collect_values(site: Site) -> Mapping[str, Any]:
    return {"table": metric_agreement_table(site.results)}
