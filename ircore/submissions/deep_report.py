"""Results of ``ircore doctor --deep``: a manifest that works, and a line for the table of services."""

from collections.abc import Sequence
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import yaml

from ircore import __version__
from ircore.core.files import write_text
from ircore.core.strict_yaml import read_mapping
from ircore.players.submission import FORMAT, MANIFEST, LoadedSubmission
from ircore.submissions.deep_doctor import DeepReport
from ircore.submissions.doctor import Finding

COLUMNS = (
    "service", "model", "streams", "usage", "pictures", "full answer", "seed", "same answer twice", "errors",
    "edits", "checked",
)  # fmt: skip
"""Columns of the table of services in docs/services.md."""

_PROBES = ("streaming", "usage", "ten pictures", "full token budget", "seed", "determinism", "error bodies")


def generator_report(findings: Sequence[Finding]) -> DeepReport:
    """Return the report on a generator, with whether it edits or only draws anew.

    Args:
        findings: Of ``examine_seat``.
    """
    report = DeepReport("generator", list(findings))
    works = {finding.question: finding.works for finding in findings}
    report.cells["edits"] = "yes" if works.get("correction") else ("redraws only" if works.get("redraw") else "no")
    if works.get("redraw") and not works.get("correction"):
        report.rules["drawing"] = "redraw"
    return report


def mended(loaded: LoadedSubmission, reports: Sequence[DeepReport]) -> dict[str, Any]:
    """Return a manifest with the rules and parameters that the probed services need."""
    document = dict(read_mapping(loaded.path, "Name a folder with a submission.yaml.", FORMAT))
    rules = {name: rule for report in reports for name, rule in report.rules.items()}
    if rules:
        document["rules"] = {**(document.get("rules") or {}), **rules}
    for report in reports:
        if report.parameters:
            seat = dict(document[report.seat])
            document[report.seat] = {**seat, "parameters": {**(seat.get("parameters") or {}), **report.parameters}}
    return document


def write_mended(loaded: LoadedSubmission, reports: Sequence[DeepReport], out: Path) -> Path:
    """Write the manifest of ``mended`` into a folder and return its path."""
    path = out / MANIFEST
    out.mkdir(parents=True, exist_ok=True)
    write_text(path, yaml.safe_dump(mended(loaded, reports), sort_keys=False, allow_unicode=True, width=110))
    return path


def table_line(loaded: LoadedSubmission, reports: Sequence[DeepReport]) -> str:
    """Return the row of the table of services for a pair: the describer's service, and whether the generator edits.

    Args:
        loaded: The submission.
        reports: Of its seats.
    """
    spec = loaded.submission.players["describer"]
    cells = {probe: word for report in reports for probe, word in report.cells.items()}
    row = [
        spec.base_url or "OpenAI",
        spec.label,
        *(cells.get(probe, "not asked") for probe in _PROBES),
        cells.get("edits", "not asked"),
        f"{datetime.now(UTC):%Y-%m-%d}, ircore {__version__}",
    ]
    # A bar would end the cell of the table.
    return f"| {' | '.join(cell.replace('|', '/') for cell in row)} |"
