"""Sets of thousands of instances: records are read when they are asked for, runs hold what they play."""

import hashlib
import pickle
import tracemalloc
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest
from openai_server import serving
from pairs import play_pair, served_pair
from target_instances import target_instance

from ircore.core.errors import InputError
from ircore.core.images import Picture
from ircore.core.records import Instance
from ircore.instances.records import Instances, read_index
from ircore.instances.store import INDEX, InstanceSet, build_index_bytes, read_instances, write_instances
from ircore.runs.folder import RunFolder


@pytest.fixture
def base_url() -> Iterator[str]:
    with serving() as service:
        yield service.base_url


def made(number: int = 1) -> tuple[Instance, dict[str, Picture]]:
    """A small picture and its record."""
    picture = Picture.from_pixels(np.full((64, 64, 3), number, dtype=np.uint8))
    return target_instance(f"photos-easy-{number:05d}", picture, category="photos", source="test"), {"target": picture}


def many(folder: Path, count: int) -> Path:
    """A set of records without pictures, each with 300 letters of origin."""
    instance, _ = made()
    folder.mkdir()
    lines = (
        instance.model_copy(update={"instance_id": f"photos-easy-{number:05d}", "source": "s" * 300})
        for number in range(count)
    )
    (folder / INDEX).write_bytes(build_index_bytes(lines))
    return folder


def test_records_are_read_in_any_order_and_selected_unread(tmp_path: Path) -> None:
    instances = read_instances(many(tmp_path / "set", 300)).instances
    assert len(instances) == 300
    assert instances[299].instance_id == instances[-1].instance_id == "photos-easy-00299"
    assert instances[7::100].ids == ("photos-easy-00007", "photos-easy-00107", "photos-easy-00207")
    assert [record.instance_id for record in instances.named({"photos-easy-00003"})] == ["photos-easy-00003"]
    assert tuple(instances) == instances == Instances.of(tuple(instances))
    assert instances[:2] != instances[:3]
    with pytest.raises(IndexError):
        instances[300]


@pytest.mark.slow
def test_memory_does_not_grow_with_the_set(tmp_path: Path) -> None:
    """All records together take twelve megabytes."""
    folder = many(tmp_path / "set", 6000)
    tracemalloc.start()
    try:
        instances = read_instances(folder).instances
        assert sum(len(record.source) for record in instances) == 1_800_000
        _, peak = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()
    assert peak < 3_000_000


def test_a_record_that_was_validated_before_is_read_without_a_look_at_its_scene(tmp_path: Path) -> None:
    folder = many(tmp_path / "set", 3)
    broken = (folder / INDEX).read_bytes().replace(b'"CC0-1.0"', b'""', 1)
    (folder / INDEX).write_bytes(broken)
    with pytest.raises(InputError, match=r"instances\.jsonl:1: licence"):
        read_instances(folder)
    stored = read_index(folder / INDEX, hashlib.sha256(broken).hexdigest())
    assert len(stored.instances) == 3
    with pytest.raises(InputError, match=r"instances\.jsonl:1: licence"):
        stored.instances[0]
    with pytest.raises(InputError, match=r"instances\.jsonl:1: licence"):
        read_index(folder / INDEX, "0" * 64)  # another file than the one that was validated


def test_a_worker_process_gets_the_place_of_the_records_and_not_the_records(tmp_path: Path) -> None:
    instances = read_instances(many(tmp_path / "set", 200))
    list(instances.instances)
    sent = pickle.dumps(instances)
    assert b"s" * 300 not in sent
    assert pickle.loads(sent) == instances


def test_an_index_that_changes_while_it_is_used_is_noticed(tmp_path: Path) -> None:
    folder = many(tmp_path / "set", 5)
    instances = read_instances(folder).instances
    lines = (folder / INDEX).read_bytes().splitlines(keepends=True)
    (folder / INDEX).write_bytes(b"".join(lines[::-1]))
    with pytest.raises(InputError, match="has changed"):
        instances[0]


@pytest.mark.slow
def test_a_run_holds_the_pictures_that_it_plays_by_hard_link(
    tmp_path: Path, instances: InstanceSet, base_url: str
) -> None:
    pair, run = served_pair(tmp_path, base_url), tmp_path / "run"
    assert play_pair(pair, instances, run, "--limit", "1") == 0
    held = sorted((run / "instances" / "images").iterdir())
    first, *others = instances.instances
    assert [path.name for path in held] == [Path(first.pictures["target"].image).name]
    assert held[0].samefile(instances.folder / first.pictures["target"].image)
    # An editor that writes in place must not change the run.
    assert not (run / "instances" / INDEX).samefile(instances.folder / INDEX)
    assert play_pair(pair, instances, run) == 0  # the rest of the set
    assert len(list((run / "instances" / "images").iterdir())) == 1 + len(others)
    assert RunFolder(run).instances.identity == instances.identity


def test_a_damaged_picture_is_not_linked_into_a_run(tmp_path: Path, base_url: str) -> None:
    instances = write_instances(tmp_path / "set", [made(1), made(2)])
    (instances.folder / instances.instances[1].pictures["target"].image).write_bytes(b"something else")
    pair = served_pair(tmp_path, base_url)
    assert play_pair(pair, instances, tmp_path / "run") == 2
    assert not (tmp_path / "run").exists()
