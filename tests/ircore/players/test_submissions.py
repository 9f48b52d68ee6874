"""Manifests: the built-in ones are valid, and what is wrong with a bad one is said in one line."""

import asyncio
import os
import re
import subprocess
import sys
import textwrap
from pathlib import Path
from typing import Any

import pytest

from ircore.commands.main import run as ircore
from ircore.core.errors import InputError
from ircore.core.plugins import list_builtin
from ircore.core.records import PlayerSpec
from ircore.games.reconstruction.build_targets import build_instances
from ircore.games.reconstruction.records import list_turns
from ircore.instances.store import InstanceSet
from ircore.players.base import Question
from ircore.players.builtin import editor as editor
from ircore.players.builtin_pairs import find_submission_place, list_builtin_pairs
from ircore.players.conformance import check_player
from ircore.players.submission import check_seat, read_manifest
from ircore.players.traits import describe_programs, find_model_family, is_program, load_traits
from ircore.runs.costs.prices import Prices
from ircore.runs.folder import RunFolder

BUILT_IN = sorted((Path(__file__).resolve().parents[3] / "submissions").glob("builtin-*"))
GOOD = """schema: 1
name: Pair
describer: {player: classical}
generator: {player: canvas}
licence: Apache-2.0
"""


def write(folder: Path, text: str) -> Path:
    manifest = folder / "a-pair" / "submission.yaml"
    manifest.parent.mkdir()
    manifest.write_text(text)
    return manifest


@pytest.mark.slow
@pytest.mark.parametrize("folder", BUILT_IN, ids=lambda folder: folder.name)
def test_built_in_pairs_are_valid(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert ircore(["submission", "check", str(folder)]) == 0
    assert f"{folder.name}: valid" in capsys.readouterr().out


def test_the_built_in_pairs_are_a_grid_and_the_plain_voice_beside_it() -> None:
    pairs = {tuple(folder.name.removeprefix("builtin-").split("-")) for folder in BUILT_IN}
    assert pairs == {(d, g) for d in ("captioner", "classical") for g in ("canvas", "sketch")} | {("plain", "canvas")}


def test_a_folder_or_its_manifest_can_be_named(tmp_path: Path) -> None:
    manifest = write(tmp_path, GOOD)
    assert read_manifest(manifest) == read_manifest(manifest.parent)
    assert read_manifest(manifest).slug == "a-pair"


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (("name: Pair", "nmae: Pair"), "name: is missing; nmae: unknown key, or a seat that is no mapping"),
        (("schema: 1", "schema: 2"), "schema: must be 1"),
        (("{player: canvas}", "{player: canvsa}"), r"generator\.player: unknown player 'canvsa'"),
        (("{player: canvas}", "{player: classical}"), r"generator\.player: classical is no generator"),
        (("{player: canvas}", "canvas"), "generator: unknown key, or a seat that is no mapping"),
        (("{player: canvas}", "{player: canvas, api_key_env: sk-123}"), "generator.api_key_env: String should match"),
        (("name: Pair", "name: &a Pair\nlinks: {paper: *a}"), "aliases are not allowed"),
        (("name: Pair", "name: Pair\nname: Other"), r"yaml:3: not valid YAML \('name' is given twice\)"),
        (("name: Pair", "name: [Pair"), "not valid YAML"),
        (("licence: Apache-2.0", "licence: Apache-2.0\nlinks: {code: 'javascript:alert(1)'}"), "must start with https://"),
        (("licence: Apache-2.0", "licence: as you like!"), "licence must be an SPDX identifier"),
        ((GOOD, "- 1"), "not a mapping"),
        (("name: Pair", "? [a, b]\n: c"), r"yaml:2: not valid YAML \(a key must be one word"),
        (("name: Pair", "name: 2026-99-99"), r"yaml:2: not valid YAML \(month must be in 1\.\.12"),
        (("name: Pair", f"name: {'1' * 5000}"), "yaml:2: not valid YAML"),
        (("name: Pair", "name: !!int abc"), "yaml:2: not valid YAML .*is not allowed"),
    ],
)  # fmt: skip
def test_a_malformed_manifest_is_refused_in_one_line(tmp_path: Path, change: tuple[str, str], message: str) -> None:
    with pytest.raises(InputError, match=message) as caught:
        check_seat(read_manifest(write(tmp_path, GOOD.replace(*change))), "generator", "render")
    assert "submission.yaml" in caught.value.problem
    assert "\n" not in caught.value.problem


def test_the_near_miss_is_named(tmp_path: Path) -> None:
    with pytest.raises(InputError) as caught:
        check_seat(read_manifest(write(tmp_path, GOOD.replace("canvas", "canvsa"))), "generator", "render")
    assert caught.value.remedy.startswith("Did you mean canvas?")


def test_a_huge_manifest_is_refused(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="larger than 64 KiB"):
        read_manifest(write(tmp_path, GOOD + "#" * 70_000))


@pytest.mark.parametrize("slug", ["-pair", ".pair", "_pair", "Pair", "two words", "é", "p" * 81])
def test_a_folder_name_that_no_run_could_bear_is_refused(tmp_path: Path, slug: str) -> None:
    manifest = write(tmp_path, GOOD)
    with pytest.raises(InputError, match=r"the folder's name .* cannot be used"):
        read_manifest(manifest.parent.rename(tmp_path / slug))


def test_an_endless_file_is_refused() -> None:
    with pytest.raises(InputError, match="larger than 64 KiB"):
        read_manifest(Path("/dev/zero"))


def test_settings_that_a_player_does_not_take_are_refused(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    manifest = write(tmp_path, GOOD.replace("{player: canvas}", "{player: canvas, parameters: {brush: 3}}"))
    assert ircore(["submission", "check", str(manifest)]) == 2
    assert "generator" in (error := capsys.readouterr().err)
    assert "brush" in error


@pytest.mark.parametrize(
    "name", ["captioner+canvas", "captioner+sketch", "classical+canvas", "classical+sketch", "plain+canvas"]
)
def test_a_name_is_describer_and_generator(name: str) -> None:
    submission = read_manifest(list_builtin_pairs()[name]).submission
    assert f"{submission.players['describer'].player}+{submission.players['generator'].player}" == name


@pytest.mark.slow
def test_a_pair_is_played_by_its_name(tmp_path: Path, instances: InstanceSet) -> None:
    words = ["--instances", str(instances.folder), "--out", str(tmp_path / "run"), "--limit", "1"]
    assert ircore(["play", "captioner+sketch", *words]) == 0
    assert RunFolder(tmp_path / "run").run.slug == "builtin-captioner-sketch"


def test_a_folder_of_that_name_goes_first(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    Path("classical+canvas").mkdir()
    assert find_submission_place(Path("classical+canvas")) == Path("classical+canvas")


def test_an_unknown_pair_names_the_nearest(instances: InstanceSet, capsys: pytest.CaptureFixture[str]) -> None:
    assert ircore(["play", "classic+canvas", "--instances", str(instances.folder), "--out", "run"]) == 2
    assert "Did you mean classical+canvas?" in capsys.readouterr().err


def test_what_is_no_pair_is_a_path(tmp_path: Path) -> None:
    for path in (Path("submissions/my-pair"), tmp_path / "a+b", Path("my-pair")):
        assert find_submission_place(path) == path


def test_every_player_of_this_project_declares_seats_that_it_has() -> None:
    from ircore.core.plugins import load_plugin

    for name in list_builtin("players"):
        traits = load_traits(name)
        assert traits.methods, name
        assert all(hasattr(load_plugin("players", name), method) for method in traits.methods), name


def test_offline_players_cost_nothing_and_others_what_their_model_costs() -> None:
    prices = Prices({})
    assert [prices.seat(PlayerSpec(player=name)).offline for name in ("classical", "sketch", "human")] == [True] * 3
    assert not prices.seat(PlayerSpec(player="openai", model="m")).offline
    assert prices.seat(PlayerSpec(player="openai-responses", model="m")).images_apart


def test_a_player_that_is_not_installed_is_taken_to_ask_a_service() -> None:
    assert load_traits("nobody-has-it").needs == "service"


def test_recorded_answers_cost_nothing() -> None:
    assert Prices({}).seat(PlayerSpec(player="recorded", source="human")).offline


def test_programs_are_told_by_the_player_and_never_by_a_name_that_anybody_can_choose() -> None:
    program = PlayerSpec(player="classical")
    model = PlayerSpec(player="openai", model="classical", api_key_env="OPENAI_API_KEY")
    assert (is_program(program), is_program(model), is_program(PlayerSpec(player="human"))) == (True, False, False)
    assert describe_programs([model]) == ""
    assert describe_programs([program, model]) == "Programs that come with this project, no AI models: classical."
    assert describe_programs([PlayerSpec(player="classical", model="GPT-9")]).startswith("No AI model has played yet")


PAGE = Path(__file__).resolve().parents[3] / "docs" / "own-player.md"


def example(first: str) -> str:
    """The indented block of the page that begins with these words."""
    text = PAGE.read_text("utf-8")
    blocks = [textwrap.dedent(block) for block in re.findall(r"(?:^(?: {4}.*)?\n)+", text, re.MULTILINE)]
    return next(block.strip("\n") + "\n" for block in blocks if block.lstrip("\n").startswith(first))


@pytest.fixture
def installed(tmp_path: Path) -> Path:
    """A folder into which the example was installed as a package, entry point and all."""
    source, target = tmp_path / "source", tmp_path / "installed"
    source.mkdir()
    (source / "patches.py").write_text(example('"""A describer that says'), "utf-8")
    (source / "pyproject.toml").write_text(example("[build-system]"), "utf-8")
    install = ["install", "--no-deps", "--no-build-isolation", "--target", str(target), str(source)]
    subprocess.run(
        [sys.executable, "-m", "uv", "pip", *install, "--python", sys.executable], check=True, capture_output=True
    )
    return target


@pytest.mark.slow
def test_the_player_of_one_game_keeps_its_contract() -> None:
    (code,) = re.findall("^```python\n(.*?)^```$", PAGE.read_text("utf-8"), re.MULTILINE | re.DOTALL)
    page: dict[str, Any] = {}
    exec(compile(code, PAGE.name, "exec"), page)
    check_player(page["Chooser"], questions={"answer": [Question(1, "Which?", choices=("A", "B"))]})
    last = page["Chooser"](PlayerSpec(player="chooser", parameters={"last": True}))
    assert asyncio.run(last.answer(Question(1, "Which?", choices=("A", "B")))).choice == "B"


@pytest.mark.slow
def test_the_example_is_found_by_its_entry_point_and_plays(installed: Path, tmp_path: Path) -> None:
    submission = tmp_path / "patches-canvas"
    submission.mkdir()
    (submission / "submission.yaml").write_text(example("schema: 1"), "utf-8")
    environment = {**os.environ, "PYTHONPATH": str(installed)}

    def ircore(*words: str) -> None:
        command = [sys.executable, "-m", "ircore", *words]
        subprocess.run(command, check=True, capture_output=True, env=environment, cwd=tmp_path)

    build_instances(tmp_path / "targets", 0, 1, ["simple_shapes"], ["easy"])
    ircore("submission", "check", "patches-canvas", "--local")
    ircore("play", "patches-canvas", "--instances", "targets", "--out", "run", "--concurrency", "1")
    (episode,) = RunFolder(tmp_path / "run").episodes()
    assert episode.outcome == "converged"
    assert " background. A #" in (list_turns(episode)[0].message or "")


@pytest.mark.parametrize(("model", "family"), [
    ("gpt-oss-distilled-from-claude", "gpt"), ("claude-like-gpt", "claude"), ("no-such-maker-7b", None),
])  # fmt: skip
def test_the_family_that_a_name_begins_with_counts(model: str, family: str | None) -> None:
    assert find_model_family(model) == family
