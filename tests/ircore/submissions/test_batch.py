"""All that waits is evaluated in one go, and goes on with answers that are paid for."""

from pathlib import Path
from typing import Any

import pytest
import yaml
from samples import sample_instances

from ircore.commands.main import run as ircore
from ircore.players.submission import read_manifest
from ircore.submissions.batch import Forecast, chosen, forecast, write_bounds

CLASSICAL, CANVAS = {"player": "classical"}, {"player": "canvas"}
PRICED = {"player": "openai", "model": "gpt-4.1", "api_key_env": "OPENAI_API_KEY"}


def write_pair(folder: Path, describer: dict[str, Any], generator: dict[str, Any]) -> Path:
    """Write a manifest whose name is the folder's."""
    folder.mkdir(parents=True, exist_ok=True)
    about = {"schema": 1, "name": f"The {folder.name}", "licence": "CC0-1.0"}
    (folder / "submission.yaml").write_text(yaml.safe_dump(about | {"describer": describer, "generator": generator}))
    return folder


@pytest.mark.slow
def test_a_batch_goes_on_where_it_was_cut_off(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """One pair is finished, one fails; the second time only the failed one is begun again, and no answer is lost."""
    sample_instances(tmp_path / "instances")
    (tmp_path / "published" / "runs").mkdir(parents=True)
    submissions = tmp_path / "submissions"
    write_pair(submissions / "a-pair", CLASSICAL, CANVAS)
    write_pair(submissions / "z-pair", {"player": "classical"}, {"player": "nobody-has-it"})
    words = [
        *("submission", "evaluate-pending", str(submissions), "--instances", str(tmp_path / "instances")),
        *("--published", str(tmp_path / "published"), "--out", str(tmp_path / "runs"), "--max-cost", "1"),
    ]
    assert ircore([*words, "--finished", str(tmp_path / "finished")]) == 0
    out = capsys.readouterr().out
    assert "1 evaluated: a-pair" in out
    assert "1 still wait: z-pair" in out
    assert [path.name for path in (tmp_path / "finished").iterdir()] == ["a-pair"]
    journal = (tmp_path / "runs" / "a-pair" / "journal.jsonl").read_bytes()

    write_pair(submissions / "z-pair", {"player": "classical"}, {"player": "sketch"})
    assert ircore([*words, "--finished", str(tmp_path / "again")]) == 0
    assert (tmp_path / "runs" / "a-pair" / "journal.jsonl").read_bytes() == journal
    assert sorted(path.name for path in (tmp_path / "again").iterdir()) == ["a-pair", "z-pair"]

    # A changed manifest is another run: the former one is not gone on with.
    write_pair(submissions / "a-pair", {"player": "captioner"}, {"player": "canvas"})
    assert ircore([*words, "--only", "a-pair", "--finished", str(tmp_path / "changed")]) == 0
    assert (tmp_path / "runs" / "a-pair" / "journal.jsonl").read_bytes() != journal
    assert [path.name for path in (tmp_path / "changed").iterdir()] == ["a-pair"]
    assert ircore([*words, "--only", "nobody", "--finished", str(tmp_path / "none")]) == 2


@pytest.mark.slow
def test_an_unknown_price_asks_for_a_bound_before_anything_is_paid(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", "x")
    sample_instances(tmp_path / "instances")
    pair = write_pair(tmp_path / "submissions" / "a-pair", {**PRICED, "model": "unheard-of"}, {"player": "canvas"})
    words = ["submission", "evaluate", str(pair), "--instances", str(tmp_path / "instances")]
    assert ircore([*words, "--out", str(tmp_path / "run"), "--max-cost", "1"]) == 2
    assert "no price of unheard-of is known" in capsys.readouterr().err
    assert not (tmp_path / "run").exists()

    loaded = read_manifest(pair)
    assert forecast(loaded, 10).unknown == ("unheard-of",)
    table = write_bounds(loaded.submission, 20, None, tmp_path / "prices.yaml")
    assert table is not None
    stated = yaml.safe_load(table.read_text())["models"]["unheard-of"]
    # 20 $ a million tokens; an image of 1,000 tokens: 2 cents.
    assert (stated["input"], stated["output"], stated["images"]) == (20, 20, {"*/*": 0.02})
    assert forecast(loaded, 10, table).unknown == ()
    assert (forecast(loaded, 10, table).cost_usd or 0) > 0


def test_what_waits_is_told_with_its_cost(tmp_path: Path) -> None:
    offline = write_pair(tmp_path / "a-pair", CLASSICAL, CANVAS)
    assert forecast(read_manifest(offline), 140) == Forecast(0.0)
    assert Forecast(0.0).text == "nothing to pay"
    priced = read_manifest(write_pair(tmp_path / "b-pair", PRICED, {"player": "canvas"}))
    ten, twenty = (forecast(priced, count).cost_usd for count in (10, 20))
    assert ten is not None
    assert twenty == pytest.approx(2 * ten)
    assert forecast(priced, None).text == "cost not foretold; prices are known"
    assert chosen([], ["b", "a"]) == ["b", "a"]
