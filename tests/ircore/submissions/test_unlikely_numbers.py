"""Numbers that honest play hardly gives: clocks, times, counts, failures, and when episodes stop."""

from collections.abc import Sequence
from pathlib import Path

import numpy as np
import pytest
from hand_made import Fate, hand_made_run
from invented import invented_set
from samples import sample_instances, sample_submission

from ircore.core.episode_records import Usage
from ircore.core.images import Picture
from ircore.core.records import Rules
from ircore.core.submission_records import Run
from ircore.games.reconstruction.game import ReconstructionGame
from ircore.games.reconstruction.prompts import load_prompts
from ircore.players.base import DescriberView, GeneratorView, PictureAnswer, TextAnswer
from ircore.runs.events import Call
from ircore.runs.folder import RunFolder
from ircore.runs.play import make_run, open_run, play
from ircore.runs.session import PlayPlan
from ircore.submissions.copies.index import Look
from ircore.submissions.rescoring.flags import find_flags
from ircore.submissions.rescoring.unlikely_numbers import Share, more_often, number_flags

SET = invented_set(10, ("geometry",))
NAMES = [instance.instance_id for instance in SET.instances]


def calls(times: Sequence[float], usage: Usage | None = None, role: str = "describer") -> list[Call]:
    return [
        Call(episode_id=NAMES[place % len(NAMES)], turn=1, role=role, text="A circle.", seconds=seconds,
             usage=usage or Usage(completion_tokens=20))
        for place, seconds in enumerate(times)
    ]  # fmt: skip


def seen(events: Sequence[Call], run: Run | None = None) -> list[str]:
    """Return the findings in a run of models: rule and words."""
    run = run or hand_made_run("a-pair", SET, [5.0] * len(NAMES)).run
    flags = number_flags(run, events, {}, SET, _no_look, ())
    return [f"{flag.rule}: {flag.what}" for flag in flags]


def _no_look(_: str) -> Look:
    raise AssertionError("no picture is looked at")


def test_the_lady_tasting_tea() -> None:
    """Fisher's example: 3 of 4 cups against 1 of 4 have a probability of 17 / 70, 4 against 0 of 1 / 70."""
    assert more_often(Share(3, 4), Share(1, 4)) == pytest.approx(17 / 70)
    assert more_often(Share(4, 4), Share(0, 4)) == pytest.approx(1 / 70)


def test_measured_times_are_no_finding() -> None:
    random = np.random.default_rng(7)
    assert seen(calls(random.lognormal(1, 0.4, 200).tolist())) == []
    assert seen(calls([0.004] * 10 + [0.005] * 10)) == []  # a fast model of one's own: equal by rounding


def test_times_that_nobody_measured() -> None:
    assert seen(calls([1.5] * 15 + [0.9, 1.1, 2.0, 2.2, 3.1])) == [
        "time: 15 of 20 answers of the describer took exactly 1.5 s"
    ]
    assert seen(calls([0.0, 0.0, 1.0])) == ["time: the describer, a model, answered 2 of 3 times in no time"]


def test_clocks_that_cannot_be() -> None:
    run = hand_made_run("a-pair", SET, [5.0] * len(NAMES)).run
    (early,) = seen([], run.model_copy(update={"started": "1970-01-01T00:00:00+00:00"}))
    assert early.endswith("before there was any version of ircore")
    (short,) = seen(calls([9e6]), run.model_copy(update={"started": "2099-01-01T00:00:00+00:00"}))
    assert "its answers take 9.8 hours at least" in short


def test_answers_of_a_service_that_bills_count_tokens() -> None:
    run = hand_made_run("a-pair", SET, [5.0] * len(NAMES)).run
    spec = run.submission.describer.model_copy(update={"model": "gpt-4o"})
    billed = run.model_copy(update={"submission": run.submission.model_copy(update={"describer": spec})})
    free = Usage(prompt_tokens=0, completion_tokens=0, cost_usd=0.0)
    assert seen(calls([1.0, 2.0], free), billed) == [
        "no_tokens: 2 of 2 answers of the describer count no tokens and cost nothing"
    ]
    assert seen(calls([1.0, 2.0], free), run) == []  # a model without a price, such as one of one's own
    assert seen(calls([1.0, 2.0]), billed) == []


class Others:
    """A published run, as far as its failures are looked at."""

    def __init__(self, slug: str, fates: list[Fate]) -> None:
        made = hand_made_run(slug, LARGE, fates)
        self.run = made.run
        self.instances = LARGE
        self._ended = {episode.episode_id: episode for episode in made.episodes()}

    def ended(self) -> dict[str, object]:
        return dict(self._ended)


LARGE = invented_set(70, ("geometry",))


@pytest.mark.parametrize(
    ("failed", "others_failed", "flagged"),
    [
        (8, 8, True),  # 5.7 %: always
        (7, 0, True),  # 5 %, and none of 1,400 of others: p = 4 × 10⁻⁸
        (7, 70, False),  # 5 % of others fail too
        (1, 0, False),  # one may happen: p = 0.09
    ],
)
def test_failures_by_choice(failed: int, others_failed: int, flagged: bool) -> None:
    number = len(LARGE.instances)
    assert number == 140
    own = hand_made_run("a-pair", LARGE, ["failed"] * failed + [5.0] * (number - failed))
    each = others_failed // 10
    others = [Others(f"pair-{place}", ["failed"] * each + [5.0] * (number - each)) for place in range(10)]
    episodes = {episode.episode_id: episode for episode in own.episodes()}
    flags = list(number_flags(own.run, [], episodes, LARGE, _no_look, others))  # type: ignore[arg-type]
    assert [flag.rule for flag in flags] == ["many_failures"] * flagged


class Painter:
    """Draws the target moved sideways, by so many pixels at each turn."""

    def __init__(self, shifts: Sequence[int], pictures: dict[str, Picture]) -> None:
        self._shifts, self._pictures = shifts, pictures

    async def describe(self, view: DescriberView) -> TextAnswer:
        words = f"<DESCRIPTION>{view.target.sha256}</DESCRIPTION>"
        return TextAnswer(words if view.turn <= len(self._shifts) else "<DONE>")

    async def render(self, view: GeneratorView) -> PictureAnswer:
        target = self._pictures[view.message]
        return PictureAnswer(Picture.from_pixels(np.roll(target.pixels, self._shifts[view.turn - 1], axis=1)))


def painted(folder: Path, slug: str, shifts: Sequence[int]) -> RunFolder:
    """Play 32 episodes in which each turn's picture is so far from the target."""
    instances = sample_instances(folder / f"set-{slug}", per_condition=8)
    loaded = sample_submission(slug)
    pictures = {instance.sha256: instances.target(instance) for instance in instances.instances}
    prompts = load_prompts("reconstruction")
    run = make_run(loaded, instances, Rules(), prompts, seed=0)
    opened = open_run(folder / slug, run, instances)
    plan = PlayPlan(run, instances, instances.instances, prompts, concurrency=4)
    painter = Painter(shifts, pictures)
    play(plan, opened, ReconstructionGame(), {"describer": painter, "generator": painter})
    return opened


@pytest.mark.slow
def test_episodes_that_always_end_at_their_best_picture(tmp_path: Path) -> None:
    """A run whose later turns were cut off, beside an honest one that does not know when it was best."""
    honest = painted(tmp_path, "honest", (9, 6, 1, 3))
    cut = painted(tmp_path, "cut", (9, 6, 1))

    def rules(run: RunFolder, other: RunFolder) -> dict[str, str]:
        flags = find_flags(run.run, list(run.events()), run.instances, run.rendering, [other])
        return {flag.rule: flag.what for flag in flags}

    what = rules(cut, honest)["stops_at_its_best"]
    assert what == "32 of 32 longer episodes end at their best picture; 0 % of other pairs'"
    assert "stops_at_its_best" not in rules(honest, cut)
