"""What a check of a manifest promises for any bytes at all: shared by the property tests and the fuzzer."""

from manifest_attacks import ATTACKS, GOOD

from ircore.core.strict_yaml import MAX_BYTES
from ircore.core.submission_records import Submission
from ircore.submissions.check.reports import build_report, format_annotations, format_summary
from ircore.submissions.check.submission import OtherSubmission, check_bytes, read_other_submission

THERE = (OtherSubmission("builtin-classical-canvas", "classical + canvas", {"LAB_KEY": "lab.example.org"}),)

SEEDS = [
    GOOD.encode(),
    *((attack.text.encode() if isinstance(attack.text, str) else attack.text)[:4096] for attack in ATTACKS),
]
"""Where a fuzzer begins."""


def keeps_promises(data: bytes) -> None:
    """Check some bytes as a manifest; whatever they are, there is a verdict that can be told."""
    data = data[: MAX_BYTES + 1]
    read_other_submission("pair", data)
    checked = check_bytes(data, "submissions/pair/submission.yaml", "pair", THERE)
    for finding in checked.findings:
        texts = (finding.file, finding.field, finding.problem, finding.expected, finding.remedy)
        assert all(text.isprintable() for text in texts), texts
        assert finding.problem
        assert finding.remedy
        assert finding.line >= 1 <= finding.column
        assert finding.line <= data.count(b"\n") + data.count(b"\r") + 2
    assert len(checked.findings) <= 101
    assert (checked.submission is None) <= (not checked.valid)
    for line in format_annotations(checked.findings):
        assert "\n" not in line
    assert format_summary([checked], checked.findings).count("<pre>") <= 2
    build_report([checked], checked.findings)
    if checked.valid and checked.submission is not None:
        text = checked.submission.model_dump_json(by_alias=True)
        assert Submission.model_validate_json(text) == checked.submission
