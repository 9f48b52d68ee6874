"""The shipped photographs: few, small, free, and each with its author."""

import io
import json
import math
from collections.abc import Mapping
from importlib.resources import files
from pathlib import Path

import pytest
from known_values import known
from PIL import Image

from ircore.commands.main import run as ircore
from ircore.core.errors import InputError
from ircore.core.records import DIFFICULTIES, Difficulty, collect_measures
from ircore.games.reconstruction.build_targets import SeededPlace, build_instances
from ircore.games.reconstruction.import_pictures import import_tangrams
from ircore.instances.requests import ImportRequest
from ircore.instances.statistics import Measures, compute_mean, measure_edge_density, measure_picture
from ircore.instances.tangrams import make_tangram
from ircore.instances.targets.categories import BUILDERS, draw_target
from ircore.instances.targets.photos import FOLDER, load_catalogue, load_shots
from ircore.results.model import Cell, Results
from ircore.results.statistics.intervals import subtract_estimates
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


TARGETS = 16
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


PER_CONDITION = "2"


def played(submission: str, folder: Path, name: str) -> RunFolder:
    command = ["play", submission, "--instances", str(folder / "targets"), "--out", str(folder / name)]
    assert ircore(command) == 0
    return RunFolder(folder / name)


def check_that_shares_do_not_rise(player: str, cells: Mapping[tuple[str, str | None, str | None], Cell]) -> None:
    """Over all categories the mean falls; within one, no rise is beyond chance (95 % interval) at so few targets."""
    for category in (None, *BUILDERS):
        easy, hard = (cells[player, category, difficulty].main for difficulty in ("easy", "hard"))
        rise = subtract_estimates(hard, easy)
        assert known(rise.low) <= 0, (player, category, rise)
        if category is None:
            assert known(rise.mean) < 0, (player, rise)


@pytest.mark.slow
@pytest.mark.timeout(300)
def test_the_verified_share_of_a_pair_and_of_a_ceiling_does_not_rise_from_easy_to_hard(tmp_path: Path) -> None:
    build = ["instances", "build", "--out", str(tmp_path / "targets"), "--edition", "2", "--seed", "2026"]
    chosen = [word for category in BUILDERS for word in ("--category", category)]
    assert ircore([*build, "--per-condition", PER_CONDITION, *chosen]) == 0
    ceiling = tmp_path / "ceiling" / "submission.yaml"
    ceiling.parent.mkdir()
    ceiling.write_text(
        "schema: 1\nname: ceiling\ndescriber: {player: scene}\ngenerator: {player: canvas}\nlicence: CC0-1.0\n",
        encoding="utf-8",
    )
    runs = [played("captioner+canvas", tmp_path, "pair"), played(str(ceiling.parent), tmp_path, "reference")]
    score_runs(runs, ScoringPlan(("verified",), metrics=()))
    results = Results.from_runs(runs)
    (pair,), (reference,) = results.submissions, results.references
    both = [
        *((("pair", *key[1:3]), cell) for key, cell in results.cells.items() if key[0] == pair.run_id),
        *((("ceiling", *key[:2]), cell) for key, cell in reference.cells.items()),
    ]
    cells = dict(both)
    for player in ("pair", "ceiling"):
        check_that_shares_do_not_rise(player, cells)
    for category in BUILDERS:  # a ceiling that leaves things unsaid would hide how hard they are
        share = known(cells["ceiling", category, "easy"].main.mean)
        assert share > 85, category
    best, usual = (cells[player, None, "hard"].main.mean for player in ("ceiling", "pair"))
    assert best is not None
    assert usual is not None
    assert best > 50 > usual  # a ceiling and a weak pair: the two ends of the scale


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
