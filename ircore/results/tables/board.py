"""The board: a judge's view of the pairs under one condition, and all conditions in one long table."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from itertools import product
from typing import Any

from ircore.results.cells import BoardKey
from ircore.results.episodes import Doubt
from ircore.results.headline import headline_words, ordered_judges
from ircore.results.model import BoardRow, Cell, Order, Results
from ircore.results.ranking import RankedRow
from ircore.results.statistics.intervals import MINIMUM_PICTURES, Estimate
from ircore.results.subsets import by_rules
from ircore.results.tables.judges import MARKS
from ircore.results.tables.model import Better, Column, Selection, Table, Value, Which
from ircore.results.tables.names import ALL, pair_names
from ircore.results.tables.pairs import caption
from ircore.results.tables.ranks import RANKS, TOP, UNRANKED, Filled, remedies
from ircore.results.tables.rated_shares import marks_of
from ircore.results.tables.rules import RULES
from ircore.results.tables.ties import tie_words


@dataclass(frozen=True)
class Line:
    """A row of a board, with the name that tells the row's pair from other pairs.

    Example:
        >>> from pathlib import Path
        >>> from ircore.results.model import Results
        >>> from ircore.runs.folder import RunFolder
        >>> (row,) = Results.from_runs([RunFolder(Path("run"))]).board("structural")
        >>> Line(row, pair="classical + canvas").pair
        'classical + canvas'
    """

    row: BoardRow
    """Pair, rank and numbers."""

    pair: str
    """Describer + generator, and what sets it apart."""


Measure = Filled[Line]
"""A column of the board and what stands in it."""


TOO_FEW = f"fewer than {MINIMUM_PICTURES} rated pictures"
"""Reason why there is no detectable difference."""


def _identity(
    key: str, description: str, get: Callable[[Line], Any], digits: int | None = None, implied: str = ""
) -> Measure:
    """Return a column for programs that identifies the row, such as its judge or condition."""
    title = key.replace("_", " ").capitalize()
    column = Column(key, title, description, digits=digits, audience="programs", implied=implied)
    return Measure(column, lambda line: Value(get(line)))


def _count(key: str, description: str, get: Callable[[Cell], int], which: Which = "ended") -> Measure:
    column = Column(key, key.replace("_", " ").capitalize(), description, digits=0, audience="programs")
    return Measure(column, lambda line: Value(get(line.row.cell), episodes=_selection(line.row.cell, which)))


def _mean(column: Column, get: Callable[[Cell], Estimate], which: Which, missing: str) -> Measure:
    return Measure(column, lambda line: Value.of(get(line.row.cell), _selection(line.row.cell, which), missing))


def _selection(cell: Cell, which: Which) -> Selection:
    return _selected(cell.run_id, which, cell.category, cell.difficulty, cell.judge)


@lru_cache(maxsize=16)
def _selected(run_id: str, which: Which, category: str | None, difficulty: str | None, judge: str) -> Selection:
    """Make a selection; the entries of a row share four of them."""
    return Selection((run_id,), which, category, difficulty, judge)


NO_DOUBT = "this judge tells no facts"
"""Reason why there is no interval of what could not be told."""


def _of_doubt(key: str, title: str, description: str, unit: str, get: Callable[[Doubt], float]) -> Measure:
    """Return a column for programs about what a judge of facts could not tell."""
    direction: Better = "lower" if key == "undecided" else "higher"
    column = Column(key, title, description, unit, direction, 4 if key == "undecided" else 2, nullable=True,
                    audience="programs")  # fmt: skip

    def value(line: Line) -> Value:
        doubt = line.row.cell.doubt
        return Value.or_missing(None if doubt is None else get(doubt), NO_DOUBT)

    return Measure(column, value)


def _range_text(cell: Cell) -> Value:
    doubt = cell.doubt
    if doubt is None:
        return Value(None, missing=NO_DOUBT)
    if not doubt.undecided:
        return Value(None, missing="every fact could be told")
    share = f"{100 * doubt.undecided:.0f}" if doubt.undecided >= 0.005 else "<1"
    return Value(f"{doubt.low:.2f}–{doubt.high:.2f} ({share} % open)")


def _score(line: Line) -> Value:
    cell = line.row.cell
    return Value.of(cell.score, _selection(cell, "rated"), marks=marks_of(cell))


def _of_row(filled: Filled[RankedRow[Any, Any]]) -> Measure:
    return Measure(filled.column, lambda line: filled.value(line.row))


WHO = (
    _identity("run_id", "The run: one pair under one set of rules.", lambda line: line.row.submission.run_id),
    _identity("submission", "Slug of the pair.", lambda line: line.row.submission.slug),
    _identity("name", "The pair's name as submitted.", lambda line: line.row.submission.name),
    _identity("describer", "Model that sees the target and writes.", lambda line: line.row.submission.describer),
    _identity("generator", "Model that reads and draws.", lambda line: line.row.submission.generator),
    _identity(
        "token_budget",
        "Tokens a message may have.",
        lambda line: line.row.submission.rules.token_budget,
        0,
        "tokens",
    ),
    _identity("max_turns", "Turns an episode may have.", lambda line: line.row.submission.rules.max_turns, 0, "turns"),
    _identity("category", f"A category, or {ALL}.", lambda line: line.row.cell.category or ALL),
    _identity("difficulty", f"easy, hard, or {ALL}.", lambda line: line.row.cell.difficulty or ALL),
    _identity("judge", "Who rated.", lambda line: line.row.cell.judge),
)
"""Columns that identify a row, for programs."""

PLACE = (
    *map(_of_row, RANKS),
    Measure(
        Column("pair", "pair", "Describer + generator.", digits=None, audience="readers"),
        lambda line: Value(line.pair),
    ),
)  # fmt: skip
"""Columns for the pair and its rank."""

QUALITY = (
    _mean(
        Column("main_score", "main", "Mean of 10 × score, what the pair did not play counting 0; ranks are by it.",
               "0–100", "higher", 1, estimated=True),
        lambda cell: cell.main, "ended", "no rated episode",
    ),
    Measure(
        Column("score", "score", "Similarity of the final rendering to the target, of what was played and rated.",
               "0–10", "higher", estimated=True),
        _score,
    ),
    Measure(
        Column("played_of_all", "played", "Episodes played to an end and not aborted, of all.", digits=None,
               audience="readers"),
        lambda line: Value(f"{line.row.cell.played}/{line.row.cell.episodes}"),
    ),
    Measure(
        Column("rated_of_applicable", "rated", "Played episodes that the judge rated, of those that it could rate.",
               digits=None, audience="readers"),
        lambda line: Value(f"{line.row.cell.rated}/{line.row.cell.applicable}"),
    ),
    Measure(
        Column("score_range", "could be",
               "Score if all that could not be told is wrong, and if all is right; share of the facts that is open.",
               digits=None, nullable=True, audience="readers"),
        lambda line: _range_text(line.row.cell),
    ),
    _of_doubt("lowest", "Lowest", "Score if all that could not be told is wrong.", "0–10", lambda doubt: doubt.low),
    _of_doubt("highest", "Highest", "Score if all that could not be told is right.", "0–10", lambda doubt: doubt.high),
    _of_doubt("undecided", "Undecided", "Share of the facts, by weight, that could not be told.", "0–1",
              lambda doubt: doubt.undecided),
    Measure(
        Column("unread", "Unread", "1 if labels were left unread, since no reader of texts was installed.", "", "lower",
               0, nullable=True, audience="programs"),
        lambda line: Value.or_missing(
            None if line.row.cell.doubt is None else int(line.row.cell.doubt.unread), NO_DOUBT
        ),
    ),
    _mean(
        Column("delta", "ΔQ", "Final minus first score, in episodes of several renderings.", "", "higher",
               signed=True, estimated=True, implied="points of 10"),
        lambda cell: cell.delta, "refined", "no episode of several renderings",
    ),
    _mean(
        Column("preference", "final preferred", "Share that prefers the final to the first rendering; a tie is half.",
               "0–1", "higher", estimated=True, audience="pages"),
        lambda cell: cell.preference, "refined", "no preference asked",
    ),
    Measure(
        Column("played_share", "Played share", "played / episodes.", "0–1", "higher", audience="programs"),
        lambda line: Value(line.row.cell.played_share, episodes=_selection(line.row.cell, "played")),
    ),
)  # fmt: skip
"""Columns for the pair's scores."""

EFFORT = (
    _mean(
        Column("turns", "turns", "Turns with a rendering per played episode.", "", "neither", 1, estimated=True,
               implied="turns"),
        lambda cell: cell.turns, "played", "no played episode",
    ),
    _mean(
        Column("tokens", "tokens", "Tokens of the describer's messages per played episode.", "", "lower", 0,
               estimated=True, implied="tokens"),
        lambda cell: cell.tokens, "played", "no played episode",
    ),
    _mean(
        Column("seconds", "seconds", "Seconds both players took per played episode.", "", "lower", 1, estimated=True,
               audience="pages", implied="seconds"),
        lambda cell: cell.seconds, "played", "no played episode",
    ),
    _mean(
        Column("over_budget", "over budget", "Share of messages over the token budget.", "0–1", "lower", estimated=True,
               audience="pages"),
        lambda cell: cell.over_budget, "played", "no message",
    ),
    _mean(
        Column("cost", "cost", "US dollars per episode that has ended.", "US$", "lower", 4, estimated=True,
               audience="pages"),
        lambda cell: cell.cost, "ended", "not known",
    ),
)  # fmt: skip
"""Columns for tokens, turns, time and money."""

COUNTS = (
    _of_row(TOP),
    Measure(
        Column(
            "same_family",
            "Same family",
            "1 if judge and describer are models of one family.",
            "",
            "lower",
            0,
            audience="programs",
        ),
        lambda line: Value(int(line.row.cell.same_family)),
    ),
    Measure(
        Column(
            "detectable",
            "Detectable",
            "Score difference to a like pair that so many episodes find with a chance of 80 %.",
            "0–10",
            "lower",
            nullable=True,
            audience="programs",
        ),
        lambda line: Value.or_missing(line.row.cell.detectable, TOO_FEW),
    ),
    _count("episodes", "Targets of the set under this condition.", lambda cell: cell.episodes),
    _count("played", "Episodes played to an end and not aborted.", lambda cell: cell.played, "played"),
    _of_row(UNRANKED),
    _count(
        "unfinished",
        "Episodes without a result yet: not begun, or failed for a technical reason.",
        lambda cell: cell.unfinished,
    ),
    _count("applicable", "Played episodes that the judge's task applies to.", lambda cell: cell.applicable, "played"),
    _count("rated", "Of these, rated by the judge.", lambda cell: cell.rated, "rated"),
    _count("refused", "Of these, asked about and not rated.", lambda cell: cell.refused, "played"),
    _count(
        "not_yet",
        "Of these, not asked about yet, or in vain for a technical reason.",
        lambda cell: cell.pending,
        "played",
    ),
    _count("converged", "Episodes that the describer ended.", lambda cell: cell.outcomes["converged"]),
    _count("turn_limit", "Episodes that ran out of turns.", lambda cell: cell.outcomes["turn_limit"]),
    _count("aborted", "Episodes that were aborted.", lambda cell: cell.outcomes["aborted"]),
    _count("improved", "Rated episodes with ΔQ > 0.", lambda cell: cell.convergence["improved"], "refined"),
    _count("stable", "Rated episodes with ΔQ = 0.", lambda cell: cell.convergence["stable"], "refined"),
    _count("regressed", "Rated episodes with ΔQ < 0.", lambda cell: cell.convergence["regressed"], "refined"),
    _count(
        "no_refinement", "Rated episodes of one rendering.", lambda cell: cell.convergence["no_refinement"], "rated"
    ),
)
"""Marks, and of how many episodes, for programs."""

PRIMARY = "score"
"""The column that flat files call plain ``mean``, ``low``, ``high`` and ``n``; boards rank by ``main_score``."""

MEASURES = (
    *WHO, *PLACE, *QUALITY, *EFFORT, *COUNTS,
    Measure(RULES, lambda line: Value(line.row.submission.rules.key)),
)  # fmt: skip
_COLUMNS = tuple(measure.column for measure in MEASURES)
_SPARE = ("score_range", "rated_of_applicable", "tokens", "turns", "played_of_all", "delta", "score")


def board_table(
    results: Results,
    judge: str,
    category: str | None = None,
    difficulty: str | None = None,
    order: Order = "main",
) -> Table:
    """Return the board of one condition, best pair first; runs under different rules stand on separate boards.

    Raises:
        InputError: There is no such judge, category or difficulty in the results.
    """
    parts = by_rules(results)
    rows = [row for part in parts for row in part.board(judge, category, difficulty, order)]
    words = caption(results, judge, category, difficulty) + _ranked_words(parts)
    words += "".join(_told_apart(part, (category, difficulty, judge)) for part in parts if rows)
    judge_words = headline_words(results, category, difficulty)
    notes = (
        *filter(None, [judge_words]),
        *NOTES[order],
        *remedies(row.cell.unranked for row in rows),
        *filter(None, [results.programs]),
    )
    table = Table(
        "board", "Leaderboard", words, _COLUMNS, _rows(results, rows), notes, MARKS, primary=PRIMARY, spare=_SPARE
    )
    is_open = any(row.cell.doubt is not None and row.cell.doubt.undecided for row in rows)
    # A column of dashes would say nothing: where every fact could be told, the score is no interval.
    places = [place for place, column in enumerate(_COLUMNS) if is_open or column.key != "score_range"]
    return table if is_open else table.at_places(places)


def leaderboard_table(results: Results, order: Order = "main") -> Table:
    """Return every board below one another: judge by judge, category by category, all before parts, rules by rules."""
    parts = by_rules(results)
    # The headline first; judges that only compared renderings, which have no place in that order, last.
    judges = dict.fromkeys((*ordered_judges(results), *results.judges))
    rows = [
        row
        for judge, category, difficulty in product(judges, (None, *results.categories), (None, *results.difficulties))
        for part in parts
        for row in part.board(judge, category, difficulty, order)
    ]
    words = f"Every category, difficulty and judge; instance set {results.instance_set[:12]}.{_ranked_words(parts)}"
    return Table(
        "leaderboard", "Leaderboards", words, _COLUMNS, _rows(results, rows), NOTES[order], MARKS,
        primary=PRIMARY, spare=_SPARE,
    )  # fmt: skip


def _ranked_words(parts: Sequence[Results]) -> str:
    """Say among which pairs ranks are, if that is not all of them."""
    return " Ranks are among the pairs under the same rules." if len(parts) > 1 else ""


def _told_apart(part: Results, key: BoardKey) -> str:
    """Return the difference by which pairs under one set of rules are told apart, and the tied pairs, in words."""
    standing = part.standings.get(key)
    if standing is None or standing.detectable is None:
        return ""
    rule = f" By its rule two pairs whose main scores differ by {standing.detectable:.1f} are told apart (chance 80 %)."
    words = tie_words(standing)
    return f"{rule} {words}" if words else rule


_NOTE = (
    "± is half the 95 % interval; ranks are what paired comparisons of main scores allow; "
    "main = score × 10 × share played, so an episode that a pair did not play counts as 0."
)
NOTES: Mapping[Order, tuple[str, ...]] = {
    "main": (_NOTE,),
    "quality": (
        _NOTE,
        "Rows are ordered by score: that leaves out what a pair did not play, which the ranks count as 0.",
    ),
}


def _rows(results: Results, rows: Iterable[BoardRow]) -> tuple[tuple[Value, ...], ...]:
    names = pair_names(results.submissions)
    lines = (Line(row, names[row.submission.run_id]) for row in rows)
    return tuple(tuple(measure.value(line) for measure in MEASURES) for line in lines)
