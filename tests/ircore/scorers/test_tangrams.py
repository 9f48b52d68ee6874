"""Tangrams are verified piece by piece: published overlaps of disturbed figures, and pictures with planted faults."""

import io
import json
import math
import os
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest
from click.testing import CliRunner
from PIL import Image, ImageFilter

from ircore.commands.verify import command as verify
from ircore.core.drawing import Drawing, Point
from ircore.core.images import Picture
from ircore.core.records import Scene
from ircore.games.reconstruction.build_targets import build_instances
from ircore.instances.tangrams import PIECES, read_tangram_svg
from ircore.instances.targets.base import Drawn
from ircore.instances.targets.categories import draw_target
from ircore.scorers.judges.tangrams import PiecesJudge, Polygon, compare_frames, draw_polygons_in_frame, number_pieces

SHARED = Path(os.environ.get("IRCORE_SHARED_DATA") or Path(__file__).resolve().parents[3].parent / "shared" / "data")
SVG = SHARED / "lang" / "kilogram" / "svg"
needs_kilogram = pytest.mark.skipif(not SVG.is_dir(), reason="needs KiloGram's tangrams")
Change = Callable[[float, float], Point]

CORNERS = {"1": (0, 0), "2": (2, 0), "3": (5, 0), "4": (0, 2), "5": (2, 2), "6": (5, 2), "7": (0, 4)}
APART: dict[str, Polygon] = {
    name: [(x + CORNERS[name][0], y + CORNERS[name][1]) for x, y in piece] for name, piece in PIECES.items()
}
"""The seven pieces in three rows, none touching another."""


def moved(pieces: dict[str, Polygon], change: Change) -> dict[str, Polygon]:
    return {name: [change(x, y) for x, y in piece] for name, piece in pieces.items()}


def turned(degrees: float) -> Change:
    cosine, sine = math.cos(math.radians(degrees)), math.sin(math.radians(degrees))
    return lambda x, y: (cosine * x - sine * y, sine * x + cosine * y)


@pytest.mark.slow
@needs_kilogram
@pytest.mark.parametrize(
    ("change", "silhouette", "pieces"),
    [
        (lambda x, y: (1.7 * x + 40, 1.7 * y - 9), 1.0, 1.0),
        (turned(5), 0.819, 0.697),
        (turned(15), 0.596, 0.392),
        (turned(90), 0.307, 0.064),
        (lambda x, y: (-x, y), 0.642, 0.260),
    ],
    ids=["larger-and-elsewhere", "turned-5", "turned-15", "turned-90", "mirrored"],
)
def test_disturbed_figures_overlap_as_measured_before(change: Change, silhouette: float, pieces: float) -> None:
    """The values were measured on all 74 densely annotated tangrams; these are 37 of them, so a few hundredths off."""
    matches = []
    for path in sorted(SVG.glob("*.svg")):
        figure: dict[str, Polygon] = {name: piece.corners for name, piece in read_tangram_svg(path).pieces.items()}
        matches.append(compare_frames(draw_polygons_in_frame(figure), draw_polygons_in_frame(moved(figure, change))))
    assert np.mean([match.silhouette for match in matches]) == pytest.approx(silhouette, abs=0.03)
    assert np.mean([match.mean for match in matches]) == pytest.approx(pieces, abs=0.03)


def test_two_pieces_of_one_form_may_stand_for_each_other() -> None:
    exchanged = {**APART, "3": APART["4"], "4": APART["3"], "6": APART["7"], "7": APART["6"]}
    frames = draw_polygons_in_frame(APART), draw_polygons_in_frame(exchanged)
    assert compare_frames(*frames).mean == 1
    assert compare_frames(*frames, interchange=False).mean == pytest.approx(3 / 7)


def test_a_silhouette_cannot_tell_which_piece_lies_where() -> None:
    renamed = dict(zip("1234567", [APART[name] for name in "2345671"], strict=True))
    match = compare_frames(draw_polygons_in_frame(APART), draw_polygons_in_frame(renamed), interchange=False)
    assert match.silhouette == 1
    assert match.mean == 0


def test_seven_polygons_are_numbered_by_their_form() -> None:
    """Given in reverse, four times as large and turned, each is found; of two alike, either may be either."""
    polygons: list[Polygon] = [[turned(30)(4 * x, 4 * y) for x, y in APART[name]] for name in reversed("1234567")]
    names = number_pieces(polygons)
    assert [polygons.index(names[name]) for name in "125"] == [6, 5, 2]
    assert {polygons.index(names[name]) for name in "34"} == {4, 3}


@pytest.mark.parametrize(
    ("polygons", "fault"),
    [
        (list(APART.values())[:6], "6 polygons; a tangram has 7"),
        ([[(0, 0), (1, 0), (1, 1), (0, 1)]] * 7, "no polygon has the form of piece"),
        ([[(0, 0), (1, 0), (2, 0)]] * 7, "the polygons have no area"),
    ],
)
def test_other_polygons_are_no_pieces(polygons: list[Polygon], fault: str) -> None:
    with pytest.raises(ValueError, match=fault):
        number_pieces(polygons)


@pytest.fixture(params=["easy", "hard"])
def tangram(request: pytest.FixtureRequest) -> Drawn:
    return draw_target("tangrams", request.param, seed=11)


def rated(tangram: Drawn, image: Image.Image) -> float:
    rating = PiecesJudge(tangram.scene).rate(picture_of(tangram), Picture.from_pixels(np.asarray(image.convert("RGB"))))
    assert rating.value is not None
    return rating.value


def picture_of(tangram: Drawn) -> Picture:
    return Picture.from_pixels(tangram.drawing.pixels)


def jpeg(image: Image.Image, quality: int) -> Image.Image:
    data = io.BytesIO()
    image.save(data, "JPEG", quality=quality)
    return Image.open(data)


@pytest.mark.slow
@pytest.mark.parametrize(
    "disturb",
    [
        lambda image: jpeg(image, 75),
        lambda image: jpeg(image, 30),
        lambda image: image.resize((256, 256), Image.Resampling.BICUBIC),
        lambda image: image.filter(ImageFilter.GaussianBlur(1)),
        lambda image: Image.fromarray(np.roll(np.asarray(image), (12, -9), (0, 1))),
    ],
    ids=["jpeg-75", "jpeg-30", "half-the-size", "blur-1", "moved"],
)
def test_the_same_figure_is_right_also_when_the_picture_suffered(
    tangram: Drawn, disturb: Callable[[Image.Image], Image.Image]
) -> None:
    assert rated(tangram, disturb(tangram.drawing.image)) > 9


@pytest.mark.slow
def test_wrong_figures_are_wrong(tangram: Drawn) -> None:
    image = tangram.drawing.image
    assert rated(tangram, image) == 10
    assert rated(tangram, image.transpose(Image.Transpose.FLIP_LEFT_RIGHT)) < 5
    assert rated(tangram, Image.new("RGB", (512, 512), "white")) == 0
    assert rated(tangram, Image.new("RGB", (512, 512), "black")) < 1
    others = [rated(tangram, draw_target("tangrams", difficulty, seed=seed).drawing.image)
              for difficulty in ("easy", "hard") for seed in range(20, 26)]  # fmt: skip
    assert max(others) < 3


@pytest.mark.slow
def test_a_piece_that_is_missing_or_in_another_colour_costs_its_seventh(tangram: Drawn) -> None:
    without = redrawn(tangram, leave_out="1")
    assert rated(tangram, without.image) == pytest.approx(60 / 7, abs=0.1)
    if len({element.colour for element in tangram.scene.elements}) == 7:
        grey = redrawn(tangram, grey="1")
        assert rated(tangram, grey.image) == pytest.approx(60 / 7, abs=0.1)


def redrawn(tangram: Drawn, leave_out: str = "", grey: str = "") -> Drawing:
    drawing = Drawing(512, 512)
    for element in tangram.scene.elements:
        piece, corners = element.parameters["piece"], element.parameters["corners"]
        if piece != leave_out:
            colour = "#808080" if piece == grey else element.colour
            drawing.polygon([(x, y) for x, y in corners], colour, "#ffffff", 4.0)  # type: ignore[union-attr, str-unpack, misc]
    return drawing


def test_what_is_no_tangram_has_no_rating(tangram: Drawn) -> None:
    picture = picture_of(tangram)
    assert PiecesJudge(None).rate(picture, picture).value is None
    assert PiecesJudge(Scene(width=512, height=512, elements=())).rate(picture, picture).value is None


def svg_of(scene: Scene, *, repeated: bool = False) -> str:
    corners = [element.parameters["corners"] for element in scene.elements]
    if repeated:
        corners[0] = corners[1]
    polygons = "".join(f'<polygon points="{" ".join(f"{x},{y}" for x, y in piece)}"/>' for piece in corners)  # type: ignore[union-attr, str-unpack, misc]
    return f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 512 512">{polygons}</svg>'


@pytest.mark.slow
def test_an_answer_in_polygons_is_verified_without_drawing_it(tmp_path: Path) -> None:
    instances = build_instances(tmp_path / "set", per_condition=1, categories=["tangrams"])
    scene, shapes = instances.instances[0].scene, tmp_path / "answer.svg"
    assert scene is not None
    asked = ["--instances", str(tmp_path / "set"), "--json", "tangrams-easy-01", str(shapes)]

    shapes.write_text(svg_of(scene))
    answer = CliRunner().invoke(verify, asked, catch_exceptions=False, standalone_mode=False)
    assert json.loads(answer.output)["mean_piece_iou"] == 1

    shapes.write_text(svg_of(scene).replace("<polygon", '<image href="/etc/passwd"/><polygon', 1))
    refused = CliRunner().invoke(verify, asked, standalone_mode=False)
    assert "element 'image' is not allowed" in str(refused.exception)

    shapes.write_text(svg_of(scene, repeated=True))
    assert "answer.svg: " in str(CliRunner().invoke(verify, asked, standalone_mode=False).exception)
