"""What is merged and not evaluated yet is a list for maintainers."""

import json
from dataclasses import replace
from pathlib import Path

import pytest
from transcripts import Handed, hand_in, write_manifest

from ircore.commands.main import run as ircore
from ircore.core.errors import InputError
from ircore.instances.store import InstanceSet, read_instances
from ircore.players.submission import read_manifest
from ircore.runs.folder import RunFolder
from ircore.runs.provenance import make_provenance, write_provenance
from ircore.submissions.pending_submissions import pending_submissions
from ircore.submissions.rescoring.rescore import rescore


@pytest.fixture
def handed(tmp_path: Path) -> Handed:
    return hand_in(tmp_path)


def publish(handed: Handed, runs: Path) -> None:
    """Re-score what was handed in, as the protected job does."""
    made = rescore(handed.submission, runs / "one", handed.instances, handed.packed)
    manifest = handed.submission / "submission.yaml"
    write_provenance(made.folder.path, make_provenance(manifest, read_manifest(manifest).submission.transcripts))


def what(handed: Handed, runs: Path) -> list[str]:
    return [submission.what for submission in pending_submissions(handed.submission.parent, sorted(runs.glob("*")))]


@pytest.mark.slow
def test_a_merged_pair_waits_until_its_run_is_published(handed: Handed, tmp_path: Path) -> None:
    runs = tmp_path / "published" / "runs"
    assert what(handed, runs) == ["to be re-scored: no run of it is published"]
    publish(handed, runs)
    assert what(handed, runs) == []


@pytest.mark.slow
def test_a_run_that_nobody_vouches_for_does_not_count(handed: Handed, tmp_path: Path) -> None:
    runs = tmp_path / "published" / "runs"
    rescore(handed.submission, runs / "one", handed.instances, handed.packed)
    assert what(handed, runs) == ["to be re-scored: nobody vouches for its published run"]


@pytest.mark.slow
def test_a_pair_without_transcripts_is_to_be_played(handed: Handed, tmp_path: Path) -> None:
    write_manifest(handed.submission, None)
    assert what(handed, tmp_path / "none") == ["to be played: no run of it is published"]


@pytest.mark.slow
def test_what_changed_since_makes_it_wait_again(handed: Handed, tmp_path: Path) -> None:
    runs, manifest = tmp_path / "published" / "runs", handed.submission / "submission.yaml"
    publish(handed, runs)
    text = manifest.read_text()
    revision = read_manifest(manifest).submission.transcripts.revision  # type: ignore[union-attr]
    manifest.write_text(text.replace(revision, "f" * 40))
    why = "to be re-scored: its transcripts are others than those of the published run"
    (run,) = (RunFolder(path).run.run_id for path in runs.iterdir())
    # A release holds one run of a pair under the same rules: what becomes of the former one has to be said.
    assert what(handed, runs) == [f"{why}; before that, ircore submission correct --run {run}"]
    assert ircore(["submission", "correct", str(handed.submission), "--run", run, "--reason", "r"]) == 0
    assert what(handed, runs) == [why]
    manifest.write_text(text.replace("rules: {}", "rules: {token_budget: 50}"))
    assert what(handed, runs) == ["to be re-scored: its players or rules changed since"]
    manifest.write_text(f"{text}hardware: another word about it\n")
    assert what(handed, runs) == []


@pytest.mark.slow
def test_a_run_of_a_former_version_of_the_benchmark_does_not_count(handed: Handed, tmp_path: Path) -> None:
    runs = tmp_path / "published" / "runs"
    publish(handed, runs)
    (path,) = runs.iterdir()
    now, known = RunFolder(path).run, path / "run.json"

    def waiting(instances: InstanceSet | None = None) -> list[str]:
        return [submission.what for submission in pending_submissions(handed.submission.parent, [path], instances)]

    former = ["to be re-scored: its published run is of another version of the benchmark"]
    played_on = read_instances(handed.instances)
    another = replace(played_on, identity="0" * 64)
    assert (waiting(), waiting(played_on), waiting(another)) == ([], [], former)
    known.write_text(known.read_text().replace(now.prompts, "built-in 0123456789ab"))
    assert waiting() == former


@pytest.mark.slow
def test_the_command_lists_them(handed: Handed, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    published, folder = tmp_path / "published", str(handed.submission.parent)
    with pytest.raises(InputError, match="no such folder"):
        pending_submissions(tmp_path / "nowhere", ())
    assert ircore(["submission", "pending", folder, "--published", str(published)]) == 2
    (published / "runs").mkdir(parents=True)
    assert ircore(["submission", "pending", folder, "--published", str(published), "--json"]) == 0
    assert json.loads(capsys.readouterr().out)[0]["slug"] == "centre-block"
    publish(handed, published / "runs")
    assert ircore(["submission", "pending", folder, "--published", str(published)]) == 0
    assert capsys.readouterr().out == "nothing is waiting\n"
