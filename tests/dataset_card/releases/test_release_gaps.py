"""Gaps between public and secret pictures gather in releases; a retired target leaves every board."""

from pathlib import Path

import pytest
from samples import sample_instances, sample_run

from dataset_card.checking.release_check import check_release
from dataset_card.data import load_results
from dataset_card.hub.pull import pull_release
from dataset_card.releases.build import BuildPlan, build_release
from dataset_card.releases.files import COPIES, read_release_files
from dataset_card.releases.record import PROVENANCE, read_release
from ircore.commands.main import run as ircore
from ircore.core.errors import InputError
from ircore.core.submission_records import TranscriptsReference, Withdrawal
from ircore.games.reconstruction.records import list_rendered_turns
from ircore.instances import benchmark
from ircore.instances.benchmark import BenchmarkVersion, RetiredTarget, read_retired, record_version, retire_target
from ircore.instances.store import read_instances
from ircore.results.benchmark_version import find_version
from ircore.results.model import Results
from ircore.runs.folder import RunFolder
from ircore.runs.provenance import make_provenance, write_provenance
from ircore.seeing.descriptors import compute_descriptor
from ircore.submissions.rescoring import picture_index as copies
from ircore.submissions.rescoring.picture_index import index_bytes, index_of, read_index
from ircore.submissions.seasons import SEASON_GAPS, PairGap, Season, SeasonGaps, compute_commitment, read_season_gaps
from leaderboard.model.site import Site
from leaderboard.model.site_runs import read_runs
from leaderboard.model.trust import HERE, RESCORED, find_tier
from leaderboard.pages.maintainers_work import build_retired_pages
from leaderboard.pages.targets import build_targets_page
from leaderboard.rendering.render import Renderer

pytestmark = pytest.mark.slow


def gaps_of(folder: Path, *run_ids: str, season: str = "spring") -> SeasonGaps:
    """Gaps of five points to a season that is still secret."""
    commitment = compute_commitment(season, identity="1" * 64, salt="2" * 64)
    record = Season(season=season, commitment=commitment, committed="2027-03-01", instances=120, version="1.0")
    gaps = tuple(PairGap(run_id=run_id, mean=5, low=-1, high=11, n=10) for run_id in run_ids)
    identity = read_instances(folder / "instances").identity
    return SeasonGaps(season=record, public=identity, judge="verified", pictures=10, gaps=gaps)


def run_ids_in(release: Path) -> list[str]:
    return [gap.run_id for gap in read_season_gaps(release / SEASON_GAPS).gaps]


def test_gaps_gather_from_release_to_release_and_go_with_their_runs(tmp_path: Path, whole_release: Path) -> None:
    assert not (whole_release / SEASON_GAPS).exists()
    one, other = (RunFolder(tmp_path / "runs" / name).run.run_id for name in ("centre-block", "other-block"))

    def build(name: str, former: Path, gaps: SeasonGaps | None, *withdrawals: Withdrawal) -> Path:
        plan = BuildPlan(previous=former, season=gaps, withdrawals=withdrawals)
        build_release([], tmp_path / "instances", tmp_path / name, plan)
        return tmp_path / name

    # An evaluation adds one gap, the next one another; one without any leaves them.
    second = build("second", whole_release, gaps_of(tmp_path, other))
    third = build("third", second, gaps_of(tmp_path, one))
    fourth = build("fourth", third, gaps_of(tmp_path))
    assert run_ids_in(second) == [other]
    assert run_ids_in(third) == run_ids_in(fourth) == sorted([one, other])
    # Whoever pulls a release has them beside the runs, where a site finds them.
    pull_release(fourth, tmp_path / "pulled")
    assert run_ids_in(tmp_path / "pulled") == sorted([one, other])
    # A run that was scored again has another main score, which nobody compared.
    run = RunFolder(tmp_path / "runs" / "other-block")
    rated = next(score for score in run.scores() if score.task == "similarity")
    run.add_scores([rated.model_copy(update={"value": 9.5})])
    scored_again = BuildPlan(previous=fourth, withdrawals=())
    build_release([run.path], tmp_path / "instances", tmp_path / "again", scored_again)
    assert run_ids_in(tmp_path / "again") == [one]
    # A run that is withdrawn takes its gap along, even one that was measured since.
    gone = Withdrawal(slug="centre-block", run_id=one, kind="withdrawn", reason="a wrong model", date="2027-04-01")
    assert run_ids_in(build("fifth", fourth, gaps_of(tmp_path, one), gone)) == [other]
    # Another season begins anew; gaps of runs that no release had are a mistake.
    assert run_ids_in(build("sixth", fourth, gaps_of(tmp_path, one, season="autumn"))) == [one]
    with pytest.raises(InputError, match="run nobody-01234567 is not in the release"):
        build("seventh", fourth, gaps_of(tmp_path, "nobody-01234567"))


@pytest.mark.usefixtures("whole_release")
def test_a_release_carries_who_vouches(tmp_path: Path) -> None:
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
    assert {submission.slug: find_tier(submission) for submission in results.submissions} == {
        "centre-block": RESCORED,
        "other-block": HERE,
    }


def test_a_release_that_vouches_for_an_unknown_run_is_at_fault(tmp_path: Path, whole_release: Path) -> None:
    (tmp_path / "submission.yaml").write_text("schema: 1\n")
    known = make_provenance(tmp_path / "submission.yaml").model_dump_json(by_alias=True)
    line = f'{{"run_id": "nobody", "provenance": {known}}}\n'
    (whole_release / PROVENANCE).write_text(line)
    assert "provenance.jsonl: unknown run nobody" in check_release(whole_release).faults
    (whole_release / PROVENANCE).write_text('{"run_id": 1}\n')
    assert any(
        fault.startswith("provenance.jsonl:1: the line is damaged") for fault in check_release(whole_release).faults
    )


def test_descriptors_are_built_once_and_read_ever_after(
    tmp_path: Path, whole_release: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    names = sorted(path.name for path in (whole_release / COPIES).iterdir())
    assert {f"{COPIES}/{name}" for name in names} <= set(read_release(whole_release).files)
    assert check_release(whole_release).faults == ()
    pulled = [RunFolder(path) for path in pull_release(whole_release, tmp_path / "pulled").runs]
    assert names == sorted(f"{run.run.run_id}.npz" for run in pulled)
    first = {run.run.run_id: run.rendering(list_rendered_turns(run.episodes()[0])[0].rendering) for run in pulled}  # type: ignore[arg-type]  # a rendered turn

    def fails(picture: object) -> None:
        raise AssertionError("a published picture was decoded")

    monkeypatch.setattr(copies, "compute_descriptor", fails)
    for run in pulled:
        known = index_of(run)
        assert len(known.sha256) == len({*known.keys()}) > 0
        descriptor = compute_descriptor(first[run.run.run_id])
        assert (known.descriptors[0] == descriptor).all()
    # The next release takes them over as they are.
    plan = BuildPlan(previous=whole_release)
    build_release([], tmp_path / "instances", tmp_path / "next", plan)
    for name in names:
        assert (tmp_path / "next" / COPIES / name).read_bytes() == (whole_release / COPIES / name).read_bytes()


def test_descriptors_of_something_else_are_at_fault(tmp_path: Path, whole_release: Path) -> None:
    first, second = sorted((whole_release / COPIES).iterdir())
    other, known = second.read_bytes(), read_index(second)
    assert known is not None
    second.write_bytes(index_bytes(known._replace(sha256=("0" * 64, *known.sha256[1:]))))
    first.write_bytes(b"no archive")
    (whole_release / COPIES / "nobody.npz").write_bytes(other)
    faults = set(check_release(whole_release).faults)
    assert {
        f"{COPIES}/{first.name}: holds no descriptors",
        f"{COPIES}/{second.name}: is not of the run's renderings",
        f"{COPIES}/nobody.npz: is of no run here",
    } <= faults


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
