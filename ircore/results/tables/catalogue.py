"""Every table by name, as ``ircore results --table`` offers them.

Another package adds a table by an entry point in the group ``ircore.tables`` that names an ``Entry``.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass

from ircore.core.errors import InputError
from ircore.core.plugins import BrokenPluginError, available, load, unknown
from ircore.results.headline import headline_judge
from ircore.results.model import Order, Results
from ircore.results.tables.agreement import agreement_table, annotators_table, orders_table, ratings_table
from ircore.results.tables.board import board_table, leaderboard_table
from ircore.results.tables.comparisons import comparisons_table
from ircore.results.tables.convention import convention_table
from ircore.results.tables.effects import effects_table
from ircore.results.tables.hops import by_turn_table, normalised_table
from ircore.results.tables.judges import judges_table
from ircore.results.tables.language import corrections_by_turn_table, corrections_table, messages_table, words_table
from ircore.results.tables.measures import measures_table
from ircore.results.tables.metric_agreement import metric_agreement_table
from ircore.results.tables.model import Table
from ircore.results.tables.parts import episode_facts_table, facts_table, parts_table
from ircore.results.tables.published import published_agreement_table, published_means_table, published_scores_table
from ircore.results.tables.recalibration import maps_table, recalibrated_table, reliability_table
from ircore.results.tables.references import references_table
from ircore.results.tables.rules import with_rules
from ircore.results.tables.said import readers_table, said_table
from ircore.results.tables.targets import targets_table
from ircore.results.tables.turns import budgets_table, outcomes_table, trajectories_table


@dataclass(frozen=True)
class Question:
    """Options of a table: judge, category, difficulty, order.

    Example:
        >>> Question(judge="structural", difficulty="hard").category is None
        True
    """

    judge: str | None = None
    """Whose ratings; None for the headline judge, or if the table is of no judge."""

    category: str | None = None
    """Only this category."""

    difficulty: str | None = None
    """Only this difficulty."""

    order: Order = "main"
    """What boards are ordered by."""

    part: str | None = None
    """The part that rows of parts are ordered by; None for the score."""

    episode: str | None = None
    """Only this episode, of facts."""

    def the_judge(self, results: Results) -> str:
        """Return the judge asked for, or the headline judge of the condition (``ircore.results.headline``).

        Raises:
            InputError: Nobody has rated.
        """
        if not results.judges:
            raise InputError("these runs have no ratings yet", "Rate the runs with: ircore score RUN...")
        # A judge that only compares is never the headline judge, but may be the only one that rated.
        return self.judge or headline_judge(results, self.category, self.difficulty) or results.judges[0]


@dataclass(frozen=True)
class Entry:
    """A table on offer.

    Example:
        >>> from pathlib import Path
        >>> from ircore.results.tables.published import published_scores_table
        >>> entry = Entry("the paper's Table 3", lambda results, asked: published_scores_table(), of_runs=False)
        >>> entry.of_judge
        False
    """

    description: str
    """One line for people."""

    build: Callable[[Results, Question], Table]
    """Makes it."""

    of_judge: bool = False
    """Whether it shows one judge's ratings, so that there is one for each judge."""

    ordered: bool = False
    """Whether its rows can be ordered by main score or by quality."""

    by_part: bool = False
    """Whether its rows can be ordered by a part of the judge verified."""

    of_runs: bool = True
    """Whether it is computed from runs, so that its last column is the key of their rules; the paper's are not."""

    def table(self, results: Results, asked: Question) -> Table:
        """Build the table and add the column with the rules' key.

        Raises:
            InputError: The results have no such judge, category or difficulty, or several judges and none is named.
        """
        table = self.build(results, asked)
        return with_rules(table, results) if self.of_runs else table


def _of_judge(description: str, table: Callable[[Results, str, str | None, str | None], Table]) -> Entry:
    def build(results: Results, asked: Question) -> Table:
        return table(results, asked.the_judge(results), asked.category, asked.difficulty)

    return Entry(description, build, of_judge=True)


def _of_all(description: str, table: Callable[[Results, str | None, str | None], Table]) -> Entry:
    return Entry(description, lambda results, asked: table(results, asked.category, asked.difficulty))


def _board(results: Results, asked: Question) -> Table:
    return board_table(results, asked.the_judge(results), asked.category, asked.difficulty, asked.order)


def _parts(results: Results, asked: Question) -> Table:
    return parts_table(results, asked.category, asked.difficulty, asked.part)


def _facts(results: Results, asked: Question) -> Table:
    if asked.episode is not None:
        return episode_facts_table(results, asked.episode)
    return facts_table(results, asked.category, asked.difficulty)


TABLES: Mapping[str, Entry] = {
    "board": Entry("pairs under one condition, best first", _board, of_judge=True, ordered=True),
    "leaderboard": Entry(
        "every board below one another", lambda results, asked: leaderboard_table(results, asked.order), ordered=True
    ),
    "judges": _of_all("every judge's mean score of each pair", judges_table),
    "comparisons": _of_judge("pairs against pairs, instance by instance", comparisons_table),
    "effects": _of_judge("what describers and generators contribute", effects_table),
    "outcomes": _of_judge("how episodes ended and what refinement did", outcomes_table),
    "trajectories": _of_judge("score by turn, pair and category", trajectories_table),
    "by_turn": _of_all("every judge, part of the facts and metric at each turn and up to it (@K)", by_turn_table),
    "normalised": _of_all("the same from first to final rendering, at 20 places", normalised_table),
    "budgets": _of_judge("pairs under several token budgets", budgets_table),
    "parts": Entry("what is right of presence, text, colour …, pair by pair", _parts, by_part=True),
    "facts": Entry("share of right facts by pair, condition and part; of one episode, the facts", _facts),
    "said": _of_all("facts that messages state, renderings show and corrections mend", said_table),
    "readers": Entry(
        "how far judges agree with the grammar what messages state", lambda results, _: readers_table(results)
    ),
    "references": _of_judge("ceilings and floors of generators, never ranked", references_table),
    "corrections": _of_all("what correction messages are about", corrections_table),
    "corrections_by_turn": _of_all("the same turn by turn", corrections_by_turn_table),
    "words": _of_all("the commonest words of each correction", words_table),
    "messages": _of_all("length and novelty of messages by turn", messages_table),
    "convention": _of_all("whether describers get shorter and keep their words", convention_table),
    "agreement": Entry("every two raters side by side", lambda results, _: agreement_table(results)),
    "metric_agreement": Entry(
        "every image metric beside every judge and people", lambda results, _: metric_agreement_table(results)
    ),
    "ratings": Entry("what every two judges give the same renderings", lambda results, _: ratings_table(results)),
    "annotators": Entry("agreement of all annotators", lambda results, _: annotators_table(results)),
    "orders": Entry("what the order of showing does to judges", lambda results, _: orders_table(results)),
    "maps": Entry("recalibration of each judge to people", lambda results, _: maps_table(results)),
    "reliability": Entry("what people say of each score of a judge", lambda results, _: reliability_table(results)),
    "recalibrated": _of_all("mean scores on the people's scale", recalibrated_table),
    "targets": _of_all("what the targets show, and how many words they take", targets_table),
    "measures": _of_all("scores beside what is known of targets, such as naming divergence", measures_table),
    "published": Entry("the paper's Table 3", lambda *_: published_scores_table(), of_runs=False),
    "published_means": Entry("means of the paper's Table 3", lambda *_: published_means_table(), of_runs=False),
    "published_judges": Entry("the paper's Table 1", lambda *_: published_agreement_table("table1"), of_runs=False),
    "published_humans": Entry("the paper's Table 2", lambda *_: published_agreement_table("table2"), of_runs=False),
    "published_annotators": Entry("the paper's Table 4", lambda *_: published_agreement_table("table4"), of_runs=False),
}
"""The tables of this project, by the name that users give; the first is the default."""


def table_names() -> tuple[str, ...]:
    """Return the names of all tables, tables of other packages last; nothing is imported."""
    return (*TABLES, *(name for name in available("tables") if name not in TABLES))


def table_entry(name: str, where: str = "") -> Entry:
    """Return the table of a name; a name of this project's tables is never another package's.

    Args:
        name: As in ``--table``.
        where: Option or field in which the name stood, for the error message.

    Raises:
        InputError: There is no such table.
        WorkError: Its package cannot be imported, or its entry point names no ``Entry``.
    """
    # Before plug-ins are searched, which reads a file of every installed package.
    if name in TABLES:
        return TABLES[name]
    if name not in table_names():
        raise unknown("table", name, list(table_names()), where)
    entry = load("tables", name, where)
    if not isinstance(entry, Entry):
        raise BrokenPluginError(
            f"table {name!r}: {type(entry).__name__} is no ircore.results.tables.catalogue.Entry",
            "Mend the package that adds this table.",
        )
    return entry
