"""Decisions about published results: withdrawn, corrected, reinstated, disputed or cleared, each with its reason.

Nothing is deleted in silence. A withdrawn run leaves the next release and its boards; a record of it (a tombstone)
stays in every later release, and earlier releases keep the run itself under their tags. It does not come back by
mistake: that it may is a record too.
"""

import json
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Literal, TypeVar

from pydantic import Field, ValidationError

from ircore.core.days import Day
from ircore.core.errors import InputError
from ircore.core.files import read_bounded
from ircore.core.records import Line, Name, Record
from ircore.core.submission_records import Run, TranscriptsReference
from ircore.core.validation import describe_validation_error

WithdrawalKind = Literal["withdrawn", "corrected", "disputed", "reinstated", "cleared"]
"""``withdrawn`` by its submitters or the maintainers; ``corrected``: another run takes its place; ``disputed``:
somebody objects, and until that is settled the run stays, with this mark; ``reinstated``: it may be released again;
``cleared``: maintainers looked at the findings in a run, which keeps its rank."""

DecisionT = TypeVar("DecisionT", bound=Record)

MOST_BYTES = 4 * 1024 * 1024


class Withdrawal(Record):
    """Why a published run was withdrawn or marked. A line of ``tombstones.jsonl`` in a release.

    >>> gone = Withdrawal(slug="my-pair", kind="withdrawn", reason="wrong model", date="2026-11-01")
    >>> back = Withdrawal(slug="my-pair", kind="reinstated", reason="played again", date="2026-11-20")
    >>> gone.removes, back.follows(gone).kind
    (True, 'reinstated')
    """

    slug: Name = Field(description="The submission's folder name.")
    run_id: Name | None = Field(
        default=None, description="The run; if null, every run of the submission that began on or before the date."
    )
    kind: WithdrawalKind = Field(description="withdrawn, corrected, disputed, reinstated or cleared.")
    reason: Line = Field(description="Why, in one line that everybody may read.")
    date: Day = Field(description="When this was decided, YYYY-MM-DD.")
    transcripts: TranscriptsReference | None = Field(
        default=None, description="If given and run_id is not: the runs of these transcripts, whenever they began."
    )

    @property
    def removes(self) -> bool:
        """Whether the run leaves boards and tables."""
        return self.kind in ("withdrawn", "corrected")

    def concerns(self, run: Run) -> bool:
        """Say whether this decision is about a run; a reinstated submission concerns runs of any date."""
        if self.slug != run.slug:
            return False
        if self.run_id is not None:
            return self.run_id == run.run_id
        if self.transcripts is not None:
            return run.submission.transcripts == self.transcripts
        # A run that began after the withdrawal is not what was withdrawn.
        return self.kind == "reinstated" or run.started[:10] <= self.date

    def follows(self, known: "Withdrawal | None") -> "Withdrawal | None":
        """Return which decision holds for a run after this decision is added to an earlier decision about the run.

        A withdrawn run stays withdrawn until it is reinstated.

        Args:
            known: The decision that held; None if there was none.
        """
        if known is None or not known.removes:
            # What was decided before the run came back is settled.
            settled = known is not None and known.kind == "reinstated" and self.date < known.date
            return known if self.kind == "reinstated" or settled else self
        # That a run was wrong is not taken back by a word about all of them.
        ends = self.kind == "reinstated" and (known.kind == "withdrawn" or self.run_id is not None)
        return self if ends and self.date >= known.date else known


def read_decisions(
    lines: Iterable[tuple[int, bytes]], kind: type[DecisionT], name: str, remedy: str
) -> Iterator[DecisionT]:
    """Yield the decisions in lines that people write: a JSON record in each line, no key twice.

    Args:
        lines: Each line with its number.
        kind: The record: a ``Withdrawal`` of a release, or a step of a submission's history.
        name: Name of the file in an error message.
        remedy: Remedy for a line that does not fit.

    Raises:
        InputError: A line is no such record.
    """
    for number, line in lines:
        try:
            decision = kind.model_validate_json(line)
            # Separately, since pydantic takes the last of two values and says nothing.
            refuse_double_keys(line)
        except ValueError as error:
            problem = describe_validation_error(error)[:300] if isinstance(error, ValidationError) else str(error)
            raise InputError(f"{name}:{number}: {problem}", remedy) from error
        yield decision


def refuse_double_keys(text: bytes) -> None:
    """Check that no object in a JSON text has a key twice.

    Raises:
        ValueError: A key is given twice, or the text is no JSON.
    """
    json.loads(text, object_pairs_hook=_once)


def _once(pairs: list[tuple[str, object]]) -> dict[str, object]:
    """Refuse an object with a key given twice: people read the first value, programs take the second."""
    members = dict(pairs)
    if len(members) < len(pairs):
        raise ValueError("a key is given twice")
    return members


def decision_lines(decisions: Iterable[Record]) -> str:
    """Return decisions as the content of a file with a JSON record in each line."""
    return "".join(decision.model_dump_json(exclude_none=True) + "\n" for decision in decisions)


def read_withdrawals(path: Path) -> tuple[Withdrawal, ...]:
    """Read a file of withdrawals with a JSON record in each line.

    Raises:
        InputError: There is no such file, it is larger than 4 MiB, or a line is no withdrawal.
    """
    data = read_bounded(
        path, MOST_BYTES, "Name a file with a JSON record in each line.", "A line for each withdrawal is enough."
    )
    # Not a journal, whose last line counts only if it was ended: people write this file.
    lines = ((number, line) for number, line in enumerate(data.splitlines(), 1) if line.strip())
    remedy = "Give it slug, kind, reason and date; see docs/release.md."
    return tuple(read_decisions(lines, Withdrawal, str(path), remedy))
