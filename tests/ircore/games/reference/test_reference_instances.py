"""Contexts of our own and imported games: what they hold, that they are the same everywhere, and bad files."""

import os
import random
import shutil
from math import isclose
from pathlib import Path

import pytest
from recorded_reference import write_recorded_game

from ircore.core.errors import InputError
from ircore.games.reference.build import build
from ircore.games.reference.icca import import_icca
from ircore.instances.requests import BuildRequest, ImportRequest
from ircore.instances.tangrams import PIECES, draw_tangram, in_pixels, make_tangram

SHARED = Path(os.environ.get("IRCORE_SHARED_DATA") or Path(__file__).resolve().parents[4].parent / "shared" / "data")
ICCA = SHARED / "lang" / "icca" / "games"
needs_icca = pytest.mark.skipif(not ICCA.is_dir(), reason="needs ICCA's recorded games")


def area(corners: tuple[tuple[float, float], ...]) -> float:
    following = [*corners[1:], corners[0]]
    return abs(sum(ax * by - bx * ay for (ax, ay), (bx, by) in zip(corners, following, strict=True))) / 2


@pytest.mark.slow
def test_a_set_has_every_condition_and_each_picture_once_a_repetition(tmp_path: Path) -> None:
    made = build(BuildRequest(tmp_path / "set", per_condition=1))
    assert [(instance.category, instance.difficulty) for instance in made.instances] == [
        (category, difficulty) for category in ("lineup", "shapes", "tangrams") for difficulty in ("easy", "hard")
    ]
    for instance in made.instances:
        context, targets = instance.payload["context"], instance.payload["targets"]
        assert isinstance(context, list)
        assert isinstance(targets, list)
        assert len({file.sha256 for file in instance.pictures.values()}) == len(context)
        if instance.category == "lineup":
            assert (len(context), len(targets)) == (10, 1)
        else:
            assert len(context) == 4
            assert [sorted(map(str, targets[at : at + 4])) for at in range(0, 24, 4)] == [sorted(map(str, context))] * 6


@pytest.mark.slow
def test_the_same_seed_is_the_same_set_and_another_seed_is_not(tmp_path: Path) -> None:
    first, again, other = (
        build(BuildRequest(tmp_path / name, seed=seed, per_condition=1))
        for name, seed in (("a", 0), ("b", 0), ("c", 1))
    )
    assert first.identity == again.identity != other.identity


def test_a_category_of_another_game_is_refused(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="unknown category 'pie_graph'"):
        build(BuildRequest(tmp_path / "set", categories=("pie_graph",)))
    assert not (tmp_path / "set").exists()


@pytest.mark.parametrize("seed", range(20))
def test_a_tangram_has_seven_exact_pieces_that_do_not_overlap(seed: int) -> None:
    tangram = make_tangram(random.Random(seed))
    assert tangram.pieces.keys() == PIECES.keys()
    assert sorted(round(area(corners), 9) for corners in tangram.pieces.values()) == [0.5, 0.5, 1, 1, 1, 2, 2]
    # Pieces drawn together cover as many pixels as pieces drawn apart, but for the seams, 8 pixels wide.
    corners = in_pixels(tangram, 1024)
    covered = (draw_tangram(tangram, 1024).pixels < 128).all(axis=2).sum()
    assert isclose(covered, sum(map(area, corners.values())), rel_tol=0.16)
    assert all(0 < coordinate < 1024 for piece in corners.values() for point in piece for coordinate in point)


@needs_icca
@pytest.mark.slow
def test_imported_games_hold_what_people_said(tmp_path: Path) -> None:
    made = import_icca(ImportRequest(ICCA, tmp_path / "set"))
    first = made.instances[0]
    human = first.payload["human"]
    assert isinstance(human, list)
    assert human[0] == {
        "message": "A grown man is in a tuxedo is eating something",
        "chosen": "coco_val2014_000000334417",
    }
    assert first.licence == "LicenseRef-COCO-photographs"


@needs_icca
@pytest.mark.parametrize(
    ("change", "problem"),
    [
        (lambda text: "\n".join(text.splitlines()[:20]), "trialNum: 19 rows"),
        (lambda text: text.replace("trialNum", "trial", 1), "column trialNum is missing"),
        (lambda text: text.replace(",0,0,", ",x,0,", 1), "row 1: trialNum: 'x' is not a number"),
        (lambda text: text.replace("A grown man is in a tuxedo is eating something", " ", 1), "row 1: msg: is empty"),
        (lambda text: text.replace("COCO_val2014_000000334417.jpg", "../../etc/passwd", 1), "is not a file name"),
        (
            lambda text: text.replace("COCO_val2014_000000334417.jpg", "COCO_val2014_000000473237.jpg", 1),
            "each of four pictures once",
        ),
        (lambda text: text.replace(",target,", ",nobody,", 1), "clickedObj: 'nobody'"),
    ],
)
def test_a_damaged_game_is_refused_in_one_line_and_nothing_is_written(
    tmp_path: Path, change: object, problem: str
) -> None:
    source = sorted(ICCA.iterdir())[0]
    shutil.copytree(source, tmp_path / "games" / source.name)
    table = next((tmp_path / "games").glob("*/*.csv"))
    table.write_text(change(table.read_text()))  # type: ignore[operator]
    with pytest.raises(InputError, match=problem) as refused:
        import_icca(ImportRequest(tmp_path / "games", tmp_path / "set"))
    assert str(tmp_path / "games") in refused.value.problem
    assert not (tmp_path / "set").exists()


@pytest.mark.parametrize(
    ("kept", "problem"), [(3, "COCO_val2014_000000000004.jpg: targetImg names this picture"), (0, "is not there")]
)
def test_a_picture_that_is_not_there_is_named(tmp_path: Path, kept: int, problem: str) -> None:
    games = write_recorded_game(tmp_path / "games")
    for picture in sorted(games.glob("*/*.jpg"))[kept:]:
        picture.unlink()
    with pytest.raises(InputError, match=problem):
        import_icca(ImportRequest(games, tmp_path / "set"))
    assert not (tmp_path / "set").exists()


@pytest.mark.slow
@needs_icca
def test_rows_in_any_order_and_messages_that_look_like_nothing_are_taken(tmp_path: Path) -> None:
    source = sorted(ICCA.iterdir())[0]
    shutil.copytree(source, tmp_path / "games" / source.name)
    table = next((tmp_path / "games").glob("*/*.csv"))
    head, *rows = table.read_text().splitlines()
    table.write_text("\n".join([head, *reversed(rows)]).replace("A grown man is in a tuxedo is eating something", "NA"))
    made = import_icca(ImportRequest(tmp_path / "games", tmp_path / "set"))
    human = made.instances[0].payload["human"]
    assert isinstance(human, list)
    assert human[0]["message"] == "NA"  # type: ignore[call-overload,index]
