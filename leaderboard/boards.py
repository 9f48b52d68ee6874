"""The boards: overall, and one per category, difficulty and judge."""

from collections.abc import Iterator, Sequence
from functools import cache
from itertools import product
from typing import Any

from ircore.plugins import available, load
from ircore.results.model import BoardRow
from leaderboard.charts import chart_id
from leaderboard.labels import category_short, category_title
from leaderboard.site import Page, Pair, Site

_THUMBNAILS = 24
"""Targets shown under a board; the gallery has all."""


def board_path(site: Site, judge: str, category: str | None = None, difficulty: str | None = None) -> str:
    """Return where a board stands, without suffix."""
    folder = "boards" if judge == site.judge else f"boards/by-{judge}"
    if category is None and difficulty is None:
        return f"{folder}/index"
    return f"{folder}/{category or 'all'}-{difficulty or 'both'}"


def board_pages(site: Site) -> Iterator[Page]:
    """Yield a page for every judge, category and difficulty, alone and together."""
    results = site.results
    for judge, category, difficulty in product(
        results.judges, (None, *results.categories), (None, *results.difficulties)
    ):
        if (next(iter(site.pairs)), category, difficulty, judge) in results.cells:
            yield _board_page(site, judge, category, difficulty)


@cache
def is_computed(judge: str) -> bool:
    """Return whether a judge is a formula, so that neither a person nor a language model looked."""
    return judge in available("judges") and load("judges", judge).kind == "computed"


def judge_words(judge: str) -> str:
    """Say who judged, and that a computed judge is no person and no model."""
    if is_computed(judge):
        return f"Judged by {judge}, which is computed from the pixels: no human or language-model judgement."
    return f"Judged by {judge}."


def board_words(site: Site, judge: str, category: str | None = None, difficulty: str | None = None) -> str:
    """Say in words what a board shows: filter, judge, episodes, instance set and version."""
    results = site.results
    what = category_title(category) if category else f"All {len(results.categories)} categories"
    which = difficulty or " and ".join(results.difficulties)
    size = results.cells[next(iter(site.pairs)), category, difficulty, judge].episodes
    how = f"judged by {judge}" + (" (computed, no human or model)" if is_computed(judge) else "")
    versions = ", ".join(sorted({one.run.version for one in results.submissions}))
    episodes = f"{size} {'episode' if size == 1 else 'episodes'} a pair"
    return f"{what}, {which}; {how}; {episodes}; instance set {results.instance_set[:8]}; ircore {versions}"


def paired(site: Site, rows: Sequence[BoardRow]) -> list[dict[str, Any]]:
    """Join the rows of a board with how the site names their pairs."""
    return [{"row": row, "pair": site.pairs[row.submission.run_id]} for row in rows]


def _board_page(site: Site, judge: str, category: str | None, difficulty: str | None) -> Page:
    heading = _heading(category, difficulty)
    columns = _columns(site, category, difficulty)
    rows = paired(site, site.results.board(judge, category, difficulty))
    for row in rows:
        row["columns"] = [_filled(site, row["pair"], judge, column) for column in columns]
    overall = category is None and difficulty is None
    return Page(
        path=board_path(site, judge, category, difficulty),
        title=heading if judge == site.judge else f"{heading}, judged by {judge}",
        template="board",
        values={
            "heading": heading,
            "words": board_words(site, judge, category, difficulty),
            "judge_words": judge_words(judge),
            "chips": _chips(site, judge, category, difficulty),
            "columns": columns,
            "levels": site.results.difficulties if category is None and difficulty is None else (),
            "rows": rows,
            "charts": _charts(site, judge) if overall else (),
            "galleries": [] if category is None else _targets(site, category, difficulty),
        },
        searchable=judge == site.judge,
    )


def _charts(site: Site, judge: str) -> tuple[str, ...]:
    said = None if judge == site.judge else judge
    return tuple(chart_id(kind, None, said) for kind in ("trajectories", "delta", "convergence"))


def _heading(category: str | None, difficulty: str | None) -> str:
    if category is None and difficulty is None:
        return "Leaderboard"
    return ", ".join(part for part in (category_title(category) if category else "All categories", difficulty) if part)


def _columns(site: Site, category: str | None, difficulty: str | None) -> list[dict[str, Any]]:
    """Say which small cells a board has: one a category, or one a difficulty where a category is chosen."""
    difficulties = [difficulty] if difficulty else list(site.results.difficulties)
    if category is None:
        return [
            {
                "short": category_short(one),
                "title": category_title(one),
                "cells": [(one, which) for which in difficulties],
            }
            for one in site.results.categories
        ]
    if difficulty is not None:
        return []
    return [
        {"short": which.capitalize(), "title": f"{category_title(category)}, {which}", "cells": [(category, which)]}
        for which in difficulties
    ]


def _filled(site: Site, pair: Pair, judge: str, column: dict[str, Any]) -> dict[str, Any]:
    cells = [(where, site.cell(pair, where[0], where[1], judge)) for where in column["cells"]]
    means = [cell.score.mean for _, cell in cells if cell is not None and cell.score.mean is not None]
    return {
        "short": column["short"],
        "mean": sum(means) / len(means) if means else None,
        "cells": [
            {
                "cell": cell,
                "where": f"{category_title(category)}, {difficulty}",
                "anchor": f"{category}-{difficulty}",
            }
            for (category, difficulty), cell in cells
        ],
    }


def _chips(site: Site, judge: str, category: str | None, difficulty: str | None) -> list[dict[str, Any]]:
    """Return the links to the other boards, each group changing one thing and keeping the rest."""
    results = site.results
    categories = [("All", None), *((category_title(one), one) for one in results.categories)]
    difficulties = [("Both", None), *((one.capitalize(), one) for one in results.difficulties)]
    groups = (
        ("Category", [_chip(site, text, judge, one, difficulty, one == category) for text, one in categories]),
        ("Difficulty", [_chip(site, text, judge, category, one, one == difficulty) for text, one in difficulties]),
        ("Judge", [_chip(site, one, one, category, difficulty, one == judge) for one in results.judges]),
    )
    return [{"label": label, "chips": [one for one in chips if one]} for label, chips in groups if len(chips) > 1]


def _chip(
    site: Site, text: str, judge: str, category: str | None, difficulty: str | None, current: bool
) -> dict[str, Any] | None:
    """Return a link to a board; None if the set has no such instance."""
    if (next(iter(site.pairs)), category, difficulty, judge) not in site.results.cells:
        return None
    return {"label": text, "path": board_path(site, judge, category, difficulty), "current": current}


def _targets(site: Site, category: str, difficulty: str | None) -> list[Any]:
    found = [
        one
        for one in site.galleries.values()
        if one.instance.category == category and difficulty in (None, one.instance.difficulty)
    ]
    return found[:_THUMBNAILS]
