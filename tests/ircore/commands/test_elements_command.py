"""``ircore elements``: two lists held against each other, and plain messages."""

import json
from pathlib import Path

import pytest

from ircore.commands.main import run as ircore


def listed(folder: Path, name: str, elements: object) -> str:
    path = folder / name
    path.write_text(json.dumps(elements))
    return str(path)


def test_two_persons_published_and_corrected(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    counts = listed(tmp_path, "counts.json", {"person": 2})
    assert ircore(["elements", "compare", counts, counts, "--json"]) == 0
    document = json.loads(capsys.readouterr().out)
    assert (document["published"]["f1"], document["corrected"]["f1"]) == (0.5, 1)
    assert document["iou"]["without_box"] == ["person"]
