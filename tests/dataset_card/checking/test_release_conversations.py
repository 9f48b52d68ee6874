"""Releases of conversations: read by ``load_dataset``, and their values computed again from the embedded pictures."""

import json
import shutil
from pathlib import Path

import pytest
from loaded_datasets import load_dataset

from dataset_card.checking.release_check import check_release
from dataset_card.checking.rescore import Rescoring, rescore_release
from dataset_card.checking.rescored_run import Draw
from dataset_card.releases.build import build_release, make_source
from ircore.games.conversation.dialogues import build
from ircore.instances.requests import BuildRequest
from ircore.instances.store import read_instances
from ircore.library.playing import play, score
from ircore.runs.folder import RunFolder

pytestmark = pytest.mark.slow

PAIR = """\
{schema: 1, game: conversation, name: extractive + canvas, licence: Apache-2.0,
 summariser: {player: extractive}, generator: {player: canvas}}
"""


def played(folder: Path, instances: Path) -> Path:
    """Let the built-in pair play a set, and score it."""
    (folder / "pair.yaml").write_text(PAIR, encoding="utf-8")
    run = play(folder / "pair.yaml", instances, folder / "run")
    score(run)
    return run.path


@pytest.fixture(scope="module")
def run(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("conversations")
    request = BuildRequest(folder / "set", per_condition=1, categories=("simple_shapes",), difficulties=("easy",))
    return played(folder, build(request).folder)


def rescored(release: Path) -> Rescoring:
    report = check_release(release)
    assert report.faults == ()
    return rescore_release(release, report.runs, Draw(), 1)


def test_a_release_is_read_and_every_value_is_computed_again(run: Path, tmp_path: Path) -> None:
    build_release([run], run / "instances", tmp_path / "release")
    loaded = load_dataset(tmp_path / "release", "transcripts_conversation", tmp_path / "cache")
    assert (loaded["rows"], loaded["first"]["hop"], loaded["first"]["drawing"]) == (3, 1, [512, 512])
    assert loaded["first"]["asker"] is None
    again = rescored(tmp_path / "release")
    assert again.faults == ()
    (verification,) = again.runs.values()
    assert verification.metrics["verified"] == 3
    assert verification.metrics["final_ep_f1"] == 1


def test_reconstruction_comes_before_games_that_the_alphabet_puts_first(run: Path, built: Path) -> None:
    folders = [RunFolder(built / "runs" / "centre-block"), RunFolder(run)]
    sets = {played.identity: played for played in map(read_instances, (run / "instances", built / "instances"))}
    source = make_source(folders, sets)
    assert [tables.name for tables in source.games] == ["reconstruction", "conversation"]


@pytest.mark.parametrize("measure", ["ssim", "final_verified"])
def test_a_value_that_its_pictures_do_not_have_is_named(run: Path, tmp_path: Path, measure: str) -> None:
    forged = shutil.copytree(run, tmp_path / "forged")
    values = [json.loads(line) for line in (forged / "scores.jsonl").read_text().splitlines()]
    changed = next(value for value in values if value["measure"] == measure)
    changed["value"] = 0.123
    (forged / "scores.jsonl").write_text("".join(json.dumps(value) + "\n" for value in values))
    build_release([forged], forged / "instances", tmp_path / "release")
    (fault,) = rescored(tmp_path / "release").faults
    assert f"{measure}: is 0.123, computed again" in fault
