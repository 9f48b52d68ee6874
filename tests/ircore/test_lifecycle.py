"""Withdrawals: what they concern, and files of them."""

import json
from pathlib import Path

import pytest
from pydantic import ValidationError

from ircore.errors import InputError
from ircore.lifecycle import Withdrawal, read_withdrawals, withdrawal_lines
from ircore.runs import RunFolder


def test_a_withdrawal_without_a_run_is_of_all_that_began_until_then(run: RunFolder) -> None:
    day = run.run.started[:10]
    gone = Withdrawal(slug=run.run.slug, kind="withdrawn", reason="wrong model", date=day)
    assert gone.concerns(run.run)
    assert not gone.model_copy(update={"date": "2000-01-01"}).concerns(run.run)  # it was submitted again since
    assert not gone.model_copy(update={"slug": "another"}).concerns(run.run)


def test_a_withdrawal_of_one_run_is_of_that_run_whenever_it_began(run: RunFolder) -> None:
    gone = Withdrawal(slug=run.run.slug, run_id=run.run.run_id, kind="corrected", reason="typo", date="2000-01-01")
    assert gone.concerns(run.run)
    assert not gone.model_copy(update={"run_id": "another"}).concerns(run.run)


def test_only_a_disputed_run_stays() -> None:
    made = {kind: Withdrawal.model_validate(record(kind=kind)) for kind in ("withdrawn", "corrected", "disputed")}
    assert {kind: one.removes for kind, one in made.items()} == {
        "withdrawn": True,
        "corrected": True,
        "disputed": False,
    }


@pytest.mark.parametrize("change", [{"date": "2026-13-01"}, {"date": "1 May"}, {"reason": ""}, {"kind": "deleted"}])
def test_what_is_no_withdrawal_is_refused(change: dict[str, str]) -> None:
    with pytest.raises(ValidationError):
        Withdrawal.model_validate(record(**change))


def test_a_file_of_withdrawals_is_read_as_it_was_written(tmp_path: Path) -> None:
    written = (Withdrawal.model_validate(record()), Withdrawal.model_validate(record(run_id="a-1")))
    path = tmp_path / "tombstones.jsonl"
    path.write_text(withdrawal_lines(written))
    assert read_withdrawals(path) == written

    path.write_text('{"slug": "a"}\n')
    with pytest.raises(InputError, match=r"tombstones\.jsonl:1: .*reason: is missing"):
        read_withdrawals(path)
    with pytest.raises(InputError, match="cannot be read"):
        read_withdrawals(tmp_path / "nothing")


def test_a_file_written_by_hand_may_lack_its_last_newline_and_have_empty_lines(tmp_path: Path) -> None:
    path = tmp_path / "gone.jsonl"
    path.write_text(json.dumps(record()) + "\n\n" + json.dumps(record(slug="b")))
    assert [one.slug for one in read_withdrawals(path)] == ["a", "b"]

    path.write_bytes(b"\xff")
    with pytest.raises(InputError, match=r"gone\.jsonl:1: ") as caught:
        read_withdrawals(path)
    assert "slug" in caught.value.remedy


def record(**changes: str) -> dict[str, str]:
    return {"slug": "a", "kind": "withdrawn", "reason": "wrong model", "date": "2026-11-22"} | changes
