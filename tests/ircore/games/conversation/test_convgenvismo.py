"""Importing ConvGenVisMo's files: what is taken, and what is refused in one line."""

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from PIL import Image

from ircore.core.errors import InputError
from ircore.games.conversation.dialogues import import_convgenvismo
from ircore.games.conversation.records import Dialogue
from ircore.instances.requests import ImportRequest
from ircore.instances.store import InstanceSet, may_be_published, select_published_pictures


def line(image_id: str = "9", source: str = "unique", **changed: Any) -> dict[str, Any]:
    """Return a conversation in the published form."""
    hops = [("What is it?", "A girl."), ("Where is she?", "On the snow.")]
    conversation = [[{"role": "Joe", "content": q}, {"role": "Jill", "content": a}] for q, a in hops]
    return {
        "conversation": conversation,
        "image": {"image_id": image_id, "source": source},
        "elements": ["girl", " snow"],
        "category": ["human"],
        "language": ["en"],
        "language_category": "C",
        **changed,
    }


def written(folder: Path, *lines: dict[str, Any]) -> Path:
    """Write conversations and a white picture for each, in the repository's layout."""
    images = folder / "dataset" / "images"
    images.mkdir(parents=True)
    for conversation in lines:
        image_id = conversation.get("image", {}).get("image_id", "9")
        Image.new("RGB", (40, 30), "white").save(images / f"{image_id}.jpg")
    text = "".join(json.dumps(conversation) + "\n" for conversation in lines)
    (folder / "dataset" / "dataset.jsonl").write_text(text, encoding="utf-8")
    return folder


def imported(folder: Path, **options: Any) -> InstanceSet:
    return import_convgenvismo(ImportRequest(folder, folder.parent / "set", **options))


def test_a_conversation_becomes_an_instance(tmp_path: Path) -> None:
    (instance,) = imported(written(tmp_path / "repo", line())).instances
    assert (instance.instance_id, instance.category, instance.difficulty) == ("convgenvismo-9", "human", "easy")
    dialogue = Dialogue.model_validate(instance.payload)
    assert [hop.answered for hop in dialogue.dialogue] == ["A girl.", "On the snow."]
    assert dialogue.elements == ("girl", "snow")
    assert dialogue.scene is None


def test_the_folder_of_the_data_set_may_be_named_itself(tmp_path: Path) -> None:
    written(tmp_path / "repo", line())
    assert len(imported(tmp_path / "repo" / "dataset").instances) == 1


def test_longer_dialogues_are_hard(tmp_path: Path) -> None:
    hop = line()["conversation"][0]
    long = line("1", conversation=[hop] * 3)
    assert [instance.difficulty for instance in imported(written(tmp_path / "r", line("2"), long)).instances] == [
        "easy",
        "hard",
    ]


def test_pictures_that_are_not_the_authors_are_never_published(tmp_path: Path) -> None:
    pinterest = line("1", source="https://pin.it/5GGR8gB")
    made = imported(written(tmp_path / "r", line("2"), pinterest)).instances
    others, own = sorted(made, key=lambda instance: instance.instance_id)
    assert own.licence == "MIT"
    assert may_be_published(own.licence)
    assert not may_be_published(others.licence)
    assert not select_published_pictures(others)


def test_a_licence_cannot_be_given(tmp_path: Path) -> None:
    with pytest.raises(InputError, match=r"--licence CC0-1\.0"):
        imported(written(tmp_path / "r", line()), licence="CC0-1.0")


def test_a_category_may_be_chosen_and_an_unknown_one_is_refused(tmp_path: Path) -> None:
    folder = written(tmp_path / "r", line("1"), line("2", category=["nature"]))
    assert [instance.category for instance in imported(folder, category="nature").instances] == ["nature"]
    with pytest.raises(InputError, match="cats"):
        imported(folder, category="cats")


def test_a_conversation_without_a_picture_is_left_out_and_named(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    folder = written(tmp_path / "r", line("1"), line("49"))
    (folder / "dataset" / "images" / "49.jpg").unlink()
    assert len(imported(folder).instances) == 1
    assert "1 conversations have no picture and are left out: 49" in capsys.readouterr().err


def no_picture(folder: Path) -> None:
    (folder / "dataset" / "images" / "9.jpg").unlink()


def no_images(folder: Path) -> None:
    no_picture(folder)
    (folder / "dataset" / "images").rmdir()


def no_index(folder: Path) -> None:
    (folder / "dataset" / "dataset.jsonl").unlink()


def index_of(data: bytes) -> Callable[[Path], None]:
    def write(folder: Path) -> None:
        (folder / "dataset" / "dataset.jsonl").write_bytes(data)

    return write


@pytest.mark.parametrize(
    ("spoil", "said"),
    [
        (no_picture, "holds no picture of these conversations"), (no_images, "no such folder"),
        (no_index, "no dataset.jsonl"), (index_of(b""), "holds no conversation"),
        (index_of(b"{"), r"dataset.jsonl:1: not JSON"), (index_of(b"\xff\xfe"), "not UTF-8"),
        (index_of(b"[]"), "dataset.jsonl:1:"),
    ],
)  # fmt: skip
def test_missing_and_unreadable_files_are_named(tmp_path: Path, spoil: Callable[[Path], None], said: str) -> None:
    folder = written(tmp_path / "r", line())
    spoil(folder)
    with pytest.raises(InputError, match=said):
        imported(folder)
    assert not (tmp_path / "set").exists()


SWAPPED = [[{"role": "Jill", "content": "A girl."}, {"role": "Joe", "content": "What is it?"}]]


@pytest.mark.parametrize(
    ("changed", "said"),
    [
        ({"conversation": []}, "conversation"),  # no hop
        ({"conversation": SWAPPED}, "hop 1: Jill asks, Joe answers"),
        ({"conversation": [[{"role": "Joe", "content": "What?"}]]}, "conversation"),
        ({"conversation": [[{"role": "Joe", "content": "?"}, {"role": "Jill", "content": " "}]]}, "content"),
        ({"image": {"image_id": "../9", "source": "unique"}}, "image_id"),
        ({"image": {"image_id": "9"}}, "source"),
        ({"elements": "girl"}, "elements"),
        ({"category": ["robots"]}, "robots"),
        ({"category": []}, "category"),
    ],
)
def test_a_faulty_conversation_is_named_by_its_line_and_field(
    tmp_path: Path, changed: dict[str, Any], said: str
) -> None:
    folder = written(tmp_path / "r", line("1"))
    index = folder / "dataset" / "dataset.jsonl"
    index.write_text(index.read_text() + json.dumps(line(**changed)) + "\n")
    with pytest.raises(InputError, match=said) as refusal:
        imported(folder)
    assert "dataset.jsonl:2" in refusal.value.problem


def test_a_picture_may_stand_once(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="image_id 9 is there twice"):
        imported(written(tmp_path / "r", line(), line()))
    # Files are called after ids, and some file systems do not tell capitals from small letters.
    with pytest.raises(InputError, match="image_id a is there twice"):
        imported(written(tmp_path / "s", line("a"), line("A")))


def picture_of(folder: Path, name: str, data: bytes) -> np.ndarray[Any, Any]:
    """Import one conversation whose picture is a file of this name and content, and return the picture's pixels."""
    written(folder, line())
    (folder / "dataset" / "images" / "9.jpg").unlink()
    (folder / "dataset" / "images" / f"9{Path(name).suffix}").write_bytes(data)
    made = imported(folder)
    return made.pictures(made.instances[0])["target"].pixels


def saved(image: Image.Image, form: str, folder: Path, **options: Any) -> bytes:
    path = folder / "saved"
    image.save(path, form, **options)
    return path.read_bytes()


@pytest.mark.slow
def test_large_photographs_are_reduced(tmp_path: Path) -> None:
    image = Image.new("RGB", (4096, 1024), "grey")
    assert picture_of(tmp_path / "r", "9.jpg", saved(image, "JPEG", tmp_path)).shape == (512, 2048, 3)


def test_a_jpeg_is_taken_before_a_heic_file_of_the_same_name(tmp_path: Path) -> None:
    folder = written(tmp_path / "r", line())
    (folder / "dataset" / "images" / "9.HEIC").write_bytes(b"not read")
    assert len(imported(folder).instances) == 1


def test_heic_without_the_extra_says_what_to_install(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    import sys

    monkeypatch.setitem(sys.modules, "pillow_heif", None)
    with pytest.raises(InputError, match="extra heif") as refusal:
        picture_of(tmp_path / "r", "9.HEIC", b"anything")
    assert "pip install 'ircore[heif]'" in refusal.value.remedy


def test_heic_pictures_are_read(tmp_path: Path) -> None:
    pillow_heif = pytest.importorskip("pillow_heif", reason="the extra heif is not installed")
    path = tmp_path / "made.heic"
    pillow_heif.from_pillow(Image.new("RGB", (64, 48), "red")).save(path)
    pixels = picture_of(tmp_path / "r", "9.HEIC", path.read_bytes())
    assert pixels.shape == (48, 64, 3)
    assert pixels[..., 0].min() > 200
    with pytest.raises(InputError, match="damaged or no HEIC"):
        picture_of(tmp_path / "second" / "r", "9.HEIC", path.read_bytes()[:200])


@pytest.mark.parametrize("size", [(1, 1), (10, 10), (128, 9)])
def test_pictures_too_small_for_the_metrics_are_refused(tmp_path: Path, size: tuple[int, int]) -> None:
    with pytest.raises(InputError, match=f"{size[0]} × {size[1]} pixels"):
        picture_of(tmp_path / "r", "9.png", saved(Image.new("RGB", size, "red"), "PNG", tmp_path))


@pytest.mark.parametrize(
    ("name", "data", "said"),
    [("9.jpg", b"", "the file is empty"), ("9.png", b"plain text", "not a PNG"), ("9.jpg", None, "truncated")],
)
def test_broken_pictures_are_refused(tmp_path: Path, name: str, data: bytes | None, said: str) -> None:
    whole = saved(Image.effect_noise((64, 64), 90).convert("RGB"), "JPEG", tmp_path)
    with pytest.raises(InputError, match=said):
        picture_of(tmp_path / "r", name, whole[: len(whole) // 2] if data is None else data)
    assert not (tmp_path / "set").exists()
