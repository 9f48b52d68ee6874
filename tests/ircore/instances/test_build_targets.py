"""Building sets: seeds that stay put, no two alike, the same bytes twice."""

import itertools
import json
import os
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

from ircore.commands.main import run
from ircore.core.errors import InputError, WorkError
from ircore.core.records import Difficulty
from ircore.games.reconstruction import build_targets as build
from ircore.games.reconstruction.build_targets import SeededPlace, build_instances
from ircore.games.reconstruction.records import CATEGORIES
from ircore.instances.benchmark import BenchmarkVersion, read_versions
from ircore.instances.store import InstanceSet, read_instances
from ircore.instances.targets.categories import BUILDERS, draw_target

pytestmark = pytest.mark.slow

SOME = ("simple_shapes", "geometry")


def fingerprints(made: InstanceSet) -> dict[str, str]:
    return {instance.instance_id: instance.pictures["target"].sha256 for instance in made.instances}


def test_a_set_built_twice_is_the_same_to_the_byte(tmp_path: Path) -> None:
    """Once here in one process, once by a command whose Python hashes differently, in several."""
    item = build_instances(tmp_path / "one", 7, 1, workers=1)
    command = [
        sys.executable, "-m", "ircore", "instances", "build", "--out", "other", "--seed", "7", "--per-condition", "1",
    ]  # fmt: skip
    subprocess.run(command, cwd=tmp_path, env={**os.environ, "PYTHONHASHSEED": "12"}, check=True, capture_output=True)
    files = [path.relative_to(item.folder) for path in sorted(item.folder.rglob("*")) if path.is_file()]
    assert len(files) == 15
    for file in files:
        assert (item.folder / file).read_bytes() == (tmp_path / "other" / file).read_bytes()


def test_asking_for_more_or_for_less_changes_no_picture(tmp_path: Path) -> None:
    many = fingerprints(build_instances(tmp_path / "many", 3, 3, SOME))
    few = fingerprints(build_instances(tmp_path / "few", 3, 1, SOME))
    hard = fingerprints(build_instances(tmp_path / "hard", 3, 2, ["geometry"], ["hard"]))
    assert list(hard) == ["geometry-hard-01", "geometry-hard-02"]
    assert many.items() >= few.items()
    assert many.items() >= hard.items()


def test_every_category_builds_and_says_what_it_is(tmp_path: Path) -> None:
    made = build_instances(tmp_path / "set", per_condition=1)
    assert [(instance.category, instance.difficulty) for instance in made.instances] == list(
        itertools.product(CATEGORIES, ("easy", "hard"))
    )
    assert len(set(fingerprints(made).values())) == 14
    for instance in made.instances:
        assert (instance.scene is None) == (instance.seed is None) == (instance.category == "photos")
        assert made.picture(instance, "target").pixels.shape == (
            instance.pictures["target"].height,
            instance.pictures["target"].width,
            3,
        )


def test_a_picture_can_be_drawn_again_from_its_recorded_seed(tmp_path: Path) -> None:
    made = build_instances(tmp_path / "set", 11, 1, SOME)
    for instance in made.instances:
        assert instance.seed is not None
        drawn = draw_target(instance.category, instance.difficulty, instance.seed)
        assert np.array_equal(drawn.drawing.pixels, made.picture(instance, "target").pixels)
        assert drawn.scene == instance.scene


def test_seeds_differ_by_set_place_and_attempt() -> None:
    places = [SeededPlace(category, "easy", index) for category in BUILDERS for index in range(1, 30)]
    seeds = [place.seed(number, attempt) for place in places for number in (0, 1) for attempt in (0, 1)]
    assert len(set(seeds)) == len(seeds)
    assert all(0 <= seed < 2**48 for seed in seeds)


def test_a_picture_like_an_earlier_one_is_drawn_again() -> None:
    """Three places whose first pictures are one and the same come out as three pictures."""
    places = [SeededPlace("simple_shapes", "easy", index) for index in (1, 2, 3)]
    alike = [build._draw_target(place, 5) for place in places]
    assert len({drawn.picture.sha256 for drawn in alike}) == 1
    out = [item.instance for item in build._redraw_duplicates(iter(alike), places, 0)]
    assert [instance.instance_id for instance in out] == [place.instance_id for place in places]
    assert len({instance.pictures["target"].sha256 for instance in out}) == 3
    assert out[1].seed == places[1].seed(0, 1)


def test_a_builder_with_one_picture_only_is_noticed(monkeypatch: pytest.MonkeyPatch) -> None:
    places = [SeededPlace("simple_shapes", "easy", index) for index in (1, 2)]
    made = build._draw_target(places[0], 5)
    monkeypatch.setattr(build, "_draw_target", lambda place, seed: made)

    with pytest.raises(WorkError, match="simple_shapes-easy-02: no picture unlike the earlier ones"):
        list(build._redraw_duplicates(iter([made, made]), places, 0))


@pytest.mark.parametrize("difficulty", ["easy", "hard"])
def test_the_first_figures_of_a_condition_are_of_different_kinds(difficulty: Difficulty) -> None:
    places = [SeededPlace("geometry", difficulty, index) for index in range(1, 9)]
    first = (build._draw_target(place, place.seed(4)) for place in places)
    kinds = [entry.kind for entry in build._redraw_duplicates(first, places, 4)]
    assert len(set(kinds)) == len(kinds)


def test_where_photographs_run_out_it_is_said(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    made = build_instances(tmp_path / "set", 0, 10, ["photos"])
    assert len(made.instances) == 9
    assert capsys.readouterr().err.splitlines() == [
        "photos/easy: 5 of 10: no more freely licensed photographs are shipped; "
        "add your own with `ircore instances import folder`",
        "photos/hard: 4 of 10: no more freely licensed photographs are shipped; "
        "add your own with `ircore instances import folder`",
    ]


@pytest.mark.parametrize(
    ("arguments", "problem", "remedy"),
    [
        ({"categories": ["bargraph"]}, "unknown category 'bargraph'", "Did you mean bar_graph?"),
        ({"difficulties": ["esay"]}, "unknown difficulty 'esay'", "Did you mean easy?"),
        ({"seed": -1}, "seed -1 is negative", "0 or more"),
        ({"per_condition": 0}, "--per-condition 0", "1 to 1000"),
    ],
)
def test_what_cannot_be_built_is_refused(
    tmp_path: Path, arguments: "dict[str, list[str]]", problem: str, remedy: str
) -> None:
    with pytest.raises(InputError, match=problem) as caught:
        build_instances(tmp_path / "set", **arguments)  # type: ignore[arg-type]
    assert remedy in caught.value.remedy
    assert list(tmp_path.iterdir()) == []


RELEASED = read_versions()


@pytest.mark.parametrize("version", RELEASED, ids=lambda version: version.name)
def test_a_released_set_is_built_again_to_the_byte(version: BenchmarkVersion, tmp_path: Path) -> None:
    assert version.per_condition, f"ircore/instances/versions.yaml does not say how the set of {version.name} is built"
    made = build_instances(tmp_path / "set", per_condition=version.per_condition)
    assert made.identity == version.instance_set, (
        "This machine or this change draws other pictures than were released. Results on the old set cannot be "
        "compared with new ones: find what changed, or release a new version of the benchmark."
    )


def test_a_released_set_is_known_by_its_version(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    folder = str(tmp_path / "set")
    assert run(["instances", "build", "--out", folder, "--per-condition", "3"]) == 0
    assert capsys.readouterr().out.splitlines()[-1] == "this is benchmark version 2026.1-demo"
    assert run(["instances", "show", folder, "--json"]) == 0
    assert json.loads(capsys.readouterr().out)["versions"] == ["2026.1-demo"]
    assert run(["instances", "show", folder, "--version", "2026.1-demo"]) == 0
    assert run(["instances", "show", folder, "--version", "2026.1"]) == 2
    *_, problem, remedy = capsys.readouterr().err.splitlines()
    assert f"identity {read_instances(tmp_path / 'set').identity[:12]}…, but benchmark version 2026.1 is" in problem
    assert "ircore instances build --per-condition 10" in remedy


def test_another_set_has_no_version(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    other = str(tmp_path / "other")
    assert run(["instances", "build", "--out", other, "--per-condition", "1", "-c", "simple_shapes"]) == 0
    assert "benchmark version" not in capsys.readouterr().out
    assert run(["instances", "show", other, "--version", "1999.1"]) == 2
    assert "unknown version '1999.1'" in capsys.readouterr().err
