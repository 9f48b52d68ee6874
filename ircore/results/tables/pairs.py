"""Columns that the boards of every game share: who played, the rules, ranks, and the share that is rated.

Captions that state the selection of a table, and the advice about missing ranks, stand here too.
"""

from collections import Counter
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, Generic, TypeVar

from ircore.core.plain_words import format_count
from ircore.games.base import Seat
from ircore.results.arrays import select_condition
from ircore.results.cells import Cell
from ircore.results.judge_ratings import Coverage, Unranked
from ircore.results.model import Results, SubmissionResult
from ircore.results.ranking import RankedRow
from ircore.results.statistics.ranks import Standing
from ircore.results.tables.model import Column, Selection, Table, Value

ALL = "all"
"""Stands in files for every category, or both difficulties."""

MOST_NAMES = 2
"""Players by whose names a submission is known; of more players the submission's own name stands."""

RULES = Column("rules", "rules", "Key of the rules played by: token budget, turn limit, what is over the budget.",
               digits=None, audience="programs")  # fmt: skip
"""The last column of every table of runs; several keys, where a row rests on several rules, have ``+`` between them."""

_RUNS = ("run_id", "other_run_id")

LineT = TypeVar("LineT")

REMEDIES: Mapping[Unranked, str] = {
    "held": "A held run gets a rank when a maintainer has cleared its findings.",
    "past_budget": "Play with over_budget: truncate or abort, so that no message passes the token budget.",
    "incomplete": "An incomplete run gets a rank when ircore play has played the rest, or ended it with --final.",
    "recorded": "Recorded answers do not depend on the other players, who get a rank with a player in that seat.",
    "unread": "Install what reads labels (make ocr, or pip install 'ircore[ocr]') and run ircore score again.",
    "underrated": "Run ircore score again: it goes on where it stopped; what a judge refused stays unrated.",
}
"""Remedies for a missing rank, for those who played and scored the run."""

FEW = 9
"""Pairs up to which ranks speak for themselves, unless no two pairs are told apart."""

NEARLY_ALL = 0.8
"""Share of undecided couples from which nearly all pairs are said to tie."""

UNDERRATED = "Less than 90 % of what was played is rated: no rank, and the interval reaches to what the rest could be."

SAME_FAMILY = "Judge and describer are models of one family: such a judge may favour its own."

RATER_MARKS = {"same_family": SAME_FAMILY, "underrated": UNDERRATED}
"""Meaning of the marks of scores."""
"""Meaning of the mark ``underrated``."""


def pair_names(
    submissions: Sequence[SubmissionResult], with_rules: bool = True, among: Sequence[SubmissionResult] = ()
) -> Mapping[str, str]:
    """Return each pair's name by run id: players, unusual rules, prompts where they differ, slug if names coincide.

    Where more than two seats are taken, in any run, all runs go by the names of their submissions.

    Args:
        submissions: Those that are to be told apart.
        with_rules: Whether names say unusual rules.
        among: All runs of the table, if these are a part of them.
    """
    several = len({submission.run.prompts for submission in submissions}) > 1
    seats = {seat for submission in among or submissions for seat in submission.run.submission.players}
    names = {
        submission.run_id: _name_pair(submission, with_rules, several, len(seats) > MOST_NAMES)
        for submission in submissions
    }
    count = Counter(names.values())
    return {
        submission.run_id: names[submission.run_id]
        if count[names[submission.run_id]] == 1
        else f"{names[submission.run_id]} ({submission.slug})"
        for submission in submissions
    }


def describe_condition(instances: str, category: str | None, difficulty: str | None) -> str:
    """Name a condition in words, such as ``hard geometry`` or ``all targets``; ``instances`` is the game's word."""
    if category is None and difficulty is None:
        return f"all {instances}"
    return " ".join(part for part in (difficulty, (category or instances).replace("_", " ")) if part)


def pair_columns(results: Results) -> tuple[Column, ...]:
    """Return the columns that say who played: run, submission and the player of each seat; for people one name."""
    return (
        Column("run_id", "Run", "The run: the players of a submission under one set of rules.", digits=None,
               audience="programs"),
        Column("submission", "Submission", "Slug of the submission.", digits=None, audience="programs"),
        *(replace(build_seat_column(seat), audience="programs") for seat in results.seats),
        Column("pair", "pair", "Who played.", digits=None, audience="readers"),
    )  # fmt: skip


def build_seat_column(seat: Seat[Any, Any]) -> Column:
    """Return the column of the players of a seat."""
    return Column(seat.name, seat.title, f"Player in the seat {seat.name}, who sees {seat.sees}.", digits=None)


def pair_values(results: Results) -> dict[str, tuple[Value, ...]]:
    """Return the entries of ``pair_columns`` by run id."""
    names = pair_names(results.submissions)
    return {entry.run_id: list_players(results, entry, names[entry.run_id]) for entry in results.submissions}


def list_players(results: Results, entry: SubmissionResult, name: str) -> tuple[Value, ...]:
    """Return the entries of ``pair_columns`` of a run; for people it has a name."""
    labels = (entry.run.submission.label_of(seat.name) for seat in results.seats)
    return tuple(map(Value, (entry.run_id, entry.slug, *labels, name)))


def format_caption(
    results: Results, judge: str | None = None, category: str | None = None, difficulty: str | None = None
) -> str:
    """Return a caption of a table's selection: condition, judge, episodes a pair and instance set."""
    size = len(select_condition(results.instances, category, difficulty))
    game = results.game
    by = f"judged by {judge}" if game.is_judged else f"main score made of {game.headline.title}"
    judged = "" if judge is None else f", {by}"
    repeats = max(submission.run.repeats for submission in results.submissions)
    noun = game.pages.words.instance
    many = (
        format_count(size, "episode")
        if repeats == 1
        else f"{format_count(size, noun)}, up to {repeats} episodes of each,"
    )
    return (
        f"{describe_condition(f'{noun}s', category, difficulty).capitalize()}{judged}; "
        f"{many} a pair; instance set {results.instance_set[:12]}."
    )


def add_rules_column(table: Table, results: Results) -> Table:
    """Return a table whose last column is the key of the rules of each row, and whose caption names all keys.

    The runs of a row are those that its columns name, else those behind its numbers, else all. People see the column
    only where rules differ, and not at a terminal, where a pair's name says what is unusual.

    Args:
        table: Made from ``results``.
        results: Of some runs.
    """
    of_run = {submission.run_id: Value(submission.rules.key) for submission in results.submissions}
    every = [rules.key for rules in results.rule_sets]
    caption = table.caption if table.caption.endswith(".") else f"{table.caption}."
    named = replace(table, caption=f"{caption} Rules {', '.join(every)}.")
    if any(column.key == RULES.key for column in table.columns):
        return named
    places = [index for index, column in enumerate(table.columns) if column.key in _RUNS]

    def find_rules(row: tuple[Value, ...]) -> Value:
        runs = _list_runs(row, places)
        if len(runs) == 1:
            return of_run[runs[0]]
        return Value(_join_rule_keys({str(of_run[run].value) for run in runs}, every))

    rows = tuple((*row, find_rules(row)) for row in table.rows)
    column = replace(RULES, audience="pages") if len(every) > 1 else RULES
    return replace(named, columns=(*table.columns, column), rows=rows)


@dataclass(frozen=True)
class FilledColumn(Generic[LineT]):
    """A column with the function that fills it, so that a measure is added in one place.

    Example:
        >>> from ircore.results.tables.model import Column, Value
        >>> column = Column("length", "length", "Letters of a name.", digits=0)
        >>> length = FilledColumn(column, lambda name: Value(len(name)))
        >>> length.value("canvas").value
        6
    """

    column: Column
    """Title, unit and description of the column."""

    value: Callable[[LineT], Value]
    """Returns the entry of a line."""

    field: tuple[str, ...] = ()
    """Where the number stands in a cell: names of a field, of a field within it …; empty if it stands in none."""

    by_all: bool = False
    """Whether it is the same on every board of a run and condition, whoever judges: what was played, what it took."""


def explain_no_rank(row: RankedRow[Any, Any]) -> str:
    """Say for people why a run has no rank on a board."""
    cell: Coverage = row.cell
    return cell.unranked_words or "no picture that all ranked pairs have"


def list_remedies(reasons: Iterable[Unranked | None]) -> list[str]:
    """Return a sentence of advice for each reason for missing ranks that a user can mend."""
    present = set(reasons)
    return [words for reason, words in REMEDIES.items() if reason in present]


def rank_text(row: RankedRow[Any, Any]) -> Value:
    """Return a rank range for people, such as ``1–2``."""
    low, high = row.rank_low, row.rank_high
    if low is None or high is None:
        return Value(None, missing=f"no rank: {explain_no_rank(row)}")
    return Value(str(low) if low == high else f"{low}–{high}")


def _build_rank_value(row: RankedRow[Any, Any], rank: int | None) -> Value:
    return Value(rank) if rank is not None else Value(None, missing=f"no rank: {explain_no_rank(row)}")


RANKS: tuple[FilledColumn[RankedRow[Any, Any]], ...] = (
    FilledColumn(
        Column("rank", "rank", "Ranks that the paired intervals allow.", digits=None, audience="readers"), rank_text
    ),
    FilledColumn(
        Column("rank_low", "Best rank", "Best rank that the paired intervals allow.", "", "lower", 0,
               nullable=True, audience="programs"),
        lambda row: _build_rank_value(row, row.rank_low),
    ),
    FilledColumn(
        Column("rank_high", "Worst rank", "Worst rank that they allow.", "", "lower", 0, nullable=True,
               audience="programs"),
        lambda row: _build_rank_value(row, row.rank_high),
    ),
)  # fmt: skip
"""Columns of the rank range."""

TOP: FilledColumn[RankedRow[Any, Any]] = FilledColumn(
    Column("top", "Top group", "1 if no pair is significantly better.", "", "higher", 0, audience="programs"),
    lambda row: Value(int(row.top)),
)
"""Column of the top group."""

UNRANKED: FilledColumn[RankedRow[Any, Any]] = FilledColumn(
    Column("unranked", "Unranked",
           "Why there is no rank: held, past_budget, incomplete, underrated, inapplicable, unread, too_few, "
           "recorded or reference.",
           digits=None, nullable=True, audience="programs"),
    lambda row: Value.or_missing(row.cell.unranked, "has a rank"),
)  # fmt: skip
"""Column of the reason why there is no rank."""


def describe_ties(standing: Standing, noun: str = "pairs") -> str:
    """Return a sentence on how many pairs a board tells apart; empty where ranks speak for themselves.

    Args:
        standing: Of the board.
        noun: Who is ranked, in the plural.

    >>> describe_ties(Standing(ranges=(), detectable=3.0, critical=4.0, told=30, couples=4950))
    'Nearly all of these 100 pairs tie: 30 of 4,950 comparisons of two tell which is better.'
    """
    ranks = [rank for rank in standing.ranges if rank is not None]
    couples, apart = standing.couples, standing.told
    pairs = round((1 + (1 + 8 * couples) ** 0.5) / 2)
    if not couples:
        return ""
    if not apart:
        return f"No two of these {pairs} {noun} can be told apart." if pairs > 2 else ""
    if apart <= (1 - NEARLY_ALL) * couples and pairs > FEW:
        share = f"{apart:,} of {couples:,} comparisons of two tell which is better"
        return f"Nearly all of these {pairs} {noun} tie: {share}."
    if pairs <= FEW:
        return ""
    top, groups = sum(rank.top for rank in ranks), max(rank.group for rank in ranks)
    share = f"{100 * apart / couples:.0f} % of the {couples:,} comparisons of two {noun} tell which is better"
    if top == 1:
        return f"{share}; one of the {noun} is better than all others."
    inside = f"any of the {top} in the first of {groups} groups" if groups > 1 else f"any of {top}"
    chance = format_percent(max(rank.chance for rank in ranks))
    return f"{share}; {inside} may be the best, the likeliest with a chance of {chance} %."


def format_percent(chance: float) -> str:
    """Return a chance, 0-1, in whole percent; ``< 1`` and ``> 99`` where it rounds to an end that it does not reach.

    >>> format_percent(0.374), format_percent(0.001), format_percent(0.999), format_percent(1.0), format_percent(0.0)
    ('37', '< 1', '> 99', '100', '< 1')
    """
    percent = 100 * chance
    return "< 1" if percent < 0.5 else "> 99" if 99.5 <= percent < 100 else f"{percent:.0f}"


def build_rated_columns(prefix: str = "", of: str = "the judge") -> tuple[Column, ...]:
    """Return the columns played, applicable, rated, refused and not yet, for programs.

    Args:
        prefix: Of the keys, where a table has several judges.
        of: Who rated.
    """
    words = {
        "played": "Episodes played to an end and not aborted.",
        "applicable": f"Of these, episodes that the task of {of} applies to.",
        "rated": f"Of the applicable ones, rated by {of}.",
        "refused": "Of the applicable ones, asked about and not rated.",
        "not_yet": "Of the applicable ones, not asked about yet, or in vain for a technical reason.",
    }
    return tuple(
        Column(prefix + key, key.replace("_", " ").capitalize(), text, digits=0, audience="programs")
        for key, text in words.items()
    )


def list_rated_values(*cells: Cell) -> tuple[Value, ...]:
    """Return the entries of ``build_rated_columns`` of a row about pairs under one condition, by one judge."""
    first, run_ids = cells[0], tuple(cell.run_id for cell in cells)
    played = Selection(run_ids, "played", first.category, first.difficulty, first.judge)
    rated = Selection(run_ids, "rated", first.category, first.difficulty, first.judge)
    counts = ((cell.played, cell.applicable, cell.rated, cell.refused, cell.pending) for cell in cells)
    behind = (played, played, rated, played, played)
    return tuple(
        Value(sum(numbers), episodes=episodes)
        for numbers, episodes in zip(zip(*counts, strict=True), behind, strict=True)
    )


def list_gap_notes(cells: Sequence[Cell]) -> list[str]:
    """Return a note on the number of unrated renderings, where intervals cover only rated renderings."""
    missing = sum(cell.refused + cell.pending for cell in cells)
    applicable = sum(cell.applicable for cell in cells)
    return (
        [f"{missing} of {format_count(applicable, 'rendering')} are not rated: intervals here cover only what is."]
        if missing
        else []
    )


def list_marks(cell: Cell) -> tuple[str, ...]:
    """Return the marks that a score of this cell carries."""
    return tuple(
        mark
        for mark, carried in (("same_family", cell.same_family), ("underrated", cell.unranked == "underrated"))
        if carried
    )


def _name_pair(submission: SubmissionResult, with_rules: bool, with_prompts: bool, many_seats: bool) -> str:
    prompts = [f"prompts {submission.run.prompts}"] if with_prompts else []
    unusual = [*(submission.rules.unusual if with_rules else ()), *prompts]
    names = submission.players
    # A row of more names is read by nobody, and a player alone in seats that others may share is no pair.
    if many_seats or (len(submission.game.seats) > MOST_NAMES and len(set(names)) == 1):
        names = (submission.name,)
    return " + ".join(names) + (f" ({', '.join(unusual)})" if unusual else "")


def _list_runs(row: tuple[Value, ...], places: Iterable[int]) -> list[str]:
    """List the runs of a row: the runs that the row names, else the runs behind its numbers."""
    named = [str(row[place].value) for place in places]
    return named or [run_id for value in row if value.episodes is not None for run_id in value.episodes.run_ids]


def _join_rule_keys(keys: Collection[str], order: Iterable[str]) -> str:
    """Return some keys of rules as a single text, the usual rules first; all keys if none are given."""
    return "+".join(key for key in order if key in keys or not keys)
