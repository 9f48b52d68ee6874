"""Elements by a vision model: asked through its player, once more if its answer cannot be used."""

from collections.abc import Iterator
from pathlib import Path

import pytest
from openai_server import OpenAIServer, serving

from ircore.core.drawing import Drawing
from ircore.core.errors import InputError
from ircore.core.images import Picture
from ircore.scorers.elements.grounded import detect_by_model

ANSWER = '{"objects": [{"label": "Circle", "count": 1, "boxes": [[0, 0, 500, 500]]}], "missing_objects": ["dog"]}'
PICTURE = Picture.from_pixels(Drawing(80, 40).pixels)


@pytest.fixture
def server() -> Iterator[OpenAIServer]:
    with serving() as running:
        yield running


def model_file(folder: Path, server: OpenAIServer) -> Path:
    path = folder / "model.yaml"
    path.write_text(
        f"schema: 1\nname: seer\nlabel: A seer\nplayer: openai\nmodel: judge-1\nbase_url: {server.base_url}\n"
    )
    return path


def test_a_models_boxes_become_pixels(tmp_path: Path, server: OpenAIServer) -> None:
    server.judge = lambda _: ANSWER
    elements = detect_by_model(model_file(tmp_path, server), PICTURE, ("circle", "dog"))
    assert [(element.label, element.box) for element in elements.elements] == [("circle", (0, 0, 40, 20))]
    assert (elements.width, elements.height, elements.source) == (80, 40, "model seer")
    assert "look for: circle, dog" in str(server.seen[0].document)


def test_an_answer_that_cannot_be_used_is_asked_again_once(tmp_path: Path, server: OpenAIServer) -> None:
    answers = iter(["I see a circle.", ANSWER])
    server.judge = lambda _: next(answers)
    assert len(detect_by_model(model_file(tmp_path, server), PICTURE).elements) == 1
    server.judge = lambda _: "a circle"
    with pytest.raises(InputError, match="the model's answer cannot be used: no JSON object"):
        detect_by_model(model_file(tmp_path, server), PICTURE)
