"""Results of part of the runs: a pair is only ranked among pairs that played by the same rules."""

from collections import Counter
from dataclasses import replace

from ircore.core.records import Rules
from ircore.results.cells import compute_standings
from ircore.results.judge_ratings import ratings_by_judge
from ircore.results.model import Results
from ircore.results.unranked_runs import columns_of


def rule_sets(results: Results) -> tuple[Rules, ...]:
    """Return the rules that runs were played by, most used first; in a tie, the default rules come first."""
    counted = Counter(submission.rules for submission in results.submissions)
    return tuple(
        sorted(
            counted,
            key=lambda rules: (-counted[rules], rules != Rules(), rules.token_budget, rules.max_turns, rules.key),
        )
    )


def under_rules(results: Results, rules: Rules) -> Results:
    """Return the results of the runs that were played by these rules, ranked among themselves.

    What a cell says of a run does not depend on other runs, so only the ranks are computed anew.

    Args:
        results: Of runs under any rules.
        rules: One of ``rule_sets(results)``.
    """
    submissions = tuple(submission for submission in results.submissions if submission.rules == rules)
    # The same object, whose standings and ratings are already computed.
    if len(submissions) == len(results.submissions):
        return results
    run_ids = {submission.run_id for submission in submissions}
    episodes = {submission.run_id: results.episodes[submission.run_id] for submission in submissions}
    subset = replace(
        results,
        submissions=submissions,
        cells={key: cell for key, cell in results.cells.items() if key[0] in run_ids},
        episodes=episodes,
    )
    ratings = ratings_by_judge(results.instances, episodes, results.scopes)
    barred = columns_of(episodes, results.held | results.past_budget)
    return replace(subset, standings=compute_standings(results.instances, ratings, barred))


def by_rules(results: Results) -> tuple[Results, ...]:
    """Return separate results for each set of rules, the usual rules first, since boards never mix rules."""
    return tuple(under_rules(results, rules) for rules in rule_sets(results))
