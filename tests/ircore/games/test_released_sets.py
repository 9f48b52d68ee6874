"""A released version is a promise: its instance set can be built again, to the byte, wherever this runs."""

import json
from pathlib import Path

import pytest

from ircore.commands.main import run
from ircore.games.reconstruction.build_targets import build_instances
from ircore.instances.benchmark import BenchmarkVersion, read_versions
from ircore.instances.store import InstanceSet

pytestmark = pytest.mark.slow

RELEASED = read_versions()


@pytest.mark.parametrize("version", RELEASED, ids=lambda version: version.name)
def test_a_released_set_is_built_again_to_the_byte(version: BenchmarkVersion, tmp_path: Path) -> None:
    assert version.per_condition, f"ircore/instances/versions.yaml does not say how the set of {version.name} is built"
    made = build_instances(tmp_path / "set", per_condition=version.per_condition)
    assert made.identity == version.instance_set, (
        "This machine or this change draws other pictures than were released. Results on the old set cannot be "
        "compared with new ones: find what changed, or release a new version of the benchmark."
    )


@pytest.fixture(scope="module")
def demo(tmp_path_factory: pytest.TempPathFactory) -> InstanceSet:
    return build_instances(tmp_path_factory.mktemp("demo") / "set", per_condition=3)


@pytest.fixture
def other(tmp_path: Path) -> InstanceSet:
    return build_instances(tmp_path / "other", per_condition=1, categories=["simple_shapes"])


def test_build_ends_with_the_version_it_made(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["instances", "build", "--out", str(tmp_path / "set"), "--per-condition", "3"]) == 0
    assert capsys.readouterr().out.splitlines()[-1] == "this is benchmark version 2026.1-demo"
    options = ["--out", str(tmp_path / "other"), "--per-condition", "1", "-c", "simple_shapes"]
    assert run(["instances", "build", *options]) == 0
    assert capsys.readouterr().out.splitlines()[-1] == "this is no released version"


def test_show_names_the_version_in_its_document_too(demo: InstanceSet, capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["instances", "show", str(demo.folder), "--json"]) == 0
    assert json.loads(capsys.readouterr().out)["versions"] == ["2026.1-demo"]


def test_show_holds_a_set_to_a_version(demo: InstanceSet, capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["instances", "show", str(demo.folder), "--version", "2026.1-demo"]) == 0
    assert run(["instances", "show", str(demo.folder), "--version", "2026.1"]) == 2
    *_, problem, remedy = capsys.readouterr().err.splitlines()
    assert f"identity {demo.identity[:12]}…, but benchmark version 2026.1 is" in problem
    assert "ircore instances build --per-condition 10" in remedy


def test_show_refuses_a_version_that_was_never_released(other: InstanceSet, capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["instances", "show", str(other.folder), "--version", "1999.1"]) == 2
    assert "unknown version '1999.1'" in capsys.readouterr().err
