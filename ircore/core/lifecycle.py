"""What happens to results after they were published: withdrawn, corrected, reinstated or disputed, and why.

Nothing is deleted in silence. A withdrawn run leaves the next release and its boards; a record of it (a tombstone)
stays in every later release, and former releases keep the run itself under their tags. It does not come back by
mistake: that it may is a record too.
"""

from collections.abc import Iterable
from pathlib import Path
from typing import Literal

from pydantic import Field, TypeAdapter, ValidationError

from ircore.core.errors import InputError
from ircore.core.game_records import GameRun
from ircore.core.records import Day, Line, Name, Record, Run, TranscriptsReference
from ircore.core.validation import describe_validation_error

WithdrawalKind = Literal["withdrawn", "corrected", "disputed", "reinstated"]
"""``withdrawn`` by its submitters or the maintainers; ``corrected``: another run takes its place; ``disputed``:
somebody objects, and until that is settled the run stays, with this mark; ``reinstated``: it may be released again."""

MOST_BYTES = 4 * 1024 * 1024


_DAYS: TypeAdapter[str] = TypeAdapter(Day)


def parse_day(text: str, name: str) -> str:
    """Return a date as it was given.

    Args:
        text: YYYY-MM-DD.
        name: What to call it in an error message.

    Raises:
        InputError: It is no date.
    """
    try:
        return _DAYS.validate_python(text)
    except ValidationError as error:
        raise InputError(f"{name}: {text!r} is not a date", "Give it as YYYY-MM-DD.") from error


class Withdrawal(Record):
    """Why a published run is gone, or marked. A line of ``tombstones.jsonl`` in a release."""

    slug: Name = Field(description="The submission's folder name.")
    run_id: Name | None = Field(
        default=None, description="The run; if null, every run of the submission that began on or before the date."
    )
    kind: WithdrawalKind = Field(description="withdrawn, corrected, disputed or reinstated.")
    reason: Line = Field(description="Why, in one line that everybody may read.")
    date: Day = Field(description="When this was decided, YYYY-MM-DD.")
    transcripts: TranscriptsReference | None = Field(
        default=None, description="If given and run_id is not: the runs of these transcripts, whenever they began."
    )

    @property
    def removes(self) -> bool:
        """Whether the run leaves boards and tables."""
        return self.kind in ("withdrawn", "corrected")

    def concerns(self, run: Run | GameRun) -> bool:
        """Say whether this is about a run; one that is reinstated may be played, or scored, anew."""
        if self.slug != run.slug:
            return False
        if self.run_id is not None:
            return self.run_id == run.run_id
        if self.transcripts is not None:
            return run.submission.transcripts == self.transcripts
        return self.kind == "reinstated" or run.started[:10] <= self.date

    def follows(self, known: "Withdrawal | None") -> "Withdrawal | None":
        """Return what holds of a run about which something was decided before: what is gone is so until reinstated.

        Args:
            known: The decision that held; None if there was none.
        """
        if known is None or not known.removes:
            return known if self.kind == "reinstated" else self
        # That a run was wrong is not taken back by a word about all of them.
        ends = self.kind == "reinstated" and (known.kind == "withdrawn" or self.run_id is not None)
        return self if ends and self.date >= known.date else known


_WITHDRAWALS = TypeAdapter(Withdrawal)


def read_withdrawals(path: Path) -> tuple[Withdrawal, ...]:
    """Read a file of withdrawals, one JSON record a line.

    Raises:
        InputError: There is no such file, it is larger than 4 MiB, or a line is no withdrawal.
    """
    try:
        size = path.stat().st_size
    except OSError as error:
        raise InputError(
            f"{path}: cannot be read ({error.strerror})", "Name a file of one JSON record a line."
        ) from error
    if size > MOST_BYTES:
        raise InputError(f"{path}: larger than {MOST_BYTES // 2**20} MiB", "One line a withdrawal is enough.")
    # Not a journal, whose last line counts only if it was ended: people write this file.
    lines = path.read_bytes().splitlines()
    return tuple(_withdrawal(f"{path}:{number}", line) for number, line in enumerate(lines, 1) if line.strip())


def _withdrawal(where: str, line: bytes) -> Withdrawal:
    try:
        return _WITHDRAWALS.validate_json(line)
    except ValidationError as error:
        raise InputError(
            f"{where}: {describe_validation_error(error)}", "Give it slug, kind, reason and date; see docs/release.md."
        ) from error


def withdrawal_lines(withdrawals: Iterable[Withdrawal]) -> str:
    """Return withdrawals as the content of such a file."""
    return "".join(withdrawal.model_dump_json(exclude_none=True) + "\n" for withdrawal in withdrawals)
