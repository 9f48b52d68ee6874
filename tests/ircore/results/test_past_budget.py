"""Boards hold to the token budget: a run whose generator was given longer messages is listed without a rank."""

import pytest
from hand_made import HandMadeRun, hand_made_run
from invented import invented_set

from ircore.core.records import Rules
from ircore.results.model import Results
from ircore.results.subsets import by_rules

SET = invented_set(1)  # 14 instances


def run(slug: str, rules: Rules, over: bool) -> HandMadeRun:
    made = hand_made_run(slug, SET, [8.0] * len(SET.instances), rules=rules)
    first, *rest = made.played
    said = tuple(turn.model_copy(update={"over_budget": over}) for turn in first.turns)
    object.__setattr__(made, "played", (first.model_copy(update={"turns": said}), *rest))
    return made


@pytest.mark.slow
@pytest.mark.attack
@pytest.mark.parametrize("over_budget", ["allow", "truncate", "abort"])
@pytest.mark.parametrize("over", [False, True])
def test_a_single_message_over_the_budget_that_was_let_through_costs_the_rank(over: bool, over_budget: str) -> None:
    rules = Rules(over_budget=over_budget)
    results = Results.from_runs([run("wordy", rules, over), run("brief", rules, over=False)])
    ranked = {row.submission.slug: row.rank_low for row in results.board("eye")}
    if over and over_budget == "allow":
        assert ranked == {"brief": 1, "wordy": None}
        cell = results.cell("wordy", "eye")
        assert cell.unranked == "past_budget"
        assert cell.unranked_words == "messages over the token budget reached the generator"
        assert cell.main_score == 80  # its numbers stay
    else:
        assert ranked == {"brief": 1, "wordy": 1}


@pytest.mark.slow
def test_what_holds_of_all_runs_holds_of_those_by_the_same_rules() -> None:
    runs = [
        run("wordy", Rules(), over=True),
        run("brief", Rules(), over=False),
        run("other", Rules(max_turns=5), False),
    ]
    for part in by_rules(Results.from_runs(runs)):
        ranks = {row.submission.slug: row.rank_low for row in part.board("eye")}
        assert ranks in ({"brief": 1, "wordy": None}, {"other": 1})
