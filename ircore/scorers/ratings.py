"""Ratings by people: a CSV file of them is read, and imported into the runs whose renderings were rated.

The file was exported by an ``ircore annotate`` page or made by hand. It comes from anyone and may have been through a
spreadsheet: it is bounded, must be UTF-8, may be separated by commas, semicolons or tabs, and every fault is told with
its row, counted as a spreadsheet does: the header is row 1.

A file is imported whole or not at all: every row must fit an episode, a turn and a rendering of the runs, and
contradict no other row and no earlier import. What is there already is kept, so a file that has grown can be imported
again.
"""

import csv
import io
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import ExitStack
from dataclasses import dataclass
from pathlib import Path
from re import fullmatch
from typing import Literal, NamedTuple, cast

from ircore.core.errors import InputError
from ircore.core.plain_words import format_count
from ircore.core.score_records import HUMAN, JudgeIdentity, Score
from ircore.runs.folder import SCORES, RunFolder
from ircore.scorers.rated_episodes import RatedEpisode, list_rated_episodes

HUMAN_JUDGE = JudgeIdentity(name=HUMAN, label="human annotators", kind="human")
"""Who gave the imported scores; single people are told apart by ``Score.annotator``."""

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


@dataclass(frozen=True)
class AnnotatorSummary:
    """Counts of one annotator's ratings in an imported file."""

    annotator: str
    """Pseudonym."""

    answered: int
    """Items with a value, or with a reason why there is none."""

    without_value: int
    """Number of ratings without a value: the annotator could not tell."""

    items: int
    """Different items that the file names, whoever answered them."""


@dataclass(frozen=True)
class ImportSummary:
    """Counts of an import, done or only tried."""

    added: int
    """New scores."""

    kept: int
    """Ratings that were there already: in the run, or in the file a second time."""

    by_run: Mapping[str, int]
    """New scores by run id."""

    annotators: tuple[AnnotatorSummary, ...]
    """Sorted by pseudonym."""


def import_ratings(path: Path, runs: Sequence[RunFolder], check: bool = False) -> ImportSummary:
    """Add the ratings of a CSV file to runs.

    Args:
        path: The file; ``ircore.scorers.ratings`` says what it holds.
        runs: Every run that the file names, each once. One run needs no column ``run_id``.
        check: Whether to write nothing.

    Raises:
        InputError: Anything is wrong with the file, told with row numbers, or a run is of a game without pictures to
            rate; nothing is written then.
        WorkError: A run's game is broken, or the disk is full; runs that were written before are complete, and a second
            import keeps them.
    """
    with ExitStack() as locks:
        # A check writes nothing, so it may run beside a command that holds the lock.
        if not check:
            for run in runs:
                locks.enter_context(run.lock())
        faults = RowFaults(path)
        rows = read_ratings(path, faults)
        by_id = _index_runs(path, runs, rows)
        rated = _match_rows(rows, by_id, faults)
        new, kept_count = _select_new_ratings(rated, by_id, faults)
        # Here at the latest: nothing has been written so far, and nothing is unless every row is right.
        faults.check()
        _check_judge(by_id.values(), write=not check)
        if not check:
            for run_id, scores in new.items():
                by_id[run_id].add_scores(scores)
    counts = {run_id: len(scores) for run_id, scores in new.items()}
    return ImportSummary(sum(counts.values()), kept_count, counts, _summarise_annotators(rows, runs))


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


def quote_cell(text: str) -> str:
    """Return a stranger's cell in quotation marks, short."""
    return repr(text if len(text) <= 60 else f"{text[:59]}…")


class _Key(NamedTuple):
    run_id: str
    episode_id: str
    turn: int
    task: str
    annotator: str


class _Given(NamedTuple):
    """A rating, and the place in the file that the rating was read from."""

    score: Score
    where: str


def _index_runs(path: Path, runs: Sequence[RunFolder], rows: Sequence[RatingRow]) -> dict[str, RunFolder]:
    by_id: dict[str, RunFolder] = {}
    for run in runs:
        twin = by_id.setdefault(run.run.run_id, run)
        if twin is not run:
            raise InputError(f"{run.path}: is the same run as {twin.path}", "Name the run once.")
    if len(runs) > 1 and any(row.run_id is None for row in rows):
        raise InputError(
            f"{path}: row 1: the column run_id is missing, but several runs are named",
            "Add the column, or name one run.",
        )
    return by_id


def _find_run_id(row: RatingRow, only: str) -> str:
    return only if row.run_id is None else row.run_id


def _match_rows(
    rows: Iterable[RatingRow], runs: Mapping[str, RunFolder], faults: RowFaults
) -> list[tuple[_Key, RatingRow, Score]]:
    """Return the ratings that fit the runs; rows that are not answered yet are passed over once they fit."""
    only = next(iter(runs))
    episodes = {run_id: _read_rated_episodes(run) for run_id, run in runs.items()}
    rated = []
    for row in rows:
        run_id = _find_run_id(row, only)
        if run_id not in runs:
            faults.add(row.row, f"run_id: {quote_cell(run_id)} is none of {', '.join(runs)}")
            continue
        rendering, problem = _find_rendering(row, episodes[run_id])
        if problem:
            faults.add(row.row, problem)
        elif row.value is not None or row.reason is not None:
            key = _Key(run_id, row.episode_id, row.turn, row.task, row.annotator)
            rated.append((key, row, _build_score(row, rendering)))
    return rated


def _read_rated_episodes(run: RunFolder) -> dict[str, RatedEpisode | None]:
    """Return the episodes of a run by id; None for one that was not played."""
    return dict.fromkeys(run.read_endings()) | {episode.episode_id: episode for episode in list_rated_episodes(run)}


def _find_rendering(row: RatingRow, episodes: Mapping[str, RatedEpisode | None]) -> tuple[str, str]:
    """Return the hash of the rendering that a row rates, or else the row's fault; the other is empty."""
    if row.episode_id not in episodes:
        return "", f"episode_id: the run has no episode {quote_cell(row.episode_id)}"
    episode = episodes[row.episode_id]
    if episode is None:
        return "", f"episode_id: {row.episode_id} was aborted and counts as not played"
    made = {turn: rendering.sha256 for turn, rendering in episode.renderings.items()}
    if row.turn not in made:
        return "", f"turn: {row.episode_id} has no rendering of turn {row.turn}, only of {', '.join(map(str, made))}"
    if row.task == "preference" and not episode.compared:
        why = "has one rendering" if len(made) < 2 else "compares its first and its final rendering with two pictures"
        return "", f"task: {row.episode_id} {why}, so there is no preference"
    if row.task == "preference" and row.turn != max(made):
        return "", f"turn: a preference belongs to the final turn, {max(made)}, not {row.turn}"
    # The run was played anew since the page was built: the rating is of another picture.
    if row.rendering not in (None, made[row.turn]):
        return "", f"rendering: not the picture of {row.episode_id}, turn {row.turn}, in this run"
    return made[row.turn], ""


def _build_score(row: RatingRow, rendering: str) -> Score:
    return Score(
        episode_id=row.episode_id,
        step=row.turn,
        measure=cast(Literal["similarity", "preference"], row.task),
        by=HUMAN,
        value=row.value,
        reason=row.reason,
        rendering=rendering,
        annotator=row.annotator,
    )


def _select_new_ratings(
    rated: Iterable[tuple[_Key, RatingRow, Score]], runs: Mapping[str, RunFolder], faults: RowFaults
) -> tuple[dict[str, list[Score]], int]:
    """Drop ratings that the run already has; a rating that contradicts an earlier rating is a fault."""
    known = {key: rating for run_id, run in runs.items() for key, rating in _iterate_earlier_ratings(run_id, run)}
    new: dict[str, list[Score]] = defaultdict(list)
    kept_count = 0
    for key, row, score in rated:
        earlier = known.get(key)
        if earlier is None:
            known[key] = _Given(score, f"row {row.row}")
            new[key.run_id].append(score)
        elif (earlier.score.value, earlier.score.reason) == (score.value, score.reason):
            kept_count += 1
        else:
            faults.add(
                row.row,
                f"{key.annotator} on {key.episode_id}, turn {key.turn}, {key.task}: {_format_answer(score)} here, "
                f"{_format_answer(earlier.score)} in {earlier.where}",
            )
    return dict(new), kept_count


def _iterate_earlier_ratings(run_id: str, run: RunFolder) -> Iterable[tuple[_Key, _Given]]:
    """Yield the human ratings of a run with their lines, without ratings of renderings that no longer exist."""
    current = {
        (episode.episode_id, turn): rendering.sha256
        for episode in list_rated_episodes(run)
        for turn, rendering in episode.renderings.items()
    }
    for line, score in enumerate(run.scores(), start=1):
        if score.annotator is None:
            continue
        step, rendering = score.picture
        if current.get((score.episode_id, step)) == rendering:
            key = _Key(run_id, score.episode_id, step, score.task, score.annotator)
            yield key, _Given(score, f"{run.path / SCORES}:{line}")


def _format_answer(score: Score) -> str:
    return f"{score.value:g}" if score.value is not None else quote_cell(score.reason or "")


def _check_judge(runs: Iterable[RunFolder], write: bool) -> None:
    """See that the name of the human judge is free or ours in every run, before a score is written into any."""
    for run in runs:
        if write or HUMAN in run.judges():
            run.keep_judge(HUMAN_JUDGE)


def _summarise_annotators(rows: Sequence[RatingRow], runs: Sequence[RunFolder]) -> tuple[AnnotatorSummary, ...]:
    only = runs[0].run.run_id
    items = {(_find_run_id(row, only), row.episode_id, row.turn, row.task) for row in rows}
    answered: dict[str, dict[tuple[str, str, int, str], bool]] = {row.annotator: {} for row in rows}
    for row in rows:
        if row.value is not None or row.reason is not None:
            answered[row.annotator][_find_run_id(row, only), row.episode_id, row.turn, row.task] = row.value is None
    return tuple(
        AnnotatorSummary(name, len(counts), sum(counts.values()), len(items))
        for name, counts in sorted(answered.items())
    )


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
