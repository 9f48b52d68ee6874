"""Naming divergence and segmentation agreement, and KiloGram's contexts: hand-worked and published values."""

import json
import os
from itertools import pairwise
from pathlib import Path
from statistics import correlation, fmean
from typing import Any

import pytest

from ircore.core.errors import InputError
from ircore.games.reference.icca import import_icca
from ircore.games.reference.kilogram import PublishedContext, draw_contexts, format_caption_with_parts, import_kilogram
from ircore.games.reference.measures import compute_novelty, list_content_words, measure_rounds
from ircore.games.reference.naming import (
    PIECES,
    Annotation,
    compute_divergence,
    compute_log_perplexity,
    compute_mean_agreement,
    compute_naming,
    list_content_stems,
    read_annotations,
    read_stated_measures,
)
from ircore.games.reference.records import Context, Round
from ircore.instances.requests import ImportRequest
from ircore.instances.store import InstanceSet

SHARED = Path(os.environ.get("IRCORE_SHARED_DATA") or Path(__file__).resolve().parents[4].parent / "shared" / "data")
KILOGRAM = SHARED / "lang" / "kilogram"
needs_kilogram = pytest.mark.skipif(not KILOGRAM.is_dir(), reason="needs KiloGram's annotations")
BODY = dict.fromkeys(PIECES, "body")


def test_names_that_all_share_do_not_diverge_and_names_of_their_own_do() -> None:
    assert compute_divergence([("dog",), ("dog",), ("dog",)]) == 0
    assert compute_divergence([("dog",), ("cat",), ("bird",)]) == 1
    # dog: shared with one of two others, ½; cat and its tail: 1 each; so (½ + ½ + 1) / 3.
    assert compute_divergence([("dog",), ("dog",), ("cat", "tail")]) == pytest.approx(2 / 3)


def test_an_annotation_without_content_words_counts_as_no_divergence() -> None:
    assert compute_divergence([("dog",), ("cat",), ()]) == pytest.approx(2 / 3)


CONTENT_WORDS = {
    "": (), "m": (), "???": (), "UNKNOWN": ("unknown",), "a man's hat": ("man", "'s", "hat"), "Dogs": ("dog",),
    "café": ("café",), "bird/man": ("bird/man",), "b-2": ("b-2",), "half-moon": ("half-moon",),
    # An inner full stop stays on its word, as without splitting into sentences.
    "table. she kneels": ("table.", "kneel"),
}  # fmt: skip


@pytest.mark.slow
@pytest.mark.parametrize(("text", "expected"), CONTENT_WORDS.items())
def test_content_words_of_odd_names(text: str, expected: tuple[str, ...]) -> None:
    assert list_content_stems(text) == expected


def test_names_without_content_words_do_not_diverge_even_if_all_are() -> None:
    assert compute_naming([Annotation(whole="m"), Annotation(whole="???")]).snd == 0
    assert compute_naming([Annotation(whole="Dog"), Annotation(whole="dog")]).snd == 0


def test_names_that_differ_by_case_or_blanks_are_two_parts_and_one_word() -> None:
    two = Annotation(whole="dog", part=BODY | {"1": "Body", "2": "body "})
    assert [len(pieces) for pieces in two.parts().values()] == [1, 1, 5]
    measured = compute_naming([two, Annotation(whole="dog", part=BODY)])
    # The words are alike; of the seven pieces only the five in one part are agreed on.
    assert (measured.snd, measured.pnd, measured.psa) == (0, 0, 5)


def test_pieces_that_nobody_could_name_are_one_part() -> None:
    unknown = Annotation(whole="dog", part=dict.fromkeys(PIECES, "UNKNOWN"))
    assert compute_naming([unknown, unknown]) == (2, 0, 0, 7)
    assert compute_naming([unknown, Annotation(whole="dog", part=BODY)]).pnd == 1


def test_parts_are_matched_by_their_pieces_and_not_by_their_names() -> None:
    halves = {piece: ("front" if piece in "123" else "back") for piece in PIECES}
    renamed = {piece: ("head" if piece in "123" else "tail") for piece in PIECES}
    assert compute_mean_agreement([Annotation(whole="dog", part=halves), Annotation(whole="cat", part=renamed)]) == 7
    assert compute_mean_agreement([Annotation(whole="dog", part=halves), Annotation(whole="cat", part=BODY)]) == 4


def test_too_few_annotations_have_no_measures() -> None:
    assert compute_naming([]) == (0, None, None, None)
    assert compute_naming([Annotation(whole="dog", part=BODY)]) == (1, None, None, None)
    assert compute_naming([Annotation(whole="dog"), Annotation(whole="dog")]) == (2, 0.0, None, None)
    assert compute_log_perplexity([Annotation(whole="m"), Annotation(whole="dog")]) is None


@needs_kilogram
@pytest.mark.parametrize("name", ["dense", "dense10"])
@pytest.mark.slow
def test_measures_are_the_published_ones(name: str) -> None:
    expected = json.loads((KILOGRAM / "expected_measures.json").read_text())
    for tangram, annotations in read_annotations(KILOGRAM / f"{name}.json").items():
        measured, published = compute_naming(annotations), expected[tangram][name]
        for key in ("n", "snd", "pnd", "psa"):
            assert getattr(measured, key) == pytest.approx(published[key], abs=1e-9), (tangram, key)


@pytest.mark.slow
@needs_kilogram
def test_content_words_and_agreements_are_the_published_ones() -> None:
    for case in json.loads((KILOGRAM / "clean_cases.json").read_text()):
        assert list(list_content_stems(case["text"])) == case["tokens"]
    for pair in json.loads((KILOGRAM / "psa_pairs.json").read_text()):
        annotations = [Annotation(whole="", part=pair[side]) for side in ("a", "b")]
        assert compute_mean_agreement(annotations) == pair["agreement"]


@pytest.mark.slow
@needs_kilogram
def test_perplexity_in_both_forms() -> None:
    annotations = read_annotations(KILOGRAM / "dense10.json")
    for tangram, bits in json.loads((KILOGRAM / "perplexity_dense10.json").read_text()).items():
        assert compute_log_perplexity(annotations[tangram]) == pytest.approx(bits["log2pp_paper"], abs=1e-9)
        assert compute_log_perplexity(annotations[tangram], stemmed=False) == pytest.approx(
            bits["log2pp_code"], abs=1e-9
        )


@pytest.mark.parametrize(
    ("document", "problem"),
    [
        ("[]", "is not an object of pictures"), ("{", "not JSON"), ('{"t": 3}', "t: annotations is not a list"),
        ('{"t": [{"whole": 3}]}', "t: annotation 1: whole"),
        ('{"t": [{"whole": "dog", "part": {"1": "leg"}}]}', "part: piece '2' has no name"),
        (json.dumps({"t": [{"whole": "dog", "part": BODY | {"8": "leg"}}]}), "part: unknown piece '8'"),
        (json.dumps({"t": [{"whole": "dog", "part": BODY | {"7": None}}]}), "part.7"),
        (json.dumps({"t": [{"whole": "dog", "part": dict.fromkeys(PIECES, 4)}]}), "part.1"),
        (json.dumps({"t": [{"whole": None, "part": BODY}]}), "t: annotation 1: whole"),
        (json.dumps({"t": [{"part": BODY}]}), "t: annotation 1: whole"), ('{"t": NaN}', "not JSON"),
    ],
)  # fmt: skip
def test_bad_files_are_refused_in_one_line(tmp_path: Path, document: Any, problem: str) -> None:
    path = tmp_path / "annotations.json"
    path.write_text(document)
    with pytest.raises(InputError, match=problem) as refused:
        read_annotations(path)
    assert str(path) in refused.value.problem
    assert "\n" not in refused.value.problem


def test_measures_that_a_file_states_are_read_beside_its_annotations(tmp_path: Path) -> None:
    path = tmp_path / "annotations.json"
    path.write_text(json.dumps({"t": {"snd": 0.5, "psa": 7, "annotations": []}, "u": {"annotations": []}, "v": []}))
    assert read_stated_measures(path) == {"t": {"snd": 0.5, "psa": 7}}


@pytest.mark.parametrize("value", ['"high"', "1.5", "-0.1", "true"])
def test_a_stated_measure_out_of_its_range_is_refused(tmp_path: Path, value: str) -> None:
    path = tmp_path / "annotations.json"
    path.write_text(f'{{"t": {{"pnd": {value}, "annotations": []}}}}')
    with pytest.raises(InputError, match=r"annotations\.json: t: pnd"):
        read_stated_measures(path)


ICCA = SHARED / "lang" / "icca"
needs_icca = pytest.mark.skipif(not ICCA.is_dir(), reason="needs ICCA's recorded games")


def a_round(repetition: int, target: str, message: str, chosen: str | None) -> Round:
    shown = dict.fromkeys(("labelled", "shown"), ("x", "y"))
    said = {"message": message, "answer": "A", "chosen": chosen, "correct": chosen == target}
    return Round.model_validate({"repetition": repetition, "target": target, **shown, **said})


def test_measures_of_two_pictures_described_twice() -> None:
    rounds = [
        a_round(1, "x", "the tall red house", "x"), a_round(1, "y", "a dog on the grass", "x"),
        a_round(2, "x", "red house", "x"), a_round(2, "y", "running dog", None),
    ]  # fmt: skip
    values = {(value.measure, value.step): value.value for value in measure_rounds(rounds, 2)}
    assert values["accuracy", None] == 0.5
    assert values["invalid", None] == 0.25
    assert values["words", None] == (4 + 5 + 2 + 2) / 4
    assert values["message_tokens", 3] == 2  # "red" and " house"
    assert values["tokens", None] == (4 + 5 + 2 + 2) / 4
    assert values["shortening", None] == 2 / 4.5
    # tall red house → red house: dropping the first word is free in the paper and costs one in the code.
    assert (values["message_wnd", 3], values["message_wnd_paper", 3]) == (1, 0)
    # dog on grass → running dog: one insertion, two deletions.
    assert values["message_wnr_paper", 4] == pytest.approx(1 / 3)
    assert values["message_overlap", 3] == pytest.approx(2 / 3)
    assert ("message_wnr", 1) not in values


def test_a_single_mention_has_no_novelty_and_says_why() -> None:
    values = {
        value.measure: value for value in measure_rounds([a_round(1, "x", "a house", "x")], 2) if value.step is None
    }
    assert (values["wnr"].value, values["wnr"].reason) == (None, "every picture was described once")
    assert values["shortening"].value is None


@needs_icca
def test_novelty_of_published_cases() -> None:
    for case in json.loads((ICCA / "edit_cases.json").read_text()):
        code, paper = compute_novelty(case["ref"], case["hyp"]), compute_novelty(case["ref"], case["hyp"], "paper")
        assert (code.distance, code.rate) == (case["wnd_icca_code"], case["wnr_icca_code"])
        assert paper.distance == case["wnd_paper"]
        assert paper.rate == case["wnr_paper_norm_ref"] or not case["ref"]


@needs_icca
@pytest.mark.slow
def test_recorded_people_are_as_accurate_and_as_brief_as_published(tmp_path: Path) -> None:
    made = import_icca(ImportRequest(ICCA / "games", tmp_path / "set"))
    expected = json.loads((ICCA / "expected_per_game.json").read_text())
    assert len(made.instances) == len(expected)
    instances = {instance.instance_id: instance for instance in made.instances}
    for folder, figures in expected.items():
        instance = instances[f"icca-{folder.lower()}"]
        human, targets = instance.payload["human"], instance.payload["targets"]
        assert isinstance(human, list)
        assert isinstance(targets, list)
        right = [said["chosen"] == target for said, target in zip(human, targets, strict=True)]  # type: ignore[call-overload,index]
        lengths = [len(said["message"].split()) for said in human]  # type: ignore[call-overload,index,union-attr]
        assert [fmean(right[at : at + 4]) for at in range(0, 24, 4)] == figures["accuracy"]
        assert [fmean(lengths[at : at + 4]) for at in range(0, 24, 4)] == figures["length_words"]


@needs_icca
def test_novelty_of_people_is_exact_with_the_taggers_words_and_near_without(tmp_path: Path) -> None:
    tagged = json.loads((ICCA / "tagged_spacy_sm380_lookup.json").read_text())
    expected = json.loads((ICCA / "expected_per_game.json").read_text())
    exact, listed = [], []
    for folder, trials in tagged.items():
        made = import_rounds(folder)
        for definition, key in (("icca_code", "wnr_icca_code"), ("paper", "wnr_paper")):
            rates = novelty_by_repetition(made, [trial["content"] for trial in trials], definition)
            assert rates == pytest.approx(expected[folder][key], abs=1e-9)
        exact.append(fmean(expected[folder]["wnr_icca_code"]))
        own = [list(list_content_words(trial["msg"])) for trial in trials]
        listed.append(fmean(novelty_by_repetition(made, own, "icca_code")))
    assert correlation(exact, listed) > 0.97


def import_rounds(folder: str) -> list[str]:
    lines = (ICCA / "games" / folder / f"trials_for_{folder}.csv").read_text().splitlines()[1:]
    return [line.split(",")[3] for line in lines]


def novelty_by_repetition(targets: list[str], content: list[list[str]], definition: str) -> list[float]:
    """Means over the four pictures of each repetition from the second."""
    of_picture: dict[str, list[list[str]]] = {}
    for target, words in zip(targets, content, strict=True):
        of_picture.setdefault(target, []).append(words)
    rates = [[compute_novelty(*pair, definition).rate for pair in pairwise(said)] for said in of_picture.values()]  # type: ignore[arg-type]
    return [fmean(repetition) for repetition in zip(*rates, strict=True)]


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
    ids = [instance.instance_id for instance in made.instances]
    assert ids == ["kilogram-page1-0_0-01", "kilogram-page1-0_0-02", "kilogram-page1-3_0-01"]
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
@pytest.mark.parametrize("condition", ["whole_black", "parts_black", "whole_color", "parts_color"])
def test_a_condition_is_what_is_said_and_what_is_shown(folder: Path, condition: str) -> None:
    naming, _, shown = condition.partition("_")
    message = {"whole": "open figure 3", "parts": "an open figure 3 with a head, and a body"}[naming]
    bars = {"black": ((0, 0, 0), (0, 0, 0)), "color": ((255, 215, 0), (255, 127, 80))}[shown]
    # Colours go by the place in the text, "head" before "body": coral and gold, by their CSS values.
    made = imported(folder, condition)
    instance = made.instances[2]
    context = Context.model_validate(instance.payload)
    assert (context.human[0].message, context.naming) == (message, naming)
    pixels = made.pictures(instance)[context.targets[0]].pixels
    assert (tuple(pixels[28, 30]), tuple(pixels[92, 30])) == bars
    assert instance.category == condition


@pytest.mark.slow
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
