"""The wiring of scores: which side is which, what a kept value is kept by, and which of two things counts."""

import os
import random
from dataclasses import replace
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest
from invented import invented_set
from target_instances import with_target

from ircore.core.images import Picture, Pixels
from ircore.core.records import Box
from ircore.core.score_records import MOST_EXTRAS, ExtraBox
from ircore.games.conversation import dialogues as dialogues
from ircore.games.reasoning.detections import Detections
from ircore.runs.judge_questions import JudgeQuestion
from ircore.runs.session import Knowledge
from ircore.scorers import contamination, element_sources, scoring
from ircore.scorers.element_sources import detect_with_cache
from ircore.scorers.judge_test.card import format_percent
from ircore.scorers.judges.base import Judgement
from ircore.scorers.judges.manifest import load_judge_prompts
from ircore.scorers.judges.structural import StructuralJudge, compute_structure_agreement
from ircore.scorers.material import Material, Wanted, compute_scores
from ircore.scorers.metrics import text
from ircore.scorers.metrics.base import resize_to_target
from ircore.scorers.metrics.network_weights import compute_fingerprint
from ircore.scorers.model_judges.items import count_losses
from ircore.scorers.references import choose_other_instance
from ircore.scorers.scoring import list_scored_turns
from ircore.scorers.verification import judge
from ircore.scorers.verification.judge import compute_facts_version
from ircore.seeing.ocr import TextLine


def plain(side: int, level: int) -> Pixels:
    pixels = np.full((side, side, 3), level, np.uint8)
    pixels.flags.writeable = False
    return pixels


def test_precision_is_of_the_rendering_and_recall_of_the_target(monkeypatch: pytest.MonkeyPatch) -> None:
    """The target has four labels, the rendering one of them and one that is invented."""
    target, image = plain(100, 0), plain(100, 255)

    def read(pixels: Pixels) -> list[TextLine]:
        words = {0: ("a", "b", "c", "d"), 255: ("a", "x")}[int(pixels[0, 0, 0])]
        places = {word: 20.0 * place for place, word in enumerate("abcdx")}
        return [TextLine(word, tuple((places[word], 10.0) for _ in range(4)), 0.9) for word in words]

    monkeypatch.setattr(text, "read_text", read)
    values = [metric.compute(target, image) for metric in (text.PRECISION, text.RECALL, text.F1)]
    assert values == pytest.approx([1 / 2, 1 / 4, 2 / 6])


def test_answers_of_a_model_are_kept_by_model_words_and_labels(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    asked: list[tuple[str, ...]] = []

    def detect(path: Path, picture: Picture, labels: tuple[str, ...]) -> object:
        asked.append(labels)
        return Detections({}, {}, frozenset()).as_elements(8, 8, "model m")

    def manifest(name: str, model: str) -> Path:
        path = tmp_path / name
        lines = [
            "schema: 1", f"name: {name[:-5]}", "label: Eye", "player: openai", f"model: {model}",
            "base_url: http://127.0.0.1:9/v1",
        ]  # fmt: skip
        path.write_text("\n".join(lines) + "\n")
        return path

    monkeypatch.setattr(element_sources, "detect_by_model", detect)
    one, other = manifest("eye.yaml", "m"), manifest("ear.yaml", "n")
    first, second = (Picture.from_pixels(plain(side, 9)) for side in (8, 9))
    for path, picture, labels in [
        (one, first, ("dog",)),
        (one, first, ("cat",)),
        (one, second, ("dog",)),
        (other, first, ("dog",)),
    ]:
        detect_with_cache(path, picture, labels)
        detect_with_cache(path, picture, labels)
    assert len(asked) == 4
    monkeypatch.setattr(element_sources, "PROMPT", element_sources.PROMPT + " Once more.")
    detect_with_cache(one, first, ("dog",))
    assert len(asked) == 5


def test_another_target_is_another_picture_and_not_another_id() -> None:
    first, twin, other = (
        with_target(instance, sha256=sha256 * 64)
        for instance, sha256 in zip(invented_set(2, ("geometry",)).instances, "112", strict=False)
    )
    for seed in range(12):
        knowledge = Knowledge(instance=first, others=(first, twin, other), picture_of=None, seed=seed)  # type: ignore[arg-type]
        assert choose_other_instance(knowledge) == other


def test_only_identical_pictures_get_ten_and_a_negative_gets_no_less_than_nothing() -> None:
    rng = np.random.default_rng(1)
    target = rng.integers(0, 256, (256, 256, 3), np.uint8)
    near = target.copy()
    near[0, 0] ^= 1
    judge = StructuralJudge()
    rated = [
        judge.rate(*(Picture.from_pixels(pixels) for pixels in (target, image))).value
        for image in (target, near, 255 - target)
    ]
    assert rated[0] == 10
    assert rated[1] is not None
    assert 9.9 < rated[1] < 10
    square = plain(128, 255).copy()
    square[30:90, 30:90] = 0
    assert judge.rate(Picture.from_pixels(square), Picture.from_pixels(255 - square)).value == 0


def test_weights_that_were_replaced_are_others(tmp_path: Path) -> None:
    file = tmp_path / "model.safetensors"
    prints = []
    for place in (tmp_path, file):
        for number, content in enumerate((b"one", b"two")):
            file.write_bytes(content)
            os.utime(file, ns=(10**18 + number, 10**18 + number))
            prints.append(compute_fingerprint(str(place)))
    assert len({*prints[:2]}) == len({*prints[2:]}) == 2
    assert compute_fingerprint("org/name") == "org/name"


def test_the_resized_picture_of_another_target_is_not_taken() -> None:
    first, second, image = plain(32, 1), plain(48, 2), plain(64, 3)
    assert [resize_to_target(target, image).shape[0] for target in (first, second, first)] == [32, 48, 32]
    assert int(resize_to_target(first, plain(64, 9))[0, 0, 0]) == 9


class Episode:
    def __init__(self, *hashes: str) -> None:
        self.renderings = {turn: type("R", (), {"sha256": sha256})() for turn, sha256 in enumerate(hashes, start=1)}


def test_one_rendering_is_rated_once_and_the_final_comes_last() -> None:
    assert list_scored_turns(Episode("a"), every_turn=False) == [(1, "a")]  # type: ignore[arg-type]
    assert list_scored_turns(Episode("a", "b", "c"), every_turn=False) == [(1, "a"), (3, "c")]  # type: ignore[arg-type]
    assert list_scored_turns(Episode("a", "b"), every_turn=True) == [(1, "a"), (2, "b")]  # type: ignore[arg-type]


def test_equal_renderings_share_a_rating_and_a_rating_is_no_preference(monkeypatch: pytest.MonkeyPatch) -> None:
    target, first, final = (Picture.from_pixels(plain(32, level)) for level in (0, 9, 200))
    pictures = {picture.sha256: picture for picture in (first, final)}
    shown = (("similarity", first), ("similarity", final), ("similarity", final), ("preference", final))
    wanted = [
        Wanted("e", min(turn, 3), task, "structural", picture.sha256)  # type: ignore[arg-type]
        for turn, (task, picture) in enumerate(shown, start=1)
    ]
    calls: list[Picture] = []
    rate = StructuralJudge.rate

    def counted(self: StructuralJudge, target: Picture, image: Picture) -> Judgement:
        calls.append(image)
        return rate(self, target, image)

    monkeypatch.setattr(StructuralJudge, "rate", counted)
    scores = compute_scores(Material(target, first, pictures, tuple(wanted))).scores
    assert [score.task for score in scores] == ["similarity"] * 3 + ["preference"]
    assert scores[1].value == scores[2].value
    # Two ratings, and the two of the preference.
    assert len(calls) == 4
    assert scores[3].value in (0.0, 0.5, 1.0)


def test_the_version_of_facts_hangs_on_keys_words_and_order() -> None:
    def fact(key: str, sentence: str) -> Any:
        return type("F", (), {"key": key, "sentence": sentence})()

    facts = [fact("a", "One."), fact("b", "Two.")]
    others = [facts, facts[:1], facts[::-1], [fact("c", "One."), facts[1]], [fact("a", "Other."), facts[1]]]
    assert len({compute_facts_version(each) for each in others}) == 5


@pytest.mark.parametrize(("share", "digits", "shown"), [
    (0.9996, 1, "99.9 %"), (0.996, 0, "99 %"), (1.0, 1, "100.0 %"), (0.5, 0, "50 %"), (0.0004, 1, "0.0 %"),
])  # fmt: skip
def test_all_but_one_is_not_all(share: float, digits: int, shown: str) -> None:
    assert format_percent(share, digits) == shown


def test_what_a_model_wrote_is_not_filled_in_when_it_is_quoted() -> None:
    prompts = replace(load_judge_prompts(), repair="{problem} Write {form}.")
    assert prompts.format_repair("it says {form}", "a number") == "it says {form} Write a number."


def question(**more: Any) -> JudgeQuestion:
    common = {"judge": "eye", "asked_as": "0" * 64, "prompts": "p", "episode_id": "a", "turn": 1, "target": "1" * 64}
    return JudgeQuestion.model_validate({**common, "task": "similarity", "shown": ("2" * 64,), **more})


def test_an_answer_that_was_sent_back_is_no_end_before_its_repair() -> None:
    bad, outage = question(text="seven or so"), question(repair=True, reason="provider_error")
    worse, good = question(text="still", repair=True), question(text='{"score": 7}', repair=True)
    counts = {
        name: (losses.asked, losses.technical, dict(losses.reasons))
        for name, asked in {
            "waits": [bad], "outage": [bad, outage], "lost": [bad, worse], "mended": [bad, good],
        }.items()
        for losses in (count_losses([asked]),)
    }  # fmt: skip
    assert counts == {
        "waits": (0, 1, {}), "outage": (0, 1, {}), "lost": (1, 0, {"judge_format": 1}), "mended": (1, 0, {}),
    }  # fmt: skip


def test_the_same_id_in_another_set_is_another_target() -> None:
    """Episodes of one target are scored together, those of a target of another set apart."""
    places = SimpleNamespace(instances=SimpleNamespace(ids=["a", "b"]))
    runs = [
        SimpleNamespace(path=name, instances=places, run=SimpleNamespace(instance_set=identity))
        for name, identity in (("one", "x"), ("two", "x"), ("three", "y"))
    ]
    works = [(run, SimpleNamespace(episode=SimpleNamespace(instance_id=name))) for run in runs for name in ("b", "a")]
    groups = scoring._group_by_target(works)  # type: ignore[arg-type]  # what the grouping looks at
    assert [[(str(run.path), work.episode.instance_id) for run, work in group] for group in groups] == [
        [("one", "a"), ("two", "a")], [("three", "a")], [("one", "b"), ("two", "b")], [("three", "b")]
    ]  # fmt: skip


def test_a_negative_is_as_wrong_as_anything_unrelated() -> None:
    waves = np.random.default_rng(3).normal(size=(32, 32, 3))
    assert compute_structure_agreement(waves, -waves) == 0.0
    assert compute_structure_agreement(waves, waves) == pytest.approx(1.0)


def test_a_probe_is_known_by_who_is_asked_how_and_about_which_picture(monkeypatch: pytest.MonkeyPatch) -> None:
    """Two targets may have one title, and two ways of asking the same words."""
    monkeypatch.setattr(contamination, "PROMPTS", {"unseen": "Do you know {title}?", "known": "Do you know {title}?"})
    target = invented_set(1, ("photos",)).instances[0]
    other = with_target(target, sha256="f" * 64)
    asked = [
        contamination._ProbeInquiry(
            Path(), None, {}, None, instance, asking, SimpleNamespace(name="eye", asked_as=model)  # type: ignore[arg-type]
        ).draft.asked_as
        for instance in (target, other) for asking in ("unseen", "known") for model in ("m", "n")
    ]  # fmt: skip
    assert len(set(asked)) == 8


def test_the_last_kept_extra_has_the_weight_of_all_further_ones() -> None:
    extras = [ExtraBox(Box(0, 0, 9 + place, 9), 1.0 + place) for place in range(MOST_EXTRAS + 3)]
    kept = judge._limit_extras(extras)
    assert len(kept) == MOST_EXTRAS
    assert sum(extra.weight for extra in kept) == sum(extra.weight for extra in extras)
    assert judge._limit_extras(extras[:2]) == tuple(extras[:2])


def test_a_slip_is_never_in_the_last_answer() -> None:
    """There nothing could be corrected any more: of two answers with a colour it is always the first."""
    told = [["A red (#d62728) circle at (10, 10)."], ["A blue (#1f77b4) square at (50, 50)."]]
    for seed in range(20):
        answers = [list(answer) for answer in told]
        dialogues._add_corrected_error(answers, random.Random(seed))
        assert answers[0][0] != told[0][0]
        assert any("red" in sentence for sentence in answers[1])
