"""Comparison of pairs: the page of two to four pairs, and the data from which a browser compares any pairs.

``data/compare/index.json`` names pairs and instances once; ``data/compare/<judge>/<pair>.json`` holds a pair's final
scores by instance, its main scores, and its comparisons with pairs that come later on the overall board. Up to ``MOST``
pairs all are compared with all; of more pairs, each is compared with the next on the board. For other couples the
browser computes the difference on common targets by the same rule, and takes the board's own interval of their main
scores from the board's file of differences (``build_against_files``).

From that file, ``data/against/<board>.json``, a board also says of every pair whether it is better or worse than a
chosen pair, or undecided. It holds ``pairs``, the keys of the pairs with ranks; ``means``, their main scores; and
``low``: in the row of each pair the lower ends of its difference to every other, in tenths of a point. The upper end is
minus the lower end of the other order.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cache, cached_property, partial
from itertools import combinations, islice, pairwise
from math import isnan
from typing import Any

from scipy.special import stdtrit

from ircore.results.episodes import average_final_scores
from ircore.results.model import Results
from ircore.results.next_episodes import PairDifferences, SeparationPlan, pair_differences
from ircore.results.statistics.comparison import TIE, PairComparison
from ircore.results.statistics.intervals import (
    CONFIDENCE,
    MINIMUM_PICTURES,
    OF_CONTRAST,
    SCORE,
    UNSEEN_IN_THE_MIDDLE,
    Estimate,
    normal_quantile,
)
from ircore.results.tables.comparisons import MOST, group_repeats, plan_neighbours
from leaderboard.model.site import Page, Pair, Site
from leaderboard.pages.board_views import BoardView, is_rated, judge_words, list_views, name_view, select_view_results
from leaderboard.storage.output_folder import dump_compact
from leaderboard.words import format_category

AGAINST_FOLDER = "data/against"
"""Folder of the files, relative to the site's root."""


def against_path(site: Site, view: BoardView) -> str:
    """Return the path of a board's file, relative to the site's root."""
    return f"{site.path(AGAINST_FOLDER)}/{name_view(site, replace(view, order='main'))}.json"


def build_against_files(site: Site) -> Iterator[tuple[str, str]]:
    """Yield the file of every board that ranks pairs under one set of rules: path below the site's root, and text."""
    for view in list_views(site):
        if view.rules is None or not is_rated(site, view):
            continue
        board = pair_differences(select_view_results(site, view), view.judge, view.category, view.difficulty)
        if board is not None:
            yield (
                against_path(site, view),
                dump_against_file(board, [site.pairs[run_id].key for run_id in board.run_ids]),
            )


def dump_against_file(board: PairDifferences, keys: Sequence[str], names: Sequence[str] = ()) -> str:
    """Return the content of a file.

    Args:
        board: Differences of every two.
        keys: Rows of the board's page.
        names: Their names where a page cannot know them by the keys; a stranger's words, so that scripts escape them.
    """
    # Whole tenths are the shortest in JSON, and these files grow with the square of the pairs.
    low = (board.low * 10).round().astype(int).tolist()
    value = {"pairs": keys, **({"names": names} if names else {}), "means": board.means.round(2).tolist(), "low": low}
    return dump_compact(value) + "\n"


FOLDER = "data/compare"
"""Folder of the files, relative to the site's root."""

SPANS = (10, 20, 50, 100)
"""Reach of the plots left and right of zero, in points of the main score."""

Condition = str | None
"""A category, or None for all."""


@dataclass(frozen=True)
class ComparedPairs:
    """Two pairs under one condition."""

    category: Condition
    """Category of the targets; None for all."""

    comparison: PairComparison
    """First pair minus second pair."""


class Comparisons:
    """All comparisons that the site knows beforehand.

    Args:
        site: Site whose pairs are compared.

    Example:
        >>> from pathlib import Path
        >>> from leaderboard.model.site_runs import SiteRun
        >>> [pair.describer for pair in Comparisons(Site([SiteRun(Path("run"))])).pairs]
        ['classical']
    """

    def __init__(self, site: Site) -> None:
        self.site = site
        self._finals = cache(partial(_collect_finals, site.results))

    @cached_property
    def pairs(self) -> list[Pair]:
        """Every pair in the order of the overall board."""
        return [self.site.pairs[row.submission.run_id] for row in self.site.results.board(self.site.judge)]

    @property
    def two_best(self) -> list[Pair]:
        """The best pair with a score that is ranked with another one, by the same rules, and the next of these.

        Where no two have the same rules, the two best of all; fewer where fewer have a score.
        """
        results = self.site.results
        scored = [pair for pair in self.pairs if results.cell(pair.run_id, self.site.judge).score.n]
        by_rules: dict[str, list[Pair]] = {}
        for pair in scored:
            by_rules.setdefault(pair.result.rules.key, []).append(pair)
        return next((alike for alike in by_rules.values() if len(alike) > 1), scored)[:2]

    def rows(
        self, couples: Sequence[tuple[Pair, Pair]], judge: str, categories: tuple[Condition, ...]
    ) -> list[list[ComparedPairs]]:
        """Compare couples of pairs under some conditions.

        Returns:
            The rows of each couple, in the order of the conditions; those without a common instance are left out.
        """
        rows: list[list[ComparedPairs]] = [[] for _ in couples]
        for results, places in self._group_ranked_together(couples):
            run_ids = [(couples[place][0].run_id, couples[place][1].run_id) for place in places]
            for category in categories:
                compared = results.compare_couples(run_ids, judge, category)
                for place, comparison in zip(places, compared, strict=True):
                    if comparison.n or comparison.main.n:
                        rows[place].append(ComparedPairs(category, comparison))
        return rows

    def _group_ranked_together(self, couples: Sequence[tuple[Pair, Pair]]) -> Iterator[tuple[Results, list[int]]]:
        """Yield the results in which some couples are ranked, and the places of these couples.

        A couple that was played under different rules has no board of its own: it is compared among all results.
        """
        places: dict[Any, list[int]] = {}
        for place, (first, second) in enumerate(couples):
            rules = first.result.rules
            places.setdefault(rules if rules == second.result.rules else None, []).append(place)
        for common, together in places.items():
            yield self.site.results if common is None else self.site.under(common), together

    def finals(self, pair: Pair, judge: str) -> list[float | None]:
        """Return a pair's final scores, 0–10, by target in the set's order; None for a target without score."""
        scores = self._finals(judge)[pair.run_id]
        return [scores.get(instance_id) for instance_id in self.site.galleries]

    def files(self) -> Iterator[tuple[str, str]]:
        """Yield every file of the page's data: its path below the site's root, and its text."""
        folder = self.site.path(FOLDER)
        yield f"{folder}/index.json", dump_compact(self._index()) + "\n"
        for judge in self.site.results.judges:
            known = self._compare_known(judge)
            for pair in self.pairs:
                value = {
                    "finals": self.finals(pair, judge),
                    "main": self._collect_main_scores(pair, judge),
                    "against": known[pair.key],
                }
                yield f"{folder}/{judge}/{pair.key}.json", dump_compact(value) + "\n"

    def _collect_main_scores(self, pair: Pair, judge: str) -> dict[str, float | None]:
        """Return a pair's main scores by category, ``""`` for all."""
        cells = {
            category: self.site.cell(pair, category, judge=judge) for category in (None, *self.site.results.categories)
        }
        return {name or "": _round_value(cell.main.mean) for name, cell in cells.items() if cell}

    def _compare_known(self, judge: str) -> dict[str, dict[str, Any]]:
        # Couples grow with the square of the pairs, so that many pairs are compared with their neighbours alone.
        few = len(self.pairs) <= MOST
        couples = list(combinations(self.pairs, 2) if few else pairwise(self.pairs))
        categories: tuple[Condition, ...] = (None, *self.site.results.categories) if few else (None,)
        known: dict[str, dict[str, Any]] = {pair.key: {} for pair in self.pairs}
        for (first, second), rows in zip(couples, self.rows(couples, judge, categories), strict=True):
            known[first.key][second.key] = {row.category or "": _list_numbers(row.comparison) for row in rows}
        return known

    def _index(self) -> dict[str, Any]:
        results = self.site.results
        return {
            "judges": [
                {
                    "name": judge,
                    "words": judge_words(self.site, judge),
                    "rates": sorted(scope) if scope else None,
                    "boards": {
                        rules.key: against_path(self.site, BoardView(judge, rules=rules))
                        for rules in self.site.rule_sets
                        if is_rated(self.site, BoardView(judge, rules=rules))
                    },
                }
                for judge, scope in results.scopes.items()
            ],
            "judge": self.site.judge,
            "pairs": [pair.shown for pair in self.pairs],
            "best": [pair.key for pair in self.two_best],
            "categories": [[category, format_category(category)] for category in results.categories],
            "instances": [
                [gallery.instance.instance_id, gallery.instance.category, gallery.instance.difficulty, gallery.title]
                for gallery in self.site.galleries.values()
            ],
            "least": MINIMUM_PICTURES,
            "spans": SPANS,
            "scale": list(SCORE),
            "factor": self.site.factor,
            "unseen": [UNSEEN_IN_THE_MIDDLE, OF_CONTRAST],
            "tie": TIE,
            "z": round(normal_quantile(), 6),
            # Browsers have no t distribution: the quantiles for every possible number of common targets travel along.
            "t": [round(float(stdtrit(free, (1 + CONFIDENCE) / 2)), 5) for free in range(1, len(results.instances))],
        }


def compare_page(site: Site) -> Page:
    """Return the page, which shows the two best pairs by the same rules as long as no others are chosen."""
    later = partial(_compare_two_best, site)
    title = f"{site.game.title}: compare" if site.folder else "Compare pairs"
    values = {"site": site, "folder": site.path(FOLDER)}
    return Page(
        site.path("compare"), title, "compare", values, searchable=not site.folder, later=later, found_by="difference"
    )


def _compare_neighbours(site: Site) -> list[dict[str, Any]]:
    """Return what would tell apart the neighbours of the board that it does not tell apart, the best ones first."""
    plans = ((couple, plan) for couple, _, plan in plan_neighbours(site.results, site.judge) if not plan.is_told_apart)
    return [
        {
            "pairs": [site.pairs[run_id] for run_id in couple],
            "plan": plan,
            "where": _describe_repeats(site, plan, (site.pairs[couple[0]].name, site.pairs[couple[1]].name)),
        }
        for couple, plan in islice(plans, MOST)
    ]


def _describe_repeats(site: Site, plan: SeparationPlan, names: tuple[str, str]) -> str:
    """Return the further repeats of two pairs in words, conditions with as many repeats together."""
    every = len({(instance.category, instance.difficulty) for instance in site.results.instances})
    return "; ".join(
        f"{names[run]}: {'everything' if len(where) == every else ', '.join(map(_name_condition, where))}"
        f" {'once' if count == 1 else f'{count} times'} more"
        for (run, count), where in group_repeats(plan)
    )


def _name_condition(condition: tuple[str, str]) -> str:
    category, difficulty = condition
    return f"{format_category(category).lower()} {difficulty}"


def _compare_two_best(site: Site) -> Mapping[str, Any]:
    comparisons = Comparisons(site)
    chosen = comparisons.two_best
    words = judge_words(site, site.judge)
    values: dict[str, Any] = {"chosen": chosen, "rows": [], "groups": [], "judge_words": words}
    values["neighbours"] = _compare_neighbours(site)
    if len(chosen) == 2:
        couple, categories = (chosen[0], chosen[1]), (None, *site.results.categories)
        (rows,) = comparisons.rows([couple], site.judge, categories)
        values |= {
            "rows": rows,
            "all_known": all(row.comparison.least == row.comparison.most for row in rows),
            "span": choose_span([row.comparison.main for row in rows]),
            "groups": _group_scores(comparisons, chosen),
        }
    return values


def choose_span(differences: Sequence[Estimate]) -> int:
    """Return how far plots of differences of main scores reach: the least of ``SPANS`` that holds every interval."""
    ends = [abs(end or 0.0) for difference in differences for end in (difference.low, difference.high)]
    # The last span is taken even where an interval reaches beyond it: no difference of main scores exceeds 100.
    return next(span for span in SPANS if span >= max(ends, default=0.0) or span == SPANS[-1])


def _group_scores(comparisons: Comparisons, chosen: list[Pair]) -> list[dict[str, Any]]:
    """Return the chosen pairs' scores, category by category and instance by instance."""
    site = comparisons.site
    finals = [comparisons.finals(pair, site.judge) for pair in chosen]
    columns = list(zip(site.galleries.values(), *finals, strict=True))
    return [
        {
            "category": category,
            "difficulties": [
                (
                    difficulty,
                    sum(
                        (gallery.instance.category, gallery.instance.difficulty) == (category, difficulty)
                        for gallery, *_ in columns
                    ),
                )
                for difficulty in site.results.difficulties
            ],
            "columns": [
                {"gallery": gallery, "scores": scores}
                for gallery, *scores in columns
                if gallery.instance.category == category
            ],
        }
        for category in site.results.categories
    ]


def _collect_finals(results: Results, judge: str) -> Mapping[str, Mapping[str, float]]:
    """Return final scores by run_id and instance_id."""
    return {run_id: average_final_scores(episodes, judge) for run_id, episodes in results.episodes.items()}


def _list_numbers(comparison: PairComparison) -> list[float | int | None]:
    difference, main = comparison.difference, comparison.main
    return [
        *map(_round_value, (difference.mean, difference.low, difference.high)),
        *(comparison.n, comparison.wins, comparison.ties, comparison.losses),
        *map(_round_value, (main.mean, main.low, main.high)),
        main.n,
        *map(_round_value, (comparison.least, comparison.most)),
        *map(_round_value, (comparison.alone.low, comparison.alone.high)),
    ]


def _round_value(value: float | None) -> float | None:
    # JSON knows no NaN; null says in scripts that there is no value.
    return None if value is None or isnan(value) else round(value, 4)
