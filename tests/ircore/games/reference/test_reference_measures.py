"""Measures of reference games: hand-worked rounds, and ICCA's recorded games."""

import json
import os
from itertools import pairwise
from pathlib import Path
from statistics import correlation, fmean

import pytest

from ircore.games.reference.icca import import_icca
from ircore.games.reference.language.convention import novelty
from ircore.games.reference.language.messages import listed_content_words
from ircore.games.reference.measures import measured_rounds
from ircore.games.reference.records import Round
from ircore.instances.requests import ImportRequest

SHARED = Path(os.environ.get("IRCORE_SHARED_DATA") or Path(__file__).resolve().parents[4].parent / "shared" / "data")
ICCA = SHARED / "lang" / "icca"
needs_icca = pytest.mark.skipif(not ICCA.is_dir(), reason="needs ICCA's recorded games")


def a_round(repetition: int, target: str, message: str, chosen: str | None) -> Round:
    names = ("x", "y")
    return Round(
        repetition=repetition,
        target=target,
        labelled=names,
        shown=names,
        message=message,
        answer="A",
        chosen=chosen,
        correct=chosen == target,
    )


def test_measures_of_two_pictures_described_twice() -> None:
    rounds = [
        a_round(1, "x", "the tall red house", "x"),
        a_round(1, "y", "a dog on the grass", "x"),
        a_round(2, "x", "red house", "x"),
        a_round(2, "y", "running dog", None),
    ]
    values = {(value.measure, value.step): value.value for value in measured_rounds(rounds, 2)}
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
        value.measure: value for value in measured_rounds([a_round(1, "x", "a house", "x")], 2) if value.step is None
    }
    assert (values["wnr"].value, values["wnr"].reason) == (None, "every picture was described once")
    assert values["shortening"].value is None


@needs_icca
def test_novelty_of_published_cases() -> None:
    for case in json.loads((ICCA / "edit_cases.json").read_text()):
        code, paper = novelty(case["ref"], case["hyp"]), novelty(case["ref"], case["hyp"], "paper")
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
        own = [list(listed_content_words(trial["msg"])) for trial in trials]
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
    rates = [[novelty(*pair, definition).rate for pair in pairwise(said)] for said in of_picture.values()]  # type: ignore[arg-type]
    return [fmean(repetition) for repetition in zip(*rates, strict=True)]
