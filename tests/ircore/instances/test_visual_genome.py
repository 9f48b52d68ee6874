"""Importing Visual Genome, on a small folder in its own format."""

import json
import tracemalloc
from pathlib import Path

import pytest

from ircore.commands.main import run
from ircore.core.errors import InputError
from ircore.core.json_stream import read_array
from ircore.instances.requests import ImportRequest
from ircore.instances.store import read_instances
from ircore.instances.visual_genome import import_visual_genome
from ircore.instances.withheld import may_be_published


def test_few_salient_objects_are_easy_and_many_objects_hard(genome: Path, tmp_path: Path) -> None:
    made = import_visual_genome(ImportRequest(genome, tmp_path / "set"))
    labels = {instance.instance_id: instance.difficulty for instance in made.instances}
    assert labels == {"photos-easy-vg1": "easy", "photos-hard-vg2": "hard"}


def test_boxes_names_attributes_and_relations_are_the_scene(genome: Path, tmp_path: Path) -> None:
    scene = import_visual_genome(ImportRequest(genome, tmp_path / "set")).instances[0].scene
    assert scene is not None
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
