"""Importing a folder of pictures or tangrams as SVG, good ones and bad ones."""

import json
import os
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from PIL import Image

from ircore.commands.main import run
from ircore.core.errors import InputError
from ircore.games.reconstruction.import_pictures import import_pictures
from ircore.games.reconstruction.import_visual_genome import import_visual_genome
from ircore.instances.requests import ImportRequest
from ircore.instances.review import write_review_page
from ircore.instances.store import UNSTATED, InstanceSet, may_be_published, read_instances
from ircore.instances.tangrams import draw_tangram_svg, read_tangram_svg

DATA = Path(os.environ.get("IRCORE_SHARED_DATA") or Path(__file__).resolve().parents[3].parent / "shared" / "data")
BAD = DATA / "metrics" / "bad"
EASY_PHOTOS = {"category": "photos", "difficulty": "easy", "licence": "CC0-1.0"}


def import_folder(path: Path, out: Path, **labels: Any) -> InstanceSet:
    return import_pictures(ImportRequest(path, out, **labels))


def put(path: Path, shade: int) -> None:
    """Write a small picture of one grey."""
    path.parent.mkdir(parents=True, exist_ok=True)
    Image.new("RGB", (8, 6), (shade, shade, shade)).save(path)


def test_folders_name_category_and_difficulty(tmp_path: Path) -> None:
    for shade, name in enumerate(["photos/easy/cat.png", "photos/hard/street.jpg", "tangrams/easy/a.webp"]):
        put(tmp_path / "in" / name, 80 * shade)
    made = import_folder(tmp_path / "in", tmp_path / "set", licence="CC0-1.0")
    assert [(instance.instance_id, instance.source) for instance in made.instances] == [
        ("photos-easy-01", "file photos/easy/cat.png"),
        ("photos-hard-01", "file photos/hard/street.jpg"),
        ("tangrams-easy-01", "file tangrams/easy/a.webp"),
    ]
    assert made.picture(made.instances[0], "target").pixels.shape == (6, 8, 3)
    assert (tmp_path / "set" / "images" / "tangrams-easy-01.png").is_file()


def test_a_category_folder_takes_its_difficulty_from_the_option(tmp_path: Path) -> None:
    put(tmp_path / "in" / "photos" / "a.png", 1)
    made = import_folder(tmp_path / "in", tmp_path / "set", difficulty="hard", licence="CC0-1.0")
    assert made.instances[0].instance_id == "photos-hard-01"
    with pytest.raises(InputError, match=r"photos/a\.png: has no difficulty \(put the file into photos/easy or /hard"):
        import_folder(tmp_path / "in", tmp_path / "other")


def test_metadata_comes_first(tmp_path: Path) -> None:
    put(tmp_path / "in" / "photos" / "easy" / "a.png", 1)
    put(tmp_path / "in" / "b.png", 2)
    lines = [
        {
            "file_name": "photos/easy/a.png",
            "difficulty": "hard",
            "source": "A street, by N. N.",
            "licence": "CC-BY-4.0",
        },
        {"file_name": "b.png", "category": "geometry", "difficulty": "easy", "licence": "CC0-1.0"},
    ]
    (tmp_path / "in" / "metadata.jsonl").write_text("\n".join(json.dumps(line) for line in lines))
    made = import_folder(tmp_path / "in", tmp_path / "set")
    assert [(instance.instance_id, instance.source, instance.licence) for instance in made.instances] == [
        ("geometry-easy-01", "file b.png", "CC0-1.0"),
        ("photos-hard-01", "A street, by N. N.", "CC-BY-4.0"),
    ]


def test_faults_of_the_metadata_are_told_with_their_lines(tmp_path: Path) -> None:
    put(tmp_path / "in" / "a.png", 1)
    lines = [
        '{"file_name": "a.png", "category": "photos", "difficulty": "easy"}',
        '{"file_name": "a.png", "category": "photos", "difficulty": "easy"}',
        '{"file_name": "gone.png"}',
        '{"file_name": "a.png", "dificulty": "easy"}',
        "not json",
    ]
    (tmp_path / "in" / "metadata.jsonl").write_text("\n".join(lines))
    with pytest.raises(InputError) as caught:
        import_folder(tmp_path / "in", tmp_path / "set")
    told = caught.value.problem.splitlines()
    assert told[0].endswith("4 faults, nothing was imported")
    assert told[1] == "  metadata.jsonl:2: a.png occurs twice"
    assert told[2].startswith("  metadata.jsonl:4: dificulty: ")
    assert told[3].startswith("  metadata.jsonl:5: ")
    assert told[4] == "  metadata.jsonl: gone.png: the folder has no such file"


def test_a_missing_licence_is_recorded_and_said(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    put(tmp_path / "in" / "a.png", 1)
    made = import_folder(tmp_path / "in", tmp_path / "set", category="photos", difficulty="easy")
    assert made.instances[0].licence == UNSTATED
    assert "1 of 1 picture: no licence stated, recorded as LicenseRef-unstated" in capsys.readouterr().err


def test_a_picture_that_is_there_twice_is_named_with_its_twin(tmp_path: Path) -> None:
    put(tmp_path / "in" / "a.png", 7)
    put(tmp_path / "in" / "b.webp", 7)
    with pytest.raises(InputError, match=r"b\.webp: is the same picture as a\.png"):
        import_folder(tmp_path / "in", tmp_path / "set", **EASY_PHOTOS)


@pytest.mark.parametrize(
    ("name", "message"),
    [
        ("photos/medium/a.png", "photos/medium/a.png: folder 'medium' is neither easy nor hard"),
        ("My Photos/easy/a.png", "My Photos/easy/a.png: .*category: "),
        ("a.png", "a.png: has no category"),
        ("photos/easy/a\nb.png", r"photos/easy/a\\nb.png: file_name: "),
        ("photos/easy/\udcff.png", r"photos/easy/\\udcff.png: file_name: "),
    ],
)
def test_a_picture_in_the_wrong_place_is_named(tmp_path: Path, name: str, message: str) -> None:
    put(tmp_path / "in" / name, 1)
    with pytest.raises(InputError, match=message):
        import_folder(tmp_path / "in", tmp_path / "set")
    assert not (tmp_path / "set").exists()


def test_a_folder_that_is_none_or_empty_is_refused(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="is not a folder"):
        import_folder(tmp_path / "gone", tmp_path / "set")
    with pytest.raises(InputError, match="holds no pictures"):
        import_folder(tmp_path, tmp_path / "set")


REFUSED = {
    "bomb_header_30000.png": "the picture has too many pixels",
    "empty.jpg": "the file is empty",
    "grey_L.png": "is the same picture as grey_16bit.png",
    "photo.heic": "the file is not a PNG, JPEG, WebP or GIF picture",
    "text_named.png": "the file is not a PNG, JPEG, WebP or GIF picture",
    "truncated_half.jpg": "the picture is damaged or truncated",
    "truncated_half.png": "the picture is damaged or truncated",
}


@pytest.mark.skipif(not BAD.is_dir(), reason="the folder of bad files is not beside the checkout")
def test_all_bad_files_are_told_at_once_and_nothing_is_written(tmp_path: Path) -> None:
    with pytest.raises(InputError) as caught:
        import_folder(BAD, tmp_path / "set", **EASY_PHOTOS)
    first, *told = caught.value.problem.splitlines()
    assert first.endswith("7 faults, nothing was imported")
    assert len(told) == len(REFUSED)
    for line, (name, fault) in zip(told, REFUSED.items(), strict=True):
        assert line.startswith(f"  {name}: {fault}")
    assert list(tmp_path.iterdir()) == []


@pytest.fixture
def targets(genome: Path, tmp_path: Path) -> InstanceSet:
    """The photographs photos-easy-vg1, of a dog and a ball, and photos-hard-vg2, of forty cups."""
    return import_visual_genome(ImportRequest(genome, tmp_path / "set"))


def saved(path: Path, instances: InstanceSet, **verdicts: str) -> Path:
    """Write the file that the page saves, by difficulty of the photograph."""
    decisions = {
        target.instance_id: {"sha256": target.pictures["target"].sha256, "verdict": verdicts[target.difficulty]}
        for target in instances.instances
        if target.difficulty in verdicts
    }
    path.write_text(json.dumps({"schema": 1, "run": f"set-{instances.identity[:12]}", "decisions": decisions}))
    return path


def test_accepted_photographs_keep_record_and_picture(targets: InstanceSet, tmp_path: Path) -> None:
    decisions = saved(tmp_path / "decisions.json", targets, easy="reject", hard="accept")
    assert run(["instances", "accept", str(targets.folder), str(decisions), "--out", str(tmp_path / "accepted")]) == 0
    accepted = read_instances(tmp_path / "accepted")
    assert accepted.instances == targets.instances[1:]
    assert not may_be_published(accepted.instances[0].licence)
    assert accepted.picture_bytes(accepted.instances[0], "target") == targets.picture_bytes(
        targets.instances[1], "target"
    )


def test_where_nothing_is_accepted_there_is_no_set(
    targets: InstanceSet, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    decisions = saved(tmp_path / "decisions.json", targets, easy="reject")
    assert run(["instances", "accept", str(targets.folder), str(decisions), "--out", str(tmp_path / "accepted")]) == 2
    assert "accepts no picture" in capsys.readouterr().err
    assert not (tmp_path / "accepted").exists()


@pytest.mark.slow
def test_decisions_on_another_set_are_refused(
    targets: InstanceSet, instances: InstanceSet, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    decisions = saved(tmp_path / "decisions.json", targets, easy="accept")
    other = ["instances", "accept", str(instances.folder), str(decisions), "--out", str(tmp_path / "accepted")]
    assert run(other) == 2
    assert f"run: the decisions are on set-{targets.identity[:12]}" in capsys.readouterr().err


def test_a_set_of_drawn_targets_is_reviewed_too(instances: InstanceSet, tmp_path: Path) -> None:
    assert write_review_page(instances, tmp_path / "review") == len(instances.instances)
    for target in instances.instances:
        assert (tmp_path / "review" / f"{target.instance_id}.png").read_bytes() == instances.picture_bytes(
            target, "target"
        )


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
