"""Many machines: shards of a run, and joining them."""

import json
import shutil
import tracemalloc
from pathlib import Path
from typing import Any

import pytest
from samples import sample_instances

from ircore.commands.main import run as ircore
from ircore.core.errors import InputError
from ircore.instances.store import InstanceSet
from ircore.runs.folder import RunFolder
from ircore.runs.merge import merge
from ircore.runs.play import Shard, declare_final, read_part

pytestmark = pytest.mark.slow

PAIR = Path(__file__).parents[3] / "submissions" / "builtin-classical-sketch"


@pytest.fixture
def instances(tmp_path: Path) -> InstanceSet:
    return sample_instances(tmp_path / "set", per_condition=2)


def play(instances: InstanceSet, out: Path, *more: str) -> int:
    given = ["--instances", str(instances.folder), "--out", str(out), "--max-turns", "2"]
    return ircore(["play", str(PAIR), *given, *more])


@pytest.fixture
def shards(tmp_path: Path, instances: InstanceSet) -> list[Path]:
    """A run in three parts."""
    paths = [tmp_path / f"shard-{index}" for index in (1, 2, 3)]
    for index, path in enumerate(paths, start=1):
        assert play(instances, path, "--shard", f"{index}/3") == 0
    return paths


def without_times(path: Path) -> list[Any]:
    """Return the lines of a journal by episode, without what the clock says."""

    def timeless(value: Any) -> Any:
        if isinstance(value, dict):
            return {key: timeless(item) for key, item in value.items() if key != "seconds"}
        return [timeless(item) for item in value] if isinstance(value, list) else value

    return [timeless(json.loads(line)) for line in path.read_text().splitlines()]


def test_joined_shards_are_the_run_in_one_piece(tmp_path: Path, instances: InstanceSet, shards: list[Path]) -> None:
    assert play(instances, tmp_path / "whole", "--concurrency", "1") == 0
    for path in (*shards, tmp_path / "whole"):
        assert ircore(["score", str(path), "--metric", "psnr"]) == 0
    # In any order: what comes first is decided by the instance set.
    assert ircore(["merge", *map(str, reversed(shards)), "--out", str(tmp_path / "joined")]) == 0
    whole, joined = (RunFolder(tmp_path / name) for name in ("whole", "joined"))
    assert joined.run.model_dump(exclude={"started"}) == whole.run.model_dump(exclude={"started"})
    assert without_times(joined.path / "journal.jsonl") == without_times(whole.path / "journal.jsonl")
    assert (joined.path / "scores.jsonl").read_bytes() == (whole.path / "scores.jsonl").read_bytes()
    names = [sorted(path.name for path in (entry.path / "renderings").iterdir()) for entry in (whole, joined)]
    assert names[0] == names[1]
    files = [sorted(path.name for path in entry.path.iterdir() if path.name != ".lock") for entry in (whole, joined)]
    assert files[0] == files[1]
    before = (joined.path / "journal.jsonl").read_bytes()
    assert play(instances, joined.path) == 0
    assert (joined.path / "journal.jsonl").read_bytes() == before


def test_shards_share_the_categories_and_overlap_nowhere(shards: list[Path]) -> None:
    parts = [read_part(RunFolder(path)) for path in shards]
    names = [part.instances for part in parts if part is not None]
    assert sorted(map(len, names)) == [2, 3, 3]
    assert len({name for part in names for name in part}) == 8
    assert all(len({name.split("-")[0] for name in part}) == 2 for part in names)


def test_a_missing_shard_is_named(tmp_path: Path, shards: list[Path]) -> None:
    with pytest.raises(InputError, match="shard 2/3: not given"):
        merge([shards[0], shards[2]], tmp_path / "joined")
    assert not (tmp_path / "joined").exists()


def test_a_missing_episode_is_named_and_played_after_a_partial_merge(
    tmp_path: Path, instances: InstanceSet, shards: list[Path]
) -> None:
    journal = shards[1] / "journal.jsonl"
    lines = journal.read_text().splitlines(keepends=True)
    lost = json.loads(lines[-1])["episode"]["episode_id"]
    journal.write_text("".join(lines[:-1]))
    with pytest.raises(InputError, match=f"instance {lost}: played to its end in no shard"):
        merge(shards, tmp_path / "joined")
    done = merge([*shards[:2]], tmp_path / "joined", partial=True)
    assert lost in done.missing
    assert play(instances, tmp_path / "joined") == 0
    assert len(RunFolder(tmp_path / "joined").episodes()) == 8


def test_what_is_in_two_shards_is_refused(tmp_path: Path, instances: InstanceSet, shards: list[Path]) -> None:
    shutil.copytree(shards[0], tmp_path / "copy")
    with pytest.raises(InputError, match="both are shard 1/3"):
        merge([*shards, tmp_path / "copy"], tmp_path / "joined")
    (tmp_path / "copy" / "shard.json").unlink()
    ids = "|".join(episode.instance_id for episode in RunFolder(shards[0]).episodes())
    with pytest.raises(InputError, match=rf"({ids}): in .*shard-1 and in .*copy"):
        merge([*shards, tmp_path / "copy"], tmp_path / "joined")
    assert play(instances, tmp_path / "other", "--shard", "2/4") == 0
    with pytest.raises(InputError, match=r"other: shard 2/4, but .* is shard 1/3"):
        merge([*shards, tmp_path / "other"], tmp_path / "joined")


def test_shards_of_two_selections_are_not_joined(tmp_path: Path, instances: InstanceSet, shards: list[Path]) -> None:
    """Every second of eight and every second of four are six of eight: no run, whatever each shard has played."""
    first, second = tmp_path / "one", tmp_path / "two"
    assert play(instances, first, "--shard", "1/2") == 0
    assert play(instances, second, "--shard", "2/2", "--limit", "4") == 0
    for partial in (False, True):
        with pytest.raises(InputError, match=r"two: shard 2/2 of 4 selected instances, but .*one is of 8") as refused:
            merge([first, second], tmp_path / "joined", partial)
        assert "2 of its 4 instances are missing" in refused.value.remedy
    assert not (tmp_path / "joined").exists()
    # As many instances, but others: geometry alone, and simple shapes alone.
    for number, category in ((1, "geometry"), (2, "simple_shapes")):
        assert play(instances, tmp_path / category, "--shard", f"{number}/2", "--category", category) == 0
    with pytest.raises(InputError, match=r"simple_shapes: shard 2/2 of other instances than .*geometry"):
        merge([tmp_path / "geometry", tmp_path / "simple_shapes"], tmp_path / "joined")
    # With the options of the first shard the second one goes on, and both are a run.
    assert play(instances, second, "--shard", "2/2") == 0
    assert merge([first, second], tmp_path / "joined").episodes == 8


def test_what_a_partial_merge_lacks_is_counted_by_the_whole_selection(
    tmp_path: Path, shards: list[Path], capsys: pytest.CaptureFixture[str]
) -> None:
    assert ircore(["merge", *map(str, shards[:2]), "--out", str(tmp_path / "joined"), "--partial"]) == 0
    assert "2 are missing" in capsys.readouterr().err


def test_a_shard_declares_no_instance_of_others_final(
    tmp_path: Path, instances: InstanceSet, capsys: pytest.CaptureFixture[str]
) -> None:
    assert play(instances, tmp_path / "one", "--shard", "1/2") == 0
    before = (tmp_path / "one" / "journal.jsonl").read_bytes()
    assert play(instances, tmp_path / "one", "--final") == 2
    assert "one: shard 1/2 is played here" in capsys.readouterr().err
    with pytest.raises(InputError, match=r"shard 1/2 is played here, and 4 of these instances are of other shards"):
        declare_final(RunFolder(tmp_path / "one"), instances.instances)
    assert (tmp_path / "one" / "journal.jsonl").read_bytes() == before
    assert play(instances, tmp_path / "one", "--final", "--shard", "1/2") == 0
    assert play(instances, tmp_path / "whole") == 0
    assert play(instances, tmp_path / "whole", "--final", "--shard", "1/2") == 2
    assert "a run in one piece is played here" in capsys.readouterr().err


def test_a_merge_holds_no_journal_in_memory(tmp_path: Path, instances: InstanceSet) -> None:
    """Two shards with 60 MB of answers each are joined within 60 MB."""
    shards = [tmp_path / "one", tmp_path / "two"]
    for number, path in enumerate(shards, start=1):
        assert play(instances, path, "--shard", f"{number}/2") == 0
        lines = (path / "journal.jsonl").read_bytes().splitlines(keepends=True)
        call = next(json.loads(line) for line in lines if b'"describer"' in line)
        more = [json.dumps({**call, "turn": 10 + turn, "text": "x" * 100_000}).encode() + b"\n" for turn in range(600)]
        (path / "journal.jsonl").write_bytes(b"".join([*more, *lines]))
    tracemalloc.start()
    merge(shards, tmp_path / "joined")
    _, most = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert most < 60e6
    assert len(RunFolder(tmp_path / "joined").calls()) > 1200


def test_another_run_is_refused(tmp_path: Path, instances: InstanceSet, shards: list[Path]) -> None:
    assert play(instances, tmp_path / "other", "--shard", "2/3", "--seed", "5") == 0
    with pytest.raises(InputError, match=r"other/run\.json: seed: another run than .*, which is a shard"):
        merge([shards[0], tmp_path / "other"], tmp_path / "joined")


def test_a_folder_keeps_its_shard(
    instances: InstanceSet, shards: list[Path], capsys: pytest.CaptureFixture[str]
) -> None:
    assert play(instances, shards[0], "--shard", "1/3") == 0
    assert play(instances, shards[0], "--shard", "2/3") == 2
    assert "shard 1/3 is played here" in capsys.readouterr().err
    assert play(instances, shards[0]) == 2
    assert "Give --shard 1/3" in capsys.readouterr().err


def test_every_instance_is_in_one_shard() -> None:
    things = tuple(range(10))
    for count in range(1, 13):
        parts = [things[Shard(index=index, count=count).places] for index in range(1, count + 1)]
        assert sorted(item for part in parts for item in part) == list(things)
        assert max(map(len, parts)) - min(map(len, parts)) <= 1
