"""Gaps between public and secret pictures gather in releases, an evaluation at a time, and go with their runs."""

from pathlib import Path

import pytest
from releases import sample_release

from dataset_card.hub.pull import pull_release
from dataset_card.releases.build import BuildPlan, build_release
from ircore.core.errors import InputError
from ircore.core.lifecycle import Withdrawal
from ircore.instances.store import read_instances
from ircore.runs.folder import RunFolder
from ircore.submissions.season_gaps import SEASON_GAPS, PairGap, SeasonGaps, read_season_gaps
from ircore.submissions.seasons import Season, commitment_to


def gaps_of(folder: Path, *run_ids: str, season: str = "spring") -> SeasonGaps:
    """Gaps of five points to a season that is still secret."""
    commitment = commitment_to(season, identity="1" * 64, salt="2" * 64)
    record = Season(season=season, commitment=commitment, committed="2027-03-01", instances=120, version="1.0")
    gaps = tuple(PairGap(run_id=run_id, mean=5, low=-1, high=11, n=10) for run_id in run_ids)
    identity = read_instances(folder / "instances").identity
    return SeasonGaps(season=record, public=identity, judge="verified", pictures=10, gaps=gaps)


def run_ids_in(release: Path) -> list[str]:
    return [gap.run_id for gap in read_season_gaps(release / SEASON_GAPS).gaps]


@pytest.mark.slow
def test_gaps_gather_from_release_to_release_and_go_with_their_runs(tmp_path: Path) -> None:
    first = sample_release(tmp_path)
    assert not (first / SEASON_GAPS).exists()
    one, other = (RunFolder(tmp_path / "runs" / name).run.run_id for name in ("centre-block", "other-block"))

    def build(name: str, former: Path, gaps: SeasonGaps | None, *withdrawals: Withdrawal) -> Path:
        plan = BuildPlan(previous=former, season=gaps, withdrawals=withdrawals)
        build_release([], tmp_path / "instances", tmp_path / name, plan)
        return tmp_path / name

    # An evaluation adds one gap, the next one another; one without any leaves them.
    second = build("second", first, gaps_of(tmp_path, other))
    third = build("third", second, gaps_of(tmp_path, one))
    fourth = build("fourth", third, gaps_of(tmp_path))
    assert run_ids_in(second) == [other]
    assert run_ids_in(third) == run_ids_in(fourth) == sorted([one, other])
    # Whoever pulls a release has them beside the runs, where a site finds them.
    pull_release(fourth, tmp_path / "pulled")
    assert run_ids_in(tmp_path / "pulled") == sorted([one, other])
    # A run that is withdrawn takes its gap along, even one that was measured since.
    gone = Withdrawal(slug="centre-block", run_id=one, kind="withdrawn", reason="a wrong model", date="2027-04-01")
    assert run_ids_in(build("fifth", fourth, gaps_of(tmp_path, one), gone)) == [other]
    # Another season begins anew; gaps of runs that no release had are a mistake.
    assert run_ids_in(build("sixth", fourth, gaps_of(tmp_path, one, season="autumn"))) == [one]
    with pytest.raises(InputError, match="run nobody-01234567 is not in the release"):
        build("seventh", fourth, gaps_of(tmp_path, "nobody-01234567"))
