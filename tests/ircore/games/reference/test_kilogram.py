"""KiloGram's contexts: what an imported game holds in each condition, and bad files."""

import json
import os
from pathlib import Path
from typing import Any

import pytest

from ircore.core.errors import InputError
from ircore.games.reference.kilogram import PublishedContext, draw_contexts, format_caption_with_parts, import_kilogram
from ircore.games.reference.naming import Annotation, read_annotations
from ircore.games.reference.records import Context
from ircore.instances.requests import ImportRequest
from ircore.instances.store import InstanceSet

SHARED = Path(os.environ.get("IRCORE_SHARED_DATA") or Path(__file__).resolve().parents[4].parent / "shared" / "data")
KILOGRAM = SHARED / "lang" / "kilogram"
needs_kilogram = pytest.mark.skipif(not KILOGRAM.is_dir(), reason="needs KiloGram's annotations")

# Ten figures of seven bars, the first bar of figure n as long as n; two parts, "head" and "body".
NAMES = [f"page1-{number}" for number in range(10)]
TEXTS = [f"open figure {number}#head#body" for number in range(10)]
PARTS = {"1": "body"} | {str(piece): "head" for piece in range(2, 8)}


def svg(length: int) -> str:
    bars = "".join(
        f'<polygon id="{piece}" points="0,{top} {wide},{top} {wide},{top + 9} 0,{top + 9}"/>'
        for piece in range(1, 8)
        for top, wide in [(10 * piece - 10, 10 + 6 * length if piece == 1 else 70)]
    )
    return f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 70 70">{bars}</svg>'


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    root = tmp_path / "kilogram"
    (root / "svg").mkdir(parents=True)
    for number, name in enumerate(NAMES):
        (root / "svg" / f"{name}.svg").write_text(svg(number))
    contexts = [
        {
            "target": f"{NAMES[first]}_0",
            "images": [f"{name}_0" for name in (NAMES * 2)[first : first + 10]],
            "texts": (TEXTS * 2)[first : first + 10],
        }
        for first in (0, 0, 3)
    ]
    (root / "contexts.json").write_text(json.dumps(contexts))
    annotations = {
        name: {"annotations": [{"whole": {"wholeAnnotation": text.split("#")[0]}, "part": PARTS}]}
        for name, text in zip(NAMES, TEXTS, strict=True)
    }
    (root / "dense.json").write_text(json.dumps(annotations))
    return root


def imported(folder: Path, condition: str | None = None) -> InstanceSet:
    return import_kilogram(ImportRequest(folder, folder.parent / f"set-{condition}", category=condition))


@pytest.mark.slow
def test_a_context_is_one_round_about_ten_tangrams(folder: Path) -> None:
    made = imported(folder)
    assert [instance.instance_id for instance in made.instances] == [
        "kilogram-page1-0_0-01",
        "kilogram-page1-0_0-02",
        "kilogram-page1-3_0-01",
    ]
    for instance, name, text in zip(made.instances, ("page1-0", "page1-0", "page1-3"), (0, 0, 3), strict=True):
        context = Context.model_validate(instance.payload)
        assert sorted(context.context) == sorted(NAMES) == sorted(instance.pictures)
        assert context.targets == (name,)
        assert [(human.message, human.chosen) for human in context.human] == [(f"open figure {text}", None)]
        assert (instance.category, instance.licence) == ("whole_black", "LicenseRef-KiloGram-tangrams")


@pytest.mark.slow
def test_the_target_is_not_always_first_and_the_order_is_the_same_again(folder: Path) -> None:
    contexts = json.loads((folder / "contexts.json").read_text())
    (folder / "contexts.json").write_text(json.dumps(contexts[:1] * 60))
    made, again = imported(folder), imported(folder, "whole_black")
    places = [
        context.context.index(context.targets[0])
        for context in (Context.model_validate(instance.payload) for instance in made.instances)
    ]
    # Ten places; that 60 draws miss more than three of them has a probability below one in a million.
    assert len(set(places)) >= 7
    assert made.identity == again.identity


@pytest.mark.slow
@pytest.mark.parametrize(
    ("condition", "message", "first_bar", "second_bar"),
    [
        ("whole_black", "open figure 3", (0, 0, 0), (0, 0, 0)),
        ("parts_black", "an open figure 3 with a head, and a body", (0, 0, 0), (0, 0, 0)),
        ("whole_color", "open figure 3", (255, 215, 0), (255, 127, 80)),
        ("parts_color", "an open figure 3 with a head, and a body", (255, 215, 0), (255, 127, 80)),
    ],
)
def test_a_condition_is_what_is_said_and_what_is_shown(
    folder: Path, condition: str, message: str, first_bar: tuple[int, ...], second_bar: tuple[int, ...]
) -> None:
    # Colours go by the place in the text, "head" before "body": coral and gold, by their CSS values.
    made = imported(folder, condition)
    instance = made.instances[2]
    context = Context.model_validate(instance.payload)
    assert context.human[0].message == message
    pixels = made.pictures(instance)[context.targets[0]].pixels
    assert (tuple(pixels[28, 30]), tuple(pixels[92, 30])) == (first_bar, second_bar)
    assert instance.category == condition


def test_the_same_tangram_is_coloured_by_each_text_anew(folder: Path) -> None:
    contexts = json.loads((folder / "contexts.json").read_text())
    contexts[1]["texts"][0] = "open figure 0#body#head"
    (folder / "contexts.json").write_text(json.dumps(contexts))
    made = imported(folder, "parts_color")
    first, second = (
        made.pictures(instance)[Context.model_validate(instance.payload).targets[0]] for instance in made.instances[:2]
    )
    assert first.sha256 != second.sha256


@pytest.mark.parametrize(
    ("change", "problem"),
    [
        ({"images": [f"{name}_0" for name in reversed(NAMES)]}, "page1-9_0 is first, not the target"),
        ({"images": [f"{name}_0" for name in [*NAMES[:9], NAMES[0]]]}, "the tangram page1-0 occurs twice"),
        ({"images": [f"{name}_0" for name in NAMES[:9]]}, "images"),
        ({"texts": TEXTS[:9]}, "texts"),
        ({"texts": [" #head", *TEXTS[1:]]}, "a name of the target is empty"),
        ({"texts": [3, *TEXTS[1:]]}, "texts"),
        ({"target": "../../etc/passwd"}, "target"),
        ({"target": "page1-0"}, "target"),
        ({"seed": 1}, "seed"),
    ],
)
def test_a_damaged_context_is_refused_and_nothing_is_written(folder: Path, change: Any, problem: str) -> None:
    contexts = json.loads((folder / "contexts.json").read_text())
    contexts[1] |= change
    (folder / "contexts.json").write_text(json.dumps(contexts))
    with pytest.raises(InputError, match=f"contexts.json: context 2: .*{problem}"):
        imported(folder)
    assert not (folder.parent / "set-None").exists()


@pytest.mark.parametrize("text", ["", "{}", "[]", "[" * 100_000, "\xff"])
def test_a_file_that_holds_no_contexts_is_refused(folder: Path, text: str) -> None:
    (folder / "contexts.json").write_bytes(text.encode("latin-1"))
    with pytest.raises(InputError, match=r"contexts\.json: (is not a list of contexts|is not JSON)"):
        imported(folder)


@pytest.mark.slow
def test_missing_files_are_named(folder: Path) -> None:
    (folder / "svg" / "page1-4.svg").rename(folder / "page1-4.svg")
    with pytest.raises(InputError, match=r"page1-4\.svg: No such file"):
        imported(folder)
    (folder / "page1-4.svg").rename(folder / "svg" / "page1-4.svg")
    (folder / "dense.json").unlink()
    with pytest.raises(InputError, match="no file of annotations"):
        imported(folder, "whole_color")
    (folder / "contexts.json").unlink()
    with pytest.raises(InputError, match="no file of annotations, which colours and drawn contexts need"):
        imported(folder)
    with pytest.raises(InputError, match="no folder of tangrams"):
        imported(folder.parent)


@pytest.mark.parametrize(("change", "problem"), [({"1": None}, "part"), ({"8": "tail"}, "unknown piece '8'")])
def test_an_annotation_with_other_pieces_is_refused(folder: Path, change: Any, problem: str) -> None:
    document = json.loads((folder / "dense.json").read_text())
    document["page1-3"]["annotations"][0]["part"] |= change
    (folder / "dense.json").write_text(json.dumps(document))
    with pytest.raises(InputError, match=f"page1-3: annotation 1: .*{problem}"):
        imported(folder, "parts_color")


def test_a_condition_that_is_none_is_refused(folder: Path) -> None:
    with pytest.raises(InputError, match="unknown condition 'whole'"):
        imported(folder, "whole")


@needs_kilogram
def test_captions_and_contexts_are_the_published_ones() -> None:
    rows = json.loads((KILOGRAM / "captions.json").read_text())
    names = [row["text"].split("#") for row in rows]
    captions = [format_caption_with_parts(whole, parts) for whole, *parts in names]
    equal = sum(caption == row["caption"] for caption, row in zip(captions, rows, strict=True))
    assert equal >= 0.97 * len(rows)
    contexts = json.loads((KILOGRAM / "published_contexts.json").read_text())
    assert len([PublishedContext.model_validate(entry) for entry in contexts]) == 1180


def annotation(whole: str, parts: int) -> Annotation:
    """A person's names with so many parts."""
    return Annotation(whole=whole, part={str(piece): f"part {min(piece, parts)}" for piece in range(1, 8)})


def drawn(parts: int, tangrams: int, *wholes: str) -> tuple[list[PublishedContext], int]:
    """Contexts of tangrams with an annotation each; names that are not given are all different."""
    names = [*wholes, *(f"figure {number}" for number in range(len(wholes), tangrams))]
    return draw_contexts({f"page1-{number}": [annotation(name, parts)] for number, name in enumerate(names)})


@pytest.mark.parametrize("parts", [1, 4, 7])
def test_ten_tangrams_with_as_many_parts_make_a_context_for_each(parts: int) -> None:
    contexts, left_out = drawn(parts, 10)
    assert (len(contexts), left_out) == (10, 0)
    for context in contexts:
        assert {image.partition("_")[0] for image in context.images} == {f"page1-{number}" for number in range(10)}
        assert all(text.count("#") == parts for text in context.texts)


def test_names_that_differ_by_letter_case_are_different_strings_as_in_the_published_program() -> None:
    contexts, left_out = drawn(3, 10, "dog", "Dog")
    assert (len(contexts), left_out) == (10, 0)


def test_the_same_annotations_give_the_same_contexts_in_whatever_order_they_come() -> None:
    annotations = {f"page1-{number}": [annotation(f"figure {number}", 3)] for number in range(14)}
    again = dict(reversed(annotations.items()))
    assert draw_contexts(annotations) == draw_contexts(again)
    # Nor does the order of the pieces of an annotation count.
    turned = {
        name: [Annotation(whole=each.whole, part=dict(reversed(each.part.items()))) for each in of_tangram]
        for name, of_tangram in annotations.items()
    }
    assert draw_contexts(annotations) == draw_contexts(turned)


@needs_kilogram
def test_contexts_of_published_annotations_are_like_the_published_ones() -> None:
    contexts, left_out = draw_contexts(read_annotations(KILOGRAM / "dense10.json"))
    assert len(contexts) + left_out == 370
    assert len(contexts) >= 0.9 * 370
    for context in contexts:
        assert len({text.count("#") for text in context.texts}) == 1
        assert len({text.split("#")[0] for text in context.texts}) == 10
