"""Versions of the benchmark: which one results are of, how boards are frozen, and that versions never mix."""

import json
from pathlib import Path

import pytest
from samples import sample_instances, sample_run

from ircore.errors import InputError
from ircore.results.model import Results
from ircore.runs import RunFolder
from ircore.versions import BenchmarkVersion, Version, read_versions, version_of
from leaderboard.version_pages import version_pages
from leaderboard.versions import freeze_site, read_archive

OLD = BenchmarkVersion(name="2026.1", instance_set="a" * 64, prompts="p 1", date="2026-01-31", notes="The first.")
NEW = BenchmarkVersion(name="2026.2", instance_set="b" * 64, prompts="p 1", date="2026-09-01")
ROWS = [{"judge": "eye", "category": "all", "difficulty": "all", "describer": "<b>x</b>", "score": 4.5}]


def make_site(folder: Path, record: BenchmarkVersion) -> dict[str, object]:
    """What a freeze looks at of a built site; its marker is returned."""
    (folder / "data").mkdir(parents=True)
    document = {"benchmark": record.name, "instance_set": record.instance_set, "rows": ROWS}
    (folder / "data" / "leaderboard.json").write_text(json.dumps(document))
    (folder / "data" / "leaderboard.csv").write_text("judge\neye\n")
    return {"benchmark": record.name, "instance_set": record.instance_set}


def test_results_are_of_the_version_with_their_set_and_prompts(tmp_path: Path) -> None:
    run = sample_run(tmp_path / "run", sample_instances(tmp_path / "instances"))
    results = Results.from_runs([run])
    mine = NEW.model_copy(update={"instance_set": results.instance_set, "prompts": run.run.prompts})
    assert version_of(results, [OLD, mine]).words == "benchmark 2026.2"
    other = mine.model_copy(update={"prompts": "other prompts"})
    assert version_of(results, [OLD, other]).words == f"unreleased benchmark (set {results.instance_set[:8]})"


def test_runs_with_different_prompts_are_not_shown_together(tmp_path: Path) -> None:
    instances = sample_instances(tmp_path / "instances")
    run = sample_run(tmp_path / "one", instances)
    other = run.run.model_copy(update={"run_id": "other", "slug": "other", "prompts": "other prompts"})
    results = Results.from_runs([run, RunFolder.create(tmp_path / "two", other, instances)])
    with pytest.raises(InputError, match="two versions of the benchmark"):
        version_of(results)


def test_a_frozen_board_is_shown_as_it_was(tmp_path: Path) -> None:
    marker = make_site(tmp_path / "site", OLD)
    freeze_site(tmp_path / "site", tmp_path / "archive" / "2026.1", marker, [OLD, NEW])
    current = Version(NEW.instance_set, NEW.prompts, NEW)
    (board,) = read_archive(tmp_path / "archive", current)
    assert board.record == OLD
    assert board.rows == tuple(ROWS)
    listed, frozen = version_pages(current, [board])
    assert (listed.path, frozen.path) == ("versions/index", "versions/2026.1/index")
    assert frozen.values["judges"] == [("eye", ROWS)]
    with pytest.raises(InputError, match="exists already"):
        freeze_site(tmp_path / "site", tmp_path / "archive" / "2026.1", marker, [OLD, NEW])


def test_an_unreleased_benchmark_is_not_frozen(tmp_path: Path) -> None:
    marker = make_site(tmp_path / "site", OLD)
    with pytest.raises(InputError, match="unreleased"):
        freeze_site(tmp_path / "site", tmp_path / "out", marker, [NEW])
    assert not (tmp_path / "out").exists()


def test_versions_never_mix(tmp_path: Path) -> None:
    archive = tmp_path / "archive"
    freeze_site(tmp_path / "site", archive / "one", make_site(tmp_path / "site", OLD), [OLD])
    same = Version(OLD.instance_set, OLD.prompts, OLD)
    assert read_archive(archive, same) == ()
    imposter = OLD.model_copy(update={"instance_set": "c" * 64})
    with pytest.raises(InputError, match=r"version 2026\.1 is not the site's own"):
        read_archive(archive, Version(imposter.instance_set, imposter.prompts, imposter))
    board = archive / "one" / "leaderboard.json"
    board.write_text(board.read_text().replace("a" * 64, "c" * 64))
    with pytest.raises(InputError, match="not of the instance set"):
        read_archive(archive, Version(NEW.instance_set, NEW.prompts, NEW))


def test_what_is_recorded_is_read_and_checked(tmp_path: Path) -> None:
    assert all(isinstance(one, BenchmarkVersion) for one in read_versions())
    path = tmp_path / "versions.yaml"
    entry = f'- {{name: "2026.1", instance_set: {"a" * 64}, prompts: p 1, date: "2026-01-31"}}\n'
    path.write_text(f"versions:\n{entry}")
    assert [one.name for one in read_versions(path)] == ["2026.1"]
    path.write_text(f"versions:\n{entry}{entry}")
    with pytest.raises(InputError, match="there twice"):
        read_versions(path)
    path.write_text("versions:\n" + entry.replace("2026-01-31", "31 January"))
    with pytest.raises(InputError, match="YYYY-MM-DD"):
        read_versions(path)
