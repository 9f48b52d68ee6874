"""Telling findings to people, to programs, and to the service that runs checks on pull requests."""

import os
from collections.abc import Sequence
from html import escape
from pathlib import Path
from typing import Any

from ircore.core.plain_words import format_count
from ircore.core.submission_records import build_game_field
from ircore.submissions.check.submission import CheckedSubmission
from ircore.submissions.findings import Finding, select_errors

MOST_ANNOTATIONS = 40
"""The service shows some ten errors and ten warnings a step; more are in the log and the summary."""

MOST_CHARACTERS = 100_000
"""Of a summary, before markup: one may take ten bytes."""

_DATA = str.maketrans({"%": "%25", "\r": "%0D", "\n": "%0A"})
_PROPERTY = _DATA | str.maketrans({":": "%3A", ",": "%2C"})


def build_report(checked: Sequence[CheckedSubmission], findings: Sequence[Finding], **more: Any) -> dict[str, Any]:
    """Return a verdict as a JSON document: ``valid``, ``submissions``, ``errors``, ``warnings`` and further fields."""
    wrong = select_errors(findings)
    return {
        "valid": not wrong,
        **more,
        "submissions": [submission.as_dict() for submission in checked],
        "errors": [finding.as_dict() for finding in wrong],
        "warnings": [finding.as_dict() for finding in findings if finding.level == "warning"],
    }


def format_verdict_counts(findings: Sequence[Finding]) -> str:
    """Return the numbers of errors and warnings, such as ``2 errors, 1 warning``, or ``no errors``."""
    wrong = len(select_errors(findings))
    parts = [(wrong, "error"), (len(findings) - wrong, "warning")]
    return ", ".join(format_count(count, word) for count, word in parts if count) or "no errors"


def format_error(findings: Sequence[Finding]) -> tuple[str, str]:
    """Return findings for a terminal: a first line with the first finding and the counts, then all further lines.

    Args:
        findings: At least one, errors first.
    """
    first, *others = findings
    lines = [f"  {finding}" for finding in others]
    # An error's second part is indented already, by two.
    return f"{first.where}: {first.what} ({format_verdict_counts(findings)})", "\n".join(
        [first.help, *lines]
    ).removeprefix("  ")


def format_valid_line(checked: CheckedSubmission) -> str:
    """Return a line about a valid submission."""
    submission = checked.submission
    if submission is None:
        return f"{checked.slug}: valid"
    named = "".join(f" for {name}" for name in build_game_field(submission.game).values())
    seats = ", ".join(f"{seat}: {spec.label}" for seat, spec in submission.players.items())
    return f"{checked.slug}: valid{named}: {seats}"


def format_annotations(findings: Sequence[Finding]) -> list[str]:
    """Return findings as workflow commands of GitHub, which shows them beside the lines of a pull request.

    What strangers wrote is in them; percent, line ends, colons and commas are escaped as the service asks.
    """
    return [_format_annotation(finding) for finding in findings[:MOST_ANNOTATIONS]]


def format_summary(checked: Sequence[CheckedSubmission], findings: Sequence[Finding]) -> str:
    """Return a verdict as Markdown for the summary of a workflow's step, with strangers' words as inert text."""
    names = ", ".join(submission.slug for submission in checked) or "no submission"
    head = "refused" if select_errors(findings) else "valid"
    lines = [f"### Submission check: {head}", "", f"<pre>{escape(f'{names}: {format_verdict_counts(findings)}')}</pre>"]
    if findings:
        # The service takes a mebibyte, or nothing.
        text = "\n".join(str(finding) for finding in findings[:MOST_ANNOTATIONS])[:MOST_CHARACTERS]
        lines += ["", f"<pre>{escape(text)}</pre>"]
    return "\n".join([*lines, "", "The same check on your machine: <code>ircore submission check PATH</code>", ""])


def add_step_summary(markdown: str) -> None:
    """Append Markdown to the summary of the workflow's step, in the file that ``GITHUB_STEP_SUMMARY`` names."""
    if place := os.environ.get("GITHUB_STEP_SUMMARY"):
        with Path(place).open("a", encoding="utf-8") as file:
            file.write(markdown)


def add_step_output(name: str, value: str) -> None:
    """Set an output of the workflow's step, in the file that ``GITHUB_OUTPUT`` names; later steps and jobs read it."""
    if place := os.environ.get("GITHUB_OUTPUT"):
        with Path(place).open("a", encoding="utf-8") as file:
            file.write(f"{name}={value}\n")


def _format_annotation(finding: Finding) -> str:
    # Commas and colons part the properties of a command, so only properties escape these two.
    file = finding.file.translate(_PROPERTY)
    expected = "" if finding.expected in finding.remedy else f" Expected: {finding.expected}."
    text = f"{finding.what}.{expected} {finding.remedy}".translate(_DATA)
    return f"::{finding.level} file={file},line={finding.line},col={finding.column},title=Submission::{text}"
