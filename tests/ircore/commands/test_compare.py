"""``ircore compare`` and ``ircore elements`` on good and on bad files."""

import json
import os
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from PIL import Image

from ircore.commands.main import run as ircore

SHARED = Path(os.environ.get("IRCORE_SHARED_DATA", Path(__file__).resolve().parents[3].parent / "shared" / "data"))
BAD = SHARED / "metrics" / "bad"
bad_files = pytest.mark.skipif(not BAD.is_dir(), reason="the folder of bad files is not beside the checkout")

UNUSABLE = {
    "bomb_header_30000.png": "too many pixels", "empty.jpg": "the file is empty",
    "photo.heic": "not a PNG, JPEG, WebP or GIF picture", "text_named.png": "not a PNG, JPEG, WebP or GIF picture",
    "truncated_half.jpg": "damaged or truncated", "truncated_half.png": "damaged or truncated",
}  # fmt: skip
TINY = {"one_pixel.png", "ten_by_ten.png", "thin_128x9.png"}
FLAT = {"flat_black.png", "flat_white.png"}
PLAIN = {"psnr", "ssim", "ssim_gaussian", "ms_ssim", "uqi", "uqi_sewar", "brisque"}
"""The metrics that need nothing beyond the package."""
NAMES = sorted(path.name for path in BAD.iterdir()) if BAD.is_dir() else []


def compare(capsys: pytest.CaptureFixture[str], *arguments: object) -> dict[str, Any]:
    assert ircore(["compare", *map(str, arguments), "--json"]) == 0
    document: dict[str, Any] = json.loads(capsys.readouterr().out)
    return document


@pytest.fixture
def pair(tmp_path: Path) -> tuple[Path, Path]:
    """A gradient and the same with a darker half."""
    gradient = np.tile(np.linspace(0, 255, 64, dtype=np.uint8)[None, :, None], (48, 1, 3))
    darker = gradient.copy()
    darker[:24] //= 2
    Image.fromarray(gradient).save(tmp_path / "target.png")
    Image.fromarray(darker).save(tmp_path / "image.png")
    return tmp_path / "target.png", tmp_path / "image.png"


@pytest.mark.slow
def test_document_has_every_metric(pair: tuple[Path, Path], capsys: pytest.CaptureFixture[str]) -> None:
    document = compare(capsys, *pair)
    assert document["target"] == str(pair[0])
    assert document["image"] == str(pair[1])
    assert set(document["metrics"]) == PLAIN
    assert document["unavailable"] == {"ms_ssim": "64 × 48 pixels: smaller than 176 pixels a side"}
    assert (document["loading"], document["versions"]["psnr"]) == ("upstream", "1")
    assert document["sizes"] == {"target": [64, 48], "image": [64, 48]}
    difference = np.asarray(Image.open(pair[0]), float) - np.asarray(Image.open(pair[1]), float)
    assert document["metrics"]["psnr"] == pytest.approx(10 * np.log10(255**2 / (difference**2).mean()))


def test_table_says_unit_and_direction(pair: tuple[Path, Path], capsys: pytest.CaptureFixture[str]) -> None:
    assert ircore(["compare", *map(str, pair), "--metric", "psnr", "--metric", "brisque"]) == 0
    psnr_line, brisque_line = capsys.readouterr().out.splitlines()
    assert psnr_line.startswith("psnr")
    assert psnr_line.endswith("dB  higher is better")
    assert brisque_line.endswith("lower is better")


@pytest.mark.slow
@bad_files
@pytest.mark.parametrize("loading", ["upstream", "native"])
@pytest.mark.parametrize("name", NAMES)
def test_every_bad_file_has_an_answer(name: str, loading: str, capsys: pytest.CaptureFixture[str]) -> None:
    arguments = ["compare", str(BAD / "ref_rgb_128x96.png"), str(BAD / name), "--loading", loading, "--json"]
    status = ircore(arguments)
    output = capsys.readouterr()
    if name in UNUSABLE:
        assert status == 2
        assert output.out == ""
        assert output.err.startswith(f"ircore: {BAD / name}: ")
        assert UNUSABLE[name] in output.err.splitlines()[0]
        return
    document = json.loads(output.out)
    if name in TINY:
        assert set(document["unavailable"]) == set(document["metrics"])
    elif name in FLAT:
        assert set(document["unavailable"]) == {"brisque", "ms_ssim"}
    else:
        assert set(document["unavailable"]) <= {"psnr", "ms_ssim"}


@bad_files
@pytest.mark.parametrize("name", ["alpha_rgba_hidden_colour.png", "exif_orientation6.jpg"])
def test_loading_decides_on_alpha_and_orientation(name: str, capsys: pytest.CaptureFixture[str]) -> None:
    reference = BAD / "ref_rgb_128x96.jpg"
    stored = compare(capsys, reference, BAD / name, "--loading", "upstream")["metrics"]["ssim"]
    viewed = compare(capsys, reference, BAD / name, "--loading", "native")["metrics"]["ssim"]
    assert abs(stored - viewed) > 0.1


def listed(capsys: pytest.CaptureFixture[str]) -> dict[str, dict[str, Any]]:
    assert ircore(["metrics", "--json"]) == 0
    document = json.loads(capsys.readouterr().out)
    assert document["broken"] == []
    return {metric["name"]: metric for metric in document["metrics"]}


def test_every_metric_says_what_a_reader_must_know(capsys: pytest.CaptureFixture[str]) -> None:
    metrics = listed(capsys)
    assert {"psnr", "ssim", "ssim_gaussian", "ms_ssim", "uqi", "uqi_sewar", "brisque"} <= set(metrics)
    for metric in metrics.values():
        assert metric["direction"] in ("higher", "lower")
        assert metric["citation"]
        assert metric["version"]
        assert len(metric["range"]) == 2
    assert metrics["psnr"]["range"] == [0, None]
    assert metrics["brisque"]["reference"] == "none: the image alone"
    assert metrics["fid"]["reference"] == "two sets of pictures"
    assert "Not UQI" in metrics["uqi_sewar"]["trap"]


def test_the_list_for_people_has_a_line_a_metric(capsys: pytest.CaptureFixture[str]) -> None:
    assert ircore(["metrics"]) == 0
    heading, *lines = capsys.readouterr().out.splitlines()
    assert heading.split() == ["name", "better", "range", "looks", "at", "title", "here"]
    (ssim,) = [line for line in lines if line.startswith("ssim ")]
    assert ssim.split() == ["ssim", "higher", "-1", "to", "1", "both", "pictures", "SSIM", "yes"]


@pytest.mark.slow
def test_one_metric_in_full(capsys: pytest.CaptureFixture[str]) -> None:
    assert ircore(["metrics", "show", "ssim"]) == 0
    assert "uniform 11 × 11 window" in capsys.readouterr().out
    assert ircore(["metrics", "show", "sim"]) == 2
    assert "Did you mean ssim?" in capsys.readouterr().err


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    out = tmp_path_factory.mktemp("verify") / "set"
    chosen = ["--category", "bar_graph", "--category", "photos", "--difficulty", "easy", "--per-condition", "1"]
    assert ircore(["instances", "build", "--out", str(out), *chosen]) == 0
    return out


def image_of(folder: Path, instance_id: str) -> str:
    return str(folder / "images" / f"{instance_id}.png")


@pytest.mark.slow
def test_a_perfect_copy_gets_ten(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    image = image_of(folder, "bar_graph-easy-01")
    assert ircore(["verify", "--instances", str(folder), "bar_graph-easy-01", image]) == 0
    assert "10.00 of 10   lies exactly over the target" in capsys.readouterr().out


@pytest.mark.slow
def test_the_document_has_score_parts_and_facts_and_failing_facts_are_no_error(
    folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    image = next((folder / "images").glob("photos*"))
    assert ircore(["verify", "--instances", str(folder), "bar_graph-easy-01", str(image), "--json"]) == 0
    document = json.loads(capsys.readouterr().out)
    assert set(document["parts"]) == {"presence", "text", "colour", "value", "place", "count", "extra"}
    assert document["score"] is None or document["score"] < 4
    assert {fact["verdict"] for fact in document["facts"]} <= {"holds", "fails", "undecided"}
    assert all(fact["reason"] for fact in document["facts"] if fact["verdict"] != "holds")


@pytest.mark.slow
@pytest.mark.parametrize(
    ("instance_id", "picture", "said"),
    [
        ("bar_graph-easy-99", "bar_graph-easy-01", "bar_graph-easy-99"),
        ("photos-easy-01", "bar_graph-easy-01", "nobody wrote down what this target shows"),
        ("bar_graph-easy-01", "missing", "cannot be read"),
    ],
)
def test_bad_input_is_one_line_and_status_two(
    folder: Path, capsys: pytest.CaptureFixture[str], instance_id: str, picture: str, said: str
) -> None:
    assert ircore(["verify", "--instances", str(folder), instance_id, image_of(folder, picture)]) == 2
    assert said in capsys.readouterr().err


def write_elements(folder: Path, name: str, elements: object) -> str:
    path = folder / name
    path.write_text(json.dumps(elements))
    return str(path)


def test_two_persons_published_and_corrected(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    counts = write_elements(tmp_path, "counts.json", {"person": 2})
    assert ircore(["elements", "compare", counts, counts, "--json"]) == 0
    document = json.loads(capsys.readouterr().out)
    assert (document["published"]["f1"], document["corrected"]["f1"]) == (0.5, 1)
    assert document["iou"]["without_box"] == ["person"]
