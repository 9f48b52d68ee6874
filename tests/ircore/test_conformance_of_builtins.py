"""The conformance checks, on every plug-in that comes with the project."""

from pathlib import Path

import pytest

from ircore.core.plugins import list_available, list_builtin, load_plugin
from ircore.core.records import PlayerSpec
from ircore.games.reconstruction.build_targets import build_instances
from ircore.games.reconstruction.game import ReconstructionGame
from ircore.instances.targets.base import check_category
from ircore.instances.targets.categories import BUILDERS
from ircore.players.builtin.canvas.generator import CanvasGenerator
from ircore.players.builtin.captioner import CaptionerDescriber
from ircore.results.conformance import check_table, sample_results
from ircore.results.model import Results
from ircore.results.tables.catalogue import TABLES, TableQuestion
from ircore.runs.conformance import build_setups, check_game
from ircore.scorers.conformance import check_judge, check_metric
from ircore.scorers.judges.structural import StructuralJudge

pytestmark = pytest.mark.slow


@pytest.mark.parametrize("name", sorted(list_builtin("metrics")))
def test_metrics(name: str) -> None:
    metric = load_plugin("metrics", name)
    if metric.needs:
        pytest.skip(f"its weights or engine are files, and pictures of the check may say nothing to it: {metric.needs}")
    check_metric(metric)


def test_the_judge_structural() -> None:
    check_judge(StructuralJudge())


@pytest.mark.parametrize("name", ["bar_graph", "geometry"])
def test_categories(name: str) -> None:
    """Of the others the same seeds, scenes and ratings of targets are tested with the builders and the judge."""
    check_category(BUILDERS[name], name)


def test_the_reconstruction_game(tmp_path: Path) -> None:
    instances = build_instances(tmp_path / "set", per_condition=1, categories=("simple_shapes",), workers=1)
    players = {
        "describer": CaptionerDescriber(PlayerSpec(player="captioner")),
        "generator": CanvasGenerator(PlayerSpec(player="canvas")),
    }
    game = ReconstructionGame()
    check_game(game, build_setups(game, instances), players)


@pytest.fixture(scope="module")
def results(tmp_path_factory: pytest.TempPathFactory) -> Results:
    return sample_results(tmp_path_factory.mktemp("sample"))


@pytest.mark.parametrize("name", sorted(TABLES))
def test_tables(name: str, results: Results) -> None:
    check_table(TABLES[name], results, TableQuestion(judge="structural"))


def test_every_kind_of_builtin_plug_in_is_checked() -> None:
    """lipsim needs a checkpoint, verified and pieces a scene: tests of their own; so have builders and importers."""
    assert set(list_builtin("judges")) == {"structural", "lipsim", "pieces", "verified"}
    assert set(list_available("games")) >= {"reconstruction"}
