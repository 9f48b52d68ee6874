"""Tangrams as targets of the reconstruction game: drawn ones, and KiloGram's by how differently people name them."""

import json
import math
from pathlib import Path

import pytest

from ircore.commands.main import run as ircore
from ircore.core.errors import InputError
from ircore.core.records import DIFFICULTIES, Difficulty, measures_of
from ircore.games.reconstruction.build_targets import build_instances, draw
from ircore.games.reconstruction.import_tangrams import import_tangrams
from ircore.instances.requests import ImportRequest
from ircore.instances.tangrams import make_tangram
from ircore.scorers.tangrams.pieces import area_of, numbered


@pytest.mark.slow
@pytest.mark.parametrize("difficulty", DIFFICULTIES)
def test_a_target_has_the_seven_exact_pieces(difficulty: Difficulty) -> None:
    """In sixteenths of the area: square, parallelogram and medium triangle 2, small triangles 1, large ones 4."""
    for seed in range(5):
        scene = draw("tangrams", difficulty, seed).scene
        polygons = {str(element.parameters["piece"]): element.parameters["corners"] for element in scene.elements}
        areas = {name: area_of(polygons[name]) for name in sorted(polygons)}  # type: ignore[arg-type]
        shares = [16 * area / math.fsum(areas.values()) for area in areas.values()]
        assert shares == pytest.approx([2, 2, 1, 1, 2, 4, 4], rel=1e-3)
        assert sorted(numbered(list(polygons.values()))) == list("1234567")  # type: ignore[arg-type]


def test_easy_pieces_have_colours_of_their_own_and_hard_ones_share_one() -> None:
    for difficulty, number in (("easy", 7), ("hard", 1)):
        scene = draw("tangrams", difficulty, seed=3).scene  # type: ignore[arg-type]
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
    assert {instance.instance_id: measures_of(instance) for instance in made.instances} == {
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
