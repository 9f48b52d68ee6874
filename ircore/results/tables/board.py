"""The board: the runs under one condition, best first, and all conditions in one long table; of every game."""

from collections.abc import Iterator, Sequence
from dataclasses import replace
from itertools import product

from ircore.core.untrusted_text import one_line
from ircore.results.cells import BoardKey
from ircore.results.headline import headline_words, ordered_judges
from ircore.results.model import BoardRow, Order, Results
from ircore.results.ranking import refuse_unknown
from ircore.results.subsets import board_rows, by_rules, rows_with_references, rule_sets
from ircore.results.tables.board_columns import Line, board_columns, primary_key, spare_columns
from ircore.results.tables.judges import MARKS
from ircore.results.tables.model import Column, Table, Value
from ircore.results.tables.pairs import RULES, caption, pair_columns, pair_names, who_played
from ircore.results.tables.ranks import remedies, tie_words


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
    refuse_unknown(category=(category, results.categories), difficulty=(difficulty, results.difficulties))
    parts = by_rules(results)
    rows = board_rows(results, judge, category, difficulty, order)
    words = caption(results, judge, category, difficulty) + _ranked_words(parts)
    for part in parts if rows else ():
        words += _told_apart(part, (category, difficulty, judge), named=len(parts) > 1)
    judge_words = headline_words(results, category, difficulty) if results.game.is_judged else None
    notes = (
        *filter(None, [judge_words]),
        *_notes(results, order),
        *remedies(row.cell.unranked for row in rows),
        *filter(None, [results.programs]),
    )
    table = _without_dashes(_table("board", "Leaderboard", results, rows, words, notes, rules_above=len(parts) > 1))
    return replace(table, groups=tuple(_groups(results, rows)) if len(parts) > 1 else ())


def _groups(results: Results, rows: Sequence[BoardRow]) -> Iterator[tuple[int, str]]:
    """Yield the first row of each set of rules with the words that tell these rules from the others."""
    among = rule_sets(results)
    for place, row in enumerate(rows):
        rules = row.submission.rules
        if not place or rules != rows[place - 1].submission.rules:
            yield place, f"With {one_line(rules.label(among), 60)}"


def leaderboard_table(results: Results, order: Order = "main") -> Table:
    """Return every board below one another: judge by judge, category by category, all before parts, rules by rules."""
    # The headline first; judges that only compared renderings, which have no place in that order, last.
    judges = dict.fromkeys((*ordered_judges(results), *results.judges))
    parts = by_rules(results)  # once: every board of a part is ranked anew
    rows = [
        row
        for judge, category, difficulty in product(judges, (None, *results.categories), (None, *results.difficulties))
        for part in parts
        for row in rows_with_references(part, judge, category, difficulty, order)
    ]
    words = f"Every category, difficulty and judge; instance set {results.instance_set[:12]}."
    return _table("leaderboard", "Leaderboards", results, rows, words + _ranked_words(parts), _notes(results, order))


def _table(
    name: str,
    title: str,
    results: Results,
    rows: Sequence[BoardRow],
    words: str,
    notes: tuple[str, ...],
    rules_above: bool = False,
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
    """
    game, filling = results.game, board_columns(results.game, results.seats)
    columns = tuple(filled.column for filled in filling)
    every = [*results.submissions, *(reference.submission for reference in results.references)]
    # Named apart under each set of rules where the rules are said above.
    sets = [[each for each in every if each.rules == rules] for rules in {each.rules for each in every}]
    named = [pair_names(alike, with_rules=False) for alike in sets] if rules_above else [pair_names(every)]
    names = {run_id: name for of_rules in named for run_id, name in of_rules.items()}
    lines = (Line(row, names[row.submission.run_id], results) for row in rows)
    return Table(
        name,
        title,
        words,
        columns,
        tuple(tuple(filled.value(line) for filled in filling) for line in lines),
        notes,
        MARKS,
        primary=primary_key(game),
        spare=spare_columns(game, columns),
    )


def _ranked_words(parts: Sequence[Results]) -> str:
    """Say among which pairs ranks are, if that is not all of them."""
    return " Ranks are among the pairs under the same rules." if len(parts) > 1 else ""


def _told_apart(part: Results, key: BoardKey, *, named: bool) -> str:
    """Return the difference by which pairs under one set of rules, named or not, are told apart, and the tied pairs."""
    standing = part.standings.get(key)
    if standing is None or standing.detectable is None:
        return ""
    where = f"Under {part.submissions[0].rules.words or 'the default rules'}" if named else "By its rule"
    rule = f" {where} two pairs whose main scores differ by {standing.detectable:.1f} are told apart (chance 80 %)."
    words = tie_words(standing)
    return f"{rule} {words}" if words else rule


def _without_dashes(table: Table) -> Table:
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


def _notes(results: Results, order: Order) -> tuple[str, ...]:
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
        who = who_played(results, submission, " + ".join(submission.players))
        counts = (Value(cell.played), Value(cell.episodes), Value(submission.rules.key))
        rows.append((*who, Value.of(cell.score), Value.of(cell.main), *counts))
    notes = (
        "References see what no describer may see: scene is told what was drawn, shuffled describes another target, "
        "title-only knows category and difficulty. They are never ranked.",
    )
    words = caption(results, judge, category, difficulty)
    return Table("references", "Ceilings and floors", words, columns, tuple(rows), notes, primary="score")
