"""Reading text in pictures: every picture once, and a plain message where the engine is not installed."""

import importlib.util
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from ircore.core.drawing import Drawing
from ircore.core.errors import InputError
from ircore.core.files import cache_folder
from ircore.core.images import Pixels, hash_pixels
from ircore.seeing import ocr
from ircore.seeing.ocr import (
    TextLine,
    find_missing_ocr_package,
    find_missing_reader_package,
    read_line,
    read_text,
    require_ocr,
)

needs_ocr = pytest.mark.skipif(find_missing_ocr_package() is not None, reason="the extra ocr is not installed")


def sign(text: str = "Voltage 42") -> Pixels:
    drawing = Drawing(400, 120)
    drawing.text((200, 60), text, 28, "#000000")
    return drawing.pixels


@pytest.mark.skipif(find_missing_reader_package() is not None, reason="what reads lines is not installed")
def test_a_single_line_is_read_without_what_finds_lines(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "cv2", None)  # as where OpenCV is not installed
    drawing = Drawing(200, 48, "#ffffff")
    drawing.text((100, 24), "Voltage 42", 28, "#000000")
    text, score = read_line(drawing.pixels)
    assert text == "Voltage 42"
    assert 0.8 < score <= 1
    assert read_line(Drawing(200, 48, "#ffffff").pixels) == ("", 0.0)


@needs_ocr
def test_a_line_is_read_with_its_place() -> None:
    (line,) = read_text(sign())
    assert line.text == "Voltage 42"
    assert 0.8 < line.score <= 1
    left, top, right, bottom = line.box
    assert left < 200 < right
    assert top < 60 < bottom
    assert line.rotation == 0


@needs_ocr
def test_a_blank_picture_has_no_lines() -> None:
    assert read_text(Drawing(200, 200).pixels) == ()


@needs_ocr
def test_a_later_process_takes_the_reading_from_the_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    picture = sign("Once")
    first = read_text(picture, tmp_path)
    (kept,) = tmp_path.rglob(f"{hash_pixels(picture)}.json")
    monkeypatch.setattr(ocr, "_recognise_lines", lambda _: pytest.fail("read twice"))
    ocr._remembered.clear()  # what a new process begins with
    assert read_text(picture, tmp_path) == first
    kept.write_text("[{")
    monkeypatch.setattr(ocr, "_recognise_lines", lambda _: (TextLine("anew", ((0, 0),) * 4, 1.0),))
    ocr._remembered.clear()
    assert read_text(picture, tmp_path)[0].text == "anew"


def test_another_engine_reads_the_same_picture_anew(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(ocr, "require_ocr", lambda where: None)
    for engine in ("rapidocr 3, onnxruntime 1", "rapidocr 4, onnxruntime 1"):
        monkeypatch.setattr(ocr, "describe_ocr_version", lambda engine=engine: engine)
        monkeypatch.setattr(ocr, "_recognise_lines", lambda _, engine=engine: (TextLine(engine, ((0, 0),) * 4, 1.0),))
        ocr._remembered.clear()  # what a new process begins with
        assert read_text(sign(), tmp_path)[0].text == engine


def test_without_the_extra_the_remedy_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(importlib.util, "find_spec", lambda name: None)
    with pytest.raises(InputError, match="metric text_f1: reading with OCR needs the package rapidocr") as caught:
        require_ocr("metric text_f1")
    assert "pip install 'ircore[ocr]'" in caught.value.remedy


def test_an_empty_variable_means_no_folder(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("IRCORE_CACHE", "")
    assert cache_folder() is None
    monkeypatch.setenv("IRCORE_CACHE", str(tmp_path))
    assert cache_folder() == tmp_path


def test_corners_give_box_and_rotation() -> None:
    level = TextLine("km", ((10.2, 5.5), (30, 5.5), (30, 14.1), (10.2, 14.1)), 0.9)
    upwards = TextLine("km", ((5, 30), (5, 10), (15, 10), (15, 30)), 0.9)
    assert level.box == (10, 5, 30, 15)
    assert (level.rotation, upwards.rotation) == (0, 90)


def test_what_ocr_has_read_is_kept_by_engine_and_by_size(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    read: list[tuple[int, ...]] = []

    def recognise(pixels: Any) -> tuple[()]:
        read.append(pixels.shape)
        return ()

    monkeypatch.setattr(ocr, "_recognise_lines", recognise)
    monkeypatch.setattr(ocr, "require_ocr", lambda where, otherwise="": None)
    wide, tall = np.zeros((4, 9, 3), np.uint8), np.zeros((9, 4, 3), np.uint8)
    for version in ("engine 1.0", "engine 2.0", "engine 1.0"):
        monkeypatch.setattr(ocr, "describe_ocr_version", lambda version=version: version)
        ocr._remembered.clear()
        for pixels in (wide, tall):
            ocr.read_text(pixels, tmp_path)
    assert read == [(4, 9, 3), (9, 4, 3)] * 2
