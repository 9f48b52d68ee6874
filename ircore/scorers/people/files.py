"""Reading a CSV file of human ratings: exported by an ``ircore annotate`` page, or made by hand.

The file comes from anyone and may have been through a spreadsheet: it is bounded, must be UTF-8, may be separated by
commas, semicolons or tabs, and every fault is told with its row, counted as a spreadsheet does: the header is row 1.
"""

import csv
import io
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from re import fullmatch

from ircore.core.errors import InputError
from ircore.core.plain_words import format_count

COLUMNS = (
    "study", "annotator", "run_id", "episode_id", "turn", "task", "rendering", "first_leading", "value", "reason",
    "seconds", "answered_at",
)  # fmt: skip
"""Columns of an exported file, in its order."""

REQUIRED = ("annotator", "episode_id", "turn", "task", "value")
"""Columns that every file needs."""

NAME = r"[a-z0-9][a-z0-9_.-]{0,99}"
"""Pattern of ``records.Name``: a pseudonym, a run's or an episode's id."""

TASKS = ("similarity", "preference")
MAX_BYTES = 32 * 1024 * 1024
MAX_ROWS = 200_000
MAX_TOLD = 20
"""Faults that are told one by one; the others are counted."""

_SEPARATORS = {",": "commas", ";": "semicolons", "\t": "tabs"}
_SAVE = "Save the file as CSV in UTF-8: in a spreadsheet, 'CSV UTF-8'."


@dataclass(frozen=True)
class RatingRow:
    """One row of the file.

    Example:
        >>> row = RatingRow(2, "anna", None, "pie_graph-easy-01", 1, "similarity", None, value=8.0, reason=None)
        >>> row.value
        8.0
    """

    row: int
    """Row number as in a spreadsheet: the header is row 1."""

    annotator: str
    """Pseudonym."""

    run_id: str | None
    """The run; None if the file has no such column."""

    episode_id: str
    """The episode."""

    turn: int
    """1-based."""

    task: str
    """similarity or preference."""

    rendering: str | None
    """SHA-256 of what was shown; None if the file has no such column."""

    value: float | None
    """similarity: an integer 0–10; preference: 1 final, 0 first, 0.5 tie; None if there is none."""

    reason: str | None
    """Reason why there is no value; None together with no value: not answered yet."""


class RowFaults:
    """Collects the faults of a file's rows, so that all of them are reported at once.

    Args:
        path: The file.

    Example:
        >>> from pathlib import Path
        >>> faults = RowFaults(Path("ratings.csv"))
        >>> faults.add(3, "value: 11 is above 10")
        >>> try:
        ...     faults.check()
        ... except InputError as error:
        ...     print(str(error).splitlines()[0])
        ratings.csv: 1 fault, nothing was imported
    """

    def __init__(self, path: Path) -> None:
        self.path = path
        self.rows: list[tuple[int, str]] = []

    def add(self, row: int, problem: str) -> None:
        """Record a fault of a row."""
        self.rows.append((row, problem))

    def check(self) -> None:
        """Raise if anything was found.

        Raises:
            InputError: With the first ``MAX_TOLD`` faults in the order of the rows, and how many there are.
        """
        if not self.rows:
            return
        lines_of_rows = [f"  row {row}: {problem}" for row, problem in sorted(self.rows)[:MAX_TOLD]]
        if len(self.rows) > MAX_TOLD:
            lines_of_rows.append(f"  and {len(self.rows) - MAX_TOLD:,} more")
        count = format_count(len(self.rows), "fault")
        lines = "\n".join(lines_of_rows)
        raise InputError(f"{self.path}: {count}, nothing was imported\n{lines}", "Mend these rows and import again.")


def read_ratings(path: Path, faults: RowFaults) -> tuple[RatingRow, ...]:
    """Read a file of ratings.

    Args:
        path: The file.
        faults: Takes what is wrong with single rows; those are left out of the result.

    Raises:
        InputError: The file cannot be read at all: too large, not UTF-8, no CSV, or its header is not one of ratings.
    """
    rows = _read_rows(path, _read_text(path))
    header = _read_header(path, next(rows, (1, []))[1])
    ratings = []
    for number, cells in rows:
        if number > MAX_ROWS + 1:
            raise InputError(f"{path}: has more than {MAX_ROWS:,} rows", "Import the file in parts.")
        # Spreadsheets leave rows of empty cells below the last one.
        if any(cells):
            row = _read_row(number, header, cells, faults)
            ratings += [row] if row else []
    if not ratings and not faults.rows:
        raise InputError(f"{path}: has no rows below the header", "Export the ratings again.")
    return tuple(ratings)


def _read_text(path: Path) -> str:
    try:
        with path.open("rb") as file:
            # One byte more than allowed tells that the file is too large, without reading all of it.
            data = file.read(MAX_BYTES + 1)
    except OSError as error:
        raise InputError(f"{path}: cannot be read ({error.strerror})", "Check the path.") from error
    if len(data) > MAX_BYTES:
        raise InputError(f"{path}: is larger than {MAX_BYTES // 2**20} MiB", "Import the file in parts.")
    # The byte order marks of UTF-16, in which spreadsheets save "Unicode text".
    if data.startswith((b"\xff\xfe", b"\xfe\xff")):
        raise InputError(f"{path}: is UTF-16, not UTF-8", _SAVE)
    # The beginning of a zip archive, which .xlsx and .ods files are.
    if data.startswith(b"PK\x03\x04"):
        raise InputError(f"{path}: is a spreadsheet or an archive, not a CSV file", _SAVE)
    try:
        # Spreadsheets put a byte order mark before UTF-8; it would else be part of the first column's name.
        text = data.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        row = data.count(b"\n", 0, error.start) + 1
        raise InputError(
            f"{path}: row {row}, byte {error.start + 1}: 0x{data[error.start]:02x} is not UTF-8", _SAVE
        ) from error
    if "\0" in text:
        row = text.count("\n", 0, text.index("\0")) + 1
        raise InputError(f"{path}: row {row}: holds a NUL character, so it is not a CSV file", _SAVE)
    return text


def _read_rows(path: Path, text: str) -> Iterator[tuple[int, list[str]]]:
    first = text.partition("\n")[0]
    # In countries with a decimal comma, spreadsheets separate by semicolons.
    separator = max(_SEPARATORS, key=first.count)
    # Line ends are left as they are: a line break within quotation marks is part of its cell.
    reader = csv.reader(io.StringIO(text, newline=""), delimiter=separator, strict=True)
    number = 0
    try:
        for number, cells in enumerate(reader, start=1):
            yield number, [cell.strip() for cell in cells]
    except csv.Error as error:
        raise InputError(f"{path}: row {number + 1}: is not valid CSV ({error})", _SAVE) from error


def _read_header(path: Path, cells: Sequence[str]) -> tuple[str, ...]:
    names = tuple(cell.lower() for cell in cells)
    if not any(names):
        raise InputError(
            f"{path}: row 1: the header is empty",
            f"Write the names of the columns into the first row: {', '.join(REQUIRED)}.",
        )
    for name in names:
        if name not in COLUMNS:
            from ircore.core.plugins import build_unknown_name_error

            raise build_unknown_name_error("column", name[:60], COLUMNS, f"{path}: row 1")
        if names.count(name) > 1:
            raise InputError(f"{path}: row 1: the column {name} occurs twice", "Remove one of the two columns.")
    lacking = [name for name in REQUIRED if name not in names]
    if lacking:
        raise InputError(
            f"{path}: row 1: lacks the columns {', '.join(lacking)} (has {', '.join(names)})",
            f"Add {', '.join(lacking)}; separate cells by commas, semicolons or tabs.",
        )
    return names


def _read_row(number: int, header: Sequence[str], cells: Sequence[str], faults: RowFaults) -> RatingRow | None:
    """Read a row; None if the row has faults, which are noted."""
    if len(cells) != len(header):
        faults.add(number, f"{format_count(len(cells), 'cell')}, the header has {len(header)}")
        return None
    row = dict(zip(header, cells, strict=True))
    problems = [problem for column, text in row.items() if (problem := _find_cell_fault(column, text))]
    problem = None if problems else _find_value_fault(row)
    for fault in [*problems, *([problem] if problem else [])]:
        faults.add(number, fault)
    if problems or problem:
        return None
    return RatingRow(
        row=number,
        annotator=row["annotator"],
        run_id=row.get("run_id"),
        episode_id=row["episode_id"],
        turn=int(row["turn"]),
        task=row["task"],
        rendering=row.get("rendering"),
        value=float(row["value"]) if row["value"] else None,
        reason=row.get("reason") or None,
    )


def _find_cell_fault(column: str, text: str) -> str | None:
    """Return the fault of a single cell, checked without other cells."""
    form, meaning = _FORMS[column]
    if form is None or fullmatch(form, text):
        return None
    return f"{column}: {quote_cell(text)} is not {meaning}"


_FORMS: dict[str, tuple[str | None, str]] = {
    "study": (r"[0-9a-f]{0,64}", "a study's id"),
    "annotator": (NAME, "a pseudonym (lower-case letters, digits, _ . and -)"),
    "run_id": (NAME, "a run's id"),
    "episode_id": (NAME, "an episode's id"),
    "turn": (r"[1-9][0-9]{0,2}", "a turn (1, 2, …)"),
    "task": ("|".join(TASKS), f"a task ({' or '.join(TASKS)})"),
    "rendering": (r"[0-9a-f]{64}", "a SHA-256 (64 hexadecimal digits)"),
    "first_leading": (r"(?i:true|false)?", "true, false or nothing"),
    "value": (None, ""),
    "reason": (r"[^\x00-\x1f\x7f]{0,500}", "a line of at most 500 characters"),
    "seconds": (r"([0-9]{1,9}(\.[0-9]{1,9})?)?", "a number of seconds"),
    "answered_at": (r"[0-9T:.Z +-]{0,40}", "a time"),
}
"""By column: what a cell must match as a whole (None: checked elsewhere), and what that is called."""


def _find_value_fault(row: dict[str, str]) -> str | None:
    """Return the fault of a row's value; an empty value is allowed with a reason, or if not answered yet."""
    text = row["value"]
    if not text:
        return None
    if row.get("reason"):
        return (
            f"value and reason: {quote_cell(text)} and {quote_cell(row['reason'])}; a reason says why there is no value"
        )
    if row["task"] == "similarity":
        # "8" and "8.0", as spreadsheets write whole numbers.
        return None if fullmatch(r"([0-9]|10)(\.0+)?", text) else f"value: {quote_cell(text)} is not an integer 0–10"
    # "1", "0.0", "0.5", ".5" and "0.50".
    if fullmatch(r"[01](\.0+)?|0?\.50*", text):
        return None
    return f"value: {quote_cell(text)} is not a preference (1 final, 0 first, 0.5 tie)"


def quote_cell(text: str) -> str:
    """Return a stranger's cell in quotation marks, short."""
    return repr(text if len(text) <= 60 else f"{text[:59]}…")
