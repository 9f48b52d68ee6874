"""The listener ``clip`` on a tiny random model: loading, choosing, KiloGram's four conditions, and what is refused."""

import asyncio
import json
import random
from pathlib import Path

import numpy as np
import pytest

from ircore.commands.main import run as ircore
from ircore.core.errors import InputError
from ircore.core.images import Picture
from ircore.core.records import PlayerSpec
from ircore.games.reference.records import CONDITIONS
from ircore.instances.tangrams import make_tangram
from ircore.players.base import Captioned, Question
from ircore.players.clip import ClipListener, extract_message
from ircore.runs.folder import RunFolder

SMALL = {"hidden_size": 16, "intermediate_size": 32, "num_hidden_layers": 1, "num_attention_heads": 2}
WORDS = ("red", "blue", "dog", "with", "head", "a")


def spec(model: object = None, **settings: object) -> PlayerSpec:
    return PlayerSpec(player="clip", model=None if model is None else str(model), **settings)


def test_the_message_is_what_follows_the_game_masters_words() -> None:
    assert (
        extract_message("Hello.\n\nRound 1. Which picture is meant by this message: a dog\nsitting") == "a dog\nsitting"
    )
    assert extract_message("Other words.\n\na dog") == "a dog"


@pytest.mark.parametrize(
    ("settings", "fault"),
    [
        ({}, "model is missing"),
        ({"model": "m", "base_url": "https://example.org"}, "base_url: the player 'clip' takes no such setting"),
        ({"model": "m", "parameters": {"temperature": 0}}, "parameters.temperature"),
    ],
)
def test_wrong_settings_are_named(settings: dict[str, object], fault: str) -> None:
    with pytest.raises(InputError, match=fault):
        ClipListener.check(spec(**settings))


@pytest.fixture(scope="module")
def model(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with a random CLIP of 32 px and a handful of words."""
    pytest.importorskip("torch")
    transformers = pytest.importorskip("transformers")
    folder = tmp_path_factory.mktemp("clip")
    letters = sorted({letter for word in WORDS for letter in word})
    tokens = ["<|startoftext|>", "<|endoftext|>", *letters, *(f"{letter}</w>" for letter in letters)]
    (folder / "vocab.json").write_text(json.dumps({token: number for number, token in enumerate(tokens)}))
    (folder / "merges.txt").write_text("#version: 0.2\n")
    tokenizer = transformers.CLIPTokenizer(str(folder / "vocab.json"), str(folder / "merges.txt"))
    images = transformers.CLIPImageProcessor(size={"shortest_edge": 32}, crop_size={"height": 32, "width": 32})
    transformers.CLIPProcessor(images, tokenizer).save_pretrained(folder)
    config = transformers.CLIPConfig(
        vision_config={**SMALL, "image_size": 32, "patch_size": 8},
        text_config={
            **SMALL, "vocab_size": len(tokens), "bos_token_id": 0, "eos_token_id": 1, "max_position_embeddings": 12
        },
        projection_dim=8,
    )  # fmt: skip
    transformers.CLIPModel(config).save_pretrained(folder)
    return folder


def picture(seed: int) -> Picture:
    return Picture.from_pixels(np.random.default_rng(seed).integers(0, 256, (48, 40, 3), np.uint8))


def chosen(listener: ClipListener, message: str, shown: list[Picture]) -> str:
    labels = "ABCDEFGHIJ"[: len(shown)]
    pictures = tuple(Captioned(f"Image {label}", image) for label, image in zip(labels, shown, strict=True))
    prompt = f"Round 1. Which picture is meant by this message: {message}"
    question = Question(1, prompt, pictures, choices=tuple(labels), answers="choice")
    return asyncio.run(listener.answer(question)).choice


@pytest.mark.slow
def test_the_picture_with_the_largest_cosine_is_chosen(model: Path) -> None:
    """The order of pictures does not matter, and the choice is that of the model's own scores."""
    import torch
    from transformers import CLIPModel, CLIPProcessor

    listener, shown = ClipListener(spec(model)), [picture(seed) for seed in range(4)]
    own, processor = CLIPModel.from_pretrained(model).eval(), CLIPProcessor.from_pretrained(model)
    with torch.inference_mode():
        inputs = processor(text=["a red dog"], images=[image.pixels for image in shown], return_tensors="pt")
        best = int(own(**inputs).logits_per_text[0].argmax())
    assert chosen(listener, "a red dog", shown) == "ABCD"[best]
    assert chosen(listener, "a red dog", shown[::-1]) == "DCBA"[best]


def test_a_folder_without_a_model_is_refused_in_one_line(tmp_path: Path, model: Path) -> None:
    with pytest.raises(InputError, match="cannot be loaded"):
        ClipListener(spec(tmp_path / "nothing-here"))


def test_a_checkpoint_that_lacks_weights_is_refused(tmp_path: Path, model: Path) -> None:
    import shutil

    from safetensors.torch import load_file, save_file

    folder = Path(shutil.copytree(model, tmp_path / "lacking"))
    state = load_file(folder / "model.safetensors")
    save_file(dict(list(state.items())[1:]), folder / "model.safetensors", metadata={"format": "pt"})
    with pytest.raises(InputError, match="missing weights"):
        ClipListener(spec(folder))


def kilogram(folder: Path) -> Path:
    """Ten tangrams in KiloGram's layout, each named by one person, and a context of them for two targets."""
    (folder / "svg").mkdir(parents=True)
    names = [f"page1-{number}" for number in range(10)]
    for number, name in enumerate(names):
        pieces = make_tangram(random.Random(number)).pieces
        polygons = "".join(
            f'<polygon id="{piece}" points="{" ".join(f"{10 * x},{10 * y}" for x, y in corners)}"/>'
            for piece, corners in pieces.items()
        )
        svg = f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="-70 -70 140 140">{polygons}</svg>'
        (folder / "svg" / f"{name}.svg").write_text(svg)
    texts = [f"a {'red ' * number}dog#head#dog" for number in range(1, 11)]
    contexts = [
        {
            "target": f"{names[k]}_0",
            "images": [f"{name}_0" for name in names[k:] + names[:k]],
            "texts": texts[k:] + texts[:k],
        }
        for k in (0, 1)
    ]
    (folder / "contexts.json").write_text(json.dumps(contexts))
    parts = {"1": "head"} | {str(piece): "dog" for piece in range(2, 8)}
    annotations = {
        name: {"annotations": [{"whole": {"wholeAnnotation": text.split("#")[0]}, "part": parts}]}
        for name, text in zip(names, texts, strict=True)
    }
    (folder / "dense.json").write_text(json.dumps(annotations))
    return folder


@pytest.mark.slow
@pytest.mark.parametrize("condition", CONDITIONS)
def test_the_listener_plays_peoples_messages_in_each_condition(condition: str, model: Path, tmp_path: Path) -> None:
    """KiloGram's whole or parts, black or colour: what is said and shown is in the instances."""
    (tmp_path / "pair").mkdir()
    (tmp_path / "pair" / "submission.yaml").write_text(
        "schema: 1\ngame: reference\nname: people and clip\nlicence: MIT\n"
        f"speaker: {{player: recorded, source: human}}\nlistener: {{player: clip, model: {model}}}\n"
    )
    imported = str(kilogram(tmp_path / "kilogram"))
    with pytest.MonkeyPatch.context() as patch:
        patch.chdir(tmp_path)
        assert ircore(["instances", "import", "kilogram", imported, "--category", condition, "--out", "set"]) == 0
        assert ircore(["play", "pair", "--instances", "set", "--out", "run"]) == 0
        assert ircore(["score", "run"]) == 0
    episodes = list(RunFolder(tmp_path / "run").episodes())
    assert [episode.outcome for episode in episodes] == ["completed", "completed"]
