"""Who vouches for a run goes into a release and comes back with it."""

from pathlib import Path

import pytest
from releases import sample_release

from dataset_card.checking.release_check import check_release
from dataset_card.hub.pull import pull_release
from dataset_card.releases.build import build_release
from dataset_card.releases.files import read_release_files
from dataset_card.releases.record import PROVENANCE
from ircore.core.submission_records import TranscriptsReference
from ircore.results.model import Results
from ircore.runs.folder import RunFolder
from ircore.runs.provenance import make_provenance, write_provenance
from leaderboard.model.trust import HERE, RESCORED, tier_of


@pytest.mark.slow
def test_a_release_carries_who_vouches(tmp_path: Path) -> None:
    sample_release(tmp_path)
    assert not (tmp_path / "release" / PROVENANCE).exists()
    (tmp_path / "submission.yaml").write_text("schema: 1\n")
    source = TranscriptsReference(repo="org/name", revision="a" * 40, run="pair-12345678")
    known = make_provenance(tmp_path / "submission.yaml", source)
    write_provenance(tmp_path / "runs" / "centre-block", known)
    runs = [tmp_path / "runs" / slug for slug in ("centre-block", "other-block")]
    build_release(runs, tmp_path / "instances", tmp_path / "again")
    assert check_release(tmp_path / "again").faults == ()
    assert PROVENANCE in read_release_files(tmp_path / "again")

    pulled = pull_release(tmp_path / "again", tmp_path / "pulled")
    back = [RunFolder(path) for path in pulled.runs]
    assert {item.run.slug: item.provenance() for item in back} == {"centre-block": known, "other-block": None}
    results = Results.from_runs(back)
    assert {submission.slug: tier_of(submission) for submission in results.submissions} == {
        "centre-block": RESCORED,
        "other-block": HERE,
    }


@pytest.mark.slow
def test_a_release_that_vouches_for_an_unknown_run_is_at_fault(tmp_path: Path) -> None:
    release = sample_release(tmp_path)
    (tmp_path / "submission.yaml").write_text("schema: 1\n")
    known = make_provenance(tmp_path / "submission.yaml").model_dump_json(by_alias=True)
    line = f'{{"run_id": "nobody", "provenance": {known}}}\n'
    (release / PROVENANCE).write_text(line)
    assert "provenance.jsonl: unknown run nobody" in check_release(release).faults
    (release / PROVENANCE).write_text('{"run_id": 1}\n')
    assert any(fault.startswith("provenance.jsonl:1: the line is damaged") for fault in check_release(release).faults)
