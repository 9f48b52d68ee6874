"""``load_dataset`` reads a release, and the card's own code runs."""

import hashlib
import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from dataset_card.tables.schema import CONFIGS, TRANSCRIPTS
from ircore.core.images import read_stored_pixels


@pytest.mark.slow
def test_every_config_loads_with_its_types_and_pictures(built: Path, tmp_path: Path) -> None:
    seen = load(built / "release", tmp_path / "hub")

    assert seen["configs"].keys() == {config.name for config in CONFIGS}
    for config in CONFIGS:
        features = {name: without_defaults(item) for name, item in seen["configs"][config.name]["features"].items()}
        assert features == config.features()
    assert seen["default"] == [column.name for column in TRANSCRIPTS.columns]
    assert {name: item["rows"] for name, item in seen["configs"].items()} == {
        "instances": 12,
        "transcripts": 2 * 10 * 3,
        "episodes": 2 * 12,
        "scores": 2 * 10 * 4,
        "leaderboard": 2 * 3 * 3,
    }
    assert seen["code"] >= 3

    expected = original_pixels(built)
    for request in seen["configs"].values():
        for column, pixels in request["pixels"].items():
            assert pixels == [expected[sha] if sha else None for sha in request["hashes"][column]]
    assert seen["configs"]["transcripts"]["pixels"]["rendering"].count(None) == 2 * 10  # the done turns


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
    """Return the hash of the pixels of every picture of the runs by the hash of its file."""
    files = [*built.glob("instances/images/*"), *built.glob("runs/*/renderings/*")]
    return {
        hashlib.sha256(path.read_bytes()).hexdigest(): hashlib.sha256(read_stored_pixels(path).tobytes()).hexdigest()
        for path in files
    }


def without_defaults(feature: dict[str, Any]) -> dict[str, Any]:
    """Drop what the library adds to a feature where nothing was said."""
    kept = {key: value for key, value in feature.items() if key in ("dtype", "_type", "feature")}
    return {key: value for key, value in kept.items() if not (key == "dtype" and feature["_type"] == "Image")}
