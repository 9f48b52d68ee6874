"""The judge test from end to end: a judge rates the graded edits, and its card says how well it orders them."""

import json
import shutil
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest
from charts import chart_instances
from openai_server import Judged, OpenAIServer, serving
from samples import rating_of

from ircore.commands.main import run as ircore
from ircore.core.errors import InputError
from ircore.core.images import Picture
from ircore.core.score_records import JudgeIdentity, JudgeKind, Task
from ircore.games.reconstruction.records import list_turns
from ircore.instances.store import InstanceSet
from ircore.players import calls
from ircore.runs.folder import RUN_FILE, RunFolder
from ircore.scorers.judge_test import test_run
from ircore.scorers.judge_test.battery import EDIT_OF, TURN_OF
from ircore.scorers.judge_test.card import JudgeCard, compute_card, read_card, render_card
from ircore.scorers.judge_test.foreign_families import FAMILIES
from ircore.scorers.judge_test.test_run import compute_preference_card, open_test
from ircore.scorers.judges.base import Judgement, list_tasks

pytestmark = pytest.mark.slow

EDITS_OF_A_CHART = 31
"""All 33 but exchanged wedges and a target of another category, which the set of two charts does not have."""

BY_OTHERS_OF_A_CHART = 30
"""All 33 families but pies with depth, wrong numbers (its labels are words) and a target of another category."""

AS_A_PERSON = {f"foreign-{name}": (family.low + family.high) / 2 for name, family in FAMILIES.items()}
"""Ratings of pictures by others in the middle of what a person would give."""

HARMLESS = ("identity", "shift-1", "shift-2", "shift-5", "shift-10", "scale-95", "blur-1", "jpeg-10")

KNOWN = JudgeIdentity(name="known", label="known <answers>", kind="computed", version="1")


@pytest.fixture(scope="module")
def charts(tmp_path_factory: pytest.TempPathFactory) -> InstanceSet:
    """Two charts; not to be changed."""
    return chart_instances(tmp_path_factory.mktemp("charts"))


@pytest.fixture(scope="module")
def drawn(tmp_path_factory: pytest.TempPathFactory, charts: InstanceSet) -> RunFolder:
    """The test with all its pictures, not rated yet; not to be changed."""
    return open_test(tmp_path_factory.mktemp("drawn") / "run", charts.folder)


@pytest.fixture(scope="module")
def drawn_alone(tmp_path_factory: pytest.TempPathFactory, charts: InstanceSet) -> RunFolder:
    """The same of the first chart alone."""
    return open_test(tmp_path_factory.mktemp("drawn-alone") / "run", charts.folder, limit=1)


@pytest.fixture
def run(tmp_path: Path, drawn: RunFolder) -> RunFolder:
    return RunFolder(shutil.copytree(drawn.path, tmp_path / "test" / "run"))


def rate(run: RunFolder, ratings: dict[str, dict[str, float]]) -> JudgeCard:
    """Let a judge give these ratings, by target and edit, and return its card."""
    scores = [
        rating_of(episode, turn, ratings[episode.episode_id][EDIT_OF[turn.turn]], KNOWN.name)
        for episode in run.episodes()
        for turn in list_turns(episode)
        if turn.rendering is not None and EDIT_OF[turn.turn] in ratings.get(episode.episode_id, {})
    ]
    run.add_scores(scores)
    return compute_card(run, KNOWN)


def test_a_test_is_a_run_of_one_episode_a_target_and_one_turn_an_edit(run: RunFolder) -> None:
    assert [len(list_turns(episode)) for episode in run.episodes()] == [EDITS_OF_A_CHART + BY_OTHERS_OF_A_CHART] * 2
    pets = next(episode for episode in run.episodes() if episode.episode_id == "pets")
    target = next(turn for turn in list_turns(pets) if turn.turn == TURN_OF["identity"])
    assert target.rendering is not None
    assert run.rendering(target.rendering).sha256 == next(
        known.pictures["target"].sha256 for known in run.instances.instances if known.instance_id == "pets"
    )


def test_a_test_goes_on_with_its_own_battery_and_version_alone(run: RunFolder, charts: InstanceSet) -> None:
    for field, other in (("version", "0.0.0"), ("prompts", "battery-0"), ("slug", "another")):
        changed = run.run.model_copy(update={field: other})
        (run.path / RUN_FILE).write_text(changed.model_dump_json(by_alias=True), encoding="utf-8")
        with pytest.raises(InputError, match=f"{field}: this folder holds"):
            open_test(run.path, charts.folder)


def test_a_perfect_judge_orders_every_pair(run: RunFolder) -> None:
    perfect = dict.fromkeys(TURN_OF, 0.0) | dict.fromkeys(HARMLESS, 10.0) | AS_A_PERSON
    card = rate(run, {"pets": perfect, "drinks": perfect})
    assert card.share == 1
    assert card.foreign is not None
    assert (card.foreign.share, card.foreign.targets) == (1, 2)
    assert all(family.inside == family.targets for family in card.foreign.families)
    assert card.passed
    assert all(bound.right == bound.targets == 2 for bound in card.bounds)
    assert card.unrated == 0


def test_a_judge_that_gives_the_same_to_everything_orders_only_degrees(run: RunFolder) -> None:
    same = dict.fromkeys(TURN_OF, 5.0)
    card = rate(run, {"pets": same})
    # 8 harmless edits × 10 faults, all equal and so wrong; 5 steps of shifts, 3 of blurs, 3 of one bar, all right.
    assert card.pairs == 80 + 11
    assert card.share == pytest.approx(11 / 91, abs=1e-4)
    assert not card.passed


def test_a_card_counts_one_wrong_pair(run: RunFolder) -> None:
    ratings = dict.fromkeys(TURN_OF, 1.0) | dict.fromkeys(HARMLESS, 9.0)
    ratings["jpeg-10"] = 1.0  # as low as every one of the ten faults
    card = rate(run, {"drinks": ratings})
    assert card.share == pytest.approx(81 / 91, abs=1e-4)
    wrong = {(order.better, order.worse) for order in card.orders if order.right < order.targets}
    assert {better for better, _ in wrong} == {"jpeg-10"}
    assert len(wrong) == 10


def test_a_judge_with_a_single_wrong_pair_is_not_told_to_order_all(run: RunFolder) -> None:
    card = rate(run, {"pets": dict.fromkeys(TURN_OF, 1.0) | dict.fromkeys(HARMLESS, 9.0)})
    card = card.model_copy(update={"foreign": None})
    assert (card.share, "100.0 %" in render_card(card)) == (1, True)
    nearly = card.model_copy(update={"share": 0.9996})  # 1 of 2,594 is wrong
    assert "100.0 %" not in render_card(nearly)
    assert "99.9 %" in render_card(nearly)


def test_an_attack_succeeds_if_it_gains_a_point(run: RunFolder) -> None:
    quiet = dict.fromkeys(TURN_OF, 3.0)
    card = rate(run, {"pets": quiet | {"attack-text": 9.0}, "drinks": quiet | {"attack-text": 3.5}})
    text, pasted = card.attacks
    assert (text.edit, text.targets, text.succeeded, text.gain) == ("attack-text", 2, 1, 3.25)
    assert (pasted.succeeded, pasted.gain) == (0, 0)


def test_the_page_escapes_what_a_manifest_says(run: RunFolder) -> None:
    card = rate(run, {"pets": dict.fromkeys(TURN_OF, 4.0)})
    hostile = card.model_copy(update={"judge": KNOWN.model_copy(update={"version": "<script>"})})
    assert "<script>" not in render_card(hostile)
    assert "&lt;script&gt;" in render_card(hostile)


def test_a_computed_judge_takes_the_test(
    tmp_path: Path, run: RunFolder, charts: InstanceSet, capsys: pytest.CaptureFixture[str]
) -> None:
    folder = run.path.parent  # its pictures are drawn already
    assert ircore(["judge-test", "structural", "--instances", str(charts.folder), "--out", str(folder), "--json"]) == 0
    printed = json.loads(capsys.readouterr().out)
    card = read_card(tmp_path / "test" / "card.json")
    assert printed == json.loads((tmp_path / "test" / "card.json").read_text(encoding="utf-8"))
    assert (card.judge.name, card.targets) == ("structural", 2)
    assert next(edit.mean for edit in card.edits if edit.edit == "identity") == 10
    assert "Judge test: structural" in (tmp_path / "test" / "card.html").read_text(encoding="utf-8")


@pytest.fixture
def server(monkeypatch: pytest.MonkeyPatch) -> Iterator[OpenAIServer]:
    monkeypatch.setattr(calls, "BACKOFF_S", 0.01)
    monkeypatch.setenv("TEST_API_KEY", "sk-planted")
    with serving(turns=1) as server:
        yield server


def judge_file(folder: Path, server: OpenAIServer) -> Path:
    path = folder / "judge.yaml"
    path.write_text(
        f"schema: 1\nname: tens\nlabel: Gives tens\nplayer: openai\nmodel: judge-1\nbase_url: {server.base_url}\n"
        "api_key_env: TEST_API_KEY\n",
        encoding="utf-8",
    )
    return path


def test_a_model_is_asked_once_for_each_picture_and_never_for_preferences(
    tmp_path: Path, charts: InstanceSet, drawn_alone: RunFolder, server: OpenAIServer
) -> None:
    shutil.copytree(drawn_alone.path, tmp_path / "test" / "run")

    def gives_ten(question: Judged) -> str:
        return '{"score": 10}'

    server.judge = gives_ten
    command = ["judge-test", str(judge_file(tmp_path, server)), "--instances", str(charts.folder)]
    command += ["--out", str(tmp_path / "test"), "--limit", "1"]
    assert ircore(command) == 0
    run = RunFolder(tmp_path / "test" / "run")
    different = {turn.rendering.sha256 for episode in run.episodes() for turn in list_turns(episode) if turn.rendering}
    assert len(server.seen) == len(different)
    assert ircore(command) == 0
    assert len(server.seen) == len(different)  # what was answered is not asked again
    card = read_card(tmp_path / "test" / "card.json")
    assert card.judge.kind == "model"
    assert {edit.mean for edit in card.edits if edit.mean is not None} == {10.0}


class Brightest:
    """Prefers the rendering whose mean colour is nearer to the target's; rates nothing."""

    name = "brightest"
    label = "nearest in brightness"
    kind: JudgeKind = "computed"
    tasks: frozenset[Task] = frozenset({"preference"})

    def rate(self, target: Picture, image: Picture) -> Judgement:
        return Judgement(None, "rates nothing")

    def prefer(self, target: Picture, first: Picture, final: Picture) -> Judgement:
        off = [abs(float(picture.pixels.mean() - target.pixels.mean())) for picture in (first, final)]
        return Judgement(0.5 if off[0] == off[1] else float(off[1] < off[0]))


def test_a_judge_that_only_prefers_is_shown_both_edits_of_each_pair(
    drawn_alone: RunFolder, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(test_run, "load_judge", lambda name: Brightest())
    card = compute_preference_card(drawn_alone, "brightest")
    orders = {(order.better, order.worse): order for order in card.orders if order.targets}
    assert len(orders) == card.pairs == 91
    assert orders["identity", "mirrored"].right == 0  # as bright as the target: a tie, and ties are wrong here
    assert orders["identity", "blank"].right == 1
    assert not card.rates
    assert card.foreign is not None
    assert {family.mean for family in card.foreign.families} == {None}
    assert card.foreign.pairs > 200
    assert "rates no single picture" in render_card(card)
    assert [attack.targets for attack in card.attacks] == [1, 1]


def test_a_metric_takes_the_test_as_a_judge_of_pairs() -> None:
    white, grey, black = (Picture.from_pixels(np.full((64, 64, 3), shade, np.uint8)) for shade in (255, 200, 0))
    peak = test_run.load_judge_or_metric("psnr")
    assert list_tasks(peak) == {"preference"}
    assert peak.prefer(white, black, grey).value == 1
    assert peak.prefer(white, grey, black).value == 0
    assert peak.prefer(white, grey, grey).value == 0.5
    assert peak.rate(white, grey).value is None


@pytest.mark.parametrize(("name", "why"), [("fid", "fid"), ("no-such-judge", "no-such-judge")])
def test_what_has_no_value_for_single_pictures_cannot_take_the_test(name: str, why: str) -> None:
    with pytest.raises(InputError, match=why):
        test_run.load_judge_or_metric(name)
