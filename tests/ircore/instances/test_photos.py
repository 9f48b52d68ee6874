"""Photographs: those that are shipped, and Visual Genome's; tangrams that people named."""

import io
import json
import math
import tracemalloc
from collections.abc import Callable
from importlib.resources import files
from pathlib import Path
from statistics import fmean
from typing import Any

import pytest
from known_values import known
from PIL import Image

from ircore.commands.main import run
from ircore.commands.main import run as ircore
from ircore.core.errors import InputError
from ircore.core.records import DIFFICULTIES, Difficulty, collect_measures
from ircore.games.reconstruction.build_targets import SeededPlace, build_instances
from ircore.games.reconstruction.import_pictures import import_tangrams
from ircore.games.reconstruction.import_visual_genome import import_visual_genome, read_array
from ircore.instances.requests import ImportRequest
from ircore.instances.store import may_be_published, read_instances
from ircore.instances.summary import Measures, compute_mean, measure_edge_density, measure_picture
from ircore.instances.tangrams import make_tangram
from ircore.instances.targets.categories import BUILDERS, draw_target
from ircore.instances.targets.photos import FOLDER, load_catalogue, load_shots
from ircore.runs.folder import RunFolder
from ircore.scorers.judges.tangrams import compute_area, number_pieces
from ircore.scorers.scoring import ScoringPlan, score_runs

FREE = {
    "CC0-1.0", "CC-BY-2.0", "CC-BY-3.0", "CC-BY-4.0", "CC-BY-SA-2.0", "CC-BY-SA-3.0", "CC-BY-SA-4.0",
}  # fmt: skip


def test_every_photograph_is_small_colour_and_without_metadata() -> None:
    for photo in load_catalogue():
        data = (FOLDER / photo.file).read_bytes()
        with Image.open(io.BytesIO(data)) as image:
            assert (image.format, image.mode) == ("JPEG", "RGB")
            assert 400 < max(image.size) <= 512
            assert not image.info.keys() & {"exif", "icc_profile", "comment", "xmp", "photoshop"}
        assert len(data) < 100_000


def test_every_photograph_has_a_licence_that_allows_sharing() -> None:
    for photo in load_catalogue():
        assert photo.licence in FREE or photo.licence.startswith("LicenseRef-public-domain-")
        assert photo.author


@pytest.mark.slow
def test_the_second_edition_has_twenty_photographs_or_more_and_as_many_easy_as_hard_ones() -> None:
    """Its hard ones measure harder: more of their pixels lie on edges."""
    easy, hard = load_shots("easy", edition=2), load_shots("hard", edition=2)
    assert len(easy) == len(hard) >= 10
    densities = [
        compute_mean(measure_edge_density(shot.picture.pixels) for shot in photographs) for photographs in (easy, hard)
    ]
    assert known(densities[1]) > 1.5 * known(densities[0])


def test_the_sources_name_every_file_title_and_author() -> None:
    text = (files("ircore.instances.targets") / "photographs" / "SOURCES.md").read_text()
    rows = {line.split("|")[1].strip(" `"): line for line in text.splitlines() if line.startswith("| `")}
    assert rows.keys() == {photo.file for photo in load_catalogue()}
    for photo in load_catalogue():
        assert photo.title in rows[photo.file]
        assert photo.author in rows[photo.file]


TARGETS = 8
WITHOUT_TEXT = ("simple_shapes",)


def measured(category: str, difficulty: Difficulty) -> list[Measures]:
    places = [SeededPlace(category, difficulty, index) for index in range(1, TARGETS + 1)]
    targets = [draw_target(category, difficulty, place.seed(2026), edition=2) for place in places]
    return [measure_picture(target.drawing.pixels, target.scene) for target in targets]


@pytest.mark.slow
@pytest.mark.parametrize("category", BUILDERS)
def test_hard_targets_have_more_elements_edges_and_text_than_easy_targets(category: str) -> None:
    easy, hard = measured(category, "easy"), measured(category, "hard")
    for name in ("elements", "edge_density", "text_density"):
        less, more = (compute_mean(getattr(target, name) for target in targets) for targets in (easy, hard))
        assert less is not None
        assert more is not None
        if name == "text_density" and category in WITHOUT_TEXT:
            assert less == more == 0
        else:
            assert more > 1.03 * less, name


@pytest.mark.slow
def test_the_first_edition_draws_what_it_always_drew() -> None:
    """A hard graph of the second edition differs from the first edition's, an easy one does not."""
    for category in BUILDERS:
        for difficulty in ("easy", "hard"):
            first, second = (
                draw_target(category, difficulty, 5).scene,
                draw_target(category, difficulty, 5, edition=2).scene,
            )
            assert (first == second) == ((category, difficulty) != ("functions", "hard"))


@pytest.mark.slow
@pytest.mark.timeout(300)
def test_the_verified_share_of_a_ceiling_falls_from_easy_to_hard(tmp_path: Path) -> None:
    build = ["instances", "build", "--out", str(tmp_path / "targets"), "--edition", "2", "--seed", "2026"]
    chosen = [word for category in BUILDERS for word in ("--category", category)]
    assert ircore([*build, "--per-condition", "1", *chosen]) == 0
    ceiling = tmp_path / "ceiling" / "submission.yaml"
    ceiling.parent.mkdir()
    ceiling.write_text(
        "schema: 1\nname: ceiling\ndescriber: {player: scene}\ngenerator: {player: canvas}\nlicence: CC0-1.0\n",
        encoding="utf-8",
    )
    places = ["--instances", str(tmp_path / "targets"), "--out", str(tmp_path / "run")]
    assert ircore(["play", str(ceiling.parent), *places]) == 0
    run = RunFolder(tmp_path / "run")
    score_runs([run], ScoringPlan(("verified",), metrics=(), every_turn=False), workers=2)
    scores = [score for score in run.scores() if score.task == "similarity"]
    shares = {score.episode_id.rpartition("-")[0]: known(score.value) for score in scores}
    easy, hard = (fmean(shares[f"{category}-{difficulty}"] for category in BUILDERS) for difficulty in ("easy", "hard"))
    assert easy > hard > 5
    for category in BUILDERS:  # a ceiling that leaves things unsaid would hide how hard they are
        assert shares[f"{category}-easy"] > 8.5, category


@pytest.mark.slow
@pytest.mark.parametrize("difficulty", DIFFICULTIES)
def test_a_target_has_the_seven_exact_pieces(difficulty: Difficulty) -> None:
    """In sixteenths of the area: square, parallelogram and medium triangle 2, small triangles 1, large ones 4."""
    for seed in range(5):
        scene = draw_target("tangrams", difficulty, seed).scene
        polygons = {str(element.parameters["piece"]): element.parameters["corners"] for element in scene.elements}
        areas = {name: compute_area(polygons[name]) for name in sorted(polygons)}  # type: ignore[arg-type]
        shares = [16 * area / math.fsum(areas.values()) for area in areas.values()]
        assert shares == pytest.approx([2, 2, 1, 1, 2, 4, 4], rel=1e-3)
        assert sorted(number_pieces(list(polygons.values()))) == list("1234567")  # type: ignore[arg-type]


def test_easy_pieces_have_colours_of_their_own_and_hard_ones_share_one() -> None:
    for difficulty, number in (("easy", 7), ("hard", 1)):
        scene = draw_target("tangrams", difficulty, seed=3).scene  # type: ignore[arg-type]
        assert len({element.colour for element in scene.elements}) == number


@pytest.mark.slow
def test_a_set_holds_tangrams_only_where_they_are_asked_for(tmp_path: Path) -> None:
    """The released sets are what they were."""
    assert "tangrams" not in {
        instance.category for instance in build_instances(tmp_path / "a", per_condition=1).instances
    }
    made = build_instances(tmp_path / "b", per_condition=2, categories=["tangrams"])
    assert [instance.instance_id for instance in made.instances] == [
        "tangrams-easy-01", "tangrams-easy-02", "tangrams-hard-01", "tangrams-hard-02",
    ]  # fmt: skip


@pytest.mark.slow
def test_the_built_in_pair_is_scored_piece_by_piece(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    build_instances(tmp_path / "set", per_condition=1, categories=["tangrams"])
    assert (
        ircore(["play", "classical+canvas", "--instances", str(tmp_path / "set"), "--out", str(tmp_path / "run")]) == 0
    )
    assert ircore(["score", str(tmp_path / "run"), "--judge", "pieces", "--judge", "verified"]) == 0
    capsys.readouterr()
    assert ircore(["results", str(tmp_path / "run"), "--judge", "pieces", "--json"]) == 0
    (row,) = json.loads(capsys.readouterr().out)["rows"]
    assert row["score"]["mean"] > 9


def polygons(seed: int) -> str:
    import random

    pieces = make_tangram(random.Random(seed)).pieces
    drawn = "".join(
        f'<polygon id="{name}" points="{" ".join(f"{10 * x},{10 * y}" for x, y in piece)}"/>'
        for name, piece in pieces.items()
    )
    return f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="-70 -70 140 140">{drawn}</svg>'


@pytest.fixture
def kilogram(tmp_path: Path) -> Path:
    """Four tangrams: one that all name alike (0), one that nobody does (1), and two between; one of these is dense."""
    root = tmp_path / "kilogram"
    (root / "dataset" / "tangrams-svg").mkdir(parents=True)
    for seed, name in enumerate(("page-A", "page1-1", "page1-2", "page1-3")):
        (root / "dataset" / "tangrams-svg" / f"{name}.svg").write_text(polygons(seed))
    measured = root / "analysis" / "behavior" / "measures" / "measures_data"
    measured.mkdir(parents=True)
    (measured / "full_SND.json").write_text(
        json.dumps({"page-A": 0.5, "page1-1": 1.0, "page1-2": 0.9, "page1-3": 0.9, "page9-9": 0.1})
    )
    names = ["dog", "cat", "house", "boat"]  # no two share a word: divergence 1
    annotations = [{"whole": {"wholeAnnotation": name}, "part": {}} for name in names]
    (root / "dataset" / "dense.json").write_text(json.dumps({"page1-3": {"annotations": annotations}}))
    return root


@pytest.mark.slow
def test_difficulty_is_how_differently_people_name_a_tangram(
    kilogram: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """Annotations of many people count for more than the published divergence of ten: page1-3 has 1, not 0.9."""
    made = import_tangrams(ImportRequest(kilogram, tmp_path / "set"))
    assert {instance.instance_id: collect_measures(instance) for instance in made.instances} == {
        "tangrams-easy-page-a": {"snd": 0.5},
        "tangrams-hard-page1-1": {"snd": 1.0},
        "tangrams-hard-page1-3": {"snd": 1.0},
    }
    assert "1 of 4 tangrams left out" in capsys.readouterr().err
    assert {instance.licence for instance in made.instances} == {"LicenseRef-KiloGram-tangrams"}
    assert all(instance.scene is not None and len(instance.scene.elements) == 7 for instance in made.instances)


@pytest.mark.parametrize(
    ("spoil", "fault"),
    [
        (lambda root: (root / "dataset/tangrams-svg/page1-1.svg").write_text("<svg/>"), "page1-1.svg: the outermost"),
        (lambda root: (root / "dataset/dense.json").write_text("[]"), "dense.json: is not an object of pictures"),
        (
            lambda root: (root / "analysis/behavior/measures/measures_data/full_SND.json").write_text('{"page-A": 2}'),
            "full_SND.json: page-A",
        ),
        (lambda root: (root / "dataset/tangrams-svg").rename(root / "pictures"), "no folder of tangrams"),
    ],
)
def test_bad_files_are_named_and_nothing_is_written(kilogram: Path, tmp_path: Path, spoil: object, fault: str) -> None:
    spoil(kilogram)  # type: ignore[operator]
    with pytest.raises(InputError, match=fault):
        import_tangrams(ImportRequest(kilogram, tmp_path / "set"))
    assert not (tmp_path / "set").exists()


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
