"""Importing Visual Genome, on a small folder in its own format."""

import json
import tracemalloc
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from known_values import known
from PIL import Image

from ircore.commands.main import run
from ircore.core.errors import InputError
from ircore.core.records import collect_measures
from ircore.games.reconstruction.import_visual_genome import import_visual_genome
from ircore.games.reconstruction.visual_genome_files import read_array
from ircore.instances.requests import ImportRequest
from ircore.instances.store import may_be_published, read_instances


def test_few_salient_objects_are_easy_and_many_objects_hard(genome: Path, tmp_path: Path) -> None:
    made = import_visual_genome(ImportRequest(genome, tmp_path / "set"))
    labels = {instance.instance_id: instance.difficulty for instance in made.instances}
    assert labels == {"photos-easy-vg1": "easy", "photos-hard-vg2": "hard"}


def test_boxes_names_attributes_and_relations_are_the_scene(genome: Path, tmp_path: Path) -> None:
    scene = known(import_visual_genome(ImportRequest(genome, tmp_path / "set")).instances[0].scene)
    dog, ball = scene.elements
    assert (dog.type, tuple(dog.box)) == ("dog", (10, 20, 70, 60))
    assert dog.parameters == {"name": "dog", "attributes": ["brown", "wet"], "relations": ["near ball"]}
    assert (ball.type, tuple(ball.box)) == ("ball", (80, 60, 90, 70))


def test_source_and_licence_are_recorded_and_the_photographs_are_never_published(genome: Path, tmp_path: Path) -> None:
    first = import_visual_genome(ImportRequest(genome, tmp_path / "set")).instances[0]
    assert first.source == "Visual Genome, image 1; annotations CC-BY-4.0"
    assert not may_be_published(first.licence)


def test_the_measures_are_adjusted_on_the_command_line(genome: Path, tmp_path: Path) -> None:
    out = tmp_path / "set"
    options = ["--option", "hard_objects=15", "--option", "per_condition=5"]
    assert run(["instances", "import", "visual-genome", str(genome), "--out", str(out), *options]) == 0
    hard = {instance.instance_id for instance in read_instances(out).instances if instance.difficulty == "hard"}
    assert hard == {"photos-hard-vg2", "photos-hard-vg3"}


@pytest.mark.parametrize("option", ["easy_objects=many", "clutter=3", "easy_objects=30"])
def test_a_wrong_option_is_one_clear_line(
    option: str, genome: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    arguments = ["instances", "import", "visual-genome", str(genome), "--out", str(tmp_path / "set")]
    assert run([*arguments, "--option", option]) == 2
    assert option.partition("=")[0] in capsys.readouterr().err
    assert not (tmp_path / "set").exists()


def test_a_file_that_was_cut_short_is_refused(genome: Path, tmp_path: Path) -> None:
    whole = (genome / "objects.json").read_text()
    (genome / "objects.json").write_text(whole[: len(whole) // 2])
    with pytest.raises(InputError, match=r"objects\.json: record \d is damaged or cut short"):
        import_visual_genome(ImportRequest(genome, tmp_path / "set"))
    assert not (tmp_path / "set").exists()


@pytest.mark.slow
def test_memory_does_not_grow_with_the_file(tmp_path: Path) -> None:
    """24 MB of records are read in less than 12 MB."""
    path = tmp_path / "objects.json"
    record = json.dumps({"image_id": 1, "objects": ["x" * 50] * 100})
    path.write_text("[" + ", ".join([record] * 4500) + "]")
    assert path.stat().st_size > 24e6
    tracemalloc.start()
    try:
        assert sum(1 for _ in read_array(path)) == 4500
        assert tracemalloc.get_traced_memory()[1] < 12e6
    finally:
        tracemalloc.stop()


def rewrite(path: Path, change: Callable[[Any], None]) -> None:
    """Change a file of the dataset."""
    document = json.loads(path.read_text())
    change(document)
    path.write_text(json.dumps(document))


def test_boxes_are_cut_at_the_edges_and_those_outside_are_no_objects(
    genome: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """The files hold boxes that begin at -1, end behind the picture, lie behind it or have no size."""
    boxes = [(-1, -5, 31, 25), (90, 70, 50, 50), (100, 0, 10, 10), (5, 5, 0, 10), (None, 5, 5, 5)]
    things = [
        {"object_id": 500 + number, "names": ["sign"], "x": x, "y": y, "w": width, "h": height}
        for number, (x, y, width, height) in enumerate(boxes)
    ]
    rewrite(genome / "objects.json", lambda images: images[0].update(objects=things))
    (easy, _) = import_visual_genome(ImportRequest(genome, tmp_path / "set")).instances
    assert [tuple(element.box) for element in known(easy.scene).elements] == [(0, 0, 30, 20), (90, 70, 100, 80)]
    assert collect_measures(easy) == {"objects": 2, "salient": 1}  # 600 of 8,000 pixels are salient, 100 are not
    assert "left out: 3 objects without a box in the picture" in capsys.readouterr().err


@pytest.mark.slow
def test_objects_and_images_that_are_listed_again_count_once(genome: Path, tmp_path: Path) -> None:
    def repeat(images: Any) -> None:
        images[0]["objects"] *= 20  # would be hard
        images.append(images[0])

    rewrite(genome / "objects.json", repeat)
    rewrite(genome / "image_data.json", lambda images: images.append(images[0]))
    made = import_visual_genome(ImportRequest(genome, tmp_path / "set"))
    assert [instance.instance_id for instance in made.instances] == ["photos-easy-vg1", "photos-hard-vg2"]
    assert collect_measures(made.instances[0]) == {"objects": 2, "salient": 1}


def test_gaps_of_the_files_are_no_faults(genome: Path, tmp_path: Path) -> None:
    """Names may be blank or missing, attributes null, sizes unknown, and older files say id for image_id."""

    def thin_out(images: Any) -> None:
        images[0]["id"] = images[0].pop("image_id")
        images[0]["objects"][0]["names"] = [" ", "Brown\tdog "]
        images[0]["objects"][1]["names"] = []

    rewrite(genome / "objects.json", thin_out)
    rewrite(genome / "image_data.json", lambda images: images[0].update(width=None))
    things = [
        {"object_id": 11},
        {"object_id": 12, "attributes": None},
        {"object_id": 11, "attributes": ["wet", " wet"]},
    ]
    (genome / "attributes.json").write_text(json.dumps([{"image_id": 1, "attributes": things}]))
    (genome / "relationships.json").write_text(
        json.dumps(
            [{"image_id": 1, "relationships": [{"predicate": None, "subject": {"object_id": 11}, "object": {}}]}]
        )
    )
    scene = known(import_visual_genome(ImportRequest(genome, tmp_path / "set")).instances[0].scene)
    dog, unnamed = scene.elements
    assert (dog.type, unnamed.type) == ("brown_dog", "object")
    assert dog.parameters == {"name": "Brown dog", "attributes": ["wet"], "relations": ["object"]}


def test_a_picture_that_lies_on_its_side_is_left_out(
    genome: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """Its boxes would be anywhere; half the size is no fault."""
    Image.new("RGB", (80, 100)).save(genome / "VG_100K" / "1.jpg")
    Image.new("RGB", (50, 40)).save(genome / "VG_100K_2" / "2.jpg")
    made = import_visual_genome(ImportRequest(genome, tmp_path / "set"))
    assert [instance.instance_id for instance in made.instances] == ["photos-hard-vg2"]
    assert "image 1: the picture is 80 × 100, its annotations say 100 × 80" in capsys.readouterr().err
