"""Decisions about a merged submission: withdrawn, corrected, disputed, cleared and the like, each with its reason.

``submissions/<slug>/decisions.yaml`` holds them, the oldest first. ``ircore maintain withdraw`` and the like write it,
a pull request changes it, and git keeps who changed what. The next release of the dataset follows it.
"""

from collections.abc import Iterator, Sequence
from datetime import UTC, datetime, timedelta
from itertools import pairwise
from pathlib import Path
from typing import Literal

import yaml
from pydantic import Field, ValidationError, model_validator

from ircore.core.errors import InputError
from ircore.core.files import write_text
from ircore.core.plain_words import Day
from ircore.core.records import Line, Name, Record
from ircore.core.strict_yaml import Document, parse_mapping, read_yaml_bytes
from ircore.core.submission_records import TranscriptsReference, Withdrawal
from ircore.core.validation import describe_validation_error
from ircore.players.submission import find_folder
from ircore.submissions.findings import FieldFault, Finding, build_finding, format_field_name, locate
from ircore.submissions.texts import find_repository_faults, find_text_faults

DECISIONS = "decisions.yaml"
Kind = Literal["updated", "withdrawn", "corrected", "reinstated", "disputed", "settled", "cleared"]
Status = Literal["active", "withdrawn", "disputed"]

MAINTAINERS_ALONE: frozenset[Kind] = frozenset({"cleared", "settled"})
"""Decisions that judge an entry: whoever it belongs to may not make them."""

_REMEDY = "Write it with: ircore maintain withdraw|correct|reinstate|dispute|settle|clear …"


class Decision(Record):
    """A decision about a submission.

    >>> withdrawn = Decision(date="2026-11-01", kind="withdrawn", reason="wrong model")
    >>> back = Decision(date="2026-11-20", kind="reinstated", reason="played again")
    >>> find_status([withdrawn]), find_status([withdrawn, back])
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
    def _former_goes_with_update(self) -> "Decision":
        if self.former is not None and self.kind != "updated":
            raise ValueError("former belongs to an update")
        return self


class _Decisions(Record):
    decisions: tuple[Decision, ...]


def parse_decisions(data: bytes, name: str) -> tuple[Decision, ...]:
    """Read the content of a file of decisions.

    Args:
        data: The file's bytes; empty where there is no file.
        name: Name of the file for error messages.

    Raises:
        InputError: It is no such file, or the dates are not in order.
    """
    if not data:
        return ()
    return _parse_decisions(parse_mapping(data, name, _REMEDY), name)


def _parse_decisions(document: Document, name: str) -> tuple[Decision, ...]:
    try:
        decisions = _Decisions.model_validate(document.mapping).decisions
    except ValidationError as error:
        raise InputError(f"{name}: {describe_validation_error(error)}", _REMEDY) from error
    for number, (before, decision) in enumerate(pairwise(decisions), start=1):
        if decision.date < before.date:
            raise InputError(f"{name}: decisions[{number}]: dated before the one above", "Add new ones at the end.")
    return decisions


def find_faults_of_decisions(data: bytes, path: str) -> Iterator[Finding]:
    """Yield the faults in the content of a file of decisions.

    Args:
        data: The file's bytes.
        path: Name of the file for findings.
    """
    try:
        document = parse_mapping(data, path, _REMEDY)
        decisions = _parse_decisions(document, path)
    except InputError as error:
        yield build_finding(path, error.problem.removeprefix(f"{path}:").strip(), "", error.remedy)
        return
    for number, decision in enumerate(decisions):
        for fault in check_decision(decision):
            yield locate(fault._replace(path=("decisions", number, *fault.path)), path, document)


def find_added_decisions(before: bytes, after: bytes, path: str) -> tuple[Decision, ...] | None:
    """Return the decisions that a change adds at the end of a file; None if it alters earlier decisions.

    Args:
        before: Content of the merged file; empty where there is none.
        after: Content after the change.
        path: Name of the file for error messages.

    Raises:
        InputError: One of the two is damaged.
    """
    known, now = parse_decisions(before, path), parse_decisions(after, path)
    return now[len(known) :] if now[: len(known)] == known else None


def check_decision(decision: Decision) -> Iterator[FieldFault]:
    """Yield the faults of a decision that fits the format: people read its reason, and releases follow its date."""
    yield from find_text_faults(("reason",), decision.reason)
    if decision.former is not None:
        yield from find_repository_faults(("former", "repo"), decision.former.repo)
    # It may be tomorrow already where the submitter lives.
    if decision.date > (datetime.now(UTC) + timedelta(days=1)).date().isoformat():
        yield FieldFault(("date",), "is in the future", "the day when this was decided", "Write today's date.")


def read_decisions(folder: Path) -> tuple[Decision, ...]:
    """Return the decisions about a submission; empty if nothing was decided.

    Raises:
        InputError: The file is damaged.
    """
    path = folder / DECISIONS
    return parse_decisions(read_yaml_bytes(path, "Make it readable."), str(path)) if path.is_file() else ()


def add_decision(folder: Path, decision: Decision) -> tuple[Decision, ...]:
    """Add a decision about a submission and return all of them.

    Raises:
        InputError: There is no submission, or the decision cannot be published, or not follow what happened before.
    """
    for fault in check_decision(decision):
        raise InputError(f"{format_field_name(fault.path)}: {fault.problem}", fault.remedy)
    before = read_decisions(find_folder(folder))
    if before and decision.date < before[-1].date:
        raise InputError(f"{folder / DECISIONS}: {decision.date} is before its last decision", "Give a later --date.")
    _refuse_idle(decision, before, folder / DECISIONS)
    decisions = (*before, decision)
    write_text(folder / DECISIONS, format_decisions(decisions))
    return decisions


def format_decisions(decisions: Sequence[Decision]) -> str:
    """Return the content of a file of decisions."""
    records = [decision.model_dump(mode="json", exclude_none=True) for decision in decisions]
    return yaml.safe_dump({"decisions": records}, sort_keys=False, allow_unicode=True, width=1000)


def _refuse_idle(decision: Decision, before: Sequence[Decision], file: Path) -> None:
    """Refuse a decision that changes nothing: the same decision was taken before, or no dispute is open.

    Raises:
        InputError: It is such a decision.
    """
    about, nothing = decision.run_id or "all runs", "Nothing to do: see ircore maintain history."
    is_open = _is_disputed(before, decision.run_id)
    if decision.kind == "settled" and not is_open:
        disputed = [run or "all runs, without --run" for run in _list_disputed_runs(before)]
        remedy = f"Disputed: {', '.join(sorted(disputed))}." if disputed else "Nothing is disputed."
        raise InputError(f"{file}: no dispute about {about} to settle", remedy)
    # Findings are in a run, and a later run of the pair must be looked at by itself.
    if decision.kind == "cleared" and decision.run_id is None:
        raise InputError(f"{file}: a run is cleared, not a pair", "Name it: --run ID.")
    if decision.kind == "cleared" and is_cleared(before, decision.run_id):
        raise InputError(f"{file}: {about}: cleared already", nothing)
    if decision.kind == "reinstated" and not is_gone(before, decision.run_id):
        raise InputError(f"{file}: {about}: not withdrawn", nothing)
    gone = decision.kind == "withdrawn" and decision.run_id is None and is_gone(before, None)
    if gone or (decision.kind == "disputed" and is_open):
        raise InputError(f"{file}: {about}: {decision.kind} already", nothing)


def is_gone(decisions: Sequence[Decision], run_id: str | None) -> bool:
    """Return whether a run, or a submission as a whole, was taken off the boards and not brought back.

    Args:
        decisions: All decisions about the submission.
        run_id: The run; None for the whole.
    """
    if run_id is None:
        kinds = ("withdrawn", "updated", "reinstated")
        # An update brings a withdrawn pair back, because other transcripts take the place of the former.
        return [decision.kind for decision in decisions if decision.run_id is None and decision.kind in kinds][-1:] == [
            "withdrawn"
        ]
    decisive = [decision.kind for decision in decisions if decision.run_id in (None, run_id)]
    # These decisions leave a run where it is.
    decisive = [kind for kind in decisive if kind not in ("disputed", "settled", "cleared")]
    return bool(decisive) and decisive[-1] != "reinstated"


def is_cleared(decisions: Sequence[Decision], run_id: str | None) -> bool:
    """Return whether maintainers looked at the findings in a run, and let it stay.

    Args:
        decisions: All decisions about the submission.
        run_id: The run.
    """
    return run_id is not None and any(
        decision.kind == "cleared" and decision.run_id == run_id for decision in decisions
    )


def find_status(decisions: Sequence[Decision]) -> Status:
    """Return where a submission stands: withdrawn as a whole, disputed, or active."""
    if is_gone(decisions, None):
        return "withdrawn"
    return "disputed" if _list_disputed_runs(decisions) else "active"


def open_dispute(decisions: Sequence[Decision], run_id: str) -> Decision | None:
    """Return the open dispute about a run, or about all runs of the submission; None if no dispute is open.

    Args:
        decisions: All decisions about the submission.
        run_id: The run.
    """
    disputes = (
        decision
        for decision in reversed(decisions)
        if decision.kind == "disputed" and decision.run_id in (None, run_id)
    )
    return next((decision for decision in disputes if _is_disputed(decisions, decision.run_id)), None)


def open_disputes(decisions: Sequence[Decision]) -> list[Decision]:
    """Return the open disputes about a submission, the last word on each run."""
    last = {each.run_id: each for each in decisions if each.kind == "disputed"}
    return [each for run_id, each in last.items() if _is_disputed(decisions, run_id)]


def _list_disputed_runs(decisions: Sequence[Decision]) -> set[str | None]:
    """Return the runs with an open dispute; None stands for all runs of the submission."""
    return {decision.run_id for decision in decisions if _is_disputed(decisions, decision.run_id)}


def _is_disputed(decisions: Sequence[Decision], run_id: str | None) -> bool:
    kinds = [
        decision.kind
        for decision in decisions
        if decision.kind in ("disputed", "settled") and decision.run_id == run_id
    ]
    return kinds[-1:] == ["disputed"]


def list_withdrawals(folder: Path) -> Iterator[Withdrawal]:
    """Yield the decisions that a release must follow, of all submissions in a folder.

    An update is a correction to the release: the runs of the former transcripts go, and the new one takes their place.

    Raises:
        InputError: A file of decisions is damaged.
    """
    for path in sorted(folder.glob(f"*/{DECISIONS}")):
        decisions = read_decisions(path.parent)
        for decision in decisions:
            if decision.kind == "settled" or (
                decision.kind == "disputed" and not _is_disputed(decisions, decision.run_id)
            ):
                continue
            yield Withdrawal(
                slug=path.parent.name,
                run_id=decision.run_id,
                kind="corrected" if decision.kind == "updated" else decision.kind,
                reason=decision.reason,
                date=decision.date,
                # A run's id says more than the transcripts that it is in.
                transcripts=decision.former if decision.run_id is None else None,
            )
