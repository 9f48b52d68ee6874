"""Two to four pairs side by side: the page, and the data from which a browser makes it for any pairs.

``data/compare/index.json`` names pairs and instances once; ``data/compare/<judge>/<pair>.json`` holds a pair's final
scores by instance, and its comparisons with pairs that come later on the overall board. Up to ``MOST`` pairs all are
compared with all; of more, each with the next on the board. What is not there the browser computes: Student's paired
interval, which it says.
"""

import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property
from itertools import combinations, pairwise
from typing import Any

from scipy.special import stdtrit

from ircore.results.model import Results
from ircore.results.statistics.comparison import Comparison
from ircore.results.statistics.intervals import CONFIDENCE
from ircore.results.tables.comparisons import MOST
from leaderboard.labels import category_title
from leaderboard.pages.board_views import judge_words
from leaderboard.site import Page, Pair, Site

FOLDER = "data/compare"
"""Where the files lie, relative to the site's root."""

SPANS = (1, 2, 5, 10)
"""Points."""

Condition = str | None
"""A category, or None for all."""


@dataclass(frozen=True)
class Row:
    """Two pairs under one condition."""

    category: Condition
    """None for all."""

    found: Comparison
    """The first less the second."""


class Comparisons:
    """All comparisons that the site knows beforehand.

    Args:
        site: Whose pairs.
    """

    def __init__(self, site: Site) -> None:
        self.site = site
        self._finals = {judge: _finals(site.results, judge) for judge in site.results.judges}

    @cached_property
    def pairs(self) -> list[Pair]:
        """Every pair in the order of the overall board."""
        return [self.site.pairs[row.submission.run_id] for row in self.site.results.board(self.site.judge)]

    def rows(self, first: Pair, second: Pair, judge: str, categories: tuple[Condition, ...]) -> list[Row]:
        """Compare two pairs under some conditions; those without an instance in common are left out."""
        compared = ((one, self.site.results.compare(first.run_id, second.run_id, judge, one)) for one in categories)
        return [Row(category, found) for category, found in compared if found.n]

    def finals(self, pair: Pair, judge: str) -> list[float | None]:
        """Return a pair's final scores, 0–10, by instance in the set's order; None where it has none."""
        scores = self._finals[judge][pair.run_id]
        return [scores.get(one.instance_id) for one in self.site.results.instances]

    def files(self) -> Iterator[tuple[str, str]]:
        """Yield every file of the page's data: its path below the site's root, and its text."""
        yield f"{FOLDER}/index.json", _dumps(self._index())
        for judge in self.site.results.judges:
            known = self._known(judge)
            for pair in self.pairs:
                value = {"finals": self.finals(pair, judge), "against": known[pair.key]}
                yield f"{FOLDER}/{judge}/{pair.key}.json", _dumps(value)

    def _known(self, judge: str) -> dict[str, dict[str, Any]]:
        few = len(self.pairs) <= MOST
        couples = combinations(self.pairs, 2) if few else pairwise(self.pairs)
        categories: tuple[Condition, ...] = (None, *self.site.results.categories) if few else (None,)
        known: dict[str, dict[str, Any]] = {pair.key: {} for pair in self.pairs}
        for first, second in couples:
            rows = self.rows(first, second, judge, categories)
            known[first.key][second.key] = {row.category or "": _numbers(row.found) for row in rows}
        return known

    def _index(self) -> dict[str, Any]:
        results = self.site.results
        return {
            "judges": [{"name": judge, "words": judge_words(self.site, judge)} for judge in results.judges],
            "judge": self.site.judge,
            "pairs": [one.shown for one in self.pairs],
            "categories": [[one, category_title(one)] for one in results.categories],
            "instances": [
                [one.instance.instance_id, one.instance.category, one.instance.difficulty, one.title]
                for one in self.site.galleries.values()
            ],
            "t": [round(float(stdtrit(free, (1 + CONFIDENCE) / 2)), 5) for free in range(1, len(results.instances))],
        }


def comparison_files(site: Site) -> Iterator[tuple[str, str]]:
    """Yield every file of the page's data: its path below the site's root, and its text."""
    return Comparisons(site).files()


def compare_page(comparisons: Comparisons) -> Page:
    """Return the page, which shows the two best pairs as long as no others are chosen."""
    site = comparisons.site
    chosen = [pair for pair in comparisons.pairs if site.results.cell(pair.run_id, site.judge).score.n][:2]
    values: dict[str, Any] = {"chosen": chosen, "rows": [], "groups": [], "judge_words": judge_words(site, site.judge)}
    if len(chosen) == 2:
        rows = comparisons.rows(chosen[0], chosen[1], site.judge, (None, *site.results.categories))
        values |= {"rows": rows, "span": _span(rows), "groups": _groups(comparisons, chosen)}
    return Page("compare", "Compare pairs", "compare", {**values, "folder": FOLDER}, searchable=True)


def _span(rows: list[Row]) -> int:
    """Return how far the plots reach left and right of zero: the least of ``SPANS`` that holds every interval."""
    ends = [abs(end or 0.0) for row in rows for end in (row.found.difference.low, row.found.difference.high)]
    return next(span for span in SPANS if span >= max(ends, default=0.0) or span == SPANS[-1])


def _groups(comparisons: Comparisons, chosen: list[Pair]) -> list[dict[str, Any]]:
    """Return the chosen pairs' scores, category by category and instance by instance."""
    site = comparisons.site
    finals = [comparisons.finals(pair, site.judge) for pair in chosen]
    columns = list(zip(site.galleries.values(), *finals, strict=True))
    return [
        {
            "category": category,
            "difficulties": [
                (
                    one,
                    sum(
                        (gallery.instance.category, gallery.instance.difficulty) == (category, one)
                        for gallery, *_ in columns
                    ),
                )
                for one in site.results.difficulties
            ],
            "columns": [
                {"gallery": gallery, "scores": scores}
                for gallery, *scores in columns
                if gallery.instance.category == category
            ],
        }
        for category in site.results.categories
    ]


def _finals(results: Results, judge: str) -> Mapping[str, Mapping[str, float]]:
    """Return final scores by run_id and instance_id."""
    return {
        run_id: {
            one.episode.instance_id: judged.final
            for one in episodes
            if (judged := one.judged.get(judge)) is not None and judged.final is not None
        }
        for run_id, episodes in results.episodes.items()
    }


def _numbers(found: Comparison) -> list[float | int | None]:
    ends = [found.difference.mean, found.difference.low, found.difference.high]
    return [*(None if end is None else round(end, 4) for end in ends), found.n, found.wins, found.ties, found.losses]


def _dumps(value: Any) -> str:
    return json.dumps(value, ensure_ascii=False, separators=(",", ":"), allow_nan=False) + "\n"
