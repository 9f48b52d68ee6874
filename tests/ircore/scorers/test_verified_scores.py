"""The score of a rendering from facts alone, in cases worked by hand, and what it must keep whatever the facts."""

import os
import random
import subprocess
import sys
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from charts import BLUE, RED, bars, chart_instances, instance_of
from known_values import known
from samples import sample_run

from ircore.core.images import Picture
from ircore.core.records import DIFFICULTIES, Difficulty, Scene
from ircore.core.score_records import Verdict
from ircore.games.reconstruction.records import CATEGORIES, list_turns
from ircore.instances.targets.categories import BUILDERS, draw_target
from ircore.runs.folder import FACTS, RunFolder, read_facts
from ircore.scorers.judge_test.drawers import DrawingStyle, redraw_scene
from ircore.scorers.scoring import ScoringPlan, score_runs
from ircore.scorers.verification.judge import build_stored_verdicts, restore_checked_facts
from ircore.scorers.verification.scene_facts import COLOURS, Fact, find_share, list_facts
from ircore.scorers.verification.score import ScoredFact, compute_score_interval, verify_picture
from ircore.seeing.ocr import find_missing_reader_package

pytestmark = pytest.mark.slow


def form(weight: float, credit: float = 1.0, verdict: Verdict | None = None) -> ScoredFact:
    return ScoredFact("presence", weight, verdict or ("holds" if credit == 1 else "fails"), credit)


def colour(weight: float, credit: float = 1.0, verdict: Verdict | None = None) -> ScoredFact:
    return form(weight, credit, verdict)._replace(attribute="colour")


@pytest.mark.parametrize(
    ("facts", "surplus", "cost", "expected"),
    [
        ([form(80), colour(20)], 0, 0, 10.0),
        ([form(80, 0), colour(20)], 0, 0, 0.0),  # nothing is there
        ([form(80), colour(20, 0)], 0, 0, 4.0),  # every colour is wrong: 10 · 0.4
        ([form(80), colour(10), colour(10, 0)], 0, 0, 6.22),  # half of the colours: 10 · (1 − 0.6 · ½^⅔)
        ([form(80), colour(15), colour(5, -1)], 0, 0, 6.22),  # a quarter in another mark's colour, which counts twice
        ([form(80), colour(20, -1)], 0, 0, 4.0),  # no more than all can be wrong
        ([form(80), colour(10), colour(10, -1.5)], 0, 0, 5.05),  # half of what is right is kept: 10 · (1 − 0.6 · ¾^⅔)
        ([form(70), form(10, 0), colour(20)], 0, 0, 7.5),  # an eighth is wrong: (1/8)^⅔ = 1/4
        ([form(79), form(1, 0), colour(20)], 0, 0, 9.46),  # 1 of 80: (1/80)^⅔ = 0.0539
        ([form(80), colour(20)], 20, 0, 6.58),  # 20 of 100 is drawn beside: 0.2^⅔ = 0.342
        ([form(80), colour(20)], 0, 1, 9.0),  # the transform costs a point
        ([form(70), form(10, 0), colour(20)], 0, 2, 6.0),  # 7.5 · 0.8
        ([form(80)], 0, 0, 10.0),  # no colour is a fact
        ([form(40), form(40, 0.5), colour(20)], 0, 0, 6.03),  # a quarter is wrong: 0.25^⅔ = 0.397
    ],
)
def test_scores_worked_by_hand(facts: list[ScoredFact], surplus: float, cost: float, expected: float) -> None:
    interval = compute_score_interval(facts, surplus, cost)
    assert interval.score == pytest.approx(expected, abs=0.005)
    assert interval.low == interval.score == interval.high


def test_what_is_undecided_gives_an_interval_and_the_score_is_its_middle() -> None:
    interval = compute_score_interval([form(70), form(10, 0, "undecided"), colour(20)], 0, 0)
    assert interval == (7.5, 8.75, 10.0)
    interval = compute_score_interval([form(80), colour(10), colour(10, 0, "undecided")], 0, 0)
    assert interval == (6.22, 8.11, 10.0)


def whole(category: str, difficulty: Difficulty) -> list[Fact]:
    return list_facts(BUILDERS[category](difficulty, random.Random(7)).scene)


def score(facts: list[Fact], wrong: set[str], undecided: bool = False) -> float:
    verdict: Verdict = "undecided" if undecided else "fails"
    return compute_score_interval(
        [
            ScoredFact(
                fact.attribute, fact.weight, verdict if fact.key in wrong else "holds", float(fact.key not in wrong)
            )
            for fact in facts
        ],
        0,
        0,
    ).score


DRAWN = [(category, difficulty) for category in sorted(BUILDERS) for difficulty in ("easy", "hard")]


@pytest.mark.parametrize(("category", "difficulty"), DRAWN)
def test_a_person_would_say_so_whatever_the_category(category: str, difficulty: Difficulty) -> None:
    facts = whole(category, difficulty)
    written = {fact.mark for fact in facts if fact.attribute == "text"}
    by_share: dict[str, set[str]] = {}
    for fact in facts:
        by_share.setdefault(find_share(fact, written), set()).add(fact.key)
    writing, data = by_share.get("writing", set()), by_share["data"] | by_share.get("data colours", set())
    colours = {fact.key for fact in facts if fact.attribute in COLOURS}
    assert score(facts, set()) == 10
    assert score(facts, {fact.key for fact in facts}) == 0
    assert score(facts, data) <= 2  # labels and frame, no mark
    assert score(facts, colours) <= 5  # a negative
    assert 4 <= score(facts, colours - by_share.get("ground", set())) <= 6  # every mark in a wrong colour
    if written:
        assert 5 <= score(facts, writing) <= 6  # no label; all garbled
        assert score(facts, writing) < score(facts, writing, undecided=True) < 9
        for mark in written:
            one = {fact.key for fact in facts if fact.mark == mark}
            assert 7 <= score(facts, one) <= 9.7 or len(written) < 3  # one wrong word


@pytest.mark.parametrize(("category", "difficulty"), DRAWN)
def test_more_that_is_wrong_never_scores_higher(category: str, difficulty: Difficulty) -> None:
    facts = whole(category, difficulty)
    keys = [fact.key for fact in facts]
    random.Random(1).shuffle(keys)
    scores = [score(facts, set(keys[:count])) for count in range(len(keys) + 1)]
    assert scores == sorted(scores, reverse=True)
    # Unreadable never beats right, and is never worse than wrong.
    for count in range(0, len(keys), 7):
        chosen = set(keys[:count])
        assert score(facts, chosen) <= score(facts, chosen, undecided=True) <= 10


@pytest.mark.parametrize("category", ["bar_graph", "functions", "geometry"])
def test_what_the_eye_does_not_see_in_the_target_itself_has_no_weight(category: str) -> None:
    drawn = BUILDERS[category]("hard", random.Random(7))
    own = Picture.from_pixels(drawn.drawing.pixels)
    result = verify_picture(own, drawn.scene, own)
    assert (result.low, result.score, result.high, result.undecided) == (10, 10, 10, 0)
    unseen = [checked for checked in result.facts if checked.verdict != "holds"]
    assert all(checked.fact.weight == 0 for checked in unseen)
    assert sum(checked.fact.weight for checked in result.facts) == pytest.approx(100, abs=0.01)


PLAN = ScoringPlan(metrics=(), every_turn=True)


def pets(dogs: int) -> tuple[Scene, Picture]:
    drawn = bars({"Cats": 40, "Dogs": dogs, "Fish": 20}, [RED, BLUE, RED])
    instance, pictures = instance_of(drawn, "pets", "bar_graph")
    return known(instance.scene), pictures["target"]


def test_what_is_kept_of_a_verification_gives_the_same_facts_back() -> None:
    (scene, target), (_, wrong) = pets(80), pets(40)
    verification = verify_picture(target, scene, wrong)
    stored = build_stored_verdicts(verification)
    back = restore_checked_facts(scene, stored)
    assert [(fact.fact.key, fact.verdict, fact.credit, fact.reason) for fact in back] == [
        (fact.fact.key, fact.verdict, fact.credit, fact.reason) for fact in verification.facts
    ]
    (dogs,) = [fact for fact in back if fact.verdict == "fails" and fact.fact.attribute == "value"]
    assert "Dogs" in dogs.fact.sentence  # half as high as it should be
    assert stored.parts["value"].decided - stored.parts["value"].held == 1
    assert len(stored.model_dump_json()) < 3000


def test_facts_of_another_version_are_not_read_as_those_of_this_one() -> None:
    scene, target = pets(80)
    stored = build_stored_verdicts(verify_picture(target, scene, target)).model_copy(update={"version": "0"})
    assert restore_checked_facts(scene, stored) == ()


def test_facts_are_kept_once_for_each_rendering_and_never_computed_again(tmp_path: Path) -> None:
    run = sample_run(tmp_path / "run", chart_instances(tmp_path / "charts"))
    assert score_runs([run], PLAN, workers=1).counts["verified"].new > 0
    drawn = {
        (episode.episode_id, turn.rendering.sha256)
        for episode in run.episodes()
        if episode.played
        for turn in list_turns(episode)
        if turn.rendering is not None
    }
    lines = [(line.episode_id, line.rendering) for line in read_facts(run)]
    assert sorted(lines) == sorted(drawn)
    before = (run.path / FACTS).read_bytes()
    assert score_runs([RunFolder(run.path)], PLAN, workers=1).new == 0
    assert (run.path / FACTS).read_bytes() == before


def test_runs_scored_together_have_what_each_has_by_itself(tmp_path: Path) -> None:
    charts = chart_instances(tmp_path / "charts")
    runs = [sample_run(tmp_path / f"run-{number}", charts) for number in (1, 2)]
    alone = sample_run(tmp_path / "alone", charts)
    score_runs(runs, PLAN, workers=2)
    score_runs([alone], PLAN, workers=1)
    for run in runs:
        assert run.scores() == alone.scores()
        assert list(read_facts(run)) == list(read_facts(alone))


PLAIN = DrawingStyle("matplotlib", "DejaVuSans", 1.0, 1.0, 1, (0.0, 0.0), 1.0, (1024, 1024), (0.0, 2.0))

LAYOUTS = {
    "margins of 12 %, off the middle": replace(PLAIN, scale=0.76, move=(0.03, -0.02)),
    "on 2:3, at the top": replace(PLAIN, canvas=(1024, 1536), scale=0.9, move=(0.0, -0.15)),
    "in a serif": replace(PLAIN, drawer="resvg", font="SourceSerifPro-Regular"),
    "by hand": replace(PLAIN, drawer="pillow", font="Intuitive", letters=0.95),
    "in another palette within tolerance": replace(PLAIN, drawer="resvg", shades=7),
}
"""Ways in which a person may lay out the same picture; sizes and margins alone are those of test_found_drawings.py."""

MOST = 0.5
"""Points by which a layout's score may differ from that of the target itself."""


READS = find_missing_reader_package() is None


def test_a_layout_costs_at_most_half_a_point() -> None:
    """Where no reader of texts is installed their wording may be undecided: then the highest possible score counts."""
    off: list[str] = []
    conditions = list(zip(CATEGORIES[:-1], DIFFICULTIES * 3, strict=True))
    for seed, (category, difficulty) in enumerate(conditions, start=300):
        target = draw_target(category, difficulty, seed)  # type: ignore[arg-type]
        own = Picture.from_pixels(target.drawing.pixels)
        whole = known(verify_picture(own, target.scene, own).score)
        # Every third layout: each is tried on two targets, an easy and a hard one.
        for title, style in list(LAYOUTS.items())[seed % 3 :: 3]:
            image = Picture.from_pixels(np.asarray(redraw_scene(target.scene, style)))
            found = verify_picture(own, target.scene, image)
            score = found.score if READS else found.high
            if score is None or abs(score - whole) > MOST:
                off.append(f"{category}/{difficulty}/{seed} {title}: {score}, not {whole}")
    assert off == []


VERDICTS = """
import sys
from concurrent.futures import ThreadPoolExecutor
from PIL import Image
from ircore.core.images import Picture
from ircore.instances.targets.categories import draw_target
from ircore.scorers.judge_test import edits
from ircore.scorers.verification.score import verify_picture

def line(job):
    result = verify_picture(*job)
    return f"{result.score} {result.transform} {[(fact.verdict, fact.credit, fact.seen) for fact in result.facts]}"


jobs = []
for category in ("bar_graph", "geometry"):
    target = draw_target(category, "easy", 3)
    own = Picture.from_pixels(target.drawing.pixels)
    moved = edits.rotate(edits.shift(target.drawing.pixels, distance=3), degrees=1)
    jobs.append((own, target.scene, Picture.from_pixels(edits.compress_as_jpeg(moved, quality=40))))
if sys.argv[1:]:
    with ThreadPoolExecutor(2) as pool:
        print(*reversed(list(pool.map(line, reversed(jobs)))), sep="\\n")
else:
    print(*map(line, jobs), sep="\\n")
"""


def verdicts(*options: str, **environment: str) -> str:
    """Return scores, transforms and readings, computed in a process of its own, with ``backwards`` in threads."""
    command = [sys.executable, "-c", VERDICTS, *options]
    return subprocess.run(command, env={**os.environ, **environment}, text=True, capture_output=True, check=True).stdout


def test_every_reading_is_the_same_without_wide_instructions_in_threads_and_backwards() -> None:
    from numpy._core._multiarray_umath import __cpu_dispatch__, __cpu_features__  # type: ignore[import-not-found]

    wide = " ".join(feature for feature in __cpu_dispatch__ if __cpu_features__.get(feature))
    narrow = {"NPY_DISABLE_CPU_FEATURES": wide, "OPENBLAS_CORETYPE": "Nehalem"}
    several, one = {"OPENBLAS_NUM_THREADS": "2"}, {"OPENBLAS_NUM_THREADS": "1"}
    assert verdicts(**several) == verdicts(**several, **narrow) == verdicts("backwards", **one)
