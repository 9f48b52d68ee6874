"""Pairs against pairs: their differences, and the fewest further episodes that would tell neighbours apart.

Differences are on the instances that both pairs have, at worst with bounds for the instances that lack a rating, and by
the main scores that decide the ranks.
"""

from collections.abc import Iterable, Iterator
from itertools import combinations, pairwise

from ircore.results.arrays import select_condition
from ircore.results.judge_ratings import list_rated_episodes
from ircore.results.model import Results
from ircore.results.next_episodes import PlannedRun, SeparationPlan, plan_separation
from ircore.results.statistics.comparison import PairComparison
from ircore.results.statistics.intervals import MINIMUM_PICTURES, Estimate
from ircore.results.subsets import split_by_rules
from ircore.results.tables.model import Column, Selection, Table, Value
from ircore.results.tables.pairs import build_rated_columns, format_caption, list_rated_values, pair_names

MOST = 10
"""Pairs of which all are compared with all; of more, each only with the next on the board."""

COMPARISON_COLUMNS = (
    Column("run_id", "Run", "The first pair's run.", digits=None, audience="programs"),
    Column("other_run_id", "Other run", "The second pair's run.", digits=None, audience="programs"),
    Column("pair", "pair", "The first pair.", digits=None),
    Column("other", "against", "The second pair.", digits=None),
    Column("main_difference", "main, among all", "Main score of the first less that of the second.", "points of 100",
           "higher", 1, True, estimated=True),
    Column("main_alone", "main, these two alone", "The same, with the interval of this one comparison.",
           "points of 100", "higher", 1, True, estimated=True),
    Column("difference", "difference", "Mean of first less second, instance by instance, where both were rated.",
           "points of 10", "higher", 2, True, estimated=True),
    Column("least", "at worst", "The same over all instances, were all that is missing the worst for the first pair.",
           "points of 10", "higher", 2, True, nullable=True),
    Column("most", "at best", "The same, were it the best for the first pair.", "points of 10", "higher", 2, True,
           nullable=True),
    Column("wins", "wins", "Instances on which the first is better.", "", "higher", 0),
    Column("ties", "ties", "Instances on which both are the same, to one decimal of the difference.", digits=0),
    Column("losses", "losses", "Instances on which the second is better.", "", "lower", 0),
    Column("detectable", "detectable", "Difference that a comparison of this n finds with a chance of 80 %.",
           "points of 10", "lower", nullable=True),
    *build_rated_columns(),
    *build_rated_columns("other_"),
)  # fmt: skip

COMPARISON_NOTES = (
    "Among all: the interval by which the board ranks, all its comparisons together; two pairs have separate ranks "
    "only if theirs leaves out 0. These two alone, and difference: the interval of the one comparison, for those who "
    "wanted to know of these two before they saw the board.",
    "At worst and at best say how far what one of them did not play, or nobody rated, could turn the difference.",
)

NEXT_EPISODES_COLUMNS = (
    Column("run_id", "Run", "The better run.", digits=None, audience="programs"),
    Column("other_run_id", "Other run", "The run that follows it on the board.", digits=None, audience="programs"),
    Column("pair", "pair", "The better one.", digits=None),
    Column("other", "against", "The next on the board.", digits=None),
    Column("main_difference", "main", "Main score of the first less that of the second, with the board's interval.",
           "points of 100", "higher", 1, True, estimated=True),
    Column("verdict", "verdict", "Whether the board tells them apart; at a further look, too.", digits=None),
    Column("episodes", "episodes", "Fewest further episodes that would tell them apart with a chance of 80 %.", "",
           "lower", 0, nullable=True),
    Column("uniform", "all alike", "Episodes that repeats of every target by both would take instead.", "", "lower", 0,
           nullable=True),
    Column("usd", "price", "What the further episodes cost, as episodes did so far.", "US$", "lower", 2, nullable=True),
    Column("targets", "targets", "Targets that a larger set would need, where repeats do not do.", "", "lower", 0,
           nullable=True),
    Column("where", "of", "Further repeats, by pair and condition.", digits=None, nullable=True),
    Column("commands", "commands", "What plays them, a line each.", digits=None, nullable=True, audience="programs"),
)  # fmt: skip

NEXT_EPISODES_NOTES = (
    "Planned for the difference found so far and by the board's own rule, with half its error rate for each further "
    "look, of which there are two: when the first commands are played and, if they are not told apart then, when the "
    "rest is. Then only told apart counts, and not told apart at a first look. Name all runs of a pair together: its "
    "seeds are one result.",
)


def comparisons_table(
    results: Results, judge: str, category: str | None = None, difficulty: str | None = None
) -> Table:
    """Return paired differences, the better pair first; only pairs under the same rules are compared."""
    names = pair_names(results.submissions)
    rows = []
    for first, second, comparison in _compare_pairs(results, judge, category, difficulty):
        behind = Selection((first, second), "rated", category, difficulty, judge)
        rows.append(
            (
                Value(first),
                Value(second),
                Value(names[first]),
                Value(names[second]),
                Value.of(comparison.main, Selection((first, second), "ended", category, difficulty, judge)),
                Value.of(comparison.alone, Selection((first, second), "ended", category, difficulty, judge)),
                Value.of(comparison.difference, behind, "no instance in common"),
                Value.or_missing(comparison.least, "nothing that the judge rates"),
                Value.or_missing(comparison.most, "nothing that the judge rates"),
                Value(comparison.wins),
                Value(comparison.ties),
                Value(comparison.losses),
                Value.or_missing(comparison.detectable, f"fewer than {MINIMUM_PICTURES} instances in common"),
                *list_rated_values(results.cell(first, judge, category, difficulty)),
                *list_rated_values(results.cell(second, judge, category, difficulty)),
            )
        )
    words = format_caption(results, judge, category, difficulty)
    spare = ("detectable", "ties", "losses", "wins", "least", "most", "difference", "main_alone")
    return Table(
        "comparisons",
        "Pairs against pairs",
        words,
        COMPARISON_COLUMNS,
        tuple(rows),
        COMPARISON_NOTES,
        primary="difference",
        spare=spare,
    )


def plan_neighbours(
    results: Results, judge: str, category: str | None = None, difficulty: str | None = None
) -> Iterator[tuple[tuple[str, str], Estimate, SeparationPlan]]:
    """Yield every two ranked pairs that follow each other on a board, the better one first.

    With their run ids, the difference of their main scores by the board's rule, and what would tell them apart. Only
    pairs under the same rules are neighbours.
    """
    chosen = select_condition(results.instances, category, difficulty)
    for part in split_by_rules(results):
        board = [row for row in part.board(judge, category, difficulty) if row.rank_low is not None]
        couples = list(pairwise(row.submission.run_id for row in board))
        standing = part.standings.get((category, difficulty, judge))
        for couple, comparison in zip(couples, part.compare_couples(couples, judge, category, difficulty), strict=True):
            first, second = (
                PlannedRun(
                    part.runs[name].run,
                    tuple(list_rated_episodes(part.episodes[name], judge, part.scopes.get(judge))),
                    part.runs[name].costs,
                )
                for name in couple
            )
            critical = standing.critical if standing else None
            yield couple, comparison.main, plan_separation(chosen, (first, second), comparison.main, critical)


def next_table(results: Results, judge: str, category: str | None = None, difficulty: str | None = None) -> Table:
    """Return what would tell neighbours apart."""
    names = pair_names(results.submissions)
    rows = [
        (couple, (names[couple[0]], names[couple[1]]), main, plan,
         Selection(couple, "ended", category, difficulty, judge))
        for couple, main, plan in plan_neighbours(results, judge, category, difficulty)
    ]  # fmt: skip
    return _build_table("next", format_caption(results, judge, category, difficulty), rows)


def describe_repeats(plan: SeparationPlan, names: tuple[str, str]) -> str:
    """Return the further repeats in words, conditions with as many repeats together."""
    return "; ".join(
        f"{names[run]}: {', '.join(' '.join(condition) for condition in conditions)} × {count}"
        for (run, count), conditions in group_repeats(plan)
    )


def group_repeats(plan: SeparationPlan) -> list[tuple[tuple[int, int], list[tuple[str, str]]]]:
    """Return the conditions (category and difficulty) by run, 0 or 1, and by how many further repeats they need."""
    alike: dict[tuple[int, int], list[tuple[str, str]]] = {}
    for (run, category, difficulty), count in plan.further.items():
        alike.setdefault((run, count), []).append((category, difficulty))
    return sorted(alike.items())


def _compare_pairs(
    results: Results, judge: str, category: str | None, difficulty: str | None
) -> Iterator[tuple[str, str, PairComparison]]:
    for part in split_by_rules(results):
        rows = part.board(judge, category, difficulty)
        # Pairs without a main score have nothing that could be compared.
        board = [row.submission.run_id for row in rows if row.cell.main.mean is not None]
        couples = list(combinations(board, 2) if len(board) <= MOST else pairwise(board))
        for couple, comparison in zip(couples, part.compare_couples(couples, judge, category, difficulty), strict=True):
            yield *couple, comparison


def _build_table(
    name: str,
    words: str,
    neighbours: Iterable[tuple[tuple[str, str], tuple[str, str], Estimate, SeparationPlan, Selection]],
) -> Table:
    rows, notes = [], list(NEXT_EPISODES_NOTES)
    for run_ids, names, main, plan, behind in neighbours:
        missing = plan.reason or ("they are told apart" if plan.is_told_apart else "")
        if plan.reason:
            notes.append(f"{names[0]} against {names[1]}: {plan.reason}.")
        rows.append(
            (
                Value(run_ids[0]),
                Value(run_ids[1]),
                Value(names[0]),
                Value(names[1]),
                Value.of(main, behind),
                Value(_format_verdict(plan)),
                Value.or_missing(plan.episodes, missing),
                Value.or_missing(plan.uniform, missing or "no number would do"),
                Value.or_missing(plan.usd, missing or "a cost is not known"),
                Value.or_missing(plan.targets, "repeats do, or nothing is needed"),
                Value.or_missing(describe_repeats(plan, names) or None, missing or "nothing is needed"),
                Value.or_missing("\n".join(plan.commands) or None, missing or "nothing is needed"),
            )
        )
        if plan.commands:
            notes += [f"To tell {names[0]} and {names[1]} apart:", *plan.commands]
    if not rows:
        notes = ["No two pairs have ranks, so that there are no neighbours."]
    spare = ("uniform", "usd", "targets")
    title = "What would tell neighbours apart"
    return Table(
        name, title, words, NEXT_EPISODES_COLUMNS, tuple(rows), tuple(notes), primary="main_difference", spare=spare
    )


def _format_verdict(plan: SeparationPlan) -> str:
    if not plan.is_told_apart:
        return "not told apart"
    return "told apart" if plan.at_further_look else "told apart at a first look"
