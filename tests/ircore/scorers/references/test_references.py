"""Reference describers: they are told what nobody else is, play by the rules, and are never ranked."""

import asyncio
import json
from dataclasses import replace
from functools import partial
from pathlib import Path

import pytest
from charts import chart_instances
from known_values import known
from samples import CentreDescriber, sample_instances, sample_run

from ircore.commands.main import run as ircore
from ircore.core.errors import InputError
from ircore.core.records import PlayerSpec
from ircore.core.tokens import count_tokens
from ircore.games.reconstruction.build_targets import build_instances
from ircore.instances.scene_percepts import perceive_scene
from ircore.instances.store import InstanceSet
from ircore.instances.targets.categories import draw_target
from ircore.players.base import DescriberView, GeneratorView, PlayerError, TextAnswer
from ircore.players.builtin.canvas.generator import CanvasGenerator
from ircore.players.submission import read_manifest
from ircore.results.model import Results
from ircore.results.tables.board import references_table
from ircore.runs.folder import RunFolder
from ircore.runs.session import InformedView, Knowledge
from ircore.scorers.judges.structural import StructuralJudge
from ircore.scorers.references import (
    SceneDescriber,
    ShuffledDescriber,
    TitleDescriber,
    choose_other_instance,
    select_facts_to_say,
)
from ircore.scorers.scoring import ScoringPlan, score_runs
from ircore.seeing.percepts import Pie


def manifest(folder: Path, describer: str) -> Path:
    path = folder / f"ref-{describer}" / "submission.yaml"
    path.parent.mkdir(parents=True)
    path.write_text(
        f"schema: 1\nname: {describer} + canvas\ndescriber: {{player: {describer}}}\ngenerator: {{player: canvas}}\n"
        "licence: CC0-1.0\n",
        encoding="utf-8",
    )
    return path.parent


def informed(instances: InstanceSet, index: int = 0, budget: int = 200, seed: int = 1) -> InformedView:
    instance = instances.instances[index]
    others = tuple(other for other in instances.instances if other is not instance)
    knowledge = Knowledge(instance, others, partial(instances.picture, name="target"), seed)
    return InformedView(1, "Describe.", instances.picture(instance, "target"), (), (), (), (), budget, 0, knowledge)


def said(answer: TextAnswer) -> str:
    return answer.text.removeprefix("<DESCRIPTION>").removesuffix("</DESCRIPTION>")


def describe(describer: SceneDescriber | ShuffledDescriber | TitleDescriber, view: DescriberView) -> str:
    return said(asyncio.run(describer.describe(view)))


SCENE = SceneDescriber(PlayerSpec(player="scene"))
FACTS = SceneDescriber(PlayerSpec(player="scene", parameters={"words": "facts"}))
SHUFFLED = ShuffledDescriber(PlayerSpec(player="shuffled"))
TITLE = TitleDescriber(PlayerSpec(player="title-only"))


@pytest.fixture
def charts(tmp_path: Path) -> InstanceSet:
    return chart_instances(tmp_path / "charts")


def test_a_pie_has_the_centre_of_a_wedge_that_is_not_pulled_out() -> None:
    scene = draw_target("pie_graph", "hard", 4).scene
    wedges = [element for element in scene.elements if element.type == "wedge"]
    assert [bool(wedge.parameters["exploded"]) for wedge in wedges] == [True, *[False] * 6]
    (pie,) = (percept for percept in perceive_scene(scene).percepts if isinstance(percept, Pie))
    assert pie.centre == wedges[1].point("centre") != wedges[0].point("centre")
    assert [bool(way) for way in pie.pulled] == [True, *[False] * 6]


class Onlooker(CentreDescriber):
    """Notes what kind of view it is shown."""

    def __init__(self, spec: PlayerSpec) -> None:
        super().__init__(spec)
        self.views: list[DescriberView] = []

    async def describe(self, view: DescriberView) -> TextAnswer:
        self.views.append(view)
        return await super().describe(view)


@pytest.mark.slow
@pytest.mark.parametrize(("player", "told"), [("scene", True), ("classical", False), ("no-such-player", False)])
def test_the_engine_tells_the_scene_to_reference_players_alone(
    tmp_path: Path, instances: InstanceSet, player: str, told: bool
) -> None:
    loaded = read_manifest(manifest(tmp_path, player))
    onlooker = Onlooker(loaded.submission.players["describer"])
    played = sample_run(tmp_path / "run", instances, loaded, describer=onlooker)
    assert {isinstance(view, InformedView) for view in onlooker.views} == {told}
    assert played.run.reference is told


def test_a_reference_that_is_told_nothing_refuses(instances: InstanceSet) -> None:
    view = DescriberView(1, "Describe.", instances.picture(instances.instances[0], "target"), (), (), (), (), 200, 0)
    for describer in (SCENE, SHUFFLED, TITLE):
        with pytest.raises(PlayerError, match="told what was drawn"):
            asyncio.run(describer.describe(view))


@pytest.mark.slow
@pytest.mark.parametrize("category", ["bar_graph", "geometry", "pie_graph", "simple_shapes"])
def test_what_scene_says_of_easy_targets_is_drawn_nearly_perfectly(tmp_path: Path, category: str) -> None:
    drawn = build_instances(
        tmp_path / "set", per_condition=2, categories=(category,), difficulties=("easy",), workers=1
    )
    for index, instance in enumerate(drawn.instances):
        message = describe(SCENE, informed(drawn, index, budget=1000))
        answer = asyncio.run(
            CanvasGenerator(PlayerSpec(player="canvas")).render(GeneratorView(1, message, (), None, 1, message))
        )
        rating = StructuralJudge().rate(drawn.picture(instance, "target"), answer.picture)
        assert known(rating.value) >= 9.4, message


@pytest.mark.slow
def test_scene_names_the_dots_on_corners_before_it_is_done(tmp_path: Path) -> None:
    """They change too few pixels to be missed in a rendering that lacks them, and each is a fact of the target."""
    drawn = build_instances(tmp_path / "set", 77, 1, ("geometry",), ("easy",), workers=1, edition=2)
    scene = known(drawn.instances[0].scene)
    dots = [element.point("centre") for element in scene.elements if element.type == "point"]
    assert len(dots) == 3
    view = informed(drawn)
    first = describe(SCENE, view)
    painted = asyncio.run(
        CanvasGenerator(PlayerSpec(player="canvas")).render(GeneratorView(1, first, (), None, 1, first))
    )
    second = describe(SCENE, replace(view, turn=2, messages=(first,), renderings=(painted.picture,)))
    for x, y in dots:
        assert f"centred at ({round(x)}, {round(y)})" in first + second
    third = replace(view, turn=3, messages=(first, second), renderings=(painted.picture,) * 2)
    assert describe(SCENE, third) == "<DONE>"


@pytest.mark.parametrize("budget", [20, 60, 200])
def test_scene_keeps_to_the_token_budget(charts: InstanceSet, budget: int) -> None:
    for describer in (SCENE, FACTS):
        assert 0 < count_tokens(describe(describer, informed(charts, 1, budget))) <= budget


def test_scene_tells_bars_where_they_are(charts: InstanceSet) -> None:
    message = describe(SCENE, informed(charts, 1))  # pets: 40 red, 80 blue, 20 red, all on the line y = 160
    assert "standing on y 160" in message
    assert all(tip in message for tip in ("up to y 120", "up to y 80", "up to y 140"))


def test_facts_tell_values_and_go_on_where_they_stopped(charts: InstanceSet) -> None:
    scene = known(charts.instances[1].scene)
    first = select_facts_to_say(scene, 40, ())
    second = select_facts_to_say(scene, 40, (first,))
    whole = select_facts_to_say(scene, 10_000, ())
    assert "shows the value 80" in whole
    assert first
    assert second
    assert not set(first.split(". ")) & set(second.split(". "))
    assert select_facts_to_say(scene, 10_000, (whole,)) == ""


def test_scene_has_nothing_to_say_of_what_was_not_drawn(tmp_path: Path) -> None:
    squares = sample_instances(tmp_path / "squares")  # without scenes
    with pytest.raises(PlayerError, match="no scene"):
        asyncio.run(SCENE.describe(informed(squares)))


def test_scene_takes_no_words_but_its_own() -> None:
    with pytest.raises(InputError, match=r"parameters\.words"):
        SceneDescriber(PlayerSpec(player="scene", parameters={"words": "verse"}))


def test_shuffled_describes_another_target_and_the_same_one_for_the_same_seed(instances: InstanceSet) -> None:
    for index, instance in enumerate(instances.instances):
        view = informed(instances, index)
        chosen = choose_other_instance(view.knowledge)
        assert chosen.pictures["target"].sha256 != instance.pictures["target"].sha256
        assert chosen == choose_other_instance(view.knowledge)
        assert describe(SHUFFLED, view) == describe(SHUFFLED, view)
    assert (
        len({choose_other_instance(informed(instances, 0, seed=seed).knowledge).instance_id for seed in range(40)}) == 3
    )


def test_title_only_names_category_and_difficulty(charts: InstanceSet) -> None:
    assert describe(TITLE, informed(charts)) == "An easy picture of the category bar graph."


@pytest.mark.slow
def test_references_stand_beside_the_board_and_never_on_it(tmp_path: Path, charts: InstanceSet) -> None:
    command = ["play", str(manifest(tmp_path, "scene")), "--instances", str(charts.folder)]
    assert ircore([*command, "--out", str(tmp_path / "ceiling")]) == 0
    assert json.loads((tmp_path / "ceiling" / "run.json").read_text(encoding="utf-8"))["reference"] is True
    pair = sample_run(tmp_path / "pair", charts)
    ceiling = RunFolder(tmp_path / "ceiling")
    score_runs([pair, ceiling], ScoringPlan(metrics=()), workers=1)
    results = Results.from_runs([ceiling, pair])
    assert [row.submission.run_id for row in results.board("structural")] == [pair.run.run_id]
    assert [submission.run_id for submission in results.submissions] == [pair.run.run_id]
    table = references_table(results, "structural")
    assert [value.value for value in table.column("describer")] == ["scene"]
    mean = table.entry(0, "score").value
    assert isinstance(mean, float)
    assert mean > 8


@pytest.mark.slow
def test_runs_of_pairs_do_not_say_that_they_are_no_references(tmp_path: Path, instances: InstanceSet) -> None:
    run = sample_run(tmp_path / "pair", instances)
    assert "reference" not in json.loads((run.path / "run.json").read_text(encoding="utf-8"))


@pytest.mark.slow
def test_the_intake_check_refuses_a_reference_as_a_pair(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    folder = manifest(tmp_path, "shuffled")
    assert ircore(["submission", "check", str(folder)]) == 2
    assert "describer.player: shuffled sees what no describer may see" in capsys.readouterr().err
    assert ircore(["submission", "check", str(folder), "--local"]) == 0


@pytest.mark.slow
def test_what_a_reference_said_is_not_cached(tmp_path: Path, charts: InstanceSet) -> None:
    command = ["play", str(manifest(tmp_path, "title-only")), "--instances", str(charts.folder)]
    assert ircore([*command, "--out", str(tmp_path / "floor"), "--cache", str(tmp_path / "cache")]) == 0
    assert not list((tmp_path / "cache").rglob("*.json"))
