"""An instance set on disk: whole, checked, and the same for the same content."""

import hashlib
import pickle
import tracemalloc
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest
from openai_server import serving
from pairs import play_pair, served_pair
from target_instances import target_instance, with_target

from ircore.core.errors import InputError
from ircore.core.images import Picture
from ircore.core.records import Box, Difficulty, Element, Instance, PictureFile, Scene
from ircore.instances.records import Instances, read_index
from ircore.instances.store import (
    INDEX,
    InstanceSet,
    build_index_bytes,
    describe_ways_to_get,
    read_instances,
    refuse_withheld,
    select_published_pictures,
    write_instances,
)
from ircore.instances.summary import compute_perceptual_hash, find_near_duplicates, measure_picture
from ircore.runs.folder import RunFolder


def made(
    category: str = "photos", difficulty: Difficulty = "easy", index: int = 1
) -> tuple[Instance, dict[str, Picture]]:
    """A small picture and its record; no two of them are alike."""
    name = f"{category}-{difficulty}-{index:02d}"
    shade = int(hashlib.sha256(name.encode()).hexdigest()[:2], 16)
    picture = Picture.from_pixels(np.full((4, 5, 3), (shade, index, len(category)), dtype=np.uint8))
    instance = target_instance(name, picture, category=category, difficulty=difficulty, source="test")
    return instance, {"target": picture}


def test_a_set_is_read_as_it_was_written(tmp_path: Path) -> None:
    instance, pictures = made()
    written = write_instances(tmp_path / "set", [(instance, pictures)])
    read = read_instances(tmp_path / "set")
    assert read == written
    assert read.instances == (instance,)
    assert read.picture_bytes(instance, "target") == pictures["target"].data
    assert read.picture(instance, "target").pixels.shape == (4, 5, 3)
    assert read.identity == hashlib.sha256((tmp_path / "set" / INDEX).read_bytes()).hexdigest()


def test_the_identity_depends_on_content_only(tmp_path: Path) -> None:
    several = [
        made("photos"), made("bar_graph", "hard"), made("bar_graph"), made("tangrams"), made("bar_graph", index=2),
    ]  # fmt: skip
    item = write_instances(tmp_path / "one", several)
    other = write_instances(tmp_path / "other", several[::-1])
    assert item.identity == other.identity
    assert [instance.instance_id for instance in item.instances] == [
        "bar_graph-easy-01", "bar_graph-easy-02", "bar_graph-hard-01", "photos-easy-01", "tangrams-easy-01",
    ]  # fmt: skip
    assert write_instances(tmp_path / "fewer", several[1:]).identity != item.identity


def test_two_pictures_alike_are_refused_and_nothing_is_left(tmp_path: Path) -> None:
    instance, pictures = made()
    twin = instance.model_copy(update={"instance_id": "photos-easy-02"})
    with pytest.raises(InputError, match="photos-easy-02 and photos-easy-01 are the same picture"):
        write_instances(tmp_path / "set", [(instance, pictures), (twin, pictures)])
    assert list(tmp_path.iterdir()) == []


def test_no_file_holds_two_pictures_and_no_id_is_there_twice_or_a_page(tmp_path: Path) -> None:
    first, pictures = made()
    second, others = made("geometry")
    same_file = with_target(second, image=first.pictures["target"].image)
    with pytest.raises(InputError, match=r"images/photos-easy-01\.png is the file of two pictures"):
        write_instances(tmp_path / "files", [(first, pictures), (same_file, others)])
    same_id = second.model_copy(update={"instance_id": first.instance_id})
    with pytest.raises(InputError, match="instance_id 'photos-easy-01' is there twice"):
        write_instances(tmp_path / "ids", [(first, pictures), (same_id, others)])
    assert list(tmp_path.iterdir()) == []
    # The same faults in a set that somebody else wrote.
    named_index = first.model_copy(update={"instance_id": "index"})
    for records, fault in (
        ((first, same_file), r"jsonl:2: images/photos-easy-01\.png is the file of two pictures"),
        ((named_index,), "index is a page of every site"),
        ((first, second.model_copy(update={"game": "reference"})), "of several games: reconstruction, reference"),
    ):
        (tmp_path / INDEX).write_bytes(build_index_bytes(records))
        with pytest.raises(InputError, match=fault):
            read_instances(tmp_path)


def test_pictures_of_one_name_and_content_share_a_file(tmp_path: Path) -> None:
    instance, pictures = made()
    bare = instance.model_copy(update={"pictures": {}, "payload": {"text": "one"}})
    other = bare.model_copy(update={"instance_id": "photos-easy-02", "payload": {"text": "other"}})
    written = write_instances(tmp_path / "set", [(bare, pictures), (other, pictures)])
    (file,) = {file.image for instance in written.instances for file in instance.pictures.values()}
    assert file == f"images/target-{pictures['target'].sha256[:8]}.png"
    assert len(list((tmp_path / "set" / "images").iterdir())) == 1


def test_a_text_that_a_game_calls_its_scene_is_no_scene() -> None:
    instance, _ = made()
    assert instance.model_copy(update={"payload": {"scene": "a forest at night"}}).scene is None


def test_a_changed_picture_is_noticed(tmp_path: Path) -> None:
    written = write_instances(tmp_path / "set", [made()])
    path = tmp_path / "set" / written.instances[0].pictures["target"].image
    path.write_bytes(made(index=9)[1]["target"].data)
    with pytest.raises(InputError, match=r"photos-easy-01\.png: damaged, not the picture that was recorded"):
        written.picture_bytes(written.instances[0], "target")
    path.unlink()
    with pytest.raises(InputError, match="cannot be read") as told:
        written.picture(written.instances[0], "target")
    assert told.value.remedy == "Restore the file or build the set again."


def test_a_picture_outside_the_set_or_a_link_to_itself_is_not_read(tmp_path: Path) -> None:
    instance, pictures = made()
    (tmp_path / "secret.png").write_bytes(pictures["target"].data)
    (tmp_path / "set").mkdir()
    outside = with_target(instance, image="../secret.png")
    (tmp_path / "set" / INDEX).write_bytes(build_index_bytes([outside]))
    with pytest.raises(InputError, match="lies outside the set"):
        read_instances(tmp_path / "set").picture_bytes(outside, "target")
    picture = tmp_path / "set" / instance.pictures["target"].image
    picture.parent.mkdir(parents=True)
    picture.symlink_to(picture.name)
    with pytest.raises(InputError, match="cannot be read"):
        read_instances(tmp_path / "set").picture_bytes(instance, "target")


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (b"", "holds no instance"),
        (b"{}\n", "instances.jsonl:1: instance_id: is missing"),
        (build_index_bytes([made()[0]])[:-20], "instances.jsonl:1: "),
        (build_index_bytes([made()[0], made()[0]]), "instances.jsonl:2: instance_id 'photos-easy-01' is there twice"),
        (b"\xff\xfe\n", "instances.jsonl:1: "),
    ],
)
def test_a_damaged_index_is_named_with_its_line(tmp_path: Path, content: bytes, message: str) -> None:
    (tmp_path / INDEX).write_bytes(content)
    with pytest.raises(InputError, match=message):
        read_instances(tmp_path)


def test_a_folder_without_a_set_says_how_to_make_one(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="holds no instance set") as caught:
        read_instances(tmp_path / "nothing")
    assert "ircore instances build" in caught.value.remedy


def test_selecting(tmp_path: Path) -> None:
    made_set = write_instances(tmp_path / "set", [made(), made("photos", "hard"), made("geometry")])
    assert len(made_set.select()) == 3
    assert [instance.instance_id for instance in made_set.select(["photos"], ["hard"])] == ["photos-hard-01"]
    with pytest.raises(InputError, match="unknown category 'photo'") as caught:
        made_set.select(["photo"])
    assert "Did you mean photos?" in caught.value.remedy
    assert made_set.select(["geometry"], ["hard"]) == ()


def instance(licence: str) -> Instance:
    picture = PictureFile(image="images/map.png", sha256="0" * 64, width=64, height=64)
    return Instance(
        instance_id="map-easy-01", category="maps", difficulty="easy", game="guess", payload={}, source="an atlas",
        licence=licence, pictures={"map": picture},
    )  # fmt: skip


def test_another_package_keeps_its_pictures_unpublished_by_their_licence() -> None:
    withheld, free = instance("LicenseRef-withheld-atlas"), instance("CC0-1.0")
    assert (list(select_published_pictures(withheld)), list(select_published_pictures(free))) == ([], ["map"])
    (way,) = describe_ways_to_get([withheld, withheld, free])
    assert "LicenseRef-withheld-atlas" in way
    with pytest.raises(InputError, match=r"map-easy-01: its picture \(LicenseRef-withheld-atlas\) must not be"):
        refuse_withheld([free, withheld], "release")


def test_a_set_that_lacks_such_pictures_says_why_and_where_they_are(tmp_path: Path) -> None:
    withheld = instance("LicenseRef-withheld-atlas")
    brought_back = InstanceSet(tmp_path, "0" * 64, Instances.of((withheld,)))
    with pytest.raises(InputError, match="map-easy-01: its pictures are in no release") as told:
        brought_back.pictures(withheld)
    assert told.value.remedy == describe_ways_to_get([withheld])[0]


def squares(side: int = 100) -> np.ndarray:
    pixels = np.full((side, side, 3), 255, dtype=np.uint8)
    pixels[side // 4 : side // 2, side // 4 : side // 2] = (255, 0, 0)
    return pixels


def test_a_red_square_on_white_has_two_colours_and_its_rim_as_edges() -> None:
    """25 pixels left, 25 inside at the right, and likewise above and below; one corner counts once."""
    label = Element(type="label", text="square", box=Box(0, 0, 1, 1))
    scene = Scene(width=100, height=100, background="#ffffff", elements=(label, label))
    measures = measure_picture(squares(), scene)
    assert measures.colours == 2
    assert measures.elements == 2
    assert measures.text_density == 12  # twice six letters in 100 × 100 pixels
    assert measures.edge_density == (4 * 25 - 1) / 10_000


def test_without_a_scene_elements_and_text_are_unknown() -> None:
    measures = measure_picture(squares(), None)
    assert (measures.elements, measures.text_density) == (None, None)


def test_the_same_picture_in_another_size_is_a_near_duplicate_and_its_mirror_image_is_not() -> None:
    hashes = {"small": compute_perceptual_hash(squares(72)), "large": compute_perceptual_hash(squares(144))}
    assert find_near_duplicates(hashes) == [("small", "large")]
    ramp = np.tile(np.linspace(0, 255, 90).astype(np.uint8), (90, 1))[..., None].repeat(3, axis=2)
    sides = {"ramp": compute_perceptual_hash(ramp), "mirrored": compute_perceptual_hash(ramp[:, ::-1])}
    assert sides == {"ramp": 2**64 - 1, "mirrored": 0}
    assert find_near_duplicates(sides) == []


@pytest.fixture
def base_url() -> Iterator[str]:
    with serving() as service:
        yield service.base_url


def large_set(number: int = 1) -> tuple[Instance, dict[str, Picture]]:
    """A small picture and its record."""
    picture = Picture.from_pixels(np.full((64, 64, 3), number, dtype=np.uint8))
    return target_instance(f"photos-easy-{number:05d}", picture, category="photos", source="test"), {"target": picture}


def many(folder: Path, count: int) -> Path:
    """A set of records without pictures, each with 300 letters of origin."""
    instance, _ = large_set()
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
    assert [record.instance_id for record in instances.select({"photos-easy-00003"})] == ["photos-easy-00003"]
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


@pytest.mark.slow
def test_a_damaged_picture_is_not_linked_into_a_run(tmp_path: Path, base_url: str) -> None:
    instances = write_instances(tmp_path / "set", [large_set(1), large_set(2)])
    (instances.folder / instances.instances[1].pictures["target"].image).write_bytes(b"something else")
    pair = served_pair(tmp_path, base_url)
    assert play_pair(pair, instances, tmp_path / "run") == 2
    assert not (tmp_path / "run").exists()
