"""Results of part of the runs: a pair is only ranked among pairs that played by the same rules."""

from dataclasses import replace
from typing import Any

from ircore.core.records import Fields
from ircore.core.submission_records import Run
from ircore.results.cells import compute_standings
from ircore.results.headline import find_headline
from ircore.results.judge_ratings import arrange_by_judge
from ircore.results.model import BoardRow, Order, Results
from ircore.results.ranking import find_barred_columns, rank_rows


def select_by_rules(results: Results, rules: Any) -> Results:
    """Return the results of the runs that were played by these rules, ranked among themselves.

    What a cell says of a run does not depend on other runs, so only the ranks are computed anew.

    Args:
        results: Of runs under any rules.
        rules: One of ``results.rule_sets``.
    """
    # Looked up first: comparing the rules of hundreds of runs takes longer than a board may.
    if rules in results.parts_by_rules:
        return results.parts_by_rules[rules]
    submissions = tuple(submission for submission in results.submissions if submission.rules == rules)
    # The same object, whose standings and ratings are already computed.
    if len(submissions) == len(results.submissions):
        results.parts_by_rules[rules] = results
        return results
    run_ids = {submission.run_id for submission in submissions}
    episodes = {submission.run_id: results.episodes[submission.run_id] for submission in submissions}
    subset = replace(
        results,
        submissions=submissions,
        cells={key: cell for key, cell in results.cells.items() if key[0] in run_ids},
        episodes=episodes,
    )
    ratings = arrange_by_judge(results.instances, episodes, results.scopes)
    barred = find_barred_columns(episodes, results.barred)
    part = replace(subset, standings=compute_standings(results.instances, ratings, barred))
    part.ratings.update(ratings)
    results.parts_by_rules[rules] = part
    return part


def find_usual_rules(results: Results) -> Fields:
    """Return the rules that most runs have, with the game's defaults."""
    usual, *_ = results.rule_sets
    run = next(submission.run for submission in results.submissions if submission.rules == usual)
    return _fill_defaults(results, run)


def find_unusual_rules(results: Results, run: Run) -> Fields:
    """Return the rules of a run that are not the usual ones, which most runs have; empty for a usual run."""
    usual = find_usual_rules(results)
    rules = _fill_defaults(results, run)
    return {name: value for name, value in rules.items() if name not in usual or usual[name] != value}


def _fill_defaults(results: Results, run: Run) -> Fields:
    # A run of before a rule was added does not state it.
    return {**results.game.rules().model_dump(mode="json"), **run.rules}


def count_ranked(results: Results, rules: Any, headline: str) -> int:
    """Count the runs that have a rank by some rules and a judge, or the game's headline: those that ranks are among."""
    # Judges that only compare rank nobody.
    standing = select_by_rules(results, rules).standings.get((None, None, headline))
    return 0 if standing is None else sum(place is not None for place in standing.ranges)


def list_board_rows(
    results: Results,
    headline: str | None = None,
    category: str | None = None,
    difficulty: str | None = None,
    order: Order = "main",
) -> tuple[BoardRow, ...]:
    """Return the rows of the boards of all rules below one another.

    Below each board stand its references, without a rank, where the game measures its headline; where judges give it,
    references are lines beside pairs.

    Args:
        results: Of runs under any rules.
        headline: A judge, or the measure that the board is by; that of the results if None.
        category: One of the set's categories, or None for all.
        difficulty: ``easy``, ``hard``, or None for both.
        order: What rows are ordered by.

    Raises:
        InputError: There is no such judge, category or difficulty here.
    """
    by = headline or find_headline(results)
    parts = split_by_rules(results)
    return tuple(row for part in parts for row in list_rows_and_references(part, by, category, difficulty, order))


def list_rows_and_references(
    results: Results,
    headline: str,
    category: str | None = None,
    difficulty: str | None = None,
    order: Order = "main",
) -> tuple[BoardRow, ...]:
    """Return the rows of one board, and below them its references where the game measures its headline.

    Args:
        results: Of runs under one set of rules.
        headline: As for ``list_board_rows``.
        category: As for ``list_board_rows``.
        difficulty: As for ``list_board_rows``.
        order: As for ``list_board_rows``.
    """
    rows = results.board(headline, category, difficulty, order)
    if results.game.is_judged:
        return tuple(rows)
    rules = {submission.rules for submission in results.submissions}
    beside = [each for each in results.references if each.submission.rules in rules]
    cells = ((each.submission, each.cells.get((category, difficulty, headline))) for each in beside)
    unranked = ((submission, cell, None) for submission, cell in cells if cell)
    return (*rows, *rank_rows(unranked, lambda cell: cell.main.mean))


def split_by_rules(results: Results) -> tuple[Results, ...]:
    """Return separate results for each set of rules, the usual rules first, since boards never mix rules."""
    return tuple(select_by_rules(results, rules) for rules in results.rule_sets)
