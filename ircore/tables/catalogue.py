"""Every table that there is, by name: what ``ircore results --table`` offers."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass

from ircore.errors import InputError
from ircore.results.model import Results
from ircore.tables.agreement import agreement_table, annotators_table, orders_table
from ircore.tables.board import board_table, leaderboard_table
from ircore.tables.comparisons import comparisons_table
from ircore.tables.effects import effects_table
from ircore.tables.judges import judges_table
from ircore.tables.language import corrections_by_turn_table, corrections_table, messages_table, words_table
from ircore.tables.model import Table
from ircore.tables.published import published_agreement_table, published_scores_table
from ircore.tables.recalibration import maps_table, recalibrated_table, reliability_table
from ircore.tables.turns import budgets_table, outcomes_table, trajectories_table


@dataclass(frozen=True)
class Question:
    """What a table is asked for."""

    judge: str | None = None
    """Whose ratings; None if the table is of no judge, or there is only one."""

    category: str | None = None
    """Only this category."""

    difficulty: str | None = None
    """Only this difficulty."""

    def the_judge(self, results: Results) -> str:
        """Return the judge asked for, or the only one.

        Raises:
            InputError: Nobody has rated, or several judges have and none of them was named.
        """
        if not results.judges:
            raise InputError("these runs have no ratings yet", "Rate them with: ircore score RUN...")
        if self.judge is None and len(results.judges) > 1:
            raise InputError("several judges rated these runs", f"Choose one: --judge {'|'.join(results.judges)}")
        return self.judge or results.judges[0]


@dataclass(frozen=True)
class Entry:
    """A table on offer."""

    description: str
    """One line for people."""

    build: Callable[[Results, Question], Table]
    """Makes it."""


def _of_judge(table: Callable[[Results, str, str | None, str | None], Table]) -> Callable[[Results, Question], Table]:
    return lambda results, asked: table(results, asked.the_judge(results), asked.category, asked.difficulty)


def _of_all(table: Callable[[Results, str | None, str | None], Table]) -> Callable[[Results, Question], Table]:
    return lambda results, asked: table(results, asked.category, asked.difficulty)


TABLES: Mapping[str, Entry] = {
    "board": Entry("pairs under one condition, best first", _of_judge(board_table)),
    "leaderboard": Entry("every board below one another", lambda results, _: leaderboard_table(results)),
    "judges": Entry("every judge's mean score of each pair", _of_all(judges_table)),
    "comparisons": Entry("pairs against pairs, instance by instance", _of_judge(comparisons_table)),
    "effects": Entry("what describers and generators contribute", _of_judge(effects_table)),
    "outcomes": Entry("how episodes ended and what refinement did", _of_judge(outcomes_table)),
    "trajectories": Entry("score by turn, pair and category", _of_judge(trajectories_table)),
    "budgets": Entry("pairs under several token budgets", _of_judge(budgets_table)),
    "corrections": Entry("what correction messages are about", _of_all(corrections_table)),
    "corrections_by_turn": Entry("the same turn by turn", _of_all(corrections_by_turn_table)),
    "words": Entry("the commonest words of each correction", _of_all(words_table)),
    "messages": Entry("length and novelty of messages by turn", _of_all(messages_table)),
    "agreement": Entry("every two raters side by side", lambda results, _: agreement_table(results)),
    "annotators": Entry("agreement of all annotators", lambda results, _: annotators_table(results)),
    "orders": Entry("what the order of showing does to judges", lambda results, _: orders_table(results)),
    "maps": Entry("recalibration of each judge to people", lambda results, _: maps_table(results)),
    "reliability": Entry("what people say of each score of a judge", lambda results, _: reliability_table(results)),
    "recalibrated": Entry("mean scores on the people's scale", _of_all(recalibrated_table)),
    "published": Entry("the paper's Table 3", lambda *_: published_scores_table()),
    "published_judges": Entry("the paper's Table 1", lambda *_: published_agreement_table("table1")),
    "published_humans": Entry("the paper's Table 2", lambda *_: published_agreement_table("table2")),
    "published_annotators": Entry("the paper's Table 4", lambda *_: published_agreement_table("table4")),
}
"""By the name that users give; the first is the default."""
