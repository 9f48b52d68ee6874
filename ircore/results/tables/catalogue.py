"""Every table by name, as ``ircore results --table`` offers them.

Another package adds a table by an entry point in the group ``ircore.tables`` that names an ``Entry``.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import partial
from pkgutil import resolve_name
from typing import TYPE_CHECKING, Any

from ircore.core.errors import InputError
from ircore.core.plugins import (
    BrokenPluginError,
    build_unknown_name_error,
    convert_plugin_errors,
    list_available,
    load_plugin,
)

if TYPE_CHECKING:
    from ircore.games.base import Game
    from ircore.results.corrections import Choice
    from ircore.results.model import Order, Results
    from ircore.results.tables.model import Table


PAPER = "tables of the paper"
"""Feature of the game whose paper published tables that runs are held against."""


@dataclass(frozen=True)
class TableQuestion:
    """Options of a table: judge, category, difficulty, order.

    Example:
        >>> TableQuestion(judge="structural", difficulty="hard").category is None
        True
    """

    judge: str | None = None
    """Whose ratings; None for the headline judge, or if the table is of no judge."""

    category: str | None = None
    """Only this category."""

    difficulty: str | None = None
    """Only this difficulty."""

    order: "Order" = "main"
    """What boards are ordered by."""

    part: str | None = None
    """The part that rows of parts are ordered by; None for the score."""

    episode: str | None = None
    """Only this episode, of facts."""

    lexicon: "Choice" = "built-in"
    """Patterns by which corrections are told: all, or the paper's alone."""

    def the_judge(self, results: "Results") -> str:
        """Return the judge asked for, or the headline judge of the condition (``ircore.results.headline``).

        Raises:
            InputError: Nobody has rated.
        """
        # Inside, so that the names of tables can be completed without the model of results.
        from ircore.results.headline import find_headline_judge

        if not results.game.is_judged:
            if self.judge not in (None, results.game.headline.key):
                raise InputError(
                    f"--judge {self.judge}: does not apply to runs of the game {results.game.name}",
                    f"Leave it out: the game measures its headline itself, {results.game.headline.key}.",
                )
            return results.game.headline.key
        if not results.judges:
            raise results.no_ratings()
        # A judge that only compares is never the headline judge, but may be the only one that rated.
        return self.judge or find_headline_judge(results, self.category, self.difficulty) or results.judges[0]


@dataclass(frozen=True)
class TableEntry:
    """A table on offer.

    Example:
        >>> from pathlib import Path
        >>> from ircore.results.tables.games import published_table
        >>> entry = TableEntry("Table 3", lambda results, _: published_table(results.game, "published"), of_runs=False)
        >>> entry.of_judge
        False
    """

    description: str
    """One line for people."""

    build: "Callable[[Results, TableQuestion], Table]"
    """Makes it."""

    of_judge: bool = False
    """Whether it shows one judge's ratings, so that there is one for each judge."""

    ordered: bool = False
    """Whether its rows can be ordered by main score or by quality."""

    by_part: bool = False
    """Whether its rows can be ordered by a part of the judge verified."""

    by_lexicon: bool = False
    """Whether it counts words of correction, which ``--lexicon`` chooses."""

    of_every_game: bool = False
    """Whether runs of every game have it, and not only those of games whose headline judges give."""

    by_condition: bool = True
    """Whether it may be of one category or difficulty."""

    of_runs: bool = True
    """Whether it is computed from runs, so that its last column is the key of their rules; the paper's are not."""

    feature: str | None = None
    """What a game must support for its runs to have it, see ``Game.supports``; None if any may."""

    def table(self, results: "Results", question: TableQuestion) -> "Table":
        """Build the table and add the column with the rules' key.

        Raises:
            InputError: The results have no such judge, category or difficulty, or several judges and none is named.
        """
        from ircore.results.tables.pairs import add_rules_column

        if not self.by_condition and (question.category or question.difficulty):
            raise InputError("this table is of all instances", "Leave out --category and --difficulty.")
        table = self.build(results, question)
        return add_rules_column(table, results) if self.of_runs else table


@dataclass(frozen=True)
class TableFunction:
    """A function that builds a table, imported when the table is asked for.

    So a board waits for no other table's modules.
    """

    name: str
    """Module in ``ircore.results.tables`` and function, as ``module:function``."""

    arguments: "Callable[[Results, TableQuestion], tuple[object, ...]]"
    """Returns the function's arguments."""

    def __call__(self, results: "Results", question: TableQuestion) -> "Table":
        """Import the function and build the table."""
        function: Callable[..., Table] = resolve_name(f"ircore.results.tables.{self.name}")
        return function(*self.arguments(results, question))


def _build_judge_entry(description: str, name: str, *, of_every_game: bool = False) -> TableEntry:
    """Return the table of a function of results, judge, category and difficulty."""
    function = TableFunction(
        name, lambda results, question: (results, question.the_judge(results), question.category, question.difficulty)
    )
    return TableEntry(description, function, of_judge=True, of_every_game=of_every_game)


def _build_condition_entry(description: str, name: str) -> TableEntry:
    """Return the table of a function of results, category and difficulty."""
    return TableEntry(
        description, TableFunction(name, lambda results, question: (results, question.category, question.difficulty))
    )


def _build_lexicon_entry(description: str, name: str) -> TableEntry:
    """Return the table of a function of results, category, difficulty and the patterns of corrections."""
    function = TableFunction(
        name, lambda results, question: (results, question.category, question.difficulty, question.lexicon)
    )
    return TableEntry(description, function, by_lexicon=True)


def _build_results_entry(description: str, name: str) -> TableEntry:
    """Return the table of a function of results alone."""
    return TableEntry(description, TableFunction(name, lambda results, _: (results,)))


def _build_paper_entry(description: str, name: str) -> TableEntry:
    """Return a table that the game's paper published."""
    function = TableFunction("games:published_table", lambda results, _: (results.game, name))
    return TableEntry(description, function, of_runs=False, feature=PAPER)


_BOARD = TableFunction(
    "board:board_table",
    lambda results, question: (
        results,
        question.the_judge(results),
        question.category,
        question.difficulty,
        question.order,
    ),
)
_LEADERBOARD = TableFunction("board:leaderboard_table", lambda results, question: (results, question.order))
_PARTS = TableFunction(
    "fact_tables:parts_table",
    lambda results, question: (results, question.category, question.difficulty, question.part),
)


_JUDGED_OUTCOMES = TableFunction(
    "turns:outcomes_table",
    lambda results, question: (results, question.the_judge(results), question.category, question.difficulty),
)
_MEASURED_OUTCOMES = TableFunction(
    "games:game_outcomes", lambda results, question: (results, question.category, question.difficulty)
)


def _build_outcomes_table(results: "Results", question: TableQuestion) -> "Table":
    return (_JUDGED_OUTCOMES if results.game.is_judged else _MEASURED_OUTCOMES)(results, question)


def _build_facts_table(results: "Results", question: TableQuestion) -> "Table":
    from ircore.results.tables.fact_tables import episode_facts_table, facts_table

    if question.episode is not None:
        return episode_facts_table(results, question.episode)
    return facts_table(results, question.category, question.difficulty)


TABLES: Mapping[str, TableEntry] = {
    "board": TableEntry(
        "pairs under one condition, best first", _BOARD, of_judge=True, ordered=True, of_every_game=True
    ),
    "leaderboard": TableEntry("every board below one another", _LEADERBOARD, ordered=True, of_every_game=True),
    "judges": _build_condition_entry("every judge's mean score of each pair", "judges:judges_table"),
    "conditions": _build_condition_entry(
        "every pair, category and difficulty by every judge", "judges:conditions_table"
    ),
    "comparisons": _build_judge_entry(
        "pairs against pairs, instance by instance", "comparisons:comparisons_table", of_every_game=True
    ),
    "sensitivity": _build_results_entry(
        "whether ranks hold by other judges, targets and weights of facts", "sensitivity:sensitivity_table"
    ),
    "next": _build_judge_entry(
        "what would tell neighbours apart, and how to play it", "comparisons:next_table", of_every_game=True
    ),
    "variance": _build_judge_entry(
        "where the variance comes from: pictures, luck, judge", "variance:variance_table", of_every_game=True
    ),
    "effects": _build_judge_entry(
        "what the players of two seats contribute", "variance:effects_table", of_every_game=True
    ),
    "outcomes": TableEntry(
        "how episodes ended and what refinement did", _build_outcomes_table, of_judge=True, of_every_game=True
    ),
    "outcomes_pooled": _build_condition_entry(
        "what refinement did, pooled over judges as the paper's Figure 5", "turns:pooled_outcomes_table"
    ),
    "trajectories": _build_judge_entry("score by turn, pair and category", "turns:trajectories_table"),
    "by_turn": _build_condition_entry(
        "every judge, part of the facts and metric at each turn and up to it (@K)", "turns:by_turn_table"
    ),
    "normalised": _build_condition_entry(
        "the same from first to final rendering, at 20 places", "turns:normalised_table"
    ),
    "budgets": _build_judge_entry("pairs under several token budgets", "turns:budgets_table"),
    "prompts": _build_judge_entry("pairs with several prompts, picture by picture", "turns:prompts_table"),
    "parts": TableEntry("what is right of presence, text, colour …, pair by pair", _PARTS, by_part=True),
    "facts": TableEntry(
        "share of right facts by pair, condition and part; of one episode, the facts", _build_facts_table
    ),
    "said": _build_condition_entry(
        "facts that messages state, renderings show and corrections mend", "fact_tables:said_table"
    ),
    "readers": _build_results_entry(
        "how far judges agree with the grammar what messages state", "fact_tables:readers_table"
    ),
    "witnesses": _build_condition_entry(
        "how far judges of facts agree with verified, fact by fact", "fact_tables:witnesses_table"
    ),
    "disagreements": _build_condition_entry(
        "facts on which they contradict verified", "fact_tables:disagreements_table"
    ),
    "references": _build_judge_entry("ceilings and floors of generators, never ranked", "board:references_table"),
    "corrections": _build_lexicon_entry("what correction messages are about", "language:corrections_table"),
    "corrections_by_turn": _build_lexicon_entry("the same turn by turn", "language:corrections_by_turn_table"),
    "words": _build_lexicon_entry("the commonest words of each correction", "language:words_table"),
    "messages": _build_condition_entry("length and novelty of messages by turn", "language:messages_table"),
    "convention": _build_condition_entry(
        "whether describers get shorter and keep their words", "language:convention_table"
    ),
    "agreement": _build_results_entry("every two raters side by side", "judges:agreement_table"),
    "metric_agreement": _build_results_entry(
        "every image metric beside every judge and people", "judges:metric_agreement_table"
    ),
    "ratings": _build_results_entry("what every two judges give the same renderings", "judges:ratings_table"),
    "annotators": _build_results_entry("agreement of all annotators", "judges:annotators_table"),
    "retests": _build_results_entry("how far judges agree with themselves, asked twice", "judges:retests_table"),
    "orders": _build_results_entry("what the order of showing does to judges", "judges:orders_table"),
    "people": _build_results_entry("how far each judge follows people: r, κ and bias", "judges:people_table"),
    "maps": _build_results_entry("recalibration of each judge to people", "judges:maps_table"),
    "reliability": _build_results_entry("what people say of each score of a judge", "judges:reliability_table"),
    "recalibrated": _build_condition_entry("mean scores on the people's scale", "judges:recalibrated_table"),
    "targets": _build_condition_entry("what the targets show, and how many words they take", "targets:targets_table"),
    "measures": _build_condition_entry(
        "scores beside what is known of targets, such as naming divergence", "targets:measures_table"
    ),
    "paper": TableEntry(
        "each sentence of the paper that can be checked: whether it holds there and here",
        TableFunction("games:paper_table", lambda results, question: (results, question.the_judge(results))),
        of_judge=True,
        feature=PAPER,
    ),
    "published": _build_paper_entry("the paper's Table 3", "published"),
    "published_means": _build_paper_entry("means of the paper's Table 3", "published_means"),
    "published_judges": _build_paper_entry("the paper's Table 1", "published_table1"),
    "published_humans": _build_paper_entry("the paper's Table 2", "published_table2"),
    "published_annotators": _build_paper_entry("the paper's Table 4", "published_table4"),
}
"""The tables of this project, by the name that users give; the first is the default."""


def list_table_names() -> tuple[str, ...]:
    """Return the names of all tables, tables of other packages last; nothing is imported."""
    return (*TABLES, *(name for name in list_available("tables") if name not in TABLES))


def list_game_table_names(game: "Game[Any]") -> tuple[str, ...]:
    """Return the names of the tables of runs of a game, of other packages' tables too where these are of any judges."""
    own = find_tables(game)
    return (*own, *(name for name in list_table_names() if name not in TABLES)) if game.is_judged else tuple(own)


def find_tables(game: "Game[Any]") -> dict[str, TableEntry]:
    """Return the tables of runs of a game, by the name that users give, but those of broken packages.

    Another package adds a table of one game by an entry point ``GAME.TABLE`` in the group ``ircore.game_tables``.
    """
    if game.is_judged:
        return {name: entry for name, entry in TABLES.items() if entry.feature in (None, *game.supports)}
    own = _list_own_tables(game)
    # Plug-ins for tables of a game are called GAME.TABLE.
    of_game = (name for name in list_available("game_tables") if name.startswith(f"{game.name}."))
    plugins = {name.partition(".")[2]: partial(_build_plugin_table, name=name) for name in of_game}
    added = {
        name: TableEntry("a table of another package", make, by_condition=False)
        for name, make in plugins.items()
        if name not in own
    }
    return own | added


def _list_own_tables(game: "Game[Any]") -> dict[str, TableEntry]:
    from ircore.results.tables.game_curves import list_stepped_tables, players_table, published_figures_table

    def stepped(make: "Callable[..., Table]") -> "Callable[[Results, TableQuestion], Table]":
        return lambda results, question: make(results, question.category, question.difficulty)

    tables = {name: entry for name, entry in TABLES.items() if entry.of_every_game}
    tables |= {name: TableEntry("measures by step", stepped(make)) for name, make in list_stepped_tables(game).items()}
    tables["players"] = TableEntry(
        "players seat by seat", lambda results, _: players_table(results), by_condition=False, of_runs=False
    )
    if game.published:
        tables["published"] = TableEntry(
            "figures of the paper", lambda results, _: published_figures_table(results.game), by_condition=False,
            of_runs=False,
        )  # fmt: skip
    return tables


def find_table_entry(name: str, where: str = "", game: "Game[Any] | None" = None) -> TableEntry:
    """Return the table of a name; a name of this project's tables is never another package's.

    Args:
        name: As in ``--table``.
        where: Option or field in which the name stood, for the error message.
        game: Whose runs it is made of; a game whose headline judges give if None.

    Raises:
        InputError: There is no such table, or the game has none.
        WorkError: Its package cannot be imported, or its entry point names no ``Entry``.
    """
    # Before plug-ins are searched, which reads a file of every installed package.
    tables = TABLES if game is None else find_tables(game)
    if name in tables:
        return tables[name]
    if name not in list_table_names():
        raise build_unknown_name_error(
            "table", name, list(list_table_names() if game is None else list_game_table_names(game)), where
        )
    if game is not None and (name in TABLES or not game.is_judged):
        known = ", ".join(list_game_table_names(game))
        raise InputError(f"{where} {name}: the game {game.name} has no such table", f"Choose one of: {known}.")
    entry = load_plugin("tables", name, where)
    if not isinstance(entry, TableEntry):
        raise BrokenPluginError(
            f"table {name!r}: {type(entry).__name__} is no ircore.results.tables.catalogue.TableEntry",
            "Mend the package that adds this table.",
        )
    return entry


def find_plugin_table_fault(name: str) -> str | None:
    """Return why no command shows a plug-in's table, ``GAME.TABLE``: its name is taken, or there is no such game."""
    from ircore.games.registry import load_game

    game, _, table = name.partition(".")
    try:
        own = _list_own_tables(load_game(game))
    except InputError as error:
        return error.problem
    return f"the game {game} has a table {table} of its own" if table in own else None


def _build_plugin_table(results: "Results", _: TableQuestion, name: str) -> "Table":
    from ircore.results.tables.model import Table

    make = load_plugin("game_tables", name, "--table")
    with convert_plugin_errors(f"table {name!r}"):
        table = make(results)
        if not isinstance(table, Table):
            raise TypeError(f"it returned a {type(table).__name__}, not a Table")
        return table
