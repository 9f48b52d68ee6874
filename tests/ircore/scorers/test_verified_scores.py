"""The score of a rendering from facts alone, in cases worked by hand, and what it must keep whatever the facts."""

import random

import pytest

from ircore.core.fact_records import Verdict
from ircore.core.images import Picture
from ircore.core.records import Difficulty
from ircore.games.reconstruction.build_targets import BUILDERS
from ircore.scorers.verification.scene_facts import COLOURS, Fact, facts_of, share_of
from ircore.scorers.verification.score import ScoredFact, score_of, verify_picture


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
    interval = score_of(facts, surplus, cost)
    assert interval.score == pytest.approx(expected, abs=0.005)
    assert interval.low == interval.score == interval.high


def test_what_is_undecided_gives_an_interval_and_the_score_is_its_middle() -> None:
    interval = score_of([form(70), form(10, 0, "undecided"), colour(20)], 0, 0)
    assert interval == (7.5, 8.75, 10.0)
    interval = score_of([form(80), colour(10), colour(10, 0, "undecided")], 0, 0)
    assert interval == (6.22, 8.11, 10.0)


def whole(category: str, difficulty: Difficulty) -> list[Fact]:
    return facts_of(BUILDERS[category](difficulty, random.Random(7)).scene)


def score(facts: list[Fact], wrong: set[str], undecided: bool = False) -> float:
    verdict: Verdict = "undecided" if undecided else "fails"
    return score_of(
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
        by_share.setdefault(share_of(fact, written), set()).add(fact.key)
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


@pytest.mark.slow
@pytest.mark.parametrize("category", ["bar_graph", "functions", "geometry"])
def test_what_the_eye_does_not_see_in_the_target_itself_has_no_weight(category: str) -> None:
    drawn = BUILDERS[category]("hard", random.Random(7))
    own = Picture.from_pixels(drawn.drawing.pixels)
    result = verify_picture(own, drawn.scene, own)
    assert (result.low, result.score, result.high, result.undecided) == (10, 10, 10, 0)
    unseen = [checked for checked in result.facts if checked.verdict != "holds"]
    assert all(checked.fact.weight == 0 for checked in unseen)
    assert sum(checked.fact.weight for checked in result.facts) == pytest.approx(100, abs=0.01)
