"""The history of a submission after the merge: records, added line by line, never deleted.

``submissions/<slug>/history.jsonl`` has one JSON record a line, the oldest first. Whoever reads the repository sees
what was updated, withdrawn, corrected, reinstated or disputed, when and why; the dataset's next release follows it.
"""

from collections.abc import Iterator, Sequence
from datetime import UTC, datetime, timedelta
from itertools import pairwise
from pathlib import Path
from typing import Literal

from pydantic import Field, model_validator

from ircore.core.days import Day
from ircore.core.errors import InputError
from ircore.core.files import write_text
from ircore.core.lifecycle import Withdrawal, decision_lines, read_decisions
from ircore.core.records import Line, Name, Record
from ircore.core.submission_records import TranscriptsReference
from ircore.players.submission import folder_of
from ircore.submissions.findings import Fault, field_name
from ircore.submissions.texts import repository_faults, text_faults

HISTORY = "history.jsonl"
MAX_BYTES = 64 * 1024
Kind = Literal["updated", "withdrawn", "corrected", "reinstated", "disputed", "settled", "cleared"]
Status = Literal["active", "withdrawn", "disputed"]


class Step(Record):
    """Something that happened to a submission.

    >>> withdrawn = Step(date="2026-11-01", kind="withdrawn", reason="wrong model")
    >>> back = Step(date="2026-11-20", kind="reinstated", reason="played again")
    >>> status_of([withdrawn]), status_of([withdrawn, back])
    ('withdrawn', 'active')
    """

    date: Day = Field(description="When this was decided, YYYY-MM-DD.")
    kind: Kind = Field(
        description="updated: other transcripts from now on; withdrawn; corrected: a published run was wrong and "
        "another takes its place; reinstated: it may be published again; disputed: somebody objects; settled: a "
        "dispute is over and the run stays; cleared: maintainers looked at the findings in a run, and the run stays."
    )
    reason: Line = Field(description="Why, in one line that everybody may read.")
    run_id: Name | None = Field(
        default=None,
        description="The published run; if null, those of the former transcripts, or, where none are named, every run "
        "of the submission that began on or before date.",
    )
    former: TranscriptsReference | None = Field(
        default=None, description="Of an update: the transcripts that were named before."
    )

    @model_validator(mode="after")
    def _former_goes_with_update(self) -> "Step":
        if self.former is not None and self.kind != "updated":
            raise ValueError("former belongs to an update")
        return self


def parse_history(data: bytes, name: str) -> tuple[Step, ...]:
    """Read the content of a history.

    Args:
        data: The file's bytes.
        name: Name of the file for error messages.

    Raises:
        InputError: It is too large, a line is no step or has a key twice, or the dates are not in order.
    """
    if len(data) > MAX_BYTES:
        raise InputError(f"{name}: larger than {MAX_BYTES // 1024} KiB", "One line a step is enough.")
    # The next step would be joined to such a line.
    if data and not data.endswith(b"\n"):
        raise InputError(f"{name}: its last line has no end", "End it with a line break.")
    lines = enumerate(data.splitlines(), start=1)
    steps = tuple(read_decisions(lines, Step, name, "Write it with: ircore submission withdraw …"))
    for number, (before, step) in enumerate(pairwise(steps), start=2):
        if step.date < before.date:
            raise InputError(f"{name}:{number}: dated before the line above", "Add new lines at the end.")
    return steps


def step_faults(step: Step) -> Iterator[Fault]:
    """Yield the faults of a step that fits the format: people read its reason, and releases follow its date."""
    yield from text_faults(("reason",), step.reason)
    if step.former is not None:
        yield from repository_faults(("former", "repo"), step.former.repo)
    # It may be tomorrow already where the submitter lives.
    if step.date > (datetime.now(UTC) + timedelta(days=1)).date().isoformat():
        yield Fault(("date",), "is in the future", "the day when this was decided", "Write today's date.")


def read_history(folder: Path) -> tuple[Step, ...]:
    """Return the history of a submission; empty if nothing happened.

    Raises:
        InputError: The file is damaged.
    """
    path = folder / HISTORY
    if not path.is_file():
        return ()
    with path.open("rb") as file:
        return parse_history(file.read(MAX_BYTES + 1), str(path))


def add_step(folder: Path, step: Step) -> tuple[Step, ...]:
    """Add a step to the history of a submission and return the whole.

    Raises:
        InputError: There is no submission, or the step cannot be published, or not follow what happened before.
    """
    for fault in step_faults(step):
        raise InputError(f"{field_name(fault.path)}: {fault.problem}", fault.remedy)
    before = read_history(folder_of(folder))
    if before and step.date < before[-1].date:
        raise InputError(f"{folder / HISTORY}: {step.date} is before its last step", "Give a later --date.")
    _refuse_idle(step, before, folder / HISTORY)
    steps = (*before, step)
    write_text(folder / HISTORY, decision_lines(steps))
    return steps


def _refuse_idle(step: Step, before: Sequence[Step], file: Path) -> None:
    """Refuse a step that changes nothing: the same step was taken before, or no dispute is open.

    Raises:
        InputError: It is such a step.
    """
    about, nothing = step.run_id or "all runs", "Nothing to do: see ircore submission history."
    is_open = _is_disputed(before, step.run_id)
    if step.kind == "settled" and not is_open:
        disputed = [run or "all runs, without --run" for run in _disputed_runs(before)]
        remedy = f"Disputed: {', '.join(sorted(disputed))}." if disputed else "Nothing is disputed."
        raise InputError(f"{file}: no dispute about {about} to settle", remedy)
    # Findings are in a run, and a later run of the pair must be looked at by itself.
    if step.kind == "cleared" and step.run_id is None:
        raise InputError(f"{file}: a run is cleared, not a pair", "Name it: --run ID.")
    if step.kind == "cleared" and is_cleared(before, step.run_id):
        raise InputError(f"{file}: {about}: cleared already", nothing)
    if step.kind == "reinstated" and not is_gone(before, step.run_id):
        raise InputError(f"{file}: {about}: not withdrawn", nothing)
    gone = step.kind == "withdrawn" and step.run_id is None and is_gone(before, None)
    if gone or (step.kind == "disputed" and is_open):
        raise InputError(f"{file}: {about}: {step.kind} already", nothing)


def is_gone(steps: Sequence[Step], run_id: str | None) -> bool:
    """Return whether a run, or a submission as a whole, was taken off the boards and not brought back.

    Args:
        steps: The submission's history.
        run_id: The run; None for the whole.
    """
    if run_id is None:
        kinds = ("withdrawn", "updated", "reinstated")
        # An update brings a withdrawn pair back, because other transcripts take the place of the former.
        return [step.kind for step in steps if step.run_id is None and step.kind in kinds][-1:] == ["withdrawn"]
    decisive = [step.kind for step in steps if step.run_id in (None, run_id)]
    # These steps leave a run where it is.
    decisive = [kind for kind in decisive if kind not in ("disputed", "settled", "cleared")]
    return bool(decisive) and decisive[-1] != "reinstated"


def is_cleared(steps: Sequence[Step], run_id: str | None) -> bool:
    """Return whether maintainers looked at the findings in a run, and let it stay.

    Args:
        steps: The submission's history.
        run_id: The run.
    """
    return run_id is not None and any(step.kind == "cleared" and step.run_id == run_id for step in steps)


def status_of(steps: Sequence[Step]) -> Status:
    """Return where a submission stands: withdrawn as a whole, disputed, or active."""
    if is_gone(steps, None):
        return "withdrawn"
    return "disputed" if _disputed_runs(steps) else "active"


def open_dispute(steps: Sequence[Step], run_id: str) -> Step | None:
    """Return the open dispute about a run, or about all runs of the submission; None if no dispute is open.

    Args:
        steps: The submission's history.
        run_id: The run.
    """
    disputes = (step for step in reversed(steps) if step.kind == "disputed" and step.run_id in (None, run_id))
    return next((step for step in disputes if _is_disputed(steps, step.run_id)), None)


def _disputed_runs(steps: Sequence[Step]) -> set[str | None]:
    """Return the runs with an open dispute; None stands for all runs of the submission."""
    return {step.run_id for step in steps if _is_disputed(steps, step.run_id)}


def _is_disputed(steps: Sequence[Step], run_id: str | None) -> bool:
    kinds = [step.kind for step in steps if step.kind in ("disputed", "settled") and step.run_id == run_id]
    return kinds[-1:] == ["disputed"]


def withdrawals_of(folder: Path) -> Iterator[Withdrawal]:
    """Yield the decisions that a release must follow, of all submissions in a folder.

    An update is a correction to the release: the runs of the former transcripts go, and the new one takes their place.

    Raises:
        InputError: A history is damaged.
    """
    for path in sorted(folder.glob(f"*/{HISTORY}")):
        steps = read_history(path.parent)
        for step in steps:
            if step.kind == "settled" or (step.kind == "disputed" and not _is_disputed(steps, step.run_id)):
                continue
            yield Withdrawal(
                slug=path.parent.name,
                run_id=step.run_id,
                kind="corrected" if step.kind == "updated" else step.kind,
                reason=step.reason,
                date=step.date,
                # A run's id says more than the transcripts that it is in.
                transcripts=step.former if step.run_id is None else None,
            )
