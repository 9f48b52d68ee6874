"""Boards of every game: one row a run under one condition, best first, and all conditions in one long table.

The columns of boards are defined here once, each with what stands in it. Terminal, CSV, JSON, Markdown, LaTeX, the
columns of a release and their descriptions follow from these definitions, and a published row is read back by them.
What an episode takes is defined in ``ircore.results.column``.
"""

from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import product
from operator import attrgetter
from typing import Any, get_args

from ircore.core.untrusted_text import format_one_line
from ircore.games.base import Game, Measure, Seat
from ircore.results.cells import BoardKey
from ircore.results.column import AMOUNTS, Amount
from ircore.results.episodes import CONVERGENCES
from ircore.results.headline import describe_headline, sort_judges
from ircore.results.model import BoardRow, Order, Results
from ircore.results.ranking import RankedRow, refuse_unknown
from ircore.results.statistics.intervals import MINIMUM_PICTURES, Estimate
from ircore.results.subsets import list_board_rows, list_rows_and_references, split_by_rules
from ircore.results.tables.model import Better, Column, Selection, Table, Value, Which
from ircore.results.tables.pairs import (
    ALL,
    RANKS,
    RATER_MARKS,
    RULES,
    TOP,
    UNRANKED,
    FilledColumn,
    build_seat_column,
    describe_ties,
    format_caption,
    list_marks,
    list_players,
    list_remedies,
    pair_columns,
    pair_names,
)

SCORE = "score"
"""Key of the column of similarities, 0–10, where judges give the headline."""

TOO_FEW = f"fewer than {MINIMUM_PICTURES} rated pictures"
"""Reason why there is no detectable difference."""

NO_DOUBT = "this judge tells no facts"
"""Reason why there is no interval of what could not be told."""


@dataclass(frozen=True)
class BoardLine:
    """A row of a board, with the name that tells the row's pair from other pairs.

    Example:
        >>> from pathlib import Path
        >>> from ircore.runs.folder import RunFolder
        >>> results = Results.from_runs([RunFolder(Path("run"))])
        >>> (row,) = results.board("structural")
        >>> BoardLine(row, "classical + canvas", results).pair
        'classical + canvas'
    """

    row: BoardRow
    """Pair, rank and numbers."""

    pair: str
    """Players, and what sets them apart."""

    results: Results
    """Where the row comes from."""

    @cached_property
    def selections(self) -> Mapping[Which, Selection]:
        """The episodes behind the numbers of the row, by the state that selects them."""
        cell = self.row.cell
        return {
            which: Selection((cell.run_id,), which, cell.category, cell.difficulty, cell.judge)
            for which in get_args(Which)
        }


Filling = FilledColumn[BoardLine]
"""A column of the board and what stands in it."""


def find_primary_key(game: Game[Any]) -> str:
    """Return the key of the column that flat files call plain ``mean``, ``low``, ``high`` and ``n``."""
    return SCORE if game.is_judged else game.headline.key


def build_board_columns(game: Game[Any], seats: Sequence[Seat[Any, Any]]) -> tuple[Filling, ...]:
    """Return the columns of a game's boards.

    Args:
        game: The game, with a measure for each judge that rated, as in ``Results.game``.
        seats: Those with a column.
    """
    return (
        *_build_identity_columns(game, seats),
        *map(_adapt_row_column, RANKS),
        FilledColumn(
            Column("pair", "pair", "Who played.", digits=None, audience="readers"), lambda line: Value(line.pair)
        ),
        _MAIN,
        *(_RATED if game.is_judged else [_build_measure_column(game.headline)]),
        *_COVERAGE,
        *(_DOUBT if game.is_judged else []),
        *(_CHANGE if game.headline.per == "step" else []),
        *_list_other_columns(game),
        *(_build_amount_filling(game, amount) for amount in AMOUNTS),
        *_build_count_columns(game),
        FilledColumn(RULES, lambda line: Value(line.row.submission.rules.key)),
    )


def list_spare_columns(game: Game[Any], columns: Iterable[Column]) -> tuple[str, ...]:
    """Return the keys of the columns that a narrow terminal may leave out, the least important first.

    Args:
        game: Whose board.
        columns: Of the board.
    """
    # A game declares its measures in their order of importance.
    others = [filled.column.key for filled in _list_other_columns(game)]
    spare = (
        *("score_range", "rated_of_applicable", "episode_tokens", "steps"),
        *others[::-1],
        *("played_of_all", "delta", find_primary_key(game)),
    )
    there = {column.key for column in columns}
    return tuple(key for key in spare if key in there)


def build_amount_column(game: Game[Any], amount: Amount) -> Column:
    """Return the column of an amount, with the game's own word for its steps."""
    word = f"{game.step_word}s"
    return replace(amount.column, title=word, implied=word) if amount.column.key == "steps" else amount.column


def measure_column(measure: Measure) -> Column:
    """Return the column of a measure's means."""
    # A dash would be read as one more minus sign.
    to = " to " if measure.bounds and measure.bounds[0] < 0 else "–"
    scale = to.join(f"{end:g}".replace("-", "−") for end in measure.bounds) if measure.bounds else measure.unit
    about = f"{measure.title}, mean over played episodes; {measure.direction} is better."
    # "Words (words)" says nothing twice.
    said = scale.casefold() == measure.title.casefold()
    unit, implied = ("", scale) if said else (scale, "")
    return Column(measure.key, measure.title, about, unit, measure.direction, 2, estimated=True, implied=implied)


def board_table(
    results: Results,
    judge: str,
    category: str | None = None,
    difficulty: str | None = None,
    order: Order = "main",
    keys: Collection[str] | None = None,
) -> Table:
    """Return the board of one condition, best pair first; runs under different rules stand on separate boards.

    Args:
        results: Of runs under any rules.
        judge: A judge, or the measure that the board is by.
        category: One of the set's categories, or None for all.
        difficulty: ``easy``, ``hard``, or None for both.
        order: What rows are ordered by.
        keys: Keys of the only columns that are made; None for all.

    Raises:
        InputError: There is no such judge, category or difficulty in the results.
    """
    refuse_unknown(category=(category, results.categories), difficulty=(difficulty, results.difficulties))
    parts = split_by_rules(results)
    rows = list_board_rows(results, judge, category, difficulty, order)
    words = format_caption(results, judge, category, difficulty) + _describe_ranked(parts)
    for part in parts if rows else ():
        words += _describe_difference(part, (category, difficulty, judge), named=len(parts) > 1)
    judge_words = describe_headline(results, category, difficulty) if results.game.is_judged else None
    notes = (
        *filter(None, [judge_words]),
        *_list_notes(results, order),
        *list_remedies(row.cell.unranked for row in rows),
        *filter(None, [results.programs]),
    )
    table = _drop_empty_columns(
        _build_table("board", "Leaderboard", results, rows, words, notes, rules_above=len(parts) > 1, keys=keys)
    )
    return replace(table, groups=tuple(_list_groups(results, rows)) if len(parts) > 1 else ())


def leaderboard_table(results: Results, order: Order = "main") -> Table:
    """Return every board below one another: judge by judge, category by category, all before parts, rules by rules."""
    # The headline first; judges that only compared renderings, which have no place in that order, last.
    judges = dict.fromkeys((*sort_judges(results), *results.judges))
    parts = split_by_rules(results)  # once: every board of a part is ranked anew
    rows = [
        row
        for judge, category, difficulty in product(judges, (None, *results.categories), (None, *results.difficulties))
        for part in parts
        for row in list_rows_and_references(part, judge, category, difficulty, order)
    ]
    words = f"Every category, difficulty and judge; instance set {results.instance_set[:12]}."
    table = _build_table(
        "leaderboard", "Leaderboards", results, rows, words + _describe_ranked(parts), _list_notes(results, order)
    )
    # A caption says the condition of one board; of many below one another, people see it row by row.
    conditions = {"category", "difficulty", "judge"}
    columns = (replace(column, audience="everyone") if column.key in conditions else column for column in table.columns)
    return replace(table, columns=tuple(columns))


def references_table(results: Results, judge: str, category: str | None = None, difficulty: str | None = None) -> Table:
    """Return the unranked scores of reference describers' runs; these describers see more than any describer may."""
    columns = (
        *pair_columns(results),
        Column("score", "score", "Similarity of the final rendering.", "0–10", "higher", estimated=True),
        Column("main_score", "main score", "10 × score × share played.", "0–100", "higher", 1, estimated=True),
        Column("played", "played", "Episodes not aborted.", "episodes", digits=0),
        Column("episodes", "episodes", "All episodes under this condition.", "episodes", digits=0),
        RULES,
    )
    rows = []
    for reference in results.references:
        submission, cell = reference.submission, reference.cells[category, difficulty, judge]
        who = list_players(results, submission, " + ".join(submission.players))
        counts = (Value(cell.played), Value(cell.episodes), Value(submission.rules.key))
        rows.append((*who, Value.of(cell.score), Value.of(cell.main), *counts))
    notes = (
        "References see what no describer may see: scene is told what was drawn, shuffled describes another target, "
        "title-only knows category and difficulty. They are never ranked.",
    )
    words = format_caption(results, judge, category, difficulty)
    return Table("references", "Ceilings and floors", words, columns, tuple(rows), notes, primary="score")


def _build_identity_columns(game: Game[Any], seats: Sequence[Seat[Any, Any]]) -> Iterator[Filling]:
    """Yield the columns that identify a row, for programs."""
    yield _build_identity_column("run_id", "The run: the players of a submission under one set of rules.",
                    lambda line: line.row.submission.run_id, field="run_id")  # fmt: skip
    yield _build_identity_column("submission", "Slug of the submission.", lambda line: line.row.submission.slug)
    yield _build_identity_column("name", "The submission's name as stated.", lambda line: line.row.submission.name)
    for seat in seats:
        yield _build_seat_column(seat)
    for rule in game.pages.rules:
        yield _build_rule_column(game, rule)
    yield _build_identity_column(
        "category", f"A category, or {ALL}.", lambda line: line.row.cell.category or ALL, field="category"
    )
    yield _build_identity_column("difficulty", f"easy, hard, or {ALL}.", lambda line: line.row.cell.difficulty or ALL,
                    field="difficulty")  # fmt: skip
    yield _build_identity_column("judge",
                                "Who rated, or the measure that the board is by.", lambda line: line.row.cell.judge,
                    field="judge")  # fmt: skip


def _build_identity_column(
    key: str,
    description: str,
    get: Callable[[BoardLine], Any],
    digits: int | None = None,
    implied: str = "",
    field: str = "",
) -> Filling:
    """Return a column for programs that identifies the row, such as its judge or condition."""
    title = key.replace("_", " ").capitalize()
    column = Column(key, title, description, digits=digits, audience="programs", implied=implied)
    return FilledColumn(column, lambda line: Value(get(line)), (field,) if field else ())


def _build_seat_column(seat: Seat[Any, Any]) -> Filling:
    column = replace(build_seat_column(seat), audience="programs")
    return FilledColumn(column, lambda line: Value(line.row.submission.run.submission.label_of(seat.name)))


def _build_rule_column(game: Game[Any], name: str) -> Filling:
    about = game.rules.model_fields[name].description or f"The rule {name}."

    values: dict[str, Any] = {}  # by run, which has a row under every condition

    def stated(line: BoardLine) -> Any:
        run = line.row.submission.run
        if run.run_id not in values:
            values[run.run_id] = getattr(game.rules.model_validate(run.rules), name)
        return values[run.run_id]

    return _build_identity_column(name, about, stated, 0)


def _adapt_row_column(filled: FilledColumn[RankedRow[Any, Any]]) -> Filling:
    return FilledColumn(filled.column, lambda line: filled.value(line.row))


def _build_cell_column(
    column: Column, *field: str, which: Which = "ended", missing: str = "", by_all: bool = False
) -> Filling:
    """Return the column of a number of the cell: an estimate, a count, or a value that may be missing.

    Args:
        column: Its title and words.
        field: Where the number stands: an attribute of the cell, and attributes or keys within it.
        which: State of the episodes that it is over.
        missing: Why there is no number, of one that may be missing.
        by_all: As in ``FilledColumn``.
    """
    name, *inner = field
    # Tables have hundreds of thousands of entries: what is the same for all is found out once.
    outer = attrgetter(name)

    def value(line: BoardLine) -> Value:
        known = outer(line.row.cell)
        for key in inner:
            if known is not None:
                known = known[key] if hasattr(known, "keys") else getattr(known, key)
        if isinstance(known, Estimate):
            return Value.of(known, line.selections[which], missing)
        known = int(known) if isinstance(known, bool) else known
        if missing:
            return Value.or_missing(known, missing)
        return Value(known, episodes=line.selections[which])

    return FilledColumn(column, value, field, by_all)


def _make_count(key: str, description: str, *field: str, which: Which = "ended", by_all: bool = False) -> Filling:
    column = Column(key, key.replace("_", " ").capitalize(), description, digits=0, audience="programs")
    return _build_cell_column(column, *(field or (key,)), which=which, by_all=by_all)


_MAIN = _build_cell_column(
    Column("main_score", "main", "Headline from 0, worst, to 100, what was not played counting 0; ranks are by it.",
           "0–100", "higher", 1, estimated=True),
    "main", missing="no rated episode",
)  # fmt: skip


def _get_score(line: BoardLine) -> Value:
    cell = line.row.cell
    return Value.of(cell.score, line.selections["rated"], marks=list_marks(cell))


_RATED = (
    FilledColumn(
        Column(SCORE, "score", "Similarity of the final rendering to the target, of what was played and rated.",
               "0–10", "higher", estimated=True),
        _get_score, ("score",),
    ),
)  # fmt: skip
"""The headline, where judges give it."""

_COVERAGE: tuple[Filling, ...] = (
    FilledColumn(
        Column("played_of_all", "played", "Episodes that count as played, of all.", digits=None, audience="readers"),
        lambda line: Value(f"{line.row.cell.played}/{line.row.cell.episodes}"),
    ),
    FilledColumn(
        Column("rated_of_applicable", "rated", "Played episodes that have the headline, of those that it applies to.",
               digits=None, audience="readers"),
        lambda line: Value(f"{line.row.cell.rated}/{line.row.cell.applicable}"),
    ),
    _build_cell_column(Column("played_share", "Played share",
                               "played / episodes.", "0–1", "higher", audience="programs"),
             "played_share", which="played", by_all=True),
)  # fmt: skip
"""How much was played and rated."""


def _format_range(line: BoardLine) -> Value:
    doubt = line.row.cell.doubt
    if doubt is None:
        return Value(None, missing=NO_DOUBT)
    if not doubt.undecided:
        return Value(None, missing="every fact could be told")
    share = f"{100 * doubt.undecided:.0f}" if doubt.undecided >= 0.005 else "<1"
    return Value(f"{doubt.low:.2f}–{doubt.high:.2f} ({share} % open)")


def _build_doubt_column(key: str, field: str, description: str, unit: str, better: Better, digits: int = 2) -> Filling:
    """Return a column for programs about what a judge of facts could not tell."""
    column = Column(key, key.capitalize(), description, unit, better, digits, nullable=True, audience="programs")
    return _build_cell_column(column, "doubt", field, missing=NO_DOUBT)


_DOUBT = (
    FilledColumn(
        Column("score_range", "could be",
               "Score if all that could not be told is wrong, and if all is right; share of the facts that is open.",
               digits=None, nullable=True, audience="readers"),
        _format_range,
    ),
    _build_doubt_column("lowest", "low", "Score if all that could not be told is wrong.", "0–10", "higher"),
    _build_doubt_column("highest", "high", "Score if all that could not be told is right.", "0–10", "higher"),
    _build_doubt_column("undecided", "undecided",
                        "Share of the facts, by weight, that could not be told.", "0–1", "lower", 4),
    _build_doubt_column("unread", "unread",
                        "1 if labels were left unread, since no reader of texts was installed.", "", "lower",
              0),
    _build_cell_column(
        Column("same_family", "Same family", "1 if judge and describer are models of one family.", "", "lower", 0,
               audience="programs"),
        "same_family",
    ),
)  # fmt: skip
"""What is known of judges that give the headline."""

_CHANGE = (
    _build_cell_column(
        Column("delta", "ΔQ", "Final minus first score, in episodes of several renderings.", "", "higher",
               signed=True, estimated=True, implied="points of 10"),
        "delta", which="refined", missing="no episode of several renderings",
    ),
    *(
        _make_count(key, f"Rated episodes {about}.", "convergence", key,
                    which="rated" if key == "no_refinement" else "refined")
        for key, about in zip(
            CONVERGENCES, ("with ΔQ > 0", "with ΔQ = 0", "with ΔQ < 0", "of one rendering"), strict=True
        )
    ),
)  # fmt: skip
"""What the steps changed, where each of them has the headline."""

_PREFERENCE = _build_cell_column(
    Column("preference", "final preferred", "Share that prefers the final to the first rendering; a tie is half.",
           "0–1", "higher", estimated=True, audience="pages"),
    "preference", which="refined", missing="no preference asked",
)  # fmt: skip


def _list_other_columns(game: Game[Any]) -> list[Filling]:
    """Return the columns of the measures, besides the headline, that the game's pages name."""
    others = (measure for measure in game.measures if measure.key in game.pages.columns)
    # Of a game whose headline judges give, each judge gives a preference, too.
    return [
        _PREFERENCE if game.is_judged else _build_measure_column(item) for item in others if item is not game.headline
    ]


def _build_measure_column(measure: Measure) -> Filling:
    """Return the column of a measure that the game gives, in its own unit."""

    def value(line: BoardLine) -> Value:
        cell = line.row.cell
        mean = line.results.mean(cell.run_id, measure.key, cell.category, cell.difficulty)
        return Value.of(mean, line.selections["rated"], "no value")

    return FilledColumn(measure_column(measure), value, by_all=True)


def _build_amount_filling(game: Game[Any], amount: Amount) -> Filling:
    column = build_amount_column(game, amount)

    def value(line: BoardLine) -> Value:
        cell = line.row.cell
        missing = amount.missing if not cell.played or amount.per else "not known"
        return Value.of(cell.amounts[column.key], line.selections[amount.which], missing)

    return FilledColumn(column, value, ("amounts", column.key), by_all=True)


def _build_detectable_column(game: Game[Any]) -> Filling:
    """Return the column of the difference that so many episodes find, in the unit of the headline."""
    about = "Score difference to a like pair that so many episodes find with a chance of 80 %."
    unit, factor = "0–10", 1.0
    if not game.is_judged and game.headline.bounds is not None:
        low, high = game.headline.bounds
        # Cells hold the headline from 0 to 10.
        unit, factor = measure_column(game.headline).unit, (high - low) / 10
    column = Column("detectable", "Detectable", about, unit, "lower", nullable=True, audience="programs")

    def value(line: BoardLine) -> Value:
        known = line.row.cell.detectable
        return Value.or_missing(None if known is None else factor * known, TOO_FEW)

    return FilledColumn(column, value, ("detectable",) if game.is_judged else ())


def _build_count_columns(game: Game[Any]) -> Iterator[Filling]:
    """Yield marks, and of how many episodes, for programs."""
    yield _adapt_row_column(TOP)
    yield _build_detectable_column(game)
    yield _make_count("episodes", "Instances of the set under this condition.", by_all=True)
    yield _make_count("played", "Episodes that count as played.", which="played", by_all=True)
    yield _adapt_row_column(UNRANKED)
    yield _make_count("unfinished", "Episodes without a result yet: not begun, or failed for a technical reason.",
                      by_all=True)  # fmt: skip
    yield _make_count("applicable", "Played episodes that the headline applies to.", which="played")
    yield _make_count("rated", "Of these, those that have it.", which="rated")
    yield _make_count("refused", "Of these, asked about and without it.", which="played")
    yield _make_count("not_yet", "Of these, not asked about yet, or in vain for a technical reason.", "pending",
                      which="played")  # fmt: skip
    for outcome in game.outcomes:
        about = f"Episodes that ended as {outcome.name}."
        yield _make_count(f"outcome_{outcome.name}", about, "outcomes", outcome.name, by_all=True)


def _list_groups(results: Results, rows: Sequence[BoardRow]) -> Iterator[tuple[int, str]]:
    """Yield the first row of each set of rules with the words that tell these rules from the others."""
    among = results.rule_sets
    for place, row in enumerate(rows):
        rules = row.submission.rules
        if not place or rules != rows[place - 1].submission.rules:
            yield place, f"With {format_one_line(rules.label(among), 60)}"


def _build_table(
    name: str,
    title: str,
    results: Results,
    rows: Sequence[BoardRow],
    words: str,
    notes: tuple[str, ...],
    rules_above: bool = False,
    keys: Collection[str] | None = None,
) -> Table:
    """Return a table of board rows.

    Args:
        name: Identifier.
        title: For people.
        results: Where the rows come from.
        rows: Below one another.
        words: Caption.
        notes: Remarks.
        rules_above: Whether rules are said above the rows, so that names need not say them.
        keys: Keys of the only columns that are made; None for all.
    """
    game, filling = results.game, build_board_columns(results.game, results.seats)
    if keys is not None:
        filling = tuple(filled for filled in filling if filled.column.key in keys)
    columns = tuple(filled.column for filled in filling)
    every = [*results.submissions, *(reference.submission for reference in results.references)]
    # Named apart under each set of rules where the rules are said above.
    sets = [[each for each in every if each.rules == rules] for rules in {each.rules for each in every}]
    named = [pair_names(alike, with_rules=False, among=every) for alike in sets] if rules_above else [pair_names(every)]
    names = {run_id: name for of_rules in named for run_id, name in of_rules.items()}
    lines = (BoardLine(row, names[row.submission.run_id], results) for row in rows)
    return Table(
        name,
        title,
        words,
        columns,
        tuple(tuple(filled.value(line) for filled in filling) for line in lines),
        notes,
        RATER_MARKS,
        primary=find_primary_key(game),
        spare=list_spare_columns(game, columns),
    )


def _describe_ranked(parts: Sequence[Results]) -> str:
    """Say among which pairs ranks are, if that is not all of them."""
    return " Ranks are among the pairs under the same rules." if len(parts) > 1 else ""


def _describe_difference(part: Results, key: BoardKey, *, named: bool) -> str:
    """Return the difference by which pairs under one set of rules, named or not, are told apart, and the tied pairs."""
    standing = part.standings.get(key)
    if standing is None or standing.detectable is None:
        return ""
    where = f"Under {part.submissions[0].rules.words or 'the default rules'}" if named else "By its rule"
    rule = f" {where} two pairs whose main scores differ by {standing.detectable:.1f} are told apart (chance 80 %)."
    words = describe_ties(standing)
    return f"{rule} {words}" if words else rule


def _drop_empty_columns(table: Table) -> Table:
    """Leave out of what people see the columns in which no row has anything: dashes would say nothing."""
    # Where nobody has a rank or a score, a remark under the table says why.
    kept = {"rank", "main_score", table.primary}
    empty = {
        place
        for place, column in enumerate(table.columns)
        if column.key not in kept and all(row[place].value is None for row in table.rows)
    }
    if not table.rows or not empty:
        return table
    columns = tuple(
        replace(column, audience="programs") if place in empty else column for place, column in enumerate(table.columns)
    )
    shown = [place for place, column in enumerate(table.columns) if place not in empty or column.audience != "readers"]
    return replace(table, columns=columns).at_places(shown)


def _list_notes(results: Results, order: Order) -> tuple[str, ...]:
    game = results.game
    main = "score × 10" if game.is_judged else f"{game.headline.title} from 0, worst, to 100,"
    note = (
        "± is half the 95 % interval; ranks are what paired comparisons of main scores allow; "
        f"main = {main} × share played, so an episode that a pair did not play counts as 0."
    )
    gone = ", ".join(target.instance_id for target in results.retired)
    notes = (note, f"Retired targets, which count nowhere: {gone}.") if gone else (note,)
    if order == "main":
        return notes
    return *notes, "Rows are ordered by score: that leaves out what a pair did not play, which the ranks count as 0."
