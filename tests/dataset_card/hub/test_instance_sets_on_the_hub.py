"""Instance sets pushed to and pulled from a Hub-compatible server, killed anywhere; Visual Genome from a copy there."""

import hashlib
import io
import subprocess
import sys
import threading
import time
from collections.abc import Callable
from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from genomes import thing
from hub_clients import Outcome, environment_for, published, run_with_hub
from hub_server import File, HubError, HubServer, Repo
from PIL import Image
from releases import contents
from samples import sample_instances

from ircore.core.images import Picture
from ircore.instances.store import COCO, VISUAL_GENOME, InstanceSet, read_instances, write_instances

pytestmark = pytest.mark.slow


REPO = "org/targets"
Run = Callable[..., Outcome]


def tag(instances: InstanceSet) -> str:
    return f"set-{instances.identity[:12]}"


def with_licence(instances: InstanceSet, licence: str, folder: Path) -> InstanceSet:
    """Return the set with another licence of its first picture."""
    first, *others = instances.instances
    changed = [first.model_copy(update={"licence": licence}), *others]
    return write_instances(folder, [(instance, instances.pictures(instance)) for instance in changed])


def test_an_interrupted_push_shows_the_earlier_set_and_goes_on(
    instances: InstanceSet, tmp_path: Path, hub: HubServer, ircore_on: Run
) -> None:
    larger = sample_instances(tmp_path / "larger", per_condition=4)
    pushed = ircore_on("instances", "push", instances.folder, "--repo", REPO)
    assert pushed.code == 0, pushed.err
    assert pushed.out.strip() == f"ircore instances pull {REPO} --revision {tag(instances)} --out DIR"
    repo, sent_before = hub.repos[REPO], set(hub.blobs)
    head = repo.head
    assert repo.private
    hub.fail("PUT /lfs/", times=3)  # three pictures arrive
    hub.fail("PUT /lfs/", HubError(403, "", "Out of space"), times=1000)
    interrupted = ircore_on("instances", "push", larger.folder, "--repo", REPO)
    assert interrupted.code == 1
    assert interrupted.err.splitlines()[-1].startswith("  ")  # a remedy
    sent = set(hub.blobs) - sent_before
    assert len(sent) == 3
    assert (repo.head, list(repo.tags)) == (head, [tag(instances)])
    pulled = ircore_on("instances", "pull", REPO, "--out", tmp_path / "meanwhile")
    assert pulled.code == 0, pulled.err
    assert contents(tmp_path / "meanwhile") == contents(instances.folder)
    hub.forgive()
    hub.requests.clear()
    again = ircore_on("instances", "push", larger.folder, "--repo", REPO)
    assert again.code == 0, again.err
    files = {hashlib.sha256(larger.picture_bytes(target, "target")).hexdigest() for target in larger.instances}
    missing = files - sent_before - sent
    assert sum(request.startswith("PUT /lfs/") for request in hub.requests) == len(missing) > 0
    assert repo.titles[2:] == [f"Instance set {larger.identity[:12]}"]
    pulled = ircore_on("instances", "pull", REPO, "--revision", tag(larger), "--out", tmp_path / "back")
    assert pulled.code == 0, pulled.err
    assert contents(tmp_path / "back") == contents(larger.folder)


def test_withheld_pictures_stay_here_and_their_records_go(
    instances: InstanceSet, tmp_path: Path, hub: HubServer, ircore_on: Run
) -> None:
    withheld = with_licence(instances, COCO, tmp_path / "withheld")
    assert ircore_on("instances", "push", withheld.folder, "--repo", REPO).code == 0
    first = withheld.instances[0]
    there = hub.repos[REPO].tree
    assert first.pictures["target"].image not in there
    assert all(instance.pictures["target"].image in there for instance in withheld.instances[1:])
    assert not any(file.data == withheld.picture_bytes(first, "target") for file in there.values())
    assert "lil-lab/ICCA" in there["README.md"].data.decode()
    pulled = ircore_on("instances", "pull", REPO, "--out", tmp_path / "back")
    assert pulled.code == 0, pulled.err
    assert withheld.identity in pulled.out


def test_a_picture_without_a_licence_is_refused(
    instances: InstanceSet, tmp_path: Path, hub: HubServer, ircore_on: Run
) -> None:
    unstated = with_licence(instances, "LicenseRef-unstated", tmp_path / "unstated")
    done = ircore_on("instances", "push", unstated.folder, "--repo", REPO)
    assert done.code == 2
    assert "no licence is stated" in done.err
    assert REPO not in hub.repos


def test_an_exchanged_picture_is_noticed_and_nothing_is_written(
    instances: InstanceSet, tmp_path: Path, hub: HubServer, ircore_on: Run
) -> None:
    assert ircore_on("instances", "push", instances.folder, "--repo", REPO).code == 0
    first, second = instances.instances[:2]
    tree = hub.repos[REPO].tree
    place = first.pictures["target"].image
    tree[place] = File(instances.picture_bytes(second, "target"), tree[place].large)
    # A home of its own: another test's cache may hold the same commit.
    command = ["-m", "ircore", "instances", "pull", REPO, "--out", str(tmp_path / "back")]
    pulled = run_with_hub(hub, tmp_path / "home", command)
    assert pulled.code == 1
    assert f"{place}: damaged, not the picture that was recorded" in pulled.err
    assert not (tmp_path / "back").exists()


def test_files_of_a_dataset_on_the_hub_are_imported(hub: HubServer, tmp_path: Path, ircore_on: Run) -> None:
    """GIR-Bench's layout; a dataset that somebody else made needs no copy made by hand."""
    tasks = b'[{"id": 1, "prompt": "An advertisement\'s three words.", "text": "JUST DO IT"}]'
    hub.add_repo("org/tasks", files={"prompt/TextRendering.json": tasks})
    done = ircore_on("instances", "import", "gir-bench", "hf://datasets/org/tasks", "--out", tmp_path / "tasks")
    assert done.code == 0, done.err
    assert "JUST DO IT" in (tmp_path / "tasks" / "instances.jsonl").read_text()


@pytest.mark.parametrize(
    ("address", "code", "said"),
    [("hf://datasets/org/nothing", 1, "org/nothing"), ("hf://models/org/tasks", 2, "names no dataset of the Hub")],
)
def test_an_address_without_a_dataset_is_refused(
    hub: HubServer, tmp_path: Path, ircore_on: Run, address: str, code: int, said: str
) -> None:
    done = ircore_on("instances", "import", "gir-bench", address, "--out", tmp_path / "tasks")
    assert (done.code, said in done.err) == (code, True), done.err
    assert not (tmp_path / "tasks").exists()


def test_a_set_of_many_pictures_is_sent_in_commits_of_at_most_a_hundred_files(
    instances: InstanceSet, tmp_path: Path, hub: HubServer, ircore_on: Run
) -> None:
    assert ircore_on("instances", "push", instances.folder, "--repo", REPO).code == 0
    repo, first = hub.repos[REPO], instances.instances[0]
    many = write_instances(
        tmp_path / "many",
        (
            (
                first.model_copy(update={"instance_id": f"grey-{grey}", "pictures": {}}),
                {"target": Picture.from_pixels(np.full((8, 8, 3), grey, dtype=np.uint8))},
            )
            for grey in range(230)
        ),
    )
    former = repo.head
    hub.fail("POST /api/datasets/org/targets/commit/main", times=2)
    hub.fail("POST /api/datasets/org/targets/commit/main", HubError(403, "", "Out of space"))
    assert ircore_on("instances", "push", many.folder, "--repo", REPO).code == 1
    # Two hundred pictures are there; what says which pictures the set has is still that of the former set.
    assert len(repo.tree) == len(repo.commits[former]) + 200
    pulled = ircore_on("instances", "pull", REPO, "--out", tmp_path / "meanwhile")
    assert pulled.code == 0, pulled.err
    assert contents(tmp_path / "meanwhile") == contents(instances.folder)
    assert ircore_on("instances", "push", many.folder, "--repo", REPO).code == 0
    sizes = [len(set(new.items()) ^ set(old.items())) for old, new in pairwise(repo.commits.values())]
    assert max(sizes) <= 2 * 100  # a file that is changed differs on both sides
    assert published(hub, REPO) == contents(many.folder) | {"README.md": repo.tree["README.md"].data}


def killed(hub: HubServer, home: Path, command: list[object], request: str, earlier: int, delay: float) -> None:
    """Run a command and kill its process at a request of the Hub.

    Args:
        request: Pattern of the request.
        earlier: Requests of that pattern that pass before.
        delay: Seconds from the request on.
    """
    running: list[subprocess.Popen[bytes]] = []
    dead = threading.Event()

    def end() -> None:
        time.sleep(delay)
        running[0].kill()
        dead.set()

    if earlier:
        hub.fail(request, times=earlier)
    hub.fail(request, meanwhile=threading.Thread(target=end).start if delay else end)
    arguments = [sys.executable, "-m", "ircore", *map(str, command)]
    with subprocess.Popen(
        arguments, env=environment_for(hub, home), stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL
    ) as process:
        running.append(process)
        process.wait(120)
    assert dead.wait(10), f"the Hub was never asked for {request}"
    hub.forgive()


@pytest.mark.parametrize(
    ("request_", "earlier"),
    [("PUT /lfs/", 3), ("POST /api/datasets/org/targets/commit", 0), ("POST /api/datasets/org/targets/tag", 0)],
)
def test_a_killed_push_leaves_the_old_set_or_the_new_one_and_goes_on(
    request_: str, earlier: int, instances: InstanceSet, tmp_path: Path, hub: HubServer, ircore_on: Run
) -> None:
    larger = sample_instances(tmp_path / "larger", per_condition=4)
    assert ircore_on("instances", "push", instances.folder, "--repo", REPO).code == 0
    push = ["instances", "push", larger.folder, "--repo", REPO]
    killed(hub, tmp_path / "home", push, request_, earlier, 0)
    pulled = ircore_on("instances", "pull", REPO, "--out", tmp_path / "meanwhile")
    assert pulled.code == 0, pulled.err
    assert contents(tmp_path / "meanwhile") in (contents(instances.folder), contents(larger.folder))
    again = ircore_on(*push)
    assert again.code == 0, again.err
    for pushed in (larger, instances):
        out = tmp_path / tag(pushed)
        pulled = ircore_on("instances", "pull", REPO, "--revision", tag(pushed), "--out", out)
        assert pulled.code == 0, pulled.err
        assert contents(out) == contents(pushed.folder)


@pytest.mark.parametrize(
    ("request_", "earlier", "delay"),
    [
        ("GET /datasets/org/targets/resolve/.*instances.jsonl", 0, 0.0),
        ("GET /datasets/org/targets/resolve/.*png", 3, 0.0),
        ("GET /datasets/org/targets/resolve/.*png", 3, 0.1),
    ],
)
def test_a_killed_pull_leaves_no_folder_or_the_whole_set_and_goes_on(
    request_: str, earlier: int, delay: float, instances: InstanceSet, tmp_path: Path, hub: HubServer, ircore_on: Run
) -> None:
    assert ircore_on("instances", "push", instances.folder, "--repo", REPO).code == 0
    out = tmp_path / "set"
    pull = ["instances", "pull", REPO, "--out", out]
    killed(hub, tmp_path / "home", pull, request_, earlier, delay)
    if not out.exists():
        again = ircore_on(*pull)
        assert again.code == 0, again.err
    assert contents(out) == contents(instances.folder)


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
