"""KiloGram's tangrams: drawn as in the published pictures, and files that hold anything else are refused."""

import json
import os
from pathlib import Path

import numpy as np
import pytest
from PIL import Image

from ircore.core.errors import InputError
from ircore.instances.tangrams import draw_tangram_svg, read_tangram_svg

SHARED = Path(os.environ.get("IRCORE_SHARED_DATA") or Path(__file__).resolve().parents[3].parent / "shared" / "data")
RENDERED = SHARED / "lang" / "kilogram" / "render"
needs_kilogram = pytest.mark.skipif(not RENDERED.is_dir(), reason="needs KiloGram's tangrams")

SQUARES = "".join(
    f'<polygon id="{number}" points="{10 * number},0 {10 * number + 8},0 {10 * number + 8},8 {10 * number},8"/>'
    for number in range(1, 8)
)


def svg(inside: str, view: str = 'viewBox="10 0 80 8"') -> str:
    return f'<svg xmlns="http://www.w3.org/2000/svg" xmlns:x="http://www.w3.org/1999/xlink" {view}>{inside}</svg>'


def written(folder: Path, text: str) -> Path:
    path = folder / "page1-1.svg"
    path.write_text(text, encoding="utf-8")
    return path


def on_white(path: Path) -> np.ndarray:
    picture = Image.open(path).convert("RGBA")
    return np.asarray(Image.alpha_composite(Image.new("RGBA", picture.size, "white"), picture).convert("RGB"))


@pytest.mark.slow
@needs_kilogram
def test_black_pictures_are_the_published_ones() -> None:
    overlaps = []
    for name in json.loads((RENDERED / "meta.json").read_text()):
        dark = draw_tangram_svg(read_tangram_svg(RENDERED / f"{name}.svg"), {}, 224).pixels.mean(axis=2) < 128
        published = on_white(RENDERED / f"{name}_black.png").mean(axis=2) < 128
        overlaps.append((dark & published).sum() / (dark | published).sum())
    assert len(overlaps) == 40
    assert min(overlaps) >= 0.93
    assert sum(overlaps) / len(overlaps) >= 0.965


@pytest.mark.slow
@needs_kilogram
def test_coloured_pictures_are_the_published_ones() -> None:
    for name, facts in json.loads((RENDERED / "meta.json").read_text()).items():
        drawn = draw_tangram_svg(read_tangram_svg(RENDERED / f"{name}.svg"), facts["idx_to_color"], 224).pixels
        published = on_white(RENDERED / f"{name}_color.png")
        assert np.abs(drawn.astype(int) - published).mean() <= 5


def test_matrices_move_corners_and_borders_the_outer_one_last(tmp_path: Path) -> None:
    inside = f'<g transform="matrix(2 0 0 2 0 0)"><g transform="matrix(1,0,0,1,5,0)">{SQUARES}</g></g>'
    piece = read_tangram_svg(written(tmp_path, svg(inside))).pieces["1"]
    assert piece.corners == ((30, 0), (46, 0), (46, 16), (30, 16))
    assert piece.border == 2


def test_a_piece_without_area_is_read_and_leaves_no_mark(tmp_path: Path) -> None:
    flat = SQUARES.replace("10,0 18,0 18,8 10,8", "10,4 18,4 14,4 12,4")
    shape = read_tangram_svg(written(tmp_path, svg(flat)))
    pixels = draw_tangram_svg(shape, {}, 80).pixels
    assert (pixels[:, :9] == 255).all()
    assert (pixels[40, 14] == 0).all()  # its neighbour


@pytest.mark.parametrize(
    ("text", "problem"),
    [
        ('<!DOCTYPE svg [<!ENTITY a "aaaa">]>' + svg(SQUARES), "has a DOCTYPE"),
        (svg(SQUARES + '<image x:href="/etc/passwd"/>'), "element 'image' is not allowed"),
        (svg(SQUARES + "<script>1</script>"), "element 'script' is not allowed"),
        (svg(f"<defs><g>{SQUARES}</g></defs>"), "element 'defs' is not allowed"),
        (svg(f'<g x:href="other.svg">{SQUARES}</g>'), "href' is not allowed"),
        (svg(SQUARES.replace("<polygon", '<polygon style="fill:url(x.svg)"', 1)), "style: 'fill:url"),
        (svg(SQUARES.replace("<polygon", '<polygon fill="url(#a)"', 1)), r"fill: 'url\(#a\)'"),
        (svg(SQUARES.replace("<polygon", '<polygon onclick="a"', 1)), "attribute 'onclick' is not allowed"),
        (svg(SQUARES.replace("<polygon", '<polygon transform="rotate(3)"', 1)), "transform: 'rotate"),
        (svg(SQUARES.replace('id="7"', 'id="6"')), "id '6' is unknown or used twice"),
        (svg(SQUARES.replace('id="7"', "")), "id '' is unknown or used twice"),
        (svg(SQUARES[: SQUARES.index('<polygon id="7"')]), "polygon 7 is missing"),
        (svg(SQUARES.replace("10,0", "NaN,0", 1)), "is not a list of numbers"),
        (svg(SQUARES.replace("10,0", "1e400,0", 1)), "a number is above 1000000"),
        (svg(SQUARES.replace("10,0", "10", 1)), "points: 7 numbers"),
        (svg(SQUARES, ""), "viewBox: ''"),
        (svg(SQUARES, 'viewBox="0 0 0 8"'), "viewBox: '0 0 0 8'"),
        (svg("<g>" * 9000 + SQUARES + "</g>" * 9000), "nested deeper than 10"),
        ("", "is not an SVG file"),
        ("<html/>", "not svg"),
        (svg(SQUARES) + " " * 300_000, "larger than 256 KiB"),
    ],
)
def test_anything_but_seven_polygons_is_refused(tmp_path: Path, text: str, problem: str) -> None:
    with pytest.raises(InputError, match=problem) as refused:
        read_tangram_svg(written(tmp_path, text))
    assert str(tmp_path) in refused.value.problem


def test_a_file_that_is_not_there_is_named(tmp_path: Path) -> None:
    with pytest.raises(InputError, match=r"page9-9\.svg: No such file"):
        read_tangram_svg(tmp_path / "page9-9.svg")
