"""The formats of a table, text, Markdown, LaTeX, CSV, JSON and flat records, and how numbers are written for people.

Numbers and their intervals are written alike on pages, in tables, on badges and in the dataset's card. Text from
submissions is a stranger's: each format takes from it what the format would act on. A file for programs also says where
its numbers come from, and their units.
"""

import csv
import io
import json
import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from math import floor, log10, sqrt
from statistics import stdev
from textwrap import wrap
from typing import TYPE_CHECKING, Any, Literal

from ircore.core.errors import InputError
from ircore.core.terminal import make_printable
from ircore.results.benchmark_version import Version
from ircore.results.model import Results
from ircore.results.statistics.intervals import MINIMUM_PICTURES, TOO_FEW, are_too_few, find_even_half
from ircore.results.tables.model import Column, Selection, Table, Value
from ircore.results.tables.pairs import ALL

if TYPE_CHECKING:
    from ircore.results.episodes import EpisodeResult
    from ircore.results.tables.model import Selection, Table, Value

GAP = 2
"""Blanks between columns."""

Format = Literal["text", "json", "csv", "markdown", "latex"]

MISSING = "–"
"""Stands where there is no value, in the formats for people."""

MARKS = "*†‡§¶"
"""Signs of the notes that entries carry, in the order of the notes; doubled when there are more."""

NARROWEST = 80
"""Columns of a terminal to which remarks are wrapped where a table is narrower."""

RIGHT = frozenset({"rank", "played_of_all", "rated_of_applicable"})
"""Columns of texts that read as numbers."""

FEW = (
    f"Some intervals rest on fewer than {MINIMUM_PICTURES} pictures (n): {TOO_FEW}, so no rank and no difference is "
    "claimed from them."
)
"""Note of a table with such intervals."""

_FORMULA = ("=", "+", "-", "@", "\t", "\r")
"""First characters that spreadsheets take for a formula."""

_MATHEMATICAL = {
    "Γ": "Gamma", "Δ": "Delta", "α": "alpha", "ε": "varepsilon", "κ": "kappa", "ρ": "rho", "σ": "sigma", "τ": "tau",
    "±": "pm", "×": "times", "≤": "le", "≥": "ge", "→": "to",
}  # fmt: skip
LATEX = {
    "\\": r"\textbackslash{}",
    **{sign: f"\\{sign}" for sign in "&%$#_{}"},
    "~": r"\textasciitilde{}",
    "^": r"\textasciicircum{}",
    "−": "$-$",
    **{sign: rf"$\{name}$" for sign, name in _MATHEMATICAL.items()},
    "†": r"\textdagger{}",
    "‡": r"\textdaggerdbl{}",
    "–": "--",
}
"""What LaTeX needs in place of signs; the boards' ``export.js`` has the same list."""

SEM = "sem"
"""Mark of entries whose ends are one standard error away from the mean."""

SEM_WORDS = (
    "± is one standard error of the mean (s / √n), as the paper's figures draw it, not the 95 % interval, which is "
    "about twice as wide and decides what can be told apart."
)
"""Meaning of the mark."""


def align_columns(lines: Sequence[Sequence[str]], to_left: Sequence[bool], columns: int | None = None) -> list[str]:
    r"""Return a table's lines, its heading and a rule first.

    >>> print(*align_columns([["pair", "main (0–100)"], ["a + b", "93.1"]], [True, False], columns=14), sep="\n")
              main
    pair   (0–100)
    ──────────────
    a + b     93.1

    Args:
        lines: The heading's cells and each row's cells.
        to_left: For each column, whether its cells are aligned to the left.
        columns: Columns of the terminal; headings are broken between words where a table is wider.
    """
    widths = _measure_widths(lines)
    if columns is not None and _sum_widths(widths) > columns:
        widths = _measure_narrow_widths(lines)
    parts = [wrap(head, width, break_on_hyphens=False) for head, width in zip(lines[0], widths, strict=True)]
    deepest = max(map(len, parts))
    # A short heading stands at the bottom, beside the last words of a long one.
    padded = [[""] * (deepest - len(words)) + words for words in parts]
    heading = [[words[depth] for words in padded] for depth in range(deepest)]
    texts = [
        (" " * GAP)
        .join(
            cell.ljust(width) if left else cell.rjust(width)
            for cell, width, left in zip(line, widths, to_left, strict=True)
        )
        .rstrip()
        for line in (*heading, *lines[1:])
    ]
    return [*texts[:deepest], "─" * max(map(len, texts)), *texts[deepest:]]


def find_fitting_places(lines: Sequence[Sequence[str]], spare: Sequence[int], columns: int) -> list[int]:
    """Return the places of the columns that a terminal has room for, in their order; empty if the needed do not fit.

    >>> lines = [["pair", "score", "interval", "n"], ["a + b", "9.1", "8.2 to 9.7", "36"]]
    >>> find_fitting_places(lines, spare=[3, 2], columns=16)
    [0, 1, 3]

    Args:
        lines: The heading's cells and each row's cells.
        spare: Places of the columns that may be left out, the least important first; the others are needed.
        columns: Columns of the terminal.
    """
    widths = _measure_narrow_widths(lines)
    places = [place for place in range(len(widths)) if place not in spare]
    # A column that is too wide makes room for narrower columns of less importance.
    for place in reversed(spare):
        if _sum_widths(widths[column] for column in (*places, place)) <= columns:
            places.append(place)
    return sorted(places) if _sum_widths(widths[place] for place in places) <= columns else []


def measure_least_width(lines: Sequence[Sequence[str]]) -> int:
    """Return how many columns a terminal needs to show all columns of a table beside one another."""
    return _sum_widths(_measure_narrow_widths(lines))


def format_blocks(lines: Sequence[Sequence[str]], columns: int) -> list[str]:
    r"""Return the lines of a table with a block for each row, in which each cell has a line of its own.

    >>> print(*format_blocks([["pair", "score"], ["a + b", "9.1"], ["c + d", "8.0"]], columns=14), sep="\n")
    pair   a + b
    score  9.1
    ──────────────
    pair   c + d
    score  8.0

    Args:
        lines: The heading's cells and each row's cells.
        columns: Columns of the terminal.
    """
    heads, *rows = lines
    indent = min(max(map(len, heads)), columns // 2) + GAP
    texts: list[str] = []
    for row in rows:
        texts += ["─" * columns] if texts else []
        for head, cell in zip(heads, row, strict=True):
            if cell.strip():
                texts += wrap(f"{head:<{indent}}{cell}", columns, subsequent_indent="  ")
    return texts


def format_value(column: Column, value: Value, interval: Literal["none", "half", "ends"] = "none") -> str:
    """Format an entry for people without its marks; the interval, if wanted, as ``± half`` or ``[low, high]``."""
    if value.value is None:
        return MISSING
    if isinstance(value.value, str):
        return value.value
    if column.digits is None or isinstance(value.value, int):
        return f"{value.value:,}"
    behind = "" if interval == "none" else format_interval(column, value, interval)
    return f"{number(value.value, _count_digits(column, value), column.signed)} {behind}".rstrip()


def format_interval(column: Column, value: Value, interval: Literal["half", "ends"] = "ends") -> str:
    """Format the interval of an entry as ``[low, high]``, or as ``± half`` where asked for; empty without one."""
    if column.digits is None or isinstance(value.value, str):
        return ""
    style: Literal["mixed", "brackets"] = "mixed" if interval == "half" else "brackets"
    ends = value.low, value.high
    return format_interval_text(value.value, ends, value.n, _count_digits(column, value), column.signed, style)


def render(table: Table, form: Format, results: Results | None = None, columns: int | None = None) -> str:
    """Return a table in a format, with a line break at the end.

    Args:
        table: What to write.
        form: How.
        results: Where the table comes from: given it, JSON lists the episodes behind each number one by one.
        columns: Columns of the terminal that shows a text; None for files and pipes.
    """
    if form == "json":
        return format_json(table, results)
    if form == "text":
        return format_text(table, columns)
    return {"csv": format_csv, "markdown": format_markdown, "latex": format_latex}[form](table)


def format_text(table: Table, columns: int | None = None) -> str:
    """Return a table for people, in aligned columns.

    Args:
        table: What to write.
        columns: Columns of the terminal. From a wider table columns are left out, which a remark names; where what is
            needed is too wide, each row is a block with a line for each entry.
    """
    table = table.for_readers(terminal=True)
    lines = _format_lines(table, "half")
    note: list[str] = []
    if columns is not None and measure_least_width(lines) > columns:
        places = find_fitting_places(lines, table.spare_places, columns)
        if not places:
            return _format_text_lines(_format_grouped_blocks(lines, table, columns), table, columns)
        note = [_describe_left_out(table, places, measure_least_width(lines))]
        table = table.at_places(places)
        lines = _format_lines(table, "half")
    texts = align_columns(lines, _list_left_aligned(table), columns)
    above = len(texts) - len(table.rows)
    texts = [*texts[:above], *_insert_groups(texts[above:], table, str)]
    width = max(*map(len, texts), NARROWEST)
    return _format_text_lines(texts, table, width if columns is None else min(width, columns), note)


def format_markdown(table: Table) -> str:
    """Return a table in GitHub's Markdown; signs that Markdown or HTML would act on are escaped."""
    table = table.for_readers()
    head, *rows = [[_escape_markdown(cell) for cell in line] for line in _format_lines(table, "ends")]
    rule = [":--" if to_left else "--:" for to_left in _list_left_aligned(table)]

    def line(cells: Sequence[str]) -> str:
        return f"| {' | '.join(cells)} |"

    def heading(words: str) -> str:
        return line([_escape_markdown(words), *[""] * (len(head) - 1)])

    lines = [line(head), line(rule), *_insert_groups(map(line, rows), table, heading)]
    remarks = [f"\n{_escape_markdown(text)}" for text in (table.caption, *_list_remarks(table))]
    return "\n".join([*lines, *remarks]) + "\n"


def format_latex(table: Table) -> str:
    """Return a table as LaTeX; needs the package ``booktabs``."""
    table = table.for_readers()
    head, *rows = [" & ".join(_escape_latex(cell) for cell in line) + r" \\" for line in _format_lines(table, "ends")]

    def heading(words: str) -> str:
        return rf"\multicolumn{{{len(table.columns)}}}{{l}}{{{_escape_latex(words)}}} \\"

    lines = [
        r"\begin{table}",
        rf"\caption{{{_escape_latex(table.title)}. {_escape_latex(table.caption)}}}",
        rf"\begin{{tabular}}{{{''.join('l' if to_left else 'r' for to_left in _list_left_aligned(table))}}}",
        r"\toprule",
        head,
        r"\midrule",
        *_insert_groups(rows, table, heading),
        r"\bottomrule",
        r"\end{tabular}",
        *(rf"\par\footnotesize {_escape_latex(text)}" for text in _list_remarks(table)),
        r"\end{table}",
    ]
    return "\n".join(lines) + "\n"


def format_csv(table: Table, source: Mapping[str, str | None] | None = None) -> str:
    """Return a table's flat records as CSV; a text that a spreadsheet would run begins with an apostrophe.

    ``source`` says where the numbers come from: last columns, the same in each row, unless the table has them itself.
    """
    names = list_flat_names(table)
    same = {name: escape_formula(fact) for name, fact in (source or {}).items() if name not in names}
    writer = csv.writer(buffer := io.StringIO(), lineterminator="\n")
    writer.writerow([*names, *same])
    writer.writerows([*map(escape_formula, row), *same.values()] for row in list_flat_rows(table))
    return buffer.getvalue()


def format_json(table: Table, results: Results | None = None) -> str:
    """Return a table as one JSON document.

    ``columns`` say unit and direction. A row has under each column's key an estimate ``{mean, low, high, n}`` or a
    plain value, null where there is none; and under ``about``, by column, why it is ``missing``, the ``marks`` that it
    carries and the ``episodes`` behind it: how they are selected, or, given the results, one by one.
    """
    table = table.for_programs()
    document = {
        "table": table.name,
        "title": table.title,
        "caption": table.caption,
        "origin": table.origin,
        "columns": [_build_column_record(column) for column in table.columns],
        "rows": [],
        "marks": {key: table.marks[key] for key in table.carried},
        "notes": _list_notes(table),
    }
    text = _dump_json(document, indent=2)
    if not table.rows:
        return text + "\n"
    # A row a line: shorter than indented, and several times as fast. No string in the text can hold the sign.
    before, after = text.split('"rows": []', 1)
    pieces = [before, '"rows": [']
    for row in table.rows:
        pieces += ("\n    ", _dump_json(_build_row_record(table, row, results)), ",")
    pieces[-1] = "\n  ]"
    return "".join([*pieces, after, "\n"])


@dataclass(frozen=True)
class FlatColumn:
    """A column of a flat file: a plain column, or any of an estimate's four columns.

    >>> column = Column("ssim", "SSIM", "Of the final rendering.", estimated=True)
    >>> [flat.part for flat in list_flat_columns((column,), None)]
    ['mean', 'low', 'high', 'n']
    """

    name: str
    """Name of the column in the file."""

    column: Column
    """Column of the table that the flat column comes from."""

    part: Literal["value", "mean", "low", "high", "n"]
    """Part of the column's entries: the plain value, or one of the four numbers of an estimate."""


def list_flat_columns(columns: tuple[Column, ...], primary: str | None) -> tuple[FlatColumn, ...]:
    """Return the columns of ``list_flat_records``.

    An estimate becomes ``KEY_mean``, ``KEY_low``, ``KEY_high`` and ``KEY_n``, the primary one just ``mean``, ``low``,
    ``high`` and ``n``.
    """
    return tuple(
        flat for column in columns if column.audience != "readers" for flat in _flatten_column(column, primary)
    )


def list_flat_records(table: Table) -> Iterator[dict[str, Any]]:
    """Yield each row as one flat record, in full precision, under the names of ``list_flat_columns``."""
    names = list_flat_names(table)
    for row in list_flat_rows(table):
        yield dict(zip(names, row, strict=True))


def list_flat_rows(table: Table) -> Iterator[list[Any]]:
    """Yield the entries of each flat record, in the order of ``list_flat_names``."""
    shown = [(place, column.estimated) for place, column in enumerate(table.columns) if column.audience != "readers"]
    for row in table.rows:
        entries: list[Any] = []
        for place, estimated in shown:
            value = row[place]
            if estimated:
                entries += (value.value, value.low, value.high, value.n or 0)
            else:
                entries.append(value.value)
        yield entries


def list_flat_names(table: Table) -> list[str]:
    """Return the keys of a table's flat records, in order."""
    return [flat.name for flat in list_flat_columns(table.columns, table.primary)]


def escape_formula(value: Any) -> Any:
    """Return a value for CSV; a text that a spreadsheet would run begins with an apostrophe, and is a text there."""
    return f"'{value}" if isinstance(value, str) and value.startswith(_FORMULA) else value


def describe_source(table: Table, version: Version) -> dict[str, str | None]:
    """Return the source of all rows of a table: judge, category, difficulty, benchmark, and units by column.

    Args:
        table: Made from results.
        version: Benchmark version of these results.

    Returns:
        Each fact by its name in files; a judge or condition that differs between rows, or that the table has a column
        for, is left out, and so is the judge of numbers that no judge gave.
    """
    units = format_units(list_flat_units(table))
    if {"judge", "category", "difficulty"} <= set(list_flat_names(table)):
        return {**version.as_dict(), "units": units}
    behind = [value.episodes for row in table.rows for value in row if value.episodes is not None]
    facts = {
        "judge": _find_only_fact(selection.judge for selection in behind),
        "category": _find_only_fact(selection.category or ALL for selection in behind) if behind else ALL,
        "difficulty": _find_only_fact(selection.difficulty or ALL for selection in behind) if behind else ALL,
    }
    return {**{name: fact for name, fact in facts.items() if fact}, **version.as_dict(), "units": units}


def list_flat_units(table: Table) -> dict[str, str]:
    """Return the unit or scale of a table's flat columns by name; the ends of an interval have that of their mean.

    >>> from ircore.results.tables.model import Column
    >>> column = Column("cost", "cost", "An episode.", "US$", estimated=True)
    >>> list_flat_units(Table("costs", "Costs", "", (column,), ()))
    {'cost_mean': 'US$'}
    """
    flats = list_flat_columns(table.columns, table.primary)
    units = {flat.name: flat.column.unit or flat.column.implied for flat in flats if flat.part in ("value", "mean")}
    return {name: unit for name, unit in units.items() if unit}


def format_units(units: Mapping[str, str]) -> str:
    """Return units by column as a single text, for a column of a CSV file.

    >>> format_units({"score": "0–10", "cost": "US$"})
    'score: 0–10; cost: US$'
    """
    return "; ".join(f"{name}: {unit}" for name, unit in units.items())


def number(value: float, digits: int, signed: bool = False) -> str:
    """Format a number with a true minus sign; a number rounded to zero has no sign."""
    text = f"{value:.{digits}f}"
    if value > 0 and not signed:
        return text
    if float(text) == 0:
        return text.removeprefix("-")
    return f"+{text}" if signed and value > 0 else text.replace("-", "−")


def count_money_digits(amount: float, least: int) -> int:
    """Return the decimals that show two significant digits of an amount of money, at least ``least``.

    >>> count_money_digits(0.000041, 3), count_money_digits(1.5, 3), count_money_digits(0, 3)
    (6, 3, 3)
    """
    return max(least, 1 - floor(log10(amount))) if amount > 0 else least


def format_interval_text(
    mean: float | None,
    ends: tuple[float | None, float | None],
    n: int | None,
    digits: int = 2,
    signed: bool = False,
    style: Literal["words", "mixed", "brackets"] = "words",
    end_digits: int | None = None,
) -> str:
    """Write the words behind a mean: its interval, or that it rests on too few pictures; empty if neither is known.

    Args:
        mean: The mean.
        ends: Lower and upper end of its interval.
        n: Number of pictures; None where that was looked at before.
        digits: Decimals.
        signed: Whether the mean is a difference, of which ends have signs.
        style: ``words`` writes ``± 1.2`` or, where that would mislead, ``5.3 to 10.0``; ``mixed`` writes
            ``[5.3, 10.0]`` for the latter; ``brackets`` writes that in any case.
        end_digits: Decimals of ends; as ``digits`` if None.

    >>> format_interval_text(6.0, (5.0, 7.0), 40), format_interval_text(9.71, (5.35, 10.0), 40)
    ('± 1.00', '5.35 to 10.00')

    >>> format_interval_text(5.27, (None, None), 1)
    'n 1: too few'
    """
    low, high = ends
    if mean is None:
        return ""
    if are_too_few(n):
        return f"n {n}: too few"
    if low is None or high is None:
        return ""
    half = None if style == "brackets" else find_even_half(mean, low, high, signed)
    if half is not None:
        return f"± {number(half, digits)}"
    first, last = (number(end, digits if end_digits is None else end_digits, signed) for end in (low, high))
    return f"{first} to {last}" if style == "words" else f"[{first}, {last}]"


def use_standard_errors(table: "Table", results: "Results") -> "Table":
    """Return a table whose bars are one standard error of the mean, the error bars of the paper's Figures 15 and 17.

    It is s / √n with the sample standard deviation s (divisor n − 1) over the episodes behind a mean. Means of which
    the episodes' own values are not known here, such as main scores, have no bars.

    Raises:
        InputError: The table has no mean of episodes.
    """
    known = False

    def barred(key: str, value: "Value") -> "Value":
        nonlocal known
        of_episode = None if value.episodes is None else _find_episode_value(key, value.episodes)
        # A count of episodes has a selection, too, and no bars to replace.
        if of_episode is None or value.episodes is None or value.n is None:
            return value._replace(low=None, high=None)
        known = True
        of_episodes = map(of_episode, value.episodes.results_of(results))
        numbers = [number for number in of_episodes if number is not None]
        if len(numbers) < 2 or not isinstance(value.value, int | float):
            return value._replace(low=None, high=None)
        error = stdev(numbers) / sqrt(len(numbers))
        ends = value.value - error, value.value + error
        return value._replace(low=ends[0], high=ends[1], marks=(*value.marks, SEM))

    keys = [column.key for column in table.columns]
    rows = tuple(tuple(barred(key, value) for key, value in zip(keys, row, strict=True)) for row in table.rows)
    if not known:
        raise InputError(
            f"--bars sem: the table {table.name} has no means of episodes",
            "Choose another: board, judges, conditions and budgets have scores.",
        )
    notes = tuple(note.removeprefix("± is half the 95 % interval; ") for note in table.notes)
    return replace(table, rows=rows, notes=notes, marks={**table.marks, SEM: SEM_WORDS})


def _measure_widths(lines: Sequence[Sequence[str]]) -> list[int]:
    return [max(map(len, column)) for column in zip(*lines, strict=True)]


def _measure_narrow_widths(lines: Sequence[Sequence[str]]) -> list[int]:
    """Return widths of columns whose headings are broken between words."""
    heads, *rows = lines
    words = [max(map(len, head.split()), default=0) for head in heads]
    return [max(pair) for pair in zip(words, _measure_widths([[""] * len(heads), *rows]), strict=True)]


def _sum_widths(widths: Iterable[int]) -> int:
    known = list(widths)
    return sum(known) + GAP * (len(known) - 1)


def _count_digits(column: Column, value: Value) -> int:
    """Return the decimals of an entry: a small amount of money has more than its column, so that it is not 0."""
    digits = column.digits or 0
    return (
        count_money_digits(value.value, digits) if column.unit == "US$" and isinstance(value.value, float) else digits
    )


def _format_grouped_blocks(lines: Sequence[Sequence[str]], table: Table, columns: int) -> list[str]:
    """Return the lines of ``format_blocks``, each group of rows below its words."""
    starts = dict(table.groups) or {0: ""}
    texts: list[str] = []
    for start, end in zip(starts, [*starts, len(table.rows)][1:], strict=True):
        texts += [*([""] if texts else []), *wrap(starts[start], columns)]
        texts += format_blocks([lines[0], *lines[1 + start : 1 + end]], columns)
    return texts


def _insert_groups(rows: Iterable[str], table: Table, heading: Callable[[str], str]) -> Iterator[str]:
    """Yield the lines of rows, before each group the line of its words."""
    words = dict(table.groups)
    for place, row in enumerate(rows):
        if place in words:
            yield heading(words[place])
        yield row


def _format_text_lines(texts: list[str], table: Table, width: int, note: Sequence[str] = ()) -> str:
    """Return the lines of a table and, below it, its remarks in lines of a width."""
    remarks = [wrap(text, width) for text in (table.caption, *_list_remarks(table), *note)]
    return make_printable("\n".join([*texts, "", *(line for remark in remarks for line in remark)])) + "\n"


def _describe_left_out(table: Table, places: Sequence[int], width: int) -> str:
    # Titles have commas in them: "@K, best".
    titles = "; ".join(column.title for place, column in enumerate(table.columns) if place not in places)
    return (
        f"Left out, since the terminal is narrow: {titles}. "
        f"A terminal of {width} columns shows everything; so does --format csv."
    )


def _flatten_column(column: Column, primary: str | None) -> tuple[FlatColumn, ...]:
    if not column.estimated:
        return (FlatColumn(column.key, column, "value"),)
    prefix = "" if column.key == primary else f"{column.key}_"
    return tuple(FlatColumn(prefix + part, column, part) for part in ("mean", "low", "high", "n"))


def _dump_json(value: Any, indent: int | None = None) -> str:
    # NaN is no JSON, and many readers refuse a document with it.
    return json.dumps(value, indent=indent, ensure_ascii=False, allow_nan=False)


def _build_column_record(column: Column) -> dict[str, Any]:
    return {name: getattr(column, name) for name in ("key", "title", "unit", "better", "description")}


def _build_row_record(table: Table, row: tuple[Value, ...], results: Results | None) -> dict[str, Any]:
    cells = list(zip(table.columns, row, strict=True))
    about = {column.key: _describe_value(value, results) for column, value in cells}
    return {
        **{column.key: _convert_value(column, value) for column, value in cells},
        "about": {key: entry for key, entry in about.items() if entry},
    }


def _convert_value(column: Column, value: Value) -> Any:
    if not column.estimated:
        return value.value
    return {"mean": value.value, "low": value.low, "high": value.high, "n": value.n or 0}


def _describe_value(value: Value, results: Results | None) -> dict[str, Any]:
    return {
        **({"missing": value.missing} if value.missing is not None else {}),
        **({"marks": list(value.marks)} if value.marks else {}),
        **({"episodes": _list_selection(value.episodes, results)} if value.episodes is not None else {}),
    }


def _list_selection(selection: Selection, results: Results | None) -> Any:
    if results is not None:
        return [{"run_id": run_id, "episode_id": name} for run_id, name in selection.episodes(results)]
    return selection._asdict()


def _format_lines(table: Table, interval: Literal["half", "ends"]) -> list[list[str]]:
    """Return the heading and every row as texts, with the signs of their marks."""
    signs = _assign_signs(table)
    rows = [
        [
            format_value(column, value, interval) + "".join(signs[mark] for mark in value.marks)
            for column, value in zip(table.columns, row, strict=True)
        ]
        for row in table.rows
    ]
    return [[column.heading for column in table.columns], *rows]


def _list_left_aligned(table: Table) -> list[bool]:
    """Return for each column whether its entries are aligned to the left, as texts are."""
    return [column.digits is None and column.key not in RIGHT for column in table.columns]


def _assign_signs(table: Table) -> dict[str, str]:
    return {key: MARKS[index % len(MARKS)] * (index // len(MARKS) + 1) for index, key in enumerate(table.carried)}


def _list_remarks(table: Table) -> list[str]:
    """Return the lines below a table: legend of marks, reasons of missing entries, notes."""
    marks = (f"{sign} {table.marks[key]}" for key, sign in _assign_signs(table).items())
    reasons = dict.fromkeys(value.missing for row in table.rows for value in row if value.missing)
    missing = [f"{MISSING} {'; '.join(map(str, reasons))}"] if reasons else []
    return [*marks, *missing, *_list_notes(table)]


def _list_notes(table: Table) -> list[str]:
    """Return a table's notes, with a warning where intervals rest on too few pictures."""
    few = any(value.low is not None and are_too_few(value.n) for row in table.rows for value in row)
    return [*table.notes, FEW] if few else list(table.notes)


def _escape_markdown(text: str) -> str:
    return re.sub(r"([\\`*_\[\]<>|&~#])", r"\\\1", " ".join(make_printable(text).split()))


def _escape_latex(text: str) -> str:
    return "".join(LATEX.get(sign, sign) for sign in " ".join(make_printable(text).split()))


def _find_only_fact(facts: Iterable[str | None]) -> str | None:
    """Return the only fact; None if facts differ or there is none."""
    different = set(facts)
    return different.pop() if len(different) == 1 else None


def _find_episode_value(key: str, selection: "Selection") -> "Callable[[EpisodeResult], float | None] | None":
    """Return what a mean averages over episodes, by its column; None if that is not one number an episode."""
    judge = selection.judge or ""

    def judged(result: "EpisodeResult") -> "float | None":
        ratings = result.judged[judge]
        if key in {"preference", f"{judge}_preferred"}:
            return ratings.preference
        return ratings.delta if key == "delta" else ratings.final

    if key in {"score", "delta", "preference", judge, f"{judge}_preferred"} and selection.which in {"rated", "refined"}:
        return judged
    amounts: dict[str, Callable[[EpisodeResult], float | None]] = {
        "turns": lambda result: result.effort.steps,
        "tokens": lambda result: result.effort.tokens,
        "seconds": lambda result: result.effort.seconds,
    }
    return amounts.get(key) if selection.which == "played" else None
