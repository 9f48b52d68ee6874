"""A retired target leaves every board; the set, the runs and the release's other tables keep it."""

from pathlib import Path

import pytest

from dataset_card.checking.release_check import check_release
from dataset_card.data import load_results
from dataset_card.hub.pull import pull_release
from dataset_card.releases.build import BuildPlan, build_release
from ircore.commands.main import run as ircore
from ircore.core.errors import InputError
from ircore.instances import benchmark
from ircore.instances.benchmark import BenchmarkVersion, RetiredTarget, read_retired, record_version, retire_target
from ircore.instances.store import read_instances
from ircore.results.benchmark_version import find_version
from ircore.results.model import Results
from ircore.runs.folder import RunFolder
from leaderboard.model.site import Site
from leaderboard.model.site_runs import read_runs
from leaderboard.pages.maintainers_work import build_retired_pages
from leaderboard.pages.targets import build_targets_page
from leaderboard.rendering.render import Renderer

REASON = "two of its shapes have one colour"


@pytest.fixture
def declared(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Give the project a file of its own in which nothing is retired yet."""
    path = tmp_path / "retired.yaml"
    path.write_text("# Retired.\nretired: []\n")
    monkeypatch.setattr(benchmark, "RETIRED", path)
    return path


def retire(folder: Path, *more: str) -> int:
    words = ["maintain", "retire", "geometry-easy-01", "--instances", str(folder), "--reason", REASON]
    return ircore([*words, "--date", "2026-12-01", *more])


@pytest.mark.slow
def test_a_retired_target_leaves_boards_and_stays_in_the_release(
    tmp_path: Path, whole_release: Path, declared: Path
) -> None:
    paths = sorted((tmp_path / "runs").iterdir())
    before = Results.from_runs(map(RunFolder, paths))
    judge = before.judges[0]
    assert retire(tmp_path / "instances") == 0
    target = RetiredTarget(
        instance_set=before.instance_set, instance_id="geometry-easy-01", date="2026-12-01", reason=REASON
    )
    assert read_retired() == (target,)
    # Boards, episodes, cells and the counts of conditions follow from one list of instances.
    after = Results.from_runs(map(RunFolder, paths))
    assert after.retired == (target,)
    assert {each.instance_id for each in before.instances} - {each.instance_id for each in after.instances} == {
        "geometry-easy-01"
    }
    for run_id, results in after.episodes.items():
        assert len(results) == len(before.episodes[run_id]) - 1
        assert after.cell(run_id, judge).ended == before.cell(run_id, judge).ended - 1
    # A release built on the one before keeps transcripts and picture, says so, and is sound; the former one still is.
    build_release([], tmp_path / "instances", tmp_path / "second", BuildPlan(previous=whole_release))
    for release in (whole_release, tmp_path / "second"):
        assert check_release(release).faults == ()
    now = load_results(str(tmp_path / "second"))
    assert [row.cell.main_score for row in now.board(judge)] == [row.cell.main_score for row in after.board(judge)]
    pull_release(tmp_path / "second", tmp_path / "pulled")
    assert read_instances(tmp_path / "pulled" / "instances").identity == before.instance_set


@pytest.mark.slow
@pytest.mark.usefixtures("whole_release")
def test_its_page_says_why_with_the_numbers_before_and_after(tmp_path: Path, declared: Path) -> None:
    paths = sorted((tmp_path / "runs").iterdir())
    former = Site(read_runs(paths))
    before = {row.submission.name: row.cell.main_score for row in former.results.board(former.judge)}
    assert retire(tmp_path / "instances") == 0
    site = Site(read_runs(paths))
    assert "geometry-easy-01" not in site.galleries
    assert 'href="gallery/geometry-easy-01.html"' in Renderer(site, {}).block(build_targets_page(site))
    (page,) = build_retired_pages(site)
    assert page.path == "gallery/geometry-easy-01"
    text = Renderer(site, {}).block(page)
    assert REASON in text
    after = {row.submission.name: row.cell.main_score for row in site.results.board(site.judge)}
    for name, score in before.items():
        assert f"{score:.1f}" in text
        assert f"{after[name]:.1f}" in text


def test_a_released_set_is_retired_from_by_a_version(
    tmp_path: Path, declared: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    from samples import sample_instances, sample_run

    instances = sample_instances(tmp_path / "instances")
    run = sample_run(tmp_path / "run", instances).run
    versions = tmp_path / "versions.yaml"
    first = BenchmarkVersion(name="2026.1", instance_set=instances.identity, prompts=run.prompts, date="2026-11-22")
    record_version(first, versions)
    monkeypatch.setattr(benchmark, "RECORDS", versions)
    monkeypatch.setattr("ircore.commands.maintain.decisions.list_versions_of_set", lambda identity: ("2026.1",))
    assert retire(tmp_path / "instances") == 2
    assert "--version: is missing, and the set is of the released version 2026.1" in capsys.readouterr().err
    assert retire(tmp_path / "instances", "--version", "2026.2") == 0
    # The same set and prompts are recorded again, as the version that goes without the target.
    record_version(first.model_copy(update={"name": "2026.2", "date": "2026-12-01"}), versions)
    released = benchmark.read_versions(versions)
    assert find_version(Results.from_runs([RunFolder(tmp_path / "run")]), released).name == "2026.2"
    with pytest.raises(InputError, match=r"instance_set .* occurs twice"):
        record_version(first.model_copy(update={"name": "2026.3"}), versions)


def test_a_target_is_retired_once_and_by_its_name(
    tmp_path: Path, declared: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    from samples import sample_instances

    sample_instances(tmp_path / "instances")
    assert retire(tmp_path / "instances") == 0
    assert declared.read_text().startswith("# Retired.\nretired:\n- instance_set: ")
    assert retire(tmp_path / "instances") == 2
    assert "geometry-easy-01 is retired twice" in capsys.readouterr().err
    assert len(read_retired()) == 1
    words = ["maintain", "retire", "geometry-easy-1", "--instances", str(tmp_path / "instances"), "--reason", REASON]
    assert ircore(words) == 2
    assert "geometry-easy-01" in capsys.readouterr().err
    with pytest.raises(InputError):
        retire_target(read_retired()[0])
