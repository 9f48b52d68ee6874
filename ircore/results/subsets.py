"""Results of some of the runs: pairs are only ranked among those that played by the same rules."""

from collections import Counter
from dataclasses import replace

from ircore.core.records import Rules
from ircore.results.cells import compute_standings
from ircore.results.model import Results


def rule_sets(results: Results) -> tuple[Rules, ...]:
    """Return the rules that runs were played by, the usual ones first: those of most runs, the defaults in a tie."""
    counted = Counter(one.run.rules for one in results.submissions)
    return tuple(sorted(counted, key=lambda one: (-counted[one], one != Rules(), _order(one))))


def under_rules(results: Results, rules: Rules) -> Results:
    """Return the results of the runs that were played by these rules, ranked among themselves.

    What a cell says of a run does not depend on other runs, so only the ranks are computed anew.

    Args:
        results: Of runs under any rules.
        rules: One of ``rule_sets(results)``.
    """
    kept = tuple(one for one in results.submissions if one.run.rules == rules)
    if len(kept) == len(results.submissions):
        return results
    run_ids = {one.run_id for one in kept}
    episodes = {one.run_id: results.episodes[one.run_id] for one in kept}
    found = replace(
        results,
        submissions=kept,
        cells={key: cell for key, cell in results.cells.items() if key[0] in run_ids},
        episodes=episodes,
    )
    return replace(found, standings=compute_standings(results.instances, episodes, results.judges))


def by_rules(results: Results) -> tuple[Results, ...]:
    """Return the results of the runs under each set of rules, the usual ones first: boards never mix rules."""
    return tuple(under_rules(results, rules) for rules in rule_sets(results))


def _order(rules: Rules) -> tuple[int, int, str]:
    return rules.token_budget, rules.max_turns, rules.over_budget
