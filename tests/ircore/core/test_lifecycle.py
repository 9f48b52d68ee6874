"""Withdrawals: what they concern, and files of them."""

import json
from pathlib import Path

import pytest
from pydantic import ValidationError

from ircore.core.errors import InputError
from ircore.core.submission_records import TranscriptsReference, Withdrawal, format_decisions, read_withdrawals
from ircore.runs.folder import RunFolder


def test_a_withdrawal_without_a_run_is_of_all_that_began_until_then(run: RunFolder) -> None:
    day = run.run.started[:10]
    gone = Withdrawal(slug=run.run.slug, kind="withdrawn", reason="wrong model", date=day)
    assert gone.concerns(run.run)
    assert not gone.model_copy(update={"date": "2000-01-01"}).concerns(run.run)  # it was submitted again since
    assert not gone.model_copy(update={"slug": "another"}).concerns(run.run)
    assert gone.model_copy(update={"kind": "reinstated", "date": "2000-01-01"}).concerns(run.run)


def test_a_withdrawal_of_one_run_is_of_that_run_whenever_it_began(run: RunFolder) -> None:
    gone = Withdrawal(slug=run.run.slug, run_id=run.run.run_id, kind="corrected", reason="typo", date="2000-01-01")
    assert gone.concerns(run.run)
    assert not gone.model_copy(update={"run_id": "another"}).concerns(run.run)


def test_a_correction_of_transcripts_is_of_their_run_whenever_it_began(run: RunFolder) -> None:
    old, new = ({"repo": "me/mine", "revision": digit * 40, "run": "r"} for digit in "ab")
    gone = Withdrawal.model_validate(record(slug=run.run.slug, kind="corrected", transcripts=old))
    assert not gone.concerns(run.run)
    for named, concerned in ((old, True), (new, False)):
        played = run.run.submission.model_copy(update={"transcripts": TranscriptsReference.model_validate(named)})
        assert gone.concerns(run.run.model_copy(update={"submission": played})) == concerned


def test_what_is_gone_stays_so_until_it_is_reinstated() -> None:
    def made(**more: object) -> Withdrawal:
        return Withdrawal.model_validate(record(**more))

    gone, wrong = made(date="2026-11-02"), made(kind="corrected", date="2026-11-02")
    back, one_back = (
        made(kind="reinstated", date="2026-11-02"),
        made(kind="reinstated", date="2026-11-02", run_id="a-1"),
    )
    assert gone.follows(None) is gone
    assert made(kind="disputed", date="2026-12-01").follows(gone) is gone
    assert wrong.follows(gone) is gone
    assert back.follows(gone) is back
    assert gone.follows(back) is gone
    assert made(date="2026-11-01").follows(back) is back  # what was decided before it came back is settled
    # Nothing to bring back; decided before; and a run that was wrong is no better for a word about all of them.
    assert back.follows(None) is None
    assert made(kind="reinstated", date="2026-11-01").follows(gone) is gone
    assert back.follows(wrong) is wrong
    assert one_back.follows(wrong) is one_back


@pytest.mark.parametrize("change", [{"date": "2026-13-01"}, {"date": "1 May"}, {"reason": ""}, {"kind": "deleted"}])
def test_what_is_no_withdrawal_is_refused(change: dict[str, str]) -> None:
    with pytest.raises(ValidationError):
        Withdrawal.model_validate(record(**change))


def test_a_file_of_withdrawals_is_read_as_it_was_written(tmp_path: Path) -> None:
    written = (Withdrawal.model_validate(record()), Withdrawal.model_validate(record(run_id="a-1")))
    path = tmp_path / "tombstones.jsonl"
    path.write_text(format_decisions(written))
    assert read_withdrawals(path) == written

    path.write_text('{"slug": "a"}\n')
    with pytest.raises(InputError, match=r"tombstones\.jsonl:1: .*reason: is missing"):
        read_withdrawals(path)
    with pytest.raises(InputError, match="cannot be read"):
        read_withdrawals(tmp_path / "nothing")


def test_a_file_written_by_hand_may_lack_its_last_newline_and_have_empty_lines(tmp_path: Path) -> None:
    path = tmp_path / "gone.jsonl"
    path.write_text(json.dumps(record()) + "\n\n" + json.dumps(record(slug="b")))
    assert [withdrawal.slug for withdrawal in read_withdrawals(path)] == ["a", "b"]

    path.write_bytes(b"\xff")
    with pytest.raises(InputError, match=r"gone\.jsonl:1: ") as caught:
        read_withdrawals(path)
    assert "slug" in caught.value.remedy


def record(**changes: object) -> dict[str, object]:
    return {"slug": "a", "kind": "withdrawn", "reason": "wrong model", "date": "2026-11-22", **changes}
