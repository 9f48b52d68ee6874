"""Findings in the data: on the front page the main finding and an open problem; of a pair and a target a sentence."""

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from operator import itemgetter
from typing import Any

from ircore.core.untrusted_text import format_one_line
from ircore.results.cells import Cell
from ircore.results.questions import DRAWN, estimate_mean_change
from ircore.results.statistics.intervals import Estimate, are_too_few, clear_of
from leaderboard.model.site import Pair, Site
from leaderboard.pages.selections import Chosen, list_judged_episodes
from leaderboard.words import describe_extremes, format_category, number, place_words

GAIN = 0.1
"""Mean gain, on the scale 0–10, from which corrections are said to help or to harm."""
EASY = 9.0
"""Score, 0–10, from which a kind of picture is drawn nearly as it is."""


@dataclass(frozen=True)
class Hardest:
    """The condition under which the best pair of all gets least.

    >>> Hardest("geometry", "hard", Estimate(5.1, 4.0, 6.2, 42), pair=None).reach
    'part'
    """

    category: str
    difficulty: str
    """``easy`` or ``hard``; empty for both together."""

    score: Estimate
    """Highest score of a pair there, 0–10, with its interval."""

    pair: Pair | None
    """The pair that has it; None where comparisons cannot tell it from another."""

    @property
    def reach(self) -> str:
        """How far the best pair comes: ``none`` where it does not draw, ``part``, or ``all`` where it nearly does."""
        # Only an interval that lies on one side of a line carries a claim about it.
        return {(-1, -1): "none", (1, 1): "all"}.get((clear_of(self.score, DRAWN), clear_of(self.score, EASY)), "part")


@dataclass(frozen=True)
class SiteFindings:
    """Findings of a site at a glance.

    >>> SiteFindings(None, 4.0, 9.0, 42, 7, 5, 1, rules=None, cell=None, hardest=None, all_pairs=None).gain
    5.0

    Attributes:
        pair: The best pair by the site's judge.
        first: Its mean score after the first message, 0–10.
        final: Its mean score at the end, over the same episodes.
        pictures: How many targets there are.
        kinds: Of how many categories.
        pairs: How many pairs were compared.
        top: How many of them may be the best: no other is significantly better.
        rules: Of the runs.
        cell: The best pair's numbers.
        hardest: Where even the best pair gets least; None unless one condition is told from all others.
        all_pairs: Change of the score by correcting, over all pairs, 0–10; None if nobody corrected.
    """

    pair: Pair
    first: float
    final: float
    pictures: int
    kinds: int
    pairs: int
    top: int
    rules: Any
    cell: Cell
    hardest: Hardest | None
    all_pairs: Estimate | None

    @property
    def gain(self) -> float:
        """Mean gain from the first rendering to the last, 0–10."""
        return self.final - self.first

    @property
    def has_leader(self) -> bool:
        """Whether one pair alone may be the best, so that a finding may be about it."""
        return self.top == 1

    @property
    def direction(self) -> str:
        """Whether corrections ``help``, ``harm`` or make ``no`` difference; ``open`` where the interval cannot tell.

        For the best pair where there is one, for all pairs together otherwise.
        """
        if not self.has_leader:
            side = clear_of(self.all_pairs, 0) if self.all_pairs else 0
            return "open" if not side else "help" if side > 0 else "harm"
        if abs(self.gain) < GAIN:
            return "no"
        side = clear_of(self.cell.delta, 0)
        # The interval is of episodes of several renderings, the gain of all episodes.
        return "open" if side * self.gain <= 0 else "help" if side > 0 else "harm"


def collect_findings(site: Site) -> SiteFindings | None:
    """Return the findings of a site; None if no ranked pair has a rated episode."""
    rows = [row for row in site.under().board(site.judge) if row.rank_low is not None]
    ranked = [site.pairs[row.submission.run_id] for row in rows]
    if not ranked:
        return None
    # A board stands best first, so the first pair with a rank is the best.
    best = ranked[0]
    cell = site.cell(best)
    ends = [
        (min(chosen.judged.trajectory.items())[1], chosen.judged.final)
        for chosen in list_judged_episodes(site, [best])
        if chosen.judged.trajectory and chosen.judged.final is not None
    ]
    if cell is None or cell.main.mean is None or not ends:
        return None
    instances = site.results.instances
    return SiteFindings(
        best,
        _compute_mean(first for first, _ in ends),
        _compute_mean(final for _, final in ends),
        len(instances),
        len({instance.category for instance in instances}),
        len(ranked),
        sum(row.top for row in rows),
        site.rule_sets[0],
        cell,
        _find_hardest(site, ranked),
        estimate_mean_change(site.under(), site.judge),
    )


def describe_pair_finding(judge: str, values: Mapping[str, Any]) -> str:
    """Return a pair's rank and main score, and its best and worst condition.

    Args:
        judge: Judge of the page.
        values: Values of the page of the pair.
    """
    known = [
        (f"{format_category(entry['category']).lower()}, {entry['difficulty']}", score)
        for entry in values["conditions"]
        if (score := entry["cell"].score.mean) is not None and not are_too_few(entry["cell"].score.n)
    ]
    place = f"{place_words(values['row'], values['rivals'])}, judged by {judge}"
    if len(known) < 2:
        return place
    best, worst = (choose(known, key=itemgetter(1)) for choose in (max, min))
    return f"{place}; {describe_extremes(best, worst)}"


def describe_best_on_target(judge: str, values: Mapping[str, Any]) -> str:
    """Return which pair got the highest score on a target; empty if nobody's rendering of it is rated.

    Args:
        judge: Judge of the page.
        values: Values of the page of the target.
    """
    best: Chosen | None = values["best"]
    if best is None:
        return ""
    return f"highest score by {format_one_line(best.pair.name, 80)}, {describe_outcome(best, judge)}"


def describe_outcome(chosen: Chosen, judge: str) -> str:
    """Return how an episode ended: ``3.1 at first, 9.8 of 10 after 4 turns, judged by verified``.

    Args:
        chosen: The episode.
        judge: Judge of its score.
    """
    turns, first = len(chosen.result.episode.renderings), chosen.judged.first
    began = f"{number(first, 1)} at first, " if turns > 1 and first is not None else ""
    after = "after one turn" if turns == 1 else f"after {turns} turns"
    return f"{began}{number(chosen.judged.final, 1)} of 10 {after}, judged by {judge}"


def _compute_mean(values: Iterable[float]) -> float:
    listed = list(values)
    # fsum, so that the mean does not depend on the order of episodes.
    return math.fsum(listed) / len(listed)


def _find_hardest(site: Site, pairs: Sequence[Pair]) -> Hardest | None:
    """Return the condition in which the best score of all pairs is lowest, if it is told from every other condition.

    Where the targets of one difficulty are too few for a claim, or do not carry it, those of a category count together.
    """
    instances = site.results.instances
    for conditions in (
        {(instance.category, instance.difficulty) for instance in instances},
        {(instance.category, "") for instance in instances},
    ):
        tops = sorted(_find_best_pairs(site, pairs, conditions), key=lambda top: top.score.mean or 0.0)
        # Intervals that do not overlap tell more than a comparison needs, since all conditions are compared at once.
        if tops and all(_is_below(tops[0].score, other.score) for other in tops[1:]):
            return tops[0]
    return None


def _is_below(lower: Estimate, upper: Estimate) -> bool:
    return lower.high is not None and upper.low is not None and lower.high < upper.low


def _find_best_pairs(site: Site, pairs: Sequence[Pair], conditions: Iterable[tuple[str, str]]) -> list[Hardest]:
    """Return the best pair of each condition in which enough targets are rated."""
    tops = []
    for category, difficulty in sorted(conditions):
        scores = [
            (cell.score, pair)
            for pair in pairs
            if (cell := site.cell(pair, category, difficulty or None)) is not None
            and cell.score.mean is not None
            and not are_too_few(cell.score.n)
        ]
        if scores:
            score, pair = max(scores, key=lambda entry: entry[0].mean or 0.0)
            board = site.under().board(site.judge, category, difficulty or None)
            alone = [row.submission.run_id for row in board if row.top] == [pair.run_id]
            tops.append(Hardest(category, difficulty, score, pair if alone or len(pairs) == 1 else None))
    return tops
