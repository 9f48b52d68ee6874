"""Results of a check: faults of a document, then findings with file, line and column, for people and for programs."""

import re
from collections.abc import Iterable
from dataclasses import asdict, astuple, dataclass
from typing import Any, Literal, NamedTuple

from ircore.core.strict_yaml import START, Document, FieldPath, TextPlace
from ircore.core.untrusted_text import encode_unprintable

Level = Literal["error", "warning"]


class FieldFault(NamedTuple):
    """Something wrong with a field of a document.

    >>> FieldFault(("rules", "max_turns"), "0 is too small", "a whole number from 1 to 100", "Write 10.").level
    'error'
    """

    path: FieldPath
    """The field; empty for the whole document."""

    problem: str
    """Description of the fault."""

    expected: str
    """The expected value, in words."""

    remedy: str
    """Instruction for the author."""

    level: Level = "error"
    """An error is refused; a warning is for its author to weigh."""


@dataclass(frozen=True)
class Finding:
    """Something wrong at a place of a file.

    >>> missing = FieldFault(("describer", "model"), MISSING, "one line", "Add the model's name.")
    >>> print(locate(missing, "submission.yaml", None))
    submission.yaml:1:1: error: describer.model: is missing
        expected: one line
        mend: Add the model's name.
    """

    level: Level
    """error or warning."""

    file: str
    """The file, as it was named, or relative to the repository's root."""

    line: int
    """1-based; 1 where the file as a whole is meant."""

    column: int
    """1-based."""

    field: str
    """Such as ``describer.base_url`` or ``authors[0]``; empty where the file as a whole is meant."""

    problem: str
    """Description of the fault."""

    expected: str
    """The expected value, in words; empty where the problem says it."""

    remedy: str
    """Instruction for the author."""

    def __str__(self) -> str:
        return f"{self.where}: {self.level}: {self.what}\n{self.help}"

    @property
    def where(self) -> str:
        """File, line and column, as editors and terminals make links of."""
        return f"{self.file}:{self.line}:{self.column}"

    @property
    def what(self) -> str:
        """Field and problem."""
        return f"{self.field}: {self.problem}" if self.field else self.problem

    @property
    def help(self) -> str:
        """The expected value, unless the remedy repeats the same words, and the remedy: indented lines."""
        expected = "" if self.expected in self.remedy else f"    expected: {self.expected}\n"
        return f"{expected}    mend: {self.remedy}"

    def as_dict(self) -> dict[str, Any]:
        """Return the finding as JSON."""
        return asdict(self)


def locate(fault: FieldFault, file: str, document: Document | None) -> Finding:
    """Return a fault with its place: the value, else the key or the nearest enclosing field."""
    place = START
    if document is not None:
        # Of an unknown key the key itself is wrong, whatever stands behind it.
        spots = document.keys if fault.problem in UNKNOWN else document.values
        outwards = (fault.path[:length] for length in range(len(fault.path), -1, -1))
        place = next((spots[part] for part in outwards if part in spots), START)
    texts = (format_field_name(fault.path), fault.problem, fault.expected, fault.remedy)
    return Finding(fault.level, format_path(file), *place, *(_format_part(text) for text in texts))


LONGEST = 1200
"""Characters of one part of a finding that are shown."""

# `::` and `##` begin commands of GitHub's runner, which reads every line of output.
_PLAIN_PATH = re.compile(r"(?!::|##)[\w./~+@: -]{1,400}")
MISSING = "is missing"
UNKNOWN_KEY = "unknown key"
UNKNOWN_PARAMETER = "unknown parameter"
UNKNOWN = (UNKNOWN_KEY, UNKNOWN_PARAMETER)
"""Problems that are those of a key: its place is told, not that of what it holds."""


def build_finding(
    file: str, problem: str, expected: str, remedy: str, place: TextPlace = START, field: str = ""
) -> Finding:
    """Return an error about a file itself."""
    texts = (field, problem, expected, remedy)
    return Finding("error", format_path(file), *place, *(_format_part(text) for text in texts))


def _format_part(text: str) -> str:
    """Return a part of a finding on a single line with every character visible; most quote strangers' words.

    A line of its own could be taken for a command by the service that runs a check.
    """
    line = encode_unprintable(text)
    return line if len(line) <= LONGEST else f"{line[:LONGEST]}…"


def format_path(path: str) -> str:
    """Return a plain path unchanged, and any other path quoted: the path begins a line of output."""
    return path if _PLAIN_PATH.fullmatch(path) else _format_part(repr(path))


def format_field_name(path: FieldPath) -> str:
    """Return the name of a field for people: keys joined by dots, 0-based positions in brackets."""
    name = ""
    for part in path:
        name += f"[{part}]" if isinstance(part, int) else f"{'.' if name else ''}{part}"
    return name


def select_errors(findings: Iterable[Finding]) -> list[Finding]:
    """Return the errors among findings."""
    return [finding for finding in findings if finding.level == "error"]


def sort_findings(findings: Iterable[Finding]) -> tuple[Finding, ...]:
    """Return findings in a fixed order: errors first, then by file and place."""
    # "error" comes before "warning" in the alphabet, and level is the first field.
    return tuple(sorted(findings, key=astuple))
