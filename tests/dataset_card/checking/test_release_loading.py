"""``load_dataset`` reads a release, and the card's own code runs."""

import hashlib
import io
import json
import os
import shutil
import subprocess
import sys
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from loaded_datasets import load_dataset
from PIL import Image
from releases import CONFIGS, TRANSCRIPTS, rewrite, table

from dataset_card.checking.release_check import check_release
from dataset_card.checking.rescore import Rescoring, rescore_release
from dataset_card.checking.rescored_run import Draw
from dataset_card.releases.build import BuildPlan, build_release, make_source
from dataset_card.tables.rows import shrink
from dataset_card.tables.schema import LEADERBOARD, MEASURES, PREVIEWS
from ircore.core.images import hash_pixels, read_stored_pixels
from ircore.games.conversation.dialogues import build
from ircore.instances.requests import BuildRequest
from ircore.instances.store import read_instances
from ircore.library.playing import play, score
from ircore.runs.folder import RunFolder

pytestmark = pytest.mark.slow


BOARDS = {config.name: config for config in (LEADERBOARD, MEASURES)}


def test_every_config_loads_with_its_types_and_pictures(built: Path, tmp_path: Path) -> None:
    seen = load(built / "release", tmp_path / "hub")
    assert seen["configs"].keys() == {config.name for config in CONFIGS}
    for config in CONFIGS:
        features = {name: without_defaults(item) for name, item in seen["configs"][config.name]["features"].items()}
        assert features == config.features()
    assert seen["default"] == [column.name for column in TRANSCRIPTS.columns]
    assert {name: item["rows"] for name, item in seen["configs"].items()} == {
        "instances": 12, "transcripts": 2 * 10 * 3, "episodes": 2 * 12, "scores": 2 * 10 * 4, "runs": 2,
        # Aborted episodes are dialogues without a picture.
        "calls": 2 * (10 * 5 + 2), "dialogues": 2 * (12 + 10),
        **{name: len(table(built / "release", config)) for name, config in BOARDS.items()},
    }  # fmt: skip
    assert seen["code"] >= 3
    expected = original_pixels(built)
    for request in seen["configs"].values():
        for column, pixels in request["pixels"].items():
            assert pixels == [expected[sha] if sha else None for sha in request["hashes"][column]]
    assert seen["configs"]["transcripts"]["pixels"]["rendering"].count(None) == 2 * 10  # the done turns


EARLIER = """
import json, sys
import datasets
tables = {name: datasets.load_dataset(sys.argv[1], name, split="test") for name in sys.argv[2:]}
first = tables["instances"][0]
print(json.dumps({
    "version": datasets.__version__,
    "rows": {name: len(table) for name, table in tables.items()},
    "names": first["picture_names"],
    "sizes": [picture.size for picture in (first["image"], *first["pictures"])],
}))
"""


def test_an_earlier_version_of_datasets_loads_lists_too(built: Path, tmp_path: Path) -> None:
    """IRCORE_DATASETS_3_PYTHON names a Python with datasets 3, which has another name for lists."""
    python = os.environ.get("IRCORE_DATASETS_3_PYTHON")
    if python is None:
        pytest.skip("IRCORE_DATASETS_3_PYTHON names no Python with datasets 3")
    environment = os.environ | {"HF_HOME": str(tmp_path), "HF_HUB_OFFLINE": "1"}
    command = [python, "-c", EARLIER, str(built / "release"), *(config.name for config in CONFIGS)]
    done = subprocess.run(command, env=environment, capture_output=True, text=True, timeout=300, check=False)
    assert done.returncode == 0, done.stderr
    seen = json.loads(done.stdout.splitlines()[-1])
    assert seen["version"].startswith("3.")
    assert seen["rows"] == {config.name: len(table(built / "release", config)) for config in CONFIGS}
    assert (seen["names"], seen["sizes"]) == (["target"], [[96, 96], [96, 96]])


def load(release: Path, home: Path) -> dict[str, Any]:
    """Load in a process of its own, offline: the library reads its settings when it is imported."""
    environment = os.environ | {"HF_HOME": str(home), "HF_HUB_OFFLINE": "1", "HF_DATASETS_DISABLE_PROGRESS_BARS": "1"}
    script = Path(__file__).with_name("load_release.py")
    done = subprocess.run(
        [sys.executable, str(script), str(release)],
        env=environment, capture_output=True, text=True, timeout=300, check=False,
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    document: dict[str, Any] = json.loads(done.stdout.splitlines()[-1])
    return document


def original_pixels(built: Path) -> dict[str, str]:
    """Return the hash of the pixels of every picture of the runs by what it is known by."""
    files = [*built.glob("instances/images/*"), *built.glob("runs/*/renderings/*")]
    return {
        hash_pixels(pixels): hashlib.sha256(pixels.tobytes()).hexdigest() for pixels in map(read_stored_pixels, files)
    }


def without_defaults(feature: dict[str, Any]) -> dict[str, Any]:
    """Drop what the library adds to a feature where nothing was said."""
    if "_type" not in feature:  # a record of several
        return {name: without_defaults(inner) for name, inner in feature.items()}
    kept = {key: value for key, value in feature.items() if key in ("dtype", "_type", "feature")}
    if isinstance(inner := kept.get("feature"), dict):
        kept["feature"] = without_defaults(inner)
    return {key: value for key, value in kept.items() if not (key == "dtype" and feature["_type"] == "Image")}


@pytest.fixture(scope="module")
def with_previews(built: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A release with previews, not to be changed."""
    folder = tmp_path_factory.mktemp("previews") / "release"
    build_release(list((built / "runs").iterdir()), built / "instances", folder, BuildPlan(previews=True))
    return folder


def png(width: int, height: int) -> bytes:
    buffer = io.BytesIO()
    pixels = np.full((height, width, 3), (200, 40, 40), np.uint8)
    Image.fromarray(pixels).save(buffer, "PNG")
    return buffer.getvalue()


@pytest.mark.parametrize(("size", "small"), [((1024, 512), (256, 128)), ((300, 300), (256, 256)), ((96, 64), (96, 64))])
def test_a_preview_is_a_small_jpeg_of_the_same_shape(size: tuple[int, int], small: tuple[int, int]) -> None:
    with Image.open(io.BytesIO(shrink(png(*size)))) as image:
        assert (image.format, image.size) == ("JPEG", small)
        assert not image.getexif()
        assert np.abs(np.asarray(image).astype(int) - (200, 40, 40)).max() <= 4
    assert shrink(png(*size)) == shrink(png(*size))


def test_previews_go_turn_by_turn_with_the_transcripts(with_previews: Path) -> None:
    previews, turns = table(with_previews, PREVIEWS), table(with_previews, TRANSCRIPTS)
    same = ("run_id", "episode_id", "step", "message", "target_sha256", "rendering_sha256")
    assert [[row[name] for name in same] for row in previews] == [[row[name] for name in same] for row in turns]
    target: Any = previews[0]["target"]
    assert target["path"] == "geometry-easy-01.jpg"
    assert Image.open(io.BytesIO(target["bytes"])).size == (96, 96)
    assert previews[2]["rendering"] is None  # a done turn
    assert check_release(with_previews).faults == ()


def test_the_next_release_carries_them_on(built: Path, tmp_path: Path, with_previews: Path) -> None:
    runs = sorted((built / "runs").iterdir())
    build_release(runs[:1], built / "instances", tmp_path / "first", BuildPlan(previews=True))
    build_release(runs[1:], built / "instances", tmp_path / "second", BuildPlan(previous=tmp_path / "first"))
    build_release([], built / "instances", tmp_path / "added", BuildPlan(previous=built / "release", previews=True))
    for folder in ("second", "added"):
        files = sorted((tmp_path / folder / "data" / "previews").iterdir())
        assert len(files) == 2
        for file in files:
            assert file.read_bytes() == (with_previews / "data" / "previews" / file.name).read_bytes()


def reword(rows: list[dict[str, Any]]) -> None:
    rows[0]["message"] = "another"
    rows[3]["step"] = 7


def repaint(rows: list[dict[str, Any]]) -> None:
    rows[1]["rendering"] = None
    rows[4]["target"]["bytes"] = png(300, 20)


@pytest.mark.parametrize(
    ("edit", "expected"),
    [
        (reword, [":1: message is another, the records say left 41", ":4: step is 7, the records say 1"]),
        (repaint, [":2: rendering: small picture without its original, or none of one that is there",
                   ":5: target: 300 × 20 pixels, a preview has at most 256"]),
        (lambda rows: rows.pop(), ["data/previews: has 59 rows for 60 turns"]),
    ],
    ids=["words", "pictures", "rows"],
)  # fmt: skip
def test_previews_that_do_not_go_with_the_transcripts_are_faults(
    with_previews: Path, tmp_path: Path, edit: Callable[[list[dict[str, Any]]], object], expected: Sequence[str]
) -> None:
    release = shutil.copytree(with_previews, tmp_path / "release")
    rewrite(release, PREVIEWS, edit)
    faults = check_release(release).faults
    assert [said for said in expected if not any(said in fault for fault in faults)] == [], faults


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


def test_a_value_that_its_pictures_do_not_have_is_named(run: Path, tmp_path: Path) -> None:
    measures = ("final_verified", "ssim")
    forged = shutil.copytree(run, tmp_path / "forged")
    values = [json.loads(line) for line in (forged / "scores.jsonl").read_text().splitlines()]
    for measure in measures:
        next(value for value in values if value["measure"] == measure)["value"] = 0.123
    (forged / "scores.jsonl").write_text("".join(json.dumps(value) + "\n" for value in values))
    build_release([forged], forged / "instances", tmp_path / "release")
    faults = rescored(tmp_path / "release").faults
    assert len(faults) == len(measures)
    assert all(any(f"{measure}: is 0.123, computed again" in fault for fault in faults) for measure in measures)
