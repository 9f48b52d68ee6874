"""Several instance sets of one game in one release: ids stay unique, every join is right, and all comes back."""

from pathlib import Path

import pandas as pd
import pytest
from releases import contents, play_rated, rewrite
from samples import sample_instances

from dataset_card.checking.release_check import check_release
from dataset_card.data import load_results
from dataset_card.hub.pull import pull_release
from dataset_card.releases.build import BuildPlan, build_release
from dataset_card.releases.record import read_release
from dataset_card.tables.rows import Row
from dataset_card.tables.schema import INSTANCES
from ircore.core.errors import InputError


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A small set, a larger one with the same ids and pictures, a run of one pair on each, and the release of both."""
    folder = tmp_path_factory.mktemp("sets")
    for name, per_condition in (("demo", 1), ("full", 2)):
        instances = sample_instances(folder / name, per_condition=per_condition)
        play_rated(folder / "runs" / name, instances, "pair")
    build_release(runs(folder), [folder / "demo", folder / "full"], folder / "release")
    return folder


def runs(folder: Path) -> list[Path]:
    return sorted((folder / "runs").iterdir())


def frame(release: Path, name: str) -> pd.DataFrame:
    return pd.read_parquet(release / "data" / name)


def test_ids_are_unique_and_joins_on_one_column_are_right(folder: Path) -> None:
    assert check_release(folder / "release").faults == ()
    instances, episodes, played = (frame(folder / "release", name) for name in ("instances", "episodes", "runs"))
    assert instances["instance_id"].is_unique
    assert instances["instance_set"].nunique() == 2
    joined = episodes.merge(instances, on="instance_id").merge(played, on="run_id", suffixes=("", "_run"))
    assert len(joined) == len(episodes)
    assert (joined["instance_set"] == joined["instance_set_run"]).all()
    assert not frame(folder / "release", "measures").duplicated(["game", "measure"]).any()


def test_boards_are_of_one_set_each(folder: Path) -> None:
    with pytest.raises(InputError, match="several sets of reconstruction"):
        load_results(str(folder / "release"))
    for record in read_release(folder / "release").games:
        results = load_results(str(folder / "release"), instance_set=record.instance_set[:8])
        assert results.instance_set == record.instance_set
    ranks = frame(folder / "release", "leaderboard").query("measure == 'main_score' and category == 'all'")
    assert ranks.groupby("run_id").size().nunique() == 1
    card = (folder / "release" / "README.md").read_text("utf-8")
    assert f"set {record.instance_set[:8]}" in card


def test_both_sets_come_back_and_give_the_same_release(folder: Path, tmp_path: Path) -> None:
    pull_release(folder / "release", tmp_path / "out")
    assert len([*(tmp_path / "out").glob("instances*")]) == 2
    build_release([*(tmp_path / "out/runs").iterdir()], tmp_path / "out", tmp_path / "again")
    assert contents(tmp_path / "again") == contents(folder / "release")


def test_a_further_set_leaves_the_files_of_the_runs_before_as_they_are(folder: Path, tmp_path: Path) -> None:
    build_release(runs(folder)[:1], [folder / "demo"], tmp_path / "first")
    sets = [folder / "demo", folder / "full"]
    built = build_release(runs(folder)[1:], sets, tmp_path / "next", BuildPlan(previous=tmp_path / "first"))
    assert len(built.record.history[0].added) == 1
    assert built.record.history[0].changed == ()
    before, after = contents(tmp_path / "first"), contents(tmp_path / "next")
    own = [name for name in before if "/test-pair-" in name]
    assert own
    assert all(after[name] == before[name] for name in own)
    assert contents(folder / "release").keys() == after.keys()


def test_a_join_that_repeats_rows_is_found(folder: Path, tmp_path: Path) -> None:
    build_release(runs(folder), [folder / "demo", folder / "full"], tmp_path / "release")
    rewrite(tmp_path / "release", INSTANCES, lambda rows: rows.append(rows[0]))
    faults = "\n".join(check_release(tmp_path / "release").faults)
    assert "data/episodes: joined with instances on instance_id, its 12 rows become 13" in faults
    assert "data/transcripts: joined with instances on instance_id, its 36 rows become 39" in faults


def test_an_instance_of_a_set_that_the_release_does_not_name_is_found(folder: Path, tmp_path: Path) -> None:
    build_release(runs(folder), [folder / "demo", folder / "full"], tmp_path / "release")

    def edit(rows: list[Row]) -> None:
        rows[0]["instance_set"] = "0" * 64

    rewrite(tmp_path / "release", INSTANCES, edit)
    assert any("instance_set is 000" in fault for fault in check_release(tmp_path / "release").faults)
