"""The table of small pictures, which a release has if it was asked for."""

import io
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from PIL import Image
from releases import rewrite, table

from dataset_card.checking.release_check import check_release
from dataset_card.releases.build import BuildPlan, build_release
from dataset_card.tables.game_tables import shrink
from dataset_card.tables.schema import PREVIEWS, TRANSCRIPTS


@pytest.fixture
def with_previews(built: Path, tmp_path: Path) -> Path:
    runs = list((built / "runs").iterdir())
    build_release(runs, built / "instances", tmp_path / "release", BuildPlan(previews=True))
    return tmp_path / "release"


def png(width: int, height: int) -> bytes:
    buffer = io.BytesIO()
    pixels = np.full((height, width, 3), (200, 40, 40), np.uint8)
    Image.fromarray(pixels).save(buffer, "PNG")
    return buffer.getvalue()


@pytest.mark.parametrize(("size", "small"), [((1024, 512), (256, 128)), ((300, 300), (256, 256)), ((96, 64), (96, 64))])
def test_a_preview_is_a_small_jpeg_of_the_same_shape(size: tuple[int, int], small: tuple[int, int]) -> None:
    with Image.open(io.BytesIO(shrink(png(*size)))) as image:
        assert (image.format, image.size) == ("JPEG", small)
        assert not image.getexif()
        assert np.abs(np.asarray(image).astype(int) - (200, 40, 40)).max() <= 4
    assert shrink(png(*size)) == shrink(png(*size))


@pytest.mark.slow
def test_previews_go_turn_by_turn_with_the_transcripts(with_previews: Path) -> None:
    previews, turns = table(with_previews, PREVIEWS), table(with_previews, TRANSCRIPTS)
    same = ("run_id", "episode_id", "turn", "message", "target_sha256", "rendering_sha256")
    assert [[row[name] for name in same] for row in previews] == [[row[name] for name in same] for row in turns]
    target: Any = previews[0]["target"]
    assert target["path"] == "geometry-easy-01.jpg"
    assert Image.open(io.BytesIO(target["bytes"])).size == (96, 96)
    assert previews[2]["rendering"] is None  # a done turn
    assert check_release(with_previews).faults == ()


@pytest.mark.slow
def test_the_next_release_carries_them_on(built: Path, tmp_path: Path, with_previews: Path) -> None:
    runs = sorted((built / "runs").iterdir())
    build_release(runs[:1], built / "instances", tmp_path / "first", BuildPlan(previews=True))
    build_release(runs[1:], built / "instances", tmp_path / "second", BuildPlan(previous=tmp_path / "first"))
    build_release([], built / "instances", tmp_path / "added", BuildPlan(previous=built / "release", previews=True))
    for folder in ("second", "added"):
        files = sorted((tmp_path / folder / "data" / "previews").iterdir())
        assert len(files) == 2
        for file in files:
            assert file.read_bytes() == (with_previews / "data" / "previews" / file.name).read_bytes()


def put(name: str, value: object) -> Callable[[list[dict[str, Any]]], None]:
    return lambda rows: rows[0].update({name: value})


def large(rows: list[dict[str, Any]]) -> None:
    rows[0]["target"]["bytes"] = png(300, 20)


@pytest.mark.slow
@pytest.mark.parametrize(
    ("edit", "said"),
    [
        (put("message", "another"), "message is another, its turn says left 41"),
        (put("rendering", None), "small picture without its original, or none of one that is there"),
        (put("turn", 7), "there is no turn 7 of episode"),
        (large, "300 × 20 pixels, a preview has at most 256"),
        (lambda rows: rows.pop(), "data/previews: has 59 rows for 60 turns"),
    ],
    ids=["message", "picture", "turn", "size", "rows"],
)
def test_previews_that_do_not_go_with_the_transcripts_are_faults(
    with_previews: Path, edit: Callable[[list[dict[str, Any]]], None], said: str
) -> None:
    rewrite(with_previews, PREVIEWS, edit)
    faults = check_release(with_previews).faults
    assert any(said in fault for fault in faults), faults
