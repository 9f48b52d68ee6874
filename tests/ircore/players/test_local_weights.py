"""Players with weights on this machine, on tiny random models: loading, answers, batches, and what is refused."""

import asyncio
import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from pairs import write_pair
from tiny_models import save_image_model, save_vision_model

from ircore.commands.main import run as ircore
from ircore.core import plugins
from ircore.core.errors import InputError
from ircore.core.images import Picture
from ircore.core.records import PlayerSpec
from ircore.instances.store import InstanceSet
from ircore.players.base import DescriberView, GeneratorView
from ircore.players.builtin import editor as editor
from ircore.players.calls import ProviderStopError
from ircore.players.local import weights
from ircore.players.local.players import Batches, DiffusersPlayer, OutOfMemoryError, TransformersPlayer
from ircore.players.local.weights import format_served_name
from ircore.runs.folder import RunFolder


def picture(shade: int, side: int = 48) -> Picture:
    return Picture.from_pixels(np.full((side, side, 3), shade, dtype=np.uint8))


def shown(shade: int, seed: int = 0) -> DescriberView:
    return DescriberView(1, "describe the picture", picture(shade), (), (), (), (), token_budget=200, seed=seed)


def wanted(message: str, seed: int = 0, previous: Picture | None = None) -> GeneratorView:
    return GeneratorView(1 if previous is None else 2, message, (), previous, seed, prompt=f"draw {message}")


@pytest.mark.parametrize(
    ("given", "fault"),
    [
        ({}, "model is missing"),
        ({"model": "m", "base_url": "https://models.example"}, "base_url: the player 'transformers' takes no such"),
        ({"model": "m", "parameters": {"max_new_token": 5}}, "max_new_token"),
        ({"model": "m", "parameters": {"temperature": -1}}, "temperature"),
        ({"model": "m", "parameters": {"device": "abacus"}}, "device"),
    ],
)
def test_wrong_settings_are_named(given: dict[str, Any], fault: str) -> None:
    with pytest.raises(InputError, match=fault):
        TransformersPlayer.check(PlayerSpec(player="transformers", **given))


def test_a_missing_package_says_how_to_install_it(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(plugins, "find_spec", lambda name: None)
    with pytest.raises(InputError, match="needs the package torch") as caught:
        DiffusersPlayer(PlayerSpec(player="diffusers", model="m"))
    assert "pip install 'ircore[local]'" in caught.value.remedy


def in_batches(limit: int, most: int, questions: int) -> tuple[list[int], list[int]]:
    """Answer questions on a device that has memory for ``limit`` of them; return answers and sizes of batches."""
    sizes: list[int] = []

    def answer_all(batch: Sequence[int]) -> list[int]:
        if len(batch) > limit:
            raise OutOfMemoryError("tried to allocate 20 GiB")
        sizes.append(len(batch))
        return [10 * number for number in batch]

    async def ask() -> list[int]:
        batches = Batches(answer_all, most, "Take a smaller model.")
        return await asyncio.gather(*(batches.answer(number) for number in range(questions)))

    return asyncio.run(ask()), sizes


def test_questions_that_wait_are_answered_together_and_in_order() -> None:
    answers, sizes = in_batches(limit=8, most=4, questions=10)
    assert answers == [10 * number for number in range(10)]
    assert sizes == [4, 4, 2]


def test_batches_shrink_to_what_the_memory_takes() -> None:
    answers, sizes = in_batches(limit=3, most=16, questions=16)
    assert answers == [10 * number for number in range(16)]
    assert set(sizes) == {2}


def test_a_single_question_that_is_too_large_stops_the_run() -> None:
    with pytest.raises(ProviderStopError, match="no memory for a single question") as caught:
        in_batches(limit=0, most=8, questions=3)
    assert caught.value.remedy == "Take a smaller model."


@pytest.fixture(scope="module")
def vision(tmp_path_factory: pytest.TempPathFactory) -> Path:
    pytest.importorskip("torch")
    pytest.importorskip("transformers")
    return save_vision_model(tmp_path_factory.mktemp("models") / "tiny-llava")


@pytest.fixture(scope="module")
def images(tmp_path_factory: pytest.TempPathFactory) -> Path:
    pytest.importorskip("torch")
    pytest.importorskip("diffusers")
    return save_image_model(tmp_path_factory.mktemp("models") / "tiny-diffusion")


def writer(folder: Path, **parameters: Any) -> TransformersPlayer:
    given = {"max_new_tokens": 8, "device": "cpu", **parameters}
    return TransformersPlayer(PlayerSpec(player="transformers", model=str(folder), parameters=given))


def drawer(folder: Path, **parameters: Any) -> DiffusersPlayer:
    given = {"steps": 3, "width": 64, "height": 64, "device": "cpu", **parameters}
    return DiffusersPlayer(PlayerSpec(player="diffusers", model=str(folder), parameters=given))


@pytest.mark.slow
def test_an_answer_is_what_the_models_own_greedy_decoding_gives(vision: Path) -> None:
    import torch
    from PIL import Image
    from transformers import AutoProcessor, LlavaForConditionalGeneration

    model, processor = LlavaForConditionalGeneration.from_pretrained(vision), AutoProcessor.from_pretrained(vision)
    text = "user describe the picture <image>assistant "
    inputs = processor(text=text, images=Image.new("RGB", (48, 48), (90, 90, 90)), return_tensors="pt")
    with torch.inference_mode():
        tokens = model.generate(**inputs, max_new_tokens=8, do_sample=False)
    expected = processor.decode(tokens[0, inputs["input_ids"].shape[1] :], skip_special_tokens=True)
    said = asyncio.run(writer(vision).describe(shown(90)))
    assert said.text == expected
    assert said.usage.prompt_tokens == inputs["input_ids"].shape[1]
    assert said.usage.requests == 0  # nobody is asked over a network


@pytest.mark.slow
def test_a_picture_hangs_on_its_own_seed_and_not_on_its_batch(images: Path) -> None:
    async def pictures(player: DiffusersPlayer, seeds: Sequence[int]) -> list[Picture]:
        drawn = await asyncio.gather(*(player.render(wanted("a red circle", seed)) for seed in seeds))
        return [answer.picture for answer in drawn]

    together = asyncio.run(pictures(drawer(images), [1, 2, 1]))
    (alone,) = asyncio.run(pictures(drawer(images), [1]))
    assert together[0].sha256 == together[2].sha256 != together[1].sha256
    assert np.abs(together[0].pixels.astype(int) - alone.pixels).max() <= 1  # rounding may differ with the batch
    assert (alone.width, alone.height) == (64, 64)


@pytest.mark.slow
@pytest.mark.parametrize("player", [TransformersPlayer, DiffusersPlayer])
def test_weights_that_are_absent_or_pickled_are_refused(
    player: Any, vision: Path, images: Path, tmp_path: Path
) -> None:
    name = "transformers" if player is TransformersPlayer else "diffusers"
    with pytest.raises(InputError, match=r"model: .*nowhere: cannot be loaded"):
        player(PlayerSpec(player=name, model=str(tmp_path / "nowhere")))
    source, pickled = vision if player is TransformersPlayer else images, tmp_path / "pickled"
    for path in source.rglob("*"):
        if path.is_file():
            copied = pickled / path.relative_to(source)
            copied.parent.mkdir(parents=True, exist_ok=True)
            copied.with_suffix(".bin" if path.suffix == ".safetensors" else path.suffix).write_bytes(path.read_bytes())
    with pytest.raises(InputError, match="cannot be loaded"):
        player(PlayerSpec(player=name, model=str(pickled)))


@pytest.mark.slow
def test_a_model_without_a_chat_template_is_refused(tmp_path: Path, vision: Path) -> None:
    with pytest.raises(InputError, match="has no chat template"):
        writer(save_vision_model(tmp_path / "mute", template=None))


@pytest.mark.slow
def test_a_pair_with_local_weights_plays_and_says_which(images: Path, instances: InstanceSet, tmp_path: Path) -> None:
    generator = {"player": "diffusers", "model": str(images), "parameters": {"steps": 2, "width": 64, "height": 64}}
    pair = write_pair(tmp_path, {"player": "classical"}, generator)
    command = ["play", str(pair), "--instances", str(instances.folder), "--out", str(tmp_path / "run")]
    assert ircore([*command, "--max-turns", "2", "--max-cost", "0.01"]) == 0
    run = RunFolder(tmp_path / "run")
    assert {episode.outcome for episode in run.episodes()} == {"turn_limit"}
    served = [
        attempt["served"]
        for line in (run.path / "journal.jsonl").read_text().splitlines()
        for attempt in json.loads(line).get("attempts", [])
    ]
    assert len(served) == 8
    assert set(served) == {weights.format_served_name(str(images), None)}


def test_weights_are_known_by_names_and_contents_of_files_that_are_not_hidden(tmp_path: Path) -> None:
    def name(**files: str) -> str:
        folder = tmp_path / str(len(list(tmp_path.iterdir()))) / "model"
        folder.mkdir(parents=True)
        for file, content in files.items():
            place = folder / file.replace("__", "/")
            place.parent.mkdir(exist_ok=True)
            place.write_text(content)
        return format_served_name(str(folder), None)

    one = name(a="1", b="2")
    assert name(a="1", b="2") == one
    assert len({one, name(a="2", b="1"), name(a="1"), name(a="1", c="2"), name(a="1", b="3")}) == 5
    assert name(**{"a": "1", "b": "2", ".cache__log": "x", ".note": "y"}) == one


def test_a_batch_that_was_too_large_is_asked_again_in_its_old_order() -> None:
    asked: list[int] = []

    def answer_all(batch: Sequence[int]) -> list[int]:
        if len(batch) > 2:
            raise OutOfMemoryError("too many")
        asked.extend(batch)
        return list(batch)

    async def ask() -> None:
        batches = Batches(answer_all, 4, "Take a smaller model.")
        await asyncio.gather(*(batches.answer(number) for number in range(8)))

    asyncio.run(ask())
    assert asked == list(range(8))
