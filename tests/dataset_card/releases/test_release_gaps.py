"""Gaps between public and secret pictures gather in releases, an evaluation at a time, and go with their runs."""

from pathlib import Path

import pytest

from dataset_card.checking.release_check import check_release
from dataset_card.hub.pull import pull_release
from dataset_card.releases.build import BuildPlan, build_release
from dataset_card.releases.files import COPIES, read_release_files
from dataset_card.releases.record import PROVENANCE, read_release
from ircore.core.errors import InputError
from ircore.core.submission_records import TranscriptsReference, Withdrawal
from ircore.games.reconstruction.records import list_rendered_turns
from ircore.instances.store import read_instances
from ircore.results.model import Results
from ircore.runs.folder import RunFolder
from ircore.runs.provenance import make_provenance, write_provenance
from ircore.submissions.copies import index as copies
from ircore.submissions.copies.index import index_bytes, index_of, look_at, read_index
from ircore.submissions.seasons import SEASON_GAPS, PairGap, Season, SeasonGaps, commitment_to, read_season_gaps
from leaderboard.model.trust import HERE, RESCORED, find_tier

pytestmark = pytest.mark.slow


def gaps_of(folder: Path, *run_ids: str, season: str = "spring") -> SeasonGaps:
    """Gaps of five points to a season that is still secret."""
    commitment = commitment_to(season, identity="1" * 64, salt="2" * 64)
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

    monkeypatch.setattr(copies, "look_at", fails)
    for run in pulled:
        known = index_of(run)
        assert len(known.sha256) == len({*known.keys()}) > 0
        look = look_at(first[run.run.run_id])
        assert (known.descriptors[0] == look.descriptor).all()
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
