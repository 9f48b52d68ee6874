"""Naming divergence and segmentation agreement: hand-worked names, and KiloGram's published values."""

import json
import os
from pathlib import Path
from typing import Any

import pytest

from ircore.core.errors import InputError
from ircore.games.reference.language.annotations import PIECES, Annotation, read_annotations, read_stated_measures
from ircore.games.reference.language.naming import content_words, divergence, log_perplexity, mean_agreement, naming

SHARED = Path(os.environ.get("IRCORE_SHARED_DATA") or Path(__file__).resolve().parents[4].parent / "shared" / "data")
KILOGRAM = SHARED / "lang" / "kilogram"
needs_kilogram = pytest.mark.skipif(not KILOGRAM.is_dir(), reason="needs KiloGram's annotations")
BODY = dict.fromkeys(PIECES, "body")


def test_names_that_all_share_do_not_diverge_and_names_of_their_own_do() -> None:
    assert divergence([("dog",), ("dog",), ("dog",)]) == 0
    assert divergence([("dog",), ("cat",), ("bird",)]) == 1
    # dog: shared with one of two others, ½; cat and its tail: 1 each; so (½ + ½ + 1) / 3.
    assert divergence([("dog",), ("dog",), ("cat", "tail")]) == pytest.approx(2 / 3)


def test_an_annotation_without_content_words_counts_as_no_divergence() -> None:
    assert divergence([("dog",), ("cat",), ()]) == pytest.approx(2 / 3)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("", ()),
        ("m", ()),
        ("???", ()),
        ("UNKNOWN", ("unknown",)),
        ("a man's hat", ("man", "'s", "hat")),
        ("Dogs", ("dog",)),
        ("café", ("café",)),
        ("bird/man", ("bird/man",)),
        ("b-2", ("b-2",)),
        ("half-moon", ("half-moon",)),
        # An inner full stop stays on its word, as without splitting into sentences.
        ("table. she kneels", ("table.", "kneel")),
    ],
)
def test_content_words_of_odd_names(text: str, expected: tuple[str, ...]) -> None:
    assert content_words(text) == expected


def test_names_without_content_words_do_not_diverge_even_if_all_are() -> None:
    assert naming([Annotation(whole="m"), Annotation(whole="???")]).snd == 0
    assert naming([Annotation(whole="Dog"), Annotation(whole="dog")]).snd == 0


def test_names_that_differ_by_case_or_blanks_are_two_parts_and_one_word() -> None:
    two = Annotation(whole="dog", part=BODY | {"1": "Body", "2": "body "})
    assert [len(pieces) for pieces in two.parts().values()] == [1, 1, 5]
    measured = naming([two, Annotation(whole="dog", part=BODY)])
    # The words are alike; of the seven pieces only the five in one part are agreed on.
    assert (measured.snd, measured.pnd, measured.psa) == (0, 0, 5)


def test_pieces_that_nobody_could_name_are_one_part() -> None:
    unknown = Annotation(whole="dog", part=dict.fromkeys(PIECES, "UNKNOWN"))
    assert naming([unknown, unknown]) == (2, 0, 0, 7)
    assert naming([unknown, Annotation(whole="dog", part=BODY)]).pnd == 1


def test_parts_are_matched_by_their_pieces_and_not_by_their_names() -> None:
    halves = {piece: ("front" if piece in "123" else "back") for piece in PIECES}
    renamed = {piece: ("head" if piece in "123" else "tail") for piece in PIECES}
    assert mean_agreement([Annotation(whole="dog", part=halves), Annotation(whole="cat", part=renamed)]) == 7
    assert mean_agreement([Annotation(whole="dog", part=halves), Annotation(whole="cat", part=BODY)]) == 4


def test_too_few_annotations_have_no_measures() -> None:
    assert naming([]) == (0, None, None, None)
    assert naming([Annotation(whole="dog", part=BODY)]) == (1, None, None, None)
    assert naming([Annotation(whole="dog"), Annotation(whole="dog")]) == (2, 0.0, None, None)
    assert log_perplexity([Annotation(whole="m"), Annotation(whole="dog")]) is None


@needs_kilogram
@pytest.mark.parametrize("name", ["dense", "dense10"])
@pytest.mark.slow
def test_measures_are_the_published_ones(name: str) -> None:
    expected = json.loads((KILOGRAM / "expected_measures.json").read_text())
    for tangram, annotations in read_annotations(KILOGRAM / f"{name}.json").items():
        measured, published = naming(annotations), expected[tangram][name]
        for key in ("n", "snd", "pnd", "psa"):
            assert getattr(measured, key) == pytest.approx(published[key], abs=1e-9), (tangram, key)


@pytest.mark.slow
@needs_kilogram
def test_content_words_and_agreements_are_the_published_ones() -> None:
    for case in json.loads((KILOGRAM / "clean_cases.json").read_text()):
        assert list(content_words(case["text"])) == case["tokens"]
    for pair in json.loads((KILOGRAM / "psa_pairs.json").read_text()):
        annotations = [Annotation(whole="", part=pair[side]) for side in ("a", "b")]
        assert mean_agreement(annotations) == pair["agreement"]


@pytest.mark.slow
@needs_kilogram
def test_perplexity_in_both_forms() -> None:
    annotations = read_annotations(KILOGRAM / "dense10.json")
    for tangram, bits in json.loads((KILOGRAM / "perplexity_dense10.json").read_text()).items():
        assert log_perplexity(annotations[tangram]) == pytest.approx(bits["log2pp_paper"], abs=1e-9)
        assert log_perplexity(annotations[tangram], stemmed=False) == pytest.approx(bits["log2pp_code"], abs=1e-9)


@pytest.mark.parametrize(
    ("document", "problem"),
    [
        ("[]", "is not an object of pictures"),
        ("{", "not JSON"),
        ('{"t": 3}', "t: annotations is not a list"),
        ('{"t": [{"whole": 3}]}', "t: annotation 1: whole"),
        ('{"t": [{"whole": "dog", "part": {"1": "leg"}}]}', "part: piece '2' has no name"),
        (json.dumps({"t": [{"whole": "dog", "part": BODY | {"8": "leg"}}]}), "part: unknown piece '8'"),
        (json.dumps({"t": [{"whole": "dog", "part": BODY | {"7": None}}]}), "part.7"),
        (json.dumps({"t": [{"whole": "dog", "part": dict.fromkeys(PIECES, 4)}]}), "part.1"),
        (json.dumps({"t": [{"whole": None, "part": BODY}]}), "t: annotation 1: whole"),
        (json.dumps({"t": [{"part": BODY}]}), "t: annotation 1: whole"),
        ('{"t": NaN}', "not JSON"),
    ],
)
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
