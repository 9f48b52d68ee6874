"""Visual Genome from a copy on the Hub, in the layout of its public loader: a config for each kind of annotation."""

import io
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from genomes import thing
from hub_clients import Outcome
from hub_server import File, HubServer, Repo
from PIL import Image

from ircore.instances.store import VISUAL_GENOME, read_instances

pytestmark = pytest.mark.slow

Run = Callable[..., Outcome]
NAME = "org/genome"
CONFIGS = ("objects_v1.2.0", "attributes_v1.2.0", "relationships_v1.2.0")
CARD = "---\nconfigs:\n" + "".join(
    f"- config_name: {name}\n  data_files:\n  - split: train\n    path: {name}/*.parquet\n" for name in CONFIGS
)


def picture(red: int) -> dict[str, Any]:
    buffer = io.BytesIO()
    Image.new("RGB", (100, 80), (red, 0, 0)).save(buffer, "JPEG")
    return {"bytes": buffer.getvalue(), "path": None}


def table(rows: list[dict[str, Any]]) -> bytes:
    """Return a Parquet file with a row group for each row, so that a reader can fetch single pictures."""
    buffer = io.BytesIO()
    pq.write_table(pa.Table.from_pylist(rows), buffer, row_group_size=1)
    return buffer.getvalue()


def image(image_id: int, **more: object) -> dict[str, Any]:
    address = f"https://cs.stanford.edu/people/rak248/VG_100K/{image_id}.jpg"
    numbers = {"width": 100, "height": 80, "coco_id": None, "flickr_id": None}
    return {"image": picture(image_id * 50), "image_id": image_id, "url": address, **numbers, **more}


@pytest.fixture
def genome(hub: HubServer) -> Repo:
    """Image 1 shows a dog and a ball, image 2 forty cups, image 3 fifteen."""
    dog, ball = thing(11, "dog", 10, 20, 60, 40), thing(12, "ball", 80, 60, 10, 10)
    cups = [thing(200 + index, "cup", index, index, 5, 5) for index in range(40)]
    relation = {"relationship_id": 9, "predicate": "NEAR", "synsets": "", "subject": dog, "object": ball}
    tables = (
        [image(1, objects=[dog, ball]), image(2, objects=cups), image(3, objects=cups[:15])],
        [image(1, objects=[{**dog, "attributes": ["brown"]}, {**ball, "attributes": None}])],
        [image(1, relationships=[relation])],
    )
    files = {f"{name}/train.parquet": table(rows) for name, rows in zip(CONFIGS, tables, strict=True)}
    return hub.add_repo(NAME, files={"README.md": f"{CARD}---\n".encode(), **files})


def command(out: Path, *options: str, name: str = NAME) -> list[object]:
    given = [word for option in options for word in ("--option", option)]
    return ["instances", "import", "visual-genome", f"hf://datasets/{name}", "--out", out, *given]


@pytest.mark.parametrize("streaming", ["true", "false"])
def test_objects_attributes_and_relations_are_joined_and_the_images_chosen_as_from_files(
    streaming: str, genome: Repo, tmp_path: Path, ircore_on: Run
) -> None:
    done = ircore_on(*command(tmp_path / "set", f"streaming={streaming}"))
    assert done.code == 0, done.err
    easy, hard = read_instances(tmp_path / "set").instances
    assert (easy.instance_id, hard.instance_id) == ("photos-easy-vg1", "photos-hard-vg2")
    assert easy.scene is not None
    dog = easy.scene.elements[0]
    assert tuple(dog.box) == (10, 20, 70, 60)
    assert dog.parameters == {"name": "dog", "attributes": ["brown"], "relations": ["near ball"]}
    assert easy.licence == VISUAL_GENOME


def test_a_revision_is_read_as_it_was(genome: Repo, hub: HubServer, tmp_path: Path, ircore_on: Run) -> None:
    former = genome.head
    objects = [thing(31, "cat", 0, 0, 50, 50)]
    genome.commit("another image", {**genome.tree, **files_of(image(3, objects=objects))})
    done = ircore_on(*command(tmp_path / "new"))
    assert done.code == 0, done.err
    assert [target.instance_id for target in read_instances(tmp_path / "new").instances] == ["photos-easy-vg3"]
    done = ircore_on(*command(tmp_path / "old", f"revision={former}"))
    assert done.code == 0, done.err
    assert len(read_instances(tmp_path / "old").instances) == 2


def files_of(row: dict[str, Any]) -> dict[str, File]:
    return {f"{CONFIGS[0]}/train.parquet": File(table([row]), True)}


@pytest.mark.parametrize(
    ("name", "options", "said"),
    [
        (NAME, ["config=regions"], "--option config=regions: org/genome has no such config"),
        (NAME, ["config=relationships_v1.2.0"], "the config relationships_v1.2.0 has no column objects"),
        (NAME, ["revision=none"], "org/genome: no such revision"),
    ],
)
def test_what_is_not_there_is_one_clear_line(
    name: str, options: list[str], said: str, genome: Repo, tmp_path: Path, ircore_on: Run
) -> None:
    done = ircore_on(*command(tmp_path / "set", *options, name=name))
    assert done.code in (1, 2)
    assert said in done.err
    assert "Traceback" not in done.err
    assert not (tmp_path / "set").exists()
