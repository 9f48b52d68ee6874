"""Page of the figures of a game's paper, beside ours and never mixed with them, and of its sentences, checked here."""

from collections.abc import Sequence
from functools import partial
from typing import Any

from ircore.results.tables.paper_claims import check_paper
from leaderboard.model.site import Page, Site
from leaderboard.model.site_judge import has_rated
from leaderboard.words import format_category

CHARTS = ("convergence-pooled", "deltas-sem", "budget-scores-sem")
"""Figures as the paper draws them, where ours differ."""

BESIDE = 4
"""Pairs of this site beside the paper's."""


def build_paper_page(site: Site) -> Page:
    """Return the page of the published scores, beside which stand the best pairs of the site.

    Args:
        site: Results of a game that states its paper's numbers, see ``Game.collect_paper_facts``.
    """
    values = {**site.game.collect_paper_facts(), "charts": CHARTS}
    return Page(
        "paper",
        "Published scores",
        "paper",
        values,
        searchable=True,
        later=partial(_collect_site_results, site),
        found_by="paper",
    )


def _collect_site_results(site: Site) -> dict[str, Any]:
    """Return what the runs of the site add: the grid with their pairs, and the checks of the paper's sentences."""
    results = site.under()
    rows = results.board(site.judge)[:BESIDE]
    others = [judge for judge in results.judges if judge != site.judge and has_rated(results, judge)]
    facts = site.game.collect_paper_facts()
    judges = [site.judge, *others][: len(facts["judges"])]
    checks = check_paper(site.results, site.judge)
    run_ids = [row.submission.run_id for row in rows]
    return {
        "conditions": [
            {
                "name": f"{format_category(category)}, {difficulty}",
                "values": printed,
                "own": [_collect_means(site, run_id, category, difficulty, judges) for run_id in run_ids],
            }
            for (category, difficulty), printed in facts["printed"].items()
        ],
        "own": [site.pairs[run_id] for run_id in run_ids],
        "own_judges": judges,
        "claims": [{"claim": claim, "here": checks[claim.key]} for claim in site.game.list_claims()],
    }


def _collect_means(
    site: Site, run_id: str, category: str, difficulty: str, judges: Sequence[str]
) -> list[float | None]:
    """Return the mean score of a run under a condition by each judge; None where a judge has none."""
    cells = [site.under().cells.get((run_id, category, difficulty, judge)) for judge in judges]
    return [None if cell is None else cell.score.mean for cell in cells]
