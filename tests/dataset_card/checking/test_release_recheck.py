"""``release push`` computes new runs again; the release says what was computed."""

import shutil
from collections.abc import Callable
from pathlib import Path

import pytest
from hub_clients import Outcome
from hub_server import HubServer
from samples import sample_run, sample_submission
from scored_releases import PAIRS, Scored, changed, make_scored, write_run

from dataset_card.card.verification import VERIFICATION, Verification, dump_verification, read_verification
from dataset_card.checking.recheck import REMEMBERED, recall_verification, recheck_new_runs
from dataset_card.checking.release_check import check_release
from dataset_card.checking.rescored_run import Draw
from dataset_card.hub.full_check import check_release_fully
from dataset_card.releases.build import BuildPlan, build_release
from dataset_card.releases.record import read_release
from ircore.scorers.scoring import ScoringPlan, score_runs

pytestmark = pytest.mark.slow

REPO = "org/irg"
Run = Callable[..., Outcome]


@pytest.fixture(scope="module")
def scored(tmp_path_factory: pytest.TempPathFactory) -> Scored:
    return make_scored(tmp_path_factory.mktemp("scored"))


@pytest.fixture
def release(scored: Scored, tmp_path: Path) -> Path:
    return shutil.copytree(scored.release, tmp_path / "release")


def text_of(hub: HubServer, name: str) -> str:
    repo = hub.repos[REPO]
    return repo.commits[repo.revision("main")][name].data.decode()


def test_the_card_says_what_was_computed_again(
    scored: Scored, release: Path, tmp_path: Path, hub: HubServer, ircore_on: Run
) -> None:
    assert read_verification(release).runs == ()
    assert "No value of this release has been computed again yet." in (release / "README.md").read_text("utf-8")
    done = ircore_on("release", "push", release, "--repo", REPO)
    assert done.code == 0, done.err
    assert "computed again: 2 runs, 24 episodes by the rules" in done.err.splitlines()
    card = text_of(hub, "README.md")
    row = next(line for line in card.splitlines() if "| `brisque`: 20, `psnr`: 20, `ssim`: 20" in line)
    assert row.startswith("| Centre + Block | `centre-block-")
    assert "| 12 | `structural`: 30 |" in row
    said = Verification.model_validate_json(text_of(hub, VERIFICATION))
    assert [(run.share, run.judges) for run in said.runs] == [(1.0, {"structural": 30})] * 2
    assert check_release(release).faults == ()
    # Built anew it is the same release: what the one there says is taken over, and nothing is sent.
    build_release([scored.run(slug).path for slug in PAIRS], scored.instances.folder, tmp_path / "anew")
    for place in (release, tmp_path / "anew"):
        done = ircore_on("release", "push", place, "--repo", REPO)
        assert (done.code, "computed again" in done.err) == (0, False), done.err


def test_a_forged_run_is_not_pushed(scored: Scored, tmp_path: Path, hub: HubServer, ircore_on: Run) -> None:
    run = scored.run(PAIRS[1])
    episodes = {episode.episode_id: episode for episode in run.episodes()}
    scores = [
        changed(score, value=min(10.0, score.value + 5)) if score.task == "similarity" and score.value else score
        for score in run.scores()
    ]
    forged = write_run(tmp_path / "forged", run, episodes, scores)
    build_release([scored.run(PAIRS[0]).path, forged.path], scored.instances.folder, tmp_path / "release")
    done = ircore_on("release", "push", tmp_path / "release", "--repo", REPO)
    assert done.code == 1
    first = next(line for line in done.err.splitlines() if line.startswith("ircore: "))
    assert f": run {run.run.run_id}, episode " in first
    assert "turn 1, structural (similarity): is " in first
    assert first.endswith("(and 9 more)")
    assert "README.md" not in hub.repos[REPO].tree
    assert hub.repos[REPO].tags == {}


def test_only_new_runs_are_computed_and_the_others_stay_as_the_parent_says(
    scored: Scored, release: Path, tmp_path: Path
) -> None:
    first = recheck_new_runs(release, check_release(release), None, Verification())
    assert first.changed == (VERIFICATION, "README.md")
    run = sample_run(tmp_path / "third", scored.instances, sample_submission("third-block"))
    score_runs([run], ScoringPlan(), workers=1)
    build_release([run.path], scored.instances.folder, tmp_path / "next", BuildPlan(previous=release))
    assert len(read_verification(tmp_path / "next").runs) == 2
    report = check_release(tmp_path / "next")
    assert report.faults == ()
    second = recheck_new_runs(tmp_path / "next", report, read_release(release), read_verification(release))
    assert second.lines[0] == "computed again: 1 run, 12 episodes by the rules"
    assert [run.run_id for run in read_verification(tmp_path / "next").runs] == sorted(
        [run.run.run_id, *(scored.run(slug).run.run_id for slug in PAIRS)]
    )
    assert check_release(tmp_path / "next").faults == ()


def test_a_run_that_was_scored_again_is_computed_again(scored: Scored, release: Path, tmp_path: Path) -> None:
    recheck_new_runs(release, check_release(release), None, Verification())
    run = shutil.copytree(scored.run(PAIRS[0]).path, tmp_path / "run")
    lines = (run / "scores.jsonl").read_text("utf-8").splitlines(keepends=True)
    (run / "scores.jsonl").write_text("".join(line for line in lines if '"by":"uqi"' not in line), "utf-8")
    build_release([run], scored.instances.folder, tmp_path / "next", BuildPlan(previous=release))
    other = scored.run(PAIRS[1]).run.run_id
    assert [run.run_id for run in read_verification(tmp_path / "next").runs] == [other]


def test_what_a_release_says_of_itself_is_not_believed(scored: Scored, release: Path) -> None:
    recheck_new_runs(release, check_release(release), None, Verification())
    honest = (release / VERIFICATION).read_bytes()
    runs = read_verification(release).runs
    more = tuple(run.model_copy(update={"judges": {"structural": 1000}}) for run in runs)
    (release / VERIFICATION).write_text(dump_verification(Verification(runs=more)), "utf-8")
    faults = check_release(release).faults
    assert faults  # the card says otherwise
    assert all(fault.startswith("README.md:") and "under Values computed again" in fault for fault in faults)
    other = tuple(run.model_copy(update={"key": "0" * 64}) for run in runs)
    (release / VERIFICATION).write_text(dump_verification(Verification(runs=other)), "utf-8")
    said = f"run {scored.run(PAIRS[0]).run.run_id} had other rows when it was computed again; push does it anew"
    assert f"{VERIFICATION}: {said}" in check_release(release).faults
    recheck_new_runs(release, check_release(release), None, Verification())
    assert (release / VERIFICATION).read_bytes() == honest


def test_a_damaged_verification_is_a_fault(release: Path) -> None:
    (release / VERIFICATION).write_text("{}{", "utf-8")
    assert any(fault.startswith(f"{VERIFICATION}: ") for fault in check_release(release).faults)


def test_what_verify_has_computed_here_is_not_computed_again(
    release: Path, tmp_path: Path, hub: HubServer, ircore_on: Run
) -> None:
    caches = {"IRCORE_CACHE": str(tmp_path / "caches")}
    assert ircore_on("release", "verify", release, "--no-load", **caches).code == 0
    done = ircore_on("release", "push", release, "--repo", REPO, **caches)
    assert (done.code, REMEMBERED in done.err, "24 episodes" in done.err) == (0, True, False), done.err
    said = Verification.model_validate_json(text_of(hub, VERIFICATION))
    assert [(run.share, run.judges) for run in said.runs] == [(1.0, {"structural": 30})] * 2
    assert check_release(release).faults == ()


def test_only_a_whole_and_faultless_check_of_these_bytes_is_remembered(release: Path) -> None:
    assert check_release_fully(str(release), load=False, draw=Draw(0.5, seed=1)).faults == ()
    assert recall_verification(release) is None
    notes = release / "notes.txt"
    notes.write_text("not part of a release")
    assert check_release_fully(str(release), load=False, draw=Draw()).faults == ("notes.txt: not part of a release",)
    notes.unlink()
    assert recall_verification(release) is None
    assert check_release_fully(str(release), load=False, draw=Draw()).faults == ()
    seen = recall_verification(release)
    assert seen is not None
    assert [run.episodes for run in seen.runs] == [12, 12]
    with (release / "CHANGELOG.md").open("a") as file:
        file.write("\n")
    assert recall_verification(release) is None
